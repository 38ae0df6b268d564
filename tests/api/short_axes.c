/* Short rows, folds of few elements, flipped and repeated reads, small products, and truth values between loops: compiled kernels
 * beside the reference engine, with NaN, infinities and -0 in the data.
 * Must not know: how a kernel walks its loops. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

enum { MOST = 40000, RESULTS = 4096 };
static double data[2][MOST], *result[RESULTS];
static int64_t length[RESULTS];
static bool drawn[RESULTS];
static int nresult;

/* Fills with multiples of 1/8, so that sums are exact; every 37th element is special. */
static void fill(void)
{
    static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0 };
    unsigned long long state = 5;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < MOST; i++) {
            data[k][i] = (double)(orr_test_rand(&state) % 33) / 8 - 2;
            if (k == 1 && i % 37 == 0)
                data[k][i] = special[orr_test_rand(&state) % 5];
        }
}

static orr_tensor *input(orr_dtype dtype, int which, orr_shape s)
{
    if (orr_dtype_size(dtype) == 4 && dtype == ORR_I32)
        which = 0;
    return orr_cast(orr_from(ORR_F64, s, data[which]), dtype);
}

/* An evaluated tensor, which is a value in memory. */
static orr_tensor *there(orr_dtype dtype, int which, orr_shape s)
{
    orr_tensor *t = input(dtype, which, s);
    ORR_CHECK(orr_eval(t) == ORR_OK);
    return t;
}

typedef struct {
    orr_dtype dtype;
    int which; /* data with special values? */
    bool compare, exact;
    const char *what;
} run;

static void same(const run *c, int number, const double *got, int64_t n)
{
    int wrong = 0, at = -1;
    double tolerance = c->exact ? 0 : c->dtype == ORR_BF16 ? 0.05 : c->dtype == ORR_F64 ? 1e-11 : 3e-6;
    const double *want = result[number];
    ORR_CHECK_MSG(n == length[number], "%s %s: %lld elements", c->what, orr_dtype_name(c->dtype), (long long)n);
    for (int64_t i = 0; i < n && n == length[number]; i++) {
        bool equal = isnan(got[i])       ? isnan(want[i])
                     : got[i] == want[i] ? signbit(got[i]) == signbit(want[i])
                                         : fabs(got[i] - want[i]) <= tolerance * (1 + fabs(want[i]));
        at = equal || wrong ? at : (int)i;
        wrong += !equal;
    }
    ORR_CHECK_MSG(wrong == 0, "%s %s %s: %d of %lld are wrong; number %d is %g, not %g", c->what,
                  orr_dtype_name(c->dtype), c->which ? "with NaN" : "", wrong, (long long)n, at, at < 0 ? 0 : got[at],
                  at < 0 ? 0 : want[at]);
}

/* Keeps the reference engine's results, and compares the other engine's with them. */
static void take(run *c, orr_tensor *t, bool exact, const char *what)
{
    ORR_REQUIRE(nresult < RESULTS);
    if (!c->compare) {
        drawn[nresult] = orr_test_drawn();
        result[nresult] = NULL;
    }
    if (!drawn[nresult]) {
        nresult++;
        return;
    }
    c->exact = exact;
    c->what = what;
    orr_tensor *wide = orr_cast(t, ORR_F64);
    ORR_CHECK_MSG(orr_eval(t) == ORR_OK, "%s: %s", what, orr_error_message());
    const double *got = orr_data(wide);
    int64_t n = orr_tensor_size(t);
    ORR_CHECK_MSG(got != NULL, "%s: %s", what, orr_error_message());
    if (!got)
        return;
    if (c->compare) {
        same(c, nresult++, got, n);
        return;
    }
    result[nresult] = malloc(((size_t)n + 1) * sizeof(double));
    length[nresult] = n;
    if (result[nresult])
        memcpy(result[nresult++], got, (size_t)n * sizeof(double));
}

