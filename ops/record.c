/* Builders of primitive nodes, and the checks that the structural ops share.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <string.h>
#include "ops/ew_id.h"
#include "ops/record.h"
#include "runtime/base/fpmode.h"

orr__node *orr__rec_one(orr__site at, const orr__op *op, orr_dtype dtype, const orr_shape *shape, orr__node *n)
{
    return orr__node_of(at, op, dtype, shape, 1, &n);
}

orr__node *orr__rec_two(orr__site at, int row, orr_dtype dtype, orr__node *a, orr__node *b)
{
    orr__node *in[2] = { a, b };
    if (a && b)
        return orr__node_of(at, &orr__ew(row)->op, dtype, &a->shape, 2, in);
    orr__node_unref(a);
    orr__node_unref(b);
    return NULL;
}

orr__node *orr__rec_like(orr__site at, const orr__node *n, orr_dtype dtype, const orr_shape *shape, int nin,
                         orr__node *const *in)
{
    orr__node *copy = orr__node_of(at, n->op, dtype, shape, nin, in);
    if (copy) {
        copy->nscalar = n->nscalar;
        copy->weak = n->weak;
        memcpy(copy->s, n->s, sizeof copy->s);
        copy->attr = n->attr;
        copy->as = n->as;
    }
    return copy;
}

orr__node *orr__rec_complex(orr__site at, orr__node *re, orr__node *im)
{
    orr_dtype part = re ? (orr_dtype)re->dtype : ORR_F32;
    return orr__rec_two(at, ORR__EW_complex, orr__complex_of(part), re, im);
}

orr__node *orr__rec_or(orr__site at, orr__node *a, orr__node *b)
{
    return orr__rec_two(at, ORR__EW_logical_or, ORR_BOOL, a, b);
}

orr__node *orr__rec_not_finite(orr__site at, orr__node *n)
{
    n = n ? orr__rec_one(at, &orr__ew(ORR__EW_isfinite)->op, ORR_BOOL, &n->shape, n) : NULL;
    return n ? orr__rec_one(at, &orr__ew(ORR__EW_logical_not)->op, ORR_BOOL, &n->shape, n) : NULL;
}

orr__node *orr__rec_where(orr__site at, orr__node *cond, orr__node *a, orr__node *b)
{
    orr__node *in[3] = { cond, a, b };
    if (cond && a && b)
        return orr__node_of(at, &orr__ew(ORR__EW_where)->op, (orr_dtype)a->dtype, &a->shape, 3, in);
    for (int i = 0; i < 3; i++)
        orr__node_unref(in[i]);
    return NULL;
}

orr__node *orr__rec_part(orr__site at, orr__node *n, bool imag)
{
    if (!n)
        return NULL;
    const orr__op *op = &orr__ew(imag ? ORR__EW_imag : ORR__EW_real)->op;
    return orr__rec_one(at, op, orr__part_dtype((orr_dtype)n->dtype), &n->shape, n);
}

bool orr__operand(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    return orr__operands(at, 1, &t, &name, node, bad);
}

bool orr__operand_float(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    if (!orr__operand(at, t, name, node, bad))
        return false;
    orr_dtype d = (orr_dtype)(*node)->dtype;
    if (orr__is_float(d))
        return true;
    if (orr__is_field(d))
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and a float dtype is needed", name, orr_dtype_name(d));
    else if (orr__is_complex(d))
        *bad = orr__poison(at, ORR_EDTYPE,
                           "%s is %s, and a float dtype is needed: write orr_real(%s), orr_imag(%s) or orr_abs(%s)",
                           name, orr_dtype_name(d), name, name, name);
    else
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and a float dtype is needed: write orr_cast(%s, ORR_F32)", name,
                           orr_dtype_name(d), name);
    return false;
}

bool orr__operand_inexact(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    return (orr__operand(at, t, name, node, bad) && orr__is_complex((orr_dtype)(*node)->dtype)) ||
           orr__operand_float(at, t, name, node, bad);
}

bool orr__operand_ordered(orr__site at, const orr_tensor *t, const char *name, orr__node **node, orr_tensor **bad)
{
    if (!orr__operand(at, t, name, node, bad))
        return false;
    if (!orr__is_compound((orr_dtype)(*node)->dtype))
        return true;
    if (orr__is_field((orr_dtype)(*node)->dtype))
        *bad = orr__poison(at, ORR_EDTYPE, "%s is %s, and elements of a field have no order", name,
                           orr_dtype_name((orr_dtype)(*node)->dtype));
    else
        *bad = orr__poison(at, ORR_EDTYPE,
                           "%s is %s, and complex numbers have no order: write orr_abs(%s) or orr_real(%s)", name,
                           orr_dtype_name((orr_dtype)(*node)->dtype), name, name);
    return false;
}

orr_tensor *orr__by_parts(orr__site at, orr_tensor *z, orr__linear *f, const void *with)
{
    orr_scope *s = orr__compose_begin(at);
    orr_tensor *re = f(at, orr_real_at(at.file, at.line, z), with), *im = f(at, orr_imag_at(at.file, at.line, z), with);
    return orr__compose_end(at, s, orr_complex_at(at.file, at.line, re, im));
}

orr_dtype orr__wide(orr_dtype t)
{
    return orr__is_half(t) ? ORR_F32 : t;
}

orr_shape orr__shape_reduced(const orr_shape *s, uint32_t mask, bool keep)
{
    orr_shape r = { 0, { 0 } };
    for (int i = 0; i < s->rank; i++)
        if (!(mask >> i & 1))
            r.dim[r.rank++] = s->dim[i];
        else if (keep)
            r.dim[r.rank++] = 1;
    return r;
}

int64_t orr__shape_count_of(const orr_shape *s, uint32_t mask)
{
    int64_t n = 1;
    for (int i = 0; i < s->rank; i++)
        if (mask >> i & 1)
            n *= s->dim[i];
    return n;
}

orr_shape orr__shape_rows(const orr_shape *s)
{
    return ORR_SHAPE(s->dim[0], orr__shape_count_of(s, ~1u));
}

bool orr__shape_ok(orr__site at, const orr_shape *s, orr_tensor **bad)
{
    if (s->rank < 0 || s->rank > ORR_MAX_RANK) {
        *bad = orr__poison(at, ORR_ESHAPE, "rank %d is not in 0 to %d", s->rank, ORR_MAX_RANK);
        return false;
    }
    for (int i = 0; i < s->rank; i++)
        if (s->dim[i] < 0) {
            *bad = orr__poison(at, ORR_ESHAPE, "negative dimension in shape %s", orr__str(*s).s);
            return false;
        }
    if (orr__shape_count(s) < 0) {
        *bad =
            orr__poison(at, ORR_ESHAPE, "shape %s has too many elements: its size in bytes overflows", orr__str(*s).s);
        return false;
    }
    return true;
}

bool orr__dtype_any(orr__site at, orr_dtype t, orr_tensor **bad)
{
    if ((int)t >= 0 && (int)t < ORR_DTYPE_COUNT)
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%d is no dtype", (int)t);
    return false;
}

bool orr__dtype_ok(orr__site at, orr_dtype t, orr_tensor **bad)
{
    if (!orr__dtype_any(at, t, bad))
        return false;
    if (!orr__is_field(t))
        return true;
    *bad = orr__poison(at, ORR_EDTYPE, "%s is a field: orr_from, orr_full and orr_field_parse make its elements",
                       orr_dtype_name(t));
    return false;
}

orr_tensor *orr__axis_poison(orr__site at, int axis, const orr_shape *s)
{
    if (!s->rank)
        return orr__poison(at, ORR_EAXIS, "axis %d is out of range for shape %s, which has no axes", axis,
                           orr__str(*s).s);
    return orr__poison(at, ORR_EAXIS, "axis %d is out of range for shape %s: %d to %d are its axes", axis,
                       orr__str(*s).s, -s->rank, s->rank - 1);
}

orr_tensor *orr__axes_poison(orr__site at, orr_axes axes, const orr_shape *s)
{
    if (axes.n < 0 || axes.n > ORR_MAX_RANK)
        return orr__poison(at, ORR_EAXIS, "%d axes for shape %s: 0 to %d, or ORR_ALL_AXES, are possible", axes.n,
                           orr__str(*s).s, ORR_MAX_RANK);
    for (int i = 0; i < axes.n; i++) {
        int k = orr__axis(axes.axis[i], s->rank);
        if (k < 0)
            return orr__axis_poison(at, axes.axis[i], s);
        for (int j = 0; j < i; j++)
            if (orr__axis(axes.axis[j], s->rank) == k)
                return orr__poison(at, ORR_EAXIS, "axis %d is there twice, as %d and %d, for shape %s", k, axes.axis[j],
                                   axes.axis[i], orr__str(*s).s);
    }
    return orr__poison(at, ORR_EAXIS, "the axes do not fit shape %s", orr__str(*s).s);
}

bool orr__scalar_from(orr__site at, orr_dtype dtype, double value, orr__scalar *out)
{
    ORR__IN_DEFAULT_FPMODE;
    dtype = orr__constant_dtype(dtype);
    orr__kind kind = orr__dtype_kind(dtype);
    double low = 0, end = 2; /* low ≤ value < end */
    int bits = 8 * (int)orr_dtype_size(dtype);
    if (kind == ORR__KSIGNED) {
        end = ldexp(1, bits - 1);
        low = -end;
    } else if (kind == ORR__KUNSIGNED) {
        end = ldexp(1, bits);
    }
    if (kind != ORR__KFLOAT && !(value >= low && value < end && floor(value) == value)) {
        (void)orr__fail(at, ORR_EDTYPE, "%.17g is no value of %s", value, orr_dtype_name(dtype));
        return false;
    }
    if (kind == ORR__KFLOAT)
        *out = orr__scalar_cast((orr__scalar){ .f = value }, ORR_F64, dtype);
    else if (kind == ORR__KSIGNED)
        out->i = (int64_t)value;
    else
        out->u = (uint64_t)value;
    return true;
}

