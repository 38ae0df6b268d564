/* A crew: each share is done once, jobs follow each other, errors reach the caller; a crew does a series of short plans.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include "runtime/base/threshold.h"
#ifdef HAVE_STARPU
#include "runtime/engine/starpu/starpu.h"
#endif
#include "tests/harness/engine_plans.h"

/* -- the protocol, with threads of the test ---------------------------------------------------------------------------- */

enum { MEMBERS = 4, JOBS = 3000, SHARES = 7 };

static orr__crew crew;
static unsigned trip;

/* Per share: the number of its jobs. A share reads the writes of all shares in the previous job. */
typedef struct {
    int done[2][SHARES];
    int number, fails;
    atomic_int wrong;
} counts;

static orr_status count(void *job, int share)
{
    counts *c = job;
    const int *before = c->done[(c->number + 1) % 2];
    for (int i = 0; i < SHARES; i++)
        if (before[i] != c->number)
            atomic_fetch_add(&c->wrong, 1);
    c->done[c->number % 2][share] = before[share] + 1;
    if (c->fails && share == 3)
        return orr__fail(HERE, ORR_EINVAL, "share %d of job %d", share, c->number);
    return ORR_OK;
}

static void *help(void *arg)
{
    orr__crew_help(&crew, trip, (int)(intptr_t)arg);
    return NULL;
}

static void shares_are_done_once_each_job_after_job(void)
{
    static counts c;
    pthread_t t[MEMBERS];
    trip = orr__crew_open(&crew, MEMBERS);
    for (int i = 1; i < MEMBERS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, help, (void *)(intptr_t)i) == 0);
    for (c.number = 0; c.number < JOBS; c.number++)
        ORR_CHECK(orr__crew_do(&crew, SHARES, 0, count, &c) == ORR_OK);
    c.fails = 1;
    ORR_CHECK(orr__crew_do(&crew, SHARES, 0, count, &c) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "share 3 of job 3000") != NULL, "%s", orr_error_message());
    orr_error_clear();
    orr__crew_close(&crew);
    for (int i = 1; i < MEMBERS; i++)
        pthread_join(t[i], NULL);
    ORR_CHECK_MSG(atomic_load(&c.wrong) == 0, "%d shares saw an unfinished job", atomic_load(&c.wrong));
}

static void nobody_waits_for_helpers_that_are_late(void)
{
    counts c = { .number = 0 };
    trip = orr__crew_open(&crew, MEMBERS);
    ORR_CHECK(orr__crew_do(&crew, SHARES, 0, count, &c) == ORR_OK); /* without helpers */
    orr__crew_close(&crew);
    (void)help((void *)(intptr_t)1); /* the crew has ended: it returns */
    trip = orr__crew_open(&crew, 1);
    c.number = 1;
    ORR_CHECK(orr__crew_do(&crew, SHARES, 0, count, &c) == ORR_OK && atomic_load(&c.wrong) == 0);
    orr__crew_close(&crew);
}

enum { LATE_MS = 400 };
static pthread_t leader;
static atomic_bool helped;

/* The helper's share lasts long; the leader's ends once the helper has one. */
static orr_status last_long(void *job, int share)
{
    (void)job, (void)share;
    if (!pthread_equal(pthread_self(), leader)) {
        atomic_store(&helped, true);
        (void)usleep(LATE_MS * 1000);
    }
    while (!atomic_load(&helped))
        (void)usleep(1000);
    return ORR_OK;
}

static double my_cpu_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void the_leader_sleeps_while_a_share_is_late(void)
{
    pthread_t t;
    leader = pthread_self();
    trip = orr__crew_open(&crew, 2);
    ORR_REQUIRE(pthread_create(&t, NULL, help, (void *)(intptr_t)1) == 0);
    double t0 = my_cpu_time();
    ORR_CHECK(orr__crew_do(&crew, 2, 0, last_long, NULL) == ORR_OK);
    double took = my_cpu_time() - t0;
    orr__crew_close(&crew);
    pthread_join(t, NULL);
    ORR_CHECK_MSG(took < 0.25 * 1e-3 * LATE_MS, "%g s of a processor", took);
}

static atomic_int starts;

/* The helper's share takes ten times as long as one of the leader's. */
static orr_status slow_for_helpers(void *job, int share)
{
    (void)job, (void)share;
    bool leads = pthread_equal(pthread_self(), leader);
    atomic_fetch_add(&starts, 1);
    while (leads && atomic_load(&starts) < 2)
        (void)usleep(100);
    (void)usleep(leads ? 500 : 5000);
    return ORR_OK;
}

