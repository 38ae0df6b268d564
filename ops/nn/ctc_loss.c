/* orr_ctc_loss: the checks of its operands, and its reductions.
 * Must not know: how the loss is computed. */
#include "config.h"

#include "ops/nn/ctc.h"
#include "ops/nn/loss.h"
#include "ops/record.h"

#define AT at.file, at.line

static bool integers(orr__site at, orr_tensor *t, const char *name, const orr_shape *want, orr_tensor **bad)
{
    orr__node *n;
    if (!orr__operand(at, t, name, &n, bad))
        return false;
    if (!orr__is_int((orr_dtype)n->dtype))
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and integers are needed: write orr_cast(%s, ORR_I64)", name,
                           orr_dtype_name((orr_dtype)n->dtype), name);
    else if (n->shape.rank != want->rank || n->shape.dim[0] != want->dim[0])
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s has not one %s for each of the %lld sequences", name,
                           orr__str(n->shape).s, want->rank == 2 ? "row" : "number", (long long)want->dim[0]);
    else
        return true;
    return false;
}

orr_tensor *orr_ctc_loss_at(const char *file, int line, orr_tensor *logp, orr_tensor *targets,
                            orr_tensor *input_lengths, orr_tensor *target_lengths, int64_t blank, bool zero_infinity,
                            orr_reduction reduction)
{
    orr__site at = ORR__SITE(file, line, "ctc_loss");
    orr__node *p;
    orr_tensor *bad;
    if (!orr__operand_float(at, logp, "logp", &p, &bad) || !orr__reduction_fits(at, reduction, &bad))
        return bad;
    if (p->dtype != ORR_F32 && p->dtype != ORR_F64)
        return orr__poison(at, ORR_EDTYPE, "logp is %s, and f32 or f64 is needed: write orr_cast(logp, ORR_F32)",
                           orr_dtype_name((orr_dtype)p->dtype));
    if (p->shape.rank != 3)
        return orr__poison(at, ORR_ESHAPE, "logp of shape %s is not (time, batch, classes)", orr__str(p->shape).s);
    if (blank < 0 || blank >= p->shape.dim[2] || blank > INT32_MAX)
        return orr__poison(at, ORR_EINVAL, "the blank %lld is no class of %lld", (long long)blank,
                           (long long)p->shape.dim[2]);
    int64_t batch = p->shape.dim[1];
    if (!integers(at, targets, "targets", &ORR_SHAPE(batch, 0), &bad) ||
        !integers(at, input_lengths, "input_lengths", &ORR_SHAPE(batch), &bad) ||
        !integers(at, target_lengths, "target_lengths", &ORR_SHAPE(batch), &bad))
        return bad;
    orr_dtype dtype = (orr_dtype)p->dtype;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *t[ORR__CTC_OPERANDS] = { logp, orr_cast_at(AT, targets, ORR_I64),
                                         orr_cast_at(AT, input_lengths, ORR_I64),
                                         orr_cast_at(AT, target_lengths, ORR_I64) };
    orr__node *in[ORR__CTC_OPERANDS];
    if (!orr__operands(at, ORR__CTC_OPERANDS, (const orr_tensor *const *)t,
                       (const char *const[]){ "logp", "targets", "input_lengths", "target_lengths" }, in, &bad))
        return orr__compose_end(at, scope, bad);
    orr_tensor *each = orr__handle_new(orr__ctc_record(at, &orr__op_ctc_loss, &ORR_SHAPE(batch), in, (int32_t)blank));
    if (zero_infinity)
        each = orr_where_at(AT, orr_isinf_at(AT, each), orr_scalar_at(AT, 0), each);
    if (reduction == ORR_REDUCTION_MEAN) {
        orr_tensor *length = orr_cast_at(AT, orr_maximum_at(AT, t[3], orr_scalar_at(AT, 1)), dtype);
        each = orr_div_at(AT, each, length);
    }
    return orr__compose_end(at, scope, orr__loss_reduce(at, each, reduction));
}
