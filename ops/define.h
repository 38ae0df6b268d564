/* The users' definitions: their records, by handle, name and node.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_DEFINE_H
#define ORR_OPS_DEFINE_H

#include <orrery/define.h>
#include "ops/expr.h"
#include "ops/reference.h"
#include "ops/back.h"

/* Immutable once it is in the table, and never freed: nodes, plans and expressions point to it. */
typedef struct orr__define {
    orr__op op; /* first: the op of its nodes */
    int number; /* place in the table                                                */
    int arity;
    bool kernel;
    const char *file; /* where it was defined, for messages */
    int line;
    /* element-wise */
    bool truth;      /* the result is a bool                            */
    int size, depth; /* operations and levels with all that it calls    */
    int ntext;
    char *text[4];
    orr__expr *value, *deriv[3]; /* deriv[k] NULL: none flows. ntext 1: automatic */
    /* kernel: strings are its own */
    orr_kernel_def k;
} orr__define;

enum { ORR__DEFINE_MOST = 4096, ORR__DEFINE_NAME = 32, ORR__DEFINE_SIZE = 512, ORR__DEFINE_DEPTH = 16 };

const orr__define *orr__define_of(const orr_op *op);   /* NULL: no op */
const orr__define *orr__define_find(const char *name); /* NULL: none  */
/* Of the contract of a definition. */
static inline const orr__define *orr__define_op(const orr__op *op)
{
    return (const orr__define *)op;
}
static inline const orr__define *orr__define_node(const orr__node *n)
{
    return orr__define_op(n->op);
}
/* NULL, or why nothing may be called so. */
const char *orr__define_bad_name(const char *name);
/* Puts d, which it takes over, into the table, or finds its equal there and drops d. NULL: last error set. */
orr_op *orr__define_add(orr__site at, orr__define *d, bool (*same)(const orr__define *a, const orr__define *b));
void orr__define_free(orr__define *d); /* one that is not in the table */

/* Element-wise: a new node of d on live nodes; NULL with the last error set. */
orr__node *orr__define_expand(orr__site at, const orr__define *d, orr__node *const *node);
/* A kernel's node. */
orr__node *orr__define_call(orr__site at, const orr__define *d, orr__node *const *node, const double *params);
/* Calls the C function on arrays and says in the last error what it says. */
orr_status orr__user_cpu(orr__site at, const orr__define *d, const orr_kernel_args *a);

/* The row's name that is nearest to `name`, NULL when none is near. */
const char *orr__ew_nearest(const char *name);

#endif
