/* The needs and limits of StarPU's policies: names, models, and tasks that only some of the workers may run.
 * Must not know: plans, the work of a task. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/engine/starpu/starpu.h"
#if STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4
#include <starpu_heteroprio.h>
#endif

/* StarPU warns twice of an unknown policy and uses another one, so the name is checked before. */
orr_status orr__star_policy_check(orr__site at)
{
    const char *v = getenv("STARPU_SCHED");
    struct starpu_sched_policy **all = starpu_sched_get_predefined_policies();
    char names[600] = "";
    size_t n = 0;

    if (!v || !*v || !all || getenv("STARPU_SCHED_LIB") || strcmp(v, "heft") == 0 || strcmp(v, "help") == 0)
        return ORR_OK;
    for (; *all; all++) {
        if (strcmp((*all)->policy_name, v) == 0)
            return ORR_OK;
        int m = snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", (*all)->policy_name);
        n = m > 0 && n + (size_t)m < sizeof names ? n + (size_t)m : n;
    }
    names[n] = '\0';
    return orr__fail(at, ORR_EENV, "STARPU_SCHED=%s makes no sense; it takes: %s", v, names);
}

#ifdef STARPU_HETEROPRIO_MAX_PRIO
/* heteroprio of StarPU 1.3 uses a task's priority as the number of a bucket, and stops the program if some of the bucket's workers
 * cannot run the task. By default it has one bucket for all. */
enum { FOR_ALL, FOR_CPUS, FOR_DEVICES };
static bool buckets;

static void make_buckets(unsigned ctx)
{
    const struct {
        enum starpu_heteroprio_types type;
        unsigned count, own;
    } kind[] = { { STARPU_CPU_IDX, starpu_cpu_worker_get_count(), FOR_CPUS },
                 { STARPU_CUDA_IDX, starpu_cuda_worker_get_count(), FOR_DEVICES },
                 { STARPU_OPENCL_IDX, starpu_opencl_worker_get_count(), FOR_DEVICES } };

    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
        if (kind[i].count > 0) {
            starpu_heteroprio_set_nb_prios(ctx, kind[i].type, 2);
            starpu_heteroprio_set_mapping(ctx, kind[i].type, 0, FOR_ALL);
            starpu_heteroprio_set_mapping(ctx, kind[i].type, 1, kind[i].own);
        }
}

void orr__star_policy_configure(struct starpu_conf *conf)
{
    const char *v = getenv("STARPU_SCHED");

    buckets = v && strcmp(v, "heteroprio") == 0;
    if (buckets)
        conf->sched_policy_init = make_buckets;
}

int orr__star_policy_priority(int32_t where, int otherwise)
{
    if (!buckets)
        return otherwise;
    return where == (int32_t)STARPU_CPU ? FOR_CPUS : where & (int32_t)STARPU_CPU ? FOR_ALL : FOR_DEVICES;
}
#else
void orr__star_policy_configure(struct starpu_conf *conf)
{
    (void)conf;
}

int orr__star_policy_priority(int32_t where, int otherwise)
{
    (void)where;
    return otherwise;
}
#endif

int orr__star_urgency(const orr__plan *p, double way_us)
{
    return p->urgency.longest > 0 ? (int)(way_us / p->urgency.longest * orr__star.urgencies) : 0;
}

/* The policies in this list place tasks without their predicted times. modular-heteroprio-heft of StarPU 1.3 never ends while a model is
 * being calibrated: it keeps such a task for ever, also in StarPU alone. */
static bool wants_models(const char *policy)
{
    static const char *const without[] = { "lws", "ws", "eager", "prio", "random", "no-prio" };
    const char *calibrate = getenv("STARPU_CALIBRATE");

    if (strcmp(policy, "modular-heteroprio-heft") == 0)
        return false;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strcmp(policy, without[i]) == 0)
            return calibrate && atoi(calibrate) > 0;
    return true;
}

enum { MOST_URGENT = 1000 }; /* limit of a library: for policies with two thousand million priorities */

bool orr__star_policy_begin(const char *policy)
{
    bool both = orr__star.cpus > 0 && orr__star.opencls + orr__star.cudas > 0;
    int most = starpu_sched_get_max_priority();

    orr__star.urgencies = most > MOST_URGENT ? MOST_URGENT : most > 0 ? most : 0;
    orr__star_models(wants_models(policy));
    orr__star.thieves = strcmp(policy, "lws") == 0 || strcmp(policy, "ws") == 0;
    /* The policy gives devices only tasks with the name of a product in StarPU's examples, and never runs those that only devices can
     * do. */
    orr__star.shy = both && strcmp(policy, "modular-gemm") == 0 ? policy : NULL;
    if (orr__star.shy)
        orr__log(1, "STARPU_SCHED=%s leaves the devices idle; unset, it is dmdas", policy);
    /* heteroprio sorts tasks by the kinds of workers that can run them, so no kind is excluded without need. */
    return both && !orr__star.shy && !strstr(policy, "heteroprio");
}
