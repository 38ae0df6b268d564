/* Lowers a take: its index becomes a place, and what it takes from is read there.
 * Must not know: why the nodes were grouped so. */
#include "config.h"

#include "runtime/fuse/lower.h"

bool orr__takes_buffers(const orr__group *g, int i)
{
    bool all = g->members[i] == 1;
    for (int k = 0; k < orr__capture_nin(g->p, i); k++) {
        int s = orr__fuse_strip(g->p, orr__arg(g->p, i, k));
        all = all && (g->p->leaf_of[s] >= 0 || g->root[s]);
    }
    return all;
}

/* How v, which sees the result, sees the index: axes `axis` … of the result. */
static orr__lview seen_index(const orr__lview *v, int axis, int rank)
{
    orr__lview w = orr__lower_identity(rank);
    for (int d = 0; d < rank; d++) {
        w.ax[d] = v->ax[axis + d];
        w.off[d] = v->off[axis + d];
        w.mul[d] = v->mul[axis + d];
    }
    return w;
}

/* How v sees what is taken from, whose axis stands at a place; `wide` axes of the result are there for it. */
static orr__lview seen_operand(const orr__lview *v, int axis, int wide, int rank, int place)
{
    orr__lview w = orr__lower_identity(rank);
    for (int d = 0; d < rank; d++) {
        int from = d < axis ? d : d - 1 + wide;
        if (d == axis)
            continue;
        w.ax[d] = v->ax[from];
        w.off[d] = v->off[from];
        w.mul[d] = v->mul[from];
    }
    w.ax[axis] = -1;
    w.taken = (int8_t)axis;
    w.place = (int16_t)place;
    return w;
}

/* The same index on an axis of the same length is the same place. */
static int lower_place(orr__lowering *c, orr__rinstr in)
{
    for (int k = 0; k < c->r->ninstr; k++) {
        const orr__rinstr *o = &c->r->instr[k];
        if (o->kind == in.kind && o->x == in.x && o->a == in.a && o->op == in.op)
            return k;
    }
    return orr__lower_instr(c, in);
}

int orr__lower_take(orr__lowering *c, int i, const orr__lview *v)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    int x = orr__arg(p, i, 0), index = orr__arg(p, i, 1), axis = n->attr.axis;
    const orr_shape *from = &p->node[x]->shape, *by = &p->node[index]->shape;
    orr__lview seen = seen_index(v, axis, by->rank);
    int16_t number = (int16_t)orr__lower_node(c, index, &seen);
    orr__access a = orr__lower_affine(by, &seen, -1);
    a.placed = true;
    a.by = from->dim[axis];
    a.file = n->file;
    a.line = n->line;
    int place = lower_place(
        c, (orr__rinstr){ ORR__RI_PLACE, ORR_I64, (int16_t)axis, number, -1, -1, orr__lower_access(c, a), -1 });
    seen = seen_operand(v, axis, by->rank, from->rank, place);
    return orr__lower_node(c, x, &seen);
}
