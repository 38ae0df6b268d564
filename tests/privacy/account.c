/* Accountants against integration, Opacus, dp-accounting and exact formulas (tests/golden/private/make_privacy.py), and budgets.
 * Must not know: how divergences and distributions are computed. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/privacy.h>
#include "tests/harness/harness.h"

#include "tests/golden/private/account.inc"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static orr_dp_mechanism gaussian(double q, double sigma)
{
    return ORR_DP_MECHANISM(ORR_DP_GAUSSIAN, sigma, q);
}

static void near(const char *what, size_t i, double got, double want, double bound)
{
    ORR_CHECK_MSG(fabs(got - want) <= bound, "%s %zu: %.15g, not %.15g", what, i, got, want);
}

static void divergences_agree_with_integration(void)
{
    double rdp = 0.0;
    for (size_t i = 0; i < COUNT(sampled_rdp); i++) {
        ORR_CHECK(orr_dp_rdp(gaussian(sampled_rdp[i].q, sampled_rdp[i].sigma), sampled_rdp[i].alpha, &rdp) == ORR_OK);
        near("gaussian", i, rdp, sampled_rdp[i].rdp, 2e-11 * sampled_rdp[i].rdp + 1e-15);
    }
    for (size_t i = 0; i < COUNT(laplace_rdp); i++) {
        ORR_CHECK(orr_dp_rdp(ORR_DP_MECHANISM(ORR_DP_LAPLACE, laplace_rdp[i].b, 1.0), laplace_rdp[i].alpha, &rdp) ==
                  ORR_OK);
        near("laplace", i, rdp, laplace_rdp[i].rdp, 1e-11);
    }
    ORR_CHECK(orr_dp_rdp(ORR_DP_MECHANISM(ORR_DP_LAPLACE, 1.0, 1.0), 2.0, &rdp) == ORR_OK);
    near("laplace", 99, rdp, 0.619123629999, 1e-12);
}

static void spent_agrees(int line, const double v[4])
{
    double order[151], rdp[151], e = 0.0;
    ORR_REQUIRE(orr_dp_orders(order, 151) == 151);
    for (int i = 0; i < 151; i++)
        rdp[i] = v[0] * order[i] + v[1] * log(order[i]);
    ORR_CHECK(orr_dp_rdp_epsilon(order, rdp, 151, v[2], &e, NULL) == ORR_OK);
    near("epsilon of divergences, line", (size_t)line, e, fmax(v[3], 0.0), 1e-12 * (1.0 + fabs(v[3])));
}

/* Random cases of Opacus, SciPy and NumPy (make_account.py); 100,000 of each where ORR_TEST_GOLDEN has them. */
static void random_cases_agree(void)
{
    FILE *f = fopen(orr_test_golden("private/account.txt"), "re");
    char text[300], word[12];
    int line = 0, seen[5] = { 0 };
    ORR_REQUIRE(f);
    while (fgets(text, sizeof text, f) && ++line) {
        double v[4] = { 0.0 }, got = 0.0;
        int n = sscanf(text, "%11s %lf %lf %lf %lf", word, &v[0], &v[1], &v[2], &v[3]);
        ORR_REQUIRE(n >= 4);
        if (!strcmp(word, "whole") || !strcmp(word, "part")) {
            seen[*word == 'p']++;
            ORR_CHECK(orr_dp_rdp(gaussian(v[0], v[1]), v[2], &got) == ORR_OK);
            /* Opacus computes the logarithm of a number near 1, which loses that many digits. */
            near("sampled, line", (size_t)line, got, v[3], 1e-10 * v[3] + 4e-14 / (v[2] - 1.0));
        } else if (!strcmp(word, "laplace")) {
            seen[2]++;
            ORR_CHECK(orr_dp_rdp(ORR_DP_MECHANISM(ORR_DP_LAPLACE, v[0], 1.0), v[1], &got) == ORR_OK);
            near("laplace, line", (size_t)line, got, v[2], 1e-11 * v[2] + 1e-13 / (v[1] - 1.0));
        } else if (!strcmp(word, "exact")) {
            seen[3]++;
            ORR_CHECK(orr_dp_gaussian_delta(v[0], v[1], &got) == ORR_OK);
            near("exact, line", (size_t)line, got, v[2], 1e-9 * v[2] + 1e-15);
        } else {
            seen[4]++;
            spent_agrees(line, v);
        }
    }
    for (int i = 0; i < 5; i++)
        ORR_CHECK_MSG(seen[i] == line / 5 && seen[i] >= 150, "%d of kind %d in %d lines", seen[i], i, line);
    (void)printf("  %d random cases of each of five kinds\n", seen[0]);
    (void)fclose(f);
}

