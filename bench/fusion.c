/* Case fusion: element-wise and row-wise expressions beside triad, C loops and peers, in interleaved rounds.
 * Must not know: how a side computes. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/bench.h"
#include "bench/fusion.h"

enum { OURS, INSIDE, PLAIN, FAST, TRIAD, UNFUSED, PEER, SIDES = PEER + 2 * BENCH_MOST_PEERS };
#define TURN_SECONDS 0.05
#define FUSION_FRESH ((int64_t)1 << 20) /* from this number of elements on, glibc may map each result afresh */

/* Static, since records point to the names. */
static char peer_name[2 * BENCH_MOST_PEERS][64];

typedef struct setting {
    int workers, rounds, peers;
    fusion_child ours, unfused, peer[2 * BENCH_MOST_PEERS];
    bool by_default[2 * BENCH_MOST_PEERS]; /* default malloc; for large arrays, beside the peer that keeps its pages */
    double *time[SIDES];                   /* of each round; time[s][0] < 0: the side is missing */
    bench_sink *out;
} setting;

double fusion_time(double (*once)(void *), void *user, double seconds)
{
    enum { MOST = 4096 };
    static double t[MOST];
    double first = once(user), total = 0.0;
    if (first < 0.0 || first >= seconds)
        return first;
    int n = 0;
    while (n < MOST && (n < 3 || total < seconds)) {
        t[n] = once(user);
        if (t[n] < 0.0)
            return -1.0;
        total += t[n++];
    }
    return bench_median(t, n);
}

/* -- the sides ------------------------------------------------------------------------------------------- */

/* Settings for the compilers and libraries of both sides that limit vectors as ORRERY_ISA does. */
enum { LIMITS = 7 };
static int limits(const char *isa, char set[LIMITS][128])
{
    static const char *const avx2[LIMITS] = {
        "XLA_FLAGS=--xla_cpu_max_isa=AVX2",
        "ATEN_CPU_CAPABILITY=avx2",
        "TORCHINDUCTOR_CPP_MARCH=x86-64-v3",
        "ONEDNN_MAX_CPU_ISA=AVX2",
        "MKL_ENABLE_INSTRUCTIONS=AVX2",
        "OPENBLAS_CORETYPE=Haswell",
        "NPY_DISABLE_CPU_FEATURES=AVX512F AVX512CD AVX512_SKX AVX512_ICL AVX512_SPR X86_V4",
    };
    int n = isa && !strcmp(isa, "avx2") ? LIMITS : 0;
    for (int i = 0; i < n; i++)
        (void)snprintf(set[i], sizeof set[i], "%s", avx2[i]);
    return n;
}

static const char *isa_or_own(const char *isa)
{
    return isa ? isa : getenv("ORRERY_ISA");
}

int fusion_start_self(fusion_child *c, const char *isa, char *const settings[])
{
    char self[4096], set[LIMITS][128], own[32], *argv[24] = { (char[]){ "env" } };
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    int k = 1;
    if (n < 0)
        return 1;
    self[n] = 0;
    for (int i = 0; settings[i] && k < 13; i++)
        argv[k++] = settings[i];
    (void)snprintf(own, sizeof own, "ORRERY_ISA=%.16s", isa ? isa : "");
    if (isa)
        argv[k++] = own;
    for (int i = 0, m = limits(isa_or_own(isa), set); i < m; i++)
        argv[k++] = set[i];
    argv[k++] = self;
    argv[k] = (char[]){ "--serve" };
    return fusion_child_start(c, argv, false);
}

int fusion_start_ours(fusion_child *c, int workers, bool fuse)
{
    char ncpu[32], fused[24];
    (void)snprintf(ncpu, sizeof ncpu, "STARPU_NCPU=%d", workers);
    (void)snprintf(fused, sizeof fused, "ORRERY_FUSE=%s", fuse ? "on" : "off");
    return fusion_start_self(c, NULL, (char *[]){ ncpu, (char[]){ "ORRERY_BACKEND=cpu" }, fused, NULL });
}

int fusion_start_peer(fusion_child *c, const char *peer, const char *isa, int workers, bool keeps_pages)
{
    static const char *const keeping[] = { "MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=68719476736",
                                           "MALLOC_TOP_PAD_=67108864" };
    static const char *const variable[] = { "OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MKL_NUM_THREADS" };
    char command[4096], set[8][80], limit[LIMITS][128], *argv[24] = { (char[]){ "env" } };
    int n = 0;
    for (int k = 0; k < 3; k++)
        (void)snprintf(set[n++], sizeof set[0], "%s=%d", variable[k], workers);
    for (int k = 0; keeps_pages && k < 3; k++)
        (void)snprintf(set[n++], sizeof set[0], "%s", keeping[k]);
    for (int k = 0; k < n; k++)
        argv[k + 1] = set[k];
    for (int k = 0, m = limits(isa_or_own(isa), limit); k < m; k++)
        argv[++n] = limit[k];
    (void)snprintf(command, sizeof command, "exec %s", peer);
    argv[++n] = (char[]){ "sh" };
    argv[++n] = (char[]){ "-c" };
    argv[++n] = command;
    int rc = fusion_child_start(c, argv, workers == 1);
    if (rc)
        (void)fprintf(stderr, "orrery-bench: no figures of the peer '%s'\n", peer);
    return rc;
}

