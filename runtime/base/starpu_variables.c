/* The table of StarPU's environment variables, and the check of their values.
 * Must not know: StarPU's functions. */
#include "config.h"
#include "runtime/base/starpu_variables.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/decimal.h"
#include "runtime/base/env.h"

extern char **environ;

/* NUMBER: least … most; REAL: at least `least`; LIST: numbers and ranges from 0; DEVICES: numbers separated by spaces, at most `most`;
 * WORD: one of `words`; NAME: no slash; FREE: any text; REFUSED: `words` is the reason. */
typedef enum { NUMBER, REAL, LIST, DEVICES, WORD, NAME, FREE, REFUSED } kind;

/* Bounds that the machine gives. */
enum { PROCESSORS = -1, CORES = -2, PER_CORE = -3 };

typedef struct {
    orr__starpu_row row;
    kind kind;
    int least, most;
    const char *words;
} entry;

#define ANY(name, meaning)                                                                                             \
    {                                                                                                                  \
        { name, meaning }, NUMBER, 0, INT_MAX, NULL                                                                    \
    }
#define SWITCH(name, meaning)                                                                                          \
    {                                                                                                                  \
        { name, meaning }, NUMBER, 0, 1, NULL                                                                          \
    }
#define RANGE(name, least, most, meaning)                                                                              \
    {                                                                                                                  \
        { name, meaning }, NUMBER, least, most, NULL                                                                   \
    }
#define REALS(name, least)                                                                                             \
    {                                                                                                                  \
        { name, NULL }, REAL, least, 0, NULL                                                                           \
    }
#define TEXT(name, meaning)                                                                                            \
    {                                                                                                                  \
        { name, meaning }, FREE, 0, 0, NULL                                                                            \
    }
#define MEGABYTES(name, meaning)                                                                                       \
    {                                                                                                                  \
        { name, meaning }, NUMBER, 0, INT_MAX, NULL                                                                    \
    }
#define NEVER(name, reason)                                                                                            \
    {                                                                                                                  \
        { name, NULL }, REFUSED, 0, 0, reason                                                                          \
    }

enum { BACKOFF = 65536, PIPELINE = 4, DISK = 16 }; /* limit of a library */

