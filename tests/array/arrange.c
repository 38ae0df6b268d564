/* Creation by example, rearrangement and choice by index, against NumPy; facts about dtypes.
 * Must not know: how a value is computed. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/array.h>
#include "tests/harness/ops_help.h"

static void all_cases_agree_with_numpy(void)
{
    help_numpy("numpy/array.txt", NULL);
}

static void rank_eight_repeats_too(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_reshape(orr_arange(ORR_I32, 0, 6, 1), ORR_SHAPE(1, 1, 1, 1, 1, 1, 2, 3));
    help_check_values(orr_repeat(x, 2, 6), ORR_I32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 4, 3),
                      (double[]){ 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5 });
    help_check_values(orr_tile(x, ORR_INDEX(2, 1)), ORR_I32, ORR_SHAPE(1, 1, 1, 1, 1, 1, 4, 3),
                      (double[]){ 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5 });
    (void)orr_scope_end(s);
}

static void dtypes_have_the_facts_of_float_h(void)
{
    orr_float_facts f;
    orr_integer_facts i;
    ORR_CHECK(orr_finfo(ORR_F64, &f) == ORR_OK && f.bits == 64 && f.eps == DBL_EPSILON && f.max == DBL_MAX &&
              f.min == -DBL_MAX && f.smallest_normal == DBL_MIN);
    ORR_CHECK(orr_finfo(ORR_F32, &f) == ORR_OK && f.bits == 32 && f.eps == (double)FLT_EPSILON &&
              f.max == (double)FLT_MAX && f.smallest_normal == (double)FLT_MIN);
    ORR_CHECK(orr_finfo(ORR_F16, &f) == ORR_OK && f.max == 65504 && f.eps == 0x1p-10 && f.smallest_normal == 0x1p-14);
    ORR_CHECK(orr_finfo(ORR_BF16, &f) == ORR_OK && f.max == 0x1.fep127 && f.eps == 0x1p-7);
    ORR_CHECK(orr_finfo(ORR_I8, &f) == ORR_EDTYPE && orr_finfo(ORR_F32, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_iinfo(ORR_I8, &i) == ORR_OK && i.bits == 8 && i.min == -128 && i.max == 127);
    ORR_CHECK(orr_iinfo(ORR_I64, &i) == ORR_OK && i.min == INT64_MIN && i.max == INT64_MAX);
    ORR_CHECK(orr_iinfo(ORR_U64, &i) == ORR_OK && i.min == 0 && i.max == UINT64_MAX);
    ORR_CHECK(orr_iinfo(ORR_U16, &i) == ORR_OK && i.min == 0 && i.max == UINT16_MAX);
    ORR_CHECK(orr_iinfo(ORR_BOOL, &i) == ORR_EDTYPE && orr_iinfo((orr_dtype)99, &i) == ORR_EDTYPE);
}

static void dtypes_promote_as_the_standard_says(void)
{
    orr_dtype t;
    ORR_CHECK(orr_result_type(&(orr_dtype){ ORR_I8 }, 1, &t) == ORR_OK && t == ORR_I8);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_I8, ORR_U8, ORR_I32 }, 3, &t) == ORR_OK && t == ORR_I32);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_F32, ORR_F64 }, 2, &t) == ORR_OK && t == ORR_F64);
    ORR_CHECK(orr_result_type((orr_dtype[]){ ORR_I64, ORR_U64 }, 2, &t) == ORR_EDTYPE);
    ORR_CHECK(orr_result_type(NULL, 0, &t) == ORR_EINVAL);
    ORR_CHECK(orr_can_cast(ORR_U8, ORR_I16) && !orr_can_cast(ORR_I16, ORR_U8) && !orr_can_cast(ORR_I8, ORR_U64));
    ORR_CHECK(orr_can_cast(ORR_F32, ORR_F64) && !orr_can_cast(ORR_F64, ORR_F32) && !orr_can_cast(ORR_I32, ORR_F64));
    ORR_CHECK(orr_isdtype(ORR_BOOL, ORR_KIND_BOOL) && !orr_isdtype(ORR_BOOL, ORR_KIND_NUMERIC));
    ORR_CHECK(orr_isdtype(ORR_U8, ORR_KIND_INTEGRAL) && !orr_isdtype(ORR_U8, ORR_KIND_SIGNED));
    ORR_CHECK(orr_isdtype(ORR_BF16, ORR_KIND_FLOAT | ORR_KIND_BOOL) && !orr_isdtype(ORR_DTYPE_COUNT, 31));
}

/* -- einsum of random texts beside the sum over all labels -------------------------------------------------------------- */

