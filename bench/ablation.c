/* Case ablation: short cases with one mechanism switched off, beside the same cases with all mechanisms; the largest gain of
 * each mechanism.
 * Must not know: how a mechanism works. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/ablation_cases.h"
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/memory.h"
#include "bench/train.h"

enum { MOST_MECHANISMS = 64, MOST_CASES = 128 };
#define TURN 0.06  /* seconds */
#define WORTH 1.03 /* a case in which a pair of processes shows a smaller ratio, either way, is not measured again */

/* ratios off/on and on/off of a case, the least favourable of all pairs of processes so far; 0: it could not be run */
typedef struct {
    const char *name;
    double gain, loss;
} evidence;

typedef struct {
    char name[64];
    double ratio;
} extreme;

typedef struct {
    const char *mechanism;
    extreme time, loss, bytes;
} row;

static char list[2048];
static const char *mechanism[MOST_MECHANISMS];
static int nmechanism;
static char cases[MOST_CASES][64];
static int ncase;

/* The library lists its mechanisms in the error for an unknown one; the names are read from there. */
static int find_mechanisms(void)
{
    (void)setenv("ORRERY_ABLATE", "?", 1);
    if (orr_init(NULL) == ORR_OK)
        (void)orr_shutdown();
    (void)unsetenv("ORRERY_ABLATE");
    const char *names = strstr(orr_error_message(), "list of ");
    if (!names)
        return bench_failed("ablation");
    (void)snprintf(list, sizeof list, "%s", names + strlen("list of "));
    char *save = NULL;
    for (char *m = strtok_r(list, " \n", &save); m && nmechanism < MOST_MECHANISMS; m = strtok_r(NULL, " \n", &save))
        if (!bench_opt.filter || strcmp(bench_opt.filter, m) == 0)
            mechanism[nmechanism++] = m;
    if (nmechanism == 0)
        (void)fprintf(stderr, "orrery-bench: ablation: no mechanism '%s'; there are: %s\n", bench_opt.filter,
                      names + strlen("list of "));
    return nmechanism == 0;
}

static void add_case(const char *line)
{
    if (ncase < MOST_CASES)
        (void)snprintf(cases[ncase++], sizeof cases[0], "%s", line);
}

static void find_cases(void)
{
    char line[64];
    for (int i = 0; ablation_case(i); i++) {
        (void)snprintf(line, sizeof line, "ablation:%s", ablation_case(i));
        add_case(line);
    }
    for (const train_case *c = train_cases; c->name; c++) {
        (void)snprintf(line, sizeof line, "train:%s", c->name);
        add_case(line);
    }
    for (const fusion_case *c = fusion_cases; c->name; c++)
        for (int small = 0; small < 2; small++) {
            (void)snprintf(line, sizeof line, "%s float32 %lld", c->name,
                           (long long)(small ? FUSION_SMALL : c->large / 8));
            add_case(line);
        }
}

/* True if the mechanism responds to measured times. */
static bool measures(const char *m)
{
    return strcmp(m, "renewal") == 0 || strcmp(m, "variants") == 0 || strcmp(m, "highway") == 0;
}

/* Starts a side. Both sides plan by the same numbers, unless the mechanism concerns those numbers. */
static int start(fusion_child *c, const char *off, const char *m)
{
    (void)setenv("ORRERY_ABLATE", off, 1);
    if (!measures(m))
        (void)setenv("ORRERY_MACHINE", "fixed", 1);
    int rc = fusion_start_ours(c, bench_cores(), true);
    (void)unsetenv("ORRERY_ABLATE");
    (void)unsetenv("ORRERY_MACHINE");
    return rc;
}

static bool ask(fusion_child *c, const char *word, const char *what, char *answer, size_t size)
{
    char line[128];
    (void)snprintf(line, sizeof line, "%s %.100s\n", word, what);
    return fusion_child_ask(c, line, answer, size) == 0;
}

/* Seconds of the shortest call of a turn; < 0: failed. */
static double turn(fusion_child *c)
{
    char answer[256], seconds[32];
    double least = -1.0;
    (void)snprintf(seconds, sizeof seconds, "%g", TURN);
    if (!ask(c, "run", seconds, answer, sizeof answer) || sscanf(answer, "%*f %*f %lf", &least) != 1)
        return -1.0;
    return least;
}

static double less(double a, double b)
{
    return a < b ? a : b;
}

/* Turns of on, off, off, on: a slow period of the machine affects both. Lowers the evidence of the case to that of this pair
 * of processes. */
static void compare(fusion_child side[2], evidence *e)
{
    char answer[256] = "";
    bool ready = true;
    for (int k = 0; k < 2 && ready; k++)
        ready = ask(&side[k], "prepare", e->name, answer, sizeof answer) && strncmp(answer, "ok", 2) == 0;
    if (!ready)
        (void)fprintf(stderr, "orrery-bench: ablation: %s is left out: %s\n", e->name, answer);
    double on = ready ? turn(&side[0]) : -1.0, off = ready ? less(turn(&side[1]), turn(&side[1])) : -1.0;
    on = ready ? less(on, turn(&side[0])) : -1.0;
    for (int k = 0; k < 2; k++)
        (void)ask(&side[k], "drop", "", answer, sizeof answer);
    e->gain = on > 0 && off > 0 ? less(e->gain, off / on) : 0.0;
    e->loss = on > 0 && off > 0 ? less(e->loss, on / off) : 0.0;
}

