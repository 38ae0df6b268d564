/* Convolutions by oneDNN: arrays are reordered to the layout that its kernel prefers, and back. Descriptions of kernels are
 * made for each call; the library keeps the kernels of the latest ones by shape.
 * Must not know: launches, plans. */
#include "config.h"

#include "codelets/cpu/conv_onednn.h"
#include "runtime/base/ablation.h"

#if defined HAVE_ONEDNN
#include <stdatomic.h>
#include <string.h>
#include "codelets/cpu/onednn.h"

enum { X, W, Y, ARRAYS, AXES = ORR__CONV_AXES };
/* A smaller call is over before the library has begun. */
#define LEAST_FLOPS 1e6

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t desc;
typedef const_dnnl_memory_desc_t const_desc;
static dnnl_status_t describe(desc *d, int n, const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    return strides ? dnnl_memory_desc_create_with_strides(d, n, dims, dnnl_f32, strides)
                   : dnnl_memory_desc_create_with_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any);
}
static void forget(desc *d)
{
    if (*d)
        (void)dnnl_memory_desc_destroy(*d);
}
static const_desc of_memory(dnnl_memory_t m)
{
    const_desc d = NULL;
    return dnnl_memory_get_memory_desc(m, &d) == dnnl_success ? d : NULL;
}
#define GIVEN(d) (*(d))
#else
typedef dnnl_memory_desc_t desc;
typedef const dnnl_memory_desc_t *const_desc;
static dnnl_status_t describe(desc *d, int n, const dnnl_dims_t dims, const dnnl_dims_t strides)
{
    return strides ? dnnl_memory_desc_init_by_strides(d, n, dims, dnnl_f32, strides)
                   : dnnl_memory_desc_init_by_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any);
}
static void forget(desc *d)
{
    (void)d;
}
static const_desc of_memory(dnnl_memory_t m)
{
    const_desc d = NULL;
    return dnnl_memory_get_memory_desc(m, &d) == dnnl_success ? d : NULL;
}
#define GIVEN(d) (d)
#endif

/* The three arrays as they lie and as the kernel prefers them, strides and borders. */
typedef struct {
    desc plain[ARRAYS], any[ARRAYS];
    dnnl_dims_t stride, dilation, front, behind;
    void *data[ARRAYS];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t kernel;
    dnnl_primitive_t run;
    dnnl_memory_t own[ARRAYS], as[ARRAYS]; /* as they lie; as the kernel takes them: the same, or copies */
} call;

/* -- one engine of the process, streams for each thread ------------------------------------------------------------- */

static dnnl_engine_t engine(void)
{
    static _Atomic(dnnl_engine_t) one;
    dnnl_engine_t e = atomic_load(&one), none = NULL;
    if (e || !orr__onednn_open() || dnnl_engine_create(&e, dnnl_cpu, 0) != dnnl_success)
        return e;
    if (!atomic_compare_exchange_strong(&one, &none, e)) {
        (void)dnnl_engine_destroy(e);
        e = none;
    }
    return e;
}

/* The library's teams have one thread: tasks are the parallelism. The number is baked into a kernel that is made. Returns what
 * it was, for the caller's own use of OpenMP. */
static int threads(int n)
{
    static _Atomic(void *) set, get;
    void *s = atomic_load(&set), *g = atomic_load(&get);
    if (!s && (s = orr__onednn_openmp("omp_set_num_threads")) && (g = orr__onednn_openmp("omp_get_max_threads"))) {
        atomic_store(&get, g);
        atomic_store(&set, s);
    }
    if (!s || !g)
        return 0;
    int (*max)(void), was;
    void (*put)(int);
    memcpy(&max, &g, sizeof max);
    memcpy(&put, &s, sizeof put);
    was = max();
    if (n > 0 && n != was)
        put(n);
    return was;
}

/* -- descriptions ------------------------------------------------------------------------------------------------------ */

/* Dimensions of an array: batch or groups first, then channels, then the spatial axes that the convolution has. */
static bool array(call *c, int which, const int64_t *head, int nhead, const int64_t *stride, const int64_t *tail,
                  int axes)
{
    dnnl_dims_t dims, strides;
    int n = nhead + axes;
    int64_t step = 1;
    for (int d = 0; d < nhead; d++)
        dims[d] = head[d];
    for (int d = 0; d < axes; d++)
        dims[nhead + d] = tail[AXES - axes + d];
    for (int d = n - 1; d >= nhead; d--) {
        strides[d] = step;
        step *= dims[d];
    }
    for (int d = nhead - 1; d >= 0; d--)
        strides[d] = stride[d];
    return describe(&c->plain[which], n, dims, strides) == dnnl_success &&
           describe(&c->any[which], n, dims, NULL) == dnnl_success;
}