enum { TERMS = 5, LABELS = 6, AXES = 3 };

typedef struct {
    int terms, axes[TERMS], label[TERMS][AXES], out[LABELS], nout, size[LABELS];
    unsigned used;
    double *value[TERMS];
    char text[64];
} random_einsum;

static int below(int n)
{
    static unsigned long long state = 20261124;
    return (int)(orr_test_rand(&state) % (unsigned)n);
}

static void append(random_einsum *e, char c)
{
    size_t n = strlen(e->text);
    e->text[n] = c;
    e->text[n + 1] = 0;
}

/* The labels differ in each term; the result has some of all labels, in any order. */
static void draw_einsum(random_einsum *e)
{
    memset(e, 0, sizeof *e);
    e->terms = 2 + below(TERMS - 1);
    for (int k = 0; k < LABELS; k++)
        e->size[k] = 1 + below(4);
    for (int k = 0; k < e->terms; k++) {
        unsigned in = 0;
        int64_t count = 1;
        e->axes[k] = 1 + below(AXES);
        for (int d = 0; d < e->axes[k]; d++) {
            int x = below(LABELS);
            while (in >> x & 1)
                x = (x + 1) % LABELS;
            in |= 1u << x;
            e->label[k][d] = x;
            count *= e->size[x];
            append(e, (char)('a' + x));
        }
        e->used |= in;
        append(e, k + 1 < e->terms ? ',' : '-');
        e->value[k] = malloc((size_t)count * sizeof(double));
        for (int64_t i = 0; i < count && e->value[k]; i++)
            e->value[k][i] = below(7) - 3;
    }
    append(e, '>');
    for (unsigned left = e->used; left; left &= left - 1)
        e->out[e->nout++] = __builtin_ctz(left);
    for (int i = e->nout - 1; i > 0; i--) {
        int j = below(i + 1), was = e->out[i];
        e->out[i] = e->out[j];
        e->out[j] = was;
    }
    e->nout = below(e->nout + 1);
    for (int i = 0; i < e->nout; i++)
        append(e, (char)('a' + e->out[i]));
}

static int64_t place(const random_einsum *e, const int *label, int n, const int *at)
{
    int64_t p = 0;
    for (int d = 0; d < n; d++)
        p = p * e->size[label[d]] + at[label[d]];
    return p;
}

static void sum_all(const random_einsum *e, double *sum)
{
    int at[LABELS] = { 0 };
    for (int d = 0; d < LABELS;) {
        double v = 1;
        for (int k = 0; k < e->terms; k++)
            v *= e->value[k][place(e, e->label[k], e->axes[k], at)];
        sum[place(e, e->out, e->nout, at)] += v;
        for (d = 0; d < LABELS; at[d++] = 0)
            if (e->used >> d & 1 && ++at[d] < e->size[d])
                break;
    }
}

