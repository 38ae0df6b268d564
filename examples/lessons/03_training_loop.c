/* Lesson 3: a network learns to tell the points inside of a ring from those outside.
 * Must not know: anything but the public headers. */
#include <orrery.h>

enum { BATCH = 256, STEPS = 400 };

/* A batch of points in a square, and 1 for those at a distance of 0.5 to 1 from its centre. */
static void batch(orr_tensor **x, orr_tensor **label)
{
    *x = orr_rand(ORR_F32, ORR_SHAPE(BATCH, 2), -1.5, 1.5);
    orr_tensor *r = orr_sqrt(orr_sum(orr_square(*x), ORR_AXES(1), false));
    *label = orr_cast(orr_logical_and(orr_greater(r, orr_scalar(0.5)), orr_less(r, orr_scalar(1))), ORR_I64);
}

static orr_status train(orr_module *net, orr_optim *adam)
{
    for (int step = 1; step <= STEPS; step++) {
        orr_scope *s = orr_scope_begin(); /* owns the step's tensors */
        orr_tensor *x, *label;
        double value;
        batch(&x, &label);
        orr_tensor *loss = orr_cross_entropy(orr_forward(net, x), label);
        orr_status st = orr_optim_step(adam, loss); /* records gradients and updates */
        if (st == ORR_OK)
            st = orr_item(loss, &value); /* one evaluation: loss, gradients, new weights */
        if (st == ORR_OK && step % 100 == 0)
            printf("step %d: loss %.2f\n", step, value);
        (void)orr_scope_end(s);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    orr_module *net = orr_sequential(ORR_MODULES(orr_dense(2, 32, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(32, 32, ORR_ACTIVATION_RELU, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(32, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 0.01;
    orr_optim *adam = orr_optim_of_module(ORR_OPTIM_ADAM, net, &options);
    if (!net || !adam || train(net, adam) != ORR_OK)
        return orr_error_print(stderr);

    orr_scope *s = orr_scope_begin();
    orr_tensor *x, *label;
    double share;
    batch(&x, &label);
    orr_tensor *right = orr_equal(orr_argmax(orr_forward(net, x), 1, false), label);
    if (orr_item(orr_mean(orr_cast(right, ORR_F32), ORR_ALL_AXES, false), &share) != ORR_OK)
        return orr_error_print(stderr);
    printf("%s nine of ten new points are right\n", share > 0.9 ? "more than" : "less than");
    (void)orr_scope_end(s);
    orr_optim_free(adam);
    orr_module_free(net);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
