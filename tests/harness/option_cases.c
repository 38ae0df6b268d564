/* The table of calls that differ in an option alone.
 * Must not know: engines, keys. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/dtype.h"
#include "runtime/base/shape.h"
#include "tests/harness/harness.h"
#include "tests/harness/option_cases.h"

#define PICK(o, ...) ((const int64_t[]){ __VA_ARGS__ }[o])
#define OF_REALS(o, ...) ((const double[]){ __VA_ARGS__ }[o])
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof *(a)))

/* A tensor of numbers in [lo, hi) that depend on the shape and on salt alone; steps of 1/64, so that f16 holds them. */
static orr_tensor *range(orr_dtype dtype, orr_shape s, unsigned salt, double lo, double hi)
{
    unsigned long long state = salt;
    orr_dtype part = orr__part_dtype(dtype);
    int64_t n = orr__shape_count(&s) * (part == dtype ? 1 : 2);
    size_t size = orr_dtype_size(part);
    char *data = calloc((size_t)n + 1, size);
    for (int64_t i = 0; data && i < n; i++) {
        double v = lo + (hi - lo) * (double)(orr_test_rand(&state) >> 11) * 0x1p-53;
        orr__scalar x = { .f = orr__is_int(part) || part == ORR_BOOL ? (double)(int64_t)v
                                                                     : (double)(int64_t)(v * 64) / 64 };
        orr__scalar_store(data + (size_t)i * size, part, orr__scalar_cast(x, ORR_F64, part));
    }
    orr_tensor *t = orr_from(dtype, s, data);
    free(data);
    return t;
}

static _Thread_local orr_dtype any = ORR_F32; /* of operands that may have any float dtype */

static orr_tensor *floats(orr_shape s, unsigned salt)
{
    return range(any, s, salt, -2, 2);
}

static orr_tensor *places(orr_shape s, unsigned salt, int64_t n)
{
    return range(ORR_I32, s, salt, 0, (double)n);
}

/* The gradient of a weighed sum of y by x. */
static orr_tensor *slope(orr_tensor *y, orr_tensor *x)
{
    orr_tensor *g = NULL;
    orr_tensor *w = orr_cast(floats(orr_tensor_shape(y), 99), orr_tensor_dtype(y));
    (void)orr_grad(orr_mul(y, w), &x, 1, &g);
    return g;
}

/* -- windows ---------------------------------------------------------------------------------------------------------- */

/* Result lengths that are equal although window, stride, dilation or padding differ: x has 2·n + 3 elements. */
static const orr_pool_options pools[] = {
    { .window = { 2 }, .stride = { 2 } },
    { .window = { 3 }, .stride = { 2 } },
    { .window = { 2 }, .stride = { 2 }, .dilation = { 2 } },
    { .window = { 4 }, .stride = { 2 }, .padding = { 1 } },
    { .window = { 3 }, .stride = { 2 }, .padding = { 1 }, .exclude_padding = true },
    { .window = { 3 }, .stride = { 2 }, .padding = { 1 } },
};
static const orr_pool_options pools2[] = {
    { .window = { 2, 3 }, .stride = { 1, 2 } },
    { .window = { 3, 2 }, .stride = { 1, 2 } },
    { .window = { 2, 2 }, .stride = { 1, 2 }, .dilation = { 2, 1 } },
    { .window = { 2, 2 }, .stride = { 1, 2 }, .dilation = { 1, 2 } },
    { .window = { 2, 2 }, .stride = { 2, 1 } },
    { .window = { 3, 3 }, .stride = { 2, 2 }, .padding = { 1, 1 } },
};

static orr_tensor *line_of(int64_t n)
{
    return floats(ORR_SHAPE(2, 3, 2 * n + 3), 1);
}
static orr_tensor *plane_of(int64_t n)
{
    return floats(ORR_SHAPE(1, 2, n + 2, 2 * n + 1), 2);
}
static orr_tensor *max_pool(int o, int64_t n)
{
    return orr_max_pool(line_of(n), &pools[o]);
}
static orr_tensor *max_pool_planes(int o, int64_t n)
{
    return orr_max_pool(plane_of(n), &pools2[o]);
}
static orr_tensor *max_pool_places(int o, int64_t n)
{
    return orr_max_pool_indices(line_of(n), &pools[o]);
}
static orr_tensor *max_pool_slope(int o, int64_t n)
{
    orr_tensor *x = plane_of(n);
    return slope(orr_max_pool(x, &pools2[o]), x);
}
static orr_tensor *average_pool(int o, int64_t n)
{
    return orr_average_pool(line_of(n), &pools[o]);
}
static orr_tensor *average_pool_slope(int o, int64_t n)
{
    orr_tensor *x = plane_of(n);
    return slope(orr_average_pool(x, &pools2[o]), x);
}
static orr_tensor *lp_pool(int o, int64_t n)
{
    return orr_lp_pool(orr_abs(line_of(n)), OF_REALS(o, 1, 2, 3, 2, 2), &pools[(int)PICK(o, 0, 0, 0, 1, 2)]);
}
static orr_tensor *max_unpool(int o, int64_t n)
{
    orr_tensor *x = line_of(n);
    const orr_pool_options *p = &pools[(int)PICK(o, 0, 0, 1)];
    return orr_max_unpool(orr_max_pool(x, p), orr_max_pool_indices(x, p), ORR_SHAPE(2 * n + 3 + PICK(o, 0, 2, 0)));
}

static const orr_conv_options convs[] = {
    { .stride = { 2 } },
    { .stride = { 2 }, .dilation = { 2 } },
    { .stride = { 2 }, .dilation = { 3 }, .before = { 1 } },
    { .stride = { 2 }, .before = { 1 } },
    { .stride = { 2 }, .after = { 1 } },
    { .stride = { 1 }, .dilation = { 2 } },
    { .stride = { 2 }, .padding = { 1 } },
};
/* All results of n places. */
static const orr_conv_options convs2[] = {
    { .padding = { 1, 1 } },
    { .padding = { 2, 1 }, .dilation = { 2, 1 } },
    { .padding = { 1, 2 }, .dilation = { 1, 2 } },
    { .padding = { 2, 2 }, .dilation = { 2, 2 } },
    { .before = { 2, 0 }, .after = { 0, 2 } },
    { .same = true },
    { .stride = { 2, 2 } },
};

