/* Measures training on the ranks at hand: on one rank while the others rest, and on all together; and an input of the model, the time of
 * sums over the ranks.
 * Must not know: what is simulated. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "tools/scale.h"

enum { WARM = 5, PARAMETERS = 6 };

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef bool task(void *of);

/* Keeps the least of *least and the seconds from the common start of all ranks until the end of the last rank that takes part. False:
 * an error. */
static bool measure(task *work, void *of, bool takes_part, double *least)
{
    if (orr_barrier() != ORR_OK)
        return false;
    double from = seconds();
    orr_scope *s = orr_scope_begin();
    bool ok = !takes_part || work(of);
    (void)orr_scope_end(s);
    ok = ok && orr_barrier() == ORR_OK;
    *least = ok ? fmin(*least, seconds() - from) : *least;
    return ok;
}

typedef struct {
    orr_module *net;
    orr_optim *optim;
    orr_tensor *x, *y;
} trainee;

/* Makes a network that classifies 784 numbers. grid: the batch is sharded over it; NULL: the batch is this rank's own. */
static bool make(trainee *t, int width, int64_t samples, orr_grid *grid)
{
    t->net = orr_sequential(ORR_MODULES(orr_dense(784, width, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(width, width / 2, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                        orr_dense(width / 2, 10, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    t->optim = t->net ? orr_optim_of_module(ORR_OPTIM_ADAM, t->net, NULL) : NULL;
    t->x = orr_rand(ORR_F32, ORR_SHAPE(samples, 784), 0.0, 1.0);
    t->y = orr_randint(ORR_I64, ORR_SHAPE(samples), 0, 10);
    if (grid) {
        t->x = orr_shard(t->x, grid, ORR_AXES(0));
        t->y = orr_shard(t->y, grid, ORR_AXES(0));
    }
    return t->optim && (!grid || orr_data_parallel(t->net, t->optim, NULL) == ORR_OK) &&
           orr_eval_all(ORR_TENSORS(t->x, t->y)) == ORR_OK;
}

/* The loss is ready before the step has ended; the last parameter is read to wait for the end. */
static bool step(void *of)
{
    const trainee *t = of;
    double value;
    float bias[10];
    orr_parameter p[PARAMETERS];
    orr_tensor *loss = orr_cross_entropy(orr_forward(t->net, t->x), t->y);
    return orr_module_parameters(t->net, p, PARAMETERS) == PARAMETERS && orr_optim_step(t->optim, loss) == ORR_OK &&
           orr_item(loss, &value) == ORR_OK && orr_read(p[PARAMETERS - 1].variable, bias, sizeof bias) == ORR_OK;
}

/* An array with a row of `bytes` bytes on each rank. */
static orr_tensor *rows(double bytes, orr_grid *g)
{
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(orr_ranks(), (int64_t)(bytes / 4)));
    x = orr_shard(x, g, ORR_AXES(0));
    return orr_eval(x) == ORR_OK ? x : NULL;
}

static bool add_up(void *of)
{
    return orr_eval(orr_sum(of, ORR_AXES(0), false)) == ORR_OK;
}

/* Arrays of the sizes of the parameters, which fill a bucket as gradients do. */
typedef struct {
    orr_tensor *x[PARAMETERS];
} gradients;

static bool make_gradients(gradients *all, int width, orr_grid *g)
{
    const double n[PARAMETERS] = { 784.0 * width, width, width * (width / 2), width / 2, width / 2 * 10, 10 };
    for (int k = 0; k < PARAMETERS; k++)
        if (!(all->x[k] = rows(4 * n[k], g)))
            return false;
    return true;
}

static bool add_up_all(void *of)
{
    const gradients *all = of;
    orr_tensor *sum[PARAMETERS];
    for (int k = 0; k < PARAMETERS; k++)
        sum[k] = orr_sum(all->x[k], ORR_AXES(0), false);
    return orr_eval_all(sum, PARAMETERS) == ORR_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The seconds of one step. */
static bool once(task *work, void *of, bool takes_part, double *took)
{
    *took = INFINITY;
    return measure(work, of, takes_part, took);
}

/* All kinds run in turns, so that other load on the machine affects all alike. */
bool scale_check_training(int width, int64_t samples, int steps, double few, scale_checked *c)
{
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    trainee one = { 0 }, half = { 0 }, all = { 0 };
    orr_tensor *short_row = g ? rows(few, g) : NULL;
    gradients sums;
    enum { KINDS = 7 };
    double *took = calloc((size_t)steps * KINDS, sizeof *took), now[KINDS];
    bool ok = took && short_row && make_gradients(&sums, width, g) && make(&one, width, samples, NULL) &&
              make(&half, width, samples / 2, NULL) && make(&all, width, samples * orr_ranks(), g);
    for (int i = -WARM; ok && i < steps; i++) {
        ok = once(step, &one, orr_rank() == 0, &now[0]) && once(step, &one, true, &now[1]) &&
             once(step, &all, true, &now[2]) && once(add_up, short_row, true, &now[3]) &&
             once(add_up_all, &sums, true, &now[4]) && once(step, &half, orr_rank() == 0, &now[5]) &&
             once(step, &half, true, &now[6]);
        for (int k = 0; i >= 0 && k < KINDS; k++)
            took[k * steps + i] = now[k];
    }
    if (ok)
        *c = (scale_checked){ median(took, steps),
                              median(took + steps, steps),
                              median(took + 2 * steps, steps),
                              median(took + 3 * steps, steps),
                              median(took + 4 * steps, steps),
                              median(took + 5 * steps, steps),
                              median(took + 6 * steps, steps) };
    free(took);
    orr_optim_free(one.optim);
    orr_optim_free(half.optim);
    orr_optim_free(all.optim);
    orr_module_free(one.net);
    orr_module_free(half.net);
    orr_module_free(all.net);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    return ok;
}
