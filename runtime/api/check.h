/* ORRERY_CHECK=nonfinite: a result that is NaN or infinite is blamed on the line that made the first such number from finite ones.
 * Must not know: plans, the way in which launches look at results. */
#ifndef ORR_API_CHECK_H
#define ORR_API_CHECK_H

#include "runtime/api/blame.h"
#include "runtime/base/env.h"

/* The check of one evaluation. */
typedef struct {
    orr__capture_roots roots;
    uint64_t doubts; /* of the engine, before the evaluation                                                        */
    bool
        over_ranks; /* other ranks have other parts of the values and the same check: doubts of one rank do not count */
} orr__check;

/* The status of this thread's orr_check, set once the check has found something; NULL: it is not in one. */
extern _Thread_local orr_status *orr__check_asked __attribute__((tls_model("initial-exec")));

/* True if the settings or this thread's orr_check ask for a check. */
static inline bool orr__check_wanted(void)
{
    return orr__env.check || orr__check_asked;
}
/* Begins the check of the evaluation of these roots, which exist until its end. */
void orr__check_begin(orr__check *c, const orr__capture_roots *roots);
/* Waits until the values of the roots are written, including those that the evaluation does not wait for. */
orr_status orr__check_wait(const orr__capture_roots *roots);
/* After this: the capture p of the evaluation has kept the ancestors of the results. If one of these is not finite, a line is blamed. Keeps
 * the last error, except in orr_check. True: a result is not finite. */
bool orr__check_end(const orr__check *c, const orr__capture *p, orr__check_eval *eval);

#endif
