/* For tests of codelets: kernels with cooperating work items (rows, long folds, matrix products), and copies of
 * whole arrays, beside the reference evaluation.
 * Must not know: which backend. */
#include "config.h"
#include <orrery/loss.h>
#include <orrery/sequence.h>
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"

static orr_tensor *rw_random(orr_dtype t, int rank, const int64_t *dim, double lo, double hi)
{
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= dim[d];
    void *p = rc_new(t, n);
    rc_fill(p, t, n, lo, hi);
    orr_tensor *x =
        orr_from(t, (orr_shape){ .rank = rank, .dim = { dim[0], rank > 1 ? dim[1] : 0, rank > 2 ? dim[2] : 0 } }, p);
    free(p);
    return x;
}

/* (x - mean) / sqrt(var + 1e-5), scaled: two folds, one of which depends on the other */
static orr_tensor *rw_layer_norm(orr_tensor *x, orr_tensor *scale)
{
    orr_tensor *mean = orr_mean(x, ORR_AXES(-1), true), *d = orr_sub(x, mean);
    orr_tensor *var = orr_mean(orr_square(d), ORR_AXES(-1), true);
    return orr_mul(orr_div(d, orr_sqrt(orr_add(var, orr_scalar(1e-5)))), scale);
}

static void rw_row_graphs(orr_dtype t, int rank, const int64_t *dim, double ulp)
{
    enum { LARGEST = 8 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = rw_random(t, rank, dim, -3, 3), *scale = rw_random(t, 1, dim + rank - 1, 1, 2);
    orr_tensor *least = orr_min(x, ORR_AXES(-1), true),
               *any = orr_any(orr_greater(x, orr_scalar(2.5)), ORR_AXES(-1), true);
    orr_tensor *y[] = {
        orr_softmax(x, -1),
        orr_log_softmax(orr_mul(x, scale), -1),
        rw_layer_norm(x, scale),
        orr_where(any, orr_sub(x, least), scale),
        orr_add(orr_prod(orr_add(orr_abs(x), orr_scalar(0.5)), ORR_AXES(-1), true), x),
        orr_logsumexp(x, ORR_AXES(-1), false),
        orr_std(orr_mul(x, scale), ORR_AXES(-1), 0, true),
    };
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        char what[64];
        if (i == 4 && dim[rank - 1] > 70)
            continue; /* products that overflow are not comparable */
        (void)snprintf(what, sizeof what, "row graph %d of rows of %lld", (int)i, (long long)dim[rank - 1]);
        ORR_CHECK_MSG(orr_tensor_status(y[i]) == ORR_OK, "%s: %s", what, orr_error_message());
        /* 2: differences of similar numbers. The logarithms in 1 and 5 are sums of terms up to LARGEST, near 0 too. */
        rg_check_terms(what, y[i], ORR__FUSE_ROWS, i == 2 ? 8 * ulp : ulp, i == 1 || i == 5 ? LARGEST : 0);
    }
    (void)orr_scope_end(s);
}

void row_graphs_see_their_folds(void)
{
    static const int64_t shape[][3] = { { 2, 3, 2100 }, { 5, 1, 64 }, { 300, 1, 3 }, { 1, 1, 1 }, { 7, 2, 33 } };
    static const orr_dtype type[] = { ORR_F32, ORR_F16, ORR_BF16, ORR_F64 };
    static const int64_t one = 500;
    for (size_t k = 0; k < sizeof type / sizeof *type; k++)
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            if (k == 0 || i == 0 || i == 4)
                rw_row_graphs(type[k], 3, shape[i], type[k] == ORR_F64 ? 256 : orr__is_half(type[k]) ? 2 : 16);
    rw_row_graphs(ORR_F32, 1, &one, 16);
}

