/* Normalised values as one node, with a derivative of their own.
 * Must not know: which axes a layer takes. */
#ifndef ORR_OPS_NN_NORMALISE_H
#define ORR_OPS_NN_NORMALISE_H

#include "ops/record.h"

/* Normalised values h = (x − mean)·scale or x·scale with scale = 1/√(mean((x − mean)²) + eps) over the axes, or over the axes
 * and the channels (axis 1) of a group; then weight and bias. */
typedef struct orr__normal {
    orr__site at;
    orr_tensor *x;
    uint32_t axes;      /* a mask                                                                  */
    int64_t groups;     /* of channels, a divisor of their number; 0: no groups */
    orr_tensor *mean;   /* x's shape with length 1 on the axes; NULL: not subtracted, and scale is by mean(x²) */
    orr_tensor *scale;  /* of the same shape                                                       */
    orr_tensor *weight; /* x's rank; an axis has x's length or 1; NULL: 1                          */
    orr_tensor *bias;   /* likewise; NULL: 0                                                       */
} orr__normal;

/* t of shape (n, channels, 1, …): the sum over the channels of each group, broadcast to these channels. */
orr_tensor *orr__over_groups(orr__site at, orr_tensor *t, int64_t groups);
/* The number of elements of one mean. */
double orr__normal_count(const orr_shape *x, uint32_t axes, int64_t groups);
/* h·weight + bias, owned by the current scope. */
orr_tensor *orr__normalise(const orr__normal *n);

#endif
