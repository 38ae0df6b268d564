/* The CPU backend's launches: the change from the interpreter to the compiled function, and its cost.
 * Must not know: compilers, files of the cache. */
#include "config.h"
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "codelets/cpu/cpu.h"
#include "runtime/base/clock.h"
#include "tests/harness/jit_help.h"
#include "tests/harness/region_build.h"

static void square_plus_one(rb *b, int64_t n)
{
    rb_begin(b, RB_MAP, 1, &n);
    int x = rb_load(b, rb_linear(b, rb_input(b, ORR_F32, n)));
    int one = rb_scalar(b, ORR_F32, (orr__scalar){ .f = 1.0 });
    rb_out(b, ORR_F32, rb_ew(b, "add", rb_ew(b, "mul", x, x, -1), one, -1));
    orr__region_finish(&b->r);
}

static double best_of(int n, orr__kernel *k, const orr__launch *l, orr__jit_fn *fn)
{
    double best = 1;
    for (int i = 0; i < n; i++) {
        double t0 = orr__now();
        for (int j = 0; j < 1000; j++)
            (void)(fn ? fn(l->in, l->out, (const int64_t[64]){ 0 }) : (int)orr__cpu.launch(k, l));
        double t = (orr__now() - t0) / 1000;
        best = t < best ? t : best;
    }
    return best;
}

static void launches_switch_to_the_compiled_function(void)
{
    ORR_NEED_COMPILER();
    enum { N = 1000 };
    static rb b;
    static float x[N], y0[N], y1[N];
    orr__kernel *k;
    jh_settings(jh_place("launch"));
    for (int i = 0; i < N; i++)
        x[i] = (float)(i - 500) * 0.37f;
    square_plus_one(&b, N);
    void *in[] = { x }, *out[] = { y0 };
    orr__launch l = { .region = &b.r, .lo = 0, .hi = N, .in = in, .out = out, .scalar = b.scalar };
    orr__env.jit = ORR__JIT_OFF;
    ORR_REQUIRE(orr__cpu.prepare(&b.r, &k) == ORR_OK);
    ORR_CHECK(!k->compiled[0].jit && orr__cpu.launch(k, &l) == ORR_OK);
    orr__cpu.release(k);
    orr__env.jit = ORR__JIT_ON;
    orr__jit_start();
    ORR_REQUIRE(orr__cpu.prepare(&b.r, &k) == ORR_OK && k->compiled[0].jit);
    out[0] = y1;
    ORR_CHECK(orr__cpu.launch(k, &l) == ORR_OK && atomic_load(&k->compiled[0].jit->ns) > 0); /* tier 0 */
    ORR_CHECK(memcmp(y0, y1, sizeof y0) == 0 && !atomic_load(&k->compiled[0].jit->fn));
    atomic_store(&k->compiled[0].jit->ns, 10000000);
    ORR_CHECK(orr__cpu.launch(k, &l) == ORR_OK); /* requests, does not wait */
    orr__jit_wait(k->compiled[0].jit);
    memset(y1, 0, sizeof y1);
    ORR_CHECK(atomic_load(&k->compiled[0].jit->fn) && orr__cpu.launch(k, &l) == ORR_OK &&
              memcmp(y0, y1, sizeof y0) == 0);
    orr__cpu.release(k);
    orr__jit_stop();
}

static int nothing(void *const *in, void *const *out, const int64_t *word)
{
    (void)in;
    (void)out;
    __asm__ volatile("" : : "r"(word) : "memory");
    return 0;
}

static void launch_costs_little_more_than_call(void)
{
    ORR_NEED_COMPILER();
    static rb b;
    float x[16] = { 1 }, y[16];
    orr__kernel *k;
    jh_settings(jh_place("dispatch"));
    orr__jit_start();
    square_plus_one(&b, 16);
    void *in[] = { x }, *out[] = { y };
    orr__launch l = { .region = &b.r, .lo = 0, .hi = 16, .in = in, .out = out, .scalar = b.scalar };
    ORR_REQUIRE(orr__cpu.prepare(&b.r, &k) == ORR_OK && k->compiled[0].jit);
    ORR_CHECK(orr__cpu.launch(k, &l) == ORR_OK && atomic_load(&k->compiled[0].jit->fn));
    atomic_store(&k->compiled[0].jit->fn, nothing); /* only the cost of the launch is left */
    double call = best_of(20, k, &l, nothing), launch = best_of(20, k, &l, NULL);
    printf("    a call %.0f ns, a launch %.0f ns\n", call * 1e9, launch * 1e9);
    ORR_CHECK_MSG(launch - call < 5e-6, "%g µs", (launch - call) * 1e6);
    orr__cpu.release(k);
    orr__jit_stop();
}

/* -- one thread requests, another waits ----------------------------------------------------------------------- */

enum { ROUNDS = 20000 };
static orr__jit *asked[ROUNDS];
static atomic_int turn;

static void *wait_for_each(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&turn) < i)
            sched_yield();
        while (atomic_load(&asked[i]->state) == ORR__JIT_COLD)
            continue;
        orr__jit_wait(asked[i]);
        if (!atomic_load(&asked[i]->fn))
            return asked[i];
    }
    return NULL;
}

/* A kernel with an equal one in memory is available at once, also to threads that have just begun to wait for it. */
static void loaded_kernel_needs_no_lock(void)
{
    ORR_NEED_COMPILER();
    pthread_t waiter;
    struct timespec until;
    void *left_out = NULL;
    jh_settings(jh_place("waiters"));
    orr__jit_start();
    orr__jit *held = jh_ask(7);
    ORR_REQUIRE(held);
    orr__jit_wait(held);
    for (int i = 0; i < ROUNDS; i++)
        ORR_REQUIRE((asked[i] = orr__jit_new(7, "again")) != NULL);
    ORR_REQUIRE(pthread_create(&waiter, NULL, wait_for_each, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&turn, i);
        orr__jit_ask(asked[i], jh_text(7));
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 400;
    ORR_REQUIRE(pthread_timedjoin_np(waiter, &left_out, &until) == 0);
    ORR_CHECK(!left_out);
    for (int i = 0; i < ROUNDS; i++)
        orr__jit_unref(asked[i]);
    orr__jit_unref(held);
    orr__jit_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(launches_switch_to_the_compiled_function),
                                      ORR_TEST(launch_costs_little_more_than_call),
                                      ORR_TEST(loaded_kernel_needs_no_lock),
                                      { 0 } };
    if (!jh_begin())
        return 1;
    return jh_end(orr_test_main(argc, argv, "codelets.jit_launch", tests));
}
