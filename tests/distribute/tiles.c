/* Products, Cholesky and LU factorisations of block-cyclic matrices with 1 to 4 ranks: every rank compares its elements with the
 * result of BLAS or LAPACK on the whole matrix, and with results of 60 digits.
 * Must not know: tensors. */
#include "config.h"

#include <cblas.h>
#include <math.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/engine/block_cyclic.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/ranks.h"
#include "tests/harness/tile_messages.h"

/* LAPACK's name for a factorisation in columns. */
extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);

static const orr__site here = { NULL, 0, "test" };

/* Starts with one worker in each rank: there are more ranks than cores. */
static bool up(void)
{
    if (orr_test_ranks() > 1)
        (void)setenv("STARPU_NCPU", "1", 0);
    orr_config c = { .engine = "starpu", .backend = "cpu" };
    bool ok = orr_init(&c) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void down(void)
{
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
}

#define NEED_TILES()                                                                                                   \
    do {                                                                                                               \
        ORR_REQUIRE(up());                                                                                             \
        if (!orr__block_cyclic_can()) {                                                                                \
            down();                                                                                                    \
            ORR_SKIP("StarPU has no MPI library here");                                                                \
        }                                                                                                              \
    } while (0)

static double number(unsigned long long *state)
{
    return (double)(orr_test_rand(state) >> 11) / 9007199254740992.0;
}

static int64_t draw(unsigned long long *state, int64_t least, int64_t most)
{
    return least + (int64_t)(number(state) * (double)(most - least + 1));
}

/* -- local parts ---------------------------------------------------------------------------------------------- */

static int64_t global(int64_t i, int64_t block, int parts, int part)
{
    return parts == 1 ? i : (i / block * parts + part) * block + i % block;
}

typedef struct {
    int row, col;
    int64_t rows, cols;
} part;

static part part_of(const orr__block_cyclic *d)
{
    int r = orr_rank() - d->first;
    part p = { d->grid_rows > 1 ? r / d->row_step % d->grid_rows : 0,
               d->grid_cols > 1 ? r / d->col_step % d->grid_cols : 0, 0, 0 };
    p.rows = orr__block_cyclic_extent(d->rows, d->block_rows, d->grid_rows, p.row);
    p.cols = orr__block_cyclic_extent(d->cols, d->block_cols, d->grid_cols, p.col);
    return p;
}

static double *whole_at(double *whole, const orr__block_cyclic *d, const part *p, int64_t i, int64_t j)
{
    return &whole[global(i, d->block_rows, d->grid_rows, p->row) * d->cols +
                  global(j, d->block_cols, d->grid_cols, p->col)];
}

/* Copies this rank's elements of a whole matrix; NULL: NaN. Rows are some elements apart, which must not change. */
enum { APART = 3 };
static void distribute(orr__block_cyclic *d, orr_dtype t, double *whole)
{
    part p = part_of(d);
    d->ld = p.cols + APART;
    d->local = malloc((size_t)(p.rows * d->ld + 1) * orr_dtype_size(t));
    if (!d->local)
        abort();
    memset(d->local, 0xff, (size_t)(p.rows * d->ld + 1) * orr_dtype_size(t));
    for (int64_t i = 0; whole && i < p.rows; i++)
        for (int64_t j = 0; j < p.cols; j++)
            if (t == ORR_F64)
                ((double *)d->local)[i * d->ld + j] = *whole_at(whole, d, &p, i, j);
            else
                ((float *)d->local)[i * d->ld + j] = (float)*whole_at(whole, d, &p, i, j);
}

/* The largest error of this rank's elements; infinite if memory between the rows was written. Frees them. */
static double error_of(orr__block_cyclic *d, orr_dtype t, double *whole)
{
    part p = part_of(d);
    double most = 0;
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < d->ld; j++) {
            double is = t == ORR_F64 ? ((double *)d->local)[i * d->ld + j] : (double)((float *)d->local)[i * d->ld + j];
            double e = j < p.cols ? fabs(is - *whole_at(whole, d, &p, i, j)) : isnan(is) ? 0 : (double)INFINITY;
            most = e <= most ? most : isnan(e) ? (double)INFINITY : e;
        }
    free(d->local);
    return most;
}

/* -- cases ---------------------------------------------------------------------------------------------------- */

static const int grids[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 1, 3 }, { 3, 1 }, { 2, 2 }, { 1, 4 } };
enum { GRIDS = sizeof grids / sizeof *grids };

/* Runs the cases on each grid. */
static int cases(void)
{
    return getenv("ORR_TEST_FULL") ? 200 : 16;
}

