/* Creation: from the user's memory, constants, ranges.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include "ops/record.h"

static orr_tensor *leaf(orr__site at, orr_dtype dtype, const orr_shape *shape, orr__buffer *b)
{
    orr__node *n = orr__node_new(at, orr__prim(ORR__OP_LEAF), dtype, shape, 0, NULL);
    if (!n)
        orr__buffer_unref(b);
    else
        atomic_init(&n->value, b);
    return orr__handle_new(n);
}

/* Checks what from and wrap are given. */
static bool memory_ok(orr__site at, orr_dtype dtype, const orr_shape *shape, const void *data, size_t *bytes,
                      orr_tensor **bad)
{
    if (!orr__dtype_ok(at, dtype, bad) || !orr__shape_ok(at, shape, bad))
        return false;
    *bytes = (size_t)orr__shape_count(shape) * orr_dtype_size(dtype);
    if (data || !*bytes)
        return true;
    *bad = orr__poison(at, ORR_EINVAL, "data is NULL");
    return false;
}

orr_tensor *orr_from_at(const char *file, int line, orr_dtype dtype, orr_shape shape, const void *data)
{
    orr__site at = ORR__SITE(file, line, "from");
    orr_tensor *bad;
    size_t bytes;
    if (!memory_ok(at, dtype, &shape, data, &bytes, &bad))
        return bad;
    orr__buffer *b = orr__buffer_new(bytes);
    if (!b) { /* the pool has said how much there is */
        (void)orr__fail_place(at, ORR_ENOMEM);
        return orr__handle_new(NULL);
    }
    if (bytes)
        memcpy(b->host, data, bytes);
    return leaf(at, dtype, &shape, b);
}

orr_tensor *orr_wrap_at(const char *file, int line, orr_dtype dtype, orr_shape shape, void *data,
                        void (*release)(void *data, void *user), void *user)
{
    orr__site at = ORR__SITE(file, line, "wrap");
    orr_tensor *bad;
    size_t bytes;
    if (!memory_ok(at, dtype, &shape, data, &bytes, &bad))
        return bad;
    if ((uintptr_t)data % orr_dtype_size(dtype))
        return orr__poison(at, ORR_EINVAL, "data is not aligned to %zu bytes, the size of %s", orr_dtype_size(dtype),
                           orr_dtype_name(dtype));
    /* The node first: once the buffer exists, letting it go would call release, which an error must not. */
    orr__node *n = orr__node_new(at, orr__prim(ORR__OP_LEAF), dtype, &shape, 0, NULL);
    orr__buffer *b = n ? orr__buffer_wrap(data, bytes, release, user) : NULL;
    if (n && !b) {
        orr__node_unref(n);
        return orr__poison(at, ORR_ENOMEM, "no memory for a tensor");
    }
    if (n)
        atomic_init(&n->value, b);
    return orr__handle_new(n);
}

static orr_tensor *full(orr__site at, orr_dtype dtype, const orr_shape *shape, double value)
{
    orr_tensor *bad;
    orr__scalar v;
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, shape, &bad))
        return bad;
    return orr__handle_new(orr__scalar_from(at, dtype, value, &v) ? orr__rec_const(at, dtype, shape, v) : NULL);
}

orr_tensor *orr_zeros_at(const char *file, int line, orr_dtype dtype, orr_shape shape)
{
    return full(ORR__SITE(file, line, "zeros"), dtype, &shape, 0);
}

orr_tensor *orr_ones_at(const char *file, int line, orr_dtype dtype, orr_shape shape)
{
    return full(ORR__SITE(file, line, "ones"), dtype, &shape, 1);
}

orr_tensor *orr_full_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double value)
{
    return full(ORR__SITE(file, line, "full"), dtype, &shape, value);
}

orr_tensor *orr_scalar_at(const char *file, int line, double value)
{
    orr__site at = ORR__SITE(file, line, "scalar");
    orr__node *n = orr__rec_const(at, ORR_F64, &ORR_SHAPE_0D, (orr__scalar){ .f = value });
    if (n)
        n->weak = 1;
    return orr__handle_new(n);
}

