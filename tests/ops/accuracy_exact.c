/* Exact values of the rows, by MPFR, and distances from them.
 * Must not know: the source of the measured values. */
#include "config.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>
#include "tests/ops/accuracy.h"

typedef int unary(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
typedef int binary(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* r is computed from x, y, z; t is scratch. */
typedef struct {
    mpfr_srcptr x, y, z;
    mpfr_ptr t;
} given;
typedef void compose(mpfr_t r, const given *g);

static mpfr_t arg[3], result, spare;
static mpfr_prec_t precision;

/* -- compositions ---------------------------------------------------------------------------------------- */

static void do_sign(mpfr_t r, const given *g)
{
    if (mpfr_nan_p(g->x))
        mpfr_set_nan(r);
    else
        (void)mpfr_set_si(r, mpfr_sgn(g->x), MPFR_RNDN);
}

static void do_reciprocal(mpfr_t r, const given *g)
{
    (void)mpfr_ui_div(r, 1, g->x, MPFR_RNDN);
}

static void do_rsqrt(mpfr_t r, const given *g)
{
    (void)mpfr_sqrt(g->t, g->x, MPFR_RNDN);
    (void)mpfr_ui_div(r, 1, g->t, MPFR_RNDN);
}

/* m: the remainder of C. True if Python's differs by y */
static bool python_differs(mpfr_srcptr m, mpfr_srcptr y)
{
    return !mpfr_nan_p(m) && !mpfr_zero_p(m) && (mpfr_sgn(m) < 0) != (mpfr_sgn(y) < 0);
}

static void do_remainder(mpfr_t r, const given *g)
{
    (void)mpfr_fmod(g->t, g->x, g->y, MPFR_RNDN);
    if (!mpfr_nan_p(g->t) && mpfr_zero_p(g->t))
        (void)mpfr_copysign(r, g->t, g->y, MPFR_RNDN);
    else if (python_differs(g->t, g->y))
        (void)mpfr_add(r, g->t, g->y, MPFR_RNDN);
    else
        (void)mpfr_set(r, g->t, MPFR_RNDN);
}

static void do_floor_divide(mpfr_t r, const given *g)
{
    (void)mpfr_div(r, g->x, g->y, MPFR_RNDN);
    if (mpfr_zero_p(g->y) || mpfr_nan_p(r))
        return;
    bool negative = mpfr_signbit(r);
    (void)mpfr_fmod(g->t, g->x, g->y, MPFR_RNDN);
    bool below = python_differs(g->t, g->y);
    mpfr_t whole;
    mpfr_init2(whole, 2300); /* x - m is exact only with as many digits as are between them */
    (void)mpfr_sub(whole, g->x, g->t, MPFR_RNDN);
    (void)mpfr_div(r, whole, g->y, MPFR_RNDN);
    if (below)
        (void)mpfr_sub_ui(r, r, 1, MPFR_RNDN);
    if (mpfr_zero_p(r))
        (void)mpfr_setsign(r, r, negative, MPFR_RNDN);
    mpfr_clear(whole);
}

static void do_fma(mpfr_t r, const given *g)
{
    (void)mpfr_fma(r, g->x, g->y, g->z, MPFR_RNDN);
}

/* The larger, or with sign -1 the smaller; the first of equals; NaN if either is. */
static void larger(mpfr_t r, mpfr_srcptr x, mpfr_srcptr y, int sign)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y))
        mpfr_set_nan(r);
    else
        (void)mpfr_set(r, mpfr_cmp(y, x) * sign > 0 ? y : x, MPFR_RNDN);
}

static void do_maximum(mpfr_t r, const given *g)
{
    larger(r, g->x, g->y, 1);
}

static void do_minimum(mpfr_t r, const given *g)
{
    larger(r, g->x, g->y, -1);
}

static void do_clip(mpfr_t r, const given *g)
{
    larger(g->t, g->x, g->y, 1);
    larger(r, g->t, g->z, -1);
}

static void do_relu(mpfr_t r, const given *g)
{
    if (!mpfr_nan_p(g->x) && mpfr_sgn(g->x) <= 0)
        (void)mpfr_set_zero(r, 1);
    else
        (void)mpfr_set(r, g->x, MPFR_RNDN);
}