static orr_tensor *conv(int o, int64_t n)
{
    return orr_conv(line_of(n), floats(ORR_SHAPE(4, 3, 2), 3), NULL, &convs[o]);
}
static orr_tensor *conv_planes(int o, int64_t n)
{
    return orr_conv(plane_of(n), floats(ORR_SHAPE(4, 2, 3, 3), 4), floats(ORR_SHAPE(4), 5), &convs2[o]);
}
static orr_tensor *conv_wide(int o, int64_t n)
{
    return orr_conv(floats(ORR_SHAPE(2, 16, 14, n + 2), 6), floats(ORR_SHAPE(16, 16, 3, 3), 7), NULL, &convs2[o]);
}
static orr_tensor *conv_groups(int o, int64_t n)
{
    return orr_conv(floats(ORR_SHAPE(1, 4, n + 3), 6), floats(ORR_SHAPE(4, 4 / PICK(o, 1, 2, 4), 3), 7), NULL,
                    &(orr_conv_options){ .groups = PICK(o, 1, 2, 4) });
}
static orr_tensor *conv_slope(int o, int64_t n)
{
    orr_tensor *x = plane_of(n);
    return slope(orr_conv(x, floats(ORR_SHAPE(4, 2, 3, 3), 4), NULL, &convs2[o]), x);
}
static orr_tensor *conv_weights_slope(int o, int64_t n)
{
    orr_tensor *w = floats(ORR_SHAPE(4, 2, 3, 3), 4);
    return slope(orr_conv(plane_of(n), w, NULL, &convs2[o]), w);
}
static orr_tensor *conv_transpose(int o, int64_t n)
{
    static const orr_conv_options c[] = { { .stride = { 2 } },
                                          { .stride = { 2 }, .dilation = { 2 } },
                                          { .stride = { 2 }, .before = { 1 } },
                                          { .stride = { 2 }, .after = { 1 } },
                                          { .stride = { 2 }, .output_padding = { 1 } },
                                          { .stride = { 3 }, .output_padding = { 2 } },
                                          { .dilation = { 3 } } };
    return orr_conv_transpose(floats(ORR_SHAPE(2, 3, n), 1), floats(ORR_SHAPE(3, 4, 3), 3), NULL, &c[o]);
}
static orr_tensor *conv_weights(int o, int64_t n)
{
    static const orr_conv_options c[] = { { .dilation = { 1 } },
                                          { .dilation = { 2 } },
                                          { .dilation = { 2 }, .before = { 1 } },
                                          { .before = { 1 } },
                                          { .padding = { 1 } } };
    return orr_conv_weights(floats(ORR_SHAPE(2, 3, n + 4), 1), floats(ORR_SHAPE(2, 2, n), 8), ORR_SHAPE(3), &c[o]);
}
static orr_tensor *resize(int o, int64_t n)
{
    return orr_resize(floats(ORR_SHAPE(1, 2, n), 9), ORR_SHAPE(2 * n + 1),
                      (orr_resize_mode)PICK(o, ORR_RESIZE_NEAREST, ORR_RESIZE_LINEAR, ORR_RESIZE_CUBIC, ORR_RESIZE_AREA,
                                            ORR_RESIZE_NEAREST_CENTRE, ORR_RESIZE_LINEAR, ORR_RESIZE_CUBIC),
                      o > 4);
}
static orr_tensor *resize_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(1, 1, n, 5), 9);
    return slope(orr_resize(x, ORR_SHAPE(n + 3, 4),
                            (orr_resize_mode)PICK(o, ORR_RESIZE_NEAREST, ORR_RESIZE_LINEAR, ORR_RESIZE_CUBIC,
                                                  ORR_RESIZE_AREA, ORR_RESIZE_LINEAR),
                            o == 4),
                 x);
}
static orr_tensor *sliding_window(int o, int64_t n)
{
    return orr_sliding_window(floats(ORR_SHAPE(2, n + 8), 10), 1, PICK(o, 2, 2, 3, 2), PICK(o, 1, 2, 2, 3));
}
static orr_tensor *sliding_sums(int o, int64_t n)
{
    return orr_sum(
        orr_sliding_window(floats(ORR_SHAPE(n + 8, n + 8), 10), (int)PICK(o, 0, 1, 0, 1), 4, PICK(o, 2, 2, 3, 3)),
        ORR_AXES(-1), false);
}

/* -- places ------------------------------------------------------------------------------------------------------------ */

static orr_tensor *slice(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n + 4, 3 * n), 11);
    switch (o) {
    case 0: return orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(n, 2 * n), ORR_INDEX(1, 2));
    case 1: return orr_slice(x, ORR_INDEX(1, 0), ORR_INDEX(n + 1, 2 * n), ORR_INDEX(1, 2));
    case 2: return orr_slice(x, ORR_INDEX(0, 1), ORR_INDEX(n, 2 * n), ORR_INDEX(1, 2));
    case 3: return orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(n, n), ORR_INDEX(1, 1));
    case 4: return orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(n, 3 * n), ORR_INDEX(1, 3));
    default: return orr_flip(orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(n, n), ORR_INDEX(1, 1)), ORR_AXES(1));
    }
}
static orr_tensor *slice_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(3, 3 * n), 11);
    return slope(orr_square(orr_slice_axis(x, 1, PICK(o, 0, 1, 2, 0), PICK(o, 2, 2, 3, 3) * n, PICK(o, 2, 2, 3, 3))),
                 x);
}
static orr_tensor *roll(int o, int64_t n)
{
    return orr_roll(floats(ORR_SHAPE(n, n), 12), ORR_INDEX(PICK(o, 1, 2, -1, 3, 1)),
                    ORR_AXES((int)PICK(o, 0, 0, 0, 0, 1)));
}
static orr_tensor *rolled_sum(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(4, n), 12);
    return orr_sub(orr_add(orr_roll(x, ORR_INDEX(PICK(o, 1, 2, 3, 1)), ORR_AXES(1)),
                           orr_roll(x, ORR_INDEX(PICK(o, -1, -1, -2, -3)), ORR_AXES(1))),
                   orr_mul(x, orr_scalar(2)));
}
static orr_tensor *pad(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, 5), 13);
    return orr_pad(x, ORR_INDEX(PICK(o, 0, 1, 2, 1, 1), PICK(o, 2, 2, 2, 0, 1)),
                   ORR_INDEX(PICK(o, 2, 1, 0, 1, 1), PICK(o, 0, 0, 0, 2, 1)), OF_REALS(o, 0, 0, 0, 0, 1.5));
}
static orr_tensor *padded_square(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(3, n), 13);
    return orr_square(orr_pad(orr_square(x), ORR_INDEX(0, PICK(o, 0, 1, 2)), ORR_INDEX(0, PICK(o, 2, 1, 0)), 3));
}
static orr_tensor *permuted(int o, int64_t n)
{
    static const int order[][4] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 0, 2, 1, 3 } };
    int64_t m = n < 9 ? n : 9;
    return orr_add(
        orr_permute(floats(ORR_SHAPE(m, m, m, m), 14), ORR_AXES(order[o][0], order[o][1], order[o][2], order[o][3])),
        floats(ORR_SHAPE(m, m, m, m), 15));
}
static orr_tensor *triangle(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 16);
    return o < 4 ? orr_tril(x, PICK(o, 0, 1, -1, 2)) : orr_triu(x, PICK(o - 4, 0, 1, -2));
}
static orr_tensor *diagonal(int o, int64_t n)
{
    return o < 3 ? orr_diag(floats(ORR_SHAPE(n), 17), PICK(o, 1, -1, 0))
                 : orr_diagonal(floats(ORR_SHAPE(n, n), 17), PICK(o - 3, 1, -1, 0));
}
static orr_tensor *trace(int o, int64_t n)
{
    return orr_trace(floats(ORR_SHAPE(n, n), 17), PICK(o, 0, 1, -1, 2));
}
static orr_tensor *concat(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 18), *y = floats(ORR_SHAPE(n, n), 19);
    return o < 2   ? orr_concat(ORR_TENSORS(x, y), o)
           : o < 4 ? orr_concat(ORR_TENSORS(y, x), o - 2)
                   : orr_stack(ORR_TENSORS(x, y), o - 4);
}
static orr_tensor *repeat(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 20);
    return o < 2   ? orr_repeat(x, 3, o)
           : o < 4 ? orr_tile(x, o == 2 ? ORR_INDEX(3, 1) : ORR_INDEX(1, 3))
                   : orr_rot90(x, o - 3, 0, 1);
}
static orr_tensor *take(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n, n), 21);
    return o < 3 ? orr_take(x, places(ORR_SHAPE(n), 22, n), o)
                 : orr_take_along_axis(x, range(ORR_I64, ORR_SHAPE(n, n, n), 23, 0, (double)n), o - 3);
}
static orr_tensor *take_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 21);
    return slope(orr_take(x, places(ORR_SHAPE(n), 22, n), o), x);
}
static orr_tensor *scatter(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 24);
    return orr_scatter(x, places(ORR_SHAPE(n), 25, n), floats(ORR_SHAPE(n, n), 26), o >= 5,
                       (orr_scatter_mode)PICK(o, ORR_SCATTER_SET, ORR_SCATTER_ADD, ORR_SCATTER_MUL, ORR_SCATTER_MIN,
                                              ORR_SCATTER_MAX, ORR_SCATTER_SET, ORR_SCATTER_ADD, ORR_SCATTER_MAX));
}
static orr_tensor *scatter_slope(int o, int64_t n)
{
    orr_tensor *u = floats(ORR_SHAPE(n, 3), 26);
    return slope(
        orr_scatter(floats(ORR_SHAPE(n, 3), 24), places(ORR_SHAPE(n), 25, n), u, 0,
                    (orr_scatter_mode)PICK(o, ORR_SCATTER_SET, ORR_SCATTER_ADD, ORR_SCATTER_MAX, ORR_SCATTER_MIN)),
        u);
}
static orr_tensor *one_hot(int o, int64_t n)
{
    return orr_embedding(floats(ORR_SHAPE(5, 3), 27), places(ORR_SHAPE(n), 28, 5), PICK(o, -1, 1, 2));
}
static orr_tensor *embedding_slope(int o, int64_t n)
{
    orr_tensor *w = floats(ORR_SHAPE(5, 3), 27);
    return slope(orr_embedding(w, places(ORR_SHAPE(n), 28, 5), PICK(o, -1, 1, 2)), w);
}

