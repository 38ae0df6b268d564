/* Case crowd: eight threads that evaluate small programs of their own, beside eight threads of plain arithmetic that takes as long alone; and
 * the processor time of a call over that of the program alone: what threads lose by each other, whatever the system's time slices are.
 * Must not know: other cases. */
#include "config.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <orrery.h>
#include "bench/bench.h"

#define SECONDS 2.0
enum { THREADS = 8, KINDS = 4, COLUMNS = 64, WARM = 20, MOST = 1 << 20 };

typedef struct {
    int number;
    long steps;              /* of arithmetic; 0: evaluations */
    double seconds, *t, cpu; /* of the calls: each one's seconds; processor seconds of all */
    int n;
    bool failed;
} member;

static const char *const kind_name[KINDS] = { "softmax of rows", "sum of rows", "product", "mean of columns" };

static int64_t rows(int number)
{
    return 64 << number;
}

static orr_tensor *result(int kind, orr_tensor *x)
{
    orr_tensor *square = orr_mul(x, x);
    switch (kind) {
    case 0: return orr_softmax(orr_tanh(square), 1);
    case 1: return orr_sum(orr_exp(orr_sub(x, square)), ORR_AXES(1), false);
    case 2: return orr_matmul(orr_transpose(orr_relu(x)), x);
    default: return orr_add(orr_mean(x, ORR_AXES(0), true), orr_sqrt(orr_add(square, orr_scalar(1.0))));
    }
}

static int evaluate(const member *m, orr_tensor *x)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(result(m->number % KINDS, x));
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("crowd"); /* the message is this thread's */
}

static int compute(const member *m)
{
    volatile double sum = 0.0;
    for (long i = 0; i < m->steps; i++)
        sum = sum * 0.999 + 1.0;
    return sum < 0.0;
}

static double my_cpu_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *run(void *user)
{
    member *m = user;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(rows(m->number), COLUMNS));
    m->n = 0;
    for (int i = 0; i < WARM && m->steps == 0; i++)
        m->failed = m->failed || evaluate(m, x) != 0;
    double end = bench_now() + m->seconds, cpu = my_cpu_time();
    for (double now = bench_now(); now < end && m->n < MOST && !m->failed;) {
        m->failed = m->steps ? compute(m) != 0 : evaluate(m, x) != 0;
        double then = bench_now();
        m->t[m->n++] = then - now;
        now = then;
    }
    m->cpu = my_cpu_time() - cpu;
    (void)orr_scope_end(s);
    return NULL;
}

/* n members at once, from the first one. */
static bool together(member *m, int n, double seconds)
{
    pthread_t thread[THREADS];
    bool ok = true;
    int started = 0;
    for (int i = 0; i < n; i++)
        m[i].seconds = seconds;
    while (started < n && pthread_create(&thread[started], NULL, run, &m[started]) == 0)
        started++;
    for (int i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < n; i++)
        ok = ok && !m[i].failed && m[i].n > 0;
    return ok && started == n;
}

/* The least time counts: other load only adds to it. */
static long steps_within(double seconds)
{
    enum { STEPS = 100000, TIMES = 50 };
    member m = { .steps = STEPS };
    double least = 1.0;
    for (int i = 0; i < TIMES; i++) {
        double begin = bench_now();
        (void)compute(&m);
        double took = bench_now() - begin;
        least = took < least ? took : least;
    }
    long steps = (long)(STEPS * seconds / least);
    return steps > 0 ? steps : 1;
}

/* The value below which 99 of 100 sorted times are. */
static double late(const member *m)
{
    return m->t[(int)(0.99 * m->n)];
}

/* alone: the median of calls and their processor time, each alone. */
typedef struct {
    double t, cpu;
} by_itself;

static int add(bench_sink *out, const member *ours, const member *plain, by_itself alone)
{
    int kind = ours->number % KINDS;
    bench_record r = { .name = "crowd", .metric = "99th percentile", .unit = "us", .reference = "arithmetic as long" };
    double typical = bench_median(ours->t, ours->n), usual = bench_median(plain->t, plain->n);
    (void)snprintf(r.params, sizeof r.params,
                   "\"program\": \"%s\", \"rows\": %lld, \"alone_us\": %.1f, \"median_us\": %.1f, \"calls\": %d, "
                   "\"cpu_over_alone\": %.2f",
                   kind_name[kind], (long long)rows(ours->number), 1e6 * alone.t, 1e6 * typical, ours->n,
                   ours->cpu / ours->n / alone.cpu);
    r.value = 1e6 * late(ours);
    r.reference_value = 1e6 * late(plain);
    r.ratio = bench_ratio(&r, false);
    bench_record tail = r;
    tail.metric = "99th percentile over the median";
    tail.unit = "";
    tail.value = late(ours) / typical;
    tail.reference_value = late(plain) / usual;
    tail.ratio = bench_ratio(&tail, false);
    int rc = bench_add(out, &r);
    return rc == 0 ? bench_add(out, &tail) : rc;
}

/* Each alone first: arithmetic takes that long, so that only the waits of a call differ. */
static bool prepare(member *ours, member *plain, by_itself *alone, double *t)
{
    bool ok = true;
    for (int i = 0; i < THREADS && ok; i++) {
        ours[i] = (member){ .number = i, .t = t + (size_t)i * MOST };
        ok = together(&ours[i], 1, SECONDS / THREADS);
        alone[i] = ok ? (by_itself){ bench_median(ours[i].t, ours[i].n), ours[i].cpu / ours[i].n } : (by_itself){ 0 };
        plain[i] = (member){ .number = i, .t = t + (size_t)(THREADS + i) * MOST, .steps = steps_within(alone[i].t) };
    }
    return ok;
}

int bench_crowd(bench_sink *out, int rounds)
{
    member ours[THREADS], plain[THREADS];
    by_itself alone[THREADS];
    double *t = calloc((size_t)(2 * THREADS) * MOST, sizeof *t);
    (void)rounds; /* one long one */
    if (orr_init(NULL) != ORR_OK) {
        free(t);
        return bench_failed("crowd");
    }
    int rc =
        !(t && prepare(ours, plain, alone, t) && together(ours, THREADS, SECONDS) && together(plain, THREADS, SECONDS));
    for (int i = 0; i < THREADS && rc == 0; i++)
        rc = add(out, &ours[i], &plain[i], alone[i]);
    free(t);
    return orr_shutdown() == ORR_OK ? rc : bench_failed("crowd");
}
