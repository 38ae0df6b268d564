/* ε of many uses of mechanisms, budgets that refuse to be exceeded, and the noise that a budget allows.
 * Must not know: the formulas of accountants; tensors. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "ops/privacy/account.h"
#include "runtime/base/buffer.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/object.h"

#define LEAST_DELTA_PLD 1e-10
#define MOST_TIMES ((int64_t)1 << 40)

static const char *const kind_names[] = { "Gaussian σ", "Laplace b", "pure ε" };

orr_status orr__dp_check(orr__site at, orr_dp_mechanism m)
{
    if ((int)m.kind < ORR_DP_GAUSSIAN || m.kind > ORR_DP_PURE)
        return orr__fail(at, ORR_EINVAL, "no mechanism has number %d", (int)m.kind);
    if (!(m.noise > 0.0 && isfinite(m.noise)))
        return orr__fail(at, ORR_EINVAL, "the mechanism's noise (%s) must be finite and > 0, not %g",
                         kind_names[m.kind], m.noise);
    if (m.kind != ORR_DP_PURE && !(m.noise >= 1e-2 && m.noise <= 1e9))
        return orr__fail(at, ORR_EINVAL, "the mechanism's noise (%s) must be in [0.01, 1e9], not %g",
                         kind_names[m.kind], m.noise);
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

static orr_status check_times(orr__site at, int64_t times)
{
    if (times >= 0 && times <= MOST_TIMES)
        return ORR_OK;
    return orr__fail(at, ORR_EINVAL, "a mechanism is used 0 to 2^40 times, not %lld", (long long)times);
}

/* -- ε of a list of uses -------------------------------------------------------------------------------------- */

static orr_status epsilon_of(orr__site at, orr_dp_accountant how, const orr__dp_use *use, int n, double delta,
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
        st = check_times(at, times);
    if (st == ORR_OK && !epsilon)
        st = orr__fail(at, ORR_EINVAL, "the place for ε is NULL");
    return st == ORR_OK ? epsilon_of(at, how, &(orr__dp_use){ m, times }, 1, delta, epsilon) : st;
}

orr_status orr_dp_delta_at(const char *file, int line, orr_dp_mechanism m, int64_t times, double epsilon, double *delta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_delta");
    orr_status st = orr__dp_check(at, m);
    if (st == ORR_OK)
        st = check_times(at, times);
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
    orr_status st = epsilon_of(s->at, s->how, &(orr__dp_use){ s->m, s->times }, 1, s->delta, &spent);
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
        st = check_times(s.at, times);
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

/* -- budgets ------------------------------------------------------------------------------------------------ */

/* If the other entries stay, `times` of the entry `recent` may grow to `safe`. */
struct orr_dp_budget {
    orr_dp_accountant how;
    double epsilon, delta;
    int n, recent;
    int64_t safe;
    orr__dp_use *use;
};

static const orr__object_kind kind = { "budget", sizeof(orr_dp_budget) };

orr_dp_budget *orr_dp_budget_new_at(const char *file, int line, orr_dp_accountant how, double epsilon, double delta)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_new");
    if (orr__dp_check_delta(at, how, delta) != ORR_OK)
        return NULL;
    if (!(epsilon > 0.0 && isfinite(epsilon))) {
        (void)orr__fail(at, ORR_EINVAL, "ε must be finite and > 0, not %g", epsilon);
        return NULL;
    }
    orr_dp_budget *b = orr__object_new(&kind);
    if (!b) {
        (void)orr__fail_place(at, ORR_ENOMEM);
        return NULL;
    }
    *b = (orr_dp_budget){ .how = how, .epsilon = epsilon, .delta = delta, .recent = -1 };
    return b;
}

void orr_dp_budget_free(orr_dp_budget *b)
{
    if (!orr__object_there("dp_budget_free", &kind, b))
        return;
    free(b->use);
    orr__object_end(&kind, b);
}

static bool same(orr_dp_mechanism a, orr_dp_mechanism b)
{
    return a.kind == b.kind && a.noise == b.noise && a.q == b.q;
}

/* The entry of m, which is added if it does not exist. */
static orr_status entry_of(orr__site at, orr_dp_budget *b, orr_dp_mechanism m, int *at_entry)
{
    for (*at_entry = 0; *at_entry < b->n; ++*at_entry)
        if (same(b->use[*at_entry].m, m))
            return ORR_OK;
    orr__dp_use *more = orr__realloc_n(b->use, (size_t)b->n + 1, sizeof *more);
    if (!more)
        return orr__fail_place(at, ORR_ENOMEM);
    b->use = more;
    b->use[b->n++] = (orr__dp_use){ m, 0 };
    return ORR_OK;
}

