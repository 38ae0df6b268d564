/* Factorises a matrix that is distributed block-cyclically over a grid of processes, and checks the factor.
 * Must not know: anything but the public headers.
 *
 * mpirun -n 4 distributed_cholesky [--order N] [--block N] [--rows N] [--repeat N]
 *
 * Every process runs this program and records the same graph with the full shapes; each has only its blocks of the matrix. The
 * matrix is a function of row and column, so that no process ever has all of it. Without mpirun the program is a single process.
 * One process prints the residual |A - L Lᵀ| / (|A| n) in the largest element, and the speed of all processes and of each. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <orrery.h>
#include "options.h"

typedef struct settings {
    int64_t order, block, rows, repeat;
} settings;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Element (i, j) is 1 / (1 + |i - j|), and n more on the diagonal: positive definite, since its diagonal dominates. */
static orr_tensor *matrix(const settings *o, orr_grid *grid)
{
    orr_tensor *at = orr_arange(ORR_F64, 0.0, (double)o->order, 1.0);
    orr_tensor *rows = orr_reshape(at, ORR_SHAPE(o->order, 1)), *cols = orr_reshape(at, ORR_SHAPE(1, o->order));
    orr_tensor *far = orr_abs(orr_sub(rows, cols));
    orr_tensor *diagonal = orr_cast(orr_equal(rows, cols), ORR_F64);
    orr_tensor *a =
        orr_add(orr_reciprocal(orr_add(far, orr_scalar(1.0))), orr_mul(diagonal, orr_scalar((double)o->order)));
    return orr_shard_cyclic(a, grid, ORR_AXES(0, 1), ORR_INDEX(o->block, o->block));
}

/* The best time of several factorisations, and the residual of the factor. */
static orr_status run(const settings *o, orr_grid *grid, double *best, double *residual)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = matrix(o, grid);
    orr_status st = orr_eval(a);
    for (int64_t k = 0; st == ORR_OK && k < o->repeat; k++) {
        orr_scope *inner = orr_scope_begin();
        orr_tensor *l = orr_cholesky(a);
        if ((st = orr_barrier()) == ORR_OK) {
            double start = seconds();
            st = orr_eval(l);
            double used = seconds() - start;
            *best = used < *best ? used : *best;
        }
        if (st == ORR_OK && k == o->repeat - 1) {
            orr_tensor *back = orr_matmul(l, orr_transpose(l));
            orr_tensor *far = orr_max(orr_abs(orr_sub(a, back)), ORR_ALL_AXES, false);
            st = orr_item(orr_div(far, orr_scalar((double)(o->order + 1) * (double)o->order)), residual);
        }
        (void)orr_scope_end(inner);
    }
    (void)orr_scope_end(s);
    return st;
}

/* -- command line ---------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    settings o = { .order = 2048, .block = 256, .rows = 0, .repeat = 3 };
    const option table[] = {
        { "--order", .whole = &o.order, .least = 1, .most = 1 << 20 },
        { "--block", .whole = &o.block, .least = 1, .most = 1 << 20 },
        { "--rows", .whole = &o.rows, .least = 1, .most = 1 << 20 },
        { "--repeat", .whole = &o.repeat, .least = 1, .most = 1 << 20 },
        { 0 },
    };
    int done =
        read_options(argc, argv,
                     "usage: mpirun -n RANKS distributed_cholesky [--order N] [--block N] [--rows N] [--repeat N]\n"
                     "  --order N   rows of the matrix (2048)\n"
                     "  --block N   rows and columns of a block (256)\n"
                     "  --rows N    rows of the grid of processes (the nearest to a square)\n"
                     "  --repeat N  factorisations; the best time counts (3)\n",
                     table);
    if (done >= 0)
        return done;
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    if (o.rows == 0)
        for (o.rows = (int64_t)sqrt((double)orr_ranks()); orr_ranks() % o.rows; o.rows--)
            continue;
    orr_grid *grid = orr_grid_make(2, ((int64_t[]){ o.rows, -1 }));
    double best = INFINITY, residual = NAN;
    orr_status st = grid ? run(&o, grid, &best, &residual) : orr_error_status();
    int rc = st == ORR_OK ? 0 : orr_error_print(stderr);
    if (rc == 0 && orr_rank() == 0) {
        double n = (double)o.order, speed = n * n * n / 3.0 / best * 1e-9;
        printf("%d processes on a %lld x %d grid, order %lld in blocks of %lld\n", orr_ranks(), (long long)o.rows,
               orr_ranks() / (int)o.rows, (long long)o.order, (long long)o.block);
        printf("%.4g s, %.2f Gflop/s, %.2f for each process; residual %.2g\n", best, speed, speed / orr_ranks(),
               residual);
        if (!(residual < 1e-15 * n))
            rc = 1;
    }
    orr_grid_free(grid);
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}
