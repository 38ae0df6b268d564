/* Regions of random graphs with first and second derivatives never wait for one another: they have an order in which
 * they can run.
 * Must not know: what a region computes. */
#include "config.h"

#include <orrery.h>
#include "ops/ops.h"
#include "runtime/fuse/region.h"
#include "tests/harness/harness.h"

enum { SIDE = 6, LEAVES = 3, VALUES = 18, GRAPHS = 400 };

static unsigned long long state;

static int draw(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (unsigned)n);
}

/* A value of shape (SIDE, SIDE), like its operands: element-wise work, views, folds of rows and columns, products. */
static orr_tensor *next(orr_tensor *x, orr_tensor *y)
{
    static const float half[SIDE * SIDE];
    switch (draw(12)) {
    case 0: return orr_tanh(x);
    case 1: return orr_silu(x);
    case 2: return orr_mul(x, y);
    case 3: return orr_sub(x, y);
    case 4: return orr_mul(orr_transpose(x), y);
    case 5: return orr_add(orr_flip(x, ORR_AXES(1)), y);
    case 6: return orr_mul(orr_sum(x, ORR_AXES(0), true), y);
    case 7: return orr_sub(x, orr_mean(y, ORR_AXES(1), true));
    case 8: return orr_matmul(x, y);
    case 9: return orr_softmax(x, draw(2));
    case 10: return orr_mul(orr_std(x, ORR_AXES(draw(2)), 1, true), y);
    default: return orr_where(orr_less(x, orr_from(ORR_F32, ORR_SHAPE(SIDE, SIDE), half)), x, orr_square(y));
    }
}

static void check(int seed)
{
    static const float data[SIDE * SIDE];
    orr_scope *s = orr_scope_begin();
    orr_tensor *v[VALUES], *out[2 * LEAVES + 1], *sum = NULL;
    orr__node *node[2 * LEAVES + 1];
    orr__capture p;
    orr__regions rs;
    state = (unsigned long long)seed;
    for (int i = 0; i < VALUES; i++)
        v[i] = i < LEAVES ? orr_from(ORR_F32, ORR_SHAPE(SIDE, SIDE), data)
                          : next(v[draw(i)], v[i - 1 - draw(i < 4 ? i : 4)]);
    out[0] = orr_sum(v[VALUES - 1], ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(out[0], v, LEAVES, out + 1) == ORR_OK);
    for (int i = 0; i < LEAVES; i++) {
        orr_tensor *part = orr_sum(orr_square(out[1 + i]), ORR_ALL_AXES, false);
        sum = sum ? orr_add(sum, part) : part;
    }
    ORR_CHECK(orr_grad(sum, v, LEAVES, out + 1 + LEAVES) == ORR_OK);
    for (int i = 0; i < 2 * LEAVES + 1; i++)
        node[i] = orr__handle_node(out[i]);
    ORR_CHECK(orr__capture_make(ORR__SITE("t.c", 1, "test"), node, 2 * LEAVES + 1, &p) == ORR_OK);
    ORR_CHECK_MSG(orr__fuse(ORR__SITE("t.c", 1, "test"), &p, ORR__FUSE_TILES, &rs) == ORR_OK, "graph %d: %s", seed,
                  orr_error_message());
    orr__regions_free(&rs);
    orr__capture_free(&p);
    (void)orr_scope_end(s);
}

static void derivatives_of_random_graphs_have_an_order(void)
{
    for (int seed = 0; seed < GRAPHS; seed++)
        check(seed);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(derivatives_of_random_graphs_have_an_order), { 0 } };
    return orr_test_main(argc, argv, "fuse.order", tests);
}
