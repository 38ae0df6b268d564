/* orr_curve_msm in steps whose iterations all workers share: the scalars as shifted digits, the check of the points, a sum for each window
 * and chunk of points, the join of these sums.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

enum { WIDEST = 20, MOST_CHUNKS = ORR__T_FEW_LINES, CHUNK = ORR__NEAR_ALL }; /* limit of a format */

/* attr.axis: the curve; attr.index: bits of a window; attr.start[0]: chunks. */
static int space_digits(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, c->out.dim[0], dim);
}

static orr__workload work_digits(const orr__call *c)
{
    return (orr__workload){ .flops = (double)c->out.dim[0] * 3 * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_digits, 1, space_digits, work_digits, orr__rule_first);

/* The cost in products: an affine sum with its sorting for each point, two sums in XYZZ coordinates for each bucket. */
static double window_cost(int64_t n, int c)
{
    return 7.0 * (double)n + 24.0 * (double)((int64_t)1 << (c - 1)) + 300;
}

static orr__workload work_windows(const orr__call *c)
{
    double g2 = c->attr.axis == ORR_G2 ? 3 : 1;
    int64_t n = c->in[0].dim[0] / c->attr.start[0];
    return (orr__workload){ .flops = (double)c->out.dim[0] * g2 * window_cost(n, c->attr.index) * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_windows, 2, space_digits, work_windows, NULL);

static int space_join(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, 1, dim);
}

static orr__workload work_join(const orr__call *c)
{
    return (orr__workload){ .flops = 3000.0 * ORR__PRODUCT_FLOPS + 0 * (double)c->nin };
}

ORR__FIELD_OP(field_join, 1, space_join, work_join, NULL);

static int cheapest(int64_t n)
{
    int best = 2;
    for (int c = 3; c <= WIDEST; c++)
        if (orr__field_windows(c) * window_cost(n, c) < orr__field_windows(best) * window_cost(n, best))
            best = c;
    return best;
}

orr_tensor *orr_curve_msm_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *k)
{
    orr__site at = ORR__SITE(file, line, "curve_msm");
    orr_tensor *bad, *in[2];
    orr_shape s, t;
    if (!orr__curve_known(at, curve, &bad))
        return bad;
    int axes = orr__point_axes(curve), elements = orr__point_elements(curve);
    if (!orr__field_operand(at, p, "p", ORR_FQ254, axes, &s, &bad) ||
        !orr__field_operand(at, k, "k", ORR_FR254, 0, &t, &bad))
        return bad;
    if (s.rank != axes + 1 || t.rank != 1 || s.dim[0] != t.dim[0])
        return orr__poison(at, ORR_ESHAPE, "points %s and scalars %s are not (n, %s2) and (n)", orr__str(s).s,
                           orr__str(t).s, curve == ORR_G2 ? "2, " : "");
    orr_shape point = orr__batch_with((orr_shape){ 0 }, axes);
    int64_t n = s.dim[0], chunks = n / CHUNK < 1 ? 1 : n / CHUNK < MOST_CHUNKS ? n / CHUNK : MOST_CHUNKS;
    if (n == 0)
        return orr_zeros_at(file, line, ORR_FQ254, point);
    int c = cheapest(n / chunks);
    int64_t rows = orr__field_windows(c) * chunks;
    orr__attr check = { .axis = (int32_t)curve, .index = ORR__POINTS_CHECK };
    orr__attr a = { .axis = (int32_t)curve, .index = c };
    a.start[0] = chunks;
    orr_scope *scope = orr__compose_begin(at);
    in[0] = orr__field_node(at, &orr__op_field_points, ORR_FQ254, s, 1, &p, &check);
    in[1] = orr__field_node(at, &orr__op_field_digits, ORR_U64, ORR_SHAPE(n, ORR__LIMBS), 1, &k, &a);
    orr_tensor *sums = orr__field_node(at, &orr__op_field_windows, ORR_U64,
                                       ORR_SHAPE(rows, elements / 2 * ORR__SUM_FIELD_WORDS), 2, in, &a);
    return orr__compose_end(at, scope, orr__field_node(at, &orr__op_field_join, ORR_FQ254, point, 1, &sums, &a));
}
