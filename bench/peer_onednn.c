/* Convolutions by oneDNN's own primitives, as a peer: arrays in the layouts that the primitives prefer, made once,
 * without reorders.
 * Must not know: Orrery. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"

#ifdef HAVE_ONEDNN
#include <dlfcn.h>
#include <dnnl.h>

/* clang-format off */
#define EVERY(F)                                                                                    \
    F(dnnl_engine_create) F(dnnl_memory_create) F(dnnl_memory_desc_get_size) F(dnnl_memory_destroy) \
    F(dnnl_memory_get_data_handle) F(dnnl_primitive_create) F(dnnl_primitive_desc_destroy)          \
    F(dnnl_primitive_desc_query_md) F(dnnl_primitive_destroy) F(dnnl_primitive_execute)             \
    F(dnnl_stream_create) F(dnnl_stream_wait)
#if DNNL_VERSION_MAJOR >= 3
#define OF_VERSION(F)                                               \
    F(dnnl_convolution_backward_data_primitive_desc_create)      \
    F(dnnl_convolution_backward_weights_primitive_desc_create)   \
    F(dnnl_convolution_forward_primitive_desc_create)            \
    F(dnnl_memory_desc_create_with_tag)
#else
#define OF_VERSION(F)                                               \
    F(dnnl_dilated_convolution_backward_data_desc_init)          \
    F(dnnl_dilated_convolution_backward_weights_desc_init)       \
    F(dnnl_dilated_convolution_forward_desc_init)                \
    F(dnnl_memory_desc_init_by_tag)                              \
    F(dnnl_primitive_desc_create)
#endif
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(name) *name;
    EVERY(POINTER)
    OF_VERSION(POINTER)
#undef POINTER
} dnnl;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

enum { X, W, Y, ARRAYS, AXES = 2 };
struct peer_conv {
    dnnl_primitive_t run;
    dnnl_memory_t array[ARRAYS];
    dnnl_exec_arg_t arg[ARRAYS];
};

