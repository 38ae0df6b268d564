/* The plans that the calling thread used last, in addition to the shared cache.
 * Must not know: how a plan is made, or found elsewhere. */
#ifndef ORR_PLAN_RECENT_PLANS_H
#define ORR_PLAN_RECENT_PLANS_H

#include "runtime/plan/plan.h"

/* The plan for which `is` is true, with its reference, which is the caller's until orr__recent_put; NULL: none. */
orr__plan *orr__recent_take(bool (*is)(const orr__plan *p, const void *what), const void *what);
void orr__recent_put(orr__plan *p); /* takes over the caller's reference; may drop another plan */
void orr__recent_count(void);       /* counts a hit */
uint64_t orr__recent_counted(void); /* hits of all threads, ended ones included */
void orr__recent_clear(void);       /* of all threads; none of them may be inside the library */
void orr__recent_guard(void);       /* protects its lock across forks */

#endif