/* -- folds and order ------------------------------------------------------------------------------------------------------ */

static orr_tensor *fold(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 30);
    orr_axes a = o & 1 ? ORR_AXES(1) : ORR_AXES(0);
    switch (o / 2) {
    case 0: return orr_sum(x, a, false);
    case 1: return orr_max(x, a, false);
    case 2: return orr_min(x, a, false);
    case 3: return orr_prod(x, a, false);
    case 4: return orr_mean(x, a, false);
    case 5: return orr_norm(x, a, false);
    case 6: return orr_logsumexp(x, a, false);
    case 7: return orr_var(x, a, 0, false);
    case 8: return orr_var(x, a, 1, false);
    case 9: return orr_std(x, a, 1, false);
    case 10: return orr_count_nonzero(x, a, false);
    case 11: return orr_argmax(x, o & 1, false);
    case 12: return orr_argmin(x, o & 1, false);
    default: return orr_any(orr_greater(x, orr_scalar(1.9)), a, false);
    }
}
static orr_tensor *fold_axes(int o, int64_t n)
{
    static const int a[][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 1, 3 }, { 2, 3 }, { 0, 3 } };
    int64_t m = n < 9 ? n : 9;
    return orr_sum(floats(ORR_SHAPE(m, m, m, m), 31), ORR_AXES(a[o][0], a[o][1]), false);
}
static orr_tensor *softmax(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 32);
    return o < 2 ? orr_softmax(x, o) : orr_log_softmax(x, o - 2);
}
static orr_tensor *cumulative(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 33);
    return o < 2   ? orr_cumulative_sum(x, o, false)
           : o < 4 ? orr_cumulative_prod(x, o - 2, false)
           : o < 6 ? orr_cumulative_sum(x, o - 4, true)
                   : orr_cumulative_prod(x, o - 6, true);
}
static orr_tensor *cumulative_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 33);
    return slope(o < 2 ? orr_cumulative_sum(x, o, false) : orr_cumulative_prod(x, o - 2, false), x);
}
static orr_tensor *sort(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 34);
    return o < 4 ? orr_sort(x, o & 1, o > 1) : orr_argsort(x, o & 1, o > 5);
}
static orr_tensor *sort_long(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n * 512), 34);
    return o < 2 ? orr_sort(x, 0, o) : orr_argsort(x, 0, o & 1);
}
static orr_tensor *sort_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 34);
    return slope(orr_sort(x, o & 1, o > 1), x);
}
static orr_tensor *topk(int o, int64_t n)
{
    return orr_top_places(floats(ORR_SHAPE(n, n), 35), 3, o & 1, o > 1);
}
static orr_tensor *searchsorted(int o, int64_t n)
{
    return orr_searchsorted(orr_sort(range(ORR_I32, ORR_SHAPE(n), 36, 0, 9), 0, false),
                            range(ORR_I32, ORR_SHAPE(n), 37, 0, 9), o);
}
static orr_tensor *diff(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 38), *e = floats(ORR_SHAPE(n, 1), 39);
    return o < 2   ? orr_diff(x, o, 1, NULL, NULL)
           : o < 4 ? orr_diff(x, o - 2, 2, NULL, NULL)
           : o < 5 ? orr_diff(x, 1, 1, e, NULL)
                   : orr_diff(x, 1, 1, NULL, e);
}
static orr_tensor *quantile(int o, int64_t n)
{
    double q[2] = { OF_REALS(o, .25, .5, .25, .9), OF_REALS(o, .75, .7, .75, .1) };
    return orr_quantile(floats(ORR_SHAPE(n, n), 40), q, 2, ORR_AXES((int)PICK(o, 0, 0, 1, 1)), false);
}
static orr_tensor *bincount(int o, int64_t n)
{
    return o < 2 ? orr_bincount(places(ORR_SHAPE(3 * n), 41, 6), o ? floats(ORR_SHAPE(3 * n), 42) : NULL, 7)
                 : orr_covariance(floats(ORR_SHAPE(3, n), 43), o - 2);
}

/* -- products and matrices ------------------------------------------------------------------------------------------------- */