void special_values_stay_in_their_row(void)
{
    static rb b;
    const int64_t dim[2] = { 4, 300 };
    float x[4 * 300], most[4 * 300], sum[4 * 300];
    for (int i = 0; i < 4 * 300; i++)
        x[i] = (float)(i % 7);
    x[5] = NAN;
    x[300 + 299] = INFINITY;
    x[600 + 3] = INFINITY;
    x[600 + 4] = -INFINITY;
    rb_begin(&b, RB_MAP, 2, dim);
    b.r.loops = ORR__LOOPS_ROWS;
    int v = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, 1200)));
    rb_out(&b, ORR_F32, rb_push(&b, ORR__RI_FOLD, ORR_F32, ORR__RMAX, v, -1, -1, -1, -1));
    rb_out(&b, ORR_F32, rb_push(&b, ORR__RI_FOLD, ORR_F32, ORR__RSUM, v, -1, -1, -1, -1));
    rc_run run = { .b = &b, .hi = 4, .in = { x }, .in_n = { 1200 }, .out = { most, sum }, .out_n = { 1200, 1200 } };
    if (!rc_launch(&run))
        return;
    double last = 0;
    for (int i = 900; i < 1200; i++)
        last += x[i];
    for (int j = 0; j < 300; j++) {
        ORR_CHECK(isnan(most[j]) && isnan(sum[j]));
        ORR_CHECK(most[300 + j] == INFINITY && sum[300 + j] == INFINITY);
        ORR_CHECK(most[600 + j] == INFINITY && isnan(sum[600 + j]));
        ORR_CHECK(most[900 + j] == 6 && sum[900 + j] == (float)last);
    }
}

static void rw_long(int rop, orr_dtype t, int rank, const int64_t *dim, uint32_t mask, bool arg)
{
    static rb b;
    char what[64];
    int64_t n = 1;
    for (int d = 0; d < rank; d++)
        n *= dim[d];
    rb_begin(&b, arg ? RB_ARGREDUCE : RB_REDUCE, rank, dim);
    b.r.rop[0] = rop;
    b.r.rmask = mask;
    rb_out(&b, arg ? ORR_I64 : t, rb_load(&b, rb_linear(&b, rb_input(&b, t, n))));
    (void)snprintf(what, sizeof what, "%s %d of %lld × %lld over axes %#x,", arg ? "position" : "fold", rop,
                   (long long)dim[0], (long long)dim[1], (unsigned)mask);
    rc_check(what, &b, mask & 1u ? 1 : 2, t == ORR_F64 ? 1 : -9, 9, t == ORR_F64 ? 256 : 1);
}

void long_folds_are_shared_out(void)
{
    static const struct {
        int rank;
        int64_t dim[3];
        uint32_t mask;
    } shape[] = { { 1, { 100003 }, 1 },     { 2, { 3, 5000 }, 2 },    { 2, { 5000, 3 }, 1 },   { 2, { 900, 130 }, 1 },
                  { 3, { 40, 50, 60 }, 5 }, { 3, { 40, 50, 60 }, 2 }, { 3, { 40, 6, 500 }, 3 } };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        rw_long(ORR__RSUM, ORR_F32, shape[i].rank, shape[i].dim, shape[i].mask, false);
        rw_long(ORR__RMIN, ORR_I16, shape[i].rank, shape[i].dim, shape[i].mask, false);
        rw_long(ORR__RSUM, ORR_F64, shape[i].rank, shape[i].dim, shape[i].mask, false);
        if ((shape[i].mask & (shape[i].mask - 1)) == 0) {
            rw_long(ORR__RMAX, ORR_I8, shape[i].rank, shape[i].dim, shape[i].mask, true); /* many values are equal */
            rw_long(ORR__RMIN, ORR_F32, shape[i].rank, shape[i].dim, shape[i].mask, true);
        }
    }
}