/* Channels [lo, hi) of the result, all in one group or all groups; false: neither. */
static bool arrays(call *c, const orr__conv *v, char of, int64_t lo, int64_t hi, int axes, const char *x, const char *w,
                   const char *y, char *to)
{
    int64_t nx = orr__conv_count(v->x), nw = orr__conv_count(v->w), ny = orr__conv_count(v->y);
    int64_t cx = v->groups * v->c, cy = v->groups * v->o, n0 = 0, n = v->n, groups = v->groups;
    int64_t per = of == 'x' ? cx : cy, ax = 0, ay = 0, mx = cx, my = cy;
    if (of == 'w' || lo % per || hi % per) { /* some channels: of one image, or of all weights */
        n0 = of == 'w' ? 0 : lo / per;
        n = of == 'w' ? v->n : 1;
        int64_t a = of == 'w' ? lo : lo % per, e = a + hi - lo;
        if (e > per || (groups > 1 && e - a != per))
            return false;
        *(of == 'x' ? &ax : &ay) = a;
        *(of == 'x' ? &mx : &my) = e - a;
    } else {
        n0 = lo / per;
        n = (hi - lo) / per;
    }
    int64_t aw = ay * v->c * nw + (groups == 1 ? ax * nw : 0), wc = groups == 1 ? mx : v->c,
            wo = groups == 1 ? my : v->o;
    const char *at[ARRAYS] = { of == 'x' ? to : x, of == 'w' ? to : w, of == 'y' ? to : y };
    c->data[X] = (char *)(uintptr_t)at[X] + (n0 * cx + ax) * nx * (int64_t)sizeof(float);
    c->data[W] = (char *)(uintptr_t)at[W] + aw * (int64_t)sizeof(float);
    c->data[Y] = (char *)(uintptr_t)at[Y] + (n0 * cy + ay) * ny * (int64_t)sizeof(float);
    int64_t ws[3] = { v->o * v->c * nw, v->c * nw, nw }, wd[3] = { groups, wo, wc };
    int one = groups == 1;
    return array(c, X, (int64_t[]){ n, mx }, 2, (int64_t[]){ cx * nx, nx }, v->x, axes) &&
           array(c, W, wd + one, 3 - one, ws + one, v->w, axes) &&
           array(c, Y, (int64_t[]){ n, my }, 2, (int64_t[]){ cy * ny, ny }, v->y, axes);
}

static bool describe_kernel(call *c, char of)
{
    dnnl_prop_kind_t kind = of == 'y' ? dnnl_forward_inference : dnnl_forward_training;
    dnnl_primitive_desc_t hint = NULL;
    desc *x = &c->any[X], *w = &c->any[W], *y = &c->any[Y];
    bool ok;
#if DNNL_VERSION_MAJOR >= 3
    ok = dnnl_convolution_forward_primitive_desc_create(of == 'y' ? &c->kernel : &hint, c->engine, kind,
                                                        dnnl_convolution_direct, *x, *w, NULL, *y, c->stride,
                                                        c->dilation, c->front, c->behind, NULL) == dnnl_success;
    if (ok && of == 'x')
        ok = dnnl_convolution_backward_data_primitive_desc_create(&c->kernel, c->engine, dnnl_convolution_direct, *x,
                                                                  *w, *y, c->stride, c->dilation, c->front, c->behind,
                                                                  hint, NULL) == dnnl_success;
    if (ok && of == 'w')
        ok = dnnl_convolution_backward_weights_primitive_desc_create(&c->kernel, c->engine, dnnl_convolution_direct, *x,
                                                                     *w, NULL, *y, c->stride, c->dilation, c->front,
                                                                     c->behind, hint, NULL) == dnnl_success;
#else
    dnnl_convolution_desc_t d;
    ok = dnnl_dilated_convolution_forward_desc_init(&d, kind, dnnl_convolution_direct, x, w, NULL, y, c->stride,
                                                    c->dilation, c->front, c->behind) == dnnl_success &&
         dnnl_primitive_desc_create(of == 'y' ? &c->kernel : &hint, &d, NULL, c->engine, NULL) == dnnl_success;
    if (ok && of == 'x')
        ok = dnnl_dilated_convolution_backward_data_desc_init(&d, dnnl_convolution_direct, x, w, y, c->stride,
                                                              c->dilation, c->front, c->behind) == dnnl_success;
    if (ok && of == 'w')
        ok = dnnl_dilated_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct, x, w, NULL, y, c->stride,
                                                                 c->dilation, c->front, c->behind) == dnnl_success;
    if (ok && of != 'y')
        ok = dnnl_primitive_desc_create(&c->kernel, &d, NULL, c->engine, hint) == dnnl_success;
#endif
    if (hint)
        (void)dnnl_primitive_desc_destroy(hint);
    return ok;
}

/* -- execution ---------------------------------------------------------------------------------------------------------- */

static bool execute(call *c, dnnl_primitive_t p, int n, const dnnl_exec_arg_t *args)
{
    return dnnl_primitive_execute(p, c->stream, n, args) == dnnl_success && dnnl_stream_wait(c->stream) == dnnl_success;
}

