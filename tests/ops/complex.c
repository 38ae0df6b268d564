/* Complex numbers: functions beside mpmath and the C library, gradients beside JAX, structural operations, refusals, files.
 * Must not know: which engine computes. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/io.h>
#include "ops/ops.h"
#include "tests/harness/ops_help.h"

/* -- functions ---------------------------------------------------------------------------------------------- */

enum { LINES = 512 };

typedef struct {
    char name[24];
    const orr__ewrow *row;
    int arity, n, flag[LINES];
    double in[2][LINES][2], out[LINES][2];
} block;

static double of_bits(unsigned long long bits, orr_dtype part)
{
    uint32_t w = (uint32_t)bits;
    uint64_t u = bits;
    return orr__scalar_load(part == ORR_F32 ? (const void *)&w : (const void *)&u, part).f;
}

static bool read_block(char **p, orr_dtype part, block *b)
{
    int used = 0;
    if (sscanf(*p, "%23s %d %d%n", b->name, &b->arity, &b->n, &used) != 3 || b->n > LINES || b->arity > 2)
        return false;
    *p += used;
    b->row = orr__ew_find(b->name);
    for (int i = 0; i < b->n; i++) {
        char *end;
        b->flag[i] = (int)strtol(*p, &end, 10);
        *p = end;
        for (int k = 0; k <= b->arity; k++)
            for (int c = 0; c < 2; c++) {
                double v = of_bits(strtoull(*p, &end, 16), part);
                *p = end;
                *(k < b->arity ? &b->in[k][i][c] : &b->out[i][c]) = v;
            }
    }
    return b->row != NULL;
}

/* Rounding errors are relative to the size of the number, not of its parts: sums of products lose digits of a part that
 * is small beside the other. */
static double most_ulps(const char *name)
{
    static const char *const exact[] = { "add", "sub", "neg", "conj", "real", "imag" };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (!strcmp(name, exact[i]))
            return 1;
    return !strcmp(name, "pow") ? 40 : 8;
}

static bool same_special(double got, double want, bool signs)
{
    if (isnan(want))
        return isnan(got);
    if (isinf(want))
        return isinf(got) && (!signs || signbit(got) == signbit(want));
    return want == 0 && got == 0 && (!signs || signbit(got) == signbit(want));
}

static bool close_to(const block *b, int i, orr_dtype part, const double *got)
{
    const double *want = b->out[i];
    double eps = part == ORR_F32 ? 0x1p-23 : 0x1p-52, least = part == ORR_F32 ? 0x1p-126 : 0x1p-1022;
    double size = hypot(isfinite(want[0]) ? want[0] : 0, isfinite(want[1]) ? want[1] : 0);
    bool ok = true;
    for (int c = 0; c < 2; c++)
        ok = ok && (same_special(got[c], want[c], b->flag[i] == 1) ||
                    (isfinite(want[c]) && isfinite(got[c]) && (b->flag[i] != 1 || want[c] != 0) &&
                     fabs(got[c] - want[c]) <= most_ulps(b->name) * eps * size + least));
    return ok;
}

static void pack(const double (*v)[2], int n, orr_dtype part, char *to)
{
    for (int i = 0; i < 2 * n; i++)
        orr__scalar_store(to + (size_t)i * orr_dtype_size(part), part, (orr__scalar){ .f = v[i / 2][i % 2] });
}

static void unpack(const char *from, int i, orr_dtype result, orr_dtype part, double got[2])
{
    size_t z = orr_dtype_size(part), step = orr_dtype_size(result);
    got[0] = orr__scalar_load(from + (size_t)i * step, part).f;
    got[1] = step > z ? orr__scalar_load(from + (size_t)i * step + z, part).f : 0;
}