/* A member that is late, slow or absent makes shares small for some jobs; a short job tells nothing. */
static void a_slow_member_makes_shares_small(void)
{
    const double us = 1000;
    pthread_t t;
    leader = pthread_self();
    trip = orr__crew_open(&crew, 2);
    ORR_CHECK(!orr__crew_is_uneven(&crew));
    ORR_REQUIRE(pthread_create(&t, NULL, help, (void *)(intptr_t)1) == 0);
    atomic_store(&starts, 0);
    ORR_CHECK(orr__crew_do(&crew, 2, 1, slow_for_helpers, NULL) == ORR_OK && !orr__crew_is_uneven(&crew));
    atomic_store(&starts, 0);
    ORR_CHECK(orr__crew_do(&crew, 2, us, slow_for_helpers, NULL) == ORR_OK && orr__crew_is_uneven(&crew));
    orr__crew_close(&crew);
    pthread_join(t, NULL);
    counts c = { .number = 0 };
    trip = orr__crew_open(&crew, 1);
    for (; c.number < ORR__T_CREW_CONTENDED; c.number++) /* one member does as much as each */
        ORR_CHECK(orr__crew_is_uneven(&crew) && orr__crew_do(&crew, SHARES, us, count, &c) == ORR_OK);
    ORR_CHECK(!orr__crew_is_uneven(&crew));
    orr__crew_close(&crew);
    counts absent = { .number = 0 };
    trip = orr__crew_open(&crew, 2);
    ORR_CHECK(orr__crew_do(&crew, SHARES, us, count, &absent) == ORR_OK && orr__crew_is_uneven(&crew));
    orr__crew_close(&crew);
}

/* A share whose number was last used days ago can be claimed. */
static void jobs_do_not_run_out_of_numbers(void)
{
    counts c = { .number = 0 };
    (void)orr__crew_open(&crew, 1);
    atomic_fetch_add(&crew.offer, (uint64_t)3 << (31 + 16));
    ORR_CHECK(orr__crew_do(&crew, SHARES, 0, count, &c) == ORR_OK && atomic_load(&c.wrong) == 0);
    orr__crew_close(&crew);
}

/* -- by the engine ------------------------------------------------------------------------------------------------------- */

#ifdef HAVE_STARPU
enum { N = 1000, STEPS = 3, ROW = 20000 };

/* Three shared steps: x + 3 c. Their predicted time is 30 us each. */
static hand *short_plan(void)
{
    hand *h = hand_new();
    int v = hand_leaf(h, N);
    for (int i = 0; i < STEPS; i++) {
        v = hand_step(h, N, 1, false, 1, &v);
        h->step[i].cost.us = 30;
        h->step[i].shared = true;
    }
    hand_output(h, v);
    h->plan.us = h->plan.lanes.alone = 90;
    h->plan.lanes.together = 50;
    h->plan.lanes.tasks = 200;
    return h;
}

static bool up(void)
{
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)unsetenv("ORRERY_INLINE_US");
    return engine_up("starpu") == ORR_OK && orr__star.cpus == 2;
}

/* Calls in sequence until a crew forms; true if one formed. */
static bool row_of_calls(hand *h, orr__buffer *leaf)
{
    bool formed = false;
    for (int k = 0; k < ROW && !formed; k++) {
        orr__buffer *out[1];
        orr__scalar c = { .f = 2 };
        bool ran = orr__engine_execute(HERE, &h->plan, &leaf, &c, out, NULL) == ORR_OK;
        ORR_CHECK_MSG(ran, "%s", orr_error_message());
        if (!ran)
            return false;
        ORR_CHECK(is_ramp(out[0], N, 3 * 2, 1));
        orr__buffer_unref(out[0]);
        formed = orr__star_crew_is_formed();
    }
    return formed;
}
#endif

static void a_row_of_short_plans_has_a_crew(void)
{
#ifdef HAVE_STARPU
    ORR_REQUIRE(up());
    hand *h = short_plan();
    orr__buffer *leaf = ramp(N, 0), *out[1];
    orr__scalar c = { .f = 2 };
    ORR_CHECK(row_of_calls(h, leaf));
    int launches = atomic_load(&h->kernel[1].launches);
    ORR_CHECK(row_of_calls(h, leaf)); /* the crew does its first call */
    ORR_CHECK_MSG(atomic_load(&h->kernel[1].launches) - launches == 3, "%d launches of a step that three shares make",
                  atomic_load(&h->kernel[1].launches) - launches);
    for (int k = 0; k < 1000 && orr__star_crew_is_formed(); k++)
        (void)usleep(5000);
    ORR_CHECK(!orr__star_crew_is_formed()); /* idle helpers leave */

    ORR_CHECK(row_of_calls(h, leaf));
    h->plan.us = 1e6;
    h->plan.lanes.together = h->plan.lanes.alone = 1e6;
    h->plan.lanes.tasks = 5e5; /* tasks need the workers */
    h->plan.ntasks = 2;
    ORR_CHECK(orr__engine_execute(HERE, &h->plan, &leaf, &c, out, NULL) == ORR_OK);
    ORR_CHECK(!orr__star_crew_is_formed() && is_ramp(out[0], N, 3 * 2, 1));
    orr__buffer_unref(out[0]);

    h->plan.us = 90;
    h->plan.lanes.together = 50;
    ORR_CHECK(row_of_calls(h, leaf));
    orr__engine_stop(); /* while the crew exists */
    ORR_CHECK(!orr__star_crew_is_formed());
    orr__buffer_unref(leaf);
    free(h);
#else
    NEED_STARPU;
#endif
}