/* A start or step as a scalar of dtype; a step may be negative for unsigned dtypes too, where it wraps. */
static bool range_scalar(orr__site at, orr_dtype dtype, double value, bool step, orr__scalar *out)
{
    if (!step || !orr__is_unsigned(dtype) || !(value < 0))
        return orr__scalar_from(at, dtype, value, out);
    if (!orr__scalar_from(at, ORR_I64, value, out))
        return false;
    out->u = (uint64_t)out->i;
    return true;
}

orr_tensor *orr_arange_at(const char *file, int line, orr_dtype dtype, double start, double stop, double step)
{
    orr__site at = ORR__SITE(file, line, "arange");
    orr_tensor *bad;
    if (!orr__dtype_ok(at, dtype, &bad))
        return bad;
    if (dtype == ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "a range has no dtype bool");
    double length = ceil((stop - start) / step);
    if (step == 0 || isnan(length))
        return orr__poison(at, ORR_EINVAL, "no range from %g to %g by %g", start, stop, step);
    if (length < 0)
        length = 0;
    if (length > 0x1p59)
        return orr__poison(at, ORR_ESHAPE, "a range from %g to %g by %g has too many elements", start, stop, step);
    orr__scalar s0, s1;
    if (!range_scalar(at, dtype, start, false, &s0) || !range_scalar(at, dtype, step, true, &s1))
        return orr__handle_new(NULL);
    orr__scalar last;
    if (!orr__is_float(dtype) && length > 0 && !orr__scalar_from(at, dtype, start + (length - 1) * step, &last))
        return orr__handle_new(NULL);
    if (orr__is_float(dtype)) { /* computed in f64, whatever the dtype */
        s0.f = start;
        s1.f = step;
    }
    return orr__handle_new(orr__rec_iota(at, dtype, &ORR_SHAPE((int64_t)length), 0, s0, s1));
}

orr_tensor *orr_linspace_at(const char *file, int line, orr_dtype dtype, double start, double stop, int64_t n)
{
    orr__site at = ORR__SITE(file, line, "linspace");
    orr_tensor *bad;
    orr_shape shape = ORR_SHAPE(n);
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    if (!orr__is_float(dtype))
        return orr__poison(at, ORR_EDTYPE, "%s is no float dtype", orr_dtype_name(dtype));
    orr__scalar s0 = { .f = start }, s1 = { .f = n > 1 ? (stop - start) / (double)(n - 1) : 0 };
    if (n < 2)
        return orr__handle_new(orr__rec_iota(at, dtype, &shape, 0, s0, s1));
    /* The last point is `stop` exactly, which start + (n−1)·step need not be. */
    orr_scope *scope = orr_scope_begin();
    orr_tensor *points = orr__handle_new(orr__rec_iota(at, dtype, &shape, 0, s0, s1));
    orr_tensor *left =
        orr__handle_new(orr__rec_iota(at, ORR_I64, &shape, 0, (orr__scalar){ .i = n - 1 }, (orr__scalar){ .i = -1 }));
    orr_tensor *last = orr_equal_at(file, line, left, orr_zeros_at(file, line, ORR_I64, ORR_SHAPE_0D));
    orr_tensor *r = orr_where_at(file, line, last, orr_full_at(file, line, dtype, ORR_SHAPE_0D, stop), points);
    return orr__compose_end(at, scope, r);
}

orr_tensor *orr_eye_at(const char *file, int line, orr_dtype dtype, int64_t rows, int64_t cols, int64_t k)
{
    orr__site at = ORR__SITE(file, line, "eye");
    orr_tensor *bad;
    orr_shape shape = ORR_SHAPE(rows, cols);
    if (!orr__dtype_ok(at, dtype, &bad) || !orr__shape_ok(at, &shape, &bad))
        return bad;
    orr_scope *scope = orr_scope_begin();
    orr_tensor *d = orr__diagonals(at, rows, cols);
    orr_tensor *which = orr__handle_new(orr__rec_const(at, ORR_I64, &ORR_SHAPE_0D, (orr__scalar){ .i = k }));
    orr_tensor *r = orr_equal_at(file, line, d, which);
    return orr__compose_end(at, scope, orr_cast_at(file, line, r, dtype));
}
