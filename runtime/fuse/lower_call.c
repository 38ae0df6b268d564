/* Lowers a node with a kernel of its own: a call on whole arrays.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include <stdlib.h>
#include "runtime/fuse/lower.h"

void orr__lower_call(orr__builder *c, int i)
{
    const orr__capture *p = c->g->p;
    const orr__node *n = p->node[i];
    orr__region *r = c->r;
    int nin = orr__capture_nin(p, i);
    r->call = (orr__call){
        .op = n->op, .attr = n->attr, .out = n->shape, .nin = nin, .slot = n->nscalar ? p->scalar0[i] : -1
    };
    /* Operands keep their places: the same buffer given twice is two inputs. */
    r->in = calloc((size_t)nin + 1, sizeof *r->in);
    r->in_dtype = calloc((size_t)nin + 1, 1);
    r->in_count = calloc((size_t)nin + 1, sizeof *r->in_count);
    r->call.in = calloc((size_t)nin + 1, sizeof *r->call.in);
    if (!r->in || !r->in_dtype || !r->in_count || !r->call.in) {
        c->oom = true;
        return;
    }
    for (int k = 0; k < nin; k++) {
        const orr__node *x = p->node[orr__arg(p, i, k)];
        r->in[k] = orr__fuse_strip(p, orr__arg(p, i, k));
        r->in_dtype[k] = x->dtype;
        r->in_count[k] = orr__shape_count(&x->shape);
        r->call.in[k] = x->shape;
    }
    r->nin = nin;
    if (n->op->space)
        r->rank = n->op->space(&r->call, r->dim);
    else
        orr__lower_space(r, &n->shape);
}
