/* Case mlp-step: one training step of a 784-512-256-10 network on a batch of 128, Adam.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "bench/bench.h"

enum { BATCH = 128, IN = 784, H1 = 512, H2 = 256, OUT = 10 };

typedef struct mlp {
    orr_module *net;
    orr_optim *opt;
    orr_tensor *x, *labels;
    /* the peer: data, weights, activations (or their gradients), gradients of the weights */
    float *px, *w1, *w2, *w3, *a1, *a2, *a3, *g1, *g2, *d1, *d2, *d3;
} mlp;

static int ours_start(void *user)
{
    mlp *m = user;
    bench_settle();
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("mlp-step");
    orr_seed(1);
    m->net = orr_sequential(ORR_MODULES(orr_dense(IN, H1, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(H1, H2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(H2, OUT, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    m->opt = m->net ? orr_optim_of_module(ORR_OPTIM_ADAM, m->net, NULL) : NULL;
    m->x = orr_randn(ORR_F32, ORR_SHAPE(BATCH, IN), 0.0, 1.0);
    m->labels = orr_randint(ORR_I64, ORR_SHAPE(BATCH), 0, OUT);
    return m->opt && orr_eval_all(ORR_TENSORS(m->x, m->labels)) == ORR_OK ? 0 : bench_failed("mlp-step");
}

static int ours_once(void *user)
{
    mlp *m = user;
    double value;
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = orr_cross_entropy(orr_forward(m->net, m->x), m->labels);
    orr_status st = orr_optim_step(m->opt, loss);
    if (st == ORR_OK)
        st = orr_item(loss, &value);
    (void)orr_scope_end(s);
    return st == ORR_OK ? 0 : bench_failed("mlp-step");
}

static void ours_stop(void *user)
{
    mlp *m = user;
    orr_optim_free(m->opt);
    orr_module_free(m->net);
    (void)orr_shutdown();
}

/* The step alone, for cases that compare it with itself. */
const bench_side bench_mlp_ours = { ours_start, ours_once, ours_stop };

void *bench_mlp_state(void)
{
    static mlp m;
    return &m;
}

static int blas_start(void *user)
{
    (void)user;
    peer_blas_threads(bench_cores());
    return 0;
}

/* The eight products of the step: three forward, three for the weights, two for the activations. */
static int blas_once(void *user)
{
    mlp *m = user;
    peer_blas_gemm(false, false, BATCH, H1, IN, m->px, m->w1, m->a1);
    peer_blas_gemm(false, false, BATCH, H2, H1, m->a1, m->w2, m->a2);
    peer_blas_gemm(false, false, BATCH, OUT, H2, m->a2, m->w3, m->a3);
    peer_blas_gemm(true, false, H2, OUT, BATCH, m->a2, m->a3, m->d3);
    peer_blas_gemm(false, true, BATCH, H2, OUT, m->a3, m->w3, m->g2);
    peer_blas_gemm(true, false, H1, H2, BATCH, m->a1, m->g2, m->d2);
    peer_blas_gemm(false, true, BATCH, H1, H2, m->g2, m->w2, m->g1);
    peer_blas_gemm(true, false, IN, H1, BATCH, m->px, m->g1, m->d1);
    return 0;
}

/* Allocates all of the peer's arrays in one block with small values. NULL: no memory. */
static float *peer_arrays(mlp *m)
{
    float **part[] = { &m->px, &m->w1, &m->w2, &m->w3, &m->a1, &m->a2, &m->a3, &m->g1, &m->g2, &m->d1, &m->d2, &m->d3 };
    static const size_t size[] = { BATCH * IN,  IN * H1,    H1 * H2,    H2 * OUT, BATCH * H1, BATCH * H2,
                                   BATCH * OUT, BATCH * H1, BATCH * H2, IN * H1,  H1 * H2,    H2 * OUT };
    size_t total = 0;
    for (int i = 0; i < 12; i++)
        total += size[i];
    float *block = malloc(total * sizeof *block), *p = block;
    for (size_t i = 0; block && i < total; i++)
        block[i] = (float)(i % 17) * 0.001f - 0.008f;
    for (int i = 0; block && i < 12; p += size[i++])
        *part[i] = p;
    return block;
}

int bench_mlp_step(bench_sink *out, int rounds)
{
    static const bench_side blas = { blas_start, blas_once, NULL };
    mlp m = { 0 };
    double t = 0.0, direct = 0.0;
    float *block = peer_arrays(&m);
    bench_await_kernels(true);
    int rc = block ? bench_interleave(&bench_mlp_ours, &blas, &m, rounds, 0.5, &t, &direct) : 1;
    if (rc == 0) {
        bench_record r = { .name = "mlp-step",
                           .metric = "time",
                           .unit = "ms",
                           .value = t * 1e3,
                           .reference = "the step's GEMMs, direct BLAS, all cores",
                           .reference_value = direct * 1e3 };
        (void)snprintf(r.params, sizeof r.params, "\"batch\": %d, \"optimiser\": \"adam\"", BATCH);
        r.ratio = bench_ratio(&r, false);
        rc = bench_add(out, &r);
    }
    bench_await_kernels(false);
    free(block);
    return rc;
}