static orr__block_cyclic matrix(int64_t rows, int64_t cols, int64_t block_rows, int64_t block_cols, const int *grid)
{
    return (orr__block_cyclic){ .rows = rows,
                                .cols = cols,
                                .block_rows = block_rows,
                                .block_cols = block_cols,
                                .grid_rows = grid[0],
                                .grid_cols = grid[1],
                                .row_step = grid[1],
                                .col_step = 1 };
}

static double tolerance(orr_dtype t, int64_t n)
{
    return (double)(n + 8) * (t == ORR_F64 ? 1e-15 : 1e-6);
}

/* -- Cholesky ------------------------------------------------------------------------------------------------- */

static double *positive(int64_t n, unsigned long long *state)
{
    double *a = malloc((size_t)(n * n) * sizeof *a);
    if (!a)
        abort();
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            a[i * n + j] = a[j * n + i] = i == j ? (double)n : number(state) - 0.5;
    return a;
}

/* Computes the whole factor, zeros above; returns LAPACK's number of the minor that is not positive, or 0. */
static int factorise(double *a, int64_t n)
{
    int order = (int)n, info = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            a[i * n + j] = 0;
    dpotrf_("U", &order, a, &order, &info, 1); /* columns of the upper triangle are rows of the lower one */
    return info;
}

static void one_factorisation(int64_t n, int64_t block_rows, int64_t block_cols, const int *grid, orr_dtype t,
                              int64_t bad, unsigned long long *state)
{
    double *a = positive(n, state);
    orr__block_cyclic d = matrix(n, n, block_rows, block_cols, grid);
    char want[96];
    if (bad >= 0)
        a[bad * n + bad] = -1;
    orr__block_cyclic from = d;
    bool in_place = orr_test_rand(state) % 2;
    distribute(&from, t, a);
    distribute(&d, t, in_place ? a : NULL); /* else filled with NaN */
    orr_status st = orr__block_cyclic_cholesky(here, t, &d, in_place ? d.local : from.local);
    ORR_CHECK_MSG(error_of(&from, t, a) <= tolerance(t, 0), "the matrix has changed");
    int minor = factorise(a, n);
    if (minor) {
        (void)snprintf(want, sizeof want, "its leading minor of order %d is not positive", minor);
        ORR_CHECK_MSG(st == ORR_ENUMERIC && strstr(orr_error_message(), want), "%d: %s", (int)st, orr_error_message());
        free(d.local);
    } else {
        double e = error_of(&d, t, a);
        ORR_CHECK_MSG(st == ORR_OK && e <= tolerance(t, n), "n %d, blocks %d x %d, grid %d x %d: status %d, error %g",
                      (int)n, (int)block_rows, (int)block_cols, grid[0], grid[1], (int)st, e);
    }
    orr_error_clear();
    free(a);
}

static void factor_is_that_of_lapack(void)
{
    NEED_TILES();
    unsigned long long state = 7;
    for (int g = 0; g < GRIDS; g++)
        for (int k = 0; k < cases() && grids[g][0] * grids[g][1] == orr_ranks(); k++) {
            int64_t n = k == 0 ? 1 : draw(&state, 2, k % 6 == 5 ? 700 : 200), block = draw(&state, 5, 90);
            one_factorisation(n, block, k % 4 ? block : draw(&state, 5, 90), grids[g], k % 2 ? ORR_F64 : ORR_F32,
                              k % 8 == 7 ? draw(&state, 0, n - 1) : -1, &state);
        }
    down();
}

/* Two minors are not positive, on different ranks: every rank reports the first one. */
static void indefinite_matrix_is_told_by_all(void)
{
    NEED_TILES();
    int grid[2] = { 1, orr_ranks() };
    unsigned long long state = 3;
    for (int k = 0; k < 4; k++) {
        double *a = positive(160, &state);
        orr__block_cyclic d = matrix(160, 160, 20, 20, grid);
        a[(30 + 20 * k) * 161] = a[(50 + 20 * k) * 161] = -5;
        distribute(&d, ORR_F64, a);
        orr_status st = orr__block_cyclic_cholesky(here, ORR_F64, &d, d.local);
        char want[64];
        (void)snprintf(want, sizeof want, "order %d is", 31 + 20 * k);
        ORR_CHECK_MSG(st == ORR_ENUMERIC && strstr(orr_error_message(), want), "%s", orr_error_message());
        free(d.local);
        free(a);
    }
    orr_error_clear();
    one_factorisation(100, 20, 20, grid, ORR_F64, -1, &state); /* the next factorisation is not affected */
    down();
}

/* -- products ------------------------------------------------------------------------------------------------- */

