/* Lowers what works on whole buffers: a node of its own, its operands in their places.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include <stdlib.h>
#include "ops/define.h"
#include "runtime/fuse/lower.h"

static void one_batch_axis(orr__region *r)
{
    for (; r->rank > 3; r->rank--) {
        r->dim[0] *= r->dim[1];
        for (int d = 1; d + 1 < r->rank; d++)
            r->dim[d] = r->dim[d + 1];
    }
    if (r->rank == 3 && r->dim[0] == 1) {
        r->dim[0] = r->dim[1];
        r->dim[1] = r->dim[2];
        r->rank = 2;
    }
}

void orr__lower_whole(orr__lowering *c, int i)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    orr__region *r = c->r;
    int nin = orr__capture_nin(p, i);
    r->kind = n->op->id == ORR__OP_TAKE          ? ORR__G_TAKE
              : n->op->id == ORR__OP_SCATTER_ADD ? ORR__G_SCATTER_ADD
              : n->op->id == ORR__OP_CONCAT      ? ORR__G_CONCAT
              : n->op->id == ORR__OP_PAD         ? ORR__G_PAD
              : n->op->id == ORR__OP_CHOLESKY    ? ORR__G_CHOLESKY
              : n->op->id == ORR__OP_SOLVE       ? ORR__G_SOLVE
                                                 : ORR__G_USER;
    r->user = r->kind == ORR__G_USER ? orr__define_node(n) : NULL;
    orr__lower_space(r, &n->shape);
    if (r->kind == ORR__G_CHOLESKY || r->kind == ORR__G_SOLVE)
        one_batch_axis(r);
    r->attr = n->attr;
    r->shape = n->shape;
    r->slot = p->scalar0[i];
    /* Operands keep their places: the same buffer given twice is two inputs. */
    r->in = calloc((size_t)nin + 1, sizeof *r->in);
    r->in_dtype = calloc((size_t)nin + 1, 1);
    r->in_count = calloc((size_t)nin + 1, sizeof *r->in_count);
    r->in_shape = calloc((size_t)nin + 1, sizeof *r->in_shape);
    if (!r->in || !r->in_dtype || !r->in_count || !r->in_shape) {
        c->oom = true;
        return;
    }
    for (int k = 0; k < nin; k++) {
        const orr__node *x = p->node[orr__arg(p, i, k)];
        r->in[k] = orr__fuse_strip(p, orr__arg(p, i, k));
        r->in_dtype[k] = x->dtype;
        r->in_count[k] = orr__shape_count(&x->shape);
        r->in_shape[k] = x->shape;
    }
    r->nin = nin;
}
