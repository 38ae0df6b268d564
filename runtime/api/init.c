/* Start and end of the library.
 * Must not know: engines. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/api/devices.h"
#include "runtime/api/eval.h"
#include "runtime/api/event.h"
#include "runtime/api/notes.h"
#include "runtime/api/over_ranks.h"
#include "runtime/base/callback.h"
#include "runtime/api/piles.h"
#include "runtime/base/env.h"
#include "runtime/base/exit.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/fpmode.h"
#include "runtime/base/idle_memory.h"
#include "runtime/base/signals.h"
#include "runtime/base/spill.h"
#include "runtime/base/trace.h"
#include "runtime/engine/block_cyclic.h"
#include "runtime/ranks/ranks.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held as long as a start or an end takes */
static bool started;
static int pauses; /* orr_pause without their orr_resume */
static bool torn; /* the process was forked while another thread held the lock: no thread of it will finish that work */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

static void in_child(void)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    if (inside) /* the child may go on with the work of its thread */
        return;
    if (pthread_mutex_trylock(&lock) == 0) {
        (void)pthread_mutex_unlock(&lock);
        return;
    }
    memcpy(&lock, &fresh, sizeof lock);
    torn = true;
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, in_child);
}

static void leave(void)
{
    (void)pthread_mutex_unlock(&lock);
    inside = false;
}

/* ORR_OK: the lock is the caller's until leave. */
static orr_status enter(orr__site at)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    inside = true;
    (void)pthread_mutex_lock(&lock);
    if (!torn)
        return ORR_OK;
    leave();
    return orr__fail(at, ORR_ESTATE,
                     "this process was forked while another thread of its parent was starting or ending Orrery, which "
                     "it can neither finish nor begin again: fork before or after that, or call exec after the fork");
}

const char *orr_version(void)
{
    return PACKAGE_VERSION;
}

/* Most of the memory that the job may use is for tensors; the rest is for code, stacks, StarPU, and the program itself. */
static size_t limit_of_job(void)
{
    size_t job = orr__job_memory(NULL, NULL);
    if (job)
        orr__log(2, "the job may use %zu bytes of memory: tensors get %zu of them", job, job - job / 8);
    return job - job / 8;
}

/* Values are spilled beyond a limit; without one of the user or the job, it is most of the machine's memory. */
static size_t limit_of_machine(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t all = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
    orr__log(2, "ORRERY_MEMORY_LIMIT is not set: tensors beyond %zu bytes go to ORRERY_SPILL_DIR", all - all / 8);
    return all - all / 8;
}

/* The environment has precedence over the program's settings. orr__engine_start reads engine, backend and workers itself. */
static orr_status configure(orr__site at, const orr_config *config)
{
    orr_status st = orr__fail_place(at, orr__env_load());
    if (st == ORR_OK && config && config->workers < 0)
        return orr__fail(at, ORR_EINVAL, "%d workers make no sense", config->workers);
    if (st == ORR_OK && config) {
        if (config->memory_limit && !orr__env.memory_limit)
            orr__env.memory_limit = config->memory_limit;
        if (config->seed && !orr__env.seed)
            orr__env.seed = config->seed;
        if (config->flush_denormals && orr__env.flush_denormals == ORR__DENORMALS_KEPT)
            orr__env.flush_denormals = ORR__DENORMALS_FLUSHED;
    }
    if (st == ORR_OK && !orr__env.memory_limit)
        orr__env.memory_limit = limit_of_job();
    if (st == ORR_OK && *orr__env.spill_dir && !orr__env.memory_limit)
        orr__env.memory_limit = limit_of_machine();
    if (st == ORR_OK && (st = orr__spill_start(at, orr__env.spill_dir)) == ORR_OK) {
        orr__pool_limit(orr__env.memory_limit);
        orr__pool_peak_reset();
    }
    return st;
}

/* -- the standard files ---------------------------------------------------------------------------------------------- */

/* In a program that has closed its standard files, the next file opened would be "stderr": lines of a log would end inside of a tensor that
 * is saved. While the library runs, /dev/null is at their numbers. */
static bool reserved[3];
static struct stat nowhere;

static void reserve_standard_files(void)
{
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) >= 0 || errno != EBADF)
            continue;
        int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        reserved[i] = fd == i && fstat(fd, &nowhere) == 0;
        if (fd >= 0 && fd != i)
            (void)close(fd);
    }
}

/* A file that the program has put there meanwhile stays. */
static void release_standard_files(void)
{
    struct stat st;
    for (int i = 0; i < 3; i++) {
        if (reserved[i] && fstat(i, &st) == 0 && st.st_dev == nowhere.st_dev && st.st_ino == nowhere.st_ino)
            (void)close(i);
        reserved[i] = false;
    }
}

static orr_status running_already(orr__site at)
{
    return orr__fail(
        at, ORR_ESTATE, "%s",
        orr__engine_orphaned() && !orr__engine_running()
            ? "this process was forked after orr_init, and the engine belongs to its parent. Fork before orr_init, or "
              "call exec after the fork, or call orr_shutdown and then orr_init here, which starts the serial engine"
            : "Orrery is running already");
}

static void end_before_mpi(void)
{
    if (!started)
        return;
    orr__log(
        1,
        "MPI_Finalize is called before orr_shutdown, which the library calls now, since it sends no messages after it");
    if (orr_shutdown() != ORR_OK)
        orr__log(1, "%s", orr_error_message());
}