/* Opens the library with teams of `threads` threads: a primitive depends on the number. */
static bool open_library(int threads)
{
    static void *library;
    void (*set)(int);
    void *address;
    if (!library && !(library = dlopen(ONEDNN_FILE, RTLD_NOW | RTLD_LOCAL)))
        return false;
#define FIND(name)                                                                                                     \
    if (!(address = dlsym(library, #name)))                                                                            \
        return false;                                                                                                  \
    memcpy(&dnnl.name, &address, sizeof address);
    EVERY(FIND)
    OF_VERSION(FIND)
#undef FIND
    if ((address = dlsym(library, "omp_set_num_threads"))) {
        memcpy(&set, &address, sizeof set);
        set(threads);
    }
    return engine || (dnnl.dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
                      dnnl.dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success);
}

#if DNNL_VERSION_MAJOR >= 3
typedef dnnl_memory_desc_t desc;
static bool describe(desc *d, int n, const dnnl_dims_t dims)
{
    return dnnl.dnnl_memory_desc_create_with_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any) == dnnl_success;
}

static bool describe_kernel(dnnl_primitive_desc_t *to, int pass, const desc *a, const dnnl_dims_t s,
                            const dnnl_dims_t d, const dnnl_dims_t p, dnnl_primitive_desc_t hint)
{
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    dnnl_status_t st =
        pass == 0 ? dnnl.dnnl_convolution_forward_primitive_desc_create(to, engine, dnnl_forward_training, direct, a[X],
                                                                        a[W], NULL, a[Y], s, d, p, p, NULL)
        : pass == 1 ? dnnl.dnnl_convolution_backward_data_primitive_desc_create(to, engine, direct, a[X], a[W], a[Y], s,
                                                                                d, p, p, hint, NULL)
                    : dnnl.dnnl_convolution_backward_weights_primitive_desc_create(to, engine, direct, a[X], a[W], NULL,
                                                                                   a[Y], s, d, p, p, hint, NULL);
    return st == dnnl_success;
}
#else
typedef dnnl_memory_desc_t desc;
static bool describe(desc *d, int n, const dnnl_dims_t dims)
{
    return dnnl.dnnl_memory_desc_init_by_tag(d, n, dims, dnnl_f32, dnnl_format_tag_any) == dnnl_success;
}

static bool describe_kernel(dnnl_primitive_desc_t *to, int pass, const desc *a, const dnnl_dims_t s,
                            const dnnl_dims_t d, const dnnl_dims_t p, dnnl_primitive_desc_t hint)
{
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    dnnl_convolution_desc_t c;
    dnnl_status_t st =
        pass == 0   ? dnnl.dnnl_dilated_convolution_forward_desc_init(&c, dnnl_forward_training, direct, &a[X], &a[W],
                                                                      NULL, &a[Y], s, d, p, p)
        : pass == 1 ? dnnl.dnnl_dilated_convolution_backward_data_desc_init(&c, direct, &a[X], &a[W], &a[Y], s, d, p, p)
                    : dnnl.dnnl_dilated_convolution_backward_weights_desc_init(&c, direct, &a[X], &a[W], NULL, &a[Y], s,
                                                                               d, p, p);
    return st == dnnl_success && dnnl.dnnl_primitive_desc_create(to, &c, NULL, engine, hint) == dnnl_success;
}
#endif

/* Makes array `which` in the layout of the kernel, with some values. */
static bool make_array(peer_conv *c, int which, dnnl_primitive_desc_t kernel, dnnl_query_t query, int arg)
{
    void *data;
    if (dnnl.dnnl_memory_create(&c->array[which], dnnl.dnnl_primitive_desc_query_md(kernel, query, 0), engine,
                                DNNL_MEMORY_ALLOCATE) != dnnl_success ||
        dnnl.dnnl_memory_get_data_handle(c->array[which], &data) != dnnl_success)
        return false;
    size_t n = dnnl.dnnl_memory_desc_get_size(dnnl.dnnl_primitive_desc_query_md(kernel, query, 0)) / sizeof(float);
    for (size_t i = 0; i < n; i++)
        ((float *)data)[i] = 0.125f * (float)(i % 17) - 1.0f;
    c->arg[which] = (dnnl_exec_arg_t){ arg, c->array[which] };
    return true;
}

static bool make_arrays(peer_conv *c, int pass, dnnl_primitive_desc_t kernel)
{
    return make_array(c, X, kernel, pass == 1 ? dnnl_query_diff_src_md : dnnl_query_src_md,
                      pass == 1 ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC) &&
           make_array(c, W, kernel, pass == 2 ? dnnl_query_diff_weights_md : dnnl_query_weights_md,
                      pass == 2 ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS) &&
           make_array(c, Y, kernel, pass == 0 ? dnnl_query_dst_md : dnnl_query_diff_dst_md,
                      pass == 0 ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST);
}

peer_conv *peer_onednn_conv(int pass, const peer_conv_shape *s, int threads)
{
    peer_conv *c = calloc(1, sizeof *c);
    if (!c || !open_library(threads)) {
        free(c);
        return NULL;
    }
    int64_t out = (s->side + 2 * s->padding - s->dilation * (s->kernel - 1) - 1) / s->stride + 1;
    const dnnl_dims_t x = { s->n, s->c, s->side, s->side }, y = { s->n, s->o, out, out },
                      whole = { s->o, s->c, s->kernel, s->kernel },
                      parts = { s->groups, s->o / s->groups, s->c / s->groups, s->kernel, s->kernel },
                      stride = { s->stride, s->stride }, dilation = { s->dilation - 1, s->dilation - 1 },
                      padding = { s->padding, s->padding };
    desc array[ARRAYS];
    dnnl_primitive_desc_t forward = NULL, kernel = NULL;
    bool ok = describe(&array[X], 2 + AXES, x) && describe(&array[Y], 2 + AXES, y) &&
              (s->groups > 1 ? describe(&array[W], 3 + AXES, parts) : describe(&array[W], 2 + AXES, whole)) &&
              describe_kernel(&forward, 0, array, stride, dilation, padding, NULL);
    ok = ok && (pass == 0 || describe_kernel(&kernel, pass, array, stride, dilation, padding, forward));
    dnnl_primitive_desc_t chosen = pass == 0 ? forward : kernel;
    ok = ok && make_arrays(c, pass, chosen) && dnnl.dnnl_primitive_create(&c->run, chosen) == dnnl_success;
    if (kernel)
        (void)dnnl.dnnl_primitive_desc_destroy(kernel);
    if (forward)
        (void)dnnl.dnnl_primitive_desc_destroy(forward);
    if (ok)
        return c;
    peer_onednn_free(c);
    return NULL;
}

double peer_onednn_once(void *conv)
{
    const peer_conv *c = conv;
    double begin = bench_now();
    bool ok = dnnl.dnnl_primitive_execute(c->run, stream, ARRAYS, c->arg) == dnnl_success &&
              dnnl.dnnl_stream_wait(stream) == dnnl_success;
    return ok ? bench_now() - begin : -1.0;
}

void peer_onednn_free(peer_conv *c)
{
    for (int i = 0; c && i < ARRAYS; i++)
        if (c->array[i])
            (void)dnnl.dnnl_memory_destroy(c->array[i]);
    if (c && c->run)
        (void)dnnl.dnnl_primitive_destroy(c->run);
    free(c);
}
#else
peer_conv *peer_onednn_conv(int pass, const peer_conv_shape *s, int threads)
{
    (void)pass, (void)s, (void)threads;
    return NULL;
}

double peer_onednn_once(void *conv)
{
    (void)conv;
    return -1.0;
}

void peer_onednn_free(peer_conv *c)
{
    (void)c;
}
#endif