static double *random_matrix(int64_t n, unsigned long long *state)
{
    double *a = malloc((size_t)(n + 1) * sizeof *a);
    if (!a)
        abort();
    for (int64_t i = 0; i < n; i++)
        a[i] = number(state) - 0.5;
    return a;
}

static void one_product(const int64_t extent[3], const int64_t block[3], const int *grid, orr_dtype t, bool ta, bool tb,
                        bool odd, unsigned long long *state)
{
    int64_t m = extent[0], n = extent[1], k = extent[2];
    double *a = random_matrix(m * k, state), *b = random_matrix(k * n, state), *c = random_matrix(m * n, state);
    const int turned[2] = { grid[1], grid[0] };
    orr__block_cyclic dc = matrix(m, n, block[0], block[1], grid);
    orr__block_cyclic da =
        matrix(ta ? k : m, ta ? m : k, ta ? block[2] : block[0] + 3 * odd, ta ? block[0] : block[2], grid);
    orr__block_cyclic db =
        matrix(tb ? n : k, tb ? k : n, tb ? block[1] : block[2], tb ? block[2] : block[1], odd ? turned : grid);
    distribute(&da, t, a);
    distribute(&db, t, b);
    distribute(&dc, t, NULL);
    orr_status st = orr__block_cyclic_product(here, t, &dc, &da, ta, &db, tb);
    cblas_dgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k,
                1, a,
                (int)(ta      ? m
                      : k > 0 ? k
                              : 1),
                b, (int)(tb ? k > 0 ? k : 1 : n), 0, c, (int)n);
    double e = error_of(&dc, t, c);
    free(da.local);
    free(db.local);
    ORR_CHECK_MSG(st == ORR_OK && e <= tolerance(t, k), "%d x %d x %d, grid %d x %d, %d %d %d: status %d %s, error %g",
                  (int)m, (int)n, (int)k, grid[0], grid[1], ta, tb, odd, (int)st, orr_error_message(), e);
    orr_error_clear();
    free(a);
    free(b);
    free(c);
}

static void product_is_that_of_blas(void)
{
    NEED_TILES();
    unsigned long long state = 9;
    for (int g = 0; g < GRIDS; g++)
        for (int k = 0; k < cases() && grids[g][0] * grids[g][1] == orr_ranks(); k++) {
            int64_t extent[3] = { draw(&state, 1, 180), draw(&state, 1, 180), k == 3 ? 0 : draw(&state, 1, 180) };
            int64_t block[3] = { draw(&state, 6, 80), draw(&state, 6, 80), draw(&state, 6, 80) };
            one_product(extent, block, grids[g], k & 4 ? ORR_F64 : ORR_F32, k & 1, k >> 1 & 1, k % 5 == 4, &state);
        }
    int64_t large[3] = { 1100, 530, 600 }, block[3] = { 600, 600, 600 }; /* tiles smaller than blocks */
    one_product(large, block, (int[]){ 1, orr_ranks() }, ORR_F64, false, true, false, &state);
    down();
}

/* -- LU ------------------------------------------------------------------------------------------------------- */

/* The whole matrix on every rank, from all parts; frees them. */
static double *collect(orr__block_cyclic *d, orr_dtype t)
{
    part p = part_of(d);
    double *whole = calloc((size_t)(d->rows * d->cols) + 1, sizeof *whole);
    if (!whole)
        abort();
    for (int64_t i = 0; i < p.rows; i++)
        for (int64_t j = 0; j < p.cols; j++)
            *whole_at(whole, d, &p, i, j) =
                t == ORR_F64 ? ((double *)d->local)[i * d->ld + j] : (double)((float *)d->local)[i * d->ld + j];
    free(d->local);
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_SUM,
                        .dtype = ORR_F64,
                        .group = orr__group_all(),
                        .in = whole,
                        .out = whole,
                        .count = d->rows * d->cols };
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    return whole;
}

/* The largest element of P·A − L·U for a packed factorisation with the order in column n; infinite if the order is none, or if an element
 * of L is larger than 1. */
static double error_of_factors(const double *f, const double *a, int64_t n)
{
    double most = 0;
    char *seen = calloc((size_t)n, 1);
    if (!seen)
        abort();
    for (int64_t i = 0; i < n; i++) {
        const double *row = f + i * (n + 1);
        int64_t from = (int64_t)row[n];
        if (from < 0 || from >= n || seen[from]++)
            most = (double)INFINITY;
        for (int64_t j = 0; j < n && most < (double)INFINITY; j++) {
            double sum = i <= j ? row[j] : 0;
            for (int64_t k = 0; k < (i <= j ? i : j + 1); k++)
                sum += row[k] * f[k * (n + 1) + j];
            most = fmax(most, fabs(sum - a[from * n + j]));
            most = i > j && fabs(row[j]) > 1 + 1e-5 ? (double)INFINITY : most;
        }
    }
    free(seen);
    return most;
}

