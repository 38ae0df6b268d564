/* Records of user definitions, found by handle, name or node.
 * Must not know: devices, fusion, plans. */
#ifndef ORR_OPS_DEFINE_H
#define ORR_OPS_DEFINE_H

#include <orrery/define.h>
#include "ops/expr.h"
#include "ops/reference.h"
#include "ops/back.h"

/* A definition. Once in the table it is immutable and never freed: nodes, plans and expressions point to it. */
typedef struct orr__define {
    orr__op op; /* first: the op of its nodes */
    int number; /* index in the table                                                */
    int arity;
    bool kernel;
    const char *file; /* where it was defined, for messages */
    int line;
    /* element-wise */
    bool truth;      /* the result is a bool                            */
    int size, depth; /* operations and levels, with those of all called definitions */
    int ntext;
    char *text[4];
    orr__expr *value, *deriv[3]; /* deriv[k] NULL: no gradient. ntext 1: automatic */
    /* kernel: the record owns the strings */
    orr_kernel_def k;
} orr__define;

/* limits of a promise */
enum { ORR__DEFINE_MOST = 4096, ORR__DEFINE_NAME = 32, ORR__DEFINE_SIZE = 512, ORR__DEFINE_DEPTH = 16 };

const orr__define *orr__define_of(const orr_op *op);   /* NULL: no op */
const orr__define *orr__define_find(const char *name); /* NULL: none  */
/* The definition whose contract this is. */
static inline const orr__define *orr__define_op(const orr__op *op)
{
    return (const orr__define *)op;
}
static inline const orr__define *orr__define_node(const orr__node *n)
{
    return orr__define_op(n->op);
}
/* NULL, or the reason why the name is not allowed. */
const char *orr__define_bad_name(const char *name);
/* Adds d to the table, or frees d and returns its equal there. Takes over d. NULL: last error set. */
orr_op *orr__define_add(orr__site at, orr__define *d, bool (*same)(const orr__define *a, const orr__define *b));
void orr__define_free(orr__define *d); /* d is not in the table */

/* Element-wise: returns a new node of d on live nodes; NULL with the last error set. */
orr__node *orr__define_expand(orr__site at, const orr__define *d, orr__node *const *node);
/* A kernel's node. */
orr__node *orr__define_call(orr__site at, const orr__define *d, orr__node *const *node, const double *params);
/* Calls the C function on arrays; its message becomes the last error. */
orr_status orr__user_cpu(orr__site at, const orr__define *d, const orr_kernel_args *a);

/* The name of a row that is nearest to `name`; NULL if none is near. */
const char *orr__ew_nearest(const char *name);

#endif
