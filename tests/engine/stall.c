/* If no task ends for long, one line reports which run, where, and which wait; otherwise none does.
 * Must not know: planner, fuser, real kernels. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include "tests/harness/engine_plans.h"

/* Captures stderr while the plan runs; its first task lasts until the words have been printed `times` times. */
static void run_and_listen(hand *h, const char *words, int times, char *said, size_t size)
{
    orr__buffer *leaf = ramp(10, 0);
    orr__buffer *out[1];
    FILE *f = tmpfile();
    int before = dup(2);

    ORR_REQUIRE(f && before >= 0);
    (void)fflush(stderr);
    (void)dup2(fileno(f), 2);
    h->kernel[0].heard = times ? fileno(f) : 0;
    h->kernel[0].words = words;
    h->kernel[0].times = times;
    ORR_CHECK(hand_run(h, &leaf, 1, out) == ORR_OK);
    (void)fflush(stderr);
    (void)dup2(before, 2);
    (void)close(before);
    orr__buffer_unref(out[0]);
    rewind(f);
    said[fread(said, 1, size - 1, f)] = '\0';
    (void)fclose(f);
    orr__buffer_unref(leaf);
}

/* y = x + 1, z = y + 1, which take `first` and `second` seconds. */
static hand *chain(double first, double second)
{
    hand *h = hand_new();
    int x = hand_leaf(h, 10), y = hand_step(h, 10, 1, false, 1, &x), z = hand_step(h, 10, 1, false, 1, &y);

    hand_output(h, z);
    h->kernel[0].seconds = first;
    h->kernel[1].seconds = second;
    snprintf(h->region[0].label, sizeof h->region[0].label, "slow one");
    snprintf(h->region[1].label, sizeof h->region[1].label, "next one");
    h->region[0].file = h->region[1].file = "model.c";
    h->region[0].line = 41;
    h->region[1].line = 42;
    return h;
}

static void a_task_that_takes_long_is_named(void)
{
    char said[4096];
    NEED_STARPU;
    orr__run_patience = 0.1;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    hand *h = chain(120, 0);
    run_and_listen(h, "1 running", 1, said, sizeof said);
    printf("    %s", said);
    const char *line = strstr(said, "warning: no task has ended for ");
    double after = 0;
    ORR_CHECK(line && sscanf(line, "warning: no task has ended for %lf s", &after) == 1 && after >= 0.1);
    ORR_CHECK(strstr(said, "1 running, \"slow one\" (model.c:41) on CPU ") != NULL);
    ORR_CHECK(strstr(said, "1 waiting, the first is \"next one\" (model.c:42)") != NULL);
    ORR_CHECK(strstr(said, "docs/troubleshooting.md") != NULL);
    orr__engine_stop();
    free(h);
}

static void it_is_said_less_and_less_often(void)
{
    char said[4096];
    int lines = 0;
    NEED_STARPU;
    orr__run_patience = 0.05;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    hand *h = chain(120, 0.6);
    double t0 = orr__now();
    run_and_listen(h, "no task has ended", 3, said, sizeof said);
    double patiences = (orr__now() - t0) / orr__run_patience;
    for (const char *p = said; (p = strstr(p, "no task has ended")); p++)
        lines++;
    ORR_CHECK_MSG(lines >= 3 && lines <= 2 * (2 + log2(patiences)), "%d lines in %g patiences", lines, patiences);
    orr__engine_stop();
    free(h);
}

static void nothing_is_said_of_tasks_that_end(void)
{
    char said[4096];
    NEED_STARPU;
    orr__run_patience = 120;
    ORR_REQUIRE(engine_up("starpu") == ORR_OK);
    hand *h = chain(0.1, 0.1);
    run_and_listen(h, "", 0, said, sizeof said);
    ORR_CHECK_MSG(said[0] == '\0', "%s", said);
    orr__engine_stop();
    free(h);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_task_that_takes_long_is_named),
                                      ORR_TEST(it_is_said_less_and_less_often),
                                      ORR_TEST(nothing_is_said_of_tasks_that_end),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.stall", tests);
}
