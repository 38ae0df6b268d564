/* orr_cast: the elements as another dtype.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/back.h"
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "ops/rule.h"
#include "ops/wrapped.h"
#include "runtime/base/fpmode.h"

static int identity(const orr__capture *p, int i)
{
    int x = orr__arg(p, i, 0);
    return p->node[x]->dtype == p->node[i]->dtype ? x : i;
}

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, orr__scalar_cast(orr__array_get(&j->in[0], i), j->in[0].dtype, j->out.dtype));
    return ORR_OK;
}

static orr_tensor *vjp(const orr__back *b, int k)
{
    return orr_cast_at(b->at.file, b->at.line, b->g, orr_tensor_dtype(b->in[k]));
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    int16_t x = orr__lower_operand(c, i, 0, v);
    return c->instr(c, (orr__rinstr){ ORR__RI_CAST, c->p->node[i]->dtype, 0, x, -1, -1, -1, -1 });
}

const orr__op orr__op_cast = {
    .id = ORR__OP_cast,
    .name = "cast",
    .arity = 1,
    .pattern = ORR__PATTERN_ELEMENT,
    .flops = 1,
    .identity = identity,
    .reference = reference,
    .wrapped = orr__wrapped_cast,
    .distribute = orr__rule_elements,
    .vjp = vjp,
    .lower = lower,
};

/* A cast of complex numbers, part by part. To bool: true where the number is not 0. */
static orr__node *cast_complex(orr__site at, orr__node *n, orr_dtype dtype)
{
    orr_dtype from = (orr_dtype)n->dtype, part = orr__part_dtype(dtype);
    if (!orr__is_complex(from)) {
        orr__node *zero = orr__rec_const(at, part, &n->shape, (orr__scalar){ .f = 0 });
        return orr__rec_complex(at, orr__rec_cast(at, n, part), zero);
    }
    if (!orr__is_complex(dtype) && dtype != ORR_BOOL) {
        (void)orr__fail(at, ORR_EDTYPE, "%s does not become %s: use orr_real, orr_imag or orr_abs",
                        orr_dtype_name(from), orr_dtype_name(dtype));
        orr__node_unref(n);
        return NULL;
    }
    orr__node *re = orr__rec_cast(at, orr__rec_part(at, orr__node_ref(n), false), part);
    orr__node *im = orr__rec_cast(at, orr__rec_part(at, n, true), part);
    return dtype == ORR_BOOL ? orr__rec_or(at, re, im) : orr__rec_complex(at, re, im);
}

orr__node *orr__rec_cast(orr__site at, orr__node *n, orr_dtype dtype)
{
    if (!n || (n->dtype == dtype && !n->weak))
        return n;
    if (orr__is_field((orr_dtype)n->dtype) || (orr__is_field(dtype) && !n->weak))
        return orr__rec_field_cast(at, n, dtype);
    if (orr__is_complex(dtype) || orr__is_complex((orr_dtype)n->dtype))
        return cast_complex(at, n, dtype);
    if (!n->weak || !(n->op->flags & ORR__OP_UNIFORM)) /* a gradient by a constant with a dtype may be requested */
        return orr__rec_one(at, &orr__op_cast, dtype, &n->shape, n);
    ORR__IN_DEFAULT_FPMODE;
    orr__scalar v = orr__scalar_cast(n->s[0], (orr_dtype)n->dtype, dtype);
    orr__node *r = orr__rec_const(at, dtype, &n->shape, v);
    orr__node_unref(n);
    return r;
}

orr_tensor *orr_cast_at(const char *file, int line, orr_tensor *x, orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "cast");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad) || !orr__dtype_any(at, dtype, &bad))
        return bad;
    return orr__handle_new(orr__rec_cast(at, orr__node_ref(n), dtype));
}
