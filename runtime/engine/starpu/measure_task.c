/* The costs of a task: as one of many, and alone with registration and wait.
 * Must not know: plans. */
#include "config.h"
#include <stdlib.h>
#include "runtime/base/clock.h"
#include "runtime/engine/starpu/starpu.h"

enum { MANY = 64, ROUNDS = 6, ALONE = 24 }; /* limit of a measurement */

static void nothing(void *buffers[], void *arg)
{
    (void)buffers;
    (void)arg;
}

static struct starpu_codelet empty = {
    .cpu_funcs = { nothing },
    .nbuffers = 2,
    .modes = { STARPU_R, STARPU_W },
    .name = "empty",
};

static bool submit_one(starpu_data_handle_t read, starpu_data_handle_t write, bool wait)
{
    struct starpu_task *t = starpu_task_create();
    t->cl = &empty;
    t->handles[0] = read;
    t->handles[1] = write;
    t->detach = !wait;
    t->destroy = !wait;
    t->priority = orr__star_policy_priority(STARPU_CPU, t->priority);
    if (starpu_task_submit(t) != 0) {
        t->destroy = 0;
        starpu_task_destroy(t);
        return false;
    }
    if (!wait)
        return true;
    bool ok = starpu_task_wait(t) == 0;
    starpu_task_destroy(t);
    return ok;
}

/* Seconds per task; 0: no worker runs one. */
static double many(void)
{
    static double cell[MANY + 1];
    starpu_data_handle_t h[MANY + 1];
    bool ok = true;
    for (int i = 0; i <= MANY; i++)
        starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&cell[i], sizeof cell[i]);
    double t0 = orr__now();
    for (int i = 0; i < MANY && ok; i++)
        ok = submit_one(h[MANY], h[i], false);
    for (int i = 0; i < MANY; i++)
        if (starpu_data_acquire(h[i], STARPU_R) == 0)
            starpu_data_release(h[i]);
    double t = (orr__now() - t0) / MANY;
    for (int i = 0; i <= MANY; i++)
        starpu_data_unregister(h[i]);
    return ok ? t : 0;
}

static double alone(void)
{
    double cell[2] = { 0, 0 }, t0 = orr__now();
    starpu_data_handle_t h[2];
    for (int i = 0; i < 2; i++)
        starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&cell[i], sizeof cell[i]);
    bool ok = submit_one(h[0], h[1], true);
    for (int i = 0; i < 2; i++)
        starpu_data_unregister(h[i]);
    return ok ? orr__now() - t0 : 0;
}

/* us; 0: nothing was measured. Other work on the machine only adds to a cost, so the minimum counts; more samples are taken as long as
 * most of them were interrupted. */
static double least(orr__profile *p, double (*f)(void), int rounds, const atomic_bool *stop)
{
    enum { MORE = 4 };
    orr__samples s = { .everyone = true };
    for (int i = 0; i < MORE * rounds && s.clean < rounds && !atomic_load(stop); i++) {
        orr__sample_begin(&s);
        double t = f();
        if (t > 0)
            orr__sample_end(&s, t);
    }
    if (s.all)
        orr__samples_judge(p, &s);
    return orr__samples_best(&s) * 1e6;
}

void orr__star_measure(orr__profile *p, const atomic_bool *stop)
{
    if (orr__star.cpus == 0)
        return;
    orr__star_wake(false);
    double task = least(p, many, ROUNDS, stop), latency = least(p, alone, ALONE, stop);
    orr__star_rest(false);
    p->task_us = task > 0 ? task : p->task_us;
    p->latency_us = latency > 0 ? latency : p->latency_us;
}
