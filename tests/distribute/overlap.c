/* An exchange occupies no worker: with one worker for each rank, other tasks run while a rank waits for another, and other
 * exchanges are in progress. Gradients are exchanged during the backward pass.
 * Must not know: how tasks and exchanges are carried out. */
#include "config.h"

#include <orrery.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/ranks.h"

enum { N = 512, ROWS = 4096, OTHERS = 8 };
static char trace[1024];

/* The value after a name in the event that begins at `event`; −1: it has none. */
static double number(const char *event, const char *name)
{
    const char *p = strstr(event, name), *end = strchr(event, '\n');
    return p && (!end || p < end) ? strtod(p + strlen(name), NULL) : -1;
}

/* The beginning of the trace's line that contains p. */
static const char *event_of(const char *text, const char *p)
{
    while (p > text && p[-1] != '\n')
        p--;
    return p;
}

/* The number of products that began and ended between two times. */
static int products_between(const char *text, double from, double to)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, "\"cat\":\"kernel\"")); p++) {
        const char *e = event_of(text, p), *name = strstr(e, "\"name\":\"matmul");
        double at = number(e, "\"ts\":"), took = number(e, "\"dur\":");
        n += name && name < strchr(e, '\n') && took > 0 && at >= from && at + took <= to;
    }
    return n;
}

/* The largest number of products that began and ended during one exchange. */
static int products_inside(const char *text)
{
    int most = 0;
    for (const char *p = text; (p = strstr(p, "\"cat\":\"exchange\"")); p++) {
        const char *e = event_of(text, p);
        double at = number(e, "\"ts\":");
        int n = products_between(text, at, at + number(e, "\"dur\":"));
        most = n > most ? n : most;
    }
    printf("    %d products during an exchange\n", most);
    return most;
}

/* The seconds of an event within the time from … to. */
static double inside(const char *event, double from, double to)
{
    double at = number(event, "\"ts\":"), end = at + number(event, "\"dur\":");
    double first = at > from ? at : from, last = end < to ? end : to;
    return last - first;
}

/* The number of pairs of an exchange and a later event of the category and name that overlap in time. */
static int pairs(const char *text, const char *category, const char *name)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, "\"cat\":\"exchange\"")); p++) {
        const char *e = event_of(text, p);
        double from = number(e, "\"ts\":"), to = from + number(e, "\"dur\":");
        for (const char *q = text; (q = strstr(q, category)); q++) {
            const char *f = event_of(text, q), *named = strstr(f, name);
            n += f != e && named && named < strchr(f, '\n') && number(f, "\"ts\":") >= from && inside(f, from, to) > 0;
        }
    }
    return n;
}

/* The trace of this process, after the library's shutdown. The caller frees it. */
static char *traced(void)
{
    size_t size;
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = (char *)orr_test_slurp(trace, &size);
    (void)remove(trace);
    return text;
}

static bool one_core(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) < 2;
}

/* The trace of `work` on this rank. NULL: the test is skipped, or has failed. The caller frees it. */
static char *trace_of(void (*work)(orr_grid *g), int *rank)
{
    if (one_core()) {
        orr_test_skip("one core: exchanges wait for their turn there");
        return NULL;
    }
    ORR_CHECK_MSG(orr_init(NULL) == ORR_OK, "%s", orr_error_message());
    orr_scope *s = orr_scope_begin();
    orr_grid *g = orr_grid_make(1, ((int64_t[]){ -1 }));
    *rank = orr_rank();
    work(g);
    orr_grid_free(g);
    (void)orr_scope_end(s);
    char *text = traced();
    ORR_CHECK(text);
    return text;
}

/* All rows of x are on rank 0. Rank 1 adds nothing to the sum, and waits long for that of rank 0. */
static void sum_beside_products(orr_grid *g)
{
    orr_tensor *all[OTHERS + 1], *a = orr_full(ORR_F32, ORR_SHAPE(N, N), 1.0 / N);
    orr_tensor *x = orr_shard_cyclic(orr_ones(ORR_F32, ORR_SHAPE(ROWS, N)), g, ORR_AXES(0), ORR_INDEX(ROWS));
    ORR_CHECK(orr_eval(a) == ORR_OK && orr_eval(x) == ORR_OK);
    all[0] = orr_matmul(orr_transpose(x), x); /* each element is ROWS */
    for (int i = 0; i < 4; i++)               /* the path to the end is longest from here */
        all[0] = orr_matmul(all[0], a);
    for (int i = 1; i <= OTHERS; i++) {
        orr_tensor *b = orr_full(ORR_F32, ORR_SHAPE(N, N), (double)i);
        ORR_CHECK(orr_eval(b) == ORR_OK);
        all[i] = orr_matmul(b, a);
    }
    ORR_CHECK_MSG(orr_eval_all(all, OTHERS + 1) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i <= OTHERS; i++) {
        double most = 0, least = 0, want = i ? i : ROWS;
        ORR_CHECK(orr_item(orr_max(all[i], ORR_ALL_AXES, false), &most) == ORR_OK && most == want);
        ORR_CHECK(orr_item(orr_min(all[i], ORR_ALL_AXES, false), &least) == ORR_OK && least == want);
    }
}

