/* ORRERY_TRACE: a JSON file with the actual kernels, calls and lines.
 * Must not know: how events are kept. */
#include "config.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/explain_help.h"
#include "tests/harness/harness.h"
#include "tests/harness/json.h"

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

static char folder[] = "/tmp/orr-trace-XXXXXX", path[64];

static void work(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(300, 200), -1.0, 1.0);
    orr_tensor *y = orr_sum(orr_relu(orr_matmul(x, orr_transpose(x))), ORR_ALL_AXES, false);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    (void)orr_scope_end(s);
}

static void trace_names_kernels_calls_and_lines(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    work();
    int line = __LINE__ + 3;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(5));
    ORR_CHECK(orr_eval(orr_exp(x)) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path), want[64];
    (void)snprintf(want, sizeof want, "tests/api/trace.c:%d\"", line);
    ORR_CHECK(text != NULL);
    ORR_CHECK(is_json(text));
    ORR_CHECK(words_in(text, "\"cat\":\"kernel\"") >= 3);
    ORR_CHECK(words_in(text, "\"name\":\"matmul") >= 1);
    ORR_CHECK(words_in(text, "\"cat\":\"call\"") == 2);
    ORR_CHECK(words_in(text, "\"name\":\"make a plan\"") == 2);
    ORR_CHECK(words_in(text, "\"name\":\"memory in use\"") == 2);
    ORR_CHECK_MSG(words_in(text, want) >= 1, "no kernel of line %d", line);
    free(text);
}

/* No compiler makes such names, but file systems have them. */
static void trace_stays_text_for_binary_file_name(void)
{
    static const char bad[] = "f\xff\x01 \"q\"\\\n.c";
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_exp_at(bad, 7, orr_ones(ORR_F32, ORR_SHAPE(5)));
    char *text = explained_text(y);
    ORR_CHECK_MSG(strstr(text, "f?? \"q\"\\?.c:7") != NULL, "%s", text);
    free(text);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    text = slurp(path);
    ORR_CHECK(is_json(text) && !strchr(text, '\xff') && !strchr(text, '\x01'));
    ORR_CHECK(words_in(text, "\"at\":\"f\xef\xbf\xbd\\u0001 \\\"q\\\"\\\\\\u000a.c:7\"") >= 1);
    free(text);
}

/* The number after "name": in an event; −1: missing. */
static double number(const char *event, const char *name)
{
    char word[40];
    (void)snprintf(word, sizeof word, "\"%s\":", name);
    const char *p = strstr(event, word), *end = strstr(event, "}}");
    return p && (!end || p < end) ? strtod(p + strlen(word), NULL) : -1;
}

static double explained_us(orr_tensor *t)
{
    char *text = explained_text(t);
    const char *p = strstr(text, "a task: CPU ");
    double us = p ? strtod(p + strlen("a task: CPU "), NULL) : -1;
    free(text);
    return us;
}

/* As in orr_explain: the prediction for each device, the place of the run, its time, the regret. */
static void trace_has_prediction_and_regret(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(1024, 512), -1.0, 1.0);
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *y = orr_softmax(orr_tanh(orr_mul(x, orr_scalar(1.25))), -1);
    double said = explained_us(y);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path);
    ORR_REQUIRE(text && is_json(text));
    int kernels = 0, softmax = 0, as_said = 0; /* before a tile of it was measured, which counts for the others */
    for (const char *p = text; (p = strstr(p, "\"cat\":\"kernel\"")); p++, kernels++) {
        double dur = number(p, "dur"), took = number(p, "took_us"), cpu = number(p, "predicted_us_cpu"),
               regret = number(p, "regret_us"), best = cpu;
        for (int i = 0; i < 2; i++) {
            double other = number(p, i ? "predicted_us_cuda" : "predicted_us_opencl");
            best = other >= 0 && other < best ? other : best;
        }
        ORR_CHECK(cpu >= 0 && strncmp(strstr(p, "\"device\":"), "\"device\":\"CPU\"", 14) == 0);
        ORR_CHECK_MSG(fabs(took - dur) <= 0.002 + 1e-6 * dur, "took %g of %g", took, dur);
        ORR_CHECK_MSG(fabs(regret - (took > best ? took - best : 0)) <= 0.002 + 1e-5 * took, "regret %g: %g, %g",
                      regret, took, best);
        const char *name = strstr(p, "\"name\":");
        if (name && strncmp(name, "\"name\":\"mul", 11) == 0) {
            softmax++;
            int tiles = (int)lround(cpu / said); /* work too short to wake a worker is one call for all of its tiles */
            as_said += tiles >= 1 && tiles <= 2 && fabs(cpu - tiles * said) <= 0.01 * cpu;
        }
    }
    ORR_CHECK_MSG(kernels >= 2 && softmax >= 1 && as_said >= 1, "%d kernels, %d of the chain, %d as explained (%g us)",
                  kernels, softmax, as_said, said);
    free(text);
}

