/* Convolution, pooling and resizing: goldens of PyTorch, refusals.
 * Must not know: how they are computed. */
#include "config.h"

#include <math.h>
#include <orrery/conv.h>
#include <orrery/eval.h>
#include <orrery/nn.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "tests/harness/ops_help.h"

static void convolutions_agree_with_pytorch(void)
{
    help_numpy("conv/convolution.txt", NULL);
}

static void pooling_and_resizing_agree_with_pytorch(void)
{
    help_numpy("conv/pool.txt", NULL);
}

static orr_tensor *ones(orr_shape s)
{
    return orr_ones(ORR_F32, s);
}

static void wrong_use_names_both_shapes_and_the_rule(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = ones(ORR_SHAPE(2, 4, 5, 6)), *w = ones(ORR_SHAPE(6, 4, 3, 3));
    orr_conv_options one = { .padding = { 1, 1 } };
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(6, 4, 8, 3)), NULL, &one), ORR_ESHAPE,
                "(2, 4, 5, 6) by (6, 4, 8, 3): the kernel reaches over 8 elements of spatial axis 0, and the padded "
                "input has 7");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .groups = 3 }), ORR_ESHAPE, "(2, 4, 5, 6) by (6, 4, 3, 3)");
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(5, 2, 3, 3)), NULL, &(orr_conv_options){ .groups = 2 }), ORR_ESHAPE,
                "in 2 groups");
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(6, 4, 3)), NULL, NULL), ORR_ESHAPE, "spatial axes");
    HELP_POISON(orr_conv(ones(ORR_SHAPE(2, 4)), ones(ORR_SHAPE(6, 4)), NULL, NULL), ORR_ESHAPE, "spatial axes");
    HELP_POISON(orr_conv(x, w, ones(ORR_SHAPE(4)), NULL), ORR_ESHAPE, "the bias (4,) is not (6)");
    HELP_POISON(orr_conv(orr_ones(ORR_I32, ORR_SHAPE(1, 1, 3)), orr_ones(ORR_I32, ORR_SHAPE(1, 1, 2)), NULL, NULL),
                ORR_EDTYPE, "floats");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .stride = { -1, 1 } }), ORR_EINVAL, "stride -1");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .padding = { 0, -2 } }), ORR_EINVAL, "padding -2");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .padding = { INT64_MAX }, .before = { INT64_MAX } }),
                ORR_EINVAL, "0 to 2^30");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .before = { INT64_MAX, 2 } }), ORR_EINVAL, "padding");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .groups = -1 }), ORR_EINVAL, "groups");
    HELP_POISON(orr_conv(x, ones(ORR_SHAPE(6, 3, 3, 3)), NULL, NULL), ORR_ESHAPE,
                "(2, 4, 5, 6) by (6, 3, 3, 3) in 1 group: axis 1 of the kernel must be 4");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .output_padding = { 0, 1 } }), ORR_EINVAL, "transposed");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .same = true, .padding = { 1, 1 } }), ORR_EINVAL,
                "give none");
    HELP_POISON(orr_conv(x, w, NULL, &(orr_conv_options){ .same = true, .stride = { 2, 1 } }), ORR_EINVAL, "same");
    HELP_POISON(orr_conv_transpose(x, w, NULL, NULL), ORR_ESHAPE, "(2, 4, 5, 6) by (6, 4, 3, 3)");
    orr_tensor *t = ones(ORR_SHAPE(4, 6, 3, 3));
    HELP_POISON(orr_conv_transpose(x, t, NULL, &(orr_conv_options){ .output_padding = { 0, 1 } }), ORR_EINVAL,
                "output padding 1");
    HELP_POISON(orr_conv_transpose(x, t, NULL, &(orr_conv_options){ .padding = { 9, 0 } }), ORR_ESHAPE,
                "leaves nothing");
    HELP_POISON(orr_conv_weights(x, ones(ORR_SHAPE(2, 6, 4, 4)), ORR_SHAPE(3, 3), NULL), ORR_ESHAPE, "beyond");
    HELP_POISON(orr_conv(NULL, w, NULL, NULL), ORR_EINVAL, "x");
    (void)orr_scope_end(s);
}

