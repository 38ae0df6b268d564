/* For tests of codelets: reads by index inside of kernels, through the real fuser, beside the reference evaluation.
 * Must not know: which backend. */
#include "config.h"
#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"

enum { TAKE_ROWS = 9, TAKE_COLS = 40 };

static orr_tensor *tk_table(orr_dtype t)
{
    double data[TAKE_ROWS * TAKE_COLS];
    rc_fill(data, t, TAKE_ROWS * TAKE_COLS, orr__is_signed(t) || orr__is_float(t) ? -3 : 0, 3);
    return orr_from(t, ORR_SHAPE(TAKE_ROWS, TAKE_COLS), data);
}

/* Indices into an axis of n; half of them count from the end if the dtype is signed. */
static orr_tensor *tk_index(orr_dtype t, orr_shape shape, int64_t n)
{
    char data[64 * sizeof(int64_t)];
    for (int64_t i = 0; i < orr__shape_count(&shape); i++) {
        orr__scalar k = { .i = (int64_t)(orr_test_rand(&rc_state) % (uint64_t)n) };
        k.i -= orr__is_signed(t) && i % 2 ? n : 0;
        orr__scalar_store(data + (size_t)i * orr_dtype_size(t), t, k);
    }
    return orr_from(t, shape, data);
}

static void tk_check(const char *what, orr_tensor *y, double ulp)
{
    ORR_CHECK_MSG(orr_tensor_status(y) == ORR_OK, "%s: %s", what, orr_error_message());
    rg_check(what, y, ORR__FUSE_TILES, ulp);
}

static orr_tensor *tk_norm(orr_tensor *x)
{
    orr_tensor *d = orr_sub(x, orr_mean(x, ORR_AXES(-1), true));
    return orr_mul(d, orr_rsqrt(orr_add(orr_mean(orr_square(d), ORR_AXES(-1), true), orr_scalar(1e-5))));
}

void takes_in_every_kind_of_kernel(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = tk_table(ORR_F32), *rows = tk_index(ORR_I32, ORR_SHAPE(5, 4), TAKE_ROWS);
    orr_tensor *w = tk_table(ORR_I16), *seven = tk_index(ORR_I64, ORR_SHAPE(7), TAKE_ROWS);
    orr_tensor *cols = tk_index(ORR_I64, ORR_SHAPE(7), TAKE_COLS), *bias = tk_index(ORR_I32, ORR_SHAPE(7), TAKE_COLS);
    orr_tensor *y[] = {
        orr_mul(orr_relu(orr_take(x, rows, 0)), orr_slice_axis(x, 0, 3, 4, 1)),
        orr_add(orr_take(x, cols, 1), orr_scalar(1)),
        orr_sum(orr_square(orr_take(x, rows, 0)), ORR_AXES(0, 1), false),
        orr_sum(orr_square(orr_take(x, rows, 0)), ORR_AXES(-1), false),
        orr_sum(orr_take(x, rows, 0), ORR_AXES(-1), false),
        orr_max(orr_take(x, cols, 1), ORR_AXES(-1), false),
        orr_max(orr_neg(orr_take(x, cols, 1)), ORR_ALL_AXES, false),
        orr_argmax(orr_neg(orr_take(x, rows, 0)), 2, false),
        tk_norm(orr_take(x, rows, 0)),
        tk_norm(orr_take(x, cols, 1)),
        orr_softmax(orr_take(orr_transpose(x), rows, 1), -1),
        orr_logsumexp(orr_take(x, rows, 0), ORR_AXES(-1), false),
        orr_add(orr_matmul(w, orr_take(orr_transpose(w), seven, 1)), orr_take(orr_slice_axis(w, 0, 0, 1, 1), bias, 1)),
    };
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
        char what[32];
        (void)snprintf(what, sizeof what, "take %d", (int)i);
        tk_check(what, y[i], 64);
    }
    (void)orr_scope_end(s);
}

