/* Convolutions by cuDNN, if it can be opened: one call for a launch of whole images, or of all weights. Algorithms are
 * fixed, not searched for: they are deterministic and compute f32 in f32, or with ORRERY_TF32=1 in TF32.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <limits.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "ops/conv.h"
#include "runtime/base/env.h"

enum { X, W, Y, ARRAYS, AXES = ORR__CONV_AXES };

/* One launch. */
typedef struct {
    const orr__dnn *d;
    orr__conv v;
    int first; /* first spatial axis passed on: 0, or 1 if axis 0 has one place */
    char of;
    bool wide;
    int64_t image, n;                /* the first image, their number */
    void *tensor[2], *filter, *form; /* x and y; w; strides and padding */
} call;

/* True if the padding is equal on both sides, as cuDNN requires. */
static bool understood(const call *c)
{
    const orr__conv *v = &c->v;
    bool yes = v->n * v->groups * v->c * v->o > 0 && v->n * v->groups * v->c <= INT_MAX && v->groups * v->o <= INT_MAX;
    for (int d = 0; d < AXES; d++) {
        int64_t reach = v->dilation[d] * (v->w[d] - 1) + 1, room = v->x[d] + 2 * v->before[d] - reach;
        yes = yes && v->before[d] >= 0 && room >= 0 && room / v->stride[d] + 1 == v->y[d] && v->x[d] <= INT_MAX &&
              v->w[d] > 0 && v->w[d] <= INT_MAX && v->stride[d] <= INT_MAX && v->dilation[d] <= INT_MAX;
    }
    return yes;
}

/* The launch's rows as whole images, or as all weights of some images. False: neither. */
static bool whole(call *c, const orr__launch *l)
{
    const orr__region *r = l->region;
    int64_t all = c->v.groups * (c->of == 'x' ? c->v.c : c->v.o), per = r->dim[1];
    c->n = c->v.n;
    if (c->of == 'w') {
        orr__conv_images(&r->call, l->lo, l->hi, &c->image, &c->n);
        return c->n > 0 && (r->call.parts || (l->lo == 0 && l->hi == r->dim[0]));
    }
    c->image = l->lo * per / all;
    c->n = (l->hi - l->lo) * per / all;
    return l->lo * per % all == 0 && l->hi * per % all == 0 && c->n > 0;
}

static int describe_tensor(const call *c, void *desc, int64_t channels, const int64_t *length)
{
    int n = 2 + AXES - c->first, dim[2 + AXES] = { (int)c->n, (int)channels }, stride[2 + AXES];
    int64_t step = 1;
    for (int d = 2; d < n; d++)
        dim[d] = (int)length[c->first + d - 2];
    for (int d = n - 1; d >= 0; step *= dim[d--]) {
        if (step > INT_MAX)
            return -1;
        stride[d] = (int)step;
    }
    return c->d->set_tensor(desc, c->wide, n, dim, stride);
}

static int describe(call *c)
{
    const orr__dnn *d = c->d;
    const orr__conv *v = &c->v;
    int dim[2 + AXES] = { (int)(v->groups * v->o), (int)v->c }, axes = AXES - c->first;
    int pad[AXES], stride[AXES], dilation[AXES], code = 0;
    for (int k = 0; k < axes; k++) {
        int a = c->first + k;
        dim[2 + k] = (int)v->w[a];
        pad[k] = (int)v->before[a];
        stride[k] = (int)v->stride[a];
        dilation[k] = (int)v->dilation[a];
    }
    code = code ? code : d->create_tensor(&c->tensor[0]);
    code = code ? code : d->create_tensor(&c->tensor[1]);
    code = code ? code : d->create_filter(&c->filter);
    code = code ? code : d->create_conv(&c->form);
    code = code ? code : describe_tensor(c, c->tensor[0], v->groups * v->c, v->x);
    code = code ? code : describe_tensor(c, c->tensor[1], v->groups * v->o, v->y);
    code = code ? code : d->set_filter(c->filter, c->wide, ORR__DNN_NCHW, 2 + axes, dim);
    code = code ? code : d->set_conv(c->form, axes, pad, stride, dilation, ORR__DNN_CROSS_CORRELATION, c->wide);
    code = code ? code : d->set_groups(c->form, (int)v->groups);
    return code ? code : d->set_math(c->form, orr__env.tf32 && !c->wide ? ORR__DNN_ANY_MATH : ORR__DNN_FMA_MATH);
}

static void end(const call *c)
{
    for (int k = 0; k < 2; k++)
        if (c->tensor[k])
            (void)c->d->destroy_tensor(c->tensor[k]);
    if (c->filter)
        (void)c->d->destroy_filter(c->filter);
    if (c->form)
        (void)c->d->destroy_conv(c->form);
}

/* The address of element `first` of operand k, or with k < 0 of the result. */
static void *at(const orr__launch *l, int k, int64_t first, bool wide)
{
    const int64_t *off = k < 0 ? l->out_off : l->in_off;
    char *base = k < 0 ? l->out[0] : l->in[k];
    return base + (first - (off ? off[k < 0 ? 0 : k] : 0)) * (wide ? 8 : 4);
}

static int workspace(const call *c, void *handle, size_t *bytes)
{
    const orr__dnn *d = c->d;
    void *x = c->tensor[0], *y = c->tensor[1];
    return c->of == 'y'   ? d->forward_workspace(handle, x, c->filter, c->form, y, ORR__DNN_ALGORITHM, bytes)
           : c->of == 'x' ? d->data_workspace(handle, c->filter, y, c->form, x, ORR__DNN_ALGORITHM, bytes)
                          : d->filter_workspace(handle, x, y, c->form, c->filter, ORR__DNN_ALGORITHM, bytes);
}