/* clang-format off */
static const entry table[] = {
    /* workers */
    ANY("STARPU_NCPU", "number of CPU workers; without it ranks on the same cores divide these"),
    ANY("STARPU_NCPUS", "the same, in its older spelling"),
    ANY("STARPU_NCUDA", "number of CUDA devices; 0: none"),
    ANY("STARPU_NOPENCL", "number of OpenCL devices; 0: none"),
    ANY("STARPU_NHIP", NULL), ANY("STARPU_NMAX_FPGA", NULL), ANY("STARPU_NMIC", NULL), ANY("STARPU_NMICTHREADS", NULL),
    ANY("STARPU_NMPI_MS", NULL), ANY("STARPU_NMPIMSTHREADS", NULL), ANY("STARPU_NTCPIP_MS", NULL), ANY("STARPU_NTCPIPMSTHREADS", NULL),
    ANY("STARPU_TCPIP_MS_SLAVES", NULL), RANGE("STARPU_TCPIP_MS_PORT", 1, 65535, NULL), TEXT("STARPU_TCPIP_MS_MASTER", NULL),
    SWITCH("STARPU_TCPIP_USE_LOCAL_SOCKET", NULL), SWITCH("STARPU_TCPIP_MS_MULTIPLE_THREAD", NULL), SWITCH("STARPU_MPI_MS_MULTIPLE_THREAD", NULL),
    TEXT("STARPU_SINK", NULL), TEXT("STARPU_MIC_PROGRAM_PATH", NULL), TEXT("STARPU_MIC_SINK_PROGRAM_NAME", NULL),
    TEXT("STARPU_MIC_SINK_PROGRAM_PATH", NULL),
    ANY("STARPU_RESERVE_NCPU", "number of cores that StarPU leaves to the rest of the program"),
    RANGE("STARPU_NWORKER_PER_CUDA", 1, 8, NULL), RANGE("STARPU_NWORKER_PER_HIP", 1, 8, NULL),
    SWITCH("STARPU_CUDA_THREAD_PER_DEV", NULL), SWITCH("STARPU_CUDA_THREAD_PER_WORKER", NULL), SWITCH("STARPU_HIP_THREAD_PER_DEV", NULL),
    SWITCH("STARPU_HIP_THREAD_PER_WORKER", NULL),
    RANGE("STARPU_CUDA_PIPELINE", 0, PIPELINE, "tasks that wait in the queue of each CUDA worker; 0: one at a time"),
    RANGE("STARPU_OPENCL_PIPELINE", 0, PIPELINE, "the same for OpenCL"), RANGE("STARPU_HIP_PIPELINE", 0, PIPELINE, NULL),
    /* places of threads */
    { { "STARPU_WORKERS_CPUID", "which hardware threads the CPU workers are bound to" }, LIST, 0, PROCESSORS, NULL },
    { { "STARPU_WORKERS_COREID", "which cores the CPU workers are bound to" }, LIST, 0, CORES, NULL },
    { { "STARPU_WORKERS_CUDAID", "which CUDA devices are used" }, DEVICES, 0, 1023, NULL },
    { { "STARPU_WORKERS_OPENCLID", "which OpenCL devices are used" }, DEVICES, 0, 1023, NULL },
    { { "STARPU_WORKERS_HIPID", NULL }, DEVICES, 0, 1023, NULL }, { { "STARPU_WORKERS_MAX_FPGAID", NULL }, DEVICES, 0, 1023, NULL },
    { { "STARPU_WORKERS_MICID", NULL }, DEVICES, 0, 1023, NULL },
    SWITCH("STARPU_WORKERS_NOBIND", "1: do not bind workers to cores (several processes on one machine)"),
    SWITCH("STARPU_WORKERS_GETBIND",
           "0: workers on all cores of the machine, even those that the process may not use (Orrery sets it to 1)"),
    RANGE("STARPU_MAIN_THREAD_BIND", 0, 2, "1: bind the thread that calls orr_init, and keep its core free of workers"),
    RANGE("STARPU_MAIN_THREAD_CPUID", 0, PROCESSORS, "the hardware thread that it is bound to"),
    RANGE("STARPU_MAIN_THREAD_COREID", 0, CORES, "the core that it is bound to"),
    RANGE("STARPU_NTHREADS_PER_CORE", 1, PER_CORE, "CPU workers on each core"),
    RANGE("STARPU_USE_NUMA", 0, 2, "0: large arrays and their tasks are not divided among the NUMA nodes; otherwise they are, where there are several"),
    SWITCH("STARPU_WORKER_TREE", NULL), RANGE("STARPU_DISPLAY_BINDINGS", 0, 2, NULL), SWITCH("STARPU_PCI_FLAT", NULL),
    NEVER("STARPU_HWLOC_INPUT", "with the topology of another machine StarPU binds threads to cores that do not exist"),
    RANGE("STARPU_BACKOFF_MIN", 1, BACKOFF, NULL), RANGE("STARPU_BACKOFF_MAX", 1, BACKOFF, NULL),
    /* policy and models */
    TEXT("STARPU_SCHED", "scheduling policy: `lws`, `eager`, `dmda`, `dmdas` …; unset, Orrery chooses by the machine"),
    TEXT("STARPU_SCHED_LIB", "a library with further policies (StarPU 1.4)"),
    ANY("STARPU_MIN_PRIO", NULL), RANGE("STARPU_MAX_PRIO", 1, INT_MAX, NULL),
    REALS("STARPU_SCHED_ALPHA", 0), REALS("STARPU_SCHED_BETA", 0), REALS("STARPU_SCHED_GAMMA", 0), REALS("STARPU_IDLE_POWER", 0),
    SWITCH("STARPU_SCHED_READY", NULL), SWITCH("STARPU_SCHED_SORTED_ABOVE", NULL), SWITCH("STARPU_SCHED_SORTED_BELOW", NULL),
    SWITCH("STARPU_SCHED_GRAPH_TEST_DESCENDANTS", NULL), RANGE("STARPU_NTASKS_THRESHOLD", 1, INT_MAX, NULL),
    REALS("STARPU_EXP_LEN_THRESHOLD", 0), REALS("STARPU_WINDOW_TIME_SIZE", 0),
    SWITCH("STARPU_PREFETCH", "0: operands are not copied to a device before their task is about to run"),
    RANGE("STARPU_CALIBRATE", 0, 2, "StarPU's models of task times (1: complete them, 2: anew); Orrery uses models of its own, so it changes "
                                   "no placement"),
    RANGE("STARPU_CALIBRATE_MINIMUM", 1, INT_MAX, NULL), ANY("STARPU_HISTORY_MAX_ERROR", NULL),
    SWITCH("STARPU_BUS_CALIBRATE", "1: measure the speed of copies between memories again"),
    SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_CPU", NULL), SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_CUDA", NULL),
    SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_OPENCL", NULL), SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_HIP", NULL),
    SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_MIC", NULL), SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_MPI_MS", NULL),
    SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_TCPIP_MS", NULL), SWITCH("STARPU_PERF_MODEL_HOMOGENEOUS_MAX_FPGA", NULL),
    RANGE("STARPU_MIN_WORKERSIZE", 1, INT_MAX, NULL), RANGE("STARPU_MAX_WORKERSIZE", 1, INT_MAX, NULL),
    SWITCH("STARPU_SINGLE_COMBINED_WORKER", NULL), RANGE("STARPU_SYNTHESIZE_ARITY_COMBINED_WORKER", 1, INT_MAX, NULL),
    ANY("STARPU_LIMIT_MAX_SUBMITTED_TASKS", NULL), ANY("STARPU_LIMIT_MIN_SUBMITTED_TASKS", NULL),
    /* places of files */
    TEXT("STARPU_HOME", "where StarPU keeps its measurements of copies, in `.starpu/sampling`, if XDG_CACHE_HOME is not set; both unset, the home directory"),
    TEXT("STARPU_PERF_MODEL_DIR", "the folder itself; it comes before the two"), TEXT("STARPU_PERF_MODEL_PATH", NULL),
    { { "STARPU_HOSTNAME", "the name of this machine in the names of StarPU's files" }, NAME, 0, 0, NULL },
    TEXT("STARPU_MPI_HOSTNAMES", NULL), TEXT("STARPU_OPENCL_PROGRAM_DIR", NULL), TEXT("STARPU_LOGFILENAME", NULL),
    TEXT("STARPU_IDLE_FILE", NULL), TEXT("STARPU_BUS_STATS_FILE", NULL), TEXT("STARPU_WORKER_STATS_FILE", NULL),
    TEXT("STARPU_HETEROPRIO_DATA_DIR", NULL), TEXT("STARPU_HETEROPRIO_DATA_FILE", NULL),
    /* memory and copies */
    MEGABYTES("STARPU_LIMIT_CPU_MEM", NULL), MEGABYTES("STARPU_LIMIT_CPU_NUMA_MEM", NULL), MEGABYTES("STARPU_LIMIT_CPU_NUMA_#_MEM", NULL),
    MEGABYTES("STARPU_LIMIT_CUDA_MEM", "MB of memory that may be used on each CUDA device"), MEGABYTES("STARPU_LIMIT_CUDA_#_MEM", NULL),
    MEGABYTES("STARPU_LIMIT_OPENCL_MEM", "MB of memory that may be used on each OpenCL device"), MEGABYTES("STARPU_LIMIT_OPENCL_#_MEM", NULL),
    MEGABYTES("STARPU_LIMIT_HIP_MEM", NULL), MEGABYTES("STARPU_LIMIT_HIP_#_MEM", NULL), MEGABYTES("STARPU_LIMIT_MAX_FPGA_MEM", NULL),
    RANGE("STARPU_MINIMUM_AVAILABLE_MEM", 0, 100, NULL), RANGE("STARPU_TARGET_AVAILABLE_MEM", 0, 100, NULL),
    RANGE("STARPU_MINIMUM_CLEAN_BUFFERS", 0, 100, NULL), RANGE("STARPU_TARGET_CLEAN_BUFFERS", 0, 100, NULL),
    ANY("STARPU_LIMIT_BANDWIDTH", NULL), SWITCH("STARPU_SUBALLOCATOR", NULL), SWITCH("STARPU_DIDUSE_BARRIER", NULL),
    SWITCH("STARPU_ENABLE_MAP", NULL), SWITCH("STARPU_GLOBAL_ARBITER", NULL), SWITCH("STARPU_DATA_LOCALITY_ENFORCE", NULL),
    SWITCH("STARPU_EXPECTED_TRANSFER_TIME_WRITEBACK", NULL), SWITCH("STARPU_CUDA_ONLY_FAST_ALLOC_OTHER_MEMNODES", NULL),
    SWITCH("STARPU_ENABLE_CUDA_GPU_GPU_DIRECT", NULL),
    SWITCH("STARPU_DISABLE_PINNING", "1: host memory is not pinned for copies to CUDA devices"),
    SWITCH("STARPU_DISABLE_ASYNCHRONOUS_COPY", NULL), SWITCH("STARPU_DISABLE_ASYNCHRONOUS_CUDA_COPY", NULL),
    SWITCH("STARPU_DISABLE_ASYNCHRONOUS_OPENCL_COPY", NULL), SWITCH("STARPU_DISABLE_ASYNCHRONOUS_HIP_COPY", NULL),
    SWITCH("STARPU_DISABLE_ASYNCHRONOUS_MAX_FPGA_COPY", NULL), SWITCH("STARPU_DISABLE_ASYNCHRONOUS_MIC_COPY", NULL),
    SWITCH("STARPU_DISABLE_ASYNCHRONOUS_MPI_MS_COPY", NULL), SWITCH("STARPU_DISABLE_ASYNCHRONOUS_TCPIP_MS_COPY", NULL),
    TEXT("STARPU_DISK_SWAP", "StarPU's own disk memory; Orrery's is ORRERY_SPILL_DIR"),
    { { "STARPU_DISK_SWAP_BACKEND", NULL }, WORD, 0, 0, "stdio unistd unistd_o_direct leveldb hdf5" },
    RANGE("STARPU_DISK_SWAP_SIZE", DISK, INT_MAX, NULL),
    /* OpenCL on processors */
    SWITCH("STARPU_OPENCL_ON_CPUS", "1: an OpenCL implementation for CPUs (PoCL) counts as a device; for tests"),
    SWITCH("STARPU_OPENCL_ONLY_ON_CPUS", "1: such an implementation is the only OpenCL device"),
    /* messages, statistics, debugging */
    SWITCH("STARPU_SILENT", "0: StarPU prints its messages (unset, Orrery sets 1); its warnings are printed in either case"),
    SWITCH("STARPU_CATCH_SIGNALS", NULL), ANY("STARPU_RAND_SEED", NULL), SWITCH("STARPU_STATS", NULL), SWITCH("STARPU_ENABLE_STATS", NULL),
    SWITCH("STARPU_BUS_STATS", NULL), SWITCH("STARPU_WORKER_STATS", NULL), SWITCH("STARPU_COMM_STATS", NULL),
    SWITCH("STARPU_MEMORY_STATS", NULL), SWITCH("STARPU_MAX_MEMORY_USE", NULL), SWITCH("STARPU_PROFILING", NULL),
    SWITCH("STARPU_CODELET_PROFILING", NULL), SWITCH("STARPU_ENERGY_PROFILING", NULL), TEXT("STARPU_PROF_PAPI_EVENTS", NULL),
    TEXT("STARPU_PROF_TOOL", NULL), SWITCH("STARPU_TASK_PROGRESS", NULL), ANY("STARPU_TASK_BREAK_ON_PUSH", NULL),
    ANY("STARPU_TASK_BREAK_ON_SCHED", NULL), ANY("STARPU_TASK_BREAK_ON_POP", NULL), ANY("STARPU_TASK_BREAK_ON_EXEC", NULL),
    RANGE("STARPU_WATCHDOG_TIMEOUT", 1, INT_MAX, "microseconds without a finished task after which StarPU prints a line"),
    ANY("STARPU_WATCHDOG_DELAY", NULL), SWITCH("STARPU_WATCHDOG_CRASH", "1: that ends the process, too (unset, Orrery sets 0)"),
    SWITCH("STARPU_GENERATE_TRACE", NULL), TEXT("STARPU_GENERATE_TRACE_OPTIONS", NULL), SWITCH("STARPU_FXT_TRACE", NULL),
    TEXT("STARPU_FXT_PREFIX", NULL), TEXT("STARPU_FXT_SUFFIX", NULL), TEXT("STARPU_FXT_EVENTS", NULL), RANGE("STARPU_TRACE_BUFFER_SIZE", 1, INT_MAX, NULL),
    /* simulation */
    NEVER("STARPU_DISABLE_KERNELS", "no kernel would run, so all results would be wrong"),
    RANGE("STARPU_SIMGRID", 0, 0, NULL), SWITCH("STARPU_CHECK_ENTIRE_PLATFORM", NULL),
    SWITCH("STARPU_SIMGRID_CUDA_MALLOC_COST", NULL), SWITCH("STARPU_SIMGRID_CUDA_QUEUE_COST", NULL),
    SWITCH("STARPU_SIMGRID_FETCHING_INPUT_COST", NULL), SWITCH("STARPU_SIMGRID_SCHED_COST", NULL), SWITCH("STARPU_SIMGRID_TASK_PUSH_COST", NULL),
    SWITCH("STARPU_SIMGRID_TASK_SUBMIT_COST", NULL), SWITCH("STARPU_SIMGRID_TRANSFER_COST", NULL), ANY("STARPU_MALLOC_SIMULATION_FOLD", NULL),
    /* StarPU-MPI */
    SWITCH("STARPU_MPI_NOBIND", "1: do not bind StarPU-MPI's thread to a core"), RANGE("STARPU_MPI_THREAD_CPUID", 0, PROCESSORS, NULL),
    RANGE("STARPU_MPI_THREAD_COREID", 0, CORES, NULL), TEXT("STARPU_MPI_COMM", NULL), SWITCH("STARPU_MPI_CACHE", NULL),
    SWITCH("STARPU_MPI_CACHE_STATS", NULL), SWITCH("STARPU_MPI_STATS", NULL), SWITCH("STARPU_MPI_PRIORITIES", NULL), SWITCH("STARPU_MPI_COOP_SENDS", NULL),
    ANY("STARPU_MPI_DEBUG_LEVEL_MIN", NULL), ANY("STARPU_MPI_DEBUG_LEVEL_MAX", NULL), ANY("STARPU_MPI_MASTER_NODE", NULL),
    RANGE("STARPU_MPI_DRIVER_CALL_FREQUENCY", 0, 0, NULL), ANY("STARPU_MPI_DRIVER_TASK_FREQUENCY", NULL), RANGE("STARPU_MPI_NDETACHED_SEND", 1, INT_MAX, NULL),
    RANGE("STARPU_MPI_NREADY_PROCESS", 1, INT_MAX, NULL), SWITCH("STARPU_MPI_GPUDIRECT", NULL), SWITCH("STARPU_MPI_TRACE_SYNC_CLOCKS", NULL),
    SWITCH("STARPU_MPI_EARLYDATA_ALLOCATE", NULL), SWITCH("STARPU_MPI_MEM_THROTTLE", NULL), SWITCH("STARPU_MPI_PSM2", NULL),
    ANY("STARPU_MPI_RECV_WAIT_FINALIZE", NULL), RANGE("STARPU_MPI_REDUX_ARITY_THRESHOLD", 1, INT_MAX, NULL),
    SWITCH("STARPU_MPI_THREAD_MULTIPLE_SEND", NULL), TEXT("STARPU_MPI_LB", NULL), ANY("STARPU_MPI_NMAD_IDLE_HOOKS", NULL), ANY("STARPU_MPI_NMAD_PROG_HOOKS", NULL),
    NEVER("STARPU_MPI_FAKE_SIZE", "StarPU would believe in ranks that are not there"),
    NEVER("STARPU_MPI_FAKE_RANK", "StarPU would believe in ranks that are not there"),
    /* the policy heteroprio of StarPU 1.4 */
    SWITCH("STARPU_HETEROPRIO_USE_AUTO_CALIBRATION", NULL), SWITCH("STARPU_HETEROPRIO_USE_LA", NULL),
    ANY("STARPU_HETEROPRIO_CODELET_GROUPING_STRATEGY", NULL), TEXT("STARPU_LAHETEROPRIO_PUSH", NULL), ANY("STARPU_LAHETEROPRIO_S_#", NULL),
    ANY("STARPU_LAHETEROPRIO_PRIO_STEP_#", NULL), SWITCH("STARPU_AUTOHETEROPRIO_FREEZE_GATHERING", NULL),
    RANGE("STARPU_AUTOHETEROPRIO_ORDERING_INTERVAL", 1, INT_MAX, NULL), SWITCH("STARPU_AUTOHETEROPRIO_PRINT_AFTER_ORDERING", NULL),
    SWITCH("STARPU_AUTOHETEROPRIO_PRINT_DATA_ON_UPDATE", NULL), RANGE("STARPU_AUTOHETEROPRIO_PRIORITY_ORDERING_POLICY", 0, 15, NULL),
    SWITCH("STARPU_AUTOHETEROPRIO_TIME_ESTIMATION_POLICY", NULL), REALS("STARPU_HETEROPRIO_AURT_DOT_DIFF_10_NOD_OFFSET", 0),
    REALS("STARPU_HETEROPRIO_BEST_NODS_SCORE_EXP_SELECTIVITY", 0), REALS("STARPU_HETEROPRIO_NOD_TIME_COMBINATION_EXP_SELECTIVITY", 0),
    REALS("STARPU_HETEROPRIO_NOD_TIME_COMBINATION_NOD_MULTIPLIER", 0), REALS("STARPU_HETEROPRIO_URTS_TIME_COMBINATION_EXP_SELECTIVITY", 0),
    REALS("STARPU_HETEROPRIO_URTS_TIME_COMBINATION_NOD_MULTIPLIER", 0), REALS("STARPU_HETEROPRIO_URT_2_ARCH_NEED_MULTIPLIER", 0),
    REALS("STARPU_HETEROPRIO_URT_2_URT_MULTIPLIER", 0), REALS("STARPU_HETEROPRIO_URT_URT_MULTIPLIER", 0),
    REALS("STARPU_HETEROPRIO_URT_DOT_DIFF_#_ARCH_DIFF_OFFSET", 0), REALS("STARPU_HETEROPRIO_URT_DOT_DIFF_#_NOD_OFFSET", 0),
    REALS("STARPU_HETEROPRIO_URT_DOT_DIFF_#_ARCH_NEED_MULTIPLIER", 0),
};
/* clang-format on */
enum { ROWS = sizeof table / sizeof *table };

