/* Eight threads that make random calls, share their tensors, variables, events, graphs and scopes, and free those that others
 * use. No call may crash, hang or return a status that its header does not name, and each read returns the recorded value.
 * Must not know: handles' insides. */
#include "config.h"
#include <orrery.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/harness/harness.h"

/* ORR_TEST_FULL=1: CALLS_FULL calls. */
enum {
    THREADS = 8,
    SHARED = 48,
    EVENTS = 8,
    GRAPHS = 4,
    CALLS = 40000,
    CALLS_FULL = 1000000,
    DEPTH = 4,
    LARGEST = 160
};

/* Shared handles. Any of them may have ended. */
static _Atomic(orr_tensor *) tensor[SHARED];
static _Atomic(orr_event *) event[EVENTS];
static _Atomic(orr_graph *) graph[GRAPHS];
static atomic_int wrong;
static atomic_llong done; /* successful calls */

typedef struct {
    unsigned long long seed;
    int64_t calls;
    orr_scope *scope[DEPTH];
    int depth;
    FILE *nowhere;
} caller;

static unsigned draw(caller *c, unsigned n)
{
    return (unsigned)(orr_test_rand(&c->seed) >> 33) % n;
}

/* Notes a status. Wrong uses are expected; lack of memory and internal errors are not. */
static void note(orr_status st, const char *what)
{
    if (st == ORR_OK)
        (void)atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
    if (st != ORR_OK && st != ORR_EHANDLE && st != ORR_EINVAL && st != ORR_ESHAPE && st != ORR_EDTYPE &&
        st != ORR_EAXIS && st != ORR_EGRAPH && atomic_fetch_add(&wrong, 1) < 5)
        printf("    %s: %s\n", what, orr_error_message());
}

static void unequal(const char *what, double a, double b)
{
    if (atomic_fetch_add(&wrong, 1) < 5)
        printf("    %s: elements %g and %g of what has equal ones\n", what, a, b);
}

static orr_tensor *any(caller *c)
{
    return draw(c, 64) ? atomic_load(&tensor[draw(c, SHARED)])
                       : (orr_tensor *)(uintptr_t)orr_test_rand(&c->seed); /* was never a tensor */
}

/* Shares t with other threads. The previous tensor of the slot may be freed, although other slots may still name it. */
static void put(caller *c, orr_tensor *t)
{
    orr_status st = orr_tensor_status(t);
    note(st, "recorded");
    if (st != ORR_OK && draw(c, 8))
        return; /* otherwise only poison would remain soon */
    if (c->depth && draw(c, 2))
        t = orr_keep(t);
    orr_tensor *old = atomic_exchange(&tensor[draw(c, SHARED)], t);
    if (old && draw(c, 4))
        note(orr_free(old), "orr_free");
}

static orr_shape shape_of(caller *c)
{
    static const int64_t side[] = { 1, 8, 24, LARGEST };
    unsigned k = draw(c, 16);
    int64_t n = side[k < 14 ? 1 + k / 10 : k - 12];
    return ORR_SHAPE(n, n);
}

/* Every tensor has equal elements, integers of at most 8: a read thus shows whether it is the value of one tensor. */
static orr_tensor *tame(orr_tensor *t)
{
    return orr_minimum(orr_abs(t), orr_scalar(8.0));
}

static void record(caller *c)
{
    orr_tensor *x = any(c), *y = any(c), *r;
    switch (draw(c, 18)) {
    case 0: r = orr_full(draw(c, 3) ? ORR_F32 : ORR_F64, shape_of(c), draw(c, 8)); break;
    case 1:
    case 2:
    case 3: r = orr_full(ORR_F32, ORR_SHAPE(24, 24), draw(c, 8)); break;
    case 4: r = orr_zeros(ORR_F32, shape_of(c)); break;
    case 5: r = tame(orr_add(x, y)); break;
    case 6: r = tame(orr_mul(x, y)); break;
    case 7: r = orr_maximum(x, y); break;
    case 8: r = tame(orr_matmul(x, y)); break;
    case 9: r = orr_transpose(x); break;
    case 10: r = orr_flip(x, ORR_AXES(0)); break;
    case 11: r = tame(orr_sum(x, ORR_AXES(1), true)); break;
    case 12: r = orr_max(x, ORR_AXES(0), false); break;
    case 13: r = orr_broadcast_to(x, shape_of(c)); break;
    case 14: r = orr_where(orr_less(x, orr_scalar(4.0)), x, orr_scalar(3.0)); break;
    case 15: r = orr_slice_axis(x, 0, 0, 1, 1); break;
    default: r = orr_cast(x, ORR_F32); break;
    }
    put(c, r);
}