/* Maxima of square windows of a square, and their positions, in sequence. */
static void maxima(const float *x, int side, int windows, int window, int stride, int dilation, int before, float *y,
                   int64_t *at)
{
    for (int i = 0; i < windows * windows; i++) {
        y[i] = -INFINITY;
        at[i] = -1;
        for (int t = 0; t < window * window; t++) {
            int r = i / windows * stride - before + t / window * dilation;
            int c = i % windows * stride - before + t % window * dilation;
            bool there = r >= 0 && c >= 0 && r < side && c < side;
            float v = there ? x[r * side + c] : 0;
            if (there && (v > y[i] || v != v || at[i] < 0)) {
                y[i] = v;
                at[i] = r * side + c;
            }
        }
    }
}

/* Rows longer and shorter than a vector, inside of the input and across its borders; equal elements, NaN, infinities. */
static void maxima_of_windows_are_the_first_in_order(void)
{
    static float x[40 * 40], y[2][1600];
    static int64_t at[2][1600];
    for (int k = 0; k < 400; k++) {
        int side = 3 + k % 38, window = 1 + k / 5 % 4, stride = 1 + k / 3 % 4, dilation = 1 + k % 2, reach;
        int before = k / 7 % 2 && window > 1 ? window / 2 : 0;
        reach = side + 2 * before - dilation * (window - 1) - 1;
        if (reach < 0)
            continue;
        int windows = reach / stride + 1, n = windows * windows;
        for (int i = 0; i < side * side; i++)
            x[i] = (i * 7919 + k) % 23 == 0 ? NAN : (i * 31 + k) % 11 == 0 ? -INFINITY : (float)((i * 40503 + k) % 7);
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(1, 1, side, side), x);
        orr_pool_options o = { .window = { window, window },
                               .stride = { stride, stride },
                               .dilation = { dilation, dilation },
                               .padding = { before, before } };
        maxima(x, side, windows, window, stride, dilation, before, y[0], at[0]);
        for (int wide = 0; wide < 2; wide++) {
            orr_tensor *in = orr_cast(t, wide ? ORR_F64 : ORR_F32);
            ORR_CHECK_MSG(orr_read(orr_cast(orr_max_pool(in, &o), ORR_F32), y[1], (size_t)n * sizeof **y) == ORR_OK &&
                              orr_read(orr_max_pool_indices(in, &o), at[1], (size_t)n * sizeof **at) == ORR_OK,
                          "%s", orr_error_message());
            bool same = !memcmp(at[0], at[1], (size_t)n * sizeof **at);
            for (int i = 0; i < n; i++)
                same = same && (y[0][i] == y[1][i] || (y[0][i] != y[0][i] && y[1][i] != y[1][i]));
            ORR_CHECK_MSG(same, "side %d, window %d, stride %d, dilation %d, padding %d", side, window, stride,
                          dilation, before);
        }
        (void)orr_scope_end(s);
    }
}

