/* StarPU's environment variables as StarPU is about to read them: checked, with Orrery's defaults; and what StarPU made of them.
 * Must not know: the meaning of each. */
#include "config.h"
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/starpu_variables.h"
#include "runtime/engine/starpu/starpu.h"

/* A thread that may run on all processors of the job's control group, which is what remains of a wish for all of the machine. */
static void *free_thread(void *arg)
{
    cpu_set_t *set = arg, all;
    memset(&all, 0xff, sizeof all);
    if (sched_setaffinity(0, sizeof all, &all) == 0)
        (void)sched_getaffinity(0, sizeof *set, set);
    return NULL;
}

/* The processors that StarPU will count: those of this thread, or those of the control group. */
static cpu_set_t processors(void)
{
    cpu_set_t set;
    pthread_t thread;
    const char *bound = getenv("STARPU_WORKERS_GETBIND");

    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        CPU_ZERO(&set);
        CPU_SET(0, &set);
    }
#if STARPU_MAJOR_VERSION == 1 && STARPU_MINOR_VERSION < 4
    if (!bound || strcmp(bound, "0") != 0)
        return set; /* StarPU 1.3 restricts its topology to them */
#endif
    (void)bound;
    if (pthread_create(&thread, NULL, free_thread, &set) == 0)
        (void)pthread_join(thread, NULL);
    return set;
}

/* The first hardware thread of the core of processor `cpu`; `cpu` itself where the system does not tell. */
static size_t first_of_core(size_t cpu)
{
    char path[96];
    size_t first = cpu;
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%zu", &first) != 1)
        first = cpu;
    if (f)
        (void)fclose(f);
    return first < CPU_SETSIZE ? first : cpu;
}

static orr__starpu_machine machine(void)
{
    cpu_set_t set = processors(), cores;
    CPU_ZERO(&cores);
    for (size_t i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &set))
            CPU_SET(first_of_core(i), &cores);
    return (orr__starpu_machine){ CPU_COUNT(&set), CPU_COUNT(&cores), STARPU_NMAXWORKERS };
}

orr_status orr__star_environment(orr__site at)
{
    orr__starpu_machine m = machine();
    orr_status st = orr__starpu_variables_check(at, &m);

    if (st != ORR_OK)
        return st;
    (void)setenv("STARPU_SILENT", "1", 0);
    (void)setenv("STARPU_WORKERS_GETBIND", "1", 0); /* else StarPU 1.3 uses all cores of the machine, not the job's */
    (void)setenv("STARPU_WATCHDOG_CRASH", "0", 0);  /* the default of StarPU's manual; StarPU 1.3 has another one */
    return ORR_OK;
}

/* The number in a variable; `otherwise` if it is not set. */
static int number(const char *name, int otherwise)
{
    const char *v = getenv(name);
    return v ? atoi(v) : otherwise;
}

/* A wish for more workers than StarPU has started. */
static void compare(const char *name, int wanted, int got, const char *kind)
{
    if (wanted > got)
        orr__log(
            1,
            "%s is %d, and StarPU starts %d %s worker%s: it was built for no more, or finds no more (docs/starpu.md)",
            name, wanted, got, kind, got == 1 ? "" : "s");
}

void orr__star_environment_met(int workers, bool devices)
{
    const char *cpus = getenv("STARPU_NCPU")    ? "STARPU_NCPU"
                       : getenv("STARPU_NCPUS") ? "STARPU_NCPUS"
                                                : "orr_config.workers";

    orr__star.wanted = number(cpus, workers) - number("STARPU_RESERVE_NCPU", 0);
    compare(cpus, orr__star.wanted, orr__star.cpus, "CPU");
    if (!devices)
        return;
    compare("STARPU_NCUDA", number("STARPU_NCUDA", 0), orr__star.cudas, "CUDA");
    compare("STARPU_NOPENCL", number("STARPU_NOPENCL", 0), orr__star.opencls, "OpenCL");
}

const char *orr__star_environment_none(char *text, size_t size)
{
    static const char *const names[] = { "STARPU_NCPU", "STARPU_NCPUS", "STARPU_RESERVE_NCPU", "STARPU_NCUDA",
                                         "STARPU_NOPENCL" };
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names && n < size; i++)
        if (getenv(names[i]))
            n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? ", " : "; set are ", names[i], getenv(names[i]));
    return text;
}
