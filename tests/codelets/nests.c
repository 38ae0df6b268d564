/* Nests whose costs are near each other: measurements decide, all compute the same bits, and a known choice is used at once.
 * Must not know: the text of a nest. */
#include "config.h"

#include <pthread.h>
#include "codelets/cpu/cpu.h"
#include "codelets/nest/cloop.h"
#include "codelets/variants.h"
#include "runtime/base/clock.h"
#include "runtime/base/regret.h"
#include "tests/harness/jit_help.h"
#include "tests/harness/region_corpus.h"

static rb made;

/* Rows of tanh(x - row) of `length`. */
static void rows_of(int64_t rows, int64_t length)
{
    rb_begin(&made, RB_MAP, 2, (const int64_t[]){ rows, length });
    int x = rb_load(&made, rb_linear(&made, rb_input(&made, ORR_F32, rows * length)));
    int y = rb_load(&made, rb_access(&made, rb_input(&made, ORR_F32, length), 0, (int64_t[]){ 0, 1 }));
    rb_out(&made, ORR_F32, rb_ew(&made, "tanh", rb_ew(&made, "sub", x, y, -1), -1, -1));
}

/* The first length whose rows have nests that are near each other. */
static bool near_rows(int64_t rows)
{
    int nest[ORR__NEST_OFFERS];
    for (int64_t length = 4; length <= 200; length++) {
        rows_of(rows, length);
        if (orr__cloop_near(&made.r, nest) > 1)
            return true;
    }
    return false;
}

/* The place of the largest element of each row. Its folds are instructions of the nest side by side, which changes the costs. */
static void a_reduction_of_any_length_has_a_nest(void)
{
    for (int64_t length = 2; length <= 200; length++) {
        rb_begin(&made, RB_ARGREDUCE, 2, (const int64_t[]){ 131072 / length, length });
        made.r.rmask = 2;
        made.r.rop[0] = ORR__RMAX;
        rb_out(&made, ORR_I64, rb_load(&made, rb_linear(&made, rb_input(&made, ORR_F16, 131072))));
        char *text = orr__emit_c(&made.r);
        ORR_CHECK_MSG(text && !strstr(text, "(null)"), "rows of %d: %s", (int)length, orr_error_message());
        free(text);
    }
}

static orr_status launch(orr__kernel *k, rco_data *d)
{
    orr__launch l = { .region = &made.r, .hi = made.r.dim[0], .in = d->in, .out = d->out, .scalar = made.scalar };
    return orr__cpu.launch(k, &l);
}

static bool launch_is(orr__kernel *k, rco_data *d, uint64_t want)
{
    memset(d->out[0], 0, (size_t)made.r.out_count * sizeof(float));
    return launch(k, d) == ORR_OK && rco_bits(&made, d) == want;
}

static void begin(const char *name)
{
    jh_settings(jh_place(name));
    orr__env.machine = ORR__MACHINE_MEASURED;
    orr__env.jit = ORR__JIT_WAIT;
    (void)orr__variants_forget();
    orr__regret_clear();
    orr__regret_evaluated(1000, 1000);
    orr__cpu_start();
}

/* The bits by the interpreter. */
static uint64_t interpreted(rco_data *d)
{
    orr__kernel *k = NULL;
    orr__env.jit = ORR__JIT_OFF;
    ORR_CHECK(orr__cpu.prepare(&made.r, &k) == ORR_OK && launch(k, d) == ORR_OK);
    orr__env.jit = ORR__JIT_WAIT;
    orr__cpu.release(k);
    return rco_bits(&made, d);
}

static orr__variants *choice_of(const orr__kernel *k)
{
    orr__launch l = { .region = &made.r };
    return orr__cpu_nests(k, &l);
}

static int chosen(const orr__kernel *k)
{
    return orr__variants_settled(choice_of(k));
}

/* A kernel with nests near each other and its data. Returns the bits of a launch, by the interpreter. */
static uint64_t a_kernel(const char *name, orr__kernel **k, rco_data *d)
{
    begin(name);
    bool ok = near_rows(3000) && rco_draw(&made, RCO_ANY, d);
    uint64_t want = ok ? interpreted(d) : 0;
    ORR_CHECK(ok && orr__cpu.prepare(&made.r, k) == ORR_OK && (*k)->ncompiled > 1);
    return want;
}

static void end(orr__kernel *k, rco_data *d)
{
    orr__cpu.release(k);
    orr__cpu_stop();
    rco_free(d);
}

/* Two lengths of an octave of sizes, with one text. */
static void rows_of_each_length_have_a_choice(void)
{
    ORR_NEED_COMPILER();
    orr__variants *choice[2] = { NULL };
    int nest[ORR__NEST_OFFERS], found = 0;
    begin("lengths");
    for (int64_t length = 4; length <= 200 && found < 2; length++) {
        orr__kernel *k = NULL;
        rows_of(4000, length);
        if (orr__cloop_near(&made.r, nest) < 2 || orr__octave(4000 * length) != orr__octave(4000 * (length + 1)))
            continue;
        ORR_CHECK(orr__cpu.prepare(&made.r, &k) == ORR_OK && k->ncompiled > 1);
        choice[found++] = choice_of(k);
        orr__cpu.release(k);
    }
    ORR_CHECK(found == 2 && choice[0] && choice[0] != choice[1]);
    orr__cpu_stop();
}

