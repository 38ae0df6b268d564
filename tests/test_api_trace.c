/* ORRERY_TRACE: a file that is JSON, with the kernels, calls and lines that really were.
 * Must not know: how events are kept. */
#include "config.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness.h"
#include "tests/json.h"

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    size_t n = 0, cap = 1u << 24;
    char *s = f ? malloc(cap) : NULL;
    if (s) {
        n = fread(s, 1, cap - 1, f);
        s[n] = '\0';
    }
    if (f)
        (void)fclose(f);
    return s;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)); p++)
        n++;
    return n;
}

static char folder[] = "/tmp/orr-trace-XXXXXX", path[64];

static void work(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(300, 200), -1.0, 1.0);
    orr_tensor *y = orr_sum(orr_relu(orr_matmul(x, orr_transpose(x))), ORR_ALL_AXES, false);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    (void)orr_scope_end(s);
}

static void the_trace_names_kernels_calls_and_lines(void)
{
    (void)setenv("ORRERY_TRACE", path, 1);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    work();
    int line = __LINE__ + 3;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(5));
    ORR_CHECK(orr_eval(orr_exp(x)) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path), want[64];
    (void)snprintf(want, sizeof want, "test_api_trace.c:%d\"", line);
    ORR_CHECK(text != NULL);
    ORR_CHECK(is_json(text));
    ORR_CHECK(count(text, "\"cat\":\"kernel\"") >= 3);
    ORR_CHECK(count(text, "\"name\":\"matmul") >= 1);
    ORR_CHECK(count(text, "\"cat\":\"call\"") == 2);
    ORR_CHECK(count(text, "\"name\":\"make a plan\"") == 2);
    ORR_CHECK(count(text, "\"name\":\"memory in use\"") == 2);
    ORR_CHECK_MSG(count(text, want) >= 1, "no kernel of line %d", line);
    free(text);
}

static void *in_thread(void *arg)
{
    (void)arg;
    for (int i = 0; i < 200; i++) {
        orr_scope *s = orr_scope_begin();
        (void)orr_eval(orr_add(orr_ones(ORR_F32, ORR_SHAPE(8)), orr_scalar(i)));
        (void)orr_scope_end(s);
    }
    return NULL;
}

static void threads_lose_no_event(void)
{
    pthread_t t[4];
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(pthread_create(&t[i], NULL, in_thread, NULL) == 0);
    for (int i = 0; i < 4; i++)
        (void)pthread_join(t[i], NULL);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path);
    ORR_CHECK(text && is_json(text));
    ORR_CHECK_MSG(count(text, "\"cat\":\"call\"") == 800, "%d calls", count(text, "\"cat\":\"call\""));
    ORR_CHECK(count(text, "\"name\":\"thread_name\"") >= 4);
    free(text);
}

static void odd_names_stay_json(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval_at("a \"quoted\"\\path\n.c", 7, orr_neg(orr_ones(ORR_F32, ORR_SHAPE(3)))) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path);
    ORR_CHECK(text && is_json(text) && strstr(text, "a \\\"quoted\\\"\\\\path\\u000a.c:7"));
    free(text);
}

static void a_program_without_shutdown_keeps_its_trace(void)
{
    (void)unlink(path);
    pid_t child = fork();
    if (child == 0) {
        if (orr_init(NULL) != ORR_OK)
            _exit(2);
        work();
        exit(0);
    }
    int how = 0;
    ORR_CHECK(child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    char *text = slurp(path);
    ORR_CHECK(text && is_json(text) && count(text, "\"cat\":\"kernel\"") >= 1);
    free(text);
}

static void a_forked_child_leaves_the_parents_trace_alone(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    work();
    pid_t child = fork();
    if (child == 0)
        exit(0);
    ORR_CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path);
    ORR_CHECK(text && is_json(text));
    free(text);
}

static void the_process_number_goes_into_the_name(void)
{
    char want[96], name[96];
    (void)snprintf(name, sizeof name, "%s/t.%%p.json", folder);
    (void)snprintf(want, sizeof want, "%s/t.%ld.json", folder, (long)getpid());
    (void)setenv("ORRERY_TRACE", name, 1);
    ORR_CHECK(orr_init(NULL) == ORR_OK && orr_shutdown() == ORR_OK);
    char *text = slurp(want);
    ORR_CHECK(text && is_json(text));
    free(text);
    (void)unlink(want);
}

static void a_file_that_cannot_be_written_is_an_error_at_init(void)
{
    (void)setenv("ORRERY_TRACE", "/nowhere/at/all.json", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EIO);
    ORR_CHECK(strstr(orr_error_message(), "/nowhere/at/all.json") && strstr(orr_error_message(), "ORRERY_TRACE"));
    (void)unsetenv("ORRERY_TRACE");
    ORR_CHECK(orr_init(NULL) == ORR_OK && orr_shutdown() == ORR_OK);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(the_trace_names_kernels_calls_and_lines),
                                      ORR_TEST(threads_lose_no_event),
                                      ORR_TEST(odd_names_stay_json),
                                      ORR_TEST(a_program_without_shutdown_keeps_its_trace),
                                      ORR_TEST(a_forked_child_leaves_the_parents_trace_alone),
                                      ORR_TEST(the_process_number_goes_into_the_name),
                                      ORR_TEST(a_file_that_cannot_be_written_is_an_error_at_init),
                                      { 0 } };
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/t.json", folder);
    return orr_test_main(argc, argv, "api.trace", tests);
}
