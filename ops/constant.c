/* Constants: zeros, ones, full, scalar.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <string.h>
#include "ops/lowering.h"
#include "ops/number.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/base/element.h"
#include "runtime/base/fpmode.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)in;
    (void)nin;
    return n->nscalar >= 1 ? NULL : "a constant without its value";
}

static orr_status reference(const orr__reference *j)
{
    for (int64_t i = 0; i < j->out.count; i++)
        orr__array_set(&j->out, i, j->s[0]);
    return ORR_OK;
}

static int lower(orr__lowering *c, int i, const orr__view *v)
{
    (void)v;
    return c->instr(c, (orr__rinstr){ ORR__RI_SCALAR, c->p->node[i]->dtype, 0, -1, -1, -1, -1, c->p->scalar0[i] });
}

const orr__op orr__op_const = {
    .id = ORR__OP_const,
    .name = "const",
    .pattern = ORR__PATTERN_ELEMENT,
    .flags = ORR__OP_UNIFORM,
    .verify = verify,
    .reference = reference,
    .lower = lower,
};

static orr__node *field_const(orr__site at, orr_dtype dtype, const orr_shape *shape, int64_t v)
{
    orr__buffer *b = orr__buffer_new(sizeof(orr__fe));
    if (!b) {
        (void)orr__fail_place(at, ORR_ENOMEM);
        return NULL;
    }
    orr__fe x = orr__element_of(dtype, v);
    memcpy(b->host, &x, sizeof x);
    return orr__rec_broadcast(at, orr__rec_leaf(at, dtype, &ORR_SHAPE_0D, b), shape);
}

orr__node *orr__rec_const(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__scalar v)
{
    if (orr__is_complex(dtype)) {
        orr__node *re = orr__rec_const(at, orr__part_dtype(dtype), shape, v);
        return orr__rec_complex(at, re, orr__rec_const(at, orr__part_dtype(dtype), shape, (orr__scalar){ .f = 0 }));
    }
    if (orr__is_field(dtype)) /* its one element is a leaf */
        return field_const(at, dtype, shape, v.i);
    orr__node *r = orr__node_new(at, &orr__op_const, dtype, shape, 0, NULL);
    if (r) {
        r->nscalar = 1;
        r->s[0] = v;
    }
    return r;
}

static orr_tensor *full(orr__site at, orr_dtype dtype, const orr_shape *shape, double value)
{
    orr_tensor *bad;
    orr__scalar v;
    if (!orr__dtype_any(at, dtype, &bad) || !orr__shape_ok(at, shape, &bad))
        return bad;
    return orr__handle_new(orr__scalar_from(at, dtype, value, &v) ? orr__rec_const(at, dtype, shape, v) : NULL);
}

orr_tensor *orr_zeros_at(const char *file, int line, orr_dtype dtype, orr_shape shape)
{
    return full(ORR__SITE(file, line, "zeros"), dtype, &shape, 0);
}

orr_tensor *orr_ones_at(const char *file, int line, orr_dtype dtype, orr_shape shape)
{
    return full(ORR__SITE(file, line, "ones"), dtype, &shape, 1);
}

orr_tensor *orr_full_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double value)
{
    ORR__IN_DEFAULT_FPMODE;
    return full(ORR__SITE(file, line, "full"), dtype, &shape, value);
}

orr_tensor *orr_full_number_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_number value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "full_number");
    orr_tensor *bad;
    orr__int128 v;
    if (!orr__number_ok(at, value))
        return orr__handle_new(NULL);
    if (!orr__number_integer(value, &v))
        return full(at, dtype, &shape, value.f);
    if (!orr__dtype_any(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    orr__scalar s = { .u = (uint64_t)v };
    if (orr__is_inexact(dtype))
        s = orr__scalar_cast(s, value.dtype, orr__part_dtype(dtype));
    else if (!orr__number_fits(at, orr__constant_dtype(dtype), v))
        return orr__handle_new(NULL);
    return orr__handle_new(orr__rec_const(at, dtype, &shape, s));
}

orr_tensor *orr_full_complex_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double re, double im)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "full_complex");
    orr_tensor *bad;
    orr__scalar x, y;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__is_complex(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no complex dtype", orr_dtype_name(dtype));
    orr_dtype part = orr__part_dtype(dtype);
    if (!orr__scalar_from(at, part, re, &x) || !orr__scalar_from(at, part, im, &y))
        return orr__handle_new(NULL);
    orr__node *first = orr__rec_const(at, part, &shape, x);
    return orr__handle_new(orr__rec_complex(at, first, orr__rec_const(at, part, &shape, y)));
}

orr_tensor *orr_scalar_at(const char *file, int line, double value)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "scalar");
    orr__node *n = orr__rec_const(at, ORR_F64, &ORR_SHAPE_0D, (orr__scalar){ .f = value });
    if (n)
        n->weak = ORR__WEAK_REAL;
    return orr__handle_new(n);
}

orr_tensor *orr_scalar_complex_at(const char *file, int line, double re, double im)
{
    ORR__IN_DEFAULT_FPMODE;
    orr__site at = ORR__SITE(file, line, "scalar_complex");
    orr__node *first = orr__rec_const(at, ORR_F64, &ORR_SHAPE_0D, (orr__scalar){ .f = re });
    orr__node *n = orr__rec_complex(at, first, orr__rec_const(at, ORR_F64, &ORR_SHAPE_0D, (orr__scalar){ .f = im }));
    if (n) {
        n->weak = ORR__WEAK_COMPLEX;
        n->s[0].f = re;
        n->s[1].f = im;
    }
    return orr__handle_new(n);
}
