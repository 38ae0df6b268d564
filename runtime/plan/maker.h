/* The making of one plan: what its pieces share.
 * Must not know: StarPU, how a kernel computes. */
#ifndef ORR_PLAN_MAKER_H
#define ORR_PLAN_MAKER_H

#include "runtime/plan/make.h"

typedef struct {
    orr__site at;
    const orr__capture *p;
    orr__plan *plan;
    int *value_of; /* capture node -> value, -1 */
    int value_cap, step_cap;
    bool lean;
    int *reader; /* lean plans: region -> 1 + the product that its values are made for part by part, 0; else NULL */
} orr__maker;

orr_status orr__maker_enomem(const orr__maker *m);
int orr__maker_value(orr__maker *m, orr_dtype dtype, int64_t count, int leaf); /* a new one, -1: no memory */
/* A new step around `region`, which the plan takes over, its output not bound. NULL: no memory, then the region is freed. */
orr__step *orr__maker_step(orr__maker *m, orr__region *region);
/* What a new step reads (inputs that are no node's are `sums`, in order) and, unless that is bound, writes; its n tiles; its
 * kernels. */
orr_status orr__maker_complete(orr__maker *m, orr__step *s, const int *sums, double us, int n);

/* maker_parts.c. Before regions are planned, in lean plans: which factors are made for the terms of one part alone. */
orr_status orr__maker_find(orr__maker *m, const orr__regions *rs);
/* Into how many parts product j is cut for such factors; 1: it has none. */
int orr__maker_lean_parts(const orr__maker *m, const orr__regions *rs, int j);
/* Product j in n parts: each added to those before, in so many tiles of rows; or (0) beside each other, added up at the end. */
orr_status orr__maker_parts(orr__maker *m, const orr__regions *rs, int j, int n, int tiles);

#endif
