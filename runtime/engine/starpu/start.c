/* Start and stop of StarPU: its workers, its policy, and the facts about both for the other rooms.
 * Must not know: plans, tasks. */
#include "config.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "runtime/base/cgroup.h"
#include "runtime/base/env.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/decimal.h"
#include "runtime/base/signals.h"
#include "runtime/engine/starpu/starpu.h"
#include "runtime/ranks/ranks.h"

orr__star_state orr__star;
static char policy[48];

#ifdef ORR__STAR_OPENCL
/* The number of devices that StarPU would use as workers by itself. */
static int count_opencl(void)
{
    const char *on_cpus = getenv("STARPU_OPENCL_ON_CPUS"), *only = getenv("STARPU_OPENCL_ONLY_ON_CPUS");
    cl_device_type type = only && atoi(only) > 0 ? 0 : CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
    enum { MOST = 16 };
    cl_platform_id platform[MOST];
    cl_uint platforms = 0, n;
    int all = 0;

    if ((on_cpus && atoi(on_cpus) > 0) || type == 0)
        type |= CL_DEVICE_TYPE_CPU;
    orr__star.opencl_on_cpus = (type & CL_DEVICE_TYPE_CPU) != 0;
    if (clGetPlatformIDs(MOST, platform, &platforms) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < platforms && i < MOST; i++)
        if (clGetDeviceIDs(platform[i], type, 0, NULL, &n) == CL_SUCCESS)
            all += (int)n;
    return all;
}
#else
static int count_opencl(void)
{
    return 0;
}
#endif

/* Chooses whether CUDA may be used, and the number of OpenCL devices. A backend that is requested by name and missing is an error. A GPU
 * that CUDA drives is not driven by OpenCL too. */
static orr_status choose_devices(orr__site at, int backend, bool *cuda, int *opencl)
{
    char why[320] = "StarPU was built without CUDA; \"./bootstrap starpu\" builds one with it";

    *cuda = false;
    *opencl = 0;
#ifdef ORR__STAR_CUDA
    if (backend == ORR__BACKEND_AUTO || backend == ORR__BACKEND_CUDA)
        *cuda = orr__exec_cuda->probe(why, sizeof why);
    if (backend == ORR__BACKEND_AUTO && !*cuda && orr__cu_left_out())
        orr__log(1, "the CUDA devices are not used: %s", why);
#endif
    if (backend == ORR__BACKEND_CUDA && !*cuda)
        return orr__fail(at, ORR_EDEVICE, "no CUDA device can be used: %s", why);
    if (backend == ORR__BACKEND_OPENCL)
        setenv("STARPU_OPENCL_ON_CPUS", "1", 0); /* requested by name: any device will do */
    if (!*cuda && backend != ORR__BACKEND_CPU && orr__exec_opencl->probe(NULL, 0))
        *opencl = count_opencl();
    if (backend == ORR__BACKEND_OPENCL && *opencl == 0)
        return orr__fail(at, ORR_EDEVICE, "no OpenCL device is there");
    return ORR_OK;
}

/* The first number of OMP_NUM_THREADS, a list by level of nesting; INT_MAX: not set, or no number. */
static int openmp_threads(void)
{
    const char *v = getenv("OMP_NUM_THREADS");
    long n = v ? strtol(v, NULL, 10) : 0;
    return n > 0 && n < INT_MAX ? (int)n : INT_MAX;
}

/* Ranks on the same cores divide them: idle workers spin, and would hinder the other ranks and the threads that receive messages.
 * Workers beyond the job's limit would use up its time while they spin. OMP_NUM_THREADS bounds the threads of each part of a program, as in
 * other libraries. */
static void share_cores(struct starpu_conf *conf)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1, ranks = orr__ranks_on_cores();
    int most = orr__processors(), n = ranks <= 1 ? most : most > ranks ? most / ranks : 1;
    n = n < openmp_threads() ? n : openmp_threads();
    if (ranks <= 1 && n == cores)
        return;
    conf->ncpus = n;
    if (!getenv("STARPU_WORKERS_CPUID") && !getenv("STARPU_WORKERS_COREID"))
        setenv("STARPU_WORKERS_NOBIND", "1", 0); /* else the first worker of each process is on the first core */
}