static void check_block(const block *b, orr_dtype dtype, const char *how, const char *data, orr_dtype result)
{
    orr_dtype part = orr__part_dtype(dtype);
    int wrong = 0;
    for (int i = 0; i < b->n; i++) {
        double got[2];
        unpack(data, i, result, part, got);
        bool ok = close_to(b, i, part, got);
        if (!ok && wrong++ < 4)
            ORR_CHECK_MSG(ok, "%s %s, %s: of (%g, %g), (%g, %g): (%.17g, %.17g), not (%.17g, %.17g)", how, b->name,
                          orr_dtype_name(dtype), b->in[0][i][0], b->in[0][i][1], b->arity > 1 ? b->in[1][i][0] : 0,
                          b->arity > 1 ? b->in[1][i][1] : 0, got[0], got[1], b->out[i][0], b->out[i][1]);
    }
    ORR_CHECK_MSG(wrong == 0, "%s %s: %d wrong", how, b->name, wrong);
}

static void by_definition(const block *b, orr_dtype dtype, char *x, char *y, char *r)
{
    orr_dtype result = orr__ew_result(b->row, dtype);
    size_t z = orr_dtype_size(dtype), step = orr_dtype_size(result);
    for (int i = 0; i < b->n; i++)
        orr__ew_eval_at(b->row, dtype, r + (size_t)i * step, x + (size_t)i * z, y + (size_t)i * z, NULL);
    check_block(b, dtype, "the definition of", r, result);
}

static void by_engine(const block *b, orr_dtype dtype, const char *x, const char *y)
{
    orr__site at = ORR__SITE(__FILE__, __LINE__, b->name);
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[2] = { orr_from(dtype, ORR_SHAPE(b->n), x), orr_from(dtype, ORR_SHAPE(b->n), y) };
    orr_tensor *r = orr__ew_record(at, b->row, t[0], b->arity > 1 ? t[1] : NULL, NULL);
    const char *data = orr_data(r);
    ORR_CHECK_MSG(data != NULL, "%s: %s", b->name, orr_error_message());
    if (data)
        check_block(b, dtype, "the engine's", data, orr_tensor_dtype(r));
    (void)orr_scope_end(s);
}

static void functions(const char *file, orr_dtype dtype)
{
    static block b;
    static _Alignas(64) char x[LINES * 16], y[LINES * 16], r[LINES * 16];
    orr_dtype part = orr__part_dtype(dtype);
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden(file), &size), *p = text;
    int n = 0;
    ORR_REQUIRE(text != NULL);
    while (read_block(&p, part, &b)) {
        pack((const double(*)[2])b.in[0], b.n, part, x);
        pack((const double(*)[2])b.in[1], b.n, part, y);
        by_definition(&b, dtype, x, y, r);
        by_engine(&b, dtype, x, y);
        n++;
    }
    ORR_CHECK_MSG(n > 30, "%d functions", n);
    free(text);
}

static void functions_of_c64(void)
{
    functions("complex/c64.txt", ORR_C64);
}

static void functions_of_c128(void)
{
    functions("complex/c128.txt", ORR_C128);
}

/* NumPy 2.4's values. */
static void signs_of_infinite_numbers_have_a_direction(void)
{
    static const double x[][2] = { { INFINITY, 1 },  { -INFINITY, -2 }, { 3, INFINITY },
                                   { 0, -INFINITY }, { 1e308, 1e308 },  { INFINITY, INFINITY },
                                   { NAN, 1 },       { 0, 0 },          { 3, -4 } };
    static const double want[][2] = {
        { 1, 0 },     { -1, 0 },    { 0, 1 }, { 0, -1 },    { 0.70710678118654752, 0.70710678118654752 },
        { NAN, NAN }, { NAN, NAN }, { 0, 0 }, { 0.6, -0.8 }
    };
    enum { N = sizeof x / sizeof *x };
    const double *got = orr_data(orr_sign(orr_from(ORR_C128, ORR_SHAPE(N), x)));
    ORR_CHECK_MSG(got != NULL, "%s", orr_error_message());
    for (int i = 0; got && i < 2 * N; i++) {
        double w = want[i / 2][i % 2];
        ORR_CHECK_MSG(isnan(w) ? isnan(got[i]) : fabs(got[i] - w) < 1e-15, "part %d of %d: %g, not %g", i % 2, i / 2,
                      got[i], w);
    }
}

