/* Several results: split, cut, unstack, broadcast_arrays.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

static orr_status axis_of(orr__site at, orr_tensor *x, int axis, orr_tensor **out, orr_shape *s, int *k)
{
    orr__node *n;
    orr_tensor *bad;
    if (!out)
        return orr__fail(at, ORR_EINVAL, "the array of results is NULL");
    if (!orr__operand(at, x, "x", &n, &bad))
        return orr__poison_status(bad);
    *s = n->shape;
    *k = orr__axis(axis, s->rank);
    return *k >= 0 ? ORR_OK : orr__fail(at, ORR_EAXIS, "axis %d is out of range for shape %s", axis, orr__str(*s).s);
}

orr_status orr_split_at(const char *file, int line, orr_tensor *x, int n, int axis, orr_tensor **pieces)
{
    orr__site at = ORR__SITE(file, line, "split");
    orr_shape s;
    int k;
    orr_status st = n < 1 ? orr__fail(at, ORR_EINVAL, "%d pieces: one at least is needed", n)
                          : axis_of(at, x, axis, pieces, &s, &k);
    if (st == ORR_OK && s.dim[k] % n)
        st = orr__fail(at, ORR_ESHAPE, "axis %d of %s makes no %d equal pieces: orr_cut makes others", k, orr__str(s).s,
                       n);
    if (st != ORR_OK)
        return orr__results_poison(st, pieces, n);
    int64_t length = s.dim[k] / n;
    for (int i = 0; i < n; i++)
        pieces[i] = orr_slice_axis_at(file, line, x, k, i * length, (i + 1) * length, 1);
    return orr__results_end(at, NULL, pieces, n);
}

orr_status orr_cut_at(const char *file, int line, orr_tensor *x, const int64_t *place, int n, int axis,
                      orr_tensor **pieces)
{
    orr__site at = ORR__SITE(file, line, "cut");
    orr_shape s;
    int k = 0;
    int64_t from = 0;
    orr_status st = n < 0 || (n && !place) ? orr__fail(at, ORR_EINVAL, "%d places in no array", n)
                                           : axis_of(at, x, axis, pieces, &s, &k);
    for (int i = 0; i < n && st == ORR_OK; i++) {
        int64_t to = place[i] < 0 ? place[i] + s.dim[k] : place[i];
        if (to < 0 || to > s.dim[k])
            st = orr__fail(at, ORR_EINDEX, "place %lld is out of range for axis %d of %s", (long long)place[i], k,
                           orr__str(s).s);
        else if (to < from)
            st = orr__fail(at, ORR_EINVAL, "place %d, %lld, is before the one before it", i, (long long)place[i]);
        from = to;
    }
    if (st != ORR_OK)
        return orr__results_poison(st, pieces, n < 0 ? 0 : n + 1);
    from = 0;
    for (int i = 0; i <= n; i++) {
        int64_t to = i == n ? s.dim[k] : place[i] < 0 ? place[i] + s.dim[k] : place[i];
        pieces[i] = orr_slice_axis_at(file, line, x, k, from, to, 1);
        from = to;
    }
    return orr__results_end(at, NULL, pieces, n + 1);
}

orr_status orr_unstack_at(const char *file, int line, orr_tensor *x, int axis, orr_tensor **items, int n)
{
    orr__site at = ORR__SITE(file, line, "unstack");
    orr_shape s;
    int k;
    orr_status st = axis_of(at, x, axis, items, &s, &k);
    if (st == ORR_OK && s.dim[k] != n)
        st = orr__fail(at, ORR_ESHAPE, "axis %d of %s has %lld elements, and %d results are given", k, orr__str(s).s,
                       (long long)s.dim[k], n);
    if (st != ORR_OK)
        return orr__results_poison(st, items, n);
    for (int i = 0; i < n; i++)
        items[i] = orr_select_at(file, line, x, k, i);
    return orr__results_end(at, NULL, items, n);
}

orr_status orr_broadcast_arrays_at(const char *file, int line, orr_tensor *const *x, int n, orr_tensor **results)
{
    orr__site at = ORR__SITE(file, line, "broadcast_arrays");
    orr_shape all = ORR_SHAPE_0D;
    orr_status st =
        !x || !results || n < 1 ? orr__fail(at, ORR_EINVAL, "%d tensors: one at least is needed", n) : ORR_OK;
    for (int i = 0; i < n && st == ORR_OK; i++) {
        orr__node *node;
        orr_tensor *bad;
        orr_shape both;
        if (!orr__operand(at, x[i], "x", &node, &bad))
            st = orr__poison_status(bad);
        else if (!orr__shape_broadcast(&all, &node->shape, &both))
            st = orr__fail(at, ORR_ESHAPE, "tensor %d of shape %s does not broadcast with %s of those before it", i,
                           orr__str(node->shape).s, orr__str(all).s);
        else
            all = both;
    }
    if (st != ORR_OK)
        return orr__results_poison(st, results, n);
    for (int i = 0; i < n; i++)
        results[i] = orr_broadcast_to_at(file, line, x[i], all);
    return orr__results_end(at, NULL, results, n);
}
