/* Measures the machine: memory, arithmetic, launches. The best of several tries, since other work on the machine only slows it down.
 * Must not know: StarPU, what the numbers are for. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "codelets/codelet.h"
#include "ops/ops.h"
#include "runtime/base/cgroup.h"
#include "runtime/base/clock.h"
#include "runtime/base/minmax.h"
#include "runtime/cost/profile.h"

/* limits of a measurement */
enum { MOST_CORES = 64, TRIES = 3, PASSES = 2, PIECE = 65536 /* elements, some 50 us of work */, MOST_PIECES = 256 };

/* The elements of an array: beyond the last cache, but few enough that the first touch of its pages does not
 * dominate. A multiple of PIECE. */
static size_t array_elements(void)
{
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE) / 2;
    bytes = bytes < (4L << 20) ? 4L << 20 : bytes > (12L << 20) ? 12L << 20 : bytes;
    return (size_t)bytes / sizeof(float) / PIECE * PIECE;
}

static void triad(float *restrict c, const float *restrict a, const float *restrict b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        c[i] = a[i] + 3 * b[i];
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct {
    const float *a, *b;
    float *c;
    size_t n;
    pthread_mutex_t *gate;    /* closed until all threads exist; NULL: no wait */
    double rate[MOST_PIECES]; /* bytes/us of each piece, sorted at the end: a pause of the thread spoils few */
    int pieces;
} part;

static void *run_part(void *arg)
{
    part *p = arg;
    if (p->gate) {
        (void)pthread_mutex_lock(p->gate);
        (void)pthread_mutex_unlock(p->gate);
    }
    for (int k = 0; k < PASSES; k++)
        for (size_t i = 0; i + PIECE <= p->n && p->pieces < MOST_PIECES; i += PIECE) {
            double t0 = orr__now();
            triad(p->c + i, p->a + i, p->b + i, PIECE);
            p->rate[p->pieces++] = 3.0 * PIECE * sizeof *p->c / ((orr__now() - t0) * 1e6);
        }
    qsort(p->rate, (size_t)p->pieces, sizeof *p->rate, ascending);
    return NULL;
}

/* The sum of the rates of threads that run at once; 0: threads could not be created. */
static double all_together(float *x, size_t n, int threads)
{
    pthread_t id[MOST_CORES];
    part *p = calloc((size_t)threads, sizeof *p);
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    size_t m = n / (size_t)threads;
    int started = 1;
    double sum = 0;
    if (!p)
        return 0;
    for (int k = 0; k < threads; k++) {
        float *from = x + m * (size_t)k;
        p[k] = (part){ .a = from, .b = from + n, .c = from + 2 * n, .n = m, .gate = k > 0 ? &gate : NULL };
    }
    (void)pthread_mutex_lock(&gate);
    while (started < threads && pthread_create(&id[started], NULL, run_part, &p[started]) == 0)
        started++;
    (void)pthread_mutex_unlock(&gate);
    (void)run_part(&p[0]);
    for (int k = 1; k < started; k++)
        (void)pthread_join(id[k], NULL);
    for (int k = 0; started == threads && k < threads; k++)
        sum += p[k].pieces ? p[k].rate[p[k].pieces / 2] : 0;
    free(p);
    return sum;
}

static int cores(void)
{
    return ORR__MIN(MOST_CORES, orr__processors());
}

static void memory(orr__profile *p, const atomic_bool *stop)
{
    enum { PAGE = 2 << 20 }; /* limit of a measurement */
    size_t n = array_elements(), bytes = (3 * n * sizeof(float) + PAGE - 1) / PAGE * PAGE;
    int threads = cores();
    float *x = aligned_alloc(PAGE, bytes);
    part *one = calloc(1, sizeof *one);
    if (x && one) {
        (void)madvise(x, bytes, MADV_HUGEPAGE);
        for (size_t i = 0; i < 3 * n; i++)
            x[i] = 1;
        *one = (part){ .a = x, .b = x + n, .c = x + 2 * n, .n = n };
        (void)run_part(one);
        p->stream = one->rate[one->pieces * 9 / 10];
        double all = threads > 1 && !atomic_load(stop) ? all_together(x, n, threads) : 0;
        p->stream_all = ORR__MAX(all, p->stream);
    }
    free(one);
    free(x);
}

/* Three arrays of 32 KiB. */
static double cached(orr__profile *p, const atomic_bool *stop)
{
    enum { N = 8192, CALLS = 20, TIMES = 8 }; /* limit of a measurement */
    static _Alignas(64) float x[3 * N];
    orr__samples s = { .all = 0 };
    for (int k = 0; k < TIMES && !atomic_load(stop); k++) {
        orr__sample_begin(&s);
        double t0 = orr__now();
        for (int i = 0; i < CALLS; i++)
            triad(x + (i % 3) * N, x + (i + 1) % 3 * N, x + (i + 2) % 3 * N, N);
        orr__sample_end(&s, (orr__now() - t0) * 1e6);
    }
    if (s.all)
        orr__samples_judge(p, &s);
    return s.all ? 3.0 * N * sizeof *x * CALLS / orr__samples_best(&s) : 0;
}

/* y = x + x on 16 elements. */
static double launch(orr__profile *p, const atomic_bool *stop)
{
    enum { N = 16, CALLS = 500 }; /* limit of a measurement */
    static _Alignas(64) float x[N], y[N];
    orr__access access = { .input = 0, .stride = { 1 } };
    uint8_t dtype = ORR_F32;
    int32_t node = 0;
    int64_t count = N;
    orr__rinstr instr[2] = { { ORR__RI_LOAD, ORR_F32, 0, -1, -1, -1, 0, -1 },
                             { ORR__RI_EW, ORR_F32, 0, 0, 0, -1, -1, -1 } };
    orr__region r = { .rank = 1,
                      .dim = { N },
                      .ninstr = 2,
                      .instr = instr,
                      .naccess = 1,
                      .access = &access,
                      .nin = 1,
                      .in = &node,
                      .in_dtype = &dtype,
                      .in_count = &count,
                      .nout = 1,
                      .out_reg = { 1 },
                      .out_dtype = { ORR_F32 },
                      .out_count = N,
                      .call.slot = -1 };
    const orr__ewrow *row = orr__ew_find("add");
    orr__kernel *k;
    orr__samples s = { .all = 0 };
    if (!row)
        return 0;
    instr[1].op = (int16_t)row->op.id;
    orr__region_finish(&r);
    if (orr__cpu.prepare(&r, &k) != ORR_OK)
        return 0;
    void *in[] = { x }, *out[] = { y };
    orr__launch l = { .region = &r, .hi = N, .in = in, .out = out };
    for (int t = 0; t < 2 * TRIES && !atomic_load(stop); t++) {
        orr__sample_begin(&s);
        double t0 = orr__now();
        for (int i = 0; i < CALLS; i++)
            (void)orr__cpu.launch(k, &l);
        orr__sample_end(&s, (orr__now() - t0) * 1e6 / CALLS);
    }
    orr__cpu.release(k);
    if (s.all)
        orr__samples_judge(p, &s);
    return orr__samples_best(&s);
}

void orr__profile_measure(orr__profile *p, const atomic_bool *stop)
{
    orr__cpu_rates r = orr__cpu_measure(stop);
    p->math = r.math > 0 ? r.math : p->math;
    p->gemm32 = r.gemm32 > 0 ? r.gemm32 : p->gemm32;
    p->gemm64 = r.gemm64 > 0 ? r.gemm64 : p->gemm64;
    double us = launch(p, stop);
    p->kernel_us = us > 0 ? us : p->kernel_us;
    double rate = cached(p, stop);
    p->cached = rate > 0 ? rate : p->cached;
    if (!atomic_load(stop))
        memory(p, stop);
}