static void short_rows(run *c)
{
    static const int shape[][2] = { { 16, 3 },   { 63, 5 },   { 130, 2 }, { 65, 13 }, { 64, 31 },
                                    { 200, 32 }, { 101, 33 }, { 40, 48 }, { 64, 49 }, { 97, 63 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)),
                   *turned = there(c->dtype, c->which, ORR_SHAPE(m, n));
        orr_tensor *y = orr_abs(orr_add(x, x)), *z = orr_abs(orr_permute(turned, ORR_AXES(1, 0)));
        take(c, orr_max(y, ORR_AXES(1), false), true, "max of rows");
        take(c, orr_min(z, ORR_AXES(1), false), true, "min of turned rows");
        take(c, orr_sum(y, ORR_AXES(1), false), true, "sum of rows");
        take(c, orr_sum(x, ORR_AXES(1), true), true, "plain sum of rows");
        if (c->dtype == ORR_I32) {
            (void)orr_scope_end(s);
            continue;
        }
        orr_tensor *p = orr_pad(x, ORR_INDEX(1, 1), ORR_INDEX(1, 1), 0.5);
        orr_tensor *around = orr_mul(orr_slice(p, ORR_INDEX(0, 0), ORR_INDEX(n, m), ORR_NO_INDEX),
                                     orr_slice(p, ORR_INDEX(2, 2), ORR_INDEX(n + 2, m + 2), ORR_NO_INDEX));
        take(c, orr_softmax(y, 1), false, "softmax of rows");
        take(c, orr_sub(x, orr_mean(x, ORR_AXES(1), true)), false, "centred rows");
        take(c, orr_tanh(orr_div(x, orr_add(orr_max(orr_exp(y), ORR_AXES(1), true), orr_scalar(1)))), false,
             "scaled rows");
        take(c, orr_tanh(orr_sin(orr_silu(around))), false, "stencil of short rows");
        take(c, orr_sum(around, ORR_AXES(1), false), false, "sum of a stencil's rows");
        take(c, orr_sum(orr_cast(orr_greater(x, orr_scalar(0.25)), ORR_F32), ORR_AXES(1), false), true,
             "truths of rows");
        take(c, orr_any(orr_greater(x, orr_scalar(1.5)), ORR_AXES(1), false), true, "any of rows");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(70, 3, 6)), *y = orr_square(x);
    orr_tensor *index = orr_cast(orr_remainder(orr_arange(ORR_I32, 0, 100, 1), orr_scalar(70)), ORR_I32);
    take(c, orr_max(y, ORR_AXES(2), false), true, "rows along the first axis");
    take(c, orr_sub(y, orr_max(y, ORR_AXES(2), true)), true, "all of these rows");
    take(c, orr_max(orr_take(y, index, 0), ORR_AXES(2), false), true, "taken rows");
    (void)orr_scope_end(s);
}

/* Sums and products of rounded values, whose bits depend on the order. */
static void rounded_rows(run *c)
{
    static const int length_of[] = { 7, 31, 32, 33, 47, 48, 49, 61, 63, 64 };
    for (size_t k = 0; k < sizeof length_of / sizeof *length_of; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(101, length_of[k]));
        orr_tensor *part = orr_div(x, orr_add(orr_sum(orr_abs(x), ORR_AXES(1), true), orr_scalar(3)));
        take(c, orr_sum(part, ORR_AXES(1), false), true, "sums of rounded parts");
        take(c, orr_mul(x, orr_prod(orr_add(part, orr_scalar(1)), ORR_AXES(1), true)), true,
             "products of rounded parts");
        (void)orr_scope_end(s);
    }
}