static int bound(int most, const orr__starpu_machine *m)
{
    if (most >= 0)
        return most;
    return most == PROCESSORS ? m->processors - 1 : most == CORES ? m->cores - 1 : m->processors / m->cores;
}

/* The values in words; without a machine, its bounds are named. */
static void values(const entry *e, const orr__starpu_machine *m, char *to, size_t size)
{
    char most[40] = "";
    if (e->most < 0 && !m)
        (void)snprintf(most, sizeof most, "%s",
                       e->most == PER_CORE ? "hardware threads of a core" : "that of the last one");
    else if (e->most != INT_MAX)
        (void)snprintf(most, sizeof most, "%d", m ? bound(e->most, m) : e->most);
    switch (e->kind) {
    case NUMBER:
        if (!*most)
            (void)snprintf(to, size, "a whole number, %d or more", e->least);
        else if (m && e->least == bound(e->most, m))
            (void)snprintf(to, size, "%s alone", most);
        else if (e->most >= 0 && e->most == e->least + 1)
            (void)snprintf(to, size, "%d or %d", e->least, e->most);
        else
            (void)snprintf(to, size, "a whole number from %d to %s", e->least, most);
        break;
    case REAL: (void)snprintf(to, size, "a number, %d or more", e->least); break;
    case LIST:
        if (m)
            (void)snprintf(to, size, "at most %d numbers from 0 to %s, as in 0,2 or 0-3", m->workers - 1, most);
        else
            (void)snprintf(to, size, "numbers from 0, as in 0,2 or 0-3");
        break;
    case DEVICES: (void)snprintf(to, size, "numbers of devices with spaces between them, as in 0 1"); break;
    case WORD: (void)snprintf(to, size, "%s", e->words); break;
    case NAME: (void)snprintf(to, size, "a name without /"); break;
    case FREE: (void)snprintf(to, size, "text"); break;
    case REFUSED: (void)snprintf(to, size, "nothing: %s", e->words); break;
    }
}