/* Restricts StarPU to the devices of this rank, if several ranks divide the devices of a machine. */
static void take_cuda_devices(struct starpu_conf *conf)
{
    int device[STARPU_NMAXWORKERS], n = orr__cu_binding(device, STARPU_NMAXWORKERS);
    if (n < 0 || getenv("STARPU_NCUDA") || getenv("STARPU_WORKERS_CUDAID"))
        return;
    conf->ncuda = n;
    conf->use_explicit_workers_cuda_gpuid = 1;
    for (int i = 0; i < n; i++)
        conf->workers_cuda_gpuid[i] = (unsigned)device[i];
}

/* StarPU's own variables have precedence over all settings here. */
static orr_status configure(orr__site at, const orr_config *config, struct starpu_conf *conf, int *backend)
{
    orr_status st = orr__engine_backend(at, config, backend);
    bool cuda = false;
    int opencl = 0;

    if (st != ORR_OK || (st = orr__star_environment(at)) != ORR_OK || (st = orr__star_policy_check(at)) != ORR_OK)
        return st;
    if ((st = orr__star_limits(at)) != ORR_OK)
        return st;
    if ((st = choose_devices(at, *backend, &cuda, &opencl)) != ORR_OK || (st = orr__star_home(at)) != ORR_OK)
        return st;
    int err = starpu_conf_init(conf);
    if (err != 0)
        return orr__fail(at, ORR_EDEVICE, "StarPU cannot read its environment variables (starpu_conf_init: error %d)",
                         err);
    conf->catch_signals = 0;
    if (cuda)
        take_cuda_devices(conf);
    else
        conf->ncuda = 0;
    if (opencl == 0)
        conf->nopencl = 0;
    if (config && config->workers > 0 && !getenv("STARPU_NCPU"))
        conf->ncpus = config->workers;
    else if (!getenv("STARPU_NCPU") && !getenv("STARPU_NCPUS"))
        share_cores(conf);
    if (!getenv("STARPU_SCHED"))
        conf->sched_policy_name = opencl > 0 || cuda ? "dmdas" : "lws";
    orr__star_policy_configure(conf);
    orr__star_homes_configure(conf);
    orr__star_guard_cuda(conf);
    return ORR_OK;
}

/* The smallest device memory limits the data for any device. */
static size_t smallest_device(void)
{
    size_t least = 0;

    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        starpu_ssize_t n;
        if (starpu_worker_get_type((int)w) == STARPU_CPU_WORKER)
            continue;
        n = starpu_memory_get_total(starpu_worker_get_memory_node(w));
        if (n > 0 && (least == 0 || (size_t)n < least))
            least = (size_t)n;
    }
    return least;
}

/* From StarPU's own calibration, for the first device. */
static void measure_bus(void)
{
    enum { MANY = 1 << 20 }; /* limit of a measurement */
    unsigned home = STARPU_MAIN_RAM, away = starpu_memory_nodes_get_count() > 1 ? 1 : home;
    double one = starpu_transfer_predict(home, away, 1), many = starpu_transfer_predict(home, away, MANY);

    orr__machine_here.copy_us = away != home && isfinite(one) ? one : 0;
    orr__machine_here.copy_byte_us = away != home && isfinite(many) && many > one ? (many - one) / MANY : 0;
}

