/* Normalises the columns of a matrix, N = (X − mean)/std, takes the Gram matrix N·Nᵀ, and checks both against
 * a plain loop in double precision.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdlib.h>
#include <orrery.h>

enum { ROWS = 300, COLS = 200 };

/* The same computation by hand. gram: ROWS × ROWS. */
static void by_hand(const float *x, double *n, double *gram)
{
    for (int j = 0; j < COLS; j++) {
        double mean = 0.0, var = 0.0;
        for (int i = 0; i < ROWS; i++)
            mean += (double)x[i * COLS + j] / ROWS;
        for (int i = 0; i < ROWS; i++)
            var += pow((double)x[i * COLS + j] - mean, 2.0) / ROWS;
        for (int i = 0; i < ROWS; i++)
            n[i * COLS + j] = ((double)x[i * COLS + j] - mean) / sqrt(var);
    }
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROWS; k++) {
            double sum = 0.0;
            for (int j = 0; j < COLS; j++)
                sum += n[i * COLS + j] * n[k * COLS + j];
            gram[i * ROWS + k] = sum;
        }
}

static int compare(const float *x, const float *gram)
{
    double *n = malloc(sizeof *n * ROWS * COLS), *want = malloc(sizeof *want * ROWS * ROWS), worst = 0.0, trace = 0.0;
    if (n && want) {
        by_hand(x, n, want);
        for (int i = 0; i < ROWS * ROWS; i++)
            worst = fmax(worst, fabs((double)gram[i] - want[i]));
        for (int i = 0; i < ROWS; i++)
            trace += (double)gram[i * ROWS + i];
        printf("trace of N·Nᵀ: %.3f (rows × columns: %d)\n", trace, ROWS * COLS);
        printf("largest difference to the loop: %.2e: %s\n", worst, worst < 1e-2 ? "right" : "WRONG");
    } else {
        fprintf(stderr, "no memory\n");
        worst = INFINITY;
    }
    free(want);
    free(n);
    return worst < 1e-2 ? 0 : 1;
}

int main(void)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(7);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(ROWS, COLS), 3.0, 2.0);
    orr_tensor *mean = orr_mean(x, ORR_AXES(0), true), *std = orr_std(x, ORR_AXES(0), 0.0, true);
    orr_tensor *n = orr_div(orr_sub(x, mean), std);
    orr_tensor *gram = orr_matmul(n, orr_transpose(n));

    const float *px = NULL, *pg = NULL;
    if (orr_eval_all(ORR_TENSORS(x, gram)) == ORR_OK) {
        px = orr_data(x);
        pg = orr_data(gram);
    }
    int rc = px && pg ? compare(px, pg) : orr_error_print(stderr);
    (void)orr_scope_end(s);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