/* One number in decimal digits, without a sign. */
static bool number(const char **s, int most, int *n)
{
    char *end;
    errno = 0;
    long v = isdigit((unsigned char)**s) ? strtol(*s, &end, 10) : -1;
    if (v < 0 || errno || v > most)
        return false;
    *s = end;
    *n = (int)v;
    return true;
}

static bool is_number(const char *s, int least, int most)
{
    int n;
    return number(&s, most, &n) && !*s && n >= least;
}

static bool is_real(const char *s, int least)
{
    char *end = NULL;
    double v = isspace((unsigned char)*s) ? NAN : orr__decimal(s, &end);
    return isfinite(v) && end != s && !*end && v >= least;
}

/* Numbers and ranges (0,2-3 and 1-), separated by commas and spaces; fewer entries than StarPU has room for, which it does not check. */
static bool is_list(const char *s, int most, int workers)
{
    int from, to, entries = 0;
    for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
        if (!number(&s, most, &from))
            return false;
        to = from;
        if (*s == '-' && s++)
            to = most;
        if (s[-1] == '-' && isdigit((unsigned char)*s) && (!number(&s, most, &to) || to < from))
            return false;
        entries += to - from + 1;
        if (*s && *s != ' ' && *s != ',')
            return false;
        s += *s == ',';
    }
    return entries > 0 && entries < workers;
}