static orr_tensor *product(int o, int64_t n)
{
    orr_tensor *a = floats(ORR_SHAPE(n, n), 50), *b = floats(ORR_SHAPE(n, n), 51);
    return orr_matmul(o & 1 ? orr_transpose(a) : a, o & 2 ? orr_transpose(b) : b);
}
static orr_tensor *einsum(int o, int64_t n)
{
    static const char *const text[] = { "ij,jk->ik", "ij,kj->ik", "ji,jk->ik", "ij,jk->ki", "ij,ij->ij", "ij,ji->ij" };
    return orr_einsum(text[o], ORR_TENSORS(floats(ORR_SHAPE(n, n), 50), floats(ORR_SHAPE(n, n), 51)));
}
static orr_tensor *tensordot(int o, int64_t n)
{
    return orr_tensordot(floats(ORR_SHAPE(n, n), 50), floats(ORR_SHAPE(n, n), 51), ORR_AXES((int)PICK(o, 0, 1, 0, 1)),
                         ORR_AXES((int)PICK(o, 0, 0, 1, 1)));
}
static orr_tensor *crossed(int o, int64_t n)
{
    (void)n;
    return orr_cross(floats(ORR_SHAPE(3, 3, 3), 52), floats(ORR_SHAPE(3, 3, 3), 53), o);
}
static orr_tensor *well(int64_t n)
{
    orr_tensor *a = range(ORR_F64, ORR_SHAPE(n, n), 54, -1, 1);
    return orr_add(orr_matmul(a, orr_transpose(a)), orr_mul(orr_eye(ORR_F64, n, n, 0), orr_scalar((double)n)));
}
static orr_tensor *solve_triangular(int o, int64_t n)
{
    return orr_solve_triangular(well(n), range(ORR_F64, ORR_SHAPE(n, n), 55, -1, 1), o & 1, o & 2, o & 4);
}
static orr_tensor *matrix_norm(int o, int64_t n)
{
    return orr_matrix_norm(range(ORR_F64, ORR_SHAPE(n, n), 56, -1, 1), (orr_norm_kind)o, false);
}
static orr_tensor *vector_norm(int o, int64_t n)
{
    return orr_vector_norm(range(ORR_F64, ORR_SHAPE(n, n), 56, -1, 1), ORR_AXES(o & 1), false,
                           OF_REALS(o / 2, 1, 2, 3, 0, 1.5));
}
static orr_tensor *matrix_power(int o, int64_t n)
{
    return orr_matrix_power(orr_mul(well(n), orr_scalar(0.25 / (double)n)), PICK(o, 0, 1, 2, 3, 5, -1, -2));
}
static orr_tensor *spectrum(int o, int64_t n)
{
    orr_tensor *a = well(n);
    switch (o) {
    case 0: return orr_eigvalsh(a);
    case 1: return orr_svdvals(a);
    case 2: return orr_abs(orr_eigh(a).v);
    case 3: return orr_abs(orr_eigvals(a));
    case 4: return orr_qr(a, false).r;
    case 5: return orr_inv(a);
    case 6: return orr_expm(orr_mul(a, orr_scalar(.125 / (double)n)));
    case 7: return orr_pinv(a, 0);
    default: return orr_solve(a, orr_eye(ORR_F64, n, n, 0));
    }
}

/* -- transforms -------------------------------------------------------------------------------------------------------------- */

static orr_tensor *fft(int o, int64_t n)
{
    orr_tensor *x = range(ORR_C64, ORR_SHAPE(n, n), 60, -1, 1);
    orr_fft_norm norm = (orr_fft_norm)(o / 4);
    return o & 1 ? orr_ifft(x, n, o >> 1 & 1, norm) : orr_fft(x, n, o >> 1 & 1, norm);
}
static orr_tensor *fft_lengths(int o, int64_t n)
{
    orr_tensor *x = range(ORR_C64, ORR_SHAPE(2, 2 * n), 60, -1, 1);
    return o < 2 ? orr_fft(x, PICK(o, n, n + 1), 1, ORR_FFT_BACKWARD)
                 : orr_irfft(x, 2 * PICK(o - 2, n, n - 1), 1, ORR_FFT_ORTHO);
}
static orr_tensor *fft_long(int o, int64_t n)
{
    orr_tensor *x = range(ORR_C64, ORR_SHAPE(n * 1031), 60, -1, 1);
    return o & 1 ? orr_ifft(x, n * 1031, 0, (orr_fft_norm)(o / 2)) : orr_fft(x, n * 1031, 0, (orr_fft_norm)(o / 2));
}
static orr_tensor *fft_planes(int o, int64_t n)
{
    orr_tensor *x = range(ORR_C64, ORR_SHAPE(n, n, n < 20 ? n : 20), 61, -1, 1);
    static const int a[][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 } };
    orr_axes axes = ORR_AXES(a[o % 3][0], a[o % 3][1]);
    return o < 3 ? orr_fftn(x, ORR_NO_INDEX, axes, ORR_FFT_BACKWARD)
                 : orr_ifftn(x, ORR_NO_INDEX, axes, ORR_FFT_BACKWARD);
}
static orr_tensor *shifts(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 62);
    return o < 2 ? orr_fftshift(x, ORR_AXES(o)) : orr_ifftshift(x, ORR_AXES(o - 2));
}
static orr_tensor *convolve(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 63), *w = floats(ORR_SHAPE(3, 3), 64);
    orr_conv_boundary b = (orr_conv_boundary)(o % 3);
    return o < 3   ? orr_convolve(x, w, ORR_CONV_SAME, b)
           : o < 6 ? orr_correlate(x, w, ORR_CONV_SAME, b)
                   : orr_convolve(x, w, (orr_conv_mode)PICK(o - 6, ORR_CONV_FULL, ORR_CONV_VALID), ORR_CONV_ZERO);
}
static orr_tensor *windows(int o, int64_t n)
{
    switch (o) {
    case 0: return orr_bartlett(ORR_F32, n);
    case 1: return orr_hann(ORR_F32, n);
    case 2: return orr_hamming(ORR_F32, n);
    case 3: return orr_blackman(ORR_F32, n);
    default: return orr_kaiser(ORR_F32, n, OF_REALS(o - 4, 2, 8));
    }
}

/* -- networks --------------------------------------------------------------------------------------------------------------- */

static const orr_attention_options sights[] = { { 0 },
                                                { .causal = true },
                                                { .window = 2 },
                                                { .window = 3 },
                                                { .window = 3, .causal = true },
                                                { .scale = .25 },
                                                { .scale = .5, .window = 2 },
                                                { .dropout = .25 },
                                                { .dropout = .5 },
                                                { .dropout = .5, .causal = true } };

