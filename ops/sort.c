/* orr_sort and orr_argsort: the elements of an axis in order, and where they stood.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "ops/back.h"
#include "ops/record.h"
#include "ops/reference.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->shape.rank > 0 ? NULL : "sort changes the shape";
}

/* -- reference: insertion, which is stable ------------------------------------------------------------------ */

/* Does y stand before x? A NaN stands last, whatever the direction. */
static bool before(orr_dtype t, orr__scalar y, orr__scalar x, bool descending)
{
    if (orr__is_float(t) && (isnan(x.f) || isnan(y.f)))
        return isnan(x.f) && !isnan(y.f);
    if (orr__is_float(t))
        return descending ? y.f > x.f : y.f < x.f;
    if (orr__is_signed(t))
        return descending ? y.i > x.i : y.i < x.i;
    return descending ? y.u > x.u : y.u < x.u;
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->out.shape;
    int64_t n = s->dim[s->rank - 1];
    bool descending = j->node->attr.mask != 0, places = j->node->op == &orr__op_argsort;
    int64_t *order = orr__alloc_n((size_t)n + 1, sizeof *order);
    if (!order)
        return ORR_ENOMEM;
    for (int64_t row = 0; n && row < j->out.count / n; row++) {
        for (int64_t k = 0; k < n; k++) {
            orr__scalar v = orr__array_get(&j->in[0], row * n + k);
            int64_t at = k;
            for (; at > 0 && before(j->in[0].dtype, v, orr__array_get(&j->in[0], row * n + order[at - 1]), descending);
                 at--)
                order[at] = order[at - 1];
            order[at] = k;
        }
        for (int64_t k = 0; k < n; k++)
            orr__array_set(&j->out, row * n + k,
                           places ? (orr__scalar){ .i = order[k] } : orr__array_get(&j->in[0], row * n + order[k]));
    }
    free(order);
    return ORR_OK;
}

/* -- derivative: g goes back to where its element stood ---------------------------------------------------------- */

static orr_tensor *vjp(const orr__back *b, int k)
{
    const char *file = b->at.file;
    int line = b->at.line;
    orr_shape s = b->node->shape;
    int64_t n = s.dim[s.rank - 1], count = orr__shape_count(&s);
    orr_tensor *place = orr_argsort_at(file, line, b->in[k], -1, b->node->attr.mask != 0);
    orr_tensor *row = orr__handle_new(orr__rec_iota(b->at, ORR_I64, &ORR_SHAPE(n ? count / n : 0, 1), 0,
                                                    (orr__scalar){ .i = 0 }, (orr__scalar){ .i = n }));
    orr_tensor *at = orr_add_at(file, line, orr_reshape_at(file, line, place, ORR_SHAPE(n ? count / n : 0, n)), row);
    orr_tensor *zero = orr_zeros_at(file, line, orr_tensor_dtype(b->in[k]), ORR_SHAPE(count));
    orr_tensor *g = orr_scatter_add_at(file, line, zero, orr_reshape_at(file, line, at, ORR_SHAPE(count)),
                                       orr_reshape_at(file, line, b->g, ORR_SHAPE(count)), 0);
    return orr_reshape_at(file, line, g, s);
}

/* -- contracts ------------------------------------------------------------------------------------------------------ */

/* Rows of the last axis: as many comparisons as a merge sort takes. */
static orr__workload work(const orr__call *c)
{
    double n = (double)c->out.dim[c->out.rank - 1];
    return (orr__workload){ .flops = (double)orr__shape_count(&c->out) * 4 * log2(n + 2) };
}

static int space(const orr__call *c, int64_t *dim)
{
    dim[1] = c->out.dim[c->out.rank - 1];
    dim[0] = 1;
    for (int d = 0; d < c->out.rank - 1; d++)
        dim[0] *= c->out.dim[d];
    return 2;
}

static orr_tensor *sort(orr__site at, const orr__op *op, orr_tensor *x, int axis, bool descending)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank), last = n->shape.rank - 1, perm[ORR_MAX_RANK];
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    for (int d = 0; d <= last; d++)
        perm[d] = d == k ? last : d == last ? k : d;
    orr__node *r = orr__rec_permute(at, orr__node_ref(n), perm);
    orr_dtype t = op == &orr__op_argsort ? ORR_I64 : (orr_dtype)n->dtype;
    r = r ? orr__rec_one(at, op, t, &r->shape, r) : NULL;
    if (r)
        r->attr.mask = descending;
    return orr__handle_new(orr__rec_permute(at, r, perm));
}

orr_tensor *orr_sort_at(const char *file, int line, orr_tensor *x, int axis, bool descending)
{
    return sort(ORR__SITE(file, line, "sort"), &orr__op_sort, x, axis, descending);
}

orr_tensor *orr_argsort_at(const char *file, int line, orr_tensor *x, int axis, bool descending)
{
    return sort(ORR__SITE(file, line, "argsort"), &orr__op_argsort, x, axis, descending);
}

static orr_tensor *record_sort(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return orr_sort_at(file, line, in[0], a->axis, a->mask != 0);
}

static orr_tensor *record_argsort(const char *file, int line, orr_tensor *const *in, const orr__attr *a)
{
    return orr_argsort_at(file, line, in[0], a->axis, a->mask != 0);
}

/* The axis is the last one: the public functions permute. */
#define SORT(word, derivative)                                                                                         \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = 1,                                                                       \
                                     .form = ORR__FORM_KERNEL,                                                         \
                                     .attrs = ORR__ATTR_MASK,                                                          \
                                     .options = 1,                                                                     \
                                     .record = record_##word,                                                          \
                                     .verify = verify,                                                                 \
                                     .reference = reference,                                                           \
                                     .vjp = derivative,                                                                \
                                     .work = work,                                                                     \
                                     .space = space }
SORT(sort, vjp);
SORT(argsort, NULL);
