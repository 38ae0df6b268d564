/* Results in memory of the program: the same bits, no copy, nothing else written; reads without a wait.
 * Must not know: how a lane runs a plan. */
#include "config.h"

#include <orrery.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

enum { N = 200, LARGE = 1 << 20 /* elements */ };

static bool up(const char *engine, const char *inline_us)
{
    (void)setenv("ORRERY_CACHE_DIR", orr_test_kernels(), 1);
    (void)setenv("ORRERY_ENGINE", engine, 1);
    (void)setenv("ORRERY_INLINE_US", inline_us, 1);
    (void)setenv("STARPU_NCPU", "2", 1);
    bool is = orr_init(NULL) == ORR_OK;
    if (!is && orr_error_status() == ORR_EDEVICE)
        orr_error_clear();
    else
        ORR_CHECK_MSG(is, "%s", orr_error_message());
    return is;
}

static const char *const lanes[][2] = { { "serial", "auto" }, { "starpu", "0" }, { "starpu", "auto" } };
enum { LANES = sizeof lanes / sizeof *lanes };

/* A block between guards, at an odd multiple of the element's size. */
static double guarded[N * N + 3];
static double *const inside = guarded + 1;

static bool guards_stand(void)
{
    return guarded[0] == 7 && guarded[N * N + 1] == 7 && guarded[N * N + 2] == 7;
}

static double rows[N], want[N * N], want_rows[N];

/* a b + 1 and the sums of its rows, as tensors and into memory; an event or a wait. */
static void check_bits(orr_graph *g, orr_tensor *a, orr_tensor *b, bool event)
{
    orr_event *e = NULL;
    guarded[0] = guarded[N * N + 1] = guarded[N * N + 2] = 7;
    memset(inside, 0x55, sizeof want);
    memset(rows, 0x55, sizeof rows);
    orr_status st = orr_graph_submit_into(g, ORR_TENSORS(a, b),
                                          ORR_BUFFERS(ORR_BUFFER(inside, sizeof want), ORR_BUFFER(rows, sizeof rows)),
                                          event ? &e : NULL);
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(!event || orr_wait(e) == ORR_OK);
    ORR_CHECK(memcmp(inside, want, sizeof want) == 0 && memcmp(rows, want_rows, sizeof rows) == 0 && guards_stand());
}

static void same_bits_on(const char *const *lane)
{
    if (!up(lane[0], lane[1]))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(N, N)), *q = orr_placeholder(ORR_F64, ORR_SHAPE(N, N));
    orr_tensor *y = orr_add(orr_matmul(p, q), orr_scalar(1)), *sum = orr_sum(y, ORR_AXES(1), false), *r[2];
    orr_graph *g = orr_graph_build(ORR_TENSORS(p, q), ORR_TENSORS(y, sum));
    orr_tensor *a = orr_rand_keyed(ORR_F64, ORR_SHAPE(N, N), -1, 1, 3), *b = orr_transpose(a);
    ORR_CHECK(g && orr_graph_submit(g, ORR_TENSORS(a, b), r, 2, NULL) == ORR_OK);
    ORR_CHECK(orr_read(r[0], want, sizeof want) == ORR_OK && orr_read(r[1], want_rows, sizeof want_rows) == ORR_OK);
    for (int i = 0; i < 6; i++)
        check_bits(g, a, b, i % 2);
    orr_tensor *lazy = orr_mul(a, orr_scalar(1)); /* an input without a value so far */
    check_bits(g, lazy, b, true);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void results_in_memory_have_the_same_bits(void)
{
    for (int i = 0; i < LANES; i++)
        same_bits_on(lanes[i]);
}

