/* Local graphs: a partition as the capture of what this rank computes, kept by the structure of the global capture.
 * Must not know: how nodes are computed, how messages travel. */
#ifndef ORR_DISTRIBUTE_LOCAL_GRAPH_H
#define ORR_DISTRIBUTE_LOCAL_GRAPH_H

#include "runtime/distribute/agree.h"
#include "runtime/distribute/partition.h"

typedef struct orr__local_graph {
    orr__capture p;   /* in full, its leaves without values; its outputs are the global ones, then the last exchange */
    bool exchanges;   /* there is one                                                                    */
    int nout;         /* of the global capture                                                            */
    int *placed;      /* by global output: the number of its distribution                                 */
    int *leaf, *slot; /* by leaf, by scalar of p: number in the global capture; slot -1: p's own          */
    orr__structure structure; /* of the global capture                                                            */
    uint8_t *key;             /* what the partition depends on                                                    */
    size_t key_size;
    uint64_t hash;
} orr__local_graph;

/* The graph of a global capture, which may be light, among those kept; NULL: none. Borrowed until the next call of these functions:
 * callers hold one lock. */
const orr__local_graph *orr__local_graph_find(const orr__capture *p);
/* The graph of the partition q of p, a capture in full, which is kept. NULL: no memory (last error). */
const orr__local_graph *orr__local_graph_keep(orr__site at, const orr__capture *p, orr__structure structure,
                                              const orr__partition *q);
/* The leaves and scalars of g where the global ones are p's: leaf and scalar have room for those of g->p. */
void orr__local_graph_bind(const orr__local_graph *g, const orr__capture *p, orr__buffer **leaf, orr__scalar *scalar);
void orr__local_graphs_clear(void);
/* So many are found, and made, since the start. */
typedef struct orr__local_graph_stats {
    uint64_t found, made;
} orr__local_graph_stats;
orr__local_graph_stats orr__local_graph_count(void);

#endif
