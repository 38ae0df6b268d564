/* cuDNN's double: convolutions by plain loops that follow the descriptors.
 * Must not know: Orrery. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/double/double.h"

enum { OK = 0, BAD = 3, MOST = 5, WORKSPACE = 4096 };

/* A tensor, a filter, or the form of a convolution: padding in dim, strides, dilation. */
typedef struct {
    int type, n, dim[MOST], stride[MOST], dilation[MOST], groups, math;
} desc;

typedef struct {
    void *stream;
} handle;

API int cudnnCreate(void **h)
{
    if (cuda_double.create_code)
        return cuda_double.create_code;
    *h = calloc(1, sizeof(handle));
    cuda_double.handles += *h != NULL;
    return *h ? OK : BAD;
}

API int cudnnDestroy(void *h)
{
    free(h);
    cuda_double.handles--;
    return OK;
}

API int cudnnSetStream(void *h, void *stream)
{
    if (!h)
        return BAD;
    ((handle *)h)->stream = stream;
    return OK;
}

static int make(void **d)
{
    *d = calloc(1, sizeof(desc));
    cuda_double.handles++;
    return *d ? OK : BAD;
}

static int drop(void *d)
{
    free(d);
    cuda_double.handles--;
    return OK;
}

#define KIND(name)                                                                                                     \
    API int cudnnCreate##name##Descriptor(void **d)                                                                    \
    {                                                                                                                  \
        return make(d);                                                                                                \
    }                                                                                                                  \
    API int cudnnDestroy##name##Descriptor(void *d)                                                                    \
    {                                                                                                                  \
        return drop(d);                                                                                                \
    }
KIND(Tensor)
KIND(Filter)
KIND(Convolution)

API int cudnnSetTensorNdDescriptor(void *to, int type, int n, const int *dim, const int *stride)
{
    desc *d = to;
    if (n != 4 && n != 5)
        return BAD;
    d->type = type;
    d->n = n;
    memcpy(d->dim, dim, (size_t)n * sizeof *dim);
    memcpy(d->stride, stride, (size_t)n * sizeof *stride);
    return OK;
}

API int cudnnSetFilterNdDescriptor(void *to, int type, int format, int n, const int *dim)
{
    int stride[MOST], step = 1;
    for (int k = n - 1; k >= 0; step *= dim[k--])
        stride[k] = step;
    return format == 0 ? cudnnSetTensorNdDescriptor(to, type, n, dim, stride) : BAD;
}

API int cudnnSetConvolutionNdDescriptor(void *to, int n, const int *pad, const int *stride, const int *dilation,
                                        int mode, int type)
{
    desc *d = to;
    if ((n != 2 && n != 3) || mode != 1)
        return BAD;
    d->n = n;
    d->type = type;
    d->groups = 1;
    memcpy(d->dim, pad, (size_t)n * sizeof *pad);
    memcpy(d->stride, stride, (size_t)n * sizeof *stride);
    memcpy(d->dilation, dilation, (size_t)n * sizeof *dilation);
    return OK;
}

API int cudnnSetConvolutionGroupCount(void *to, int groups)
{
    ((desc *)to)->groups = groups;
    return OK;
}

API int cudnnSetConvolutionMathType(void *to, int math)
{
    ((desc *)to)->math = math;
    return math == 3 || math == 0 ? OK : BAD; /* at least f32; TF32 from sm_80 on */
}

/* cuDNN's rule for the lengths of y. */
static bool agree(const desc *x, const desc *w, const desc *form, const desc *y)
{
    bool yes = x->n == form->n + 2 && w->n == x->n && y->n == x->n && x->type == w->type && x->type == y->type &&
               x->type == form->type && x->dim[0] == y->dim[0] && x->dim[1] == w->dim[1] * form->groups &&
               y->dim[1] == w->dim[0] && w->dim[0] % form->groups == 0;
    for (int k = 0; yes && k < form->n; k++)
        yes = y->dim[2 + k] ==
              1 + (x->dim[2 + k] + 2 * form->dim[k] - ((w->dim[2 + k] - 1) * form->dilation[k] + 1)) / form->stride[k];
    return yes;
}

static int ask(const desc *x, const desc *w, const desc *form, const desc *y, int algorithm, size_t *bytes)
{
    *bytes = WORKSPACE;
    return cuda_double.matmul_code ? cuda_double.matmul_code : algorithm == 1 && agree(x, w, form, y) ? OK : BAD;
}

API int cudnnGetConvolutionForwardWorkspaceSize(void *h, void *x, void *w, void *form, void *y, int algorithm,
                                                size_t *bytes)
{
    return h ? ask(x, w, form, y, algorithm, bytes) : BAD;
}

API int cudnnGetConvolutionBackwardDataWorkspaceSize(void *h, void *w, void *y, void *form, void *x, int algorithm,
                                                     size_t *bytes)
{
    return h ? ask(x, w, form, y, algorithm, bytes) : BAD;
}

API int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *h, void *x, void *y, void *form, void *w, int algorithm,
                                                       size_t *bytes)
{
    return h ? ask(x, w, form, y, algorithm, bytes) : BAD;
}