/* A copy would need memory of the library for the value. */
static void no_result_is_copied(void)
{
    for (int i = 0; i < LANES; i++) {
        if (!up(lanes[i][0], lanes[i][1]))
            continue;
        orr_scope *s = orr_scope_begin();
        orr_tensor *p = orr_placeholder(ORR_F32, ORR_SHAPE(LARGE)), *x = orr_full(ORR_F32, ORR_SHAPE(LARGE), 2.0);
        orr_graph *g = orr_graph_build(ORR_TENSORS(p), ORR_TENSORS(orr_add(orr_mul(p, p), orr_scalar(1))));
        float *y = malloc(LARGE * sizeof *y);
        ORR_CHECK(g && y && orr_eval(x) == ORR_OK);
        for (int k = 0; k < 2 && y; k++) {
            orr_event *e = NULL;
            orr_memory_peak_reset();
            size_t before = orr_memory_stats().peak;
            ORR_CHECK(orr_graph_submit_into(g, ORR_TENSORS(x), ORR_BUFFERS(ORR_BUFFER(y, LARGE * sizeof *y)),
                                            k ? &e : NULL) == ORR_OK);
            ORR_CHECK(!k || orr_wait(e) == ORR_OK);
            size_t after = orr_memory_stats().peak;
            ORR_CHECK_MSG(after - before < sizeof *y * LARGE / 4, "%zu bytes more", after - before);
            ORR_CHECK(y[0] == 5 && y[LARGE - 1] == 5);
        }
        free(y);
        ORR_CHECK(orr_graph_free(g) == ORR_OK);
        orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* Outputs that are an input, twice the same, and of a field. */
static void outputs_that_have_memory_of_their_own_are_copied(void)
{
    ORR_REQUIRE(up("serial", "auto"));
    double x[3] = { 1, 2, 3 }, same[3] = { 0 }, twice[2][3] = { { 0 } };
    uint64_t element[4] = { 0 }, five[4] = { 5 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(3)), *f = orr_placeholder(ORR_FR254, ORR_SHAPE(1));
    orr_tensor *y = orr_neg(p),
               *values[2] = { orr_from(ORR_F64, ORR_SHAPE(3), x), orr_from(ORR_FR254, ORR_SHAPE(1), five) };
    orr_graph *g = orr_graph_build(ORR_TENSORS(p, f), ORR_TENSORS(p, y, y, orr_add(f, f)));
    orr_event *e = NULL;
    orr_status st =
        orr_graph_submit_into(g, values, 2,
                              ORR_BUFFERS(ORR_BUFFER(same, sizeof same), ORR_BUFFER(twice[0], sizeof twice[0]),
                                          ORR_BUFFER(twice[1], sizeof twice[1]), ORR_BUFFER(element, sizeof element)),
                              &e);
    ORR_CHECK_MSG(st == ORR_OK && orr_wait(e) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(memcmp(same, x, sizeof x) == 0 && twice[0][2] == -3 && twice[1][2] == -3 && twice[1][0] == -1);
    ORR_CHECK(element[0] == 10 && !element[1] && !element[2] && !element[3]);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void wrong_memory_is_refused(void)
{
    ORR_REQUIRE(up("serial", "auto"));
    double x[4] = { 1, 2, 3, 4 }, y[8] = { 0 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_placeholder(ORR_F64, ORR_SHAPE(4)), *v = orr_wrap(ORR_F64, ORR_SHAPE(4), x, NULL, NULL);
    orr_graph *g = orr_graph_build(ORR_TENSORS(p), ORR_TENSORS(orr_neg(p), orr_exp(p)));
    const orr_buffer wrong[][2] = { { { y, 24 }, { y + 4, 32 } },         /* too short  */
                                    { { NULL, 32 }, { y + 4, 32 } },      /* no memory  */
                                    { { (char *)y + 4, 32 }, { x, 32 } }, /* unaligned  */
                                    { { y, 32 }, { y + 3, 32 } },         /* overlapping */
                                    { { y, 32 }, { x + 0, 32 } } };       /* an input   */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ORR_CHECK_MSG(orr_graph_submit_into(g, ORR_TENSORS(v), wrong[i], 2, NULL) == ORR_EINVAL, "case %zu", i);
    ORR_CHECK(orr_graph_submit_into(g, ORR_TENSORS(v), wrong[0], 1, NULL) == ORR_EINVAL);
    ORR_CHECK(orr_graph_submit_into(g, ORR_TENSORS(v), NULL, 2, NULL) == ORR_EINVAL);
    ORR_CHECK(y[0] == 0 && x[0] == 1);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void read_async_writes_the_value_by_its_wait(void)
{
    for (int i = 0; i < LANES; i++) {
        if (!up(lanes[i][0], lanes[i][1]))
            continue;
        double got[2][3] = { { 0 } }, x[3] = { 1, 2, 3 };
        uint64_t seven[4] = { 7 }, element[4] = { 0 };
        orr_event *e[3] = { NULL };
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = orr_mul(orr_from(ORR_F64, ORR_SHAPE(3), x), orr_scalar(2));
        ORR_CHECK(orr_read_async(t, got[0], 8, &e[0]) == ORR_EINVAL && !e[0]);
        ORR_CHECK(orr_read_async(t, got[0], 24, NULL) == ORR_EINVAL);
        ORR_CHECK(orr_read_async(t, got[0], 24, &e[0]) == ORR_OK);
        ORR_CHECK(orr_read_async(t, got[1], 24, &e[1]) == ORR_OK); /* under way, or complete */
        ORR_CHECK(orr_read_async(orr_neg(orr_from(ORR_FR254, ORR_SHAPE(1), seven)), element, 32, &e[2]) == ORR_OK);
        orr_scope_end(s); /* the tensors are gone */
        for (int k = 0; k < 3; k++)
            ORR_CHECK_MSG(orr_wait(e[k]) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(got[0][0] == 2 && got[0][2] == 6 && memcmp(got[0], got[1], 24) == 0);
        ORR_CHECK(element[0] == 0x43e1f593effffffaull); /* the low limb of r − 7 */
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(results_in_memory_have_the_same_bits),
                                      ORR_TEST(no_result_is_copied),
                                      ORR_TEST(outputs_that_have_memory_of_their_own_are_copied),
                                      ORR_TEST(wrong_memory_is_refused),
                                      ORR_TEST(read_async_writes_the_value_by_its_wait),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.output_buffers", tests);
}
