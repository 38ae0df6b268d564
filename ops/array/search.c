/* Places of elements by value: counts, masks, nonzero. The shapes of most results depend on data, which is evaluated.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "ops/array/array.h"
#include "ops/pack/parallel.h"
#include "runtime/base/threshold.h"

orr_tensor *orr_count_nonzero_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims)
{
    orr__site at = ORR__SITE(file, line, "count_nonzero");
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    orr_scope *s = orr__compose_begin(at);
    return orr__compose_end(at, s, orr_sum_at(file, line, orr_cast_at(file, line, x, ORR_BOOL), axes, keepdims));
}

enum { BLOCK = ORR__CACHE_SHARE };

/* The true places of a mask, block by block. The first pass counts them; the second writes those of each block after
 * the places of earlier blocks. */
typedef struct {
    const uint8_t *mask;
    int64_t count, *end, *place; /* end[b]: true places up to block b; place NULL: the first pass */
} truths;

/* Sets the highest bit of each byte that is not 0. The lowest byte is the first of eight elements. */
static uint64_t truths_of_word(const uint8_t *mask, int64_t n)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    uint64_t w = 0;
    memcpy(&w, mask, (size_t)n);
    return (((w & low) + low) | w) & ~low;
}

static orr_status truths_of(void *job, int64_t b)
{
    truths *t = job;
    int64_t first = b * BLOCK, stop = first + BLOCK < t->count ? first + BLOCK : t->count, n = 0;
    int64_t *to = t->place ? t->place + (b ? t->end[b - 1] : 0) : NULL;
    for (int64_t i = first; i < stop; i += 8) {
        uint64_t w = i + 8 <= stop ? truths_of_word(t->mask + i, 8) : truths_of_word(t->mask + i, stop - i);
        if (!to)
            n += (int64_t)((w >> 7) * 0x0101010101010101 >> 56);
        for (; w && to; w &= w - 1)
            *to++ = i + __builtin_ctzll(w) / 8;
    }
    if (!to)
        t->end[b] = n;
    return ORR_OK;
}

orr_tensor *orr__true_places(orr__site at, orr_tensor *mask)
{
    truths t = { orr_data_at(at.file, at.line, mask), orr_tensor_size(mask), NULL, NULL };
    if (!t.mask)
        return orr__handle_new(NULL);
    int64_t blocks = (t.count + BLOCK - 1) / BLOCK, all = 0;
    t.end = calloc((size_t)blocks + 1, sizeof *t.end);
    if (!t.end)
        return orr__poison(at, ORR_ENOMEM, "no memory for the places of %lld elements", (long long)t.count);
    orr_status st = orr__parallel(at, blocks, truths_of, &t);
    for (int64_t b = 0; b < blocks; b++)
        t.end[b] = all += t.end[b];
    orr__buffer *places = st == ORR_OK ? orr__buffer_new((size_t)all * sizeof(int64_t)) : NULL;
    if (places && all) {
        t.place = places->host;
        st = orr__parallel(at, blocks, truths_of, &t);
    }
    free(t.end);
    return orr__results_leaf(at, ORR_I64, all, places);
}

orr_tensor *orr_mask_select_at(const char *file, int line, orr_tensor *x, orr_tensor *mask)
{
    orr__site at = ORR__SITE(file, line, "mask_select");
    orr__node *in[2];
    orr_tensor *bad;
    if (!orr__operands(at, 2, (const orr_tensor *const[]){ x, mask }, (const char *const[]){ "x", "mask" }, in, &bad))
        return bad;
    orr_shape s = in[0]->shape, of = in[1]->shape, begin = s;
    if (in[1]->dtype != ORR_BOOL)
        return orr__poison(at, ORR_EDTYPE, "the mask is %s, and bool is needed: write orr_not_equal(mask, …)",
                           orr_dtype_name((orr_dtype)in[1]->dtype));
    begin.rank = of.rank;
    if (of.rank > s.rank || !orr__shape_equal(&begin, &of))
        return orr__poison(at, ORR_ESHAPE, "a mask of shape %s is not the beginning of %s", orr__str(of).s,
                           orr__str(s).s);
    orr_shape rows = { s.rank - of.rank + 1, { orr__shape_count(&of) } };
    for (int d = of.rank; d < s.rank; d++)
        rows.dim[d - of.rank + 1] = s.dim[d];
    if (!orr__shape_ok(at, &rows, &bad))
        return bad;
    orr_scope *scope = orr__compose_begin(at);
    orr_tensor *place = orr__true_places(at, mask);
    return orr__compose_end(at, scope, orr_take_at(file, line, orr_reshape_at(file, line, x, rows), place, 0));
}

