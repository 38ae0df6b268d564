/* Parts of a graph.
 * Must not know: what a part is for. */
#include "config.h"

#include <stdlib.h>
#include "ops/lowering.h"
#include "ops/record.h"
#include "ops/reference.h"
#include "runtime/api/part.h"

enum { DEEPEST = 128, OPERANDS = 8 }; /* limit of search */

bool orr__parts_begin(orr__parts *a, orr__site at, const orr__capture *p)
{
    *a = (orr__parts){ .p = p, .at = at };
    a->box = malloc((size_t)p->n * sizeof *a->box);
    a->made = calloc((size_t)p->n, sizeof(orr__node *));
    return a->box && a->made;
}

void orr__parts_end(orr__parts *a)
{
    for (int i = 0; a->made && i < a->p->n; i++)
        orr__node_unref(a->made[i]);
    free(a->made);
    free(a->box);
}

/* -- boxes ----------------------------------------------------------------------------------------------- */

orr__box orr__box_of_element(const orr_shape *of, int64_t e)
{
    orr__box b = { .shape = *of };
    orr__array_unravel(of, e, b.start);
    for (int d = 0; d < of->rank; d++)
        b.shape.dim[d] = 1;
    return b;
}

int64_t orr__box_place(const orr__box *b, const orr_shape *of, int64_t e)
{
    int64_t index[ORR_MAX_RANK];
    orr__array_unravel(&b->shape, e, index);
    for (int d = 0; d < of->rank; d++)
        index[d] += b->start[d];
    return orr__array_ravel(of, index);
}

orr__box orr__box_of_operand(const orr__capture *p, int i, int k, const orr__box *b)
{
    const orr__node *n = p->node[i];
    const orr_shape *in = &p->node[orr__arg(p, i, k)]->shape;
    int pattern = n->op->pattern, terms = in->rank - (k == 0 ? 1 : 2);
    orr__box of = *b;
    for (int d = 0; d < in->rank; d++)
        if (pattern == ORR__PATTERN_FOLD ? n->shape.dim[d] == 1 : pattern == ORR__PATTERN_PRODUCT && d == terms) {
            of.start[d] = 0;
            of.shape.dim[d] = in->dim[d];
        }
    return of;
}

/* True if the elements of the box are neighbours in row-major order: *first is the place of the first one. */
static bool is_run(const orr__box *b, const orr_shape *of, int64_t *first)
{
    int d = 0;
    while (d < of->rank && b->shape.dim[d] == 1)
        d++;
    for (d++; d < of->rank; d++)
        if (b->shape.dim[d] != of->dim[d])
            return false;
    *first = orr__array_ravel(of, b->start);
    return true;
}

/* The box of `count` neighbours from `first` on; false: they are no box. */
static bool box_of_run(const orr_shape *of, int64_t first, int64_t count, orr__box *b)
{
    *b = (orr__box){ .shape = *of };
    for (int d = of->rank - 1; d >= 0; d--) {
        int64_t dim = of->dim[d], start = first % dim;
        bool all = start == 0 && count % dim == 0;
        if (!all && start + count > dim)
            return false;
        b->start[d] = start;
        b->shape.dim[d] = all ? dim : count;
        count = all ? count / dim : 1;
        first /= dim;
    }
    return count == 1;
}

/* True if node i, a view, has the elements of its operand in the same row-major order. */
static bool keeps_order(const orr__capture *p, int i)
{
    const orr__node *n = p->node[i];
    return !n->op->attrs && orr__shape_count(&n->shape) == orr__shape_count(&p->node[orr__arg(p, i, 0)]->shape);
}

/* The box of the operand that the box of node i shows, a view; false: it is none. */
static bool source(const orr__capture *p, int i, const orr__box *b, orr__box *of)
{
    const orr__node *n = p->node[i];
    const orr_shape *in = &p->node[orr__arg(p, i, 0)]->shape;
    orr__view v = orr__view_identity(n->shape.rank), w;
    int64_t first;
    if (keeps_order(p, i))
        return is_run(b, &n->shape, &first) && box_of_run(in, first, orr__shape_count(&b->shape), of);
    if (!n->op->see(n, in, &v, &w) || w.box)
        return false;
    *of = (orr__box){ .shape = *in };
    for (int a = 0; a < in->rank; a++) {
        int k = w.ax[a], l = w.more[a] ? w.too[a] : -1;
        int64_t length = k < 0 ? 1 : b->shape.dim[k];
        if (length > 1 && (w.mul[a] != 1 || l >= 0))
            return false;
        if (l >= 0 && b->shape.dim[l] > 1)
            return false;
        of->start[a] = w.off[a] + (k < 0 ? 0 : w.mul[a] * b->start[k]) + (l < 0 ? 0 : w.more[a] * b->start[l]);
        of->shape.dim[a] = length;
    }
    return true;
}

