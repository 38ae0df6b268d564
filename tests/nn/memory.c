/* Memory of training: weights that are updated in place, sums that do not retain their terms, buffers that serve another plan.
 * Must not know: how the planner finds it. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "codelets/codelet.h"
#include "runtime/base/form.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"

static bool up(const char *ablate)
{
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("ORRERY_ABLATE", ablate, 1);
    orr_status st = orr_init(NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    return st == ORR_OK;
}

static void down(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("ORRERY_BACKEND");
    (void)unsetenv("STARPU_NCPU");
    (void)unsetenv("ORRERY_ABLATE");
}

/* -- weights -------------------------------------------------------------------------------------------------------- */

enum { STEPS = 6, CHANNELS = 64, WIDE = 256, LONG = WIDE * WIDE };

static orr_module *convolutions(void)
{
    orr_conv_options same = { .padding = { 1, 1 } };
    return orr_sequential(ORR_MODULES(orr_conv_layer(CHANNELS, CHANNELS, ORR_SHAPE(3, 3), &same, ORR_ACTIVATION_RELU,
                                                     ORR_INITIALISER_HE_NORMAL, ORR_INITIALISER_DEFAULT),
                                      orr_conv_layer(CHANNELS, CHANNELS, ORR_SHAPE(3, 3), &same, ORR_ACTIVATION_RELU,
                                                     ORR_INITIALISER_HE_NORMAL, ORR_INITIALISER_DEFAULT)));
}

