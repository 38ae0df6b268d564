/* Sums of products of elements: orr_matmul and orr_field_dot; orr_field_sum is an ordinary reduction. A long line is summed in
 * chunks, which all workers share; then the sums of the chunks are added.
 * Must not know: devices, plans. */
#include "config.h"

#include <orrery/array.h>
#include "ops/field/field.h"

/* (b, m, n) and (b, k, n): (b, m, k). */
static int space(const orr__call *c, int64_t *dim)
{
    return orr__field_rows(c, c->out.dim[0] * c->out.dim[1], dim);
}

static orr__workload work(const orr__call *c)
{
    return (orr__workload){ .flops =
                                (double)orr__batch_count(&c->out, 0) * (double)c->in[0].dim[2] * ORR__PRODUCT_FLOPS };
}

/* The axis of a sum stays whole, since sums of elements are not combined over ranks. */
static bool distribute(orr__spread_rule *r)
{
    bool folded = r->from.axis == r->in[r->k]->shape.rank - 1;
    return r->from.kind == ORR__SHARDED && !folded && orr__rule_product(r, 1, "mn", "kn", "mk");
}

ORR__FIELD_OP(field_sums, 2, space, work, distribute);

/* The chunks of both factors share the caches. */
enum { CHUNK = ORR__NEAR_ELEMENTS / 2 };

/* x (b, m, n), y (b, k, n), n > 0. If the sums are few and long, a row of n becomes (chunks, CHUNK). */
static orr_tensor *products(orr__site at, orr_tensor *x, orr_tensor *y)
{
    const char *file = at.file;
    int line = at.line;
    orr_shape s = orr_tensor_shape(x), t = orr_tensor_shape(y);
    if (s.rank != 3 || t.rank != 3)
        return s.rank != 3 ? x : y; /* poison */
    int64_t b = s.dim[0], m = s.dim[1], k = t.dim[1], n = s.dim[2], chunks = n / CHUNK, cut = chunks * CHUNK;
    orr__attr a = { 0 };
    orr_tensor *in[2] = { x, y };
    orr_dtype field = orr_tensor_dtype(x);
    if (b * m * k > ORR__LINE_CHUNKS || chunks < 2)
        return orr__field_node(at, &orr__op_field_sums, field, ORR_SHAPE(b, m, k), 2, in, &a);
    for (int i = 0; i < 2; i++) {
        int64_t rows = i ? k : m;
        in[i] = orr_slice_axis_at(file, line, in[i], 2, 0, cut, 1);
        in[i] = orr_reshape_at(file, line, in[i], ORR_SHAPE(b, rows, chunks, CHUNK));
        in[i] = orr_permute_at(file, line, in[i], ORR_AXES(0, 2, 1, 3));
        in[i] = orr_reshape_at(file, line, in[i], ORR_SHAPE(b * chunks, rows, CHUNK));
    }
    orr_tensor *z = orr__field_node(at, &orr__op_field_sums, field, ORR_SHAPE(b * chunks, m, k), 2, in, &a);
    z = orr_sum_at(file, line, orr_reshape_at(file, line, z, ORR_SHAPE(b, chunks, m, k)), ORR_AXES(1), false);
    if (cut == n)
        return z;
    return orr_add_at(
        file, line, z,
        products(at, orr_slice_axis_at(file, line, x, 2, cut, n, 1), orr_slice_axis_at(file, line, y, 2, cut, n, 1)));
}

/* Broadcasts x to the axes of the batch and reshapes it to (b, rows, n). */
static orr_tensor *stack(orr__site at, orr_tensor *x, orr_shape batch, int64_t rows, int64_t n)
{
    int64_t b = orr__shape_count(&batch);
    batch.dim[batch.rank++] = rows;
    batch.dim[batch.rank++] = n;
    x = orr_broadcast_to_at(at.file, at.line, x, batch);
    return orr_reshape_at(at.file, at.line, x, ORR_SHAPE(b, rows, n));
}

orr_tensor *orr__field_product(orr__site at, orr_tensor *a, orr_tensor *b, orr_shape to)
{
    const char *file = at.file;
    int line = at.line;
    orr_shape s = orr_tensor_shape(a), t = orr_tensor_shape(b), batch = orr__batch(to, 2);
    int64_t m = s.dim[s.rank - 2], n = s.dim[s.rank - 1], k = t.dim[t.rank - 1];
    if (n == 0 || orr__shape_count(&to) == 0)
        return orr_zeros_at(file, line, orr_tensor_dtype(a), to);
    orr_scope *scope = orr__compose_begin(at);
    b = orr_transpose_at(file, line, b);
    if (t.rank == 2) { /* all matrices of a become one */
        m *= orr__shape_count(&batch);
        batch = (orr_shape){ 0 };
        a = orr_reshape_at(file, line, a, ORR_SHAPE(m, n));
    }
    orr_tensor *z = products(at, stack(at, a, batch, m, n), stack(at, b, batch, k, n));
    return orr__compose_end(at, scope, orr_reshape_at(file, line, z, to));
}

orr_tensor *orr_field_sum_at(const char *file, int line, orr_tensor *x, int axis)
{
    orr__site at = ORR__SITE(file, line, "field_sum");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s;
    if (!orr__field_any(at, x, "x", &field, &s, &bad))
        return bad;
    int k = orr__axis(axis, s.rank);
    return k < 0 ? orr__axis_poison(at, axis, &s) : orr_sum_at(file, line, x, ORR_AXES(k), false);
}

orr_tensor *orr_field_dot_at(const char *file, int line, orr_tensor *x, orr_tensor *y)
{
    orr__site at = ORR__SITE(file, line, "field_dot");
    orr_tensor *bad;
    orr_dtype field;
    orr_shape s[2], both;
    if (!orr__field_any(at, x, "x", &field, &s[0], &bad) || !orr__field_operand(at, y, "y", field, 0, &s[1], &bad))
        return bad;
    if (s[0].rank < 1 || s[1].rank < 1 || s[0].dim[s[0].rank - 1] != s[1].dim[s[1].rank - 1])
        return orr__poison(at, ORR_ESHAPE, "%s and %s are no rows (…, n) of the same length", orr__str(s[0]).s,
                           orr__str(s[1]).s);
    if (!orr__batches(at, &s[0], &s[1], &both, &bad))
        return bad;
    orr_shape to = orr__batch(both, 1);
    int64_t n = both.dim[both.rank - 1], rows = orr__shape_count(&to);
    if (n == 0 || rows == 0)
        return orr_zeros_at(file, line, field, to);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *in[2] = { x, y };
    for (int i = 0; i < 2; i++)
        in[i] = orr_reshape_at(file, line, orr_broadcast_to_at(file, line, in[i], both), ORR_SHAPE(rows, 1, n));
    return orr__compose_end(at, scope, orr_reshape_at(file, line, products(at, in[0], in[1]), to));
}
