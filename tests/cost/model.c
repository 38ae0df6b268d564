/* Performance models: the fit across sizes, poisoned samples, the file.
 * Must not know: StarPU. */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "codelets/variants.h"
#include "runtime/base/env.h"
#include "runtime/base/checked_file.h"
#include "runtime/cost/model.h"
#include "runtime/cost/profile.h"
#include "tests/harness/harness.h"

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fabs(y);
}

static void a_power_law_is_found(void)
{
    orr__sample s[5];
    double a, b;
    for (int i = 0; i < 5; i++)
        s[i] = (orr__sample){ pow(4, i), 3 * pow(pow(4, i), 0.75), i + 1.0 };
    ORR_CHECK(orr__fit(s, 5, &a, &b) && near(exp(a), 3) && near(b, 0.75));
}

/* Weights, against numpy.polyfit(log([1, 10, 100]), log([5, 20, 90]), 1, w=sqrt([1, 2, 4])). */
static void weights_count(void)
{
    static const orr__sample s[] = { { 1, 5, 1 }, { 10, 20, 2 }, { 100, 90, 4 } };
    double a, b;
    ORR_CHECK(orr__fit(s, 3, &a, &b));
    ORR_CHECK_MSG(fabs(b - 0.6335384667) < 1e-8 && fabs(a - 1.5731969784) < 1e-8, "a %.10f b %.10f", a, b);
}

static void one_size_is_proportional_and_none_is_nothing(void)
{
    static const orr__sample s[] = { { 10, 40, 3 }, { 0, 5, 1 }, { 5, -1, 1 } };
    double a, b;
    ORR_CHECK(orr__fit(s, 3, &a, &b) && b == 1 && near(exp(a), 4));
    ORR_CHECK(!orr__fit(s + 1, 2, &a, &b) && !orr__fit(s, 0, &a, &b));
    static const orr__sample odd[] = { { 1, 100, 3 }, { 10, 1, 3 } }; /* a larger size never costs less */
    ORR_CHECK(orr__fit(odd, 2, &a, &b) && b == 0.2);
}

static void means_and_deviations_are_those_of_the_samples(void)
{
    orr__timed t = { 0 };
    bool reset;
    double sum = 0, squares = 0;
    for (int i = 0; i < 20; i++) {
        double us = 100 + i * 3 % 7;
        ORR_CHECK(orr__timed_add(&t, 50, us, &reset) && !reset);
        sum += us;
        squares += us * us;
    }
    ORR_CHECK(t.n == 20 && near(t.us, sum / 20) && near(t.size, 50));
    ORR_CHECK_MSG(fabs(t.spread - (squares / 20 - t.us * t.us)) < 1e-6, "%g", t.spread);
}

static void one_far_sample_is_an_accident_and_three_are_the_truth(void)
{
    orr__timed t = { 0 };
    bool reset;
    for (int i = 0; i < 10; i++)
        (void)orr__timed_add(&t, 1, 10, &reset);
    ORR_CHECK(!orr__timed_add(&t, 1, 1000, &reset) && !reset && t.us == 10);
    ORR_CHECK(orr__timed_add(&t, 1, 10, &reset) && t.odd == 0);
    for (int i = 0; i < 2; i++)
        ORR_CHECK(!orr__timed_add(&t, 1, 1000, &reset) && !reset);
    ORR_CHECK(orr__timed_add(&t, 1, 1000, &reset) && reset && t.us == 1000 && t.n == 1);
    ORR_CHECK(orr__timed_add(&t, 1, 10, &reset) && t.us == 10 && t.n == 1); /* the first launch was slow */
    ORR_CHECK(!orr__timed_add(&t, 1, 0, &reset) && !orr__timed_add(&t, 1, (double)NAN, &reset) && t.n == 1);
}

static void put(uint64_t kernel, uint32_t shape, double size, double us, uint32_t n)
{
    orr__class c = { .kernel = kernel, .shape = shape, .label = "mul+add" };
    orr__model_put(&c, ORR__ON_CPU, &(orr__timed){ .n = n, .us = us, .size = size, .spread = 4 });
}

