/* ε of many uses of mechanisms, and the noise that an ε allows.
 * Must not know: the formulas of accountants; tensors; who books uses. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "ops/privacy/account.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"

#define LEAST_DELTA_PLD 1e-10

const char *const orr__dp_kind_names[] = { "Gaussian σ", "Laplace b", "pure ε" };

orr_status orr__dp_check(orr__site at, orr_dp_mechanism m)
{
    if ((int)m.kind < ORR_DP_GAUSSIAN || m.kind > ORR_DP_PURE)
        return orr__fail(at, ORR_EINVAL, "no mechanism has number %d", (int)m.kind);
    if (!(m.noise > 0.0 && isfinite(m.noise)))
        return orr__fail(at, ORR_EINVAL, "the mechanism's noise (%s) must be finite and > 0, not %g",
                         orr__dp_kind_names[m.kind], m.noise);
    if (m.kind != ORR_DP_PURE && !(m.noise >= 1e-2 && m.noise <= 1e9))
        return orr__fail(at, ORR_EINVAL, "the mechanism's noise (%s) must be in [0.01, 1e9], not %g",
                         orr__dp_kind_names[m.kind], m.noise);
    if (m.kind == ORR_DP_PURE && m.noise > 100.0)
        return orr__fail(at, ORR_EINVAL, "ε of a mechanism must be at most 100, not %g", m.noise);
    if (!(m.q >= 0.0 && m.q <= 1.0))
        return orr__fail(at, ORR_EINVAL, "the sampling probability q must be in [0, 1], not %g", m.q);
    return ORR_OK;
}

orr_status orr__dp_check_delta(orr__site at, orr_dp_accountant how, double delta)
{
    if ((int)how != ORR_DP_RDP && how != ORR_DP_PLD)
        return orr__fail(at, ORR_EINVAL, "no accountant has number %d", (int)how);
    if (!(delta > 0.0 && delta < 1.0))
        return orr__fail(at, ORR_EINVAL, "δ must be in (0, 1), not %g", delta);
    if (how == ORR_DP_PLD && delta < LEAST_DELTA_PLD)
        return orr__fail(at, ORR_EINVAL, "δ must be at least %g for this accountant, not %g: use ORR_DP_RDP",
                         LEAST_DELTA_PLD, delta);
    return ORR_OK;
}

orr_status orr__dp_check_times(orr__site at, int64_t times)
{
    if (times >= 0 && times <= ORR__DP_MOST_TIMES)
        return ORR_OK;
    return orr__fail(at, ORR_EINVAL, "a mechanism is used 0 to 2^40 times, not %lld", (long long)times);
}

/* -- ε of a list of uses -------------------------------------------------------------------------------------- */

orr_status orr__dp_epsilon_of(orr__site at, orr_dp_accountant how, const orr__dp_use *use, int n, double delta,
                              double *epsilon)
{
    int64_t real = 0;
    for (int i = 0; i < n; i++)
        real += use[i].m.q > 0.0 ? use[i].times : 0;
    *epsilon = 0.0;
    if (!real)
        return ORR_OK;
    if (how == ORR_DP_PLD) {
        orr__pld *p = orr__pld_new(use, n, delta);
        if (!p)
            return orr__fail_place(at, ORR_ENOMEM);
        *epsilon = orr__pld_epsilon(p, delta);
        orr__pld_free(p);
        return ORR_OK;
    }
    double order[ORR__DP_ORDERS], rdp[ORR__DP_ORDERS];
    int orders = orr_dp_orders(order, ORR__DP_ORDERS);
    for (int i = 0; i < orders; i++) {
        rdp[i] = 0.0;
        for (int k = 0; k < n; k++)
            rdp[i] += (double)use[k].times * orr__dp_rdp(use[k].m, order[i]);
    }
    *epsilon = orr__dp_rdp_epsilon(order, rdp, orders, delta, NULL);
    return ORR_OK;
}

orr_status orr_dp_epsilon_at(const char *file, int line, orr_dp_accountant how, orr_dp_mechanism m, int64_t times,
                             double delta, double *epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_epsilon");
    orr_status st = orr__dp_check(at, m);
    if (st == ORR_OK)
        st = orr__dp_check_delta(at, how, delta);
    if (st == ORR_OK)
        st = orr__dp_check_times(at, times);
    if (st == ORR_OK && !epsilon)
        st = orr__fail(at, ORR_EINVAL, "the place for ε is NULL");
    return st == ORR_OK ? orr__dp_epsilon_of(at, how, &(orr__dp_use){ m, times }, 1, delta, epsilon) : st;
}