/* The determinant by LAPACK, of the transpose. a is used up. */
static double determinant(double *a, int64_t n)
{
    int order = (int)n, info = 0, *pivot = calloc((size_t)n, sizeof *pivot);
    double det = 1;
    if (!pivot)
        abort();
    dgetrf_(&order, &order, a, &order, pivot, &info);
    for (int64_t i = 0; i < n; i++)
        det *= pivot[i] == i + 1 ? a[i * (n + 1)] : -a[i * (n + 1)];
    free(pivot);
    return det;
}

/* Elements are within ±√3/√n · 2, so that the determinant of a large matrix is a number. */
static double *random_square(int64_t n, unsigned long long *state)
{
    double *a = random_matrix(n * n, state);
    for (int64_t i = 0; i < n * n; i++)
        a[i] *= 4 / sqrt((double)n);
    return a;
}

static void one_lu(int64_t n, int64_t more, const int64_t block[3], const int *grid, orr_dtype t,
                   unsigned long long *state)
{
    double *a = random_square(n, state), *b = random_matrix(n * more, state), det[3] = { 0 };
    orr__block_cyclic da = matrix(n, n, block[0], block[1], grid), df = matrix(n, n + 1, block[0], block[1], grid),
                      db = matrix(n, more, block[0], block[2], grid), dx = db;
    distribute(&da, t, a);
    distribute(&df, t, NULL);
    distribute(&db, t, b);
    distribute(&dx, t, NULL);
    orr__block_cyclic_lu lu = { .a = &df, .from = da.local, .from_ld = da.ld, .det = det };
    orr_status st = orr__block_cyclic_lu_of(here, t, &lu);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    lu = (orr__block_cyclic_lu){ .a = &da, .from = da.local, .from_ld = da.ld, .x = &dx, .b = db.local };
    st = orr__block_cyclic_lu_of(here, t, &lu);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    double e = error_of(&da, t, a), eb = error_of(&db, t, b), *f = collect(&df, t), *x = collect(&dx, t), ex = 0;
    ORR_CHECK_MSG(e <= tolerance(t, 0) && eb <= tolerance(t, 0), "an operand has changed");
    e = error_of_factors(f, a, n);
    ORR_CHECK_MSG(e <= 8 * tolerance(t, n), "n %d, blocks %d x %d, grid %d x %d: error %g", (int)n, (int)block[0],
                  (int)block[1], grid[0], grid[1], e);
    /* the residual, relative to the solution, which may be large */
    double size = 1;
    for (int64_t i = 0; i < n * more; i++)
        size = fmax(size, fabs(x[i]));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)more, (int)n, 1, a, (int)n, x, (int)more, -1, b,
                (int)more);
    for (int64_t i = 0; i < n * more; i++)
        ex = fmax(ex, fabs(b[i]));
    ORR_CHECK_MSG(ex <= 8 * tolerance(t, n) * size, "n %d, %d columns, grid %d x %d: residual %g of %g", (int)n,
                  (int)more, grid[0], grid[1], ex, size);
    double want = determinant(a, n);
    ORR_CHECK_MSG(fabs(det[0] - want) <= 1e3 * tolerance(t, n) * fabs(want) && fabs(det[1]) == 1 &&
                      fabs(det[1] * exp(det[2]) - det[0]) <= 1e-9 * fabs(want),
                  "n %d: determinant %g (%g, %g), not %g", (int)n, det[0], det[1], det[2], want);
    free(a);
    free(b);
    free(f);
    free(x);
    orr_error_clear();
}

static void lu_has_the_factors_of_the_matrix(void)
{
    NEED_TILES();
    unsigned long long state = 13;
    for (int g = 0; g < GRIDS; g++)
        for (int k = 0; k < cases() / 4 && grids[g][0] * grids[g][1] == orr_ranks(); k++) {
            int64_t n = k == 0 ? 1 : draw(&state, 2, k == 3 ? 400 : 140), same = draw(&state, 5, 70);
            int64_t block[3] = { same, k % 4 ? same : draw(&state, 5, 70), draw(&state, 1, 40) };
            one_lu(n, k == 1 ? 1 : draw(&state, 1, 90), block, grids[g], k % 3 ? ORR_F64 : ORR_F32, &state);
        }
    down();
}

