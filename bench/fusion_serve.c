/* The process that computes fusion's cases with Orrery for the measuring process: see fusion_child_start.
 * Must not know: its references. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/ablation_cases.h"
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/memory.h"
#include "bench/own_work.h"
#include "bench/private_dp.h"
#include "bench/random.h"
#include "bench/train.h"

/* Untimed calls at the start, while kernels unknown to orr_warmup (of assignments, of several outputs) are compiled
 * in the background. */
#define WARM_SECONDS 0.3

/* The case of the last request. */
static int (*compute)(void *);

static int warm(void)
{
    double begin = bench_now();
    int rc = 0;
    for (int i = 0; rc == 0 && (i < 2 || (i < 2000 && bench_now() - begin < WARM_SECONDS)); i++)
        rc = compute(NULL);
    return rc;
}

/* Reads the files of a program and of its samples from the request. */
static void prepare_random(const char *line)
{
    char program[1024], samples[1024];
    const char *why = "the question has no two files";
    random_work w;
    compute = random_ours_once;
    if (sscanf(line, "%1023s %1023s", program, samples) == 2 && random_ours_prepare(program, samples, &w, &why) == 0 &&
        warm() == 0)
        printf("ok %.9g %.9g %.9g %.9g %.9g %s\n", w.bytes, w.flops, w.products, w.seconds, w.elements, w.bound);
    else
        printf("no %s\n", why ? why : orr_error_message());
}

static void prepare(const char *line)
{
    char name[32], dtype[16];
    long long n = 0;
    double checksum = 0.0;
    fusion_work w = { 0 };
    if (sscanf(line, "prepare train:%31s", name) == 1) {
        compute = train_ours_once;
        if (train_ours_prepare(name, &checksum) == 0)
            printf("ok %.9g\n", checksum);
        else
            printf("no %s\n", orr_error_message());
        return;
    }
    if (sscanf(line, "prepare private:%31s", name) == 1) {
        compute = private_dp_ours_once;
        if (private_dp_ours_prepare(name) == 0)
            printf("ok 0\n");
        else
            printf("no %s\n", orr_error_message());
        return;
    }
    if (!strncmp(line, "prepare ablation:", 17)) {
        char *of = strdup(line + 17);
        compute = ablation_once;
        if (of)
            of[strcspn(of, "\n")] = '\0';
        if (of && ablation_prepare(of) == 0 && warm() == 0)
            printf("ok 0\n");
        else
            printf("no %s\n", orr_error_message());
        free(of);
        return;
    }
    if (!strncmp(line, "prepare random:", 15)) {
        prepare_random(line + 15);
        return;
    }
    compute = fusion_ours_once;
    if (sscanf(line, "prepare %31s %15s %lld", name, dtype, &n) == 3 && n > 0)
        w.c = fusion_find(name);
    while (w.dtype < HAND_DTYPES && strcmp(fusion_dtype[w.dtype], dtype) != 0)
        w.dtype++;
    w.n = n;
    if (!w.c || w.dtype == HAND_DTYPES)
        printf("no such case\n");
    else if (fusion_ours_prepare(&w, &checksum) != 0 || warm() != 0)
        printf("no %s\n", orr_error_message());
    else
        printf("ok %.9g\n", checksum);
}

static int calls;
static double least;

static double once(void *unused)
{
    double begin = bench_now();
    if (compute(unused) != 0)
        return -1.0;
    double t = bench_now() - begin;
    least = calls++ == 0 || t < least ? t : least;
    return t;
}

/* Prints the seconds of one call, those of them inside kernels, summed over all workers, and those of the shortest
 * call. */
static void run(double seconds)
{
    enum { KINDS = 64 };
    orr_metric kind[KINDS];
    double inside = 0.0;
    orr_stats_reset();
    calls = 0;
    double t = fusion_time(once, NULL, seconds);
    int n = orr_metrics(kind, KINDS);
    for (int i = 0; i < n && i < KINDS; i++)
        inside += kind[i].seconds;
    printf("%.9g %.9g %.9g\n", t, calls > 0 ? inside / calls : 0.0, least);
}

/* Calls with work of the program's own before each: prints the median seconds of a call. */
static void pace(const char *line)
{
    enum { MOST = 4096, LEAST = 5 };
    static double t[MOST];
    double seconds = 0.0, ms = 0.0, begin = bench_now();
    int team = 0, n = 0;
    bool ok = sscanf(line, "pace %lf %lf %d", &seconds, &ms, &team) == 3;
    while (ok && n < MOST && (n < LEAST || bench_now() - begin < seconds)) {
        own_work(1e-3 * ms, team != 0);
        ok = (t[n++] = once(NULL)) >= 0.0;
    }
    printf("%.9g\n", ok ? bench_median(t, n) : -1.0);
}

/* The first calls of a process: prints the cumulated ms after 1, 10, 100 and 1000, the median ms of the last hundred, and the number of
 * calls after the third that took more than five times as long. */
static void first(char *path)
{
    enum { FIRST = 1000, LATER = 100, MARKS = 4 };
    static double t[FIRST], last[LATER];
    double total = 0.0, at[MARKS] = { 0.0 };
    const char *why = NULL;
    int slow = 0, mark = 0;
    bool ok = random_ours_load(path, &why) == 0;
    for (int i = 1, next = 1; ok && i <= FIRST; i++) {
        double begin = bench_now();
        ok = random_ours_once(NULL) == 0;
        t[i - 1] = 1e3 * (bench_now() - begin);
        total += t[i - 1];
        if (i == next) {
            at[mark++] = total;
            next *= 10;
        }
    }
    memcpy(last, t + FIRST - LATER, sizeof last);
    double steady = bench_median(last, LATER);
    for (int i = 3; i < FIRST; i++)
        slow += t[i] > 5.0 * steady;
    if (ok)
        printf("ok %.9g %.9g %.9g %.9g %.9g %d\n", at[0], at[1], at[2], at[3], steady, slow);
    else
        printf("no %s\n", why ? why : orr_error_message());
}

static void peak(const char *line)
{
    char name[64] = "";
    double checksum = 0.0, bytes = -1.0;
    if (sscanf(line, "peak %63s", name) == 1)
        bytes = !strncmp(name, "network:", 8) ? network_peak(name + 8) : memory_ours(name, &checksum);
    if (bytes < 0.0)
        printf("no %s\n", orr_error_message());
    else
        printf("ok %.9g %.9g\n", bytes, checksum);
}

static void drop(void)
{
    fusion_ours_drop();
    train_ours_drop();
    private_dp_ours_drop();
    random_ours_drop();
    ablation_drop();
}

int bench_serve(void)
{
    char line[4096];
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    printf("ready Orrery %s\n", orr_version());
    (void)fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "prepare ", 8))
            prepare(line);
        else if (!strncmp(line, "peak ", 5))
            peak(line);
        else if (!strncmp(line, "explain ", 8)) {
            line[strcspn(line, "\n")] = '\0';
            printf(random_ours_explain(line + 8) == 0 ? "ok\n" : "no\n");
        } else if (!strncmp(line, "run ", 4))
            run(strtod(line + 4, NULL));
        else if (!strncmp(line, "pace ", 5))
            pace(line);
        else if (!strncmp(line, "first ", 6)) {
            line[strcspn(line, "\n")] = '\0';
            first(line + 6);
        } else {
            drop();
            printf("ok\n");
        }
        (void)fflush(stdout);
    }
    drop();
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
