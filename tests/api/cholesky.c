/* Cholesky factorisations on every engine: as a graph of tasks, with the same bits on any workers; failures inside of
 * it.
 * Must not know: how a tile is computed. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

typedef struct {
    const char *engine, *workers, *policy, *fixed, *tile_us;
} setting;

static bool start(const setting *s)
{
    setenv("ORRERY_ENGINE", s->engine, 1);
    setenv("STARPU_NCPU", s->workers, 1);
    setenv("STARPU_SCHED", s->policy, 1);
    setenv("ORRERY_DETERMINISTIC", s->fixed, 1);
    setenv("ORRERY_TILE_US", s->tile_us, 1);
    setenv("ORRERY_INLINE_US", "0", 1);
    bool ok = orr_init(NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s, %s workers, %s: %s", s->engine, s->workers, s->policy, orr_error_message());
    return ok;
}

/* n × n matrices, batched: X·Xᵀ/n + 1, the same in every process. */
static double *matrices(int64_t batch, int64_t n)
{
    unsigned long long seed = 7;
    double *x = malloc((size_t)(batch * n * n) * sizeof *x);
    for (int64_t i = 0; x && i < batch * n * n; i++)
        x[i] = (double)(orr_test_rand(&seed) >> 11) * 0x1p-53 - 0.5;
    for (int64_t q = 0; x && q < batch; q++)
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = i + 1; j < n; j++)
                x[(q * n + i) * n + j] = NAN; /* not read */
            x[(q * n + i) * n + i] += (double)n / 2;
        }
    return x;
}

/* The compared values: factors of one matrix, of a few, and expressions of one in the same evaluation. */
typedef struct {
    void *bytes[4];
    size_t size[4];
} results;

static void keep(results *r, int i, orr_tensor *t)
{
    const void *p = orr_data(t);
    orr_shape s = orr_tensor_shape(t);
    r->size[i] = orr_dtype_size(orr_tensor_dtype(t));
    for (int d = 0; d < s.rank; d++)
        r->size[i] *= (size_t)s.dim[d];
    ORR_CHECK_MSG(p != NULL, "%s", orr_error_message());
    r->bytes[i] = malloc(r->size[i]);
    if (p && r->bytes[i])
        memcpy(r->bytes[i], p, r->size[i]);
}

static results run(void)
{
    enum { N = 1100, M = 800 };
    results r = { { NULL }, { 0 } };
    double *one = matrices(1, N), *two = matrices(2, M);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(N, N), one), *l = orr_cholesky(a);
    orr_tensor *b = orr_cholesky(orr_cast(a, ORR_F32)), *c = orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(2, M, M), two));
    orr_tensor *again = orr_cholesky(orr_add(orr_mul(l, orr_scalar(0.01)), orr_eye(ORR_F64, N, N, 0)));
    orr_tensor *x = orr_solve_cholesky(again, orr_ones(ORR_F64, ORR_SHAPE(N, 3)));
    ORR_CHECK_MSG(orr_eval_all(ORR_TENSORS(l, b, c, x)) == ORR_OK, "%s", orr_error_message());
    keep(&r, 0, l);
    keep(&r, 1, b);
    keep(&r, 2, c);
    keep(&r, 3, x);
    (void)orr_scope_end(s);
    free(one);
    free(two);
    return r;
}

static void cholesky_bits_do_not_depend_on_workers(void)
{
    static const setting settings[] = {
        { "starpu", "2", "lws", "0", "200" },    { "starpu", "2", "lws", "1", "200" },
        { "starpu", "1", "lws", "1", "200" },    { "starpu", "2", "eager", "1", "50" },
        { "starpu", "2", "dmdas", "1", "1000" }, { "starpu", "2", "prio", "1", "200" },
        { "starpu", "2", "random", "1", "200" }, { "serial", "1", "lws", "1", "200" },
    };
    results want = { { NULL }, { 0 } };
#ifndef HAVE_STARPU
    ORR_SKIP("built without StarPU");
#endif
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        ORR_REQUIRE(start(&settings[i]));
        results r = run();
        for (int k = 0; k < 4; k++) {
            if (i)
                ORR_CHECK_MSG(r.size[k] == want.size[k] && !memcmp(r.bytes[k], want.bytes[k], r.size[k]),
                              "result %d, %s with %s workers, %s", k, settings[i].engine, settings[i].workers,
                              settings[i].policy);
            free(i ? r.bytes[k] : NULL);
        }
        want = i ? want : r;
        (void)orr_shutdown();
    }
    for (int k = 0; k < 4; k++)
        free(want.bytes[k]);
}

/* The failure is reported, and every task ends. */
static void failure_deep_in_graph_is_reported(void)
{
    static const char *const engines[] = { "serial", "starpu" };
    enum { N = 1300 };
    double *x = calloc((size_t)N * N, sizeof *x);
    ORR_REQUIRE(x != NULL);
    for (int64_t i = 0; i < N; i++)
        x[i * (N + 1)] = 2;
    for (int e = 0; e < 2; e++) {
#ifndef HAVE_STARPU
        if (e)
            break;
#endif
        ORR_REQUIRE(start(&(setting){ engines[e], "2", "lws", "0", "200" }));
        for (int i = 0; i < 12; i++) {
            static const int64_t at[] = { 0, 127, 128, 700, 1151, 1299 };
            char want[64];
            int64_t bad = at[i % 6];
            orr_scope *s = orr_scope_begin();
            x[bad * (N + 1)] = i < 6 ? -1 : NAN;
            orr_tensor *l = orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(N, N), x));
            x[bad * (N + 1)] = 2;
            snprintf(want, sizeof want, "minor of order %lld is not", (long long)bad + 1);
            ORR_CHECK(orr_eval(orr_sum(orr_matmul(l, l), ORR_ALL_AXES, false)) == ORR_ENUMERIC);
            ORR_CHECK_MSG(strstr(orr_error_message(), want) && strstr(orr_error_message(), "tests/api/cholesky.c:"),
                          "%s: %s", want, orr_error_message());
            double trace = 0;
            ORR_CHECK(orr_item(orr_sum(orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(N, N), x)), ORR_ALL_AXES, false),
                               &trace) == ORR_OK);
            ORR_CHECK_MSG(fabs(trace - N * sqrt(2)) < 1e-9, "%.17g", trace);
            (void)orr_scope_end(s);
        }
        (void)orr_shutdown();
    }
    free(x);
}

static void explain_names_cholesky_graph(void)
{
#ifndef HAVE_STARPU
    ORR_SKIP("built without StarPU");
#endif
    ORR_REQUIRE(start(&(setting){ "starpu", "2", "lws", "0", "200" }));
    char *text = explained_text(orr_cholesky(orr_eye(ORR_F32, 1024, 1024, 0)));
    ORR_CHECK_MSG(strstr(text, "devices have no kernel") && strstr(text, "8 tiles, a graph of 136 tasks"), "%s", text);
    free(text);
    (void)orr_shutdown();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cholesky_bits_do_not_depend_on_workers),
                                      ORR_TEST(failure_deep_in_graph_is_reported),
                                      ORR_TEST(explain_names_cholesky_graph),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.cholesky", tests);
}
