/* Expressions over table rows, computed on single values.
 * Must not know: the grammar, graphs. */
#include "config.h"

#include "ops/expr.h"

orr__scalar orr__expr_eval(const orr__expr *e, orr_dtype dtype, const orr__scalar v[5], const bool is_bool[5])
{
    orr__scalar t[ORR__EXPR_NODES];
    bool truth[ORR__EXPR_NODES] = { false };
    static const orr__scalar none = { .u = 0 };
    for (int i = 0; i < e->n; i++) {
        const orr__expr_node *n = &e->node[i];
        if (n->kind == ORR__EXPR_NUMBER) {
            t[i] = orr__scalar_cast((orr__scalar){ .f = n->number }, ORR_F64, dtype);
        } else if (n->kind == ORR__EXPR_NAME) {
            t[i] = v[n->name];
            truth[i] = is_bool[n->name];
        } else {
            int last = n->arg[n->row->arity - 1];
            t[i] = orr__ew_eval(n->row, truth[last] ? ORR_BOOL : dtype, t[n->arg[0]],
                                n->row->arity > 1 ? t[n->arg[1]] : none, n->row->arity > 2 ? t[n->arg[2]] : none);
            truth[i] = n->row->to_bool || truth[last];
        }
    }
    return t[e->n - 1];
}
