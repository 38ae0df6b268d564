/* Case random: randomly drawn programs beside peers; quantiles of the ratios and the slowest programs.
 * Must not know: how a program is drawn, how a side computes. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "bench/bench.h"
#include "bench/random.h"
#include "bench/side.h"

#define TURN_SECONDS 0.05
enum { WORST = 10, LARGE = 1000000 };

typedef struct program {
    int number, family; /* family RANDOM_FAMILIES: read from a file */
    bool large;         /* f32, and arrays of at least LARGE elements; halves and small arrays flatter ratios */
    double ratio, ours;
    double narrow;    /* ratio with both sides limited to the vectors of --isa */
    double ours_only; /* ratio with only Orrery limited to them */
    const char *best; /* the fastest peer's name, or the reference engine's */
    double best_time;
    random_work work;
} program;

typedef struct setting {
    bench_sink *out;
    const char *name; /* of the case */
    int rounds, most; /* programs */
    uint64_t seed;
    char folder[512];
    bool keep;
    fusion_child ours, reference, narrow; /* narrow: Orrery with the vectors of --isa, if it is given */
    side_peers peers, narrow_peers;
    double *time[3]; /* of each round: Orrery, the reference engine, the narrow side */
    program *done;
    int ndone;
} setting;

/* -- files ----------------------------------------------------------------------------------------------- */

typedef char path[640];

static const char *file(const setting *s, path to, const char *kind, int number)
{
    (void)snprintf(to, sizeof(path), "%s/%s%d", s->folder, kind, number);
    return to;
}

