/* orr_sort and orr_argsort: the elements of an axis in order, and their former places. A long line is sorted in two phases,
 * each shared by all workers: its chunks; then pieces of the merged result.
 * Must not know: devices, fusion, plans. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/array.h>
#include "ops/back.h"
#include "ops/order.h"
#include "ops/rule.h"
#include "runtime/base/threshold.h"

static const char *verify(const orr__node *n, const orr__node *const *in, int nin)
{
    (void)nin;
    return orr__shape_equal(&n->shape, &in[0]->shape) && n->shape.rank > 0 ? NULL : "sort changes the shape";
}

/* -- reference: insertion, which is stable ------------------------------------------------------------------ */

bool orr__order_before(orr_dtype t, orr__scalar y, orr__scalar x, bool descending)
{
    if (orr__is_float(t) && (isnan(x.f) || isnan(y.f)))
        return isnan(x.f) && !isnan(y.f);
    if (orr__is_float(t))
        return descending ? y.f > x.f : y.f < x.f;
    if (orr__is_signed(t))
        return descending ? y.i > x.i : y.i < x.i;
    return descending ? y.u > x.u : y.u < x.u;
}

void orr__order_places(const orr__array *x, int64_t first, int64_t n, bool descending, int64_t *order)
{
    for (int64_t k = 0; k < n; k++) {
        orr__scalar v = orr__array_get(x, first + k);
        int64_t at = k;
        for (; at > 0 && orr__order_before(x->dtype, v, orr__array_get(x, first + order[at - 1]), descending); at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

/* Sorts rows of n elements, and ignores that their chunks are sorted already. */
static orr_status rows_reference(const orr__reference *j, int64_t n, bool places)
{
    int64_t *order = orr__alloc_n((size_t)n + 1, sizeof *order);
    if (!order)
        return ORR_ENOMEM;
    for (int64_t row = 0; n && row < j->out.count / n; row++) {
        orr__order_places(&j->in[0], row * n, n, j->node->attr.mask != 0, order);
        for (int64_t k = 0; k < n; k++)
            orr__array_set(&j->out, row * n + k,
                           places ? (orr__scalar){ .i = order[k] } : orr__array_get(&j->in[0], row * n + order[k]));
    }
    free(order);
    return ORR_OK;
}

static orr_status reference(const orr__reference *j)
{
    const orr_shape *s = &j->out.shape;
    return rows_reference(j, s->dim[s->rank - 1], j->node->op == &orr__op_argsort);
}

/* -- derivative: g at the place that its element had ------------------------------------------------------------ */

static orr_tensor *vjp(const orr__back *b, int k)
{
    const char *file = b->at.file;
    int line = b->at.line;
    orr_shape s = b->node->shape;
    int64_t n = s.dim[s.rank - 1], count = orr__shape_count(&s), rows = n ? count / n : 0;
    orr_tensor *x = orr_reshape_at(file, line, b->in[k], ORR_SHAPE(rows, n));
    orr_tensor *place = orr_argsort_at(file, line, x, -1, b->node->attr.mask != 0);
    orr_tensor *row = orr__handle_new(
        orr__rec_iota(b->at, ORR_I64, &ORR_SHAPE(rows, 1), 0, (orr__scalar){ .i = 0 }, (orr__scalar){ .i = n }));
    orr_tensor *at = orr_add_at(file, line, place, row);
    orr_tensor *zero = orr_zeros_at(file, line, orr_tensor_dtype(b->in[k]), ORR_SHAPE(count));
    orr_tensor *g = orr_scatter_add_at(file, line, zero, orr_reshape_at(file, line, at, ORR_SHAPE(count)),
                                       orr_reshape_at(file, line, b->g, ORR_SHAPE(count)), 0);
    return orr_reshape_at(file, line, g, orr_tensor_shape(b->in[k]));
}

/* -- contracts ------------------------------------------------------------------------------------------------------ */

/* Work on rows of the last axis: the comparisons of a merge sort. */
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

/* -- phases -------------------------------------------------------------------------------------------------------- */

/* Each line that is cut has two chunks at least. */
enum { CHUNK = ORR__LONG_LINE / 2, MOST_CHUNKS = 512 }; /* limit of memory */

int64_t orr__order_chunks(int64_t lines, int64_t length)
{
    int64_t chunks = length / CHUNK < MOST_CHUNKS ? length / CHUNK : MOST_CHUNKS;
    if (lines < 1 || lines >= ORR__T_FEW_LINES || length < ORR__LONG_LINE)
        return 1;
    for (int64_t c = chunks; c > chunks / 2; c--)
        if (length % c == 0) /* no padding */
            return c;
    return chunks;
}

orr_tensor *orr__order_cut(orr__site at, orr_tensor *x, int64_t chunks, bool descending)
{
    orr_shape s = orr_tensor_shape(x);
    orr_dtype t = orr_tensor_dtype(x);
    int64_t lines = s.dim[0], m = (s.dim[1] + chunks - 1) / chunks, more = chunks * m - s.dim[1];
    orr__scalar last = { .u = 0 };
    orr_integer_facts facts;
    if (orr__is_float(t))
        last.f = NAN;
    else if (t == ORR_BOOL)
        last.u = !descending;
    else if (orr_iinfo_at(at.file, at.line, t, &facts) == ORR_OK)
        last.i = descending ? facts.min : (int64_t)facts.max;
    if (more) {
        orr_tensor *behind = orr__handle_new(orr__rec_const(at, t, &ORR_SHAPE(lines, more), last));
        x = orr_concat_at(at.file, at.line, (orr_tensor *const[]){ x, behind }, 2, 1);
    }
    return orr_reshape_at(at.file, at.line, x, ORR_SHAPE(lines * chunks, m));
}

/* A row is merged from attr.index chunks, which are sorted rows of operand 0. Operand 1 has the places that their elements had. */
static const char *verify_chunks(const orr__node *n, const orr__node *const *in, int nin)
{
    bool fits = n->shape.rank == 2 && n->attr.index > 0 && in[0]->shape.rank == 2 &&
                in[0]->shape.dim[0] == n->shape.dim[0] * n->attr.index &&
                n->shape.dim[1] == in[0]->shape.dim[1] * n->attr.index;
    return fits && (nin < 2 || orr__shape_equal(&in[0]->shape, &in[1]->shape)) ? NULL : "chunks make other rows";
}

static orr_status reference_chunks(const orr__reference *j)
{
    bool places = j->node->op == &orr__op_merge_places;
    int64_t n = j->out.shape.dim[1], m = n / j->node->attr.index;
    orr_status st = rows_reference(j, n, places);
    for (int64_t i = 0; i < j->out.count && places && st == ORR_OK; i++) {
        int64_t at = orr__array_get(&j->out, i).i, before = orr__array_get(&j->in[1], i / n * n + at).i;
        orr__array_set(&j->out, i, (orr__scalar){ .i = at / m * m + before });
    }
    return st;
}

/* Rows are pieces of the result, as long as a chunk. */
static int space_chunks(const orr__call *c, int64_t *dim)
{
    dim[0] = c->in[0].dim[0];
    dim[1] = c->in[0].dim[1];
    return 2;
}

/* Operands are cut into blocks of whole lines, each of attr.index chunks. */
static bool distribute_chunks(orr__spread_rule *r)
{
    int64_t chunks = r->node->attr.index;
    if (r->from.kind != ORR__SHARDED || r->from.axis != 0 || r->from.block % chunks)
        return false;
    for (int k = 0; k < r->nin; k++)
        r->need[k] = r->from;
    r->out = r->from;
    r->out.block /= chunks;
    return true;
}

#define MERGE(word, operands, derivative)                                                                              \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = operands,                                                                \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_MASK | ORR__ATTR_INDEX,                                        \
                                     .verify = verify_chunks,                                                          \
                                     .reference = reference_chunks,                                                    \
                                     .distribute = distribute_chunks,                                                  \
                                     .vjp = derivative,                                                                \
                                     .work = work,                                                                     \
                                     .space = space_chunks }
MERGE(merge, 1, vjp);
MERGE(merge_places, 2, NULL);

static orr_tensor *chunks_in_order(orr__site at, const orr__op *op, orr_tensor *x, bool descending)
{
    orr__node *in = orr__handle_node(x);
    orr__node *r =
        orr__rec_one(at, op, op == &orr__op_argsort ? ORR_I64 : (orr_dtype)in->dtype, &in->shape, orr__node_ref(in));
    if (r)
        r->attr.mask = descending;
    return orr__handle_new(r);
}

/* x is (lines, length), its axis the last one. */
static orr_tensor *in_phases(orr__site at, const orr__op *op, orr_tensor *x, int64_t chunks, bool descending)
{
    bool places = op == &orr__op_argsort;
    orr_shape s = orr_tensor_shape(x), cut, all = s;
    x = orr__order_cut(at, x, chunks, descending);
    cut = orr_tensor_shape(x);
    if (orr_tensor_status(x) != ORR_OK)
        return x;
    all.dim[1] = cut.dim[1] * chunks;
    orr_tensor *part[2] = { chunks_in_order(at, &orr__op_sort, x, descending), NULL };
    if (places) /* sorted beside their values: keys read by place would be scattered over the chunks */
        part[1] = chunks_in_order(at, &orr__op_argsort, x, descending);
    orr__node *arg[2] = { NULL, NULL }, *r = NULL;
    bool there = orr_tensor_status(part[0]) == ORR_OK && (!places || orr_tensor_status(part[1]) == ORR_OK);
    for (int k = 0; k <= places && there; k++)
        arg[k] = orr__node_ref(orr__handle_node(part[k]));
    if (there)
        r = orr__node_of(at, places ? &orr__op_merge_places : &orr__op_merge, (orr_dtype)arg[places]->dtype, &all,
                         places ? 2 : 1, arg);
    if (r) {
        r->attr.mask = descending;
        r->attr.index = (int32_t)chunks;
    }
    return orr_slice_axis_at(at.file, at.line, orr__handle_new(r), 1, 0, s.dim[1], 1);
}

static orr_tensor *sort(orr__site at, const orr__op *op, orr_tensor *x, int axis, bool descending)
{
    orr__node *n;
    orr_tensor *bad;
    if (!orr__operand_ordered(at, x, "x", &n, &bad))
        return bad;
    int k = orr__axis(axis, n->shape.rank), last = n->shape.rank - 1, perm[ORR_MAX_RANK];
    if (k < 0)
        return orr__axis_poison(at, axis, &n->shape);
    for (int d = 0; d <= last; d++)
        perm[d] = d == k ? last : d == last ? k : d;
    orr_scope *scope = orr__compose_begin(at);
    orr__node *r = orr__rec_permute(at, orr__node_ref(n), perm);
    orr_dtype t = op == &orr__op_argsort ? ORR_I64 : (orr_dtype)n->dtype;
    orr_shape s = r ? r->shape : ORR_SHAPE(0);
    int64_t length = s.dim[s.rank - 1], lines = length ? orr__shape_count(&s) / length : 0;
    int64_t chunks = orr__order_chunks(lines, length);
    if (r && chunks > 1) {
        orr_tensor *y = orr__handle_new(orr__rec_reshape(at, r, &ORR_SHAPE(lines, length)));
        y = orr_reshape_at(at.file, at.line, in_phases(at, op, y, chunks, descending), s);
        r = orr_tensor_status(y) == ORR_OK ? orr__node_ref(orr__handle_node(y)) : NULL;
    } else if (r) {
        r = orr__rec_one(at, op, t, &r->shape, r);
        if (r)
            r->attr.mask = descending;
    }
    return orr__compose_end(at, scope, orr__handle_new(orr__rec_permute(at, r, perm)));
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

/* The axis is the last one; the public functions permute. */
#define SORT(word, derivative)                                                                                         \
    const orr__op orr__op_##word = { .id = ORR__OP_##word,                                                             \
                                     .name = #word,                                                                    \
                                     .arity = 1,                                                                       \
                                     .pattern = ORR__PATTERN_KERNEL,                                                   \
                                     .attrs = ORR__ATTR_MASK,                                                          \
                                     .options = 1,                                                                     \
                                     .record = record_##word,                                                          \
                                     .verify = verify,                                                                 \
                                     .reference = reference,                                                           \
                                     .distribute = orr__rule_rows,                                                     \
                                     .vjp = derivative,                                                                \
                                     .work = work,                                                                     \
                                     .space = space }
SORT(sort, vjp);
SORT(argsort, NULL);
