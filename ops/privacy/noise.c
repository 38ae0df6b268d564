/* Noise on tensors: Laplace and Gaussian in floats, lazily; discrete Laplace, discrete Gaussian and randomised response in
 * integers, drawn at once.
 * Must not know: the generation of exact random numbers, accounting. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "ops/nn/again.h"
#include "ops/privacy/noise.h"
#include "ops/privacy/secret.h"
#include "runtime/base/dtype.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/secret.h"
#include "runtime/graph/node.h"

#define AT at.file, at.line

orr_status orr__noise_key(orr__site at, uint64_t *key)
{
    orr__secret s;
    orr__secret_begin(&s);
    *key = orr__secret_word(&s);
    return orr__secret_end(at, &s);
}

static bool positive(double x)
{
    return x > 0.0 && isfinite(x);
}

/* -- floats ------------------------------------------------------------------------------------------------ */

/* The error for noise on a dtype other than `want`. The advice depends on whether a cast to `want` exists. */
static orr_tensor *wrong_dtype(orr__site at, orr_dtype dtype, const char *want, const char *name)
{
    const char *have = orr_dtype_name(dtype);
    if (orr__is_field(dtype))
        return orr__poison(at, ORR_EDTYPE,
                           "x is %s, and %s is needed: add noise before the numbers become elements of a field", have,
                           want);
    if (orr__is_complex(dtype))
        return orr__poison(at, ORR_EDTYPE, "x is %s, and %s is needed: add noise to orr_real(x) and orr_imag(x)", have,
                           want);
    return orr__poison(at, ORR_EDTYPE, "x is %s, and %s is needed: write orr_cast(x, %s)", have, want, name);
}

static orr_tensor *check_float(orr__site at, orr_tensor *x, double sensitivity, const char *name, double value)
{
    orr_dtype dtype = orr_tensor_dtype(x);
    if (dtype != ORR_DTYPE_COUNT && !orr__is_float(dtype))
        return wrong_dtype(at, dtype, "a float dtype", "ORR_F32");
    if (!positive(sensitivity))
        return orr__poison(at, ORR_EINVAL, "the sensitivity must be finite and > 0, not %g", sensitivity);
    if (!positive(value))
        return orr__poison(at, ORR_EINVAL, "%s must be finite and > 0, not %g", name, value);
    return NULL;
}

/* Laplace numbers of scale 1, in f64, where the tail ends at 36 and not at 16: −sign(w)·log(1 − |w|), where w is an odd
 * multiple of 2^-53 in (−1, 1). */
static orr_tensor *standard_laplace(orr__site at, orr_shape shape, uint64_t key)
{
    orr_tensor *w = orr_rand_keyed_at(AT, ORR_F64, shape, -1.0, 1.0, key);
    w = orr_add_at(AT, w, orr_scalar_at(AT, 0x1p-53));
    return orr_copysign_at(AT, orr_log1p_at(AT, orr_neg_at(AT, orr_abs_at(AT, w))), w);
}

orr_tensor *orr__noise_normal(orr__site at, orr_dtype dtype, orr_shape shape, double deviation)
{
    uint64_t key;
    orr_status st = orr__noise_key(at, &key);
    if (st != ORR_OK)
        return orr__poison(at, st, "there is no noise: the operating system has no random numbers");
    return orr_randn_keyed_at(AT, dtype, shape, 0.0, deviation, key);
}

static orr_tensor *add_in_scope(orr__site at, orr_scope *s, orr_tensor *x, orr_tensor *noise)
{
    orr_tensor *y =
        orr__module_recomputes()
            ? orr__poison(at, ORR_EGRAPH,
                          "this noise is drawn once, and the gradient of orr_recompute would draw other noise; "
                          "add it outside of the module, or call orr_forward")
            : orr_add_at(AT, x, noise);
    orr__node *sum = orr__handle_node(y);
    if (sum && !sum->poison)
        sum->once = true;
    if (s) {
        y = orr_scope_return(s, y);
        (void)orr_scope_end(s);
    }
    return y;
}

orr_tensor *orr_dp_laplace_at(const char *file, int line, orr_tensor *x, double sensitivity, double epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_laplace");
    orr_tensor *bad = check_float(at, x, sensitivity, "ε", epsilon);
    uint64_t key = 0;
    if (!bad && orr__noise_key(at, &key) != ORR_OK)
        bad = orr__poison(at, ORR_EIO, "there is no noise: the operating system has no random numbers");
    if (bad || orr_tensor_status(x) != ORR_OK)
        return bad ? bad : orr_positive_at(AT, x);
    orr_scope *s = orr_scope_begin();
    orr_tensor *noise =
        orr_mul_at(AT, standard_laplace(at, orr_tensor_shape(x), key), orr_scalar_at(AT, sensitivity / epsilon));
    return add_in_scope(at, s, x, orr_cast_at(AT, noise, orr_tensor_dtype(x)));
}

orr_tensor *orr_dp_gaussian_at(const char *file, int line, orr_tensor *x, double sensitivity, double sigma)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_gaussian");
    orr_tensor *bad = check_float(at, x, sensitivity, "σ", sigma);
    if (bad || orr_tensor_status(x) != ORR_OK)
        return bad ? bad : orr_positive_at(AT, x);
    orr_scope *s = orr_scope_begin();
    return add_in_scope(at, s, x, orr__noise_normal(at, orr_tensor_dtype(x), orr_tensor_shape(x), sensitivity * sigma));
}

/* -- integers ------------------------------------------------------------------------------------------------ */

static void forget(void *data, void *user)
{
    (void)user;
    orr__secret_free(data);
}

typedef int64_t drawer(orr__secret *s, const void *how);

