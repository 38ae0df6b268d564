/* Decides which folds of few elements become chains of instructions: those of values that are computed from far fewer elements, such as
 * differences of all pairs, those across the rows of their operands, such as a sum over an axis that is not the last one, and those of
 * rows of two to four. Such a fold joins its readers and is vectorised along another axis than the folded one.
 * Must not know: any single operation, regions. */
#include "config.h"

#include <stdlib.h>

#include "ops/lowering.h"
#include "runtime/base/ablation.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"
#include "runtime/fuse/group.h"

/* Limits: instructions of a chain, half of a region's; levels of element-wise work that are searched. */
enum { MOST = ORR__T_REGION_OPS / 2, DEPTH = 32 }; /* limit of search */

float orr__folded_count(const orr__capture *p, int i)
{
    const orr_shape *s = &p->node[orr__arg(p, i, 0)]->shape;
    float n = 1;
    for (int d = 0; d < s->rank; d++)
        n *= p->node[i]->attr.mask >> d & 1u ? (float)s->dim[d] : 1;
    return n;
}

/* The number of existing or stored elements from which node j is computed; *ops counts the operations on the way. -1: node j depends on
 * its place, is too deep, or needs too many operations. */
static double sources(const orr__capture *p, int j, int depth, int *ops)
{
    double all = (double)orr__shape_count(&p->node[j]->shape), sum = 0;
    int pattern = orr__pattern_of(p, j);
    bool view = pattern == ORR__PATTERN_VIEW && !orr__mixes_axes(p, j), element = pattern == ORR__PATTERN_ELEMENT;
    if (p->leaf_of[j] >= 0 || !(view || element))
        return all;
    if (depth == 0 || (p->node[j]->op->flags & ORR__OP_BY_PLACE))
        return -1;
    *ops += element;
    for (int k = 0; k < orr__capture_nin(p, j); k++) {
        double n = sources(p, orr__arg(p, j, k), depth - 1, ops);
        if (n < 0 || *ops > MOST)
            return -1;
        sum += n;
    }
    return ORR__MIN(sum, all);
}

void orr__usage_of(const orr__capture *p, orr__usage *use)
{
    for (int i = 0; i < p->n; i++)
        use[i] = (orr__usage){ .elements = (double)orr__shape_count(&p->node[i]->shape) };
    for (int i = 0; i < p->nout; i++)
        use[p->out[i]].readers++;
    for (int i = p->n - 1; i >= 0; i--) {
        int pattern = orr__pattern_of(p, i);
        for (int k = 0; k < orr__capture_nin(p, i); k++) {
            orr__usage *of = &use[orr__arg(p, i, k)];
            of->readers++;
            if (pattern == ORR__PATTERN_VIEW || pattern == ORR__PATTERN_ELEMENT)
                of->elements = ORR__MAX(use[i].elements, of->elements);
        }
    }
}

typedef struct {
    double along[ORR_MAX_RANK]; /* elements that are read along rows of memory, by the axis of the fold */
    int64_t step[ORR_MAX_RANK]; /* the most by which an operand moves along each axis */
    bool shared;                /* a computed value has another reader, which may fold it with the same elements */
    bool boxed;                 /* an operand is not read everywhere */
    float flops;
} rows;

static void read_source(const orr_shape *s, const orr__view *v, rows *r)
{
    orr__access a = orr__view_access(s, v, 0);
    for (int d = 0; d < ORR_MAX_RANK; d++)
        r->step[d] = ORR__MAX(llabs(a.stride[d]), r->step[d]);
    r->boxed = r->boxed || a.box;
    int d = s->rank - 1;
    while (d > 0 && s->dim[d] == 1)
        d--;
    if (d >= 0 && v->ax[d] >= 0 && (v->mul[d] == 1 || v->mul[d] == -1))
        r->along[v->ax[d]] += (double)orr__shape_count(s);
}

/* Adds what node j, seen through v, reads. */
static void read_rows(const orr__capture *p, const orr__usage *use, int j, const orr__view *v, rows *r)
{
    orr__view w;
    const orr__node *n = p->node[j];
    const orr_shape *s = &n->shape;
    int pattern = orr__pattern_of(p, j), nin = pattern == ORR__PATTERN_ELEMENT ? orr__capture_nin(p, j) : 0;
    if (pattern == ORR__PATTERN_VIEW && n->op->see(n, &p->node[orr__arg(p, j, 0)]->shape, v, &w)) {
        read_rows(p, use, orr__arg(p, j, 0), &w, r);
        return;
    }
    if (pattern != ORR__PATTERN_ELEMENT) {
        read_source(s, v, r);
        return;
    }
    r->shared = r->shared || (nin > 0 && use[j].readers > 1);
    r->flops += n->op->flops;
    for (int k = 0; k < nin; k++)
        read_rows(p, use, orr__arg(p, j, k), v, r);
}

/* The axes of fold i across rows of memory that have few elements, all others of which are read along rows. Each step of a chain loads or
 * converts an element, folds it, and has the work of its value. *row: is the axis of the rows kept? */
static uint32_t across(const orr__capture *p, const orr__usage *use, int i, bool *row)
{
    int x = orr__arg(p, i, 0), rank = p->node[x]->shape.rank, best = 0;
    uint32_t mask = p->node[i]->attr.mask, axes = 0;
    rows r = { .shared = false };
    float n = 1;
    orr__view v = orr__view_identity(rank);
    read_rows(p, use, x, &v, &r);
    for (int d = 1; d < rank; d++)
        best = r.along[d] > r.along[best] ? d : best;
    *row = !(mask >> best & 1u);
    if (r.shared || r.along[best] == 0)
        return 0;
    for (int d = 0; d < rank; d++) {
        float more = n * (float)p->node[x]->shape.dim[d];
        if (!(mask >> d & 1u) || d == best || more * (3 + r.flops) > MOST)
            continue;
        axes |= 1u << d;
        n = more;
    }
    return n > 1 ? axes : 0;
}