/* Adjacent rows, with a value for each column, or for each row, as the other operand. */
static void rows_behind_rows(run *c)
{
    static const int shape[][2] = { { 1100, 2 }, { 700, 3 }, { 911, 17 }, { 300, 50 }, { 65, 64 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)), *column = there(c->dtype, 0, ORR_SHAPE(1, m)),
                   *row = there(c->dtype, 0, ORR_SHAPE(n, 1));
        take(c, orr_maximum(orr_add(x, x), column), true, "a value for each column");
        take(c, orr_minimum(orr_abs(x), row), true, "a value for each row");
        take(c, orr_sub(orr_maximum(x, column), orr_add(row, row)), true, "values for columns and rows");
        orr_tensor *backwards = orr_flip(column, ORR_AXES(1));
        take(c, orr_add(orr_neg(x), backwards), true, "a reversed value for each column");
        if (c->dtype != ORR_I32)
            take(c, orr_mul(orr_tanh(orr_silu(orr_mul(x, column))), orr_exp(row)), false, "long rows of work");
        orr_tensor *y = there(c->dtype, c->which, ORR_SHAPE(3, n / 3, m)),
                   *outer = there(c->dtype, 0, ORR_SHAPE(3, 1, m));
        take(c, orr_maximum(orr_add(y, y), outer), true, "columns that another axis moves");
        (void)orr_scope_end(s);
    }
}

static orr_tensor *part_of(orr_tensor *p, int64_t i, int64_t j, int64_t n, int64_t m)
{
    return orr_slice(p, ORR_INDEX(i, j), ORR_INDEX(i + n, j + m), ORR_NO_INDEX);
}

/* Neighbours across the border of adjacent rows: zeros and other values, one and two positions away, along three axes. */
static void bordered_rows(run *c)
{
    static const int shape[][2] = { { 70, 31 }, { 30, 50 }, { 40, 100 }, { 9, 190 }, { 130, 5 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)), *column = there(c->dtype, 0, ORR_SHAPE(1, m)),
                   *row = there(c->dtype, 0, ORR_SHAPE(n, 1));
        for (int value = 0; value < 2; value++) {
            orr_tensor *p = orr_pad(x, ORR_INDEX(1, 1), ORR_INDEX(1, 1), value);
            orr_tensor *down = orr_add(part_of(p, 0, 1, n, m), part_of(p, 2, 1, n, m)),
                       *across = orr_add(part_of(p, 1, 0, n, m), part_of(p, 1, 2, n, m));
            take(c, orr_sub(orr_maximum(down, across), x), true, "a stencil");
            take(c, orr_add(orr_abs(part_of(p, 0, 0, n, m)), part_of(p, 2, 2, n, m)), true, "corners");
            take(c, orr_less(down, across), true, "truths of a stencil");
            take(c, orr_mul(orr_add(across, column), row), true, "a stencil and values for columns and rows");
            take(c, orr_max(orr_maximum(down, across), ORR_AXES(1), false), true, "maxima of a stencil's rows");
            orr_tensor *wide = orr_pad(x, ORR_INDEX(2, 2), ORR_INDEX(2, 2), value);
            take(c,
                 orr_add(orr_maximum(part_of(wide, 0, 4, n, m), part_of(wide, 4, 1, n, m)), part_of(wide, 3, 0, n, m)),
                 true, "a wide stencil");
            take(c, orr_add(part_of(p, 0, 0, n, m - 2), part_of(p, 2, 3, n, m - 2)), true, "a narrower stencil");
        }
        take(c, orr_add(part_of(x, 0, 0, n - 2, m - 2), part_of(x, 2, 2, n - 2, m - 2)), true, "a stencil's inside");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(6, 23, 27));
    orr_tensor *p = orr_pad(x, ORR_INDEX(1, 1, 1), ORR_INDEX(1, 1, 1), 0), *sum = orr_neg(x);
    static const int off[][3] = { { 0, 1, 1 }, { 2, 1, 1 }, { 1, 0, 1 }, { 1, 2, 1 },
                                  { 1, 1, 0 }, { 1, 1, 2 }, { 0, 2, 2 } };
    for (size_t k = 0; k < sizeof off / sizeof *off; k++)
        sum = orr_add(sum, orr_slice(p, ORR_INDEX(off[k][0], off[k][1], off[k][2]),
                                     ORR_INDEX(off[k][0] + 6, off[k][1] + 23, off[k][2] + 27), ORR_NO_INDEX));
    take(c, sum, true, "a stencil of three axes");
    (void)orr_scope_end(s);
}

