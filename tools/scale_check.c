/* Training steps over the ranks at hand, measured: each rank by itself on its part of a batch, and all of them on the whole.
 * Must not know: what is simulated. */
#include "config.h"
#include <math.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include "tools/scale.h"

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    orr_module *net;
    orr_optim *optim;
    orr_tensor *x, *y;
} trainee;

/* Classes of 784 numbers. `grid`: the batch lies over it; NULL: it is this rank's own. */
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

/* Seconds of a step that all ranks begin together; < 0: an error. */
static double step(const trainee *t)
{
    double value, from = orr_barrier() == ORR_OK ? seconds() : -1;
    orr_scope *s = orr_scope_begin();
    orr_tensor *loss = orr_cross_entropy(orr_forward(t->net, t->x), t->y);
    bool ok = from >= 0 && orr_optim_step(t->optim, loss) == ORR_OK && orr_item(loss, &value) == ORR_OK &&
              orr_barrier() == ORR_OK;
    (void)orr_scope_end(s);
    return ok ? seconds() - from : -1;
}

/* Both kinds in turns, so that what else the machine does meets them alike; of each the least. */
bool scale_check_training(int width, int64_t samples, int steps, double *alone, double *together)
{
    enum { WARM = 5 };
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    trainee one = { 0 }, all = { 0 };
    bool ok = g && make(&one, width, samples, NULL) && make(&all, width, samples * orr_ranks(), g);
    *alone = *together = INFINITY;
    for (int i = 0; ok && i < steps + WARM; i++) {
        double a = step(&one), b = a >= 0 ? step(&all) : -1;
        ok = b >= 0;
        if (i >= WARM) {
            *alone = fmin(*alone, a);
            *together = fmin(*together, b);
        }
    }
    orr_optim_free(one.optim);
    orr_optim_free(all.optim);
    orr_module_free(one.net);
    orr_module_free(all.net);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    return ok;
}
