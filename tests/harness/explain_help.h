/* The text of orr_explain, for tests that search it.
 * Must not know: who says it. */
#ifndef ORR_TESTS_EXPLAIN_HELP_H
#define ORR_TESTS_EXPLAIN_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* Free it. */
char *explained_text(orr_tensor *t);

int words_in(const char *text, const char *word);

/* How many times it has `word`. */
int explained_times(orr_tensor *t, const char *word);

/* Of how many kernels t is made, -1: it does not say. */
int kernels_of(orr_tensor *t);

#endif
