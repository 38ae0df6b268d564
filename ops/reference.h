/* Pieces of the reference evaluation: arrays by logical index, one function per primitive.
 * Must not know: fusion, plans, speed. */
#ifndef ORR_OPS_REFERENCE_H
#define ORR_OPS_REFERENCE_H

#include "ops/ops.h"

/* A row-major array in memory. */
typedef struct orr__array {
    orr_dtype dtype;
    orr_shape shape;
    int64_t count;
    uint8_t *data;
} orr__array;

orr__scalar orr__array_get(const orr__array *a, int64_t i);
void orr__array_set(const orr__array *a, int64_t i, orr__scalar v);
/* Element number to index per axis, and back. */
void orr__array_unravel(const orr_shape *s, int64_t i, int64_t index[ORR_MAX_RANK]);
int64_t orr__array_ravel(const orr_shape *s, const int64_t index[ORR_MAX_RANK]);

/* One primitive: node, its scalars in this capture, operands, where the result goes (dtype and shape are set). */
typedef struct orr__refjob {
    const orr__node *node;
    const orr__scalar *s;
    int nin;
    orr__array in[3];      /* the first three                     */
    const orr__array *all; /* arrays of the capture, by node      */
    const int32_t *arg;    /* all operands' numbers               */
    orr__array out;
} orr__refjob;

orr_status orr__ref_permute(const orr__refjob *j);
orr_status orr__ref_broadcast(const orr__refjob *j);
orr_status orr__ref_slice(const orr__refjob *j);
orr_status orr__ref_pad(const orr__refjob *j);
orr_status orr__ref_concat(const orr__refjob *j);
orr_status orr__ref_take(const orr__refjob *j);
orr_status orr__ref_scatter_add(const orr__refjob *j);
orr_status orr__ref_reduce(const orr__refjob *j);
orr_status orr__ref_argreduce(const orr__refjob *j);
orr_status orr__ref_cholesky(const orr__refjob *j);
orr_status orr__ref_solve(const orr__refjob *j);
orr_status orr__ref_matmul(const orr__refjob *j);

/* x + y as a value of dtype. */
orr__scalar orr__ref_add(orr_dtype dtype, orr__scalar x, orr__scalar y);

#endif