static void count(orr__class *c, orr__on on, const orr__timed *t, void *arg)
{
    (void)c;
    (void)on;
    (void)t;
    ++*(int *)arg;
}

static int there(void)
{
    int n = 0;
    orr__models_each(count, &n);
    return n;
}

static void samples_far_from_their_neighbours_are_dropped(void)
{
    (void)orr__models_forget();
    for (uint32_t i = 0; i < 5; i++)
        put(77, i, pow(4, i), 2 * pow(4, i) * (i == 2 ? 30 : 1), 10);
    put(78, 0, 1, 1e6, 10); /* a single one: there is no other to compare with */
    ORR_CHECK(orr__models_purge() >= 1 && orr__models_purge() == 0);
    ORR_CHECK_MSG(there() == 5, "%d", there());
    ORR_CHECK(near(orr__model_fitted(77, 0, ORR__ON_CPU, 16), 32));
}

static void sizes_never_seen_are_fitted_and_kernels_never_seen_estimated(void)
{
    orr__region r = { .rank = 1, .dim = { 1000 }, .key = 4711, .out_count = 1000, .label = "x" };
    orr__cost c = { .us = 55, .size = 50, .class = orr__model_class(&r, 1000) };
    (void)orr__models_forget();
    orr__guess g = orr__model_guess(&r, &c, 500, ORR__ON_CPU);
    ORR_CHECK(g.basis == ORR__ESTIMATED && near(g.us, 27.5));
    ORR_CHECK(orr__model_guess(&r, &c, 1000, ORR__ON_OPENCL).basis == ORR__ESTIMATED);
    put(4711, 1, 100, 300, 10);
    g = orr__model_guess(&r, &c, 1000, ORR__ON_CPU);
    ORR_CHECK(g.basis == ORR__FITTED && near(g.us, 150));
    for (int i = 0; i < 6; i++)
        orr__model_add(c.class, 50, ORR__ON_CPU, 80);
    g = orr__model_guess(&r, &c, 250, ORR__ON_CPU);
    ORR_CHECK(g.basis == ORR__MEASURED && near(g.us, 20));
}

/* A whole region: the times of tasks with its rows count, not those of other rows, which are closer in size. */
static void times_of_the_same_rows_come_first(void)
{
    orr__region r = { .rank = 2, .dim = { 1000, 33 }, .key = 4712, .out_count = 33000, .label = "x" }, other = r;
    other.dim[1] = 64;
    (void)orr__models_forget();
    for (int i = 0; i < 6; i++) {
        orr__model_add(orr__model_class(&other, 1000), 100, ORR__ON_CPU, 100);
        orr__model_add(orr__model_class(&r, 500), 50, ORR__ON_CPU, 200);
    }
    uint32_t row = orr__model_class(&r, 500)->row, unknown = row + 1;
    ORR_CHECK(row != orr__model_class(&other, 1000)->row && row == orr__model_class(&r, 10)->row);
    ORR_CHECK(near(orr__model_fitted(4712, row, ORR__ON_CPU, 100), 400));
    ORR_CHECK(orr__model_fitted(4712, unknown, ORR__ON_CPU, 100) < 300); /* a fit across both */
    orr__cost c = { .us = 55, .size = 100, .class = orr__model_class(&r, 1000) };
    orr__guess g = orr__model_guess(&r, &c, 1000, ORR__ON_CPU);
    ORR_CHECK_MSG(g.basis == ORR__FITTED && near(g.us, 400), "%g", g.us);
}

