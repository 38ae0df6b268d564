/* orr_take: elements gathered along an axis by index.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "ops/wrapped.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr__node *x = in[0], *index = in[1];
    (void)nin;
    int k = n->attr.axis, more = index->shape.rank - 1;
    if (index->dtype != ORR_I32 && index->dtype != ORR_I64)
        return "take by other indices than i32 or i64";
    if (k >= x->shape.rank || n->shape.rank != x->shape.rank + more)
        return "take along no axis of its operand";
    for (int d = 0; d < n->shape.rank; d++)
        if (n->shape.dim[d] != (d < k           ? x->shape.dim[d]
                                : d <= k + more ? index->shape.dim[d - k]
                                                : x->shape.dim[d - more]))
            return "take of another shape than its operands say";
    return NULL;
}

static orr_status reference(const orr__reference *j)
{
    orr__line x = orr__reference_line(&j->in[0].shape, j->node->attr.axis);
    int64_t many = j->in[1].count;
    for (int64_t m = 0; m < many; m++) {
        int64_t k = orr__reference_index(j, m, x.length);
        if (k < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < x.outer; o++)
            for (int64_t i = 0; i < x.inner; i++)
                orr__array_copy(&j->out, (o * many + m) * x.inner + i, &j->in[0], (o * x.length + k) * x.inner + i);
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    if (k)
        return NULL;
    orr_tensor *zero = orr_zeros_at(b->at.file, b->at.line, orr_tensor_dtype(b->in[0]), orr_tensor_shape(b->in[0]));
    return orr_scatter_add_at(b->at.file, b->at.line, zero, b->in[1], b->g, b->node->attr.axis);
}

/* The view of the index for v, a view of the result: axes `axis` … of the result. */
static orr__view see_index(const orr__view *v, int axis, int rank)
{
    orr__view w = orr__view_identity(rank);
    for (int d = 0; d < rank; d++) {
        w.ax[d] = v->ax[axis + d];
        w.off[d] = v->off[axis + d];
        w.mul[d] = v->mul[axis + d];
    }
    return w;
}

/* The view of operand 0 for v, a view of the result. The operand's axis is at a place; the result has `wide` axes
 * instead. */
static orr__view see_operand(const orr__view *v, int axis, int wide, int rank, int place)
{
    orr__view w = orr__view_identity(rank);
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

/* The index becomes a place, at which the operand is read. */
static int lower(orr__lowering *c, int i, const orr__view *v)
{
    const orr__capture *p = c->p;
    const orr__node *n = p->node[i];
    int axis = n->attr.axis;
    const orr_shape *from = &p->node[orr__arg(p, i, 0)]->shape, *by = &p->node[orr__arg(p, i, 1)]->shape;
    orr__view seen = see_index(v, axis, by->rank);
    int16_t number = orr__lower_operand(c, i, 1, &seen);
    orr__access a = orr__view_access(by, &seen, -1);
    a.placed = true;
    a.by = from->dim[axis];
    a.file = n->file;
    a.line = n->line;
    a.as = n->as;
    int place =
        c->instr(c, (orr__rinstr){ ORR__RI_PLACE, ORR_I64, (int16_t)axis, number, -1, -1, c->access(c, a), -1 });
    seen = see_operand(v, axis, by->rank, from->rank, place);
    return orr__lower_operand(c, i, 0, &seen);
}

/* x may be cut along its other axes, or the index along any axis. */
static bool distribute(orr__spread_rule *r)
{
    int k = r->node->attr.axis, a = r->from.axis, more = r->in[1]->shape.rank - 1;
    if (r->k == 1)
        return r->from.kind == ORR__SHARDED && orr__rule_view(r, k + a);
    return orr__rule_view(r, a == k ? -1 : a < k ? a : a + more);
}

const orr__op orr__op_take = {
    .id = ORR__OP_take,
    .name = "take",
    .arity = 2,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_GATHER,
    .attrs = ORR__ATTR_AXIS,
    .flags = ORR__OP_MAY_FAIL,
    .verify = verify,
    .reference = reference,
    .outside = orr__outside_axis,
    .distribute = distribute,
    .vjp = vjp,
    .lower = lower,
};

orr_tensor *orr_take_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, int axis)
{
    orr__site at = ORR__SITE(file, line, "take");
    orr__node *in[2];
    orr_tensor *bad;
    orr_shape from, to;
    int k;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, indices }, (const char *const[]){ "x", "indices" }, in,
                       &bad) ||
        !orr__index_axis(at, in, axis, &from, &k, &bad) || !orr__index_shape(at, &from, k, &in[1]->shape, &to, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    orr__node *arg[2] = { orr__rec_reshape(at, orr__node_ref(in[0]), &from), orr__index_operand(at, in[1]) };
    orr__node *r = orr__node_of(at, &orr__op_take, (orr_dtype)in[0]->dtype, &to, 2, arg);
    if (r)
        r->attr.axis = k;
    return orr__compose_end(at, scope, orr__handle_new(r));
}
