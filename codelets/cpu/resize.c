/* Resizing along an axis: the neighbours of an element are rows of the inner axes, which are added with their weights.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "ops/resize.h"

/* For an element of the longer array: its position, the positions of its neighbours, their weights. */
#define LINES(T)                                                                                                       \
    static void add_##T(T *restrict to, const T *restrict from, T w, int64_t n)                                        \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                                                \
            to[i] += w * from[i];                                                                                      \
    }                                                                                                                  \
    static void line_##T(const orr__resize *v, const orr__neighbours *k, bool back, const T *from, T *to)              \
    {                                                                                                                  \
        for (int64_t i = 0; i < v->to; i++)                                                                            \
            for (int64_t t = 0; t < k[i].n; t++) {                                                                     \
                int64_t at = orr__resize_place(v, &k[i], t) * v->inner;                                                \
                T w = (T)orr__resize_weight(&k[i], t);                                                                 \
                const T *x = from + (back ? i * v->inner : at);                                                        \
                T *y = to + (back ? at : i * v->inner);                                                                \
                if (v->inner == 1)                                                                                     \
                    *y += w * *x;                                                                                      \
                else                                                                                                   \
                    add_##T(y, x, w, v->inner);                                                                        \
            }                                                                                                          \
    }
LINES(float)
LINES(double)

static orr_status run(const orr__launch *l, const orr__resize *v, bool back)
{
    bool wide = l->region->out_dtype[0] == ORR_F64;
    int64_t in = (back ? v->to : v->from) * v->inner, out = (back ? v->from : v->to) * v->inner;
    size_t z = wide ? sizeof(double) : sizeof(float);
    if (l->hi <= l->lo || out == 0)
        return ORR_OK;
    orr__neighbours *k = orr__scratch((size_t)v->to * sizeof *k);
    if (!k)
        return ORR_ENOMEM;
    for (int64_t i = 0; i < v->to; i++)
        k[i] = orr__resize_neighbours(v, i);
    memset((char *)l->out[0] + (size_t)(l->lo * out) * z, 0, (size_t)((l->hi - l->lo) * out) * z);
    for (int64_t o = l->lo; o < l->hi; o++)
        if (wide)
            line_double(v, k, back, (const double *)l->in[0] + o * in, (double *)l->out[0] + o * out);
        else
            line_float(v, k, back, (const float *)l->in[0] + o * in, (float *)l->out[0] + o * out);
    return ORR_OK;
}

orr_status orr__cpu_kernel_resize(const orr__kernel *kernel, const orr__launch *l)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.in[0], &l->region->call.out);
    (void)kernel;
    return run(l, &v, false);
}

orr_status orr__cpu_kernel_resize_back(const orr__kernel *kernel, const orr__launch *l)
{
    orr__resize v = orr__resize_of(&l->region->call.attr, &l->region->call.out, &l->region->call.in[0]);
    (void)kernel;
    return run(l, &v, true);
}
