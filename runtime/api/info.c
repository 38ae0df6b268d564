/* Facts about machine, libraries and engine, for people.
 * Must not know: StarPU; how a fact is printed. */
#include "config.h"
#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#include <orrery/device.h>
#include <orrery/eval.h>
#include <orrery/info.h>
#include "codelets/codelet.h"
#include "runtime/base/buffer.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/decimal.h"
#include "runtime/base/memory_nodes.h"
#include "runtime/engine/engine.h"
#include "runtime/ranks/ranks.h"

typedef struct list {
    orr_fact *fact;
    int n, max;
} list;

static void add(list *l, const char *group, const char *name, const char *fmt, ...) ORR_PRINTF(4, 5);
static void add(list *l, const char *group, const char *name, const char *fmt, ...)
{
    if (l->n < l->max) {
        orr_fact *f = &l->fact[l->n];
        va_list args;
        va_start(args, fmt);
        (void)snprintf(f->group, sizeof f->group, "%s", group);
        (void)snprintf(f->name, sizeof f->name, "%s", name);
        (void)orr__decimal_vprint(f->value, sizeof f->value, fmt, args);
        va_end(args);
    }
    l->n++;
}

/* -- machine --------------------------------------------------------------------------------------------- */

/* The first "key : value" line of a file, e.g. of /proc/cpuinfo. */
static void first_value(const char *path, const char *key, char *out, size_t size)
{
    char line[512];
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        colon++;
        colon += strspn(colon, " \t");
        colon[strcspn(colon, "\n")] = 0;
        (void)snprintf(out, size, "%s", colon);
        break;
    }
    if (f)
        (void)fclose(f);
}

static void add_bytes(list *l, const char *group, const char *name, double bytes)
{
    static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    int k = 0;
    for (; bytes >= 1024.0 && k < 4; k++)
        bytes /= 1024.0;
    add(l, group, name, "%.*f %s", bytes == (double)(long)bytes ? 0 : 1, bytes, unit[k]);
}

#ifdef HAVE_HWLOC
static void topology(list *l)
{
    static const hwloc_obj_type_t level[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE };
    hwloc_topology_t t;
    if (hwloc_topology_init(&t) != 0)
        return;
    if (hwloc_topology_load(t) == 0) {
        add(l, "machine", "packages", "%d", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE));
        add(l, "machine", "cores", "%d", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE));
        add(l, "machine", "hardware threads", "%d", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU));
        add(l, "machine", "NUMA nodes", "%d", hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE));
        for (int i = 0; i < orr__nodes_here() && orr__nodes_here() > 1; i++) {
            char name[24];
            (void)snprintf(name, sizeof name, "NUMA node %d", i);
            add(l, "machine", name, "%d core%s%s", orr__node_cores(i), orr__node_cores(i) == 1 ? "" : "s",
                orr__nodes() > 1 ? ", home of an equal part of each large array" : "");
        }
        for (int i = 0; i < 3; i++) {
            int n = hwloc_get_nbobjs_by_type(t, level[i]);
            hwloc_obj_t o = n > 0 ? hwloc_get_obj_by_type(t, level[i], 0) : NULL;
            if (o)
                add(l, "machine",
                    i == 0   ? "L1 data cache"
                    : i == 1 ? "L2 cache"
                             : "L3 cache",
                    "%d × %llu KiB", n, (unsigned long long)(o->attr->cache.size / 1024));
        }
    }
    hwloc_topology_destroy(t);
}
#else
static void topology(list *l)
{
    add(l, "machine", "hardware threads", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
#ifdef _SC_LEVEL1_DCACHE_SIZE
    add_bytes(l, "machine", "L1 data cache", (double)sysconf(_SC_LEVEL1_DCACHE_SIZE));
    add_bytes(l, "machine", "L2 cache", (double)sysconf(_SC_LEVEL2_CACHE_SIZE));
    add_bytes(l, "machine", "L3 cache", (double)sysconf(_SC_LEVEL3_CACHE_SIZE));
#endif
}
#endif

static void machine(list *l)
{
    char text[160] = "";
    struct utsname u;
    first_value("/proc/cpuinfo", "model name", text, sizeof text);
    if (text[0])
        add(l, "machine", "processor", "%s", text);
    if (uname(&u) == 0)
        add(l, "machine", "system", "%.60s %.60s %.60s", u.sysname, u.release, u.machine);
    topology(l);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        add(l, "machine", "threads allowed", "%d", CPU_COUNT(&set));
    double limit = orr__job_cores(NULL, NULL);
    if (isfinite(limit))
        add(l, "machine", "processors of the job", "%.2f", limit);
    add_bytes(l, "machine", "memory", (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE));
}

/* -- libraries and engine -------------------------------------------------------------------------------- */

static void libraries(list *l)
{
    char why[160] = "";
    add(l, "library", "orrery", "%s", orr_version());
    add(l, "library", "CPU kernels", "%s", orr__cpu_describe());
#ifdef HAVE_STARPU
    add(l, "library", "StarPU", "built with it (which one: see engine)");
#else
    add(l, "library", "StarPU", "built without: the serial engine only");
#endif
#ifdef HAVE_HWLOC
    add(l, "library", "hwloc", "%s", HWLOC_VERSION);
#else
    add(l, "library", "hwloc", "built without");
#endif
#ifdef HAVE_ZLIB
    add(l, "library", "zlib", "%s", zlibVersion());
#else
    add(l, "library", "zlib", "built without: no .gz files, no compressed .npz");
#endif
    bool cuda = orr__cuda.probe(why, sizeof why);
    add(l, "library", "CUDA", "%s%s%s", cuda ? "usable" : "not usable", !cuda ? ": " : "", !cuda ? why : "");
    if (cuda) {
        orr__cu_exchanges_library(why, sizeof why);
        add(l, "library", "NCCL", "%s", why);
    }
    why[0] = '\0';
    bool opencl = orr__opencl.probe && orr__opencl.probe(why, sizeof why);
    add(l, "library", "OpenCL", "%s%s%s", opencl ? "usable" : "not usable", why[0] ? ": " : "", why);
}

static void engine(list *l)
{
    if (!orr__engine_running())
        return;
    add(l, "engine", "engine", "%s", orr_engine_name());
    if (orr__ranks() > 1) {
        add(l, "engine", "rank", "%s", orr__rank_name(orr__rank()));
        add(l, "engine", "exchanges", "%s", orr__cu_exchanges_text());
    }
    orr_memory m = orr_memory_stats();
    if (m.limit)
        add_bytes(l, "engine", "memory limit", (double)m.limit);
    else
        add(l, "engine", "memory limit", "none");
    orr__device_state d;
    for (int i = 0; orr__engine_device(i, &d); i++)
        if (d.gone)
            add(l, "engine", d.name, "gone until the process is started again, %llu times retired",
                (unsigned long long)d.retired);
        else if (d.rests)
            add(l, "engine", d.name, "retired for %.3g s more, %llu times so far", d.seconds,
                (unsigned long long)d.retired);
        else
            add(l, "engine", d.name, "in use, %llu times retired so far", (unsigned long long)d.retired);
}

int orr_info(orr_fact *facts, int max)
{
    list l = { facts, 0, facts ? max : 0 };
    machine(&l);
    libraries(&l);
    engine(&l);
    return l.n;
}