static void do_prelu(mpfr_t r, const given *g)
{
    if (!mpfr_nan_p(g->x) && mpfr_sgn(g->x) >= 0)
        (void)mpfr_set(r, g->x, MPFR_RNDN);
    else
        (void)mpfr_mul(r, g->x, g->y, MPFR_RNDN);
}

static void do_elu(mpfr_t r, const given *g)
{
    if (!mpfr_nan_p(g->x) && mpfr_sgn(g->x) > 0) {
        (void)mpfr_set(r, g->x, MPFR_RNDN);
        return;
    }
    (void)mpfr_expm1(g->t, g->x, MPFR_RNDN);
    (void)mpfr_mul(r, g->y, g->t, MPFR_RNDN);
}

static void do_logaddexp(mpfr_t r, const given *g)
{
    if (mpfr_nan_p(g->x) || mpfr_nan_p(g->y)) {
        mpfr_set_nan(r);
        return;
    }
    bool more = mpfr_cmp(g->x, g->y) > 0;
    if (mpfr_equal_p(g->x, g->y))
        (void)mpfr_set_zero(g->t, 1); /* infinity with infinity */
    else
        (void)mpfr_sub(g->t, more ? g->y : g->x, more ? g->x : g->y, MPFR_RNDN);
    (void)mpfr_exp(g->t, g->t, MPFR_RNDN);
    (void)mpfr_log1p(g->t, g->t, MPFR_RNDN);
    (void)mpfr_add(r, more ? g->x : g->y, g->t, MPFR_RNDN);
}

/* r = 1/(1 + e^-x) */
static void sigmoid(mpfr_t r, mpfr_srcptr x)
{
    (void)mpfr_neg(r, x, MPFR_RNDN);
    (void)mpfr_exp(r, r, MPFR_RNDN);
    (void)mpfr_add_ui(r, r, 1, MPFR_RNDN);
    (void)mpfr_ui_div(r, 1, r, MPFR_RNDN);
}

static void do_sigmoid(mpfr_t r, const given *g)
{
    sigmoid(r, g->x);
}

static void do_softplus(mpfr_t r, const given *g)
{
    if (!mpfr_nan_p(g->x) && mpfr_cmp_si(g->x, 4000) > 0) {
        (void)mpfr_set(r, g->x, MPFR_RNDN);
        return;
    }
    (void)mpfr_exp(r, g->x, MPFR_RNDN);
    (void)mpfr_log1p(r, r, MPFR_RNDN);
}

/* x · t; -0 where x is -infinity */
static void times_limit(mpfr_t r, mpfr_srcptr x, mpfr_srcptr t)
{
    if (mpfr_inf_p(x) && mpfr_sgn(x) < 0)
        (void)mpfr_set_zero(r, -1);
    else
        (void)mpfr_mul(r, x, t, MPFR_RNDN);
}

static void do_silu(mpfr_t r, const given *g)
{
    sigmoid(g->t, g->x);
    times_limit(r, g->x, g->t);
}

static void do_mish(mpfr_t r, const given *g)
{
    do_softplus(g->t, g);
    (void)mpfr_tanh(g->t, g->t, MPFR_RNDN);
    times_limit(r, g->x, g->t);
}

/* x · sigmoid(2·√(2/π)·(x + 0.044715x³)) */
static void do_gelu_tanh(mpfr_t r, const given *g)
{
    (void)mpfr_sqr(g->t, g->x, MPFR_RNDN);
    (void)mpfr_set_str(r, "0.044715", 10, MPFR_RNDN);
    (void)mpfr_mul(g->t, g->t, r, MPFR_RNDN);
    (void)mpfr_add_ui(g->t, g->t, 1, MPFR_RNDN);
    (void)mpfr_mul(g->t, g->t, g->x, MPFR_RNDN);
    (void)mpfr_const_pi(r, MPFR_RNDN);
    (void)mpfr_ui_div(r, 8, r, MPFR_RNDN);
    (void)mpfr_sqrt(r, r, MPFR_RNDN);
    (void)mpfr_mul(g->t, g->t, r, MPFR_RNDN);
    sigmoid(g->t, g->t);
    times_limit(r, g->x, g->t);
}

