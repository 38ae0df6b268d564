/* The text of a partition: how each value lies over ranks, and the moves.
 * Must not know: how values move. */
#include "config.h"

#include "ops/exchange.h"
#include "runtime/distribute/partition.h"

static double moved(const orr__choice *c, int v)
{
    const orr__version *x = &c->version[v];
    return x->moves ? orr__move_bytes(&c->version[x->from].as, &x->as, (double)orr__node_bytes(c->p->node[x->node]))
                    : 0;
}

/* True for a node whose operands are sharded, and are gathered for it. */
static bool repeated(const orr__choice *c, int i)
{
    const orr__capture *p = c->p;
    bool cut = false;
    for (int k = 0, nin = p->leaf_of[i] >= 0 ? 0 : orr__capture_nin(p, i); k < nin; k++) {
        const orr__distribution *d = &c->version[c->own[p->arg[p->arg0[i] + k]]].as;
        for (int g = 0; d->grid && g < d->grid->axes; g++)
            cut = cut || d->along[g].kind == ORR__SHARDED;
    }
    return cut && !orr__distribute_asks(p->node[i], &(int){ 0 }, &(bool){ false });
}

orr_status orr__partition_explain(FILE *to, orr__site at, const orr__capture *p, bool jointly)
{
    orr__choice c;
    char text[256];
    double sum = 0;
    int moves = 0;
    orr_status st = orr__choose(at, p, jointly, &c);
    if (st != ORR_OK)
        return st;
    for (int v = 0; v < c.n; v++) {
        const orr__version *x = &c.version[v];
        if (!x->needed)
            continue;
        sum += moved(&c, v);
        moves += x->moves;
    }
    fprintf(to, "over ranks: %d value%s moved, at most %.0f bytes sent by a rank\n", moves, moves == 1 ? "" : "s", sum);
    for (int i = 0; i < p->n; i++)
        for (int v = c.own[i]; v >= 0; v = c.version[v].next) {
            const orr__version *x = &c.version[v];
            const orr__node *n = p->node[i];
            bool whole = orr__distribution_whole(&x->as);
            if (!x->needed || (!x->moves && whole && !repeated(&c, i)))
                continue;
            if (!x->moves)
                fprintf(to, "  %%%d %s %s %s: %s%s\n", i, p->leaf_of[i] >= 0 ? "value" : n->op->name,
                        orr_dtype_name((orr_dtype)n->dtype), orr__str(n->shape).s,
                        orr__distribution_text(&x->as, text, sizeof text),
                        x->joint ? ", computed by all ranks together"
                        : whole  ? ", every rank computes all of it"
                                 : "");
            else
                fprintf(to, "  %%%d moves, %.0f bytes: %s\n", i, moved(&c, v),
                        orr__distribution_text(&x->as, text, sizeof text));
        }
    orr__choice_free(&c);
    return ORR_OK;
}
