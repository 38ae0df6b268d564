/* The Gaussian mechanism without sampling, exactly (Balle, Wang, "Improving the Gaussian mechanism for differential privacy",
 * 2018).
 * Must not know: other mechanisms, tensors. */
#include "config.h"
#include <math.h>
#include "ops/privacy/account.h"
#include "runtime/base/fpmode.h"

static double delta_of(double sigma, double epsilon)
{
    double a = 0.5 / sigma, b = epsilon * sigma;
    double above = 0.5 * erfc((b - a) * M_SQRT1_2), below = 0.5 * erfc((b + a) * M_SQRT1_2);
    return fmax(above - (below > 0.0 ? exp(epsilon + log(below)) : 0.0), 0.0);
}

/* The x at which f, a decreasing function, is `want`. It is the upper end of the last interval, so that f(x) ≤ want. */
static double fall_to(double (*f)(double fixed, double x), double fixed, double want, double lo, double hi)
{
    for (int i = 0; i < 200 && hi - lo > 1e-15 * hi; i++) {
        double mid = lo > 0.0 && hi > 4.0 * lo ? sqrt(lo * hi) : 0.5 * (lo + hi);
        if (f(fixed, mid) > want)
            lo = mid;
        else
            hi = mid;
    }
    return hi;
}

static double delta_by_sigma(double epsilon, double sigma)
{
    return delta_of(sigma, epsilon);
}

static orr_status check(orr__site at, const char *name, double x, bool zero, double delta, const void *out)
{
    if (!(zero ? x >= 0.0 : x > 0.0) || !isfinite(x))
        return orr__fail(at, ORR_EINVAL, "%s must be finite and %s 0, not %g", name, zero ? "≥" : ">", x);
    if (!(delta > 0.0 && delta < 1.0))
        return orr__fail(at, ORR_EINVAL, "δ must be in (0, 1), not %g", delta);
    return out ? ORR_OK : orr__fail(at, ORR_EINVAL, "the place for the result is NULL");
}

orr_status orr_dp_gaussian_delta_at(const char *file, int line, double sigma, double epsilon, double *delta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_gaussian_delta");
    orr_status st = check(at, "σ", sigma, false, 0.5, delta);
    if (st == ORR_OK)
        st = check(at, "ε", epsilon, true, 0.5, delta);
    if (st == ORR_OK)
        *delta = delta_of(sigma, epsilon);
    return st;
}

orr_status orr_dp_gaussian_epsilon_at(const char *file, int line, double sigma, double delta, double *epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_status st = check(ORR__SITE(file, line, "dp_gaussian_epsilon"), "σ", sigma, false, delta, epsilon);
    if (st != ORR_OK)
        return st;
    double hi = 1.0;
    while (delta_of(sigma, hi) > delta && hi < 1e300)
        hi *= 2.0;
    *epsilon = delta_of(sigma, 0.0) <= delta ? 0.0 : fall_to(delta_of, sigma, delta, 0.0, hi);
    return ORR_OK;
}

orr_status orr_dp_gaussian_sigma_at(const char *file, int line, double epsilon, double delta, double *sigma)
{
    ORR__IN_DEFAULT_FPMODE;
    orr_status st = check(ORR__SITE(file, line, "dp_gaussian_sigma"), "ε", epsilon, false, delta, sigma);
    if (st != ORR_OK)
        return st;
    double lo = 1.0, hi = 1.0;
    while (delta_by_sigma(epsilon, hi) > delta && hi < 1e300)
        hi *= 2.0;
    while (delta_by_sigma(epsilon, lo) <= delta && lo > 1e-300)
        lo *= 0.5;
    *sigma = fall_to(delta_by_sigma, epsilon, delta, lo, hi);
    return ORR_OK;
}
