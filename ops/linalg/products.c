/* Compositions of products and sums: powers of matrices, cross products, traces.
 * Must not know: devices, LAPACK, plans. */
#include "config.h"

#include <orrery/array.h>
#include "ops/linalg/linalg.h"

orr_tensor *orr_matrix_power_at(const char *file, int line, orr_tensor *a, int64_t power)
{
    orr__site at = ORR__SITE(file, line, "matrix_power");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__square_operand(at, a, "a", &n, &bad))
        return bad;
    int64_t order = n->shape.dim[n->shape.rank - 1];
    uint64_t left = power < 0 ? 0 - (uint64_t)power : (uint64_t)power;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *square = power < 0 ? orr_inv_at(file, line, a) : a, *r = NULL;
    for (; left; left >>= 1) {
        if (left & 1)
            r = r ? orr_matmul_at(file, line, r, square) : square;
        square = left > 1 ? orr_matmul_at(file, line, square, square) : square;
    }
    if (!r)
        r = orr_broadcast_to_at(file, line, orr_eye_at(file, line, (orr_dtype)n->dtype, order, order, 0), n->shape);
    return orr__compose_end(at, scope, power == 1 ? orr_reshape_at(file, line, r, n->shape) : r);
}

orr_tensor *orr_trace_at(const char *file, int line, orr_tensor *a, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "trace");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, a, "a", &n, &bad))
        return bad;
    if (n->shape.rank < 2)
        return orr__poison(at, ORR_ESHAPE, "a of shape %s is no matrix: two axes are needed", orr__str(n->shape).s);
    orr_scope *scope = orr__compose_begin(at);
    return orr__compose_end(at, scope, orr_sum_at(file, line, orr_diagonal_at(file, line, a, k), ORR_AXES(-1), false));
}

orr_tensor *orr_cross_at(const char *file, int line, orr_tensor *a, orr_tensor *b, int axis)
{
    orr__site at = ORR__SITE(file, line, "cross");
    orr__node *in[2];
    orr_tensor *bad, *part[3];
    orr_shape both;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ a, b }, (const char *const[]){ "a", "b" }, in, &bad))
        return bad;
    if (!orr__shape_broadcast(&in[0]->shape, &in[1]->shape, &both))
        return orr__poison(at, ORR_ESHAPE, "shapes do not broadcast: a %s, b %s", orr__str(in[0]->shape).s,
                           orr__str(in[1]->shape).s);
    int k = orr__axis(axis, both.rank), back = k - both.rank;
    if (k < 0)
        return orr__axis_poison(at, axis, &both);
    for (int i = 0; i < 2; i++)
        if (in[i]->shape.rank + back < 0 || in[i]->shape.dim[in[i]->shape.rank + back] != 3)
            return orr__poison(at, ORR_ESHAPE, "axis %d of %s, of shape %s, needs the length 3", axis, i ? "b" : "a",
                               orr__str(in[i]->shape).s);
    orr_scope *scope = orr__compose_begin(at);
    for (int i = 0; i < 3; i++) {
        int64_t next = (i + 1) % 3, after = (i + 2) % 3;
        orr_tensor *plus =
            orr_mul_at(file, line, orr_select_at(file, line, a, back, next), orr_select_at(file, line, b, back, after));
        part[i] = orr_sub_at(file, line, plus,
                             orr_mul_at(file, line, orr_select_at(file, line, a, back, after),
                                        orr_select_at(file, line, b, back, next)));
    }
    return orr__compose_end(at, scope, orr_stack_at(file, line, part, 3, back));
}