/* The special cases of the Python array API standard, 2024.12, in which C's Annex G and NumPy differ from it. */
static void special_values_are_those_of_the_standard(void)
{
    static const double inf = INFINITY,
                        x[][2] = { { inf, 2 }, { inf, -2 }, { -inf, 2 }, { inf, 1 }, { -0.0, 0 }, { 0, -0.0 } };
    static const double tanh_of[][2] = { { 1, 0 }, { 1, -0.0 }, { -1, 0 }, { 1, 0 }, { -0.0, 0 }, { 0, -0.0 } };
    static const double expm1_of[][2] = {
        { -inf, inf }, { -inf, -inf }, { -1, 0 }, { inf, inf }, { 0, 0 }, { 0, -0.0 }
    };
    orr_scope *s = orr_scope_begin();
    for (int wide = 0; wide < 2; wide++)
        for (int many = 0; many < 2; many++)
            for (int k = 0; k < 2; k++) {
                orr_tensor *z = orr_cast(orr_from(ORR_C128, ORR_SHAPE(6, 1), x), wide ? ORR_C128 : ORR_C64);
                z = orr_broadcast_to(z, ORR_SHAPE(6, many ? 50 : 1));
                orr_tensor *y = orr_select(k ? orr_expm1(z) : orr_tanh(z), 1, -1);
                double got[6][2];
                ORR_CHECK(orr_read(orr_cast(y, ORR_C128), got, sizeof got) == ORR_OK);
                for (int i = 0; i < 6; i++)
                    for (int c = 0; c < 2; c++) {
                        double want = (k ? expm1_of : tanh_of)[i][c];
                        ORR_CHECK_MSG(got[i][c] == want && !signbit(got[i][c]) == !signbit(want),
                                      "%s(%g, %g): %g, not %g", k ? "expm1" : "tanh", x[i][0], x[i][1], got[i][c],
                                      want);
                    }
            }
    (void)orr_scope_end(s);
}

static void square_of_the_absolute_value_is_real(void)
{
    enum { N = 1003 };
    static double z[N][2];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < N; i++) {
        z[i][0] = sin(i);
        z[i][1] = cos(3.0 * i);
    }
    orr_tensor *x = orr_from(ORR_C128, ORR_SHAPE(N), z);
    const double *im = orr_data(orr_imag(orr_mul(x, orr_conj(x))));
    for (int i = 0; im && i < N; i++)
        ORR_CHECK_MSG(im[i] == 0, "%d: %g", i, im[i]);
    (void)orr_scope_end(s);
}

/* -- gradients ------------------------------------------------------------------------------------------------ */

static void cotangents_are_those_of_jax(void)
{
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden("complex/gradients.txt"), &size), *p = text, name[24];
    double v[8];
    int used = 0, n = 0;
    ORR_REQUIRE(text != NULL);
    while (sscanf(p, "%23s %la %la %la %la %la %la %la %la%n", name, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7,
                  &used) == 9) {
        orr__site at = ORR__SITE(__FILE__, __LINE__, name);
        const orr__ewrow *row = orr__ew_find(name);
        orr_scope *s = orr_scope_begin();
        double re = 0, im = 0;
        orr_tensor *z = orr_from(ORR_C128, ORR_SHAPE_0D, v), *w = orr_from(ORR_C128, ORR_SHAPE_0D, v + 2), *g = NULL;
        orr_tensor *y = orr__ew_record(at, row, z, row->arity > 1 ? w : NULL, NULL);
        orr_tensor *seed = orr_from(orr_tensor_dtype(y), ORR_SHAPE_0D, v + 4);
        ORR_CHECK_MSG(orr_vjp(y, seed, &z, 1, &g) == ORR_OK && orr_item_complex(g, &re, &im) == ORR_OK, "%s: %s", name,
                      orr_error_message());
        ORR_CHECK_MSG(hypot(re - v[6], im - v[7]) <= 1e-12 * (1 + hypot(v[6], v[7])), "%s: (%g, %g), not (%g, %g)",
                      name, re, im, v[6], v[7]);
        (void)orr_scope_end(s);
        p += used;
        n++;
    }
    ORR_CHECK_MSG(n > 100, "%d cotangents", n);
    free(text);
}

