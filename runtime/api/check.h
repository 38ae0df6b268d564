/* ORRERY_CHECK=nonfinite: one bit of an evaluation says whether a result is NaN or infinite; a hit is blamed on the line that made the
 * first such number from finite ones.
 * Must not know: plans, the engine. */
#ifndef ORR_API_CHECK_H
#define ORR_API_CHECK_H

#include "runtime/base/env.h"
#include "runtime/graph/capture.h"

typedef struct {
    orr__capture p;  /* keeps the ancestors of the results until the bit is known */
    orr__node **out; /* the roots and, behind the last one that is waited for, the bit */
    orr__node *bit;  /* NULL: nothing is checked                                        */
    orr__capture_roots roots;
} orr__check;

/* Evaluates nodes, which nobody checks. */
typedef orr_status orr__check_eval(orr__site at, orr__node *const *node, int n);

/* The status of this thread's orr_check, set once the check has found something; NULL: it is not in one. */
extern _Thread_local orr_status *orr__check_asked __attribute__((tls_model("initial-exec")));

/* True if the settings or this thread's orr_check ask for a check. */
static inline bool orr__check_wanted(void)
{
    return orr__env.check || orr__check_asked;
}
/* Adds the bit to the roots of an evaluation. *c is empty if it has no float results, or memory is short. */
void orr__check_begin(orr__site at, const orr__capture_roots *roots, orr__check *c);
/* After the evaluation of c->roots: looks at the bit, and blames. Keeps the last error, except in orr_check. True: a result is not
 * finite. */
bool orr__check_end(orr__check *c, orr_status st, orr__check_eval *eval);

#endif
