/* A developer's program: the regions of a corpus by two builds, or by one with two settings. It compares bits, times in
 * turns, and sizes of texts. docs/fusion.md describes its use.
 * Must not know: the way in which a text is made. */
#include "config.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>
#include "codelets/nest/cloop.h"
#include "codelets/emit/emit.h"
#include "runtime/base/hash.h"
#include "runtime/plan/passes.h"
#include "tests/harness/region_corpus.h"

/* LINE: bytes of a line. MOST_BYTES: larger regions are omitted. TURNS, SHORT: measurements of each region, and their
 * least time in seconds. */
enum { LINE = 1 << 16, TURNS = 9 };
#define MOST_BYTES 192e6
#define SHORT 2e-4

static double cpu_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t points(const rb *b)
{
    int64_t n = 1;
    for (int d = 0; d < b->r.rank; d++)
        n *= b->r.dim[d];
    return n;
}

/* -- distil: one line for each text and octave of sizes ---------------------------------------------------------- */

static int distil(const char *path)
{
    enum { SEEN = 1 << 16 };
    static uint64_t seen[SEEN];
    static char line[LINE];
    static rb b;
    FILE *f = fopen(path, "r");
    int n = 0, bad = 0;
    while (f && fgets(line, sizeof line, f) && n < SEEN / 2) {
        char *text = rco_read(line, &b) && points(&b) > 0 && rco_bytes(&b) <= MOST_BYTES ? orr__emit_c(&b.r) : NULL;
        if (!text) {
            bad++;
            continue;
        }
        int octave = (int)log2((double)points(&b));
        uint64_t hash = orr__hash(text, strlen(text), (uint64_t)octave + 1);
        free(text);
        size_t at = hash % SEEN;
        while (seen[at] && seen[at] != hash)
            at = (at + 1) % SEEN;
        if (seen[at])
            continue;
        seen[at] = hash;
        n++;
        fputs(line, stdout);
    }
    fprintf(stderr, "%d distinct, %d not replayed\n", n, bad);
    return f && fclose(f) == 0 ? 0 : 1;
}

/* -- texts: a number for the texts of each line, to compare those of two builds --------------------------------------- */

static uint64_t numbered(char *text, uint64_t number)
{
    number = text ? orr__hash(text, strlen(text), number) : number;
    free(text);
    return number;
}

/* Of the C loops, and of the kernels of devices. */
static uint64_t number_of(const orr__region *r)
{
    const orr__dialect *const dialect[] = { &orr__dialect_opencl, &orr__dialect_cuda };
    uint64_t number = numbered(orr__emit_c(r), 1);
    for (int d = 0; d < 2; d++) {
        orr__layout l;
        if (!orr__emit_can(r, true) || orr__layout_make(r, dialect[d], &l) != ORR_OK)
            continue;
        number = numbered(orr__emit(r, dialect[d], &l, true), number);
        orr__layout_free(&l);
    }
    return number;
}

static int texts(const char *path)
{
    static char line[LINE];
    static rb b;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        printf("%016llx %s", rco_read(line, &b) ? (unsigned long long)number_of(&b.r) : 0, line);
    return f && fclose(f) == 0 ? 0 : 1;
}

/* -- serve: one build, a region at a time ------------------------------------------------------------------------ */

typedef struct {
    rb b;
    rco_data plain;
    orr__kernel *k;
    int reps;
} served;

static orr_status launch(served *s, rco_data *d)
{
    orr__launch l = { .region = &s->b.r, .hi = s->b.r.dim[0], .in = d->in, .out = d->out, .scalar = s->b.scalar };
    return orr__cpu.launch(s->k, &l);
}

static double measured(served *s, int reps)
{
    double t0 = cpu_now();
    for (int i = 0; i < reps; i++)
        (void)launch(s, &s->plain);
    return (cpu_now() - t0) / reps;
}

/* Bits of a launch on each kind of data, one with halves of the rows if that is allowed. */
static uint64_t bits_of(served *s)
{
    uint64_t hash = 0;
    for (int how = RCO_PLAIN; how <= RCO_ANY; how++) {
        rco_data d;
        if (!rco_draw(&s->b, how, &d))
            return 0;
        orr__launch l = { .region = &s->b.r, .in = d.in, .out = d.out, .scalar = s->b.scalar };
        int cuts = s->b.r.rmask & 1u || !orr__region_cuttable(&s->b.r) || how == RCO_PLAIN ? 1 : 3;
        for (int c = 0; c < cuts; c++) {
            l.lo = s->b.r.dim[0] * c / cuts;
            l.hi = s->b.r.dim[0] * (c + 1) / cuts;
            hash += (uint64_t)orr__cpu.launch(s->k, &l);
        }
        hash = hash * 31 + rco_bits(&s->b, &d);
        rco_free(&d);
    }
    return hash;
}

