/* The text of orr_explain, for tests that search it.
 * Must not know: the source of the text. */
#ifndef ORR_TESTS_EXPLAIN_HELP_H
#define ORR_TESTS_EXPLAIN_HELP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* The text for t. The caller frees it. */
char *explained_text(orr_tensor *t);

int words_in(const char *text, const char *word);

/* The number of times that the text contains `word`. */
int explained_times(orr_tensor *t, const char *word);

/* The number of kernels for t according to the text; -1 if it has none. */
int kernels_of(orr_tensor *t);

#endif
