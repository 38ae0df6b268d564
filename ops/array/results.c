/* Functions with several results, and small tensors of integers.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

orr_status orr__poison_status(orr_tensor *bad)
{
    const orr__node *n = orr__handle_node(bad);
    return n && n->poison ? orr__fail_text(n->poison->status, n->poison->text) : orr_tensor_status(bad);
}

orr_status orr__results_poison(orr_status st, orr_tensor **results, int n)
{
    for (int k = 0; results && k < n; k++)
        results[k] = orr__handle_new(NULL);
    return st;
}

orr_status orr__results_end(orr__site at, orr_scope *s, orr_tensor **results, int n)
{
    orr_status st = ORR_OK;
    for (int k = 0; k < n; k++) {
        if (s)
            results[k] = orr_scope_return_at(at.file, at.line, s, results[k]);
        st = st == ORR_OK ? orr_tensor_status(results[k]) : st;
    }
    if (s)
        (void)orr_scope_end_at(at.file, at.line, s);
    return st;
}

orr_tensor *orr__integer(orr__site at, int64_t v)
{
    return orr__handle_new(orr__rec_const(at, ORR_I64, &ORR_SHAPE_0D, (orr__scalar){ .i = v }));
}

orr_tensor *orr__places_along(orr__site at, int64_t n, int axis, int rank, int64_t step)
{
    orr_shape s = { rank, { 0 } };
    for (int d = 0; d < rank; d++)
        s.dim[d] = d == axis ? n : 1;
    return orr__handle_new(orr__rec_iota(at, ORR_I64, &s, axis, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = step }));
}

orr_tensor *orr__places_of(orr__site at, orr_tensor *indices, int64_t n, int64_t stride)
{
    const char *file = at.file;
    int line = at.line;
    orr__node *index = orr__handle_node(indices);
    orr_tensor *i = orr__handle_new(index ? orr__rec_cast(at, orr__index_operand(at, index), ORR_I64) : NULL);
    orr_tensor *zero = orr__integer(at, 0), *length = orr__integer(at, n);
    orr_tensor *p = orr_where_at(file, line, orr_less_at(file, line, i, zero), orr_add_at(file, line, i, length), i);
    orr_tensor *in =
        orr_logical_and_at(file, line, orr_greater_equal_at(file, line, p, zero), orr_less_at(file, line, p, length));
    p = orr_where_at(file, line, in, p, orr__integer(at, stride ? ORR__NO_PLACE / stride : 0));
    return orr_mul_at(file, line, p, orr__integer(at, stride));
}

orr_tensor *orr__results_leaf(orr__site at, orr_dtype dtype, int64_t n, orr__buffer *b)
{
    if (!b) { /* the pool has set the error */
        (void)orr__fail_place(at, ORR_ENOMEM);
        return orr__handle_new(NULL);
    }
    orr__node *leaf = orr__node_new(at, &orr__op_leaf, dtype, &ORR_SHAPE(n), 0, NULL);
    if (!leaf) {
        orr__buffer_unref(b);
    } else {
        orr__buffer_number(b);
        atomic_init(&leaf->value, b);
    }
    return orr__handle_new(leaf);
}
