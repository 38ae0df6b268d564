/* Choices between variants of the same computation: measured times decide, once, and not where nothing may be
 * measured.
 * Must not know: what the variants are. */
#include "config.h"

#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/variants.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/regret.h"
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

/* Variant i takes times[i] and, every other time, three times that. Returns the choice; *asked: the number of
 * requested times. */
static int decide(orr__variants *v, const double *times, int *asked)
{
    bool timed;
    int way = orr__variants_next(v, &timed);
    for (*asked = 0; timed && *asked < 1000; (*asked)++) {
        orr__variants_time(v, way, times[way] * (*asked / v->n % 2 ? 1 : 3));
        way = orr__variants_next(v, &timed);
    }
    return way;
}

static void begin(void)
{
    orr__env.machine = ORR__MACHINE_MEASURED;
    (void)orr__variants_forget();
}

static void the_fastest_way_is_chosen(void)
{
    int asked;
    begin();
    ORR_CHECK(decide(orr__variants_of(1, 1, 3), (double[]){ 10, 12, 8 }, &asked) == 2);
    ORR_CHECK_MSG(asked > 3 && asked < 100, "%d", asked);
    ORR_CHECK(decide(orr__variants_of(1, 1, 3), (double[]){ 1, 12, 8 }, &asked) == 2 && asked == 0);
    ORR_CHECK(decide(orr__variants_of(1, 2, 3), (double[]){ 7, 12, 8 }, &asked) == 0 && asked > 3);
    ORR_CHECK(decide(orr__variants_of(2, 1, 4), (double[]){ 10, 12, 8, 3 }, &asked) == 3);
    ORR_CHECK(orr__variants_of(3, 1, 0) == NULL && orr__variants_of(3, 1, ORR__VARIANTS_MOST + 1) == NULL);
}

static void an_equally_fast_variant_is_not_chosen(void)
{
    int asked;
    begin();
    ORR_CHECK(decide(orr__variants_of(4, 1, 2), (double[]){ 10, 9.9 }, &asked) == 0);
    ORR_CHECK(decide(orr__variants_of(4, 2, 2), (double[]){ 10, 9 }, &asked) == 1);
}

static void a_fixed_machine_measures_nothing(void)
{
    int asked;
    begin();
    ORR_CHECK(decide(orr__variants_of(5, 1, 2), (double[]){ 10, 1 }, &asked) == 1);
    orr__env.machine = ORR__MACHINE_FIXED;
    ORR_CHECK(decide(orr__variants_of(5, 1, 2), (double[]){ 10, 1 }, &asked) == 0 && asked == 0);
    ORR_CHECK(decide(NULL, NULL, &asked) == 0 && asked == 0);
}

/* Keeps this thread busy for so many seconds. */
static void work(double seconds)
{
    double t0 = orr__cpu_time();
    while (orr__cpu_time() - t0 < seconds)
        continue;
}

/* n turns of a variant that takes `times`. Returns those of variant 1. */
static int turns(orr__variants *v, int n, const double *times)
{
    int slow = 0;
    for (int i = 0; i < n; i++) {
        orr__pick p = orr__variants_begin(v, 1);
        work(p.timed ? times[p.way] : 0);
        orr__variants_end(&p, 1);
        slow += p.way == 1;
    }
    return slow;
}

static void trials_need_leave_and_hopeless_ones_end(void)
{
    static const double slow[] = { 2e-4, 1e-3 }, fast[] = { 1e-3, 2e-4 };
    begin();
    orr__regret_clear(); /* no evaluations */
    ORR_CHECK(turns(orr__variants_of(8, 1, 2), 20, slow) == 0);
    orr__regret_evaluated(1000, 100);
    int n = turns(orr__variants_of(8, 1, 2), 40, slow);
    orr__regret now = orr__regret_now();
    ORR_CHECK_MSG(n == 2 && now.trials == 2, "%d trials of a variant that takes five times as long", n);
    ORR_CHECK_MSG(now.excess > 1e-3 && now.excess < 0.1, "%g s", now.excess);
    ORR_CHECK(turns(orr__variants_of(8, 2, 2), 40, fast) > 20);
    bool timed;
    ORR_CHECK(orr__variants_next(orr__variants_of(8, 2, 2), &timed) == 1 && !timed);
    orr__pick p = orr__variants_begin(orr__variants_of(8, 3, 2), 1);
    orr__variants_end(&p, 0); /* the work has failed: no time */
    ORR_CHECK(p.way == 0 && p.timed && orr__variants_of(8, 3, 2)->taken[0] == 0);
}