static void look_around(int backend)
{
    struct starpu_sched_policy *p = starpu_sched_ctx_get_sched_policy(0);

    orr__star.cpus = (int)starpu_cpu_worker_get_count();
    orr__star.opencls = backend == ORR__BACKEND_CPU ? 0 : (int)starpu_opencl_worker_get_count();
    orr__star.cudas = (int)starpu_cuda_worker_get_count();
    orr__star.one_memory = starpu_memory_nodes_get_count() == 1;
    orr__star.device_bytes = smallest_device();
    snprintf(policy, sizeof policy, "%s", p && p->policy_name ? p->policy_name : "?");
    orr__star.hybrid = orr__star_policy_begin(policy) && backend == ORR__BACKEND_AUTO;
    orr__machine_here.workers = orr__star.cpus > 0 ? orr__star.cpus : 1;
    orr__machine_here.opencl = orr__star.opencls > 0;
    orr__machine_here.cuda = orr__star.cudas;
    orr__machine_here.cuda_device =
        orr__star.cudas > 0 ? starpu_worker_get_devid(starpu_worker_get_by_type(STARPU_CUDA_WORKER, 0)) : -1;
    orr__machine_here.device_bytes = orr__star.device_bytes;
    orr__machine_here.devices = orr__star.opencls + orr__star.cudas;
    orr__machine_here.one_memory = orr__star.one_memory;
    measure_bus();
    orr__star_homes_start();
    orr__machine_here.graphs = orr__star.cpus > 1;
    orr__machine_here.whole = orr__exec_on_device_alone();
    orr__machine_here.bundles = orr__star.cpus > 0 && !orr__machine_here.whole;
    orr__machine_here.device_bundles = orr__star.cudas > 0 && orr__star.opencls == 0;
}

/* StarPU's files have numbers with a point, which it reads and writes in the current locale. Its threads inherit the floating-point mode
 * of the thread that starts them. */
static int begin_starpu(struct starpu_conf *conf)
{
    ORR__GUARD_WRITES; /* of StarPU's files; its workers inherit the guard */
    locale_t before = orr__point_begin();
    uint64_t mode = orr__fpmode_begin(ORR__FPMODE_DEFAULT);

    orr__star_home_look();
    bool one_task = orr__star.guards_cuda && !getenv("STARPU_CUDA_PIPELINE"); /* read by StarPU only at its start */
    if (one_task)
        (void)setenv("STARPU_CUDA_PIPELINE", "0", 1);
    /* A tensor has one memory, which is divided among the nodes here (runtime/base/memory_nodes.h). */
    char *numa = getenv("STARPU_USE_NUMA") ? strdup(getenv("STARPU_USE_NUMA")) : NULL;
    if (numa)
        (void)setenv("STARPU_USE_NUMA", "0", 1);
    int lock = orr__star_home_lock(), err = starpu_init(conf);

    orr__star_home_unlock(lock);
    if (err == 0)
        orr__star_nap_start();
    if (one_task)
        (void)unsetenv("STARPU_CUDA_PIPELINE");
    if (numa)
        (void)setenv("STARPU_USE_NUMA", numa, 1);
    free(numa);
    orr__fpmode_end(ORR__FPMODE_DEFAULT, mode);
    orr__point_end(before);
    return err;
}

static void end_starpu(void)
{
    ORR__GUARD_WRITES;
    locale_t before = orr__point_begin();

    orr__star_nap_stop();
    starpu_shutdown();
    orr__point_end(before);
}

/* Nothing is lent beside other ranks, which may use the cores, nor if BLAS may be refused the memory that each thread needs. */
static int lends(void)
{
    struct rlimit space;
    bool may = orr__ranks() == 1 && orr__cpu_blas_threads_change() && getrlimit(RLIMIT_AS, &space) == 0 &&
               space.rlim_cur == RLIM_INFINITY;

    return !may ? 1 : orr__star.blas_threads < orr__star.cpus ? orr__star.blas_threads : orr__star.cpus;
}

