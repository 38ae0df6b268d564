/* The graph: nodes and the checked handles by which users name them.
 * Must not know: what an op means, devices, StarPU. */
#ifndef ORR_GRAPH_NODE_H
#define ORR_GRAPH_NODE_H

#include <stddef.h>
#include <orrery/tensor.h>
#include "runtime/base/buffer.h"
#include "runtime/base/dtype.h"
#include "runtime/base/shape.h"
#include "runtime/base/status.h"
#include "runtime/graph/operation.h"

/* Operands of a node have the dtype and shape that it needs: casts and broadcasts are nodes. */
enum { ORR__RSUM, ORR__RPROD, ORR__RMAX, ORR__RMIN, ORR__RANY, ORR__RALL };
enum { ORR__DBITS, ORR__DUNIFORM, ORR__DNORMAL, ORR__DINTEGERS, ORR__DPERMUTATION };

/* Evaluations after which a value that is computed once more is thought to be needed often (kept_again.c). A program that evaluates a loss
 * and then its gradients computes each value twice. */
enum { ORR__COMPUTED_OFTEN = 2 };

typedef struct orr__poison_info {
    orr_status status;
    char text[512];
} orr__poison_info;

/* A node is a variable's value, or has one among its ancestors; a gradient may flow from it to such a value; the ranks compute it in common,
 * unless what lay over ranks has become whole since it was recorded. */
enum { ORR__TRACKED = 1, ORR__FLOWS = 2, ORR__COMMON = 4 };

enum { ORR__WEAK_REAL = 1, ORR__WEAK_COMPLEX };

/* Fields are in the order of use, since a node outside of the cache costs as much as it has cache lines: fields that
 * readers use; fields for making and freeing; numbers and shape; fields of few operations. */
typedef struct orr__node orr__node;
struct orr__node {
    _Alignas(64) atomic_int refs;
    uint8_t dtype, nscalar;
    uint8_t weak;    /* a number without a dtype of its own: ORR__WEAK_REAL, ORR__WEAK_COMPLEX; in s[0], s[1] */
    uint8_t tracked; /* ORR__TRACKED, ORR__FLOWS, ORR__COMMON                                      */
    int32_t nin;
    int32_t index;
    const orr__op *op;
    _Atomic(orr__buffer *)
        value;     /* set: a leaf (LEAF, or evaluated, which drops the inputs in general); set for good */
    uint64_t born; /* later than that of every input                                            */
    uint64_t kin;  /* bits of the leaves and random tensors from which it is computed, itself included */
    union {
        uint64_t mark;   /* walk epoch; under the lock                                              */
        orr__node *next; /* link of lists of nodes without a reference                              */
    };
    orr__node **in;

    _Alignas(64) orr__node *in3[3];
    orr__poison_info *poison;
    const char *file;
    const char *as; /* name of the user's definition that was expanded to this node, for people; else NULL */
    uint64_t var;   /* handle of the variable whose value this became, 0: none                   */
    int line;
    uint16_t placed;      /* the number of the value's distribution, set before the value; 0: whole                 */
    uint8_t kept : 1;     /* published so that its holder needs no old value of a variable (donation_retained.c) */
    uint8_t computed : 2; /* the number of evaluations that computed it, up to ORR__COMPUTED_OFTEN; under the lock */
    uint8_t derived : 1;  /* recorded by a derivative */
    uint8_t
        undone : 1; /* a new value of a variable that has an earlier one again, its only input (former.h); under the lock */
    bool once;      /* has random numbers that protect one release: no graph may use them for several values    */

    _Alignas(64) orr__scalar s[3]; /* nscalar are used                                              */
    orr_shape shape;               /* from the fifth dimension on: zero in free nodes                           */
    orr__attr attr;                /* of few ops: zero in free nodes                                            */
};
_Static_assert(offsetof(orr__node, shape.dim[4]) == 192, "what is as good as always zero begins the fourth line");

static inline orr__node *orr__node_ref(orr__node *n)
{
    atomic_fetch_add_explicit(&n->refs, 1, memory_order_relaxed);
    return n;
}
/* Called when a node is recorded, unless NULL: the first sign of an evaluation to come. */
extern void (*_Atomic orr__node_first)(void);
/* A new node with one reference; fields without an argument here are zero. Takes over the references of `in`, on
 * failure too. NULL: ENOMEM, EDTYPE (last error set), or an input is NULL, whose error is the last error. */
orr__node *orr__node_of(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, int nin,
                        orr__node *const *in);
/* The same, but the caller keeps its references to `in`. */
static inline orr__node *orr__node_new(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape,
                                       int nin, orr__node *const *in)
{
    for (int i = 0; i < nin; i++)
        (void)orr__node_ref(in[i]);
    return orr__node_of(at, op, dtype, shape, nin, in);
}
/* Drops a reference; true if it was the last. The holder of the only reference needs no locked instruction: no other
 * thread can add one meanwhile. */