/* A device with its own memory receives its operand and returns its result. This is the first test: StarPU searches
 * for devices once per process. */
static void copies_between_memories_are_there_with_their_bytes(void)
{
    orr_config c = { .engine = "starpu", .backend = "opencl" };
    static float from[1 << 18], back[1 << 18];
    (void)setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    (void)setenv("STARPU_NOPENCL", "1", 1);
    (void)setenv("STARPU_NCPU", "0", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    orr_status st = orr_init(&c);
    (void)unsetenv("ORRERY_INLINE_US");
    (void)setenv("STARPU_NOPENCL", "0", 1);
    (void)unsetenv("STARPU_NCPU");
    if (st != ORR_OK || !strstr(orr_engine_name(), "OpenCL"))
        ORR_SKIP("no OpenCL device, or no StarPU: %s", orr_error_message());
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_exp(orr_mul(orr_from(ORR_F32, ORR_SHAPE(1 << 18), from), orr_scalar(3)));
    ORR_CHECK(orr_eval(y) == ORR_OK && orr_read(y, back, sizeof back) == ORR_OK && back[5] == 1);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(path);
    ORR_REQUIRE(text && is_json(text));
    double there = 0, home = 0;
    for (const char *p = text; (p = strstr(p, "\"cat\":\"transfer\"")); p++) {
        const char *to = strstr(p, "\"to\":");
        double *sum = to && strncmp(to, "\"to\":\"Open", 10) == 0 ? &there : &home;
        *sum += number(p, "bytes");
        ORR_CHECK(number(p, "dur") >= 0 && number(p, "predicted_us") >= 0);
    }
    ORR_CHECK_MSG(there == sizeof from && home == sizeof back, "%.0f bytes went, %.0f came", there, home);
    ORR_CHECK(words_in(text, "\"name\":\"copies to ") == 2 && words_in(text, "\"device\":\"OpenCL\"") >= 1);
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
    ORR_CHECK_MSG(words_in(text, "\"cat\":\"call\"") == 800, "%d calls", words_in(text, "\"cat\":\"call\""));
    ORR_CHECK(words_in(text, "\"name\":\"thread_name\"") >= 4);
    free(text);
}

static void metrics_json_quotes_odd_names(void)
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

static void trace_is_written_without_shutdown(void)
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
    ORR_CHECK(text && is_json(text) && words_in(text, "\"cat\":\"kernel\"") >= 1);
    free(text);
}

static void forked_child_keeps_parent_trace(void)
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

static void trace_name_and_events_have_process_number(void)
{
    char want[96], name[96];
    (void)snprintf(name, sizeof name, "%s/t.%%p.json", folder);
    (void)snprintf(want, sizeof want, "%s/t.%ld.json", folder, (long)getpid());
    (void)setenv("ORRERY_TRACE", name, 1);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    work();
    ORR_CHECK(orr_shutdown() == ORR_OK);
    char *text = slurp(want), pid[32];
    ORR_REQUIRE(text && is_json(text));
    (void)snprintf(pid, sizeof pid, "\"pid\":%ld,", (long)getpid()); /* joined files keep processes distinct */
    ORR_CHECK(words_in(text, "\"pid\":") > 1 && words_in(text, "\"pid\":") == words_in(text, pid));
    free(text);
    (void)unlink(want);
}

static void unwritable_device_file_is_error_at_init(void)
{
    (void)setenv("ORRERY_TRACE", "/nowhere/at/all.json", 1);
    ORR_CHECK(orr_init(NULL) == ORR_EIO);
    ORR_CHECK_MSG(strstr(orr_error_message(), "init: ORRERY_TRACE=/nowhere/at/all.json: "), "%s", orr_error_message());
    (void)unsetenv("ORRERY_TRACE");
    ORR_CHECK(orr_init(NULL) == ORR_OK && orr_shutdown() == ORR_OK);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(copies_between_memories_are_there_with_their_bytes),
                                      ORR_TEST(trace_names_kernels_calls_and_lines),
                                      ORR_TEST(trace_stays_text_for_binary_file_name),
                                      ORR_TEST(trace_has_prediction_and_regret),
                                      ORR_TEST(threads_lose_no_event),
                                      ORR_TEST(metrics_json_quotes_odd_names),
                                      ORR_TEST(trace_is_written_without_shutdown),
                                      ORR_TEST(forked_child_keeps_parent_trace),
                                      ORR_TEST(trace_name_and_events_have_process_number),
                                      ORR_TEST(unwritable_device_file_is_error_at_init),
                                      { 0 } };
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/t.json", folder);
    (void)setenv("ORRERY_TRACE", path, 1);
    return orr_test_main(argc, argv, "api.trace", tests);
}
