/* The cost of a task through the engine, beside a bare empty StarPU task with the same buffers.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <starpu.h>
#include <unistd.h>
#include "tests/harness/engine_plans.h"
#include "runtime/engine/starpu/starpu.h"

enum { TASKS = 1000, ROUNDS = 9 };

static orr_status nothing(orr__kernel *k, const orr__launch *l)
{
    (void)k;
    (void)l;
    return ORR_OK;
}
static const orr__backend empty_backend = { .name = "empty", .launch = nothing };

static void empty(void *buffers[], void *arg)
{
    (void)buffers;
    (void)arg;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *t)
{
    qsort(t, ROUNDS, sizeof *t, by_value);
    return t[ROUNDS / 2];
}

static struct starpu_codelet bare_cl = { .cpu_funcs = { empty }, .nbuffers = STARPU_VARIABLE_NBUFFERS };

/* Seconds per task with n buffers, the first of which is written. */
static double bare(int n, starpu_data_handle_t *in, starpu_data_handle_t *out)
{
    double t0;

    orr__star_wake(false);
    t0 = orr__now();
    for (int i = 0; i < TASKS; i++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &bare_cl;
        task->nbuffers = n;
        task->handles[0] = out[i];
        task->modes[0] = STARPU_W;
        task->handles[1] = in[0];
        task->modes[1] = STARPU_R;
        if (starpu_task_submit(task) != 0)
            return 0;
    }
    starpu_task_wait_for_all();
    t0 = orr__now() - t0;
    orr__star_rest(false);
    return t0 / TASKS;
}

static double ours(hand *h, orr__buffer *leaf)
{
    orr__buffer *out;
    double t0 = orr__now();

    if (hand_run(h, &leaf, 0, &out) != ORR_OK)
        return 0;
    t0 = orr__now() - t0;
    orr__buffer_unref(out);
    return t0 / TASKS;
}

/* Seconds of one run of one task, with a wait; and of the same on the calling thread. */
static double single(hand *h, orr__buffer *leaf)
{
    orr__buffer *out;
    double t0 = orr__now();

    for (int i = 0; i < 200; i++) {
        if (hand_run(h, &leaf, 0, &out) != ORR_OK)
            return 0;
        orr__buffer_unref(out);
    }
    return (orr__now() - t0) / 200;
}

static void a_task_costs_little_more_than_a_bare_one(void)
{
    hand *h = hand_new(), *one = hand_new();
    int x = hand_leaf(h, TASKS);
    double b0[ROUNDS], b2[ROUNDS], o[ROUNDS], s[ROUNDS], l[ROUNDS], m0, m2, mo;
    starpu_data_handle_t handle[TASKS + 1];
    static double room[TASKS + 1];
    orr__buffer *leaf = ramp(TASKS, 0);

    hand_output(h, hand_step(h, TASKS, TASKS, false, 1, &x));
    x = hand_leaf(one, TASKS);
    hand_output(one, hand_step(one, TASKS, 1, false, 1, &x));
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    orr__exec_cpu = &empty_backend;
    for (int i = 0; i <= TASKS; i++)
        starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&room[i], sizeof room[i]);
    for (int r = 0; r < ROUNDS; r++) {
        b0[r] = bare(0, handle, handle + 1);
        b2[r] = bare(2, handle, handle + 1);
        o[r] = ours(h, leaf);
        one->plan.us = 1e6;
        s[r] = single(one, leaf);
        one->plan.us = 1;
        l[r] = single(one, leaf);
    }
    m0 = median(b0);
    m2 = median(b2);
    mo = median(o);
    printf("  %s: bare %.2f us, bare with 2 buffers %.2f us, ours with 2 buffers %.2f us: %.2f of bare\n",
           orr__engine_name(), 1e6 * m0, 1e6 * m2, 1e6 * mo, mo / m2);
    printf("  one task and a wait %.2f us, inline %.3f us\n", 1e6 * median(s), 1e6 * median(l));
    ORR_CHECK(m2 > 0 && mo > 0 && mo < 4 * m2); /* the machine may be busy; the benchmark has the actual bound */
    for (int i = 0; i <= TASKS; i++)
        starpu_data_unregister(handle[i]);
    orr__buffer_unref(leaf);
    orr__engine_stop();
    free(h);
    free(one);
}

/* Work is shared for a caller that returns within twice the time of the work, here always, or after a long rest, if no other
 * run is in progress. */
static void work_is_shared_with_who_asks_again_at_once(void)
{
    const double for_ever = 1e15, short_us = 1;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    ORR_CHECK(!orr__star_share(for_ever, false)); /* the first call */
    ORR_CHECK(orr__star_share(for_ever, false) && orr__star_share(for_ever, false));
    orr__star_wake(true);
    ORR_CHECK(!orr__star_share(for_ever, false));
    orr__star_rest(true);
    ORR_CHECK(orr__star_share(for_ever, false));
    (void)usleep(10000);
    ORR_CHECK(!orr__star_share(short_us, false));
    orr__engine_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_task_costs_little_more_than_a_bare_one),
                                      ORR_TEST(work_is_shared_with_who_asks_again_at_once),
                                      { 0 } };
    int failed = orr_test_main(argc, argv, "engine.task", tests);

    orr__pool_trim();
    return failed;
}
