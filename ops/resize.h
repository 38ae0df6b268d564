/* The geometry of resizing along an axis: the elements whose weighted sum an element is.
 * Must not know: which of the two arrays is the result, devices. */
#ifndef ORR_OPS_RESIZE_H
#define ORR_OPS_RESIZE_H

#include <math.h>
#include <orrery/conv.h>
#include "ops/ops.h"

/* Lines of `from` elements that become lines of `to` elements: outer × length × inner. */
typedef struct orr__resize {
    int64_t outer, from, to, inner;
    orr_resize_mode mode;
    bool corners;
} orr__resize;

/* A node has the axis in axis, mode | corners << 3 in mask, its own length in start[axis]. */
orr__resize orr__resize_of(const orr__attr *a, const orr_shape *from, const orr_shape *to);

/* An element as the weighted sum of n neighbours from `first` on. A neighbour beyond the border is the element at the
 * border. If n is above four, all weights are 1/n. */
enum { ORR__NEIGHBOURS = 4 };
typedef struct orr__neighbours {
    int64_t first, n;
    double weight[ORR__NEIGHBOURS];
} orr__neighbours;

static inline orr__neighbours orr__resize_neighbours(const orr__resize *v, int64_t i)
{
    double n = (double)v->from, m = (double)v->to, s = ((double)i + 0.5) * n / m - 0.5;
    orr__neighbours k = { i * v->from / v->to, 1, { 1, 0, 0, 0 } };
    if (v->corners)
        s = v->to > 1 ? (double)i * (n - 1) / (m - 1) : 0;
    if (v->mode == ORR_RESIZE_NEAREST_CENTRE)
        k.first = (2 * i + 1) * v->from / (2 * v->to);
    if (v->mode == ORR_RESIZE_AREA) {
        k.n = ((i + 1) * v->from + v->to - 1) / v->to - k.first;
        for (int t = 0; t < ORR__NEIGHBOURS; t++)
            k.weight[t] = 1 / (double)k.n;
    }
    if (v->mode == ORR_RESIZE_LINEAR) {
        s = s < 0 ? 0 : s;
        double f = s - floor(s);
        k = (orr__neighbours){ (int64_t)floor(s), 2, { 1 - f, f, 0, 0 } };
    }
    if (v->mode == ORR_RESIZE_CUBIC) {
        const double a = -0.75;
        double f = s - floor(s), g = 1 - f;
        k = (orr__neighbours){ (int64_t)floor(s) - 1, 4, { 0 } };
        k.weight[0] = ((a * (f + 1) - 5 * a) * (f + 1) + 8 * a) * (f + 1) - 4 * a;
        k.weight[1] = ((a + 2) * f - (a + 3)) * f * f + 1;
        k.weight[2] = ((a + 2) * g - (a + 3)) * g * g + 1;
        k.weight[3] = ((a * (g + 1) - 5 * a) * (g + 1) + 8 * a) * (g + 1) - 4 * a;
    }
    return k;
}

static inline int64_t orr__resize_place(const orr__resize *v, const orr__neighbours *k, int64_t t)
{
    int64_t at = k->first + t;
    return at < 0 ? 0 : at < v->from ? at : v->from - 1;
}

static inline double orr__resize_weight(const orr__neighbours *k, int64_t t)
{
    return k->n > ORR__NEIGHBOURS ? k->weight[0] : k->weight[t];
}

#endif
