/* Windows, made on the host, and linear interpolation.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/fft.h>
#include "ops/array/array.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line

static const double pi = 3.14159265358979323846;

/* I₀ by its power series: all terms are positive. */
static double bessel(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 1000 && term > sum * 1e-17; k++) {
        term *= (x / (2 * k)) * (x / (2 * k));
        sum += term;
    }
    return sum;
}

/* A window as a function of t, from 0 at the first value to 1 at the last. */
typedef double shape(double t, double beta);

static double bartlett(double t, double beta)
{
    (void)beta;
    return 1 - fabs(2 * t - 1);
}

static double hann(double t, double beta)
{
    (void)beta;
    return 0.5 - 0.5 * cos(2 * pi * t);
}

static double hamming(double t, double beta)
{
    (void)beta;
    return 0.54 - 0.46 * cos(2 * pi * t);
}

static double blackman(double t, double beta)
{
    (void)beta;
    return 0.42 - 0.5 * cos(2 * pi * t) + 0.08 * cos(4 * pi * t);
}

static double kaiser(double t, double beta)
{
    double u = 2 * t - 1;
    return bessel(beta * sqrt(u * u < 1 ? 1 - u * u : 0)) / bessel(beta);
}

static orr_tensor *window(orr__site at, orr_dtype dtype, int64_t n, shape *f, double beta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_tensor *bad;
    orr_shape s = ORR_SHAPE(n);
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &s, &bad))
        return bad;
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    if (n < 1)
        return orr__poison(at, ORR_EINVAL, "n is %lld: a window has at least one value", (long long)n);
    if (!(fabs(beta) <= 700)) /* limit of a library */
        return orr__poison(at, ORR_EINVAL, "β is %g: its magnitude is at most 700", beta);
    double *v = orr__alloc_n((size_t)n, sizeof *v);
    if (!v)
        return orr__handle_new(NULL);
    for (int64_t k = 0; k < n; k++)
        v[k] = n == 1 ? 1 : f((double)k / (double)(n - 1), beta);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *r = orr_cast_at(AT, orr_from_at(AT, ORR_F64, s, v), dtype);
    free(v);
    return orr__compose_end(at, scope, r);
}

#define WINDOW(name)                                                                                                   \
    orr_tensor *orr_##name##_at(const char *file, int line, orr_dtype dtype, int64_t n)                                \
    {                                                                                                                  \
        return window(ORR__SITE(file, line, #name), dtype, n, name, 0);                                                \
    }
WINDOW(bartlett)
WINDOW(hann)
WINDOW(hamming)
WINDOW(blackman)

orr_tensor *orr_kaiser_at(const char *file, int line, orr_dtype dtype, int64_t n, double beta)
{
    return window(ORR__SITE(file, line, "kaiser"), dtype, n, kaiser, beta);
}

orr_tensor *orr_interp_at(const char *file, int line, orr_tensor *x, orr_tensor *xp, orr_tensor *fp)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "interp");
    orr__node *in[3];
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &in[0], &bad) || !orr__operand_float(at, xp, "xp", &in[1], &bad) ||
        !orr__operand_float(at, fp, "fp", &in[2], &bad))
        return bad;
    int64_t n = in[1]->shape.rank == 1 ? in[1]->shape.dim[0] : 0;
    if (n < 1 || !orr__shape_equal(&in[1]->shape, &in[2]->shape))
        return orr__poison(at, ORR_ESHAPE, "points %s and values %s: one axis of the same length is needed",
                           orr__str(in[1]->shape).s, orr__str(in[2]->shape).s);
    if (in[0]->dtype != in[1]->dtype || in[0]->dtype != in[2]->dtype)
        return orr__poison(at, ORR_EDTYPE, "x, xp and fp are %s, %s and %s: write orr_cast",
                           orr_dtype_name((orr_dtype)in[0]->dtype), orr_dtype_name((orr_dtype)in[1]->dtype),
                           orr_dtype_name((orr_dtype)in[2]->dtype));
    orr_scope *s = orr__compose_begin(at);
    /* The number of the interval's right end, 1 to n − 1; one point has no interval. */
    orr_tensor *behind = orr__interval_after(at, xp, x), *one = orr_scalar_at(AT, 1);
    orr_tensor *right = orr_clip_at(AT, behind, one, orr_scalar_at(AT, (double)(n > 1 ? n - 1 : 1)));
    orr_tensor *left = orr_sub_at(AT, right, one);
    right = n > 1 ? right : left;
    orr_tensor *x0 = orr_take_at(AT, xp, left, 0), *x1 = orr_take_at(AT, xp, right, 0);
    orr_tensor *f0 = orr_take_at(AT, fp, left, 0), *f1 = orr_take_at(AT, fp, right, 0);
    orr_tensor *wide = orr_sub_at(AT, x1, x0), *none = orr_equal_at(AT, wide, orr_scalar_at(AT, 0));
    orr_tensor *t = orr_div_at(AT, orr_sub_at(AT, x, x0), orr_where_at(AT, none, one, wide));
    t = orr_clip_at(AT, orr_where_at(AT, none, orr_scalar_at(AT, 0), t), orr_scalar_at(AT, 0), one);
    /* From the nearer end: the other end's value may be large, or infinite, and must not be subtracted from itself. */
    orr_tensor *near = orr_less_equal_at(AT, t, orr_scalar_at(AT, 0.5)), *rise = orr_sub_at(AT, f1, f0);
    orr_tensor *from0 = orr_add_at(AT, f0, orr_mul_at(AT, t, rise));
    orr_tensor *from1 = orr_sub_at(AT, f1, orr_mul_at(AT, orr_sub_at(AT, one, t), rise));
    orr_tensor *r = orr_where_at(AT, orr_logical_or_at(AT, orr_isinf_at(AT, f1), near), from0, from1);
    r = orr_where_at(AT, orr_isinf_at(AT, f0), from1, r);
    r = orr_where_at(AT, orr_equal_at(AT, f0, f1), orr_where_at(AT, orr_isnan_at(AT, x), x, f0), r);
    /* Knots, and values beyond the ends, are exact. */
    r = orr_where_at(AT, orr_less_equal_at(AT, x, x0), f0, r);
    return orr__compose_end(at, s, orr_where_at(AT, orr_greater_equal_at(AT, x, x1), f1, r));
}
