/* Expressions over table rows, recorded on tensors.
 * Must not know: the grammar. */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include "ops/expr.h"

orr__expr *orr__expr_shrink(orr__expr *e)
{
    orr__expr *less = realloc(e, offsetof(orr__expr, node) + (size_t)e->n * sizeof e->node[0]);
    return less ? less : e;
}

/* A new handle of the node of `t`. */
static orr_tensor *again(orr__site at, orr_tensor *t)
{
    orr__node *n;
    orr_tensor *bad;
    const orr_tensor *c = t;
    static const char *const name = "an operand of the expression";
    return orr__operands(at, 1, &c, &name, &n, &bad) ? orr__handle_new(orr__node_ref(n)) : bad;
}

orr_tensor *orr__expr_record(orr__site at, const orr__expr *e, orr_tensor *x, orr_tensor *y, orr_tensor *z,
                             orr_tensor *r, orr_tensor *g)
{
    orr_tensor *named[5] = { x, y, z, r, g }, *t[ORR__EXPR_NODES];
    orr_scope *scope = orr_scope_begin(); /* owns the intermediate tensors; if it is NULL, the caller's scope does */
    for (int i = 0; i < e->n; i++) {
        const orr__expr_node *v = &e->node[i];
        if (v->kind == ORR__EXPR_NUMBER)
            t[i] = orr_scalar_at(at.file, at.line, v->number);
        else if (v->kind == ORR__EXPR_NAME)
            t[i] = named[v->name];
        else
            t[i] = orr__ew_record(at, v->row, t[v->arg[0]], v->row->arity > 1 ? t[v->arg[1]] : NULL,
                                  v->row->arity > 2 ? t[v->arg[2]] : NULL);
    }
    orr_tensor *out = again(at, t[e->n - 1]);
    if (scope) {
        out = orr_scope_return_at(at.file, at.line, scope, out);
        (void)orr_scope_end_at(at.file, at.line, scope);
    }
    return out;
}
