/* Cancelled evaluations and time limits: what has begun ends, the rest does not run, and the next evaluation is right.
 * Must not know: how work is stopped. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

/* The lanes: the calling thread, the workers by tasks, and the library's own choice, which has a crew. */
static const struct lane {
    const char *engine, *inline_us;
} lanes[] = { { "serial", "auto" }, { "starpu", "0" }, { "starpu", "auto" } };
enum { LANES = sizeof lanes / sizeof *lanes, N = 160, LINKS = 12, FEW = 100, MANY = 1000 };

static bool up(const struct lane *l)
{
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    (void)setenv("ORRERY_ENGINE", l->engine, 1);
    (void)setenv("ORRERY_INLINE_US", l->inline_us, 1);
    (void)setenv("STARPU_NCPU", "2", 1);
    bool is = orr_init(NULL) == ORR_OK;
    if (!is && orr_error_status() == ORR_EDEVICE)
        orr_error_clear();
    else
        ORR_CHECK_MSG(is, "%s", orr_error_message());
    return is;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- a chain whose values are known: each link moves the columns by one and adds one ------------------------------------- */

static orr_tensor *shift(void)
{
    static double p[N][N];
    for (int i = 0; i < N; i++)
        p[i][(i + 1) % N] = 1;
    return orr_from(ORR_F64, ORR_SHAPE(N, N), p);
}

static orr_tensor *ramp(void)
{
    return orr_reshape(orr_arange(ORR_F64, 0, N * N, 1), ORR_SHAPE(N, N));
}

static orr_tensor *chain(orr_tensor *x, orr_tensor *p)
{
    for (int k = 0; k < LINKS; k++)
        x = orr_add(orr_matmul(x, p), orr_scalar(1));
    return x;
}

/* True if t is the ramp after so many links. */
static bool is_after(orr_tensor *t, int links)
{
    static double got[N][N];
    bool all = orr_read(t, got, sizeof got) == ORR_OK;
    ORR_CHECK_MSG(all, "%s", orr_error_message());
    for (int i = 0; i < N && all; i++)
        for (int k = 0; k < N && all; k++)
            all = got[i][(k + links) % N] == i * N + k + links;
    return all;
}

/* -- ways to cancel ---------------------------------------------------------------------------------------------------- */

typedef struct {
    orr_event *event;
    double after;
} canceller;

static void *cancel(void *arg)
{
    const canceller *c = arg;
    double t0 = now();
    while (now() - t0 < c->after)
        (void)usleep(20);
    return (void *)(uintptr_t)orr_cancel(c->event);
}

/* Evaluates t, and cancels that after so many seconds. */
static orr_status by_limit(orr_tensor *t, double seconds)
{
    return orr_eval_for(t, seconds);
}

static orr_status by_thread(orr_tensor *t, double seconds)
{
    pthread_t thread = pthread_self();
    void *said = NULL;
    canceller c = { orr_cancellable_begin(INFINITY), seconds };
    ORR_CHECK(c.event && pthread_create(&thread, NULL, cancel, &c) == 0);
    orr_status st = orr_eval(t);
    ORR_CHECK(pthread_join(thread, &said) == 0 && said == (void *)ORR_OK);
    ORR_CHECK(orr_cancellable_end(c.event) == ORR_OK);
    return st;
}

typedef orr_status way(orr_tensor *t, double seconds);
static way *const ways[] = { by_limit, by_thread };

static double whole_time(orr_tensor *p)
{
    double best = 1;
    for (int i = 0; i < 5; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = chain(ramp(), p);
        double t0 = now();
        ORR_CHECK(orr_eval(t) == ORR_OK);
        double took = now() - t0;
        best = took < best ? took : best;
        ORR_CHECK(is_after(t, LINKS));
        orr_scope_end(s);
    }
    return best;
}

static double moment(unsigned long long *seed, double whole)
{
    return whole * 1.2 * (double)(orr_test_rand(seed) >> 11) * 0x1p-53;
}

/* One chain of tensors and one of a variable, which has `links` behind it. True if it was cancelled. */
static bool trial(way *w, orr_tensor *p, orr_tensor *v, int *links, double after)
{
    orr_scope *s = orr_scope_begin();
    bool assigns = *links >= 0;
    orr_tensor *t = assigns ? v : chain(ramp(), p);
    if (assigns)
        ORR_CHECK(orr_assign(v, chain(v, p)) == ORR_OK);
    orr_status st = w(t, after);
    bool cancelled = st == ORR_ECANCELLED;
    ORR_CHECK_MSG(st == ORR_OK || cancelled, "%s", orr_error_message());
    *links += assigns ? LINKS : 0;
    ORR_CHECK(is_after(t, assigns ? *links : LINKS));
    orr_scope_end(s);
    return cancelled;
}

static void random_moments(const struct lane *l, unsigned long long seed)
{
    if (!up(l))
        return;
    int trials = getenv("ORR_TEST_FULL") ? MANY : FEW, cancelled = 0, links[2] = { -1, 0 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = shift(), *v = orr_variable(ramp());
    double whole = whole_time(p);
    size_t live = 0;
    for (int i = 0; i < trials; i++) {
        cancelled += trial(ways[i % 2], p, v, &links[i / 2 % 2], moment(&seed, whole));
        if (i == trials / 2)
            live = orr_memory_stats().live;
    }
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
    ORR_CHECK_MSG(cancelled > trials / 10, "%d of %d", cancelled, trials);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void cancelled_at_random_moments_the_next_evaluation_is_right(void)
{
    for (int i = 0; i < LANES; i++)
        random_moments(&lanes[i], 42 + (unsigned long long)i);
}

/* -- events ---------------------------------------------------------------------------------------------------------------- */

static void a_cancelled_event_gives_values_or_ecancelled(void)
{
    unsigned long long seed = 7;
    ORR_REQUIRE(up(&lanes[1]) || up(&lanes[0]));
    orr_scope *outer = orr_scope_begin();
    orr_tensor *p = shift();
    double whole = whole_time(p);
    size_t live = 0;
    for (int i = 0; i < FEW; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = chain(ramp(), p);
        canceller c = { NULL, moment(&seed, whole) };
        ORR_CHECK(orr_eval_async(ORR_TENSORS(t), &c.event) == ORR_OK);
        ORR_CHECK(cancel(&c) == (void *)ORR_OK);
        orr_status st = orr_wait(c.event);
        if (st == ORR_OK)
            ORR_CHECK(is_after(t, LINKS));
        else
            ORR_CHECK(st == ORR_ECANCELLED && orr_eval(t) == ORR_ECANCELLED && orr_eval(orr_neg(t)) == ORR_ECANCELLED);
        ORR_CHECK(is_after(chain(ramp(), p), LINKS));
        ORR_CHECK(orr_cancel(c.event) == ORR_EHANDLE);
        orr_scope_end(s);
        live = i == FEW / 2 ? orr_memory_stats().live : live;
    }
    ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
    orr_scope_end(outer);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- a kernel that cancels the evaluation in which it runs ------------------------------------------------------------------ */

static atomic_int calls;
static orr_event *_Atomic at_third;

static int add_one(const orr_kernel_args *a)
{
    if (atomic_fetch_add(&calls, 1) == 2 && atomic_load(&at_third))
        (void)orr_cancel(atomic_load(&at_third));
    for (int64_t i = a->lo; i < a->hi; i++)
        ((double *)a->out)[i] = ((const double *)a->in[0].data)[i] + 1;
    return 0;
}

static orr_tensor *ten_calls(const orr_op *op, orr_tensor *x)
{
    for (int k = 0; k < 10; k++)
        x = orr_apply(op, ORR_TENSORS(x));
    return x;
}

static void check_rest(const struct lane *l)
{
    static const orr_kernel_def def = { .name = "add_one", .n_inputs = 1, .cpu = add_one };
    double item = 0;
    if (!up(l))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_kernel(&def);
    orr_tensor *v = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1)));
    ORR_CHECK(orr_eval(v) == ORR_OK);
    atomic_store(&calls, 0);
    orr_event *e = orr_cancellable_begin(3600);
    atomic_store(&at_third, e);
    ORR_CHECK(orr_assign(v, ten_calls(op, v)) == ORR_OK);
    ORR_CHECK(orr_eval(v) == ORR_ECANCELLED);
    ORR_CHECK_MSG(strstr(orr_error_message(), "cancel.c") && strstr(orr_error_message(), "orr_cancel"), "%s",
                  orr_error_message());
    ORR_CHECK_MSG(atomic_load(&calls) == 3, "%d calls", atomic_load(&calls));
    ORR_CHECK(orr_eval(orr_add(v, v)) == ORR_ECANCELLED && atomic_load(&calls) == 3);
    ORR_CHECK(orr_cancellable_end(e) == ORR_OK && orr_cancellable_end(e) == ORR_EHANDLE);
    ORR_CHECK(orr_item(v, &item) == ORR_OK && item == 10 && atomic_load(&calls) == 13);
    atomic_store(&at_third, NULL);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void what_has_begun_ends_and_the_rest_does_not_run(void)
{
    for (int i = 0; i < LANES; i++)
        check_rest(&lanes[i]);
}

static int sleeps(const orr_kernel_args *a)
{
    (void)usleep(200000);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

/* One step of 4·10⁸ products in a field, a minute of a processor at 150 ns each, ends in its middle. */
static void a_long_step_ends_in_its_middle(void)
{
    enum { TERMS = 20000 };
    for (int i = 0; i < LANES; i++) {
        if (!up(&lanes[i]))
            continue;
        orr_scope *s = orr_scope_begin();
        orr_tensor *c = orr_cast(orr_arange(ORR_I32, 0, TERMS, 1), ORR_FR254), *y = orr_field_poly_eval(c, c);
        ORR_CHECK_MSG(orr_eval(c) == ORR_OK, "%s", orr_error_message());
        double from = now();
        orr_status st = orr_eval_for(y, 0.1);
        ORR_CHECK_MSG(st == ORR_ECANCELLED, "%s: %s", lanes[i].engine, orr_error_message());
        orr_error_clear();
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK); /* waits for tasks that have begun */
        ORR_CHECK_MSG(now() - from < 5, "%s, ORRERY_INLINE_US=%s: %g s", lanes[i].engine, lanes[i].inline_us,
                      now() - from);
    }
}

static void a_limit_bounds_the_wait_for_another_evaluation(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    double item = 0;
    if (!up(&lanes[1]))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    orr_event *event;
    orr_tensor *t = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_full(ORR_F64, ORR_SHAPE(1), 5.0)));
    ORR_CHECK(orr_eval_async(ORR_TENSORS(t), &event) == ORR_OK);
    ORR_CHECK(orr_eval_for(t, 0.001) == ORR_ECANCELLED);
    ORR_CHECK(orr_item(t, &item) == ORR_OK && item == 5);
    ORR_CHECK(orr_wait(event) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- contracts ----------------------------------------------------------------------------------------------------------- */

static void an_event_with_assignments_goes_on_and_says_so(void)
{
    double item = 0;
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    if (!up(&lanes[1]))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    orr_event *event;
    orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 5.0));
    ORR_CHECK(orr_assign(v, orr_apply(orr_define_kernel(&def), ORR_TENSORS(v))) == ORR_OK);
    ORR_CHECK(orr_eval_async(ORR_TENSORS(v), &event) == ORR_OK);
    ORR_CHECK(orr_cancel(event) == ORR_ESTATE && strstr(orr_error_message(), "goes on"));
    ORR_CHECK(orr_wait(event) == ORR_OK);
    ORR_CHECK(orr_item(v, &item) == ORR_OK && item == 5);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void limits_and_stretches_are_checked(void)
{
    ORR_REQUIRE(up(&lanes[0]));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_neg(orr_full(ORR_F64, ORR_SHAPE(3), 2.0));
    ORR_CHECK(orr_eval_for(t, -1) == ORR_EINVAL && orr_eval_for(t, (double)NAN) == ORR_EINVAL);
    ORR_CHECK(!orr_cancellable_begin(-1) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(orr_cancel(NULL) == ORR_EINVAL && orr_cancellable_end(NULL) == ORR_EINVAL);
    ORR_CHECK(orr_eval_for(t, 0) == ORR_ECANCELLED && strstr(orr_error_message(), "limit of 0 s"));
    ORR_CHECK(orr_eval_for(t, INFINITY) == ORR_OK);
    ORR_CHECK(orr_eval_for(t, 0) == ORR_OK); /* the value exists */

    orr_event *a = orr_cancellable_begin(INFINITY), *b = orr_cancellable_begin(INFINITY), *e = NULL;
    ORR_CHECK(orr_cancellable_end(a) == ORR_EINVAL && orr_wait(a) == ORR_EINVAL && !orr_event_done(a));
    ORR_CHECK(orr_eval_async(ORR_TENSORS(orr_neg(t)), &e) == ORR_OK);
    ORR_CHECK(orr_cancellable_end(e) == ORR_EINVAL && orr_wait(e) == ORR_OK);
    ORR_CHECK(orr_cancel(a) == ORR_OK && orr_eval(orr_neg(t)) == ORR_ECANCELLED); /* the outer one counts, too */
    ORR_CHECK(orr_cancellable_end(b) == ORR_OK && orr_eval(orr_neg(t)) == ORR_ECANCELLED);
    ORR_CHECK(orr_cancellable_end(a) == ORR_OK && orr_eval(orr_neg(t)) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cancelled_at_random_moments_the_next_evaluation_is_right),
                                      ORR_TEST(a_cancelled_event_gives_values_or_ecancelled),
                                      ORR_TEST(what_has_begun_ends_and_the_rest_does_not_run),
                                      ORR_TEST(a_long_step_ends_in_its_middle),
                                      ORR_TEST(a_limit_bounds_the_wait_for_another_evaluation),
                                      ORR_TEST(an_event_with_assignments_goes_on_and_says_so),
                                      ORR_TEST(limits_and_stretches_are_checked),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.cancel", tests);
}
