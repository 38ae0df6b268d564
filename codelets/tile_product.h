/* A product of two tiles, added to a third.
 * Must not know: StarPU, plans, where the tiles come from. */
#ifndef ORR_CODELETS_TILE_PRODUCT_H
#define ORR_CODELETS_TILE_PRODUCT_H

#include "codelets/cholesky.h"

/* C (m × n) ← op(A) · op(B), + C with `add`. op transposes where ta or tb is set: A is then stored as k × m, B as n × k. f32 and f64.
 * at[0]: C, at[1]: A, at[2]: B; A and B are ignored if k is 0. Sets the last error if there is no memory for BLAS. */
typedef struct {
    int64_t m, n, k;
    bool ta, tb, add;
} orr__tileproduct;
orr_status orr__tile_product(const orr__tileproduct *p, orr_dtype t, const orr__tileat *at);

#endif
