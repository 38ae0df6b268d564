/* Distributions: the empirical distribution function of many numbers beside the exact one (Kolmogorov and Smirnov), moments,
 * the same values from every evaluation, refusals. Seeds are fixed.
 * Must not know: how a number is drawn. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include <orrery/random.h>
#include "tests/harness/ops_help.h"

enum { MANY = 200000, POINTS = 128 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* One line of tests/golden/random/cdf.txt. */
typedef struct {
    char name[32];
    double a, b, mean, variance, point[POINTS], p[POINTS];
    int n;
} exact;

static orr_tensor *drawn(const exact *e, int64_t n)
{
    orr_shape s = ORR_SHAPE(n);
    orr_tensor *a = orr_scalar(e->a), *b = orr_scalar(e->b);
    return strcmp(e->name, "gamma") == 0      ? orr_gamma(ORR_F64, s, a, orr_scalar(1))
           : strcmp(e->name, "beta") == 0     ? orr_beta(ORR_F64, s, a, b)
           : strcmp(e->name, "poisson") == 0  ? orr_poisson(ORR_F64, s, a)
           : strcmp(e->name, "binomial") == 0 ? orr_binomial(ORR_F64, s, a, b)
                                              : orr_exponential(ORR_F64, s, e->a);
}

/* A distance above 1.95/√n has a probability of 0.1 % if the distribution is right, and less for discrete ones. */
static void check_exact(const exact *e)
{
    static double v[MANY];
    double worst = 0, sum = 0, squares = 0;
    orr_scope *s = orr_scope_begin();
    ORR_CHECK_MSG(orr_read(drawn(e, MANY), v, sizeof v) == ORR_OK, "%s: %s", e->name, orr_error_message());
    for (int i = 0; i < MANY; i++)
        sum += v[i];
    for (int i = 0; i < MANY; i++)
        squares += (v[i] - sum / MANY) * (v[i] - sum / MANY);
    qsort(v, MANY, sizeof *v, compare);
    for (int i = 0, below = 0; i < e->n; i++) {
        while (below < MANY && v[below] <= e->point[i])
            below++;
        worst = fmax(worst, fabs((double)below / MANY - e->p[i]));
    }
    ORR_CHECK_MSG(worst < 1.95 / sqrt(MANY), "%s(%g, %g): distance %g", e->name, e->a, e->b, worst);
    ORR_CHECK_MSG(fabs(sum / MANY - e->mean) < 5 * sqrt(e->variance / MANY), "%s(%g, %g): mean %g, not %g", e->name,
                  e->a, e->b, sum / MANY, e->mean);
    ORR_CHECK_MSG(fabs(squares / MANY / e->variance - 1) < 0.05, "%s(%g, %g): variance %g, not %g", e->name, e->a, e->b,
                  squares / MANY, e->variance);
    (void)orr_scope_end(s);
}

static void numbers_are_distributed_as_they_should(void)
{
    FILE *f = fopen(orr_test_golden("random/cdf.txt"), "re");
    ORR_REQUIRE(f);
    exact e;
    int cases = 0;
    orr_seed(7);
    while (fscanf(f, "%31s %lf %lf %lf %lf %d", e.name, &e.a, &e.b, &e.mean, &e.variance, &e.n) == 6) {
        ORR_REQUIRE(e.n <= POINTS);
        for (int i = 0; i < e.n; i++)
            ORR_REQUIRE(fscanf(f, "%lf %lf", &e.point[i], &e.p[i]) == 2);
        check_exact(&e);
        cases++;
    }
    (void)fclose(f);
    ORR_CHECK(cases == 22);
}

/* The engine draws in tiles; the reference draws one element at a time. */
static void every_evaluation_draws_the_same(void)
{
    static const char *const names[] = { "gamma", "beta", "poisson", "binomial" };
    for (int k = 0; k < 4; k++) {
        exact e = { .a = k == 3 ? 100 : 20.5, .b = k == 3 ? 0.4 : 3 };
        orr_scope *s = orr_scope_begin();
        snprintf(e.name, sizeof e.name, "%s", names[k]);
        orr_seed(11);
        orr_tensor *x = drawn(&e, 100000);
        orr__scalar *want = help_reference(x);
        orr_seed(11);
        orr__scalar *got = help_engine(drawn(&e, 100000));
        int64_t other = 0;
        for (int64_t i = 0; want && got && i < 100000; i++)
            other += want[i].f != got[i].f;
        ORR_CHECK_MSG(other == 0, "%s: %lld differ", names[k], (long long)other);
        free(want);
        free(got);
        (void)orr_scope_end(s);
    }
}

