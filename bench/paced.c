/* Cases pause and first: random programs with work of the program's own between their evaluations, and their first calls.
 * Must not know: how a program is drawn, how a side computes. */
#include "config.h"
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "bench/bench.h"
#include "bench/own_work.h"
#include "bench/random.h"
#include "bench/side.h"

#define TURN_SECONDS 0.1
enum { PROGRAMS = 14, MEGABYTES = 8 };

static const double pauses_ms[] = { 0.1, 1, 3, 25 };
enum { PAUSES = sizeof pauses_ms / sizeof *pauses_ms };

static char folder[] = "/tmp/orrery-paced-XXXXXX";

static bool make_folder(void)
{
    (void)snprintf(folder, sizeof folder, "/tmp/orrery-paced-XXXXXX");
    return mkdtemp(folder) != NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type;
    return at->level == 0 || remove(path) == 0 ? 0 : 1;
}

static void empty(void)
{
    if (nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        (void)fprintf(stderr, "orrery-bench: %s could not be emptied\n", folder);
}

static uint64_t seed(void)
{
    return bench_opt.seeded ? bench_opt.seed : (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
}

/* Draws program i into a file; its family. NULL: a printed error. */
static const char *draw(uint64_t of, int i, char path[128])
{
    const random_kind kind = { .largest = 0x1p20 * (bench_opt.megabytes ? bench_opt.megabytes : MEGABYTES) };
    char *text = random_draw(of, i, i % RANDOM_FAMILIES, &kind);
    (void)snprintf(path, 128, "%s/program", folder);
    FILE *f = text ? fopen(path, "we") : NULL;
    bool ok = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0)
        ok = false;
    free(text);
    if (!ok)
        (void)fprintf(stderr, "orrery-bench: program %d cannot be written to %s\n", i, path);
    return ok ? random_family[i % RANDOM_FAMILIES] : NULL;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the median, the 10th percentile and the number of ratios of 1 or more; sorts them. */
static void print_row(FILE *to, const char *what, double *ratio, int n)
{
    int ahead = 0;
    for (int i = 0; i < n; i++)
        ahead += ratio[i] >= 1.0;
    qsort(ratio, (size_t)n, sizeof *ratio, by_value);
    if (n)
        (void)fprintf(to, "%-36s %8d %8.2f %8.2f %5d of %d\n", what, n, ratio[(n - 1) / 10], ratio[n / 2], ahead, n);
}

/* -- pause ------------------------------------------------------------------------------------------------- */

static double ask(fusion_child *c, const char *line)
{
    char answer[256];
    return c->pid > 0 && fusion_child_ask(c, line, answer, sizeof answer) == 0 ? strtod(answer, NULL) : -1.0;
}

typedef struct {
    bench_sink *out;
    int rounds, n[2][PAUSES];
    fusion_child ours;
    side_peers peers;
    double *time, *ratio[2][PAUSES]; /* of each round; of each program, by team and pause */
} pausing;

/* Median of the rounds of this request, in ms, and the peers' into the record. */
static double rounds_of(pausing *s, const char *line, bench_record *r)
{
    for (int k = 0; k < s->rounds; k++) {
        if ((s->time[k] = ask(&s->ours, line)) < 0.0)
            return -1.0;
        for (int i = 0; i < s->peers.n; i++)
            if (s->peers.there[i])
                s->peers.there[i] = (s->peers.time[i][k] = ask(&s->peers.child[i], line)) >= 0.0;
    }
    side_add(&s->peers, r, 1e3);
    return 1e3 * bench_typical(s->time, s->rounds);
}

static int pause_once(pausing *s, int number, const char *family, int team, int p, double steady)
{
    char line[64];
    bench_record r = { .name = "pause", .metric = "time", .unit = "ms", .reference = "a steady loop" };
    bool there[BENCH_MOST_PEERS];
    memcpy(there, s->peers.there, sizeof there);
    (void)snprintf(r.params, sizeof r.params,
                   "\"program\": %d, \"family\": \"%s\", \"own_ms\": %g, \"threads\": \"%s\"", number, family,
                   pauses_ms[p], team ? "openmp" : "one");
    (void)snprintf(line, sizeof line, "pace %g %g %d\n", TURN_SECONDS, pauses_ms[p], team);
    r.value = rounds_of(s, line, &r);
    memcpy(s->peers.there, there, sizeof there);
    r.reference_value = steady;
    for (int i = 0; i < BENCH_PEERS && r.peer[i].name; i++)
        if (i == 0 || r.peer[i].value < r.reference_value) {
            r.reference = r.peer[i].name;
            r.reference_value = r.peer[i].value;
        }
    r.ratio = bench_ratio(&r, false);
    if (r.value < 0.0)
        return 1;
    s->ratio[team][p][s->n[team][p]++] = r.ratio;
    return bench_add(s->out, &r);
}

/* Prepares the program on all sides: of the peers, those that can compute it. */
static int prepare_all(pausing *s, const char *path)
{
    char line[320], answer[512];
    (void)snprintf(line, sizeof line, "prepare random:%s %s/samples 0\n", path, folder);
    for (int i = 0; i < s->peers.n; i++)
        s->peers.there[i] =
            fusion_child_ask(&s->peers.child[i], line, answer, sizeof answer) == 0 && strncmp(answer, "ok", 2) == 0;
    if (fusion_child_ask(&s->ours, line, answer, sizeof answer) == 0 && strncmp(answer, "ok", 2) == 0)
        return 0;
    (void)fprintf(stderr, "orrery-bench: pause: %s\n", answer);
    return 1;
}

static int pause_program(pausing *s, uint64_t of, int number)
{
    char path[128], line[64], answer[64];
    const char *family = draw(of, number, path);
    if (!family || prepare_all(s, path) != 0)
        return 1;
    bench_record none = { 0 };
    (void)snprintf(line, sizeof line, "run %g\n", TURN_SECONDS);
    double steady = rounds_of(s, line, &none);
    int rc = steady < 0.0;
    for (int team = 0; team < 1 + own_work_has_team() && rc == 0; team++)
        for (int p = 0; p < PAUSES && rc == 0; p++)
            rc = pause_once(s, number, family, team, p, steady);
    (void)fusion_child_ask(&s->ours, "drop\n", answer, sizeof answer);
    for (int i = 0; i < s->peers.n; i++)
        (void)fusion_child_ask(&s->peers.child[i], "drop\n", answer, sizeof answer);
    return rc;
}

static void pause_report(pausing *s, uint64_t of)
{
    FILE *to = bench_table(s->out);
    (void)fprintf(to, "\nthe reference's time over ours, seed %llu%s\n%-36s %8s %8s %8s %5s\n", (unsigned long long)of,
                  s->peers.n ? "" : "; the reference is our own steady loop", "own work before each call", "programs",
                  "p10", "median", "ahead");
    for (int team = 0; team < 2; team++)
        for (int p = 0; p < PAUSES; p++) {
            char what[64];
            (void)snprintf(what, sizeof what, "%g ms on %s", pauses_ms[p], team ? "a team of OpenMP" : "one thread");
            print_row(to, what, s->ratio[team][p], s->n[team][p]);
        }
}

int bench_pause(bench_sink *out, int rounds)
{
    pausing s = { .out = out, .rounds = rounds };
    int programs = bench_opt.programs ? bench_opt.programs : PROGRAMS, rc = !make_folder();
    uint64_t of = seed();
    char ncpu[32];
    (void)snprintf(ncpu, sizeof ncpu, "STARPU_NCPU=%d", bench_cores());
    s.time = calloc((size_t)rounds, sizeof *s.time);
    for (int i = 0; i < 2 * PAUSES; i++)
        rc |= !(s.ratio[i / PAUSES][i % PAUSES] = calloc((size_t)programs, sizeof(double)));
    bench_await_kernels(true);
    rc = rc || !s.time || fusion_start_self(&s.ours, NULL, (char *[]){ ncpu, NULL }) != 0 ||
         side_start(&s.peers, NULL, bench_cores(), rounds) != 0;
    bench_await_kernels(false);
    for (int i = 0; i < programs && rc == 0; i++)
        rc = pause_program(&s, of, i);
    pause_report(&s, of);
    fusion_child_end(&s.ours);
    side_end(&s.peers);
    for (int i = 0; i < 2 * PAUSES; i++)
        free(s.ratio[i / PAUSES][i % PAUSES]);
    free(s.time);
    empty();
    (void)rmdir(folder);
    return rc;
}

/* -- first ------------------------------------------------------------------------------------------------- */

enum { MARKS = 4, STATES = 2 };
static const int mark[MARKS] = { 1, 10, 100, 1000 };

/* Of one process. slow: the calls after the third that took more than five times as long as the later ones. */
typedef struct {
    double ms[MARKS], later;
    int slow;
} first_calls;

/* Whose calls are counted: those of arithmetic on all cores are slow by the machine alone. */
enum { OURS, ARITHMETIC, PEERS, SIDES };
static const char *const side_name[SIDES] = { "ours", "arithmetic on all cores", "the peers, least" };

typedef struct {
    bench_sink *out;
    int n;
    double *ratio[STATES][MARKS], *slow[STATES][SIDES];
} starting;

/* Of as many regions as calls are counted, each as long as a later call: those that take more than five times as long as the median. */
static int slow_regions(double ms)
{
    enum { REGIONS = 997, TRIES = 20, FIRST = 64 };
    static double time[REGIONS], sorted[REGIONS];
    double t0 = bench_now();
    for (int i = 0; i < TRIES; i++)
        (void)own_region(FIRST, true);
    double each = (bench_now() - t0) / TRIES / FIRST;
    int times = each > 0 && ms > 1e3 * each ? (int)(1e-3 * ms / each) : 1, slow = 0;
    for (int i = 0; i < REGIONS; i++) {
        t0 = bench_now();
        (void)own_region(times, true);
        time[i] = sorted[i] = bench_now() - t0;
    }
    qsort(sorted, REGIONS, sizeof *sorted, by_value);
    for (int i = 0; i < REGIONS; i++)
        slow += time[i] > 5 * sorted[REGIONS / 2];
    return slow;
}

static bool ask_first(fusion_child *c, const char *path, first_calls *r)
{
    char line[160], answer[256] = "it ended unasked";
    (void)snprintf(line, sizeof line, "first %s\n", path);
    bool ok = fusion_child_ask(c, line, answer, sizeof answer) == 0 &&
              sscanf(answer, "ok %lf %lf %lf %lf %lf %d", &r->ms[0], &r->ms[1], &r->ms[2], &r->ms[3], &r->later,
                     &r->slow) == MARKS + 2;
    if (!ok)
        (void)fprintf(stderr, "orrery-bench: first: %s\n", answer);
    return ok;
}

static int first_of_ours(const char *path, first_calls *r)
{
    fusion_child c;
    char home[160], ncpu[32];
    (void)snprintf(ncpu, sizeof ncpu, "STARPU_NCPU=%d", bench_cores());
    (void)snprintf(home, sizeof home, "ORRERY_CACHE_DIR=%s/cache", folder);
    if (fusion_start_self(&c, NULL, (char *[]){ ncpu, home, NULL }) != 0)
        return 1;
    bool ok = ask_first(&c, path, r);
    fusion_child_end(&c);
    return !ok;
}

/* The peers' compiled code is kept in the folder, too. A peer that cannot compute the program is left out. */
static void first_of_peers(const char *path, int most, first_calls *r, const char **name)
{
    static char names[BENCH_MOST_PEERS][48];
    static const char *const caches[] = { "JAX_COMPILATION_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR" };
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        (void)setenv(caches[i], folder, 1);
    (void)setenv("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0", 1);
    for (int i = 0; i < most; i++) {
        fusion_child c;
        name[i] = NULL;
        if (fusion_start_peer(&c, bench_opt.peer[i], NULL, bench_cores(), true) != 0)
            continue;
        (void)snprintf(names[i], sizeof names[i], "%s", c.name);
        name[i] = ask_first(&c, path, &r[i]) ? names[i] : NULL;
        fusion_child_end(&c);
    }
}

static int add_first(starting *s, int number, const char *family, bool warm, const char *path)
{
    first_calls ours, of[BENCH_PEERS];
    const char *name[BENCH_PEERS];
    int rc = first_of_ours(path, &ours), peers = bench_opt.npeer < BENCH_PEERS ? bench_opt.npeer : BENCH_PEERS;
    int of_arithmetic = rc == 0 ? slow_regions(ours.later) : 0, of_peers = -1;
    if (rc == 0)
        first_of_peers(path, peers, of, name);
    for (int i = 0; i < peers && rc == 0; i++)
        of_peers = name[i] && (of_peers < 0 || of[i].slow < of_peers) ? of[i].slow : of_peers;
    for (int k = 0; k < MARKS && rc == 0; k++) {
        bench_record r = { .name = "first", .metric = "time", .unit = "ms", .reference = "as many later calls" };
        (void)snprintf(r.params, sizeof r.params,
                       "\"program\": %d, \"family\": \"%s\", \"calls\": %d, \"caches\": \"%s\", \"slow_calls\": %d, "
                       "\"slow_calls_of_arithmetic\": %d, \"slow_calls_of_peers\": %d",
                       number, family, mark[k], warm ? "warm" : "cold", ours.slow, of_arithmetic, of_peers);
        r.value = ours.ms[k];
        r.reference_value = mark[k] * ours.later;
        for (int i = 0, n = 0; i < peers; i++) {
            if (!name[i])
                continue;
            r.peer[n].name = name[i];
            r.peer[n].value = of[i].ms[k];
            if (n++ == 0 || of[i].ms[k] < r.reference_value) {
                r.reference = name[i];
                r.reference_value = of[i].ms[k];
            }
        }
        r.ratio = bench_ratio(&r, false);
        s->ratio[warm][k][s->n] = r.ratio;
        rc = bench_add(s->out, &r);
    }
    const double slow[SIDES] = { rc == 0 ? ours.slow : 0.0, of_arithmetic, of_peers };
    for (int i = 0; i < SIDES; i++)
        s->slow[warm][i][s->n] = slow[i];
    return rc;
}

static void first_report(const starting *s, uint64_t of)
{
    FILE *to = bench_table(s->out);
    (void)fprintf(to, "\n%s over the first calls, seed %llu\n%-36s %8s %8s %8s %5s\n",
                  bench_opt.npeer ? "the best peer's first calls" : "as many later calls", (unsigned long long)of,
                  "calls", "programs", "p10", "median", "ahead");
    for (int i = 0; i < STATES * MARKS; i++) {
        char what[64];
        (void)snprintf(what, sizeof what, "%d, %s caches", mark[i % MARKS], i < MARKS ? "cold" : "warm");
        print_row(to, what, s->ratio[i / MARKS][i % MARKS], s->n);
    }
    for (int i = 0; i < STATES * SIDES && s->n > 0; i++) {
        double *slow = s->slow[i / SIDES][i % SIDES];
        qsort(slow, (size_t)s->n, sizeof *slow, by_value);
        if (slow[s->n - 1] >= 0) /* there are peers */
            (void)fprintf(to, "calls 4 to 1000 longer than five later ones, %s caches, %s: median %g, most %g\n",
                          i < SIDES ? "cold" : "warm", side_name[i % SIDES], slow[s->n / 2], slow[s->n - 1]);
    }
}

int bench_first(bench_sink *out, int rounds)
{
    (void)rounds; /* a first call is measured once for each program */
    int programs = bench_opt.programs ? bench_opt.programs : PROGRAMS, rc = !make_folder();
    starting s = { .out = out };
    uint64_t of = seed();
    enum { ROWS = MARKS + SIDES };
    double *all = calloc((size_t)(STATES * ROWS * programs), sizeof *all);
    rc |= !all;
    for (int i = 0; i < STATES * ROWS && all; i++)
        *(i % ROWS < MARKS ? &s.ratio[i / ROWS][i % ROWS] : &s.slow[i / ROWS][i % ROWS - MARKS]) =
            all + (size_t)i * (size_t)programs;
    for (int i = 0; i < programs && rc == 0; i++) {
        char path[128];
        empty();
        const char *family = draw(of, i, path);
        rc = !family;
        for (int warm = 0; warm < STATES && rc == 0; warm++)
            rc = add_first(&s, i, family, warm, path);
        s.n += rc == 0;
    }
    if (all)
        first_report(&s, of);
    free(all);
    empty();
    (void)rmdir(folder);
    return rc;
}
