/* Gaussian process regression: learns the length scale of a noisy function by gradient steps through a Cholesky
 * factor, and predicts the function between its points.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>
#include <orrery/optim.h>

enum { POINTS = 200, STEPS = 40, GRID = 9 };
static const double noise = 0.1;

/* exp(−(x − y)²/2s²) for all pairs. */
static orr_tensor *kernel(orr_tensor *x, orr_tensor *y, orr_tensor *s)
{
    orr_tensor *d = orr_div(orr_sub(orr_expand_dims(x, 1), orr_expand_dims(y, 0)), s);
    return orr_exp(orr_mul(orr_square(d), orr_scalar(-0.5)));
}

static orr_tensor *factor(orr_tensor *x, orr_tensor *s)
{
    return orr_cholesky(
        orr_add(kernel(x, x, s), orr_mul(orr_eye(ORR_F64, POINTS, POINTS, 0), orr_scalar(noise * noise))));
}

/* −log p(y | x, s), without a constant: ½ yᵀ K⁻¹ y + Σ log L[i][i]. */
static orr_tensor *surprise(orr_tensor *x, orr_tensor *y, orr_tensor *s)
{
    orr_tensor *l = factor(x, s), *eye = orr_eye(ORR_F64, POINTS, POINTS, 0);
    orr_tensor *diagonal = orr_sum(orr_mul(l, eye), ORR_AXES(1), false);
    return orr_add(orr_mul(orr_matmul(y, orr_solve_cholesky(l, y)), orr_scalar(0.5)),
                   orr_sum(orr_log(diagonal), ORR_ALL_AXES, false));
}

static int predict(orr_tensor *x, orr_tensor *y, orr_tensor *s)
{
    double at[GRID], found[GRID], worst = 0;
    for (int i = 0; i < GRID; i++)
        at[i] = 1 + i;
    orr_tensor *there = orr_from(ORR_F64, ORR_SHAPE(GRID), at);
    orr_tensor *mean = orr_matmul(kernel(there, x, s), orr_solve_cholesky(factor(x, s), y));
    if (orr_read(mean, found, sizeof found) != ORR_OK)
        return orr_error_print(stderr);
    for (int i = 0; i < GRID; i++) {
        printf("sin(%.0f)   predicted %7.4f   true %7.4f\n", at[i], found[i], sin(at[i]));
        worst = fmax(worst, fabs(found[i] - sin(at[i])));
    }
    return worst < noise ? 0 : 1;
}

int main(void)
{
    double loss = 0, reach = 0;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(POINTS), 0, 10);
    orr_tensor *y = orr_add(orr_sin(x), orr_randn(ORR_F64, ORR_SHAPE(POINTS), 0, noise));
    orr_tensor *log_s = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE_0D));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    options.lr = 0.05;
    orr_optim *opt = orr_optim_new(ORR_OPTIM_ADAM, &log_s, 1, &options);
    orr_status st = orr_eval_all(ORR_TENSORS(x, y));
    for (int step = 0; opt && st == ORR_OK && step < STEPS; step++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *l = surprise(x, y, orr_exp(log_s));
        if ((st = orr_optim_step(opt, l)) == ORR_OK && (st = orr_item(l, &loss)) == ORR_OK && step % 10 == 9)
            printf("step %2d   −log p %9.3f\n", step + 1, loss);
        (void)orr_scope_end(s);
    }
    if (!opt || st != ORR_OK || orr_item(orr_exp(log_s), &reach) != ORR_OK)
        return orr_error_print(stderr);
    printf("points reach %.2f far\n", reach);
    int rc = predict(x, y, orr_exp(log_s));
    orr_optim_free(opt);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