/* An integral for order 2 + 1e-9 and a sum for order 2 give the same number. */
static void fractional_orders_meet_whole_ones(void)
{
    double whole = 0.0, beside = 0.0;
    for (double q = 0.001; q < 1.0; q *= 3.0)
        for (double sigma = 0.02; sigma < 100.0; sigma *= 2.0)
            for (double alpha = 2.0; alpha < 70.0; alpha *= 2.0) {
                ORR_CHECK(orr_dp_rdp(gaussian(q, sigma), alpha, &whole) == ORR_OK);
                ORR_CHECK(orr_dp_rdp(gaussian(q, sigma), alpha + 1e-10, &beside) == ORR_OK);
                ORR_CHECK_MSG(fabs(whole - beside) <= 2e-8 * whole + 1e-12, "q %g σ %g α %g: %.12g, %.12g", q, sigma,
                              alpha, whole, beside);
            }
}

static void epsilon_by_orders_agrees_with_opacus(void)
{
    double e = 0.0, order[151];
    ORR_CHECK(orr_dp_orders(NULL, 0) == 151 && orr_dp_orders(order, 151) == 151);
    ORR_CHECK(order[0] == 1.1 && order[98] == 10.9 && order[99] == 12.0 && order[150] == 63.0);
    for (size_t i = 0; i < COUNT(sampled_epsilon); i++) {
        ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, gaussian(sampled_epsilon[i].q, sampled_epsilon[i].sigma),
                                 sampled_epsilon[i].times, sampled_epsilon[i].delta, &e) == ORR_OK);
        near("rdp", i, e, sampled_epsilon[i].rdp, 1e-10 * e);
    }
}

/* dp-accounting rounds to 1e-4 per step; both are upper bounds of the same number. */
static void epsilon_by_distributions_agrees_with_dp_accounting(void)
{
    double e = 0.0, d = 0.0;
    for (size_t i = 0; i < COUNT(sampled_epsilon); i++) {
        orr_dp_mechanism m = gaussian(sampled_epsilon[i].q, sampled_epsilon[i].sigma);
        ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, m, sampled_epsilon[i].times, sampled_epsilon[i].delta, &e) == ORR_OK);
        near("pld", i, e, sampled_epsilon[i].pld, 1e-3 * e);
        ORR_CHECK(e < sampled_epsilon[i].rdp);
        ORR_CHECK(orr_dp_delta(m, sampled_epsilon[i].times, e, &d) == ORR_OK);
        near("delta", i, d, sampled_epsilon[i].delta, 1e-3 * d);
    }
    for (size_t i = 0; i < COUNT(laplace_epsilon); i++) {
        orr_dp_mechanism m = ORR_DP_MECHANISM(ORR_DP_LAPLACE, laplace_epsilon[i].b, laplace_epsilon[i].q);
        ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, m, laplace_epsilon[i].times, laplace_epsilon[i].delta, &e) == ORR_OK);
        near("laplace pld", i, e, laplace_epsilon[i].pld, 1e-3 * e);
        double bound = 0.0;
        ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, m, laplace_epsilon[i].times, laplace_epsilon[i].delta, &bound) == ORR_OK);
        ORR_CHECK_MSG(bound > e, "%g %g", bound, e);
    }
}

