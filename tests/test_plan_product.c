/* Products of few rows and columns and many terms: cut along their terms, beside sums that are exact, however the factors lie.
 * Must not know: how a product is computed. */
#include "config.h"

#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/plan/make.h"
#include "tests/harness.h"

static const orr__site here = { "user.c", 7, "product" };

/* Small whole numbers: every order of adding them gives the same. */
static double *numbers(int64_t n, unsigned seed)
{
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; v && i < n; i++) {
        seed = seed * 1664525u + 1013904223u; /* Numerical Recipes */
        v[i] = (double)(seed >> 24 & 7) - 3;
    }
    return v;
}

static orr__plan *plan_of(orr_tensor *t, int workers)
{
    orr__plan *plan = NULL;
    orr__prog p;
    orr__node *node = orr__handle_node(t);
    orr__machine before = orr__plan_machine;
    ORR_CHECK(orr__prog_capture(here, &node, 1, &p) == ORR_OK);
    orr__plan_machine = (orr__machine){ .workers = workers, .bundles = true };
    ORR_CHECK_MSG(orr__plan_make(here, &p, false, &plan) == ORR_OK, "%s", orr_error_message());
    orr__plan_machine = before;
    orr__prog_free(&p);
    return plan;
}

/* In how many parts is (m, k) · (k, n) computed, for so many workers? */
static int parts(int64_t m, int64_t k, int64_t n, orr_dtype t, bool more, int workers)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_rand(t, ORR_SHAPE(m, k), 0, 1), *b = orr_rand(t, ORR_SHAPE(k, n), 0, 1);
    ORR_CHECK(orr_eval_all((orr_tensor *[]){ a, b }, 2) == ORR_OK);
    orr_tensor *c = orr_matmul(a, b);
    orr__plan *p = plan_of(more ? orr_relu(c) : c, workers);
    int found = p && p->nstep == 2 ? p->step[0].ntiles : 1;
    if (found > 1)
        ORR_CHECK(p->step[0].region->kind == ORR__G_MATMUL && p->step[0].region->dim[0] == found &&
                  p->step[1].region->kind == ORR__G_REDUCE && p->step[1].in[0] == p->step[0].out[0]);
    orr__plan_unref(p);
    (void)orr_scope_end(s);
    return found;
}

static void many_terms_are_shared_by_all_workers(void)
{
    (void)setenv("ORRERY_MACHINE", "fixed", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, false, 4) == 4);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F64, false, 2) == 2);
    ORR_CHECK(parts(1, 3 * (1 << 18), 40, ORR_F32, false, 4) == 4);
    ORR_CHECK(parts(16, 3 * 5 * 7 * 11 * 13 * 17, 16, ORR_F32, false, 4) == 3); /* parts are alike */
    ORR_CHECK(parts(16, 262147, 16, ORR_F32, false, 4) == 1);                   /* a prime          */
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F16, false, 4) == 1);                  /* would round more */
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, true, 4) == 1);
    ORR_CHECK(parts(16, 1 << 18, 16, ORR_F32, false, 1) == 1);
    ORR_CHECK(parts(512, 512, 512, ORR_F32, false, 2) == 1); /* rows do */
    ORR_CHECK(parts(16, 512, 16, ORR_F32, false, 4) == 1);   /* small   */
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_MACHINE");
}

enum { M = 5, N = 7, K = 6144 };

/* A factor of rows × cols that lies as `how` says: as it is, transposed, backwards, every second row and column, broadcast. */
enum { PLAIN, TRANSPOSED, BACKWARDS, EVERY_SECOND, REPEATED, WAYS };
static orr_tensor *factor(orr_dtype t, const double *v, int64_t rows, int64_t cols, int how)
{
    orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(rows, cols), v), t);
    switch (how) {
    case TRANSPOSED: x = orr_transpose(x); break;
    case BACKWARDS: x = orr_flip(x, ORR_AXES(0, 1)); break;
    case EVERY_SECOND: {
        orr_tensor *wide = orr_stack((orr_tensor *[]){ x, orr_neg(x) }, 2, 2);
        x = orr_reshape(wide, ORR_SHAPE(rows, 2 * cols));
        break;
    }
    case REPEATED: x = orr_slice_axis(x, 0, 0, 1, 1); break;
    default: break;
    }
    ORR_CHECK_MSG(orr_eval(x) == ORR_OK, "%s", orr_error_message());
    switch (how) { /* what was evaluated is seen as rows × cols of v again */
    case TRANSPOSED: return orr_transpose(x);
    case BACKWARDS: return orr_flip(x, ORR_AXES(0, 1));
    case EVERY_SECOND: return orr_slice_axis(x, 1, 0, ORR_END, 2);
    case REPEATED: return orr_broadcast_to(x, ORR_SHAPE(rows, cols));
    default: return x;
    }
}

static void however_the_factors_lie(void)
{
    double *a = numbers(M * K, 1), *b = numbers(K * N, 2), c[M * N];
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("ORRERY_TILE_US", "1", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    for (int k = 0; k < 2 * WAYS * WAYS; k++) {
        int left = k / 2 / WAYS, right = k / 2 % WAYS, wrong = 0;
        orr_dtype t = k % 2 ? ORR_F64 : ORR_F32;
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = factor(t, a, M, K, left), *y = factor(t, b, K, N, right);
        ORR_CHECK_MSG(orr_read(orr_cast(orr_matmul(x, y), ORR_F64), c, sizeof c) == ORR_OK, "%s", orr_error_message());
        for (int64_t i = 0; i < M * N; i++) {
            double sum = 0;
            for (int64_t p = 0; p < K; p++)
                sum += a[(left == REPEATED ? 0 : i / N) * K + p] * b[(right == REPEATED ? 0 : p) * N + i % N];
            wrong += c[i] != sum;
        }
        ORR_CHECK_MSG(wrong == 0, "%d wrong, %s, factors %d and %d", wrong, orr_dtype_name(t), left, right);
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_TILE_US");
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("STARPU_NCPU");
    free(a);
    free(b);
}

static void the_same_bits_for_any_number_of_workers(void)
{
    float bits[2][16 * 16];
    (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
    for (int k = 0; k < 2; k++) {
        (void)setenv("STARPU_NCPU", k ? "2" : "1", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        orr_scope *s = orr_scope_begin();
        orr_seed(11);
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(1 << 16, 16), 0, 1);
        ORR_CHECK(orr_eval(x) == ORR_OK);
        ORR_CHECK(orr_read(orr_matmul(orr_transpose(x), x), bits[k], sizeof bits[k]) == ORR_OK);
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    ORR_CHECK(memcmp(bits[0], bits[1], sizeof bits[0]) == 0);
    (void)unsetenv("STARPU_NCPU");
    (void)unsetenv("ORRERY_DETERMINISTIC");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(many_terms_are_shared_by_all_workers),
                                      ORR_TEST(however_the_factors_lie),
                                      ORR_TEST(the_same_bits_for_any_number_of_workers),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.product", tests);
}
