/* Rewrites a capture before it is grouped: equal subexpressions become one, exact identities vanish. A node without a reader
 * is not lowered: dead code needs no pass.
 * Must not know: regions. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/hash.h"
#include "runtime/fuse/group.h"

/* True if node i may be merged with an equal one. Nodes with numbers of their own (scalars, seeds) may not: numbers
 * that are equal now may differ at the plan's next use. Nor may leaves. */
static bool mergeable(const orr__capture *p, int i)
{
    return p->leaf_of[i] < 0 && p->node[i]->nscalar == 0 && orr__capture_nin(p, i) > 0;
}

static uint64_t hash_of(const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    int32_t head[3] = { n->op->id, n->dtype, n->shape.rank };
    uint64_t h = orr__hash(&n->attr, sizeof n->attr, orr__hash(head, sizeof head, 0));
    return orr__hash(p->arg + p->arg0[i], (size_t)orr__capture_nin(p, i) * sizeof *p->arg, h);
}

static bool equal(const orr__capture *p, int a, int b)
{
    const orr__node *x = p->node[a], *y = p->node[b];
    int nin = orr__capture_nin(p, a);
    return x->op->id == y->op->id && x->dtype == y->dtype && nin == orr__capture_nin(p, b) &&
           orr__shape_equal(&x->shape, &y->shape) && !memcmp(&x->attr, &y->attr, sizeof x->attr) &&
           !memcmp(p->arg + p->arg0[a], p->arg + p->arg0[b], (size_t)nin * sizeof *p->arg);
}

orr_status orr__simplify(orr__site at, const orr__capture *p)
{
    size_t size = 64;
    while (size < 2 * (size_t)p->n)
        size *= 2;
    int *table = malloc(size * sizeof *table), *same = malloc(((size_t)p->n + 1) * sizeof *same);
    if (!table || !same) {
        free(table);
        free(same);
        return orr__fail(at, ORR_ENOMEM, "no memory to simplify %d nodes", p->n);
    }
    memset(table, -1, size * sizeof *table);
    for (int i = 0; i < p->n; i++) {
        int nin = orr__capture_nin(p, i);
        for (int k = 0; k < nin; k++)
            p->arg[p->arg0[i] + k] = same[orr__arg(p, i, k)];
        const orr__op *op = p->node[i]->op;
        same[i] = p->leaf_of[i] < 0 && op->identity ? op->identity(p, i) : i;
        if (same[i] != i || !mergeable(p, i))
            continue;
        size_t slot = hash_of(p, i) & (size - 1);
        while (table[slot] >= 0 && !equal(p, table[slot], i))
            slot = (slot + 1) & (size - 1);
        if (table[slot] >= 0)
            same[i] = table[slot];
        else
            table[slot] = i;
    }
    for (int k = 0; k < p->nout; k++)
        p->out[k] = same[p->out[k]];
    free(table);
    free(same);
    return ORR_OK;
}