static void einsum_of_random_texts_is_the_sum_over_all_labels(void)
{
    enum { RUNS = 200, MOST = 4 * 4 * 4 * 4 * 4 * 4 };
    static double sum[MOST], got[MOST];
    for (int run = 0; run < RUNS; run++) {
        random_einsum e;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x[TERMS];
        int64_t count = 1, wrong = 0;
        draw_einsum(&e);
        for (int k = 0; k < e.terms; k++) {
            orr_shape shape = { e.axes[k], { 0 } };
            for (int d = 0; d < e.axes[k]; d++)
                shape.dim[d] = e.size[e.label[k][d]];
            ORR_REQUIRE(e.value[k] != NULL);
            x[k] = orr_from(ORR_F64, shape, e.value[k]);
        }
        for (int i = 0; i < e.nout; i++)
            count *= e.size[e.out[i]];
        memset(sum, 0, sizeof sum);
        sum_all(&e, sum);
        ORR_CHECK_MSG(orr_read(orr_einsum(e.text, x, e.terms), got, (size_t)count * sizeof *got) == ORR_OK, "%s: %s",
                      e.text, orr_error_message());
        for (int64_t i = 0; i < count; i++)
            wrong += got[i] != sum[i];
        ORR_CHECK_MSG(wrong == 0, "%s: %lld of %lld differ", e.text, (long long)wrong, (long long)count);
        for (int k = 0; k < e.terms; k++)
            free(e.value[k]);
        (void)orr_scope_end(s);
    }
}

/* numpy.median and numpy.quantile of arange(24).reshape(2, 3, 4)·7 mod 11. */
static void quantiles_go_over_axes_as_means_do(void)
{
    orr_tensor *x = orr_reshape(orr_arange(ORR_F64, 0, 24, 1), ORR_SHAPE(2, 3, 4));
    x = orr_remainder(orr_mul(x, orr_scalar(7)), orr_scalar(11));
    double m[3], q[2][1][3][1], all;
    ORR_CHECK(orr_read(orr_median(x, ORR_AXES(0, -1), false), m, sizeof m) == ORR_OK);
    ORR_CHECK_MSG(m[0] == 6.5 && m[1] == 5 && m[2] == 4, "%g %g %g", m[0], m[1], m[2]);
    orr_tensor *two = orr_quantile(x, (double[]){ 0.25, 1 }, 2, ORR_AXES(2, 0), true);
    ORR_CHECK(orr_read(two, q, sizeof q) == ORR_OK);
    ORR_CHECK_MSG(q[0][0][0][0] == 3 && q[0][0][2][0] == 0.75 && q[1][0][2][0] == 8, "%g %g %g", q[0][0][0][0],
                  q[0][0][2][0], q[1][0][2][0]);
    ORR_CHECK(orr_item(orr_median(x, ORR_ALL_AXES, false), &all) == ORR_OK && all == 5);
    ORR_CHECK(orr_tensor_status(orr_median(x, ORR_AXES(1, 1), false)) == ORR_EAXIS);
    orr_tensor *none = orr_median(x, ORR_AXES(), true); /* of each element */
    ORR_CHECK(orr_item(orr_all(orr_equal(none, x), ORR_ALL_AXES, false), &all) == ORR_OK && all == 1);
}

static void numbers_are_bounds_of_a_clip(void)
{
    float y[4];
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(4), (float[]){ -1, 0.5f, 9, NAN });
    ORR_CHECK(orr_read(orr_clip_between(x, 0, 6), y, sizeof y) == ORR_OK);
    ORR_CHECK(y[0] == 0 && y[1] == 0.5f && y[2] == 6 && isnan(y[3]));
    int8_t i[2];
    orr_tensor *n = orr_from(ORR_I8, ORR_SHAPE(2), (int8_t[]){ -100, 100 });
    ORR_CHECK(orr_read(orr_clip_between(n, -3, 4), i, sizeof i) == ORR_OK && i[0] == -3 && i[1] == 4);
    ORR_CHECK(orr_tensor_status(orr_clip_between(x, 1, 0)) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_clip_between(x, NAN, 0)) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_clip_between(n, 0, 0.5)) == ORR_EDTYPE);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(all_cases_agree_with_numpy),
                                      ORR_TEST(einsum_of_random_texts_is_the_sum_over_all_labels),
                                      ORR_TEST(rank_eight_repeats_too),
                                      ORR_TEST(dtypes_have_the_facts_of_float_h),
                                      ORR_TEST(dtypes_promote_as_the_standard_says),
                                      ORR_TEST(quantiles_go_over_axes_as_means_do),
                                      ORR_TEST(numbers_are_bounds_of_a_clip),
                                      { 0 } };
    return help_main(argc, argv, "array.arrange", tests);
}
