/* Training loops in their usual form, in one scope: predictions, activations, gradients and intermediate values are held during
 * the evaluation of the step. Its new weights still use the memory of the old ones if that costs less than it saves, and a held
 * value that is read later is that of the old weights. References are loops in double precision.
 * Must not know: how the planner finds it. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/engine/execution.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"
#include "tests/harness/usual_step.h"

static float got[W1];
static orr_tensor *x, *y, *w, *b, *u;

static orr_tensor *variable(double *v, int64_t m, int64_t n, unsigned long long *seed)
{
    for (int i = 0; i < m * n; i++)
        v[i] = got[i] = ((float)(orr_test_rand(seed) >> 40) * 0x1p-24f - 0.5f) * 0.2f;
    orr_shape s = m == 1 ? ORR_SHAPE(n) : ORR_SHAPE(m, n);
    return orr_keep(orr_variable(orr_from_at(ORR_HERE, ORR_F32, s, got)));
}

static bool start(void)
{
    unsigned long long seed = 5;
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    if (orr_init(NULL) != ORR_OK)
        return false;
    for (int i = 0; i < ROWS * IN; i++)
        hx[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f - 0.5f;
    for (int i = 0; i < ROWS * OUT; i++)
        hy[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f;
    x = orr_keep(orr_from(ORR_F32, ORR_SHAPE(ROWS, IN), hx));
    y = orr_keep(orr_from(ORR_F32, ORR_SHAPE(ROWS, OUT), hy));
    w = variable(ref.w, IN, WIDE, &seed);
    b = variable(ref.b, 1, WIDE, &seed);
    u = variable(ref.u, WIDE, OUT, &seed);
    return orr_eval_all(NULL, 0) == ORR_OK;
}

static void stop(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_INLINE_US");
}

static void check(orr_tensor *t, const double *want, int n, const char *what)
{
    double worst = 0.0;
    memset(got, 0x7f, sizeof(float) * (size_t)n);
    ORR_CHECK_MSG(orr_read(t, got, sizeof(float) * (size_t)n) == ORR_OK, "%s: %s", what, orr_error_message());
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(got[i] - want[i]));
    ORR_CHECK_MSG(worst < 5e-6, "%s: off by %g", what, worst);
}

static const void *place(void)
{
    return orr__node_value(orr__handle_node(w))->host;
}

/* The named tensors of the loop. */
typedef struct {
    orr_tensor *z, *h, *pred, *loss, *g[3];
} names;

static names record(void)
{
    names t;
    t.z = orr_add(orr_matmul(x, w), b);
    t.h = orr_relu(t.z);
    t.pred = orr_matmul(t.h, u);
    t.loss = orr_mean(orr_square(orr_sub(t.pred, y)), ORR_AXES(0, 1), false);
    ORR_CHECK_MSG(orr_grad(t.loss, (orr_tensor *[]){ w, b, u }, 3, t.g) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_assign(w, orr_sub(w, orr_mul(t.g[0], orr_scalar(RATE)))) == ORR_OK);
    ORR_CHECK(orr_assign(b, orr_sub(b, orr_mul(t.g[1], orr_scalar(RATE)))) == ORR_OK);
    ORR_CHECK(orr_assign(u, orr_sub(u, orr_mul(t.g[2], orr_scalar(RATE)))) == ORR_OK);
    return t;
}

static void check_old(const names *t, const reference *r)
{
    static double h[ROWS * WIDE];
    for (int i = 0; i < ROWS * WIDE; i++)
        h[i] = relu(r->z[i]);
    check(t->pred, r->pred, ROWS * OUT, "the prediction");
    check(t->g[0], r->gw, W1, "the gradient by w");
    check(t->h, h, ROWS * WIDE, "the activations");
    check(t->z, r->z, ROWS * WIDE, "what they are made of");
    check(t->g[1], r->gb, WIDE, "the gradient by b");
    check(t->g[2], r->gu, W2, "the gradient by u");
}

static void check_new(const reference *r)
{
    check(w, r->w, W1, "w");
    check(b, r->b, WIDE, "b");
    check(u, r->u, W2, "u");
}