static void gaussians_without_sampling_are_exact(void)
{
    double d = 0.0, e = 0.0, sigma = 0.0;
    for (size_t i = 0; i < COUNT(exact_gaussian); i++) {
        double s = exact_gaussian[i].sigma, eps = exact_gaussian[i].epsilon, want = exact_gaussian[i].delta;
        ORR_CHECK(orr_dp_gaussian_delta(s, eps, &d) == ORR_OK);
        near("delta", i, d, want, 1e-15 + 1e-13 * want);
        if (want < 1e-14 || eps <= 0.0)
            continue;
        ORR_CHECK(orr_dp_gaussian_epsilon(s, want, &e) == ORR_OK && orr_dp_gaussian_sigma(eps, want, &sigma) == ORR_OK);
        near("epsilon", i, e, eps, 1e-2 * 1e-15 / want + 1e-11);
        near("sigma", i, sigma, s, 1e-2 * 1e-15 / want + 1e-11);
    }
    ORR_CHECK(orr_dp_gaussian_epsilon(5.0 / sqrt(10.0), 1e-5, &e) == ORR_OK);
    near("ten", 0, e, 2.594383381, 1e-9);
    /* The distribution is an upper bound of the exact value, and close to it, for any number of steps and down to its least
     * δ. */
    for (int64_t times = 1; times <= 1000000; times *= 100)
        for (double delta = 1e-3; delta > 5e-11; delta *= 1e-3) {
            double exact = 0.0, s = 2.0 * sqrt((double)times);
            ORR_CHECK(orr_dp_gaussian_epsilon(2.0, delta < 1e-9 ? 1e-10 : delta, &exact) == ORR_OK);
            ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, gaussian(1.0, s), times, delta < 1e-9 ? 1e-10 : delta, &e) == ORR_OK);
            ORR_CHECK_MSG(e >= exact * (1.0 - 1e-9) && e <= exact * (1.0 + 2e-3), "%lld δ %g: %.12g, exactly %.12g",
                          (long long)times, delta, e, exact);
        }
}

/* k uses of an ε-private mechanism: δ at ε' is a binomial sum (Kairouz, Oh, Viswanath 2015). */
static void pure_mechanisms_compose_as_binomials(void)
{
    double got = 0.0, one = 0.3, keep = 1.0 / (1.0 + exp(-one));
    const int k = 20;
    for (double e = 0.0; e < 6.0; e += 0.7) {
        double want = 0.0;
        for (int i = 0; i <= k; i++) {
            double loss = one * (k - 2 * i), choose = exp(lgamma(k + 1) - lgamma(i + 1) - lgamma(k - i + 1));
            want += choose * pow(keep, k - i) * pow(1.0 - keep, i) * fmax(0.0, 1.0 - exp(e - loss));
        }
        ORR_CHECK(orr_dp_delta(ORR_DP_MECHANISM(ORR_DP_PURE, one, 1.0), k, e, &got) == ORR_OK);
        near("binomial", (size_t)(10 * e), got, want, 2e-5);
        ORR_CHECK(got >= want * (1.0 - 1e-9));
    }
    ORR_CHECK(orr_dp_delta(ORR_DP_MECHANISM(ORR_DP_PURE, one, 1.0), k, 6.001, &got) == ORR_OK);
    ORR_CHECK(got <= 1e-9);
    /* Losses whose exponentials exceed the precision of 1. */
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_PURE, 60.0, 1.0), 1, 1e-9, &got) == ORR_OK);
    near("far", 0, got, 60.0, 0.1);
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_LAPLACE, 0.02, 1.0), 1, 1e-9, &got) == ORR_OK);
    near("far", 1, got, 50.0, 0.1);
    /* One use on a sample: log(1 + q(e^ε − 1)). */
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_PURE, 1.0, 0.1), 1, 1e-9, &got) == ORR_OK);
    near("amplified", 0, got, log1p(0.1 * expm1(1.0)), 1e-5);
}

static void noise_is_found_for_a_budget(void)
{
    double sigma = 0.0, e = 0.0;
    for (int how = ORR_DP_RDP; how <= ORR_DP_PLD; how++) {
        ORR_CHECK(orr_dp_find_noise((orr_dp_accountant)how, ORR_DP_GAUSSIAN, 0.01, 1000, 2.0, 1e-5, &sigma) == ORR_OK);
        ORR_CHECK(orr_dp_epsilon((orr_dp_accountant)how, gaussian(0.01, sigma), 1000, 1e-5, &e) == ORR_OK);
        ORR_CHECK_MSG(e <= 2.0 && e > 1.998, "σ %g gives ε %g", sigma, e);
    }
    ORR_CHECK(orr_dp_find_noise(ORR_DP_PLD, ORR_DP_LAPLACE, 1.0, 10, 3.0, 1e-6, &sigma) == ORR_OK);
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, ORR_DP_MECHANISM(ORR_DP_LAPLACE, sigma, 1.0), 10, 1e-6, &e) == ORR_OK);
    ORR_CHECK_MSG(e <= 3.0 && e > 2.99, "b %g gives ε %g", sigma, e);
    ORR_CHECK(orr_dp_find_noise(ORR_DP_RDP, ORR_DP_PURE, 1.0, 100, 3.0, 1e-6, &sigma) == ORR_OK);
    ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, ORR_DP_MECHANISM(ORR_DP_PURE, sigma, 1.0), 100, 1e-6, &e) == ORR_OK);
    ORR_CHECK_MSG(e <= 3.0 && e > 2.99, "ε %g gives ε %g", sigma, e);
}

