/* The plans that the calling thread used last, beside the cache that all share.
 * Must not know: how a plan is made, or found elsewhere. */
#ifndef ORR_PLAN_RECENT_H
#define ORR_PLAN_RECENT_H

#include "runtime/plan/plan.h"

/* The plan for which `is` is true, with its reference, which is the caller's until orr__recent_put; NULL: none. */
orr__plan *orr__recent_take(bool (*is)(const orr__plan *p, const void *what), const void *what);
void orr__recent_put(orr__plan *p); /* with the caller's reference; another may have to go */
void orr__recent_count(void);       /* one taken was of use */
uint64_t orr__recent_counted(void); /* by all threads, those that have ended too */
void orr__recent_clear(void);       /* all threads': none of them may be inside the library */
void orr__recent_guard(void);       /* its lock, against forks */

#endif
