/* orr_explain reports the fate of each kernel, for each value between two kernels the reason why it is stored, and
 * the bytes that fusion saves; its DOT has a frame for each kernel.
 * Must not know: how regions are chosen. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"
#include "runtime/plan/plan.h"
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"

static orr_tensor *leaf(orr_shape shape)
{
    static const float data[4096];
    return orr_from(ORR_F32, shape, data);
}

static void has(const char *text, const char *word)
{
    ORR_CHECK_MSG(strstr(text, word) != NULL, "no \"%s\" in\n%s", word, text);
}

static void chain_bytes_are_exact(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_relu(orr_add(orr_mul(leaf(ORR_SHAPE(1000)), orr_scalar(2)), orr_scalar(1)));
    char *text = explained_text(y);
    has(text, "1 kernel\n"); /* 4 kB in, 4 kB out; three separate calls: three times that */
    has(text, "bytes moved: 8.0 kB; one kernel per call: 24 kB (3.0 times); saved: 16 kB");
    ORR_CHECK(words_in(text, "stays in the kernel, 4.0 kB") == 2 && words_in(text, "-> memory, 4.0 kB") == 1);
    ORR_CHECK(words_in(text, "an existing value") == 1 && words_in(text, "not fused") == 0);
    free(text);
    (void)orr_scope_end(s);
}

static void explain_counts_stored_bytes_of_views(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(40, 25));
    char *text = explained_text(orr_transpose(x));
    has(text, "bytes moved: 8.0 kB; one kernel per call: 8.0 kB (1.0 times); saved: 0 B");
    free(text);
    text = explained_text(orr_zeros(ORR_F32, ORR_SHAPE(1000)));
    has(text, "bytes moved: 4.0 kB; one kernel per call: 4.0 kB (1.0 times); saved: 0 B");
    free(text);
    text = explained_text(orr_sum(x, ORR_AXES(0), false));
    char *later = explained_text(orr_exp(orr_placeholder(ORR_F32, ORR_SHAPE(9))));
    has(later, ", given at submission");
    free(later);
    has(text, "read as they lie, in no kernel of their own:\n    %2   reshape ");
    ORR_CHECK_MSG(words_in(text, "in several kernels") == 0, "%s", text);
    free(text);
    (void)orr_scope_end(s);
}

static void every_value_between_kernels_has_its_reason(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(32, 16)), *w = leaf(ORR_SHAPE(16, 16));
    orr_tensor *columns = orr_exp(orr_sum(orr_exp(x), ORR_AXES(0), true));
    orr_tensor *twice = orr_matmul(orr_tanh(orr_matmul(x, w)), w), *other = orr_mul(x, columns);
    orr_tensor *rows[7] = { twice, other, x, x, x, x, x };
    char *text = explained_text(orr_argmax(orr_concat(rows, 7, 0), 1, false));
    int between = words_in(text, ", of kernel ");
    ORR_CHECK_MSG(between >= 5 && words_in(text, "; not fused: ") == between, "%s", text);
    has(text, "a matrix product reads its operands many times over");
    has(text, "the kernel that reads it needs the whole array in memory");
    free(text);
    (void)orr_scope_end(s);
}

static void kernels_have_a_key_and_a_tier(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_sqrt(orr_add(orr_abs(leaf(ORR_SHAPE(40, 100))), leaf(ORR_SHAPE(100))));
    char *text = explained_text(y);
    has(text, "key ");
    has(text, orr__env.jit == ORR__JIT_OFF ? "CPU: tier 0" : "CPU: tier 0, not compiled yet; 1 tile");
    free(text);
    if (orr__env.jit == ORR__JIT_OFF || orr_warmup(y) != ORR_OK)
        ORR_SKIP("nothing is compiled here");
    text = explained_text(y);
    if (strstr(text, "could not be compiled"))
        printf("    there is no compiler here\n");
    else
        has(text, "CPU: tier 1, compiled");
    free(text);
    (void)orr_scope_end(s);
}

static void explain_reports_fusion_off(void)
{
    orr_scope *s = orr_scope_begin();
    bool before = orr__env.fuse;
    orr__env.fuse = false;
    orr__plan_cache_clear();
    char *text = explained_text(orr_relu(orr_exp(leaf(ORR_SHAPE(8)))));
    has(text, "2 kernels");
    has(text, "not fused: ORRERY_FUSE=off");
    free(text);
    orr__env.fuse = before;
    orr__plan_cache_clear();
    (void)orr_scope_end(s);
}

