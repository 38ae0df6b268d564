/* Products of many terms, cut along them: for workers that rows do not keep busy, and in little memory; compared with exact
 * sums, for factors in any order in memory.
 * Must not know: how a product is computed. */
#include "config.h"

#include <orrery.h>
#include <orrery/fft.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/variants.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/engine/execution.h"
#include "runtime/engine/machine_profile.h"
#include "runtime/plan/passes.h"
#include "tests/harness/harness.h"

static const orr__site here = { "user.c", 7, "product" };

/* Small integers: any order of sums gives the same result. */
static double *numbers(int64_t n, unsigned seed)
{
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; v && i < n; i++) {
        seed = seed * 1664525u + 1013904223u; /* Numerical Recipes */
        v[i] = (double)(seed >> 24 & 7) - 3;
    }
    return v;
}

static orr__plan *plan_of(orr_tensor *t, int workers)
{
    orr__plan *plan = NULL;
    orr__capture p;
    orr__node *node = orr__handle_node(t);
    orr__machine before = orr__machine_here;
    ORR_CHECK(orr__capture_make(here, &node, 1, &p) == ORR_OK);
    orr__machine_here = (orr__machine){ .workers = workers, .bundles = true };
    ORR_CHECK_MSG(orr__plan_make(here, &p, false, &plan) == ORR_OK, "%s", orr_error_message());
    orr__machine_here = before;
    orr__capture_free(&p);
    return plan;
}

/* The number of partial products of (m, k) · (k, n) for `workers` workers. */
static int parts(int64_t m, int64_t k, int64_t n, orr_dtype t, bool more, int workers)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_full(t, ORR_SHAPE(m, k), 1), *b = orr_full(t, ORR_SHAPE(k, n), 1);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
    orr_tensor *c = orr_matmul(a, b);
    orr__plan *p = plan_of(more ? orr_relu(c) : c, workers);
    int found = p && p->step[0].terms.parts > 1 ? p->step[0].terms.parts : 1;
    ORR_CHECK_MSG(p && p->nstep == (found > 1 ? found + 1 : 1), "%lld · %lld · %lld: %d steps, %d parts", (long long)m,
                  (long long)k, (long long)n, p ? p->nstep : 0, found);
    for (int i = 0; found > 1 && i < found; i++)
        ORR_CHECK(p->step[i].region->loops == ORR__LOOPS_PRODUCT && p->step[i].terms.part == i &&
                  !p->step[i].terms.adds && p->step[found].in[i] == p->step[i].out[0] && p->step[i].bundle.members < 2);
    orr__plan_unref(p);
    (void)orr_scope_end(s);
    return found;
}

static void many_terms_are_shared_by_all_workers(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, false, 4) == 4);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F64, false, 2) == 2);
    ORR_CHECK(parts(1, 3 * (1 << 18), 40, ORR_F32, false, 4) == 4);
    ORR_CHECK(parts(16, 3 * 5 * 7 * 11 * 13 * 17, 16, ORR_F32, false, 4) == 4);
    ORR_CHECK(parts(16, 262147, 16, ORR_F32, false, 4) == 4); /* a prime */
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F16, false, 4) == 4);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, true, 4) == 4);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, false, 1) == 1);
    ORR_CHECK(parts(64, 1 << 18, 64, ORR_F32, false, 2) == 2); /* cuts by rows would suffice, but pack twice */
    ORR_CHECK(parts(512, 512, 512, ORR_F32, false, 2) == 1);   /* cuts by rows suffice                       */
    ORR_CHECK(parts(16, 512, 16, ORR_F32, false, 4) == 1);     /* small                                      */
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

enum { M = 5, N = 7, K = 6144 };

/* A factor of rows × cols, in memory as `how` says: plain, transposed, backwards, every second row and column, broadcast. */
enum { PLAIN, TRANSPOSED, BACKWARDS, EVERY_SECOND, REPEATED, WAYS };
static orr_tensor *factor(orr_dtype t, const double *v, int64_t rows, int64_t cols, int how)
{
    orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(rows, cols), v), t);
    switch (how) {
    case TRANSPOSED: x = orr_transpose(x); break;
    case BACKWARDS: x = orr_flip(x, ORR_AXES(0, 1)); break;
    case EVERY_SECOND: {
        orr_tensor *wide = orr_stack(ORR_TENSORS(x, orr_neg(x)), 2);
        x = orr_reshape(wide, ORR_SHAPE(rows, 2 * cols));
        break;
    }
    case REPEATED: x = orr_slice_axis(x, 0, 0, 1, 1); break;
    default: break;
    }
    ORR_CHECK_MSG(orr_eval(x) == ORR_OK, "%s", orr_error_message());
    switch (how) { /* a view of the evaluated array that is rows × cols of v again */
    case TRANSPOSED: return orr_transpose(x);
    case BACKWARDS: return orr_flip(x, ORR_AXES(0, 1));
    case EVERY_SECOND: return orr_slice_axis(x, 1, 0, ORR_END, 2);
    case REPEATED: return orr_broadcast_to(x, ORR_SHAPE(rows, cols));
    default: return x;
    }
}

