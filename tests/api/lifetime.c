/* Tensors, variables, events and graphs that one thread frees while another uses them. Each call gives the result from
 * before the end, or ORR_EHANDLE; memory is released after the last use.
 * Must not know: handles' insides. */
#include "config.h"
#include <orrery.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/pool.h"
#include "runtime/engine/engine.h"
#include "tests/harness/harness.h"

enum { SIDE = 48, ROUNDS = 3000 };

static atomic_int wrong;
static atomic_uint started, ended; /* rounds; a waiting thread spins, so that both calls begin at once */
static orr_tensor *victim, *other;
static orr_event *event;
static orr_graph *graph;
static atomic_bool over;
static void (*destroy)(void);

static void note(bool ok, const char *what)
{
    if (!ok && atomic_fetch_add(&wrong, 1) < 5)
        printf("    %s: %s\n", what, orr_error_message());
}

static void wait_for(atomic_uint *what, unsigned round)
{
    for (int i = 1; atomic_load(what) < round; i++)
        if (i % 1000 == 0)
            (void)sched_yield();
}

/* Waits for a moment after the other thread has begun its call, another length each time. */
static void soon(unsigned round)
{
    for (volatile unsigned i = 0; i < round % 97 * 60; i++)
        ;
}

/* Fills freed memory with a pattern that a read of it would see. */
static void reuse_memory(void)
{
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 16; i++)
        (void)orr_add(orr_full(ORR_I32, ORR_SHAPE(1, 2, 3), i), orr_placeholder(ORR_I32, ORR_SHAPE(3)));
    (void)orr_scope_end(s);
}

static void *destroyer(void *arg)
{
    (void)arg;
    for (unsigned i = 0;; i++) {
        wait_for(&started, i + 1);
        if (atomic_load(&over))
            return NULL;
        soon(i);
        destroy();
        reuse_memory();
        atomic_store(&ended, i + 1);
    }
}

/* prepare() makes the object that end_it() ends on another thread during the call in use(). */
static void beside(void (*prepare)(unsigned), void (*use)(void), void (*end_it)(void))
{
    pthread_t thread;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    destroy = end_it;
    atomic_store(&over, false);
    atomic_store(&wrong, 0);
    atomic_store(&started, 0);
    atomic_store(&ended, 0);
    ORR_REQUIRE(pthread_create(&thread, NULL, destroyer, NULL) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        orr_scope *s = orr_scope_begin();
        prepare(i);
        atomic_store(&started, i + 1);
        soon(i / 97);
        use();
        wait_for(&ended, i + 1);
        (void)orr_scope_end(s);
    }
    atomic_store(&over, true);
    atomic_store(&started, ROUNDS + 1);
    (void)pthread_join(thread, NULL);
    ORR_CHECK_MSG(atomic_load(&wrong) == 0, "%d were wrong", atomic_load(&wrong));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static bool fine(orr_status st)
{
    return st == ORR_OK || st == ORR_EHANDLE;
}

static void free_victim(void)
{
    note(orr_free(victim) == ORR_OK, "orr_free");
}

/* A sum whose inputs have no other references. */
static void make_sum(unsigned round)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_full(ORR_F64, ORR_SHAPE(SIDE, SIDE), round % 5), *y = orr_add(orr_mul(x, x), orr_scalar(1.0));
    for (int i = 0; i < 30; i++)
        y = orr_maximum(orr_neg(y), x);
    victim = orr_scope_return(s, y);
    (void)orr_scope_end(s);
    other = orr_full(ORR_F64, ORR_SHAPE(SIDE, SIDE), 1.0);
}

static void evaluate(void)
{
    note(fine(orr_eval(victim)), "orr_eval");
}

static void read_back(void)
{
    double v[SIDE * SIDE];
    note(fine(orr_read(victim, v, sizeof v)), "orr_read");
}

static void record(void)
{
    for (int i = 0; i < 8; i++) {
        orr_tensor *y = orr_add(orr_softmax(victim, -1), orr_transpose(victim));
        note(fine(orr_tensor_status(y)), "recorded");
        other = orr_add(other, other);
    }
}

static void differentiate(void)
{
    orr_tensor *y = orr_sum(orr_mul(victim, victim), ORR_AXES(0, 1), false), *g = NULL;
    note(fine(orr_grad(y, &victim, 1, &g)), "orr_grad");
}

static void tensor_freed_during_evaluation(void)
{
    beside(make_sum, evaluate, free_victim);
}

static void tensor_freed_during_reading(void)
{
    beside(make_sum, read_back, free_victim);
}

static void tensor_freed_during_recording(void)
{
    beside(make_sum, record, free_victim);
}

static void tensor_freed_during_gradient(void)
{
    beside(make_sum, differentiate, free_victim);
}

static void make_variable(unsigned round)
{
    make_sum(round);
    victim = orr_variable(victim);
}

static void assign(void)
{
    for (int i = 0; i < 4; i++)
        note(fine(orr_assign(victim, other)), "orr_assign");
    note(fine(orr_eval(other)), "evaluation of the rest");
}

static void variable_freed_during_assignment(void)
{
    beside(make_variable, assign, free_victim);
}

static void make_event(unsigned round)
{
    make_sum(round);
    event = NULL;
    note(orr_eval_async(&victim, 1, &event) == ORR_OK, "orr_eval_async");
}

static void ask_for_event(void)
{
    for (int i = 0; i < 20; i++)
        (void)orr_event_done(event);
}

