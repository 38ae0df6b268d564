/* Functions of field elements that are not table rows: inverses, powers, limbs, integers.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/ew_id.h"
#include "ops/field/field.h"

static int64_t elements(const orr__call *c)
{
    return orr__batch_count(&c->out, c->attr.index == ORR__ELEMENTS_LEAVE ? 1 : 0);
}

static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, elements(c), dim);
}

static orr__workload work(const orr__call *c)
{
    static const float products[] = { 6, 380, 1, 1, 1, 1, 0.1f };
    return (orr__workload){ .flops = (double)elements(c) * (double)products[c->attr.index] * ORR__PRODUCT_FLOPS };
}

orr_status orr__element_refused(orr__site at, int what, int64_t number, orr_dtype to)
{
    static const char *const name[] = { [ORR__ELEMENTS_INVERSE] = "field_inverse",
                                        [ORR__ELEMENTS_ENTER] = "field_from_limbs",
                                        [ORR__ELEMENTS_AS_INTEGERS] = "cast",
                                        [ORR__ELEMENTS_NOT_ZERO] = "field_ntt" };
    const long long n = (long long)number;
    at.op = name[what];
    switch (what) {
    case ORR__ELEMENTS_INVERSE: return orr__fail(at, ORR_ENUMERIC, "element %lld is 0 and has no inverse", n);
    case ORR__ELEMENTS_NOT_ZERO: return orr__fail(at, ORR_ENUMERIC, "the shift of a coset is 0");
    case ORR__ELEMENTS_ENTER:
        return orr__fail(at, ORR_EINDEX, "element %lld is not below the modulus of %s", n, orr_dtype_name(to));
    default: return orr__fail(at, ORR_EINDEX, "element %lld is no value of %s", n, orr_dtype_name(to));
    }
}

ORR__FIELD_OP(field_elements, 1, space, work, orr__rule_elements);

/* 0 becomes false. A cast to an integer is exact, or the evaluation fails. */
orr__node *orr__rec_field_cast(orr__site at, orr__node *n, orr_dtype dtype)
{
    orr_dtype from = (orr_dtype)n->dtype;
    bool of = orr__is_field(from), whole = orr__is_int(of ? dtype : from) || (!of && from == ORR_BOOL);
    if (of && dtype == ORR_BOOL) {
        orr__node *in[2] = { n, orr__rec_const(at, from, &n->shape, (orr__scalar){ .i = 0 }) };
        return orr__node_of(at, &orr__ew(ORR__EW_not_equal)->op, ORR_BOOL, &n->shape, 2, in);
    }
    if (!whole) {
        (void)orr__fail(at, ORR_EDTYPE,
                        "%s does not become %s: elements of a field are made of integers and become integers",
                        orr_dtype_name(from), orr_dtype_name(dtype));
        orr__node_unref(n);
        return NULL;
    }
    orr__node *r = orr__rec_one(at, &orr__op_field_elements, dtype, &n->shape, n);
    if (r)
        r->attr.index = of ? ORR__ELEMENTS_AS_INTEGERS : ORR__ELEMENTS_OF_INTEGERS;
    return r;
}

orr_tensor *orr_field_inverse_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "field_inverse");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s;
    if (!orr__field_any(at, x, "x", &field, &s, &bad))
        return bad;
    orr__attr a = { .index = ORR__ELEMENTS_INVERSE };
    return orr__field_node(at, &orr__op_field_elements, field, s, 1, &x, &a);
}

orr_tensor *orr_field_pow_at(const char *file, int line, orr_tensor *x, const uint64_t e[4])
{
    orr__site at = ORR__SITE(file, line, "field_pow");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s;
    if (!orr__field_any(at, x, "x", &field, &s, &bad))
        return bad;
    if (!e)
        return orr__poison(at, ORR_EINVAL, "the exponent is NULL");
    orr__attr a = { .index = ORR__ELEMENTS_POW };
    for (int i = 0; i < ORR__LIMBS; i++)
        a.start[i] = (int64_t)e[i];
    return orr__field_node(at, &orr__op_field_elements, field, s, 1, &x, &a);
}

orr_tensor *orr_field_from_limbs_at(const char *file, int line, orr_dtype field, orr_tensor *limbs)
{
    orr__site at = ORR__SITE(file, line, "field_from_limbs");
    orr_tensor *bad;
    orr__node *n;
    if (!orr__operand(at, limbs, "limbs", &n, &bad))
        return bad;
    if (!orr__is_field(field))
        return orr__poison(at, ORR_EDTYPE, "%s is no field: ORR_FR254 or ORR_FQ254", orr_dtype_name(field));
    if ((orr_dtype)n->dtype != ORR_U64)
        return orr__poison(at, ORR_EDTYPE, "limbs are %s, not uint64", orr_dtype_name((orr_dtype)n->dtype));
    orr_shape s = n->shape;
    if (s.rank < 1 || s.dim[s.rank - 1] != ORR__LIMBS)
        return orr__poison(at, ORR_ESHAPE, "limbs of shape %s are no rows (…, 4)", orr__str(s).s);
    orr__attr a = { .index = ORR__ELEMENTS_ENTER };
    return orr__field_node(at, &orr__op_field_elements, field, orr__batch(s, 1), 1, &limbs, &a);
}

orr_tensor *orr_field_limbs_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "field_limbs");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s;
    if (!orr__field_any(at, x, "x", &field, &s, &bad))
        return bad;
    if (s.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s has no axis left for its limbs", orr__str(s).s);
    s.dim[s.rank++] = ORR__LIMBS;
    orr__attr a = { .index = ORR__ELEMENTS_LEAVE };
    return orr__field_node(at, &orr__op_field_elements, ORR_U64, s, 1, &x, &a);
}