static orr_tensor *attention(int o, int64_t n)
{
    orr_seed(11);
    return orr_attention(floats(ORR_SHAPE(2, n, 8), 70), floats(ORR_SHAPE(2, n, 8), 71), floats(ORR_SHAPE(2, n, 8), 72),
                         NULL, &sights[o]);
}
static orr_tensor *attention_slope(int o, int64_t n)
{
    orr_seed(11);
    int which = o % 3;
    orr_tensor *x[3] = { floats(ORR_SHAPE(2, n, 8), 70), floats(ORR_SHAPE(2, n, 8), 71),
                         floats(ORR_SHAPE(2, n, 8), 72) };
    return slope(orr_attention(x[0], x[1], x[2], NULL, &sights[o / 3]), x[which]);
}
static orr_tensor *norms(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(4, 6, n), 73);
    switch (o) {
    case 0: return orr_layer_norm(x, 1, NULL, NULL, 1e-5);
    case 1: return orr_layer_norm(x, 2, NULL, NULL, 1e-5);
    case 2: return orr_layer_norm(x, 1, NULL, NULL, 1e-1);
    case 3: return orr_rms_norm(x, 1, NULL, 1e-5);
    case 4: return orr_rms_norm(x, 2, NULL, 1e-5);
    case 5: return orr_group_norm(x, 2, NULL, NULL, 1e-5);
    case 6: return orr_group_norm(x, 3, NULL, NULL, 1e-5);
    case 7: return orr_instance_norm(x, NULL, NULL, 1e-5);
    case 8: return orr_local_response_norm(x, 3, 1e-1, .75, 1);
    case 9: return orr_local_response_norm(x, 5, 1e-1, .75, 1);
    default: return orr_local_response_norm(x, 3, 1e-1, .5, 2);
    }
}
static orr_tensor *norm_slope(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(4, 6, n), 73), *w = floats(ORR_SHAPE(6), 74), *b = floats(ORR_SHAPE(6), 75);
    orr_tensor *y =
        o < 3 ? orr_group_norm(x, PICK(o, 2, 3, 6), w, b, 1e-5) : orr_instance_norm(x, o == 3 ? w : NULL, NULL, 1e-5);
    return slope(orr_square(y), x);
}
static orr_tensor *rotary(int o, int64_t n)
{
    return orr_rotary(floats(ORR_SHAPE(2, n, 8), 76), PICK(o, 0, 1, 0, 0), OF_REALS(o, 1e4, 1e4, 1e2, 1e4), o == 3);
}
static orr_tensor *dropout(int o, int64_t n)
{
    orr_seed(12);
    return orr_dropout(floats(ORR_SHAPE(n, n), 77), OF_REALS(o, .1, .5, .9));
}
static orr_tensor *recurrent(int o, int64_t n)
{
    orr_seed(13);
    static const struct {
        orr_cell cell;
        orr_recurrent_options options;
    } r[] = { { ORR_CELL_RNN, { 0 } },
              { ORR_CELL_RNN_RELU, { 0 } },
              { ORR_CELL_LSTM, { 0 } },
              { ORR_CELL_GRU, { 0 } },
              { ORR_CELL_GRU, { .layers = 2 } },
              { ORR_CELL_LSTM, { .no_bias = true } },
              { ORR_CELL_RNN, { .bidirectional = true } } };
    int k = o % COUNT_OF(r);
    bool slopes = o >= COUNT_OF(r);
    orr_tensor *x = floats(ORR_SHAPE(2, n < 40 ? n : 40, 3), 78);
    orr_module *m = orr_recurrent(r[k].cell, 3, 4, &r[k].options);
    orr_tensor *y = orr_recurrent_forward(m, x, NULL, NULL);
    y = slopes ? slope(y, x) : y;
    (void)orr_eval(y);
    (void)orr_module_free(m);
    return y;
}
static orr_tensor *ctc(int o, int64_t n)
{
    int64_t steps = n < 30 ? n + 4 : 34;
    orr_tensor *x = floats(ORR_SHAPE(steps, 2, 5), 79), *y = orr_log_softmax(x, -1);
    orr_tensor *t = orr_add(places(ORR_SHAPE(2, 2), 80, 3), orr_scalar(1));
    y = orr_ctc_loss(y, t, orr_full(ORR_I32, ORR_SHAPE(2), (double)steps), orr_full(ORR_I32, ORR_SHAPE(2), 2),
                     PICK(o % 2, 0, 4), false, (orr_reduction)PICK(o / 2 % 2, ORR_REDUCTION_SUM, ORR_REDUCTION_MEAN));
    return o < 4 ? y : slope(y, x);
}
static orr_tensor *losses(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, 4), 81), *y = floats(ORR_SHAPE(n, 4), 82), *l = places(ORR_SHAPE(n), 83, 4);
    switch (o) {
    case 0: return orr_mse_loss(x, y, ORR_REDUCTION_MEAN);
    case 1: return orr_mse_loss(x, y, ORR_REDUCTION_SUM);
    case 2: return orr_l1_loss(x, y, ORR_REDUCTION_SUM);
    case 3: return orr_huber_loss(x, y, .5, ORR_REDUCTION_SUM);
    case 4: return orr_huber_loss(x, y, 1.5, ORR_REDUCTION_SUM);
    case 5: return orr_cross_entropy_with(x, l, &(orr_class_options){ .label_smoothing = .1 });
    case 6: return orr_cross_entropy_with(x, l, &(orr_class_options){ .label_smoothing = .4 });
    case 7: return orr_cross_entropy_with(x, l, &(orr_class_options){ .ignores = true, .ignored = 1 });
    case 8: return orr_cross_entropy_with(x, l, &(orr_class_options){ .ignores = true, .ignored = 2 });
    case 9: return orr_cross_entropy_with(x, l, &(orr_class_options){ .reduction = ORR_REDUCTION_SUM });
    case 10: return orr_cosine_similarity(x, y, 1, 1e-8);
    default: return orr_kl_loss(orr_log_softmax(x, 1), orr_softmax(y, 1), false, ORR_REDUCTION_SUM);
    }
}

/* -- random numbers -------------------------------------------------------------------------------------------------------- */

static orr_tensor *randoms(int o, int64_t n)
{
    orr_seed(21);
    orr_shape s = ORR_SHAPE(n, 3);
    orr_tensor *p = range(ORR_F32, s, 84, .5, 4);
    switch (o) {
    case 0: return orr_rand(ORR_F32, s, 0, 1);
    case 1: return orr_rand(ORR_F32, s, -1, 3);
    case 2: return orr_randn(ORR_F32, s, 0, 1);
    case 3: return orr_randn(ORR_F32, s, 1, .5);
    case 4: return orr_exponential(ORR_F32, s, 2);
    case 5: return orr_gamma(ORR_F32, s, p, p);
    case 6: return orr_beta(ORR_F32, s, p, p);
    case 7: return orr_rand_keyed(ORR_F32, s, 0, 1, 5);
    case 8: return orr_rand_keyed(ORR_F32, s, 0, 1, 6);
    default: return orr_randn_keyed(ORR_F32, s, 0, 1, 5);
    }
}
static orr_tensor *counts(int o, int64_t n)
{
    orr_seed(22);
    orr_shape s = ORR_SHAPE(n, 3);
    switch (o) {
    case 0: return orr_randint(ORR_I32, s, 0, 10);
    case 1: return orr_randint(ORR_I32, s, -5, 5);
    case 2: return orr_poisson(ORR_I32, s, range(ORR_F32, s, 85, .5, 9));
    case 3: return orr_binomial(ORR_I32, s, range(ORR_I32, s, 86, 1, 20), orr_full(ORR_F32, s, .25));
    case 4: return orr_multinomial(ORR_SHAPE(n), 10, range(ORR_F32, ORR_SHAPE(3), 87, .5, 2));
    case 5: return orr_multinomial(ORR_SHAPE(n), 30, range(ORR_F32, ORR_SHAPE(3), 87, .5, 2));
    case 6: return orr_bernoulli(s, .25);
    case 7: return orr_bernoulli(s, .75);
    case 8: return orr_permutation(n);
    default: return orr_shuffle(places(s, 88, 100), o - 9);
    }
}