static double get(const desc *d, const void *p, int64_t i)
{
    return d->type ? ((const double *)p)[i] : (double)((const float *)p)[i];
}

static void add(const desc *d, void *p, int64_t i, double v)
{
    if (d->type)
        ((double *)p)[i] += v;
    else
        ((float *)p)[i] += (float)v;
}

static int64_t length(const desc *d)
{
    int64_t n = 1;
    for (int k = 0; k < d->n; k++)
        n *= d->dim[k];
    return n;
}

static void split(const desc *d, int64_t i, int index[MOST])
{
    for (int k = d->n - 1; k >= 0; i /= d->dim[k--])
        index[k] = (int)(i % d->dim[k]);
}

/* A convolution in its stream, or as the node of a graph; `of`: which of the three is the result. */
typedef struct {
    desc dx, dw, form, dy;
    void *x, *w, *y, *space;
    char of;
} convolution;

/* Adds, for each element of y and of a kernel, the term with x. */
static int compute(void *arg)
{
    DEVICE_WORK;
    const convolution *c = arg;
    const desc *dx = &c->dx, *dw = &c->dw, *form = &c->form, *dy = &c->dy;
    const desc *result = c->of == 'x' ? dx : c->of == 'w' ? dw : dy;
    if (cuda_double.no_execution)
        return OK;
    memset(c->space, 0, WORKSPACE);
    memset(c->of == 'x' ? c->x : c->of == 'w' ? c->w : c->y, 0, (size_t)length(result) * (dx->type ? 8 : 4));
    const int per = dw->dim[0] / form->groups;
    const int64_t row = dw->dim[0] > 0 ? length(dw) / dw->dim[0] : 0; /* weights of one channel of y */
    for (int64_t i = 0; i < length(dy); i++) {
        int at[MOST], k[MOST];
        split(dy, i, at);
        for (int64_t j = at[1] * row; j < (at[1] + 1) * row; j++) {
            split(dw, j, k);
            int64_t from = at[0] * (int64_t)dx->stride[0] + (at[1] / per * dw->dim[1] + k[1]) * (int64_t)dx->stride[1];
            bool inside = true;
            for (int d = 0; d < form->n && inside; d++) {
                int p = at[2 + d] * form->stride[d] - form->dim[d] + k[2 + d] * form->dilation[d];
                inside = p >= 0 && p < dx->dim[2 + d];
                from += p * (int64_t)dx->stride[2 + d];
            }
            if (!inside)
                continue;
            if (c->of == 'y')
                add(dy, c->y, i, get(dx, c->x, from) * get(dw, c->w, j));
            else if (c->of == 'x')
                add(dx, c->x, from, get(dy, c->y, i) * get(dw, c->w, j));
            else
                add(dw, c->w, j, get(dy, c->y, i) * get(dx, c->x, from));
        }
    }
    return OK;
}

static int convolve(void *h, convolution c, size_t bytes)
{
    if (!h || !agree(&c.dx, &c.dw, &c.form, &c.dy) || bytes < WORKSPACE || !c.space)
        return BAD;
    if (cuda_double_align(c.x, 16) != 0 || cuda_double_align(c.w, 16) != 0 || cuda_double_align(c.y, 16) != 0)
        return BAD;
    void *stream = ((handle *)h)->stream;
    cuda_double.compute = c.form.math;
    if (cuda_double_capturing(stream))
        return cuda_double_add_node(stream, compute, NULL, &c, sizeof c);
    __atomic_add_fetch(&cuda_double.matmuls, 1, __ATOMIC_RELAXED);
    cuda_double_library(stream);
    return compute(&c);
}

static convolution all(char of, const void *dx, void *x, const void *dw, void *w, const void *form, const void *dy,
                       void *y, void *space)
{
    convolution c;
    memset(&c, 0, sizeof c);
    c.dx = *(const desc *)dx;
    c.dw = *(const desc *)dw;
    c.form = *(const desc *)form;
    c.dy = *(const desc *)dy;
    c.x = x;
    c.w = w;
    c.y = y;
    c.space = space;
    c.of = of;
    return c;
}

API int cudnnConvolutionForward(void *h, const void *alpha, void *dx, void *x, void *dw, void *w, void *form,
                                int algorithm, void *space, size_t bytes, const void *beta, void *dy, void *y)
{
    (void)alpha, (void)algorithm, (void)beta;
    return convolve(h, all('y', dx, x, dw, w, form, dy, y, space), bytes);
}

API int cudnnConvolutionBackwardData(void *h, const void *alpha, void *dw, void *w, void *dy, void *y, void *form,
                                     int algorithm, void *space, size_t bytes, const void *beta, void *dx, void *x)
{
    (void)alpha, (void)algorithm, (void)beta;
    return convolve(h, all('x', dx, x, dw, w, form, dy, y, space), bytes);
}

API int cudnnConvolutionBackwardFilter(void *h, const void *alpha, void *dx, void *x, void *dy, void *y, void *form,
                                       int algorithm, void *space, size_t bytes, const void *beta, void *dw, void *w)
{
    (void)alpha, (void)algorithm, (void)beta;
    return convolve(h, all('w', dx, x, dw, w, form, dy, y, space), bytes);
}
