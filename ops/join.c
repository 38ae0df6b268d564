/* Joining: concat, stack, pad.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include "ops/record.h"

/* Nodes of the operands (borrowed), their common dtype. NULL: return *bad. */
static orr__node **gather(orr__site at, orr_tensor *const *t, int n, orr_dtype *dtype, orr_tensor **bad)
{
    if (!t || n < 1) {
        *bad = orr__poison(at, ORR_EINVAL, t ? "no tensors: n is %d" : "the list of tensors is NULL", n);
        return NULL;
    }
    orr__node **node = orr__alloc_n((size_t)n, sizeof(orr__node *));
    if (!node) {
        *bad = orr__poison(at, ORR_ENOMEM, "no memory for a list of %d operands", n);
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "operand %d", i);
        if (!orr__operand(at, t[i], name, &node[i], bad)) {
            free(node);
            return NULL;
        }
    }
    if (!orr__promote_nodes(at, n, node, dtype)) {
        *bad = orr__handle_new(NULL);
        free(node);
        return NULL;
    }
    return node;
}

/* The operands' references are taken over. */
static orr__node *concat_node(orr__site at, orr_dtype dtype, const orr_shape *shape, int axis, int n, orr__node **node)
{
    if (n == 1)
        return node[0];
    orr__node *r = orr__node_of(at, orr__prim(ORR__OP_CONCAT), dtype, shape, n, node);
    if (r)
        r->attr.axis = axis;
    return r;
}

/* The shape of operands 0 … n−1 joined along axis k. */
static bool joined(orr__site at, orr__node *const *node, int n, int k, orr_shape *out, orr_tensor **bad)
{
    *out = node[0]->shape;
    for (int i = 1; i < n; i++) {
        orr_shape s = node[i]->shape, like = s;
        like.dim[k] = out->dim[k];
        if (s.rank != out->rank || !orr__shape_equal(&like, out)) {
            *bad = orr__poison(at, ORR_ESHAPE, "operand %d of shape %s does not join %s along axis %d", i,
                               orr__str(s).s, orr__str(node[0]->shape).s, k);
            return false;
        }
        if (out->dim[k] > INT64_MAX - s.dim[k]) {
            *bad = orr__poison(at, ORR_ESHAPE, "the lengths along axis %d overflow", k);
            return false;
        }
        out->dim[k] += s.dim[k];
    }
    return orr__shape_ok(at, out, bad);
}

orr_tensor *orr_concat_at(const char *file, int line, orr_tensor *const *t, int n, int axis)
{
    orr__site at = ORR__SITE(file, line, "concat");
    orr_tensor *bad;
    orr_dtype dtype;
    orr_shape shape;
    orr__node **node = gather(at, t, n, &dtype, &bad);
    if (!node)
        return bad;
    int k = orr__axis(axis, node[0]->shape.rank);
    if (k < 0)
        bad = orr__axis_poison(at, axis, &node[0]->shape);
    if (k < 0 || !joined(at, node, n, k, &shape, &bad)) {
        free(node);
        return bad;
    }
    for (int i = 0; i < n; i++)
        node[i] = orr__rec_cast(at, orr__node_ref(node[i]), dtype);
    orr__node *r = concat_node(at, dtype, &shape, k, n, node);
    free(node);
    return orr__handle_new(r);
}

orr_tensor *orr_stack_at(const char *file, int line, orr_tensor *const *t, int n, int axis)
{
    orr__site at = ORR__SITE(file, line, "stack");
    orr_tensor *bad = NULL;
    orr_dtype dtype;
    orr__node **node = gather(at, t, n, &dtype, &bad);
    if (!node)
        return bad;
    orr_shape one = node[0]->shape, all;
    int k = orr__axis(axis, one.rank + 1);
    if (one.rank == ORR_MAX_RANK)
        bad = orr__poison(at, ORR_ESHAPE, "%s has %d axes already", orr__str(one).s, one.rank);
    else if (k < 0)
        bad = orr__poison(at, ORR_EAXIS, "axis %d is not in %d to %d", axis, -one.rank - 1, one.rank);
    for (int i = 1; i < n && !bad; i++)
        if (!orr__shape_equal(&node[i]->shape, &one))
            bad = orr__poison(at, ORR_ESHAPE, "operand %d has shape %s and operand 0 has %s", i,
                              orr__str(node[i]->shape).s, orr__str(one).s);
    if (!bad) {
        for (int i = one.rank++; i > k; i--)
            one.dim[i] = one.dim[i - 1];
        one.dim[k] = 1;
        all = one;
        all.dim[k] = n;
        (void)orr__shape_ok(at, &all, &bad);
    }
    if (bad) {
        free(node);
        return bad;
    }
    for (int i = 0; i < n; i++)
        node[i] = orr__rec_reshape(at, orr__rec_cast(at, orr__node_ref(node[i]), dtype), &one);
    orr__node *r = concat_node(at, dtype, &all, k, n, node);
    free(node);
    return orr__handle_new(r);
}

/* Shape of x padded; *any: whether there is anything to pad. */
static bool padded(orr__site at, const orr_shape *s, const orr_index *lo, const orr_index *hi, orr_shape *out,
                   bool *any, orr_tensor **bad)
{
    *out = *s;
    *any = false;
    *bad = NULL;
    if (lo->n < 0 || hi->n < 0 || lo->n > s->rank || hi->n > s->rank) {
        *bad = orr__poison(at, ORR_EAXIS, "%d and %d numbers for shape %s", lo->n, hi->n, orr__str(*s).s);
        return false;
    }
    for (int i = 0; i < s->rank && !*bad; i++) {
        int64_t a = i < lo->n ? lo->v[i] : 0, z = i < hi->n ? hi->v[i] : 0;
        if (a < 0 || z < 0)
            *bad = orr__poison(at, ORR_EINVAL, "negative padding along axis %d", i);
        else if (a > INT64_MAX - z || a + z > INT64_MAX - s->dim[i])
            *bad = orr__poison(at, ORR_ESHAPE, "the lengths along axis %d overflow", i);
        else
            out->dim[i] += a + z;
        *any = *any || a || z;
    }
    return !*bad && orr__shape_ok(at, out, bad);
}

orr_tensor *orr_pad_at(const char *file, int line, orr_tensor *x, orr_index lo, orr_index hi, double value)
{
    orr__site at = ORR__SITE(file, line, "pad");
    orr__node *n;
    orr_tensor *bad;
    orr_shape shape;
    orr__scalar v;
    bool any;
    if (!orr__operand(at, x, "x", &n, &bad) || !padded(at, &n->shape, &lo, &hi, &shape, &any, &bad))
        return bad;
    orr_dtype dtype = (orr_dtype)n->dtype;
    if (!orr__scalar_from(at, dtype, value, &v))
        return orr__handle_new(NULL);
    if (!any)
        return orr__handle_new(orr__node_ref(n));
    orr__node *r = orr__rec_one(at, ORR__OP_PAD, dtype, &shape, orr__node_ref(n));
    if (r) {
        r->nscalar = 1;
        r->s[0] = v;
        for (int i = 0; i < shape.rank; i++)
            r->attr.start[i] = i < lo.n ? lo.v[i] : 0;
    }
    return orr__handle_new(r);
}
