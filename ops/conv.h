/* The geometry of a convolution: the lengths of its three arrays, and the elements that are multiplied.
 * Must not know: which of the three arrays is the result, devices. */
#ifndef ORR_OPS_CONV_H
#define ORR_OPS_CONV_H

#include "ops/ops.h"

enum { ORR__CONV_AXES = 3 };

/* x (n, groups·c, x…), w (groups·o, c, w…), y (n, groups·o, y…): w[k] is multiplied with x[j] and y[i] where
 * j = i·stride − before + k·dilation. Fewer than three spatial axes are the last ones, after axes of length 1. */
typedef struct orr__conv {
    int64_t n, groups, c, o;
    int64_t x[ORR__CONV_AXES], w[ORR__CONV_AXES], y[ORR__CONV_AXES];
    int64_t stride[ORR__CONV_AXES], dilation[ORR__CONV_AXES], before[ORR__CONV_AXES];
} orr__conv;

/* A node has stride[d] in step[d], dilation[d] in step[3 + d], before[d] in start[d], the groups in index. */
orr__conv orr__conv_of(const orr__attr *a, const orr_shape *x, const orr_shape *w, const orr_shape *y);

/* The array that the operation computes from the other two: 'x', 'w', 'y'; 0 if it is no convolution. */
char orr__conv_result(const orr__op *op);

/* The images of rows [lo, hi): if the rows of conv_weights are parts of its terms, the first image and their number;
 * else all images. */
static inline void orr__conv_images(const orr__call *c, int64_t lo, int64_t hi, int64_t *first, int64_t *n)
{
    int64_t all = c->in[0].dim[0];
    *first = c->parts ? all / c->parts * lo + all % c->parts * lo / c->parts : 0;
    *n = c->parts ? all / c->parts * hi + all % c->parts * hi / c->parts - *first : all;
}

static inline int64_t orr__conv_count(const int64_t n[ORR__CONV_AXES])
{
    return n[0] * n[1] * n[2];
}

/* The i in [*lo, *hi) of axis d for which i·stride − before + k·dilation is a place of x; *lo ≤ *hi ≤ y[d]. */
static inline void orr__conv_inside(const orr__conv *v, int d, int64_t k, int64_t *lo, int64_t *hi)
{
    int64_t at = k * v->dilation[d] - v->before[d], s = v->stride[d];
    *lo = at < 0 ? (-at + s - 1) / s : 0;
    *hi = at < v->x[d] ? (v->x[d] - at + s - 1) / s : 0;
    *hi = *hi < v->y[d] ? *hi : v->y[d];
    *lo = *lo < *hi ? *lo : *hi;
}

#endif
