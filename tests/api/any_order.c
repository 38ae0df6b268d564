/* The value of a call does not depend on the calls before it and beside it. Calls that differ in an option alone, random graphs and golden
 * cases run in one process in random order, again and again, from several threads, and agree with those of processes in which each
 * call with its shapes is the first one. ORR_TEST_FULL=1: more sizes, and ORR_TEST_ORDER_S seconds (default 120) for each test;
 * ORR_TEST_SEED: another order.
 * Must not know: plans, keys. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "tests/harness/option_cases.h"
#include "tests/harness/random_graph.h"

/* -- calls --------------------------------------------------------------------------------------------------------------- */

static const option_variant variant[] = { { 5, ORR_F32, OPTION_PLAIN },   { 24, ORR_F32, OPTION_CHAIN },
                                          { 9, ORR_F64, OPTION_FOLD },    { 130, ORR_F32, OPTION_PLAIN },
                                          { 24, ORR_F16, OPTION_PLAIN },  { 61, ORR_F32, OPTION_FOLD },
                                          { 24, ORR_BF16, OPTION_CHAIN }, { 200, ORR_F64, OPTION_CHAIN } };
enum { FEW_VARIANTS = 3, ALL_VARIANTS = sizeof variant / sizeof *variant, OPTIONS = 32, CASES = 256, HISTORY = 12 };

typedef struct {
    int which, option, variant; /* numbers */
} call;

static int variants(void)
{
    return getenv("ORR_TEST_FULL") ? ALL_VARIANTS : FEW_VARIANTS;
}

static unsigned long long seed(void)
{
    const char *s = getenv("ORR_TEST_SEED");
    return s ? strtoull(s, NULL, 10) : 37;
}

/* The options of a case; ORR_TEST_ORDER_OPTIONS: at most so many. */
static int options(int which)
{
    const char *most = getenv("ORR_TEST_ORDER_OPTIONS");
    int n = option_cases[which].options;
    return most && atoi(most) < n ? atoi(most) : n;
}

/* True for the cases and variants of this test: one in ORR_TEST_ORDER_SHARE, others with another seed. */
static bool chosen(int which, int n)
{
    const char *share = getenv("ORR_TEST_ORDER_SHARE");
    unsigned long long state = seed() * 4096 + (unsigned)(which * ALL_VARIANTS + n);
    return !share || orr_test_rand(&state) % strtoull(share, NULL, 10) == 0;
}

static orr_tensor *record(call c)
{
    return option_case_record(&option_cases[c.which], c.option, &variant[c.variant]);
}

static const char *text(call c, char to[96])
{
    const option_variant *v = &variant[c.variant];
    (void)snprintf(to, 96, "%s(%d, %lld %s %d)", option_cases[c.which].name, c.option, (long long)v->n,
                   orr_dtype_name(v->dtype), (int)v->then);
    return to;
}

/* -- values --------------------------------------------------------------------------------------------------------------- */

/* A value, or the status of its error. */
typedef struct {
    int32_t status, dtype;
    int64_t bytes;
    void *data;
} value;

static value value_of(orr_tensor *t)
{
    value v = { .dtype = (int32_t)orr_tensor_dtype(t), .bytes = orr_tensor_size(t) };
    if (v.bytes >= 0)
        v.bytes *= (int64_t)orr_dtype_size((orr_dtype)v.dtype);
    v.data = v.bytes >= 0 ? malloc((size_t)v.bytes + 1) : NULL;
    v.status = (int32_t)(v.data ? orr_read(t, v.data, (size_t)v.bytes) : orr_tensor_status(t));
    if (v.status != ORR_OK)
        v.bytes = 0;
    return v;
}

static bool put(FILE *f, call c, const value *v)
{
    return fwrite(&c, sizeof c, 1, f) == 1 && fwrite(v, sizeof *v, 1, f) == 1 &&
           fwrite(v->data, 1, (size_t)v->bytes, f) == (size_t)v->bytes;
}

static value fresh[CASES][OPTIONS][ALL_VARIANTS];

static bool get(FILE *f)
{
    call c;
    value v;
    if (fread(&c, sizeof c, 1, f) != 1 || fread(&v, sizeof v, 1, f) != 1)
        return false;
    v.data = malloc((size_t)v.bytes + 1);
    fresh[c.which][c.option][c.variant] = v;
    return v.data && fread(v.data, 1, (size_t)v.bytes, f) == (size_t)v.bytes;
}