/* The index along one axis of x's shape, from flat places. */
static orr_tensor *index_along(orr__site at, orr_tensor *place, int64_t stride, int64_t length)
{
    orr_tensor *i = orr_floor_divide_at(at.file, at.line, place, orr__integer(at, stride ? stride : 1));
    return orr_remainder_at(at.file, at.line, i, orr__integer(at, length ? length : 1));
}

static orr_status indices_of(orr__site at, orr_tensor *x, orr_tensor **index, orr_shape *s, orr_tensor **place)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return orr__poison_status(bad);
    int64_t stride[ORR_MAX_RANK];
    *s = n->shape;
    orr__shape_strides(s, stride);
    *place = orr__true_places(at, orr_cast_at(at.file, at.line, x, ORR_BOOL));
    for (int d = 0; d < s->rank; d++)
        index[d] = index_along(at, *place, stride[d], s->dim[d]);
    return orr_tensor_status(*place);
}

orr_tensor *orr_argwhere_at(const char *file, int line, orr_tensor *x)
{
    orr__site at = ORR__SITE(file, line, "argwhere");
    orr_tensor *index[ORR_MAX_RANK], *place = NULL, *r;
    orr_shape s;
    orr_scope *scope = orr__compose_begin(at);
    orr_status st = indices_of(at, x, index, &s, &place);
    if (st != ORR_OK)
        r = orr__handle_new(NULL);
    else if (s.rank == 0)
        r = orr_zeros_at(file, line, ORR_I64, ORR_SHAPE(orr_tensor_size(place), 0));
    else
        r = orr_stack_at(file, line, index, s.rank, 1);
    return orr__compose_end(at, scope, r);
}

orr_status orr_nonzero_at(const char *file, int line, orr_tensor *x, orr_tensor **places, int n)
{
    orr__site at = ORR__SITE(file, line, "nonzero");
    orr_tensor *place;
    orr_shape s = orr_tensor_shape(x);
    orr_status st = ORR_OK;
    if (!places)
        st = orr__fail(at, ORR_EINVAL, "the array of results is NULL");
    else if (s.rank == 0 || (s.rank > 0 && s.rank != n))
        st = orr__fail(at, ORR_ESHAPE, "%d results for shape %s: one for each axis, and one axis at least, is needed",
                       n, orr__str(s).s);
    orr_scope *scope = st == ORR_OK ? orr_scope_begin() : NULL;
    if (st == ORR_OK)
        st = indices_of(at, x, places, &s, &place);
    if (st == ORR_OK)
        return orr__results_end(at, scope, places, n);
    if (scope)
        (void)orr_scope_end_at(file, line, scope);
    return orr__results_poison(st, places, n);
}

orr_tensor *orr_scatter_nd_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                              orr_scatter_mode mode)
{
    orr__site at = ORR__SITE(file, line, "scatter_nd");
    orr__node *in[3];
    orr_tensor *bad;
    if (!orr__operands(at, 3, (const orr_tensor *const[]){ x, indices, updates },
                       (const char *const[]){ "x", "indices", "updates" }, in, &bad))
        return bad;
    orr_shape s = in[0]->shape, by = in[1]->shape;
    int64_t m = by.rank ? by.dim[by.rank - 1] : 0;
    if (!orr__is_int((orr_dtype)in[1]->dtype))
        return orr__poison(at, ORR_EDTYPE, "indices are %s, and integers are needed: write orr_cast(indices, ORR_I64)",
                           orr_dtype_name((orr_dtype)in[1]->dtype));
    if (by.rank < 1 || m < 1 || m > s.rank)
        return orr__poison(at, ORR_ESHAPE, "indices of shape %s: a last axis of 1 to %d is needed for x of shape %s",
                           orr__str(by).s, s.rank, orr__str(s).s);
    orr_scope *scope = orr__compose_begin(at);
    orr_shape rows = { s.rank - (int)m + 1, { orr__shape_count_of(&s, (1u << m) - 1) } };
    for (int d = 1; d < rows.rank; d++)
        rows.dim[d] = s.dim[d - 1 + m];
    orr_tensor *place = orr__rows_nd(at, indices, &s, (int)m);
    orr_tensor *r = orr_scatter_at(file, line, orr_reshape_at(file, line, x, rows), place, updates, 0, mode);
    return orr__compose_end(at, scope, orr_reshape_at(file, line, r, s));
}
