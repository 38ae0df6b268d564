/* The passes of the planner: their table, and results that stay correct with any mechanism switched off; compared with sums in double
 * precision.
 * Must not know: StarPU, kernels. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <orrery/nn.h>
#include <orrery/optim.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "runtime/plan/passes.h"
#include "tests/harness/harness.h"
#include "tests/harness/plan_help.h"

static void passes_have_names_and_decisions(void)
{
    int n = 0;
    for (const orr__pass *p; (p = orr__plan_pass(n)); n++)
        ORR_CHECK(p->name[0] && p->decision[0] && p->run && p->off < (int)ORR__MECHANISM_COUNT);
    ORR_CHECK_MSG(n > 15 && !strcmp(orr__plan_pass(0)->name, "rewrite") &&
                      !strcmp(orr__plan_pass(n - 1)->name, "verify") && !orr__plan_pass(-1),
                  "%d passes", n);
}

enum { ROWS = 96, COLS = 64 };
static double x[ROWS * COLS], w[COLS * COLS];

static double relu(double v)
{
    return v > 0 ? v : 0;
}

/* The sum over rows i and columns j of relu(x·w)², of three layers; and the sum of each column of x. */
static void expected(double *sum, double *columns)
{
    static double a[ROWS * COLS], b[ROWS * COLS];
    memcpy(a, x, sizeof a);
    for (int layer = 0; layer < 3; layer++) {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLS; j++) {
                double s = 0;
                for (int k = 0; k < COLS; k++)
                    s += a[i * COLS + k] * w[k * COLS + j];
                b[i * COLS + j] = relu(s);
            }
        memcpy(a, b, sizeof a);
    }
    *sum = 0;
    for (int i = 0; i < ROWS * COLS; i++)
        *sum += a[i] * a[i];
    for (int j = 0; j < COLS; j++) {
        columns[j] = 0;
        for (int i = 0; i < ROWS; i++)
            columns[j] += x[i * COLS + j];
    }
}

/* Layers, a sum of columns, and a variable that is updated by its gradient: w ← w − 2·w·rate twice. */
static void graphs(const char *off)
{
    enum { LARGE = 256 };
    double want, columns[COLS], got[COLS], sum = 0, first = 0;
    (void)setenv("ORRERY_ABLATE", off, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(ROWS, COLS), x), *m = orr_from(ORR_F64, ORR_SHAPE(COLS, COLS), w),
               *z = a;
    for (int layer = 0; layer < 3; layer++)
        z = orr_relu(orr_matmul(z, m));
    expected(&want, columns);
    ORR_CHECK_MSG(orr_item(orr_sum(orr_square(z), ORR_ALL_AXES, false), &sum) == ORR_OK, "%s: %s", off,
                  orr_error_message());
    ORR_CHECK_MSG(fabs(sum - want) <= 1e-9 * fabs(want), "%s: %.17g, not %.17g", off, sum, want);
    ORR_CHECK(orr_read(orr_sum(a, ORR_AXES(0), false), got, sizeof got) == ORR_OK);
    for (int j = 0; j < COLS; j++)
        ORR_CHECK_MSG(fabs(got[j] - columns[j]) <= 1e-10, "%s: column %d", off, j);
    orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(LARGE, LARGE), 1.0));
    for (int step = 0; step < 2; step++) {
        orr_tensor *loss = orr_sum(orr_square(v), ORR_ALL_AXES, false), *g;
        ORR_CHECK(orr_grad(loss, &v, 1, &g) == ORR_OK &&
                  orr_assign(v, orr_sub(v, orr_mul(g, orr_scalar(0.25)))) == ORR_OK);
        ORR_CHECK(orr_item(loss, &sum) == ORR_OK);
        first = step ? first : sum;
    }
    ORR_CHECK_MSG(first == LARGE * LARGE && sum == LARGE * LARGE / 4.0, "%s: losses %g, %g", off, first, sum);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_ABLATE");
}

static void results_are_right_without_any_mechanism(void)
{
    static const char *const tasks[] = { "0", "auto" };
    static const char *const names[] = {
#define NAME(upper, name) name,
        ORR__MECHANISMS(NAME)
    };
    char all[1024] = "";
    unsigned seed = 7;
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5; /* Numerical Recipes */
    for (int i = 0; i < COLS * COLS; i++)
        w[i] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0 - 0.5;
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    for (int t = 0; t < 2; t++) {
        (void)setenv("ORRERY_INLINE_US", tasks[t], 1);
        (void)setenv("ORRERY_TILE_US", t ? "auto" : "20", 1);
        graphs("");
        for (size_t i = 0; i < sizeof names / sizeof *names && t == 0; i++) {
            graphs(names[i]);
            (void)snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "," : "", names[i]);
        }
    }
    graphs(all);
    (void)unsetenv("ORRERY_INLINE_US");
    (void)unsetenv("ORRERY_TILE_US");
    (void)unsetenv("STARPU_NCPU");
    (void)unsetenv("ORRERY_BACKEND");
}

static bool borrows(orr_tensor *t, int workers)
{
    bool any = false;
    orr__plan *p = plan_of(&t, 1, workers);
    for (int i = 0; p && i < p->nstep; i++)
        any = any || p->step[i].borrows;
    orr__plan_unref(p);
    return any;
}