/* Does an unrolled fold exist, and how many instructions compute a value? -1: too many, or they depend on the place. */
static int work_of(const orr__capture *p, int i, double *from)
{
    int ops = 1, rop = p->node[i]->attr.rop;
    if (orr__pattern_of(p, i) != ORR__PATTERN_FOLD || !p->node[i]->op->unrolled || rop == ORR__RANY ||
        rop == ORR__RALL || orr__ablated(ORR__OFF_UNROLL_FOLDS))
        return -1;
    int x = orr__arg(p, i, 0);
    *from = orr__is_compound((orr_dtype)p->node[x]->dtype) ? -1 : sources(p, x, DEPTH, &ops);
    return *from >= 0 ? ops : -1;
}

/* The folded axes at the end, which are rows of memory or parts of them, and *kept, the kept axis before them. */
static uint32_t axes_at_end(const orr__capture *p, int i, int *kept)
{
    const orr_shape *s = &p->node[orr__arg(p, i, 0)]->shape;
    uint32_t mask = p->node[i]->attr.mask, last = 0;
    int d = s->rank - 1;
    for (; d > 0 && (mask >> d & 1u || s->dim[d] == 1); d--)
        last |= mask & 1u << d;
    *kept = d;
    return last;
}

/* The axes at the end if they are rows of few elements, side by side in memory, whose result no reader needs again for each element; else 0.
 * Kernels load operands with such steps as vectors (ORR__STEP_NEAR). */
static uint32_t few_along(const orr__capture *p, const orr__usage *use, int i, int ops)
{
    const orr_shape *s = &p->node[orr__arg(p, i, 0)]->shape;
    int d;
    uint32_t last = axes_at_end(p, i, &d);
    int64_t length = 1;
    rows r = { .shared = false };
    orr__view v = orr__view_identity(s->rank);
    for (int k = d + 1; k < s->rank; k++)
        length *= s->dim[k];
    if (length < 2 || length > ORR__STEP_NEAR || length * (ops + 1) > MOST || p->node[i]->attr.mask >> d & 1u)
        return 0; /* of no elements: a rank may own none */
    for (int k = 0; k < d; k++)
        last |= s->dim[k] == 1 ? p->node[i]->attr.mask & 1u << k : 0;
    read_rows(p, use, orr__arg(p, i, 0), &v, &r);
    bool few = r.step[d] >= 1 && r.step[d] <= ORR__STEP_NEAR && !r.shared && !r.boxed &&
               use[i].elements <= (double)orr__shape_count(&p->node[i]->shape);
    return few ? last : 0;
}

bool orr__unrolls(const orr__capture *p, const orr__usage *use, int i)
{
    double from = 0;
    bool row;
    int ops = work_of(p, i, &from), x = ops < 0 ? -1 : orr__arg(p, i, 0);
    float n = ops < 0 ? 0 : orr__folded_count(p, i);
    if (ops < 0 || n < 2 || n * (float)(ops + 1) > MOST)
        return false;
    if (use[x].readers == 1 && orr__pattern_of(p, x) == ORR__PATTERN_ELEMENT &&
        2 * from <= (double)orr__shape_count(&p->node[x]->shape))
        return true;
    return (across(p, use, i, &row) == p->node[i]->attr.mask && row) ||
           few_along(p, use, i, ops) == p->node[i]->attr.mask;
}

uint32_t orr__unrolled_axes(const orr__capture *p, const orr__usage *use, int i)
{
    double from;
    bool row;
    int ops = work_of(p, i, &from);
    uint32_t axes = ops < 0 ? 0 : few_along(p, use, i, ops);
    if (ops < 0 || axes)
        return axes;
    axes = across(p, use, i, &row);
    const orr__node *n = p->node[i], *x = axes ? p->node[orr__arg(p, i, 0)] : NULL;
    int64_t length = 1;
    for (int d = 0; x && d < x->shape.rank; d++)
        length *= (n->attr.mask & ~axes) >> d & 1u ? x->shape.dim[d] : 1;
    return axes && !row && length <= ORR__T_SHORT_ROW ? axes : 0;
}

uint32_t orr__last_axes(const orr__capture *p, const orr__usage *use, int i)
{
    double from;
    if (work_of(p, i, &from) < 0) /* bounds the search, too */
        return 0;
    const orr__node *n = p->node[i];
    const orr__node *x = p->node[orr__arg(p, i, 0)];
    int64_t size = (int64_t)orr_dtype_size((orr_dtype)x->dtype);
    uint32_t others = 0;
    int d, best = 0;
    uint32_t last = axes_at_end(p, i, &d);
    for (int k = 0; k < d; k++)
        others |= x->shape.dim[k] > 1 ? n->attr.mask & 1u << k : 0;
    if (!last || !others || orr__shape_count(&x->shape) * size < ORR__T_CORE_CACHES)
        return 0; /* the caches keep what is read in any order */
    rows r = { .shared = false };
    orr__view v = orr__view_identity(x->shape.rank);
    read_rows(p, use, orr__arg(p, i, 0), &v, &r);
    for (int k = 1; k < x->shape.rank; k++)
        best = r.along[k] > r.along[best] ? k : best;
    return last >> best & 1u ? last : 0;
}