int64_t orr__part_source(const orr__capture *p, int i, int64_t e)
{
    orr__box b = orr__box_of_element(&p->node[i]->shape, e), of;
    return source(p, i, &b, &of) ? orr__array_ravel(&p->node[orr__arg(p, i, 0)]->shape, of.start) : -1;
}

/* -- parts ----------------------------------------------------------------------------------------------- */

/* The elements of the whole node; its operands are computed whole. */
static orr__node *slice(const orr__parts *a, int i, const orr__box *b)
{
    int64_t one[ORR_MAX_RANK];
    for (int d = 0; d < ORR_MAX_RANK; d++)
        one[d] = 1;
    orr__node *n = orr__node_ref(a->p->node[i]);
    return orr__shape_equal(&n->shape, &b->shape) ? n : orr__rec_slice(a->at, n, &b->shape, b->start, one);
}

/* The operation on parts of its operands. */
static orr__node *compute(orr__parts *a, int i, const orr__box *b)
{
    const orr__node *n = a->p->node[i];
    orr__node *in[OPERANDS];
    int nin = orr__capture_nin(a->p, i);
    for (int k = 0; k < nin; k++) {
        orr__box of = orr__box_of_operand(a->p, i, k, b);
        if (!(in[k] = orr__part_in_box(a, orr__arg(a->p, i, k), &of))) {
            while (k-- > 0)
                orr__node_unref(in[k]);
            return NULL;
        }
    }
    return orr__rec_like(a->at, n, (orr_dtype)n->dtype, &b->shape, nin, in);
}

static orr__node *view(orr__parts *a, int i, const orr__box *b)
{
    const orr__node *n = a->p->node[i];
    orr__box of;
    if (!source(a->p, i, b, &of))
        return slice(a, i, b);
    orr__node *x = orr__part_in_box(a, orr__arg(a->p, i, 0), &of);
    bool moves = orr__shape_count(&b->shape) > 1 && !keeps_order(a->p, i) && !(n->op->flags & ORR__OP_SLICES);
    if (!x || moves)
        return x ? orr__rec_like(a->at, n, (orr_dtype)n->dtype, &b->shape, 1, &x) : NULL;
    return orr__rec_reshape(a->at, x, &b->shape);
}

/* Node i is needed whole: of folds to few elements on the way to it the value is worth its memory. `way`: so many operations on this way. */
static void note_whole(orr__parts *a, int i, int way)
{
    enum { FEWER = 8 };
    const orr__node *n = a->p->node[i];
    if (a->p->leaf_of[i] >= 0 || orr__node_value(n))
        return;
    for (int k = 0; way > 0 && n->op->pattern == ORR__PATTERN_ELEMENT && k < orr__capture_nin(a->p, i); k++)
        note_whole(a, orr__arg(a->p, i, k), way - 1);
    if (n->op->pattern != ORR__PATTERN_FOLD ||
        orr__shape_count(&a->p->node[orr__arg(a->p, i, 0)]->shape) / FEWER < orr__shape_count(&n->shape))
        return;
    for (int k = 0; k < a->nwhole; k++)
        if (a->whole[k] == i)
            return;
    if (a->nwhole < ORR__PARTS_WHOLE)
        a->whole[a->nwhole++] = i;
}

static orr__node *make(orr__parts *a, int i, const orr__box *b)
{
    const orr__node *n = a->p->node[i];
    int nin = orr__capture_nin(a->p, i);
    if (orr__shape_equal(&n->shape, &b->shape))
        note_whole(a, i, 3);
    if (a->p->leaf_of[i] >= 0 || nin == 0 || nin > OPERANDS || a->depth > DEEPEST || orr__node_value(n) ||
        orr__shape_equal(&n->shape, &b->shape))
        return slice(a, i, b);
    switch (n->op->pattern) {
    case ORR__PATTERN_ELEMENT: return n->op->flags & ORR__OP_BY_PLACE ? slice(a, i, b) : compute(a, i, b);
    case ORR__PATTERN_FOLD:
    case ORR__PATTERN_PRODUCT: return compute(a, i, b);
    case ORR__PATTERN_VIEW: return view(a, i, b);
    default: return slice(a, i, b);
    }
}

static bool is_same(const orr__box *a, const orr__box *b)
{
    bool same = orr__shape_equal(&a->shape, &b->shape);
    for (int d = 0; d < b->shape.rank && same; d++)
        same = a->start[d] == b->start[d];
    return same;
}

orr__node *orr__part_in_box(orr__parts *a, int i, const orr__box *b)
{
    if (a->made[i] && is_same(&a->box[i], b))
        return orr__node_ref(a->made[i]);
    a->depth++;
    orr__node *n = make(a, i, b);
    a->depth--;
    if (n) {
        orr__node_unref(a->made[i]);
        a->made[i] = orr__node_ref(n);
        a->box[i] = *b;
    }
    return n;
}