/* Parts of rows that are all equally far apart, with one outer axis more, too. */
static void parts_of_rows(run *c)
{
    static const int shape[][2] = { { 100, 31 }, { 1200, 3 }, { 70, 66 }, { 300, 20 }, { 131, 40 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)), *y = there(c->dtype, 0, ORR_SHAPE(n, m));
        orr_tensor *left = part_of(x, 0, 0, n - 2, m - 1), *right = part_of(x, 2, 1, n - 2, m - 1),
                   *other = part_of(y, 1, 1, n - 2, m - 1), *sum = orr_add(orr_maximum(left, right), other);
        take(c, sum, true, "parts of rows");
        take(c, orr_less(left, orr_abs(other)), true, "truths of parts of rows");
        take(c, orr_cast(orr_sub(left, right), c->dtype == ORR_F64 ? ORR_F32 : ORR_F64), true, "wider parts of rows");
        if (c->dtype != ORR_I32)
            take(c, orr_sin(orr_mul(sum, orr_scalar(64))), false, "sines of parts of rows");
        orr_tensor *both[2] = { orr_neg(sum), orr_abs(right) };
        ORR_CHECK(orr_eval_all(both, 2) == ORR_OK);
        take(c, both[0], true, "parts of rows, first of two");
        take(c, both[1], true, "parts of rows, second of two");
        take(c, orr_minimum(part_of(x, 0, 0, n, m - 1), orr_neg(part_of(x, 0, 1, n, m - 1))), true,
             "parts of all rows, up to the last element");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(5, 90, 23));
    orr_tensor *near = orr_slice(x, ORR_INDEX(0, 0, 0), ORR_INDEX(4, 88, 20), ORR_NO_INDEX),
               *far = orr_slice(x, ORR_INDEX(1, 2, 3), ORR_INDEX(5, 90, 23), ORR_NO_INDEX);
    take(c, orr_maximum(orr_neg(near), far), true, "parts of rows along another axis");
    (void)orr_scope_end(s);
}

/* Rows whose length is no multiple of a vector. */
static void rests(run *c)
{
    static const int shape[][2] = { { 7, 57 }, { 5, 85 }, { 3, 113 }, { 4, 249 }, { 2, 1030 }, { 3, 33 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)), *y = there(c->dtype, c->which, ORR_SHAPE(n, m + 3));
        orr_tensor *z = orr_add(orr_slice_axis(y, 1, 1, m + 1, 1), x);
        take(c, orr_abs(z), true, "slices of rows");
        take(c, orr_less(z, x), true, "truths of slices");
        take(c, orr_max(orr_abs(z), ORR_AXES(1), false), true, "maxima of slices");
        take(c, orr_min(z, ORR_AXES(1), false), true, "minima of slices");
        take(c, orr_sum(z, ORR_AXES(1), false), c->dtype != ORR_BF16, "sums of slices");
        take(c, orr_prod(orr_sign(z), ORR_AXES(1), false), true, "products of signs");
        take(c, orr_all(orr_less(z, x), ORR_AXES(1), false), true, "all of rows");
        take(c, orr_sub(z, orr_max(z, ORR_AXES(1), true)), true, "rows less their maxima");
        if (c->dtype != ORR_I32) {
            take(c, orr_softmax(orr_tanh(z), 1), false, "softmax of slices");
            take(c, orr_sub(z, orr_mean(orr_square(z), ORR_AXES(1), true)), false, "rows less means");
            take(c, orr_cos(orr_silu(orr_gelu_tanh(z))), false, "long chains of slices");
        }
        (void)orr_scope_end(s);
    }
}

