/* Embeddings and encodings of positions: sines, rotations, linear biases.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <orrery/sequence.h>
#include "ops/nn/position.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"

#define AT at.file, at.line
#define SCALAR(v) orr_scalar_at(AT, (v))

orr_tensor *orr_embedding_at(const char *file, int line, orr_tensor *table, orr_tensor *indices, int64_t padding)
{
    orr__site at = ORR__SITE(file, line, "embedding");
    orr__node *t, *i;
    orr_tensor *bad;
    if (!orr__operand_float(at, table, "table", &t, &bad) || !orr__operand(at, indices, "indices", &i, &bad))
        return bad;
    if (t->shape.rank != 2)
        return orr__poison(at, ORR_ESHAPE, "table of shape %s is not (rows, width)", orr__str(t->shape).s);
    if (!orr__is_int((orr_dtype)i->dtype))
        return orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                           orr_dtype_name((orr_dtype)i->dtype));
    if (padding < -1 || padding >= t->shape.dim[0])
        return orr__poison(at, ORR_EINVAL, "padding is %lld: it is a row of the table %s, 0 to %lld, or -1 for none",
                           (long long)padding, orr__str(t->shape).s, (long long)t->shape.dim[0] - 1);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *row = orr_take_at(AT, table, indices, 0), *none = SCALAR((double)padding);
    if (padding < 0)
        return orr__compose_end(at, scope, row);
    orr_tensor *pads = orr_expand_dims_at(AT, orr_equal_at(AT, orr_cast_at(AT, indices, ORR_I64), none), -1);
    return orr__compose_end(at, scope, orr_where_at(AT, pads, orr_detach_at(AT, row), row));
}

/* (first + t)·base^(−2i/width) in f64, (length, width/2). */
static orr_tensor *angles(orr__site at, int64_t first, int64_t length, int64_t width, double base)
{
    orr_tensor *t = orr_arange_at(AT, ORR_F64, (double)first, (double)(first + length), 1);
    orr_tensor *i = orr_arange_at(AT, ORR_F64, 0, (double)(width / 2), 1);
    orr_tensor *rate = orr_exp_at(AT, orr_mul_at(AT, i, SCALAR(-2.0 * log(base) / (double)width)));
    return orr_mul_at(AT, orr_expand_dims_at(AT, t, 1), rate);
}

static bool even(orr__site at, int64_t length, int64_t width, orr_tensor **bad)
{
    if (length >= 0 && width >= 2 && width % 2 == 0)
        return true;
    *bad = orr__poison(at, ORR_ESHAPE, "length %lld, width %lld: the width must be even, and neither negative",
                       (long long)length, (long long)width);
    return false;
}

orr_tensor *orr_sinusoidal_positions_at(const char *file, int line, orr_dtype dtype, int64_t first, int64_t length,
                                        int64_t width)
{
    orr__site at = ORR__SITE(file, line, "sinusoidal_positions");
    orr_tensor *bad;
    if (!even(at, length, width, &bad))
        return bad;
    if (dtype < ORR_F16 || dtype > ORR_F64)
        return orr__poison(at, ORR_EDTYPE, "a float dtype is needed, not %s", orr_dtype_name(dtype));
    ORR__IN_DEFAULT_FPMODE;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *a = angles(at, first, length, width, 10000.0);
    orr_tensor *both = orr_stack_at(AT, ORR_TENSORS(orr_sin_at(AT, a), orr_cos_at(AT, a)), 2);
    return orr__compose_end(at, scope, orr_cast_at(AT, orr_reshape_at(AT, both, ORR_SHAPE(length, width)), dtype));
}

orr_tensor *orr_rotary_at(const char *file, int line, orr_tensor *x, int64_t first, double base, bool paired)
{
    orr__site at = ORR__SITE(file, line, "rotary");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_float(at, x, "x", &n, &bad))
        return bad;
    if (n->shape.rank < 2)
        return orr__poison(at, ORR_ESHAPE, "x of shape %s is not (…, length, width)", orr__str(n->shape).s);
    orr_shape s = n->shape;
    orr_dtype dtype = (orr_dtype)n->dtype, wide = orr__wide(dtype);
    int64_t length = s.dim[s.rank - 2], width = s.dim[s.rank - 1];
    if (!even(at, length, width, &bad))
        return bad;
    if (!(base > 0.0) || !isfinite(base))
        return orr__poison(at, ORR_EINVAL, "base must be finite and > 0, not %g", base);
    ORR__IN_DEFAULT_FPMODE;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *a = angles(at, first, length, width, base), *c = orr_cast_at(AT, orr_cos_at(AT, a), wide),
               *sn = orr_cast_at(AT, orr_sin_at(AT, a), wide);
    x = orr_cast_at(AT, x, wide);
    int64_t step = paired ? 2 : 1, half = paired ? width : width / 2;
    orr_tensor *u = orr_slice_axis_at(AT, x, -1, 0, half, step);
    orr_tensor *v = orr_slice_axis_at(AT, x, -1, paired ? 1 : half, width, step);
    orr_tensor *p = orr_sub_at(AT, orr_mul_at(AT, u, c), orr_mul_at(AT, v, sn));
    orr_tensor *q = orr_add_at(AT, orr_mul_at(AT, u, sn), orr_mul_at(AT, v, c));
    orr_tensor *r = paired ? orr_reshape_at(AT, orr_stack_at(AT, ORR_TENSORS(p, q), -1), s)
                           : orr_concat_at(AT, ORR_TENSORS(p, q), -1);
    return orr__compose_end(at, scope, orr_cast_at(AT, r, dtype));
}

/* The slope of head h among `power` heads, a power of 2. */
static double slope(int64_t h, int64_t power)
{
    return exp2(-8.0 * (double)(h + 1) / (double)power);
}

orr_tensor *orr__alibi(orr__site at, orr_dtype dtype, int64_t heads, int64_t first, int64_t queries, int64_t keys)
{
    enum { MOST = 4096 };
    if (heads < 1 || heads > MOST || queries < 0 || keys < 0)
        return orr__poison(at, ORR_ESHAPE, "%lld heads, %lld queries, %lld keys: 1 to %d heads, and none negative",
                           (long long)heads, (long long)queries, (long long)keys, MOST);
    if (dtype < ORR_F16 || dtype > ORR_F64)
        return orr__poison(at, ORR_EDTYPE, "a float dtype is needed, not %s", orr_dtype_name(dtype));
    ORR__IN_DEFAULT_FPMODE;
    double of[MOST];
    int64_t power = 1;
    while (power * 2 <= heads)
        power *= 2;
    for (int64_t h = 0; h < heads; h++)
        of[h] = h < power ? slope(h, power) : slope(2 * (h - power), 2 * power);
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *i = orr_arange_at(AT, ORR_F64, (double)first, (double)(first + queries), 1);
    orr_tensor *far = orr_sub_at(AT, orr_arange_at(AT, ORR_F64, 0, (double)keys, 1), orr_expand_dims_at(AT, i, 1));
    orr_tensor *s = orr_from_at(AT, ORR_F64, ORR_SHAPE(heads, 1, 1), of);
    return orr__compose_end(at, scope, orr_cast_at(AT, orr_mul_at(AT, s, far), dtype));
}

orr_tensor *orr_alibi_at(const char *file, int line, orr_dtype dtype, int64_t heads, int64_t queries, int64_t keys)
{
    return orr__alibi(ORR__SITE(file, line, "alibi"), dtype, heads, (int64_t)((uint64_t)keys - (uint64_t)queries),
                      queries, keys);
}
