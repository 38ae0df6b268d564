/* The training cases, computed by Orrery.
 * Must not know: their references. */
#include "config.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "bench/bench.h"
#include "bench/train.h"

const train_case train_cases[] = {
    { "mnist5", "784-256-256-256-256-10, SGD, batch 100", 5, { 784, 256, 256, 256, 256, 10 }, 100, false, 0.01, 1e-4 },
    { "mlp", "784-512-256-10, Adam, batch 128", 3, { 784, 512, 256, 10 }, 128, true, 1e-4, 1e-2 },
    { "small", "784-32-10, Adam, batch 16", 2, { 784, 32, 10 }, 16, true, 1e-4, 1e-2 },
    { 0 },
};

static struct {
    const train_case *c;
    orr_module *net;
    orr_optim *opt;
    orr_tensor *x[TRAIN_STEPS], *label[TRAIN_STEPS];
    int step;
} g;

const train_case *train_find(const char *name)
{
    const train_case *c = train_cases;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}

/* n values in [lo, hi) from a hash of their index (lowbias32, Wellons 2018). Weights from a simpler sequence are so
 * alike that rounding decides how the network learns. */
static void fill(float *x, int64_t n, int which, float lo, float hi)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t h = (uint32_t)i + 1000003u * (uint32_t)(which + 1);
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        h ^= h >> 16;
        x[i] = lo + (hi - lo) * ((float)(h >> 8) * 0x1p-24f);
    }
}

/* Images are bytes / 255. If the data set is not installed, every side has the same artificial one. */
static orr_status load_batches(int batch)
{
    orr_scope *s = orr_scope_begin();
    int64_t n = (int64_t)TRAIN_STEPS * batch;
    orr_tensor *x, *l;
    if (access(TRAIN_DATA "/train-images-idx3-ubyte.gz", R_OK) == 0) {
        x = orr_load_idx(TRAIN_DATA "/train-images-idx3-ubyte.gz");
        l = orr_load_idx(TRAIN_DATA "/train-labels-idx1-ubyte.gz");
        x = orr_div(orr_cast(orr_slice_axis(x, 0, 0, n, 1), ORR_F32), orr_scalar(255.0));
        x = orr_reshape(x, ORR_SHAPE(n, TRAIN_IMAGES));
        l = orr_cast(orr_slice_axis(l, 0, 0, n, 1), ORR_I64);
    } else {
        float *v = malloc((size_t)(n * TRAIN_IMAGES) * sizeof *v);
        if (!v)
            return ORR_ENOMEM;
        fill(v, n * TRAIN_IMAGES, 0, 0.0f, 1.0f);
        x = orr_from(ORR_F32, ORR_SHAPE(n, TRAIN_IMAGES), v);
        free(v);
        l = orr_cast(orr_remainder(orr_arange(ORR_I32, 0, (double)n, 1), orr_scalar(10)), ORR_I64);
    }
    for (int i = 0; i < TRAIN_STEPS; i++) {
        g.x[i] = orr_keep(orr_slice_axis(x, 0, (int64_t)i * batch, (int64_t)(i + 1) * batch, 1));
        g.label[i] = orr_keep(orr_slice_axis(l, 0, (int64_t)i * batch, (int64_t)(i + 1) * batch, 1));
    }
    orr_status st = orr_eval_all(g.x, TRAIN_STEPS);
    if (st == ORR_OK)
        st = orr_eval_all(g.label, TRAIN_STEPS);
    (void)orr_scope_end(s);
    return st;
}

/* Weights of layer i: uniform in ±√(6/inputs), by fill with number i; biases 0. */
static orr_status start_values(const train_case *c)
{
    orr_parameter p[2 * TRAIN_LAYERS];
    orr_status st = ORR_OK;
    int n = orr_module_parameters(g.net, p, 2 * TRAIN_LAYERS), layer = 0;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < n && st == ORR_OK; i++) {
        orr_shape shape = orr_tensor_shape(p[i].variable);
        if (shape.rank < 2) {
            st = orr_assign(p[i].variable, orr_zeros(ORR_F32, shape));
            continue;
        }
        int64_t count = orr_tensor_size(p[i].variable);
        float *v = malloc((size_t)count * sizeof *v), limit = sqrtf(6.0f / (float)c->width[layer]);
        if (!v)
            return ORR_ENOMEM;
        fill(v, count, layer++, -limit, limit);
        st = orr_assign(p[i].variable, orr_from(ORR_F32, shape, v));
        free(v);
    }
    if (st == ORR_OK)
        st = orr_eval_all(NULL, 0);
    (void)orr_scope_end(s);
    return st;
}

static orr_status step(double *loss)
{
    int i = g.step++ % TRAIN_STEPS;
    orr_scope *s = orr_scope_begin();
    orr_tensor *l = orr_cross_entropy(orr_forward(g.net, g.x[i]), g.label[i]);
    orr_status st = orr_optim_step(g.opt, l);
    if (st == ORR_OK)
        st = orr_item(l, loss);
    (void)orr_scope_end(s);
    return st;
}

static orr_status make_network(const train_case *c)
{
    orr_module *layer[TRAIN_LAYERS];
    for (int i = 0; i < c->layers; i++)
        layer[i] = orr_dense(c->width[i], c->width[i + 1],
                             i < c->layers - 1 ? ORR_ACTIVATION_RELU : ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT);
    g.net = orr_sequential_at(ORR_HERE, layer, c->layers);
    if (!g.net)
        return orr_error_status();
    orr_status st = start_values(c);
    orr_optim_kind kind = c->adam ? ORR_OPTIM_ADAM : ORR_OPTIM_SGD;
    orr_optim_options o = orr_optim_defaults(kind);
    o.lr = c->lr;
    g.opt = st == ORR_OK ? orr_optim_of_module(kind, g.net, &o) : NULL;
    return g.opt ? ORR_OK : orr_error_status();
}

int train_ours_prepare(const char *name, double *losses)
{
    g.c = train_find(name);
    g.step = 0;
    *losses = 0.0;
    orr_status st = g.c ? load_batches(g.c->batch) : ORR_EINVAL;
    if (st == ORR_OK)
        st = make_network(g.c);
    for (int i = 0; i < TRAIN_STEPS && st == ORR_OK; i++) {
        double loss = 0.0;
        st = step(&loss);
        *losses += loss / TRAIN_STEPS;
    }
    return st == ORR_OK ? 0 : bench_failed("train");
}

int train_ours_once(void *unused)
{
    double loss;
    (void)unused;
    return step(&loss) == ORR_OK ? 0 : bench_failed("train");
}

void train_ours_drop(void)
{
    orr_optim_free(g.opt);
    orr_module_free(g.net);
    for (int i = 0; i < TRAIN_STEPS; i++) {
        (void)orr_free(g.x[i]);
        (void)orr_free(g.label[i]);
    }
    memset(&g, 0, sizeof g);
}