/* Classes of one kernel may differ by factors: that of about the same size tells more than a line through all of them. */
static void times_of_the_same_size_come_first(void)
{
    orr__region r = { .rank = 1, .dim = { 1 }, .key = 4713, .out_count = 1, .label = "x" };
    (void)orr__models_forget();
    for (int k = 0; k < 8; k++) {
        double size = 100 << k;
        for (int i = 0; i < 6; i++)
            orr__model_add(orr__model_class(&r, 100 << k), size, ORR__ON_CPU, k == 3 ? 400 : size / 16);
    }
    uint32_t row = orr__model_class(&r, 100)->row;
    ORR_CHECK(near(orr__model_fitted(4713, row, ORR__ON_CPU, 880), 440));
    ORR_CHECK(orr__model_fitted(4713, row, ORR__ON_CPU, 50000) < 50000 / 8);
    r.dim[0] = 7; /* of a class of its own, without times */
    orr__cost c = { .us = 55, .size = 880, .class = orr__model_class(&r, 7) };
    orr__guess g = orr__model_guess(&r, &c, 7, ORR__ON_CPU);
    ORR_CHECK_MSG(g.basis == ORR__FITTED && near(g.us, 440), "%g", g.us);
}

static char dir[256], file[400];

static void begin(void)
{
    char name[128];
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(dir, sizeof dir, "%s/orr-models-XXXXXX", tmp ? tmp : "/tmp");
    ORR_REQUIRE(mkdtemp(dir) != NULL);
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", dir);
    orr__env.machine = ORR__MACHINE_MEASURED;
    orr__sealed_name("models", name, sizeof name);
    (void)snprintf(file, sizeof file, "%s/%s", dir, name);
    (void)orr__models_forget();
    (void)orr__variants_forget();
}

static void end(void)
{
    (void)unlink(file);
    ORR_CHECK(rmdir(dir) == 0);
    orr__env.cache_dir[0] = '\0';
    orr__env.machine = ORR__MACHINE_FIXED;
}

static void the_file_joins_what_processes_measured(void)
{
    begin();
    put(1, 1, 10, 20, 8);
    put(1, 2, 40, 80, 1); /* one sample: not written */
    orr__model_put(&(orr__class){ .kernel = 3, .shape = 1, .row = 0xabcd, .label = "x" }, ORR__ON_CPU,
                   &(orr__timed){ .n = 9, .us = 70, .size = 10, .spread = 4 });
    orr__model_put(&(orr__class){ .kernel = 3, .shape = 2, .row = 0xabce, .label = "x" }, ORR__ON_CPU,
                   &(orr__timed){ .n = 9, .us = 10, .size = 10, .spread = 4 });
    orr__variants_put(7, 3, 2, 1);
    orr__models_store();
    (void)orr__models_forget();
    ORR_CHECK(orr__variants_forget() == 1);
    put(2, 1, 10, 30, 8); /* another process, which has not read the file */
    put(1, 1, 10, 25, 5);
    orr__models_store();
    orr__models_load();
    ORR_CHECK_MSG(there() == 4, "%d", there());
    ORR_CHECK(near(orr__model_fitted(3, 0xabcd, ORR__ON_CPU, 10), 70));
    bool timed;
    ORR_CHECK(orr__variants_next(orr__variants_of(7, 3, 2), &timed) == 1 && !timed);
    ORR_CHECK(near(orr__model_fitted(1, 0, ORR__ON_CPU, 10), 20) && near(orr__model_fitted(2, 0, ORR__ON_CPU, 10), 30));
    ORR_CHECK(orr__models_clear() == 4 && access(file, F_OK) != 0 && there() == 0);
    end();
}

/* A mean of many samples changes slowly: plans are notified before it has changed. */
static void count_choice(const orr__variants *v, int chosen, void *arg)
{
    (void)v;
    *(int *)arg += chosen == 1;
}

/* A process that has another plan for each shape has choices without an end. */
static void the_file_has_a_bounded_number_of_choices(void)
{
    enum { MANY = 20000, USED = 2000 };
    int n = 0, kept = 0;
    begin();
    for (uint64_t k = 0; k < MANY; k++)
        orr__variants_put(k * UINT64_C(0x9e3779b97f4a7c15), 7, 2, 1);
    for (uint64_t k = MANY - USED; k < MANY; k++)
        (void)orr__variants_of(k * UINT64_C(0x9e3779b97f4a7c15), 7, 2);
    orr__models_store();
    orr__models_load();
    orr__variants_each(count_choice, &n);
    for (uint64_t k = MANY - USED; k < MANY; k++)
        kept += orr__variants_settled(orr__variants_of(k * UINT64_C(0x9e3779b97f4a7c15), 7, 2)) == 1;
    ORR_CHECK_MSG(n < MANY / 2 && kept == USED, "%d choices, %d of %d used ones", n, kept, USED);
    (void)orr__variants_forget();
    end();
}

