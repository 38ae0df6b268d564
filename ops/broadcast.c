/* orr_broadcast_to: the operand repeated along axes of length 1 and new leading ones.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    orr_shape s;
    (void)nin;
    return orr__shape_broadcast(&in[0]->shape, &n->shape, &s) && orr__shape_equal(&s, &n->shape) ? NULL
                                                                                                 : "broadcast shapes";
}

static int identity(const orr__capture *p, int i)
{
    int x = orr__arg(p, i, 0);
    return orr__shape_equal(&p->node[x]->shape, &p->node[i]->shape) ? x : i;
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->in[0].shape;
    int lead = j->out.shape.rank - s->rank;
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t to[ORR_MAX_RANK], from[ORR_MAX_RANK];
        orr__array_unravel(&j->out.shape, i, to);
        for (int d = 0; d < s->rank; d++)
            from[d] = s->dim[d] == 1 ? 0 : to[lead + d];
        orr__array_copy(&j->out, i, &j->in[0], orr__array_ravel(s, from));
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    orr_shape to = orr_tensor_shape(b->in[k]), from = b->node->shape;
    orr_axes axes = { 0, { 0 } };
    for (int i = 0, lead = from.rank - to.rank; i < from.rank; i++)
        if (i < lead || (to.dim[i - lead] == 1 && from.dim[i] != 1))
            axes.axis[axes.n++] = i;
    return orr_reshape_at(b->at.file, b->at.line, orr_sum_at(b->at.file, b->at.line, b->g, axes, true), to);
}

static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    const orr_shape *out = &n->shape;
    *w = orr__view_still(v);
    for (int a = 0; a < in->rank; a++) {
        int k = a + out->rank - in->rank;
        if (in->dim[a] == out->dim[k])
            orr__view_carry(w, a, v, k);
    }
    return true;
}

static bool distribute(orr__spread_rule *r)
{
    const orr_shape *in = &r->in[0]->shape, *out = &r->node->shape;
    int to = r->from.axis + out->rank - in->rank;
    return orr__rule_view(r, r->from.kind == ORR__SHARDED && in->dim[r->from.axis] == out->dim[to] ? to : -1);
}

const orr__op orr__op_broadcast = {
    .id = ORR__OP_broadcast,
    .name = "broadcast",
    .arity = 1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .verify = verify,
    .identity = identity,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .see = see,
};

orr__node *orr__rec_broadcast(orr__site at, orr__node *n, const orr_shape *shape)
{
    if (!n || orr__shape_equal(&n->shape, shape))
        return n;
    return orr__rec_one(at, &orr__op_broadcast, (orr_dtype)n->dtype, shape, n);
}

orr_tensor *orr_broadcast_to_at(const char *file, int line, orr_tensor *x, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "broadcast_to");
    orr__node *n;
    orr_tensor *bad;
    orr_shape both;
    if (!orr__operand(at, x, "x", &n, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__shape_broadcast(&n->shape, &shape, &both) || !orr__shape_equal(&both, &shape))
        return orr__poison(at, ORR_ESHAPE, "%s does not broadcast to %s", orr__str(n->shape).s, orr__str(shape).s);
    return orr__handle_new(orr__rec_broadcast(at, orr__node_ref(n), &shape));
}