#ifdef HAVE_STARPU
static orr__buffer *long_read;

static void *long_caller(void *plan)
{
    hand *h = plan;
    orr__buffer *out[1];
    orr__scalar c = { .f = 2 };
    bool right =
        orr__engine_execute(HERE, &h->plan, &long_read, &c, out, NULL) == ORR_OK && is_ramp(out[0], N, 3 * 2, 1);
    if (right)
        orr__buffer_unref(out[0]);
    return right ? plan : NULL;
}
#endif

#ifdef HAVE_STARPU
/* Calls of `us` µs of work after rests of at least rest_us; returns how often sleeping members were woken for them, after the calls from
 * which the rests are learned. A crew that ends in a long rest is formed again. */
static unsigned wakes(hand *h, orr__buffer *leaf, double us, useconds_t rest_us)
{
    enum { LEARN = 40, CALLS = 20 };
    unsigned before = 0, all = 0;
    h->plan.us = h->plan.lanes.alone = 90;
    h->plan.lanes.together = 50;
    ORR_CHECK(row_of_calls(h, leaf));
    h->plan.us = h->plan.lanes.alone = us;
    h->plan.lanes.together = 0.5 * us;
    for (int k = 0; k < LEARN + CALLS; k++) {
        orr__buffer *out[1];
        orr__scalar c = { .f = k };
        (void)usleep(rest_us);
        before = orr__star_crew_wakes();
        bool ran = orr__engine_execute(HERE, &h->plan, &leaf, &c, out, NULL) == ORR_OK;
        ORR_CHECK_MSG(ran, "%s", orr_error_message());
        if (!ran)
            break;
        ORR_CHECK(is_ramp(out[0], N, 3.0 * k, 1));
        orr__buffer_unref(out[0]);
        all += k >= LEARN ? orr__star_crew_wakes() - before : 0;
    }
    return all;
}
#endif

/* Work that wakes sleeping members: 100 µs where calls follow each other closely, 350 µs after rests of 10 ms; other load makes a rest longer. */
static void sleeping_members_are_woken_for_work_that_is_worth_it(void)
{
#ifdef HAVE_STARPU
    enum { TRIES = 20, SHORT_REST = 1000, LONG_REST = 10000 };
    ORR_CHECK(setenv("ORRERY_ABLATE", "trial", 1) == 0); /* a plan's time is the predicted one */
    ORR_REQUIRE(up());
    hand *h = short_plan();
    orr__buffer *leaf = ramp(N, 0);
    unsigned woken = 0;
    for (int k = 0; k < TRIES && woken == 0; k++)
        woken = wakes(h, leaf, 240, SHORT_REST);
    ORR_CHECK_MSG(woken > 0, "240 us of work after rests of 1 ms woke nobody");
    woken = 0;
    for (int k = 0; k < TRIES && woken == 0; k++)
        woken = wakes(h, leaf, 400, LONG_REST);
    ORR_CHECK_MSG(woken > 0, "400 us of work after rests of 10 ms woke nobody");
    unsigned little = wakes(h, leaf, 90, LONG_REST), cold = wakes(h, leaf, 300, LONG_REST);
    ORR_CHECK_MSG(little == 0, "%u wakes for 90 us of work", little);
    ORR_CHECK_MSG(cold == 0, "%u wakes for 300 us of work after rests of 10 ms", cold);
    orr__engine_stop();
    orr__buffer_unref(leaf);
    free(h);
    ORR_CHECK(unsetenv("ORRERY_ABLATE") == 0);
#else
    NEED_STARPU;
#endif
}