static void however_the_factors_lie(void)
{
    double *a = numbers(M * K, 1), *b = numbers(K * N, 2), c[M * N];
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("ORRERY_TILE_US", "1", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int k = 0; k < 2 * WAYS * WAYS; k++) {
        int left = k / 2 / WAYS, right = k / 2 % WAYS, wrong = 0;
        orr_dtype t = k % 2 ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = factor(t, a, M, K, left), *y = factor(t, b, K, N, right);
        ORR_CHECK_MSG(orr_read(orr_cast(orr_matmul(x, y), ORR_F64), c, sizeof c) == ORR_OK, "%s", orr_error_message());
        for (int64_t i = 0; i < M * N; i++) {
            double sum = 0;
            for (int64_t p = 0; p < K; p++)
                sum += a[(left == REPEATED ? 0 : i / N) * K + p] * b[(right == REPEATED ? 0 : p) * N + i % N];
            wrong += c[i] != sum;
        }
        ORR_CHECK_MSG(wrong == 0, "%d wrong, %s, factors %d and %d", wrong, orr_dtype_name(t), left, right);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_TILE_US");
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("STARPU_NCPU");
    free(a);
    free(b);
}

static void the_same_bits_for_any_number_of_workers(void)
{
    float bits[2][16 * 16];
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    for (int k = 0; k < 2; k++) {
        (void)setenv("STARPU_NCPU", k ? "2" : "1", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        orr_scope *s = orr_scope_begin();
        orr_seed(11);
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(1 << 16, 16), 0, 1);
        ORR_CHECK(orr_eval(x) == ORR_OK);
        ORR_CHECK(orr_read(orr_matmul(orr_transpose(x), x), bits[k], sizeof bits[k]) == ORR_OK);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    ORR_CHECK(memcmp(bits[0], bits[1], sizeof bits[0]) == 0);
    (void)unsetenv("STARPU_NCPU");
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

/* -- a crew's smaller shares, while its members are late ----------------------------------------------------------- */

static orr_tensor *drawn(orr_dtype t, int64_t rows, int64_t cols)
{
    orr_tensor *x = orr_cast(orr_randn(ORR_F64, ORR_SHAPE(rows, cols), 0, 1), t);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    return x;
}

/* The plan by a crew without helpers; the caller releases the result. */
static orr__buffer *by_crew(orr__plan *p, orr__buffer *const *leaf, bool uneven)
{
    static orr__crew crew;
    orr__buffer *out[1] = { NULL };
    (void)orr__crew_open(&crew, 2);
    crew.uneven = uneven;
    ORR_CHECK_MSG(orr__exec_inline(p, leaf, NULL, NULL, out, 0, &(orr__crew_of){ &crew, 2, HUGE_VAL }) == ORR_OK, "%s",
                  orr_error_message());
    orr__crew_close(&crew);
    return out[0];
}

static void parts_of_a_tile_have_its_bits(void)
{
    static const int64_t order[][3] = { { 512, 512, 512 },  { 520, 129, 700 }, { 777, 901, 64 },
                                        { 1024, 300, 451 }, { 2050, 65, 33 },  { 1300, 1, 900 } };
    static const orr_dtype type[] = { ORR_F32, ORR_F64, ORR_BF16, ORR_C64 };
    const char *isa = orr__cpu_vec()->isa;
    (void)setenv("ORRERY_MACHINE", "measured", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr__profile_wait(); /* it compares loops and BLAS, too */
    (void)orr__variants_forget();
    for (int k = 0; k < 2; k++) /* as if loops were faster than BLAS: tiles of BLAS have no parts */
        orr__variants_put(orr__hash(isa, strlen(isa), 0x1a76e), type[k], 2, 1);
    orr_seed(42);
    for (size_t k = 0; k < sizeof order / sizeof *order * 4; k++) {
        const int64_t *n = order[k / 4];
        orr_dtype t = type[k % 4];
        orr_scope *s = orr_scope_begin();
        orr_tensor *c = orr_matmul(drawn(t, n[0], n[2]), drawn(t, n[2], n[1]));
        orr__node *node = orr__handle_node(c);
        orr__buffer *leaf[2] = { node->in[0]->value, node->in[1]->value }, *want, *got;
        orr__plan *p = plan_of(c, 2);
        ORR_REQUIRE(p && p->nstep == 1 && p->nleaf == 2);
        orr__step *step = &p->step[0];
        step->rows = (n[0] + 1) / 2;
        step->ntiles = 2;
        step->shared = true;
        ORR_CHECK((orr__exec_cpu->least_rows(step->region) > 0) == (t != ORR_C64 && n[1] > 1));
        want = by_crew(p, leaf, false);
        got = by_crew(p, leaf, true);
        ORR_CHECK_MSG(want && got && memcmp(want->host, got->host, want->bytes) == 0, "%s, %lld x %lld x %lld",
                      orr_dtype_name(t), (long long)n[0], (long long)n[1], (long long)n[2]);
        orr__buffer_unref(want);
        orr__buffer_unref(got);
        orr__plan_unref(p);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)setenv("ORRERY_MACHINE", "fixed", 1);
}

/* -- factors that are made for some terms at a time ------------------------------------------------------------- */

enum { ROWS = 40, COLS = 24, TERMS = 20011, LIMIT = 2 << 20 };
enum { BOTH, SAME, LEFT_ALONE, HALVES, TAIL, CASES };
static const char *const case_name[CASES] = { "both", "one with itself", "left alone", "halves", "and more work" };

/* Its factors are some megabytes computed from x and y, which are in memory of the test. */
static orr_tensor *made_of(orr_tensor *x, orr_tensor *y, int how)
{
    orr_tensor *one = orr_scalar(1), *a = orr_add(x, one), *b = orr_sub(y, one);
    switch (how) {
    case SAME: return orr_matmul(a, orr_transpose(a));
    case LEFT_ALONE: return orr_matmul(a, y);
    case HALVES: return orr_cast(orr_matmul(orr_cast(a, ORR_BF16), orr_cast(b, ORR_BF16)), ORR_F64);
    case TAIL: return orr_relu(orr_add(orr_mul(orr_matmul(a, b), orr_scalar(0.5)), orr_arange(ORR_F64, 0, COLS, 1)));
    default: return orr_matmul(a, b);
    }
}

static double expected(const double *x, const double *y, int how, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < TERMS; k++) {
        double b = how == SAME ? x[j * TERMS + k] + 1 : y[k * COLS + j] - (how == LEFT_ALONE ? 0 : 1);
        sum += (x[i * TERMS + k] + 1) * b;
    }
    if (how == TAIL)
        sum = sum / 2 + (double)j > 0 ? sum / 2 + (double)j : 0;
    return how == HALVES ? orr__scalar_f64(orr__scalar_cast((orr__scalar){ .f = sum }, ORR_F64, ORR_BF16), ORR_BF16)
                         : sum;
}

/* Every case under a limit smaller than its factors; bits: of all results, in sequence. */
static void within_little_memory(const double *x, const double *y, const char *named, double *bits)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_memory_peak_reset();
    for (int how = 0; how < CASES; how++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_wrap(ORR_F64, ORR_SHAPE(ROWS, TERMS), (void *)(uintptr_t)x, NULL, NULL);
        orr_tensor *b = orr_wrap(ORR_F64, ORR_SHAPE(TERMS, COLS), (void *)(uintptr_t)y, NULL, NULL);
        double *c = bits + how * ROWS * ROWS;
        int64_t n = how == SAME ? ROWS : COLS, wrong = 0;
        ORR_CHECK_MSG(orr_read(made_of(a, b, how), c, (size_t)(ROWS * n) * sizeof *c) == ORR_OK, "%s: %s",
                      case_name[how], orr_error_message());
        for (int64_t i = 0; i < ROWS * n; i++)
            wrong += c[i] != expected(x, y, how, i / n, i % n);
        ORR_CHECK_MSG(wrong == 0, "%s, %s: %lld wrong", case_name[how], named, (long long)wrong);
        ORR_CHECK(orr_memory_stats().peak <= LIMIT);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void factors_need_not_be_there_at_once(void)
{
    static const char *const engine[][2] = { { "ORRERY_ENGINE", "serial" },
                                             { "STARPU_SCHED", "eager" },
                                             { "STARPU_SCHED", "lws" },
                                             { "STARPU_SCHED", "dmda" },
                                             { "STARPU_SCHED", "prio" } };
    double *x = numbers(ROWS * TERMS, 3), *y = numbers(TERMS * COLS, 4), bits[CASES * ROWS * ROWS];
    (void)setenv("ORRERY_MEMORY_LIMIT", "2M", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("STARPU_NCPU", "2", 1);
    for (size_t k = 0; k < sizeof engine / sizeof *engine; k++) {
        (void)setenv(engine[k][0], engine[k][1], 1);
        within_little_memory(x, y, engine[k][1], bits);
        (void)unsetenv(engine[k][0]);
    }
    (void)unsetenv("ORRERY_MEMORY_LIMIT");
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("STARPU_NCPU");
    free(x);
    free(y);
}

/* Sums with rounding: partial products in little memory have the same bits for any number of workers and any policy. */
static void parts_in_order_have_the_same_bits(void)
{
    static const char *const policy[] = { "eager", "lws", "dmda", "prio" };
    enum { M2 = 32, K2 = 30011, BYTES = M2 * M2 * 4 };
    float *x = malloc(sizeof(float) * M2 * K2), first[M2 * M2], bits[M2 * M2];
    unsigned seed = 5;
    for (int i = 0; i < M2 * K2; i++)
        x[i] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.3f;
    (void)setenv("ORRERY_MEMORY_LIMIT", "1500K", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    for (int k = 0; k < 8; k++) {
        (void)setenv("STARPU_NCPU", k % 2 ? "2" : "1", 1);
        (void)setenv("STARPU_SCHED", policy[k / 2], 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_mul(orr_wrap(ORR_F32, ORR_SHAPE(K2, M2), x, NULL, NULL), orr_scalar(0.7));
        ORR_CHECK_MSG(orr_read(orr_matmul(orr_transpose(a), a), k ? bits : first, BYTES) == ORR_OK, "%s",
                      orr_error_message());
        ORR_CHECK_MSG(k == 0 || memcmp(first, bits, BYTES) == 0, "%s, %s workers", policy[k / 2], k % 2 ? "2" : "1");
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    (void)unsetenv("ORRERY_MEMORY_LIMIT");
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("ORRERY_DETERMINISTIC");
    (void)unsetenv("STARPU_NCPU");
    (void)unsetenv("STARPU_SCHED");
    free(x);
}

/* -- a device that cannot hold the factors ---------------------------------------------------------------------- */

/* The launches on devices of the plan for t, which was cached by an equal graph; its partial products. */
static uint64_t on_devices(orr_tensor *t, int *parts)
{
    orr__node *node = orr__handle_node(t);
    orr__plan *plan = NULL;
    orr__capture p;
    uint64_t n = 0;
    ORR_CHECK(orr__capture_make(here, &node, 1, &p) == ORR_OK && orr__plan_get(here, &p, &plan) == ORR_OK);
    const orr__plan_state *state = plan ? orr__plan_state_of(plan) : NULL;
    for (int i = 0; state && i < plan->nstep; i++)
        n += atomic_load(&state->step[i].n[ORR__ON_OPENCL]) + atomic_load(&state->step[i].n[ORR__ON_CUDA]);
    *parts = plan ? plan->step[0].terms.parts : 0;
    orr__plan_unref(plan);
    orr__capture_free(&p);
    return n;
}

/* 26 and 38 MB into 16. */
static void a_device_takes_large_factors_part_by_part(void)
{
    enum { M3 = 64, K3 = 100000, N3 = 96 };
    float *x = malloc(sizeof(float) * M3 * K3), *y = malloc(sizeof(float) * K3 * N3), c[M3 * N3];
    for (int i = 0; i < M3 * K3; i++)
        x[i] = (float)(i * 7919LL % 13 - 6);
    for (int i = 0; i < K3 * N3; i++)
        y[i] = (float)(i * 104729LL % 11 - 5);
    (void)setenv("STARPU_LIMIT_OPENCL_MEM", "16", 1);
    (void)setenv("STARPU_NCPU", "0", 1);
    (void)setenv("ORRERY_BACKEND", "opencl", 1);
    orr_status st = orr_init(NULL);
    if (st == ORR_OK) {
        int parts = 0, wrong = 0;
        orr_scope *s = orr_scope_begin();
        orr_tensor *a = orr_from(ORR_F32, ORR_SHAPE(K3, M3), x), *b = orr_from(ORR_F32, ORR_SHAPE(K3, N3), y);
        orr_tensor *first = orr_relu(orr_matmul(orr_transpose(a), b));
        ORR_CHECK_MSG(orr_read(first, c, sizeof c) == ORR_OK, "%s", orr_error_message());
        uint64_t launches = on_devices(orr_relu(orr_matmul(orr_transpose(a), b)), &parts);
        ORR_CHECK_MSG(parts > 4 && launches == (uint64_t)parts, "%d parts, %d on the device", parts, (int)launches);
        double *sum = calloc(M3 * N3, sizeof *sum);
        ORR_REQUIRE(sum);
        for (int k = 0; k < K3; k++)
            for (int i = 0; i < M3 * N3; i++)
                sum[i] += (double)x[k * M3 + i / N3] * (double)y[k * N3 + i % N3];
        for (int i = 0; i < M3 * N3; i++)
            wrong += c[i] != (float)(sum[i] > 0 ? sum[i] : 0);
        free(sum);
        ORR_CHECK_MSG(wrong == 0, "%d wrong", wrong);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)unsetenv("STARPU_LIMIT_OPENCL_MEM");
    (void)unsetenv("STARPU_NCPU");
    free(x);
    free(y);
    if (st != ORR_OK)
        ORR_SKIP("no OpenCL device: %s", orr_error_message());
}

/* -- calls and maps in other shares ----------------------------------------------------------------------------------- */

static orr_tensor *transform(orr_tensor *x)
{
    return orr_fft(x, 0, -1, (orr_fft_norm)0);
}
static orr_tensor *map_of_rows(orr_tensor *x)
{
    return orr_softmax(orr_exp(x), -1);
}
static orr_tensor *order(orr_tensor *x)
{
    return orr_sort(x, 1, false);
}
static orr_tensor *running_sum(orr_tensor *x)
{
    return orr_cumulative_sum(x, 1, false);
}
static orr_tensor *sum_of_rows(orr_tensor *x)
{
    return orr_sum(orr_exp(x), ORR_AXES(1), false);
}
static orr_tensor *sum_of_columns(orr_tensor *x)
{
    return orr_sum(orr_exp(x), ORR_AXES(0), false);
}

/* A loop of a program must not draw other numbers because another program has taken a core for a moment. */
static void late_members_change_no_bits(void)
{
    orr_tensor *(*const made[])(orr_tensor * x) = { transform,   map_of_rows, order,
                                                    running_sum, sum_of_rows, sum_of_columns };
    static const int64_t sizes[][2] = { { 2, 65537 }, { 3, 65536 }, { 37, 1009 }, { 301, 512 }, { 1030, 77 } };
    int looked = 0;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_seed(43);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes * 2; k++)
        for (size_t m = 0; m < sizeof made / sizeof *made; m++) {
            orr_scope *s = orr_scope_begin();
            orr_tensor *x = drawn(k % 2 ? ORR_F32 : ORR_F64, sizes[k / 2][0], sizes[k / 2][1]);
            orr__buffer *leaf[1] = { orr__handle_node(x)->value };
            orr__plan *p = plan_of(made[m](x), 2);
            ORR_REQUIRE(p);
            if (p->nleaf == 1 && p->nscalar == 0) {
                orr__buffer *want = by_crew(p, leaf, false), *got = by_crew(p, leaf, true);
                ORR_CHECK_MSG(want && got && memcmp(want->host, got->host, want->bytes) == 0, "%zu of %lld x %lld, %s",
                              m, (long long)sizes[k / 2][0], (long long)sizes[k / 2][1], k % 2 ? "f32" : "f64");
                orr__buffer_unref(want);
                orr__buffer_unref(got);
                looked++;
            }
            orr__plan_unref(p);
            (void)orr_scope_end(s);
        }
    ORR_CHECK_MSG(looked > 40, "%d plans", looked);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1); /* StarPU searches for devices once in a process */
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("ORRERY_MACHINE", "fixed", 1); /* parts are counted */
    static const orr_test tests[] = { ORR_TEST(many_terms_are_shared_by_all_workers),
                                      ORR_TEST(however_the_factors_lie),
                                      ORR_TEST(the_same_bits_for_any_number_of_workers),
                                      ORR_TEST(parts_of_a_tile_have_its_bits),
                                      ORR_TEST(late_members_change_no_bits),
                                      ORR_TEST(factors_need_not_be_there_at_once),
                                      ORR_TEST(parts_in_order_have_the_same_bits),
                                      ORR_TEST(a_device_takes_large_factors_part_by_part),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.product", tests);
}
