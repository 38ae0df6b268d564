/* orrery-explain: the notes of a trace are those of ORRERY_NOTES, in the order of what can be won; several files are one list.
 * Must not know: how notes are made. */
#include "config.h"
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static char output[1 << 16];

static int tool(const char *arguments)
{
    char line[5000];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "'%.1000s/tools/orrery-explain' %.3000s 2>&1", build ? build : ".", arguments);
    FILE *f = popen(line, "r");
    size_t n = f ? fread(output, 1, sizeof output - 1, f) : 0;
    output[n] = '\0';
    int status = f ? pclose(f) : -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ORR_CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Lines of a loop of small evaluations and copies. */
static void work(void)
{
    enum { N = 1 << 18 };
    static float data[N];
    for (int i = 0; i < 12; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_from(ORR_F32, ORR_SHAPE(N), data);
        orr_tensor *y = orr_exp(orr_sin(x));
        ORR_CHECK(orr_eval(orr_sum(y, ORR_ALL_AXES, false)) == ORR_OK);
        (void)orr_scope_end(s);
    }
}

static void a_trace_has_the_notes_in_their_order(void)
{
    char trace[2000], notes[2000];
    size_t size = 0;
    (void)snprintf(trace, sizeof trace, "%s", orr_test_tmp("trace"));
    (void)snprintf(notes, sizeof notes, "%s", orr_test_tmp("notes"));
    (void)setenv("ORRERY_ENGINE", "serial", 1);
    (void)setenv("ORRERY_JIT", "off", 1);
    (void)setenv("ORRERY_TRACE", trace, 1);
    (void)setenv("ORRERY_NOTES", notes, 1);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    work();
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *want = (char *)orr_test_slurp(notes, &size);
    ORR_CHECK(want && strstr(want, "explain.c:"));
    ORR_CHECK(tool(trace) == 0);
    ORR_CHECK_MSG(want && strcmp(output, want) == 0, "\"%s\" is not \"%s\"", output, want ? want : "");
    free(want);

    (void)unsetenv("ORRERY_NOTES"); /* a trace alone has them, too */
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    work();
    ORR_CHECK(orr_shutdown() == ORR_OK);
    (void)unsetenv("ORRERY_TRACE");
    ORR_CHECK_MSG(tool(trace) == 0 && strstr(output, "explain.c:") && strstr(output, ": note: "), "%s", output);
}

static void files_are_one_list_by_gain(void)
{
    char a[2000], b[2000], both[5000];
    (void)snprintf(a, sizeof a, "%s", orr_test_tmp("a.json"));
    (void)snprintf(b, sizeof b, "%s", orr_test_tmp("b.tsv"));
    put(a,
        "{\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"name\":\"note\",\"ts\":0},\n"
        "{\"ph\":\"i\",\"pid\":1,\"name\":\"note\",\"args\":{\"at\":\"a b.c:3\",\"won_us\":2000000,\"text\":\"say "
        "\\\"x\\\\y\\\"\"}},\n"
        "{\"ph\":\"i\",\"pid\":1,\"name\":\"note\",\"args\":{\"at\":\"a.c:4\",\"won_us\":0,\"text\":\"none\"}}\n]}\n");
    put(b, "orrery-notes\t1\nline\tb.c\t1\t9\nnote\tb.c\t7\t3.5\tthree\nnote\tb.c\t8\t0.25\ta quarter\n");
    (void)snprintf(both, sizeof both, "'%s' '%s'", a, b);
    ORR_CHECK_MSG(tool(both) == 0 &&
                      !strcmp(output, "b.c:7: note: three\na b.c:3: note: say \"x\\y\"\nb.c:8: note: a quarter\n"
                                      "a.c:4: note: none\n"),
                  "%s", output);
    (void)snprintf(both, sizeof both, "--least 1 '%s' '%s'", a, b);
    ORR_CHECK_MSG(tool(both) == 0 && !strcmp(output, "b.c:7: note: three\na b.c:3: note: say \"x\\y\"\n"), "%s",
                  output);
    put(a, "{\"traceEvents\":[\n]}\n");
    (void)snprintf(both, sizeof both, "'%s'", a);
    ORR_CHECK(tool(both) == 1 && strstr(output, "no notes"));
    put(a, "{\"ph\":\"i\",\"name\":\"note\",\"args\":{\"at\":\"a.c:4\",\"won_us\":0,\"text\":\"cut\n");
    ORR_CHECK(tool(both) == 1 && strstr(output, "damaged"));
    ORR_CHECK(tool("/nowhere/trace") == 1 && strstr(output, "cannot read"));
    ORR_CHECK(tool("") == 2 && tool("--least x y") == 2 && strstr(output, "SYNOPSIS"));
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_trace_has_the_notes_in_their_order),
                                      ORR_TEST(files_are_one_list_by_gain),
                                      { 0 } };
    return orr_test_main(argc, argv, "tools.explain", tests);
}