orr_status orr_init_at(const char *file, int line, int headers, const orr_config *config)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "init");
    if (headers != ORR_HEADERS)
        return orr__fail(
            at, ORR_EINVAL,
            "the program was compiled with headers of version %d, and those of this library have version %d: "
            "compile it again, or run it with the library that it was compiled for",
            headers, ORR_HEADERS);
    orr_status st = orr__may_wait(at);
    if (st != ORR_OK)
        return st;
    orr__ranks_of of = { config ? config->communicator : NULL, config ? config->communicator_fortran : NULL, NULL, 0 };
    if ((st = enter(at)) != ORR_OK)
        return st;
    bool was_started = started;
    if (!started)
        reserve_standard_files();
    orr__ranks_at_end(end_before_mpi);
    st = started ? running_already(at) : configure(at, config);
    if (st == ORR_OK)
        st = orr__fail_place(at, orr__ranks_start(at, of));
    else if (!started || of.communicator || of.fortran) /* other ranks may wait for this one */
        st = orr__ranks_refuse(of, st);
    orr__signals signals; /* the handlers of the ranks stay */
    orr__signals_note(&signals);
    if (st == ORR_OK)
        st = orr__fail_place(at, orr__trace_start(orr__env.trace));
    if (st == ORR_OK && (st = orr__fail_place(at, orr__notes_open(orr__env.notes))) != ORR_OK)
        orr__trace_stop();
    if (st == ORR_OK && ((st = orr__cu_binding_start(at, orr__engine_may_use_cuda(config))) != ORR_OK ||
                         (st = orr__engine_start(at, config)) != ORR_OK))
        orr__trace_stop();
    if (st == ORR_OK && (st = orr__devices_start(at)) != ORR_OK) {
        orr__engine_stop();
        orr__trace_stop();
    }
    if (st == ORR_OK && orr__ranks() > 1 &&
        ((st = orr__cu_exchanges_start(at, orr__machine_here.cuda > 0 ? orr__machine_here.cuda_device : -1)) !=
             ORR_OK ||
         (st = orr__block_cyclic_agree(at)) != ORR_OK)) {
        orr__devices_stop();
        orr__engine_stop();
        orr__trace_stop();
    }
    if (st != ORR_OK && !was_started && orr__ranks() > 1)
        orr__ranks_fail(orr_error_message()); /* the other ranks are about to agree on the way of exchanges */
    if (st != ORR_OK && !was_started) {
        orr__notes_close();
        orr__ranks_stop();
        orr__ranks_leave();
        orr__spill_stop();
        release_standard_files();
    }
    if (st == ORR_OK) {
        orr__cpu_start();
        orr__exit_watch(); /* after the start of all libraries, whose own handlers thus run later */
        orr__idle_memory_start();
        orr__piles_start();
        orr__over_ranks_start();
        pauses = 0;
        started = true;
    }
    orr__signals_restore(&signals);
    leave();
    return st;
}

orr_status orr_pause(void)
{
    orr__site at = ORR__SITE(NULL, 0, "pause");
    orr_status st = orr__may_wait(at);
    if (st != ORR_OK || (st = enter(at)) != ORR_OK)
        return st;
    if (!started)
        st = orr__fail(at, ORR_ESTATE, "Orrery is not running: call orr_init first");
    else if (pauses++ == 0) {
        orr__engine_pause(true);
        orr__cpu_pause(true);
    }
    leave();
    return st;
}

orr_status orr_resume(void)
{
    orr__site at = ORR__SITE(NULL, 0, "resume");
    orr_status st = enter(at);
    if (st != ORR_OK)
        return st;
    if (!started || pauses == 0)
        st = orr__fail(at, ORR_ESTATE, "there is no orr_pause before this orr_resume");
    else if (--pauses == 0) {
        orr__cpu_pause(false);
        orr__engine_pause(false);
    }
    leave();
    return st;
}

orr_status orr_shutdown(void)
{
    ORR__IN_DEFAULT_FPMODE;
    if (orr__exit_is_here()) /* all has stopped already */
        return ORR_OK;
    orr__site at = ORR__SITE(NULL, 0, "shutdown");
    orr_status st = orr__may_wait(at);
    if (st != ORR_OK || (st = enter(at)) != ORR_OK)
        return st;
    if (!started) {
        leave();
        return orr__fail(at, ORR_ESTATE, "Orrery is not running: never started, or shut down before");
    }
    if (pauses > 0) {
        orr__cpu_pause(false);
        orr__engine_pause(false);
    }
    orr__idle_memory_stop();
    orr__piles_stop();
    orr__ranks_stop();
    orr__devices_stop();
    orr__notes_close();
    orr__cpu_stop(); /* a launch that waits for a compiler continues without it */
    /* Handles first: their buffers must be released before the engine that holds their content. */
    orr__events_report();
    orr__handles_shutdown();
    orr__over_ranks_stop();
    orr__plan_cache_clear();
    orr__engine_stop();
    orr__ranks_leave();
    orr__trace_stop();
    orr__pool_trim();
    orr__pool_limit(0);
    orr__spill_stop();
    release_standard_files();
    started = false;
    leave();
    return ORR_OK;
}