/* -- packs ------------------------------------------------------------------------------------------------------------------ */

static orr_tensor *field_of(orr_shape s, unsigned salt)
{
    return orr_cast(range(ORR_I64, s, salt, 1, 1e6), ORR_FR254);
}
static orr_tensor *field_powers(int o, int64_t n)
{
    static const uint64_t e[][4] = { { 5 }, { 7 }, { 5, 1 }, { 5, 0, 1 }, { 5, 0, 0, 1 }, { 5, 1, 1 }, { 0 } };
    return orr_field_limbs(
        orr_field_pow(o & 1 ? field_of(ORR_SHAPE(2, n), 90) : field_of(ORR_SHAPE(2 * n), 90), e[o / 2]));
}
static orr_tensor *field_scalar_powers(int o, int64_t n)
{
    static const uint64_t e[][4] = { { 5 }, { 7 }, { 5, 1 }, { 5, 0, 1 }, { 5, 0, 0, 1 } };
    (void)n;
    return orr_field_limbs(orr_field_pow(field_of(ORR_SHAPE_0D, 90), e[o]));
}
static orr_tensor *field_transforms(int o, int64_t n)
{
    int64_t m = 8;
    while (m < n)
        m *= 2;
    orr_tensor *x = field_of(ORR_SHAPE(2, m), 91), *by = o & 2 ? field_of(ORR_SHAPE_0D, 92) : NULL;
    return orr_field_limbs(o & 1 ? orr_field_ntt_inverse(x, by) : orr_field_ntt(x, by));
}
static orr_tensor *field_sums(int o, int64_t n)
{
    orr_tensor *x = field_of(ORR_SHAPE(n, n), 93);
    return orr_field_limbs(o < 2 ? orr_field_sum(x, o) : o < 3 ? orr_field_inverse(x) : orr_field_dot(x, x));
}
static orr_tensor *curve(int o, int64_t n)
{
    orr_curve c = (orr_curve)(o & 1);
    orr_tensor *g = orr_curve_generator(c), *k = field_of(ORR_SHAPE(n < 6 ? n : 6), 94);
    switch (o / 2) {
    case 0: return orr_field_limbs(orr_curve_double(c, g));
    case 1: return orr_field_limbs(orr_curve_neg(c, g));
    case 2: return orr_curve_contains(c, g);
    case 3: return orr_curve_compress(c, g);
    default: return orr_field_limbs(orr_curve_multiply(c, g, k));
    }
}
static orr_tensor *private_noise(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n), 95);
    return orr_fixed_encode(
        x, (orr_fixed){ .modulus = (orr_modulus)PICK(o, ORR_MOD_2_64, ORR_MOD_2_64, ORR_MOD_P61, ORR_MOD_2_32),
                        .fraction = (int)PICK(o, 8, 12, 12, 12),
                        .addends = 4 });
}
static orr_tensor *joined_shares(int o, int64_t n)
{
    orr_fixed f = { .modulus = (orr_modulus)PICK(o, ORR_MOD_2_64, ORR_MOD_P61), .fraction = 16, .addends = 4 };
    orr_tensor *x = floats(ORR_SHAPE(n), 96), *e = orr_fixed_encode(x, f);
    return orr_fixed_decode(orr_additive_join(orr_additive_split(e, 3, f.modulus), f.modulus), f, ORR_F64);
}
static orr_tensor *ranges(int o, int64_t n)
{
    switch (o) {
    case 0: return orr_linspace(ORR_F32, 0, 1, n);
    case 1: return orr_linspace(ORR_F32, 0, 2, n);
    case 2: return orr_full(ORR_F32, ORR_SHAPE(n), 2.5);
    case 3: return orr_full(ORR_F32, ORR_SHAPE(n), -1.5);
    case 4: return orr_fftfreq(ORR_F32, n, 1);
    case 5: return orr_fftfreq(ORR_F32, n, .5);
    case 6: return orr_arange(ORR_F32, 0, (double)n, 1);
    default: return orr_arange(ORR_F32, 1, (double)n + 1, 1);
    }
}
static orr_tensor *casts(int o, int64_t n)
{
    static const orr_dtype to[] = { ORR_F16, ORR_BF16, ORR_F64, ORR_I8, ORR_I16, ORR_I32, ORR_I64, ORR_U8 };
    orr_tensor *x = orr_abs(floats(ORR_SHAPE(n, n), 97));
    return orr_cast(orr_maximum(orr_cast(x, to[o]), orr_cast(orr_transpose(x), to[o])), ORR_F32);
}
static orr_tensor *expressions(int o, int64_t n)
{
    static const char *const text[] = { "x*y + 2", "x*y + 3", "x - y*2", "x > y ? x : y", "x < y ? x : y" };
    return orr_expression(text[o], ORR_TENSORS(floats(ORR_SHAPE(n, n), 98), floats(ORR_SHAPE(n, n), 99)));
}
static orr_tensor *scalars(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(n, n), 98);
    double v = OF_REALS(o % 5, 0, 1, -1, 2, .5);
    switch (o / 5) {
    case 0: return orr_mul(x, orr_scalar(v));
    case 1: return orr_add(x, orr_scalar(v));
    case 2: return orr_pow(orr_abs(x), orr_scalar(v));
    case 3: return orr_where(orr_greater(x, orr_scalar(v)), x, orr_scalar(v));
    case 4: return orr_leaky_relu(x, v);
    default: return orr_elu(x, v);
    }
}
static orr_tensor *powers_slope(int o, int64_t n)
{
    orr_tensor *x = orr_detach(orr_abs(floats(ORR_SHAPE(n, n), 98)));
    return slope(orr_pow(x, orr_scalar(OF_REALS(o, 1, 2, 3, .5, 0))), x);
}

/* -- compositions ---------------------------------------------------------------------------------------------------------- */