/* Many small products, and work on their results. */
static void small_products(run *c)
{
    static const int64_t shape[][4] = { { 40, 3, 22, 17 }, { 50, 5, 32, 18 }, { 7, 33, 33, 9 }, { 3, 64, 64, 64 },
                                        { 200, 2, 3, 4 },  { 1, 9, 21, 30 },  { 11, 13, 1, 7 }, { 9, 1, 40, 50 } };
    int which = c->which;
    for (size_t k = 0; k < sizeof shape / sizeof *shape && which == 0; k++) {
        const int64_t *d = shape[k];
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = there(c->dtype, 0, ORR_SHAPE(d[0], d[1], d[3])),
                   *b = there(c->dtype, 0, ORR_SHAPE(d[0], d[3], d[2])),
                   *t = there(c->dtype, 0, ORR_SHAPE(d[0], d[2], d[3])),
                   *rest = there(c->dtype, 0, ORR_SHAPE(d[0], d[1], d[2])), *bias = there(c->dtype, 0, ORR_SHAPE(d[2]));
        orr_tensor *plain = orr_matmul(a, b), *turned = orr_matmul(a, orr_permute(t, ORR_AXES(0, 2, 1)));
        take(c, plain, false, "small products");
        take(c, turned, false, "small products by a transpose");
        take(c, orr_add(orr_mul(orr_matmul(a, b), orr_scalar(0.5)), bias), false, "small products and a bias");
        take(c, orr_maximum(orr_sub(turned, rest), orr_scalar(0)), false, "small products and what is beside them");
        take(c, orr_matmul(orr_permute(a, ORR_AXES(0, 2, 1)), rest), false, "small products of a transpose");
        take(c, orr_abs(orr_matmul(a, orr_slice_axis(b, 0, 0, 1, 1))), false, "small products by one factor");
        orr_tensor *pair[2] = { plain, orr_neg(plain) };
        take(c, orr_concat(pair, 2, 0), false, "small products kept");
        (void)orr_scope_end(s);
    }
    if (which)
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *q = there(c->dtype, 0, ORR_SHAPE(3, 10, 4, 8)), *k = there(c->dtype, 0, ORR_SHAPE(3, 12, 4, 8));
    orr_tensor *heads = orr_matmul(orr_permute(q, ORR_AXES(0, 2, 1, 3)), orr_permute(k, ORR_AXES(0, 2, 3, 1)));
    take(c, heads, false, "products of heads");
    take(c, orr_add(orr_abs(heads), there(c->dtype, 0, ORR_SHAPE(4, 10, 12))), false, "products of heads, and a mask");
    (void)orr_scope_end(s);
}

/* Folds of the axes on both sides of a kept one. */
static void folds_of_two_axes(run *c)
{
    static const int shape[][3] = { { 2, 23, 300 }, { 5, 3, 70 }, { 40, 7, 65 }, { 3, 50, 4 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(shape[k][0], shape[k][1], shape[k][2]));
        take(c, orr_max(orr_abs(x), ORR_AXES(0, 2), false), true, "maxima of two axes");
        if (!c->which)
            take(c, orr_sum(x, ORR_AXES(0, 2), false), c->dtype != ORR_BF16, "sums of two axes");
        if (!c->which && c->dtype != ORR_I32)
            take(c, orr_mean(orr_square(x), ORR_AXES(0, 2), true), false, "means of two axes");
        (void)orr_scope_end(s);
    }
}

static void all_pairs(run *c)
{
    for (int64_t d = 2; d <= 7; d += d == 3 ? 4 : 1) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = there(c->dtype, c->which, ORR_SHAPE(45, d)), *b = there(c->dtype, c->which, ORR_SHAPE(83, d));
        orr_tensor *difference = orr_sub(orr_reshape(a, ORR_SHAPE(45, 1, d)), orr_reshape(b, ORR_SHAPE(1, 83, d)));
        orr_tensor *far = orr_sum(orr_abs(difference), ORR_AXES(2), false);
        take(c, far, true, "sums of pairs");
        take(c, orr_max(difference, ORR_AXES(2), false), true, "maxima of pairs");
        take(c, orr_min(far, ORR_AXES(1), false), true, "the nearest");
        take(c, orr_argmin(far, 1, false), true, "the place of the nearest");
        take(c, orr_sum(far, ORR_AXES(0), false), c->dtype != ORR_BF16, "columns of pairs");
        take(c, orr_prod(orr_abs(difference), ORR_AXES(2), false), c->dtype == ORR_I32, "products of pairs");
        (void)orr_scope_end(s);
    }
}