static inline bool orr__node_last_ref(orr__node *n)
{
    return atomic_load_explicit(&n->refs, memory_order_acquire) == 1 ||
           atomic_fetch_sub_explicit(&n->refs, 1, memory_order_acq_rel) == 1;
}
void orr__node_free(orr__node *n);               /* n has no reference; never recurses: chains of any length  */
static inline void orr__node_unref(orr__node *n) /* NULL is fine */
{
    if (n && orr__node_last_ref(n))
        orr__node_free(n);
}
/* True if a gradient with respect to x may flow through n, even if n has dropped its inputs. False is certain. */
static inline bool orr__node_may_descend(const orr__node *n, const orr__node *x)
{
    return n->born > x->born && !(x->kin & ~n->kin);
}
/* True: nodes that this thread records from now on are those of a derivative. Returns what was set before. */
bool orr__node_deriving(bool derives);
/* Makes n, which is new, a descendant of x, which is none of its inputs: the value of n is computed elsewhere from that of x. */
void orr__node_descends(orr__node *n, const orr__node *x);
static inline size_t orr__node_bytes(const orr__node *n)
{
    return (size_t)orr__shape_count(&n->shape) * orr_dtype_size((orr_dtype)n->dtype);
}
/* The value, borrowed for as long as n; NULL: not computed yet. No lock is needed. */
static inline orr__buffer *orr__node_value(const orr__node *n)
{
    return atomic_load_explicit(&n->value, memory_order_acquire);
}
/* True if the ranks compute n in common, or its value lies over ranks. Needs no memory. */
static inline bool orr__node_is_common(const orr__node *n)
{
    return orr__node_value(n) ? n->placed != 0 : (n->tracked & ORR__COMMON) != 0;
}
/* The number of inputs from which n is to be computed: none if it has a value. */
static inline int orr__node_needs(const orr__node *n)
{
    return orr__node_value(n) ? 0 : n->nin;
}
/* ASKED: by a caller. KEPT: so that holders need no old value of a variable. Both drop the inputs. EARLY: by a submission for which no
 * caller asked (pile.h); the inputs stay, so that a gradient may still flow through n, unless n stops gradients. */
typedef enum { ORR__PUBLISH_ASKED, ORR__PUBLISH_KEPT, ORR__PUBLISH_EARLY } orr__publishing;
/* Makes `b` the value of n (reference taken over). again: the same evaluation has made it the value of another node. False: n has a value
 * already. Acquires the graph lock. op, dtype, shape, s and attr never change after recording and
 * may be read without the lock. */
bool orr__node_publish(orr__node *n, orr__buffer *b, orr__publishing how, bool again);

/* -- handles ------------------------------------------------------------------------------------------- */
orr_tensor *orr__handle_new(orr__node *n); /* takes over n's reference; in the current scope; poison on ENOMEM; n may
                                              be NULL: poison from the last error */
/* The node of t, borrowed; NULL: stale or foreign. For a variable it is the present value, which stays until the user's call is over,
 * even if another thread assigns the variable. */
orr__node *orr__handle_node(const orr_tensor *t);
/* A scope for the nodes of a composition. Nodes that can fail at evaluation carry the name of the outermost one, the user's call. */
orr_scope *orr__scope_composing(const char *call);
/* True if this thread recorded n after it began the scope, which is open. Nodes of other threads may be taken for such. */
bool orr__scope_made(const orr_scope *scope, const orr__node *n);
void orr__calls_over(void); /* no call of this thread reads a variable's value any more */
/* The poison of a call with operands that the ranks compute in common is common, too. */
orr_tensor *orr__poison(orr__site at, orr_status st, const char *fmt, ...) ORR__COLD ORR_PRINTF(3, 4);
/* t, the result of a call after which the tensor lies over ranks: if it is poison, one that is common. */
orr_tensor *orr__poison_in_common(orr_tensor *t);
/* For an operation: borrowed nodes of its operands. False: *out is the poison to return, an operand's own, or a new
 * one that names operand `names[i]` (NULL, stale). Placeholders pass. */
bool orr__operands(orr__site at, int n, const orr_tensor *const *t, const char *const *names, orr__node **node,
                   orr_tensor **out);
bool orr__handle_is_variable(const orr_tensor *t);
/* A handle of no scope that belongs to an object: users may read it, but orr_free refuses it, and it moves to no scope. */
void orr__handle_lend(const orr_tensor *t, bool lent);
bool orr__handle_lent(const orr_tensor *t);
void orr__handles_shutdown(void); /* frees all handles and scopes of all threads */
/* The number of variables that this thread assigned and has not evaluated; *nodes: a borrowed array of their nodes. -1: no memory.
 * orr__pending_clear clears them. */
int orr__pending(orr__node ***nodes);
void orr__pending_clear(void);
/* Clears all but those of the n nodes, which are in the order of orr__pending. */
void orr__pending_clear_but(orr__node *const *stay, int n);
/* The present node of a variable, with a new reference, by the `var` of a node that was once its value; NULL: the
 * variable is gone. */
orr__node *orr__variable_now(uint64_t var);

/* The lock of inputs, mark and index of every node, and of setting its value. Held for short times only. */
void orr__graph_lock(void);
void orr__graph_unlock(void);

#endif
