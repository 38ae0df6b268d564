/* Searches for bytes in the whole memory of this process and in the files of a folder.
 * Must not know: what the bytes are. */
#ifndef ORR_TESTS_MEMORY_SEARCH_H
#define ORR_TESTS_MEMORY_SEARCH_H

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/harness/harness.h"

/* The pattern, kept as its complement so that the search does not find itself. */
typedef struct {
    unsigned char turned[64];
    size_t size;
    const char *name;
} needle;

static inline needle needle_of(const char *name, const void *bytes, size_t size)
{
    needle n = { .size = size < sizeof n.turned ? size : sizeof n.turned, .name = name };
    for (size_t i = 0; i < n.size; i++)
        n.turned[i] = (unsigned char)~((const unsigned char *)bytes)[i];
    return n;
}

static inline long needle_count(const needle *n, const unsigned char *hay, size_t size)
{
    long found = 0;
    unsigned char first = (unsigned char)~n->turned[0];
    for (const unsigned char *p = hay, *end = hay + size; p < end && (p = memchr(p, first, (size_t)(end - p))) != NULL;
         p++) {
        size_t i = 0;
        while (i < n->size && p + i < end && (p[i] ^ n->turned[i]) == 0xff)
            i++;
        found += i == n->size;
    }
    return found;
}

/* False under a sanitizer, which shadows all memory, and without /proc. */
static inline bool memory_can_be_searched(void)
{
#if ORR_TEST_SANITIZED
    return false;
#else
    return access("/proc/self/mem", R_OK) == 0;
#endif
}
#define NEED_MEMORY_SEARCH()                                                                                           \
    do {                                                                                                               \
        if (!memory_can_be_searched())                                                                                 \
            ORR_SKIP("memory cannot be searched here");                                                                \
    } while (0)

/* The number of matches in every readable mapping except the kernel's own and files that nobody here can write (the code and the
 * constants of libraries). Chunks overlap by the length of a needle. −1: no /proc. */
static inline long memory_count(const needle *n)
{
    enum { CHUNK = 1 << 20 };
    static unsigned char chunk[CHUNK + sizeof n->turned];
    FILE *maps = fopen("/proc/self/maps", "re");
    int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    char line[1024];
    long found = maps && mem >= 0 ? 0 : -1;
    while (found >= 0 && fgets(line, sizeof line, maps)) {
        unsigned long long from, to;
        char mode[8];
        if (sscanf(line, "%llx-%llx %7s", &from, &to, mode) != 3 || mode[0] != 'r' || strstr(line, "[v") ||
            (mode[1] != 'w' && strchr(line, '/')))
            continue;
        for (unsigned long long at = from; at < to; at += CHUNK) {
            /* the chunk itself is searched instead of a copy of it */
            unsigned long long self = (unsigned long long)(size_t)chunk;
            if (at < self + sizeof chunk && at + sizeof chunk > self) {
                unsigned long long end = self + sizeof chunk;
                if (at < self) {
                    ssize_t got = pread(mem, chunk, (size_t)(self - at), (off_t)at);
                    found += got > 0 ? needle_count(n, chunk, (size_t)got) : 0;
                }
                at = end - CHUNK < at ? at : end - CHUNK;
                continue;
            }
            size_t want = to - at < sizeof chunk ? (size_t)(to - at) : sizeof chunk;
            ssize_t got = pread(mem, chunk, want, (off_t)at);
            found += got > 0 ? needle_count(n, chunk, (size_t)got) : 0;
        }
    }
    memset(chunk, 0, sizeof chunk);
    if (maps)
        (void)fclose(maps);
    if (mem >= 0)
        (void)close(mem);
    return found;
}

static inline long folder_count(const needle *n, const char *folder)
{
    long found = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[4096];
        struct stat st;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        (void)snprintf(path, sizeof path, "%.3000s/%.500s", folder, e->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            found += folder_count(n, path);
        FILE *f = S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
        if (f)
            (void)setvbuf(f, NULL, _IONBF, 0);
        unsigned char *all = f ? malloc((size_t)st.st_size + 1) : NULL;
        if (all)
            found += needle_count(n, all, fread(all, 1, (size_t)st.st_size, f));
        if (all)
            explicit_bzero(all, (size_t)st.st_size);
        free(all);
        if (f)
            (void)fclose(f);
    }
    if (d)
        (void)closedir(d);
    return found;
}

/* True if the mapping of this address is excluded from core dumps ("dd" in its VmFlags). */
static inline bool memory_is_not_dumped(const void *address)
{
    FILE *f = fopen("/proc/self/smaps", "re");
    char line[1024];
    unsigned long long from, to, at = (unsigned long long)(size_t)address;
    bool here = false, flagged = false;
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
            here = at >= from && at < to;
        else if (here && !strncmp(line, "VmFlags:", 8))
            flagged = strstr(line, " dd") != NULL;
    }
    if (f)
        (void)fclose(f);
    return flagged;
}

#endif
