/* Sets: the distinct elements of a tensor, their counts and places.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include "ops/array/array.h"

/* x flat and sorted, and the places in sorted order at which a new value begins. */
typedef struct {
    orr_tensor *order, *begin; /* order: places in x; NULL: not needed */
    orr_tensor *value;
    orr_tensor *is_begin; /* bool               */
    int64_t count;
} sorted;

/* The places of the elements of x in sorted order; complex numbers by their real, then their imaginary parts. */
static orr_tensor *order_of(const char *file, int line, orr_tensor *x)
{
    if (!orr__is_complex(orr_tensor_dtype(x)))
        return orr_argsort_at(file, line, x, 0, false);
    orr_tensor *order = orr_argsort_at(file, line, orr_imag_at(file, line, x), 0, false);
    orr_tensor *re = orr_take_at(file, line, orr_real_at(file, line, x), order, 0);
    return orr_take_at(file, line, order, orr_argsort_at(file, line, re, 0, false), 0);
}

static orr_status sorted_of(orr__site at, orr_tensor *x, bool places, sorted *q)
{
    const char *file = at.file;
    int line = at.line;
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return orr__poison_status(bad);
    q->count = orr__shape_count(&n->shape);
    orr_tensor *flat = orr_reshape_at(file, line, x, ORR_SHAPE(q->count));
    q->order = places || orr__is_complex((orr_dtype)n->dtype) ? order_of(file, line, flat) : NULL;
    q->value = q->order ? orr_take_at(file, line, flat, q->order, 0) : orr_sort_at(file, line, flat, 0, false);
    orr_tensor *value = q->value,
               *other = orr_not_equal_at(file, line, orr_slice_axis_at(file, line, value, 0, 1, ORR_END, 1),
                                         orr_slice_axis_at(file, line, value, 0, 0, -1, 1));
    const orr_shape one = ORR_SHAPE(q->count ? 1 : 0);
    q->is_begin =
        orr_concat_at(file, line, (orr_tensor *const[]){ orr_ones_at(file, line, ORR_BOOL, one), other }, 2, 0);
    (void)orr_eval_all_at(file, line, (orr_tensor *const[]){ other, q->order ? q->order : q->value }, 2);
    orr_tensor *later = orr_add_at(file, line, orr__true_places(at, other), orr__integer(at, 1));
    q->begin = orr_concat_at(file, line, (orr_tensor *const[]){ orr_zeros_at(file, line, ORR_I64, one), later }, 2, 0);
    return orr_eval_at(file, line, q->begin);
}

orr_status orr_unique_all_at(const char *file, int line, orr_tensor *x, orr_tensor **values, orr_tensor **indices,
                             orr_tensor **inverse, orr_tensor **counts)
{
    orr__site at = ORR__SITE(file, line, "unique_all");
    orr_tensor **out[4] = { values, indices, inverse, counts }, *r[4] = { NULL, NULL, NULL, NULL };
    sorted q = { 0 };
    bool places = indices || inverse;
    orr_scope *scope = orr_scope_begin();
    orr_status st = sorted_of(at, x, places, &q);
    for (int k = 0; k < 4 && st != ORR_OK; k++)
        r[k] = orr__handle_new(NULL);
    if (st == ORR_OK) {
        orr_tensor *flat = orr_reshape_at(file, line, x, ORR_SHAPE(q.count)), *order = q.order;
        r[1] = order ? orr_take_at(file, line, order, q.begin, 0) : q.begin;
        r[0] = orr_take_at(file, line, order ? flat : q.value, r[1], 0);
        orr_tensor *number = orr_cumulative_sum_at(file, line, orr_cast_at(file, line, q.is_begin, ORR_I64), 0, false);
        number = orr_sub_at(file, line, number, orr__integer(at, 1));
        if (order)
            number = orr_scatter_at(file, line, orr_zeros_at(file, line, ORR_I64, ORR_SHAPE(q.count)), order, number, 0,
                                    ORR_SCATTER_SET);
        r[2] = orr_reshape_at(file, line, number, orr_tensor_shape(x));
        orr_tensor *end = orr_reshape_at(file, line, orr__integer(at, q.count), ORR_SHAPE(1));
        r[3] = orr_diff_at(file, line, q.begin, 0, 1, NULL, end);
    }
    st = orr__results_end(at, scope, r, 4);
    for (int k = 0; k < 4; k++)
        if (out[k])
            *out[k] = r[k];
        else
            (void)orr_free_at(file, line, r[k]);
    return st;
}

orr_tensor *orr_unique_values_at(const char *file, int line, orr_tensor *x)
{
    orr_tensor *values;
    (void)orr_unique_all_at(file, line, x, &values, NULL, NULL, NULL);
    return values;
}

orr_status orr_unique_counts_at(const char *file, int line, orr_tensor *x, orr_tensor **values, orr_tensor **counts)
{
    return orr_unique_all_at(file, line, x, values, NULL, NULL, counts);
}

orr_status orr_unique_inverse_at(const char *file, int line, orr_tensor *x, orr_tensor **values, orr_tensor **inverse)
{
    return orr_unique_all_at(file, line, x, values, NULL, inverse, NULL);
}
