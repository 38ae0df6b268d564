/* Loops that record without an evaluation: time and memory stay bounded, and results, gradients and errors are those of a program that
 * evaluates at each step.
 * Must not know: where a pile is cut. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "runtime/graph/pile.h"
#include "runtime/plan/plan.h"
#include "tests/harness/harness.h"

enum { N = 8, STEPS = 3000 };

static double item(orr_tensor *t)
{
    double v = NAN;
    ORR_CHECK_MSG(orr_item(t, &v) == ORR_OK, "%s", orr_error_message());
    return v;
}

static double spent(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum { ADAM, SGD, BY_HAND } way;

/* A network with dropout, trained for some steps; the loss is read every `every` steps. Returns the last loss and the sum of the
 * parameters. */
typedef struct {
    double loss, sum, seconds;
    uint64_t planned;
} trained;

static orr_status by_hand(orr_tensor *loss, orr_parameter *p, int n)
{
    orr_tensor *x[8], *g[8];
    for (int i = 0; i < n; i++)
        x[i] = p[i].variable;
    orr_status st = orr_grad(loss, x, n, g);
    for (int i = 0; i < n && st == ORR_OK; i++)
        st = orr_assign(x[i], orr_sub(x[i], orr_mul(g[i], orr_scalar(1e-2))));
    return st;
}