static void times_that_change_are_news(void)
{
    orr__class c = { .kernel = 77, .shape = 1, .label = "changes" };
    for (int i = 0; i < 300; i++)
        orr__model_add(&c, 50, ORR__ON_CPU, 100);
    unsigned news = orr__models_news();
    for (int i = 0; i < 30; i++)
        orr__model_add(&c, 50, ORR__ON_CPU, 101);
    ORR_CHECK_MSG(orr__models_news() == news, "%u times for the same", orr__models_news() - news);
    for (int i = 0; i < 30; i++)
        orr__model_add(&c, 50, ORR__ON_CPU, 300);
    unsigned times = orr__models_news() - news;
    ORR_CHECK_MSG(times >= 1 && times <= 6, "%u times", times);
}

/* A model that is reset because its times were wrong does not come back from the file, neither when the file is written nor at the next
 * start. */
static void a_model_that_was_reset_stays_away(void)
{
    begin();
    for (uint32_t k = 1; k <= 3; k++)
        put(5, k, k < 3 ? 10 * k : 1000, k < 3 ? 20 * k : 1e6, 8); /* the third: 500 times slower than the others */
    orr__models_store();
    orr__models_load();
    ORR_CHECK_MSG(there() == 2, "%d", there());
    orr__models_store();
    ORR_CHECK_MSG(there() == 2, "%d", there());
    orr__models_load();
    ORR_CHECK_MSG(there() == 2 && orr__models_purge() == 0, "%d", there());
    end();
}

static void damaged_files_are_no_models(void)
{
    begin();
    put(1, 1, 10, 20, 8);
    orr__models_store();
    for (int cut = 90; cut > 0; cut -= 13) {
        ORR_REQUIRE(truncate(file, cut) == 0);
        orr__models_load();
        ORR_CHECK(there() == 0);
    }
    char why[700];
    ORR_CHECK(orr__sealed_write(strrchr(file, '/') + 1, "orrery models 2", "zz not a line\n1 2 3\n", why, sizeof why));
    orr__models_load();
    ORR_CHECK(there() == 0);
    ORR_CHECK(unlink(file) == 0 && mkdir(file, 0700) == 0); /* the path is blocked: reported, nothing more */
    put(1, 1, 10, 20, 8);
    orr__models_store();
    ORR_CHECK(rmdir(file) == 0);
    end();
}

static void fixed_machines_keep_none(void)
{
    begin();
    orr__env.machine = ORR__MACHINE_FIXED;
    put(1, 1, 10, 20, 8);
    orr__models_store();
    ORR_CHECK(access(file, F_OK) != 0);
    end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_power_law_is_found),
                                      ORR_TEST(weights_count),
                                      ORR_TEST(one_size_is_proportional_and_none_is_nothing),
                                      ORR_TEST(means_and_deviations_are_those_of_the_samples),
                                      ORR_TEST(one_far_sample_is_an_accident_and_three_are_the_truth),
                                      ORR_TEST(samples_far_from_their_neighbours_are_dropped),
                                      ORR_TEST(sizes_never_seen_are_fitted_and_kernels_never_seen_estimated),
                                      ORR_TEST(times_of_the_same_rows_come_first),
                                      ORR_TEST(times_of_the_same_size_come_first),
                                      ORR_TEST(the_file_joins_what_processes_measured),
                                      ORR_TEST(the_file_has_a_bounded_number_of_choices),
                                      ORR_TEST(times_that_change_are_news),
                                      ORR_TEST(a_model_that_was_reset_stays_away),
                                      ORR_TEST(damaged_files_are_no_models),
                                      ORR_TEST(fixed_machines_keep_none),
                                      { 0 } };
    return orr__env_load() != ORR_OK ? 1 : orr_test_main(argc, argv, "cost.model", tests);
}
