/* Case linalg: factorisations, eigenvalues and systems, one matrix and batches, in f64. A case of long calls ends with the round in
 * which its time limit passes.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/side.h"

#define CASE_SECONDS 30 /* no further round begins after this time */

typedef struct {
    const char *what;
    int n, batch;
    double *a, *b, *out; /* (batch, n, n), (batch, n), results of the direct call */
    void *memory;
    orr_tensor *ta, *tb;
} job;

/* The matrices are symmetric, so that the order of rows and columns does not matter, with a condition of about 10; those of "eig" are
 * not symmetric. */
static double value(int q, int i, int j, bool symmetric)
{
    unsigned low = (unsigned)(i < j || !symmetric ? i : j), high = (unsigned)(i < j || !symmetric ? j : i);
    unsigned h = (low * 2654435761u + high * 40503u + (unsigned)q * 97u) * 2246822519u;
    h = (h ^ h >> 15) * 2654435761u;
    return (double)(h >> 8) / (1 << 24) - 0.5;
}

static void fill(const job *c)
{
    size_t n = (size_t)c->n;
    bool symmetric = strcmp(c->what, "eig") != 0;
    for (int q = 0; q < c->batch; q++)
        for (size_t i = 0; i < n; i++) {
            c->b[(size_t)q * n + i] = 1.0 / (double)(i + 1);
            for (size_t j = 0; j < n; j++)
                c->a[((size_t)q * n + i) * n + j] = value(q, (int)i, (int)j, symmetric) + (i == j ? (double)n / 8 : 0);
        }
}

static int ours_start(void *user)
{
    job *c = user;
    bench_settle();
    peer_blas_threads(bench_cores()); /* the direct calls left it at 1; Orrery may use every thread that it finds */
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("linalg");
    c->ta = orr_wrap(ORR_F64, c->batch > 1 ? ORR_SHAPE(c->batch, c->n, c->n) : ORR_SHAPE(c->n, c->n), c->a, NULL, NULL);
    c->tb = orr_wrap(ORR_F64, c->batch > 1 ? ORR_SHAPE(c->batch, c->n, 1) : ORR_SHAPE(c->n, 1), c->b, NULL, NULL);
    return 0;
}

static orr_status compute(const job *c)
{
    if (strcmp(c->what, "qr") == 0) {
        orr_qr_result r = orr_qr(c->ta, false);
        return orr_eval_all(ORR_TENSORS(r.q, r.r));
    }
    if (strcmp(c->what, "svd") == 0) {
        orr_svd_result r = orr_svd(c->ta, false);
        return orr_eval_all(ORR_TENSORS(r.u, r.s, r.vh));
    }
    if (strcmp(c->what, "eigh") == 0) {
        orr_eigh_result r = orr_eigh(c->ta);
        return orr_eval_all(ORR_TENSORS(r.w, r.v));
    }
    if (strcmp(c->what, "eig") == 0) {
        orr_eig_result r = orr_eig(c->ta);
        return orr_eval_all(ORR_TENSORS(r.w, r.v));
    }
    if (strcmp(c->what, "lu") == 0) {
        orr_lu_result r = orr_lu(c->ta);
        return orr_eval_all(ORR_TENSORS(r.p, r.l, r.u));
    }
    if (strcmp(c->what, "inv") == 0 || strcmp(c->what, "det") == 0)
        return orr_eval(*c->what == 'i' ? orr_inv(c->ta) : orr_det(c->ta));
    return orr_eval(strcmp(c->what, "solve") == 0 ? orr_solve(c->ta, c->tb) : orr_lstsq(c->ta, c->tb, -1).x);
}

static int ours_once(void *user)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = compute(user);
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("linalg");
}

static void ours_stop(void *user)
{
    (void)user;
    (void)orr_shutdown();
}

static int direct_start(void *user)
{
    (void)user;
    peer_blas_threads(1);
    return 0;
}

static int direct_once(void *user)
{
    job *c = user;
    size_t n = (size_t)c->n, each = 2 * n * n + n;
    int info = 0;
    for (int q = 0; q < c->batch && info == 0; q++)
        info = peer_lapack(c->what, c->n, c->a + (size_t)q * n * n, c->b + (size_t)q * n, c->out + (size_t)q * each,
                           c->memory);
    return info;
}

static int one(bench_sink *out, const char *what, int n, int batch, side_peers *peers)
{
    static const bench_side ours = { ours_start, ours_once, ours_stop }, direct = { direct_start, direct_once, NULL };
    enum { MOST = 1000 };
    static double a[MOST], b[MOST];
    size_t nn = (size_t)n * (size_t)n, count = (size_t)batch;
    job c = { .what = what,
              .n = n,
              .batch = batch,
              .a = malloc(count * nn * sizeof(double)),
              .b = malloc(count * (size_t)n * sizeof(double)),
              .out = calloc(count * (2 * nn + (size_t)n), sizeof(double)),
              .memory = peer_lapack_memory(n) };
    int all = peers->rounds, rounds = all < MOST ? all : MOST, rc = c.a && c.b && c.out && c.memory ? 0 : 1;
    char name[64];
    (void)snprintf(name, sizeof name, "linalg:%s:%d", what, batch);
    if (rc == 0) {
        fill(&c);
        side_prepare(peers, name, n, 0, -1);
    }
    double end = bench_now() + CASE_SECONDS;
    for (int r = 0; r < rounds && rc == 0; r++) {
        rc = bench_interleave(&ours, &direct, &c, 1, 0.2, &a[r], &b[r]);
        side_round(peers, r, 0.2);
        peers->rounds = rounds = bench_now() > end ? r + 1 : rounds;
    }
    if (rc == 0) {
        bench_record record = { .name = "linalg",
                                .metric = "time",
                                .unit = "ms",
                                .value = 1e3 * bench_median(a, rounds),
                                .reference = "LAPACK called directly, one matrix after the other, one thread",
                                .reference_value = 1e3 * bench_median(b, rounds) };
        (void)snprintf(record.params, sizeof record.params,
                       "\"op\": \"%s\", \"n\": %d, \"batch\": %d, \"dtype\": \"float64\"", what, n, batch);
        record.ratio = bench_ratio(&record, false);
        side_add(peers, &record, 1e3);
        rc = bench_add(out, &record);
    }
    peers->rounds = all;
    free(c.a);
    free(c.b);
    free(c.out);
    free(c.memory);
    return rc;
}

int bench_linalg(bench_sink *out, int rounds)
{
    static const char *const what[] = { "qr", "svd", "eigh", "eig", "solve", "lstsq", "lu", "inv", "det" };
    static const int extent[][2] = { { 512, 1 }, { 1000, 1 }, { 2000, 1 }, { 100, 100 }, { 16, 10000 } };
    side_peers peers;
    int rc = 0;
    if (!peer_lapack_there()) {
        (void)fputs("linalg: built without LAPACK\n", stderr);
        return 1;
    }
    if (side_start(&peers, NULL, bench_cores(), rounds) != 0)
        return 1;
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
        for (size_t i = 0; i < sizeof extent / sizeof *extent && rc == 0; i++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s/%d/%d", what[k], extent[i][0], extent[i][1]);
            if (!bench_opt.filter || strncmp(name, bench_opt.filter, strlen(bench_opt.filter)) == 0)
                rc = one(out, what[k], extent[i][0], extent[i][1], &peers);
        }
    side_end(&peers);
    return rc;
}
