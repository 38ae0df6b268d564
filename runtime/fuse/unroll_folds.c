/* Decides which folds of few elements become chains of instructions: those of values that are computed from far fewer elements, such as
 * differences of all pairs, and those across the rows of their operands, such as a sum over an axis that is not the last one. Such a
 * fold joins its readers and is vectorised along another axis than the folded one.
 * Must not know: any single operation, regions. */
#include "config.h"

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

typedef struct {
    double along[2]; /* elements that are read along rows of memory: of kept axes, of folded axes   */
    bool shared;     /* a computed value has another reader, which may fold it with the same elements */
    float flops;
} rows;

/* Adds what node j, seen through v, reads. */
static void read_rows(const orr__capture *p, const int *readers, int j, const orr__view *v, uint32_t folded, rows *r)
{
    orr__view w;
    const orr__node *n = p->node[j];
    const orr_shape *s = &n->shape;
    int pattern = orr__pattern_of(p, j), nin = pattern == ORR__PATTERN_ELEMENT ? orr__capture_nin(p, j) : 0;
    if (pattern == ORR__PATTERN_VIEW && n->op->see(n, &p->node[orr__arg(p, j, 0)]->shape, v, &w)) {
        read_rows(p, readers, orr__arg(p, j, 0), &w, folded, r);
        return;
    }
    r->shared = r->shared || (nin > 0 && readers[j] > 1);
    r->flops += pattern == ORR__PATTERN_ELEMENT ? n->op->flops : 0;
    for (int k = 0; k < nin; k++)
        read_rows(p, readers, orr__arg(p, j, k), v, folded, r);
    int d = s->rank - 1;
    while (d > 0 && s->dim[d] == 1)
        d--;
    if (pattern != ORR__PATTERN_ELEMENT && d >= 0 && v->ax[d] >= 0 && (v->mul[d] == 1 || v->mul[d] == -1))
        r->along[folded >> v->ax[d] & 1u] += (double)orr__shape_count(s);
}

/* True if fold i combines few rows of memory element by element, and no other fold shares the computation of its values. Each step loads or
 * converts an element, folds it, and has the work of its value. */
static bool goes_across(const orr__capture *p, const int *readers, int i, float n)
{
    int x = orr__arg(p, i, 0);
    rows r = { 0 };
    orr__view v = orr__view_identity(p->node[x]->shape.rank);
    read_rows(p, readers, x, &v, p->node[i]->attr.mask, &r);
    return r.along[0] > r.along[1] && !r.shared && n * (3 + r.flops) <= MOST;
}

bool orr__unrolls(const orr__capture *p, const int *readers, int i)
{
    if (orr__pattern_of(p, i) != ORR__PATTERN_FOLD || !p->node[i]->op->unrolled || orr__ablated(ORR__OFF_UNROLL_FOLDS))
        return false;
    int x = orr__arg(p, i, 0), ops = 1, rop = p->node[i]->attr.rop;
    float n = orr__folded_count(p, i);
    if (n < 2 || rop == ORR__RANY || rop == ORR__RALL || orr__is_compound((orr_dtype)p->node[x]->dtype))
        return false;
    double from = sources(p, x, DEPTH, &ops);
    if (from < 0 || n * (float)(ops + 1) > MOST)
        return false;
    bool shares = readers[x] == 1 && orr__pattern_of(p, x) == ORR__PATTERN_ELEMENT &&
                  2 * from <= (double)orr__shape_count(&p->node[x]->shape);
    return shares || goes_across(p, readers, i, n);
}