orr_dtype orr__complex_beside(orr_dtype t)
{
    return orr__is_compound(t) ? t : orr__is_float(t) ? orr__complex_of(t) : ORR_C128;
}

bool orr__common_dtype(int n, orr__node *const *node, orr_dtype *dtype, int *a, int *b)
{
    bool complex = false;
    *a = -1;
    *dtype = ORR_F64;
    for (int i = 0; i < n; i++) {
        complex = complex || node[i]->weak == ORR__WEAK_COMPLEX;
        if (node[i]->weak)
            continue;
        *b = i;
        if (*a < 0)
            *dtype = (orr_dtype)node[i]->dtype;
        else if (!orr__promote(*dtype, (orr_dtype)node[i]->dtype, dtype))
            return false;
        *a = *a < 0 ? i : *a;
    }
    if (complex)
        *dtype = orr__complex_beside(*dtype);
    return true;
}

bool orr__weak_kind_fits(orr__site at, const orr__node *n, orr_dtype dtype)
{
    if (n->weak != ORR__WEAK_COMPLEX || orr__is_complex(dtype))
        return true;
    (void)orr__fail(at, ORR_EDTYPE, "the complex scalar %g%+gi is no value of %s", n->s[0].f, n->s[1].f,
                    orr_dtype_name(dtype));
    return false;
}