static void wrong_windows_and_sizes_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = ones(ORR_SHAPE(2, 3, 5, 6)), *flat = ones(ORR_SHAPE(5, 6));
    orr_pool_options large = { .window = { 2, 7 } }, padded = { .window = { 3, 3 }, .padding = { 2, 0 } },
                     none = { .window = { 2 } }, two = { .window = { 2, 2 } };
    HELP_POISON(orr_max_pool(x, &large), ORR_ESHAPE,
                "(2, 3, 5, 6): a window reaches over 7 elements of spatial axis 1, and the padded input has 6");
    HELP_POISON(orr_average_pool(x, &padded), ORR_EINVAL, "padding 2 of spatial axis 0");
    HELP_POISON(orr_max_pool(x, &none), ORR_EINVAL, "window 0");
    HELP_POISON(orr_max_pool(x, NULL), ORR_EINVAL, "NULL");
    HELP_POISON(orr_max_pool(flat, &two), ORR_ESHAPE, "(5, 6)");
    HELP_POISON(orr_max_pool(orr_ones(ORR_I32, ORR_SHAPE(1, 1, 4)), &two), ORR_EDTYPE, "int32");
    HELP_POISON(orr_lp_pool(x, 0, &two), ORR_EINVAL, "p is 0");
    HELP_POISON(orr_max_unpool(x, orr_zeros(ORR_I64, ORR_SHAPE(2, 3, 5)), ORR_SHAPE(9, 9)), ORR_ESHAPE, "(2, 3, 5)");
    HELP_POISON(orr_max_unpool(x, x, ORR_SHAPE(9, 9)), ORR_EDTYPE, "integers");
    HELP_POISON(orr_resize(x, ORR_SHAPE(9), ORR_RESIZE_LINEAR, false), ORR_ESHAPE, "(2, 3, 5, 6)");
    HELP_POISON(orr_resize(x, ORR_SHAPE(9, 0), ORR_RESIZE_LINEAR, false), ORR_ESHAPE, "1 or more");
    HELP_POISON(orr_resize(x, ORR_SHAPE(9, 9), (orr_resize_mode)9, false), ORR_EINVAL, "9");
    HELP_POISON(orr_resize(x, ORR_SHAPE(9, 9), ORR_RESIZE_AREA, true), ORR_EINVAL, "corners");
    orr_tensor *beyond = orr_full(ORR_I64, ORR_SHAPE(2, 3, 5, 6), 99), *u = orr_max_unpool(x, beyond, ORR_SHAPE(9, 9));
    ORR_CHECK(orr_eval(u) == ORR_EINDEX);
    (void)orr_scope_end(s);
}

/* The value of a layer equals that of the operation with the layer's parameters. */
static void layers_apply_the_operations(void)
{
    orr_scope *s = orr_scope_begin();
    orr_conv_options o = { .stride = { 2, 1 }, .padding = { 1, 1 }, .groups = 2 };
    orr_pool_options p = { .window = { 2, 2 } }, whole = { .size = { 1, 1 } };
    orr_module *conv = orr_conv_layer(4, 6, ORR_SHAPE(3, 3), &o, ORR_ACTIVATION_RELU, ORR_INITIALISER_HE_NORMAL,
                                      ORR_INITIALISER_DEFAULT);
    orr_module *back = orr_conv_transpose_layer(6, 4, ORR_SHAPE(2, 2), &(orr_conv_options){ .groups = 2 },
                                                ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE);
    orr_module *net = orr_sequential(
        ORR_MODULES(conv, orr_max_pool_layer(&p), back, orr_average_pool_layer(&whole), orr_flatten_layer()));
    ORR_REQUIRE(net);
    orr_parameter w[3];
    ORR_CHECK(orr_module_parameters(net, w, 3) == 3);
    orr_shape first = orr_tensor_shape(w[0].variable), second = orr_tensor_shape(w[2].variable);
    ORR_CHECK(orr__shape_equal(&first, &ORR_SHAPE(6, 2, 3, 3)) && orr__shape_equal(&second, &ORR_SHAPE(6, 2, 2, 2)));
    orr_tensor *x = orr_sin(orr_reshape(orr_arange(ORR_F32, 0, 2 * 4 * 7 * 8, 1), ORR_SHAPE(2, 4, 7, 8)));
    orr_tensor *y = orr_max_pool(orr_relu(orr_conv(x, w[0].variable, w[1].variable, &o)), &p);
    y = orr_conv_transpose(y, w[2].variable, NULL, &(orr_conv_options){ .groups = 2 });
    y = orr_mean(y, ORR_AXES(2, 3), false);
    orr_tensor *same = orr_all(orr_equal(orr_forward(net, x), y), ORR_ALL_AXES, false);
    bool equal = false;
    ORR_CHECK(orr_read(same, &equal, sizeof equal) == ORR_OK && equal);
    ORR_CHECK(!orr_conv_layer(4, 6, ORR_SHAPE(3), &(orr_conv_options){ .groups = 4 }, ORR_ACTIVATION_RELU,
                              ORR_INITIALISER_DEFAULT, ORR_INITIALISER_NONE) &&
              orr_error_status() == ORR_ESHAPE);
    orr_error_clear();
    orr_module_free(net);
    (void)orr_scope_end(s);
}

