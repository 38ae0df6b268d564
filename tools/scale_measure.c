/* Measures the times of this machine's tasks and training steps. Each time is the least of several averages.
 * Must not know: what is simulated with them. */
#include "config.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include "tools/scale.h"

enum { ROUNDS = 15, STEPS = 30 };

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A symmetric matrix with a dominant diagonal. */
static orr_tensor *matrix(int64_t n)
{
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(n, n), -0.5, 0.5);
    return orr_add(orr_add(x, orr_transpose(x)), orr_mul(orr_scalar((double)n), orr_eye(ORR_F64, n, n, 0)));
}

static bool factorise(const orr_tensor *a)
{
    orr_scope *s = orr_scope_begin();
    bool ok = orr_eval(orr_cholesky((orr_tensor *)a)) == ORR_OK;
    (void)orr_scope_end(s);
    return ok;
}

/* The average seconds of the tasks of a kind since the last reset; 0: none ran. */
static double average(const char *kind)
{
    orr_stat row[256];
    int n = orr_stats(row, 256);
    double time = 0, tasks = 0;
    for (int i = 0; i < n && i < 256; i++)
        if (strcmp(row[i].kind, kind) == 0) {
            time += row[i].seconds;
            tasks += (double)row[i].tasks;
        }
    return tasks > 0 ? time / tasks : 0;
}

/* Measures with twelve tiles along a side: all are whole if the library's tile is that large. */
static bool measure_tiles(scale_machine *m, int64_t tile, const char **why)
{
    static const char *const kind[SCALE_KINDS] = { "cholesky potrf", "cholesky trsm", "cholesky syrk",
                                                   "cholesky gemm" };
    static const double part[SCALE_KINDS] = { 1.0 / 3, 1, 1, 2 };
    double least[SCALE_KINDS] = { INFINITY, INFINITY, INFINITY, INFINITY }, n = (double)tile;
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = matrix(12 * tile);
    bool ok = orr_eval(a) == ORR_OK;
    for (int round = 0; ok && round < ROUNDS; round++) {
        orr_stats_reset();
        ok = factorise(a);
        for (int k = 0; k < SCALE_KINDS; k++) {
            double t = average(kind[k]);
            least[k] = t > 0 && t < least[k] ? t : least[k];
        }
    }
    (void)orr_scope_end(s);
    for (int k = 0; ok && k < SCALE_KINDS; k++) {
        if (!isfinite(least[k]))
            *why = "the factorisation is no graph of tasks here: that takes two workers (STARPU_NCPU) and StarPU";
        m->gflops[k] = part[k] * n * n * n / least[k] * 1e-9;
    }
    return ok && !*why;
}

static bool step(const orr_module *net, orr_optim *opt, orr_tensor *x, orr_tensor *y)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = orr_cross_entropy(orr_forward(net, x), y);
    double value;
    bool ok = orr_optim_step(opt, loss) == ORR_OK && orr_item(loss, &value) == ORR_OK;
    (void)orr_scope_end(s);
    return ok;
}

/* The seconds of a step: forward pass, backward pass and update; < 0: an error. */
static double measure_step(const orr_module *net, orr_optim *opt, int64_t samples)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(samples, 784), 0.0, 1.0);
    orr_tensor *y = orr_randint(ORR_I64, ORR_SHAPE(samples), 0, 10);
    double least = orr_eval_all(ORR_TENSORS(x, y)) == ORR_OK && step(net, opt, x, y) ? INFINITY : -1;
    for (int i = 0; least > 0 && i < STEPS; i++) {
        double t0 = seconds();
        if (!step(net, opt, x, y))
            least = -1;
        double t = seconds() - t0;
        least = t < least ? t : least;
    }
    (void)orr_scope_end(s);
    return least;
}

/* Trains the network of the examples. Two batch sizes separate the fixed time from the time per sample. */
static bool measure_training(scale_machine *m)
{
    enum { FEW = 128, MANY = 1024 };
    orr_scope *s = orr_scope_begin();
    orr_module *net = orr_sequential(ORR_MODULES(orr_dense(784, 512, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(512, 256, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(256, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim *opt = net ? orr_optim_of_module(ORR_OPTIM_ADAM, net, NULL) : NULL;
    double few = net && opt ? measure_step(net, opt, FEW) : -1, many = few > 0 ? measure_step(net, opt, MANY) : -1;
    orr_optim_free(opt);
    orr_module_free(net);
    (void)orr_scope_end(s);
    if (many <= 0)
        return false;
    m->sample_us = many > few ? 1e6 * (many - few) / (MANY - FEW) : 0;
    m->step_us = 1e6 * few - m->sample_us * FEW > 0 ? 1e6 * few - m->sample_us * FEW : 0;
    m->update_us = 0; /* part of the fixed time */
    return true;
}

bool scale_measure(scale_machine *m, int64_t tile, const char **why)
{
    *why = NULL;
    return measure_tiles(m, tile, why) && measure_training(m);
}