static void note(extreme *g, const char *name, double ratio)
{
    if (ratio > g->ratio) {
        g->ratio = ratio;
        (void)snprintf(g->name, sizeof g->name, "%.63s", name);
    }
}

/* Peaks are measured in fresh processes. */
static void compare_bytes(const char *off, row *r)
{
    for (const memory_case *c = memory_cases; c->name; c++) {
        double bytes[2] = { 0, 0 };
        for (int k = 0; k < 2; k++) {
            fusion_child child;
            char answer[256];
            if (start(&child, k ? off : "", off) != 0)
                continue;
            if (ask(&child, "peak", c->name, answer, sizeof answer) && !strncmp(answer, "ok ", 3))
                bytes[k] = strtod(answer + 3, NULL);
            fusion_child_end(&child);
        }
        if (bytes[0] > 0 && bytes[1] > 0)
            note(&r->bytes, c->name, bytes[1] / bytes[0]);
    }
}

/* Measures a pair of fresh processes: an unfavourable placement of a process's pages lasts as long as the process. */
static int compare_pair(const char *off, evidence *e, int pair)
{
    fusion_child side[2];
    int first = pair & 1; /* the side that starts first */
    const char *without[2] = { "", off };
    if (start(&side[first], without[first], off) != 0)
        return 1;
    if (start(&side[!first], without[!first], off) != 0) {
        fusion_child_end(&side[first]);
        return 1;
    }
    for (int i = 0; i < ncase; i++)
        if (e[i].gain > WORTH || e[i].loss > WORTH)
            compare(side, &e[i]);
    for (int k = 0; k < 2; k++)
        fusion_child_end(&side[k]);
    return 0;
}

static int measure(row *r, int pairs)
{
    evidence e[MOST_CASES];
    for (int i = 0; i < ncase; i++)
        e[i] = (evidence){ cases[i], HUGE_VAL, HUGE_VAL };
    for (int pair = 0; pair < pairs; pair++)
        if (compare_pair(r->mechanism, e, pair) != 0)
            return 1;
    for (int i = 0; i < ncase; i++) {
        note(&r->time, e[i].name, e[i].gain);
        note(&r->loss, e[i].name, e[i].loss);
        if (e[i].gain > WORTH || e[i].loss > WORTH)
            printf("  %-18s %5.2f in %s\n", r->mechanism, e[i].gain > WORTH ? e[i].gain : 1.0 / e[i].loss, e[i].name);
    }
    if (bench_opt.seconds <= 0.0 || bench_opt.seconds > 1.0) /* --seconds 1: without memory */
        compare_bytes(r->mechanism, r);
    return 0;
}

static double percent(double ratio)
{
    return ratio > 1.0 ? 100.0 * (ratio - 1.0) : 0.0;
}

/* A gain below `least` is noise. */
static void cells(FILE *to, const extreme *e, double least)
{
    if (e->ratio >= least)
        (void)fprintf(to, " %.0f %% | %s |", percent(e->ratio), e->name);
    else
        (void)fputs(" – |  |", to);
}

static void markdown(FILE *to, const row *r, int n)
{
    (void)fputs("| mechanism | largest gain | in the case | largest loss | in the case | memory saved | in the case |\n"
                "|---|--:|---|--:|---|--:|---|\n",
                to);
    for (int i = 0; i < n; i++) {
        (void)fprintf(to, "| `%s` |", r[i].mechanism);
        cells(to, &r[i].time, WORTH);
        cells(to, &r[i].loss, WORTH);
        cells(to, &r[i].bytes, 1.1);
        (void)fputc('\n', to);
    }
}

static int write_markdown(const row *r, int n)
{
    FILE *f = bench_opt.markdown ? fopen(bench_opt.markdown, "we") : NULL;
    if (!bench_opt.markdown)
        return 0;
    if (f)
        markdown(f, r, n);
    if (f && fclose(f) == 0)
        return 0;
    (void)fprintf(stderr, "orrery-bench: %s cannot be written\n", bench_opt.markdown);
    return 1;
}

int bench_ablation(bench_sink *out, int rounds)
{
    (void)out; /* no records: no case here has a foreign reference */
    row *r = calloc(MOST_MECHANISMS, sizeof *r);
    int rc = !r || find_mechanisms();
    if (rc == 0)
        find_cases();
    for (int i = 0; rc == 0 && i < nmechanism; i++) {
        r[i].mechanism = mechanism[i];
        rc = measure(&r[i], rounds < 2 ? 2 : rounds);
        printf("%-18s gains %5.1f %% in %-32s loses %5.1f %% in %-32s saves %5.1f %% of memory in %s\n", mechanism[i],
               percent(r[i].time.ratio), r[i].time.name, percent(r[i].loss.ratio), r[i].loss.name,
               percent(r[i].bytes.ratio), r[i].bytes.name);
        (void)fflush(stdout);
    }
    if (rc == 0)
        rc = write_markdown(r, nmechanism);
    free(r);
    return rc;
}