static bool reorder(call *c, dnnl_memory_t from, dnnl_memory_t to)
{
    dnnl_primitive_desc_t d = NULL;
    dnnl_primitive_t p = NULL;
    bool ok = dnnl_reorder_primitive_desc_create(&d, of_memory(from), c->engine, of_memory(to), c->engine, NULL) ==
                  dnnl_success &&
              dnnl_primitive_create(&p, d) == dnnl_success &&
              execute(c, p, 2, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } });
    if (p)
        (void)dnnl_primitive_destroy(p);
    if (d)
        (void)dnnl_primitive_desc_destroy(d);
    return ok;
}

/* The layout that the kernel takes an array in; the array, or memory for a copy in c->as. */
static bool take(call *c, int which, dnnl_query_t query)
{
    const_desc want = dnnl_primitive_desc_query_md(c->kernel, query, 0);
    if (!want || dnnl_memory_create(&c->own[which], GIVEN(&c->plain[which]), c->engine, c->data[which]) != dnnl_success)
        return false;
    if (dnnl_memory_desc_equal(want, GIVEN(&c->plain[which])))
        return (c->as[which] = c->own[which]) != NULL;
    return dnnl_memory_create(&c->as[which], want, c->engine, DNNL_MEMORY_ALLOCATE) == dnnl_success;
}

static bool compute(call *c, char of)
{
    const dnnl_query_t query[ARRAYS] = { of == 'x' ? dnnl_query_diff_src_md : dnnl_query_src_md,
                                         of == 'w' ? dnnl_query_diff_weights_md : dnnl_query_weights_md,
                                         of == 'y' ? dnnl_query_dst_md : dnnl_query_diff_dst_md };
    const int arg[ARRAYS] = { of == 'x' ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
                              of == 'w' ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS,
                              of == 'y' ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST };
    int result = of == 'x' ? X : of == 'w' ? W : Y;
    dnnl_exec_arg_t args[ARRAYS];
    for (int k = 0; k < ARRAYS; k++) {
        if (!take(c, k, query[k]) || (k != result && c->as[k] != c->own[k] && !reorder(c, c->own[k], c->as[k])))
            return false;
        args[k] = (dnnl_exec_arg_t){ arg[k], c->as[k] };
    }
    return dnnl_primitive_create(&c->run, c->kernel) == dnnl_success && execute(c, c->run, ARRAYS, args) &&
           (c->as[result] == c->own[result] || reorder(c, c->as[result], c->own[result]));
}

static void end(call *c)
{
    if (c->run)
        (void)dnnl_primitive_destroy(c->run);
    if (c->kernel)
        (void)dnnl_primitive_desc_destroy(c->kernel);
    for (int k = 0; k < ARRAYS; k++) {
        if (c->as[k] && c->as[k] != c->own[k])
            (void)dnnl_memory_destroy(c->as[k]);
        if (c->own[k])
            (void)dnnl_memory_destroy(c->own[k]);
        forget(&c->plain[k]);
        forget(&c->any[k]);
    }
    if (c->stream)
        (void)dnnl_stream_destroy(c->stream);
}

/* By measurement BLAS is faster for one channel in, and for the way back to few channels. A group of one channel is the library's. */
static bool worth(const orr__conv *v, char of, int64_t channels)
{
    enum { FEW = 4 };
    double terms = (double)orr__conv_count(v->w) * (double)orr__conv_count(v->y) * (double)channels;
    terms *= of == 'x' ? (double)v->o : of == 'y' ? (double)v->c : (double)v->c * (double)v->n;
    bool depthwise = v->groups > 1 && v->c == 1 && v->o == 1;
    return 2 * terms >= LEAST_FLOPS && (depthwise || of == 'w' || v->c > (of == 'x' ? FEW : 1));
}

bool orr__conv_onednn(const orr__conv *v, char of, int64_t lo, int64_t hi, const char *x, const char *w, const char *y,
                      char *to)
{
    int axes = v->x[0] > 1 || v->w[0] > 1 || v->y[0] > 1 ? 3 : 2;
    call c = { .stream = NULL };
    if (orr__ablated(ORR__OFF_ONEDNN) || !worth(v, of, hi - lo) || !(c.engine = engine()))
        return false;
    for (int d = 0; d < axes; d++) {
        int k = AXES - axes + d;
        c.stride[d] = v->stride[k];
        c.dilation[d] = v->dilation[k] - 1;
        c.front[d] = v->before[k];
        c.behind[d] = (v->y[k] - 1) * v->stride[k] + v->dilation[k] * (v->w[k] - 1) + 1 - v->x[k] - v->before[k];
        if (c.behind[d] < 0) /* elements that no window reaches */
            c.behind[d] = 0;
    }
    int was = threads(1);
    bool ok = arrays(&c, v, of, lo, hi, axes, x, w, y, to) &&
              dnnl_stream_create(&c.stream, c.engine, dnnl_stream_default_flags) == dnnl_success &&
              describe_kernel(&c, of) && compute(&c, of);
    end(&c);
    (void)threads(was);
    return ok;
}

#else

bool orr__conv_onednn(const orr__conv *v, char of, int64_t lo, int64_t hi, const char *x, const char *w, const char *y,
                      char *to)
{
    (void)v, (void)of, (void)lo, (void)hi, (void)x, (void)w, (void)y, (void)to;
    return false;
}

#endif