/* The first of equal values; the first NaN before all other values. */
static void searches(run *c)
{
    static const int length_of[] = { 1, 3, 15, 16, 17, 32, 33, 64, 81, 300 };
    for (size_t k = 0; k < sizeof length_of / sizeof *length_of; k++) {
        int64_t n = length_of[k];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(37, n)), *y = there(c->dtype, 0, ORR_SHAPE(n, 37));
        orr_tensor *sum = orr_add(x, x), *turned = orr_add(x, orr_permute(y, ORR_AXES(1, 0)));
        take(c, orr_argmax(sum, 1, false), true, "the largest of a row");
        take(c, orr_argmin(turned, 1, true), true, "the smallest of a row");
        take(c, orr_argmin(sum, 0, false), true, "the smallest of a column");
        take(c, orr_argmax(turned, 0, false), true, "the largest of a column");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(11, 40, 23));
    take(c, orr_argmax(orr_neg(x), 1, false), true, "the largest along the middle axis");
    (void)orr_scope_end(s);
}

static void turned_reads(run *c)
{
    static const int shape[][2] = { { 40, 100 }, { 17, 333 }, { 301, 37 }, { 64, 64 } };
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        int64_t n = shape[k][0], m = shape[k][1];
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(n, m)), *y = there(c->dtype, 0, ORR_SHAPE(m, n));
        orr_tensor *turned = orr_permute(x, ORR_AXES(1, 0));
        take(c, orr_maximum(turned, y), true, "turned");
        take(c, orr_add(orr_flip(turned, ORR_AXES(0)), y), true, "turned and reversed");
        take(c, orr_max(orr_mul(turned, y), ORR_AXES(1), false), true, "turned rows");
        take(c, orr_max(orr_mul(turned, y), ORR_AXES(0), false), true, "turned columns");
        orr_tensor *column = orr_slice(x, ORR_INDEX(0, 1), ORR_INDEX(n, 2), ORR_NO_INDEX);
        take(c, orr_maximum(y, orr_permute(column, ORR_AXES(1, 0))), true, "a column along each row");
        (void)orr_scope_end(s);
    }
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(20, 30, 25));
    static const int order[][3] = { { 0, 2, 1 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int k = 0; k < 4; k++) {
        orr_tensor *t = orr_permute(x, ORR_AXES(order[k][0], order[k][1], order[k][2]));
        take(c, orr_neg(t), true, "three axes turned");
        take(c, orr_max(orr_add(t, t), ORR_AXES(2), false), true, "rows of three axes turned");
    }
    (void)orr_scope_end(s);
}

static void truths(run *c)
{
    if (c->dtype == ORR_I32)
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(57, 91)), *y = there(c->dtype, 0, ORR_SHAPE(57, 91));
    orr_tensor *more = orr_greater_equal(x, y), *either = orr_logical_or(more, orr_less(y, orr_scalar(0.5)));
    orr_tensor *long_chain = orr_silu(orr_gelu_tanh(orr_relu(x)));
    take(c, orr_cos(orr_where(more, long_chain, y)), false, "a choice after a long chain");
    take(c, orr_add(orr_cast(either, c->dtype), y), true, "truths as numbers");
    take(c, orr_sum(orr_cast(either, ORR_F32), ORR_AXES(1), false), true, "truths counted in rows");
    take(c, orr_softmax(orr_where(either, orr_tanh(orr_exp(y)), orr_scalar(-9)), 1), false, "a masked softmax");
    take(c, either, true, "truths");
    (void)orr_scope_end(s);
}

