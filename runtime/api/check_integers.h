/* ORRERY_CHECK=overflow,bounds: integers that are not the true value of their operation, and indices out of range. An evaluation computes
 * one more result, in the same kernels: a bit that is set by such an element of any node. If it is, the ancestors alone are computed again,
 * and the first line, operation and element are named.
 * Must not know: plans, the results of the evaluation. */
#ifndef ORR_API_CHECK_INTEGERS_H
#define ORR_API_CHECK_INTEGERS_H

#include "runtime/api/blame.h"

struct orr__doubt;
typedef struct {
    orr__capture p; /* of the results alone */
    struct orr__doubt *doubt;
    int n;
    orr__node *bit;  /* a scalar, of which the check has a reference; NULL: nothing can go wrong */
    bool over_ranks; /* the ranks compute the bit together, after the evaluation                 */
} orr__integers;

/* The check of the evaluation of these roots. It is empty without ORRERY_CHECK=overflow or bounds. Each one ends. */
orr_status orr__integers_begin(orr__site at, const orr__capture_roots *roots, bool over_ranks, orr__integers *c);
/* After the evaluation, with its status, in which the bit was computed: names the first fault, if there is one. Keeps the last error. True:
 * there is one, and the evaluation has ended well. */
bool orr__integers_end(orr__site at, orr__integers *c, orr_status st, orr__check_eval *eval);

#endif