static bool is_devices(const char *s, int most, int workers)
{
    int n, entries = 0;
    for (s += strspn(s, " "); *s; s += strspn(s, " "), entries++)
        if (!number(&s, most, &n) || (*s && *s != ' '))
            return false;
    return entries > 0 && entries < workers;
}

static bool is_word(const char *s, const char *words)
{
    size_t n = strlen(s);
    for (const char *w = words; n > 0 && (w = strstr(w, s)); w += n)
        if ((w == words || w[-1] == ' ') && (!w[n] || w[n] == ' '))
            return true;
    return false;
}

static bool valid(const entry *e, const char *s, const orr__starpu_machine *m)
{
    int most = bound(e->most, m);
    switch (e->kind) {
    case NUMBER: return is_number(s, e->least, most);
    case REAL: return is_real(s, e->least);
    case LIST: return is_list(s, most, m->workers);
    case DEVICES: return is_devices(s, most, m->workers);
    case WORD: return is_word(s, e->words);
    case NAME: return !strchr(s, '/');
    case FREE: return true;
    case REFUSED: return strcmp(s, "0") == 0;
    }
    return false;
}

/* A # in the pattern stands for digits. */
static bool matches(const char *pattern, const char *name, size_t n)
{
    const char *end = name + n;
    for (; *pattern && name < end; pattern++) {
        if (*pattern != '#' ? *name != *pattern : !isdigit((unsigned char)*name))
            return false;
        for (name++; *pattern == '#' && name < end && isdigit((unsigned char)*name); name++)
            ;
    }
    return !*pattern && name == end;
}

