/* Internals of the planner: the state that passes share while one plan is made, and their common functions.
 * Must not know: StarPU, how a kernel computes. */
#ifndef ORR_PLAN_PASSES_H
#define ORR_PLAN_PASSES_H

#include "runtime/base/ablation.h"
#include "runtime/cost/profile.h"
#include "runtime/plan/plan.h"

/* The decisions on one region before it becomes steps. */
typedef struct {
    double us;
    int tiles;       /* tiles: of its only step                                                     */
    int shares;      /* tiles: if axis 0 is reduced, the number of workers that it is worth          */
    bool two_stages; /* split_reduction                                                             */
    int parts;       /* split_k: > 1: cut along its terms                                           */
    int in_turn;     /* … tiles of rows if each part is added to the sum of those before; 0: added at the end */
    int made_for;    /* … 1 + the product for whose single parts its value is made; 0: made as a whole */
    int made[2];     /* … of such a product, by factor: 1 + the region that makes it; 0: it is made as a whole */
} orr__cut;

typedef struct orr__planner {
    orr__site at;
    const orr__capture *capture; /* rewrite: the rewritten one, if any */
    orr__moved moved;
    bool low_memory; /* keeps few values at once, without bundles and with some work done twice */
    orr__plan *plan;
    orr__regions regions;
    orr__cut *cut; /* by region */
    int *value_of; /* capture node -> value, -1 */
    int value_cap, step_cap;
} orr__planner;

/* The plans for which a pass runs: all, usual ones, those for low memory. */
typedef enum { ORR__PASS_ALWAYS, ORR__PASS_USUAL, ORR__PASS_LOW_MEMORY } orr__pass_when;
typedef struct {
    const char *name, *decision;
    orr_status (*run)(orr__planner *p);
    orr__pass_when when;
    int off; /* the mechanism (runtime/base/ablation.h) that switches it off; -1: it is required */
} orr__pass;
/* Pass i in order; NULL at the end. */
const orr__pass *orr__plan_pass(int i);
orr_status orr__plan_make(orr__site at, const orr__capture *capture, bool low_memory, orr__plan **plan);
void orr__plan_destroy(orr__plan *p);
void orr__plan_count(orr__plan *p); /* counts its bytes; before it has a state of execution */
/* ORR_ENOMEM with its message. */
orr_status orr__plan_enomem(const orr__planner *p);

/* One function per row of the table, in files of the same names. */
orr_status orr__pass_rewrite(orr__planner *p);
/* notes.c: the values that go through memory between two kernels, and why; arrays of f64 that come from f32. For ORRERY_NOTES. */
void orr__plan_note(const orr__capture *p, const orr__regions *rs);
orr_status orr__pass_regions(orr__planner *p);
orr_status orr__pass_layouts(orr__planner *p);
orr_status orr__pass_epilogues(orr__planner *p);
orr_status orr__pass_tiles(orr__planner *p);
orr_status orr__pass_split_reduction(orr__planner *p);
orr_status orr__pass_split_k(orr__planner *p);
orr_status orr__pass_steps(orr__planner *p);
orr_status orr__pass_outputs(orr__planner *p);
orr_status orr__pass_low_memory_order(orr__planner *p);
orr_status orr__pass_readers_first(orr__planner *p);
orr_status orr__pass_bundles(orr__planner *p);
orr_status orr__pass_recompute(orr__planner *p);
orr_status orr__pass_numbering(orr__planner *p);
orr_status orr__pass_lifetimes(orr__planner *p);
orr_status orr__pass_waited_outputs(orr__planner *p);
orr_status orr__pass_urgency(orr__planner *p);
orr_status orr__pass_bundle_memory(orr__planner *p);
orr_status orr__pass_index_checks(orr__planner *p);
orr_status orr__pass_donation(orr__planner *p);
orr_status orr__pass_forms(orr__planner *p);
orr_status orr__pass_memory_slots(orr__planner *p);
orr_status orr__pass_memory_peak(orr__planner *p);
orr_status orr__pass_cost_classes(orr__planner *p);
orr_status orr__pass_lanes(orr__planner *p);
orr_status orr__pass_verify(orr__planner *p);

/* -- tiles.c ------------------------------------------------------------------------------------------------------- */

int orr__plan_workers(void);    /* workers for which plans are made */
double orr__plan_task_us(void); /* µs of a task to aim at  */
/* The number of tiles along axis 0, at least 1. alone: the region is all of a plan. */
int orr__region_tiles(const orr__region *r, double us, bool alone);
bool orr__region_cuttable(const orr__region *r);                      /* can be launched for some of its rows        */
bool orr__region_graph(const orr__region *r, double us);              /* is worth a graph of tasks                   */
bool orr__region_borrows(const orr__region *r, double us, int tiles); /* as orr__step's borrows              */
void orr__step_cut(orr__plan *p, orr__step *s, int64_t rows); /* into tiles of `rows` rows, and its outputs alike */

