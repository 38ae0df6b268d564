/* Graphs and training over ranks whose values are on CUDA devices, on the doubles of CUDA and NCCL: the results are those of one
 * process, and exchanged values do not pass through host memory.
 * Must not know: how exchanges and tasks are carried out. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <orrery/info.h>
#include "tests/harness/cuda_engine.h"
#include "tests/harness/ranks.h"

enum { ROWS = 512, IN = 64, MIDDLE = 256, OUT = 10, STEPS = 8 };
static const double gradient_bytes = 4.0 * (IN * MIDDLE + MIDDLE + MIDDLE * OUT + OUT);

#define NEED_DOUBLE()                                                                                                  \
    do {                                                                                                               \
        if (!cu.ok || cu.real)                                                                                         \
            ORR_SKIP("%s", cu.real ? "a machine with a GPU: the double is for those without" : cu.why);                \
    } while (0)

static bool up(const char *nccl)
{
    (void)setenv("ORRERY_NCCL", nccl, 1);
    (void)setenv("ORRERY_RANK_DEVICES", "1", 1);
    cu.state->devices = orr_test_ranks();
    cu.state->nccl_foreign = 0;
    bool ok = cuda_engine_up("0") == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void down(void)
{
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(cu.state->nccl_comms == 0 && cu.state->nccl_foreign == 0);
}

static bool says(const char *words)
{
    static orr_fact fact[64];
    int n = orr_info(fact, 64);
    for (int i = 0; i < n && i < 64; i++)
        if (strcmp(fact[i].name, "exchanges") == 0) {
            if (strstr(fact[i].value, words))
                return true;
            printf("    exchanges: %s\n", fact[i].value);
        }
    return false;
}

/* A product whose inner axis is sharded over the ranks is a sum over them; a softmax over a sharded axis needs more exchanges. */
static void graphs_exchange_on_the_devices(void)
{
    NEED_DOUBLE();
    ORR_REQUIRE(up("on"));
    char words[64];
    (void)snprintf(words, sizeof words, "NCCL 2.28.9, from CUDA device %d", orr_rank());
    ORR_CHECK(says(words));
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    static float a[96 * 128], b[128 * 40], got[96 * 40];
    for (int i = 0; i < 96 * 128; i++)
        a[i] = (float)(i % 7) - 3;
    for (int i = 0; i < 128 * 40; i++)
        b[i] = (float)(i % 5) - 2;
    orr_tensor *x = orr_shard(orr_from(ORR_F32, ORR_SHAPE(96, 128), a), g, ORR_AXES(1));
    orr_tensor *y = orr_shard(orr_from(ORR_F32, ORR_SHAPE(128, 40), b), g, ORR_AXES(0));
    int calls = cu.state->nccl_calls, wrong = 0;
    orr_tensor *p = orr_replicate(orr_relu(orr_matmul(x, y)));
    ORR_CHECK_MSG(orr_read(p, got, sizeof got) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 96; i++)
        for (int j = 0; j < 40; j++) {
            float want = 0;
            for (int k = 0; k < 128; k++)
                want += a[i * 128 + k] * b[k * 40 + j];
            wrong += got[i * 40 + j] != (want > 0 ? want : 0);
        }
    ORR_CHECK_MSG(wrong == 0, "%d elements", wrong);
    ORR_CHECK(cu.state->nccl_calls > calls);
    double one = 0, most = 0;
    ORR_CHECK(orr_item(orr_sum(orr_softmax(orr_mul(x, orr_scalar(0.1)), 1), ORR_ALL_AXES, false), &one) == ORR_OK);
    ORR_CHECK_MSG(fabs(one - 96) < 1e-3, "%g", one);
    ORR_CHECK(orr_item(orr_max(x, ORR_ALL_AXES, false), &most) == ORR_OK && most == 3);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    down();
}

typedef struct traffic {
    double in, home; /* bytes of the best step: processors work at the first ones, until kernels are compiled */
    double calls;    /* of the last step */
} traffic;