/* Rows and columns are permuted: each pivot is in another block of rows. The order and the triangles are exact. */
static void rows_are_exchanged_between_ranks(void)
{
    enum { N = 96 };
    NEED_TILES();
    for (int g = 0; g < GRIDS; g++) {
        if (grids[g][0] * grids[g][1] != orr_ranks())
            continue;
        double *a = calloc((size_t)N * N, sizeof *a), *f;
        ORR_REQUIRE(a);
        for (int64_t i = 0; i < N; i++) /* 7 and 96 have no common divisor */
            a[(i * 7 + 50) % N * N + i] = (double)(i + 2);
        orr__block_cyclic da = matrix(N, N, 10, 10, grids[g]), df = matrix(N, N + 1, 10, 10, grids[g]);
        distribute(&da, ORR_F64, a);
        distribute(&df, ORR_F64, NULL);
        orr__block_cyclic_lu lu = { .a = &df, .from = da.local, .from_ld = da.ld };
        ORR_CHECK(orr__block_cyclic_lu_of(here, ORR_F64, &lu) == ORR_OK);
        free(da.local);
        f = collect(&df, ORR_F64);
        for (int64_t i = 0; i < N; i++) {
            ORR_CHECK(f[i * (N + 1) + N] == (double)((i * 7 + 50) % N));
            for (int64_t j = 0; j < N; j++)
                ORR_CHECK(f[i * (N + 1) + j] == (i == j ? (double)(i + 2) : 0));
        }
        free(a);
        free(f);
    }
    down();
}

/* A column of zeros: its pivot is 0, which all ranks report for a solve; factors and determinant exist. */
static void singular_matrix_is_told_by_all(void)
{
    enum { N = 120, BAD = 70 };
    NEED_TILES();
    unsigned long long state = 17;
    const int grid[2] = { orr_ranks() % 2 ? 1 : 2, orr_ranks() % 2 ? orr_ranks() : orr_ranks() / 2 };
    double *a = random_square(N, &state), *b = random_matrix(N, &state), det[3] = { 7 };
    for (int64_t i = 0; i < N; i++)
        a[i * N + BAD] = 0;
    orr__block_cyclic da = matrix(N, N, 16, 16, grid), db = matrix(N, 1, 16, 1, grid), dx = db;
    distribute(&da, ORR_F64, a);
    distribute(&db, ORR_F64, b);
    distribute(&dx, ORR_F64, NULL);
    orr__block_cyclic_lu lu = { .a = &da, .from = da.local, .from_ld = da.ld, .x = &dx, .b = db.local };
    orr_status st = orr__block_cyclic_lu_of(here, ORR_F64, &lu);
    ORR_CHECK_MSG(st == ORR_ENUMERIC && strstr(orr_error_message(), "singular: pivot 71 is 0"), "%s",
                  orr_error_message());
    orr_error_clear();
    lu = (orr__block_cyclic_lu){ .a = &da, .from = da.local, .from_ld = da.ld, .det = det };
    ORR_CHECK(orr__block_cyclic_lu_of(here, ORR_F64, &lu) == ORR_OK && det[0] == 0 && det[1] == 0 &&
              det[2] == -(double)INFINITY);
    free(da.local);
    free(db.local);
    free(dx.local);
    free(a);
    free(b);
    down();
}

/* An axis of the grid to which the matrix does not refer: replicas compute side by side, each on its ranks. */
static void replicas_compute_side_by_side(void)
{
    NEED_TILES();
    unsigned long long state = 11;
    int half = orr_ranks() / 2;
    if (orr_ranks() % 2 == 0) {
        int64_t n = 130;
        double *a = positive(n, &state);
        for (int order = 0; order < 2; order++) { /* the replicas' ranks: consecutive, or every other one */
            orr__block_cyclic d = matrix(n, n, 24, 24, (int[]){ half, 1 });
            d.row_step = order ? 2 : 1;
            d.first = order ? orr_rank() % 2 : orr_rank() / half * half;
            double *copy = malloc((size_t)(n * n) * sizeof *copy);
            ORR_REQUIRE(copy);
            memcpy(copy, a, (size_t)(n * n) * sizeof *copy);
            distribute(&d, ORR_F64, a);
            ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &d, d.local) == ORR_OK);
            ORR_CHECK(factorise(copy, n) == 0 && error_of(&d, ORR_F64, copy) < 1e-12);
            free(copy);
        }
        free(a);
    }
    down();
}

/* -- results with 60 digits ----------------------------------------------------------------------------------- */

