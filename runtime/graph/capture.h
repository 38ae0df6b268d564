/* A capture: the part of the graph that an evaluation needs, in topological order, with its structural key.
 * Must not know: what an op means, how it is computed. */
#ifndef ORR_GRAPH_PROG_H
#define ORR_GRAPH_PROG_H

#include "runtime/graph/node.h"

/* Node i's inputs are prog->arg[prog->arg0[i] … + orr__capture_nin(p, i)), indices < i (not node->nin: another thread may
 * have evaluated the node since). Leaves are numbered in order of
 * appearance (leaf_of[i], -1 for others); so are scalar slots (scalar0[i]: first slot of node i's s[]).
 * Two captures with equal keys (bytes) differ only in leaf buffers, how leaves lie over ranks, and scalar values. */
typedef struct orr__capture {
    int n, nout, nleaf, nscalar, narg;
    int nfirst;       /* the first so many outputs are waited for, the others may be finished later */
    int nretained;    /* the last so many were not asked for: see orr__capture_roots */
    orr__node **node; /* references held; of a light capture nothing reads them */
    int nheld;        /* so many of them                                      */
    orr__node **
        behind; /* the node that computes an output, a reference, where captures looked through the node itself; else NULL */
    int32_t *arg0, *arg, *leaf_of, *scalar0;
    int32_t *out;       /* node index of each requested output */
    int32_t *leaf_node; /* node index of each leaf             */
    orr__buffer **leaf; /* leaf buffers, kept by their nodes; NULL for a placeholder */
    uint16_t *placed;   /* the number of the distribution of each leaf */
    uint32_t flags;     /* ORR__OP_… of all operations                 */
    orr__scalar *scalar;
    uint8_t *key;
    size_t key_size;
    int node_cap, arg_cap, leaf_cap, scalar_cap, out_cap; /* room in the arrays */
    size_t key_cap;
} orr__capture;

static inline int orr__capture_nin(const orr__capture *p, int i)
{
    return (i + 1 < p->n ? p->arg0[i + 1] : p->narg) - p->arg0[i];
}

/* The first nfirst outputs are waited for; the last nretained, which are all needed for the others, are retained outputs
 * (runtime/graph/donation_retained.c). Both numbers are in the key. */
typedef struct {
    orr__node *const *out;
    int nout, nfirst, nretained;
} orr__capture_roots;

/* Walks from `out` to leaves, under the graph lock, without recursion. Poison or cycle: its error. */
orr_status orr__capture_make(orr__site at, orr__node *const *out, int nout, orr__capture *p);
orr_status orr__capture_make_roots(orr__site at, const orr__capture_roots *roots, orr__capture *p);
/* The same with key, flags, leaf[], placed[], scalar[] and behind[] alone: other facts of nodes are not gathered, and no others
 * are held. To write all down, and to count each node up and down, is a good part of evaluating what has a plan. */
orr_status orr__capture_make_light(orr__site at, const orr__capture_roots *roots, orr__capture *p);
void orr__capture_free(orr__capture *p);
/* Checks every rule that the rooms behind rely on (arity, shapes, ranges, order); EINTERNAL says what is broken. */
orr_status orr__capture_verify(const orr__capture *p);
void orr__capture_print(FILE *to, const orr__capture *p);
/* more, if not NULL, writes what else belongs into the picture. */
void orr__capture_dot(FILE *to, const orr__capture *p, void (*more)(FILE *to, const orr__capture *p, const void *arg),
                      const void *arg);

#endif