static void parameters_broadcast(void)
{
    orr_scope *s = orr_scope_begin();
    double rate[3] = { 0, 5, 1000 }, mean[3];
    orr_seed(3);
    orr_tensor *x = orr_poisson(ORR_I32, ORR_SHAPE(20000, 3), orr_from(ORR_F64, ORR_SHAPE(3), rate));
    ORR_CHECK(orr_tensor_dtype(x) == ORR_I32);
    ORR_CHECK(orr_read(orr_mean(orr_cast(x, ORR_F64), ORR_AXES(0), false), mean, sizeof mean) == ORR_OK);
    for (int k = 0; k < 3; k++)
        ORR_CHECK_MSG(fabs(mean[k] - rate[k]) <= 5 * sqrt(rate[k] / 20000), "rate %g: %g", rate[k], mean[k]);
    orr_tensor *scale = orr_full(ORR_F64, ORR_SHAPE_0D, 3), *g = NULL,
               *y = orr_gamma(ORR_F64, ORR_SHAPE(10), orr_scalar(2), scale);
    double sum = 0, slope = 0;
    ORR_CHECK(orr_grad(orr_sum(y, ORR_ALL_AXES, false), &scale, 1, &g) == ORR_OK);
    ORR_CHECK(orr_item(orr_sum(y, ORR_ALL_AXES, false), &sum) == ORR_OK && orr_item(g, &slope) == ORR_OK);
    ORR_CHECK(fabs(3 * slope - sum) < 1e-12 * sum);
    (void)orr_scope_end(s);
}

static void counts_of_categories_add_up(void)
{
    enum { ROWS = 20000, KINDS = 4 };
    orr_scope *s = orr_scope_begin();
    double w[KINDS] = { 1, 0, 5, 4 }, mean[KINDS], least, most, share[KINDS];
    orr_tensor *weights = orr_from(ORR_F64, ORR_SHAPE(KINDS), w);
    orr_seed(5);
    orr_tensor *x = orr_multinomial(ORR_SHAPE(ROWS), 50, weights), *rows = orr_sum(x, ORR_AXES(1), false);
    ORR_CHECK(orr_item(orr_min(rows, ORR_ALL_AXES, false), &least) == ORR_OK && least == 50);
    ORR_CHECK(orr_item(orr_max(rows, ORR_ALL_AXES, false), &most) == ORR_OK && most == 50);
    ORR_CHECK(orr_read(orr_mean(orr_cast(x, ORR_F64), ORR_AXES(0), false), mean, sizeof mean) == ORR_OK);
    orr_tensor *c = orr_categorical(ORR_SHAPE(ROWS), weights), *hits = orr_bincount(c, NULL, KINDS);
    ORR_CHECK(orr_read(orr_cast(hits, ORR_F64), share, sizeof share) == ORR_OK);
    for (int k = 0; k < KINDS; k++) {
        double p = w[k] / 10, spread = sqrt(p * (1 - p));
        ORR_CHECK_MSG(fabs(mean[k] - 50 * p) <= 5 * spread * sqrt(50. / ROWS), "category %d: %g", k, mean[k]);
        ORR_CHECK_MSG(fabs(share[k] / ROWS - p) <= 5 * spread / sqrt(ROWS), "category %d: %g", k, share[k] / ROWS);
    }
    (void)orr_scope_end(s);
}

/* A weight of 0 is never drawn, at whatever place and beside whatever weights: the sums of weights round. */
static void weights_of_zero_are_never_drawn(void)
{
    static const double rows[][4] = { { 0.1, 0.2, 0.7, 0 },   { 0.3, 0.3, 0.4, 0 }, { 1e-300, 1e-310, 2e-300, 0 },
                                      { 1e308, 0, 1e308, 0 }, { 0, 0, 4e-323, 0 },  { 1, 1e-17, 0, 0 } };
    orr_seed(3);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *w = orr_from(ORR_F64, ORR_SHAPE(4), rows[r]);
        int64_t count[2][4] = { { 0 } };
        ORR_CHECK_MSG(orr_read(orr_sum(orr_multinomial(ORR_SHAPE(500), 1000, w), ORR_AXES(0), false), count[0],
                               sizeof count[0]) == ORR_OK,
                      "row %zu: %s", r, orr_error_message());
        ORR_CHECK(orr_read(orr_bincount(orr_categorical(ORR_SHAPE(5000), w), NULL, 4), count[1], sizeof count[1]) ==
                  ORR_OK);
        for (int k = 0; k < 4; k++) {
            double share = rows[r][k] / 4 / (rows[r][0] / 4 + rows[r][1] / 4 + rows[r][2] / 4);
            for (int i = 0; i < 2; i++) {
                double n = i ? 5000 : 500000;
                ORR_CHECK_MSG(fabs((double)count[i][k] - n * share) <= 6 * sqrt(n * share * (1 - share)) &&
                                  (rows[r][k] > 0 || count[i][k] == 0),
                              "row %zu, category %d: %lld of %g", r, k, (long long)count[i][k], n);
            }
        }
        (void)orr_scope_end(s);
    }
}

