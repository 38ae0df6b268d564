/* Clusters by Lloyd's algorithm (k-means): the nearest centre of each point, the mean of each centre's points, beside a plain loop.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>

enum { N = 3000, D = 4, K = 6, STEPS = 12 };

/* The number of the nearest centre: (n). The (n, k, d) differences stay in registers of the kernel. */
static orr_tensor *nearest(orr_tensor *x, orr_tensor *centre)
{
    orr_tensor *d = orr_sub(orr_expand_dims(x, 1), orr_expand_dims(centre, 0));
    return orr_argmin(orr_sum(orr_square(d), ORR_AXES(2), false), 1, false);
}

static orr_tensor *means(orr_tensor *x, orr_tensor *place)
{
    orr_tensor *sum = orr_scatter_add(orr_zeros(ORR_F64, ORR_SHAPE(K, D)), place, x, 0);
    orr_tensor *n = orr_scatter_add(orr_zeros(ORR_F64, ORR_SHAPE(K, 1)), place, orr_ones(ORR_F64, ORR_SHAPE(N, 1)), 0);
    return orr_div(sum, orr_maximum(n, orr_scalar(1.0)));
}

static void step_by_hand(const double *x, double *centre)
{
    double sum[K][D] = { { 0 } }, n[K] = { 0 };
    for (int i = 0; i < N; i++) {
        int best = 0;
        double least = INFINITY;
        for (int c = 0; c < K; c++) {
            double far = 0.0;
            for (int k = 0; k < D; k++)
                far += pow(x[i * D + k] - centre[c * D + k], 2.0);
            if (far < least) {
                least = far;
                best = c;
            }
        }
        n[best]++;
        for (int k = 0; k < D; k++)
            sum[best][k] += x[i * D + k];
    }
    for (int c = 0; c < K; c++)
        for (int k = 0; k < D; k++)
            centre[c * D + k] = sum[c][k] / fmax(n[c], 1.0);
}

/* Points around K positions on a grid. */
static orr_tensor *points(void)
{
    orr_tensor *place = orr_remainder(orr_arange(ORR_I64, 0, N, 1), orr_scalar(K));
    orr_tensor *corner = orr_mul(orr_one_hot(orr_remainder(place, orr_scalar(D)), D, ORR_F64), orr_scalar(4.0));
    orr_tensor *side = orr_cast(orr_expand_dims(orr_greater_equal(place, orr_scalar(D)), 1), ORR_F64);
    return orr_add(orr_sub(corner, orr_mul(side, orr_scalar(6.0))), orr_randn(ORR_F64, ORR_SHAPE(N, D), 0.0, 0.8));
}

int main(void)
{
    static double x0[N * D], want[K * D];
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(5);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = points();
    if (orr_read(x, x0, sizeof x0) != ORR_OK)
        return orr_error_print(stderr);
    memcpy(want, x0, sizeof want); /* the first points are the first centres */
    orr_tensor *centre = orr_slice_axis(x, 0, 0, K, 1);
    for (int i = 0; i < STEPS; i++) {
        centre = means(x, nearest(x, centre));
        if (orr_eval(centre) != ORR_OK)
            return orr_error_print(stderr);
        step_by_hand(x0, want);
    }
    const double *got = orr_data(centre);
    double worst = got ? 0.0 : INFINITY;
    for (int i = 0; got && i < K * D; i++)
        worst = fmax(worst, fabs(got[i] - want[i]));
    printf("%d steps of %d points and %d centres\n", STEPS, N, K);
    orr_print(stdout, centre);
    printf("largest difference to the loop: %.2e: %s\n", worst, worst < 1e-9 ? "right" : "WRONG");
    (void)orr_scope_end(s);
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    return !(worst < 1e-9);
}
