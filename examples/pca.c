/* Principal components: finds that 20 variables, made from three hidden ones, have three components, and plots their
 * points on the first two (pca.svg).
 * Must not know: how eigenvectors are computed. */
#include <stdio.h>
#include <orrery.h>

enum { POINTS = 3000, VARIABLES = 20, HIDDEN = 3, SHOWN = 5, SIZE = 600 };

/* Plots points on the first two components as circles, coloured by their cluster. */
static int plot(const char *path, const float (*at)[2])
{
    static const char *const colour[] = { "#1f77b4", "#d62728", "#2ca02c" };
    FILE *f = fopen(path, "w");
    if (!f)
        return 1;
    (void)fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", SIZE, SIZE);
    for (int i = 0; i < POINTS; i++)
        (void)fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\" fill-opacity=\"0.5\"/>\n",
                      SIZE * (0.5 + 0.02 * (double)at[i][0]), SIZE * (0.5 - 0.02 * (double)at[i][1]),
                      colour[i % HIDDEN]);
    (void)fputs("</svg>\n", f);
    return fclose(f) != 0;
}

int main(void)
{
    static float at[POINTS][2];
    float share[SHOWN];
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_scope *s = orr_scope_begin();
    orr_seed(1);
    /* Point i is in cluster i mod 3: its hidden variables are normal, with 6 added to the one of its cluster. */
    orr_tensor *cluster = orr_tile(orr_eye(ORR_F32, HIDDEN, HIDDEN, 0), ORR_INDEX(POINTS / HIDDEN, 1));
    orr_tensor *hidden = orr_add(orr_randn(ORR_F32, ORR_SHAPE(POINTS, HIDDEN), 0, 1), orr_mul(cluster, orr_scalar(6)));
    orr_tensor *x = orr_matmul(hidden, orr_randn(ORR_F32, ORR_SHAPE(HIDDEN, VARIABLES), 0, 0.5));
    x = orr_add(x, orr_randn(ORR_F32, ORR_SHAPE(POINTS, VARIABLES), 0, 0.1));

    orr_eigh_result e = orr_eigh(orr_covariance(x, 1)); /* ascending: the first components are last */
    orr_tensor *values = orr_flip(e.w, ORR_ALL_AXES), *vectors = orr_flip(e.v, ORR_AXES(1));
    orr_tensor *centred = orr_sub(x, orr_mean(x, ORR_AXES(0), true));
    orr_tensor *shares = orr_slice_axis(orr_div(values, orr_sum(values, ORR_ALL_AXES, true)), 0, 0, SHOWN, 1);
    orr_tensor *first = orr_matmul(centred, orr_slice_axis(vectors, 1, 0, 2, 1));
    if (orr_read(shares, share, sizeof share) != ORR_OK || orr_read(first, at, sizeof at) != ORR_OK)
        return orr_error_print(stderr);
    for (int k = 0; k < SHOWN; k++)
        printf("component %d: %5.2f %% of the variance\n", k + 1, 100 * (double)share[k]);
    if (plot("pca.svg", (const float(*)[2])at) != 0) {
        (void)fputs("pca.svg cannot be written\n", stderr);
        return 1;
    }
    printf("three components hold %.1f %%; the points are in pca.svg\n",
           100 * (double)(share[0] + share[1] + share[2]));
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}