/* Sizes large enough for the library; then by BLAS and loops. Both as a whole, and in tasks of few channels, which cut through groups.
 * The weights of a small kernel are summed over some images at a time. */
static void both_processor_paths_agree_with_the_reference(void)
{
    static const struct {
        orr_shape x, w;
        orr_conv_options o;
    } cases[] = {
        { { 4, { 2, 16, 13, 12 } }, { 4, { 24, 16, 3, 3 } }, { .padding = { 1, 1 } } },
        { { 4, { 17, 3, 14, 14 } },
          { 4, { 16, 3, 5, 4 } },
          { .stride = { 2, 1 }, .before = { 2, 1 }, .after = { 1, 3 } } },
        { { 4, { 1, 16, 14, 14 } }, { 4, { 32, 8, 3, 3 } }, { .groups = 2, .dilation = { 2, 1 } } },
        { { 4, { 3, 12, 20, 21 } }, { 4, { 12, 1, 3, 3 } }, { .groups = 12, .stride = { 2, 2 } } },
        { { 3, { 2, 20, 90 } }, { 3, { 30, 20, 7 } }, { .stride = { 3 }, .padding = { 3 } } },
        /* one channel, in which no position sees the whole kernel: in a few variants */
        { { 3, { 7, 1, 10 } }, { 3, { 1, 1, 8 } }, { .dilation = { 2 }, .padding = { 14 } } },
        { { 3, { 2, 1, 3 } }, { 3, { 1, 1, 8 } }, { .padding = { 7 } } },
        { { 4, { 2, 3, 4, 5 } }, { 4, { 3, 1, 3, 4 } }, { .groups = 3, .dilation = { 1, 3 }, .padding = { 4, 9 } } },
        { { 5, { 1, 6, 5, 9, 8 } }, { 5, { 10, 6, 2, 3, 3 } }, { .padding = { 1, 1, 0 } } },
        /* groups of which a task has some, and a fraction of one */
        { { 4, { 2, 24, 40, 31 } }, { 4, { 42, 4, 3, 3 } }, { .groups = 6, .padding = { 1, 1 } } },
        { { 4, { 1, 30, 33, 40 } }, { 4, { 33, 10, 3, 3 } }, { .groups = 3, .dilation = { 2, 2 } } },
        { { 4, { 5, 40, 30, 30 } }, { 4, { 40, 1, 5, 5 } }, { .groups = 40, .padding = { 2, 2 } } },
        /* images that the tasks of weights share unevenly */
        { { 4, { 13, 6, 30, 29 } }, { 4, { 10, 3, 3, 3 } }, { .groups = 2, .stride = { 1, 2 }, .padding = { 1, 1 } } }
    };
    static const int64_t tile_us[] = { -1, 40, 200, 1000 };
    const size_t ways = 2 * sizeof tile_us / sizeof *tile_us;
    int64_t tile = orr__env.tile_us;
    uint64_t ablated = orr__env.ablated;
    orr__scalar *known[3] = { NULL, NULL, NULL };
    for (size_t k = 0; k < ways * sizeof cases / sizeof *cases; k++) {
        orr_scope *s = orr_scope_begin();
        orr_shape xs = cases[k / ways].x, ws = cases[k / ways].w;
        orr_tensor *in[2], *g[2];
        in[0] = orr_sin(orr_reshape(orr_arange(ORR_F32, 0, (double)orr__shape_count(&xs), 1), xs));
        in[1] = orr_cos(orr_reshape(orr_arange(ORR_F32, 0, (double)orr__shape_count(&ws), 1), ws));
        orr_tensor *y = orr_conv(in[0], in[1], NULL, &cases[k / ways].o), *want[3] = { y, NULL, NULL };
        ORR_CHECK(orr_grad(orr_sum(orr_square(y), ORR_ALL_AXES, false), in, 2, g) == ORR_OK);
        want[1] = g[0];
        want[2] = g[1];
        orr__env.tile_us = tile_us[k % ways / 2];
        orr__env.ablated = k % 2 ? ablated | (uint64_t)1 << ORR__OFF_ONEDNN : ablated;
        for (int i = 0; i < 3; i++) {
            orr_shape shape = orr_tensor_shape(want[i]);
            orr__scalar *got = help_engine(want[i]);
            if (k % ways == 0) { /* the slowest by far, and the same in all ways */
                free(known[i]);
                known[i] = help_reference(want[i]);
            }
            const orr__scalar *by = known[i];
            double most = 0, off = 0;
            for (int64_t e = 0; by && got && e < orr__shape_count(&shape); e++) {
                most = fmax(most, fabs(by[e].f));
                off = fmax(off, fabs(by[e].f - got[e].f));
            }
            ORR_CHECK_MSG(by && got && off <= 1e-5 * most, "case %d, array %d: %g off, of %g", (int)k, i, off, most);
            free(got);
        }
        (void)orr_scope_end(s);
    }
    for (int i = 0; i < 3; i++)
        free(known[i]);
    orr__env.ablated = ablated;
    orr__env.tile_us = tile;
}

