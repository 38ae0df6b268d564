/* orr_cholesky and what is composed with it: the factor of symmetric positive definite matrices.
 * Must not know: devices, LAPACK, tiles. */
#include "config.h"

#include "ops/record.h"

/* An operand (…, n, n) of f32 or f64; false: *bad. */
static bool square(orr__site at, const orr_tensor *a, const char *name, orr__node **n, orr_tensor **bad)
{
    if (!orr__operand(at, a, name, n, bad))
        return false;
    orr_dtype t = (orr_dtype)(*n)->dtype;
    const orr_shape *s = &(*n)->shape;
    if (t != ORR_F32 && t != ORR_F64)
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and f32 or f64 is needed: write orr_cast(%s, ORR_%s)", name,
                           orr_dtype_name(t), name, orr_dtype_size(t) < 4 && orr__is_float(t) ? "F32" : "F64");
    else if (s->rank < 2 || s->dim[s->rank - 1] != s->dim[s->rank - 2])
        *bad = orr__poison(at, ORR_ESHAPE, "%s of shape %s is not square in its last two axes", name, orr__str(*s).s);
    else
        return true;
    return false;
}

orr_tensor *orr_cholesky_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "cholesky");
    orr__node *n;
    orr_tensor *bad;
    if (!square(at, a, "a", &n, &bad))
        return bad;
    return orr__handle_new(orr__rec_one(at, ORR__OP_CHOLESKY, (orr_dtype)n->dtype, &n->shape, orr__node_ref(n)));
}

/* det A = det(L)², and a triangle's determinant is the product of its diagonal, which is every (n + 1)-th element. */
orr_tensor *orr_logdet_at(const char *file, int line, orr_tensor *a)
{
    orr__site at = ORR__SITE(file, line, "logdet");
    orr__node *n;
    orr_tensor *bad;
    if (!square(at, a, "a", &n, &bad))
        return bad;
    orr_shape flat = n->shape;
    int last = flat.rank - 2;
    int64_t order = flat.dim[last];
    flat.dim[last] = order * order;
    flat.rank--;
    orr_scope *scope = orr_scope_begin();
    orr_tensor *l = orr_reshape_at(file, line, orr_cholesky_at(file, line, a), flat);
    orr_tensor *diagonal = orr_slice_axis_at(file, line, l, last, 0, order * order, order + 1);
    orr_tensor *half = orr_sum_at(file, line, orr_log_at(file, line, diagonal), ORR_AXES(last), false);
    return orr__compose_end(at, scope, orr_mul_at(file, line, half, orr_scalar(2)));
}

orr_tensor *orr_solve_cholesky_at(const char *file, int line, orr_tensor *l, orr_tensor *b)
{
    orr__site at = ORR__SITE(file, line, "solve_cholesky");
    orr_scope *scope = orr_scope_begin();
    orr_tensor *y = orr_solve_triangular_at(file, line, l, b, true, false, false);
    return orr__compose_end(at, scope, orr_solve_triangular_at(file, line, l, y, true, true, false));
}
