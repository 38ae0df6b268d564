/* Training loops as most people write them, all in one scope: predictions, activations, gradients, what is in the middle of
 * expressions are held while the step is evaluated. Its new weights are in the memory of the old ones all the same, where that takes
 * less than it spares; and whatever was held and is read afterwards is of the old weights. References are loops in double precision.
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
#include "runtime/base/buf.h"
#include "runtime/engine/exec.h"
#include "runtime/graph/node.h"
#include "tests/harness.h"

enum { ROWS = 64, IN = 512, WIDE = 512, OUT = 7, W1 = IN * WIDE, W2 = WIDE * OUT };
#define RATE 0.1

/* pred = relu(x·w + b)·u, loss = mean((pred − y)²); what a step is made from, in doubles */
typedef struct {
    double w[W1], b[WIDE], u[W2];
    double z[ROWS * WIDE], pred[ROWS * OUT], loss;
    double gw[W1], gb[WIDE], gu[W2];
} reference;
static reference ref;
static float hx[ROWS * IN], hy[ROWS * OUT], got[W1];
static orr_tensor *x, *y, *w, *b, *u;

static double relu(double v)
{
    return v > 0 ? v : 0;
}

/* Everything but the new weights. */
static void reference_pass(reference *r)
{
    static double d[ROWS * OUT];
    memset(r->gw, 0, sizeof r->gw);
    memset(r->gb, 0, sizeof r->gb);
    memset(r->gu, 0, sizeof r->gu);
    r->loss = 0;
    for (int n = 0; n < ROWS; n++) {
        double *z = &r->z[n * WIDE];
        memcpy(z, r->b, sizeof r->b);
        for (int i = 0; i < IN; i++)
            for (int k = 0; k < WIDE; k++)
                z[k] += hx[n * IN + i] * r->w[i * WIDE + k];
        for (int o = 0; o < OUT; o++) {
            double p = 0;
            for (int k = 0; k < WIDE; k++)
                p += relu(z[k]) * r->u[k * OUT + o];
            r->pred[n * OUT + o] = p;
            d[n * OUT + o] = 2.0 / (ROWS * OUT) * (p - hy[n * OUT + o]);
            r->loss += (p - hy[n * OUT + o]) * (p - hy[n * OUT + o]) / (ROWS * OUT);
        }
        for (int k = 0; k < WIDE; k++) {
            double dz = 0;
            for (int o = 0; o < OUT; o++) {
                r->gu[k * OUT + o] += relu(z[k]) * d[n * OUT + o];
                dz += d[n * OUT + o] * r->u[k * OUT + o];
            }
            dz = z[k] > 0 ? dz : 0;
            r->gb[k] += dz;
            for (int i = 0; i < IN; i++)
                r->gw[i * WIDE + k] += hx[n * IN + i] * dz;
        }
    }
}

static void reference_step(reference *r)
{
    for (int i = 0; i < W1; i++)
        r->w[i] -= RATE * r->gw[i];
    for (int i = 0; i < WIDE; i++)
        r->b[i] -= RATE * r->gb[i];
    for (int i = 0; i < W2; i++)
        r->u[i] -= RATE * r->gu[i];
}

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

/* What the loop has names for. */
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

/* One step; was it in place? Nothing is read before the loss. */
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

/* Two steps, after which they are in place. */
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

/* Of several steps, until the end: all by the scope outside, one also by nobody's. */
static void what_outlives_its_step_holds_as_well(void)
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

/* The step computes what it is made from, which gets its value. */
static void what_is_made_of_the_prediction_is_no_hindrance(void)
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

static void what_no_step_computes_keeps_the_old_weights(void)
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

/* A tensor as large as the weights, which the step computes; to keep it would spare nothing. text: what ORRERY_PRINT=plan says. */
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

static void no_more_is_kept_than_is_spared(void)
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

static atomic_int launches_left;

static orr_status launch_or_fail(orr__kernel *k, const orr__launch *l)
{
    if (atomic_fetch_sub(&launches_left, 1) == 0)
        return orr__fail(ORR__SITE("test", 1, "launch"), ORR_EDEVICE, "this launch fails");
    return orr__cpu.launch(k, l);
}

