/* Solutions, inverses, determinants and triangular factors of matrices in blocks over 1 to 4 ranks: those of the whole matrix, by LAPACK
 * on one rank.
 * Must not know: tiles, how a value moves. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/engine/block_cyclic.h"
#include "tests/harness/ranks.h"

/* Starts with one worker in each rank: there are more ranks than cores. */
static bool up(void)
{
    if (orr_test_ranks() > 1)
        (void)setenv("STARPU_NCPU", "1", 0);
    bool ok = orr_init(NULL) == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    return ok;
}

static void down(void)
{
    ORR_CHECK_MSG(orr_shutdown() == ORR_OK, "%s", orr_error_message());
}

/* The grids over all ranks, in turn; NULL: no more. */
static orr_grid *grid_of(int k)
{
    int64_t n = orr_ranks();
    return k == 0             ? orr_grid_make(2, ((int64_t[]){ n, 1 }))
           : k == 1           ? orr_grid_make(2, ((int64_t[]){ 1, n }))
           : k == 2 && n == 4 ? orr_grid_make(2, ((int64_t[]){ 2, 2 }))
                              : NULL;
}

static double error_of(orr_tensor *is, orr_tensor *want)
{
    double e = NAN, size = NAN;
    orr_tensor *far = orr_max(orr_abs(orr_sub(orr_replicate(is), want)), ORR_ALL_AXES, false);
    ORR_CHECK_MSG(orr_item(far, &e) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_item(orr_max(orr_abs(want), ORR_ALL_AXES, false), &size) == ORR_OK);
    return e / (size > 1 ? size : 1);
}

/* True if the ranks compute the tensor together. */
static bool is_joint(orr_tensor *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        abort();
    ORR_CHECK_MSG(orr_explain(f, t) == ORR_OK, "%s", orr_error_message());
    (void)fclose(f);
    bool joint = strstr(text, "computed by all ranks together") != NULL;
    free(text);
    return joint || orr_ranks() == 1 || !orr__block_cyclic_can();
}

static orr_tensor *matrix(orr_dtype t, int64_t n)
{
    orr_tensor *a = orr_rand_keyed(t, ORR_SHAPE(n, n), -1, 1, 3);
    ORR_CHECK(orr_eval(a) == ORR_OK);
    return a;
}

/* n: below and above the order from which one process takes panels. */
static void compare(orr_grid *g, orr_dtype t, int64_t n)
{
    const double near = (double)n * (t == ORR_F64 ? 1e-11 : 1e-2);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = matrix(t, n), *b = orr_rand_keyed(t, ORR_SHAPE(n, 5), -1, 1, 4), *v = orr_select(b, -1, 2);
    orr_tensor *over = orr_shard_cyclic(a, g, ORR_AXES(0, 1), ORR_INDEX(n / 3, n / 3));
    orr_tensor *x = orr_solve(over, b), *inverse = orr_inv(over);
    orr_slogdet_result det = orr_slogdet(over), one_det = orr_slogdet(a);
    orr_lu_result lu = orr_lu(over), one_lu = orr_lu(a);
    orr_tensor *of_vector = orr_solve(over, v), *product = orr_matmul(lu.l, lu.u);
    ORR_CHECK(orr_eval(over) == ORR_OK && is_joint(x) && is_joint(inverse) && is_joint(det.logabsdet) &&
              is_joint(lu.p));
    ORR_CHECK_MSG(orr_eval_all(ORR_TENSORS(x, of_vector, inverse, det.logabsdet, det.sign, product, lu.p)) == ORR_OK,
                  "%s", orr_error_message());
    ORR_CHECK(error_of(x, orr_solve(a, b)) < near && error_of(of_vector, orr_solve(a, v)) < near);
    ORR_CHECK(error_of(inverse, orr_inv(a)) < near);
    ORR_CHECK(error_of(det.logabsdet, one_det.logabsdet) < near && error_of(det.sign, one_det.sign) == 0);
    ORR_CHECK(error_of(product, orr_take(a, lu.p, 0)) < near);
    ORR_CHECK(t == ORR_F32 || error_of(orr_cast(lu.p, ORR_F64), orr_cast(one_lu.p, ORR_F64)) == 0);
    (void)orr_scope_end(s);
}

static void values_are_those_of_the_whole_matrix(void)
{
    ORR_REQUIRE(up());
    for (int k = 0; k < 3; k++) {
        orr_grid *g = grid_of(k);
        if (!g)
            continue;
        compare(g, k == 1 ? ORR_F32 : ORR_F64, k == 0 ? 400 : 61);
        orr_grid_free(g);
    }
    orr_error_clear();
    down();
}

/* The gradient of a solution takes a solve with the transposed matrix. */
static void gradients_are_those_of_the_whole_matrix(void)
{
    enum { N = 40 };
    ORR_REQUIRE(up());
    orr_grid *g = grid_of(0);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = matrix(ORR_F64, N), *b = orr_rand_keyed(ORR_F64, ORR_SHAPE(N, 3), -1, 1, 4), *d[2];
    for (int over = 0; over < 2; over++) {
        orr_tensor *x = over ? orr_shard_cyclic(a, g, ORR_AXES(0, 1), ORR_INDEX(15, 15)) : a;
        orr_tensor *loss = orr_sum(orr_square(orr_solve(x, b)), ORR_ALL_AXES, false);
        ORR_CHECK_MSG(orr_grad(loss, &x, 1, &d[over]) == ORR_OK, "%s", orr_error_message());
    }
    ORR_CHECK_MSG(error_of(d[1], d[0]) < 1e-9, "%g", error_of(d[1], d[0]));
    (void)orr_scope_end(s);
    orr_grid_free(g);
    down();
}

/* Every rank gets the error of a solve, and later evaluations work. */
static void singular_matrix_is_an_error_on_all_ranks(void)
{
    ORR_REQUIRE(up());
    orr_grid *g = grid_of(1);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a =
        orr_mul(matrix(ORR_F64, 48), orr_cast(orr_not_equal(orr_arange(ORR_I64, 0, 48, 1), orr_scalar(20)), ORR_F64));
    orr_tensor *over = orr_shard_cyclic(a, g, ORR_AXES(0, 1), ORR_INDEX(16, 16));
    orr_status st = orr_eval(orr_inv(over));
    ORR_CHECK_MSG(st == ORR_ENUMERIC && strstr(orr_error_message(), "singular"), "%d: %s", (int)st,
                  orr_error_message());
    orr_error_clear();
    double det = 1;
    ORR_CHECK(orr_item(orr_det(over), &det) == ORR_OK && det == 0);
    (void)orr_scope_end(s);
    orr_grid_free(g);
    down();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(values_are_those_of_the_whole_matrix),
                                      ORR_TEST(gradients_are_those_of_the_whole_matrix),
                                      ORR_TEST(singular_matrix_is_an_error_on_all_ranks),
                                      { 0 } };
    return orr_test_ranks_main(argc, argv, "factorisations", tests, (const int[]){ 1, 2, 3, 4, 0 });
}
