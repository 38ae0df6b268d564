/* Functions of points of G1 and G2: sums, multiples, checks, compressed form, the pairing check.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

static int axes_of(const orr__call *c)
{
    return c->attr.index == ORR__POINTS_DECOMPRESS ? 1 : orr__point_axes((orr_curve)c->attr.axis);
}

static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->in[0], axes_of(c)), dim);
}

static orr__workload work(const orr__call *c)
{
    static const float products[] = { 15, 5, 15, 2800, 5, 2800, 8, 400, 6 };
    double n = (double)orr__batch_count(&c->in[0], axes_of(c)), g2 = c->attr.axis == ORR_G2 ? 3 : 1;
    return (orr__workload){ .flops = n * g2 * (double)products[c->attr.index] * ORR__PRODUCT_FLOPS };
}

/* The axes of the batch may be cut. */
static bool distribute(orr__spread_rule *r)
{
    const orr__attr *a = &r->node->attr;
    int own = a->index == ORR__POINTS_DECOMPRESS ? 1 : orr__point_axes((orr_curve)a->axis);
    return r->from.axis < r->in[0]->shape.rank - own && orr__rule_elements(r);
}

ORR__FIELD_OP(field_points, -1, space, work, distribute);

static orr_tensor *one(orr__site at, orr_curve c, int what, orr_tensor *p, orr_dtype dtype)
{
    orr_tensor *bad;
    orr_shape s;
    if (!orr__curve_known(at, c, &bad) || !orr__field_operand(at, p, "p", ORR_FQ254, orr__point_axes(c), &s, &bad))
        return bad;
    orr__attr a = { .axis = (int32_t)c, .index = what };
    if (dtype != ORR_FQ254)
        s = orr__batch(s, orr__point_axes(c));
    if (dtype == ORR_U8)
        s.dim[s.rank++] = c == ORR_G1 ? 32 : 64;
    return orr__field_node(at, &orr__op_field_points, dtype, s, 1, &p, &a);
}

#define ONE(word, what, dtype)                                                                                         \
    orr_tensor *orr_curve_##word##_at(const char *file, int line, orr_curve curve, orr_tensor *p)                      \
    {                                                                                                                  \
        return one(ORR__SITE(file, line, "curve_" #word), curve, what, p, dtype);                                      \
    }
ONE(neg, ORR__POINTS_NEG, ORR_FQ254)
ONE(double, ORR__POINTS_DOUBLE, ORR_FQ254)
ONE(contains, ORR__POINTS_CONTAINS, ORR_BOOL)
ONE(in_group, ORR__POINTS_IN_GROUP, ORR_BOOL)
ONE(compress, ORR__POINTS_COMPRESS, ORR_U8)

orr_tensor *orr_curve_decompress_at(const char *file, int line, orr_curve curve, orr_tensor *bytes)
{
    orr__site at = ORR__SITE(file, line, "curve_decompress");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__curve_known(at, curve, &bad) || !orr__operand(at, bytes, "bytes", &n, &bad))
        return bad;
    orr_shape s = n->shape;
    int64_t size = curve == ORR_G1 ? 32 : 64;
    if ((orr_dtype)n->dtype != ORR_U8)
        return orr__poison(at, ORR_EDTYPE, "bytes are %s, not uint8", orr_dtype_name((orr_dtype)n->dtype));
    if (s.rank < 1 || s.dim[s.rank - 1] != size || s.rank - 1 + orr__point_axes(curve) > ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "bytes of shape %s are no points (…, %lld)", orr__str(s).s, (long long)size);
    orr__attr a = { .axis = (int32_t)curve, .index = ORR__POINTS_DECOMPRESS };
    s = orr__batch_with(orr__batch(s, 1), orr__point_axes(curve));
    return orr__field_node(at, &orr__op_field_points, ORR_FQ254, s, 1, &bytes, &a);
}

/* A function of p and q; q has q_axes axes after its batch. */
static orr_tensor *two(orr__site at, orr_curve c, int what, orr_tensor *p, orr_tensor *q, const char *name, bool scalar)
{
    orr_tensor *bad, *in[2];
    orr_shape s, t, both;
    if (!orr__curve_known(at, c, &bad))
        return bad;
    int axes = orr__point_axes(c), q_axes = scalar ? 0 : axes;
    if (!orr__field_operand(at, p, "p", ORR_FQ254, axes, &s, &bad) ||
        !orr__field_operand(at, q, name, scalar ? ORR_FR254 : ORR_FQ254, q_axes, &t, &bad))
        return bad;
    s = orr__batch(s, axes);
    t = orr__batch(t, q_axes);
    if (!orr__batches(at, &s, &t, &both, &bad))
        return bad;
    if (both.rank + axes > ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "points of batch %s have more than %d axes", orr__str(both).s, ORR_MAX_RANK);
    orr__attr a = { .axis = (int32_t)c, .index = what };
    orr_scope *scope = orr_scope_begin();
    in[0] = orr_broadcast_to_at(at.file, at.line, p, orr__batch_with(both, axes));
    in[1] = orr_broadcast_to_at(at.file, at.line, q, orr__batch_with(both, q_axes));
    return orr__compose_end(
        at, scope, orr__field_node(at, &orr__op_field_points, ORR_FQ254, orr__batch_with(both, axes), 2, in, &a));
}

orr_tensor *orr_curve_add_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *q)
{
    return two(ORR__SITE(file, line, "curve_add"), curve, ORR__POINTS_ADD, p, q, "q", false);
}