static void count(const orr__variants *v, int chosen, void *arg)
{
    int *n = arg;
    n[0]++;
    n[1] += v->kernel == 6 && v->size == 9 && v->n == 3 ? chosen : 100;
}

static void a_choice_of_another_process_is_taken(void)
{
    int n[2] = { 0, 0 }, asked;
    begin();
    orr__variants_put(6, 9, 3, 2);
    orr__variants_put(6, 9, 3, 1); /* the first one stays */
    orr__variants_put(6, 9, 3, 3);
    orr__variants_put(6, 9, 9, 1);
    orr__variants_each(count, n);
    ORR_CHECK_MSG(n[0] == 1 && n[1] == 2, "%d %d", n[0], n[1]);
    ORR_CHECK(decide(orr__variants_of(6, 9, 3), (double[]){ 1, 2, 3 }, &asked) == 2 && asked == 0);
    ORR_CHECK(orr__variants_forget() == 1);
    ORR_CHECK(decide(orr__variants_of(6, 9, 3), (double[]){ 1, 2, 3 }, &asked) == 0 && asked > 3);
}

/* tanh(x / (1 + x²)) · x, rounded after each operation. */
static orr_tensor *chain(orr_tensor *x)
{
    orr_tensor *d = orr_div(x, orr_add(orr_square(x), orr_scalar(1)));
    return orr_mul(orr_tanh(d), x);
}

static void either_tier_computes_f16(void)
{
    enum { N = 5000, TURNS = 40 };
    static float x[N], first[N], got[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - N / 2) / 700;
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_MACHINE", "measured", 1);
    (void)setenv("ORRERY_JIT", "wait", 1);
    (void)setenv("ORRERY_CACHE_DIR", orr_test_tmp("kernels"), 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *t = orr_cast(orr_from(ORR_F32, ORR_SHAPE(N), x), ORR_F16);
    ORR_REQUIRE(orr_eval(t) == ORR_OK);
    (void)orr__variants_forget();
    for (int i = 0; i < TURNS; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = chain(t);
        ORR_CHECK(orr_eval(y) == ORR_OK && orr_read(orr_cast(y, ORR_F32), i ? got : first, sizeof got) == ORR_OK);
        ORR_CHECK_MSG(i == 0 || memcmp(got, first, sizeof got) == 0, "turn %d", i);
        (void)orr_scope_end(s);
    }
    int n[2] = { 0 };
    orr__variants_each(count, n);
    ORR_CHECK_MSG(n[0] >= 1, "no tier is chosen");
    char *text = explained_text(chain(t));
    ORR_CHECK(text && (strstr(text, "tier 1, compiled") || strstr(text, "tier 0, faster here than compiled")));
    ORR_CHECK_MSG(text && !strstr(text, "could not be compiled"), "%s", text);
    free(text);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_fastest_way_is_chosen),
                                      ORR_TEST(an_equally_fast_variant_is_not_chosen),
                                      ORR_TEST(a_fixed_machine_measures_nothing),
                                      ORR_TEST(a_choice_of_another_process_is_taken),
                                      ORR_TEST(either_tier_computes_f16),
                                      ORR_TEST(trials_need_leave_and_hopeless_ones_end),
                                      { 0 } };
    return orr_test_main(argc, argv, "codelets.variants", tests);
}