/* Beyond the range in which any dtype distinguishes the results, a value slightly past the limit: MPFR is slow
 * there. */
static void erfc_of(mpfr_t r, mpfr_srcptr x)
{
    if (mpfr_nan_p(x) || mpfr_inf_p(x) || mpfr_cmpabs_ui(x, 40) < 0)
        (void)mpfr_erfc(r, x, MPFR_RNDN);
    else if (mpfr_sgn(x) > 0)
        (void)mpfr_set_ui_2exp(r, 1, -100000, MPFR_RNDN);
    else
        (void)mpfr_set_ui(r, 2, MPFR_RNDN);
}

static void do_erfc(mpfr_t r, const given *g)
{
    erfc_of(r, g->x);
}

static void do_gelu(mpfr_t r, const given *g)
{
    (void)mpfr_sqrt_ui(g->t, 2, MPFR_RNDN);
    (void)mpfr_div(g->t, g->x, g->t, MPFR_RNDN);
    (void)mpfr_neg(g->t, g->t, MPFR_RNDN);
    erfc_of(g->t, g->t);
    (void)mpfr_div_2ui(g->t, g->t, 1, MPFR_RNDN);
    times_limit(r, g->x, g->t);
}

static void do_hardswish(mpfr_t r, const given *g)
{
    if (!mpfr_nan_p(g->x) && mpfr_cmp_si(g->x, -3) <= 0) {
        (void)mpfr_set_zero(r, 1);
    } else if (!mpfr_nan_p(g->x) && mpfr_cmp_si(g->x, 3) >= 0) {
        (void)mpfr_set(r, g->x, MPFR_RNDN);
    } else {
        (void)mpfr_add_ui(g->t, g->x, 3, MPFR_RNDN);
        (void)mpfr_mul(r, g->x, g->t, MPFR_RNDN);
        (void)mpfr_div_ui(r, r, 6, MPFR_RNDN);
    }
}

