/* Internals of merging: dependencies between roots, and the regions that a root may join.
 * Must not know: how a region's instructions look. */
#ifndef ORR_FUSE_MERGE_H
#define ORR_FUSE_MERGE_H

#include "runtime/base/threshold.h"
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
    int *user, *next, *first, nuser; /* readers of root i: user[e] for e = first[i], next[e], … */
    int *stamp;                      /* at ORR__BYS·root + by: seen that way; at ORR__BYS·home: visited by a search */
    int mark;                        /* the lowest mark so far; each search uses a lower one */
    int cut_short;                   /* searches that ended at their bound               */
    int *folds, nfolds;              /* merge_siblings.c: the regions that fold          */
} orr__merging;

/* The regions that one search visits at most. Regions that could be joined are near each other in most graphs; in a long chain of steps
 * with its gradient, each search would visit all steps between a value and its use in the gradient, n² for n steps. A search that ends
 * at the bound counts as a dependency, and the two regions stay apart. */
enum { ORR__REACH_MOST = 256 }; /* limit of search */

/* Is root i element-wise? */
static inline bool orr__joinable(const orr__group *g, int i)
{
    return g->node[i].root && orr__computes(g, i);
}

static inline bool orr__is_product(const orr__group *g, int i)
{
    return g->node[i].root && orr__pattern_of(g->p, i) == ORR__PATTERN_PRODUCT;
}

/* True if the region of j, which reads root i's buffer `reads` times, has no space for root i. */
static inline bool orr__region_full(const orr__group *g, int i, int j, int reads)
{
    return g->root[i].size + g->root[j].size > ORR__T_REGION_OPS ||
           g->root[i].inputs + g->root[j].inputs - reads > ORR__REGION_MAX_INPUTS;
}

/* merge_dependencies.c. orr__merge_push adds a node to the walk under way. orr__merge_list appends the roots that root r reads, directly
 * or through nodes that vanish into it. orr__merge_least returns the first root whose region may need that of `target`; a region of
 * earlier roots does not, unless it has a later root too. orr__merge_mark returns a mark that no stamp has. orr__merge_members moves the
 * roots of home a to b, a later home. orr__merge_reaches returns 1 if the region of `from` needs that of `target`, directly or not, or
 * if that is not known after ORR__REACH_MOST regions, else 0. No memory: false, or -1. */
bool orr__merge_push(orr__merging *c, int node, int by);
bool orr__merge_list(orr__merging *c, int r);
int orr__merge_least(const orr__group *g, int target);
int orr__merge_mark(orr__merging *c);
void orr__merge_members(orr__group *g, int a, int b);
int orr__merge_reaches(orr__merging *c, int from, int target);
/* merge_siblings.c: joins reductions of the same elements that do not wait for one another. False: no memory. */
bool orr__merge_beside(orr__merging *c);

/* True if a root other than `with`, outside of the region of j, reads root i's buffer, or root i is an output. */
bool orr__read_outside(const orr__merging *c, int i, int j, int with);
/* Fills g->order with an executable order of homes, and g->stored. False: no memory. */
bool orr__order_regions(orr__merging *c);

/* merge_product.c. orr__refuse_product returns the reason why product i cannot join the region of j; NULL: it can.
 * orr__explain_products records, for people, why products that element-wise work or a fold reads stay alone. */
const char *orr__refuse_product(const orr__group *g, int i, int j);
void orr__explain_products(const orr__merging *c);

#endif
