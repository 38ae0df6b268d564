/* The memory limit of this process's job: Linux control groups, as Slurm, systemd and containers set them.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/cgroup.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in a file; SIZE_MAX for "max" or without a file. */
static size_t number_in(const char *folder, const char *name)
{
    char path[PATH_MAX + 32], text[64] = "";
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return SIZE_MAX;
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        (void)fclose(f);
    if (n == 0 || text[0] < '0' || text[0] > '9')
        return SIZE_MAX;
    return (size_t)strtoull(text, NULL, 10);
}

/* The least limit of the group and of the groups above it. Inside a container only the host may know the group's name; the mounted
 * folder is then the group itself. */
static size_t least(const char *base, const char *group, const char *name)
{
    char folder[PATH_MAX];
    size_t all = number_in(base, name), own, root = strlen(base);
    if (snprintf(folder, sizeof folder, "%s%s", base, group) >= (int)sizeof folder)
        return all;
    while (strlen(folder) > root) {
        own = number_in(folder, name);
        all = own < all ? own : all;
        *strrchr(folder, '/') = '\0';
    }
    return all;
}

/* A line is "number:controllers:/group". In version 2 the number is 0 and there are no controllers. */
static size_t limit_of(char *line, const char *mount)
{
    char base[PATH_MAX], *what = strchr(line, ':'), *group = what ? strchr(what + 1, ':') : NULL;
    if (!group)
        return SIZE_MAX;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    what++;
    if (*group != '/')
        return SIZE_MAX;
    if (!*what)
        return least(mount, group, "memory.max");
    if (strcmp(what, "memory") != 0 || snprintf(base, sizeof base, "%s/memory", mount) >= (int)sizeof base)
        return SIZE_MAX;
    return least(base, group, "memory.limit_in_bytes");
}

size_t orr__job_memory(const char *self, const char *mount)
{
    char line[PATH_MAX];
    size_t all = SIZE_MAX;
    FILE *f = fopen(self ? self : "/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        size_t n = limit_of(line, mount ? mount : "/sys/fs/cgroup");
        all = n < all ? n : all;
    }
    if (f)
        (void)fclose(f);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    size_t physical = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
    return all < physical ? all : 0;
}
