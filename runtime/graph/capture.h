/* A capture: the part of the graph that an evaluation needs, in topological order, with its structural key.
 * Must not know: what an op means, how it is computed. */
#ifndef ORR_GRAPH_CAPTURE_H
#define ORR_GRAPH_CAPTURE_H

#include "runtime/graph/node.h"

/* A slice of a value that the capture has as a leaf, so that the place of the slice is no part of the key (slice_copy.h). */
typedef struct {
    orr__node *node, *of; /* references: the slice, and the node with the value */
    int leaf;
    orr__buffer *copy; /* the leaf's buffer, a reference; NULL: not copied so far */
} orr__slice_copy;

/* Node i's inputs are arg[arg0[i] … + orr__capture_nin(p, i)), indices < i (not node->nin: another thread may have evaluated the node
 * since). Leaves are numbered in order of appearance (leaf_of[i], -1 for others), and so are scalar slots (scalar0[i]: the first slot of
 * node i's s[]). Two captures with equal keys (bytes) differ only in leaf buffers, the distributions of leaves, and scalar values. */
typedef struct orr__capture {
    int n, nout, nleaf, nscalar, narg;
    int nfirst;       /* the first nfirst outputs are waited for; the others may be finished later */
    int nretained;    /* the last nretained outputs were not asked for: see orr__capture_roots */
    orr__node **node; /* nheld references; in a light capture nothing reads them */
    int nheld;        /* references in node                                   */
    orr__node *
        *behind; /* reference to the node that computes an output whose own node passes a value through; else NULL */
    int32_t *arg0, *arg, *leaf_of, *scalar0;
    int32_t *out;           /* node index of each requested output */
    int32_t *leaf_node;     /* node index of each leaf             */
    orr__buffer **leaf;     /* leaf buffers, owned by their nodes; NULL for a placeholder */
    uint16_t *placed;       /* the number of the distribution of each leaf */
    uint32_t flags;         /* ORR__OP_… of all operations                 */
    orr__slice_copy *slice; /* the slices that are leaves, see roots */
    int nslice;
    bool strided; /* the elements of one of them are not adjacent in memory */
    bool folds;   /* an element of a value may depend on several of an operand */
    bool again;   /* evaluations have computed one of the nodes often: see orr__kept_again */
    orr__scalar *scalar;
    uint8_t *key;
    size_t key_size;
    int node_cap, arg_cap, leaf_cap, scalar_cap, out_cap, slice_cap; /* capacities of the arrays */
    size_t key_cap;
} orr__capture;

static inline int orr__capture_nin(const orr__capture *p, int i)
{
    return (i + 1 < p->n ? p->arg0[i + 1] : p->narg) - p->arg0[i];
}

/* The first nfirst outputs are waited for. The last nretained, all of which the others need, are retained outputs
 * (runtime/graph/donation_retained.c). Both numbers are in the key. */
typedef struct {
    orr__node *const *out;
    int nout, nfirst, nretained;
    int nagain;  /* of these, the last ones that evaluations compute again and again (kept_again.c) */
    bool final;  /* orr__pending_final once it is known that no rank may stop the evaluation */
    bool counts; /* nodes count this capture as an evaluation */
    bool slices; /* slices of values are leaves: orr__slices_copy follows */
    bool
        at_once; /* fails, without a message, where it would wait for another thread's evaluation, and beyond a few nodes */
} orr__capture_roots;
/* All of them requested. */
#define ORR__ROOTS(to, n, first) ((orr__capture_roots){ .out = (to), .nout = (n), .nfirst = (first) })

/* Walks from `out` to leaves, under the graph lock, without recursion. Poison or cycle: its error. */
orr_status orr__capture_make(orr__site at, orr__node *const *out, int nout, orr__capture *p);
orr_status orr__capture_make_roots(orr__site at, const orr__capture_roots *roots, orr__capture *p);
/* The same with key, flags, leaf[], placed[], scalar[] and behind[] alone: no other facts are gathered, and only leaves are referenced.
 * Gathering all facts and counting references to all nodes would be a large part of the cost of evaluating a graph that has a plan. */
orr_status orr__capture_make_light(orr__site at, const orr__capture_roots *roots, orr__capture *p);
void orr__capture_free(orr__capture *p);
/* Checks every rule that later rooms rely on (arity, shapes, ranges, order). EINTERNAL: the message names the broken
 * rule. */
orr_status orr__capture_verify(const orr__capture *p);
/* The attributes of a node with their names: " axis=1 start=0 2". Returns text. */
enum { ORR__ATTR_TEXT = 512 }; /* limit of memory */
char *orr__attr_text(const orr__node *n, char *text, size_t size);
void orr__capture_print(FILE *to, const orr__capture *p);
/* more, if not NULL, adds to the picture. */
void orr__capture_dot(FILE *to, const orr__capture *p, void (*more)(FILE *to, const orr__capture *p, const void *arg),
                      const void *arg);

#endif
