/* Least squares: a polynomial through noisy points by orr_lstsq, the deviations of its coefficients, and the same
 * solution by conjugate gradients on an operator that never forms the matrix AᵀA.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <orrery.h>

enum { POINTS = 400, DEGREE = 3, TERMS = DEGREE + 1 };
static const double truth[TERMS] = { 1.0, -2.0, 0.5, 3.0 }, noise = 0.1;

/* The columns 1, x, x², …. */
static orr_tensor *powers(orr_tensor *x)
{
    orr_tensor *column[TERMS] = { orr_ones(ORR_F64, ORR_SHAPE(POINTS)) };
    for (int k = 1; k < TERMS; k++)
        column[k] = orr_mul(column[k - 1], x);
    return orr_stack(column, TERMS, 1);
}

/* x ↦ Aᵀ·(A·x). */
static orr_tensor *normal(orr_tensor *x, void *a)
{
    return orr_matmul(orr_transpose(a), orr_matmul(a, x));
}

int main(void)
{
    double found[TERMS], error[TERMS], again[TERMS], worst = 0;
    orr_cg_result cg;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(POINTS), -1, 1), *a = powers(x);
    orr_tensor *y = orr_matmul(a, orr_from(ORR_F64, ORR_SHAPE(TERMS), truth));
    y = orr_add(y, orr_randn(ORR_F64, ORR_SHAPE(POINTS), 0, noise));
    if (orr_eval_all(ORR_TENSORS(a, y)) != ORR_OK)
        return orr_error_print(stderr);

    orr_lstsq_result r = orr_lstsq(a, y, -1);
    /* The covariance of the coefficients is σ²·(AᵀA)⁻¹. */
    orr_tensor *covariance = orr_inv(orr_matmul(orr_transpose(a), a));
    orr_tensor *deviation = orr_mul(orr_sqrt(orr_diagonal(covariance, 0)), orr_scalar(noise));
    if (orr_eval_all(ORR_TENSORS(r.x, r.rank, deviation)) != ORR_OK ||
        orr_cg(normal, a, orr_matmul(orr_transpose(a), y), &(orr_iteration_options){ .tolerance = 1e-12 }, &cg) !=
            ORR_OK ||
        orr_read(r.x, found, sizeof found) != ORR_OK || orr_read(deviation, error, sizeof error) != ORR_OK ||
        orr_read(cg.x, again, sizeof again) != ORR_OK)
        return orr_error_print(stderr);
    for (int k = 0; k < TERMS; k++) {
        printf("x^%d   true %7.4f   found %7.4f ± %.4f   by conjugate gradients %7.4f\n", k, truth[k], found[k],
               error[k], again[k]);
        worst = fmax(worst, fabs(found[k] - truth[k]) / error[k]);
        worst = fmax(worst, 1e6 * fabs(found[k] - again[k]));
    }
    printf("conjugate gradients: %d iterations, residual %.1e\n", cg.iterations, cg.residual);
    (void)orr_shutdown();
    return worst < 4 ? 0 : 1;
}
