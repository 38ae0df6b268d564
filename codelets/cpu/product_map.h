/* The epilogue of a matrix product as a map, run while a part of the product is in cache.
 * Must not know: how the product is computed. */
#ifndef ORR_CPU_PRODUCT_MAP_H
#define ORR_CPU_PRODUCT_MAP_H

#include "codelets/codelet.h"

typedef struct orr__tail orr__tail;

/* For a matmul region with instructions. small: the products may be so small that the map runs better over several
 * batches at a time. NULL: last error. */
orr__tail *orr__tail_new(const orr__region *r, bool small);
void orr__tail_free(orr__tail *t);
size_t orr__tail_size(orr__tail *t); /* bytes that it holds, without its kernel; NULL: 0 */
/* The output of the matmul that is the product itself, -1: none. */
int orr__tail_kept(const orr__tail *t);
/* The dtype in which the map reads the product. */
orr_dtype orr__tail_takes(const orr__tail *t);
/* True if the map is over places of the first batch axis, not over rows of one product. */
bool orr__tail_of_batches(const orr__tail *t);
/* Runs on rows [lo, hi) of batch q, or on places [lo, hi) of the first batch axis; product: the first of them. */
orr_status orr__tail_run(const orr__tail *t, const orr__launch *l, int64_t q, int64_t lo, int64_t hi,
                         const void *product);
/* The kernel of the map, and that kernel's region. */
orr__kernel *orr__tail_kernel(const orr__tail *t, const orr__region **r);

#endif