static void results_are_those_of_many_digits(void)
{
    enum { N = 29, M = 23, K = 31 };
    static double factor[N * N], product[M * N], spd[N * N], a[M * K], b[K * N];
    NEED_TILES();
    FILE *f = fopen(orr_test_golden("block_cyclic/block_cyclic.txt"), "re");
    ORR_REQUIRE(f);
    bool read = true;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            read = read && (j > i || fscanf(f, "%la", &factor[i * N + j]) == 1);
            spd[i * N + j] = i == j ? N : 1.0 / (1 + abs(i - j) + i * j % 5);
        }
    for (int i = 0; i < M * N; i++)
        read = read && fscanf(f, "%la", &product[i]) == 1;
    ORR_CHECK(fclose(f) == 0 && read);
    for (int i = 0; i < M * K; i++)
        a[i] = ((i / K * 7 + i % K * 3) % 11 - 5) / 8.0;
    for (int i = 0; i < K * N; i++)
        b[i] = 1.0 / (1 + i % N + i / N);
    for (int g = 0; g < GRIDS; g++) {
        if (grids[g][0] * grids[g][1] != orr_ranks())
            continue;
        orr__block_cyclic l = matrix(N, N, 4, 4, grids[g]), c = matrix(M, N, 5, 4, grids[g]);
        orr__block_cyclic da = matrix(M, K, 5, 3, grids[g]), db = matrix(K, N, 3, 4, grids[g]);
        distribute(&l, ORR_F64, spd);
        distribute(&da, ORR_F64, a);
        distribute(&db, ORR_F64, b);
        distribute(&c, ORR_F64, NULL);
        ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &l, l.local) == ORR_OK);
        ORR_CHECK(orr__block_cyclic_product(here, ORR_F64, &c, &da, false, &db, false) == ORR_OK);
        double el = error_of(&l, ORR_F64, factor), ec = error_of(&c, ORR_F64, product);
        ORR_CHECK_MSG(el < 2e-15 && ec < 4e-15, "errors %g, %g", el, ec);
        free(da.local);
        free(db.local);
    }
    down();
}

static void matrices_that_do_not_match_are_refused(void)
{
    NEED_TILES();
    int grid[2] = { 1, orr_ranks() };
    double x[400] = { 0 };
    orr__block_cyclic a = matrix(8, 9, 2, 2, grid), b = matrix(8, 9, 2, 2, grid);
    a.local = b.local = x;
    a.ld = b.ld = 9;
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &a, a.local) == ORR_EINTERNAL);
    ORR_CHECK(orr__block_cyclic_product(here, ORR_F64, &a, &a, false, &b, false) == ORR_EINTERNAL);
    a.cols = 8;
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_I32, &a, a.local) == ORR_EINTERNAL);
    orr_error_clear();
    down();
}

/* The serial engine has no tiles over ranks, and reports that. */
static void serial_engine_has_none(void)
{
    orr_config c = { .engine = "serial" };
    ORR_REQUIRE(orr_init(&c) == ORR_OK);
    orr__block_cyclic a = matrix(4, 4, 2, 2, (int[]){ 1, orr_ranks() });
    double x[16] = { 0 };
    a.local = x;
    a.ld = 4;
    ORR_CHECK(!orr__block_cyclic_can());
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &a, a.local) == ORR_EDEVICE &&
              strstr(orr_error_message(), "StarPU"));
    orr_error_clear();
    down();
}

/* -- the plan ------------------------------------------------------------------------------------------------- */

/* The bytes that all ranks have sent by StarPU-MPI since the last call. */
static int64_t bytes_sent(void (*amounts)(size_t *))
{
    static size_t before;
    size_t to[8] = { 0 }, now = 0;
    amounts(to);
    for (int r = 0; r < orr_ranks(); r++)
        now += to[r];
    int64_t sent = (int64_t)(now - before);
    before = now;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_SUM,
                        .dtype = ORR_I64,
                        .group = orr__group_all(),
                        .in = &sent,
                        .out = &sent,
                        .count = 1 };
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    return sent;
}

/* Each tile goes once to each rank that reads it, and nothing else is sent: products are SUMMA's. The simulation counts the same messages
 * (tests/tools/scale.c). */