/* The sums of windows, and their derivative. With y linear in x, <dy/dx'·g, x> = <g, y>. */
static void check_averages(orr_dtype t, orr_shape xs, const orr_pool_options *o, const char *what)
{
    orr_scope *s = orr_scope_begin();
    int64_t n = orr__shape_count(&xs);
    orr_tensor *x = orr_sin(orr_reshape(orr_arange(t, 0, (double)n, 1), xs)), *back;
    orr_tensor *y = orr_average_pool(x, o);
    orr_shape shape = orr_tensor_shape(y);
    orr_tensor *g = orr_cos(orr_reshape(orr_arange(t, 0, (double)orr__shape_count(&shape), 1), shape));
    orr__scalar *by = help_reference(y), *got = help_engine(y);
    double off = 0, left = 0, right = 1;
    for (int64_t e = 0; by && got && e < orr__shape_count(&shape); e++)
        off = fmax(off, fabs(by[e].f - got[e].f));
    ORR_CHECK_MSG(by && got && off <= (t == ORR_F64 ? 1e-14 : 1e-6), "%s: %g off", what, off);
    orr_tensor *loss = orr_sum(orr_mul(orr_average_pool(x, o), g), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(loss, (orr_tensor *const[]){ x }, 1, &back) == ORR_OK);
    ORR_CHECK(orr_item(orr_cast(loss, ORR_F64), &left) == ORR_OK);
    ORR_CHECK(orr_item(orr_cast(orr_sum(orr_mul(back, x), ORR_ALL_AXES, false), ORR_F64), &right) == ORR_OK);
    ORR_CHECK_MSG(fabs(left - right) <= (t == ORR_F64 ? 1e-12 : 1e-4) * (1 + fabs(left)), "%s: %g is not %g", what,
                  left, right);
    free(by);
    free(got);
    (void)orr_scope_end(s);
}

/* Rows are added first, then neighbours in that sum. Strides of 1 and 2, dilation and borders have loops of their own. */
static void averages_of_any_window_agree_with_the_reference(void)
{
    for (int k = 0; k < 120; k++) {
        int64_t high = 1 + k % 3, wide = 1 + k / 3 % 5, stride = 1 + k / 15 % 4, apart = 1 + k / 7 % 3;
        int64_t reach = apart * (wide - 1) + 1, length = k < 60 ? reach + 6 : 37;
        char what[96];
        orr_pool_options o = { .window = { high, wide },
                               .stride = { 1 + k % 2, stride },
                               .dilation = { 1, apart },
                               .padding = { high / 2, k % 4 ? reach / 2 : 0 },
                               .round_up = k % 5 == 0 };
        (void)snprintf(what, sizeof what, "window %lld × %lld, stride %lld, dilation %lld", (long long)high,
                       (long long)wide, (long long)stride, (long long)apart);
        check_averages(k % 2 ? ORR_F64 : ORR_F32, (orr_shape){ 4, { 1, 2, 7, length } }, &o, what);
    }
}