static void wait_for_event(void)
{
    note(orr_wait(event) == ORR_OK, "orr_wait");
}

static void event_wait_during_event_done(void)
{
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    beside(make_event, ask_for_event, wait_for_event);
    (void)unsetenv("ORRERY_INLINE_US");
}

static void make_graph(unsigned round)
{
    make_sum(round);
    orr_tensor *in = orr_placeholder(ORR_F64, ORR_SHAPE(SIDE, SIDE)), *out = orr_add(in, orr_scalar(2.0));
    graph = orr_graph_build(&in, 1, &out, 1);
    note(graph != NULL, "orr_graph_build");
}

static void submit(void)
{
    orr_tensor *y;
    for (int i = 0; i < 4; i++)
        note(fine(orr_graph_submit(graph, &other, 1, &y, 1, NULL)), "orr_graph_submit");
}

static void free_graph(void)
{
    note(orr_graph_free(graph) == ORR_OK, "orr_graph_free");
}

static void graph_freed_during_submission(void)
{
    beside(make_graph, submit, free_graph);
}

/* -- memory ------------------------------------------------------------------------------------------------------- */

/* Bytes of values, without the engine's cached memory. */
static size_t in_use(void)
{
    return orr__pool_get_stats().live - orr__engine_held();
}

static void *free_it(void *arg)
{
    (void)arg;
    note(orr_free(victim) == ORR_OK, "orr_free");
    return NULL;
}

/* The thread that made the tensor evaluated it and makes no further call. */
static void memory_freed_by_another_thread_is_reused(void)
{
    pthread_t thread;
    ORR_REQUIRE(orr_init(NULL) == ORR_OK);
    size_t before = in_use();
    victim = orr_full(ORR_F64, ORR_SHAPE(1 << 20), 1.0);
    ORR_CHECK(orr_eval(victim) == ORR_OK);
    ORR_CHECK(in_use() >= before + (8u << 20));
    ORR_REQUIRE(pthread_create(&thread, NULL, free_it, NULL) == 0);
    ORR_CHECK(pthread_join(thread, NULL) == 0);
    size_t after = in_use();
    ORR_CHECK_MSG(after < before + (1u << 20), "%zu bytes before, %zu after", before, after);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void note_warning(orr_log_level level, const char *text, void *to)
{
    char *all = to;
    if (level == ORR_LOG_WARNING)
        (void)snprintf(all + strlen(all), 4096 - strlen(all), "%s\n", text);
}

/* Tensors of a scope, freed ones, variables, those of calls without a line, and events that were waited for are not counted.
 * A tensor that carries an error is counted at the call that failed. */
static void a_shutdown_counts_tensors_of_no_scope_and_events_without_an_end(void)
{
    char text[4096] = "", line[64];
    orr_event *e = NULL;
    orr_log_to(note_warning, text);
    ORR_REQUIRE(orr_init(NULL) == ORR_OK && orr_scope_begin() != NULL);
    ORR_CHECK(orr_eval_async(ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(3))), &e) == ORR_OK && orr_wait(e) == ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_keep(orr_variable(orr_ones(ORR_F32, ORR_SHAPE(3))))) == ORR_OK);
    ORR_CHECK(orr_free(orr_keep(orr_ones(ORR_F32, ORR_SHAPE(3)))) == ORR_OK);
    ORR_CHECK(orr_tensor_status(orr_keep(orr_ones_at("Fortran", 0, ORR_F32, ORR_SHAPE(3)))) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
    ORR_CHECK_MSG(!strstr(text, "shutdown:"), "%s", text);

    for (int i = 0; i < 3; i++)
        ORR_CHECK(orr_tensor_status(orr_ones(ORR_F32, ORR_SHAPE(3))) == ORR_OK);
    (void)snprintf(line, sizeof line, "3 of them made at %s:%d", __FILE__, __LINE__ - 1);
    orr_scope *s = orr_scope_begin();
    ORR_CHECK(orr_eval_async(ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(3))), &e) == ORR_OK && orr_scope_end(s) == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(strstr(text, "shutdown: 3 tensors that no scope owned") && strstr(text, line), "%s", text);
    ORR_CHECK_MSG(strstr(text, "shutdown: 1 event was never ended"), "%s", text);
    ORR_CHECK(orr_wait(e) == ORR_OK);

    ORR_CHECK(orr_init(NULL) == ORR_OK);
    orr_tensor *x = orr_keep(orr_ones(ORR_F32, ORR_SHAPE(3)));
    for (int i = 0; i < 5; i++)
        ORR_CHECK(orr_tensor_status(orr_reshape(x, ORR_SHAPE(4))) == ORR_ESHAPE);
    (void)snprintf(line, sizeof line, "5 of them made at %s:%d", __FILE__, __LINE__ - 1);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(strstr(text, "shutdown: 6 tensors that no scope owned") && strstr(text, line), "%s", text);
    orr_log_to(NULL, NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tensor_freed_during_evaluation),
                                      ORR_TEST(tensor_freed_during_reading),
                                      ORR_TEST(tensor_freed_during_recording),
                                      ORR_TEST(tensor_freed_during_gradient),
                                      ORR_TEST(variable_freed_during_assignment),
                                      ORR_TEST(event_wait_during_event_done),
                                      ORR_TEST(graph_freed_during_submission),
                                      ORR_TEST(memory_freed_by_another_thread_is_reused),
                                      ORR_TEST(a_shutdown_counts_tensors_of_no_scope_and_events_without_an_end),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.lifetime", tests);
}
