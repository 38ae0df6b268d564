/* Bodies that attract each other: pairs by broadcasting, leapfrog steps, beside a plain loop.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdlib.h>
#include <orrery.h>

enum { N = 700, STEPS = 10 };
static const double DT = 0.01, NEAR = 0.01;

/* a_i = Σ_j m_j (x_j − x_i) / (|x_j − x_i|² + NEAR)^(3/2): (n, 3) from x (n, 3) and m (1, n, 1). The (n, n, 3) differences stay
 * in registers of the kernel. */
static orr_tensor *acceleration(orr_tensor *x, orr_tensor *m)
{
    orr_tensor *d = orr_sub(orr_expand_dims(x, 0), orr_expand_dims(x, 1));
    orr_tensor *r2 = orr_add(orr_sum(orr_square(d), ORR_AXES(2), true), orr_scalar(NEAR));
    orr_tensor *w = orr_div(m, orr_mul(r2, orr_sqrt(r2)));
    return orr_sum(orr_mul(w, d), ORR_AXES(1), false);
}

static void step_by_hand(double *x, double *v, const float *m)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double d[3], r2 = NEAR;
            for (int k = 0; k < 3; k++) {
                d[k] = x[3 * j + k] - x[3 * i + k];
                r2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                v[3 * i + k] += DT * (double)m[j] * d[k] / (r2 * sqrt(r2));
        }
    for (int i = 0; i < 3 * N; i++)
        x[i] += DT * v[i];
}

static double difference(const float *got, const float *x0, const float *m)
{
    static double x[3 * N], v[3 * N];
    double worst = got ? 0.0 : INFINITY;
    for (int i = 0; i < 3 * N; i++)
        x[i] = (double)x0[i];
    for (int i = 0; i < STEPS; i++)
        step_by_hand(x, v, m);
    for (int i = 0; got && i < 3 * N; i++)
        worst = fmax(worst, fabs(x[i] - (double)got[i]));
    return worst;
}

int main(void)
{
    static float x0[3 * N], m[N];
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(3);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(N, 3), 0.0, 1.0),
               *mass = orr_rand(ORR_F32, ORR_SHAPE(1, N, 1), 0.0, 0.01);
    if (orr_read(x, x0, sizeof x0) != ORR_OK || orr_read(mass, m, sizeof m) != ORR_OK)
        return orr_error_print(stderr);
    orr_tensor *v = orr_zeros(ORR_F32, ORR_SHAPE(N, 3));
    for (int i = 0; i < STEPS; i++) { /* one graph, one evaluation */
        v = orr_add(v, orr_mul(acceleration(x, mass), orr_scalar(DT)));
        x = orr_add(x, orr_mul(v, orr_scalar(DT)));
    }
    if (orr_eval_all(ORR_TENSORS(x, v)) != ORR_OK)
        return orr_error_print(stderr);
    double worst = difference(orr_data(x), x0, m);
    printf("%d steps of %d bodies in one evaluation\n", STEPS, N);
    printf("largest difference to the loop: %.2e: %s\n", worst, worst < 1e-4 ? "right" : "WRONG");
    (void)orr_scope_end(s);
    if (orr_shutdown() != ORR_OK)
        return orr_error_print(stderr);
    return !(worst < 1e-4);
}
