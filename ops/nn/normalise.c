/* The contract of normalisation: values whose derivative consists of two sums over the normalised elements, instead of
 * derivatives of each step.
 * Must not know: which axes a layer takes, running statistics. */
#include "config.h"

#include "ops/back.h"
#include "ops/nn/normalise.h"
#include "ops/ops.h"

#define AT b->at.file, b->at.line

/* Operands of a node, in this order, then weight and bias if attr.index has their bits, then the value. */
enum { X, SCALE, H, REST }; /* attr.mask: the axes, attr.start[0]: the groups */
enum { CENTRED = 1, WEIGHT = 2, BIAS = 4 };

/* -- sums ----------------------------------------------------------------------------------------------------- */

orr_tensor *orr__over_groups(orr__site at, orr_tensor *t, int64_t groups)
{
    orr_shape s = orr_tensor_shape(t), seen = ORR_SHAPE(s.dim[0], groups, s.dim[1] / groups);
    t = orr_sum_at(at.file, at.line, orr_reshape_at(at.file, at.line, t, seen), ORR_AXES(2), true);
    return orr_reshape_at(at.file, at.line, orr_broadcast_to_at(at.file, at.line, t, seen), s);
}

double orr__normal_count(const orr_shape *x, uint32_t axes, int64_t groups)
{
    return (double)orr__shape_count_of(x, axes) * (groups ? (double)(x->dim[1] / groups) : 1);
}

static orr_tensor *sum(const orr__back *b, orr_tensor *t, uint32_t mask)
{
    return mask ? orr_sum_at(AT, t, orr__axes_of(mask), true) : t;
}

/* The axes along which t is broadcast to the result. */
static uint32_t same_along(const orr__back *b, const orr_tensor *t)
{
    orr_shape s = orr_tensor_shape(t);
    uint32_t mask = 0;
    for (int d = 0; d < s.rank; d++)
        mask |= (uint32_t)(s.dim[d] == 1 && b->node->shape.dim[d] != 1) << d;
    return mask;
}

static orr_tensor *weight_of(const orr__back *b)
{
    return b->node->attr.index & WEIGHT ? b->in[REST] : NULL;
}

static orr_tensor *bias_of(const orr__back *b)
{
    return b->node->attr.index & BIAS ? b->in[REST + (b->node->attr.index & WEIGHT ? 1 : 0)] : NULL;
}

/* The axes of the statistics along which weight and bias are broadcast. Sums over them serve all three derivatives. */
static uint32_t first_axes(const orr__back *b)
{
    uint32_t mask = b->node->attr.mask;
    mask &= weight_of(b) ? same_along(b, weight_of(b)) : ~0u;
    return mask & (bias_of(b) ? same_along(b, bias_of(b)) : ~0u);
}

/* g or g·h, summed over the first axes. */
static orr_tensor *first_sum(const orr__back *b, bool with_h)
{
    return sum(b, with_h ? orr_mul_at(AT, b->g, b->in[H]) : b->g, first_axes(b));
}

/* -- derivatives ---------------------------------------------------------------------------------------------- */

/* mean(g·weight) or mean(g·weight·h) over the elements of each statistic. */
static orr_tensor *mean(const orr__back *b, bool with_h)
{
    orr_tensor *p = first_sum(b, with_h), *w = weight_of(b);
    uint32_t mask = b->node->attr.mask;
    int64_t groups = b->node->attr.start[0];
    double n = orr__normal_count(&b->node->shape, mask, groups);
    p = sum(b, w ? orr_mul_at(AT, p, w) : p, mask & ~first_axes(b));
    p = groups ? orr__over_groups(b->at, p, groups) : p;
    return orr_mul_at(AT, p, orr_scalar_at(AT, n > 0 ? 1.0 / n : 0));
}

/* scale·(u − mean(u) − h·mean(u·h)) for u = g·weight: the two subtracted terms are the derivatives of mean and scale. */
static orr_tensor *by_x(const orr__back *b)
{
    orr_tensor *u = weight_of(b) ? orr_mul_at(AT, b->g, weight_of(b)) : b->g;
    if (b->node->attr.index & CENTRED)
        u = orr_sub_at(AT, u, mean(b, false));
    u = orr_sub_at(AT, u, orr_mul_at(AT, b->in[H], mean(b, true)));
    return orr_mul_at(AT, u, b->in[SCALE]);
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    if (k == X)
        return by_x(b);
    if (k < REST || k == b->nin - 1)
        return NULL;
    return sum(b, first_sum(b, k == REST && (b->node->attr.index & WEIGHT)), same_along(b, b->in[k]) & ~first_axes(b));
}

const orr__op orr__op_normalise = { .id = ORR__OP_normalise,
                                    .name = "normalise",
                                    .arity = -1,
                                    .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX | ORR__ATTR_START,
                                    .role = ORR__ROLE_THROUGH,
                                    .vjp = vjp };

/* -- the node -------------------------------------------------------------------------------------------------- */

orr_tensor *orr__normalise(const orr__normal *n)
{
    const char *file = n->at.file;
    int line = n->at.line, nin = REST;
    orr_tensor *d = n->mean ? orr_sub_at(file, line, n->x, n->mean) : n->x;
    orr_tensor *h = orr_mul_at(file, line, d, n->scale), *y = h, *operand[REST + 3] = { n->x, n->scale, h };
    orr__node *in[REST + 3];
    if (n->weight)
        y = orr_mul_at(file, line, y, operand[nin++] = n->weight);
    if (n->bias)
        y = orr_add_at(file, line, y, operand[nin++] = n->bias);
    operand[nin++] = y;
    for (int i = 0; i < nin; i++)
        if (orr_tensor_status(operand[i]) != ORR_OK || !(in[i] = orr__handle_node(operand[i])))
            return y;
    orr__node *r =
        orr__node_new(n->at, &orr__op_normalise, (orr_dtype)in[nin - 1]->dtype, &in[nin - 1]->shape, nin, in);
    if (r) {
        r->attr.mask = n->axes;
        r->attr.start[0] = n->groups;
        r->attr.index = (n->mean ? CENTRED : 0) | (n->weight ? WEIGHT : 0) | (n->bias ? BIAS : 0);
    }
    return orr__handle_new(r);
}
