/* orr_field_poly_eval and orr_field_poly_divide. A long polynomial at one place is evaluated in pieces.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

/* Operand 0 has polynomials (p, n), operand 1 places (m); the result is (p, m). */
static int space_values(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->out, 0), dim);
}

static orr__workload work_values(const orr__call *c)
{
    double n = (double)c->in[0].dim[1];
    return (orr__workload){ .flops = n * (double)orr__batch_count(&c->out, 0) * ORR__PRODUCT_FLOPS };
}

static bool distribute(orr__spread_rule *r)
{
    r->out = r->from;
    r->out.axis = (int8_t)r->k;
    return r->from.kind == ORR__SHARDED && r->from.axis == 0;
}

ORR__FIELD_OP(field_values, 2, space_values, work_values, distribute);

/* The quotient, then the remainder. */
static int space_division(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, 1, dim);
}

static orr__workload work_division(const orr__call *c)
{
    double m = (double)c->in[1].dim[0], n = (double)c->in[0].dim[0];
    return (orr__workload){ .flops = (n - m + 1) * (m + 3) * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_division, 2, space_division, work_division, NULL);

enum { CHUNK = ORR__NEAR_ELEMENTS };

orr_tensor *orr_field_poly_eval_at(const char *file, int line, orr_tensor *c, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "field_poly_eval");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s, to;
    if (!orr__field_any(at, c, "c", &field, &s, &bad) || !orr__field_operand(at, x, "x", field, 0, &to, &bad))
        return bad;
    if (s.rank != 1)
        return orr__poison(at, ORR_ESHAPE, "c of shape %s is no polynomial (n)", orr__str(s).s);
    orr_scope *scope = orr__compose_begin(at);
    orr__attr a = { 0 };
    int64_t n = s.dim[0], m = orr__batch_count(&to, 0), p = 1;
    orr_tensor *place = orr_reshape_at(file, line, x, ORR_SHAPE(m)), *all = c;
    if (m == 1 && n >= 2 * CHUNK) {
        p = (n + CHUNK - 1) / CHUNK;
        if (p * CHUNK > n)
            all = orr_pad_at(file, line, all, ORR_INDEX(0), ORR_INDEX(p * CHUNK - n), 0);
        n = CHUNK;
    }
    orr_tensor *in[2] = { orr_reshape_at(file, line, all, ORR_SHAPE(p, n)), place };
    orr_tensor *y = orr__field_node(at, &orr__op_field_values, field, ORR_SHAPE(p, m), 2, in, &a);
    y = orr_reshape_at(file, line, y, p > 1 ? ORR_SHAPE(p) : to);
    if (p > 1) { /* the pieces are coefficients of powers of x^CHUNK */
        orr_tensor *far = orr_field_pow_at(file, line, place, (uint64_t[4]){ CHUNK });
        y = orr_reshape_at(file, line, orr_field_poly_eval_at(file, line, y, far), to);
    }
    return orr__compose_end(at, scope, y);
}

orr_field_division orr_field_poly_divide_at(const char *file, int line, orr_tensor *c, orr_tensor *d)
{
    orr__site at = ORR__SITE(file, line, "field_poly_divide");
    orr_tensor *bad = NULL, *in[2] = { c, d };
    orr_dtype field;
    orr_shape s, t;
    if (orr__field_any(at, c, "c", &field, &s, &bad) && orr__field_operand(at, d, "d", field, 0, &t, &bad) &&
        (s.rank != 1 || t.rank != 1 || t.dim[0] < 1 || t.dim[0] > s.dim[0]))
        bad = orr__poison(at, ORR_ESHAPE, "c %s and d %s are no polynomials (n) and (m) with 1 <= m <= n",
                          orr__str(s).s, orr__str(t).s);
    if (bad)
        return (orr_field_division){ bad, bad };
    orr__attr a = { 0 };
    int64_t n = s.dim[0], m = t.dim[0];
    orr_tensor *both = orr__field_node(at, &orr__op_field_division, field, s, 2, in, &a);
    return (orr_field_division){ orr_slice_axis_at(file, line, both, 0, 0, n - m + 1, 1),
                                 orr_slice_axis_at(file, line, both, 0, n - m + 1, n, 1) };
}
