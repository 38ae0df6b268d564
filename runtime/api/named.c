/* Names of the tensors in a file that holds several.
 * Must not know: any format. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "runtime/api/named.h"
#include "runtime/base/buffer.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

orr_status orr__names_check(orr__site at, const char *const *names, int n_names, orr_tensor *const *t, int n)
{
    if (n_names != n)
        return orr__fail(at, ORR_EINVAL, "%d names for %d tensors", n_names, n);
    if (n < 0 || (n && (!names || !t)))
        return orr__fail(at, ORR_EINVAL, n < 0 ? "the number of tensors is negative" : "names or tensors are NULL");
    for (int i = 0; i < n; i++) {
        if (!names[i] || !*names[i] || strlen(names[i]) > 4096) /* limit of a format */
            return orr__fail(at, ORR_EINVAL, "name %d is %s", i, !names[i] ? "NULL" : *names[i] ? "too long" : "empty");
    }
    const char **sorted = orr__alloc_n((size_t)n + 1, sizeof *sorted);
    if (!sorted)
        return ORR_ENOMEM;
    for (int i = 0; i < n; i++)
        sorted[i] = names[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    orr_status st = ORR_OK;
    for (int i = 1; i < n && st == ORR_OK; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0)
            st = orr__fail(at, ORR_EINVAL, "the name '%s' comes twice", sorted[i]);
    free(sorted);
    return st;
}

char **orr__names_copy(const char *const *names, int n)
{
    size_t bytes = ((size_t)n + 1) * sizeof(char *);
    for (int i = 0; i < n; i++)
        bytes += strlen(names[i]) + 1;
    char **list = orr__alloc(bytes);
    char *text = (char *)(list + n + 1);
    for (int i = 0; list && i < n; i++) {
        size_t k = strlen(names[i]) + 1;
        list[i] = memcpy(text, names[i], k);
        text += k;
    }
    return list;
}

void orr__names_text(const char *const *names, int n, char *to, size_t size)
{
    size_t used = (size_t)snprintf(to, size, "%s", n ? "" : "none");
    for (int i = 0; i < n && used < size; i++)
        used += (size_t)snprintf(to + used, size - used, "%s%.80s", i ? ", " : "", names[i]);
    if (used >= size && size > 8)
        (void)snprintf(to + size - 5, 5, " …");
}