/* f(x) = |sin x + i·cos 2x|² = sin² x + cos² 2x, so f'' = 2·cos 2x − 8·cos 4x. */
static void absolute_values_derive_twice(void)
{
    double x0 = 0.7, first = 0.0, second = 0.0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE_0D, &x0), *i = orr_full_complex(ORR_C128, ORR_SHAPE_0D, 0.0, 1.0);
    orr_tensor *z = orr_add(orr_sin(x), orr_mul(i, orr_cos(orr_mul(x, orr_scalar(2.0))))), *g, *gg;
    orr_tensor *a = orr_abs(z);
    ORR_CHECK(orr_grad(orr_mul(a, a), &x, 1, &g) == ORR_OK && orr_grad(g, &x, 1, &gg) == ORR_OK);
    ORR_CHECK(orr_item(g, &first) == ORR_OK && orr_item(gg, &second) == ORR_OK);
    ORR_CHECK_MSG(fabs(first - (sin(2 * x0) - 2 * sin(4 * x0))) < 1e-12, "%.15g", first);
    ORR_CHECK_MSG(fabs(second - (2 * cos(2 * x0) - 8 * cos(4 * x0))) < 1e-11, "%.15g", second);
    (void)orr_scope_end(s);
}

/* -- structure ------------------------------------------------------------------------------------------------ */

static const float three[6][2] = { { 1, 2 }, { -3, 0.5f }, { 0, -1 }, { 4, 4 }, { -2, 1 }, { 0.5f, 0 } };

static void expect(orr_tensor *t, orr_shape shape, const double *want, const char *what)
{
    orr_shape s = orr_tensor_shape(t);
    ORR_CHECK_MSG(orr_tensor_dtype(t) == ORR_C64 && orr__shape_equal(&s, &shape), "%s: %s %s: %s", what,
                  orr_dtype_name(orr_tensor_dtype(t)), orr__str(s).s, orr_error_message());
    const float *got = orr_data(t);
    ORR_CHECK_MSG(got != NULL, "%s: %s", what, orr_error_message());
    for (int64_t i = 0; got && i < 2 * orr__shape_count(&shape); i++)
        ORR_CHECK_MSG(fabs((double)got[i] - want[i]) <= 1e-5, "%s, %d: %g, not %g", what, (int)i, (double)got[i],
                      want[i]);
}

static void sums_products_and_means(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_C64, ORR_SHAPE(2, 3), three);
    expect(orr_sum(x, ORR_AXES(1), false), ORR_SHAPE(2), (double[]){ -2, 1.5, 2.5, 5 }, "sum");
    expect(orr_mean(x, ORR_AXES(0), true), ORR_SHAPE(1, 3), (double[]){ 2.5, 3, -2.5, 0.75, 0.25, -0.5 }, "mean");
    expect(orr_prod(x, ORR_AXES(1), false), ORR_SHAPE(2), (double[]){ -5.5, 4, -6, -2 }, "prod");
    expect(orr_cumulative_sum(x, 1, false), ORR_SHAPE(2, 3), (double[]){ 1, 2, -2, 2.5, -2, 1.5, 4, 4, 2, 5, 2.5, 5 },
           "cumulative_sum");
    expect(orr_prod(orr_zeros(ORR_C64, ORR_SHAPE(0, 1)), ORR_AXES(0), false), ORR_SHAPE(1), (double[]){ 1, 0 },
           "product of nothing");
    (void)orr_scope_end(s);
}

