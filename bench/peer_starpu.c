/* Bare StarPU, as a peer: the cost of an empty task without Orrery.
 * Must not know: Orrery. (One of the few files outside runtime/engine that see starpu.h.) */
#include "config.h"
#include <stdint.h>
#include "bench/bench.h"

#ifdef HAVE_STARPU
#include <starpu.h>

enum { HANDLES = 256 };

static float memory[HANDLES][16];
static starpu_data_handle_t handle[HANDLES];

static void nothing(void *buffers[], void *arg)
{
    (void)buffers, (void)arg;
}

static struct starpu_codelet empty = {
    .cpu_funcs = { nothing },
    .cpu_funcs_name = { "nothing" },
    .nbuffers = 2,
    .modes = { STARPU_R, STARPU_W },
    .name = "empty",
};

int peer_starpu_start(const char *policy)
{
    struct starpu_conf conf;
    (void)starpu_conf_init(&conf);
    conf.sched_policy_name = policy;
    conf.nopencl = 0;
    conf.catch_signals = 0;
    if (starpu_init(&conf) != 0)
        return 1;
    for (int i = 0; i < HANDLES; i++)
        starpu_vector_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)memory[i], 16, sizeof(float));
    return 0;
}

double peer_starpu_tasks(int n, bool chain, double *submitted)
{
    double begin = bench_now();
    for (int i = 0; i < n; i++) {
        struct starpu_task *t = starpu_task_create();
        if (!t)
            return -1.0;
        t->cl = &empty;
        /* chain: each task reads the output of the previous one; else all read one input and write outputs of their
         * own */
        t->handles[0] = chain ? handle[i % HANDLES] : handle[0];
        t->handles[1] = chain ? handle[(i + 1) % HANDLES] : handle[1 + i % (HANDLES - 1)];
        if (starpu_task_submit(t) != 0)
            return -1.0;
    }
    if (submitted)
        *submitted = bench_now() - begin;
    if (starpu_task_wait_for_all() != 0)
        return -1.0;
    return bench_now() - begin;
}

void peer_starpu_stop(void)
{
    for (int i = 0; i < HANDLES; i++)
        starpu_data_unregister(handle[i]);
    starpu_shutdown();
}
#else
int peer_starpu_start(const char *policy)
{
    (void)policy;
    return 1;
}

double peer_starpu_tasks(int n, bool chain, double *submitted)
{
    (void)n, (void)chain, (void)submitted;
    return -1.0;
}

void peer_starpu_stop(void) {}
#endif
