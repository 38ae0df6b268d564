/* Small steps become bundles: the number of tasks, their order, their memory, and equal values.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "tests/harness/plan_help.h"

enum { LAYERS = 20 };
static void independent_steps_are_a_task_for_each_worker(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *t[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        t[i] = orr_sum(fresh_values(100, 100 + i), ORR_AXES(1), false);
    for (int workers = 1; workers <= 4; workers *= 2) {
        orr__plan *p = plan_of(t, LAYERS, workers);
        ORR_REQUIRE(p != NULL);
        ORR_CHECK(p->nstep >= LAYERS);
        ORR_CHECK_MSG(tasks_of(p) < LAYERS / 2, "%d tasks", tasks_of(p));
        double most = 0;
        for (int i = 0; i < p->nstep; i++)
            if (orr__plan_head(p, i) == i && us_of(p, i) > most)
                most = us_of(p, i);
        if (p->us > workers * orr__task_worth() / 8)
            ORR_CHECK_MSG(tasks_of(p) >= workers && most < 1.5 * p->us / workers, "%d tasks, %g of %g us", tasks_of(p),
                          most, p->us);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void a_chain_of_small_steps_is_one_task(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = fresh_values(8, 8), *y = x;
    for (int i = 0; i < LAYERS; i++)
        y = orr_matmul(y, x);
    orr__plan *p = plan_of(&y, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK(p->nstep == LAYERS && tasks_of(p) == 1);
    int local = 0;
    for (int i = 0; i < p->nvalue; i++)
        local += p->value[i].local;
    ORR_CHECK(local == LAYERS - 1 && p->memory.nslot == 0 && p->step[0].bundle.nuse == 2);
    ORR_CHECK_MSG(p->memory.scratch_bytes == 2 * 8 * 8 * sizeof(float), "%zu", p->memory.scratch_bytes);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void small_steps_behind_each_large_one_come_together(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    enum { N = 6 };
    orr_tensor *out[N], *w = fresh_values(512, 512), *y = fresh_values(512, 512);
    for (int i = 0; i < N; i++) { /* the products take long; each feeds the next, and one small step */
        y = orr_matmul(y, w);
        out[i] = orr_sum(orr_slice(y, ORR_INDEX(0, 0), ORR_INDEX(8, 8), ORR_NO_INDEX), ORR_AXES(0), false);
    }
    orr__plan *p = plan_of(out, N, 2);
    ORR_REQUIRE(p != NULL);
    int bundles = 0;
    for (int i = 0; i < p->nstep; i++) {
        bundles += p->step[i].bundle.members > 1;
        if (p->step[i].region->loops == ORR__LOOPS_PRODUCT)
            ORR_CHECK(p->step[i].bundle.members <= 1 && orr__plan_head(p, i) == i);
    }
    ORR_CHECK_MSG(bundles == 1, "%d bundles", bundles);
    (void)critical_path(p); /* no later step reads its result */
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Parallel chains with a common end: a bundle must not contain steps of several chains. */
static void parallel_chains_stay_parallel(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *sum = NULL, *w = fresh_values(128, 128);
    for (int c = 0; c < 4; c++) {
        orr_tensor *y = fresh_values(128, 128);
        for (int i = 0; i < 4; i++)
            y = orr_matmul(y, w);
        sum = sum ? orr_matmul(sum, y) : y;
    }
    orr__plan *p = plan_of(&sum, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK_MSG(tasks_of(p) < p->nstep && critical_path(p) <= 0.8 * p->us, "%d tasks of %d steps, %g of %g us",
                  tasks_of(p), p->nstep, critical_path(p), p->us);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* As in the backward pass of a network: branches of a chain do not become part of it. */
static void branches_of_a_chain_run_beside_it(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    enum { N = 16 };
    orr_tensor *out[N], *w = fresh_values(96, 96), *y = fresh_values(96, 96);
    for (int i = 0; i < N; i++) {
        y = orr_matmul(y, w);
        out[i] = orr_matmul(orr_transpose(y), y);
    }
    orr__plan *p = plan_of(out, N, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK_MSG(tasks_of(p) < p->nstep / 2 && critical_path(p) <= 0.7 * p->us, "%d tasks of %d steps, %g of %g us",
                  tasks_of(p), p->nstep, critical_path(p), p->us);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void without_fusion_every_step_is_a_task(void)
{
    ORR_REQUIRE(setenv("ORRERY_FUSE", "off", 1) == 0 && orr_init(NULL) == ORR_OK);
    orr_tensor *x = fresh_values(8, 8), *y = orr_matmul(orr_matmul(x, x), x);
    orr__plan *p = plan_of(&y, 1, 2);
    ORR_REQUIRE(p != NULL);
    ORR_CHECK(p->nstep == 2 && tasks_of(p) == 2 && p->ntasks == 2);
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0);
}

/* Otherwise a task would wait for the readers of the memory that it writes. On the calling thread the same plan has two
 * slots, used in turn. */
static void little_values_of_tasks_have_memory_of_their_own(void)
{
    for (int inline_us = 0; inline_us <= 1000; inline_us += 1000) {
        char text[16];
        (void)snprintf(text, sizeof text, "%d", inline_us);
        ORR_REQUIRE(setenv("ORRERY_FUSE", "off", 1) == 0 && setenv("ORRERY_INLINE_US", text, 1) == 0 &&
                    orr_init(NULL) == ORR_OK);
        orr_tensor *x = fresh_values(8, 8), *y = x;
        for (int i = 0; i < LAYERS; i++)
            y = orr_matmul(y, x);
        orr__plan *p = plan_of(&y, 1, 2);
        ORR_REQUIRE(p != NULL);
        ORR_CHECK_MSG(p->memory.nslot == (inline_us ? 2 : LAYERS - 1), "%d slots", p->memory.nslot);
        orr__plan_unref(p);
        ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0 && unsetenv("ORRERY_INLINE_US") == 0);
    }
}

static void the_plan_prints_its_bundles(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = fresh_values(8, 8), *y = orr_matmul(orr_matmul(x, x), x);
    orr__plan *p = plan_of(&y, 1, 2);
    char text[4096] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    ORR_REQUIRE(p != NULL && to != NULL);
    orr__plan_print(to, p);
    (void)fclose(to);
    ORR_CHECK(strstr(text, "2 steps, 1 tasks") && strstr(text, "bundle of 2 steps, one task"));
    orr__plan_unref(p);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Twenty parameters, their moments and new values, all forced into tasks: the same numbers with and without bundles. */
static void update(float *to, const char *fuse, const char *inline_us)
{
    ORR_REQUIRE(setenv("ORRERY_FUSE", fuse, 1) == 0 && setenv("ORRERY_INLINE_US", inline_us, 1) == 0 &&
                orr_init(NULL) == ORR_OK);
    orr_seed(7);
    orr_tensor *p[LAYERS], *x = fresh_values(16, 16);
    for (int i = 0; i < LAYERS; i++) {
        p[i] = orr_variable(fresh_values(16, 16));
        x = orr_tanh(orr_matmul(x, p[i]));
    }
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < LAYERS; i++)
            ORR_CHECK(orr_assign(p[i], orr_sub(p[i], orr_mul(orr_matmul(p[i], x), orr_scalar(0.01)))) == ORR_OK);
        ORR_CHECK(orr_eval_all(p, LAYERS) == ORR_OK);
    }
    for (int i = 0; i < LAYERS; i++)
        ORR_CHECK(orr_read(p[i], to + 256 * i, 256 * sizeof *to) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK && unsetenv("ORRERY_FUSE") == 0 && unsetenv("ORRERY_INLINE_US") == 0);
}

/* A loss, the rest of its step, and a further step that may fail. */
static void steps_of_awaited_outputs_are_marked_and_urgent(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *x = fresh_values(300, 400), *y = orr_matmul(x, fresh_values(400, 500)),
               *index = orr_randint(ORR_I64, ORR_SHAPE(9), 0, 9);
    ORR_CHECK(orr_eval(index) == ORR_OK);
    orr_tensor *loss = orr_add(orr_sum(orr_slice_axis(y, 0, 0, 1, 1), ORR_ALL_AXES, false), orr_scalar(1));
    orr_tensor *rest = orr_matmul(orr_transpose(x), orr_square(y)), *taken = orr_take(rest, index, 0);
    orr_tensor *t[] = { loss, rest, taken };
    orr__plan *p = plan_of_first(t, 2, 1, 2);
    int made = p->value[p->out[0]].first, later = p->value[p->out[1]].first, early = 0;
    for (int i = 0; i < p->nstep; i++)
        early += p->step[i].waited ? orr__plan_tasks(p, i) : 0;
    ORR_CHECK(p->waited_tasks > 0 && p->waited_tasks == early && p->value[p->out[0]].awaited &&
              !p->value[p->out[1]].awaited);
    made = orr__plan_head(p, made);
    later = orr__plan_head(p, later);
    ORR_CHECK(p->step[made].waited && !p->step[later].waited);
    ORR_CHECK(p->step[made].urgency.from_start >
              p->step[later].urgency.from_start); /* although nothing follows it, and a product is more work */
    orr__plan_unref(p);
    for (int k = 0; k < 2; k++) { /* all outputs are waited for; the rest may fail */
        p = plan_of_first(t, k ? 3 : 2, k ? 1 : 2, 2);
        ORR_CHECK(p->waited_tasks == 0);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void values_are_the_same(void)
{
    static float bundled[256 * LAYERS], apart[256 * LAYERS], here_and_now[256 * LAYERS];
    update(bundled, "on", "0");
    update(apart, "off", "0");
    update(here_and_now, "on", "1000000");
    for (int i = 0; i < 256 * LAYERS; i++)
        ORR_CHECK_MSG(bundled[i] == here_and_now[i] && bundled[i] - apart[i] < 1e-5f && apart[i] - bundled[i] < 1e-5f,
                      "%d: %g %g %g", i, (double)bundled[i], (double)apart[i], (double)here_and_now[i]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(independent_steps_are_a_task_for_each_worker),
                                      ORR_TEST(a_chain_of_small_steps_is_one_task),
                                      ORR_TEST(small_steps_behind_each_large_one_come_together),
                                      ORR_TEST(parallel_chains_stay_parallel),
                                      ORR_TEST(branches_of_a_chain_run_beside_it),
                                      ORR_TEST(without_fusion_every_step_is_a_task),
                                      ORR_TEST(little_values_of_tasks_have_memory_of_their_own),
                                      ORR_TEST(the_plan_prints_its_bundles),
                                      ORR_TEST(steps_of_awaited_outputs_are_marked_and_urgent),
                                      ORR_TEST(values_are_the_same),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.bundles", tests);
}