orr__node *orr__rec_weak(orr__site at, const orr__node *n, orr_dtype dtype, const orr_shape *shape, orr__scalar v)
{
    if (n->weak != ORR__WEAK_COMPLEX)
        return orr__rec_const(at, dtype, shape, v);
    ORR__IN_DEFAULT_FPMODE;
    orr_dtype part = orr__part_dtype(dtype);
    orr__node *re = orr__rec_const(at, part, shape, v);
    return orr__rec_complex(at, re, orr__rec_const(at, part, shape, orr__scalar_cast(n->s[1], ORR_F64, part)));
}

bool orr__promote_nodes(orr__site at, int n, orr__node *const *node, orr_dtype *dtype)
{
    int same = 0, a, b;
    *dtype = (orr_dtype)node[0]->dtype;
    while (same < n && !node[same]->weak && (orr_dtype)node[same]->dtype == *dtype)
        same++;
    if (same == n) /* the usual case */
        return true;
    if (!orr__common_dtype(n, node, dtype, &a, &b)) {
        orr_dtype cast, first = (orr_dtype)node[a]->dtype, d = (orr_dtype)node[b]->dtype;
        const char *to = orr__cast_words(first, d, &cast);
        (void)orr__fail(at, ORR_EDTYPE, "%s and %s have no common dtype: write orr_cast(t, %s) for the operand t of %s",
                        orr_dtype_name(first), orr_dtype_name(d), to, orr_dtype_name(cast));
        return false;
    }
    for (int i = 0; i < n; i++) { /* a weak scalar must be a value of the promoted dtype */
        orr__scalar v;
        if (node[i]->weak &&
            (!orr__weak_kind_fits(at, node[i], *dtype) || !orr__scalar_from(at, *dtype, node[i]->s[0].f, &v)))
            return false;
    }
    return true;
}

orr_tensor *orr__compose_end(orr__site at, orr_scope *s, orr_tensor *result)
{
    if (!s) /* no memory for a scope: the caller's scope owns the intermediate tensors */
        return result;
    orr__node *n = orr__handle_node(result);
    /* An error that an operation inside found: the user called this one. That of an operand stays as it is. */
    if (n && n->poison && orr__scope_made(s, n)) {
        (void)orr__fail_text(n->poison->status, n->poison->text);
        (void)orr__fail_as(at, n->poison->status);
        result = orr__handle_new(NULL);
    } else if (n && !orr__scope_made(s, n)) { /* an operand as it is; the result is freed apart from it */
        result = orr__handle_new(orr__node_ref(n));
    }
    result = orr_scope_return_at(at.file, at.line, s, result);
    (void)orr_scope_end_at(at.file, at.line, s);
    return result;
}