/* The size of an element's rounding, in units of the largest element. Compiled kernels, tiles and borrowed cores add in other orders;
 * an iteration of linear algebra multiplies that. */
static double rounding(orr_dtype part)
{
    return part == ORR_F64 ? 1e-9 : part == ORR_F32 ? 1e-4 : part == ORR_F16 ? 1e-2 : 4e-2;
}

/* The first element of v that is not that of w within the bound, or, if `exactly`, to the last bit; -1: none. */
static int64_t differs(const value *v, const value *w, bool exactly, double *a, double *b)
{
    *a = v->status;
    *b = w->status;
    if (v->status != w->status || v->dtype != w->dtype || v->bytes != w->bytes)
        return 0;
    if (v->status != ORR_OK)
        return -1;
    orr_dtype part = orr__part_dtype((orr_dtype)v->dtype);
    size_t size = orr_dtype_size(part);
    int64_t n = v->bytes / (int64_t)size;
    double scale = 1e-30;
    for (int64_t i = 0; i < n && orr__is_float(part); i++) {
        double x = fabs(orr__scalar_load((const char *)w->data + (size_t)i * size, part).f);
        scale = isfinite(x) && x > scale ? x : scale;
    }
    for (int64_t i = 0; i < n; i++) {
        const char *p = (const char *)v->data + (size_t)i * size, *q = (const char *)w->data + (size_t)i * size;
        if (!memcmp(p, q, size))
            continue;
        if (orr__is_field(part))
            return i;
        *a = orr__scalar_f64(orr__scalar_load(p, part), part);
        *b = orr__scalar_f64(orr__scalar_load(q, part), part);
        if ((isnan(*a) && isnan(*b)) || (!exactly && orr__is_float(part) && fabs(*a - *b) <= rounding(part) * scale))
            continue;
        return i;
    }
    return -1;
}

/* -- a fresh process for each option ------------------------------------------------------------------------------------- */

/* The cases and variants of one option, each once; the file receives the values. ORR_TEST_ORDER_OPTION: its number. */
static void each_once(void)
{
    FILE *f = fopen(getenv("ORR_TEST_ORDER_FILE"), "we");
    int option = atoi(getenv("ORR_TEST_ORDER_OPTION"));
    const char *need = getenv("ORR_TEST_NEEDS");
    if (need && !strstr(orr_engine_name(), need))
        ORR_SKIP("the engine is \"%s\", not %s", orr_engine_name(), need);
    ORR_REQUIRE(f);
    for (int k = 0; k < option_cases_count(); k++)
        for (int n = 0; n < variants() && option < options(k); n++) {
            if (!chosen(k, n))
                continue;
            orr_scope *s = orr_scope_begin();
            call c = { k, option, n };
            value v = value_of(record(c));
            char name[96];
            ORR_CHECK_MSG(v.status == ORR_OK || variant[n].dtype != ORR_F32, "%s: %s", text(c, name),
                          orr_error_message());
            ORR_CHECK(put(f, c, &v));
            free(v.data);
            ORR_CHECK(orr_scope_end(s) == ORR_OK);
        }
    ORR_CHECK(fclose(f) == 0);
}

/* -- one process for all --------------------------------------------------------------------------------------------------- */

typedef struct {
    unsigned long long state;
    int number;
    bool exactly;
    double until; /* 0: `most` calls */
    int calls, most;
    char wrong[1024];
} caller;

/* Another call: often of the same case and variant as the last one. */
static call next(caller *c, call last)
{
    call n = last;
    bool another = c->calls == 0 || orr_test_rand(&c->state) % 4 == 0;
    while (another) {
        n.which = (int)(orr_test_rand(&c->state) % (unsigned)option_cases_count());
        n.variant = (int)(orr_test_rand(&c->state) % (unsigned)variants());
        another = !chosen(n.which, n.variant);
    }
    n.option = (int)(orr_test_rand(&c->state) % (unsigned)options(n.which));
    return n;
}

