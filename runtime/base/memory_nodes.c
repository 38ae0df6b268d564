/* Reads the memory nodes from hwloc, which also has emulated ones (HWLOC_SYNTHETIC), and asks the system for memory on them.
 * Must not know: tensors, workers, StarPU. */
#include "config.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif
#include "runtime/base/memory_nodes.h"

void orr__nodes_part(size_t bytes, int node, int nodes, size_t page, size_t *from, size_t *to)
{
    size_t pages = (bytes + page - 1) / page;
    *from = pages * (size_t)node / (size_t)nodes * page;
    *to = pages * (size_t)(node + 1) / (size_t)nodes * page;
}

int orr__nodes(void)
{
    const char *wish = getenv("STARPU_USE_NUMA");
    return wish && strcmp(wish, "0") == 0 ? 1 : orr__nodes_here();
}

#ifdef HAVE_HWLOC
static pthread_once_t once = PTHREAD_ONCE_INIT;
static hwloc_topology_t topology; /* kept while there are several nodes: binding needs it */
static hwloc_obj_t node[ORR__NODES_MOST];
static hwloc_bitmap_t ours; /* the hardware threads that this process may use */
static int nodes;

/* A machine of one node is recognised without its topology, which takes milliseconds to read. */
static bool has_one(void)
{
    return !getenv("HWLOC_SYNTHETIC") && !getenv("HWLOC_XMLFILE") &&
           access("/sys/devices/system/node/node1", F_OK) != 0;
}

/* Core number k of a node among those that have a thread of ours; NULL: it has fewer. *n becomes the number of those before. */
static hwloc_obj_t core_of(hwloc_obj_t of, int k, int *n)
{
    *n = 0;
    for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, o));)
        if (hwloc_bitmap_isincluded(o->cpuset, of->cpuset) && hwloc_bitmap_intersects(o->cpuset, ours) && (*n)++ == k)
            return o;
    return NULL;
}

/* Nodes without a core of ours (memory of devices, other sockets than a launcher gave) are no homes. */
static void look_for_nodes(void)
{
    int n;
    if (hwloc_topology_load(topology) != 0 || !(ours = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology))))
        return;
    if (hwloc_topology_is_thissystem(topology))
        (void)hwloc_get_cpubind(topology, ours, HWLOC_CPUBIND_PROCESS);
    for (hwloc_obj_t o = NULL;
         nodes < ORR__NODES_MOST && (o = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, o));)
        if (core_of(o, 0, &n))
            node[nodes++] = o;
}

static void read_nodes(void)
{
    if (has_one() || hwloc_topology_init(&topology) != 0)
        return;
    look_for_nodes();
    if (nodes > 1)
        return;
    hwloc_bitmap_free(ours);
    hwloc_topology_destroy(topology);
    nodes = 0;
}

int orr__nodes_here(void)
{
    (void)pthread_once(&once, read_nodes);
    return nodes > 0 ? nodes : 1;
}

int orr__node_cores(int n)
{
    int cores = 0;
    if (n >= 0 && n < orr__nodes_here() && nodes > 0)
        (void)core_of(node[n], -1, &cores);
    return cores;
}

int orr__node_of_pu(int pu)
{
    int several = orr__nodes_here() > 1 ? nodes : 0;
    hwloc_obj_t o = several && pu >= 0 ? hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)pu) : NULL;
    for (int n = 0; o && n < several; n++)
        if (hwloc_bitmap_isincluded(o->cpuset, node[n]->cpuset))
            return n;
    return -1;
}

/* Cores of each node for n workers: one after the other gets one more while it has any. */
static bool quotas(int n, int quota[])
{
    memset(quota, 0, ORR__NODES_MOST * sizeof *quota);
    for (bool any = true; any && n > 0;) {
        any = false;
        for (int i = 0; i < nodes && n > 0; i++)
            if (quota[i] < orr__node_cores(i)) {
                quota[i]++;
                n--;
                any = true;
            }
    }
    return n == 0;
}

bool orr__nodes_spread(int n, unsigned pu[])
{
    int quota[ORR__NODES_MOST], at = 0, before;
    if (orr__nodes_here() < 2 || !quotas(n, quota))
        return false;
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < quota[i]; k++) {
            hwloc_obj_t core = core_of(node[i], k, &before), thread = NULL;
            do
                thread = hwloc_get_next_obj_inside_cpuset_by_type(topology, core->cpuset, HWLOC_OBJ_PU, thread);
            while (thread && !hwloc_bitmap_intersects(thread->cpuset, ours));
            pu[at++] = thread ? thread->logical_index : 0;
        }
    return true;
}

/* A preference, not a command: where a node is full, the system takes another. An emulated topology binds nothing. */
void orr__nodes_settle(void *mapping, size_t bytes)
{
    int among = orr__nodes();
    size_t page = (size_t)sysconf(_SC_PAGESIZE), from, to;
    for (int i = 0; among > 1 && i < among; i++) {
        orr__nodes_part(bytes, i, among, page, &from, &to);
        if (to > from)
            (void)hwloc_set_area_membind(topology, (char *)mapping + from, to - from, node[i]->nodeset,
                                         HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET);
    }
}
#else
int orr__nodes_here(void)
{
    return 1;
}

int orr__node_cores(int n)
{
    (void)n;
    return 0;
}

int orr__node_of_pu(int pu)
{
    (void)pu;
    return -1;
}

bool orr__nodes_spread(int n, unsigned pu[])
{
    (void)n;
    (void)pu;
    return false;
}

void orr__nodes_settle(void *mapping, size_t bytes)
{
    (void)mapping;
    (void)bytes;
}
#endif
