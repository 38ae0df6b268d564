/* Training in place: peak memory, the same bits as out of place for every optimiser, and readers on other threads.
 * Must not know: how the planner finds it. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"

enum { OUT = 384 };

static void stop(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_INLINE_US");
}

/* -- memory ------------------------------------------------------------------------------------------------------- */

static void train_by_adam(int64_t hidden)
{
    enum { BATCH = 64, WIDE = 784 };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_module *net =
        orr_sequential(ORR_MODULES(orr_dense(WIDE, hidden, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                   orr_dense(hidden, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim *opt = orr_optim_of_module(ORR_OPTIM_ADAM, net, NULL);
    orr_tensor *x = orr_keep(orr_randn(ORR_F32, ORR_SHAPE(BATCH, WIDE), 0.0, 1.0));
    orr_tensor *label = orr_keep(orr_randint(ORR_I64, ORR_SHAPE(BATCH), 0, 10));
    size_t parameters = (size_t)orr_module_size(net) * sizeof(float), peak = 0;
    orr_parameter p[4];
    int in_place = 0;
    ORR_REQUIRE(orr_module_parameters(net, p, 4) == 4);
    for (int k = 0; k < 12; k++) {
        double loss;
        if (k == 6) { /* the memory in use, and the next allocations */
            ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
            while (orr__buffer_engine.press && orr__buffer_engine.press())
                ;
            orr__pool_peak_reset();
        }
        const orr__buffer *before = orr__node_value(orr__handle_node(p[0].variable));
        orr_scope *s = orr_scope_begin();
        orr_tensor *l = orr_cross_entropy(orr_forward(net, x), label);
        ORR_CHECK(orr_optim_step(opt, l) == ORR_OK);
        ORR_CHECK_MSG(orr_item(l, &loss) == ORR_OK, "%s", orr_error_message());
        in_place += before == orr__node_value(orr__handle_node(p[0].variable));
        (void)orr_scope_end(s);
    }
    peak = orr__pool_get_stats().peak;
    printf("    parameters %zu bytes, peak %zu: %.2f times; %d of 12 steps in place\n", parameters, peak,
           (double)peak / (double)parameters, in_place);
    ORR_CHECK(in_place >= 10);
    ORR_CHECK_MSG(peak < 4 * parameters, "parameters %zu bytes, peak %zu", parameters, peak);
    orr_optim_free(opt);
    orr_module_free(net);
    stop();
}

static void adam_needs_its_state_once(void)
{
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    train_by_adam(1024);
}

/* A crew writes over no old value, and is not used for such a step. */
static void adam_needs_its_state_once_where_a_crew_could_be(void)
{
    (void)setenv("STARPU_NCPU", "2", 1);
    train_by_adam(4096);
    (void)unsetenv("STARPU_NCPU");
}

/* The tensors held during the evaluation of a step: the loss alone; everything that the loop made; also a tensor that needs the
 * old weights and that the step does not compute, so that the step cannot be in place. */
typedef enum { LOSS, ALL, OLD } holding;

/* Runs four steps; returns the number of steps in place and copies the final weights of the first layer. */
static int train(orr_optim_kind kind, holding h, float *weights)
{
    enum { BATCH = 64, WIDE = 512 };
    int in_place = 0;
    if (orr_init(NULL) != ORR_OK)
        return -1;
    orr_seed(3);
    orr_optim_options o = orr_optim_defaults(kind);
    o.momentum = kind == ORR_OPTIM_SGD ? 0.9 : o.momentum;
    o.weight_decay = 0.01;
    orr_module *net = orr_sequential(ORR_MODULES(orr_dense(WIDE, OUT, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(OUT, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim *opt = orr_optim_of_module(kind, net, &o);
    orr_tensor *x = orr_keep(orr_randn(ORR_F32, ORR_SHAPE(BATCH, WIDE), 0.0, 1.0));
    orr_tensor *label = orr_keep(orr_randint(ORR_I64, ORR_SHAPE(BATCH), 0, 10));
    orr_parameter p[4];
    bool ok = opt && orr_module_parameters(net, p, 4) == 4;
    for (int k = 0; k < 4 && ok; k++) {
        double loss;
        const orr__buffer *before = orr__node_value(orr__handle_node(p[0].variable));
        orr_scope *s = orr_scope_begin(), *inner = h == LOSS ? orr_scope_begin() : NULL;
        if (h == OLD)
            (void)orr_neg(p[0].variable);
        orr_tensor *l = orr_cross_entropy(orr_forward(net, x), label);
        ok = orr_optim_step(opt, l) == ORR_OK;
        if (h == LOSS) {
            l = orr_scope_return(inner, l);
            (void)orr_scope_end(inner);
        }
        ok = ok && orr_item(l, &loss) == ORR_OK && orr_eval_all(NULL, 0) == ORR_OK;
        in_place += before == orr__node_value(orr__handle_node(p[0].variable));
        (void)orr_scope_end(s);
    }
    ok = ok && orr_read(p[0].variable, weights, sizeof(float) * WIDE * OUT) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    orr_optim_free(opt);
    orr_module_free(net);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    return in_place;
}

/* Several outputs of one kernel over several of its inputs, interpreted and compiled. */
static void optimisers_make_the_same_bits(void)
{
    static const char *const tier[] = { "off", "wait" };
    static float elsewhere[512 * OUT], here[512 * OUT];
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    for (int t = 0; t < 2; t++)
        for (int kind = ORR_OPTIM_SGD; kind <= ORR_OPTIM_ADAGRAD; kind++) {
            if (!orr_test_due((unsigned)(kind + t), 2))
                continue;
            (void)setenv("ORRERY_JIT", tier[t], 1);
            orr_test_alarm();
            int none = train((orr_optim_kind)kind, OLD, elsewhere);
            for (holding h = LOSS; h <= ALL; h++) {
                int n = train((orr_optim_kind)kind, h, here);
                ORR_CHECK_MSG(none == 0 && n >= 1, "optimiser %d: %d steps in place, %d with old weights held", kind, n,
                              none);
                ORR_CHECK_MSG(memcmp(here, elsewhere, sizeof here) == 0, "optimiser %d, ORRERY_JIT=%s: other bits",
                              kind, tier[t]);
            }
        }
    (void)unsetenv("ORRERY_JIT");
    (void)unsetenv("ORRERY_INLINE_US");
}

/* -- threads ------------------------------------------------------------------------------------------------------ */

/* TURNS at least; on a machine so busy that a reader is active in each of them, up to MOST, with longer naps in between. */
enum { READERS = 4, SIDE = 384, TURNS = 300, MOST = 10 * TURNS, LONGEST = 512 };
static orr_tensor *shared;
static atomic_bool over;
static atomic_int wrong, looks, nap;

/* The expression of reader `id`: the variable itself, an expression of it, a copy in a file. */
static orr_tensor *see(int id)
{
    switch (id) {
    case 0: return shared;
    case 1: return orr_mul(shared, orr_scalar(1.0));
    case 2: return orr_matmul(orr_eye(ORR_F32, SIDE, SIDE, 0), shared);
    default:
        return orr_save(orr_test_tmp("shared.npy"), shared) == ORR_OK ? orr_load(orr_test_tmp("shared.npy")) : NULL;
    }
}

/* All elements of the variable are the same integer at any time, and it never decreases. */
static void *look(void *arg)
{
    int id = (int)(size_t)arg;
    float *v = malloc(sizeof(float) * SIDE * SIDE), last = 0.0f;
    while (v && !atomic_load(&over)) {
        orr_scope *s = orr_scope_begin();
        orr_status st = orr_read(see(id), v, sizeof(float) * SIDE * SIDE);
        bool ok = st == ORR_OK && v[0] == floorf(v[0]) && v[0] >= last;
        for (int i = 1; i < SIDE * SIDE && ok; i++)
            ok = v[i] == v[0];
        if (!ok && atomic_fetch_add(&wrong, 1) < 5)
            printf("    reader %d: %s, %g after %g\n", id, orr_status_name(st), (double)v[0], (double)last);
        last = ok ? v[0] : last;
        atomic_fetch_add(&looks, 1);
        (void)nanosleep(&(struct timespec){ .tv_nsec = 300000L * (1 + id) * atomic_load(&nap) }, NULL);
        (void)orr_scope_end(s);
    }
    free(v);
    return NULL;
}

static void readers_see_whole_values(void)
{
    pthread_t t[READERS];
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    shared = orr_keep(orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(SIDE, SIDE))));
    orr_tensor *one = orr_keep(orr_eye(ORR_F32, SIDE, SIDE, 0)),
               *ones = orr_keep(orr_ones(ORR_F32, ORR_SHAPE(SIDE, SIDE)));
    ORR_CHECK(orr_eval_all(ORR_TENSORS(shared, one, ones)) == ORR_OK);
    atomic_store(&over, false);
    atomic_store(&nap, 1);
    for (int i = 0; i < READERS; i++)
        ORR_REQUIRE(pthread_create(&t[i], NULL, look, (void *)(size_t)i) == 0);
    int in_place = 0, turns = 0;
    for (; turns < TURNS || (in_place == 0 && turns < MOST); turns++) {
        if (turns % 100 == 99 && in_place == 0 && atomic_load(&nap) < LONGEST)
            atomic_store(&nap, 2 * atomic_load(&nap));
        const void *before = orr__node_value(orr__handle_node(shared))->host;
        orr_scope *s = orr_scope_begin();
        orr_test_alarm();
        ORR_CHECK(orr_assign(shared, orr_add(orr_matmul(one, ones), shared)) == ORR_OK);
        (void)orr_scope_end(s);
        ORR_CHECK_MSG(orr_eval(shared) == ORR_OK, "%s", orr_error_message());
        in_place += orr__node_value(orr__handle_node(shared))->host == before;
    }
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++)
        (void)pthread_join(t[i], NULL);
    printf("    %d looks, %d of %d steps in place\n", atomic_load(&looks), in_place, turns);
    ORR_CHECK(atomic_load(&wrong) == 0);
    ORR_CHECK_MSG(in_place > 0, "no step met the path that is tested here");
    float v[SIDE];
    ORR_CHECK(orr_read(orr_slice_axis(shared, 0, 0, 1, 1), v, sizeof v) == ORR_OK && v[0] == (float)turns &&
              v[SIDE - 1] == (float)turns);
    stop();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(adam_needs_its_state_once),
                                      ORR_TEST(adam_needs_its_state_once_where_a_crew_could_be),
                                      ORR_TEST(optimisers_make_the_same_bits),
                                      ORR_TEST(readers_see_whole_values),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.inplace_training", tests);
}