/* The addresses of x, w and y. */
static void point(const call *c, const orr__launch *l, void *array[ARRAYS])
{
    int64_t xs = c->image * c->v.groups * c->v.c * orr__conv_count(c->v.x);
    int64_t ys = c->image * c->v.groups * c->v.o * orr__conv_count(c->v.y);
    array[X] = c->of == 'x' ? at(l, -1, xs, c->wide) : at(l, 0, xs, c->wide);
    array[W] = c->of == 'w' ? at(l, -1, 0, c->wide) : at(l, 1, 0, c->wide);
    array[Y] = c->of == 'y' ? at(l, -1, ys, c->wide) : at(l, c->of == 'x' ? 0 : 1, ys, c->wide);
}

static int run(const call *c, void *const array[ARRAYS], void *handle, void *space, size_t bytes)
{
    static const float one32 = 1, zero32 = 0;
    static const double one64 = 1, zero64 = 0;
    const orr__dnn *d = c->d;
    const void *one = c->wide ? (const void *)&one64 : &one32, *zero = c->wide ? (const void *)&zero64 : &zero32;
    void *tx = c->tensor[0], *ty = c->tensor[1], *x = array[X], *w = array[W], *y = array[Y];
    if (c->of == 'y')
        return d->forward(handle, one, tx, x, c->filter, w, c->form, ORR__DNN_ALGORITHM, space, bytes, zero, ty, y);
    if (c->of == 'x')
        return d->data(handle, one, c->filter, w, ty, y, c->form, ORR__DNN_ALGORITHM, space, bytes, zero, tx, x);
    return d->weights(handle, one, tx, x, ty, y, c->form, ORR__DNN_ALGORITHM, space, bytes, zero, c->filter, w);
}

/* False: a graph has the call. */
static bool is_called(const call *c, void *const array[ARRAYS], const orr__cu_stream_memory *memory)
{
    struct {
        orr__conv v;
        int64_t image, n;
        void *array[ARRAYS];
        orr__cu_address space;
        int of, wide, tf32;
    } all; /* that the library is told */
    memset(&all, 0, sizeof all);
    all.v = c->v;
    all.image = c->image;
    all.n = c->n;
    memcpy(all.array, array, sizeof all.array);
    all.space = memory->convolution;
    all.of = c->of;
    all.wide = c->wide;
    all.tf32 = orr__env.tf32;
    return orr__cu_record_call(&all, sizeof all);
}

/* Once per worker. A library that can be opened may still not work, for example beside an older driver. */
static bool move_in(const orr__dnn *d, orr__cu_stream_memory *memory)
{
    if (memory->dnn || memory->dnn_refused)
        return memory->dnn != NULL;
    int code = d->create(&memory->dnn);
    if (code == 0 && (code = d->set_stream(memory->dnn, memory->stream)) != 0)
        (void)d->destroy(memory->dnn);
    if (code != 0) {
        memory->dnn = NULL;
        memory->dnn_refused = true;
        orr__log(
            1, "cuDNN does not start (cudnnCreate, cudnnSetStream: status %d): generated kernels compute convolutions",
            code);
    }
    return memory->dnn != NULL;
}

static bool understand(call *c, const orr__launch *l)
{
    const orr__call *k = &l->region->call;
    const orr_shape *x = c->of == 'x' ? &k->out : &k->in[0], *w = c->of == 'w' ? &k->out : &k->in[1],
                    *y = c->of == 'y'   ? &k->out
                         : c->of == 'x' ? &k->in[0]
                                        : &k->in[1];
    c->v = orr__conv_of(&k->attr, x, w, y);
    c->wide = l->region->out_dtype[0] == ORR_F64;
    c->first = c->v.x[0] == 1 && c->v.w[0] == 1 && c->v.y[0] == 1 && c->v.before[0] == 0;
    return understood(c) && whole(c, l);
}

orr_status orr__cu_conv_launch(const orr__launch *l, bool *done)
{
    orr__site where = orr__cu_site(l->region);
    call c = { .of = orr__conv_result(l->region->call.op) };
    orr__cu_stream_memory *memory = NULL;
    void *array[ARRAYS];
    size_t bytes = 0;
    *done = false;
    if (!c.of || !(c.d = orr__cu_dnn(NULL)) || !understand(&c, l))
        return ORR_OK;
    point(&c, l, array);
    if (!orr__cu_aligned(array[X]) || !orr__cu_aligned(array[W]) || !orr__cu_aligned(array[Y]))
        return ORR_OK;
    orr_status st = orr__cu_stream_memory_of(where, l->queue, &memory);
    if (st == ORR_OK && !memory->dnn && !memory->dnn_refused)
        st = orr__cu_record_refuse(where, "a start of cuDNN");
    if (st != ORR_OK || !move_in(c.d, memory))
        return st;
    int code = describe(&c);
    code = code ? code : workspace(&c, memory->dnn, &bytes);
    if (code == 0 && bytes > 0)
        st = orr__cu_stream_memory_grow(where, &memory->convolution, &memory->convolution_bytes, bytes);
    if (code == 0 && st == ORR_OK && is_called(&c, array, memory) &&
        (code = run(&c, array, memory->dnn, (void *)(uintptr_t)memory->convolution, bytes)) != 0)
        st = orr__cu_record_refuse(where, "a call of cuDNN that fails");
    end(&c);
    if (st != ORR_OK)
        return st;
    if (code != 0) /* nothing was enqueued: the generated kernel is used */
        orr__log(3, "cuDNN does not take a convolution: status %d", code);
    *done = code == 0;
    return ORR_OK;
}
