/* orr_searchsorted: the places of elements in a sorted line.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/array/array.h"
#include "ops/order.h"
#include "ops/reference.h"
#include "ops/rule.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[1]->shape) && in[0]->shape.rank == 1 && in[0]->dtype == in[1]->dtype
               ? NULL
               : "searchsorted in another shape or dtype than its operands say";
}

static orr_status reference(const orr__reference *j)
{
    bool right = j->node->attr.mask & ORR__SEARCH_RIGHT;
    orr_dtype t = j->in[0].dtype;
    for (int64_t k = 1; j->node->attr.mask & ORR__SEARCH_RISES && k < j->in[0].count; k++)
        if (orr__order_before(t, orr__array_get(&j->in[0], k), orr__array_get(&j->in[0], k - 1), false))
            return orr__line_falls(orr__reference_site(j), k);
    for (int64_t i = 0; i < j->out.count; i++) {
        orr__scalar v = orr__array_get(&j->in[1], i);
        int64_t k = 0;
        while (k < j->in[0].count && (right ? !orr__order_before(t, v, orr__array_get(&j->in[0], k), false)
                                            : orr__order_before(t, orr__array_get(&j->in[0], k), v, false)))
            k++;
        orr__array_set(&j->out, i, (orr__scalar){ .i = k });
    }
    return ORR_OK;
}

static orr__workload work(const orr__call *c)
{
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * 4 * log2((double)c->in[0].dim[0] + 2) };
}

static int space(const orr__call *c, int64_t *dim)
{
    dim[0] = orr__shape_count(&c->out);
    return 1;
}

static bool distribute(orr__spread_rule *r)
{
    return r->k == 1 && r->from.kind == ORR__SHARDED && orr__rule_view(r, r->from.axis);
}

const orr__op orr__op_searchsorted = {
    .id = ORR__OP_searchsorted,
    .name = "searchsorted",
    .arity = 2,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_MASK,
    .flags = ORR__OP_MAY_FAIL,
    .verify = verify,
    .reference = reference,
    .distribute = distribute,
    .work = work,
    .space = space,
};

orr_status orr__line_falls(orr__site at, int64_t k)
{
    return orr__fail(at, ORR_EINVAL, "element %lld of the line is below the one before it: the line must ascend",
                     (long long)k);
}

static orr_tensor *search(orr__site at, orr_tensor *sorted, orr_tensor *values, uint32_t mask)
{
    orr__node *in[2];
    orr_tensor *bad;
    orr_dtype t;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ sorted, values },
                       (const char *const[]){ "sorted", "values" }, in, &bad))
        return bad;
    orr__node *ordered;
    if (!orr__operand_ordered(at, sorted, "sorted", &ordered, &bad) ||
        !orr__operand_ordered(at, values, "values", &ordered, &bad))
        return bad;
    if (in[0]->shape.rank != 1)
        return orr__poison(at, ORR_ESHAPE, "the sorted line has shape %s, and one axis is needed",
                           orr__str(in[0]->shape).s);
    if (!orr__promote_nodes(at, 2, in, &t))
        return orr__handle_new(NULL);
    orr__node *arg[2] = { orr__rec_cast(at, orr__node_ref(in[0]), t), orr__rec_cast(at, orr__node_ref(in[1]), t) };
    orr__node *r = orr__node_of(at, &orr__op_searchsorted, ORR_I64, &in[1]->shape, 2, arg);
    if (r)
        r->attr.mask = mask;
    return orr__handle_new(r);
}

orr_tensor *orr_searchsorted_at(const char *file, int line, orr_tensor *sorted, orr_tensor *values, bool right)
{
    return search(ORR__SITE(file, line, "searchsorted"), sorted, values, right ? ORR__SEARCH_RIGHT : 0);
}

orr_tensor *orr__interval_after(orr__site at, orr_tensor *line, orr_tensor *values)
{
    return search(at, line, values, ORR__SEARCH_RIGHT | ORR__SEARCH_RISES);
}