static void make_variable(caller *c)
{
    put(c, orr_variable(any(c)));
}

static void assign(caller *c)
{
    orr_tensor *v[2] = { any(c), any(c) };
    orr_tensor *t[2] = { draw(c, 2) ? tame(orr_add(v[0], orr_scalar(1.0))) : any(c), any(c) };
    note(draw(c, 2) ? orr_assign(v[0], t[0]) : orr_assign_all(v, t, 2), "orr_assign");
}

static void evaluate(caller *c)
{
    orr_tensor *t[3] = { any(c), any(c), any(c) };
    note(draw(c, 2) ? orr_eval(t[0]) : orr_eval_all(t, 1 + (int)draw(c, 3)), "orr_eval");
}

static void read_back(caller *c)
{
    static _Thread_local double v[LARGEST * LARGEST];
    orr_tensor *t = orr_cast(any(c), ORR_F64);
    int64_t n = orr_tensor_size(t);
    orr_status st = orr_read(t, v, n < 0 ? 0 : (size_t)n * sizeof *v);
    note(st, "orr_read");
    n = st == ORR_OK ? n : 0;
    for (int64_t i = 1; i < n; i++)
        if (v[i] != v[0]) {
            unequal("orr_read", v[0], v[i]);
            break;
        }
    orr_free(t);
}

static void read_one(caller *c)
{
    double v = 0.0;
    orr_tensor *t = orr_max(any(c), ORR_ALL_AXES, false);
    note(orr_item(t, &v), "orr_item");
    (void)orr_data(any(c));
    note(orr_free(t), "orr_free");
}

static void ask(caller *c)
{
    const orr_tensor *t = any(c);
    (void)orr_tensor_status(t);
    (void)orr_tensor_shape(t);
    (void)orr_tensor_dtype(t);
    (void)orr_tensor_size(t);
}

static void print(caller *c)
{
    note(orr_print(c->nowhere, any(c)), "orr_print");
}

static void submit_async(caller *c)
{
    orr_tensor *t[2] = { any(c), any(c) };
    orr_event *e = NULL;
    note(orr_eval_async(t, 2, &e), "orr_eval_async");
    e = atomic_exchange(&event[draw(c, EVENTS)], e);
    if (e)
        note(orr_wait(e), "orr_wait");
}

static void look_at_event(caller *c)
{
    orr_event *e = atomic_load(&event[draw(c, EVENTS)]);
    if (draw(c, 3))
        (void)orr_event_done(e);
    else
        note(orr_wait(e), "orr_wait");
}

static void build(caller *c)
{
    orr_tensor *in = orr_placeholder(ORR_F32, shape_of(c)), *out[2] = { tame(orr_add(in, orr_scalar(1.0))), any(c) };
    orr_graph *g = orr_graph_build(&in, 1, out, 1 + (int)draw(c, 2));
    if (!g)
        note(orr_error_status(), "orr_graph_build");
    g = atomic_exchange(&graph[draw(c, GRAPHS)], g);
    if (g)
        note(orr_graph_free(g), "orr_graph_free");
}

static void submit(caller *c)
{
    orr_graph *g = atomic_load(&graph[draw(c, GRAPHS)]);
    orr_tensor *in = any(c), *out[2] = { NULL, NULL };
    orr_event *e = NULL;
    orr_status st = orr_graph_submit(g, &in, 1, out, 1 + (int)draw(c, 2), draw(c, 2) ? &e : NULL);
    note(st, "orr_graph_submit");
    if (e)
        note(orr_wait(e), "orr_wait");
    if (st == ORR_OK && out[0])
        put(c, out[0]);
}