static trained train(way how, int steps, int every)
{
    trained r = { 0 };
    orr_scope *all = orr_scope_begin();
    orr_seed(5);
    orr_module *m = orr_sequential(ORR_MODULES(orr_dense(N, 16, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                               orr_dropout_layer(0.25),
                                               orr_dense(16, 3, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_parameter p[8];
    int n = orr_module_parameters(m, p, 8);
    orr_optim *o = how == BY_HAND ? NULL
                                  : orr_optim_of_module(how == ADAM ? ORR_OPTIM_ADAM : ORR_OPTIM_SGD, m,
                                                        &(orr_optim_options){ .lr = 1e-2 });
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(4, N), 0, 1), *y = orr_randint(ORR_I64, ORR_SHAPE(4), 0, 3);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
    uint64_t before = orr__plan_get_stats().misses;
    double begin = spent();
    for (int i = 1; i <= steps; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_cross_entropy(orr_forward(m, x), y);
        orr_status st = o ? orr_optim_step(o, loss) : by_hand(loss, p, n);
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        if (i % every == 0)
            r.loss = item(loss);
        (void)orr_scope_end(s);
    }
    r.seconds = spent() - begin;
    for (int i = 0; i < n; i++)
        r.sum += item(orr_sum(orr_cast(p[i].variable, ORR_F64), ORR_ALL_AXES, false));
    r.planned = orr__plan_get_stats().misses - before;
    orr_optim_free(o);
    orr_module_free(m);
    (void)orr_scope_end(all);
    return r;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-4 * (1 + fabs(b));
}

/* Without piles a loop planned 3,000 steps at once: 3 times the time per step, and 10 KB of plan for each. */
static void recording_alone_costs_no_more_than_evaluation_at_each_step(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (way how = ADAM; how <= BY_HAND; how++) {
        trained often = train(how, STEPS, 1), seldom = train(how, STEPS, STEPS);
        ORR_CHECK_MSG(seldom.seconds < 2 * often.seconds, "%d: %.3f s, and %.3f s with an evaluation at each step", how,
                      seldom.seconds, often.seconds);
        ORR_CHECK_MSG(near(seldom.sum, often.sum) && near(seldom.loss, often.loss), "%d: %.9g %.9g, not %.9g %.9g", how,
                      seldom.sum, seldom.loss, often.sum, often.loss);
        ORR_CHECK_MSG(seldom.planned < 16, "%d: %d plans", how, (int)seldom.planned);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* x_k+1 = x_k − c·x_k. Each loss x_k² is held, and a sum over all steps. */
static void held_values_of_submitted_steps_are_right(void)
{
    enum { HELD = 2000 };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    static orr_tensor *loss[HELD];
    orr_scope *all = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(4), 1)), *sum = orr_scalar(0);
    const double c = 1e-3;
    for (int k = 0; k < HELD; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *g, *l = orr_sum(orr_square(x), ORR_ALL_AXES, false);
        ORR_CHECK(orr_grad(l, &x, 1, &g) == ORR_OK &&
                  orr_assign(x, orr_sub(x, orr_mul(g, orr_scalar(c / 2)))) == ORR_OK);
        sum = orr_scope_return(s, orr_add(sum, l));
        loss[k] = orr_scope_return(s, l);
        (void)orr_scope_end(s);
    }
    double want = 0, one = 4;
    for (int k = 0; k < HELD; k++) {
        if (k % 97 == 0)
            ORR_CHECK(fabs(item(loss[k]) - one) < 1e-10 * one);
        want += one;
        one *= (1 - c) * (1 - c);
    }
    ORR_CHECK_MSG(fabs(item(sum) - want) < 1e-9 * want, "%.12g, not %.12g", item(sum), want);
    ORR_CHECK(fabs(item(orr_select(x, 0, 0)) - sqrt(one / 4)) < 1e-10);
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static atomic_int calls;
static int row_shape(orr_kernel_args *a)
{
    a->out_shape = a->in[0].shape;
    a->out_dtype = ORR_F32;
    return 0;
}
static int row(const orr_kernel_args *a)
{
    atomic_fetch_add(&calls, 1);
    for (int64_t i = 0; i < a->out_shape.dim[0]; i++)
        ((float *)a->out)[i] = 2 * ((const float *)a->in[0].data)[i];
    return 0;
}

static orr_op *doubling(void)
{
    static const orr_kernel_def def = {
        .name = "piles_row", .n_inputs = 1, .dtypes = { 1u << ORR_F32 }, .shape = row_shape, .cpu = row
    };
    atomic_store(&calls, 0);
    return orr_define_kernel(&def);
}

/* A momentum that the program keeps as a plain tensor: each step reads that of the step before. */
static void state_in_plain_tensors_is_computed_once(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_op *op = doubling();
    orr_tensor *x = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(4))), *v = orr_keep(orr_zeros(ORR_F32, ORR_SHAPE(4)));
    float wx = 1, wv = 0;
    for (int k = 0; k < STEPS; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *next = orr_keep(orr_add(orr_mul(v, orr_scalar(0.5)), orr_apply(op, ORR_TENSORS(x))));
        ORR_CHECK(orr_free(v) == ORR_OK && orr_assign(x, orr_sub(x, orr_mul(next, orr_scalar(1e-4)))) == ORR_OK);
        v = next;
        wv = 0.5F * wv + 2 * wx;
        wx -= 1e-4F * wv;
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, v)) == ORR_OK);
    ORR_CHECK(near(item(orr_select(x, 0, 3)), (double)wx) && near(item(orr_select(v, 0, 0)), (double)wv));
    ORR_CHECK_MSG(atomic_load(&calls) == STEPS, "%d calls for %d steps", atomic_load(&calls), STEPS);
    ORR_CHECK(orr_free(v) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void held_work_without_variables_is_done_once(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *all = orr_scope_begin();
    orr_op *op = doubling();
    orr_tensor *x = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(4)));
    orr_tensor *data = orr_apply(op, ORR_TENSORS(orr_full(ORR_F32, ORR_SHAPE(4), 0.5)));
    for (int k = 0; k < 2 * STEPS; k++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_assign(x, orr_add(x, data)) == ORR_OK);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(item(orr_select(x, 0, 2)) == 2 * STEPS);
    ORR_CHECK_MSG(atomic_load(&calls) == 1, "%d calls", atomic_load(&calls));
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Gradients by plain tensors flow through held results of steps that were submitted meanwhile. */
static void gradients_through_submitted_values_are_right(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *all = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(4), 1)), *rate = orr_full(ORR_F64, ORR_SHAPE(), 1e-3),
               *heat = orr_full(ORR_F64, ORR_SHAPE(), 3), *kept = NULL, *loss = NULL, *of[2] = { rate, heat }, *g[2];
    double wx = 1, kept_by = 0, loss_by = 0;
    for (int k = 0; k < 2 * STEPS; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *by, *l = orr_sum(orr_mul(orr_square(x), heat), ORR_ALL_AXES, false);
        ORR_CHECK(orr_grad(l, &x, 1, &by) == ORR_OK);
        orr_tensor *next = orr_sub(x, orr_mul(by, rate));
        ORR_CHECK(orr_assign(x, next) == ORR_OK);
        if (k == STEPS / 2) {
            kept = orr_scope_return(s, next);
            loss = orr_scope_return(s, l);
            kept_by = -4 * 2 * wx * 3;
            loss_by = 4 * wx * wx;
        }
        wx -= 2 * wx * 3 * 1e-3;
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(orr_grad(orr_sum(kept, ORR_ALL_AXES, false), of, 1, g) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(fabs(item(g[0]) - kept_by) < 1e-9 * fabs(kept_by), "%.12g, not %.12g", item(g[0]), kept_by);
    ORR_CHECK_MSG(orr_grad(loss, &heat, 1, &g[1]) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(fabs(item(g[1]) - loss_by) < 1e-9 * fabs(loss_by), "%.12g, not %.12g", item(g[1]), loss_by);
    ORR_CHECK(fabs(item(orr_select(x, 0, 1)) - wx) < 1e-9);
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The index grows out of its range after some steps. Only an evaluation says so, and the other variable has its value. */
static void errors_of_recorded_steps_reach_the_next_evaluation(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *all = orr_scope_begin();
    orr_tensor *table = orr_arange(ORR_F64, 0, STEPS / 2, 1), *at = orr_variable(orr_zeros(ORR_I64, ORR_SHAPE(1))),
               *sum = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1))),
               *other = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1)));
    for (int k = 0; k < STEPS; k++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_assign(sum, orr_add(sum, orr_take(table, at, 0))) == ORR_OK);
        ORR_CHECK(orr_assign(at, orr_add(at, orr_full(ORR_I64, ORR_SHAPE(1), 1))) == ORR_OK);
        ORR_CHECK(orr_assign(other, orr_add(other, orr_scalar(1))) == ORR_OK);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_error_status() == ORR_OK);
    }
    double v = 0;
    ORR_CHECK(orr_item(sum, &v) == ORR_EINDEX && strstr(orr_error_message(), "take"));
    ORR_CHECK(orr_item(other, &v) == ORR_OK && v == STEPS);
    ORR_CHECK(orr_item(at, &v) == ORR_OK && v == STEPS);
    ORR_CHECK(orr_assign(sum, orr_ones(ORR_F64, ORR_SHAPE(1))) == ORR_OK && item(sum) == 1);
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* An event, and an evaluation of no tensor, wait for what was submitted before. */
static void waits_cover_submitted_steps(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *all = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_full(ORR_F32, ORR_SHAPE(256, 256), 1e-3)), *y = orr_variable(orr_scalar(0));
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < 700; k++) {
            orr_scope *s = orr_scope_begin();
            ORR_CHECK(orr_assign(x, orr_mul(orr_tanh(x), orr_scalar(0.999))) == ORR_OK);
            (void)orr_scope_end(s);
        }
        orr_event *e = NULL;
        if (turn) {
            ORR_CHECK(orr_eval_async(NULL, 0, &e) == ORR_OK && orr_wait(e) == ORR_OK);
        } else {
            ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
        }
        double begin = spent();
        ORR_CHECK(item(orr_select(orr_select(x, 0, 1), 0, 1)) < 1e-3 && spent() - begin < 1);
    }
    ORR_CHECK(orr_assign(y, orr_scalar(2)) == ORR_OK && item(y) == 2);
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Two variables of which one is assigned at first alone: the rounds of the other are cut too. A variable that ends meanwhile is no
 * obstacle. */
