/* The machine's numbers: the profile in force, and the file that keeps it.
 * Must not know: StarPU, how they are measured. */
#include "config.h"
#include "runtime/base/minmax.h"
#include "runtime/cost/profile.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "codelets/codelet.h"
#include "runtime/base/env.h"
#include "runtime/base/decimal.h"
#include "runtime/base/checked_file.h"
#include "runtime/base/threshold.h"
#include "runtime/cost/machine.h"

#define HEAD "orrery machine 2"

orr__machine orr__machine_here = { .workers = 1, .cuda_device = -1 };

/* One present-day core, in round numbers. */
const orr__profile orr__profile_fixed = { .stream = 20000,
                                          .cached = 20000,
                                          .stream_all = 40000,
                                          .math = 80000,
                                          .gemm32 = 50000,
                                          .gemm64 = 25000,
                                          .kernel_us = 0.2,
                                          .task_us = 5,
                                          .latency_us = 50,
                                          .quality = 1 };

#define ROW(field, unit, low, high, meaning)                                                                           \
    {                                                                                                                  \
#field, unit, meaning, offsetof(orr__profile, field), low, high                                                \
    }
static const orr__profile_row table[] = {
    ROW(stream, "bytes/us", 200, 1e6, "memory, one core: bytes of c = a + 3 b, read and written"),
    ROW(cached, "bytes/us", 200, 1e7, "the same of arrays that the second cache holds"),
    ROW(stream_all, "bytes/us", 200, 1e8, "memory, all cores together"),
    ROW(math, "add/us", 500, 1e7, "arithmetic, one core: additions of f32, of which an exp is worth 20"),
    ROW(gemm32, "flop/us", 200, 1e7, "matrix product of f32, one core"),
    ROW(gemm64, "flop/us", 100, 1e7, "matrix product of f64, one core"),
    ROW(kernel_us, "us", 0.005, 100, "launch of a kernel on the calling thread"),
    ROW(task_us, "us", 0.05, 1000, "a task among many"),
    ROW(latency_us, "us", 1, 10000, "a task alone, from registering its data to knowing its end"),
    ROW(quality, "", 0, 1, "samples that no other work interrupted; below 0.5 the next start measures again"),
    ROW(date, "s", 0, 1e11, "the measurement, in seconds since 1970"),
};
/* An empty task among many costs 3 to 10 us where a launch takes 0.05 to 0.3. */
#define MOST_LAUNCHES 300 /* limit of a measurement */
#define GOOD 0.5          /* limit of a measurement */
enum { ROWS = sizeof table / sizeof *table };

/* Written alternately: a reader of the previous profile finds it whole. */
static orr__profile kept[2];
static const orr__profile *_Atomic in_force = &orr__profile_fixed;

const orr__profile_row *orr__profile_table(size_t i)
{
    return i < ROWS ? &table[i] : NULL;
}

const orr__profile *orr__profile_now(void)
{
    return orr__env.deterministic || orr__env.machine == ORR__MACHINE_FIXED ? &orr__profile_fixed
                                                                            : atomic_load(&in_force);
}

void orr__profile_use(const orr__profile *p)
{
    orr__profile *to = atomic_load(&in_force) == &kept[0] ? &kept[1] : &kept[0];
    if (p)
        *to = *p;
    atomic_store(&in_force, p ? to : &orr__profile_fixed);
}

/* True if the numbers are plausible together: a task costs some dozens of launches, not thousands; caches are no slower than memory; a
 * task alone takes longer than a launch, and at least a good part of one among many. */
static bool together(const orr__profile *p)
{
    /* limit of a measurement */
    return p->task_us <= MOST_LAUNCHES * p->kernel_us && p->cached >= 0.5 * p->stream &&
           p->stream_all >= 0.5 * p->stream && p->latency_us >= p->kernel_us && p->latency_us >= 0.2 * p->task_us &&
           p->gemm32 >= 0.5 * p->gemm64;
}

bool orr__profile_plausible(const orr__profile *p)
{
    orr__profile copy = *p;
    for (size_t i = 0; i < ROWS; i++) {
        double x = *orr__profile_at(&copy, &table[i]);
        if (!(x >= table[i].low && x <= table[i].high))
            return false;
    }
    return together(p);
}

bool orr__profile_due(const orr__profile *p, double now)
{
    double age = now - p->date;
    return p->quality < GOOD && !(age >= 0 && age < ORR__T_PROFILE_AGAIN);
}

void orr__profile_join(orr__profile *p, const orr__profile *other)
{
    orr__profile copy = *other;
    for (size_t i = 0; i < ROWS; i++) {
        double *x = orr__profile_at(p, &table[i]), y = *orr__profile_at(&copy, &table[i]);
        bool cost = strcmp(table[i].unit, "us") == 0;
        *x = (cost ? y < *x : y > *x) ? y : *x;
    }
}

/* -- samples -------------------------------------------------------------------------------------------------- */