/* -- the table --------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    unary *one;
    binary *two;
    compose *more;
} exact[] = {
    { "add", NULL, mpfr_add, NULL },
    { "sub", NULL, mpfr_sub, NULL },
    { "mul", NULL, mpfr_mul, NULL },
    { "div", NULL, mpfr_div, NULL },
    { "floor_divide", NULL, NULL, do_floor_divide },
    { "remainder", NULL, NULL, do_remainder },
    { "pow", NULL, mpfr_pow, NULL },
    { "fma", NULL, NULL, do_fma },
    { "neg", mpfr_neg, NULL, NULL },
    { "positive", mpfr_set, NULL, NULL },
    { "abs", mpfr_abs, NULL, NULL },
    { "sign", NULL, NULL, do_sign },
    { "square", mpfr_sqr, NULL, NULL },
    { "reciprocal", NULL, NULL, do_reciprocal },
    { "sqrt", mpfr_sqrt, NULL, NULL },
    { "rsqrt", NULL, NULL, do_rsqrt },
    { "hypot", NULL, mpfr_hypot, NULL },
    { "ceil", mpfr_rint_ceil, NULL, NULL },
    { "floor", mpfr_rint_floor, NULL, NULL },
    { "trunc", mpfr_rint_trunc, NULL, NULL },
    { "round", mpfr_rint_roundeven, NULL, NULL },
    { "maximum", NULL, NULL, do_maximum },
    { "minimum", NULL, NULL, do_minimum },
    { "clip", NULL, NULL, do_clip },
    { "exp", mpfr_exp, NULL, NULL },
    { "expm1", mpfr_expm1, NULL, NULL },
    { "log", mpfr_log, NULL, NULL },
    { "log1p", mpfr_log1p, NULL, NULL },
    { "log2", mpfr_log2, NULL, NULL },
    { "log10", mpfr_log10, NULL, NULL },
    { "logaddexp", NULL, NULL, do_logaddexp },
    { "sin", mpfr_sin, NULL, NULL },
    { "cos", mpfr_cos, NULL, NULL },
    { "tan", mpfr_tan, NULL, NULL },
    { "asin", mpfr_asin, NULL, NULL },
    { "acos", mpfr_acos, NULL, NULL },
    { "atan", mpfr_atan, NULL, NULL },
    { "atan2", NULL, mpfr_atan2, NULL },
    { "sinh", mpfr_sinh, NULL, NULL },
    { "cosh", mpfr_cosh, NULL, NULL },
    { "tanh", mpfr_tanh, NULL, NULL },
    { "asinh", mpfr_asinh, NULL, NULL },
    { "acosh", mpfr_acosh, NULL, NULL },
    { "atanh", mpfr_atanh, NULL, NULL },
    { "erf", mpfr_erf, NULL, NULL },
    { "erfc", NULL, NULL, do_erfc },
    { "sigmoid", NULL, NULL, do_sigmoid },
    { "softplus", NULL, NULL, do_softplus },
    { "relu", NULL, NULL, do_relu },
    { "prelu", NULL, NULL, do_prelu },
    { "elu_with", NULL, NULL, do_elu },
    { "silu", NULL, NULL, do_silu },
    { "mish", NULL, NULL, do_mish },
    { "gelu_tanh", NULL, NULL, do_gelu_tanh },
    { "gelu", NULL, NULL, do_gelu },
    { "hardswish", NULL, NULL, do_hardswish },
};

static int find(const orr__ewrow *row)
{
    for (int i = 0; i < (int)(sizeof exact / sizeof *exact); i++)
        if (!strcmp(exact[i].name, row->op.name))
            return i;
    return -1;
}

bool acc_knows(const orr__ewrow *row)
{
    return find(row) >= 0 || !strcmp(row->op.name, "nextafter") || !strcmp(row->op.name, "copysign");
}

static void prepare(mpfr_prec_t p)
{
    if (p == precision)
        return;
    for (int k = 0; k < 3; k++) {
        if (precision)
            mpfr_clear(arg[k]);
        mpfr_init2(arg[k], 64);
    }
    if (precision) {
        mpfr_clear(result);
        mpfr_clear(spare);
    }
    mpfr_init2(result, p);
    mpfr_init2(spare, p);
    precision = p;
}

void acc_done(void)
{
    if (precision) {
        for (int k = 0; k < 3; k++)
            mpfr_clear(arg[k]);
        mpfr_clear(result);
        mpfr_clear(spare);
    }
    precision = 0;
    mpfr_free_cache();
}

/* A result beyond every dtype is clamped to long double's range. */
static void split(mpfr_srcptr r, acc_exact *out)
{
    out->lo = 0;
    if (mpfr_regular_p(r) && (mpfr_get_exp(r) > 1030 || mpfr_get_exp(r) < -1200)) {
        out->hi = mpfr_get_exp(r) > 0 ? 0x1p1030L : 0x1p-1200L;
        out->hi = mpfr_signbit(r) ? -out->hi : out->hi;
        return;
    }
    out->hi = mpfr_get_ld(r, MPFR_RNDN);
    if (!mpfr_regular_p(r))
        return;
    (void)mpfr_set_ld(spare, out->hi, MPFR_RNDN);
    (void)mpfr_sub(spare, r, spare, MPFR_RNDN);
    out->lo = mpfr_get_d(spare, MPFR_RNDN);
}

void acc_exactly(const orr__ewrow *row, orr_dtype dtype, const double in[3], acc_exact *out)
{
    int f = find(row);
    if (f < 0) { /* defined by the format, not by numbers */
        bool next = !strcmp(row->op.name, "nextafter");
        *out = (acc_exact){ .hi = !next              ? (long double)copysign(in[0], in[1])
                                  : dtype == ORR_F64 ? (long double)nextafter(in[0], in[1])
                                                     : (long double)nextafterf((float)in[0], (float)in[1]) };
        return;
    }
    prepare(dtype == ORR_F64 ? 192 : 128);
    for (int k = 0; k < row->arity; k++)
        (void)mpfr_set_d(arg[k], in[k], MPFR_RNDN);
    if (exact[f].one)
        (void)exact[f].one(result, arg[0], MPFR_RNDN);
    else if (exact[f].two)
        (void)exact[f].two(result, arg[0], arg[1], MPFR_RNDN);
    else
        exact[f].more(result, &(given){ arg[0], arg[1], arg[2], spare });
    split(result, out);
}