static bool says(const char *part)
{
    bool yes = strstr(orr_error_message(), part) != NULL;
    if (!yes)
        (void)fprintf(stderr, "message: %s\n", orr_error_message());
    return yes;
}

static void budgets_refuse_to_be_exceeded(void)
{
    for (int how = ORR_DP_RDP; how <= ORR_DP_PLD; how++) {
        orr_dp_budget *b = orr_dp_budget_new((orr_dp_accountant)how, 2.0, 1e-5);
        orr_dp_mechanism m = gaussian(0.01, 1.1), other = ORR_DP_MECHANISM(ORR_DP_PURE, 0.5, 1.0);
        int64_t left = 0, after = 0;
        double e = -1.0;
        ORR_REQUIRE(b);
        ORR_CHECK(orr_dp_budget_spent(b, &e) == ORR_OK && e == 0.0);
        ORR_CHECK(orr_dp_budget_left(b, m, &left) == ORR_OK && left > 1000);
        ORR_CHECK(orr_dp_budget_spend(b, m, left + 1) == ORR_ESTATE);
        ORR_CHECK(says("budget of ε 2 at δ 1e-05"));
        ORR_CHECK(orr_dp_budget_spent(b, &e) == ORR_OK && e == 0.0); /* all or nothing */
        ORR_CHECK(orr_dp_budget_spend(b, m, 1000) == ORR_OK);
        ORR_CHECK(orr_dp_budget_spent(b, &e) == ORR_OK && e < 2.0);
        double alone = 0.0;
        ORR_CHECK(orr_dp_epsilon((orr_dp_accountant)how, m, 1000, 1e-5, &alone) == ORR_OK);
        near("alone", (size_t)how, e, alone, 1e-12);
        ORR_CHECK(orr_dp_budget_spend(b, other, 1) == ORR_OK || how == ORR_DP_RDP);
        ORR_CHECK(orr_dp_budget_left(b, m, &after) == ORR_OK && after <= left - 1000);
        while (after > 0) {
            int64_t part = (after + 1) / 2;
            ORR_CHECK(orr_dp_budget_spend(b, m, part) == ORR_OK);
            after -= part;
        }
        ORR_CHECK(orr_dp_budget_spent(b, &e) == ORR_OK && e <= 2.0 && e > 1.99);
        ORR_CHECK(orr_dp_budget_spend(b, m, 1) == ORR_ESTATE && orr_dp_budget_spend(b, m, 0) == ORR_OK);
        ORR_CHECK(orr_dp_budget_spend(b, gaussian(0.0, 1.0), 1) == ORR_OK); /* on an empty sample */
        orr_dp_budget_free(b);
    }
    orr_dp_budget_free(NULL);
}