/* Joined arrays: by rows, by columns, three of them, and with a fold of the result. */
static void parts(run *c)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = there(c->dtype, c->which, ORR_SHAPE(41, 70)), *y = there(c->dtype, 0, ORR_SHAPE(41, 70));
    orr_tensor *part[3] = { orr_add(x, x), orr_abs(orr_slice_axis(y, 0, 0, 30, 1)),
                            orr_neg(orr_slice_axis(x, 0, 5, 9, 1)) };
    orr_tensor *beside[2] = { orr_neg(x), orr_slice_axis(orr_add(y, y), 1, 3, 60, 1) };
    orr_tensor *below = orr_concat(part, 3, 0), *wide = orr_concat(beside, 2, 1);
    take(c, orr_sub(orr_maximum(below, orr_scalar(-1)), below), true, "parts by rows");
    take(c, orr_abs(wide), true, "parts by columns");
    take(c, orr_max(orr_add(below, below), ORR_AXES(1), false), true, "rows of parts");
    take(c, orr_min(orr_add(wide, wide), ORR_AXES(1), false), true, "rows through parts");
    take(c, orr_max(orr_add(wide, wide), ORR_AXES(0), false), true, "columns of parts");
    take(c, orr_sub(wide, orr_max(wide, ORR_AXES(1), true)), true, "rows through parts, less their maxima");
    (void)orr_scope_end(s);
}

/* All dtypes would take minutes of compilation: they run in the long form only. */
static void everything(bool compare, bool few)
{
    static const orr_dtype dtype[] = { ORR_F32, ORR_BF16, ORR_F64, ORR_I32 };
    const char *full = getenv("ORR_TEST_FULL");
    size_t most = full && *full ? sizeof dtype / sizeof *dtype : few ? 1 : 2;
    nresult = 0;
    for (size_t k = 0; k < most; k++)
        for (int which = 0; which < 2 - (dtype[k] == ORR_I32); which++) {
            run c = { .dtype = dtype[k], .which = which, .compare = compare };
            short_rows(&c);
            rows_behind_rows(&c);
            bordered_rows(&c);
            rests(&c);
            parts_of_rows(&c);
            small_products(&c);
            folds_of_two_axes(&c);
            all_pairs(&c);
            searches(&c);
            turned_reads(&c);
            truths(&c);
            parts(&c);
        }
    run c = { .dtype = ORR_F64, .compare = compare };
    rounded_rows(&c);
}

static void beside_the_reference_engine(const char *isa, bool few)
{
    ORR_NEED_COMPILER();
    fill();
    setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    setenv("ORRERY_JIT", "off", 1);
    setenv("ORRERY_FUSE", "off", 1);
    setenv("ORRERY_ENGINE", "serial", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    everything(false, few);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_FUSE");
    setenv("ORRERY_JIT", "wait", 1);
    setenv("ORRERY_ISA", isa, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    everything(true, few);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_ISA");
    for (int i = 0; i < nresult; i++)
        free(result[i]);
}

static void results_are_the_reference_engines(void)
{
    beside_the_reference_engine("auto", false);
}

static void results_are_the_reference_engines_with_narrow_vectors(void)
{
    beside_the_reference_engine("avx2", true);
}

static void a_short_fold_of_pairs_joins_its_reader(void)
{
    fill();
    setenv("ORRERY_JIT", "off", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(45, 1, 3), data[0]),
               *b = orr_from(ORR_F64, ORR_SHAPE(1, 83, 3), data[0]);
    orr_tensor *far = orr_sum(orr_square(orr_sub(a, b)), ORR_AXES(2), false);
    ORR_CHECK(kernels_of(orr_mean(orr_exp(far), ORR_AXES(1), false)) == 1);
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(1000, 3), data[0]);
    ORR_CHECK(kernels_of(orr_sub(orr_exp(x), orr_sum(orr_exp(x), ORR_AXES(1), true))) == 1);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(results_are_the_reference_engines),
                                      ORR_TEST(results_are_the_reference_engines_with_narrow_vectors),
                                      ORR_TEST(a_short_fold_of_pairs_joins_its_reader),
                                      { 0 } };
    orr_test_draw_one_in(4);
    return orr_test_main(argc, argv, "api.short_axes", tests);
}