static void a_long_call_of_one_matrix_borrows(void)
{
    (void)unsetenv("ORRERY_DETERMINISTIC");
    for (int k = 0; k < 3; k++) { /* default; deterministic; switched off */
        if (k == 1)
            (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
        if (k == 2)
            (void)setenv("ORRERY_ABLATE", "borrow", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        orr_scope *s = orr_scope_begin();
        orr_tensor *one = orr_rand(ORR_F64, ORR_SHAPE(1500, 1500), -1, 1),
                   *few = orr_rand(ORR_F64, ORR_SHAPE(64, 300, 300), -1, 1),
                   *small = orr_rand(ORR_F64, ORR_SHAPE(40, 40), -1, 1);
        ORR_REQUIRE(orr_eval_all(ORR_TENSORS(one, few, small)) == ORR_OK);
        ORR_CHECK_MSG(borrows(orr_svd(one, false).s, 2) == (k == 0), "%d", k);
        ORR_CHECK_MSG(borrows(orr_eigh(one).w, 2) == (k == 0), "%d", k);
        ORR_CHECK_MSG(borrows(orr_eig(one).w, 2) == (k == 0), "%d", k);
        ORR_CHECK(!borrows(orr_svd(one, false).s, 1));
        ORR_CHECK(!borrows(orr_svd(few, false).s, 2));
        ORR_CHECK(!borrows(orr_svd(small, false).s, 2));
        ORR_CHECK(!borrows(orr_solve(one, one), 2));
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
        (void)unsetenv("ORRERY_DETERMINISTIC");
        (void)unsetenv("ORRERY_ABLATE");
    }
}

/* The time for two shared steps, by a crew, the second with a call: an exchange with other ranks, which proceeds while tasks are
 * computed. */
static double together(const orr__op *op)
{
    orr__region r[2] = { { .rank = 1, .dim = { 1000 } }, { .rank = 1, .dim = { 1000 }, .call = { .op = op } } };
    orr__step s[2] = { { .region = &r[0], .ntiles = 1, .cost.us = 5e4 },
                       { .region = &r[1], .ntiles = 1, .cost.us = 5e4 } };
    orr__plan plan = { .nstep = 2, .step = s };
    orr__machine before = orr__machine_here;
    orr__machine_here.workers = 2;
    ORR_CHECK(orr__pass_lanes(&(orr__planner){ .plan = &plan }) == ORR_OK);
    orr__machine_here = before;
    return plan.lanes.together;
}

static void exchanges_go_on_beside_tasks(void)
{
    const orr__op exchange = { .flags = ORR__OP_POSTS }, other = { .flags = 0 };
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(isfinite(together(NULL)) && isfinite(together(&other)) && isinf(together(&exchange)));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* A system of order 512 whose solution is 1, …, 1, and an inverse. */
static void of_blocks(double *error, bool planned)
{
    enum { ORDER = 512 };
    int blocks = 0, in_place = 0;
    double size;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_add(orr_rand(ORR_F64, ORR_SHAPE(ORDER, ORDER), -1, 1), orr_eye(ORR_F64, ORDER, ORDER, 0));
    orr_tensor *b = orr_sum(a, ORR_AXES(1), false);
    ORR_REQUIRE(orr_eval_all(ORR_TENSORS(a, b)) == ORR_OK);
    orr_tensor *y = orr_solve(a, b);
    orr__plan *p = planned ? plan_of(&y, 1, 2) : NULL;
    for (int i = 0; p && i < p->nstep; i++) {
        const orr__op *op = p->step[i].region->call.op;
        bool changes = op && op->donor && !orr__step_bundled(p, i) && p->value[p->step[i].in[op->donor - 1]].leaf < 0;
        blocks += changes;
        in_place += changes && p->value[p->step[i].out[0]].donor >= 0;
    }
    if (p) {
        ORR_CHECK_MSG(blocks > 3 && in_place == blocks, "%d of %d steps are in place", in_place, blocks);
        orr__plan_unref(p);
    }
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(y, orr_scalar(1))), ORR_ALL_AXES, false), error) == ORR_OK);
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(orr_matmul(a, orr_inv(a)), orr_eye(ORR_F64, ORDER, ORDER, 0))),
                               ORR_ALL_AXES, false),
                       &size) == ORR_OK &&
              size < 1e-10);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void the_blocks_of_a_factorisation_change_in_place(void)
{
    double with, without;
    of_blocks(&with, true);
    (void)setenv("ORRERY_ABLATE", "donation", 1);
    of_blocks(&without, false);
    (void)unsetenv("ORRERY_ABLATE");
    ORR_CHECK_MSG(with < 1e-10 && with == without, "errors %g, %g", with, without);
}

static void an_unknown_mechanism_is_an_error_with_all_names(void)
{
    (void)setenv("ORRERY_ABLATE", "bundles,bundels", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EENV && strstr(orr_error_message(), "bundles") &&
              strstr(orr_error_message(), "handle_pool"));
    (void)unsetenv("ORRERY_ABLATE");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(passes_have_names_and_decisions),
                                      ORR_TEST(results_are_right_without_any_mechanism),
                                      ORR_TEST(a_long_call_of_one_matrix_borrows),
                                      ORR_TEST(exchanges_go_on_beside_tasks),
                                      ORR_TEST(the_blocks_of_a_factorisation_change_in_place),
                                      ORR_TEST(an_unknown_mechanism_is_an_error_with_all_names),
                                      { 0 } };
    return orr_test_main(argc, argv, "plan.passes", tests);
}