/* Evaluates 1 … 4 calls, separately or together, and compares the values. */
static void some_calls(caller *c, call *last, char history[HISTORY][96])
{
    enum { MOST = 4 };
    call n[MOST];
    orr_tensor *t[MOST];
    int count = 1 + (int)(orr_test_rand(&c->state) % MOST), way = (int)(orr_test_rand(&c->state) % 4);
    orr_event *event = NULL;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < count; i++) {
        n[i] = *last = next(c, *last);
        (void)text(n[i], history[c->calls++ % HISTORY]);
        t[i] = record(n[i]);
        if (way == 3)
            (void)orr_eval(t[i]);
    }
    if (way == 0)
        (void)orr_eval_all(t, count);
    if (way == 1)
        (void)orr_eval_async(t, count, &event);
    for (int i = 0; i < count; i++) {
        double a, b;
        value v = value_of(t[i]);
        const value *w = &fresh[n[i].which][n[i].option][n[i].variant];
        int64_t at = differs(&v, w, c->exactly, &a, &b);
        char name[96];
        if (at >= 0 && !c->wrong[0]) {
            int used = snprintf(c->wrong, sizeof c->wrong,
                                "caller %d, %s, element %lld: %.9g, alone %.9g; way %d, %d at once; after", c->number,
                                text(n[i], name), (long long)at, a, b, way, count);
            for (int k = 0; k < HISTORY && k < c->calls && used < (int)sizeof c->wrong; k++)
                used += snprintf(c->wrong + used, sizeof c->wrong - (size_t)used, " %s",
                                 history[(c->calls - 1 - k) % HISTORY]);
        }
        free(v.data);
    }
    if (event)
        (void)orr_wait(event);
    (void)orr_scope_end(s);
}

static bool goes_on(const caller *c)
{
    return !c->wrong[0] && (c->until > 0 ? orr__now() < c->until : c->calls < c->most);
}

static void *call_on(void *arg)
{
    caller *c = arg;
    char history[HISTORY][96];
    call last = { 0, 0, 0 };
    while (goes_on(c))
        some_calls(c, &last, history);
    return NULL;
}

/* Random graphs and golden cases, between the calls of the other threads. */
static void others(unsigned long long state, double until, int rounds)
{
    static const char *const golden[] = { "numpy/reduce.txt",     "numpy/views.txt",    "numpy/index.txt",
                                          "numpy/array.txt",      "numpy/standard.txt", "conv/pool.txt",
                                          "conv/convolution.txt", "numpy/along.txt",    "numpy/triangles.txt",
                                          "numpy/linalg.txt" };
    for (int k = 0; until > 0 ? orr__now() < until : k < rounds; k++) {
        unsigned long long graph = orr_test_rand(&state) % 100000;
        const char *file = golden[orr_test_rand(&state) % (sizeof golden / sizeof *golden)];
        orr_test_alarm();
        ORR_CHECK_MSG(rg_one(graph), "random graph %llu", graph);
        (void)help_numpy_some(file, orr_test_rand(&state), 4);
    }
}

static void all_in_one_process(void)
{
    enum { MOST = 4 };
    const char *file = getenv("ORR_TEST_ORDER_FILE"), *threads = getenv("ORR_TEST_ORDER_THREADS");
    const char *seconds = getenv("ORR_TEST_ORDER_S");
    int calls = atoi(getenv("ORR_TEST_ORDER_CALLS"));
    double until = getenv("ORR_TEST_FULL") ? orr__now() + (seconds ? atof(seconds) : 120) : 0;
    int n = atoi(threads), done = 0;
    caller c[MOST];
    pthread_t t[MOST];
    for (int o = 0; o < OPTIONS; o++) {
        char name[4096];
        (void)snprintf(name, sizeof name, "%s.%d", file, o);
        FILE *f = fopen(name, "re");
        while (f && get(f)) {
        }
        if (f)
            (void)fclose(f);
    }
    for (int k = 0; k < n; k++) {
        c[k] = (caller){ .state = seed() * 1000003 + (unsigned)k,
                         .number = k,
                         .until = until,
                         .most = calls / n,
                         .exactly = orr__env.deterministic };
        ORR_CHECK(pthread_create(&t[k], NULL, call_on, &c[k]) == 0);
    }
    others(seed(), until, calls / 100);
    for (int k = 0; k < n; k++) {
        (void)pthread_join(t[k], NULL);
        ORR_CHECK_MSG(!c[k].wrong[0], "%s", c[k].wrong);
        done += c[k].calls;
    }
    printf("    %d calls, seed %llu\n", done, seed());
}