static orr_module *rows(void)
{
    return orr_sequential(ORR_MODULES(orr_dense(WIDE, WIDE, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                      orr_dense(WIDE, WIDE, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
}

/* Steps of gradient descent; copies the final weights of the second layer, and returns the number of steps in which they stayed
 * in place. */
static int train(orr_module *(*net)(void), orr_shape in, const char *ablate, float *weights)
{
    int in_place = 0;
    if (!up(ablate))
        return -1;
    orr_seed(3);
    orr_module *m = net();
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 1e-2;
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_SGD, m, &o);
    orr_tensor *x = orr_keep(orr_randn(ORR_F32, in, 0.0, 1.0));
    orr_parameter p[4];
    ORR_CHECK(opt && orr_module_parameters(m, p, 4) == 4 && orr_eval(x) == ORR_OK);
    for (int k = 0; opt && k < STEPS; k++) {
        double loss;
        const orr__buffer *before = orr__node_value(orr__handle_node(p[2].variable));
        orr_scope *s = orr_scope_begin();
        orr_tensor *l = orr_mean(orr_square(orr_forward(m, x)), ORR_ALL_AXES, false);
        ORR_CHECK(orr_optim_step(opt, l) == ORR_OK);
        ORR_CHECK_MSG(orr_item(l, &loss) == ORR_OK, "%s", orr_error_message());
        in_place += before && before == orr__node_value(orr__handle_node(p[2].variable));
        (void)orr_scope_end(s);
    }
    int64_t n = orr_tensor_size(p[2].variable);
    ORR_CHECK(n <= LONG && orr_read(p[2].variable, weights, (size_t)n * sizeof *weights) == ORR_OK);
    orr_optim_free(opt);
    orr_module_free(m);
    down();
    return in_place;
}

static void compare(orr_module *(*net)(void), orr_shape in)
{
    static float with[LONG], without[LONG];
    int in_place = train(net, in, "", with), elsewhere = train(net, in, "leaf_donation", without);
    ORR_CHECK_MSG(in_place >= STEPS - 2 && elsewhere == 0, "%d of %d steps are in place, %d without donation", in_place,
                  STEPS, elsewhere);
    ORR_CHECK(memcmp(with, without, sizeof with) == 0);
}

static void weights_of_convolutions_are_updated_where_they_are(void)
{
    compare(convolutions, ORR_SHAPE(4, CHANNELS, 16, 16));
}

/* The gradient of a sequence's weights is reshaped there and back. */
static void weights_of_sequences_are_updated_where_they_are(void)
{
    compare(rows, ORR_SHAPE(4, 32, WIDE));
}

/* -- weights of inference ------------------------------------------------------------------------------------------- */

enum { CALLS = 4, OUT = CHANNELS * 16 * 16, WEIGHTS = CHANNELS * CHANNELS * 9 };

static const orr__buffer *weight_of(orr_module *m, int number)
{
    orr_parameter p[4];
    ORR_CHECK(orr_module_parameters(m, p, 4) == 4);
    return orr__node_value(orr__handle_node(p[number].variable));
}

static void forward(orr_module *m, orr_tensor *x, float *y)
{
    orr_scope *s = orr_scope_begin();
    ORR_CHECK_MSG(orr_read(orr_forward(m, x), y, OUT * sizeof *y) == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

static orr_module *started(const char *ablate, orr_tensor **x)
{
    if (!up(ablate))
        return NULL;
    orr_seed(3);
    orr_module *m = convolutions();
    orr_module_train(m, false);
    *x = orr_keep(orr_randn(ORR_F32, ORR_SHAPE(1, CHANNELS, 16, 16), 0.0, 1.0));
    ORR_CHECK(m && orr_eval(*x) == ORR_OK);
    return m;
}

static void ended(orr_module *m, orr_tensor *x)
{
    orr_free(x);
    orr_module_free(m);
    down();
}

/* A weight is in the form of its kernel, without a copy; a reader finds rows, and the network still works. */
static void weights_of_inference_are_there_once(void)
{
    static float plain[OUT], y[OUT], w[WEIGHTS], now[WEIGHTS];
    orr_tensor *x;
    orr_parameter p[4];
    orr_module *m = started("forms", &x);
    if (!m)
        return;
    for (int k = 0; k < CALLS; k++)
        forward(m, x, plain);
    bool library = weight_of(m, 0)->form == NULL && orr__cpu.form_input != NULL;
    ORR_CHECK(library && orr_module_parameters(m, p, 4) == 4 && orr_read(p[0].variable, w, sizeof w) == ORR_OK);
    ended(m, x);
    if (!(m = started("", &x)))
        return;
    ORR_CHECK(orr_module_parameters(m, p, 4) == 4 && orr_eval(p[0].variable) == ORR_OK);
    forward(m, x, y);
    bool at_once = weight_of(m, 0)->form != NULL; /* no copy of it was made */
    ORR_CHECK(memcmp(y, plain, sizeof y) == 0);
    for (int k = 1; k < CALLS; k++)
        forward(m, x, y);
    bool formed = weight_of(m, 0)->form && weight_of(m, 2)->form;
    ORR_CHECK_MSG(memcmp(y, plain, sizeof y) == 0, "other results with weights in their form");
    ORR_CHECK(at_once || !formed);
    size_t scratch = formed ? atomic_load(&weight_of(m, 0)->form)->scratch : 0;
    ORR_CHECK_MSG(scratch <= sizeof w / 4, "%zu bytes to convert %zu", scratch,
                  sizeof w); /* a few channels at a time */
    ORR_CHECK(orr_module_parameters(m, p, 4) == 4 && orr_read(p[0].variable, now, sizeof now) == ORR_OK);
    ORR_CHECK(memcmp(now, w, sizeof w) == 0 && !weight_of(m, 0)->form);
    forward(m, x, y);
    for (int k = 0; k < CALLS && formed && !weight_of(m, 2)->form; k++)
        forward(m, x, y); /* in another lane its kernel may want other rows, and another form */
    ORR_CHECK(memcmp(y, plain, sizeof y) == 0);
    ORR_CHECK(!weight_of(m, 0)->form || !formed); /* one that has had a form stays plain */
    ORR_CHECK(weight_of(m, 2)->form || !formed);
    orr_scope *s = orr_scope_begin(); /* another plan reads it, and a new value may be in a form again */
    orr_assign(p[2].variable, orr_mul(p[2].variable, orr_scalar(1.0)));
    ORR_CHECK(orr_eval(p[2].variable) == ORR_OK);
    (void)orr_scope_end(s);
    forward(m, x, y);
    ORR_CHECK_MSG(!weight_of(m, 2)->form, "the first run with a trained weight turns it");
    for (int k = 0; k < CALLS; k++)
        forward(m, x, y);
    ORR_CHECK(memcmp(y, plain, sizeof y) == 0 && (weight_of(m, 2)->form || !formed));
    ended(m, x);
    if (!formed)
        orr_test_skip("no library takes weights in another order");
}

typedef struct {
    orr_module *m;
    orr_tensor *x;
    const float *y, *w;
    int bad;
} shared;

static void *runs(void *arg)
{
    enum { TIMES = 200 };
    static _Thread_local float y[OUT];
    shared *s = arg;
    for (int k = 0; k < TIMES; k++) {
        forward(s->m, s->x, y);
        s->bad += memcmp(y, s->y, sizeof y) != 0;
    }
    return NULL;
}

static void *reads(void *arg)
{
    enum { TIMES = 200 };
    static _Thread_local float w[WEIGHTS];
    shared *s = arg;
    orr_parameter p[4];
    (void)orr_module_parameters(s->m, p, 4);
    for (int k = 0; k < TIMES; k++) {
        orr_scope *in = orr_scope_begin();
        if (k % 4 == 3) { /* a new value: it may be reordered again */
            ORR_CHECK(orr_read(orr_mul(p[0].variable, orr_scalar(1.0)), w, sizeof w) == ORR_OK);
        } else {
            ORR_CHECK(orr_read(p[0].variable, w, sizeof w) == ORR_OK);
        }
        (void)orr_scope_end(in);
        s->bad += memcmp(w, s->w, sizeof w) != 0;
    }
    return NULL;
}

static void threads_that_read_and_run_agree(void)
{
    static float y[OUT], w[WEIGHTS];
    orr_tensor *x;
    orr_parameter p[4];
    orr_module *m = started("", &x);
    if (!m)
        return;
    forward(m, x, y);
    ORR_CHECK(orr_module_parameters(m, p, 4) == 4 && orr_read(p[0].variable, w, sizeof w) == ORR_OK);
    for (int k = 0; k < 8; k++) {
        pthread_t t[3];
        shared s[3] = { { m, x, y, w, 0 }, { m, x, y, w, 0 }, { m, x, y, w, 0 } };
        orr_assign(p[0].variable, orr_mul(p[0].variable, orr_scalar(1.0)));
        ORR_CHECK(orr_eval(p[0].variable) == ORR_OK);
        for (int i = 0; i < CALLS; i++)
            forward(m, x, y);
        for (int i = 0; i < 3; i++)
            ORR_CHECK(pthread_create(&t[i], NULL, i < 1 + k % 2 ? runs : reads, &s[i]) == 0);
        for (int i = 0; i < 3; i++)
            (void)pthread_join(t[i], NULL);
        ORR_CHECK_MSG(s[0].bad + s[1].bad + s[2].bad == 0, "%d, %d and %d wrong results", s[0].bad, s[1].bad, s[2].bad);
    }
    ended(m, x);
}

/* -- values --------------------------------------------------------------------------------------------------------- */

enum { SIDE = 1024, ROWS = 512, LAYERS = 6 };
#define SIZE (SIDE * SIDE * sizeof(float))

/* Products in sequence, and sums of their columns, as in gradients of biases, for which nothing waits. */
static double buffers_of_sums(void)
{
    orr_tensor *out[LAYERS + 1], *layer[LAYERS];
    if (!up(""))
        return -1;
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(SIDE, SIDE), 1.0 / SIDE),
               *y = orr_full(ORR_F32, ORR_SHAPE(ROWS, SIDE), 1.0);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
    for (int i = 0; i < LAYERS; i++)
        layer[i] = y = orr_matmul(y, x);
    out[0] = orr_max(y, ORR_ALL_AXES, false);
    for (int i = 0; i < LAYERS; i++)
        out[i + 1] = orr_sum(layer[i], ORR_AXES(0), false);
    orr_memory_trim();
    orr_memory_peak_reset();
    size_t before = orr_memory_stats().live;
    ORR_CHECK_MSG(orr_eval_all(out, LAYERS + 1) == ORR_OK, "%s", orr_error_message());
    double peak = (double)(orr_memory_stats().peak - before) / (ROWS * SIDE * sizeof(float)), sum;
    for (int i = 1; i <= LAYERS; i++)
        ORR_CHECK(orr_item(orr_mean(out[i], ORR_ALL_AXES, false), &sum) == ORR_OK && sum > 0.999 * ROWS &&
                  sum < 1.001 * ROWS);
    down();
    return peak;
}

static void sums_keep_no_values(void)
{
    double buffers = buffers_of_sums();
    ORR_CHECK_MSG(buffers >= 2 && buffers < 3.5, "%g buffers", buffers);
}

/* A value of 4 MB in many tiles, then one in few. */
static void a_buffer_serves_a_plan_that_is_cut_otherwise(void)
{
    (void)setenv("ORRERY_TILE_US", "1000", 1);
    if (!up(""))
        return;
    size_t bytes[2];
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(SIDE, SIDE), 1.0 / SIDE);
    orr_tensor *thin = orr_full(ORR_F32, ORR_SHAPE(SIDE, 32), 1.0), *wide = orr_full(ORR_F32, ORR_SHAPE(32, SIDE), 1.0);
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, thin, wide)) == ORR_OK);
    orr_memory_trim();
    for (int k = 0; k < 2; k++) {
        double sum;
        orr_scope *s = orr_scope_begin();
        orr_tensor *y = k ? orr_matmul(thin, wide) : orr_matmul(x, x);
        ORR_CHECK(orr_item(orr_sum(orr_sum(y, ORR_AXES(1), false), ORR_ALL_AXES, false), &sum) == ORR_OK);
        (void)orr_scope_end(s);
        orr_memory m = orr_memory_stats();
        bytes[k] = m.live + m.pooled;
    }
    ORR_CHECK_MSG(bytes[1] < bytes[0] + SIZE / 2, "%zu bytes, then %zu", bytes[0], bytes[1]);
    down();
    (void)unsetenv("ORRERY_TILE_US");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(weights_of_convolutions_are_updated_where_they_are),
                                      ORR_TEST(weights_of_sequences_are_updated_where_they_are),
                                      ORR_TEST(weights_of_inference_are_there_once),
                                      ORR_TEST(threads_that_read_and_run_agree),
                                      ORR_TEST(sums_keep_no_values),
                                      ORR_TEST(a_buffer_serves_a_plan_that_is_cut_otherwise),
                                      { 0 } };
    return orr_test_main(argc, argv, "nn.memory", tests);
}
