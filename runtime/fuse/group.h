/* The fuser's own decision table: which nodes get a buffer, and why.
 * Must not know: how a region's instructions look. */
#ifndef ORR_FUSE_GROUP_H
#define ORR_FUSE_GROUP_H

#include "runtime/fuse/region.h"

/* How a root reads another root: element by element, through a view, by computed index. */
enum { ORR__BY_SELF, ORR__BY_VIEW, ORR__BY_NUMBER, ORR__BYS };

#define ORR__NO_OWNER (-1)
#define ORR__MANY_OWNERS (-2)

struct orr__reading_place;

/* A node of the capture. */
typedef struct {
    bool live;     /* an output needs it                                                  */
    bool root;     /* it gets a buffer and a region of its own                            */
    bool movable;  /* a take that reads the node may compute each element that it reads   */
    bool partial;  /* a choice may compute the elements of the node that it selects       */
    int owner;     /* of another node: the root whose region computes it, NO_OWNER, MANY_OWNERS */
    int loads;     /* buffers that the expression reads                                   */
    int reads;     /* the node, itself or one below, with exactly these loads             */
    int readers;   /* operands of other nodes that are this node                          */
    float cost;    /* flops per element of the expression down to buffers                 */
    float again;   /* the same if values repeated along the last axis are computed once   */
    double read;   /* elements of the buffers that the expression reads, summed           */
    int nplace;    /* views through which regions read the node, up to the limit of places.c */
    double points; /* iterations that compute the node, summed over these views           */
    struct orr__reading_place *place;
} orr__groupnode;

/* A root; a home is the last root of a region. */
typedef struct {
    int size;    /* nodes in its region so far, counted once per place                     */
    int inputs;  /* buffers read so far                                                    */
    int told;    /* its latest reason, -1: none                                            */
    bool apart;  /* lowering found that no other region can compute it                     */
    bool stored; /* its buffer is read outside of its region                               */
    /* merge.c: roots that become one region with several outputs */
    int home;    /* the last root of its region; itself when alone                         */
    int below;   /* the next earlier root of its region, -1: none; the list from the home has all */
    int run;     /* itself, or an earlier root that a region links it to: see orr__merge_least */
    int dep0;    /* it reads the buffers of roots dep[dep0 … the next root's dep0)         */
    int members; /* home: roots in its region                                              */
    int product; /* home: the matmul in its region, -1: none                               */
    int space;   /* home: the node over whose elements its region iterates: itself, or that whose rows it folds */
} orr__grouproot;

typedef struct {
    const orr__capture *p;
    bool fuse, rows, tiles; /* fuse at all; also fold rows in place; also do work on the tiles of products */
    orr__groupnode *node;
    orr__grouproot *root; /* by node; one more at the end */
    struct orr__groupreason {
        char *text;
        int root, before; /* about this root; its previous reason, -1: none */
    } * reason;
    int nreason, reason_cap;
    struct orr__groupdep {
        int root;
        uint8_t by; /* ORR__BY_… */
    } * dep;
    int *order; /* norder homes in an executable order */
    int norder;
    bool *excess; /* excess.c: node of f16 or bf16 -> its value keeps the precision of f32 */
} orr__group;

#define ORR__REGION_MAX_INPUTS 14 /* limit of a format: task buffers and kernel arguments                 */

orr_status orr__group_make(orr__site at, const orr__capture *p, int how, orr__group *g);
void orr__group_free(orr__group *g);
void orr__group_reason(orr__group *g, int root, const char *fmt, ...) ORR_PRINTF(3, 4);
orr_status orr__merge(orr__site at, orr__group *g);
/* excess.c: fills g->excess for the merged regions. */
orr_status orr__group_excess(orr__site at, orr__group *g);
/* places.c: records the places at which node i, a root or inside regions, reads its operands. */
void orr__places_of_operands(orr__group *g, int i);
void orr__places_free(orr__group *g);
/* Rewrites the capture's arg and out arrays. Its key and the values of its outputs stay. */
orr_status orr__simplify(orr__site at, const orr__capture *p);

/* The pattern of node i; leaves have none. */
static inline int orr__pattern_of(const orr__capture *p, int i)
{
    return p->leaf_of[i] >= 0 ? ORR__PATTERN_NONE : p->node[i]->op->pattern;
}
/* unroll_folds.c. orr__folded_count: the elements that fold i combines into one. orr__unrolls: true if fold i is better computed as a
 * chain of instructions; use[j]: of node j. */
typedef struct {
    int readers;     /* operands of other nodes, and outputs, that are this node                */
    double elements; /* the most that it is read as, by itself or as a part of later values     */
} orr__usage;
void orr__usage_of(const orr__capture *p, orr__usage *use);
float orr__folded_count(const orr__capture *p, int i);
bool orr__unrolls(const orr__capture *p, const orr__usage *use, int i);
/* Axes across rows of memory that are folded first, by a chain, since the rest of fold i are short rows; 0: none. */
uint32_t orr__unrolled_axes(const orr__capture *p, const orr__usage *use, int i);
/* The last axes of fold i, 0: none, if its values are read along them, and a kept axis is before them and behind other folded ones: a fold over
 * them first reads a large operand in order, not once for each kept element. */
uint32_t orr__last_axes(const orr__capture *p, const orr__usage *use, int i);
/* True if node i is a view that no affine map describes, such as a reshape that mixes axes. Such a view reads its
 * operand's buffer in row-major order. */
bool orr__mixes_axes(const orr__capture *p, int i);
/* True if any kernel can compute node i, of the pattern CHOICE, by choosing elements by place. Otherwise a kernel of its own copies
 * them. */
bool orr__is_choice(const orr__group *g, int i);
/* True if a region computes node i element by element. */
static inline bool orr__computes(const orr__group *g, int i)
{
    int pattern = orr__pattern_of(g->p, i);
    return pattern == ORR__PATTERN_ELEMENT || pattern == ORR__PATTERN_GATHER ||
           (pattern == ORR__PATTERN_CHOICE && orr__is_choice(g, i));
}
/* Is node i computed by its operation's own kernel? */
static inline bool orr__has_kernel(const orr__group *g, int i)
{
    int pattern = orr__pattern_of(g->p, i);
    return pattern == ORR__PATTERN_KERNEL || (pattern == ORR__PATTERN_CHOICE && !orr__is_choice(g, i));
}

/* Is root i a reduction of the last axis alone, short enough to be folded in place? */
bool orr__folds_rows(const orr__capture *p, int i);
/* lower.c: makes the region whose last root is node `root`, with all roots merged into it. */
/* A result that is a map without instructions means that g->apart has a new member and that merging must be
 * repeated. */
orr_status orr__lower(orr__site at, const orr__group *g, int root, orr__region *r);
void orr__merge_undo(orr__group *g);

#endif
