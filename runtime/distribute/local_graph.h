/* Local graphs: the capture of what this rank computes of a partition, kept by the structure of the global capture.
 * Must not know: how nodes are computed, how messages travel. */
#ifndef ORR_DISTRIBUTE_LOCAL_GRAPH_H
#define ORR_DISTRIBUTE_LOCAL_GRAPH_H

#include "runtime/distribute/agree.h"
#include "runtime/distribute/partition.h"

typedef struct orr__local_graph {
    orr__capture p; /* in full, its leaves without values; its outputs are the global ones, then the last exchange */
    orr__exchange *exchange;  /* as orr__exchanges_list, of all                                                     */
    int exchanges;            /* number of them                                                                     */
    int nout;                 /* outputs of the global capture                                                    */
    int *placed;              /* by global output: the number of its distribution                                 */
    int *leaf, *slot;         /* by leaf, by scalar of p: number in the global capture; slot -1: p's own          */
    orr__structure structure; /* of the global capture                                                            */
    uint8_t *key;             /* all facts on which the partition depends                                         */
    size_t key_size;
    uint64_t hash;
} orr__local_graph;

/* The kept local graph of a global capture, which may be light; NULL: none. Borrowed until the next call of these functions. Callers
 * hold one lock. */
const orr__local_graph *orr__local_graph_find(const orr__capture *p);
/* Makes and keeps the local graph of the partition q of p, a capture in full. NULL: no memory (last error). */
const orr__local_graph *orr__local_graph_keep(orr__site at, const orr__capture *p, orr__structure structure,
                                              const orr__partition *q);
/* Writes the leaves and scalars of g for the global capture p; leaf and scalar have space for those of g->p. */
void orr__local_graph_bind(const orr__local_graph *g, const orr__capture *p, orr__buffer **leaf, orr__scalar *scalar);
void orr__local_graphs_clear(void);
/* The numbers of local graphs found and made since the start. */
typedef struct orr__local_graph_stats {
    uint64_t found, made;
} orr__local_graph_stats;
orr__local_graph_stats orr__local_graph_count(void);

#endif
