/* Lowers a matrix product, alone or with element-wise work that is done on its tiles while they are in cache.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include "runtime/fuse/lower.h"

/* The access of a matmul's operand i, through views down to a buffer. `v` sees the operand. */
static orr__access operand(orr__builder *c, int i, orr__view v)
{
    const orr__capture *p = c->g->p;
    orr__view next;
    for (; !c->g->node[i].root && orr__lower_through(p, i, &v, &next); i = orr__arg(p, i, 0))
        v = next;
    return orr__view_access(&p->node[i]->shape, &v, orr__lower_input(c, orr__fuse_strip(p, i)));
}

static void product(orr__builder *c, int i)
{
    const orr__node *n = c->g->p->node[i];
    orr__region *r = c->r;
    int nb = n->shape.rank - 2, a = orr__arg(c->g->p, i, 0), b = orr__arg(c->g->p, i, 1);
    r->loops = ORR__LOOPS_PRODUCT;
    r->rank = nb + 3;
    for (int d = 0; d < nb + 2; d++)
        r->dim[d] = n->shape.dim[d];
    r->dim[nb + 2] = c->g->p->node[a]->shape.dim[nb + 1];
    orr__view va = orr__view_identity(nb + 2), vb = orr__view_identity(nb + 2);
    va.ax[nb + 1] = (int8_t)(nb + 2); /* a: …, m, k */
    vb.ax[nb] = (int8_t)(nb + 2);     /* b: …, k, n */
    orr__access acc[2] = { operand(c, a, va), operand(c, b, vb) };
    if (!orr__lower_grow(c, &r->access, &c->access_cap, 2, sizeof *r->access))
        return;
    r->access[0] = acc[0];
    r->access[1] = acc[1];
    r->naccess = 2;
}

/* The view by which the product's axes see a shape that differs from the product's only in axes of length 1. */
static orr__view seen_from(const orr_shape *product, const orr_shape *s)
{
    orr__view v;
    memset(&v, 0, sizeof v);
    memset(v.ax, -1, sizeof v.ax);
    v.taken = -1;
    for (int d = 0, from = 0; d < s->rank; d++) {
        if (s->dim[d] == 1)
            continue;
        while (product->dim[from] == 1)
            from++;
        v.ax[d] = (int8_t)from++;
        v.mul[d] = 1;
    }
    return v;
}

void orr__lower_matmul(orr__builder *c, int matmul)
{
    orr__region *r = c->r;
    product(c, matmul);
    if (matmul == c->home)
        return;
    const orr_shape *s = &c->g->p->node[matmul]->shape;
    orr__view v = seen_from(s, &c->g->p->node[c->home]->shape);
    (void)orr__lower_instr(c, (orr__rinstr){ ORR__RI_PRODUCT, c->g->p->node[matmul]->dtype, 0, -1, -1, -1, -1, -1 });
    r->out_reg[0] = (int16_t)orr__lower_node(c, c->home, &v);
    orr__lower_outputs(c, &v);
}

/* Register 0, which holds the product's element at its own place. Reads at other places are refused. */
int orr__lower_product(orr__builder *c, int i, const orr__view *v)
{
    const orr_shape *s = &c->g->p->node[i]->shape;
    for (int d = 0; d < s->rank; d++)
        if (s->dim[d] != 1 && (v->ax[d] != d || v->off[d] != 0 || v->mul[d] != 1 || v->more[d] != 0))
            c->refused = i;
    return 0;
}
