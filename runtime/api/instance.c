/* Nodes made after the nodes of a capture.
 * Must not know: plans, the engine. */
#include "config.h"

#include <stdlib.h>
#include "ops/record.h"
#include "runtime/api/instance.h"

static orr__node *leaf(orr__site at, const orr__capture *p, const orr__node *n, int k)
{
    orr__node *copy = orr__rec_leaf(at, (orr_dtype)n->dtype, &n->shape, orr__buffer_ref(p->leaf[k]));
    if (copy)
        copy->placed = p->placed[k];
    return copy;
}

static orr__node *computed(orr__site at, const orr__capture *p, int i, orr__node *const *nodes)
{
    int nin = orr__capture_nin(p, i);
    orr__node **in = orr__alloc_n((size_t)nin + 1, sizeof *in);
    for (int k = 0; in && k < nin; k++)
        in[k] = orr__node_ref(nodes[p->arg[p->arg0[i] + k]]);
    const orr__node *n = p->node[i];
    orr__node *copy = in ? orr__rec_like(at, n, (orr_dtype)n->dtype, &n->shape, nin, in) : NULL;
    free(in);
    return copy;
}

orr__node **orr__instance_make(const orr__capture *p)
{
    orr__node **nodes = orr__alloc_n((size_t)p->n + 1, sizeof *nodes);
    bool ok = nodes != NULL;
    for (int i = 0; i < p->n && ok; i++) {
        orr__site at = ORR__SITE(p->node[i]->file, p->node[i]->line, p->node[i]->op->name);
        int k = p->leaf_of[i];
        nodes[i] = k >= 0 ? leaf(at, p, p->node[i], k) : computed(at, p, i, nodes);
        ok = nodes[i] != NULL;
    }
    if (ok)
        return nodes;
    orr__instance_free(p, nodes);
    return NULL;
}

void orr__instance_free(const orr__capture *p, orr__node **nodes)
{
    for (int i = 0; nodes && i < p->n; i++)
        orr__node_unref(nodes[i]);
    free(nodes);
}
