/* Inside the API room: evaluation of nodes, for all functions that need a value.
 * Must not know: devices, StarPU. */
#ifndef ORR_API_EVAL_H
#define ORR_API_EVAL_H

#include <orrery/eval.h>
#include "runtime/engine/engine.h"
#include "runtime/graph/capture.h"
#include "runtime/graph/donation.h"

/* Evaluates the nodes (borrowed; existing values are kept) and this thread's pending assignments, and publishes the results. run NULL:
 * waits, also for values that other evaluations still write. Otherwise *run is a reference to wait on, or NULL if all is done; values that
 * others write have runs of their own. */
orr_status orr__eval_nodes(orr__site at, orr__node *const *nodes, int n, orr__run **run);
/* The same for roots whose graph belongs to this process alone, without a check or a dump. */
orr_status orr__evaluate_here(orr__site at, orr__capture_roots roots, orr__run **run);
/* The same for the values of a pile (runtime/graph/pile.h), which no caller asked for. On error nothing is published. */
orr_status orr__evaluate_early(orr__site at, orr__node *const *node, int n, orr__run **run);
/* ORR_EGRAPH if a leaf is a placeholder. */
orr_status orr__no_placeholder(orr__site at, const orr__capture *p);
/* The roots of a capture of node[0 … n) that may use old values of variables as donors: these nodes, the first nfirst of which are
 * waited for, and the retained outputs. The caller ends with orr__donors_release(donors) and free(*all). */
orr__capture_roots orr__eval_roots(orr__node *const *node, int n, int nfirst, orr__donors *donors, orr__node ***all);
/* The evaluated, finished buffer of a tensor, one reference for the caller, content valid on the host. what, if not NULL, receives its
 * dtype and shape. */
typedef struct {
    orr_dtype dtype;
    orr_shape shape;
} orr__content;
orr_status orr__value_of(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what);
/* Of a call that reads the value of t and fails with status st before: the ranks, which may read it together, hear of it. Returns st. */
orr_status orr__not_read(orr__site at, orr_status st, orr_tensor *t);
/* The same without the value, which may not be computed, for a call that reads it later. Another thread may free the tensor after this: no field is then of a dead one. */
orr_status orr__content_of(orr__site at, orr_tensor *t, orr__content *what);
/* orr__value_of for this rank's part of the value; *placed: the number of its distribution, 0: the whole. */
orr_status orr__part_of(orr__site at, orr_tensor *t, orr__buffer **buf, orr__content *what, int *placed);
/* True if the existing value of any tensor is distributed over ranks. */
bool orr__over_ranks(orr_tensor *const *t, int n);
orr_status orr__need_running(orr__site at);
/* For notes: the program has the value now; a later orr_from may bring the same content back. */
void orr__note_taken(orr__site at, orr__buffer *b, const void *data, uint64_t bytes);
/* The plan that orr_eval of t[0 … n) would use, a reference; NULL: all values exist. Nothing is run. *over: bytes of outputs that tasks
 * would write over old values of variables. */
orr_status orr__eval_plan(orr__site at, orr_tensor *const *t, int n, orr__plan **plan, size_t *over);
void orr__plan_compile(orr__plan *plan); /* compiles its kernels; waits for the end */
/* Borrowed nodes of n tensors; the error of the first bad one. Messages name it by `noun` and its number (NULL: "the tensor"). */
orr_status orr__tensor_nodes(orr__site at, orr_tensor *const *t, int n, const char *noun, orr__node **node);
/* The same for an evaluation, which the ranks may make together: they hear of an error. */
orr_status orr__nodes_to_eval(orr__site at, orr_tensor *const *t, int n, const char *noun, orr__node **node);

#endif
