/* Comparisons of indices: one_hot, tril, triu.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/record.h"

orr_tensor *orr_one_hot_at(const char *file, int line, orr_tensor *indices, int64_t n, orr_dtype dtype)
{
    orr__site at = ORR__SITE(file, line, "one_hot");
    orr__node *index;
    orr_tensor *bad;
    orr_shape to = { 0, { 0 } };
    if (!orr__operand(at, indices, "indices", &index, &bad) || !orr__dtype_ok(at, dtype, &bad))
        return bad;
    orr_dtype kind = (orr_dtype)index->dtype;
    if (!orr__is_int(kind))
        return orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                           orr_dtype_name(kind));
    if (index->shape.rank == ORR_MAX_RANK)
        return orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(index->shape).s, ORR_MAX_RANK);
    to = index->shape;
    to.dim[to.rank++] = n;
    if (!orr__shape_ok(at, &to, &bad))
        return bad;
    /* Compared as u64, in which a negative index is out of range and no index is truncated. */
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *x = orr_expand_dims_at(file, line, orr__label(at, indices, n, NULL), -1);
    orr_tensor *place =
        orr__handle_new(orr__rec_iota(at, ORR_U64, &ORR_SHAPE(n), 0, (orr__scalar){ .u = 0 }, (orr__scalar){ .u = 1 }));
    return orr__compose_end(at, scope, orr_cast_at(file, line, orr_equal_at(file, line, x, place), dtype));
}

/* Below this many rows and columns, i32 holds their differences. */
#define NARROW ((int64_t)1 << 30)

static orr_tensor *diagonals(orr__site at, orr_dtype t, int64_t rows, int64_t cols)
{
    orr__scalar zero = { .i = 0 }, one = { .i = 1 };
    orr_tensor *row = orr__handle_new(orr__rec_iota(at, t, &ORR_SHAPE(rows, 1), 0, zero, one));
    orr_tensor *col = orr__handle_new(orr__rec_iota(at, t, &ORR_SHAPE(1, cols), 1, zero, one));
    return orr_sub_at(at.file, at.line, col, row);
}

orr_tensor *orr__diagonals(orr__site at, int64_t rows, int64_t cols)
{
    return diagonals(at, ORR_I64, rows, cols);
}

static orr_tensor *triangle(orr__site at, orr_tensor *x, int64_t k, bool lower)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    const orr_shape *s = &n->shape;
    if (s->rank < 2)
        return orr__poison(at, ORR_ESHAPE, "shape %s has no two axes", orr__str(*s).s);
    int64_t rows = s->dim[s->rank - 2], cols = s->dim[s->rank - 1];
    bool narrow = rows < NARROW && cols < NARROW; /* i32 has twice as many vector lanes */
    if (narrow)
        k = k < -NARROW ? -NARROW : k > NARROW ? NARROW : k;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *d = diagonals(at, narrow ? ORR_I32 : ORR_I64, rows, cols);
    orr_tensor *edge =
        orr__handle_new(orr__rec_const(at, narrow ? ORR_I32 : ORR_I64, &ORR_SHAPE_0D, (orr__scalar){ .i = k }));
    orr_tensor *keep =
        lower ? orr_less_equal_at(at.file, at.line, d, edge) : orr_greater_equal_at(at.file, at.line, d, edge);
    orr_tensor *zero = orr_zeros_at(at.file, at.line, (orr_dtype)n->dtype, ORR_SHAPE_0D);
    return orr__compose_end(at, scope, orr_where_at(at.file, at.line, keep, x, zero));
}

orr_tensor *orr_tril_at(const char *file, int line, orr_tensor *x, int64_t k)
{
    return triangle(ORR__SITE(file, line, "tril"), x, k, true);
}

orr_tensor *orr_triu_at(const char *file, int line, orr_tensor *x, int64_t k)
{
    return triangle(ORR__SITE(file, line, "triu"), x, k, false);
}
