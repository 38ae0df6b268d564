/* Rules that many operations share: the consequences of the distribution of one operand.
 * Must not know: any single operation, grids. */
#include "config.h"

#include <math.h>
#include "runtime/base/shape.h"

#include "ops/rule.h"

/* All operands and the result are cut along the axis as operand k is; false unless all have the axis with the same length. */
static bool together(orr__spread_rule *r, int axis)
{
    int64_t length = r->in[r->k]->shape.dim[axis];
    const orr_shape *out = &r->node->shape;
    for (int j = 0; j < r->nin; j++)
        if (r->in[j]->shape.rank <= axis || r->in[j]->shape.dim[axis] != length)
            return false;
    if (out->rank <= axis || out->dim[axis] != length)
        return false;
    for (int j = 0; j < r->nin; j++)
        r->need[j] = r->from;
    r->out = r->from;
    return true;
}

static bool cut_below(orr__spread_rule *r, int end)
{
    return r->from.kind == ORR__SHARDED && r->from.axis < end && together(r, r->from.axis);
}

bool orr__rule_elements(orr__spread_rule *r)
{
    return cut_below(r, ORR_MAX_RANK);
}

bool orr__rule_but_axis(orr__spread_rule *r)
{
    return r->from.axis != r->node->attr.axis && cut_below(r, ORR_MAX_RANK);
}

bool orr__rule_rows(orr__spread_rule *r)
{
    return cut_below(r, r->in[r->k]->shape.rank - 1);
}

bool orr__rule_matrices(orr__spread_rule *r)
{
    return cut_below(r, r->in[r->k]->shape.rank - 2);
}

bool orr__rule_first(orr__spread_rule *r)
{
    return cut_below(r, 1);
}

bool orr__rule_images(orr__spread_rule *r)
{
    return cut_below(r, 2);
}

bool orr__rule_beside(orr__spread_rule *r, int end)
{
    const orr_shape *in = &r->in[0]->shape, *out = &r->node->shape;
    int a = r->from.axis;
    r->out = r->from;
    return r->k == 0 && r->from.kind == ORR__SHARDED && a < end && a < out->rank && in->dim[a] == out->dim[a];
}

static int place_of(const char *letters, char letter)
{
    return letters[0] == letter ? 0 : letters[1] == letter ? 1 : -1;
}

/* 2mkn operations of a product, from the sizes mk, kn, mn of operands and result. */
static double work_of_product(const orr__spread_rule *r)
{
    double sizes = (double)orr__shape_count(&r->node->shape);
    for (int j = 0; j < 2 && j < r->nin; j++)
        sizes *= (double)orr__shape_count(&r->in[j]->shape);
    return 2 * sqrt(sizes);
}

bool orr__rule_product(orr__spread_rule *r, int base, const char *a, const char *b, const char *out)
{
    int at = r->from.axis - base;
    r->out = r->from;
    r->work = work_of_product(r);
    if (r->from.kind == ORR__PARTIAL)
        return r->from.rop == ORR__RSUM;
    if (at < 0)
        return together(r, r->from.axis);
    if (at > 1)
        return false;
    char letter = (r->k ? b : a)[at];
    int other = place_of(r->k ? a : b, letter), result = place_of(out, letter);
    if (other >= 0) {
        r->need[1 - r->k] = r->from;
        r->need[1 - r->k].axis = (int8_t)(base + other);
    }
    if (result >= 0)
        r->out.axis = (int8_t)(base + result);
    else
        r->out = (orr__spread){ .kind = ORR__PARTIAL, .rop = ORR__RSUM };
    return true;
}

bool orr__rule_view(orr__spread_rule *r, int to)
{
    r->out = r->from;
    if (r->from.kind == ORR__SHARDED)
        r->out.axis = (int8_t)to;
    return r->from.kind == ORR__PARTIAL || to >= 0;
}
