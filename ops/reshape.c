/* orr_reshape and related functions: the elements in row-major order as another shape.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_count(&in[0]->shape) == orr__shape_count(&n->shape) ? NULL : "reshape changes the size";
}

/* Skips intermediate reshapes: the last of several may restore the shape of the first operand. */
static int identity(const orr__capture *p, int i)
{
    int x = orr__arg(p, i, 0);
    while (p->leaf_of[x] < 0 && p->node[x]->op == p->node[i]->op &&
           !orr__shape_equal(&p->node[x]->shape, &p->node[i]->shape))
        x = orr__arg(p, x, 0);
    return orr__shape_equal(&p->node[x]->shape, &p->node[i]->shape) ? x : i;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    return orr_reshape_at(b->at.file, b->at.line, b->g, orr_tensor_shape(b->in[k]));
}

/* A view only if axes of length 1 are added or removed; other reshapes mix axes. */
static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    const orr_shape *out = &n->shape;
    if (!orr__shape_squeeze_equal(in, out))
        return false;
    *w = orr__view_still(v);
    for (int a = 0, k = 0; a < in->rank; a++) {
        if (in->dim[a] == 1)
            continue;
        while (out->dim[k] == 1)
            k++;
        orr__view_carry(w, a, v, k++);
    }
    return true;
}

/* Blocks of an axis become blocks of the result's axis that begins at the same place in row-major order. They have as many
 * places; if the axis is split, or joined with the axes after it, they have as many elements. */
static bool distribute(orr__spread_rule *r)
{
    const orr_shape *in = &r->in[0]->shape, *out = &r->node->shape;
    int64_t before = 1, at = 1;
    if (r->from.kind == ORR__PARTIAL)
        return orr__rule_view(r, 0);
    if (orr__shape_count(in) == 0)
        return false;
    for (int d = 0; d < r->from.axis; d++)
        before *= in->dim[d];
    for (int to = 0; to < out->rank && at <= before; at *= out->dim[to++]) {
        int64_t length = in->dim[r->from.axis], is = out->dim[to];
        if (at != before || (is == 1 && length > 1))
            continue;
        int64_t elements = r->from.block * (is % length == 0 ? is / length : 1),
                less = length % is == 0 ? length / is : 1;
        if ((is % length && length % is) || elements % less)
            return false;
        (void)orr__rule_view(r, to);
        r->out.block = elements / less;
        return true;
    }
    return false;
}

const orr__op orr__op_reshape = {
    .id = ORR__OP_reshape,
    .name = "reshape",
    .arity = 1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .flags = ORR__OP_ORDERED,
    .verify = verify,
    .identity = identity,
    .reference = orr__reference_copy,
    .distribute = distribute,
    .vjp = vjp,
    .see = see,
};

orr__node *orr__rec_reshape(orr__site at, orr__node *n, const orr_shape *shape)
{
    if (!n || orr__shape_equal(&n->shape, shape))
        return n;
    return orr__rec_one(at, &orr__op_reshape, (orr_dtype)n->dtype, shape, n);
}

/* Computes the dimension that is -1. */
static bool reshape_infer(orr__site at, const orr_shape *from, orr_shape *to, orr_tensor **bad)
{
    int free_axis = -1;
    orr_shape rest = *to;
    for (int i = 0; i < to->rank && i < ORR_MAX_RANK; i++)
        if (to->dim[i] == -1) {
            if (free_axis >= 0) {
                *bad = orr__poison(at, ORR_ESHAPE, "shape %s has more than one -1", orr__str(*to).s);
                return false;
            }
            free_axis = i;
            rest.dim[i] = 1;
        }
    if (!orr__shape_ok(at, &rest, bad))
        return false;
    int64_t have = orr__shape_count(from), want = orr__shape_count(&rest);
    if (free_axis >= 0 && want > 0 && have % want == 0) {
        rest.dim[free_axis] = have / want;
        want = have;
    } else if (free_axis >= 0 || have != want) {
        *bad = orr__poison(at, ORR_ESHAPE, "%s has %lld elements, which do not make %s", orr__str(*from).s,
                           (long long)have, orr__str(*to).s);
        return false;
    }
    *to = rest;
    return true;
}

orr_tensor *orr_reshape_at(const char *file, int line, orr_tensor *x, orr_shape shape)
{
    orr__site at = ORR__SITE(file, line, "reshape");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad) || !reshape_infer(at, &n->shape, &shape, &bad))
        return bad;
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &shape));
}

orr_tensor *orr_squeeze_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "squeeze");
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask = 0;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    const orr_shape *s = &n->shape;
    if (axes.n >= 0 && !orr__axes_mask(axes, s->rank, &mask))
        return orr__axes_poison(at, axes, s);
    for (int i = 0; i < s->rank; i++)
        if (axes.n < 0)
            mask |= (uint32_t)(s->dim[i] == 1) << i;
        else if ((mask >> i & 1) && s->dim[i] != 1)
            return orr__poison(at, ORR_ESHAPE, "axis %d of %s is not of length 1", i, orr__str(*s).s);
    orr_shape to = orr__shape_reduced(s, mask, false);
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &to));
}

orr_tensor *orr_expand_dims_at(const char *file, int line, orr_tensor *x, int axis)
{
    orr__site at = ORR__SITE(file, line, "expand_dims");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank, place = orr__axis(axis, rank + 1);
    if (rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(n->shape).s, rank);
    if (place < 0)
        return orr__poison(at, ORR_EAXIS, "axis %d is not in %d to %d", axis, -rank - 1, rank);
    orr_shape to = { rank + 1, { 0 } };
    for (int i = 0; i <= rank; i++)
        to.dim[i] = i < place ? n->shape.dim[i] : i == place ? 1 : n->shape.dim[i - 1];
    return orr__handle_new(orr__rec_reshape(at, orr__node_ref(n), &to));
}