static void tiles_are_sent_once_to_each_reader(void)
{
    enum { TILES = 7, BLOCK = 48, N = TILES * BLOCK };
    if (orr_test_ranks() == 1)
        return;
    (void)setenv("STARPU_COMM_STATS", "1", 1);
    NEED_TILES();
    void *symbol = orr__ranks_symbol("starpu_mpi_comm_amounts_retrieve");
    void (*amounts)(size_t *) = NULL;
    memcpy(&amounts, &symbol, sizeof amounts);
    for (int g = 0; amounts && g < GRIDS; g++) {
        unsigned long long state = 5;
        int p = grids[g][0], q = grids[g][1];
        if (p * q != orr_ranks())
            continue;
        orr__block_cyclic d = matrix(N, N, BLOCK, BLOCK, grids[g]), c = d;
        double *a = positive(N, &state);
        distribute(&d, ORR_F64, a);
        distribute(&c, ORR_F64, NULL);
        (void)bytes_sent(amounts);
        ORR_CHECK(orr__block_cyclic_product(here, ORR_F64, &c, &d, false, &d, false) == ORR_OK);
        int64_t sent = bytes_sent(amounts), want = 8 * tile_elements_of_product(N, N, N, p, q);
        ORR_CHECK_MSG(sent == want, "product on %d x %d: %lld bytes, not %lld", p, q, (long long)sent, (long long)want);
        ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &d, d.local) == ORR_OK);
        sent = bytes_sent(amounts);
        want = (int64_t)BLOCK * BLOCK * 8 * tile_messages_of_cholesky(TILES, p, q);
        ORR_CHECK_MSG(sent == want, "factorisation on %d x %d: %lld bytes, not %lld", p, q, (long long)sent,
                      (long long)want);
        for (int keeps = 0; keeps < 2; keeps++) {
            double det[3];
            orr__block_cyclic all = matrix(N, N + keeps, BLOCK, BLOCK, grids[g]);
            distribute(&all, ORR_F64, NULL);
            orr__block_cyclic_lu lu = { .a = &all, .from = c.local, .from_ld = c.ld, .det = keeps ? NULL : det };
            ORR_CHECK(orr__block_cyclic_lu_of(here, ORR_F64, &lu) == ORR_OK);
            sent = bytes_sent(amounts);
            want = tile_bytes_of_lu(TILES, BLOCK, p, q, keeps);
            ORR_CHECK_MSG(sent == want, "LU on %d x %d: %lld bytes, not %lld", p, q, (long long)sent, (long long)want);
            free(all.local);
        }
        free(d.local);
        free(c.local);
        free(a);
    }
    down();
    (void)unsetenv("STARPU_COMM_STATS");
    if (!amounts)
        ORR_SKIP("this StarPU-MPI does not count bytes");
}

/* The beginnings of this process's tasks with a name, in microseconds, and their number. */
static int begun(const char *trace, const char *name, double *at, int most)
{
    int n = 0;
    for (const char *p = trace; n < most && (p = strstr(p, name)); p++) {
        const char *line = p, *ts;
        while (line > trace && line[-1] != '\n')
            line--;
        if ((ts = strstr(line, "\"ts\":")))
            at[n++] = strtod(ts + 5, NULL);
    }
    return n;
}

/* The updates that began before a panel although they belong to an earlier one, over all panels; updates(left): those of a panel with so
 * many panels after it. −1: another number of tasks. */
static int ahead(const char *trace, const char *panel_name, const char *update_name, int (*updates)(int left))
{
    enum { MOST = 32, UPDATES = MOST * MOST * MOST / 3 };
    static double panel[MOST], update[UPDATES];
    int panels = begun(trace, panel_name, panel, MOST), all = begun(trace, update_name, update, UPDATES), want = 0,
        n = 0;
    for (int k = 0; k < panels; k++)
        want += updates(panels - 1 - k);
    for (int k = 1, before = 0; k < panels; k++) { /* before: updates of the panels 0 … k − 1 */
        int done = 0;
        before += updates(panels - k);
        for (int i = 0; i < all; i++)
            done += update[i] < panel[k];
        n += done < before;
    }
    return panels >= 4 && all == want ? n : -1;
}

static int updates_of_cholesky(int left)
{
    return left * (left - 1) / 2;
}

static int updates_of_lu(int left)
{
    return left * left;
}

/* One worker factors panel k while updates of earlier panels wait: the tasks on the way to the next panel come first. How far
 * ahead depends on the thread that inserts the tasks; a plan of panel after panel is never ahead. */
static void the_next_panel_does_not_wait_for_all_updates(void)
{
    enum { N = 960 };
    char path[1100];
    if (orr_test_ranks() > 1)
        return;
    (void)snprintf(path, sizeof path, "%s/look-ahead", getenv("ORR_TEST_RANKS"));
    (void)setenv("ORRERY_TRACE", path, 1);
    (void)setenv("STARPU_NCPU", "1", 1);
    NEED_TILES();
    unsigned long long state = 9;
    double *a = positive(N, &state), det[3];
    orr__block_cyclic d = matrix(N, N, N / 8, N / 8, grids[0]);
    distribute(&d, ORR_F64, a);
    orr__block_cyclic_lu lu = { .a = &d, .from = d.local, .from_ld = d.ld, .det = det };
    ORR_CHECK(orr__block_cyclic_lu_of(here, ORR_F64, &lu) == ORR_OK);
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &d, d.local) == ORR_OK);
    free(d.local);
    free(a);
    down();
    (void)unsetenv("ORRERY_TRACE");
    (void)unsetenv("STARPU_NCPU");
    size_t size;
    char *text = (char *)orr_test_slurp(path, &size);
    (void)remove(path);
    ORR_REQUIRE(text);
    int of_cholesky = ahead(text, "cholesky potrf", "cholesky gemm", updates_of_cholesky),
        of_lu = ahead(text, "lu panel", "lu update", updates_of_lu);
    ORR_CHECK_MSG(of_cholesky > 0 && of_lu > 0, "panels before updates of earlier ones: %d and %d", of_cholesky, of_lu);
    free(text);
}

