/* Text files with a header and a checksum, in the user's cache directory.
 * Must not know: their content. */
#include "config.h"
#include "runtime/base/checked_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/private_file.h"

enum { MOST = 16 << 20, SUM_LINE = 21 }; /* "sum %016x\n" */

void orr__sealed_name(const char *kind, char *name, size_t size)
{
    char host[64] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        (void)snprintf(host, sizeof host, "localhost");
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    (void)snprintf(name, size, "%s.%s", kind, host);
}

static int own_dir(char *why, size_t size)
{
    if (orr__env.cache_dir[0])
        return orr__safe_dir(orr__env.cache_dir, ORR__OWN, why, size);
    (void)snprintf(why, size, "there is no cache directory");
    return -1;
}

static uint64_t sum_of(const void *data, size_t size)
{
    return orr__hash(data, size, 0x5ea1ed);
}

/* Returns the body, moved to the front of `b` and terminated by 0. NULL: not a file of ours. */
static char *open_up(orr__bytes *b, const char *head)
{
    char *text = (char *)b->data, *end;
    size_t n = strlen(head);
    if (b->size < n + 1 + SUM_LINE || memchr(text, 0, b->size) || strncmp(text, head, n) != 0 || text[n] != '\n' ||
        text[b->size - 1] != '\n' || strncmp(text + b->size - SUM_LINE, "sum ", 4) != 0)
        return NULL;
    text[b->size - 1] = '\0';
    uint64_t sum = strtoull(text + b->size - SUM_LINE + 4, &end, 16);
    if (*end || sum != sum_of(text, b->size - SUM_LINE))
        return NULL;
    size_t body = b->size - SUM_LINE - n - 1;
    memmove(text, text + n + 1, body);
    text[body] = '\0';
    return text;
}

static char *read_from(int dir, bool site, const char *name, const char *head, char *why, size_t size)
{
    orr__bytes b;
    if (!orr__safe_read(dir, name, site, MOST, &b, NULL)) {
        if (errno != ENOENT)
            (void)snprintf(why, size, "%s is not safe to read%s%s", name, errno ? ": " : "",
                           errno ? strerror(errno) : "");
        return NULL;
    }
    char *text = open_up(&b, head);
    if (!text) {
        (void)snprintf(why, size, "%s is damaged, or of another version", name);
        free(b.data);
    }
    return text;
}

char *orr__sealed_read(const char *name, const char *head, bool site, char *why, size_t size)
{
    why[0] = '\0';
    int dir = own_dir(why, size);
    char *text = dir < 0 ? NULL : read_from(dir, false, name, head, why, size);
    if (dir >= 0)
        close(dir);
    if (text || !site || !orr__env.cache_site[0])
        return text;
    dir = orr__safe_dir(orr__env.cache_site, ORR__SITE_DIR, why, size);
    text = dir < 0 ? NULL : read_from(dir, true, name, head, why, size);
    if (dir >= 0)
        close(dir);
    return text;
}

bool orr__sealed_write(const char *name, const char *head, const char *body, char *why, size_t size)
{
    size_t n = strlen(head) + 1 + strlen(body), capacity = n + SUM_LINE + 1;
    orr__bytes b = { .data = malloc(capacity) };
    int dir = b.data ? own_dir(why, size) : -1;
    bool ok = false;
    if (!b.data) {
        (void)snprintf(why, size, "no memory");
    } else if (dir >= 0) {
        char *text = (char *)b.data;
        (void)snprintf(text, capacity, "%s\n%s", head, body);
        (void)snprintf(text + n, capacity - n, "sum %016" PRIx64 "\n", sum_of(text, n));
        b.size = n + SUM_LINE;
        ok = orr__safe_write(dir, name, &b);
        if (!ok)
            (void)snprintf(why, size, "%s: %s", orr__env.cache_dir, strerror(errno));
    }
    if (dir >= 0)
        close(dir);
    free(b.data);
    return ok;
}

int orr__sealed_remove(const char *name)
{
    char why[600];
    int dir = own_dir(why, sizeof why);
    if (dir < 0)
        return 0;
    int done = unlinkat(dir, name, 0) == 0 ? 1 : errno == ENOENT ? 0 : -1, bad = errno;
    close(dir);
    errno = bad;
    return done;
}