/* A long plan is done by a crew until another caller has waited for one; a short plan always. */
static void another_callers_work_waits_once(void)
{
#ifdef HAVE_STARPU
    enum { TRIES = 500 };
    const double long_us = 1e6, short_us = 1e3;
    ORR_REQUIRE(up());
    hand *h = short_plan(), *other = short_plan();
    atomic_bool gate = false;
    pthread_t t;
    void *right = NULL;
    orr__buffer *out[1];
    orr__run *run = NULL;
    orr__scalar c = { .f = 1 };
    long_read = ramp(N, 0);
    h->plan.us = h->plan.lanes.alone = long_us;
    h->plan.lanes.together = 0.5 * long_us;
    h->plan.lanes.tasks = 0.6 * long_us;
    h->kernel[2].gate = &gate;
    h->kernel[2].seconds = 60; /* at most */
    ORR_CHECK(!orr__star_crew_is_in_the_way(long_us));
    ORR_REQUIRE(pthread_create(&t, NULL, long_caller, h) == 0);
    for (int i = 0; i < TRIES && atomic_load(&h->kernel[1].launches) == 0; i++)
        (void)usleep(10000);
    ORR_CHECK(orr__star_crew_is_formed());
    other->plan.us = other->plan.lanes.together = long_us;
    other->plan.ntasks = 2;
    ORR_CHECK(orr__engine_execute(HERE, &other->plan, &long_read, &c, out, &run) == ORR_OK);
    ORR_CHECK(orr__star_crew_is_in_the_way(long_us) && !orr__star_crew_is_in_the_way(short_us));
    atomic_store(&gate, true);
    ORR_REQUIRE(pthread_join(t, &right) == 0);
    ORR_CHECK(right != NULL);
    ORR_CHECK(orr__run_wait(run) == ORR_OK && is_ramp(out[0], N, 3 * 1, 1));
    orr__run_unref(run);
    orr__buffer_unref(out[0]);
    for (int i = 0; i < TRIES && orr__star_crew_is_in_the_way(long_us); i++)
        (void)usleep(10000);
    ORR_CHECK(!orr__star_crew_is_in_the_way(long_us));
    orr__engine_stop();
    orr__buffer_unref(long_read);
    free(h);
    free(other);
#else
    NEED_STARPU;
#endif
}

static void an_error_in_a_crew_reaches_the_caller(void)
{
#ifdef HAVE_STARPU
    ORR_REQUIRE(up());
    hand *h = short_plan();
    orr__buffer *leaf = ramp(N, 0), *out[1];
    orr__scalar c = { .f = 2 };
    ORR_CHECK(row_of_calls(h, leaf));
    h->kernel[1].fail_row = 900; /* in the last share */
    orr_status st = orr__engine_execute(HERE, &h->plan, &leaf, &c, out, NULL);
    ORR_CHECK_MSG(st == ORR_EINDEX && strstr(orr_error_message(), "row 900 is bad"), "%d %s", (int)st,
                  orr_error_message());
    orr_error_clear();
    h->kernel[1].fail_row = -1;
    ORR_CHECK(row_of_calls(h, leaf));
    orr__engine_stop();
    orr__buffer_unref(leaf);
    free(h);
#else
    NEED_STARPU;
#endif
}

#ifdef HAVE_STARPU
static orr__buffer *both_read;
static atomic_int wrong_answers;

static void *caller(void *plan)
{
    hand *h = plan;
    for (int k = 0; k < 400; k++) {
        orr__buffer *out[1];
        orr__scalar c = { .f = k };
        if (orr__engine_execute(HERE, &h->plan, &both_read, &c, out, NULL) != ORR_OK || !is_ramp(out[0], N, 3 * k, 1))
            atomic_fetch_add(&wrong_answers, 1);
        else
            orr__buffer_unref(out[0]);
    }
    return NULL;
}
#endif

static void callers_beside_each_other_are_right(void)
{
#ifdef HAVE_STARPU
    enum { CALLERS = 4 };
    ORR_REQUIRE(up());
    hand *h = short_plan();
    pthread_t t[CALLERS];
    both_read = ramp(N, 0);
    ORR_CHECK(row_of_calls(h, both_read));
    for (int i = 0; i < CALLERS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, caller, h) == 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(t[i], NULL);
    ORR_CHECK_MSG(atomic_load(&wrong_answers) == 0, "%d wrong", atomic_load(&wrong_answers));
    orr__engine_stop();
    orr__buffer_unref(both_read);
    free(h);
#else
    NEED_STARPU;
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(shares_are_done_once_each_job_after_job),
        ORR_TEST(nobody_waits_for_helpers_that_are_late),
        ORR_TEST(the_leader_sleeps_while_a_share_is_late),
        ORR_TEST(a_slow_member_makes_shares_small),
        ORR_TEST(jobs_do_not_run_out_of_numbers),
        ORR_TEST(a_row_of_short_plans_has_a_crew),
        ORR_TEST(sleeping_members_are_woken_for_work_that_is_worth_it),
        ORR_TEST(another_callers_work_waits_once),
        ORR_TEST(an_error_in_a_crew_reaches_the_caller),
        ORR_TEST(callers_beside_each_other_are_right),
        { 0 },
    };
    int failed = orr_test_main(argc, argv, "engine.crew", tests);

    orr__pool_trim();
    return failed;
}
