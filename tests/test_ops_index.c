/* Indexing, joining, softmax and losses, against NumPy.
 * Must not know: how a value is computed. */
#include "config.h"

#include "tests/ops_help.h"

static void take_and_scatter_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "take", "scatter_add", "one_hot", "tril", "triu", NULL });
}

static void joins_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "concat", "stack", "pad", NULL });
}

static void softmax_and_losses_agree_with_numpy(void)
{
    help_numpy("numpy/index.txt", (const char *const[]){ "softmax", "log_softmax", "cross_entropy", "mse", NULL });
}

static void index_out_of_range_is_found_by_evaluation(void)
{
    for (int k = 0; k < 2; k++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_arange(ORR_F32, 0, 4, 1);
        orr_tensor *i = orr_full(ORR_I64, ORR_SHAPE(2), k ? -5 : 4);
        orr_tensor *t = orr_take(x, i, 0);
        orr_tensor *u = orr_scatter_add(x, i, orr_scalar(1), 0);
        float v[4];
        ORR_CHECK(orr_read(t, v, sizeof v) == ORR_EINDEX);
        ORR_CHECK(orr_read(u, v, sizeof v) == ORR_EINDEX);
        ORR_CHECK(orr_read(x, v, sizeof v) == ORR_OK && v[3] == 3);
        (void)orr_scope_end(s);
    }
}

static void huge_unsigned_index_does_not_turn_negative(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 4, 1);
    float v[1];
    uint64_t huge = UINT64_MAX;
    orr_tensor *t = orr_take(x, orr_from(ORR_U64, ORR_SHAPE(1), &huge), 0);
    ORR_CHECK(orr_read(t, v, sizeof v) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "index 9223372036854775807 or more"), "%s", orr_error_message());
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(take_and_scatter_agree_with_numpy),          ORR_TEST(joins_agree_with_numpy),
        ORR_TEST(softmax_and_losses_agree_with_numpy),        ORR_TEST(index_out_of_range_is_found_by_evaluation),
        ORR_TEST(huge_unsigned_index_does_not_turn_negative), { 0 }
    };
    return help_main(argc, argv, "ops.index", tests);
}