static const entry *find(const char *name, size_t n)
{
    for (size_t i = 0; i < ROWS; i++)
        if (matches(table[i].row.name, name, n))
            return &table[i];
    return NULL;
}

static orr_status check_one(orr__site at, const char *name, const char *value, const orr__starpu_machine *m)
{
    char right[256];
    const entry *e = find(name, strlen(name));
    if (!e) {
        const char *near = NULL;
        unsigned least = 3; /* a typing mistake; other names belong to other programs */
        for (size_t i = 0; i < ROWS; i++) {
            unsigned d = orr__name_distance(name, table[i].row.name);
            if (d < least) {
                least = d;
                near = table[i].row.name;
            }
        }
        if (near)
            orr__log(1, "%s is no variable of StarPU; did you mean %s?", name, near);
        return ORR_OK;
    }
    if (valid(e, value, m))
        return ORR_OK;
    values(e, m, right, sizeof right);
    return orr__fail(at, ORR_EENV, "%s=%.200s%s makes no sense; it takes: %s", name, value,
                     strlen(value) > 200 ? "…" : "", right); /* limit of a format */
}

/* The policy pheft asserts that the least priority is below the greatest, which is 1 unless set. */
static orr_status check_priorities(orr__site at)
{
    const char *least = getenv("STARPU_MIN_PRIO"), *most = getenv("STARPU_MAX_PRIO");
    if (!least || atoi(least) < (most ? atoi(most) : 1))
        return ORR_OK;
    return orr__fail(at, ORR_EENV,
                     "STARPU_MIN_PRIO=%s makes no sense; it takes: less than STARPU_MAX_PRIO, which is %s", least,
                     most ? most : "1 unless set");
}