static void numbers_that_make_no_sense_are_refused(void)
{
    double x = -7.0;
    int64_t n = 0;
    const orr_dp_mechanism good = gaussian(0.1, 1.0);
    ORR_CHECK(orr_dp_rdp(gaussian(1.5, 1.0), 2.0, &x) == ORR_EINVAL && says("q must be in [0, 1], not 1.5"));
    ORR_CHECK(orr_dp_rdp(gaussian(-0.1, 1.0), 2.0, &x) == ORR_EINVAL &&
              orr_dp_rdp(gaussian(NAN, 1.0), 2.0, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp(gaussian(0.1, 0.0), 2.0, &x) == ORR_EINVAL && says("Gaussian σ"));
    ORR_CHECK(orr_dp_rdp(gaussian(0.1, -1.0), 2.0, &x) == ORR_EINVAL &&
              orr_dp_rdp(gaussian(0.1, NAN), 2.0, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp(gaussian(0.1, INFINITY), 2.0, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp(good, 1.0, &x) == ORR_EINVAL && says("order"));
    ORR_CHECK(orr_dp_rdp(good, 0.5, &x) == ORR_EINVAL && orr_dp_rdp(good, NAN, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp(good, INFINITY, &x) == ORR_EINVAL && orr_dp_rdp(good, 2.0, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp(ORR_DP_MECHANISM((orr_dp_kind)9, 1.0, 0.1), 2.0, &x) == ORR_EINVAL);
    const double bad_delta[] = { 0.0, 1.0, -1e-5, 2.0, NAN };
    for (size_t i = 0; i < COUNT(bad_delta); i++) {
        ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, good, 1, bad_delta[i], &x) == ORR_EINVAL && says("δ must be in (0, 1)"));
        ORR_CHECK(orr_dp_gaussian_epsilon(1.0, bad_delta[i], &x) == ORR_EINVAL);
        ORR_CHECK(orr_dp_gaussian_sigma(1.0, bad_delta[i], &x) == ORR_EINVAL);
        ORR_CHECK(!orr_dp_budget_new(ORR_DP_RDP, 1.0, bad_delta[i]));
    }
    ORR_CHECK(orr_dp_epsilon(ORR_DP_PLD, good, 1, 1e-11, &x) == ORR_EINVAL && says("use ORR_DP_RDP"));
    ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, good, -1, 1e-5, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_epsilon((orr_dp_accountant)5, good, 1, 1e-5, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, good, 1, 1e-5, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_delta(good, 1, -1.0, &x) == ORR_EINVAL && orr_dp_delta(good, 1, 1.0, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_gaussian_delta(0.0, 1.0, &x) == ORR_EINVAL && orr_dp_gaussian_delta(1.0, -1.0, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_find_noise(ORR_DP_RDP, ORR_DP_GAUSSIAN, 0.1, 0, 1.0, 1e-5, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_find_noise(ORR_DP_RDP, ORR_DP_GAUSSIAN, 0.1, 10, 0.0, 1e-5, &x) == ORR_EINVAL);
    ORR_CHECK(orr_dp_find_noise(ORR_DP_RDP, ORR_DP_GAUSSIAN, 1.0, (int64_t)1 << 40, 1e-3, 1e-5, &x) == ORR_EINVAL &&
              says("no noise up to 1e6"));
    double orders[2] = { 2.0, 1.0 }, rdp[2] = { 0.1, 0.1 };
    ORR_CHECK(orr_dp_rdp_epsilon(orders, rdp, 2, 1e-5, &x, NULL) == ORR_EINVAL && says("entry 1"));
    ORR_CHECK(orr_dp_rdp_epsilon(orders, rdp, 0, 1e-5, &x, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_rdp_epsilon(orders, NULL, 1, 1e-5, &x, NULL) == ORR_EINVAL);
    rdp[0] = NAN;
    ORR_CHECK(orr_dp_rdp_epsilon(orders, rdp, 1, 1e-5, &x, NULL) == ORR_EINVAL);
    ORR_CHECK(!orr_dp_budget_new(ORR_DP_RDP, 0.0, 1e-5) && !orr_dp_budget_new(ORR_DP_RDP, NAN, 1e-5));
    ORR_CHECK(orr_dp_budget_spend(NULL, good, 1) == ORR_EINVAL && orr_dp_budget_spent(NULL, &x) == ORR_EINVAL);
    orr_dp_budget *b = orr_dp_budget_new(ORR_DP_RDP, 1.0, 1e-5);
    ORR_CHECK(orr_dp_budget_spend(b, gaussian(2.0, 1.0), 1) == ORR_EINVAL);
    ORR_CHECK(orr_dp_budget_spend(b, good, -1) == ORR_EINVAL && orr_dp_budget_left(b, good, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_dp_budget_left(b, gaussian(0.0, 1.0), &n) == ORR_OK && n == (int64_t)1 << 40);
    orr_dp_budget_free(b);
    ORR_CHECK(x == -7.0); /* nothing was written */
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(divergences_agree_with_integration),
        ORR_TEST(random_cases_agree),
        ORR_TEST(fractional_orders_meet_whole_ones),
        ORR_TEST(epsilon_by_orders_agrees_with_opacus),
        ORR_TEST(epsilon_by_distributions_agrees_with_dp_accounting),
        ORR_TEST(gaussians_without_sampling_are_exact),
        ORR_TEST(pure_mechanisms_compose_as_binomials),
        ORR_TEST(noise_is_found_for_a_budget),
        ORR_TEST(budgets_refuse_to_be_exceeded),
        ORR_TEST(numbers_that_make_no_sense_are_refused),
        { 0 },
    };
    return orr_test_main(argc, argv, "privacy.account", tests);
}
