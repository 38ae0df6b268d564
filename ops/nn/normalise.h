/* Normalised values as one node, with a derivative of their own.
 * Must not know: which axes a layer takes. */
#ifndef ORR_OPS_NN_NORMALISE_H
#define ORR_OPS_NN_NORMALISE_H

#include "ops/record.h"

/* Normalised values h = (x − mean)·scale or x·scale with scale = 1/√(mean((x − mean)²) + eps) over the axes, or over them and the
 * channels (axis 1) of a group; and what follows. */
typedef struct orr__normal {
    orr__site at;
    orr_tensor *x;
    uint32_t axes;      /* a mask                                                                  */
    int64_t groups;     /* of channels, which divides their number; 0: channels are an axis like any other */
    orr_tensor *mean;   /* x's shape with the axes as 1; NULL: nothing is taken off, and scale is of mean(x²) */
    orr_tensor *scale;  /* of the same shape                                                       */
    orr_tensor *weight; /* x's rank; an axis has x's length or 1; NULL: 1                          */
    orr_tensor *bias;   /* likewise; NULL: 0                                                       */
} orr__normal;

/* t of shape (n, channels, 1, …): the sum over the channels of each group, seen by all of them. */
orr_tensor *orr__over_groups(orr__site at, orr_tensor *t, int64_t groups);
/* The elements of which one mean is made. */
double orr__normal_count(const orr_shape *x, uint32_t axes, int64_t groups);
/* h·weight + bias, owned by the current scope. */
orr_tensor *orr__normalise(const orr__normal *n);

#endif
