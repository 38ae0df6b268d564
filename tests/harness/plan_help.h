/* Plans of a user's graph for so many workers, and what they amount to.
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

/* A fresh plan for `workers` workers, verified by its making. The first nfirst outputs are waited for. */
orr__plan *plan_of_first(orr_tensor *const *t, int n, int nfirst, int workers);

orr__plan *plan_of(orr_tensor *const *t, int n, int workers);

int tasks_of(const orr__plan *p);

double us_of(const orr__plan *p, int head);

/* Tasks, each after those whose values it reads: when the last one ends if every worker is wanted at
 * once. */
double critical_path(const orr__plan *p);

#endif
