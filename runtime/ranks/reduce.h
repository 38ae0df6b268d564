/* The reduction of arrays element by element, in a fixed order.
 * Must not know: ranks, messages. */
#ifndef ORR_RANKS_REDUCE_H
#define ORR_RANKS_REDUCE_H

#include "runtime/ranks/ranks.h"

/* out[i] = in[0][i] ∘ … ∘ in[n−1][i] from left to right; `out` may be one of them. f16 and bf16 are computed in f32, with one rounding.
 * A NaN counts as the largest and the smallest number; the sum of bool is `or`. */
void orr__reduce(orr_dtype dtype, orr__reduction reduction, const void *const *in, int n, int64_t count, void *out);
/* Between f16 or bf16 (`dtype`) and f32: to f32 if `widens`, else from f32 with rounding. */
void orr__reduce_convert(orr_dtype dtype, bool widens, const void *in, int64_t count, void *out);

#endif