/* StarPU asserts that only one of them is set. */
static orr_status check_both(orr__site at, const char *one, const char *other)
{
    if (!getenv(one) || !getenv(other))
        return ORR_OK;
    return orr__fail(at, ORR_EENV, "%s and %s are both set; StarPU takes one of them", one, other);
}

orr_status orr__starpu_variables_check(orr__site at, const orr__starpu_machine *machine)
{
    char name[128];
    orr_status st = ORR_OK;
    for (char **e = environ; e && *e && st == ORR_OK;) {
        size_t n = strcspn(*e, "=");
        bool ours = strncmp(*e, "STARPU_", 7) == 0 && n < sizeof name && (*e)[n];
        const char *value = *e + n + 1;
        if (ours) {
            memcpy(name, *e, n);
            name[n] = '\0';
        }
        if (ours && !*value && find(name, n) && unsetenv(name) == 0)
            continue; /* the next one is at this place now */
        if (ours)
            st = check_one(at, name, value, machine);
        e++;
    }
    if (st == ORR_OK)
        st = check_priorities(at);
    return st != ORR_OK ? st : check_both(at, "STARPU_CUDA_THREAD_PER_WORKER", "STARPU_CUDA_THREAD_PER_DEV");
}

const orr__starpu_row *orr__starpu_variable(size_t i, char *buf, size_t size)
{
    if (i >= ROWS)
        return NULL;
    if (buf)
        values(&table[i], NULL, buf, size);
    return &table[i].row;
}

bool orr__starpu_variable_known(const char *name)
{
    return find(name, strlen(name)) != NULL;
}