/* -- steps.c ------------------------------------------------------------------------------------------------------- */

int orr__new_value(orr__planner *p, orr_dtype dtype, int64_t count, int leaf); /* -1: no memory */
/* The value of a capture node, -1: it has none, or no memory; a leaf gets its value here. */
int orr__plan_value_of(orr__planner *p, int node);
/* A new step around `region`, which the plan owns from now on; its output is not bound. NULL: no memory, and the region is freed. */
orr__step *orr__new_step(orr__planner *p, orr__region *region);
/* Binds inputs (those without a node are `sums`, in order) and outputs that are not bound yet; cuts into n tiles; prepares kernels. */
orr_status orr__complete_step(orr__planner *p, orr__step *s, const int *sums, double us, int n);
orr_status orr__step_prepare(orr__step *s); /* prepares its kernels */

/* -- readers.c: by capture node, the reads of its buffer by regions and outputs ------------------------------------ */

typedef struct {
    int *reads, *last; /* their number; the last region that reads it, -1: none does */
} orr__readers;
bool orr__readers_find(const orr__capture *p, const orr__regions *rs, orr__readers *r); /* false: no memory */
void orr__readers_free(orr__readers *r);

/* -- split_reduction.c: `first` folds tiles into rows, `second` folds the rows ------------------------------------- */

/* True if `tiles` tiles of the call's terms are better than tiles of its rows. Each reads a part of the operands, while tiles of rows
 * all read whole operands. The partial results must be small compared with an operand. */
bool orr__terms_apart(const orr__region *r, int tiles);
orr_status orr__split_reduction(orr__site at, const orr__region *whole, int ntiles, orr__region **first,
                                orr__region **second);

/* -- partial_product_steps.c, partial_product.c: products in parts along their terms ----------------------------------- */

enum { ORR__PARTS_MOST = 256 }; /* limit of order */
/* Makes the steps of product j in cut[j].parts parts. */
orr_status orr__partial_product_steps(orr__planner *p, int j);
/* The region that makes factor o of product j for one part alone, NULL: the factor exists as a whole. */
orr__region *orr__factor_by_parts(const orr__planner *p, int j, int o);

typedef struct {
    int64_t lo, hi; /* range of terms; empty: the part only adds sums                            */
    int sums;       /* number of sums of other terms: inputs without a node, added to the product */
    bool ends;      /* the part does the region's work on the sum, and makes its outputs */
    unsigned own;   /* bit o: factor o exists for these terms alone                              */
} orr__part;
/* The region of a part. Sums have the dtype in which they are added up: f32 for f16 and bf16. NULL: no memory. */
orr__region *orr__product_part(const orr__region *whole, const orr__part *part);

typedef enum { ORR__FACTOR_BY_TERMS, ORR__FACTOR_ACROSS, ORR__FACTOR_OTHER } orr__factor_order;
orr__factor_order orr__product_factor_order(const orr__region *whole, int o);
/* The region that makes factor o of product j element by element, and nothing else; -1: none. */
int orr__factor_maker(const orr__capture *p, const orr__regions *rs, const orr__readers *readers, int j, int o);
orr__region *orr__map_terms(const orr__region *map, const orr__region *whole, int o, int64_t lo, int64_t hi);

/* -- order and memory --------------------------------------------------------------------------------------------------- */

void orr__plan_lifetimes(orr__plan *p);              /* for the present order */
void orr__step_move(orr__plan *p, int from, int to); /* from > to */
void orr__plan_needed(const orr__plan *p,
                      bool *needed);               /* waited_outputs.c: by step, whether an awaited value needs it */
bool orr__step_awaited(const orr__plan *p, int i); /* it writes an awaited value */
bool orr__step_cannot_fail(const orr__step *s);    /* for any data               */
bool orr__plan_may_bundle(const orr__plan *p);
double orr__step_us(const orr__step *s); /* at least the cost of a launch */
/* A run of small steps, at positions of the new order. `order` is rearranged, `members` filled in. */
typedef struct {
    int first, n, *order;
    const int *where, *producer; /* step -> position before; value -> step, -1 */
    int *members;                /* by position, as orr__step's                  */
} orr__run_of_steps;
orr_status orr__bundle_run(orr__site at, const orr__plan *p, const orr__run_of_steps *run);
/* The output of step i that may use the memory of its input k, if no later step reads that input; -1: none. */
int orr__donation_output(const orr__plan *p, int i, int k);

#endif
