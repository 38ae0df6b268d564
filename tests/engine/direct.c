/* Plans of one step that the calling thread runs directly: which plans they are, and values that are those of the usual way.
 * Must not know: StarPU, kernels. */
#include "config.h"

#include <math.h>
#include <orrery.h>
#include <string.h>
#include "runtime/base/ablation.h"
#include "runtime/base/buffer.h"
#include "runtime/plan/plan.h"
#include "tests/harness/harness.h"
#include "tests/harness/plan_help.h"

static bool is_direct(orr_tensor *y)
{
    orr__capture c;
    orr__plan *p;
    bool direct = false;
    orr__node *n = orr__handle_node(y);
    ORR_CHECK(orr__capture_make(ORR__SITE(NULL, 0, "test"), &n, 1, &c) == ORR_OK);
    if (orr__plan_get(ORR__SITE(NULL, 0, "test"), &c, &p) == ORR_OK) {
        direct = p->lanes.direct;
        orr__plan_unref(p);
    }
    orr__capture_free(&c);
    return direct;
}

static void one_step_from_leaves_to_outputs_is_direct(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(4, 4), (float[16]){ 1, 2, 3, 4 }),
               *big = orr_ones(ORR_F32, ORR_SHAPE(300, 300));
    ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(big) == ORR_OK);
    ORR_CHECK(is_direct(orr_add(x, x)));
    ORR_CHECK(is_direct(orr_exp(orr_mul(orr_add(x, x), orr_scalar(0.5)))));
    ORR_CHECK(is_direct(orr_sum(orr_square(x), ORR_AXES(1), false)));
    ORR_CHECK(!is_direct(orr_cumulative_sum(x, 0, false))); /* its kernel may ask for facts of the leaf */
    ORR_CHECK(!is_direct(orr_add(orr_cumulative_sum(x, 0, false), orr_sum(x, ORR_AXES(0), true)))); /* several steps */
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

enum { CASES = 6, MOST = 64 };

static orr_tensor *recorded(int k, orr_tensor *x, orr_tensor *row)
{
    switch (k) {
    case 0: return orr_add(x, row);
    case 1: return orr_exp(orr_mul(orr_sub(x, row), orr_scalar(0.25)));
    case 2: return orr_sum(orr_mul(x, row), ORR_AXES(1), false);
    case 3: return orr_less(x, row);
    case 4: return orr_max(x, ORR_ALL_AXES, false);
    default:
        return orr_add(orr_slice(x, ORR_INDEX(0, 0), ORR_INDEX(0, 3), ORR_INDEX(1, 1)),
                       orr_scalar(1)); /* no elements */
    }
}

/* The bytes of all cases one after the other. */
static size_t bits(orr_tensor *x, orr_tensor *row, char to[CASES * MOST])
{
    size_t at = 0;
    for (int k = 0; k < CASES; k++) {
        orr_tensor *y = recorded(k, x, row);
        size_t bytes = (size_t)orr_tensor_size(y) * orr_dtype_size(orr_tensor_dtype(y));
        ORR_CHECK_MSG(bytes <= MOST && orr_read(y, to + at, bytes) == ORR_OK, "case %d: %s", k, orr_error_message());
        at += bytes;
    }
    return at;
}

static void begin_with(const char *ablated)
{
    ORR_CHECK(orr_shutdown() == ORR_OK &&
              (ablated ? setenv("ORRERY_ABLATE", ablated, 1) : unsetenv("ORRERY_ABLATE")) == 0);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    ORR_CHECK(orr__ablated(ORR__OFF_INLINE_LANE) == (ablated != NULL));
}

/* The bits of all cases, and the sums of rows beside a NaN. */
static size_t session(char to[CASES * MOST])
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(2, 3), (float[]){ 1, -2, 3.5F, 0, NAN, 7 });
    size_t n = bits(x, orr_from(ORR_F32, ORR_SHAPE(3), (float[]){ 0.5F, 2, -1 }), to);
    float sums[2];
    ORR_CHECK(orr_read(recorded(2, x, orr_ones(ORR_F32, ORR_SHAPE(3))), sums, sizeof sums) == ORR_OK);
    ORR_CHECK_MSG(sums[0] == 2.5F && isnan(sums[1]), "%g %g", (double)sums[0], (double)sums[1]);
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
    return n;
}

static void direct_values_are_those_of_the_usual_way(void)
{
    char direct[CASES * MOST], usual[CASES * MOST];
    size_t n = session(direct);
    begin_with("inline_lane");
    size_t m = session(usual);
    begin_with(NULL);
    ORR_CHECK(n == m && memcmp(direct, usual, n) == 0);
}

static void refused_memory_is_an_error_and_leaves_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(4), (float[]){ 1, 2, 3, 4 });
    ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(orr_add(x, x)) == ORR_OK); /* planned */
    size_t live = orr__pool_get_stats().live;
    int refused = 0;
    for (int k = 0; k < 3; k++) { /* the first tries may succeed after all: the engine gives back what it keeps */
        orr_tensor *y = orr_add(x, x);
        float v[4];
        orr__pool_fail_after(k);
        orr_status st = orr_eval(y);
        orr__pool_fail_after(-1);
        refused += st == ORR_ENOMEM;
        size_t now = orr__pool_get_stats().live;
        ORR_CHECK_MSG(st == ORR_OK || (st == ORR_ENOMEM && now <= live), "%d: status %d, %zu bytes after %zu", k,
                      (int)st, now, live);
        ORR_CHECK(orr_read(y, v, sizeof v) == ORR_OK && v[3] == 8);
        ORR_CHECK(orr_free(y) == ORR_OK);
    }
    ORR_CHECK_MSG(refused > 0, "nothing was refused");
    ORR_CHECK(orr_scope_end(s) == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(one_step_from_leaves_to_outputs_is_direct),
                                      ORR_TEST(direct_values_are_those_of_the_usual_way),
                                      ORR_TEST(refused_memory_is_an_error_and_leaves_nothing),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "engine.direct", tests);
    (void)orr_shutdown();
    return rc;
}