orr_tensor *orr_curve_multiply_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *k)
{
    return two(ORR__SITE(file, line, "curve_multiply"), curve, ORR__POINTS_MULTIPLY, p, k, "k", true);
}

orr_tensor *orr_curve_generator_at(const char *file, int line, orr_curve curve)
{
    static const uint64_t g1[2][ORR__LIMBS] = { { 1 }, { 2 } };
    static const char *const g2[4] = {
        "10857046999023057135944570762232829481370756359578518086990519993285655852781",
        "11559732032986387107991004021392285783925812861821192530917403151452391805634",
        "8495653923123431417604973247489272438418190587263600148770280649306958101930",
        "4082367875863433681332203403145435568316851327593401208105741076214120093531",
    };
    orr__site at = ORR__SITE(file, line, "curve_generator");
    orr_tensor *bad;
    if (!orr__curve_known(at, curve, &bad))
        return bad;
    if (curve == ORR_G1)
        return orr_from_at(file, line, ORR_FQ254, ORR_SHAPE(2), g1);
    orr_scope *scope = orr_scope_begin();
    return orr__compose_end(
        at, scope, orr_reshape_at(file, line, orr_field_parse_at(file, line, ORR_FQ254, g2, 4), ORR_SHAPE(2, 2)));
}

/* -- the pairing check ---------------------------------------------------------------------------------------------- */

static int space_pairing(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, 1, dim);
}

static orr__workload work_pairing(const orr__call *c)
{
    return (orr__workload){ .flops = (50000.0 + 30000.0 * (double)c->in[0].dim[0]) * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_pairing, 2, space_pairing, work_pairing, NULL);

orr_tensor *orr_curve_pairing_check_at(const char *file, int line, orr_tensor *p, orr_tensor *q)
{
    orr__site at = ORR__SITE(file, line, "curve_pairing_check");
    orr_tensor *bad, *in[2] = { p, q };
    orr_shape s, t;
    if (!orr__field_operand(at, p, "p", ORR_FQ254, 1, &s, &bad) ||
        !orr__field_operand(at, q, "q", ORR_FQ254, 2, &t, &bad))
        return bad;
    if (s.rank != 2 || t.rank != 3 || s.dim[0] != t.dim[0])
        return orr__poison(at, ORR_ESHAPE, "p %s and q %s are not (n, 2) and (n, 2, 2)", orr__str(s).s, orr__str(t).s);
    orr__attr a = { 0 };
    return orr__field_node(at, &orr__op_field_pairing, ORR_BOOL, ORR_SHAPE_0D, 2, in, &a);
}
