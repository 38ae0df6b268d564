/* Graphs of great depth: what the stack, or the square of the number of steps, would bound.
 * Must not know: how graphs are walked. */
#include "config.h"

#include <stdlib.h>
#include <time.h>
#include <orrery.h>
#include "tests/harness.h"

static void a_hundred_thousand_views_are_seen_through(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    static const float x[6] = { 1, 2, 3, 4, 5, 6 };
    orr_tensor *t = orr_from(ORR_F32, ORR_SHAPE(2, 3), x), *flipped = t, *of = t, *dx = NULL;
    for (int i = 0; i < 99999; i++)
        t = orr_transpose(t);
    for (int i = 0; i < 99999; i++)
        flipped = i % 3 == 0   ? orr_expand_dims(flipped, 0)
                  : i % 3 == 1 ? orr_squeeze(flipped, ORR_AXES(0))
                               : orr_flip(flipped, ORR_AXES(1));
    float y[6] = { 0 };
    ORR_CHECK(orr_read(t, y, sizeof y) == ORR_OK && y[0] == 1 && y[1] == 4 && y[2] == 2 && y[5] == 6);
    orr_tensor *loss = orr_sum(orr_mul(flipped, flipped), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(loss, &of, 1, &dx) == ORR_OK);
    ORR_CHECK(orr_read(dx, y, sizeof y) == ORR_OK && y[0] == 2 && y[5] == 12);
    ORR_CHECK(orr_read(flipped, y, sizeof y) == ORR_OK && y[0] == 3 && y[5] == 4);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* Processor's seconds until n products, one after the other, have their value. */
static double products(int n)
{
    static const float one[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
    clock_t begin = clock();
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_from(ORR_F32, ORR_SHAPE(4, 4), one), *t = w;
    for (int i = 0; i < n; i++)
        t = orr_matmul(t, w);
    double trace = 0;
    ORR_CHECK(orr_item(orr_sum(t, ORR_ALL_AXES, false), &trace) == ORR_OK && trace == 4);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static void ten_thousand_steps_are_planned_in_seconds(void)
{
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    double took = products(10000);
    ORR_CHECK_MSG(took < 20, "%.1f s of processor time", took);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_hundred_thousand_views_are_seen_through),
                                      ORR_TEST(ten_thousand_steps_are_planned_in_seconds),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.deep", tests);
}
