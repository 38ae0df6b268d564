/* The fuser's own decision table: which nodes get a buffer, and why.
 * Must not know: how a region's instructions look. */
#ifndef ORR_FUSE_GROUP_H
#define ORR_FUSE_GROUP_H

#include "runtime/fuse/region.h"

/* How a root reads another: as it is, through a view, by number. */
enum { ORR__BY_SELF, ORR__BY_VIEW, ORR__BY_NUMBER, ORR__BYS };

#define ORR__NO_OWNER (-1)
#define ORR__MANY_OWNERS (-2)

typedef struct {
    const orr__capture *p;
    bool fuse, rows, tiles;    /* at all; rows in place too; work on the tiles of products too */
    bool *live;                /* an output needs it                                       */
    bool *root;                /* the node gets a buffer and a region of its own           */
    int *owner;                /* else: the root into whose region it goes, NO, MANY       */
    float *cost;               /* flops per element of the expression down to buffers      */
    float *again;              /* the same where loops compute what the last axis repeats once */
    int *loads;                /* buffers that the expression reads                        */
    double *read;              /* their elements, all together                             */
    bool *movable;             /* what a take reads by number may be computed there, for each */
    struct orr__place **place; /* the views through which regions read the node         */
    int *nplace;               /* their number, places.c tells so many apart               */
    double *points;            /* iterations at which all of them together compute it      */
    int *readers;              /* nodes that read it, each operand counted                     */
    bool *partial;             /* what a choice shows of the node may be computed where it is shown */
    int *size;                 /* per root: nodes taken in so far, once for each place     */
    int *inputs;               /* per root: buffers read so far                            */
    char **reason;
    int *reason_of;
    int nreason, reason_cap; /* of: the root that was made */
    int *told, *before;      /* root -> the last reason for it; reason -> the one before for the same root; -1 */
    /* merge.c: roots that become one region with several outputs */
    int *home;       /* root -> the last root of its region; itself when alone   */
    int *members;    /* home -> number of roots at home there                    */
    int *below;      /* root -> the next root of its region, an earlier one, -1; from the home all are met */
    int *run;        /* root -> itself, or an earlier one that regions bind it to: see orr__merge_least */
    int *product;    /* home -> the matmul among them, -1                        */
    int *dep0, *dep; /* root i reads the buffers of roots dep[dep0[i] … dep0[i+1]) */
    uint8_t *dep_by; /* … ORR__BY_VIEW                                           */
    int *space;      /* home -> the node over whose elements its region runs: itself, or what it folds the rows of */
    int *order;      /* homes in an order that can be run, norder of them        */
    int norder;
    bool *stored; /* root -> somebody outside its region reads its buffer      */
    bool *apart;  /* root -> lowering found that it cannot be done in place    */
    bool *excess; /* excess.c: node of f16 or bf16 -> its value keeps the precision of f32 */
} orr__group;

#define ORR__REGION_MAX_OPS 64    /* larger kernels spill registers and compile slowly: 64 of the heaviest rows, 3 s */
#define ORR__ROW_MAX 8192         /* a row that is folded in place stays in the second-level cache */
#define ORR__LONG_ROW_MAX 131072  /* … or is near in the third one, where rows enough are left for all workers */
#define ORR__LONG_ROWS 32
#define ORR__REGION_MAX_INPUTS 14 /* task buffers and kernel arguments                 */

orr_status orr__group_make(orr__site at, const orr__capture *p, int how, orr__group *g);
void orr__group_free(orr__group *g);
void orr__group_reason(orr__group *g, int root, const char *fmt, ...) ORR_PRINTF(3, 4);
orr_status orr__merge(orr__site at, orr__group *g);
/* excess.c: for the regions as they were merged. */
orr_status orr__group_excess(orr__site at, orr__group *g);
/* places.c: false: no memory. Node i, a root or in other regions, shows its operands where these read it. */
bool orr__places_make(orr__group *g);
void orr__places_of_operands(orr__group *g, int i);
void orr__places_free(orr__group *g);
/* Rewrites the capture's arg and out arrays (its key stays): nothing of the result's value changes. */
orr_status orr__simplify(orr__site at, const orr__capture *p);

/* The pattern of node i; leaves have none. */
static inline int orr__pattern_of(const orr__capture *p, int i)
{
    return p->leaf_of[i] >= 0 ? ORR__PATTERN_NONE : p->node[i]->op->pattern;
}
/* unroll_folds.c: elements that fold i folds into one. Is fold i better a chain of instructions? readers: nodes that read
 * each node. */
float orr__folded_count(const orr__capture *p, int i);
bool orr__unrolls(const orr__capture *p, const int *readers, int i);
/* A view that no affine map says, such as a reshape that mixes axes: it reads its operand's buffer in order. */
bool orr__mixes_axes(const orr__capture *p, int i);
/* Are the elements of node i, of the pattern CHOICE, chosen by place in any kernel? Else a kernel of its own copies them. */
bool orr__is_choice(const orr__group *g, int i);
/* Is node i computed element by element, one way or the other? */
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
/* lower.c: the region whose last root is node `root`, with the roots that are at home there. */
/* A map without instructions: g->apart has a new member, and merging must begin anew. */
orr_status orr__lower(orr__site at, const orr__group *g, int root, orr__region *r);
void orr__merge_undo(orr__group *g);

#endif