static void train(bool parallel, double *loss, traffic *t)
{
    orr_scope *s = orr_scope_begin();
    orr_seed(5);
    orr_module *net =
        orr_sequential(ORR_MODULES(orr_dense(IN, MIDDLE, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                   orr_dense(MIDDLE, OUT, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_SGD);
    o.lr = 0.05;
    orr_optim *optim = orr_optim_of_module(ORR_OPTIM_SGD, net, &o);
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(ROWS, IN), 0, 1, 11);
    orr_tensor *y =
        orr_cast(orr_floor(orr_mul(orr_rand_keyed(ORR_F32, ORR_SHAPE(ROWS), 0, 1, 12), orr_scalar(OUT))), ORR_I64);
    if (parallel) {
        x = orr_shard(x, g, ORR_AXES(0));
        y = orr_shard(y, g, ORR_AXES(0));
        ORR_CHECK_MSG(orr_data_parallel(net, optim, NULL) == ORR_OK, "%s", orr_error_message());
    }
    ORR_CHECK(orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK);
    for (int i = 0; i < STEPS; i++) {
        uint64_t in = cu.state->bytes_in, home = cu.state->bytes_home;
        double calls = cu.state->nccl_calls;
        orr_scope *inner = orr_scope_begin();
        orr_tensor *l = orr_cross_entropy(orr_forward(net, x), y);
        ORR_CHECK_MSG(orr_optim_step(optim, l) == ORR_OK && orr_item(l, &loss[i]) == ORR_OK, "%s", orr_error_message());
        (void)orr_scope_end(inner);
        in = cu.state->bytes_in - in;
        home = cu.state->bytes_home - home;
        t->in = i == 0 ? (double)in : fmin(t->in, (double)in);
        t->home = i == 0 ? (double)home : fmin(t->home, (double)home);
        t->calls = cu.state->nccl_calls - calls;
    }
    orr_optim_free(optim);
    orr_module_free(net);
    orr_grid_free(g);
    (void)orr_scope_end(s);
}

/* The gradients are exchanged on the devices that compute them: with NCCL a step copies the loss and little more to host memory
 * (the losses of the rows too, where a processor adds them sooner), without it all gradients. */
static void gradients_stay_on_the_devices(void)
{
    double one[STEPS] = { 0 }, with[STEPS] = { 0 }, without[STEPS] = { 0 };
    traffic alone = { 0 }, nccl = { 0 }, mpi = { 0 };
    NEED_DOUBLE();
    ORR_REQUIRE(up("on"));
    train(false, one, &alone);
    train(true, with, &nccl);
    down();
    ORR_REQUIRE(up("off"));
    ORR_CHECK(says("ORRERY_NCCL=off"));
    train(true, without, &mpi);
    down();
    for (int i = 0; i < STEPS; i++) {
        ORR_CHECK_MSG(fabs(one[i] - with[i]) <= 1e-5 * fabs(one[i]), "step %d: %.9g, and %.9g in one process", i,
                      with[i], one[i]);
        ORR_CHECK_MSG(fabs(one[i] - without[i]) <= 1e-5 * fabs(one[i]), "step %d: %.9g, and %.9g in one process", i,
                      without[i], one[i]);
    }
    printf("    bytes to the device and back in a step: %.0f and %.0f with NCCL in %.1f exchanges, %.0f and %.0f with "
           "MPI; "
           "gradients have %.0f\n",
           nccl.in, nccl.home, nccl.calls, mpi.in, mpi.home, gradient_bytes);
    ORR_CHECK(nccl.calls >= 1 && mpi.calls == 0);
    ORR_CHECK(nccl.in < gradient_bytes / 10 && nccl.home < gradient_bytes / 10);
    ORR_CHECK(mpi.in >= gradient_bytes && mpi.home >= gradient_bytes);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(graphs_exchange_on_the_devices),
                                      ORR_TEST(gradients_stay_on_the_devices),
                                      { 0 } };
    /* The double precedes StarPU's libraries in the launcher, too, and so in all ranks. */
    if (!getenv("ORR_TEST_RANKS") || getenv("ORR_TEST_DOUBLE"))
        cuda_engine_start(argv);
    else
        (void)snprintf(cu.why, sizeof cu.why, "no StarPU with CUDA, or a GPU");
    if (!getenv("ORR_TEST_RANKS") && (!cu.ok || cu.real)) /* all are skipped */
        return orr_test_main(argc, argv, "distribute.nccl_graphs", tests);
    int more = getenv("ORR_TEST_FULL") ? 4 : 0; /* StarPU first measures the copies of each process's devices */
    return orr_test_ranks_main(argc, argv, "distribute.nccl_graphs", tests, (const int[]){ 2, more, 0 });
}
