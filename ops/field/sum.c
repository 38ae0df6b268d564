/* orr_field_sum and orr_field_dot. A long line is summed in chunks, which all workers share, then the chunks' sums.
 * Must not know: devices, plans. */
#include "config.h"

#include <orrery/array.h>
#include "ops/field/field.h"

/* Rows of operand 0, (rows, n); with two operands the sum is of products. */
static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, c->out.dim[0], dim);
}

static orr__workload work(const orr__call *c)
{
    double n = (double)orr__batch_count(&c->in[0], 0);
    return (orr__workload){ .flops = n * (c->nin > 1 ? 1 : 0.5) * ORR__PRODUCT_FLOPS };
}

ORR__FIELD_OP(field_sums, -1, space, work);

enum { CHUNK = 1 << 14 };

/* in: (rows, n). */
static orr_tensor *sums(orr__site at, orr_dtype field, int nin, orr_tensor *const *in, int64_t rows, int64_t n)
{
    const char *file = at.file;
    int line = at.line;
    orr_tensor *piece[2];
    orr__attr a = { 0 };
    if (rows > 8 || n < 2 * CHUNK)
        return orr__field_node(at, &orr__op_field_sums, field, ORR_SHAPE(rows), nin, in, &a);
    int64_t chunks = (n + CHUNK - 1) / CHUNK, more = chunks * CHUNK - n;
    for (int i = 0; i < nin; i++) {
        orr_tensor *x = in[i];
        if (more)
            x = orr_pad_at(file, line, x, ORR_INDEX(0, 0), ORR_INDEX(0, more), 0);
        piece[i] = orr_reshape_at(file, line, x, ORR_SHAPE(rows * chunks, CHUNK));
    }
    orr_tensor *part = orr__field_node(at, &orr__op_field_sums, field, ORR_SHAPE(rows * chunks), nin, piece, &a);
    part = orr_reshape_at(file, line, part, ORR_SHAPE(rows, chunks));
    return sums(at, field, 1, &part, rows, chunks);
}

orr_tensor *orr_field_sum_at(const char *file, int line, orr_tensor *x, int axis)
{
    orr__site at = ORR__SITE(file, line, "field_sum");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s;
    if (!orr__field_any(at, x, "x", &field, &s, &bad))
        return bad;
    int k = orr__axis(axis, s.rank), last = s.rank - 1;
    if (k < 0)
        return orr__axis_poison(at, axis, &s);
    orr_scope *scope = orr_scope_begin();
    int64_t n = s.dim[k];
    orr_tensor *y = orr_moveaxis_at(file, line, x, (orr_axes){ 1, { k } }, (orr_axes){ 1, { last } });
    orr_shape to = orr__batch(orr_tensor_shape(y), 1);
    int64_t rows = orr__batch_count(&to, 0);
    y = orr_reshape_at(file, line, y, ORR_SHAPE(rows, n));
    y = sums(at, field, 1, &y, rows, n);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, y, to));
}

orr_tensor *orr_field_dot_at(const char *file, int line, orr_tensor *x, orr_tensor *y)
{
    orr__site at = ORR__SITE(file, line, "field_dot");
    orr_tensor *bad, *in[2] = { x, y };
    orr_dtype field;
    orr_shape s[2], both;
    if (!orr__field_any(at, x, "x", &field, &s[0], &bad) || !orr__field_operand(at, y, "y", field, 0, &s[1], &bad))
        return bad;
    if (s[0].rank < 1 || s[1].rank < 1 || s[0].dim[s[0].rank - 1] != s[1].dim[s[1].rank - 1])
        return orr__poison(at, ORR_ESHAPE, "%s and %s are no rows (…, n) of the same length", orr__str(s[0]).s,
                           orr__str(s[1]).s);
    if (!orr__batches(at, &s[0], &s[1], &both, &bad))
        return bad;
    orr_scope *scope = orr_scope_begin();
    orr_shape to = orr__batch(both, 1);
    int64_t n = both.dim[both.rank - 1], rows = orr__batch_count(&to, 0);
    for (int i = 0; i < 2; i++)
        in[i] = orr_reshape_at(file, line, orr_broadcast_to_at(file, line, in[i], both), ORR_SHAPE(rows, n));
    orr_tensor *z = sums(at, field, 2, in, rows, n);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, z, to));
}
