/* The cases of bench/gpu-check, computed by Orrery on the backend of ORRERY_BACKEND: prints
 * "time<TAB>case<TAB>ours<TAB>seconds".
 * Must not know: its peers (bench/gpu_peers.c and bench/peers/gpu_peer.py have the same cases). */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>

/* Products in sequence in one evaluation, so that the wait at its end is shared by all of them. */
enum { PRODUCTS = 8, ROUNDS = 5 };

static bool small;
static const char *as = "f32";

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Calls f until kernels are compiled and StarPU has models of their times, for which it tries each kind of worker ten times;
 * *one: seconds of the last call. */
static orr_status warm_up(orr_status (*f)(void *), void *user, double *one)
{
    double begin = now(), limit = small ? 0.1 : 1.0;
    orr_status st = ORR_OK;

    for (int calls = 0;
         st == ORR_OK && (calls < 3 || now() - begin < limit || (calls < 24 && now() - begin < 6 * limit)); calls++) {
        double from = now();
        st = f(user);
        *one = now() - from;
    }
    return st;
}

/* Prints the median of some rounds of `f`, each of several calls; a call computes the case `each` times. */
static int measure(const char *name, orr_status (*f)(void *), void *user, int each)
{
    double round[ROUNDS], one = 1;
    orr_status st = warm_up(f, user, &one);
    int n = one > 0 ? (int)((small ? 0.03 : 0.3) / one) + 1 : 1;

    for (int r = 0; st == ORR_OK && r < ROUNDS; r++) {
        double begin = now();
        for (int i = 0; st == ORR_OK && i < n; i++)
            st = f(user);
        round[r] = (now() - begin) / n / each;
    }
    if (st != ORR_OK) {
        printf("no\t%s\tours\t%s\n", name, orr_error_message());
        return 1;
    }
    qsort(round, ROUNDS, sizeof *round, ascending);
    printf("time\t%s\tours\t%.9g\n", name, round[ROUNDS / 2]);
    (void)fflush(stdout);
    return 0;
}

/* -- matrix products --------------------------------------------------------------------------------------- */

static orr_status products(void *user)
{
    orr_tensor *const *xw = user;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = xw[0];
    for (int i = 0; i < PRODUCTS; i++)
        y = orr_matmul(y, xw[1]);
    orr_status st = orr_eval(y);
    (void)orr_scope_end(s);
    return st;
}

static int gemm_of(orr_dtype dtype, const char *label)
{
    char name[48];
    int64_t n = small ? 256 : 4096;
    orr_scope *s = orr_scope_begin();
    /* Weights of this size keep the size of the values through all products. */
    orr_tensor *xw[2] = { orr_cast(orr_randn(ORR_F32, ORR_SHAPE(n, n), 0.0, 1.0), dtype),
                          orr_cast(orr_randn(ORR_F32, ORR_SHAPE(n, n), 0.0, small ? 1.0 / 16 : 1.0 / 64), dtype) };
    (void)snprintf(name, sizeof name, "gemm%d %s", (int)n, label);
    int rc = orr_eval_all(xw, 2) == ORR_OK ? measure(name, products, xw, PRODUCTS) : orr_error_print(stderr);
    (void)orr_scope_end(s);
    return rc;
}

static int gemm(void)
{
    int rc = gemm_of(ORR_F32, as);
    return strcmp(as, "f32") == 0 ? rc | gemm_of(ORR_BF16, "bf16") : rc;
}

/* -- fused chains ------------------------------------------------------------------------------------------ */

typedef struct {
    orr_tensor *x;
    int ops;
} chain_of;

/* Horner: t = t·x + c. */
static orr_status chain_once(void *user)
{
    const chain_of *c = user;
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = c->x;
    for (int i = 0; i < c->ops / 2; i++)
        t = orr_add(orr_mul(t, c->x), orr_scalar(0.5 + i));
    orr_status st = orr_eval(t);
    (void)orr_scope_end(s);
    return st;
}