static void rounds_are_found_when_the_first_variable_rests(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_tensor *first = orr_variable(orr_scalar(0)), *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(2), 0));
    ORR_CHECK(orr_assign(first, orr_scalar(1)) == ORR_OK);
    uint64_t before = orr__plan_get_stats().misses;
    for (int k = 0; k < 4 * STEPS; k++) {
        orr_scope *s = orr_scope_begin();
        ORR_CHECK(orr_assign(x, orr_add(x, orr_scalar(1))) == ORR_OK);
        (void)orr_scope_end(s);
        if (k == STEPS)
            ORR_CHECK(orr_free(first) == ORR_OK);
    }
    ORR_CHECK(orr__plan_get_stats().misses > before); /* something was submitted */
    ORR_CHECK(item(orr_select(x, 0, 0)) == 4 * STEPS);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void *in_thread(void *arg)
{
    double *sum = arg;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(2), 0));
    for (int k = 0; k < 2 * STEPS; k++) {
        orr_scope *inner = orr_scope_begin();
        (void)orr_assign(x, orr_add(x, orr_scalar(*sum)));
        (void)orr_scope_end(inner);
    }
    (void)orr_item(orr_select(x, 0, 1), sum);
    (void)orr_scope_end(s);
    return NULL;
}

static void threads_have_piles_of_their_own(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    pthread_t t[4];
    double sum[4] = { 1, 2, 3, 4 };
    for (int i = 0; i < 4; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, in_thread, &sum[i]) == 0);
    for (int i = 0; i < 4; i++) {
        (void)pthread_join(t[i], NULL);
        ORR_CHECK_MSG(sum[i] == (i + 1) * 2 * STEPS, "%g", sum[i]);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(recording_alone_costs_no_more_than_evaluation_at_each_step),
                                      ORR_TEST(held_values_of_submitted_steps_are_right),
                                      ORR_TEST(state_in_plain_tensors_is_computed_once),
                                      ORR_TEST(held_work_without_variables_is_done_once),
                                      ORR_TEST(gradients_through_submitted_values_are_right),
                                      ORR_TEST(errors_of_recorded_steps_reach_the_next_evaluation),
                                      ORR_TEST(waits_cover_submitted_steps),
                                      ORR_TEST(rounds_are_found_when_the_first_variable_rests),
                                      ORR_TEST(threads_have_piles_of_their_own),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.piles", tests);
}