static orr_tensor *scatter_places(int o, int64_t n)
{
    orr_tensor *i = range(ORR_I64, ORR_SHAPE(n, 1), 110, 0, (double)n);
    return o < 5 ? orr_scatter_nd(floats(ORR_SHAPE(n, 3), 111), i, floats(ORR_SHAPE(n, 3), 112), (orr_scatter_mode)o)
                 : orr_gather_nd(floats(ORR_SHAPE(n, 3), 111), i);
}
static orr_tensor *histograms(int o, int64_t n)
{
    orr_tensor *e = orr_linspace(ORR_F32, OF_REALS(o, -2, -1, -2), 2, 9), *x = range(ORR_F32, ORR_SHAPE(8 * n), 113, -2, 2);
    return orr_histogram(x, e, o == 2 ? range(ORR_F32, ORR_SHAPE(8 * n), 114, 0, 1) : NULL);
}
static orr_tensor *interpolated(int o, int64_t n)
{
    orr_tensor *k = orr_linspace(ORR_F32, -2, OF_REALS(o, 1, 2), 8);
    return orr_interp(range(ORR_F32, ORR_SHAPE(n), 115, -2, 2), k, orr_square(k));
}
static orr_tensor *signals(int o, int64_t n)
{
    orr_tensor *x = range(ORR_F32, ORR_SHAPE(n, n), 116, -1, 1);
    switch (o) {
    case 0: return orr_abs(orr_hfft(range(ORR_C64, ORR_SHAPE(n), 117, -1, 1), 2 * n - 2, 0, ORR_FFT_BACKWARD));
    case 1: return orr_abs(orr_hfft(range(ORR_C64, ORR_SHAPE(n), 117, -1, 1), 2 * n - 2, 0, ORR_FFT_ORTHO));
    case 2: return orr_abs(orr_rfft(x, n, 0, ORR_FFT_BACKWARD));
    case 3: return orr_abs(orr_rfft(x, n, 1, ORR_FFT_BACKWARD));
    case 4: return orr_abs(orr_rfft(x, n, 1, ORR_FFT_FORWARD));
    case 5: return orr_abs(orr_rfftn(x, ORR_NO_INDEX, ORR_AXES(0, 1), ORR_FFT_BACKWARD));
    default: return orr_abs(orr_rfftn(x, ORR_NO_INDEX, ORR_AXES(1, 0), ORR_FFT_BACKWARD));
    }
}
static orr_tensor *matrices_slope(int o, int64_t n)
{
    orr_tensor *a = orr_detach(well(n < 24 ? n : 24));
    switch (o) {
    case 0: return slope(orr_eigvalsh(a), a);
    case 1: return slope(orr_svdvals(a), a);
    case 2: return slope(orr_inv(a), a);
    case 3: return slope(orr_cholesky(a), a);
    case 4: return slope(orr_qr(a, false).r, a);
    case 5: return slope(orr_solve_triangular(a, a, true, false, false), a);
    case 6: return slope(orr_solve_triangular(a, a, false, false, false), a);
    default: return slope(orr_solve_triangular(a, a, true, true, true), a);
    }
}
static orr_tensor *hashes(int o, int64_t n)
{
    int64_t m = n < 8 ? n : 8;
    if (o < 3)
        return orr_field_limbs(orr_poseidon(field_of(ORR_SHAPE(m, o + 2), 118)));
    return orr_field_limbs(orr_merkle_root(orr_merkle_tree(field_of(ORR_SHAPE(16), 119), o == 3 ? 2 : 4)));
}
static orr_tensor *shares(int o, int64_t n)
{
    int threshold = (int)PICK(o, 2, 3, 3), count = (int)PICK(o, 5, 5, 4);
    orr_tensor *x = range(ORR_U64, ORR_SHAPE(n), 120, 0, 1e6);
    int64_t place[] = { 1, 2, 3 };
    orr_tensor *s = orr_shamir_split(x, threshold, count);
    return orr_shamir_join(orr_slice_axis(s, 0, 0, threshold, 1), place, threshold);
}
static orr_tensor *powers_of_numbers(int o, int64_t n)
{
    orr_tensor *x = range(o & 1 ? ORR_I32 : ORR_U8, ORR_SHAPE(n, n), 121, 1, 9);
    switch (o / 2) {
    case 0: return orr_bitwise_and(x, orr_scalar(5));
    case 1: return orr_bitwise_and(x, orr_scalar(3));
    case 2: return orr_floor_divide(x, orr_scalar(2));
    case 3: return orr_floor_divide(x, orr_scalar(3));
    case 4: return orr_remainder(x, orr_scalar(3));
    default: return orr_sum(x, ORR_AXES(o & 1), false);
    }
}
/* A block of a network, in which all work may become one kernel. */
static orr_tensor *block(int o, int64_t n)
{
    orr_tensor *x = floats(ORR_SHAPE(1, 2, n + 2, n + 2), 122), *w = floats(ORR_SHAPE(2, 2, 3, 3), 123);
    orr_conv_options c = { .padding = { 1, 1 } };
    orr_pool_options p = { .window = { 2, 2 }, .stride = { 1, 1 } };
    if (o & 1)
        c = (orr_conv_options){ .padding = { 2, 2 }, .dilation = { 2, 2 } };
    if (o & 2)
        p = (orr_pool_options){ .window = { 3, 3 }, .stride = { 1, 1 }, .padding = { 1, 1 } };
    orr_tensor *y = orr_relu(orr_conv(x, w, NULL, &c));
    y = o & 4 ? orr_average_pool(y, &p) : orr_max_pool(y, &p);
    return o & 8 ? slope(orr_softmax(y, -1), w) : orr_softmax(y, -1);
}

/* -- programs --------------------------------------------------------------------------------------------------------------- */

/* The parameters after some steps of training; each step is evaluated by itself. */
static orr_tensor *training(int o, int64_t n)
{
    static const struct {
        orr_optim_kind kind;
        orr_optim_options options;
    } t[] = { { ORR_OPTIM_SGD, { .lr = .1 } },
              { ORR_OPTIM_SGD, { .lr = .1, .momentum = .9 } },
              { ORR_OPTIM_SGD, { .lr = .1, .momentum = .5 } },
              { ORR_OPTIM_SGD, { .lr = .1, .momentum = .9, .nesterov = true } },
              { ORR_OPTIM_SGD, { .lr = .1, .momentum = .9, .dampening = .5 } },
              { ORR_OPTIM_SGD, { .lr = .1, .weight_decay = .1 } },
              { ORR_OPTIM_SGD, { .lr = .1, .clip_norm = .01 } },
              { ORR_OPTIM_ADAM, { .lr = .1 } },
              { ORR_OPTIM_ADAM, { .lr = .1, .beta1 = .5 } },
              { ORR_OPTIM_ADAM, { .lr = .1, .amsgrad = true } },
              { ORR_OPTIM_ADAMW, { .lr = .1, .weight_decay = .1 } },
              { ORR_OPTIM_RMSPROP, { .lr = .1 } },
              { ORR_OPTIM_RMSPROP, { .lr = .1, .centred = true } },
              { ORR_OPTIM_ADAGRAD, { .lr = .1, .lr_decay = .5 } },
              { ORR_OPTIM_LAMB, { .lr = .1 } } };
    orr_tensor *x = floats(ORR_SHAPE(n, 4), 100), *y = floats(ORR_SHAPE(n, 3), 101);
    orr_tensor *w = orr_variable(floats(ORR_SHAPE(4, 3), 102)), *loss = NULL;
    orr_optim *by = orr_optim_new(t[o].kind, &w, 1, &t[o].options);
    for (int k = 0; k < 3; k++) {
        loss = orr_mse(orr_tanh(orr_matmul(x, w)), y);
        (void)orr_optim_step(by, loss);
        (void)orr_eval(loss);
    }
    orr_tensor *now = orr_add(w, orr_scalar(0));
    (void)orr_eval(now);
    orr_optim_free(by);
    return now;
}