static void tasks_run_while_an_exchange_waits(void)
{
    int rank = -1;
    char *text = trace_of(sum_beside_products, &rank);
    if (!text)
        return;
    if (rank == 1)
        ORR_CHECK(products_inside(text) >= 2);
    free(text);
}

/* Rank 1 adds nothing to either sum, and waits for rank 0 twice at the same time. */
static void two_sums(orr_grid *g)
{
    static const orr_dtype dtype[] = { ORR_F32, ORR_F64 };
    orr_tensor *sum[2];
    for (int i = 0; i < 2; i++) {
        orr_tensor *x = orr_shard_cyclic(orr_ones(dtype[i], ORR_SHAPE(ROWS, N)), g, ORR_AXES(0), ORR_INDEX(ROWS));
        ORR_CHECK(orr_eval(x) == ORR_OK);
        sum[i] = orr_matmul(orr_transpose(x), x);
    }
    ORR_CHECK_MSG(orr_eval_all(sum, 2) == ORR_OK, "%s", orr_error_message());
    for (int i = 0; i < 2; i++) {
        double most = 0, least = 0;
        ORR_CHECK(orr_item(orr_max(sum[i], ORR_ALL_AXES, false), &most) == ORR_OK && most == ROWS);
        ORR_CHECK(orr_item(orr_min(sum[i], ORR_ALL_AXES, false), &least) == ORR_OK && least == ROWS);
    }
}

static void exchanges_are_under_way_together(void)
{
    int rank = -1;
    char *text = trace_of(two_sums, &rank);
    if (!text)
        return;
    int n = pairs(text, "\"cat\":\"exchange\"", "\"name\"");
    printf("    %d pairs of exchanges at one time\n", n);
    ORR_CHECK(rank != 1 || n >= 1);
    free(text);
}

/* A bucket for each layer's weights, 4 MB. Rank 1 has few examples, and computes the next layer while it waits for rank 0. */
static void backward_pass(orr_grid *g)
{
    enum { WIDTH = 1024, LAYERS = 4, EXAMPLES = 256 };
    orr_tensor *w[LAYERS], *grad[LAYERS];
    orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(EXAMPLES, WIDTH), 0, 1, 1);
    x = orr_shard_cyclic(x, g, ORR_AXES(0), ORR_INDEX(EXAMPLES / 8 * 7));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (int i = 0; i < LAYERS; i++) {
        w[i] = orr_variable(orr_randn_keyed(ORR_F32, ORR_SHAPE(WIDTH, WIDTH), 0, 0.03, (uint64_t)i));
        ORR_CHECK(orr_eval(w[i]) == ORR_OK);
        x = orr_tanh(orr_matmul(x, w[i]));
    }
    ORR_CHECK(orr_grad(orr_mean(orr_mul(x, x), ORR_ALL_AXES, false), w, LAYERS, grad) == ORR_OK);
    ORR_CHECK_MSG(orr_eval_all(grad, LAYERS) == ORR_OK, "%s", orr_error_message());
}

static void gradients_travel_during_the_backward_pass(void)
{
    int rank = -1;
    char *text = trace_of(backward_pass, &rank);
    if (!text)
        return;
    int n = pairs(text, "\"cat\":\"kernel\"", "\"name\":\"matmul");
    printf("    %d products that began while gradients were under way\n", n);
    ORR_CHECK(rank != 1 || n >= 1);
    free(text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tasks_run_while_an_exchange_waits),
                                      ORR_TEST(exchanges_are_under_way_together),
                                      ORR_TEST(gradients_travel_during_the_backward_pass),
                                      { 0 } };
    static const int sizes[] = { 2, 0 };
    if (getenv("ORR_TEST_RANKS")) {
        (void)snprintf(trace, sizeof trace, "%s/trace%d", getenv("ORR_TEST_RANKS"), orr_test_rank());
        (void)setenv("ORRERY_TRACE", trace, 1);
        (void)setenv("ORRERY_INLINE_US", "0", 1);
        (void)setenv("STARPU_NCPU", "1", 1);
    }
    return orr_test_ranks_main(argc, argv, "distribute.overlap", tests, sizes);
}
