/* Inside of merging: who reads whom, and what a root may become part of.
 * Must not know: how a region's instructions look. */
#ifndef ORR_FUSE_MERGE_H
#define ORR_FUSE_MERGE_H

#include "runtime/fuse/group.h"

typedef struct {
    int node;
    uint8_t by;
} orr__mergeitem;

typedef struct {
    orr__group *g;
    orr__mergeitem *stack;
    int depth, cap;
    int dep_cap, ndep;
    int *user, *next, *first, nuser; /* who reads root i: user[e] for e = first[i], next[e], … */
    int *stamp;                      /* ORR__BYS·root + by: seen so; or home: visited by a search */
    int mark;                        /* the last that a search left there: below all others */
} orr__merging;

/* Is root i element-wise? */
static inline bool orr__joinable(const orr__group *g, int i)
{
    return g->root[i] && orr__computes(g, i);
}

static inline bool orr__is_product(const orr__group *g, int i)
{
    return g->root[i] && orr__pattern_of(g->p, i) == ORR__PATTERN_PRODUCT;
}

/* Would root i be too much for the region of j, which reads its buffer `reads` times? */
static inline bool orr__region_full(const orr__group *g, int i, int j, int reads)
{
    return g->size[i] + g->size[j] > ORR__REGION_MAX_OPS ||
           g->inputs[i] + g->inputs[j] - reads > ORR__REGION_MAX_INPUTS;
}

/* merge_dependencies.c. One more node for the walk under way. The roots that root r reads, down through what vanishes into it. Is
 * the region of `target` among what the region of `from` needs, directly or not? -1, false: no memory. The first region
 * that may need it: those of earlier roots do not, unless one has a later root, too. A mark that no stamp has. The roots
 * at home in a go to b, a later home. */
bool orr__merge_push(orr__merging *c, int node, int by);
bool orr__merge_list(orr__merging *c, int r);
int orr__merge_least(const orr__group *g, int target);
int orr__merge_mark(orr__merging *c);
void orr__merge_members(orr__group *g, int a, int b);
int orr__merge_reaches(orr__merging *c, int from, int target);
/* merge_siblings.c: reductions of the same elements that do not wait for one another. False: no memory. */
bool orr__merge_beside(orr__merging *c);

/* Does anybody but the regions at home in j (and root `with`) read root i's buffer? */
bool orr__read_outside(const orr__merging *c, int i, int j, int with);
/* Homes in an order that can be run, and which buffers are stored. False: no memory. */
bool orr__order_regions(orr__merging *c);

/* merge_product.c: why product i does not go into the region of j, NULL: it may. For people: why products that
 * element-wise work or a fold reads are alone. */
const char *orr__refuse_product(const orr__group *g, int i, int j);
void orr__explain_products(const orr__merging *c);

#endif
