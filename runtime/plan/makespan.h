/* How long a plan takes when its tasks go to these kinds of workers, as the models have it.
 * Must not know: StarPU. */
#ifndef ORR_PLAN_MAKESPAN_H
#define ORR_PLAN_MAKESPAN_H

#include "runtime/plan/model.h"

/* µs until the last task is done on orr__plan_machine's workers: tasks in order, each on the worker that ends it first, or
 * for a policy that does not ask the models on the one that is free first (of several, the slowest). A value that is needed elsewhere is brought
 * there; leaves are where they are wanted. < 0: nobody can do some task, or no memory. */
double orr__plan_makespan(const orr__plan *p, orr__way way);
/* Whether that is more than a guess: nearly all work that devices can do was measured, on them and on processors. */
bool orr__plan_measured(const orr__plan *p);

#endif
