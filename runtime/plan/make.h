/* Inside the planner: costs, tiles, and the making of one plan.
 * Must not know: StarPU. */
#ifndef ORR_PLAN_MAKE_H
#define ORR_PLAN_MAKE_H

#include "runtime/plan/plan.h"
#include "runtime/cost/profile.h"

int orr__plan_workers(void);    /* that plans are made for */
double orr__plan_task_us(void); /* aimed at in a task      */
/* Is it worth a graph of tasks of its own? */
bool orr__region_graph(const orr__region *r, double us);
int orr__region_tiles(const orr__region *r, double us,
                      bool alone);                            /* launches along axis 0, ≥ 1; alone: all of a plan */
bool orr__region_cuttable(const orr__region *r);              /* may it be launched for some of its rows? */
void orr__step_cut(orr__plan *p, orr__step *s, int64_t rows); /* into tiles of that many rows; its outputs alike */
/* Cuts a chain of steps over the same rows into strips, and makes it a bundle with a task for each. Steps only move. */
orr_status orr__plan_strips(orr__site at, orr__plan *p);
/* Puts small steps side by side and marks bundles of them. Values are numbered anew, in the order in which steps meet
 * them: renumber[old] = new. No lifetimes yet. */
orr_status orr__plan_bundle(orr__site at, orr__plan *p, int *renumber);
/* A run of small steps, all positions by number in the new order: `order` is rearranged, `members` filled in. */
typedef struct {
    int first, n, *order;
    const int *where, *producer; /* step -> position before, value -> step or -1 */
    int *members;                /* by position, as orr__step's                  */
} orr__run_of_steps;
orr_status orr__plan_bundle_run(orr__site at, const orr__plan *p, const orr__run_of_steps *run);
double orr__step_cost(const orr__step *s); /* µs, with what the launch of a kernel costs at least */
/* After lifetimes: which values are local to a bundle, and where in its scratch memory; what bundles use. */
orr_status orr__plan_bundle_memory(orr__site at, orr__plan *p);
/* Which steps write and read each value; then, after bundles, who takes over whose memory, slots, and how much of it all. */
void orr__plan_lifetimes(orr__plan *p);
orr_status orr__plan_memory(orr__site at, orr__plan *p);
bool orr__plan_slots(orr__plan *p); /* slots.c: which values share memory, one after the other. False: no memory */
/* Before bundles: whoever reads a large value that an element-wise step could write over goes before that step. Renumbers as
 * orr__plan_renumber. */
orr_status orr__plan_make_way(orr__site at, orr__plan *p, int *renumber);
/* Which tasks make the outputs that are waited for, where the rest may be finished later (early.c). */
void orr__plan_early(orr__plan *p);
/* After early ones are marked: how urgent each task is. */
orr_status orr__plan_urgency(orr__site at, orr__plan *p);
/* Which outputs may have the memory of leaves, where an evaluation allows it (heir.c). */
void orr__plan_heirs(orr__plan *p);
/* Do leaves that are written over, since the last outputs are kept for who holds them, take more than these do? Notes both. */
orr_status orr__plan_weigh(orr__site at, const orr__capture *p, orr__plan *pl);
bool orr__plan_has_heir(const orr__plan *p, const orr__step *s, int k); /* could input k's memory be one's? */
bool orr__plan_cannot_fail(const orr__plan *p);                         /* whatever the data are */
bool orr__region_writes_elements(const orr__region *r); /* one after the other, from what it reads there */
bool orr__region_reads_elements(const orr__region *r,
                                int k); /* input k, wherever it is read, in the one that is written */
/* Before bundles: what is needed for these outputs stands before what is not. Steps only move. */
orr_status orr__plan_awaited_first(orr__site at, orr__plan *p);
int orr__plan_head(const orr__plan *p, int i); /* the first step of the bundle that step i is in, else i */
/* lean: in little memory, at the cost of bundles and of work done twice. */
orr_status orr__plan_make(orr__site at, const orr__capture *p, bool lean, orr__plan **plan);
orr_status orr__step_prepare(orr__step *s); /* its kernels */
/* Lean plans: the order, instead of orr__plan_bundle; then, with outputs known, what is computed again. */
orr_status orr__plan_lean_order(orr__site at, orr__plan *p, int *renumber);
orr_status orr__plan_recompute(orr__site at, orr__plan *p);
/* Counts values as steps meet them: renumber[old] = new. */
orr_status orr__plan_renumber(orr__site at, orr__plan *p, int *renumber);
orr__region *orr__region_copy(const orr__region *r); /* of a map or reduction; NULL: no memory */
void orr__plan_destroy(orr__plan *p);
/* Splits a reduction whose axis 0 is reduced: `first` folds tiles into rows, `second` folds the rows. */
orr_status orr__split_reduction(orr__site at, const orr__region *whole, int ntiles, orr__region **first,
                                orr__region **second);

/* -- products part by part along their terms (parts.c) ---------------------------------------------------------- */

enum { ORR__PARTS_MOST = 256 };
/* Beside each other, each a sum of its own, for so many workers; 1: as it is. */
int orr__product_parts(const orr__region *r, double us, int tiles);
/* One after the other, each added to those before, where a device could not hold a factor, and in how many tiles of rows. */
int orr__device_parts(const orr__region *r, int *tiles);
/* The same, where so many bytes of factors can be made for the terms of one part alone. */
int orr__lean_parts(const orr__region *r, double bytes);

typedef struct {
    int64_t lo, hi; /* terms; none: nothing is multiplied, there are sums alone          */
    int sums;       /* of other terms: inputs that are no node's (-1), added to the product */
    bool ends;      /* the whole's work on its product is done, and its outputs are made */
    unsigned own;   /* bit o: of factor o there are these terms alone                    */
} orr__part;
/* Sums are kept as wide as they are added up: of f16 and bf16 in f32. NULL: no memory. */
orr__region *orr__product_part(const orr__region *whole, const orr__part *part);
orr_dtype orr__product_sums_in(const orr__region *whole);

typedef enum { ORR__LIES_BY_TERMS, ORR__LIES_ACROSS, ORR__LIES_OTHERWISE } orr__lie;
orr__lie orr__product_lies(const orr__region *whole, int o);
/* The region that makes factor o of product j, and nothing but that, element by element; -1: none does. */
int orr__factor_maker(const orr__capture *p, const orr__regions *rs, int j, int o);
bool orr__map_terms_can(const orr__region *map, const orr__region *whole, int o);
orr__region *orr__map_terms(const orr__region *map, const orr__region *whole, int o, int64_t lo, int64_t hi);

#endif
