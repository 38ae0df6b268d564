/* Bundles on CUDA: small steps that share a task of a device, on a GPU or on the double of CUDA's libraries. They give the same bits as a
 * task for each step, in first and later runs, for other sizes, from several threads, and when a launch in the middle fails.
 * With the argument "measure", and a number of steps: the host's time of a training step on a device that does nothing.
 * Must not know: planner, fuser, kernels. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <orrery.h>
#include <orrery/explain.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "runtime/base/clock.h"
#include "tests/harness/cuda_engine.h"

enum { STEPS = 12 };

/* A classifier of `layers` layers, and its optimiser. */
typedef struct {
    orr_module *layer[8], *net;
    orr_optim *optim;
} model;

static model model_of(const int64_t *width, int layers, orr_optim_kind kind)
{
    model m = { .net = NULL };
    for (int i = 0; i < layers; i++)
        m.layer[i] = orr_dense(width[i], width[i + 1], i < layers - 1 ? ORR_ACTIVATION_RELU : ORR_ACTIVATION_LINEAR,
                               ORR_INITIALISER_DEFAULT);
    m.net = orr_sequential_at(ORR_HERE, m.layer, layers);
    m.optim = orr_optim_of_module(kind, m.net, NULL);
    return m;
}

static void model_free(model *m)
{
    orr_optim_free(m->optim);
    orr_module_free(m->net);
}

static orr_status step_of(const model *m, orr_tensor *x, orr_tensor *labels, double *loss)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *l = orr_cross_entropy(orr_forward(m->net, x), labels);
    orr_status st = orr_optim_step(m->optim, l);
    st = st == ORR_OK ? orr_item(l, loss) : st;
    orr_scope_end(s);
    return st;
}

static orr_tensor *inputs(int64_t rows, int64_t columns)
{
    float x[64 * 16];
    for (int64_t i = 0; i < rows * columns; i++)
        x[i] = (float)(i * 37 % 101) / 50 - 1;
    return orr_from(ORR_F32, ORR_SHAPE(rows, columns), x);
}

static orr_tensor *labels_of(int64_t rows)
{
    int64_t y[64];
    for (int64_t i = 0; i < rows; i++)
        y[i] = i * 7 % 10;
    return orr_from(ORR_I64, ORR_SHAPE(rows), y);
}

/* The losses of steps with batches of two sizes in turns. */
static orr_status train(double *loss)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(7);
    model m = model_of((const int64_t[]){ 16, 24, 10 }, 2, ORR_OPTIM_ADAM);
    orr_status st = ORR_OK;
    for (int i = 0; i < STEPS && st == ORR_OK; i++) {
        int64_t rows = i % 3 == 2 ? 20 : 64;
        st = step_of(&m, inputs(rows, 16), labels_of(rows), &loss[i]);
    }
    model_free(&m);
    orr_scope_end(s);
    return st;
}

static void without_bundles(double *loss)
{
    setenv("ORRERY_ABLATE", "bundles", 1);
    ORR_CHECK(cuda_engine_up("0") == ORR_OK);
    ORR_CHECK_MSG(train(loss) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_shutdown() == ORR_OK);
    unsetenv("ORRERY_ABLATE");
}

static int same(const double *a, const double *b)
{
    int n = 0;
    for (int i = 0; i < STEPS; i++)
        n += a[i] == b[i];
    return n;
}

/* Tasks of several steps, by the plan of an expression. */
static bool bundled(orr_tensor *y)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return false;
    orr_explain(f, y);
    (void)fclose(f);
    bool any = strstr(text, "one task for") != NULL;
    free(text);
    return any;
}

/* Softmax of a product, beside its sum: four steps. */
static orr_tensor *expression(int64_t rows)
{
    orr_tensor *x = inputs(rows, 16), *h = orr_matmul(orr_tanh(x), orr_swapaxes(x, 0, 1));
    return orr_sum(orr_mul(orr_softmax(h, -1), orr_sum(h, ORR_AXES(0), true)), ORR_ALL_AXES, false);
}

/* -- tests ------------------------------------------------------------------------------------------------------------- */

