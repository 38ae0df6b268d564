/* The text of orr_explain, for tests that search it.
 * Must not know: the source of the text. */
#include "config.h"

#include "tests/harness/explain_help.h"

char *explained_text(orr_tensor *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    ORR_CHECK(to && orr_explain(to, t) == ORR_OK);
    if (to)
        (void)fclose(to);
    return text ? text : calloc(1, 1);
}

int words_in(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
        n++;
    return n;
}

int explained_times(orr_tensor *t, const char *word)
{
    char *text = explained_text(t);
    int n = words_in(text, word);
    free(text);
    return n;
}

int kernels_of(orr_tensor *t)
{
    char *text = explained_text(t);
    const char *line = strstr(text, " recorded node"), *at = line ? strstr(line, " kernel") : NULL;
    while (at && at > text && at[-1] != ' ')
        at--;
    int n = at ? atoi(at) : -1;
    free(text);
    return n;
}