/* More rows than are added at once; windows longer than a row of sums; more elements beside the border than a few. */
static void averages_of_large_windows_agree_with_the_reference(void)
{
    const orr_pool_options rows = { .window = { 9, 9, 3 }, .stride = { 1, 2, 2 }, .padding = { 0, 4, 1 } };
    const orr_pool_options length = { .window = { 2500 }, .stride = { 100 }, .padding = { 600 } };
    const orr_pool_options border = { .window = { 60 }, .stride = { 1 }, .padding = { 30 } };
    const orr_pool_options back = { .window = { 9, 9 }, .stride = { 2, 3 }, .dilation = { 2, 1 }, .padding = { 3, 2 } };
    check_averages(ORR_F32, (orr_shape){ 5, { 1, 1, 11, 12, 9 } }, &rows, "rows");
    check_averages(ORR_F64, (orr_shape){ 3, { 1, 2, 3000 } }, &length, "length");
    check_averages(ORR_F32, (orr_shape){ 3, { 2, 1, 2300 } }, &border, "border");
    check_averages(ORR_F64, (orr_shape){ 4, { 1, 1, 30, 2100 } }, &back, "back");
}

/* Any extent of operands may be 0, as in an empty shard of a rank: results have their shapes, and empty sums are 0. */
static void empty_operands_give_empty_results_or_zeros(void)
{
    static const int64_t size[][3] = { { 0, 4, 6 }, { 2, 0, 6 }, { 2, 4, 0 }, { 0, 0, 0 }, { 2, 0, 0 } };
    static const orr_dtype dtype[] = { ORR_F32, ORR_F64 };
    for (size_t i = 0; i < sizeof size / sizeof *size * 2; i++) {
        orr_scope *s = orr_scope_begin();
        int64_t n = size[i / 2][0], c = size[i / 2][1], o = size[i / 2][2];
        orr_dtype d = dtype[i % 2];
        orr_tensor *x = orr_ones(d, ORR_SHAPE(n, c, 5, 5)), *y = orr_ones(d, ORR_SHAPE(n, o, 3, 3));
        orr_tensor *w = orr_ones(d, ORR_SHAPE(o, c, 3, 3));
        orr_tensor *result[] = { orr_conv(x, w, NULL, NULL), orr_conv_transpose(y, w, NULL, NULL),
                                 orr_conv_weights(x, y, ORR_SHAPE(3, 3), NULL) };
        for (int k = 0; k < 3; k++) {
            double sum = 1;
            ORR_CHECK(orr_eval(result[k]) == ORR_OK);
            ORR_CHECK(orr_item(orr_sum(orr_cast(result[k], ORR_F64), ORR_ALL_AXES, false), &sum) == ORR_OK);
            ORR_CHECK(sum == 0);
        }
        orr_tensor *v = orr_ones(d, ORR_SHAPE(16, o, 3, 3)), *back[3], *of[] = { x, w, v };
        orr_tensor *chain = orr_relu(orr_conv(orr_relu(orr_conv(x, w, NULL, NULL)), v, NULL, NULL));
        ORR_CHECK(orr_grad(orr_sum(chain, ORR_ALL_AXES, false), of, 3, back) == ORR_OK);
        ORR_CHECK_MSG(orr_eval_all(back, 3) == ORR_OK, "%s", orr_error_message());
        (void)orr_scope_end(s);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(convolutions_agree_with_pytorch),
                                      ORR_TEST(pooling_and_resizing_agree_with_pytorch),
                                      ORR_TEST(maxima_of_windows_are_the_first_in_order),
                                      ORR_TEST(wrong_windows_and_sizes_are_refused),
                                      ORR_TEST(both_processor_paths_agree_with_the_reference),
                                      ORR_TEST(averages_of_any_window_agree_with_the_reference),
                                      ORR_TEST(averages_of_large_windows_agree_with_the_reference),
                                      ORR_TEST(empty_operands_give_empty_results_or_zeros),
                                      ORR_TEST(layers_apply_the_operations),
                                      ORR_TEST(wrong_use_names_both_shapes_and_the_rule),
                                      { 0 } };
    return help_main(argc, argv, "ops.conv", tests);
}
