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

enum { MOST = 16 << 20, SUM_LINE = 21 }; /* limit of a format: "sum %016x\n" */

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

static void sum_line(const char *text, size_t size, char line[SUM_LINE + 1])
{
    (void)snprintf(line, SUM_LINE + 1, "sum %016" PRIx64 "\n", sum_of(text, size));
}

char *orr__sealed_unpack(char *text, size_t size, const char *head)
{
    char sum[SUM_LINE + 1];
    size_t n = strlen(head);
    if (size < n + 1 + SUM_LINE || memchr(text, 0, size) || strncmp(text, head, n) != 0 || text[n] != '\n')
        return NULL;
    sum_line(text, size - SUM_LINE, sum);
    if (memcmp(text + size - SUM_LINE, sum, SUM_LINE) != 0)
        return NULL;
    size_t body = size - SUM_LINE - n - 1;
    memmove(text, text + n + 1, body);
    text[body] = '\0';
    return text;
}

char *orr__sealed_pack(const char *head, const char *body)
{
    size_t n = strlen(head) + 1 + strlen(body), capacity = n + SUM_LINE + 1;
    char *text = malloc(capacity);
    if (text) {
        (void)snprintf(text, capacity, "%s\n%s", head, body);
        sum_line(text, n, text + n);
    }
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
    char *text = orr__sealed_unpack((char *)b.data, b.size, head);
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
    char *text = orr__sealed_pack(head, body);
    orr__bytes b = { .data = (unsigned char *)text, .size = text ? strlen(text) : 0 };
    int dir = text ? own_dir(why, size) : -1;
    bool ok = false;
    if (!text) {
        (void)snprintf(why, size, "no memory");
    } else if (dir >= 0) {
        ok = orr__safe_write(dir, name, &b);
        if (!ok)
            (void)snprintf(why, size, "%s: %s", orr__env.cache_dir, strerror(errno));
    }
    if (dir >= 0)
        close(dir);
    free(text);
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