static int chain(void)
{
    int log2n = small ? 20 : 28, rc = 0;
    char name[48];
    orr_scope *s = orr_scope_begin();
    chain_of c = { orr_rand(ORR_F32, ORR_SHAPE((int64_t)1 << log2n), -1.0, 1.0), 0 };
    if (orr_eval(c.x) != ORR_OK)
        rc = orr_error_print(stderr);
    for (c.ops = 6; rc == 0 && c.ops <= 12; c.ops += 6) {
        (void)snprintf(name, sizeof name, "chain%d 2^%d f32", c.ops, log2n);
        rc = measure(name, chain_once, &c, 1);
    }
    (void)orr_scope_end(s);
    return rc;
}

/* -- a factor ---------------------------------------------------------------------------------------------- */

static orr_status factor(void *user)
{
    orr_scope *s = orr_scope_begin();
    orr_status st = orr_eval(orr_cholesky(user));
    (void)orr_scope_end(s);
    return st;
}

static int cholesky(void)
{
    int64_t n = small ? 512 : 8192;
    char name[48];
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_add(orr_rand(ORR_F64, ORR_SHAPE(n, n), -1.0, 1.0),
                            orr_mul(orr_eye(ORR_F64, n, n, 0), orr_scalar((double)n)));
    (void)snprintf(name, sizeof name, "cholesky%d f64", (int)n);
    int rc = orr_eval(a) == ORR_OK ? measure(name, factor, a, 1) : orr_error_print(stderr);
    (void)orr_scope_end(s);
    return rc;
}

/* -- training steps ---------------------------------------------------------------------------------------- */

typedef struct {
    orr_module *net;
    orr_optim *opt;
    orr_tensor *x, *labels;
} training;

/* The loss is read in each step, as by a program that shows it. */
static orr_status step(void *user)
{
    const training *t = user;
    double value;
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = orr_cross_entropy(orr_forward(t->net, t->x), t->labels);
    orr_status st = orr_optim_step(t->opt, loss);
    if (st == ORR_OK)
        st = orr_item(loss, &value);
    (void)orr_scope_end(s);
    return st;
}

static int train(const char *name, const int *width, int layers, int64_t batch, orr_optim_kind kind)
{
    orr_module *layer[8];
    training t = { 0 };
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < layers; i++)
        layer[i] = orr_dense(width[i], width[i + 1], i < layers - 1 ? ORR_ACTIVATION_RELU : ORR_ACTIVATION_LINEAR,
                             ORR_INITIALISER_DEFAULT);
    t.net = orr_sequential_at(ORR_HERE, layer, layers);
    t.opt = t.net ? orr_optim_of_module(kind, t.net, NULL) : NULL;
    t.x = orr_rand(ORR_F32, ORR_SHAPE(batch, width[0]), 0.0, 1.0);
    t.labels = orr_randint(ORR_I64, ORR_SHAPE(batch), 0, 10);
    int rc = t.opt && orr_eval_all(ORR_TENSORS(t.x, t.labels)) == ORR_OK ? measure(name, step, &t, 1)
                                                                         : orr_error_print(stderr);
    orr_optim_free(t.opt);
    orr_module_free(t.net);
    (void)orr_scope_end(s);
    return rc;
}

static int mlp(void)
{
    return train(small ? "mlp-step 64" : "mlp-step 4096", (const int[]){ 784, 512, 256, 10 }, 3, small ? 64 : 4096,
                 ORR_OPTIM_ADAM);
}

static int mnist5(void)
{
    return train("mnist5 100", (const int[]){ 784, 256, 256, 256, 256, 10 }, 5, 100, ORR_OPTIM_SGD);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {
        { "gemm", gemm }, { "chain", chain }, { "mlp", mlp }, { "mnist5", mnist5 }, { "cholesky", cholesky }
    };
    int i = 1, rc = 0;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--small") == 0) {
            small = true;
        } else if (strcmp(argv[i], "--as") == 0 && i + 1 < argc) {
            as = argv[++i];
        } else {
            (void)fputs("usage: gpu_ours [--small] [--as LABEL] [gemm] [chain] [mlp] [mnist5] [cholesky]\n", stderr);
            return 2;
        }
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bool wanted = i == argc;
        for (int k = i; k < argc; k++)
            wanted = wanted || strcmp(argv[k], cases[c].name) == 0;
        if (wanted)
            rc |= cases[c].run();
    }
    orr_stats_print(stderr);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
