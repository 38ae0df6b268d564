/* Products and Cholesky factorisations of block-cyclic matrices with 1 to 4 ranks: every rank compares its elements with the
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

/* One worker factors diagonal tile k while updates of earlier panels wait: the tasks on the way to the next panel come first. How far
 * ahead depends on the thread that inserts the tasks; a plan of panel after panel is never ahead. */
static void the_next_panel_does_not_wait_for_all_updates(void)
{
    enum { N = 960, MOST = 32, GEMMS = MOST * MOST * MOST / 6 };
    static double potrf[MOST], gemm[GEMMS];
    char path[1100];
    if (orr_test_ranks() > 1)
        return;
    (void)snprintf(path, sizeof path, "%s/look-ahead", getenv("ORR_TEST_RANKS"));
    (void)setenv("ORRERY_TRACE", path, 1);
    (void)setenv("STARPU_NCPU", "1", 1);
    NEED_TILES();
    unsigned long long state = 9;
    double *a = positive(N, &state);
    orr__block_cyclic d = matrix(N, N, N / 8, N / 8, grids[0]);
    distribute(&d, ORR_F64, a);
    ORR_CHECK(orr__block_cyclic_cholesky(here, ORR_F64, &d, d.local) == ORR_OK);
    free(d.local);
    free(a);
    down();
    (void)unsetenv("ORRERY_TRACE");
    (void)unsetenv("STARPU_NCPU");
    size_t size;
    char *text = (char *)orr_test_slurp(path, &size);
    (void)remove(path);
    int panels = text ? begun(text, "cholesky potrf", potrf, MOST) : 0,
        gemms = text ? begun(text, "cholesky gemm", gemm, GEMMS) : 0, ahead = 0;
    ORR_CHECK_MSG(panels >= 4 && gemms == panels * (panels - 1) * (panels - 2) / 6, "%d and %d tasks", panels, gemms);
    for (int k = 1, before = 0; k < panels; k++) { /* before: updates of the panels 0 … k − 1 */
        int done = 0;
        before += (panels - k) * (panels - k - 1) / 2;
        for (int i = 0; i < gemms; i++)
            done += gemm[i] < potrf[k];
        ahead += done < before;
    }
    ORR_CHECK_MSG(ahead > 0, "each of %d panels waits for all updates of earlier ones", panels);
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
    if (orr_ranks() > 1) {
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
        ORR_TEST(replicas_compute_side_by_side),
        ORR_TEST(results_are_those_of_many_digits),
        ORR_TEST(matrices_that_do_not_match_are_refused),
        ORR_TEST(serial_engine_has_none),
        ORR_TEST(tiles_are_sent_once_to_each_reader),
        ORR_TEST(the_next_panel_does_not_wait_for_all_updates),
        ORR_TEST(a_worker_that_waits_for_tiles_sleeps_longer_and_longer),
        { 0 },
    };
    return orr_test_ranks_main(argc, argv, "tiles", tests, (const int[]){ 1, 2, 3, 4, 0 });
}
