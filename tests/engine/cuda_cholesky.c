/* Large Cholesky factorisations on CPU and CUDA workers together: a device's tiles are computed by cuSOLVER and cuBLAS, on
 * a GPU or on their double. They are compared with the definition of a factor, on vectors.
 * Must not know: planner, kernels. */
#include "config.h"

#include <math.h>
#include "tests/harness/cuda_engine.h"

enum { N = 2100 }; /* tiles of 192, and a smaller one */

/* A matrix of ones that decrease away from the diagonal; elements above it are not read. */
static double *matrix(void)
{
    double *a = malloc((size_t)N * N * sizeof *a);
    for (int i = 0; a && i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = j > i ? NAN : i == j ? 3 + i % 5 : 1.0 / (1 + i - j);
    return a;
}

/* The largest element of |L·(Lᵀ·v) − A·v| for v of ±1, over the largest of A·v; elements above the diagonal must be 0. */
static double off(const double *a, const double *l)
{
    double *v = calloc(3 * N, sizeof *v), *lv = v + N, *av = lv + N, most = 0, size = 0;
    if (!v)
        return INFINITY;
    for (int i = 0; i < N; i++)
        v[i] = i * 7 % 3 ? 1 : -1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            lv[j] += l[i * N + j] * v[i];
            av[i] += a[i * N + j] * v[j];
            av[j] += i == j ? 0 : a[i * N + j] * v[i];
        }
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j <= i; j++)
            sum += l[i * N + j] * lv[j];
        most = fmax(most, fabs(sum - av[i]));
        size = fmax(size, fabs(av[i]));
        for (int j = i + 1; j < N; j++)
            most = l[i * N + j] == 0 ? most : INFINITY;
    }
    free(v);
    return most / size;
}

static void check(orr_dtype t, double tolerance)
{
    double *a = matrix(), *l = malloc((size_t)N * N * sizeof *l);
    orr_scope *s = orr_scope_begin();
    orr_tensor *f = orr_cast(orr_cholesky(orr_cast(orr_from(ORR_F64, ORR_SHAPE(N, N), a), t)), ORR_F64);
    ORR_CHECK_MSG(orr_read(f, l, (size_t)N * N * sizeof *l) == ORR_OK, "%s", orr_error_message());
    double d = off(a, l);
    ORR_CHECK_MSG(d < tolerance, "%g", d);
    orr_scope_end(s);
    free(a);
    free(l);
}

static void devices_do_tiles_of_large_matrices(void)
{
    NEED(false);
    ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
    int before = cu.real ? 0 : cu.state->tiles;
    for (int i = 0; i < 2; i++)
        check(ORR_F64, 1e-13);
    check(ORR_F32, 1e-5);
    if (!cu.real)
        ORR_CHECK_MSG(cu.state->tiles > before, "%d operations", cu.state->tiles - before);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A policy without predictions gives tasks to the first free worker. */
static void all_four_operations_are_done_by_them(void)
{
    NEED(false);
    setenv("STARPU_SCHED", "eager", 1);
    ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
    int factors = cu.real ? 0 : cu.state->factors, tiles = cu.real ? 0 : cu.state->tiles;
    for (int i = 0; i < 3; i++) {
        check(ORR_F64, 1e-13);
        check(ORR_F32, 1e-5);
    }
    if (!cu.real)
        ORR_CHECK_MSG(cu.state->factors > factors && cu.state->tiles > tiles + 20, "%d factors, %d operations",
                      cu.state->factors - factors, cu.state->tiles - tiles);
    unsetenv("STARPU_SCHED");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void cholesky_reports_indefinite_matrix_on_device(void)
{
    static const struct {
        int at;
        double value;
    } bad[] = { { 0, -1 }, { 191, 0 }, { 192, NAN }, { 1100, -2 }, { 2099, NAN }, { 2000, INFINITY } };
    NEED(false);
    setenv("STARPU_SCHED", "eager", 1);
    ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
    double *a = calloc((size_t)N * N, sizeof *a);
    ORR_REQUIRE(a != NULL);
    for (int i = 0; i < N; i++)
        a[i * (N + 1)] = 4;
    for (int i = 0; i < 12; i++) {
        char want[64];
        int at = bad[i / 2].at;
        orr_scope *s = orr_scope_begin();
        a[at * (N + 1)] = bad[i / 2].value;
        orr_tensor *l = orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(N, N), a));
        a[at * (N + 1)] = 4;
        (void)snprintf(want, sizeof want, "minor of order %d is not positive", at + 1);
        ORR_CHECK(orr_eval(l) == ORR_ENUMERIC);
        ORR_CHECK_MSG(strstr(orr_error_message(), want) && strstr(orr_error_message(), "tests/engine/cuda_cholesky.c:"),
                      "%s: %s", want, orr_error_message());
        orr_scope_end(s);
    }
    free(a);
    unsetenv("STARPU_SCHED");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void the_host_does_the_work_at_which_a_library_fails(void)
{
    NEED(true);
    setenv("STARPU_SCHED", "eager", 1);
    ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
    orr__env.log = 0;
    cu.state->tile_code = 13;
    int tiles = cu.state->tiles;
    check(ORR_F64, 1e-13);
    check(ORR_F32, 1e-5);
    ORR_CHECK(cu.state->tiles > tiles);
    cu.state->tile_code = 0;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    setenv("ORRERY_FALLBACK", "off", 1);
    ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
    cu.state->tile_code = 13;
    double *a = matrix();
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval(orr_cholesky(orr_from(ORR_F64, ORR_SHAPE(N, N), a))) == ORR_EDEVICE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "status 13") != NULL, "%s", orr_error_message());
    orr_scope_end(s);
    free(a);
    cu.state->tile_code = 0;
    unsetenv("ORRERY_FALLBACK");
    unsetenv("STARPU_SCHED");
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Processors do everything without cuSOLVER, with ORRERY_DETERMINISTIC, and for small matrices. */
static void otherwise_processors_do_them(void)
{
    NEED(true);
    const char *path = orr__cu_solver_path;
    for (int i = 0; i < 2; i++) {
        orr__cu_solver_path = i ? path : "/nowhere/libcusolver.so";
        orr__cu_forget();
        if (i)
            setenv("ORRERY_DETERMINISTIC", "1", 1);
        ORR_REQUIRE(cuda_engine_up("2") == ORR_OK);
        int tiles = cu.state->tiles;
        check(ORR_F64, 1e-13);
        ORR_CHECK(cu.state->tiles == tiles);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    unsetenv("ORRERY_DETERMINISTIC");
}

static void compile_leaves_no_files(void)
{
    NEED(true);
    ORR_CHECK_MSG(cu.state->handles == 0, "%d handles", cu.state->handles);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(devices_do_tiles_of_large_matrices),
        ORR_TEST(all_four_operations_are_done_by_them),
        ORR_TEST(cholesky_reports_indefinite_matrix_on_device),
        ORR_TEST(the_host_does_the_work_at_which_a_library_fails),
        ORR_TEST(otherwise_processors_do_them),
        ORR_TEST(compile_leaves_no_files),
        { 0 },
    };
    cuda_engine_start(argv);
    return orr_test_main(argc, argv, "engine.cuda_cholesky", tests);
}
