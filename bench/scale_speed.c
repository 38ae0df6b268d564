/* The speed of a product and of a Cholesky factorisation of a matrix that is block-cyclic over all ranks, beside that of
 * one process. bench/scale-compare runs them in turns.
 * Must not know: anything but the public headers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>

enum { WARM = 1, MOST = 1000 };

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A symmetric matrix, far enough from singular for both works. */
static orr_tensor *matrix(int64_t n, int64_t block, orr_grid *g)
{
    orr_tensor *at = orr_arange(ORR_F64, 0.0, (double)n, 1.0);
    orr_tensor *far = orr_abs(orr_sub(orr_reshape(at, ORR_SHAPE(n, 1)), orr_reshape(at, ORR_SHAPE(1, n))));
    orr_tensor *diagonal = orr_mul(orr_cast(orr_equal(far, orr_scalar(0.0)), ORR_F64), orr_scalar((double)n));
    orr_tensor *a = orr_add(orr_reciprocal(orr_add(far, orr_scalar(1.0))), diagonal);
    return orr_shard_cyclic(a, g, ORR_AXES(0, 1), ORR_INDEX(block, block));
}

/* Seconds of each repetition, from the common start of all ranks until this rank has its result. */
static orr_status measure(bool product, orr_tensor *a, int times, double *took)
{
    orr_status st = orr_eval(a);
    for (int k = -WARM; k < times && st == ORR_OK; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = product ? orr_matmul(a, a) : orr_cholesky(a);
        if ((st = orr_barrier()) == ORR_OK) {
            double from = seconds();
            st = orr_eval(x);
            took[k < 0 ? 0 : k] = seconds() - from;
        }
        (void)orr_scope_end(s);
    }
    return st;
}

int main(int argc, char **argv)
{
    bool product = argc > 1 && strcmp(argv[1], "product") == 0;
    int64_t n = argc > 2 ? atoll(argv[2]) : 0, block = argc > 3 ? atoll(argv[3]) : 0;
    int times = argc > 4 ? atoi(argv[4]) : 0;
    double took[MOST];
    if (argc != 5 || (!product && strcmp(argv[1], "cholesky") != 0) || n < 1 || block < 1 || times < 1 ||
        times > MOST) {
        (void)fprintf(stderr, "usage: scale_speed product|cholesky ORDER BLOCK TIMES (1 to %d)\n", MOST);
        return 2;
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_grid *g = orr_grid_make(2, ((int64_t[]){ 1, -1 }));
    orr_status st = g ? measure(product, matrix(n, block, g), times, took) : orr_error_status();
    int rc = st == ORR_OK ? 0 : orr_error_print(stderr);
    if (rc == 0 && orr_rank() == 0) {
        double m = (double)n, work = product ? 2 * m * m * m : m * m * m / 3;
        qsort(took, (size_t)times, sizeof *took, by_size);
        printf("%s %lld, blocks of %lld, %d rank%s: least %.4f s, median %.4f s, %.1f Gflop/s\n", argv[1], (long long)n,
               (long long)block, orr_ranks(), orr_ranks() == 1 ? "" : "s", took[0], took[times / 2],
               work / took[0] * 1e-9);
    }
    orr_grid_free(g);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
