/* Integers that name classes: labels of losses, indices of orr_one_hot.
 * Must not know: devices, fusion, plans, the compositions that compare them. */
#include "config.h"

#include "ops/ew_id.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"

/* attr.start: the number of classes; a label that names none on purpose, if attr.mask is set. */
enum { CLASSES, IGNORED };

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return n->dtype == ORR_U64 && orr__is_int((orr_dtype)in[0]->dtype) && orr__shape_equal(&n->shape, &in[0]->shape)
               ? NULL
               : "label of other dtypes or shapes";
}

static int identity(const orr__capture *p, int i)
{
    int x = orr__arg(p, i, 0);
    return p->node[x]->dtype == ORR_U64 ? x : i;
}

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__scalar_cast(orr__array_get(&j->in[0], i), j->in[0].dtype, ORR_U64));
    return ORR_OK;
}

static orr__node *outside(orr__site at, const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    orr__scalar classes = { .i = n->attr.start[CLASSES] }, ignored = { .i = n->attr.start[IGNORED] };
    orr__node *x = orr__rec_cast(at, orr__node_ref(p->node[orr__arg(p, i, 0)]), ORR_U64);
    orr__node *again = x && n->attr.mask ? orr__node_ref(x) : NULL;
    orr__node *bad =
        orr__rec_two(at, ORR__EW_greater_equal, ORR_BOOL, x, orr__rec_const(at, ORR_U64, &n->shape, classes));
    if (!n->attr.mask)
        return bad;
    orr__node *meant =
        orr__rec_two(at, ORR__EW_not_equal, ORR_BOOL, again, orr__rec_const(at, ORR_U64, &n->shape, ignored));
    return orr__rec_two(at, ORR__EW_logical_and, ORR_BOOL, bad, meant);
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    int16_t x = orr__lower_operand(c, i, 0, v);
    return c->instr(c, (orr__rinstr){ ORR__RI_CAST, ORR_U64, 0, x, -1, -1, -1, -1 });
}

const orr__op orr__op_label = {
    .id = ORR__OP_label,
    .name = "label",
    .arity = 1,
    .pattern = ORR__PATTERN_ELEMENT,
    .attrs = ORR__ATTR_START | ORR__ATTR_MASK,
    .flags = ORR__OP_STOPS,
    .flops = 1,
    .verify = verify,
    .identity = identity,
    .reference = reference,
    .outside = outside,
    .distribute = orr__rule_elements,
    .lower = lower,
};

orr_tensor *orr__label(orr__site at, orr_tensor *x, int64_t n, const int64_t *ignored)
{
    orr__node *in;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &in, &bad))
        return bad;
    orr__node *r = orr__rec_one(at, &orr__op_label, ORR_U64, &in->shape, orr__node_ref(in));
    if (r) {
        r->as = at.op;
        r->attr.start[CLASSES] = n;
        r->attr.mask = ignored != NULL;
        r->attr.start[IGNORED] = ignored ? *ignored : 0;
    }
    return orr__handle_new(r);
}