/* -- waiting -------------------------------------------------------------------------------------------------- */

static void nap(double s)
{
    (void)nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * s) }, NULL);
}

/* Factors a matrix, during which rank 0 stands still for a second, unless it has ended by then or has not begun. Returns the number of naps of
 * full length of this rank's worker. */
static long long stand_still(orr__block_cyclic *d, double *a)
{
    distribute(d, ORR_F64, a);
    ORR_CHECK(orr_barrier() == ORR_OK);
    long long before = orr__block_cyclic_long_naps();
    pid_t stops = orr_rank() == 0 ? fork() : -1;
    if (stops == 0) {
        nap(0.03);
        (void)kill(getppid(), SIGSTOP);
        nap(0.99);
        (void)kill(getppid(), SIGCONT);
        _exit(0);
    }
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, d, d->local) == ORR_OK);
    if (stops > 0)
        (void)waitpid(stops, NULL, 0);
    free(d->local);
    return orr__block_cyclic_long_naps() - before;
}

/* True if all ranks say so. */
static bool everywhere(bool mine)
{
    int32_t n = mine;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .reduction = ORR__REDUCTION_MIN,
                        .dtype = ORR_I32,
                        .group = orr__group_all(),
                        .in = &n,
                        .out = &n,
                        .count = 1 };
    ORR_CHECK(orr__exchange_wait(here, &x) == ORR_OK);
    return n;
}

/* While rank 0 stands still, the only worker of another rank sleeps, the longer the longer it waits, so that ranks with work get the core:
 * about 2,500 naps of full length in a second, far fewer on a busy machine, where the second may also miss the factorisation, and none if
 * naps did not grow. */
static void a_worker_that_waits_for_tiles_sleeps_longer_and_longer(void)
{
    enum { N = 1536, BLOCK = 64, TRIES = 20 };
    NEED_TILES();
    if (orr_ranks() == 2 || (orr_ranks() > 2 && getenv("ORR_TEST_FULL"))) {
        unsigned long long state = 3;
        const int grid[2] = { 1, orr_ranks() };
        double *a = positive(N, &state);
        orr__block_cyclic d = matrix(N, N, BLOCK, BLOCK, grid);
        long long naps = 0;
        int tries = 0;
        for (bool enough = false; !enough && tries < TRIES; tries++) {
            naps += stand_still(&d, a);
            enough = everywhere(orr_rank() == 0 || naps > 0);
        }
        ORR_CHECK_MSG(orr_rank() == 0 || naps > 0, "no nap of full length in %d tries", tries);
        if (getenv("ORR_TEST_VERBOSE"))
            printf("    rank %d: %lld naps of full length\n", orr_rank(), naps);
        free(a);
    }
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(factor_is_that_of_lapack),
        ORR_TEST(indefinite_matrix_is_told_by_all),
        ORR_TEST(product_is_that_of_blas),
        ORR_TEST(lu_has_the_factors_of_the_matrix),
        ORR_TEST(rows_are_exchanged_between_ranks),
        ORR_TEST(singular_matrix_is_told_by_all),
        ORR_TEST(replicas_compute_side_by_side),
        ORR_TEST(results_are_those_of_many_digits),
        ORR_TEST(matrices_that_do_not_match_are_refused),
        ORR_TEST(serial_engine_has_none),
        ORR_TEST(tiles_are_sent_once_to_each_reader),
        ORR_TEST(the_next_panel_does_not_wait_for_all_updates),
        ORR_TEST(a_worker_that_waits_for_tiles_sleeps_longer_and_longer),
        { 0 },
    };
    static const int all[] = { 1, 2, 3, 4, 0 };
    const int by_turns[] = { 1, 2, orr_test_due(0, 2) ? 3 : 4, 0 };
    return orr_test_ranks_main(argc, argv, "tiles", tests, orr_test_full() ? all : by_turns);
}