static void near_nests_are_raced(void)
{
    ORR_NEED_COMPILER();
    rco_data d;
    orr__kernel *k = NULL;
    uint64_t want = a_kernel("raced", &k, &d);
    ORR_REQUIRE(k);
    for (int i = 0; i < 20; i++)
        ORR_CHECK(launch_is(k, &d, want));
    ORR_CHECK_MSG(!atomic_load(&k->compiled[1].jit->fn), "compiled after %d launches", 20);
    for (int i = 1; i < k->ncompiled; i++)
        atomic_store(&k->compiled[i].jit->ns, UINT64_C(10000000000));
    for (double end = orr__now() + 20; chosen(k) < 0 && orr__now() < end;)
        ORR_CHECK(launch_is(k, &d, want));
    int best = chosen(k);
    ORR_CHECK_MSG(best >= 0 && best < k->ncompiled, "no choice");
    ORR_CHECK(launch_is(k, &d, want) && orr__cpu_nest(k) == (best > 0 ? k->compiled[best].nest : 0));
    end(k, &d);
}

static void a_known_choice_is_used_at_once(void)
{
    ORR_NEED_COMPILER();
    rco_data d;
    orr__kernel *k = NULL;
    uint64_t want = a_kernel("known", &k, &d);
    ORR_REQUIRE(k);
    ORR_CHECK(launch_is(k, &d, want) && atomic_load(&k->compiled[0].jit->fn) && chosen(k) < 0);
    orr__variants *v = choice_of(k);
    orr__variants_put(v->kernel, v->size, v->n, 1);
    ORR_CHECK(launch_is(k, &d, want)); /* requests it */
    orr__jit_wait(k->compiled[1].jit);
    ORR_CHECK(launch_is(k, &d, want) && orr__cpu_nest(k) == k->compiled[1].nest);
    end(k, &d);
}

static void a_fixed_machine_has_one_nest(void)
{
    ORR_NEED_COMPILER();
    orr__kernel *k = NULL;
    begin("fixed");
    orr__env.machine = ORR__MACHINE_FIXED;
    ORR_REQUIRE(near_rows(3000));
    ORR_CHECK(orr__cpu.prepare(&made.r, &k) == ORR_OK && k->ncompiled == 1);
    orr__cpu.release(k);
    orr__env.machine = ORR__MACHINE_MEASURED;
    orr__env.deterministic = true;
    ORR_CHECK(orr__cpu.prepare(&made.r, &k) == ORR_OK);
    orr__env.deterministic = false;
    orr__cpu.release(k);
    orr__cpu_stop();
}

typedef struct {
    orr__kernel *k;
    rco_data d;
    uint64_t want;
    int wrong;
} member;

static void *work(void *arg)
{
    member *m = arg;
    for (int i = 0; i < 300; i++)
        m->wrong += !launch_is(m->k, &m->d, m->want);
    return NULL;
}

static void threads_race_one_kernel(void)
{
    ORR_NEED_COMPILER();
    enum { THREADS = 4 };
    static member m[THREADS];
    pthread_t thread[THREADS];
    orr__kernel *k = NULL;
    begin("threads");
    ORR_REQUIRE(near_rows(500) && orr__cpu.prepare(&made.r, &k) == ORR_OK && k->ncompiled > 1);
    for (int i = 1; i < k->ncompiled; i++)
        atomic_store(&k->compiled[i].jit->ns, UINT64_C(10000000000));
    for (int t = 0; t < THREADS; t++) {
        m[t] = (member){ .k = k };
        ORR_REQUIRE(rco_draw(&made, RCO_ANY, &m[t].d));
        m[t].want = interpreted(&m[t].d);
    }
    for (int t = 0; t < THREADS; t++)
        ORR_REQUIRE(pthread_create(&thread[t], NULL, work, &m[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        (void)pthread_join(thread[t], NULL);
        ORR_CHECK_MSG(m[t].wrong == 0, "%d launches", m[t].wrong);
        rco_free(&m[t].d);
    }
    orr__cpu.release(k);
    orr__cpu_stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(rows_of_each_length_have_a_choice),
                                      ORR_TEST(near_nests_are_raced),
                                      ORR_TEST(a_reduction_of_any_length_has_a_nest),
                                      ORR_TEST(a_known_choice_is_used_at_once),
                                      ORR_TEST(a_fixed_machine_has_one_nest),
                                      ORR_TEST(threads_race_one_kernel),
                                      { 0 } };
    return jh_begin() ? jh_end(orr_test_main(argc, argv, "codelets.nests", tests)) : 1;
}
