/* Held tensors that nobody requests: from the third evaluation on a dear one has a value, and a cheap one never has.
 * Must not know: plans. */
#include "config.h"
#include <orrery.h>
#include <string.h>
#include "runtime/graph/node.h"
#include "tests/harness/ops_help.h"

static bool has_value(const orr_tensor *t)
{
    return orr__node_value(orr__handle_node(t)) != NULL;
}

/* The sum of f·t, each time another graph. */
static double use(orr_tensor *t, int i)
{
    double v = -1;
    ORR_CHECK(orr_item(orr_sum(orr_mul(t, orr_scalar(i + 1)), ORR_ALL_AXES, false), &v) == ORR_OK);
    return v;
}

/* The value after each of five uses, and equal results. */
static void uses(orr_tensor *t, bool kept)
{
    double first = use(t, 0);
    ORR_CHECK(!has_value(t));
    for (int i = 1; i < 5; i++) {
        double v = use(t, 0);
        ORR_CHECK_MSG(memcmp(&v, &first, sizeof v) == 0, "use %d: %.17g, first %.17g", i, v, first);
        ORR_CHECK_MSG(has_value(t) == (kept && i >= 2), "use %d of %s", i, orr__handle_node(t)->op->name);
    }
}

static void dear_values_are_kept_from_the_third_time_on(void)
{
    orr_scope *s = orr_scope_begin();
    uses(orr_randn(ORR_F32, ORR_SHAPE(64, 64), 0, 1), true);
    uses(orr_matmul(orr_ones(ORR_F64, ORR_SHAPE(16, 16)), orr_full(ORR_F64, ORR_SHAPE(16, 16), 0.1)), true);
    uses(orr_cumulative_sum(orr_rand(ORR_F64, ORR_SHAPE(500), 0, 1), 0, false), true);
    uses(orr_sum(orr_rand(ORR_F64, ORR_SHAPE(50, 60), 0, 1), ORR_AXES(1), false), true);
    orr_tensor *chain = orr_arange(ORR_F64, 0, 100, 1);
    for (int i = 0; i < 40; i++)
        chain = orr_mul(orr_add(chain, orr_scalar(1)), orr_scalar(0.5));
    uses(chain, true);
    (void)orr_scope_end(s);
}

static void cheap_values_are_computed_again(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(64, 64), 0, 1);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    uses(orr_add(x, orr_scalar(1)), false);
    uses(orr_transpose(x), false);
    (void)orr_scope_end(s);
}

/* A value that only the graph holds is needed for no other evaluation. */
static void values_without_a_holder_are_not_kept(void)
{
    for (int i = 0; i < 5; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *r = orr_randn(ORR_F32, ORR_SHAPE(64, 64), 0, 1), *x = orr_sum(r, ORR_ALL_AXES, false);
        orr_tensor *y = orr_sub(r, r);
        ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(y) == ORR_OK);
        ORR_CHECK(!has_value(r));
        (void)orr_scope_end(s);
    }
}

/* As an evaluated loss has, a kept value has its history. */
static void gradients_flow_through_a_kept_value(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(orr_full(ORR_F64, ORR_SHAPE(8, 8), 0.5)), *g = NULL;
    orr_tensor *h = orr_matmul(x, x);
    for (int i = 0; i < 4; i++)
        (void)use(h, i);
    ORR_CHECK(has_value(h));
    ORR_CHECK(orr_grad(orr_sum(h, ORR_ALL_AXES, false), &x, 1, &g) == ORR_OK);
    double v[64]; /* each element is the sum of a row and of a column of x */
    ORR_CHECK(orr_read(g, v, sizeof v) == ORR_OK && v[0] == 8 && v[63] == 8);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(dear_values_are_kept_from_the_third_time_on),
                                      ORR_TEST(cheap_values_are_computed_again),
                                      ORR_TEST(values_without_a_holder_are_not_kept),
                                      ORR_TEST(gradients_flow_through_a_kept_value),
                                      { 0 } };
    return help_main(argc, argv, "graph.kept_again", tests);
}