void matrix_products(void)
{
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        orr_scope *s = orr_scope_begin();
        orr_dtype t = type[k];
        orr_tensor *a = rw_random(t, 2, (int64_t[]){ 70, 33 }, 0.5, 2),
                   *b = rw_random(t, 2, (int64_t[]){ 33, 130 }, 0.5, 2);
        orr_tensor *c = rw_random(t, 3, (int64_t[]){ 3, 5, 33 }, 0.5, 2),
                   *d = rw_random(t, 3, (int64_t[]){ 2, 70, 40 }, 0.5, 2);
        orr_tensor *y[] = {
            orr_matmul(a, b),
            orr_matmul(orr_transpose(b), orr_transpose(a)),
            orr_matmul(c, b),
            orr_matmul(orr_flip(orr_transpose(a), ORR_AXES(0)), d),
            orr_matmul(orr_slice_axis(a, 1, 0, 0, 1), orr_slice_axis(b, 0, 0, 0, 1)),
            orr_relu(orr_add(orr_matmul(a, b), rw_random(t, 1, (int64_t[]){ 130 }, 1, 2))),
            orr_mul(orr_cast(orr_matmul(orr_flip(orr_transpose(a), ORR_AXES(0)), d), ORR_F32),
                    orr_add(rw_random(ORR_F32, 2, (int64_t[]){ 33, 1 }, 1, 2), orr_scalar(0.5))),
        };
        for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
            char what[64];
            (void)snprintf(what, sizeof what, "product %d", (int)i);
            ORR_CHECK_MSG(orr_tensor_status(y[i]) == ORR_OK, "%s: %s", what, orr_error_message());
            /* The last is rounded to a half in between, and read as f32. */
            rg_check(what, y[i], ORR__FUSE_TILES, !orr__is_half(t) ? 16 : i == 6 ? 1 << 17 : 2);
        }
        (void)orr_scope_end(s);
    }
}

static orr_tensor *whole(orr_dtype t, orr_shape s)
{
    int64_t n = s.dim[0] * s.dim[1] * s.dim[2] * s.dim[3];
    return orr_reshape(orr_floor(rw_random(t, 1, &n, -8, 8)), s);
}

/* Convolution, pooling and resizing: sums of integers are exact. */
static void windows(orr_dtype t)
{
    orr_tensor *x = whole(t, ORR_SHAPE(2, 4, 6, 5)), *w = whole(t, ORR_SHAPE(6, 2, 3, 2)),
               *h = whole(t, ORR_SHAPE(2, 6, 4, 6)), *g = whole(t, ORR_SHAPE(2, 4, 3, 3)), *by = NULL;
    orr_conv_options o = {
        .stride = { 2, 1 }, .dilation = { 1, 2 }, .before = { 1, 2 }, .after = { 2, 1 }, .groups = 2
    };
    orr_pool_options p = { .window = { 3, 2 }, .stride = { 2, 2 }, .padding = { 1, 1 } }, q = { .size = { 3, 3 } };
    orr_tensor *up = orr_resize(x, ORR_SHAPE(6, 10), ORR_RESIZE_LINEAR, false);
    orr_tensor *adaptive = NULL;
    (void)orr_grad(orr_sum(orr_mul(orr_max_pool(x, &p), g), ORR_ALL_AXES, false), &x, 1, &by);
    (void)orr_grad(orr_sum(orr_mul(orr_max_pool(x, &q), g), ORR_ALL_AXES, false), &x, 1, &adaptive);
    orr_tensor *y[] = { orr_conv(x, w, NULL, &o),
                        orr_conv_transpose(h, w, NULL, &o),
                        orr_conv_weights(x, h, ORR_SHAPE(3, 2), &o),
                        orr_max_pool(x, &p),
                        orr_max_pool(x, &q),
                        orr_max_pool_indices(x, &p),
                        by,
                        adaptive,
                        up,
                        orr_resize(x, ORR_SHAPE(6, 9), ORR_RESIZE_CUBIC, true),
                        orr_resize(x, ORR_SHAPE(4, 5), ORR_RESIZE_AREA, false),
                        orr_resize(x, ORR_SHAPE(6, 8), ORR_RESIZE_NEAREST, false) };
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        char what[64];
        (void)snprintf(what, sizeof what, "windows %d", (int)i);
        ORR_CHECK_MSG(orr_tensor_status(y[i]) == ORR_OK, "%s: %s", what, orr_error_message());
        rg_check(what, y[i], ORR__FUSE_ROWS, 0);
    }
}