static void weights_without_a_distribution_are_refused(void)
{
    static const double bad[][3] = { { 0, 0, 0 }, { 1, -1e-9, 2 }, { 1, 2, NAN }, { 1, INFINITY, 2 } };
    static const char *const says[] = { "row 0 of the weights: weights above 0 are too few, and 1 is needed",
                                        "weight 1 of row 0 is -1e-09", "weight 2 of row 0 is nan",
                                        "weight 1 of row 0 is inf" };
    orr_scope *s = orr_scope_begin();
    int64_t v[6];
    for (int r = 0; r < 4; r++) {
        orr_tensor *w = orr_from(ORR_F64, ORR_SHAPE(3), bad[r]);
        orr_tensor *t[3] = { orr_categorical(ORR_SHAPE(2), w), orr_choice_weighted(w, 2),
                             orr_multinomial(ORR_SHAPE(2), 5, w) };
        for (int k = 0; k < 3; k++) {
            orr_status st = orr_read(t[k], v, (size_t)orr_tensor_size(t[k]) * sizeof *v);
            ORR_CHECK_MSG(st == ORR_EINVAL && strstr(orr_error_message(), says[r]), "%d: %s", k, orr_error_message());
        }
    }
    double two[2][2] = { { 1, 2 }, { 0, 0 } };
    ORR_CHECK(orr_read(orr_multinomial(ORR_SHAPE(2), 5, orr_from(ORR_F64, ORR_SHAPE(2, 2), two)), v, 4 * sizeof *v) ==
                  ORR_EINVAL &&
              strstr(orr_error_message(), "row 1 of the weights"));
    ORR_CHECK(orr_read(orr_multinomial(ORR_SHAPE(2), 0, orr_zeros(ORR_F32, ORR_SHAPE(2))), v, 4 * sizeof *v) ==
                  ORR_OK &&
              v[0] == 0 && v[3] == 0);
    (void)orr_scope_end(s);
}

static void choices_do_not_repeat(void)
{
    enum { N = 500, K = 200, DRAWS = 4000 };
    orr_scope *s = orr_scope_begin();
    int64_t v[K];
    double w[4] = { 1, 2, 0, 5 }, first[4] = { 0 };
    orr_seed(9);
    for (int weighted = 0; weighted < 2; weighted++) {
        bool seen[N] = { false };
        orr_tensor *x = weighted ? orr_choice_weighted(orr_ones(ORR_F32, ORR_SHAPE(N)), K) : orr_choice(N, K);
        ORR_CHECK(orr_read(x, v, sizeof v) == ORR_OK);
        for (int i = 0; i < K; i++) {
            ORR_CHECK(v[i] >= 0 && v[i] < N && !seen[v[i]]);
            seen[v[i]] = true;
        }
    }
    orr_tensor *weights = orr_from(ORR_F64, ORR_SHAPE(4), w);
    for (int i = 0; i < DRAWS; i++) {
        orr_scope *inner = orr_scope_begin();
        int64_t four[4];
        ORR_CHECK(orr_read(orr_choice_weighted(weights, 4), four, sizeof four) == ORR_OK && four[3] == 2);
        first[four[0]]++;
        (void)orr_scope_end(inner);
    }
    for (int k = 0; k < 4; k++)
        ORR_CHECK_MSG(fabs(first[k] / DRAWS - w[k] / 8) < 5 * sqrt(w[k] / 8 * (1 - w[k] / 8) / DRAWS) + 1e-12, "%d: %g",
                      k, first[k] / DRAWS);
    orr_tensor *x = orr_reshape(orr_arange(ORR_I64, 0, 3 * N, 1), ORR_SHAPE(N, 3)), *y = orr_shuffle(x, 0);
    double same, moved;
    ORR_CHECK(orr_item(orr_all(orr_equal(orr_sort(y, 0, false), x), ORR_ALL_AXES, false), &same) == ORR_OK &&
              same == 1);
    ORR_CHECK(orr_item(orr_all(orr_equal(y, x), ORR_ALL_AXES, false), &moved) == ORR_OK && moved == 0);
    (void)orr_scope_end(s);
}

