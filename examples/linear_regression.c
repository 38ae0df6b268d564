/* Fits y = X·w + b to noisy points by gradient descent and compares the fit with the true w and b.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>
#include <orrery/optim.h>

enum { POINTS = 1000, FEATURES = 3, STEPS = 200 };

static const double true_w[FEATURES] = { 1.5, -2.0, 0.5 }, true_b = 0.25;

/* The data are fixed for the whole run. They are evaluated here, so that a step reads them instead of computing them
 * again. */
static orr_status make_data(orr_tensor **x, orr_tensor **y)
{
    orr_tensor *w = orr_from(ORR_F64, ORR_SHAPE(FEATURES), true_w);
    *x = orr_randn(ORR_F64, ORR_SHAPE(POINTS, FEATURES), 0.0, 1.0);
    orr_tensor *noise = orr_randn(ORR_F64, ORR_SHAPE(POINTS), 0.0, 0.1);
    *y = orr_add(orr_add(orr_matmul(*x, w), orr_scalar(true_b)), noise);
    return orr_eval_all(ORR_TENSORS(*x, *y));
}

static orr_status train(orr_optim *opt, orr_tensor *x, orr_tensor *y, orr_tensor *w, orr_tensor *b)
{
    for (int step = 1; step <= STEPS; step++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_mse(orr_add(orr_matmul(x, w), b), y);
        double value = 0.0;
        orr_status st = orr_optim_step(opt, loss);
        if (st == ORR_OK)
            st = orr_item(loss, &value); /* evaluates the loss and the step together */
        if (st == ORR_OK && (step == 1 || step % 50 == 0))
            printf("step %3d   loss %.6f\n", step, value);
        (void)orr_scope_end(s);
        if (st != ORR_OK)
            return st;
    }
    return ORR_OK;
}

static int report(orr_tensor *w, orr_tensor *b)
{
    double found[FEATURES], bias, worst;
    if (orr_read(w, found, sizeof found) != ORR_OK || orr_item(b, &bias) != ORR_OK)
        return orr_error_print(stderr);
    worst = fabs(bias - true_b);
    printf("           found      true\n");
    for (int i = 0; i < FEATURES; i++) {
        printf("w[%d]   %9.4f %9.4f\n", i, found[i], true_w[i]);
        worst = fmax(worst, fabs(found[i] - true_w[i]));
    }
    printf("b      %9.4f %9.4f\n", bias, true_b);
    if (worst > 0.02) {
        printf("off by %.4f, more than the noise explains\n", worst);
        return 1;
    }
    return 0;
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = NULL, *y = NULL;
    orr_tensor *w = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(FEATURES)));
    orr_tensor *b = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE_0D));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_SGD);
    options.lr = 0.05;
    options.momentum = 0.9;
    orr_optim *opt = orr_optim_new(ORR_OPTIM_SGD, (orr_tensor *[]){ w, b }, 2, &options);

    int rc =
        opt && make_data(&x, &y) == ORR_OK && train(opt, x, y, w, b) == ORR_OK ? report(w, b) : orr_error_print(stderr);
    orr_optim_free(opt);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
