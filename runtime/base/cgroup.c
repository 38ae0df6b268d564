/* The limits of this process's job: Linux control groups, as Slurm, systemd and containers set them.
 * Must not know: its callers. */
#include "config.h"
#include "runtime/base/cgroup.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The text of a file; false: there is none. */
static bool text_in(const char *folder, const char *name, char text[64])
{
    char path[PATH_MAX + 32];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, 63, f) : 0;
    if (f)
        (void)fclose(f);
    text[n] = '\0';
    return n > 0;
}

/* A limit of one group; infinite for "max", -1, or without a file. */
typedef double limit(const char *folder);

static double number(const char *text)
{
    return text[0] >= '0' && text[0] <= '9' ? (double)strtoull(text, NULL, 10) : HUGE_VAL;
}

static double number_in(const char *folder, const char *name)
{
    char text[64];
    return text_in(folder, name, text) ? number(text) : HUGE_VAL;
}

static double memory_2(const char *folder)
{
    return number_in(folder, "memory.max");
}

static double memory_1(const char *folder)
{
    return number_in(folder, "memory.limit_in_bytes");
}

/* Time of processors over time; a period of 0 is no limit. */
static double share(double quota, double period)
{
    return isfinite(quota) && isfinite(period) && period > 0 ? quota / period : HUGE_VAL;
}

/* "quota period" */
static double cores_2(const char *folder)
{
    char text[64];
    const char *blank = text_in(folder, "cpu.max", text) ? strchr(text, ' ') : NULL;
    return blank ? share(number(text), number(blank + 1)) : HUGE_VAL;
}

static double cores_1(const char *folder)
{
    return share(number_in(folder, "cpu.cfs_quota_us"), number_in(folder, "cpu.cfs_period_us"));
}

/* A kind of limit: the controller of version 1, and how each version writes it. */
typedef struct {
    const char *controller;
    limit *first, *second;
} kind;

/* The least limit of the group and of the groups above it. Inside a container only the host may know the group's name; the mounted
 * folder is then the group itself. */
static double least(const char *base, const char *group, limit *of)
{
    char folder[PATH_MAX];
    double all = of(base);
    size_t root = strlen(base);
    if (snprintf(folder, sizeof folder, "%s%s", base, group) >= (int)sizeof folder)
        return all;
    while (strlen(folder) > root) {
        all = fmin(all, of(folder));
        *strrchr(folder, '/') = '\0';
    }
    return all;
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, n) == 0 && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

/* A line is "number:controllers:/group". In version 2 the number is 0 and there are no controllers. */
static double limit_of(char *line, const char *mount, const kind *k)
{
    char base[PATH_MAX], *what = strchr(line, ':'), *group = what ? strchr(what + 1, ':') : NULL;
    if (!group)
        return HUGE_VAL;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    what++;
    if (*group != '/')
        return HUGE_VAL;
    if (!*what)
        return least(mount, group, k->second);
    if (!has_word(what, k->controller) ||
        snprintf(base, sizeof base, "%s/%s", mount, k->controller) >= (int)sizeof base)
        return HUGE_VAL;
    return least(base, group, k->first);
}

static double limit_here(const char *self, const char *mount, const kind *k)
{
    char line[PATH_MAX];
    double all = HUGE_VAL;
    FILE *f = fopen(self ? self : "/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f))
        all = fmin(all, limit_of(line, mount ? mount : "/sys/fs/cgroup", k));
    if (f)
        (void)fclose(f);
    return all;
}

size_t orr__job_memory(const char *self, const char *mount)
{
    static const kind memory = { "memory", memory_1, memory_2 };
    double all = limit_here(self, mount, &memory);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    double physical = pages > 0 && size > 0 ? (double)pages * (double)size : (double)(SIZE_MAX / 2);
    return all < physical ? (size_t)all : 0;
}

double orr__job_cores(const char *self, const char *mount)
{
    static const kind cores = { "cpu", cores_1, cores_2 };
    return limit_here(self, mount, &cores);
}

int orr__processors(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    double quota = ceil(orr__job_cores(NULL, NULL));
    return quota >= n ? n : quota > 1 ? (int)quota : 1;
}