static bool make_folder(setting *s)
{
    const char *tmp = getenv("TMPDIR");
    s->keep = bench_opt.keep != NULL;
    if (s->keep)
        (void)snprintf(s->folder, sizeof s->folder, "%s", bench_opt.keep);
    else
        (void)snprintf(s->folder, sizeof s->folder, "%s/orrery-random-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    bool ok = s->keep ? mkdir(s->folder, 0700) == 0 || errno == EEXIST : mkdtemp(s->folder) != NULL;
    if (!ok)
        (void)fprintf(stderr, "orrery-bench: random: no folder %s: %s\n", s->folder, strerror(errno));
    if (ok && strpbrk(s->folder, " \t\n")) {
        (void)fprintf(stderr, "orrery-bench: random: the folder '%s' has a space in its name; TMPDIR chooses another\n",
                      s->folder);
        ok = false;
    }
    return ok;
}

static void remove_file(const setting *s, const char *kind, int number)
{
    path p;
    (void)unlink(file(s, p, kind, number));
}

static char *read_text(const char *name)
{
    FILE *f = fopen(name, "re");
    char *text = NULL;
    size_t n = 0, size = 0;
    while (f && !feof(f) && !ferror(f)) {
        if (n + 4096 > size) {
            char *more = realloc(text, size = 2 * size + 8192);
            if (!more)
                break;
            text = more;
        }
        n += fread(text + n, 1, 4095, f);
        text[n] = '\0';
    }
    if (f)
        (void)fclose(f);
    return text;
}

static bool write_text(const char *name, const char *text)
{
    FILE *f = fopen(name, "we");
    bool ok = f && fputs(text, f) >= 0;
    if (f && fclose(f) != 0)
        ok = false;
    if (!ok)
        (void)fprintf(stderr, "orrery-bench: random: %s cannot be written: %s\n", name, strerror(errno));
    return ok;
}

/* -- results --------------------------------------------------------------------------------------------- */

/* The largest allowed difference of two sides: |a - b| ≤ tolerance · max(1, |b|), for every sample and for the means. Some sides
 * round halves after each operation, others at the end. docs/benchmarks.md states these numbers. */
static double tolerance_of(const char *dtype)
{
    static const struct {
        const char *dtype;
        double tolerance;
    } row[] = { { "f64", 1e-9 }, { "f32", 5e-4 }, { "f16", 0.03 }, { "bf16", 0.2 }, { "i32", 0.0 } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(row[i].dtype, dtype))
            return row[i].tolerance;
    return 5e-4;
}

static bool near(double a, double b, double tolerance)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

/* True if the samples of two sides agree; else *said describes the difference. */
static bool agree(const char *one, const char *other, double tolerance, char said[160])
{
    FILE *a = fopen(one, "re"), *b = fopen(other, "re");
    bool ok = a && b;
    (void)snprintf(said, 160, "it has left no result");
    for (int result = 0; ok; result++) {
        double x[3], y[3];
        size_t n = fread(x, sizeof *x, 3, a), m = fread(y, sizeof *y, 3, b);
        if (n == 0 && m == 0)
            break;
        ok = n == 3 && m == 3 && x[0] == y[0] && x[2] == y[2];
        (void)snprintf(said, 160, "result %d has %.0f elements, expected are %.0f", result, x[0], y[0]);
        if (ok && !near(x[1], y[1], tolerance)) {
            (void)snprintf(said, 160, "the mean of result %d is %.9g, expected is %.9g", result, x[1], y[1]);
            ok = false;
        }
        for (int64_t k = 0; ok && k < (int64_t)x[2]; k++) {
            double p = 0.0, q = 0.0;
            ok = fread(&p, sizeof p, 1, a) == 1 && fread(&q, sizeof q, 1, b) == 1 && near(p, q, tolerance);
            if (!ok)
                (void)snprintf(said, 160, "sample %lld of result %d is %.9g, expected is %.9g", (long long)k, result, p,
                               q);
        }
    }
    if (a)
        (void)fclose(a);
    if (b)
        (void)fclose(b);
    return ok;
}

/* -- one program ----------------------------------------------------------------------------------------- */

static int prepare(fusion_child *c, const char *text, const char *samples, char *answer, size_t size)
{
    char line[2 * sizeof(path) + 32];
    (void)snprintf(line, sizeof line, "prepare random:%s %s 0\n", text, samples);
    if (c->pid <= 0 || fusion_child_ask(c, line, answer, size) != 0) {
        (void)snprintf(answer, size, "no it is gone");
        return 1;
    }
    return strncmp(answer, "ok ", 3) != 0;
}

static double run(fusion_child *c)
{
    char line[32], answer[256];
    (void)snprintf(line, sizeof line, "run %g\n", TURN_SECONDS);
    return fusion_child_ask(c, line, answer, sizeof answer) == 0 ? strtod(answer, NULL) : -1.0;
}

static void drop(fusion_child *c)
{
    char answer[64];
    if (c->pid > 0)
        (void)fusion_child_ask(c, "drop\n", answer, sizeof answer);
}

/* Prepares Orrery, the narrow side and the reference engine; an error unless their results agree. */
static int prepare_ours(setting *s, program *p, const char *text, const char *name, double tolerance)
{
    path ours, reference;
    char answer[512], said[160], bound[16] = "";
    (void)file(s, ours, "samples-ours", 0);
    (void)file(s, reference, "samples-reference", 0);
    static const char *const who[3] = { "Orrery", "the reference engine", "Orrery with --isa" };
    fusion_child *const child[3] = { &s->ours, &s->reference, &s->narrow };
    for (int i = 0; i < 2 + (s->narrow.pid > 0); i++) {
        if (prepare(child[i], text, i ? reference : ours, answer, sizeof answer) != 0) {
            (void)fprintf(stderr, "orrery-bench: random: %s: %s: %s\n", name, who[i], answer + 3);
            return 1;
        }
        if (i == 0 && sscanf(answer, "ok %lf %lf %lf %lf %lf %15s", &p->work.bytes, &p->work.flops, &p->work.products,
                             &p->work.seconds, &p->work.elements, bound) == 6)
            p->work.bound = bound[0] == 'm' ? "memory" : bound[0] == 'a' ? "arithmetic" : "products";
        if (i > 0 && !agree(ours, reference, tolerance, said)) {
            (void)fprintf(stderr, "orrery-bench: random: %s: a wrong result beside %s: %s\n", name, who[i], said);
            return 1;
        }
    }
    return 0;
}

/* Prepares the peers; true if at least one of them is available. */
static bool prepare_peers(setting *s, side_peers *peers, const char *text, const char *name, double tolerance)
{
    bool any = false;
    for (int i = 0; i < peers->n; i++) {
        path theirs, ours;
        char answer[512], said[160] = "";
        (void)file(s, theirs, "samples-peer", i);
        (void)file(s, ours, "samples-ours", 0);
        fusion_child *c = &peers->child[i];
        peers->there[i] = prepare(c, text, theirs, answer, sizeof answer) == 0 && agree(theirs, ours, tolerance, said);
        any = any || peers->there[i];
        if (!peers->there[i])
            (void)fprintf(stderr, "orrery-bench: random: %s left out of %s: %s\n", c->name, name,
                          strncmp(answer, "no ", 3) == 0 ? answer + 3 : said);
    }
    return any;
}

static bool measure(setting *s, bool with_reference)
{
    for (int r = 0; r < s->rounds; r++) {
        s->time[0][r] = run(&s->ours);
        s->time[1][r] = with_reference ? run(&s->reference) : 0.0;
        s->time[2][r] = s->narrow.pid > 0 ? run(&s->narrow) : 0.0;
        if (s->time[0][r] < 0.0 || s->time[1][r] < 0.0 || s->time[2][r] < 0.0)
            return false;
        side_round(&s->peers, r, TURN_SECONDS);
        side_round(&s->narrow_peers, r, TURN_SECONDS);
    }
    return true;
}

/* A record of an Orrery side, with times `time`, beside peers, or beside the reference engine if no peer is available. */
static bench_record beside(setting *s, const program *p, const char *what, double *time, const side_peers *peers,
                           bool with_reference)
{
    bench_record r = { .name = s->name, .metric = "time", .unit = "ms", .reference = "the same, op by op" };
    (void)snprintf(r.params, sizeof r.params, "\"program\": %d, %s, \"MB\": %.3g, \"bound_ms\": %.3g", p->number, what,
                   1e-6 * p->work.bytes, 1e3 * p->work.seconds);
    r.value = 1e3 * bench_typical(time, s->rounds);
    r.reference_value = with_reference ? 1e3 * bench_typical(s->time[1], s->rounds) : INFINITY;
    side_add(peers, &r, 1e3);
    for (int i = 0; i < BENCH_PEERS && r.peer[i].name; i++)
        if (r.peer[i].value < r.reference_value || (with_reference && i == 0)) {
            r.reference = r.peer[i].name;
            r.reference_value = r.peer[i].value;
        }
    r.ratio = bench_ratio(&r, false);
    return r;
}

static int add(setting *s, program *p, const char *family, const char *dtype, bool peers, bool narrow_peers)
{
    char what[96];
    (void)snprintf(what, sizeof what, "\"family\": \"%s\", \"dtype\": \"%s\"", family, dtype);
    bench_record r = beside(s, p, what, s->time[0], &s->peers, !peers);
    p->ours = 1e-3 * r.value;
    p->ratio = r.ratio;
    p->best = r.reference;
    p->best_time = 1e-3 * r.reference_value;
    int rc = !isfinite(r.reference_value) || bench_add(s->out, &r) != 0;
    if (rc == 0 && s->narrow.pid > 0) {
        (void)snprintf(what, sizeof what, "\"family\": \"%s\", \"dtype\": \"%s\", \"isa\": \"%.16s\"", family, dtype,
                       bench_opt.isa);
        bench_record narrow = beside(s, p, what, s->time[2], &s->narrow_peers, !narrow_peers);
        p->narrow = narrow.ratio;
        p->ours_only = r.reference_value / narrow.value;
        rc = !isfinite(narrow.reference_value) || bench_add(s->out, &narrow) != 0;
    }
    return rc;
}

static int one(setting *s, program p, const char *text)
{
    path at, explained;
    char name[96], family[24] = "file", dtype[8] = "f32", line[sizeof(path) + 16], answer[256];
    if (sscanf(text, "# %23[^,], %7[^,\n]", family, dtype) != 2)
        (void)snprintf(family, sizeof family, "file");
    (void)snprintf(name, sizeof name, "program %d (%s)", p.number, family);
    (void)file(s, at, "program-", p.number);
    if (!write_text(at, text))
        return 1;
    double tolerance = tolerance_of(dtype);
    int rc = prepare_ours(s, &p, at, name, tolerance);
    p.large = strcmp(dtype, "f32") == 0 && p.work.elements >= LARGE;
    bool peers = false, narrow = false;
    if (rc == 0) {
        peers = prepare_peers(s, &s->peers, at, name, tolerance);
        narrow = prepare_peers(s, &s->narrow_peers, at, name, tolerance);
        bool alone = !peers || (s->narrow.pid > 0 && !narrow);
        if (!alone)
            drop(&s->reference);
        rc = !measure(s, alone);
        if (rc)
            (void)fprintf(stderr, "orrery-bench: random: %s: it cannot be computed again\n", name);
    }
    if (rc == 0) {
        (void)snprintf(line, sizeof line, "explain %s\n", file(s, explained, "explain-", p.number));
        (void)fusion_child_ask(&s->ours, line, answer, sizeof answer);
        if (add(s, &p, family, dtype, peers, narrow) == 0)
            s->done[s->ndone++] = p;
    }
    drop(&s->ours);
    drop(&s->narrow);
    drop(&s->reference);
    for (int i = 0; i < s->peers.n; i++)
        drop(&s->peers.child[i]);
    for (int i = 0; i < s->narrow_peers.n; i++)
        drop(&s->narrow_peers.child[i]);
    return rc;
}

/* -- the whole ------------------------------------------------------------------------------------------- */

static int by_ratio(const void *a, const void *b)
{
    const program *p = a, *q = b;
    return (p->ratio > q->ratio) - (p->ratio < q->ratio);
}

/* The quantile of n sorted numbers: the one with rank ⌈share · n⌉. */
static double quantile(const double *sorted, int n, double share)
{
    int rank = (int)ceil(share * n);
    return sorted[rank < 1 ? 0 : rank - 1];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The tables of a report. */
enum { FULL, NARROW, OURS_NARROW, TABLES };

static double ratio_of(const program *p, int table)
{
    return table == FULL ? p->ratio : table == NARROW ? p->narrow : p->ours_only;
}

/* The rows of programs: of a family, of large ones or the others, -1: of any. */
static void print_quantiles(FILE *to, const setting *s, const char *name, int family, int large, int table)
{
    double *x = calloc((size_t)s->ndone + 1, sizeof *x);
    int n = 0, ahead = 0;
    for (int i = 0; x && i < s->ndone; i++) {
        const program *p = &s->done[i];
        if ((family < 0 || p->family == family) && (large < 0 || p->large == large)) {
            x[n] = ratio_of(p, table);
            ahead += x[n++] >= 1.0;
        }
    }
    if (x)
        qsort(x, (size_t)n, sizeof *x, by_value);
    if (n)
        (void)fprintf(to, "%-10s %8d %8.2f %8.2f %8.2f %5d of %d\n", name, n, x[0], quantile(x, n, 0.1),
                      quantile(x, n, 0.5), ahead, n);
    free(x);
}

/* The median share of the memory's rate among large programs that memory bounds. */
static void print_share(FILE *to, const setting *s)
{
    double *x = calloc((size_t)s->ndone + 1, sizeof *x);
    int n = 0, all = 0;
    for (int i = 0; x && i < s->ndone; i++) {
        const program *p = &s->done[i];
        all += p->large;
        if (p->large && p->work.bound && *p->work.bound == 'm')
            x[n++] = p->work.seconds / p->ours;
    }
    if (x)
        qsort(x, (size_t)n, sizeof *x, by_value);
    if (n)
        (void)fprintf(to, "memory bounds %d of these %d; the median of them has %.2f of its rate\n", n, all,
                      quantile(x, n, 0.5));
    free(x);
}

static void print_indented(FILE *to, const char *text)
{
    for (const char *p = text; p && *p; p += strcspn(p, "\n"), p += *p == '\n')
        (void)fprintf(to, "    %.*s\n", (int)strcspn(p, "\n"), p);
}

static void print_worst(FILE *to, const setting *s)
{
    (void)fprintf(to, "\nthe worst\n");
    for (int i = 0; i < s->ndone && i < WORST; i++) {
        const program *p = &s->done[i];
        path name;
        char *text = read_text(file(s, name, "program-", p->number));
        char *explained = read_text(file(s, name, "explain-", p->number));
        (void)fprintf(to,
                      "\n%d. ratio %.3f, program %d: %.4g ms, %s %.4g ms; bound by %s %.4g ms (%.4g MB, %.4g Mflop, "
                      "products %.4g Mflop), of which ours is %.2f\n",
                      i + 1, p->ratio, p->number, 1e3 * p->ours, p->best, 1e3 * p->best_time, p->work.bound,
                      1e3 * p->work.seconds, 1e-6 * p->work.bytes, 1e-6 * p->work.flops, 1e-6 * p->work.products,
                      p->work.seconds / p->ours);
        print_indented(to, text);
        print_indented(to, explained);
        free(text);
        free(explained);
    }
}

static void report(setting *s)
{
    FILE *to = bench_table(s->out);
    qsort(s->done, (size_t)s->ndone, sizeof *s->done, by_ratio);
    if (s->ndone == 0)
        return;
    print_worst(to, s);
    int tables = s->narrow.pid <= 0 ? NARROW : s->narrow_peers.n == 0 ? OURS_NARROW : TABLES;
    for (int t = FULL; t < tables; t++) {
        static const char *const heading = "%-10s %8s %8s %8s %8s %5s\n";
        (void)fprintf(to, "\nthe best other side's time over ours%s%s%s, seed %llu\n", t ? " with ORRERY_ISA=" : "",
                      t ? bench_opt.isa : "",
                      t == NARROW && s->narrow_peers.n > 0 ? ", peers limited too"
                      : t == OURS_NARROW                   ? ", peers not limited"
                                                           : "",
                      (unsigned long long)s->seed);
        for (int large = -1; large <= (bench_opt.large ? 0 : 1); large += 2) {
            (void)fprintf(to, heading, large > 0 ? "f32, large" : "family", "programs", "min", "p10", "median",
                          "ahead");
            for (int f = 0; f < RANDOM_FAMILIES; f++)
                print_quantiles(to, s, random_family[f], f, large, t);
            print_quantiles(to, s, "all", -1, large, t);
        }
        print_quantiles(to, s, "the others", -1, 0, t);
        if (t == FULL)
            print_share(to, s);
    }
    (void)fflush(to);
}

static int one_drawn(setting *s, int number, int family)
{
    const random_kind kind = { .largest = 0x1p20 * (bench_opt.megabytes ? bench_opt.megabytes : 64),
                               .least = bench_opt.large ? 4.0 * LARGE : 0.0,
                               .dtype = bench_opt.large ? "f32" : NULL };
    char *text = random_draw(s->seed, number, family, &kind);
    int rc = text ? one(s, (program){ .number = number, .family = family }, text) : 1;
    free(text);
    return rc;
}

static int family_of(const char *name)
{
    int f = 0;
    while (f < RANDOM_FAMILIES && strcmp(random_family[f], name) != 0)
        f++;
    return f;
}

/* SIGTERM ends the run after the present program; the results so far are reported. */
static volatile sig_atomic_t interrupted;

static void interrupt(int unused)
{
    (void)unused;
    interrupted = 1;
}

static int all(setting *s, int family)
{
    int rc = 0;
    if (bench_opt.program) {
        char *text = read_text(bench_opt.program);
        if (!text) {
            (void)fprintf(stderr, "orrery-bench: random: no program %s\n", bench_opt.program);
            return 1;
        }
        rc = one(s, (program){ .family = RANDOM_FAMILIES }, text);
        free(text);
        return rc;
    }
    (void)signal(SIGTERM, interrupt);
    for (int i = 0; i < bench_opt.programs && !interrupted; i++)
        rc |= one_drawn(s, i, family < RANDOM_FAMILIES ? family : i % RANDOM_FAMILIES);
    return rc;
}

static bool asked(const char *name)
{
    size_t n = bench_opt.filter ? strlen(bench_opt.filter) : 0;
    return n == 0 || strncmp(name, bench_opt.filter, n) == 0;
}

static int all_simulations(setting *s)
{
    int rc = 0;
    for (int i = 0; simulation[i]; i++)
        if (asked(simulation[i])) {
            char *text = simulation_text(simulation[i]);
            rc |= !text || one(s, (program){ .number = i, .family = RANDOM_FAMILIES }, text) != 0;
            free(text);
        }
    return rc;
}

static int start(setting *s)
{
    int workers = bench_cores();
    char ncpu[32];
    (void)snprintf(ncpu, sizeof ncpu, "STARPU_NCPU=%d", workers);
    bench_await_kernels(true);
    char *ours[] = { ncpu, (char[]){ "ORRERY_BACKEND=cpu" }, NULL };
    char *reference[] = { (char[]){ "ORRERY_ENGINE=serial" }, (char[]){ "ORRERY_BACKEND=cpu" },
                          (char[]){ "ORRERY_FUSE=off" }, (char[]){ "ORRERY_JIT=off" }, NULL };
    size_t most = (size_t)s->most;
    s->done = calloc(most, sizeof *s->done);
    s->time[0] = calloc((size_t)s->rounds, sizeof(double));
    s->time[1] = calloc((size_t)s->rounds, sizeof(double));
    s->time[2] = calloc((size_t)s->rounds, sizeof(double));
    if (!s->done || !s->time[0] || !s->time[1] || !s->time[2])
        return 1;
    if (bench_opt.isa && (fusion_start_self(&s->narrow, bench_opt.isa, ours) != 0 ||
                          side_start(&s->narrow_peers, bench_opt.isa, workers, s->rounds) != 0))
        return 1;
    return fusion_start_self(&s->ours, NULL, ours) || fusion_start_self(&s->reference, NULL, reference) ||
           side_start(&s->peers, NULL, workers, s->rounds);
}

static void end(setting *s)
{
    bench_await_kernels(false);
    fusion_child_end(&s->ours);
    fusion_child_end(&s->reference);
    fusion_child_end(&s->narrow);
    for (int i = 0; i < s->peers.n; i++)
        remove_file(s, "samples-peer", i);
    side_end(&s->peers);
    side_end(&s->narrow_peers);
    remove_file(s, "samples-ours", 0);
    remove_file(s, "samples-reference", 0);
    for (int i = 0; !s->keep && i < s->most; i++) {
        remove_file(s, "program-", i);
        remove_file(s, "explain-", i);
    }
    if (!s->keep)
        (void)rmdir(s->folder);
    free(s->done);
    free(s->time[0]);
    free(s->time[1]);
    free(s->time[2]);
}

int bench_random(bench_sink *out, int rounds)
{
    const char *name = bench_opt.family ? bench_opt.family : bench_opt.filter;
    int family = name ? family_of(name) : RANDOM_FAMILIES;
    if (name && family == RANDOM_FAMILIES) {
        (void)fprintf(stderr, "orrery-bench: random has no family '%s'; these are there:", name);
        for (int f = 0; f < RANDOM_FAMILIES; f++)
            (void)fprintf(stderr, " %s", random_family[f]);
        (void)fprintf(stderr, "\n");
        return 1;
    }
    if (bench_opt.programs == 0)
        bench_opt.programs = 200;
    setting s = { .out = out, .name = "random", .rounds = rounds, .most = bench_opt.programs, .seed = bench_opt.seed };
    if (!bench_opt.seeded)
        s.seed = (uint64_t)time(NULL) * 1000003u + (uint64_t)getpid();
    if (!make_folder(&s))
        return 1;
    (void)fprintf(bench_table(out), "random: %d programs of seed %llu\n", bench_opt.program ? 1 : bench_opt.programs,
                  (unsigned long long)s.seed);
    int rc = start(&s);
    if (rc == 0) {
        rc = all(&s, family);
        report(&s);
    }
    end(&s);
    return rc;
}

int bench_simulations(bench_sink *out, int rounds)
{
    setting s = { .out = out, .name = "simulate", .rounds = rounds };
    int asked_for = 0;
    for (; simulation[s.most]; s.most++)
        asked_for += asked(simulation[s.most]);
    if (asked_for == 0) {
        (void)fprintf(stderr, "orrery-bench: simulate has no program '%s'; these are there:", bench_opt.filter);
        for (int i = 0; simulation[i]; i++)
            (void)fprintf(stderr, " %s", simulation[i]);
        (void)fprintf(stderr, "\n");
        return 1;
    }
    if (!make_folder(&s))
        return 1;
    int rc = start(&s) || all_simulations(&s);
    end(&s);
    return rc;
}
