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
static inline char *explained(orr_tensor *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    ORR_CHECK(to && orr_explain(to, t) == ORR_OK);
    if (to)
        (void)fclose(to);
    return text ? text : calloc(1, 1);
}

static inline int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

/* How many times it has `word`. */
static inline int times(orr_tensor *t, const char *word)
{
    char *text = explained(t);
    int n = count(text, word);
    free(text);
    return n;
}

/* Of how many kernels t is made, -1: it does not say. */
static inline int kernels_of(orr_tensor *t)
{
    char *text = explained(t);
    const char *line = strstr(text, " recorded node"), *at = line ? strstr(line, " kernel") : NULL;
    while (at && at > text && at[-1] != ' ')
        at--;
    int n = at ? atoi(at) : -1;
    free(text);
    return n;
}

#endif
