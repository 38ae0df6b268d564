/* Rényi divergences of mechanisms, and ε from them.
 * Must not know: budgets, tensors. */
#include "config.h"
#include <math.h>
#include "ops/privacy/account.h"
#include "runtime/base/fpmode.h"

#define ORR__SQRT_2PI 2.5066282746310002

/* log(e^a + e^b) */
static double log_add(double a, double b)
{
    double hi = fmax(a, b), lo = fmin(a, b);
    return isinf(hi) ? hi : hi + log1p(exp(lo - hi));
}

/* -- the sampled Gaussian (Mironov, Talwar, Zhang 2019): log A, A = E[(1 + u)^α], u = q·(e^x − 1), x = (2z − 1)/(2σ²) -- */

/* Σ_k C(α, k)·(1−q)^(α−k)·q^k·e^((k²−k)/(2σ²)): all terms positive. */
static double log_a_integer(double q, double sigma, double alpha)
{
    double sum = -INFINITY, all = lgamma(alpha + 1.0);
    for (double k = 0.0; k <= alpha; k++) {
        double choose = all - lgamma(k + 1.0) - lgamma(alpha - k + 1.0);
        sum = log_add(sum, choose + k * log(q) + (alpha - k) * log1p(-q) + (k * k - k) / (2.0 * sigma * sigma));
    }
    return fmax(sum, 0.0);
}

/* log((1 + u)^α − 1 − αu), which is not negative (Bernoulli) and keeps its precision where u is small. */
static double log_excess(double q, double x, double alpha)
{
    double u = x < 700.0 ? q * expm1(x) : INFINITY;
    double grown = alpha * (x < 30.0 ? log1p(u) : log(q) + x + log1p((1.0 - q) / q * exp(-x)));
    if (fabs(alpha * u) < 2e-4)
        return log(0.5 * alpha * (alpha - 1.0)) + 2.0 * log(fabs(u)) +
               log1p((alpha - 2.0) * u / 3.0 * (1.0 + (alpha - 3.0) * u / 4.0));
    if (grown < 30.0)
        return log(fmax(expm1(grown) - alpha * u, 0.0));
    double less = x < 700.0 ? log1p(alpha * u) : log(alpha) + log(q) + x;
    return grown + log1p(-exp(less - grown));
}

/* E[u] = 0, so A − 1 = E[(1 + u)^α − 1 − αu]: an integral of positive terms, by the trapezoidal rule, which converges
 * geometrically: the integrand is analytic in a strip of half-width πσ² (where 1 + u has its zeros) and falls like a normal
 * density of deviation σ around 0 and α. */
static double log_a_real(double q, double sigma, double alpha)
{
    double reach = 13.0 * sigma, h = sigma < 0.04 ? sigma / 8.0 : fmin(sigma / 8.0, sigma * sigma / 2.0);
    double sum = -INFINITY;
    int64_t n = (int64_t)ceil((alpha + 2.0 * reach) / h);
    for (int64_t i = 0; i <= n; i++) {
        double z = -reach + (double)i * h, x = (2.0 * z - 1.0) / (2.0 * sigma * sigma);
        sum = log_add(sum, log_excess(q, x, alpha) - z * z / (2.0 * sigma * sigma));
    }
    double excess = sum + log(h / (sigma * ORR__SQRT_2PI));
    return excess > 700.0 ? excess : log1p(exp(excess));
}

static double rdp_gaussian(double q, double sigma, double alpha)
{
    if (q == 1.0)
        return alpha / (2.0 * sigma * sigma);
    return (alpha == floor(alpha) ? log_a_integer(q, sigma, alpha) : log_a_real(q, sigma, alpha)) / (alpha - 1.0);
}

/* -- pure mechanisms -- */

/* The divergence of randomised response with e^ε/(1 + e^ε), which dominates every (ε, 0)-private mechanism. */
static double rdp_pure(double epsilon, double alpha)
{
    double log_keep = -log1p(exp(-epsilon)), log_turn = log_keep - epsilon;
    double log_a = log_add(alpha * log_keep + (1.0 - alpha) * log_turn, alpha * log_turn + (1.0 - alpha) * log_keep);
    return fmin(fmax(log_a, 0.0) / (alpha - 1.0), epsilon);
}

static double rdp_laplace(double b, double alpha)
{
    double near = log(alpha / (2.0 * alpha - 1.0)) + (alpha - 1.0) / b;
    double away = log((alpha - 1.0) / (2.0 * alpha - 1.0)) - alpha / b;
    return fmax(log_add(near, away), 0.0) / (alpha - 1.0);
}

double orr__dp_rdp(orr_dp_mechanism m, double alpha)
{
    if (m.q == 0.0)
        return 0.0;
    if (m.kind == ORR_DP_GAUSSIAN)
        return rdp_gaussian(m.q, m.noise, alpha);
    if (m.kind == ORR_DP_LAPLACE && m.q == 1.0)
        return rdp_laplace(m.noise, alpha);
    double epsilon = m.kind == ORR_DP_LAPLACE ? 1.0 / m.noise : m.noise;
    return rdp_pure(orr__dp_amplified(epsilon, m.q), alpha);
}

double orr__dp_amplified(double epsilon, double q)
{
    return epsilon > 700.0 ? (q > 0.0 ? epsilon + log(q) : 0.0) : log1p(q * expm1(epsilon));
}

/* -- orders and conversion ------------------------------------------------------------------------------------ */

int orr_dp_orders(double *out, int max)
{
    ORR__IN_DEFAULT_FPMODE;
    for (int i = 0; out && i < max && i < ORR__DP_ORDERS; i++)
        out[i] = i < 99 ? 1.0 + (double)(i + 1) / 10.0 : (double)(i - 99 + 12);
    return ORR__DP_ORDERS;
}

double orr__dp_rdp_epsilon(const double *orders, const double *rdp, int n, double delta, double *order)
{
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double a = orders[i];
        double e = rdp[i] - (log(delta) + log(a)) / (a - 1.0) + log((a - 1.0) / a);
        if (e < best) {
            best = e;
            if (order)
                *order = a;
        }
    }
    return fmax(best, 0.0);
}

orr_status orr_dp_rdp_at(const char *file, int line, orr_dp_mechanism m, double alpha, double *rdp)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_rdp");
    orr_status st = orr__dp_check(at, m);
    if (st != ORR_OK)
        return st;
    if (!rdp || !(alpha > 1.0 && alpha <= 1e6))
        return orr__fail(at, ORR_EINVAL, rdp ? "an order must be in (1, 1e6], not %g" : "rdp is NULL (order %g)",
                         alpha);
    *rdp = orr__dp_rdp(m, alpha);
    return ORR_OK;
}

orr_status orr_dp_rdp_epsilon_at(const char *file, int line, const double *orders, const double *rdp, int n,
                                 double delta, double *epsilon, double *order)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_rdp_epsilon");
    if (!orders || !rdp || !epsilon || n < 1)
        return orr__fail(at, ORR_EINVAL, n < 1 ? "there are no orders" : "orders, rdp or epsilon is NULL");
    for (int i = 0; i < n; i++)
        if (!(orders[i] > 1.0 && isfinite(orders[i])) || !(rdp[i] >= 0.0))
            return orr__fail(at, ORR_EINVAL, "entry %d: an order must be > 1 and its divergence ≥ 0, not %g and %g", i,
                             orders[i], rdp[i]);
    orr_status st = orr__dp_check_delta(at, ORR_DP_RDP, delta);
    if (st == ORR_OK)
        *epsilon = orr__dp_rdp_epsilon(orders, rdp, n, delta, order);
    return st;
}