static long preemptions(bool everyone)
{
    struct rusage u;
    return getrusage(everyone ? RUSAGE_SELF : RUSAGE_THREAD, &u) == 0 ? u.ru_nivcsw : 0;
}

void orr__sample_begin(orr__samples *s)
{
    s->before = preemptions(s->everyone);
}

void orr__sample_end(orr__samples *s, double value)
{
    bool clean = preemptions(s->everyone) == s->before;
    s->all++;
    s->any = s->any == 0 || value < s->any ? value : s->any;
    s->best = clean && (s->clean == 0 || value < s->best) ? value : s->best;
    s->clean += clean;
}

void orr__samples_judge(orr__profile *p, const orr__samples *s)
{
    double share = s->all ? (double)s->clean / s->all : 0;
    p->quality = ORR__MIN(share, p->quality);
}

/* -- the file ---------------------------------------------------------------------------------------------- */

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

const char *orr__profile_vectors(void)
{
    static const char *const limit[] = { "", "-sse2", "-avx2", "-avx512" };
    return limit[orr__env.isa];
}

/* Jobs on one host with other numbers of cores, or other vectors, have files of their own. */
static void file_name(char *name, size_t size)
{
    char kind[32];
    (void)snprintf(kind, sizeof kind, "machine-%d%s", cores(), orr__profile_vectors());
    orr__sealed_name(kind, name, size);
}

static bool parse(char *body, orr__profile *p)
{
    char first[200], *save = NULL;
    unsigned seen = 0;
    (void)snprintf(first, sizeof first, "of %s", orr__cpu_describe());
    char *line = strtok_r(body, "\n", &save);
    if (!line || strcmp(line, first) != 0)
        return false;
    while ((line = strtok_r(NULL, "\n", &save))) {
        char *space = strchr(line, ' '), *end;
        if (!space)
            return false;
        *space = '\0';
        for (size_t i = 0; i < ROWS; i++)
            if (strcmp(line, table[i].name) == 0) {
                *orr__profile_at(p, &table[i]) = orr__decimal(space + 1, &end);
                seen |= *end ? 0 : 1u << i;
            }
    }
    return seen == (1u << ROWS) - 1 && orr__profile_plausible(p);
}

bool orr__profile_load(orr__profile *p)
{
    char name[128], why[700];
    file_name(name, sizeof name);
    char *body = orr__sealed_read(name, HEAD, false, why, sizeof why);
    if (!body) {
        if (why[0])
            orr__log(2, "the machine is measured: %s", why);
        return false;
    }
    locale_t before = orr__point_begin();
    bool ok = parse(body, p);
    orr__point_end(before);
    if (!ok)
        orr__log(2, "the machine is measured: %s is of another machine, or makes no sense", name);
    free(body);
    return ok;
}

bool orr__profile_store(const orr__profile *p)
{
    char name[128], why[700], body[1024];
    orr__profile copy = *p;
    file_name(name, sizeof name);
    int n = snprintf(body, sizeof body, "of %s\n", orr__cpu_describe());
    locale_t before = orr__point_begin();
    for (size_t i = 0; i < ROWS && n > 0 && (size_t)n < sizeof body; i++)
        n += snprintf(body + n, sizeof body - (size_t)n, "%s %.10g\n", table[i].name,
                      *orr__profile_at(&copy, &table[i]));
    orr__point_end(before);
    bool ok = orr__sealed_write(name, HEAD, body, why, sizeof why);
    if (!ok)
        orr__log(2, "the machine's profile is not kept: %s", why);
    return ok;
}

/* -- derived bounds ------------------------------------------------------------------------------------------- */

static double within(double x, double low, double high)
{
    return x < low ? low : ORR__MIN(high, x);
}

double orr__profile_move(const orr__profile *p, double bytes)
{
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    double near = cache > 0 ? (double)cache : 1 << 20;
    return bytes <= near ? bytes / p->cached : near / p->cached + (bytes - near) / p->stream;
}

/* Work of t µs takes latency + t/w on w workers, and t on the calling thread: equal at t = latency · w/(w − 1). Of
 * several steps, less than half a task's worth is hardly shared. */
double orr__inline_us(void)
{
    double w = orr__machine_here.workers > 1 ? orr__machine_here.workers : 2, half = orr__task_worth() / 2,
           least = ORR__MIN(half, 500), latency = orr__profile_now()->latency_us;
    if (orr__env.inline_us >= 0)
        return (double)orr__env.inline_us;
    return latency * 2 <= least ? least : within(latency * w / (w - 1), least, 1000); /* w/(w − 1) is at most 2 */
}

/* The cost of a task should be some per cent of its work. */
double orr__task_worth(void)
{
    if (orr__env.tile_us >= 0)
        return orr__env.tile_us > 0 ? (double)orr__env.tile_us : 1;
    return within(25 * orr__profile_now()->task_us, 200, 1000);
}
