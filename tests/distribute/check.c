/* orr_check and ORRERY_CHECK over ranks: every rank names the same line and the same element of the whole.
 * Must not know: how a value moves. */
#include "config.h"

#include <orrery.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/ranks.h"

enum { ROWS = 24, COLUMNS = 5, PLACE = 17 * COLUMNS + 3 };

static void has(const char *text, const char *place, const char *more)
{
    ORR_CHECK_MSG(strstr(text, place) && strstr(text, more), "\"%s\" should have \"%s\" and \"%s\"", text, place, more);
}

/* One element is 0. */
static orr_tensor *sharded(orr_grid *g)
{
    float data[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i == PLACE ? 0 : (float)(i + 2);
    return orr_shard(orr_from(ORR_F32, ORR_SHAPE(ROWS, COLUMNS), data), g, ORR_AXES(0));
}

static void the_line_is_named_on_every_rank(void)
{
    char place[64];
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = sharded(g), *y = orr_div(orr_mul(x, orr_scalar(2)), orr_neg(x));
    (void)snprintf(place, sizeof place, "check.c:%d: div: ", __LINE__ - 1);
    orr_tensor *kept = orr_add(y, orr_scalar(1)), *total = orr_sum(orr_square(y), ORR_ALL_AXES, false);
    ORR_CHECK(orr_check(total) == ORR_ENUMERIC);
    has(orr_error_message(), place, "element [17, 3] is ");
    has(orr_error_message(), place, "made from 0 and -0");
    ORR_CHECK(orr_check(kept) == ORR_ENUMERIC);
    has(orr_error_message(), place, "element [17, 3] is ");
    ORR_CHECK_MSG(orr_check(orr_sum(x, ORR_AXES(0), false)) == ORR_OK, "%s", orr_error_message());
    orr_tensor *w = orr_ones(ORR_F32, ORR_SHAPE(COLUMNS, 2)), *product = orr_matmul(orr_log(x), w);
    (void)snprintf(place, sizeof place, "check.c:%d: log: ", __LINE__ - 1);
    ORR_CHECK(orr_check(orr_relu(orr_neg(product))) == ORR_ENUMERIC);
    has(orr_error_message(), place, "element [17, 3] is -inf, made from 0");
    orr_grid_free(g);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int said;
static char last[512];

static void hear(orr_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    if (!strstr(line, "element"))
        return;
    said++;
    (void)snprintf(last, sizeof last, "%s", line);
}

/* An explicit graph over ranks, and steps that go on. */
static void a_loop_goes_on_and_says_it_once(void)
{
    char place[64];
    (void)setenv("ORRERY_CHECK", "nonfinite", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    said = 0;
    orr_log_to(hear, NULL);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *in = orr_placeholder(ORR_F32, ORR_SHAPE(ROWS, COLUMNS)), *out = orr_log(orr_abs(in));
    (void)snprintf(place, sizeof place, "check.c:%d: log: ", __LINE__ - 1);
    out = orr_mul(out, orr_scalar(3));
    orr_graph *graph = orr_graph_build(&in, 1, &out, 1);
    ORR_REQUIRE(graph);
    orr_tensor *x = sharded(g), *result;
    for (int i = 0; i < 3; i++) {
        ORR_CHECK_MSG(orr_graph_submit(graph, &x, 1, &result, 1, NULL) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(said == 1);
    }
    has(last, place, "element [17, 3] is -inf");
    ORR_CHECK(orr_graph_free(graph) == ORR_OK);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    orr_log_to(NULL, NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_CHECK");
}

static void integers_are_named_on_every_rank(void)
{
    char place[64];
    double total = 0;
    (void)setenv("ORRERY_CHECK", "overflow,bounds", 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    said = 0;
    orr_log_to(hear, NULL);
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_cast(sharded(g), ORR_I32), *zero = orr_equal(x, orr_scalar(0));
    orr_tensor *large = orr_where(zero, orr_full(ORR_I32, ORR_SHAPE_0D, 2000000000), x), *twice = orr_add(large, large);
    (void)snprintf(place, sizeof place, "check.c:%d: add: ", __LINE__ - 1);
    ORR_CHECK(orr_item(orr_sum(orr_cast(twice, ORR_I64), ORR_ALL_AXES, false), &total) == ORR_OK);
    ORR_CHECK_MSG(said == 1, "%d: %s", said, last);
    has(last, place, "element [17, 3] is -294967296, made from 2000000000 and 2000000000: int32");
    orr_grid_free(g);
    (void)orr_scope_end(s);
    orr_log_to(NULL, NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_CHECK");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_line_is_named_on_every_rank),
                                      ORR_TEST(a_loop_goes_on_and_says_it_once),
                                      ORR_TEST(integers_are_named_on_every_rank),
                                      { 0 } };
    static const int sizes[] = { 1, 2, 3, 0 };
    return orr_test_ranks_main(argc, argv, "distribute.check", tests, sizes);
}