/* Runs one step; true if it was in place. Nothing is read before the loss. */
static bool step(bool look)
{
    double v = NAN;
    const void *before = place();
    orr_scope *s = orr_scope_begin();
    orr_test_alarm();
    names t = record();
    reference_pass(&ref);
    ORR_CHECK_MSG(orr_item(t.loss, &v) == ORR_OK && fabs(v - ref.loss) < 1e-5, "%g, not %g: %s", v, ref.loss,
                  orr_error_message());
    if (look)
        check_old(&t, &ref);
    bool same = place() == before;
    (void)orr_scope_end(s);
    reference_step(&ref);
    return same;
}

/* Runs two steps, after which steps are in place. */
static bool ready(void)
{
    return start() && (step(false), step(false), true);
}

static void steps_with_all_held_are_in_place(void)
{
    ORR_REQUIRE(ready());
    for (int k = 0; k < 6; k++)
        ORR_CHECK_MSG(step(k % 2), "step %d was in other memory", k);
    check_new(&ref);
    stop();
}

/* Values of several steps, until the end: the outer scope owns all, and one has another owner. */
static void values_that_outlive_a_step_hold(void)
{
    enum { STEPS = 3 };
    names t[STEPS];
    static reference old[STEPS];
    ORR_REQUIRE(ready());
    orr_scope *all = orr_scope_begin();
    for (int k = 0; k < STEPS; k++) {
        const void *before = place();
        orr_scope *s = orr_scope_begin();
        t[k] = record();
        orr_tensor **const held[] = { &t[k].z, &t[k].h, &t[k].pred, &t[k].g[0], &t[k].g[1], &t[k].g[2] };
        for (size_t i = 0; i < sizeof held / sizeof *held; i++)
            *held[i] = orr_scope_return(s, *held[i]);
        (void)orr_keep(t[k].pred);
        reference_pass(&ref);
        old[k] = ref;
        ORR_CHECK_MSG(orr_eval(t[k].loss) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK_MSG(place() == before, "step %d was in other memory", k);
        (void)orr_scope_end(s);
        reference_step(&ref);
    }
    for (int k = STEPS; k-- > 0;)
        check_old(&t[k], &old[k]);
    (void)orr_scope_end(all);
    for (int k = 0; k < STEPS; k++) {
        check(t[k].pred, old[k].pred, ROWS * OUT, "what was kept");
        ORR_CHECK(orr_free(t[k].pred) == ORR_OK);
    }
    check_new(&ref);
    stop();
}

/* The step computes the operands of the expression, which gets its value. */
static void expressions_of_prediction_allow_donation(void)
{
    ORR_REQUIRE(ready());
    static double want[ROWS * OUT];
    const void *before = place();
    orr_scope *s = orr_scope_begin();
    names t = record();
    orr_tensor *more = orr_keep(orr_mul(orr_transpose(t.pred), orr_scalar(3.0)));
    ORR_CHECK(orr_eval(t.loss) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK_MSG(place() == before, "the step was in other memory");
    reference_pass(&ref);
    for (int n = 0; n < ROWS; n++)
        for (int o = 0; o < OUT; o++)
            want[o * ROWS + n] = 3.0 * ref.pred[n * OUT + o];
    check(more, want, ROWS * OUT, "what was made of the prediction");
    ORR_CHECK(orr_free(more) == ORR_OK);
    stop();
}

static void uncomputed_expression_keeps_old_weights(void)
{
    ORR_REQUIRE(ready());
    const void *before = place();
    orr_scope *s = orr_scope_begin();
    orr_tensor *other = orr_matmul(orr_relu(orr_add(orr_matmul(x, w), b)), u); /* the same numbers, other nodes */
    names t = record();
    ORR_CHECK(orr_eval(t.loss) == ORR_OK);
    ORR_CHECK(place() != before);
    reference_pass(&ref);
    check(other, ref.pred, ROWS * OUT, "what the step did not compute");
    check_old(&t, &ref);
    (void)orr_scope_end(s);
    reference_step(&ref);
    check_new(&ref);
    ORR_CHECK_MSG((step(false), step(true)), "not in place again when nobody wants old values");
    stop();
}

/* A step with a tensor as large as the weights, which the step computes; retaining it would save nothing. text: the output of
 * ORRERY_PRINT=plan. */
static void step_with_a_large_one(bool *same, char *text, size_t size)
{
    static double want[W1];
    const void *before = place();
    FILE *to = tmpfile();
    int err = dup(STDERR_FILENO);
    ORR_REQUIRE(to && err >= 0);
    orr_scope *s = orr_scope_begin();
    orr_tensor *penalty = orr_square(w), *loss = orr_sum(penalty, ORR_AXES(0, 1), false), *g;
    ORR_CHECK(orr_grad(loss, &w, 1, &g) == ORR_OK);
    ORR_CHECK(orr_assign(w, orr_sub(w, orr_mul(g, orr_scalar(RATE)))) == ORR_OK);
    (void)fflush(stderr);
    (void)dup2(fileno(to), STDERR_FILENO);
    ORR_CHECK(orr_eval(loss) == ORR_OK);
    (void)fflush(stderr);
    (void)dup2(err, STDERR_FILENO);
    (void)close(err);
    *same = place() == before;
    for (int i = 0; i < W1; i++) {
        want[i] = ref.w[i] * ref.w[i];
        ref.w[i] -= RATE * 2 * ref.w[i];
    }
    check(penalty, want, W1, "the squares of the old weights");
    check(w, ref.w, W1, "the new weights");
    (void)orr_scope_end(s);
    rewind(to);
    text[fread(text, 1, size - 1, to)] = '\0';
    (void)fclose(to);
}

static void kept_values_never_exceed_spared_bytes(void)
{
    static char text[1 << 16];
    bool same = true;
    (void)setenv("ORRERY_PRINT", "plan", 1);
    ORR_REQUIRE(ready());
    step_with_a_large_one(&same, text, sizeof text);
    ORR_CHECK(!same);
    ORR_CHECK_MSG(!strstr(text, "for their holders"), "%s", text);
    stop();
    (void)unsetenv("ORRERY_PRINT");
}

/* Warm-up compiles the plan of the later step, with the held tensors as outputs. */
static void warmed_step_has_its_plan(void)
{
    double v;
    ORR_REQUIRE(ready());
    orr__plan_cache_clear();
    orr_scope *s = orr_scope_begin();
    names t = record();
    ORR_CHECK(orr_warmup(t.loss) == ORR_OK);
    uint64_t made = orr__plan_get_stats().misses;
    ORR_CHECK(orr_item(t.loss, &v) == ORR_OK && orr__plan_get_stats().misses == made);
    (void)orr_scope_end(s);
    stop();
}

static atomic_int launches_left = -1; /* launches before one fails; below 0: none does */

static orr_status launch_or_fail(orr__kernel *k, const orr__launch *l)
{
    if (atomic_fetch_sub(&launches_left, 1) == 0)
        return orr__fail(ORR__SITE("test", 1, "launch"), ORR_EDEVICE, "this launch fails");
    return orr__cpu.launch(k, l);
}

/* Any launch may fail: held tensors then have the right value, or an error. */
static void failed_step_leaves_no_wrong_value(void)
{
    static orr__backend failing;
    static float all[W1], pred[ROWS * OUT];
    const orr__backend *before = orr__exec_cpu;
    int failed = 0, right = 0, lost = 0;
    failing = orr__cpu;
    failing.launch = launch_or_fail;
    orr__exec_cpu = &failing; /* while workers exist */
    ORR_REQUIRE(ready());
    for (int n = 0; n < 12; n++) {
        if (!orr_test_due((unsigned)n, 2))
            continue;
        double v, worst = 0.0;
        orr_scope *s = orr_scope_begin();
        names t = record();
        reference_pass(&ref);
        atomic_store(&launches_left, n);
        (void)orr_item(t.loss, &v);
        orr_status read = orr_read(t.pred, pred, sizeof pred);
        bool hit = atomic_exchange(&launches_left, -1) < 0;
        failed += hit;
        for (int i = 0; read == ORR_OK && i < ROWS * OUT; i++)
            worst = fmax(worst, fabs(pred[i] - ref.pred[i]));
        right += hit && read == ORR_OK;
        lost += read != ORR_OK;
        ORR_CHECK_MSG(worst < 5e-6, "launch %d: the prediction is off by %g", n, worst);
        ORR_CHECK_MSG(read == ORR_OK || (hit && (read == ORR_ESTATE || read == ORR_EDEVICE)), "launch %d: %s", n,
                      orr_error_message());
        (void)orr_scope_end(s);
        orr_tensor *var[3] = { w, b, u };
        double *want[3] = { ref.w, ref.b, ref.u };
        int count[3] = { W1, WIDE, W2 };
        for (int k = 0; k < 3; k++) { /* as in the reference */
            for (int i = 0; i < count[k]; i++)
                all[i] = (float)want[k][i];
            orr_tensor *fresh = orr_from_at(ORR_HERE, ORR_F32, orr_tensor_shape(var[k]), all);
            ORR_CHECK_MSG(orr_assign(var[k], fresh) == ORR_OK && orr_eval(var[k]) == ORR_OK, "%s", orr_error_message());
            ORR_CHECK(orr_free(fresh) == ORR_OK);
        }
        (void)step(true);
        (void)step(true);
    }
    printf("    %d steps failed; then %d predictions were there, %d lost and said so\n", failed, right, lost);
    ORR_CHECK(failed > 0);
    stop();
    orr__exec_cpu = before;
}

/* -- another thread reads held tensors ---------------------------------------------------------------------------- */

enum { TURNS = 10 };
static struct {
    pthread_barrier_t turn;
    orr_tensor *pred;
    float got[ROWS * OUT];
    orr_status st;
} other;

static void *look(void *arg)
{
    for (int k = 0; k < TURNS; k++) {
        (void)pthread_barrier_wait(&other.turn);
        other.st = orr_read(other.pred, other.got, sizeof other.got);
        (void)pthread_barrier_wait(&other.turn);
    }
    return arg;
}

static void another_thread_reads_the_prediction(void)
{
    pthread_t t;
    int same = 0;
    ORR_REQUIRE(ready());
    ORR_REQUIRE(pthread_barrier_init(&other.turn, NULL, 2) == 0 && pthread_create(&t, NULL, look, NULL) == 0);
    for (int k = 0; k < TURNS; k++) {
        const void *before = place();
        orr_scope *s = orr_scope_begin();
        orr_test_alarm();
        names n = record();
        double worst = 0.0;
        other.pred = n.pred;
        (void)pthread_barrier_wait(&other.turn);
        ORR_CHECK_MSG(orr_eval(n.loss) == ORR_OK, "%s", orr_error_message());
        (void)pthread_barrier_wait(&other.turn);
        same += place() == before;
        reference_pass(&ref);
        ORR_CHECK(other.st == ORR_OK);
        for (int i = 0; i < ROWS * OUT; i++)
            worst = fmax(worst, fabs(other.got[i] - ref.pred[i]));
        ORR_CHECK_MSG(worst < 5e-6, "turn %d: off by %g", k, worst);
        (void)orr_scope_end(s);
        reference_step(&ref);
    }
    (void)pthread_join(t, NULL);
    (void)pthread_barrier_destroy(&other.turn);
    printf("    %d of %d steps in place\n", same, TURNS);
    check_new(&ref);
    stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(steps_with_all_held_are_in_place),
                                      ORR_TEST(values_that_outlive_a_step_hold),
                                      ORR_TEST(expressions_of_prediction_allow_donation),
                                      ORR_TEST(uncomputed_expression_keeps_old_weights),
                                      ORR_TEST(kept_values_never_exceed_spared_bytes),
                                      ORR_TEST(warmed_step_has_its_plan),
                                      ORR_TEST(failed_step_leaves_no_wrong_value),
                                      ORR_TEST(another_thread_reads_the_prediction),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.inplace_usual", tests);
}