static void small_steps_share_a_task(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(bundled(expression(24)));
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void training_has_the_same_bits(void)
{
    double one[STEPS], all[STEPS];
    NEED(false);
    without_bundles(one);
    for (int i = 0; i < 2; i++) {
        ORR_REQUIRE(cuda_engine_up(i ? "1" : "0") == ORR_OK);
        ORR_CHECK_MSG(train(all) == ORR_OK, "%s", orr_error_message());
        if (i == 0) /* processors round functions in another way */
            ORR_CHECK_MSG(same(one, all) == STEPS, "%d of %d losses are equal", same(one, all), STEPS);
        for (int k = 0; k < STEPS; k++)
            ORR_CHECK_MSG(fabs(one[k] - all[k]) < 1e-4, "%d: %g, not %g", k, all[k], one[k]);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

static void later_runs_and_other_sizes_are_right(void)
{
    double first[3];
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    for (int i = 0; i < 30; i++) {
        double v = 0;
        orr_scope *s = orr_scope_begin();
        ORR_CHECK_MSG(orr_item(expression(20 + 4 * (i % 3)), &v) == ORR_OK, "%s", orr_error_message());
        orr_scope_end(s);
        first[i % 3] = i < 3 ? v : first[i % 3];
        ORR_CHECK_MSG(v == first[i % 3], "run %d: %g, not %g", i, v, first[i % 3]);
    }
    ORR_CHECK(first[0] != first[1] && first[1] != first[2]);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void *evaluate(void *arg)
{
    double *v = arg;
    for (int i = 0; i < 10; i++) {
        double now = 0;
        orr_scope *s = orr_scope_begin();
        if (orr_item(expression(24), &now) != ORR_OK || (i > 0 && now != *v))
            now = -1;
        *v = now;
        orr_scope_end(s);
    }
    return NULL;
}

static void threads_have_bundles_at_once(void)
{
    pthread_t thread[3];
    double v[4] = { 0 };
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    for (int i = 0; i < 3; i++)
        ORR_REQUIRE(pthread_create(&thread[i], NULL, evaluate, &v[i]) == 0);
    (void)evaluate(&v[3]);
    for (int i = 0; i < 3; i++)
        (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < 4; i++)
        ORR_CHECK_MSG(v[i] == v[3] && v[i] > 0, "%g, not %g", v[i], v[3]);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* The steps before the product are launched, then the host does all again. */
static void a_product_that_fails_in_the_middle_is_done_by_the_host(void)
{
    double right = 0, v = 0;
    NEED(true);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    orr__env.log = 0;
    for (int i = 0; i < 4; i++) {
        orr_scope *s = orr_scope_begin();
        uint64_t redone = orr__device_did.redone;
        cu.state->matmul_code = i == 2 ? 13 : 0;
        ORR_CHECK_MSG(orr_item(expression(24), i == 0 ? &right : &v) == ORR_OK, "%s", orr_error_message());
        cu.state->matmul_code = 0;
        ORR_CHECK(i == 0 || fabs(v - right) <= 1e-5 * fabs(right));
        ORR_CHECK((orr__device_did.redone > redone) == (i == 2));
        orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void a_wrong_index_in_the_middle_is_an_error(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("0") == ORR_OK);
    for (int bad = 1; bad >= 0; bad--) {
        orr_scope *s = orr_scope_begin();
        const int32_t at[2] = { 1, bad ? 99 : 2 };
        orr_tensor *x = inputs(24, 16), *i = orr_from(ORR_I32, ORR_SHAPE(2), at);
        orr_tensor *y = orr_matmul(orr_softmax(orr_take(orr_exp(x), i, 0), -1), orr_swapaxes(x, 0, 1));
        orr_status st = orr_eval(orr_sum(y, ORR_ALL_AXES, false));
        ORR_CHECK_MSG(st == (bad ? ORR_EINDEX : ORR_OK), "%s", orr_error_message());
        ORR_CHECK(!bad || strstr(orr_error_message(), "(number 1)") != NULL);
        orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- measure ------------------------------------------------------------------------------------------------------- */

static void measure(const char *name, const int64_t *width, int layers, orr_optim_kind kind, int steps)
{
    if (cuda_engine_up("0") != ORR_OK) {
        printf("%s\n", orr_error_message());
        return;
    }
    orr_scope *s = orr_scope_begin();
    model m = model_of(width, layers, kind);
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(4, width[0]), 0.0, 1.0), *y = orr_zeros(ORR_I64, ORR_SHAPE(4));
    double best = 1e9, loss = 0;
    int launches = 0, products = 0;
    orr_status st = orr_eval_all(ORR_TENSORS(x, y));
    for (int i = 0; i < steps && st == ORR_OK; i++) {
        launches = cu.state->launches;
        products = cu.state->matmuls;
        cu.state->no_execution = 1;
        double t = orr__now();
        st = step_of(&m, x, y, &loss);
        t = orr__now() - t;
        best = i > 10 && t < best ? t : best;
    }
    printf("%s: %d launches, %d products, best step %.0f us%s\n", name, cu.state->launches - launches,
           cu.state->matmuls - products, best * 1e6, st == ORR_OK ? "" : orr_error_message());
    cu.state->no_execution = 0;
    model_free(&m);
    orr_scope_end(s);
    (void)orr_shutdown();
}

static int measure_all(int steps)
{
    if (!cu.ok || cu.real) {
        printf("the double of CUDA is needed, and a StarPU with CUDA: %s\n", cu.why);
        return 1;
    }
    measure("5 layers, SGD", (const int64_t[]){ 784, 256, 256, 256, 256, 10 }, 5, ORR_OPTIM_SGD, steps);
    measure("3 layers, Adam", (const int64_t[]){ 784, 512, 256, 10 }, 3, ORR_OPTIM_ADAM, steps);
    return 0;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(small_steps_share_a_task),
        ORR_TEST(training_has_the_same_bits),
        ORR_TEST(later_runs_and_other_sizes_are_right),
        ORR_TEST(threads_have_bundles_at_once),
        ORR_TEST(a_product_that_fails_in_the_middle_is_done_by_the_host),
        ORR_TEST(a_wrong_index_in_the_middle_is_an_error),
        { 0 },
    };
    bool measures = argc > 1 && strcmp(argv[1], "measure") == 0;
    if (measures)
        setenv("CUDA_DOUBLE_STRICT", "0", 1);
    else
        setenv("ORRERY_TILE_US", "1000000", 0); /* steps are small, however slow the machine is */
    cuda_engine_start(argv);
    return measures ? measure_all(argc > 2 ? atoi(argv[2]) : 2000) : orr_test_main(argc, argv, "engine.cuda_bundle", tests);
}
