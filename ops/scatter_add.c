/* orr_scatter_add: the first operand plus updates, added along an axis by index.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"

static orr__scalar add(orr_dtype dtype, orr__scalar x, orr__scalar y)
{
    orr__scalar r;
    if (orr__is_float(dtype)) {
        r.f = x.f + y.f;
        return orr__scalar_cast(r, ORR_F64, dtype);
    }
    r.u = x.u + y.u;
    return orr__scalar_cast(r, orr__is_signed(dtype) ? ORR_I64 : ORR_U64, dtype);
}

static orr_status reference(const orr__reference *j)
{
    orr__line x = orr__reference_line(&j->out.shape, j->node->attr.axis);
    int64_t many = j->in[1].count;
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__array_get(&j->in[0], i));
    for (int64_t m = 0; m < many; m++) {
        int64_t k = orr__reference_index(j, m, x.length);
        if (k < 0)
            return ORR_EINDEX;
        for (int64_t o = 0; o < x.outer; o++)
            for (int64_t i = 0; i < x.inner; i++) {
                int64_t to = (o * x.length + k) * x.inner + i;
                orr__scalar more = orr__array_get(&j->in[2], (o * many + m) * x.inner + i);
                orr__array_set(&j->out, to, add(j->out.dtype, orr__array_get(&j->out, to), more));
            }
    }
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    return k == 0 ? b->g : k == 2 ? orr_take_at(b->at.file, b->at.line, b->g, b->in[1], b->node->attr.axis) : NULL;
}

/* Updates of one element have one order: the call is not cut. */
static bool cuts(const orr__call *c)
{
    (void)c;
    return false;
}

const orr__op orr__op_scatter_add = {
    .id = ORR__OP_scatter_add,
    .name = "scatter_add",
    .arity = 3,
    .form = ORR__FORM_KERNEL,
    .attrs = ORR__ATTR_AXIS,
    .flags = ORR__OP_MAY_FAIL,
    .flops = 1,
    .reference = reference,
    .vjp = vjp,
    .cuts = cuts,
};

/* The three operands of the primitive in `dtype`, references owned; the last is NULL when one could not be made. */
static void scatter_operands(orr__site at, orr__node *const *in, orr_dtype dtype, const orr_shape *from,
                             const orr_shape *shape, orr__node **arg)
{
    arg[0] = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(in[0]), dtype), from);
    arg[1] = orr__index_operand(at, in[1]);
    arg[2] = NULL;
    if (!arg[0] || !arg[1])
        return;
    arg[2] = orr__rec_broadcast(at, orr__rec_cast(at, orr__node_ref(in[2]), dtype), shape);
}

orr_tensor *orr_scatter_add_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                               int axis)
{
    orr__site at = ORR__SITE(file, line, "scatter_add");
    orr__node *in[3], *arg[3];
    orr_tensor *bad;
    orr_shape from, shape, both;
    orr_dtype dtype;
    int k;
    if (!orr__operands(at, 3, (const orr_tensor *const[]){ x, indices, updates },
                       (const char *const[]){ "x", "indices", "updates" }, in, &bad) ||
        !orr__index_axis(at, in, axis, &from, &k, &bad) || !orr__index_shape(at, &from, k, &in[1]->shape, &shape, &bad))
        return bad;
    if (!orr__shape_broadcast(&in[2]->shape, &shape, &both) || !orr__shape_equal(&both, &shape))
        return orr__poison(at, ORR_ESHAPE, "updates of shape %s do not broadcast to %s", orr__str(in[2]->shape).s,
                           orr__str(shape).s);
    if (!orr__promote_nodes(at, 2, (orr__node *const[]){ in[0], in[2] }, &dtype))
        return orr__handle_new(NULL);
    if (dtype == ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "bool does not add: write orr_cast(x, ORR_I32)");
    orr_scope *scope = orr_scope_begin();
    orr_dtype wide = orr__is_half(dtype) ? ORR_F32 : dtype; /* the 257th 1 would be lost in bf16 */
    scatter_operands(at, in, wide, &from, &shape, arg);
    orr__node *r = orr__node_of(at, &orr__op_scatter_add, wide, &from, 3, arg);
    if (r)
        r->attr.axis = k;
    r = orr__rec_cast(at, orr__rec_reshape(at, r, &in[0]->shape), dtype);
    return orr__compose_end(at, scope, orr__handle_new(r));
}
