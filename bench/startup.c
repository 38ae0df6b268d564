/* Case startup: processes from their start to the first result, with empty caches and with those of the previous
 * process.
 * Must not know: other cases. */
#include "config.h"
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "bench/bench.h"

enum { LOADED, READY, FIRST, DOWN, PHASES };

/* -- the process that is measured -------------------------------------------------------------------------- */

static int ours(double at[PHASES])
{
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("startup");
    at[READY] = bench_now();
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(256, 256));
    double sum = 0.0;
    orr_status st = orr_item(orr_sum(orr_relu(orr_matmul(x, x)), ORR_AXES(0, 1), false), &sum);
    at[FIRST] = bench_now();
    (void)orr_scope_end(s);
    if (st != ORR_OK || sum != 256.0 * 256.0 * 256.0)
        return bench_failed("startup");
    return orr_shutdown() == ORR_OK ? 0 : bench_failed("startup");
}

static int bare(double at[PHASES])
{
    if (peer_starpu_start("lws") != 0)
        return 1;
    at[READY] = bench_now();
    if (peer_starpu_tasks(1, false, NULL) < 0.0)
        return 1;
    at[FIRST] = bench_now();
    peer_starpu_stop();
    return 0;
}

int bench_start(const char *side)
{
    double at[PHASES] = { [LOADED] = bench_now() };
    int rc = strcmp(side, "bare") == 0 ? bare(at) : ours(at);
    at[DOWN] = bench_now();
    for (int i = 0; i < PHASES; i++)
        printf("%.9f ", at[i]);
    (void)putchar('\n');
    return rc;
}

/* -- the one that measures --------------------------------------------------------------------------------- */

/* The folder of everything that is kept between runs. */
static char folder[] = "/tmp/orrery-bench-XXXXXX";

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    return at->level == 0 || remove(path) == 0 ? 0 : 1;
}

static void empty(void)
{
    if (nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        (void)fprintf(stderr, "orrery-bench: startup: %s could not be emptied\n", folder);
}

static void in_child(const char *side, int to)
{
    static const char *const kept[] = { "HOME", "STARPU_HOME", "XDG_CACHE_HOME" };
    for (int i = 0; i < 3; i++)
        (void)setenv(kept[i], folder, 1);
    if (dup2(to, 1) == 1)
        (void)execl("/proc/self/exe", "orrery-bench", "--start", side, (char *)NULL);
    _exit(127);
}

/* Seconds of the phases of a process. 0, or 1 if it failed. */
static int start_one(const char *side, double phase[PHASES])
{
    char line[256] = "";
    int up[2], status = -1;
    if (pipe(up) != 0)
        return 1;
    double begin = bench_now(), at[PHASES];
    pid_t pid = fork();
    if (pid == 0)
        in_child(side, up[1]);
    (void)close(up[1]);
    FILE *f = fdopen(up[0], "r");
    bool got = f && fgets(line, sizeof line, f);
    if (f)
        (void)fclose(f);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!got || status != 0 || sscanf(line, "%lf %lf %lf %lf", &at[0], &at[1], &at[2], &at[3]) != PHASES)
        return 1;
    for (int i = 0; i < PHASES; i++)
        phase[i] = at[i] - (i ? at[i - 1] : begin);
    return 0;
}

typedef struct series {
    double *phase[PHASES], *first; /* first: from the start to the first result */
} series;

static int note(series *s, int r, const char *side)
{
    double phase[PHASES];
    if (start_one(side, phase) != 0)
        return 1;
    for (int i = 0; i < PHASES; i++)
        s->phase[i][r] = phase[i];
    s->first[r] = phase[LOADED] + phase[READY] + phase[FIRST];
    return 0;
}

static int add(bench_sink *out, int rounds, bool warm, series *mine, series *other)
{
    bench_record r = { .name = "startup",
                       .metric = "time to the first result",
                       .unit = "ms",
                       .value = 1e3 * bench_median(mine->first, rounds),
                       .reference = "the same of bare StarPU with one empty task",
                       .reference_value = 1e3 * bench_median(other->first, rounds) };
    double ms[PHASES];
    for (int i = 0; i < PHASES; i++)
        ms[i] = 1e3 * bench_median(mine->phase[i], rounds);
    (void)snprintf(r.params, sizeof r.params,
                   "\"caches\": \"%s\", \"load\": %.1f, \"init\": %.1f, \"first\": %.1f, \"shutdown\": %.1f",
                   warm ? "warm" : "cold", ms[LOADED], ms[READY], ms[FIRST], ms[DOWN]);
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

enum { SIDES = 2, STATES = 2 }; /* Orrery, bare StarPU; cold, warm */

int bench_startup(bench_sink *out, int rounds)
{
    static const char *const side[SIDES] = { "ours", "bare" };
    series s[SIDES][STATES];
    int rc = mkdtemp(folder) ? 0 : 1;
    double *block = calloc((size_t)(SIDES * STATES * (PHASES + 1) * rounds), sizeof *block), *next = block;
    rc |= !block;
    for (int i = 0; rc == 0 && i < SIDES * STATES; i++) {
        series *one = &s[i / STATES][i % STATES];
        for (int k = 0; k < PHASES; k++, next += rounds)
            one->phase[k] = next;
        one->first = next;
        next += rounds;
    }
    for (int r = 0; rc == 0 && r < rounds; r++)
        for (int i = 0; rc == 0 && i < SIDES; i++) {
            empty();
            for (int warm = 0; rc == 0 && warm < STATES; warm++)
                rc = note(&s[i][warm], r, side[i]);
            if (rc != 0)
                (void)fprintf(stderr, "orrery-bench: startup: the process that is measured (%s) failed\n", side[i]);
        }
    for (int warm = 0; rc == 0 && warm < STATES; warm++)
        rc = add(out, rounds, warm, &s[0][warm], &s[1][warm]);
    empty();
    (void)rmdir(folder);
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    free(block);
    return rc;
}
