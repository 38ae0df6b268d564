/* orr_field_ntt and its inverse: number-theoretic transforms over r. Few long ones become two operations, columns and rows, each
 * with a block as an iteration.
 * Must not know: devices, plans. */
#include "config.h"

#include "ops/field/field.h"

enum { MOST = 28 }; /* limit of a format */

/* Rows are transforms. attr.index: 1 for the inverse. */
static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, orr__batch_count(&c->out, 1), dim);
}

static orr__workload work(const orr__call *c)
{
    double n = (double)orr__batch_count(&c->out, 0);
    int k = 1;
    while ((int64_t)1 << k < c->out.dim[c->out.rank - 1])
        k++;
    return (orr__workload){ .flops = n * (k + 2) / 2 * ORR__PRODUCT_FLOPS };
}

static bool distribute(orr__spread_rule *r)
{
    return orr__rule_beside(r, r->in[0]->shape.rank - 1);
}

ORR__FIELD_OP(field_transform, -1, space, work, distribute);

/* -- halves: blocks of columns (transforms, blocks, length of columns, columns per block), then blocks of rows ------ */

/* Longer transforms leave a core's caches; several of them keep the cores busy. */
enum { FEW = ORR__T_FEW_LINES / 2, LONG = 4 * ORR__NEAR_ELEMENTS, BLOCK = 2 * ORR__VECTOR };

static int space_half(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, c->out.dim[0] * c->out.dim[1], dim);
}

static orr__workload work_half(const orr__call *c)
{
    double n = (double)orr__batch_count(&c->out, 0);
    int k = 1;
    while ((int64_t)1 << k < c->out.dim[2])
        k++;
    return (orr__workload){ .flops = n * (k + 2) / 2 * ORR__PRODUCT_FLOPS };
}

/* The operand of the columns may have a batch of several axes, which the result joins into one. */
static bool distribute_half(orr__spread_rule *r)
{
    return orr__rule_beside(r, 1);
}

ORR__FIELD_OP(field_columns, -1, space_half, work_half, distribute_half);
ORR__FIELD_OP(field_rows, -1, space_half, work_half, distribute_half);

/* in: x, of shape s, and the shift if nin is 2. */
static orr_tensor *in_halves(orr__site at, int nin, orr_tensor *const *in, orr_shape s, int k, const orr__attr *a)
{
    const char *file = at.file;
    int line = at.line;
    int64_t rows = orr__batch_count(&s, 1), na = (int64_t)1 << k / 2, nb = (int64_t)1 << (k - k / 2);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *y =
        orr__field_node(at, &orr__op_field_columns, ORR_FR254, ORR_SHAPE(rows, nb / BLOCK, na, BLOCK), nin, in, a);
    orr_tensor *next[2] = { y, in[1] };
    y = orr__field_node(at, &orr__op_field_rows, ORR_FR254, ORR_SHAPE(rows, na / BLOCK, nb, BLOCK), nin, next, a);
    y = orr_permute_at(file, line, y, ORR_AXES(0, 2, 1, 3));
    return orr__compose_end(at, scope, orr_reshape_at(file, line, y, s));
}

/* The operand for the shift, which must not be 0; for an inverse transform its inverse. */
static orr_tensor *factor(orr__site at, orr_tensor *shift, bool inverse)
{
    orr__attr a = { .index = ORR__ELEMENTS_NOT_ZERO };
    shift = orr__field_node(at, &orr__op_field_elements, ORR_FR254, ORR_SHAPE_0D, 1, &shift, &a);
    return inverse ? orr_field_inverse_at(at.file, at.line, shift) : shift;
}

static orr_tensor *transform(orr__site at, orr_tensor *x, orr_tensor *shift, bool inverse)
{
    orr_tensor *bad, *in[2] = { x, shift };
    orr_shape s, one;
    if (!orr__field_operand(at, x, "x", ORR_FR254, 0, &s, &bad) ||
        (shift && !orr__field_operand(at, shift, "the shift", ORR_FR254, 0, &one, &bad)))
        return bad;
    if (shift && one.rank != 0)
        return orr__poison(at, ORR_ESHAPE, "the shift is one element (), not %s", orr__str(one).s);
    int64_t n = s.rank > 0 ? s.dim[s.rank - 1] : 0;
    if (n < 1 || (n & (n - 1)) != 0 || n > (int64_t)1 << MOST)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s has no rows (…, n) with n a power of two up to 2^%d",
                           orr__str(s).s, MOST);
    orr__attr a = { .index = inverse };
    int k = 0;
    while ((int64_t)1 << k < n)
        k++;
    orr_scope *scope = orr__compose_begin(at);
    if (shift)
        in[1] = factor(at, shift, inverse);
    orr_tensor *y = n >= LONG && orr__batch_count(&s, 1) < FEW
                        ? in_halves(at, shift ? 2 : 1, in, s, k, &a)
                        : orr__field_node(at, &orr__op_field_transform, ORR_FR254, s, shift ? 2 : 1, in, &a);
    return orr__compose_end(at, scope, y);
}

orr_tensor *orr_field_ntt_at(const char *file, int line, orr_tensor *x, orr_tensor *shift)
{
    return transform(ORR__SITE(file, line, "field_ntt"), x, shift, false);
}

orr_tensor *orr_field_ntt_inverse_at(const char *file, int line, orr_tensor *x, orr_tensor *shift)
{
    return transform(ORR__SITE(file, line, "field_ntt_inverse"), x, shift, true);
}