static void views_takes_and_choices(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_C64, ORR_SHAPE(2, 3), three);
    orr_tensor *i = orr_from(ORR_I64, ORR_SHAPE(2), ((int64_t[]){ 2, -3 }));
    expect(orr_transpose(x), ORR_SHAPE(3, 2), (double[]){ 1, 2, 4, 4, -3, 0.5, -2, 1, 0, -1, 0.5, 0 }, "transpose");
    expect(orr_take(x, i, 1), ORR_SHAPE(2, 2), (double[]){ 0, -1, 1, 2, 0.5, 0, 4, 4 }, "take");
    expect(orr_flip(orr_slice_axis(x, 1, 0, 2, 1), ORR_AXES(0)), ORR_SHAPE(2, 2),
           (double[]){ 4, 4, -2, 1, 1, 2, -3, 0.5 }, "slice");
    orr_tensor *row = orr_slice_axis(x, 0, 0, 1, 1);
    expect(orr_concat(ORR_TENSORS(row, orr_conj(row)), 0), ORR_SHAPE(2, 3),
           (double[]){ 1, 2, -3, 0.5, 0, -1, 1, -2, -3, -0.5, 0, 1 }, "concat");
    expect(orr_pad(row, (orr_index){ 2, { 0, 1 } }, (orr_index){ 2, { 0, 0 } }, 9), ORR_SHAPE(1, 4),
           (double[]){ 9, 0, 1, 2, -3, 0.5, 0, -1 }, "pad");
    expect(orr_where(orr_equal(x, orr_scalar(0.5)), x, orr_scalar(2)), ORR_SHAPE(2, 3),
           (double[]){ 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 0.5, 0 }, "where");
    expect(orr_scatter_add(row, orr_from(ORR_I64, ORR_SHAPE(1), ((int64_t[]){ 1 })),
                           orr_full_complex(ORR_C64, ORR_SHAPE(1, 1), 1, -1), 1),
           ORR_SHAPE(1, 3), (double[]){ 1, 2, -2, -0.5, 0, -1 }, "scatter_add");
    (void)orr_scope_end(s);
}

static void products_of_matrices(void)
{
    enum { M = 33, K = 70, N = 45 };
    static double a[M][K][2], b[K][N][2];
    for (int i = 0; i < M * K; i++)
        (&a[0][0][0])[2 * i] = sin(i), (&a[0][0][0])[2 * i + 1] = cos(2 * i);
    for (int i = 0; i < K * N; i++)
        (&b[0][0][0])[2 * i] = cos(i), (&b[0][0][0])[2 * i + 1] = sin(5 * i);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_C128, ORR_SHAPE(M, K), a), *y = orr_from(ORR_C128, ORR_SHAPE(K, N), b);
    orr_tensor *turned = orr_conj(orr_matmul(orr_conj(orr_transpose(y)), orr_conj(orr_transpose(x))));
    const double *got = orr_data(orr_add(orr_matmul(x, y), orr_full_complex(ORR_C128, ORR_SHAPE_0D, 0, 1)));
    const double *again = orr_data(turned);
    ORR_REQUIRE(got && again);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double re = 0, im = 0;
            for (int k = 0; k < K; k++) {
                re += a[i][k][0] * b[k][j][0] - a[i][k][1] * b[k][j][1];
                im += a[i][k][0] * b[k][j][1] + a[i][k][1] * b[k][j][0];
            }
            ORR_CHECK(fabs(got[2 * (i * N + j)] - re) < 1e-11 && fabs(got[2 * (i * N + j) + 1] - im - 1) < 1e-11);
            ORR_CHECK(fabs(again[2 * (j * M + i)] - re) < 1e-11 && fabs(again[2 * (j * M + i) + 1] - im) < 1e-11);
        }
    (void)orr_scope_end(s);
}

/* -- dtypes --------------------------------------------------------------------------------------------------- */

static void promotion_is_the_standards(void)
{
    orr_dtype t;
    ORR_CHECK(orr__promote(ORR_F32, ORR_C64, &t) && t == ORR_C64);
    ORR_CHECK(orr__promote(ORR_C64, ORR_F64, &t) && t == ORR_C128);
    ORR_CHECK(orr__promote(ORR_F32, ORR_C128, &t) && t == ORR_C128);
    ORR_CHECK(orr__promote(ORR_C64, ORR_C128, &t) && t == ORR_C128);
    ORR_CHECK(orr__promote(ORR_BF16, ORR_C64, &t) && t == ORR_C64);
    ORR_CHECK(!orr__promote(ORR_I32, ORR_C64, &t) && !orr__promote(ORR_BOOL, ORR_C128, &t));
}