static orr_status start(orr__site at, const orr_config *config)
{
    struct starpu_conf conf;
    char set[200];
    int backend, err;
    orr_status st = configure(at, config, &conf, &backend);

    if (st != ORR_OK)
        return st;
    if ((err = begin_starpu(&conf)) != 0)
        return orr__fail(at, ORR_EDEVICE, "StarPU finds no worker to start (%s)%s", strerror(-err),
                         orr__star_environment_none(set, sizeof set));
    look_around(backend);
    orr__star_environment_met(config ? config->workers : 0, backend != ORR__BACKEND_CPU);
    if (backend == ORR__BACKEND_OPENCL && orr__star.opencls == 0)
        st = orr__fail(at, ORR_EDEVICE, "StarPU starts no OpenCL worker");
    if (backend == ORR__BACKEND_CUDA && orr__star.cudas == 0)
        st = orr__fail(at, ORR_EDEVICE, "StarPU starts no CUDA worker");
    if (st != ORR_OK || (st = orr__works_start(at, (int)starpu_worker_get_count())) != ORR_OK ||
        (st = orr__star_idle_start(at)) != ORR_OK) {
        end_starpu();
        return st;
    }
    orr__star_trace_start();
    orr__retired_start();
    orr__tile_data_start();
    orr__star.blas_threads = orr__cpu_blas_get_threads();
    orr__star.lends = lends();
    orr__cpu_blas_threads(1);
    orr__buffer_engine = (orr__buffer_hooks){ .host_read = orr__tiles_host_read,
                                              .drop = orr__tilepool_drop,
                                              .press = orr__tilepool_trim,
                                              .release = orr__tilepool_release,
                                              .tick = orr__tilepool_tick };
    return ORR_OK;
}

static void stop(void)
{
    orr__star_wait_runs(0);
    orr__star_crew_dismiss(false);
    orr__star_idle_stop();
    starpu_task_wait_for_all();
#ifdef HAVE_STARPUMPI
    orr__star_mpi_stop();
#endif
    orr__tiles_drop_recipes();
    orr__tilepool_stop();
    orr__tiles_unregister_all();
    orr__buffer_engine = (orr__buffer_hooks){ 0 };
    if (orr__star.cudas > 0 && orr__exec_cuda->stop)
        orr__exec_cuda->stop();
    end_starpu();
    orr__cpu_blas_threads(0);
}

static void describe(char *text, size_t size)
{
    int major, minor, release, n;

    starpu_get_version(&major, &minor, &release);
    n = snprintf(text, size, "starpu %d.%d.%d, %d CPU worker%s", major, minor, release, orr__star.cpus,
                 orr__star.cpus == 1 ? "" : "s");
    if (orr__star.wanted > orr__star.cpus && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, " of %d requested", orr__star.wanted);
    if (orr__star.cudas > 0 && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", %d CUDA worker%s", orr__star.cudas,
                      orr__star.cudas == 1 ? "" : "s");
    if (orr__star.opencls > 0 && n > 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", %d OpenCL worker%s", orr__star.opencls,
                      orr__star.opencls == 1 ? "" : "s");
    if (n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", %s", policy);
}

static void worker(int w, char *text, size_t size)
{
    starpu_worker_get_name(w - 1, text, size);
}

/* The i-th device worker. */
static bool device_state(int i, orr__device_state *s)
{
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        enum starpu_worker_archtype type = starpu_worker_get_type((int)w);
        if ((type != STARPU_OPENCL_WORKER && type != STARPU_CUDA_WORKER) || i-- > 0)
            continue;
        starpu_worker_get_name((int)w, s->name, sizeof s->name);
        orr__star_device_state((int)w, s);
        return true;
    }
    return false;
}

const orr__engine_impl orr__engine_starpu = { .start = start,
#ifdef HAVE_STARPUMPI
                                              .block_cyclic = &orr__star_block_cyclic,
#endif
                                              .stop = stop,
                                              .execute = orr__star_execute,
                                              .in_turn = orr__star_in_turn,
                                              .offers = orr__star_offers_now,
                                              .borrow = orr__star_borrow,
                                              .pause = orr__star_pause,
                                              .describe = describe,
                                              .worker = worker,
                                              .settle = orr__tilepool_settle,
                                              .measure = orr__star_measure,
                                              .move = orr__star_move,
                                              .evict = orr__star_evict,
                                              .is_on = orr__star_is_on,
                                              .room = orr__star_room,
                                              .device = device_state,
                                              .held = orr__tilepool_held };
