/* Weights after several steps have the same bits for any held tensors: the loss alone, everything, or a reader of the old
 * weights.
 * Must not know: how the planner decides. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"
#include "tests/harness/harness.h"

/* The held tensors: the loss alone; all; also an expression that needs the old weights. */
typedef enum { LOSS, ALL, OLD } holding;
typedef struct {
    orr_dtype dtype;
    int64_t rows, in, wide;
} sizes;

static orr_tensor *draw(sizes z, int64_t m, int64_t n, double scale)
{
    return orr_cast(orr_mul(orr_randn(ORR_F32, ORR_SHAPE(m, n), 0.0, 1.0), orr_scalar(scale)), z.dtype);
}

/* Four steps that normalise a row, choose from it and weigh it, which the fuser groups in several ways. Copies the final weights
 * to `bytes`. */
static int train(sizes z, holding h, unsigned char *bytes, size_t size)
{
    int same = 0;
    orr_seed(7);
    orr_tensor *in = orr_keep(draw(z, z.rows, z.in, 1.0));
    orr_tensor *v = orr_keep(orr_variable(draw(z, z.in, z.wide, 0.1))), *back = orr_keep(draw(z, z.wide, z.in, 0.1));
    ORR_CHECK(orr_eval_all(ORR_TENSORS(in, v, back)) == ORR_OK);
    for (int k = 0; k < 4; k++) {
        const void *before = orr__node_value(orr__handle_node(v))->host;
        orr_scope *s = orr_scope_begin(), *inner = h == LOSS ? orr_scope_begin() : NULL;
        if (h == OLD)
            (void)orr_neg(v);
        orr_tensor *a = orr_tanh(orr_matmul(in, v)), *mean = orr_mean(a, ORR_AXES(1), true), *g;
        orr_tensor *c = orr_mul(orr_softmax(orr_sub(a, mean), -1), orr_exp(a));
        orr_tensor *loss = orr_mean(orr_square(orr_matmul(c, back)), ORR_AXES(0, 1), false);
        ORR_CHECK_MSG(orr_grad(loss, &v, 1, &g) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_assign(v, orr_sub(v, orr_mul(g, orr_scalar(0.5)))) == ORR_OK);
        if (h == LOSS) {
            loss = orr_scope_return(inner, loss);
            (void)orr_scope_end(inner);
        }
        ORR_CHECK_MSG(orr_eval(loss) == ORR_OK && orr_eval_all(NULL, 0) == ORR_OK, "%s", orr_error_message());
        (void)orr_scope_end(s);
        same += orr__node_value(orr__handle_node(v))->host == before;
    }
    ORR_CHECK_MSG(orr_read(v, bytes, size) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_free(v) == ORR_OK && orr_free(in) == ORR_OK && orr_free(back) == ORR_OK);
    return same;
}

static void held_values_change_no_bits(void)
{
    static const sizes z[] = { { ORR_F32, 64, 512, 512 }, { ORR_F64, 33, 129, 257 }, { ORR_F16, 16, 300, 400 },
                               { ORR_BF16, 8, 700, 90 },  { ORR_F32, 4, 20000, 16 }, { ORR_F32, 300, 128, 128 } };
    static unsigned char first[1 << 21], then[1 << 21];
    int in_place = 0;
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    for (int compiled = 0; compiled < 2; compiled++) {
        (void)setenv("ORRERY_JIT", compiled ? "wait" : "off", 1);
        ORR_REQUIRE(orr_init(NULL) == ORR_OK);
        for (size_t i = 0; i < (compiled ? 1 : sizeof z / sizeof *z); i++) {
            size_t size = (size_t)(z[i].in * z[i].wide) * orr_dtype_size(z[i].dtype);
            int none = train(z[i], OLD, first, size);
            for (holding h = LOSS; h <= ALL; h++) {
                orr_test_alarm();
                int n = train(z[i], h, then, size);
                in_place += h == ALL ? n : 0;
                ORR_CHECK(none == 0);
                ORR_CHECK_MSG(memcmp(first, then, size) == 0, "%zu, compiled: %d, held: %d, other bits", i, compiled,
                              h);
            }
        }
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
    printf("    %d steps in place with all held\n", in_place);
    ORR_CHECK(in_place > 0);
    (void)unsetenv("ORRERY_JIT");
    (void)unsetenv("ORRERY_INLINE_US");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(held_values_change_no_bits), { 0 } };
    return orr_test_main(argc, argv, "api.inplace_bits", tests);
}
