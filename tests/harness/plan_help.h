/* Plans of a user's graph for a number of workers, and their measures.
 * Must not know: StarPU. */
#ifndef ORR_TESTS_PLAN_HELP_H
#define ORR_TESTS_PLAN_HELP_H

#include <math.h>
#include <stdlib.h>
#include <orrery.h>
#include "runtime/base/env.h"
#include "runtime/plan/passes.h"
#include "tests/harness/harness.h"

orr_tensor *fresh_values(int64_t m, int64_t n);

/* A new plan for `workers` workers, which is verified when it is made. The evaluation waits for the first nfirst
 * outputs. */
orr__plan *plan_of_first(orr_tensor *const *t, int n, int nfirst, int workers);

orr__plan *plan_of(orr_tensor *const *t, int n, int workers);

int tasks_of(const orr__plan *p);

double us_of(const orr__plan *p, int head);

/* The end of the last task if each starts when its inputs are ready and workers are unlimited. */
double critical_path(const orr__plan *p);

#endif