static void normals_have_their_covariance(void)
{
    enum { ROWS = 100000 };
    orr_scope *s = orr_scope_begin();
    double mean[2] = { 1, -2 }, cov[4] = { 2, 0.6, 0.6, 0.5 }, m[2], c[4];
    orr_seed(13);
    orr_tensor *x = orr_multivariate_normal(ORR_SHAPE(ROWS), orr_from(ORR_F64, ORR_SHAPE(2), mean),
                                            orr_from(ORR_F64, ORR_SHAPE(2, 2), cov));
    ORR_CHECK(orr_read(orr_mean(x, ORR_AXES(0), false), m, sizeof m) == ORR_OK);
    ORR_CHECK(orr_read(orr_covariance(x, 1), c, sizeof c) == ORR_OK);
    for (int k = 0; k < 2; k++)
        ORR_CHECK(fabs(m[k] - mean[k]) < 5 * sqrt(cov[3 * k] / ROWS));
    for (int k = 0; k < 4; k++)
        ORR_CHECK_MSG(fabs(c[k] - cov[k]) < 0.03, "%d: %g, not %g", k, c[k], cov[k]);
    (void)orr_scope_end(s);
}

static void wrong_parameters_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    double v[2];
    orr_tensor *one = orr_scalar(1), *three = orr_ones(ORR_F64, ORR_SHAPE(3));
    ORR_CHECK(orr_read(orr_gamma(ORR_F64, ORR_SHAPE(2), orr_scalar(-1), one), v, sizeof v) == ORR_EINVAL);
    ORR_CHECK(strstr(orr_error_message(), "shape above 0"));
    ORR_CHECK(orr_read(orr_binomial(ORR_F64, ORR_SHAPE(2), orr_scalar(2.5), one), v, sizeof v) == ORR_EINVAL);
    ORR_CHECK(orr_read(orr_poisson(ORR_F64, ORR_SHAPE(2), orr_scalar((double)NAN)), v, sizeof v) == ORR_EINVAL);
    ORR_CHECK(orr_read(orr_multinomial(ORR_SHAPE(1), 5, orr_from(ORR_F64, ORR_SHAPE(2), (double[]){ 1, -1 })), v,
                       sizeof v) == ORR_EINVAL);
    HELP_POISON(orr_gamma(ORR_I32, ORR_SHAPE(2), one, one), ORR_EDTYPE, "int32");
    HELP_POISON(orr_beta(ORR_F32, ORR_SHAPE(2), one, three), ORR_ESHAPE, "does not broadcast");
    HELP_POISON(orr_poisson(ORR_BOOL, ORR_SHAPE(2), one), ORR_EDTYPE, "bool");
    HELP_POISON(orr_exponential(ORR_F32, ORR_SHAPE(2), -1), ORR_EINVAL, "scale -1");
    HELP_POISON(orr_multinomial(ORR_SHAPE(1), -5, three), ORR_EINVAL, "-5 trials");
    HELP_POISON(orr_choice(3, 4), ORR_EINVAL, "k is 4 and n is 3");
    HELP_POISON(orr_choice_weighted(three, 4), ORR_EINVAL, "k is 4: without replacement, it must be 0 to 3");
    HELP_POISON(orr_categorical(ORR_SHAPE(2), orr_ones(ORR_F64, ORR_SHAPE(2, 2))), ORR_ESHAPE, "one axis");
    HELP_POISON(orr_multivariate_normal(ORR_SHAPE(2), three, three), ORR_ESHAPE, "(d, d)");
    HELP_POISON(orr_gamma(ORR_F32, ORR_SHAPE(-2), one, one), ORR_ESHAPE, "negative");
    HELP_POISON(orr_shuffle(three, 1), ORR_EAXIS, "axis 1");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(numbers_are_distributed_as_they_should),
                                      ORR_TEST(every_evaluation_draws_the_same),
                                      ORR_TEST(parameters_broadcast),
                                      ORR_TEST(counts_of_categories_add_up),
                                      ORR_TEST(weights_of_zero_are_never_drawn),
                                      ORR_TEST(weights_without_a_distribution_are_refused),
                                      ORR_TEST(choices_do_not_repeat),
                                      ORR_TEST(normals_have_their_covariance),
                                      ORR_TEST(wrong_parameters_are_refused),
                                      { 0 } };
    return help_main(argc, argv, "array.random", tests);
}