orr_status orr_dp_delta_at(const char *file, int line, orr_dp_mechanism m, int64_t times, double epsilon, double *delta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_delta");
    orr_status st = orr__dp_check(at, m);
    if (st == ORR_OK)
        st = orr__dp_check_times(at, times);
    if (st == ORR_OK && (!(epsilon >= 0.0 && isfinite(epsilon)) || !delta))
        st = orr__fail(at, ORR_EINVAL, delta ? "ε must be finite and ≥ 0, not %g" : "the place for δ is NULL (ε %g)",
                       epsilon);
    if (st != ORR_OK)
        return st;
    *delta = 0.0;
    if (!times || m.q == 0.0)
        return ORR_OK;
    orr__pld *p = orr__pld_new(&(orr__dp_use){ m, times }, 1, LEAST_DELTA_PLD);
    if (!p)
        return orr__fail_place(at, ORR_ENOMEM);
    *delta = orr__pld_delta(p, epsilon);
    orr__pld_free(p);
    return ORR_OK;
}

/* -- the noise that a budget allows ------------------------------------------------------------------------------ */

typedef struct search {
    orr__site at;
    orr_dp_accountant how;
    orr_dp_mechanism m;
    int64_t times;
    double epsilon, delta;
} search;

static orr_status fits(search *s, double noise, bool *yes)
{
    double spent;
    s->m.noise = noise;
    orr_status st = orr__dp_epsilon_of(s->at, s->how, &(orr__dp_use){ s->m, s->times }, 1, s->delta, &spent);
    *yes = spent <= s->epsilon;
    return st;
}

/* Bisects between `good`, which fits, and `bad`, which does not. */
static orr_status narrow(search *s, double bad, double *good)
{
    orr_status st = ORR_OK;
    while (st == ORR_OK && fabs(log(*good / bad)) > 5e-5) {
        bool yes;
        double mid = sqrt(*good * bad);
        st = fits(s, mid, &yes);
        if (yes)
            *good = mid;
        else
            bad = mid;
    }
    return st;
}

static orr_status find_pure(search *s, double *noise)
{
    bool yes;
    double least = 1e-9, most = 100.0;
    orr_status st = fits(s, least, &yes);
    if (st == ORR_OK && !yes)
        return orr__fail(s->at, ORR_EINVAL, "%lld uses do not fit (ε %g, δ %g), however small their ε",
                         (long long)s->times, s->epsilon, s->delta);
    *noise = least;
    return st == ORR_OK ? narrow(s, most, noise) : st;
}

static orr_status find_scale(search *s, double *noise)
{
    bool yes;
    double good = 1.0, bad = 1.0;
    orr_status st = fits(s, good, &yes);
    if (st == ORR_OK && yes)
        do {
            bad *= 0.5;
            st = bad < 0.01 ? orr__fail(s->at, ORR_EINVAL, "a noise of 0.01 would do: (ε %g, δ %g) protects nothing",
                                        s->epsilon, s->delta)
                            : fits(s, bad, &yes);
            good = yes ? bad : good;
        } while (st == ORR_OK && yes);
    else if (st == ORR_OK)
        do {
            good *= 2.0;
            st = good > 1e6 ? orr__fail(s->at, ORR_EINVAL, "no noise up to 1e6 fits (ε %g, δ %g)", s->epsilon, s->delta)
                            : fits(s, good, &yes);
            bad = yes ? bad : good;
        } while (st == ORR_OK && !yes);
    *noise = good;
    return st == ORR_OK ? narrow(s, bad, noise) : st;
}

orr_status orr_dp_find_noise_at(const char *file, int line, orr_dp_accountant how, orr_dp_kind kind, double q,
                                int64_t times, double epsilon, double delta, double *noise)
{
    ORR__IN_DEFAULT_FPMODE;
    search s = { ORR__SITE(file, line, "dp_find_noise"), how, { kind, 1.0, q }, times, epsilon, delta };
    orr_status st = orr__dp_check(s.at, s.m);
    if (st == ORR_OK)
        st = orr__dp_check_delta(s.at, how, delta);
    if (st == ORR_OK)
        st = orr__dp_check_times(s.at, times);
    if (st == ORR_OK && (times == 0 || q == 0.0))
        st = orr__fail(s.at, ORR_EINVAL, "a mechanism that is used %s needs no noise",
                       times ? "on no record" : "0 times");
    if (st == ORR_OK && !(epsilon > 0.0 && isfinite(epsilon)))
        st = orr__fail(s.at, ORR_EINVAL, "ε must be finite and > 0, not %g", epsilon);
    if (st == ORR_OK && !noise)
        st = orr__fail(s.at, ORR_EINVAL, "the place for the noise is NULL");
    if (st != ORR_OK)
        return st;
    double found = 0.0;
    st = kind == ORR_DP_PURE ? find_pure(&s, &found) : find_scale(&s, &found);
    if (st == ORR_OK)
        *noise = found;
    return st;
}
