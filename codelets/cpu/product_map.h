/* The map after a matrix product, element by element, while a panel of it is in cache.
 * Must not know: how the product is computed. */
#ifndef ORR_CPU_TAIL_H
#define ORR_CPU_TAIL_H

#include "codelets/codelet.h"

typedef struct orr__tail orr__tail;

/* Of a matmul region with instructions. NULL: last error. */
orr__tail *orr__tail_new(const orr__region *r);
void orr__tail_free(orr__tail *t);
/* The output of the matmul that is the product itself, -1: none is. */
int orr__tail_kept(const orr__tail *t);
/* The dtype in which it takes the product. */
orr_dtype orr__tail_takes(const orr__tail *t);
/* Rows [lo, hi) of batch q; product: row lo of it. */
orr_status orr__tail_run(const orr__tail *t, const orr__launch *l, int64_t q, int64_t lo, int64_t hi,
                         const void *product);
/* Its kernel, a map, and that kernel's region. */
orr__kernel *orr__tail_kernel(const orr__tail *t, const orr__region **r);

#endif