/* A variable that steps replace, with and without a reader of the old value. */
static orr_tensor *assigned(int o, int64_t n)
{
    orr_tensor *v = orr_variable(floats(ORR_SHAPE(n, n), 103)), *old = NULL;
    for (int k = 0; k < 4; k++) {
        old = o & 1 ? orr_mul(v, orr_scalar(.5)) : NULL;
        (void)orr_assign(v,
                         orr_tanh(orr_add(o & 2 ? orr_roll(v, ORR_INDEX(1), ORR_AXES(1)) : orr_mul(v, orr_scalar(.75)),
                                          o & 4 ? orr_transpose(v) : orr_square(v))));
        (void)orr_eval(v);
    }
    orr_tensor *now = old ? orr_add(v, old) : orr_add(v, orr_scalar(0));
    (void)orr_eval(now);
    return now;
}

static void steps_on(orr_tensor **carry, orr_tensor *const *x, orr_tensor **y, void *user)
{
    const int *o = user;
    carry[0] = *o & 2 ? orr_tanh(orr_add(carry[0], x[0])) : orr_add(orr_mul(carry[0], orr_scalar(.5)), x[0]);
    y[0] = orr_mul(carry[0], orr_scalar(2));
}
static orr_tensor *scanned(int o, int64_t n)
{
    orr_tensor *carry = floats(ORR_SHAPE(n), 104), *x = floats(ORR_SHAPE(5, n), 105), *y = NULL;
    orr_scan_lists l = { .carry = &carry, .x = &x, .y = &y, .n_carry = 1, .n_x = 1, .n_y = 1 };
    (void)orr_scan(steps_on, &l, &o, &(orr_scan_options){ .reverse = o & 1, .loop = o & 4 });
    return orr_add(y, carry);
}

/* A graph that is built once and submitted twice. */
static orr_tensor *submitted(int o, int64_t n)
{
    orr_tensor *p = orr_placeholder(any, ORR_SHAPE(2, 3, 2 * n + 3)), *y = orr_max_pool(p, &pools[o]), *r = NULL;
    orr_graph *g = orr_graph_build(ORR_TENSORS(p), ORR_TENSORS(y));
    orr_tensor *x = floats(ORR_SHAPE(2, 3, 2 * n + 3), 106), *z = floats(ORR_SHAPE(2, 3, 2 * n + 3), 107);
    (void)orr_graph_submit(g, &z, 1, &r, 1, NULL);
    (void)orr_graph_submit(g, &x, 1, &r, 1, NULL);
    (void)orr_graph_free(g);
    return r;
}

#define CASE(name, options)                                                                                            \
    {                                                                                                                  \
#name, options, name                                                                                           \
    }
const option_case option_cases[] = {
    CASE(max_pool, COUNT_OF(pools)),
    CASE(max_pool_planes, COUNT_OF(pools2)),
    CASE(max_pool_places, COUNT_OF(pools)),
    CASE(max_pool_slope, COUNT_OF(pools2)),
    CASE(average_pool, COUNT_OF(pools)),
    CASE(average_pool_slope, COUNT_OF(pools2)),
    CASE(lp_pool, 5),
    CASE(max_unpool, 3),
    CASE(conv, COUNT_OF(convs)),
    CASE(conv_planes, COUNT_OF(convs2)),
    CASE(conv_wide, COUNT_OF(convs2)),
    CASE(conv_groups, 3),
    CASE(conv_slope, COUNT_OF(convs2)),
    CASE(conv_weights_slope, COUNT_OF(convs2)),
    CASE(conv_transpose, 7),
    CASE(conv_weights, 5),
    CASE(resize, 7),
    CASE(resize_slope, 5),
    CASE(sliding_window, 4),
    CASE(sliding_sums, 4),
    CASE(slice, 6),
    CASE(slice_slope, 4),
    CASE(roll, 5),
    CASE(rolled_sum, 4),
    CASE(pad, 5),
    CASE(padded_square, 3),
    CASE(permuted, 5),
    CASE(triangle, 7),
    CASE(diagonal, 6),
    CASE(trace, 4),
    CASE(concat, 6),
    CASE(repeat, 7),
    CASE(take, 6),
    CASE(take_slope, 2),
    CASE(scatter, 8),
    CASE(scatter_slope, 4),
    CASE(one_hot, 3),
    CASE(embedding_slope, 3),
    CASE(fold, 28),
    CASE(fold_axes, 6),
    CASE(softmax, 4),
    CASE(cumulative, 8),
    CASE(cumulative_slope, 4),
    CASE(sort, 8),
    CASE(sort_long, 4),
    CASE(sort_slope, 4),
    CASE(topk, 4),
    CASE(searchsorted, 2),
    CASE(diff, 6),
    CASE(quantile, 4),
    CASE(bincount, 4),
    CASE(product, 4),
    CASE(einsum, 6),
    CASE(tensordot, 4),
    CASE(crossed, 3),
    CASE(solve_triangular, 8),
    CASE(matrix_norm, ORR_NORM_KINDS),
    CASE(vector_norm, 10),
    CASE(matrix_power, 7),
    CASE(spectrum, 9),
    CASE(fft, 12),
    CASE(fft_lengths, 4),
    CASE(fft_long, 6),
    CASE(fft_planes, 6),
    CASE(shifts, 4),
    CASE(convolve, 8),
    CASE(windows, 6),
    CASE(attention, COUNT_OF(sights)),
    CASE(attention_slope, 3 * COUNT_OF(sights)),
    CASE(norms, 11),
    CASE(norm_slope, 5),
    CASE(rotary, 4),
    CASE(dropout, 3),
    CASE(recurrent, 14),
    CASE(ctc, 8),
    CASE(losses, 12),
    CASE(randoms, 10),
    CASE(counts, 11),
    CASE(field_powers, 14),
    CASE(field_scalar_powers, 5),
    CASE(field_transforms, 4),
    CASE(field_sums, 4),
    CASE(curve, 10),
    CASE(private_noise, 4),
    CASE(joined_shares, 2),
    CASE(ranges, 8),
    CASE(casts, 8),
    CASE(expressions, 5),
    CASE(scalars, 30),
    CASE(powers_slope, 5),
    CASE(scatter_places, 6),
    CASE(histograms, 3),
    CASE(interpolated, 2),
    CASE(signals, 7),
    CASE(matrices_slope, 8),
    CASE(hashes, 5),
    CASE(shares, 3),
    CASE(powers_of_numbers, 12),
    CASE(block, 16),
    CASE(training, 15),
    CASE(assigned, 8),
    CASE(scanned, 8),
    CASE(submitted, COUNT_OF(pools)),
    { NULL, 0, NULL },
};

int option_cases_count(void)
{
    return COUNT_OF(option_cases) - 1;
}

orr_tensor *option_case_record(const option_case *c, int option, const option_variant *v)
{
    any = v->dtype;
    orr_tensor *y = c->make(option, v->n);
    orr_dtype t = orr_tensor_dtype(y);
    any = ORR_F32;
    if (orr_tensor_status(y) != ORR_OK || !orr__is_float(t) || v->then == OPTION_PLAIN)
        return y;
    if (v->then == OPTION_CHAIN || orr_tensor_shape(y).rank < 1)
        return orr_abs(orr_sub(orr_mul(y, orr_scalar(1.5)), orr_scalar(.25)));
    return orr_sum(orr_square(y), ORR_AXES(-1), false);
}
