/* Case batch: the batch that orr_optimal_batch chooses beside the best of a sweep, and predicted peaks of memory beside
 * measured ones.
 * Must not know: how a batch is chosen. */
#include "config.h"
#include <math.h>
#include <orrery.h>
#include <orrery/optim.h>
#include <orrery/place.h>
#include "bench/bench.h"

enum { MOST = 256, SIZES = 9, SIDE = 16, LENGTH = 32, WIDTH = 64, PARAMETERS = 32 };

typedef enum { ROWS, IMAGES, SEQUENCES, KINDS } kind;

typedef struct {
    kind kind;
    orr_module *m;
    orr_tensor *p[PARAMETERS];
    int n;
} network;

static const char *const name_of[KINDS] = { "MLP", "CNN", "transformer" };

static orr_tensor *flat(orr_tensor *x, void *unused)
{
    (void)unused;
    return orr_reshape(x, ORR_SHAPE(-1, 16 * SIDE * SIDE / 4));
}

static orr_module *module_of(kind k)
{
    orr_conv_options o = { .padding = { 1, 1 } };
    switch (k) {
    case ROWS:
        return orr_sequential(ORR_MODULES(orr_dense(784, 256, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                          orr_dense(256, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    case IMAGES:
        return orr_sequential(
            ORR_MODULES(orr_conv_layer(3, 16, ORR_SHAPE(3, 3), &o, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT,
                                       ORR_INITIALISER_DEFAULT),
                        orr_max_pool_layer(&(orr_pool_options){ .window = { 2, 2 } }), orr_function(flat, NULL),
                        orr_dense(16 * SIDE * SIDE / 4, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    default: return orr_encoder_block(WIDTH, 4, 2 * WIDTH, NULL);
    }
}

/* Records the loss of a batch and its gradients. */
static int work(int64_t batch, orr_tensor **out, int max, void *user)
{
    network *w = user;
    const orr_shape shape[KINDS] = { ORR_SHAPE(batch, 784), ORR_SHAPE(batch, 3, SIDE, SIDE),
                                     ORR_SHAPE(batch, LENGTH, WIDTH) };
    orr_tensor *y = orr_forward(w->m, orr_full(ORR_F32, shape[w->kind], 0.5));
    out[0] = orr_mean(orr_mul(y, y), ORR_ALL_AXES, false);
    return w->n < max && orr_grad(out[0], w->p, w->n, out + 1) == ORR_OK ? w->n + 1 : -1;
}

/* Seconds a sample; < 0: failed. */
static double each(network *w, int64_t batch)
{
    orr_tensor *out[PARAMETERS + 1];
    orr_scope *s = orr_scope_begin();
    int n = work(batch, out, PARAMETERS + 1, w);
    double begin = bench_now();
    bool ok = n > 0 && orr_eval_all(out, n) == ORR_OK;
    double took = bench_now() - begin;
    (void)orr_scope_end(s);
    return ok ? took / (double)batch : -1.0;
}

static int choice(bench_sink *out, int rounds, network *w)
{
    enum { CALLS = 5 };
    orr_batch_choice c;
    double least[SIZES], chosen = 0, best = HUGE_VAL;
    int at = 0;
    if (orr_optimal_batch(work, w, MOST, 0, &c) != ORR_OK)
        return bench_failed("batch");
    for (int i = 0; i < SIZES; i++)
        least[i] = HUGE_VAL;
    for (int r = 0; r <= rounds; r++)
        for (int i = 0; i < SIZES; i++)
            for (int k = 0; k < CALLS; k++) {
                double t = each(w, (int64_t)1 << i);
                if (t < 0)
                    return bench_failed("batch");
                least[i] = r > 0 && t < least[i] ? t : least[i]; /* the first round compiles and is dropped */
            }
    for (int i = 0; i < SIZES; i++) {
        at = least[i] < least[at] ? i : at;
        chosen = (int64_t)1 << i == c.fastest ? least[i] : chosen;
    }
    best = least[at];
    bench_record r = { .name = "batch",
                       .metric = "time a sample",
                       .unit = "us",
                       .value = 1e6 * chosen,
                       .reference = "best of a sweep",
                       .reference_value = 1e6 * best,
                       .ratio = best / chosen };
    (void)snprintf(r.params, sizeof r.params, "\"network\": \"%s\", \"chosen\": %lld, \"best\": %d", name_of[w->kind],
                   (long long)c.fastest, 1 << at);
    return bench_add(out, &r);
}

/* The peak of gradients, or of a step of Adam: inputs, results and temporaries. */
static int peak(bench_sink *out, network *w, int64_t batch, orr_optim *o)
{
    orr_tensor *t[PARAMETERS + 1];
    orr_memory_plan m;
    orr_scope *s = orr_scope_begin();
    int n = work(batch, t, PARAMETERS + 1, w);
    n = o && n > 0 && orr_optim_step(o, t[0]) == ORR_OK ? 1 : n;
    bool ok = n > 0 && orr_plan_memory(t, n, &m) == ORR_OK;
    orr_memory_trim();
    size_t before = orr_memory_stats().live;
    orr_memory_peak_reset();
    ok = ok && orr_eval_all(t, n) == ORR_OK;
    double grown = (double)orr_memory_stats().peak - (double)before;
    (void)orr_scope_end(s);
    if (!ok)
        return bench_failed("batch");
    bench_record r = { .name = "batch",
                       .metric = "peak",
                       .unit = "MB",
                       .value = 1e-6 * (double)m.host,
                       .reference = "measured",
                       .reference_value = 1e-6 * ((double)m.inputs + grown) };
    r.ratio = r.reference_value / r.value;
    (void)snprintf(r.params, sizeof r.params, "\"network\": \"%s\", \"what\": \"%s\", \"batch\": %lld",
                   name_of[w->kind], o ? "step" : "gradients", (long long)batch);
    return bench_add(out, &r);
}

static int one(bench_sink *out, int rounds, kind k)
{
    orr_parameter p[PARAMETERS];
    network w = { .kind = k, .m = module_of(k) };
    w.n = w.m ? orr_module_parameters(w.m, p, PARAMETERS) : -1;
    for (int i = 0; i < w.n && i < PARAMETERS; i++)
        w.p[i] = p[i].variable;
    if (w.n < 1 || w.n > PARAMETERS || orr_eval_all(w.p, w.n) != ORR_OK)
        return bench_failed("batch");
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, w.p, w.n, NULL);
    int rc = o ? choice(out, rounds, &w) : bench_failed("batch");
    for (int64_t batch = 16; rc == 0 && batch <= MOST; batch *= 4)
        rc = peak(out, &w, batch, NULL) || peak(out, &w, batch, o);
    orr_optim_free(o);
    orr_module_free(w.m);
    return rc;
}

int bench_batch(bench_sink *out, int rounds)
{
    int rc = 0;
    bench_await_kernels(true);
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("batch");
    for (kind k = ROWS; rc == 0 && k < KINDS; k++)
        rc = one(out, rounds, k);
    if (orr_shutdown() != ORR_OK)
        rc = bench_failed("batch");
    bench_await_kernels(false);
    return rc;
}