void takes_through_views_and_computed_indices(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = tk_table(ORR_F32), *i = tk_index(ORR_I32, ORR_SHAPE(5, 4), 100);
    orr_tensor *nine = orr_remainder(i, orr_full(ORR_I32, ORR_SHAPE_0D, TAKE_ROWS));
    orr_tensor *c = tk_index(ORR_I64, ORR_SHAPE(6), TAKE_COLS), *one = tk_index(ORR_I64, ORR_SHAPE_0D, TAKE_ROWS);
    orr_tensor *map = tk_index(ORR_I64, ORR_SHAPE(12), TAKE_ROWS), *wide = orr_slice_axis(x, 0, 0, 1, 1);
    orr_tensor *y[] = {
        orr_neg(orr_take(x, nine, 0)),
        orr_take(orr_relu(x), nine, 0),
        orr_take(orr_exp(x), orr_slice_axis(c, 0, 0, 2, 1), 1),
        orr_neg(orr_take(orr_flip(x, ORR_AXES(0, 1)), nine, 0)),
        orr_neg(orr_take(orr_slice_axis(x, 1, 38, 1, -3), orr_remainder(c, orr_full(ORR_I64, ORR_SHAPE_0D, 13)), 1)),
        orr_neg(orr_take(orr_broadcast_to(wide, ORR_SHAPE(TAKE_ROWS, TAKE_COLS)), nine, 0)),
        orr_neg(orr_take(x, orr_take(map, tk_index(ORR_I32, ORR_SHAPE(5), 12), 0), 0)),
        orr_neg(orr_take(orr_take(x, c, 1), nine, 0)),
        orr_neg(orr_transpose(orr_take(x, c, 1))),
        orr_neg(orr_flip(orr_take(x, nine, 0), ORR_AXES(0, 2))),
        orr_neg(orr_take(x, orr_transpose(nine), 0)),
        orr_neg(orr_take(x, c, ORR_FLAT)),
        orr_neg(orr_take(x, one, 0)),
        orr_neg(orr_take(x, orr_reshape(nine, ORR_SHAPE(2, 10)), 0)),
        orr_where(orr_greater(x, orr_scalar(0)), orr_take(x, orr_arange(ORR_I64, 8, -1, -1), 0), x),
        orr_take(orr_rand(ORR_F32, ORR_SHAPE(9, 3), 0, 1), nine, 0),
        orr_neg(orr_take(orr_full(ORR_F32, ORR_SHAPE(9), 3), nine, 0)),
        orr_neg(orr_take(x, orr_slice_axis(c, 0, 0, 0, 1), 1)),
        orr_mul(orr_expand_dims(orr_take(wide, c, 1), 2), orr_ones(ORR_F32, ORR_SHAPE(1, 6, 5))),
    };
    for (size_t k = 0; k < sizeof y / sizeof *y; k++) {
        char what[32];
        (void)snprintf(what, sizeof what, "taken view %d", (int)k);
        tk_check(what, y[k], 8);
    }
    (void)orr_scope_end(s);
}

void takes_of_any_dtype_by_any_index(void)
{
    static const orr_dtype kind[] = { ORR_I8, ORR_I16, ORR_I32, ORR_I64, ORR_U8, ORR_U16, ORR_U32, ORR_U64 };
    orr_scope *s = orr_scope_begin();
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
        orr_tensor *x = tk_table((orr_dtype)t), *i = tk_index(kind[t % 8], ORR_SHAPE(12), TAKE_ROWS);
        orr_tensor *c = tk_index(kind[(t + 3) % 8], ORR_SHAPE(21), TAKE_COLS);
        tk_check(orr_dtype_name((orr_dtype)t), orr_cast(orr_take(x, i, 0), ORR_F32), 0);
        tk_check(orr_dtype_name((orr_dtype)t), orr_equal(orr_take(x, c, 1), orr_slice_axis(x, 1, 0, 21, 1)), 0);
    }
    (void)orr_scope_end(s);
}

/* An index of n rows out of `of`, half of them from the end. */
static orr_tensor *tk_long_index(orr_dtype t, int64_t n, int64_t of)
{
    static char data[2048 * sizeof(int64_t)];
    for (int64_t i = 0; i < n; i++) {
        orr__scalar k = { .i = (int64_t)(orr_test_rand(&rc_state) % (uint64_t)of) - (i % 2 ? of : 0) };
        orr__scalar_store(data + (size_t)i * orr_dtype_size(t), t, k);
    }
    return orr_from(t, ORR_SHAPE(n), data);
}

/* Rows of 2 to 40 elements, so many that they are walked as one: beside values of columns and of rows, from two arrays by one index and by
 * two, with elements between the rows, by an index that is a value, too, and by one with an axis before. */