void whole_arrays_are_moved(void)
{
    static const orr_dtype type[] = { ORR_F32, ORR_F16, ORR_I64, ORR_U8, ORR_F64, ORR_BF16 };
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
        orr_scope *s = orr_scope_begin();
        orr_dtype t = type[k];
        double lo = orr__is_unsigned(t) ? 0 : -50;
        orr_tensor *x = rw_random(t, 3, (int64_t[]){ 6, 5, 9 }, lo, 50),
                   *z = rw_random(t, 3, (int64_t[]){ 6, 2, 9 }, lo, 50);
        int64_t at[] = { 4, 0, -1, 2, 2, -5, 4 };
        orr_tensor *index = orr_from(ORR_I64, ORR_SHAPE(7), at);
        orr_tensor *few = orr_from(ORR_U8, ORR_SHAPE(2, 1), (uint8_t[]){ 3, 1 });
        orr_tensor *y[] = {
            orr_take(x, index, 1),
            orr_take(x, few, 2),
            orr_take(x, few, 0),
            orr_concat(ORR_TENSORS(x, z, x), 1),
            orr_concat(ORR_TENSORS(x, x), 0),
            orr_pad(x, ORR_INDEX(1, 0, 2), ORR_INDEX(0, 3, 1), 7),
            orr_scatter_add(x, index, rw_random(t, 3, (int64_t[]){ 6, 7, 9 }, lo, 50), 1),
            orr_scatter_add(x, orr_from(ORR_I32, ORR_SHAPE(2), (int32_t[]){ 8, -9 }),
                            rw_random(t, 3, (int64_t[]){ 6, 5, 2 }, lo, 50), 2),
        };
        for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
            char what[64];
            (void)snprintf(what, sizeof what, "move %d", (int)i);
            ORR_CHECK_MSG(orr_tensor_status(y[i]) == ORR_OK, "%s: %s", what, orr_error_message());
            rg_check(what, y[i], ORR__FUSE_ROWS, 0);
        }
        if (t == ORR_F32 || t == ORR_F64)
            windows(t);
        (void)orr_scope_end(s);
    }
}

/* The loss of sequences of different lengths, and its gradient, in which each item of a group replaces states that the others read. */
void sequences_are_aligned_together(void)
{
    enum { TIMES = 9, BATCH = 6, CLASSES = 5, LONGEST = 4 };
    static const int64_t label[BATCH * LONGEST] = { 1, 2, 3, 1, 4, 4, 1, 2, 3, 3, 3, 3,
                                                    1, 2, 1, 2, 2, 1, 0, 0, 4, 0, 0, 0 };
    static const int64_t length[BATCH] = { 9, 8, 7, 6, 9, 5 }, labels[BATCH] = { 4, 4, 4, 3, 2, 1 };
    orr_scope *s = orr_scope_begin();
    for (int wide = 0; wide < 2; wide++) {
        orr_tensor *x = rw_random(wide ? ORR_F64 : ORR_F32, 3, (int64_t[]){ TIMES, BATCH, CLASSES }, -2, 2), *by = NULL;
        orr_tensor *loss = orr_ctc_loss(x, orr_from(ORR_I64, ORR_SHAPE(BATCH, LONGEST), label),
                                        orr_from(ORR_I64, ORR_SHAPE(BATCH), length),
                                        orr_from(ORR_I64, ORR_SHAPE(BATCH), labels), 0, true, ORR_REDUCTION_NONE);
        ORR_CHECK_MSG(orr_grad(loss, &x, 1, &by) == ORR_OK, "%s", orr_error_message());
        rg_check("alignment", loss, ORR__FUSE_ROWS, wide ? 1024 : 4);
        rg_check("gradient of alignment", by, ORR__FUSE_ROWS, wide ? 65536 : 64);
    }
    (void)orr_scope_end(s);
}

/* Tiles of scores in a group's memory: several tiles of queries and of keys, with a mask, and the gradients by each operand. */
void scores_are_shared_by_tiles(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x[3], *by[3] = { NULL };
    for (int k = 0; k < 3; k++)
        x[k] = rw_random(ORR_F64, 4, (int64_t[]){ 1, k ? 1 : 2, k ? 150 : 70, k == 2 ? 5 : 6 }, -1, 1);
    for (int causal = 0; causal < 2; causal++) {
        orr_attention_options o = { .causal = causal, .window = causal ? 40 : 0 };
        orr_tensor *y = orr_attention(x[0], x[1], x[2], NULL, &o);
        ORR_CHECK_MSG(orr_grad(orr_square(y), x, 3, by) == ORR_OK, "%s", orr_error_message());
        rg_check("attention", y, ORR__FUSE_ROWS, 1 << 16);
        for (int k = 0; k < 3; k++)
            rg_check("gradient of attention", by[k], ORR__FUSE_ROWS, 1 << 20);
    }
    (void)orr_scope_end(s);
}