static void start_peers(setting *s)
{
    for (int i = 0; i < 2 * bench_opt.npeer; i++) {
        bool by_default = i >= bench_opt.npeer;
        fusion_child *c = &s->peer[s->peers];
        if (fusion_start_peer(c, bench_opt.peer[i % bench_opt.npeer], NULL, s->workers, !by_default) != 0)
            continue;
        (void)snprintf(peer_name[s->peers], sizeof peer_name[0], "%s%s", c->name, by_default ? ", default malloc" : "");
        s->by_default[s->peers++] = by_default;
    }
}

/* Prepares the case in a child, if it can compute it; the checksum must equal that of the C loop. */
static void child_prepare(fusion_child *c, const fusion_work *w, double expected)
{
    char line[128], answer[256];
    double sum = 0.0;
    c->ready = false;
    if (c->pid <= 0)
        return;
    (void)snprintf(line, sizeof line, "prepare %s %s %lld\n", w->c->name, fusion_dtype[w->dtype], (long long)w->n);
    if (fusion_child_ask(c, line, answer, sizeof answer) != 0) {
        (void)fprintf(stderr, "orrery-bench: %s: ended unasked in %s\n", c->name, w->c->name);
        fusion_child_end(c);
        return;
    }
    double tolerance = w->dtype == HAND_BF16 ? fmax(0.03, w->c->tolerance) : w->c->tolerance;
    if (sscanf(answer, "ok %lf", &sum) != 1) {
        (void)fprintf(stderr, "orrery-bench: %s: %s %s left out: %s\n", c->name, w->c->name, fusion_dtype[w->dtype],
                      strncmp(answer, "no ", 3) == 0 ? answer + 3 : answer);
    } else if (!(fabs(sum - expected) <= tolerance * fabs(expected)))
        (void)fprintf(stderr, "orrery-bench: %s: %s %s: result %g, the C loop's is %g\n", c->name, w->c->name,
                      fusion_dtype[w->dtype], sum, expected);
    else
        c->ready = true;
}

/* Seconds of a call; *inside (unless NULL): the seconds inside its kernels on all workers together. */
static double child_time(fusion_child *c, double *inside)
{
    char line[32], answer[256];
    if (!c->ready)
        return -1.0;
    (void)snprintf(line, sizeof line, "run %g\n", TURN_SECONDS);
    char *end;
    if (fusion_child_ask(c, line, answer, sizeof answer) == 0) {
        double seconds = strtod(answer, &end);
        if (inside)
            *inside = strtod(end, NULL);
        return seconds;
    }
    c->ready = false;
    return -1.0;
}

static void child_drop(fusion_child *c)
{
    char answer[64];
    if (c->pid > 0)
        (void)fusion_child_ask(c, "drop\n", answer, sizeof answer);
    c->ready = false;
}

static double plain_once(void *h)
{
    return fusion_hand_once(h, false);
}
static double fast_once(void *h)
{
    return fusion_hand_once(h, true);
}
static double triad_once(void *h)
{
    return fusion_triad_once(h);
}

static void one_round(setting *s, fusion_hand *h, int r)
{
    s->time[OURS][r] = child_time(&s->ours, &s->time[INSIDE][r]);
    s->time[PLAIN][r] = fusion_time(plain_once, h, TURN_SECONDS);
    s->time[FAST][r] = fusion_time(fast_once, h, TURN_SECONDS);
    s->time[TRIAD][r] = fusion_time(triad_once, h, TURN_SECONDS);
    s->time[UNFUSED][r] = child_time(&s->unfused, NULL);
    for (int i = 0; i < s->peers; i++)
        s->time[PEER + i][r] = child_time(&s->peer[i], NULL);
}

/* -- records --------------------------------------------------------------------------------------------- */

static void add_peer(bench_record *r, const setting *s, int side, const char *name)
{
    int i = 0;
    while (i < BENCH_PEERS && r->peer[i].name)
        i++;
    for (int k = 0; k < s->rounds; k++)
        if (s->time[side][k] < 0.0)
            return;
    if (i == BENCH_PEERS)
        return;
    r->peer[i].name = name;
    r->peer[i].value = 1e3 * bench_typical(s->time[side], s->rounds);
}

