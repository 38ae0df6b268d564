/* Case host: a program's parallel regions of OpenMP and evaluations in turns, each beside its time alone; the program's STREAM in a pause.
 * Must not know: how the library's threads sleep. */
#include "config.h"
#include <orrery.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench/bench.h"
#include "bench/own_work.h"

/* REGION: arithmetic by a team, THREAD: as much by the calling thread; TRIAD: of STREAM. */
typedef enum { REGION, THREAD, TRIAD } own;
enum { TIMES = 24, LENGTH = 1 << 21 /* doubles */, SPINS = 6000 };
#define BOUND 1.05

static const int orders[] = { 128, 256, 768 }; /* of the products that are evaluated */
enum { ORDERS = sizeof orders / sizeof *orders };

typedef struct {
    double *a, *b, *c; /* of the triad */
    int to, from;      /* the process without the library */
    pid_t pid;
} host;

/* A measurement for the process without the library. */
typedef struct {
    own what;
    int order;       /* of the product in place of which it reads and writes as many bytes, */
    double duration; /* and its thread computes alone as long: the team's threads sleep then  */
} request;

/* -- the program's own work ------------------------------------------------------------------------------------ */

static double once(const host *h, own what)
{
    double from = bench_now();
    if (what == TRIAD)
        own_triad(h->a, h->b, h->c, LENGTH);
    else if (!(own_region(SPINS, what == REGION) > 0))
        return -1;
    return bench_now() - from;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quarter that other load disturbs least. */
static double quartile(double *t)
{
    qsort(t, TIMES, sizeof *t, by_value);
    return t[TIMES / 4];
}

/* The calling thread reads and writes as many bytes as a product has: an evaluation leaves the caches no warmer. */
static void touch(double *a, int order)
{
    for (int i = 0; i < 3 * order * order / 2; i++)
        a[i] += 1;
}

static double alone(const host *h, request r, double *others)
{
    double t[TIMES];
    (void)once(h, r.what);
    for (int i = 0; i < TIMES; i++) {
        double until = bench_now() + r.duration;
        touch(others, r.order);
        while (bench_now() < until)
            (void)own_region(1, false);
        t[i] = once(h, r.what);
    }
    return quartile(t);
}

/* Each process has arrays of its own: pages that a fork shares are copied in small ones. */
static bool fill(host *h)
{
    size_t bytes = (size_t)LENGTH * sizeof *h->a;
    h->a = malloc(bytes);
    h->b = malloc(bytes);
    h->c = malloc(bytes);
    for (int i = 0; h->a && h->b && h->c && i < LENGTH; i++)
        h->a[i] = h->b[i] = h->c[i] = i;
    return h->a && h->b && h->c;
}

/* A process that never starts the library does the same work. */
static void serve(host *h, int in, int out)
{
    request r;
    double *others = calloc((size_t)LENGTH, sizeof *others);
    bool ok = fill(h) && others;
    while (ok && read(in, &r, sizeof r) == sizeof r) {
        double t = alone(h, r, others);
        if (write(out, &t, sizeof t) != sizeof t)
            break;
    }
    _exit(0);
}

static bool begin(host *h)
{
    int there[2], back[2];
    *h = (host){ .pid = -1 };
    if (pipe(there) != 0)
        return false;
    if (pipe(back) == 0 && (h->pid = fork()) == 0) {
        (void)close(there[1]);
        (void)close(back[0]);
        serve(h, there[0], back[1]);
    }
    (void)close(there[0]);
    h->to = there[1];
    if (h->pid < 0)
        return false;
    (void)close(back[1]);
    h->from = back[0];
    return fill(h);
}

static void end(host *h)
{
    if (h->pid > 0) {
        (void)close(h->to);
        (void)close(h->from);
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    free(h->a);
    free(h->b);
    free(h->c);
}

/* All threads of both processes sleep. */
static void settle(void)
{
    (void)nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
}

static double elsewhere(const host *h, own what, int order, double duration)
{
    request r = { what, order, duration };
    double t = -1;
    settle();
    return write(h->to, &r, sizeof r) == sizeof r && read(h->from, &t, sizeof t) == sizeof t ? t : -1;
}

/* -- both ------------------------------------------------------------------------------------------------------ */

static bool evaluate(orr_tensor *x)
{
    orr_scope *s = orr_scope_begin();
    bool ok = orr_eval(orr_add(orr_matmul(x, x), orr_scalar(1))) == ORR_OK;
    (void)orr_scope_end(s);
    return ok;
}

/* Each evaluation follows work of the program: a region, or as much on the calling thread alone, since work leaves the caches cold. */
static bool in_turns(const host *h, orr_tensor *x, bool both, double *region, double *ours)
{
    double t[TIMES], u[TIMES] = { 0 };
    settle();
    for (int i = -2; i < TIMES; i++) { /* the first ones warm up */
        int at = i < 0 ? 0 : i;
        u[at] = once(h, both ? REGION : THREAD);
        double from = bench_now();
        if (!evaluate(x))
            return false;
        t[at] = bench_now() - from;
    }
    *ours = quartile(t);
    *region = quartile(u);
    return true;
}

/* STREAM in a pause right after an evaluation. between: from one STREAM to the next. */
static bool in_pause(const host *h, orr_tensor *x, double *triad, double *between)
{
    double t[TIMES], u[TIMES];
    if (orr_pause() != ORR_OK)
        return false;
    for (int i = 0; i < TIMES; i++) {
        double from = bench_now();
        if (orr_resume() != ORR_OK || !evaluate(x) || orr_pause() != ORR_OK)
            return false;
        u[i] = bench_now() - from;
        t[i] = once(h, TRIAD);
    }
    *triad = quartile(t);
    *between = quartile(u);
    return orr_resume() == ORR_OK;
}

static int add(bench_sink *out, const char *what, int order, double *time, double *ratio, int rounds, int *beyond)
{
    bench_record r = { .name = "host", .metric = what, .unit = "ms", .reference = "alone" };
    double times = bench_median(ratio, rounds);
    (void)snprintf(r.params, sizeof r.params, "\"order\": %d", order);
    r.value = 1e3 * bench_median(time, rounds);
    r.reference_value = r.value / times;
    r.ratio = bench_ratio(&r, false);
    *beyond += times > BOUND;
    (void)fprintf(bench_table(out), "  %s, products of order %d: %.3f of the time alone%s\n", what, order, times,
                  times > BOUND ? ", MORE THAN 1.05" : "");
    return bench_add(out, &r);
}

enum { REGIONS, EVALUATIONS, STREAMS, KINDS };
static const char *const kind[KINDS] = { "region", "evaluation", "STREAM in a pause" };

static int order(bench_sink *out, const host *h, int n, int rounds, int *beyond)
{
    double *time = calloc((size_t)(2 * KINDS) * (size_t)rounds, sizeof *time), *ratio = time + KINDS * rounds;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(n, n), 0, 1);
    bool ok = time && orr_eval(x) == ORR_OK;
    for (int i = 0; i < 50 && ok; i++) /* the library's trials end */
        ok = evaluate(x);
    for (int i = 0; i < rounds && ok; i++) {
        double only[KINDS], none, between;
        ok = in_turns(h, x, false, &none, &only[EVALUATIONS]) &&
             (only[REGIONS] = elsewhere(h, REGION, n, only[EVALUATIONS])) > 0 &&
             in_turns(h, x, true, &time[REGIONS * rounds + i], &time[EVALUATIONS * rounds + i]) &&
             in_pause(h, x, &time[STREAMS * rounds + i], &between) &&
             (only[STREAMS] = elsewhere(h, TRIAD, n, between)) > 0;
        for (int k = 0; k < KINDS && ok; k++)
            ratio[k * rounds + i] = time[k * rounds + i] / only[k];
    }
    int rc = ok ? 0 : bench_failed("host");
    for (int k = 0; k < KINDS && rc == 0; k++)
        rc = add(out, kind[k], n, time + k * rounds, ratio + k * rounds, rounds, beyond);
    (void)orr_scope_end(s);
    free(time);
    return rc;
}

int bench_host(bench_sink *out, int rounds)
{
    host h;
    int rc = 0, beyond = 0;
    if (!own_work_has_team()) {
        (void)fprintf(bench_table(out), "host: this build has no OpenMP, whose regions are measured\n");
        return 0;
    }
    if (begin(&h) && orr_init(NULL) == ORR_OK) {
        for (int i = 0; i < ORDERS && rc == 0; i++)
            rc = order(out, &h, orders[i], rounds, &beyond);
        rc = orr_shutdown() == ORR_OK && rc == 0 ? beyond > 0 : 1;
    } else {
        rc = bench_failed("host");
    }
    end(&h);
    return rc;
}