static void differentiate(caller *c)
{
    orr_tensor *x = any(c), *g = NULL;
    orr_status st = orr_grad(orr_sum(orr_mul(x, x), ORR_ALL_AXES, false), &x, 1, &g);
    note(st, "orr_grad");
    if (st == ORR_OK)
        put(c, tame(g));
}

static void scopes(caller *c)
{
    if (c->depth < DEPTH && draw(c, 2)) {
        c->scope[c->depth++] = orr_scope_begin();
    } else if (c->depth) {
        orr_scope *s = c->scope[--c->depth];
        if (draw(c, 2))
            (void)orr_scope_return(s, any(c));
        note(orr_scope_end(s), "orr_scope_end");
    }
}

static void end(caller *c)
{
    unsigned i = draw(c, SHARED);
    note(orr_free(draw(c, 2) ? atomic_load(&tensor[i]) : atomic_exchange(&tensor[i], NULL)), "orr_free");
}

static void *call_at_random(void *arg)
{
    static const struct {
        void (*call)(caller *);
        unsigned often;
    } calls[] = { { record, 40 },  { make_variable, 3 }, { assign, 6 }, { evaluate, 6 },      { read_back, 8 },
                  { read_one, 4 }, { ask, 10 },          { print, 1 },  { submit_async, 3 },  { look_at_event, 5 },
                  { build, 1 },    { submit, 3 },        { scopes, 8 }, { differentiate, 2 }, { end, 6 } };
    unsigned all = 0;
    caller *c = arg;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        all += calls[k].often;
    while (c->calls-- > 0) {
        size_t k = 0;
        for (unsigned at = draw(c, all); at >= calls[k].often; k++)
            at -= calls[k].often;
        calls[k].call(c);
    }
    while (c->depth)
        (void)orr_scope_end(c->scope[--c->depth]);
    return NULL;
}

static void at_random(const char *inline_us, int64_t calls)
{
    static caller c[THREADS];
    pthread_t thread[THREADS];
    const char *given = getenv("ORR_TEST_SEED");
    unsigned long long seed = given ? strtoull(given, NULL, 0) : (unsigned long long)time(NULL);
    printf("    ORR_TEST_SEED=%llu\n", seed);
    (void)setenv("ORRERY_INLINE_US", inline_us, 1);
    (void)setenv("ORRERY_JIT", "off", 1); /* thousands of plans, each with few uses */
    FILE *nowhere = fopen("/dev/null", "w");
    ORR_REQUIRE(nowhere && orr_init(NULL) == ORR_OK);
    atomic_store(&wrong, 0);
    for (int i = 0; i < THREADS; i++) {
        c[i] = (caller){ .seed = seed + (unsigned)i, .calls = calls / THREADS, .nowhere = nowhere };
        ORR_REQUIRE(pthread_create(&thread[i], NULL, call_at_random, &c[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        ORR_CHECK(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < EVENTS; i++)
        (void)orr_wait(atomic_exchange(&event[i], NULL));
    for (int i = 0; i < GRAPHS; i++)
        (void)orr_graph_free(atomic_exchange(&graph[i], NULL));
    ORR_CHECK_MSG(atomic_load(&wrong) == 0, "%d were wrong", atomic_load(&wrong));
    ORR_CHECK(orr_shutdown() == ORR_OK);
    long long well = atomic_exchange(&done, 0);
    ORR_CHECK_MSG(well > calls / 4, "%lld of %lld calls ended well", well, (long long)calls);
    for (int i = 0; i < SHARED; i++)
        atomic_store(&tensor[i], NULL);
    (void)fclose(nowhere);
}

static int64_t calls_wanted(void)
{
    const char *full = getenv("ORR_TEST_FULL"), *calls = getenv("ORR_TEST_CALLS");
    return calls ? strtoll(calls, NULL, 10) : full && !strcmp(full, "1") ? CALLS_FULL : CALLS;
}

static void calls_that_compute_at_once(void)
{
    at_random("1000000", calls_wanted() / 2);
}

static void calls_that_make_tasks(void)
{
    at_random("0", calls_wanted() / 2);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(calls_that_compute_at_once), ORR_TEST(calls_that_make_tasks), { 0 } };
    return orr_test_main(argc, argv, "api.random_calls", tests);
}