static orr_status within(orr__site at, orr_dp_budget *b, orr_dp_accountant how, int entry, int64_t total, bool *yes)
{
    int64_t had = b->use[entry].times;
    double spent;
    b->use[entry].times = total;
    orr_status st = epsilon_of(at, how, b->use, b->n, b->delta, &spent);
    b->use[entry].times = had;
    *yes = spent <= b->epsilon;
    return st;
}

/* Raises *good from a total of the entry that fits to the largest that does. The first step is `step`. */
static orr_status grow(orr__site at, orr_dp_budget *b, orr_dp_accountant how, int entry, int64_t step, int64_t *good)
{
    int64_t bad = MOST_TIMES + 1;
    bool yes = true;
    orr_status st = ORR_OK;
    for (; st == ORR_OK && yes && *good + step < bad; step *= 8) {
        st = within(at, b, how, entry, *good + step, &yes);
        if (yes)
            *good += step;
        else
            bad = *good + step;
    }
    while (st == ORR_OK && bad - *good > 1) {
        int64_t mid = *good + (bad - *good) / 2;
        st = within(at, b, how, entry, mid, &yes);
        if (yes)
            *good = mid;
        else
            bad = mid;
    }
    return st;
}

/* Finds the largest total of the entry that fits; it holds until another entry grows. The search with the slow
 * accountant starts at the result of the quick one. */
static orr_status find_safe(orr__site at, orr_dp_budget *b, int entry)
{
    if (b->recent == entry)
        return ORR_OK;
    int64_t had = b->use[entry].times, good = had;
    orr_status st = grow(at, b, ORR_DP_RDP, entry, 1, &good);
    if (st == ORR_OK && b->how == ORR_DP_PLD) {
        bool yes;
        st = within(at, b, b->how, entry, good, &yes);
        good = yes ? good : had;
        if (st == ORR_OK)
            st = grow(at, b, b->how, entry, (good - had) / 16 + 1, &good);
    }
    if (st == ORR_OK) {
        b->recent = entry;
        b->safe = good;
    }
    return st;
}

/* Finds the entry of m; *entry < 0: m costs nothing. */
static orr_status find_entry(orr__site at, orr_dp_budget *b, orr_dp_mechanism m, int *entry)
{
    orr_status st = orr__object_check(at, &kind, b);
    if (st == ORR_OK)
        st = orr__dp_check(at, m);
    *entry = -1;
    if (st != ORR_OK || m.q == 0.0)
        return st;
    st = entry_of(at, b, m, entry);
    return st == ORR_OK ? find_safe(at, b, *entry) : st;
}

orr_status orr_dp_budget_spend_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m, int64_t times)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_spend");
    int entry = 0;
    orr_status st = check_times(at, times);
    if (st == ORR_OK)
        st = find_entry(at, b, m, &entry);
    if (st != ORR_OK || entry < 0)
        return st;
    if (times <= b->safe - b->use[entry].times) {
        b->use[entry].times += times;
        return ORR_OK;
    }
    double spent = 0.0;
    (void)epsilon_of(at, b->how, b->use, b->n, b->delta, &spent);
    return orr__fail(
        at, ORR_ESTATE,
        "the budget of ε %g at δ %g is spent up to ε %.6g: of %s %g with q %g, %lld more uses fit, not %lld",
        b->epsilon, b->delta, spent, kind_names[m.kind], m.noise, m.q, (long long)(b->safe - b->use[entry].times),
        (long long)times);
}

orr_status orr_dp_budget_left_at(const char *file, int line, orr_dp_budget *b, orr_dp_mechanism m, int64_t *times)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_left");
    int entry = 0;
    if (!times)
        return orr__fail(at, ORR_EINVAL, "the place for the number is NULL");
    orr_status st = find_entry(at, b, m, &entry);
    if (st == ORR_OK)
        *times = entry < 0 ? MOST_TIMES : b->safe - b->use[entry].times;
    return st;
}

orr_status orr_dp_budget_spent_at(const char *file, int line, const orr_dp_budget *b, double *epsilon)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "dp_budget_spent");
    orr_status st = orr__object_check(at, &kind, b);
    if (st != ORR_OK)
        return st;
    if (!epsilon)
        return orr__fail(at, ORR_EINVAL, "the place for ε is NULL");
    return epsilon_of(at, b->how, b->use, b->n, b->delta, epsilon);
}