static void casts_go_to_complex_and_not_back(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_C64, ORR_SHAPE(2, 3), three);
    double re, im, v;
    ORR_CHECK(orr_item_complex(orr_cast(orr_full(ORR_I32, ORR_SHAPE_0D, 7), ORR_C128), &re, &im) == ORR_OK && re == 7 &&
              im == 0);
    HELP_POISON(orr_cast(x, ORR_F32), ORR_EDTYPE, "use orr_real");
    HELP_POISON(orr_less(x, x), ORR_EDTYPE, "orr_abs");
    HELP_POISON(orr_floor(x), ORR_EDTYPE, "orr_real");
    HELP_POISON(orr_remainder(x, x), ORR_EDTYPE, "complex64");
    HELP_POISON(orr_bitwise_and(x, x), ORR_EDTYPE, "complex64");
    HELP_POISON(orr_max(x, ORR_ALL_AXES, false), ORR_EDTYPE, "no order");
    HELP_POISON(orr_sort(x, 0, false), ORR_EDTYPE, "no order");
    HELP_POISON(orr_argmax(x, 0, false), ORR_EDTYPE, "no order");
    HELP_POISON(orr_softmax(x, 0), ORR_EDTYPE, "orr_abs");
    HELP_POISON(orr_add(x, orr_ones(ORR_I32, ORR_SHAPE(3))), ORR_EDTYPE, "ORR_C64");
    HELP_POISON(orr_full_complex(ORR_F32, ORR_SHAPE(1), 0, 1), ORR_EDTYPE, "complex");
    ORR_CHECK(orr_item(orr_sum(x, ORR_ALL_AXES, false), &v) == ORR_EDTYPE);
    (void)orr_scope_end(s);
}

