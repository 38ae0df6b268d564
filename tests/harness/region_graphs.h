/* For tests of codelets: graphs through the real fuser, one region at a time, beside the reference evaluation.
 * Must not know: which backend, plans. */
#ifndef ORR_TESTS_REGION_GRAPHS_H
#define ORR_TESTS_REGION_GRAPHS_H

#include <orrery.h>
#include "tests/harness/region_cases.h"

void rg_check(const char *what, orr_tensor *t, int how, double ulp);
/* With the bound of rc_same_terms. */
void rg_check_terms(const char *what, orr_tensor *t, int how, double ulp, double size);

void graphs_equal_reference(void);

#endif
