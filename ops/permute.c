/* orr_permute and orr_transpose: the axes in another order.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    const orr__node *x = in[0];
    unsigned seen = 0;
    (void)nin;
    if (x->shape.rank != n->shape.rank)
        return "permute changes the rank";
    for (int d = 0; d < n->shape.rank; d++) {
        int s = n->attr.perm[d];
        if (s < 0 || s >= x->shape.rank || (seen >> s & 1u) || x->shape.dim[s] != n->shape.dim[d])
            return "permute is no permutation";
        seen |= 1u << s;
    }
    return NULL;
}

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++) {
        int64_t to[ORR_MAX_RANK], from[ORR_MAX_RANK] = { 0 };
        orr__array_unravel(&j->out.shape, i, to);
        for (int d = 0; d < j->out.shape.rank; d++)
            from[j->node->attr.perm[d]] = to[d];
        orr__array_copy(&j->out, i, &j->in[0], orr__array_ravel(&j->in[0].shape, from));
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    orr_axes inverse = { b->node->shape.rank, { 0 } };
    for (int i = 0; i < inverse.n; i++)
        inverse.axis[b->node->attr.perm[i]] = i;
    return orr_permute_at(b->at.file, b->at.line, b->g, inverse);
}

static bool see(const orr__node *n, const orr_shape *in, const orr__view *v, orr__view *w)
{
    (void)in;
    *w = orr__view_still(v);
    for (int k = 0; k < n->shape.rank; k++)
        orr__view_carry(w, n->attr.perm[k], v, k);
    return true;
}

static bool distribute(orr__spread_rule *r)
{
    int to = 0;
    while (to < r->node->shape.rank && r->node->attr.perm[to] != r->from.axis)
        to++;
    return orr__rule_view(r, to);
}

const orr__op orr__op_permute = {
    .id = ORR__OP_permute,
    .name = "permute",
    .arity = 1,
    .kinds = ORR__TAKES_ANY,
    .pattern = ORR__PATTERN_VIEW,
    .attrs = ORR__ATTR_PERM,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .vjp = vjp,
    .see = see,
};

orr__node *orr__rec_permute(orr__site at, orr__node *n, const int *perm)
{
    if (!n)
        return NULL;
    orr_shape s = n->shape;
    bool same = true;
    for (int i = 0; i < s.rank; i++) {
        s.dim[i] = n->shape.dim[perm[i]];
        same = same && perm[i] == i;
    }
    if (same)
        return n;
    orr__node *r = orr__rec_one(at, &orr__op_permute, (orr_dtype)n->dtype, &s, n);
    for (int i = 0; r && i < s.rank; i++)
        r->attr.perm[i] = (int8_t)perm[i];
    return r;
}

orr_tensor *orr_permute_at(const char *file, int line, orr_tensor *x, orr_axes axes)
{
    orr__site at = ORR__SITE(file, line, "permute");
    orr__node *n;
    orr_tensor *bad;
    uint32_t mask;
    int perm[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank;
    if (axes.n >= 0 && axes.n != rank)
        return orr__poison(at, ORR_EAXIS, "%d axes for shape %s, which has %d", axes.n, orr__str(n->shape).s, rank);
    if (!orr__axes_mask(axes, rank, &mask))
        return orr__axes_poison(at, axes, &n->shape);
    for (int i = 0; i < rank; i++)
        perm[i] = axes.n < 0 ? rank - 1 - i : orr__axis(axes.axis[i], rank);
    return orr__handle_new(orr__rec_permute(at, orr__node_ref(n), perm));
}

orr_tensor *orr_transpose_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "transpose");
    orr__node *n;
    orr_tensor *bad;
    int perm[ORR_MAX_RANK];
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int rank = n->shape.rank;
    if (rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no two axes", orr__str(n->shape).s);
    for (int i = 0; i < rank; i++)
        perm[i] = i;
    perm[rank - 2] = rank - 1;
    perm[rank - 1] = rank - 2;
    return orr__handle_new(orr__rec_permute(at, orr__node_ref(n), perm));
}
