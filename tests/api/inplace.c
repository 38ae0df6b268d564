/* A variable's new value uses the memory of the old one if nobody can read that any more; every remaining reader, on this thread or
 * another, sees the old numbers. References are loops in double precision.
 * Must not know: how the planner finds it. */
#include "config.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/engine/execution.h"
#include "runtime/graph/donation.h"
#include "tests/harness/harness.h"

enum { B = 128, IN = 512, OUT = 384, COUNT = IN * OUT };
#define RATE 0.05

/* loss = Σ (x·w − y)² / B, w ← w − RATE · dloss/dw */
typedef struct {
    orr_tensor *x, *y, *w;
    float hx[B * IN], hy[B * OUT];
    double ref[COUNT], now[COUNT]; /* the reference's weights */
    float got[COUNT];
} model;
static model m;

/* The lanes for a step: tasks, the calling thread, a crew of two workers, the engine without workers. */
typedef struct {
    const char *engine, *inline_us, *workers;
} lane;
static const lane tasks = { "starpu", "0", NULL }, *by = &tasks;

static bool start(void)
{
    unsigned long long seed = 11;
    (void)setenv("ORRERY_INLINE_US", by->inline_us, 1);
    if (by->workers)
        (void)setenv("STARPU_NCPU", by->workers, 1);
    if (orr_init(&(orr_config){ .engine = by->engine }) != ORR_OK)
        return false;
    float *w = malloc(COUNT * sizeof *w);
    for (int i = 0; i < B * IN; i++)
        m.hx[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f - 0.5f;
    for (int i = 0; i < B * OUT; i++)
        m.hy[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f - 0.5f;
    for (int i = 0; w && i < COUNT; i++)
        m.ref[i] = w[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f * 0.1f;
    m.x = orr_keep(orr_from(ORR_F32, ORR_SHAPE(B, IN), m.hx));
    m.y = orr_keep(orr_from(ORR_F32, ORR_SHAPE(B, OUT), m.hy));
    m.w = orr_keep(orr_variable(orr_from(ORR_F32, ORR_SHAPE(IN, OUT), w)));
    free(w);
    return orr_eval_all(NULL, 0) == ORR_OK;
}

static void stop(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("STARPU_NCPU");
}

static void reference_step(void)
{
    static double r[B * OUT];
    for (int b = 0; b < B; b++) {
        for (int o = 0; o < OUT; o++)
            r[b * OUT + o] = -m.hy[b * OUT + o];
        for (int i = 0; i < IN; i++)
            for (int o = 0; o < OUT; o++)
                r[b * OUT + o] += m.hx[b * IN + i] * m.ref[i * OUT + o];
    }
    for (int b = 0; b < B; b++)
        for (int i = 0; i < IN; i++)
            for (int o = 0; o < OUT; o++)
                m.ref[i * OUT + o] -= RATE * 2.0 / B * m.hx[b * IN + i] * r[b * OUT + o];
}

/* Records a step and releases everything except the loss before the evaluation. */
static orr_tensor *record(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *g, *loss = orr_sum(orr_square(orr_sub(orr_matmul(m.x, m.w), m.y)), ORR_AXES(0, 1), false);
    loss = orr_div(loss, orr_scalar(B));
    ORR_CHECK(orr_grad(loss, &m.w, 1, &g) == ORR_OK);
    ORR_CHECK(orr_assign(m.w, orr_sub(m.w, orr_mul(g, orr_scalar(RATE)))) == ORR_OK);
    loss = orr_scope_return(s, loss);
    (void)orr_scope_end(s);
    return loss;
}

static void step(void)
{
    double v = NAN;
    orr_scope *s = orr_scope_begin();
    orr_test_alarm();
    ORR_CHECK_MSG(orr_item(record(), &v) == ORR_OK && isfinite(v), "%s", orr_error_message());
    (void)orr_scope_end(s);
    reference_step();
}

static const void *place(void)
{
    return orr__node_value(orr__handle_node(m.w))->host;
}

/* Checks t against f · w, within the precision of floats. */
static void check(orr_tensor *t, const double *w, double f, const char *what)
{
    double worst = 0.0;
    memset(m.got, 0, sizeof m.got);
    ORR_CHECK_MSG(orr_read(t, m.got, sizeof m.got) == ORR_OK, "%s: %s", what, orr_error_message());
    for (int i = 0; i < COUNT; i++)
        worst = fmax(worst, fabs(m.got[i] - f * w[i]));
    ORR_CHECK_MSG(worst <= 2e-6 * f, "%s: off by %g", what, worst);
}

/* Runs two steps, after which steps are in place; saves the present weights. */
static bool ready(void)
{
    if (!start())
        return false;
    for (int k = 0; k < 2; k++)
        step();
    const void *before = place();
    step();
    ORR_CHECK_MSG(place() == before, "the third step was in other memory");
    memcpy(m.now, m.ref, sizeof m.now);
    return true;
}

static void steps_are_in_place(void)
{
    ORR_REQUIRE(ready());
    check(m.w, m.ref, 1.0, "after three steps");
    const void *before = place();
    for (int k = 0; k < 3; k++)
        step();
    ORR_CHECK(place() == before);
    check(m.w, m.ref, 1.0, "after six steps");
    stop();
}

/* If an expression of the old value is held, a step is not in place, and the expression has the old numbers. */
static void expression_of_old_value_keeps_it(void)
{
    ORR_REQUIRE(ready());
    const void *before = place();
    orr_tensor *old = orr_keep(orr_mul(m.w, orr_scalar(3.0)));
    step();
    ORR_CHECK(place() != before);
    check(old, m.now, 3.0, "three times the old value");
    check(m.w, m.ref, 1.0, "the new one");
    ORR_CHECK(orr_free(old) == ORR_OK);
    before = (step(), place());
    step();
    ORR_CHECK_MSG(place() == before, "not in place again when nobody wants the old value");
    stop();
}

/* A held tensor that a step computes anyway gets its value in the step, from the old weights. Gradients through it are recorded before
 * that; later ones are an error. */
static void held_prediction_gets_its_value(void)
{
    ORR_REQUIRE(ready());
    double v;
    const void *before = place();
    static float got[B * OUT];
    orr_tensor *g = NULL, *p = orr_keep(orr_matmul(m.x, m.w));
    orr_scope *s = orr_scope_begin();
    orr_tensor *e = orr_sum(orr_square(orr_sub(p, m.y)), ORR_AXES(0, 1), false), *d;
    ORR_CHECK(orr_grad(e, &m.w, 1, &d) == ORR_OK);
    ORR_CHECK(orr_assign(m.w, orr_sub(m.w, orr_mul(d, orr_scalar(RATE / B)))) == ORR_OK);
    ORR_CHECK(orr_item(e, &v) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK_MSG(place() == before, "the step was in other memory");
    reference_step();
    check(m.w, m.ref, 1.0, "the new weights");
    double worst = 0.0;
    ORR_CHECK_MSG(orr_read(p, got, sizeof got) == ORR_OK, "%s", orr_error_message());
    for (int b = 0; b < B; b++)
        for (int o = 0; o < OUT; o++) {
            double sum = 0.0;
            for (int i = 0; i < IN; i++)
                sum += m.hx[b * IN + i] * m.now[i * OUT + o];
            worst = fmax(worst, fabs(got[b * OUT + o] - sum));
        }
    ORR_CHECK_MSG(worst < 1e-4, "the prediction is off by %g", worst);
    e = orr_sum(p, ORR_AXES(0, 1), false); /* of the former weights, so it has no gradient by the present ones */
    ORR_CHECK(orr_grad(e, &m.w, 1, &g) == ORR_EGRAPH &&
              strstr(orr_error_message(), "that it depends on were assigned"));
    ORR_CHECK(orr_grad(e, &m.x, 1, &g) == ORR_EGRAPH &&
              strstr(orr_error_message(), "that it depends on were assigned"));
    stop();
}

static void data_pointer_keeps_old_value(void)
{
    ORR_REQUIRE(ready());
    orr_tensor *alias = orr_keep(orr_reshape(m.w, ORR_SHAPE(IN, OUT)));
    const float *p = orr_data(alias), *q;
    ORR_REQUIRE(p != NULL);
    memcpy(m.got, p, sizeof m.got);
    step();
    ORR_CHECK(memcmp(m.got, p, sizeof m.got) == 0);
    q = orr_data(m.w); /* valid while the variable has this value; no step may write there, either */
    ORR_REQUIRE(q != NULL);
    memcpy(m.got, q, sizeof m.got);
    orr_tensor *hold = orr_keep(orr_detach(m.w));
    step();
    ORR_CHECK(memcmp(m.got, q, sizeof m.got) == 0);
    ORR_CHECK(orr_eval(hold) == ORR_OK);
    check(m.w, m.ref, 1.0, "the new one");
    stop();
}

static void explicit_graph_reads_present_variables(void)
{
    ORR_REQUIRE(ready());
    orr_tensor *in = orr_placeholder(ORR_F32, ORR_SHAPE()), *old = orr_keep(orr_mul(m.w, orr_scalar(2.0)));
    orr_tensor *by_name = orr_mul(m.w, in), *by_value = orr_mul(old, in), *r[2];
    orr_graph *g = orr_graph_build(&in, 1, ORR_TENSORS(by_name, by_value));
    orr_tensor *two = orr_cast(orr_full(ORR_F32, ORR_SHAPE(), 2.0), ORR_F32);
    ORR_REQUIRE(g != NULL);
    for (int k = 0; k < 2; k++) {
        step();
        ORR_CHECK_MSG(orr_graph_submit(g, &two, 1, r, 2, NULL) == ORR_OK, "%s", orr_error_message());
        check(r[0], m.ref, 2.0, "a variable, by name");
    }
    check(old, m.now, 2.0, "what was held");
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    stop();
}

static void running_work_reads_old_value(void)
{
    ORR_REQUIRE(ready());
    for (int k = 0; k < 6; k++) {
        orr_event *e;
        orr_tensor *old =
            orr_add(orr_matmul(orr_matmul(m.w, orr_eye(ORR_F32, OUT, OUT, 0)), orr_eye(ORR_F32, OUT, OUT, 0)), m.w);
        memcpy(m.now, m.ref, sizeof m.now);
        ORR_CHECK(orr_eval_async(&old, 1, &e) == ORR_OK);
        step();
        ORR_CHECK(orr_wait(e) == ORR_OK);
        check(old, m.now, 2.0, "read by tasks while it was replaced");
        check(m.w, m.ref, 1.0, "the new one");
    }
    stop();
}

static orr_tensor *held;
static orr_tensor *times(orr_tensor *item, int64_t i, void *user)
{
    (void)item, (void)user;
    return orr_mul(i % 2 ? held : m.w, orr_scalar((double)(1 + i)));
}

static void par_map_reads_present_variables(void)
{
    ORR_REQUIRE(ready());
    orr_tensor *r[4];
    held = orr_keep(orr_mul(m.w, orr_scalar(1.0)));
    step();
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = record(); /* pending during the evaluation of the items */
    reference_step();
    ORR_CHECK(orr_par_map(4, times, NULL, NULL, r) == ORR_OK);
    for (int i = 0; i < 4; i++)
        check(r[i], i % 2 ? m.now : m.ref, 1.0 + i, "an item");
    ORR_CHECK(orr_eval(loss) == ORR_OK);
    (void)orr_scope_end(s);
    stop();
}

static void step_by_event_is_right(void)
{
    ORR_REQUIRE(ready());
    for (int k = 0; k < 4; k++) {
        orr_event *e;
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = record();
        reference_step();
        ORR_CHECK(orr_eval_async(&loss, 1, &e) == ORR_OK);
        orr_tensor *twice = orr_add(m.w, m.w);
        check(twice, m.ref, 2.0, "recorded while it was written");
        ORR_CHECK(orr_wait(e) == ORR_OK);
        (void)orr_scope_end(s);
    }
    stop();
}

static atomic_int launches_left = -1; /* launches before one fails; below 0: none does */

static orr_status launch_or_fail(orr__kernel *k, const orr__launch *l)
{
    if (atomic_fetch_sub(&launches_left, 1) == 0)
        return orr__fail(ORR__SITE("test", 1, "launch"), ORR_EDEVICE, "this launch fails");
    return orr__cpu.launch(k, l);
}

/* Any launch of a step may fail: afterwards the weights are the old ones or the new ones, or an error reports that they are lost; a new
 * assignment works. */
static void failed_step_leaves_no_wrong_value(void)
{
    static orr__backend failing;
    const orr__backend *before = orr__exec_cpu;
    int failed = 0, old = 0, lost = 0;
    failing = orr__cpu;
    failing.launch = launch_or_fail;
    orr__exec_cpu = &failing; /* while workers exist */
    ORR_REQUIRE(ready());
    for (int n = 0; n < 12; n++) {
        double v;
        memcpy(m.now, m.ref, sizeof m.now);
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = record();
        atomic_store(&launches_left, n);
        orr_status st = orr_item(loss, &v), read = orr_read(m.w, m.got, sizeof m.got);
        bool hit = atomic_exchange(&launches_left, -1) < 0;
        (void)orr_scope_end(s);
        reference_step();
        failed += hit && (st != ORR_OK || read != ORR_OK);
        double to_old = 0.0, to_new = 0.0;
        for (int i = 0; read == ORR_OK && i < COUNT; i++) {
            to_old = fmax(to_old, fabs(m.got[i] - m.now[i]));
            to_new = fmax(to_new, fabs(m.got[i] - m.ref[i]));
        }
        old += read == ORR_OK && to_old < to_new;
        lost += read != ORR_OK;
        ORR_CHECK_MSG(read != ORR_OK || fmin(to_old, to_new) < 5e-6, "launch %d: %g from the old, %g from the new", n,
                      to_old, to_new);
        ORR_CHECK_MSG(read == ORR_OK || read == ORR_ESTATE || read == ORR_EDEVICE, "%s", orr_error_message());
        float *w = malloc(COUNT * sizeof *w);
        for (int i = 0; w && i < COUNT; i++)
            m.ref[i] = w[i] = (float)m.ref[i];
        ORR_CHECK(orr_assign(m.w, orr_from(ORR_F32, ORR_SHAPE(IN, OUT), w)) == ORR_OK);
        ORR_CHECK_MSG(orr_eval(m.w) == ORR_OK, "%s", orr_error_message());
        free(w);
        step();
        step();
    }
    printf("    %d steps failed, %d left the old value, %d lost it and said so\n", failed, old, lost);
    ORR_CHECK(failed > 0);
    stop();
    orr__exec_cpu = before;
}

/* Data can make this evaluation fail, so that it writes over nothing. Everything that does not depend on the wrong index can still be
 * computed. */
static void index_error_beside_step_keeps_other_values(void)
{
    ORR_REQUIRE(ready());
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[2] = { record(), orr_take(m.x, orr_full(ORR_I64, ORR_SHAPE(4), 1e6), 0) };
    ORR_CHECK(orr_eval_all(t, 2) == ORR_EINDEX);
    (void)orr_scope_end(s);
    reference_step();
    check(m.w, m.ref, 1.0, "the step beside it");
    step();
    check(m.w, m.ref, 1.0, "and the next");
    stop();
}

/* loss = Σ w[i]², w ← w − RATE · dloss/dw: rows change once for each time that they are read. The gradient is an output, too, so that
 * the new value cannot use its memory. */
static orr_status step_by_rows(const int64_t *rows, int n)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *index = orr_from(ORR_I64, ORR_SHAPE(n), rows), *t[2];
    t[0] = orr_sum(orr_square(orr_take(m.w, index, 0)), ORR_AXES(0, 1), false);
    ORR_CHECK(orr_eval(index) == ORR_OK && orr_grad(t[0], &m.w, 1, &t[1]) == ORR_OK);
    ORR_CHECK(orr_assign(m.w, orr_sub(m.w, orr_mul(t[1], orr_scalar(RATE)))) == ORR_OK);
    orr_test_alarm();
    orr_status st = orr_eval_all(t, 2);
    (void)orr_scope_end(s);
    return st;
}

/* Indices that exist and are in range cannot make a step fail, so that it may write over the old value. */
static void step_with_indices_is_in_place_if_they_are_in_range(void)
{
    enum { N = 5, STEPS = 3 };
    const int64_t good[N] = { 7, -1, 300, 7, 0 }, bad[N] = { 7, IN, 300, 7, 0 };
    int in_place = 0;
    (void)setenv("ORRERY_ABLATE", "bundles", 1); /* steps without bundles write to memory of their own */
    bool is_ready = ready();
    (void)unsetenv("ORRERY_ABLATE");
    ORR_REQUIRE(is_ready);
    for (int k = 0; k < STEPS; k++) {
        double times[IN] = { 0 };
        const void *before = place();
        ORR_CHECK_MSG(step_by_rows(good, N) == ORR_OK, "%s", orr_error_message());
        in_place += place() == before;
        for (int i = 0; i < N; i++)
            times[(good[i] + IN) % IN]++;
        for (int i = 0; i < COUNT; i++)
            m.ref[i] -= 2.0 * RATE * times[i / OUT] * m.ref[i];
    }
    ORR_CHECK_MSG(in_place >= STEPS - 1, "%d of %d steps were in place", in_place, STEPS);
    check(m.w, m.ref, 1.0, "after steps by rows");
    orr_tensor *old = orr_keep(orr_detach(m.w));
    ORR_CHECK(orr_eval(old) == ORR_OK);
    ORR_CHECK(step_by_rows(bad, N) == ORR_EINDEX && strstr(orr_error_message(), "index 512 (number 1)"));
    check(old, m.ref, 1.0, "the old value after a wrong index");
    ORR_CHECK(orr_assign(m.w, old) == ORR_OK && orr_free(old) == ORR_OK);
    step();
    check(m.w, m.ref, 1.0, "a step after the one that failed");
    stop();
}

static void all_by(lane l)
{
    void (*const each[])(void) = { steps_are_in_place,
                                   expression_of_old_value_keeps_it,
                                   held_prediction_gets_its_value,
                                   data_pointer_keeps_old_value,
                                   explicit_graph_reads_present_variables,
                                   running_work_reads_old_value,
                                   par_map_reads_present_variables,
                                   step_by_event_is_right,
                                   failed_step_leaves_no_wrong_value,
                                   index_error_beside_step_keeps_other_values,
                                   step_with_indices_is_in_place_if_they_are_in_range };
    by = &l;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (orr_test_due((unsigned)i, 2))
            each[i]();
    by = &tasks;
}

static void the_calling_thread_is_in_place_too(void)
{
    all_by((lane){ "starpu", "1000000000", NULL });
}

static void a_crew_is_in_place_too(void)
{
    all_by((lane){ "starpu", "auto", "2" });
}

static void an_engine_without_workers_is_in_place_too(void)
{
    all_by((lane){ "serial", "auto", NULL });
}

/* relu(conv(x, w) + u) with u = relu(conv(x, −w)) is relu(conv(x, w)). The second convolution writes over u. Its tasks hold the tiles of u that
 * they write, not all of them: StarPU 1.4 would hold each of them for the others. Reference: loops in double precision. */
static void tasks_of_convolutions_hold_what_they_write_over(void)
{
    enum { N = 64, C = 8, H = 14, ALL = N * C * H * H, TAPS = C * C * 9 };
    static float x[ALL], w[TAPS], got[ALL];
    static double y[ALL];
    unsigned long long seed = 5;
    for (int i = 0; i < ALL; i++)
        x[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f - 0.5f;
    for (int i = 0; i < TAPS; i++)
        w[i] = (float)(orr_test_rand(&seed) >> 40) * 0x1p-24f - 0.5f;
    for (int i = 0; i < ALL; i++) {
        int n = i / (C * H * H), o = i / (H * H) % C, r = i / H % H, q = i % H;
        double sum = 0;
        for (int k = 0; k < C * 9; k++) {
            int c = k / 9, a = r + k / 3 % 3 - 1, b = q + k % 3 - 1;
            if (a >= 0 && a < H && b >= 0 && b < H)
                sum += (double)w[o * C * 9 + k] * (double)x[((n * C + c) * H + a) * H + b];
        }
        y[i] = sum > 0 ? sum : 0;
    }
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("ORRERY_TILE_US", "50", 1);
    (void)setenv("STARPU_NCPU", "2", 1);
    ORR_REQUIRE(orr_init(&(orr_config){ .engine = "starpu" }) == ORR_OK);
    orr_conv_options same = { .same = true };
    for (int turn = 0; turn < 3; turn++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *v = orr_from(ORR_F32, ORR_SHAPE(N, C, H, H), x), *k = orr_from(ORR_F32, ORR_SHAPE(C, C, 3, 3), w);
        orr_tensor *u = orr_relu(orr_conv(v, orr_neg(k), NULL, &same));
        orr_tensor *t = orr_relu(orr_add(orr_conv(v, k, NULL, &same), u));
        ORR_CHECK(orr_eval_for(t, 60) == ORR_OK && orr_read(t, got, sizeof got) == ORR_OK);
        double worst = 0;
        for (int i = 0; i < ALL; i++)
            worst = fmax(worst, fabs((double)got[i] - y[i]));
        ORR_CHECK_MSG(worst < 1e-4, "%g", worst);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("ORRERY_TILE_US");
    (void)unsetenv("STARPU_NCPU");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(steps_are_in_place),
                                      ORR_TEST(expression_of_old_value_keeps_it),
                                      ORR_TEST(held_prediction_gets_its_value),
                                      ORR_TEST(data_pointer_keeps_old_value),
                                      ORR_TEST(explicit_graph_reads_present_variables),
                                      ORR_TEST(running_work_reads_old_value),
                                      ORR_TEST(par_map_reads_present_variables),
                                      ORR_TEST(step_by_event_is_right),
                                      ORR_TEST(failed_step_leaves_no_wrong_value),
                                      ORR_TEST(index_error_beside_step_keeps_other_values),
                                      ORR_TEST(step_with_indices_is_in_place_if_they_are_in_range),
                                      ORR_TEST(the_calling_thread_is_in_place_too),
                                      ORR_TEST(a_crew_is_in_place_too),
                                      ORR_TEST(an_engine_without_workers_is_in_place_too),
                                      ORR_TEST(tasks_of_convolutions_hold_what_they_write_over),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.inplace", tests);
}