static double children_seconds(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void let_go(served *s)
{
    if (s->k)
        orr__cpu.release(s->k);
    s->k = NULL;
    rco_free(&s->plain);
}

static void prepare(served *s, const char *line)
{
    let_go(s);
    double c0 = children_seconds();
    if (!rco_read(line, &s->b) || orr__cpu.prepare(&s->b.r, &s->k) != ORR_OK ||
        !rco_draw(&s->b, RCO_PLAIN, &s->plain)) {
        printf("0 0 0 none\n");
        return;
    }
    char *text = orr__emit_c(&s->b.r);
    size_t size = text ? strlen(text) : 0;
    free(text);
    orr__cpu_compile(s->k, &s->b.r);
    orr__cpu_compiled(s->k);
    uint64_t bits = bits_of(s);
    (void)measured(s, 1);
    double one = measured(s, 1);
    s->reps = one > SHORT ? 1 : (int)(SHORT / (one > 1e-7 ? one : 1e-7)) + 1;
    printf("%016llx %zu %.3f %s\n", (unsigned long long)bits, size, children_seconds() - c0,
           strncmp(orr__cpu_tier(s->k), "tier 1", 6) ? "interpreted" : "compiled");
}

static int serve(void)
{
    static char line[LINE];
    static served s;
    (void)setenv("ORRERY_ENGINE", "serial", 0);
    (void)setenv("ORRERY_MACHINE", "fixed", 0);
    (void)setenv("ORRERY_JIT", "wait", 0);
    if (orr_init(NULL) != ORR_OK)
        return 1;
    while (fgets(line, sizeof line, stdin)) {
        if (line[0] == 't')
            printf("%.9g\n", s.k ? measured(&s, s.reps) : 0.0);
        else
            prepare(&s, line);
        (void)fflush(stdout);
    }
    let_go(&s);
    orr_shutdown();
    return 0;
}

/* -- race: the same regions in turns by the first, by the first again, and by the second ------------------------------- */

enum { FIRST, CONTROL, SECOND, SIDES };

typedef struct {
    FILE *to, *from;
    pid_t pid;
    char bits[24], how[16];
    size_t text;
    double compile, least;
} side;

/* Starts a command of the shell that serves. */
static bool start(side *s, const char *command)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0 || (s->pid = fork()) < 0)
        return false;
    if (s->pid == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        for (int fd = 3; fd < 64; fd++)
            (void)close(fd);
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    s->to = fdopen(to[1], "w");
    s->from = fdopen(from[0], "r");
    return s->to && s->from;
}

static bool ask(side *s, const char *question, char *answer, int size)
{
    return fputs(question, s->to) >= 0 && fflush(s->to) == 0 && fgets(answer, size, s->from);
}

static bool race_one(side s[SIDES], const char *line)
{
    char answer[256];
    for (int i = 0; i < SIDES; i++) {
        s[i].least = INFINITY;
        if (!ask(&s[i], line, answer, sizeof answer) ||
            sscanf(answer, "%23s %zu %lf %15s", s[i].bits, &s[i].text, &s[i].compile, s[i].how) != 4)
            return false;
    }
    for (int turn = 0; turn < TURNS; turn++)
        for (int i = 0; i < SIDES; i++) {
            side *now = &s[(i + turn) % SIDES];
            if (!ask(now, "t\n", answer, sizeof answer))
                return false;
            now->least = fmin(now->least, strtod(answer, NULL));
        }
    return true;
}

static int race(const char *path, const char *first, const char *second)
{
    static char line[LINE];
    side s[SIDES] = { 0 };
    double log_ratio = 0, log_control = 0;
    int n = 0, other = 0, slow = 0;
    FILE *f = fopen(path, "r");
    if (!f || !start(&s[FIRST], first) || !start(&s[CONTROL], first) || !start(&s[SECOND], second))
        return 1;
    printf("first/second first/control bits us text text compile compile tier label\n");
    while (fgets(line, sizeof line, f)) {
        if (!race_one(s, line)) {
            fprintf(stderr, "a side ended at: %.60s\n", line);
            return 1;
        }
        bool same = strcmp(s[FIRST].bits, s[SECOND].bits) == 0;
        double ratio = s[FIRST].least / s[SECOND].least, control = s[FIRST].least / s[CONTROL].least;
        if (!(ratio > 0) || !isfinite(ratio) || !(control > 0))
            ratio = control = 1;
        log_ratio += log(ratio);
        log_control += log(control);
        other += !same;
        slow += ratio < 0.97 * fmin(control, 1 / control);
        n++;
        printf("%6.3f %6.3f %s %9.2f %zu %zu %.2f %.2f %s,%s %.*s\n", ratio, control, same ? "same" : "OTHER",
               1e6 * s[FIRST].least, s[FIRST].text, s[SECOND].text, s[FIRST].compile, s[SECOND].compile, s[FIRST].how,
               s[SECOND].how, (int)strcspn(line + 7, " "), line + 7);
        (void)fflush(stdout);
    }
    (void)fclose(f);
    printf("%d regions, %d with other bits, geometric mean %.3f (control %.3f), %d slower than the control by 3 %%\n",
           n, other, exp(log_ratio / (n ? n : 1)), exp(log_control / (n ? n : 1)), slow);
    for (int i = 0; i < SIDES; i++) {
        (void)fclose(s[i].to);
        (void)fclose(s[i].from);
        (void)waitpid(s[i].pid, NULL, 0);
    }
    return other ? 2 : 0;
}