/* Whichever launch fails: what is held then has the right value, or an error. */
static void a_step_that_fails_leaves_no_wrong_number(void)
{
    ORR_REQUIRE(ready());
    orr__backend failing = orr__cpu;
    const orr__backend *before = orr__exec_cpu;
    static float all[W1], pred[ROWS * OUT];
    int failed = 0, right = 0, lost = 0;
    failing.launch = launch_or_fail;
    for (int n = 0; n < 12; n++) {
        double v, worst = 0.0;
        orr_scope *s = orr_scope_begin();
        names t = record();
        reference_pass(&ref);
        atomic_store(&launches_left, n);
        orr__exec_cpu = &failing;
        (void)orr_item(t.loss, &v);
        orr_status read = orr_read(t.pred, pred, sizeof pred);
        orr__exec_cpu = before;
        bool hit = atomic_load(&launches_left) < 0;
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
        for (int k = 0; k < 3; k++) { /* as they are in the reference */
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
}

/* -- another thread reads what is held ---------------------------------------------------------------------------- */

enum { TURNS = 20 };
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

/* -- the same bits ------------------------------------------------------------------------------------------------ */

/* What is held: the loss alone; all; also something for which the old weights must stay. */
typedef enum { LOSS, ALL, OLD } holding;
typedef struct {
    orr_dtype dtype;
    int64_t rows, in, wide;
} sizes;

static orr_tensor *draw(sizes z, int64_t m, int64_t n, double scale)
{
    return orr_cast(orr_mul(orr_randn(ORR_F32, ORR_SHAPE(m, n), 0.0, 1.0), orr_scalar(scale)), z.dtype);
}

/* A row is normalised, chosen from, weighed: what the fuser puts together in several ways. The weights after four steps. */
static int train(sizes z, holding h, unsigned char *bytes, size_t size)
{
    int same = 0;
    orr_seed(7);
    orr_tensor *in = orr_keep(draw(z, z.rows, z.in, 1.0));
    orr_tensor *v = orr_keep(orr_variable(draw(z, z.in, z.wide, 0.1))), *back = orr_keep(draw(z, z.wide, z.in, 0.1));
    ORR_CHECK(orr_eval_all((orr_tensor *[]){ in, v, back }, 3) == ORR_OK);
    for (int k = 0; k < 4; k++) {
        const void *before = orr__node_value(orr__handle_node(v))->host;
        orr_scope *s = orr_scope_begin(), *inner = h == LOSS ? orr_scope_begin() : NULL;
        if (h == OLD)
            (void)orr_neg(v);
        orr_tensor *a = orr_tanh(orr_matmul(in, v)), *mean = orr_mean(a, ORR_AXES(1), true), *g;
        orr_tensor *c = orr_mul(orr_softmax(orr_sub(a, mean), -1), orr_exp(a));
        orr_tensor *loss = orr_mean(orr_square(orr_matmul(c, back)), ORR_AXES(0, 1), false);
        ORR_CHECK_MSG(orr_grad(loss, &v, 1, &g) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_assign(v, orr_sub(v, orr_mul(g, orr_scalar(0.5)))) == ORR_OK);
        if (h == LOSS) {
            loss = orr_scope_return(inner, loss);
            (void)orr_scope_end(inner);
        }
        ORR_CHECK_MSG(orr_eval(loss) == ORR_OK && orr_eval_all(NULL, 0) == ORR_OK, "%s", orr_error_message());
        (void)orr_scope_end(s);
        same += orr__node_value(orr__handle_node(v))->host == before;
    }
    ORR_CHECK_MSG(orr_read(v, bytes, size) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_free(v) == ORR_OK && orr_free(in) == ORR_OK && orr_free(back) == ORR_OK);
    return same;
}

static void what_is_held_changes_no_bits(void)
{
    static const sizes z[] = { { ORR_F32, 64, 512, 512 }, { ORR_F64, 33, 129, 257 }, { ORR_F16, 16, 300, 400 },
                               { ORR_BF16, 8, 700, 90 },  { ORR_F32, 4, 20000, 16 }, { ORR_F32, 300, 128, 128 } };
    static unsigned char first[1 << 21], then[1 << 21];
    int in_place = 0;
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    for (int compiled = 0; compiled < 2; compiled++) {
        (void)setenv("ORRERY_JIT", compiled ? "wait" : "off", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        for (size_t i = 0; i < (compiled ? 1 : sizeof z / sizeof *z); i++) {
            size_t size = (size_t)(z[i].in * z[i].wide) * orr_dtype_size(z[i].dtype);
            int none = train(z[i], OLD, first, size);
            for (holding h = LOSS; h <= ALL; h++) {
                orr_test_alarm();
                int n = train(z[i], h, then, size);
                in_place += h == ALL ? n : 0;
                ORR_CHECK(none == 0);
                ORR_CHECK_MSG(memcmp(first, then, size) == 0, "%zu, compiled: %d, held: %d, other bits", i, compiled,
                              h);
            }
        }
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    printf("    %d steps in place with all held\n", in_place);
    ORR_CHECK(in_place > 0);
    (void)unsetenv("ORRERY_JIT");
    (void)unsetenv("ORRERY_INLINE_US");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(steps_with_all_held_are_in_place),
                                      ORR_TEST(what_outlives_its_step_holds_as_well),
                                      ORR_TEST(what_is_made_of_the_prediction_is_no_hindrance),
                                      ORR_TEST(what_no_step_computes_keeps_the_old_weights),
                                      ORR_TEST(no_more_is_kept_than_is_spared),
                                      ORR_TEST(a_step_that_fails_leaves_no_wrong_number),
                                      ORR_TEST(another_thread_reads_the_prediction),
                                      ORR_TEST(what_is_held_changes_no_bits),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.inplace_usual", tests);
}