void takes_of_many_short_rows(void)
{
    static const int64_t length[] = { 2, 3, 5, 6, 8, 13, 16, 17, 31, 33, 36, 40 };
    orr_scope *s = orr_scope_begin();
    for (int k = 0; k < ORR__SCALAR_DTYPES; k++) {
        const int t = (ORR_F32 + k) % ORR__SCALAR_DTYPES; /* the first cases are in each run */
        const int64_t n = length[(k + 3) % 12], rows = 2100 / n + 515;
        orr_tensor *table = tk_table((orr_dtype)t), *apart = n < 40 ? orr_slice_axis(table, 1, 40 - n, 40, 1) : table;
        double data[TAKE_ROWS * TAKE_COLS];
        rc_fill(data, (orr_dtype)t, TAKE_ROWS * TAKE_COLS, 0, 3);
        orr_tensor *x = orr_from((orr_dtype)t, ORR_SHAPE(TAKE_ROWS, n), data);
        orr_tensor *one = tk_long_index(ORR_I64, rows, TAKE_ROWS), *two = tk_long_index(ORR_I32, rows, TAKE_ROWS);
        orr_tensor *column = orr_slice_axis(x, 0, 3, 4, 1), *of_row = orr_take(orr_slice_axis(x, 1, 0, 1, 1), two, 0);
        orr_tensor *positive = orr_expand_dims(orr_greater_equal(one, orr_scalar(0)), 1);
        orr_tensor *pair = tk_long_index(ORR_I32, 2 * rows, TAKE_ROWS);
        orr_tensor *y[] = {
            orr_where(orr_equal(column, orr_take(x, one, 0)), of_row, orr_take(apart, two, 0)),
            orr_where(positive, orr_take(x, one, 0), of_row),
            orr_where(positive, orr_take(apart, one, 0), column),
            orr_equal(orr_take(x, one, 0), orr_take(apart, one, 0)),
            orr_equal(orr_take(x, one, 0), orr_take(apart, two, 0)),
            orr_where(positive, orr_take(x, two, 0), orr_take(x, one, 0)),
            orr_equal(orr_take(x, orr_reshape(pair, ORR_SHAPE(2, rows)), 0), column),
            orr_where(orr_equal(column, column), orr_take(x, two, 0), orr_take(apart, two, 0)),
        };
        for (size_t j = 0; j < sizeof y / sizeof *y; j++) {
            char what[64];
            (void)snprintf(what, sizeof what, "%s rows of %d: %d", orr_dtype_name((orr_dtype)t), (int)n, (int)j);
            tk_check(what, y[j], 0);
        }
    }
    (void)orr_scope_end(s);
}

/* Elements of each of many rows, at places that are the same for all: side by side, where they are copied first. */
void takes_of_elements_of_many_rows(void)
{
    enum { ROWS = 150, COLS = 50 };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_U8, ORR_BF16 };
    static double data[ROWS * COLS];
    orr_scope *s = orr_scope_begin();
    for (int t = 0; t < 4; t++) {
        rc_fill(data, type[t], ROWS * COLS, 0, 3);
        orr_tensor *x = orr_from(type[t], ORR_SHAPE(ROWS, COLS), data), *a = tk_long_index(ORR_I32, 9 + 14 * t, COLS);
        orr_tensor *b = tk_long_index(ORR_I64, 9 + 14 * t, COLS), *turned = orr_flip(x, ORR_AXES(0, 1));
        orr_tensor *of_a = orr_take(x, a, 1), *column = orr_slice_axis(x, 1, 3, 4, 1);
        orr_tensor *y[] = {
            orr_equal(orr_sqrt(orr_cast(of_a, ORR_F64)), orr_sqrt(orr_cast(orr_take(turned, b, 1), ORR_F64))),
            orr_where(orr_equal(of_a, column), orr_take(x, b, 1), orr_take(turned, a, 1)),
            orr_max(orr_maximum(of_a, column), ORR_AXES(1), false),
            orr_sub(orr_maximum(of_a, column), orr_min(orr_maximum(of_a, column), ORR_AXES(1), true)),
            orr_take(orr_reshape(x, ORR_SHAPE(3, 50, COLS)), a, 2),
        };
        for (size_t j = 0; j < sizeof y / sizeof *y; j++) {
            char what[64];
            (void)snprintf(what, sizeof what, "%s elements of rows: %d", orr_dtype_name(type[t]), (int)j);
            tk_check(what, y[j], 0);
        }
    }
    (void)orr_scope_end(s);
}

void wrong_indices_in_kernels_are_found(void)
{
    static rb b;
    float x[4] = { 10, 20, 30, 40 }, got[5] = { 0 };
    int64_t index[5] = { 0, -5, 2, 3, -4 };
    for (int length = 4; length >= 0; length -= 4) {
        rb_begin(&b, RB_MAP, 1, (int64_t[]){ 5 });
        int in = rb_input(&b, ORR_F32, length);
        int i = rb_load(&b, rb_linear(&b, rb_input(&b, ORR_I64, 5)));
        i = rb_ew(&b, "add", i, rb_scalar(&b, ORR_I64, (orr__scalar){ .i = 1 }), -1);
        i = rb_push(&b, ORR__RI_PLACE, ORR_I64, 0, i, -1, -1, rb_placed(&b, -1, 1, length), -1);
        rb_out(&b, ORR_F32, rb_push(&b, ORR__RI_GATHER, ORR_F32, 0, i, -1, -1, rb_placed(&b, in, 0, 1), -1));
        rc_run run = { .b = &b, .hi = 5, .in = { x, index }, .in_n = { length, 5 }, .out = { got }, .out_n = { 5 } };
        if (!rc_launch(&run))
            return;
        ORR_CHECK_MSG(rc_bad_index == (length ? 3 : 0), "%lld", (long long)rc_bad_index);
        ORR_CHECK(!length || (got[0] == 20 && got[1] == 10 && got[2] == 40 && got[4] == 20));
    }
}