/* -- nests: all nests that can compute a region in turns, beside their costs ------------------------------------------- */

typedef struct {
    served s;
    uint64_t bits;
    double least;
} nest;

/* False: there is no such nest, or it cannot be measured. */
static bool make_nest(nest *n, const char *line, int by)
{
    let_go(&n->s);
    n->least = INFINITY;
    if (!rco_read(line, &n->s.b))
        return false;
    n->s.b.r.nest = by + 1;
    if (orr__cpu.prepare(&n->s.b.r, &n->s.k) != ORR_OK || !rco_draw(&n->s.b, RCO_PLAIN, &n->s.plain))
        return false;
    orr__cpu_compile(n->s.k, &n->s.b.r);
    orr__cpu_compiled(n->s.k);
    n->bits = bits_of(&n->s);
    (void)measured(&n->s, 1);
    double one = measured(&n->s, 1);
    n->s.reps = one > SHORT ? 1 : (int)(SHORT / (one > 1e-7 ? one : 1e-7)) + 1;
    return true;
}

/* The time of the chosen nest relative to the fastest one; 0: there is one nest. */
static double nests_of(nest n[ORR__NEST_OFFERS], const char *line)
{
    static rb b;
    orr__nest_offer offer[ORR__NEST_OFFERS];
    bool has[ORR__NEST_OFFERS];
    double best = INFINITY, chosen = 0;
    int number = 0;
    if (!rco_read(line, &b) || !orr__emit_c_can(&b.r) || rco_bytes(&b) > MOST_BYTES)
        return 0;
    orr__cloop_offers(&b.r, offer);
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        number += !offer[k].no;
    for (int k = 0; k < ORR__NEST_OFFERS && number > 1; k++)
        has[k] = !offer[k].no && make_nest(&n[k], line, k);
    for (int turn = 0; turn < TURNS && number > 1; turn++)
        for (int k = 0; k < ORR__NEST_OFFERS; k++)
            if (has[k])
                n[k].least = fmin(n[k].least, measured(&n[k].s, n[k].s.reps));
    for (int k = 0; k < ORR__NEST_OFFERS && number > 1; k++) {
        best = has[k] ? fmin(best, n[k].least) : best;
        chosen = offer[k].chosen && has[k] ? n[k].least : chosen;
    }
    if (number < 2 || chosen == 0)
        return 0;
    printf("%6.3f", chosen / best);
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        if (has[k])
            printf("  %s %.4g: %.2f us%s%s", offer[k].name, offer[k].cost, 1e6 * n[k].least,
                   offer[k].chosen ? ", chosen" : "", n[k].bits == n[ORR__NEST_EACH].bits ? "" : ", OTHER bits");
    printf("  %.*s", (int)strcspn(line + 7, " "), line + 7);
    for (int d = 0; d < b.r.rank; d++)
        printf("%s%lld", d ? "x" : " ", (long long)b.r.dim[d]);
    putchar('\n');
    (void)fflush(stdout);
    return chosen / best;
}

static int nests(const char *path)
{
    static char line[LINE];
    static nest n[ORR__NEST_OFFERS];
    double sum = 0;
    int regions = 0, slow = 0;
    FILE *f = fopen(path, "r");
    (void)setenv("ORRERY_ENGINE", "serial", 0);
    (void)setenv("ORRERY_MACHINE", "fixed", 0);
    (void)setenv("ORRERY_JIT", "wait", 0);
    if (!f || orr_init(NULL) != ORR_OK)
        return 1;
    while (fgets(line, sizeof line, f)) {
        double ratio = nests_of(n, line);
        regions += ratio > 0;
        sum += ratio > 0 ? log(ratio) : 0;
        slow += ratio > 1.1;
    }
    (void)fclose(f);
    for (int k = 0; k < ORR__NEST_OFFERS; k++)
        let_go(&n[k].s);
    orr_shutdown();
    printf("%d regions with several nests: the chosen one takes %.3f of the fastest one's time, in %d more than 1.1\n",
           regions, exp(sum / (regions ? regions : 1)), slow);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "nests"))
        return nests(argv[2]);

    if (argc == 3 && !strcmp(argv[1], "distil"))
        return distil(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "texts"))
        return texts(argv[2]);
    if (argc == 2 && !strcmp(argv[1], "serve"))
        return serve();
    if (argc == 5 && !strcmp(argv[1], "race"))
        return race(argv[2], argv[3], argv[4]);
    fprintf(
        stderr,
        "usage: corpus_race distil LINES > CORPUS | texts CORPUS | race CORPUS COMMAND COMMAND | nests CORPUS | serve\n"
        "LINES: output of programs with ORRERY_PRINT=kernels. COMMAND: this program with serve, of two builds\n"
        "or with two settings, as in: race corpus 'build/tests/codelets/corpus_race serve' 'ORRERY_CC=clang …'\n");
    return 64;
}
