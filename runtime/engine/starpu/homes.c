/* The workers of each memory node, and the tasks that they alone run: those of tiles at home there.
 * Must not know: operands, what a task computes. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/memory_nodes.h"
#include "runtime/engine/starpu/starpu.h"

enum { WORD = 32 };
static uint32_t beside[ORR__NODES_MOST][(STARPU_NMAXWORKERS + WORD - 1) / WORD];

/* Workers without devices are bound to as many cores of each node as of the others. StarPU's own order fills the first node first. */
void orr__star_homes_configure(struct starpu_conf *conf)
{
    bool devices = conf->ncuda != 0 || conf->nopencl != 0;
    if (devices || orr__nodes() < 2 || conf->ncpus < 1 || conf->ncpus > STARPU_NMAXWORKERS ||
        getenv("STARPU_WORKERS_CPUID") || getenv("STARPU_WORKERS_COREID"))
        return;
    if (orr__nodes_spread(conf->ncpus, conf->workers_bindid))
        conf->use_explicit_workers_bindid = 1;
}

/* False: a worker is on no core of its own, so that nothing is known of what is near. */
static bool find_workers(int nodes)
{
    memset(beside, 0, sizeof beside);
    for (int i = 0; i < orr__star.cpus; i++) {
        int w = starpu_worker_get_by_type(STARPU_CPU_WORKER, i), node = orr__node_of_pu(starpu_worker_get_bindid(w));
        if (w < 0 || node < 0 || node >= nodes)
            return false;
        beside[node][w / WORD] |= (uint32_t)1 << w % WORD;
    }
    return true;
}

static int workers_of(int node)
{
    int n = 0;
    for (size_t i = 0; i < sizeof beside[node] / sizeof *beside[node]; i++)
        n += __builtin_popcount(beside[node][i]);
    return n;
}

void orr__star_homes_start(void)
{
    int nodes = orr__nodes();
    const char *loose = getenv("STARPU_WORKERS_NOBIND");
    bool known = nodes > 1 && !(loose && atoi(loose) > 0) && find_workers(nodes);
    for (int i = 0; known && i < nodes; i++)
        known = workers_of(i) > 0;
    orr__machine_here.nodes = known ? nodes : 1;
    for (int i = 0; known && i < nodes; i++)
        orr__log(2, "NUMA node %d of %d: %d workers", i, nodes, workers_of(i));
}

/* Parts as many as workers keep all nodes busy; with fewer parts, each goes where a worker is free. */
void orr__star_go_home(struct starpu_task *task, int part, int parts)
{
    if (orr__machine_here.nodes < 2 || parts < orr__star.cpus || task->where != STARPU_CPU)
        return;
    task->workerids = beside[orr__home(part, parts)];
    task->workerids_len = sizeof beside[0] / sizeof beside[0][0];
}
