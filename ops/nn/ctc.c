/* The contracts of ctc_loss and ctc_grad: the loss of label sequences without alignments, and its gradient.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/nn/ctc.h"
#include "ops/record.h"
#include "ops/reference.h"

#define AT at.file, at.line
enum { OPERANDS = ORR__CTC_OPERANDS };

/* Operands: (time, batch, classes) in f32 or f64; targets (batch, longest) and two lengths (batch) in i64. */
static const char *operands_fit(const orr__node *const *in)
{
    const orr_shape *p = &in[0]->shape, *t = &in[1]->shape;
    bool ok = p->rank == 3 && t->rank == 2 && t->dim[0] == p->dim[1] &&
              (in[0]->dtype == ORR_F32 || in[0]->dtype == ORR_F64) && in[1]->dtype == ORR_I64;
    for (int i = 2; ok && i < OPERANDS; i++)
        ok = in[i]->shape.rank == 1 && in[i]->shape.dim[0] == p->dim[1] && in[i]->dtype == ORR_I64;
    return ok ? NULL : "operands of ctc do not fit";
}

static const char *verify_loss(const orr__node *n, const orr__node *const *in, int nin)
{
    const char *bad = nin == OPERANDS ? operands_fit(in) : "ctc_loss has four operands";
    if (bad)
        return bad;
    return n->shape.rank == 1 && n->shape.dim[0] == in[0]->shape.dim[1] && n->dtype == in[0]->dtype
               ? NULL
               : "ctc_loss is one number for each sequence";
}

static const char *verify_grad(const orr__node *n, const orr__node *const *in, int nin)
{
    const char *bad = nin == OPERANDS ? operands_fit(in) : "ctc_grad has four operands";
    if (bad)
        return bad;
    const orr_shape *p = &in[0]->shape, *s = &n->shape;
    return s->rank == 3 && s->dim[0] == p->dim[1] && s->dim[1] == p->dim[0] && s->dim[2] == p->dim[2] &&
                   n->dtype == in[0]->dtype
               ? NULL
               : "ctc_grad has the operand's elements, sequence by sequence";
}

static orr_status by_reference(const orr__reference *j, bool gradient)
{
    const orr_shape *p = &j->in[0].shape;
    orr__ctc c = { .at = orr__reference_site(j),
                   .dtype = j->out.dtype,
                   .time = p->dim[0],
                   .batch = p->dim[1],
                   .classes = p->dim[2],
                   .longest = j->in[1].shape.dim[1],
                   .blank = j->node->attr.index,
                   .logp = j->in[0].data,
                   .target = (const int64_t *)(const void *)j->in[1].data,
                   .input_length = (const int64_t *)(const void *)j->in[2].data,
                   .target_length = (const int64_t *)(const void *)j->all[j->arg[3]].data };
    orr_status st = ORR_OK;
    for (int64_t n = 0; st == ORR_OK && n < c.batch; n++)
        st = orr__ctc_sequence(&c, n, gradient ? NULL : j->out.data, gradient ? j->out.data : NULL);
    return st;
}

static orr_status reference_loss(const orr__reference *j)
{
    return by_reference(j, false);
}

static orr_status reference_grad(const orr__reference *j)
{
    return by_reference(j, true);
}

orr__node *orr__ctc_record(orr__site at, const orr__op *op, const orr_shape *shape, orr__node *const *in, int32_t blank)
{
    orr__node *n = orr__node_new(at, op, (orr_dtype)in[0]->dtype, shape, OPERANDS, in);
    if (n)
        n->attr.index = blank;
    return n;
}

/* d loss[n] / d logp, weighted by each loss's cotangent. */
static orr_tensor *vjp_loss(const orr__back *b, int k)
{
    orr__site at = b->at;
    if (k != 0)
        return NULL;
    const orr_shape *p = &b->node->in[0]->shape;
    orr_tensor *g = orr__handle_new(orr__ctc_record(at, &orr__op_ctc_grad, &ORR_SHAPE(p->dim[1], p->dim[0], p->dim[2]),
                                                    b->node->in, b->node->attr.index));
    orr_tensor *each = orr_reshape_at(AT, b->g, ORR_SHAPE(p->dim[1], 1, 1));
    return orr_permute_at(AT, orr_mul_at(AT, g, each), ORR_AXES(1, 0, 2));
}

static orr_tensor *vjp_grad(const orr__back *b, int k)
{
    return k == 0 ? orr__poison(b->at, ORR_EGRAPH, "ctc_loss has no second derivative") : NULL;
}

static orr__workload work(const orr__call *c)
{
    double states = 2.0 * (double)c->in[1].dim[1] + 1;
    return (orr__workload){ .flops = 150.0 * (double)c->in[0].dim[0] * (double)c->in[0].dim[1] * states };
}

/* The sequences may be cut: axis 1 of the log-probabilities, axis 0 of the other operands and the result. */
static bool distribute(orr__spread_rule *r)
{
    if (r->from.kind != ORR__SHARDED || r->from.axis != (r->k == 0))
        return false;
    r->out = r->from;
    r->out.axis = 0;
    for (int i = 0; i < OPERANDS; i++) {
        r->need[i] = r->from;
        r->need[i].axis = i == 0;
    }
    return true;
}

const orr__op orr__op_ctc_loss = {
    .id = ORR__OP_ctc_loss,
    .name = "ctc_loss",
    .arity = OPERANDS,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_INDEX,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_SUMS,
    .verify = verify_loss,
    .reference = reference_loss,
    .distribute = distribute,
    .vjp = vjp_loss,
    .work = work,
};

const orr__op orr__op_ctc_grad = {
    .id = ORR__OP_ctc_grad,
    .name = "ctc_grad",
    .arity = OPERANDS,
    .pattern = ORR__PATTERN_KERNEL,
    .attrs = ORR__ATTR_INDEX,
    .flags = ORR__OP_MAY_FAIL | ORR__OP_SUMS,
    .verify = verify_grad,
    .reference = reference_grad,
    .distribute = distribute,
    .vjp = vjp_grad,
    .work = work,
};
