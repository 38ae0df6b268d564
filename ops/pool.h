/* The geometry of pooling: the elements of a window.
 * Must not know: the reduction of a window, devices. */
#ifndef ORR_OPS_POOL_H
#define ORR_OPS_POOL_H

#include "ops/ops.h"

enum { ORR__POOL_AXES = 3 };

/* Planes of x… elements and of y… windows. Window i of axis d has the elements i·stride − before + t·dilation, t
 * below `window`; with a stride of 0 those from ⌊i·x/y⌋ to ⌈(i + 1)·x/y⌉. Fewer than three axes are the last ones. */
typedef struct orr__pool {
    int64_t planes;
    int64_t x[ORR__POOL_AXES], y[ORR__POOL_AXES];
    int64_t window[ORR__POOL_AXES], stride[ORR__POOL_AXES], dilation[ORR__POOL_AXES], before[ORR__POOL_AXES];
} orr__pool;

/* A node has stride[d] in step[d], dilation[d] in step[3 + d], before[d] in start[d], window[d] in start[3 + d]. */
orr__pool orr__pool_of(const orr__attr *a, const orr_shape *x, const orr_shape *y);

/* The elements of window i of axis d that exist: `n` of them from `first` on, `dilation` apart. */
static inline void orr__pool_window(const orr__pool *v, int d, int64_t i, int64_t *first, int64_t *n)
{
    if (v->stride[d] == 0) {
        *first = i * v->x[d] / v->y[d];
        *n = ((i + 1) * v->x[d] + v->y[d] - 1) / v->y[d] - *first;
        return;
    }
    int64_t at = i * v->stride[d] - v->before[d], e = v->dilation[d], lo = at < 0 ? (-at + e - 1) / e : 0;
    bool whole = at + (v->window[d] - 1) * e < v->x[d]; /* divisions take as long as the sum of a short window */
    int64_t hi = whole ? v->window[d] : at < v->x[d] ? (v->x[d] - at + e - 1) / e : 0;
    *first = at + lo * e;
    *n = hi > lo ? hi - lo : 0;
}

#endif