static int add_record(setting *s, const fusion_work *w)
{
    bench_record r = { .name = "fusion",
                       .metric = "time",
                       .unit = "ms",
                       .value = 1e3 * bench_typical(s->time[OURS], s->rounds),
                       .reference = "STREAM triad, as many bytes",
                       .reference_value = 1e3 * bench_typical(s->time[TRIAD], s->rounds) };
    int n = snprintf(r.params, sizeof r.params, "\"expr\": \"%s\", \"dtype\": \"%s\", \"n\": %lld, \"workers\": %d",
                     w->c->name, fusion_dtype[w->dtype], (long long)w->n, s->workers);
    if (w->c->ops)
        (void)snprintf(r.params + n, sizeof r.params - (size_t)n, ", \"ops\": %d", w->c->ops);
    r.ratio = bench_ratio(&r, false);
    add_peer(&r, s, INSIDE, "its kernels, all workers");
    add_peer(&r, s, PLAIN, "C loop");
    add_peer(&r, s, FAST, "C loop, -ffast-math");
    add_peer(&r, s, UNFUSED, "ORRERY_FUSE=off");
    for (int i = 0; i < s->peers; i++)
        add_peer(&r, s, PEER + i, peer_name[i]);
    return bench_add(s->out, &r);
}

static int measure(setting *s, const fusion_work *w)
{
    fusion_hand *h = fusion_hand_new(w, s->workers);
    if (!h)
        return 1;
    double sum = fusion_hand_checksum(h);
    child_prepare(&s->ours, w, sum);
    if (w->c->ops)
        child_prepare(&s->unfused, w, sum);
    for (int i = 0; i < s->peers; i++)
        if (!s->by_default[i] || w->n >= FUSION_FRESH)
            child_prepare(&s->peer[i], w, sum);
    int rc = s->ours.ready ? 0 : 1;
    for (int r = 0; rc == 0 && r < s->rounds; r++) {
        one_round(s, h, r);
        rc = s->time[OURS][r] < 0.0 || s->time[PLAIN][r] < 0.0 || s->time[TRIAD][r] < 0.0;
    }
    if (rc == 0)
        rc = add_record(s, w);
    child_drop(&s->ours);
    child_drop(&s->unfused);
    for (int i = 0; i < s->peers; i++)
        child_drop(&s->peer[i]);
    fusion_hand_free(h);
    return rc;
}

/* -- which ----------------------------------------------------------------------------------------------- */

/* True if the filter selects the line: "poly6/float32/4096/1" selects one, a shorter filter all lines that begin
 * with it. */
static bool wanted(const fusion_work *w, int workers)
{
    char label[96];
    if (!bench_opt.filter)
        return true;
    int n =
        snprintf(label, sizeof label, "%s/%s/%lld/%d/", w->c->name, fusion_dtype[w->dtype], (long long)w->n, workers);
    size_t len = strlen(bench_opt.filter);
    return len < (size_t)n && !strncmp(label, bench_opt.filter, len) && label[len] == '/';
}

static int each_of(setting *s, const fusion_case *c, int *did)
{
    int rc = 0;
    for (int dtype = 0; dtype < HAND_DTYPES; dtype++)
        for (int small = 0; small < 2; small++) {
            fusion_work w = { c, dtype, small ? FUSION_SMALL : c->large };
            bool there = dtype == HAND_F32 || (!small && (dtype == HAND_F64 ? c->wide : c->half));
            if (!there || !wanted(&w, s->workers))
                continue;
            (*did)++;
            rc |= measure(s, &w);
        }
    return rc;
}

static bool any_wanted(int workers)
{
    for (const fusion_case *c = fusion_cases; c->name; c++)
        for (int dtype = 0; dtype < HAND_DTYPES; dtype++)
            if (wanted(&(fusion_work){ c, dtype, c->large }, workers) ||
                wanted(&(fusion_work){ c, dtype, FUSION_SMALL }, workers))
                return true;
    return false;
}

static int with_workers(bench_sink *out, int rounds, int workers, int *did)
{
    setting s = { .workers = workers, .rounds = rounds, .out = out };
    if (!any_wanted(workers))
        return 0;
    int rc = 0;
    for (int i = 0; i < SIDES; i++) {
        s.time[i] = calloc((size_t)rounds, sizeof(double));
        rc |= !s.time[i];
    }
    if (rc == 0 &&
        (rc = fusion_start_ours(&s.ours, workers, true) | fusion_start_ours(&s.unfused, workers, false)) == 0) {
        start_peers(&s);
        for (const fusion_case *c = fusion_cases; c->name; c++)
            rc |= each_of(&s, c, did);
    }
    fusion_child_end(&s.ours);
    fusion_child_end(&s.unfused);
    for (int i = 0; i < s.peers; i++)
        fusion_child_end(&s.peer[i]);
    for (int i = 0; i < SIDES; i++)
        free(s.time[i]);
    return rc;
}

void bench_fusion_list(void)
{
    for (const fusion_case *c = fusion_cases; c->name; c++)
        printf("  fusion:%-13s %s\n", c->name, c->what);
}

int bench_fusion(bench_sink *out, int rounds)
{
    int did = 0, cores = bench_cores();
    int rc = with_workers(out, rounds, 1, &did);
    if (cores > 1)
        rc |= with_workers(out, rounds, cores, &did);
    if (did == 0) {
        (void)fprintf(stderr, "orrery-bench: fusion has no case '%s'; these are there:\n", bench_opt.filter);
        bench_fusion_list();
        return 1;
    }
    return rc;
}