static void dot_has_a_frame_per_kernel(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_matmul(orr_exp(leaf(ORR_SHAPE(16, 16))), leaf(ORR_SHAPE(16, 16)));
    for (int after = 0; after < 2; after++) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);
        ORR_REQUIRE(to != NULL);
        ORR_CHECK(orr_explain_dot(to, y, after) == ORR_OK);
        (void)fclose(to);
        ORR_CHECK(strncmp(text, "digraph", 7) == 0 && words_in(text, "{") == words_in(text, "}"));
        ORR_CHECK_MSG(words_in(text, "subgraph cluster_") == (after ? 2 : 0), "%s", text);
        free(text);
    }
    (void)orr_scope_end(s);
}

static void evaluated_tensor_needs_no_kernel(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_exp(leaf(ORR_SHAPE(16)));
    ORR_CHECK(orr_eval(y) == ORR_OK);
    char *text = explained_text(y);
    has(text, "0 kernels");
    free(text);
    (void)orr_scope_end(s);
}

static void each_lane_offers_a_time_or_a_reason(void)
{
    orr_scope *s = orr_scope_begin();
    int64_t before = orr__env.inline_us;
    if (!strcmp(orr__engine_name(), "serial"))
        ORR_SKIP("there is one lane");
    char *text = explained_text(orr_exp(leaf(ORR_SHAPE(16))));
    has(text, "lanes: the calling thread: 0 µs; a crew: ");
    has(text, "; tasks: no, a task takes longer than its work\n");
    free(text);
    orr__env.inline_us = 0;
    text = explained_text(orr_exp(leaf(ORR_SHAPE(16))));
    has(text, "lanes: the calling thread: no, ORRERY_INLINE_US; a crew: no, ORRERY_INLINE_US; tasks: ");
    ORR_CHECK(words_in(text, "tasks: no") == 0);
    free(text);
    orr__env.inline_us = before;
    (void)orr_scope_end(s);
}

/* The rows of compiled loops: a cost for each nest, or a reason; the least cost is chosen. */
static void each_nest_has_a_cost_or_a_reason(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = leaf(ORR_SHAPE(1024, 3)), *row = leaf(ORR_SHAPE(3));
    char *text = explained_text(orr_add(x, row));
    has(text, "rows in compiled loops: one by one: ");
    has(text, " additions a row; side by side: ");
    has(text, "joined: 0.562 additions a row, chosen\n");
    free(text);
    text = explained_text(orr_softmax(leaf(ORR_SHAPE(256, 10)), -1));
    has(text, " additions a row, chosen; joined: no, they are folded\n");
    free(text);
    text = explained_text(orr_exp(leaf(ORR_SHAPE(4, 1000))));
    has(text, "chosen; side by side: no, ");
    free(text);
    (void)orr_scope_end(s);
}

/* After a run, a plan reports the measured time beside the predicted one. */
static void time_is_predicted_and_taken(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(512, 1024), 0.0, 1.0);
    ORR_REQUIRE(orr_eval(x) == ORR_OK);
    char *text = explained_text(orr_tanh(orr_mul(x, x)));
    has(text, "a task: CPU ");
    has(text, " us (estimated)");
    ORR_CHECK(words_in(text, "regret") == 0);
    free(text);
    ORR_REQUIRE(orr_eval(orr_tanh(orr_mul(x, x))) == ORR_OK);
    text = explained_text(orr_tanh(orr_mul(x, x)));
    has(text, " times on CPU: ");
    has(text, " us each, regret ");
    free(text);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(chain_bytes_are_exact),
                                      ORR_TEST(explain_counts_stored_bytes_of_views),
                                      ORR_TEST(every_value_between_kernels_has_its_reason),
                                      ORR_TEST(kernels_have_a_key_and_a_tier),
                                      ORR_TEST(explain_reports_fusion_off),
                                      ORR_TEST(dot_has_a_frame_per_kernel),
                                      ORR_TEST(evaluated_tensor_needs_no_kernel),
                                      ORR_TEST(each_lane_offers_a_time_or_a_reason),
                                      ORR_TEST(each_nest_has_a_cost_or_a_reason),
                                      ORR_TEST(time_is_predicted_and_taken),
                                      { 0 } };
    (void)setenv("ORRERY_CACHE_DIR", orr_test_tmp("kernels"),
                 1); /* a kernel of another program would be known already */
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.explain", tests);
    (void)orr_shutdown();
    return rc;
}