static orr_tensor *drawn(orr__site at, orr_shape shape, int64_t count, drawer *draw, const void *how)
{
    int64_t *noise = orr__secret_new((size_t)count * sizeof *noise);
    if (!noise)
        return orr__poison(at, ORR_ENOMEM, "no memory for %lld numbers of noise", (long long)count);
    orr__secret s;
    orr__secret_begin(&s);
    for (int64_t i = 0; i < count; i++)
        noise[i] = draw(&s, how);
    if (orr__secret_end(at, &s) != ORR_OK) {
        orr__secret_free(noise);
        return orr__poison(at, ORR_EIO, "there is no noise: the operating system has no random numbers");
    }
    orr_tensor *t = orr_wrap_at(AT, ORR_I64, shape, noise, forget, NULL);
    if (orr_tensor_status(t) != ORR_OK)
        orr__secret_free(noise);
    return t;
}

static orr_tensor *check_integer(orr__site at, orr_tensor *x)
{
    orr_dtype dtype = orr_tensor_dtype(x);
    if (dtype == ORR_DTYPE_COUNT)
        return orr_positive_at(AT, x);
    if (dtype != ORR_I64)
        return wrong_dtype(at, dtype, "i64", "ORR_I64");
    return NULL;
}

static int64_t one_laplace(orr__secret *s, const void *how)
{
    const orr__ratio *scale = how;
    return orr__draw_laplace(s, scale->num, (uint64_t)1 << scale->den_log2);
}

static int64_t one_gaussian(orr__secret *s, const void *how)
{
    return orr__draw_gaussian(s, how);
}

orr_tensor *orr_dp_discrete_laplace_at(const char *file, int line, orr_tensor *x, int64_t sensitivity, double epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_discrete_laplace");
    orr_tensor *bad = check_integer(at, x);
    if (bad)
        return bad;
    double scale = (double)sensitivity / epsilon;
    if (sensitivity < 1 || !positive(epsilon))
        return orr__poison(at, ORR_EINVAL, "the sensitivity must be ≥ 1 and ε finite and > 0, not %lld and %g",
                           (long long)sensitivity, epsilon);
    if (!(scale >= 0x1p-10 && scale <= 0x1p30))
        return orr__poison(at, ORR_EINVAL, "sensitivity/ε must be in [2^-10, 2^30], not %g", scale);
    orr__ratio how = orr__ratio_of(scale * (1.0 + 0x1p-51), true);
    orr_scope *s = orr_scope_begin();
    return add_in_scope(at, s, x, drawn(at, orr_tensor_shape(x), orr_tensor_size(x), one_laplace, &how));
}

orr_tensor *orr__noise_gaussian_i64(orr__site at, orr_shape shape, double deviation)
{
    if (!(deviation >= 0x1p-10 && deviation <= 0x1p26))
        return orr__poison(at, ORR_EINVAL, "the deviation σ·sensitivity must be in [2^-10, 2^26], not %g", deviation);
    orr__gaussian how = orr__gaussian_of(deviation);
    int64_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= shape.dim[i];
    return drawn(at, shape, count, one_gaussian, &how);
}

orr_tensor *orr_dp_discrete_gaussian_at(const char *file, int line, orr_tensor *x, double sensitivity, double sigma)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_discrete_gaussian");
    orr_tensor *bad = check_integer(at, x);
    if (bad)
        return bad;
    if (!positive(sensitivity) || !positive(sigma))
        return orr__poison(at, ORR_EINVAL, "sensitivity and σ must be finite and > 0, not %g and %g", sensitivity,
                           sigma);
    orr_scope *s = orr_scope_begin();
    return add_in_scope(at, s, x, orr__noise_gaussian_i64(at, orr_tensor_shape(x), sigma * sensitivity));
}

/* -- randomised response ----------------------------------------------------------------------------------------- */

typedef struct response {
    uint64_t k;
    orr__ratio epsilon;
} response;

/* The number to add mod k: 0 with weight 1, each other number with weight e^−ε. */
static int64_t one_shift(orr__secret *s, const void *how)
{
    const response *r = how;
    for (;;) {
        uint64_t shift = orr__secret_below(s, r->k);
        if (shift == 0 || orr__draw_exp(s, r->epsilon.num, (orr__wide_uint)1 << r->epsilon.den_log2))
            return (int64_t)shift;
    }
}

orr_tensor *orr_dp_randomised_response_at(const char *file, int line, orr_tensor *x, int64_t k, double epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_randomised_response");
    orr_tensor *bad = check_integer(at, x);
    if (bad)
        return bad;
    if (k < 2 || k > (int64_t)1 << 62)
        return orr__poison(at, ORR_EINVAL, "there must be 2 to 2^62 categories, not %lld", (long long)k);
    if (!(epsilon >= 0x1p-20 && epsilon <= 64.0)) /* limit of a promise */
        return orr__poison(at, ORR_EINVAL, "ε must be in [2^-20, 64], not %g", epsilon);
    response how = { .k = (uint64_t)k, .epsilon = orr__ratio_of(epsilon, false) };
    orr_scope *s = orr_scope_begin();
    orr_tensor *all = orr_from_at(AT, ORR_I64, ORR_SHAPE_0D, &k);
    orr_tensor *shift = drawn(at, orr_tensor_shape(x), orr_tensor_size(x), one_shift, &how);
    orr_tensor *y = orr_remainder_at(AT, add_in_scope(at, NULL, orr_remainder_at(AT, x, all), shift), all);
    if (s) {
        y = orr_scope_return(s, y);
        (void)orr_scope_end(s);
    }
    return y;
}

double orr_dp_response_estimate(double seen, double total, int64_t k, double epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    double keep = 1.0 / (1.0 + (double)(k - 1) * exp(-epsilon)), turn = keep * exp(-epsilon);
    return (seen - total * turn) / (keep - turn);
}