/* -- the tests ------------------------------------------------------------------------------------------------------------- */

enum { SETTINGS = 16 };

/* Runs a child with the settings of the test and others. */
static bool child(const char *test, const rg_setting *own, const rg_setting *more)
{
    rg_setting env[SETTINGS] = { { "ORR_TEST_ORDER_TEST", test }, { "ORRERY_INLINE_US", "100" } };
    int n = 2;
    for (; own->name; own++)
        env[n++] = *own;
    for (; more->name; more++)
        env[n++] = *more;
    return rg_wait(rg_start(env));
}

/* processes: those that compute an option alone, one for each. */
static void in_any_order(const rg_setting *own, int processes, const char *threads, const char *calls)
{
    const char *file = orr_test_tmp("values");
    char name[4096], option[16];
    for (int o = 0; o < processes; o++) {
        (void)snprintf(name, sizeof name, "%s.%d", file, o);
        (void)snprintf(option, sizeof option, "%d", o);
        if (!child("each_once", own,
                   (const rg_setting[]){ { "ORR_TEST_ORDER_FILE", name }, { "ORR_TEST_ORDER_OPTION", option }, { 0 } }))
            ORR_SKIP("see above");
    }
    (void)snprintf(name, sizeof name, "%s", file);
    ORR_CHECK(child("all_in_one_process", own,
                    (const rg_setting[]){ { "ORR_TEST_ORDER_FILE", name },
                                          { "ORR_TEST_ORDER_THREADS", threads },
                                          { "ORR_TEST_ORDER_CALLS", calls },
                                          { 0 } }));
}

static void interpreted_to_the_last_bit(void)
{
    in_any_order(
        (const rg_setting[]){
            { "ORRERY_ENGINE", "serial" }, { "ORRERY_DETERMINISTIC", "1" }, { "ORRERY_JIT", "off" }, { 0 } },
        OPTIONS, "1", "1200");
}

static void from_threads_with_tasks(void)
{
    in_any_order(
        (const rg_setting[]){ { "ORRERY_JIT", "on" }, { "STARPU_NCPU", "2" }, { "ORRERY_INLINE_US", "20" }, { 0 } },
        OPTIONS, "3", "900");
}

static void compiled_to_the_last_bit(void)
{
    ORR_NEED_COMPILER();
    in_any_order((const rg_setting[]){ { "ORRERY_ENGINE", "serial" },
                                       { "ORRERY_DETERMINISTIC", "1" },
                                       { "ORRERY_JIT", "wait" },
                                       { "ORR_TEST_ORDER_SHARE", "48" },
                                       { 0 } },
                 OPTIONS, "2", "200");
}

static void on_a_device(void)
{
    const bool full = getenv("ORR_TEST_FULL") != NULL;
    in_any_order((const rg_setting[]){ { "ORRERY_ENGINE", "starpu" },
                                       { "ORRERY_BACKEND", "opencl" },
                                       { "STARPU_NCPU", "0" },
                                       { "STARPU_OPENCL_ON_CPUS", "1" },
                                       { "STARPU_OPENCL_ONLY_ON_CPUS", "1" },
                                       { "ORRERY_INLINE_US", "0" },
                                       { "ORR_TEST_ORDER_SHARE", full ? "16" : "80" },
                                       { "ORR_TEST_ORDER_OPTIONS", full ? "32" : "4" },
                                       { "ORR_TEST_NEEDS", "OpenCL" },
                                       { 0 } },
                 full ? OPTIONS : 4, "2", "100");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(interpreted_to_the_last_bit),
                                      ORR_TEST(from_threads_with_tasks),
                                      ORR_TEST(compiled_to_the_last_bit),
                                      ORR_TEST(on_a_device),
                                      { 0 } };
    static const orr_test once[] = { ORR_TEST(each_once), { 0 } };
    static const orr_test all[] = { ORR_TEST(all_in_one_process), { 0 } };
    const char *test = getenv("ORR_TEST_ORDER_TEST");
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.any_order.child", test && !strcmp(test, "each_once") ? once : all);
    return orr_test_main(argc, argv, "api.any_order", tests);
}
