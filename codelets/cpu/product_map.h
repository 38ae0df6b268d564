/* The map after a matrix product, element by element, while a part of it is in cache.
 * Must not know: how the product is computed. */
#ifndef ORR_CPU_TAIL_H
#define ORR_CPU_TAIL_H

#include "codelets/codelet.h"

typedef struct orr__tail orr__tail;

/* Of a matmul region with instructions. small: of products that may be so small that the map is better over several batches at a time.
 * NULL: last error. */
orr__tail *orr__tail_new(const orr__region *r, bool small);
void orr__tail_free(orr__tail *t);
/* The output of the matmul that is the product itself, -1: none is. */
int orr__tail_kept(const orr__tail *t);
/* The dtype in which it takes the product. */
orr_dtype orr__tail_takes(const orr__tail *t);
/* Is it over places of the first batch axis as a whole, not over rows of one product? */
bool orr__tail_of_batches(const orr__tail *t);
/* Rows [lo, hi) of batch q, or places [lo, hi) of the first batch axis; product: the first of them. */
orr_status orr__tail_run(const orr__tail *t, const orr__launch *l, int64_t q, int64_t lo, int64_t hi,
                         const void *product);
/* Its kernel, a map, and that kernel's region. */
orr__kernel *orr__tail_kernel(const orr__tail *t, const orr__region **r);

#endif