/* NumPy 2: complex64(…) + 1j is complex64, float32 + 1j complex64, float64 and int32 + 1j complex128, float16 + 1j complex64. */
static void complex_numbers_take_the_width_of_their_operand(void)
{
    static const struct {
        orr_dtype with, want;
    } row[] = { { ORR_C64, ORR_C64 },  { ORR_C128, ORR_C128 }, { ORR_F32, ORR_C64 },
                { ORR_F64, ORR_C128 }, { ORR_F16, ORR_C64 },   { ORR_BF16, ORR_C64 },
                { ORR_I32, ORR_C128 }, { ORR_U8, ORR_C128 },   { ORR_BOOL, ORR_C128 } };
    orr_scope *s = orr_scope_begin();
    double re = 0, im = 0;
    orr_tensor *z = orr_scalar_complex(0.5, -2);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        orr_tensor *x = orr_ones(row[k].with, ORR_SHAPE(2));
        orr_tensor *made[] = { orr_add(x, z), orr_sub(z, x), orr_mul(x, z),
                               orr_where(orr_ones(ORR_BOOL, ORR_SHAPE_0D), z, x) };
        for (size_t j = 0; j < sizeof made / sizeof *made; j++)
            ORR_CHECK_MSG(orr_tensor_dtype(made[j]) == row[k].want, "%s: %s, %s", orr_dtype_name(row[k].with),
                          orr_dtype_name(orr_tensor_dtype(made[j])), orr_error_message());
        ORR_CHECK(orr_item_complex(orr_select(made[0], 0, 1), &re, &im) == ORR_OK && re == 1.5 && im == -2);
        ORR_CHECK(orr_item_complex(orr_select(made[1], 0, 0), &re, &im) == ORR_OK && re == -0.5 && im == -2);
    }
    ORR_CHECK(orr_tensor_dtype(orr_equal(orr_ones(ORR_C64, ORR_SHAPE(2)), z)) == ORR_BOOL);
    ORR_CHECK(orr_tensor_dtype(orr_add(z, orr_scalar(1))) == ORR_C128);
    ORR_CHECK(orr_tensor_dtype(orr_mul(z, z)) == ORR_C128 && orr_tensor_dtype(z) == ORR_C128);
    ORR_CHECK(orr_eval(z) == ORR_OK); /* with a value it is the same number */
    ORR_CHECK(orr_tensor_dtype(orr_mul(orr_ones(ORR_C64, ORR_SHAPE(2)), z)) == ORR_C64);
    HELP_POISON(orr_maximum(orr_ones(ORR_F32, ORR_SHAPE(2)), z), ORR_EDTYPE, "complex64");
    HELP_POISON(orr_where(z, orr_ones(ORR_F32, ORR_SHAPE(2)), orr_scalar(0)), ORR_EDTYPE, "no value of bool");
    HELP_POISON(orr_add(orr_ones(ORR_FR254, ORR_SHAPE(2)), z), ORR_EDTYPE, "no value of fr254");
    orr_tensor *x = orr_ones(ORR_C64, ORR_SHAPE(2)), *g;
    ORR_CHECK(orr_grad(orr_sum(orr_mul(x, z), ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
    ORR_CHECK(orr_tensor_dtype(g) == ORR_C64 && orr_item_complex(orr_select(g, 0, 0), &re, &im) == ORR_OK);
    ORR_CHECK(re == 0.5 && im == -2);
    (void)orr_scope_end(s);
}

static void npy_holds_complex_numbers(void)
{
    orr_scope *s = orr_scope_begin();
    const char *path = orr_test_tmp("z.npy");
    ORR_CHECK(orr_save(path, orr_from(ORR_C64, ORR_SHAPE(2, 3), three)) == ORR_OK);
    size_t n;
    unsigned char *raw = orr_test_slurp(path, &n);
    ORR_CHECK(raw && strstr((const char *)raw + 10, "'<c8'"));
    free(raw);
    double want[12];
    for (int i = 0; i < 12; i++)
        want[i] = (double)three[i / 2][i % 2];
    expect(orr_load(path), ORR_SHAPE(2, 3), want, "load");
    ORR_CHECK(orr_save(path, orr_cast(orr_from(ORR_C64, ORR_SHAPE(2, 3), three), ORR_C128)) == ORR_OK);
    expect(orr_cast(orr_load(path), ORR_C64), ORR_SHAPE(2, 3), want, "load c16");
    (void)orr_scope_end(s);
}

static void print_is_as_numpys(void)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_print(f, orr_from(ORR_C64, ORR_SHAPE(2, 3), three)) == ORR_OK);
    ORR_CHECK(orr_print(f, orr_full_complex(ORR_C128, ORR_SHAPE_0D, 1.5, -2)) == ORR_OK);
    fclose(f);
    ORR_CHECK_MSG(!strcmp(text,
                          "complex64 (2, 3)\n[[ 1. +2.j  -3. +0.5j  0. -1.j ]\n [ 4. +4.j  -2. +1.j   0.5+0.j ]]\n"
                          "complex128 ()\n(1.5-2j)\n"),
                  "%s", text);
    free(text);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(functions_of_c64),
                                      ORR_TEST(functions_of_c128),
                                      ORR_TEST(signs_of_infinite_numbers_have_a_direction),
                                      ORR_TEST(special_values_are_those_of_the_standard),
                                      ORR_TEST(square_of_the_absolute_value_is_real),
                                      ORR_TEST(cotangents_are_those_of_jax),
                                      ORR_TEST(absolute_values_derive_twice),
                                      ORR_TEST(sums_products_and_means),
                                      ORR_TEST(views_takes_and_choices),
                                      ORR_TEST(products_of_matrices),
                                      ORR_TEST(promotion_is_the_standards),
                                      ORR_TEST(casts_go_to_complex_and_not_back),
                                      ORR_TEST(complex_numbers_take_the_width_of_their_operand),
                                      ORR_TEST(npy_holds_complex_numbers),
                                      ORR_TEST(print_is_as_numpys),
                                      { NULL, NULL } };
    return help_main(argc, argv, "ops_complex", tests);
}
