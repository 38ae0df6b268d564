/* orr_cumulative_sum: sums of the elements up to each one, along an axis.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"

#define AT b->at.file, b->at.line

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->dtype == in[0]->dtype && n->attr.axis < n->shape.rank
               ? NULL
               : "cumulative_sum changes the shape or dtype";
}

static orr_status reference(const orr__reference *j)
{
    orr__line x = orr__reference_line(&j->out.shape, j->node->attr.axis);
    orr_dtype t = j->out.dtype;
    for (int64_t o = 0; o < x.outer; o++)
        for (int64_t i = 0; i < x.inner; i++) {
            long double f = 0;
            uint64_t u = 0;
            for (int64_t k = 0; k < x.length; k++) {
                int64_t at = (o * x.length + k) * x.inner + i;
                orr__scalar v = orr__array_get(&j->in[0], at);
                f += orr__is_float(t) ? (long double)v.f : 0;
                u += orr__is_float(t) ? 0 : v.u;
                if (orr__is_float(t))
                    orr__reference_set(&j->out, at, f);
                else
                    orr__array_set(&j->out, at, (orr__scalar){ .u = u });
            }
        }
    return ORR_OK;
}

/* An element counts in its own sum and in all later ones. */
static orr_tensor *vjp(const orr__back *b, int k)
{
    (void)k;
    orr_axes axis = { 1, { b->node->attr.axis } };
    return orr_flip_at(AT, orr_cumulative_sum_at(AT, orr_flip_at(AT, b->g, axis), axis.axis[0], false), axis);
}

/* Tiles are rows of axis 0. */
static bool cuts(const orr__call *c)
{
    return c->attr.axis > 0;
}

static orr_tensor *record(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return orr_cumulative_sum_at(file, line, in[0], a->axis, (a->mask & 1) != 0);
}

const orr__op orr__op_cumulative_sum = {
    .id = ORR__OP_cumulative_sum,
    .name = "cumulative_sum",
    .arity = 1,
    .form = ORR__FORM_KERNEL,
    .attrs = ORR__ATTR_AXIS,
    .flags = ORR__OP_SUMS,
    .options = 1,
    .flops = 1,
    .record = record,
    .verify = verify,
    .reference = reference,
    .vjp = vjp,
    .cuts = cuts,
};

orr_tensor *orr_cumulative_sum_at(const char *file, int line, orr_tensor *x, int axis, bool include_initial)
{
    orr__site at = ORR__SITE(file, line, "cumulative_sum");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank);
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    orr_dtype t = (orr_dtype)n->dtype, wide = orr__is_float(t) ? t : orr__is_unsigned(t) ? ORR_U64 : ORR_I64;
    orr_scope *scope = orr_scope_begin();
    orr__node *r = orr__rec_cast(at, orr__node_ref(n), wide);
    r = r ? orr__rec_one(at, &orr__op_cumulative_sum, wide, &n->shape, r) : NULL;
    if (r)
        r->attr.axis = k;
    orr_tensor *sums = orr__handle_new(r);
    orr_index lo = { n->shape.rank, { 0 } };
    lo.v[k] = 1;
    return orr__compose_end(at, scope, include_initial ? orr_pad_at(file, line, sums, lo, ORR_NO_INDEX, 0) : sums);
}
