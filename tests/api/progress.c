/* Reports of progress, and the warning about nodes that are recorded without an evaluation.
 * Must not know: how work is counted. */
#include "config.h"

#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static const char *const lanes[][2] = { { "serial", "auto" }, { "starpu", "0" } };
enum { LANES = sizeof lanes / sizeof *lanes, CALLS = 20 };

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

/* -- progress ------------------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t done, planned;
    int reports, backwards;
    orr_status evaluated;
    orr_tensor *lazy;
    orr_event *cancels; /* at the first report; NULL: no */
} heard;

static void hear(int64_t done, int64_t planned, void *user)
{
    heard *h = user;
    h->backwards += done < h->done || planned < 1 || done > planned;
    h->done = done;
    h->planned = planned;
    if (h->reports++ == 0 && h->lazy)
        h->evaluated = orr_eval(h->lazy);
    if (h->cancels)
        (void)orr_cancel(h->cancels);
}

static int sleeps(const orr_kernel_args *a)
{
    (void)usleep(20000);
    *(double *)a->out = *(const double *)a->in[0].data + 1;
    return 0;
}

static orr_tensor *long_work(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    orr_op *op = orr_define_kernel(&def);
    orr_tensor *x = orr_zeros(ORR_F64, ORR_SHAPE(1));
    for (int i = 0; i < CALLS; i++)
        x = orr_apply(op, ORR_TENSORS(x));
    return x;
}

static void long_evaluations_report_their_progress(void)
{
    for (int i = 0; i < LANES; i++) {
        double item = 0;
        if (!up(lanes[i][0], lanes[i][1]))
            continue;
        orr_scope *s = orr_scope_begin();
        heard h = { .lazy = orr_exp(orr_ones(ORR_F64, ORR_SHAPE(2))) }, none = { 0 };
        orr_progress_to(hear, &h);
        ORR_CHECK(orr_item(long_work(), &item) == ORR_OK && item == CALLS);
        ORR_CHECK_MSG(h.reports >= 2 && h.done == h.planned && h.backwards == 0, "%d reports, %d of %d", h.reports,
                      (int)h.done, (int)h.planned);
        ORR_CHECK(h.evaluated == ORR_ESTATE);
        orr_progress_to(NULL, NULL);
        int before = h.reports;
        ORR_CHECK(orr_eval(long_work()) == ORR_OK && h.reports == before);
        orr_progress_to(hear, &none);
        ORR_CHECK(orr_eval(h.lazy) == ORR_OK && none.reports == 0); /* short */
        none.cancels = orr_cancellable_begin(3600);
        ORR_CHECK(orr_eval(long_work()) == ORR_ECANCELLED && none.reports >= 1 && none.done < none.planned);
        ORR_CHECK(orr_cancellable_end(none.cancels) == ORR_OK);
        orr_progress_to(NULL, NULL);
        orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* -- nodes -------------------------------------------------------------------------------------------------------------------- */

static char warning[1024];
static int warnings;

static void take(orr_log_level level, const char *text, void *user)
{
    (void)user;
    if (level != ORR_LOG_WARNING || !strstr(text, "without an evaluation"))
        return;
    warnings++;
    (void)snprintf(warning, sizeof warning, "%s", text);
}

/* Of four nodes of a round three are of one line. */
static int record(int rounds, bool evaluates)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F64, ORR_SHAPE(3)), *one = orr_ones(ORR_F64, ORR_SHAPE(3));
    int line = 0;
    for (int i = 0; i < rounds; i++) {
        x = orr_neg(x);
        line = __LINE__ + 1;
        x = orr_add(orr_mul(orr_add(x, one), one), one);
        if (evaluates && i % 100 == 99)
            ORR_CHECK(orr_eval(x) == ORR_OK);
    }
    orr_scope_end(s);
    return line;
}

static void a_loop_that_only_records_is_named(void)
{
    char want[64];
    (void)setenv("ORRERY_NODES", "20000", 1);
    ORR_REQUIRE(up("serial", "auto"));
    orr_log_to(take, NULL);
    (void)record(2000, false);
    ORR_CHECK_MSG(warnings == 0, "%s", warning);
    (void)record(30000, true);
    ORR_CHECK_MSG(warnings == 0, "%s", warning);
    int line = record(30000, false);
    (void)snprintf(want, sizeof want, "3072 are of %s:%d (", __FILE__, line);
    ORR_CHECK_MSG(warnings >= 1 && warnings <= 4 && strstr(warning, want), "%d times: %s", warnings, warning);
    orr_log_to(NULL, NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_NODES");
}

/* The warning counts the nodes up to itself, and there is none if the loop evaluates after all. */
static void a_loop_that_evaluates_while_it_is_counted_is_not_named(void)
{
    unsigned long long recorded = 0;
    (void)setenv("ORRERY_NODES", "500", 1);
    ORR_REQUIRE(up("serial", "auto"));
    warnings = 0;
    orr_log_to(take, NULL);
    (void)record(200, false);
    (void)record(4000, true);
    ORR_CHECK_MSG(warnings == 0, "%s", warning);
    (void)record(4000, false);
    const char *number = strstr(warning, "recorded ");
    ORR_CHECK_MSG(number && sscanf(number, "recorded %llu", &recorded) == 1 && recorded >= 4096, "%s", warning);
    orr_log_to(NULL, NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_NODES");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(long_evaluations_report_their_progress),
                                      ORR_TEST(a_loop_that_only_records_is_named),
                                      ORR_TEST(a_loop_that_evaluates_while_it_is_counted_is_not_named),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.progress", tests);
}
