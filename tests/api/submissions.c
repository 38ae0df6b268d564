/* Submissions that depend on others under way: none waits for another, results and errors flow through them, in any order of waits. The
 * first of each chain is held by a gate, so that no check depends on time: a call that waits would never return.
 * Must not know: engines, how work is ordered. */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include "tests/harness/define_help.h"

enum { LINKS = 10, N = 1000 };

/* -- the gate: a kernel that copies its operand when the gate is open ------------------------------------------------ */

static atomic_bool open_gate, fails;

static int gate(const orr_kernel_args *a)
{
    while (!atomic_load(&open_gate))
        (void)nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    memcpy(a->out, a->in[0].data, N * sizeof(float));
    (void)snprintf(a->message, a->message_size, "the gate is broken");
    return atomic_load(&fails);
}

static orr_tensor *held(orr_tensor *x)
{
    static const orr_kernel_def def = { .name = "gate", .n_inputs = 1, .cpu = gate };
    return orr_apply(orr_define_kernel(&def), ORR_TENSORS(x));
}

static bool begin(bool failing)
{
    orr_test_alarm();
    atomic_store(&open_gate, false);
    atomic_store(&fails, failing);
    return DH_START(DH_STARPU);
}

static void end(void)
{
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* y = f(x), as a graph of one input. */
static orr_graph *graph_of(orr_tensor *(*f)(orr_tensor *x))
{
    orr_tensor *x = orr_placeholder(ORR_F32, ORR_SHAPE(N)), *y = f(x);
    return orr_graph_build(&x, 1, &y, 1);
}

static orr_tensor *twice_and_one(orr_tensor *x)
{
    return orr_add(orr_mul(x, orr_scalar(2)), orr_scalar(1));
}

static orr_tensor *itself(orr_tensor *x)
{
    return x;
}

/* x → 2x + 1 ten times: 1024x + 1023. The values between are freed at once. */
static orr_tensor *submit_chain(orr_graph *first, orr_graph *next, orr_tensor *x, orr_event *event[LINKS + 1])
{
    orr_tensor *y = NULL;
    if (orr_graph_submit(first, &x, 1, &y, 1, &event[0]) != ORR_OK)
        return NULL;
    for (int i = 1; i <= LINKS; i++) {
        orr_tensor *before = y;
        if (orr_graph_submit(next, &before, 1, &y, 1, &event[i]) != ORR_OK || orr_free(before) != ORR_OK)
            return NULL;
    }
    return y;
}

static void chain_does_not_wait(void)
{
    orr_event *event[LINKS + 1];
    float v[N];
    if (!begin(false))
        return;
    orr_scope *s = orr_scope_begin();
    orr_graph *first = graph_of(held), *next = graph_of(twice_and_one);
    orr_tensor *y = submit_chain(first, next, orr_arange(ORR_F32, 0, N, 1), event);
    ORR_CHECK(orr_graph_free(first) == ORR_OK && orr_graph_free(next) == ORR_OK); /* in flight */
    ORR_REQUIRE(y && !orr_event_done(event[0]) && !orr_event_done(event[LINKS]));
    atomic_store(&open_gate, true);
    for (int i = LINKS; i >= 0; i--)
        ORR_CHECK(orr_wait(event[i]) == ORR_OK);
    ORR_CHECK(orr_read(y, v, sizeof v) == ORR_OK && v[0] == 1023 && v[3] == 4095);
    (void)orr_scope_end(s);
    end();
}

static void failure_flows_once(void)
{
    orr_event *event[LINKS + 1], *late = NULL;
    float v[N];
    if (!begin(true))
        return;
    orr_scope *s = orr_scope_begin();
    orr_graph *first = graph_of(held), *next = graph_of(twice_and_one);
    orr_tensor *y = submit_chain(first, next, orr_arange(ORR_F32, 0, N, 1), event), *z = NULL;
    ORR_REQUIRE(y != NULL);
    atomic_store(&open_gate, true);
    for (int i = LINKS; i >= 0; i--)
        ORR_CHECK_MSG(orr_wait(event[i]) == ORR_EDEVICE && strstr(orr_error_message(), "the gate is broken"), "%d: %s",
                      i, orr_error_message());
    ORR_CHECK(orr_read(y, v, sizeof v) == ORR_EDEVICE && strstr(orr_error_message(), "the gate is broken"));
    ORR_CHECK(orr_graph_submit(next, &y, 1, &z, 1, &late) == ORR_EDEVICE && !late); /* known already */
    (void)orr_graph_free(first);
    (void)orr_graph_free(next);
    (void)orr_scope_end(s);
    end();
}

/* Several times, since a link may end before the one that failed has. */
static void failure_flows_through_the_chain(void)
{
    for (int i = 0; i < 25; i++)
        failure_flows_once();
}

/* Values that others write are part of an event: of orr_eval_async, and of a graph that returns its input. */
static void event_ends_with_the_values_of_others(void)
{
    float v[N];
    if (!begin(false))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = held(orr_arange(ORR_F32, 0, N, 1)), *other = held(orr_ones(ORR_F32, ORR_SHAPE(N))), *same = NULL;
    orr_event *first = NULL, *both = NULL, *identity = NULL;
    orr_graph *g = graph_of(itself);
    ORR_CHECK(orr_eval_async(&x, 1, &first) == ORR_OK);
    ORR_CHECK(orr_eval_async(ORR_TENSORS(x, orr_add(other, x), x), &both) == ORR_OK);
    ORR_CHECK(orr_graph_submit(g, &x, 1, &same, 1, &identity) == ORR_OK);
    ORR_CHECK(!orr_event_done(first) && !orr_event_done(both) && !orr_event_done(identity));
    atomic_store(&open_gate, true);
    ORR_CHECK(orr_wait(identity) == ORR_OK && orr_wait(both) == ORR_OK && orr_wait(first) == ORR_OK);
    ORR_CHECK(orr_read(same, v, sizeof v) == ORR_OK && v[5] == 5);
    (void)orr_graph_free(g);
    (void)orr_scope_end(s);
    end();
}

/* A graph reads a variable whose new value is under way, and its results become that variable's next value. */
static void variables_under_way_are_not_waited_for(void)
{
    float v[N];
    if (!begin(false))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(N))), *x = orr_placeholder(ORR_F32, ORR_SHAPE(N)),
               *y = orr_add(orr_mul(w, orr_scalar(10)), x), *in = orr_arange(ORR_F32, 0, N, 1), *now = NULL;
    orr_event *event[4] = { NULL };
    orr_graph *g = orr_graph_build(&x, 1, &y, 1);
    ORR_REQUIRE(g && orr_assign(w, held(orr_full(ORR_F32, ORR_SHAPE(N), 2))) == ORR_OK);
    ORR_CHECK(orr_eval_async(NULL, 0, &event[0]) == ORR_OK);
    for (int i = 1; i < 4; i++) { /* w = 10w + 0 … N − 1 */
        ORR_REQUIRE(orr_graph_submit(g, &in, 1, &now, 1, &event[i]) == ORR_OK);
        ORR_CHECK(orr_assign(w, now) == ORR_OK);
    }
    ORR_CHECK(!orr_event_done(event[0]) && !orr_event_done(event[3]));
    atomic_store(&open_gate, true);
    for (int i = 0; i < 4; i++)
        ORR_CHECK(orr_wait(event[i]) == ORR_OK);
    ORR_CHECK(orr_read(w, v, sizeof v) == ORR_OK && v[0] == 2000 && v[3] == 2333);
    (void)orr_graph_free(g);
    (void)orr_scope_end(s);
    end();
}

/* -- several threads on the same graphs ------------------------------------------------------------------------------ */

static orr_graph *shared_first, *shared_next;
static orr_tensor *shared_x;
static atomic_int submitted;

static void *one_chain(void *right)
{
    orr_event *event[LINKS + 1];
    float v[N] = { 0 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = submit_chain(shared_first, shared_next, shared_x, event);
    atomic_fetch_add(&submitted, 1);
    bool ok = y != NULL;
    for (int i = 0; i <= LINKS && y; i++)
        ok = orr_wait(event[(3 * i) % (LINKS + 1)]) == ORR_OK && ok;
    ok = ok && orr_read(y, v, sizeof v) == ORR_OK && v[0] == 1023 && v[3] == 4095;
    (void)orr_scope_end(s);
    *(bool *)right = ok;
    return NULL;
}

static void chains_of_threads_are_independent(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    bool right[THREADS] = { false };
    if (!begin(false))
        return;
    orr_scope *s = orr_scope_begin();
    shared_first = graph_of(held);
    shared_next = graph_of(twice_and_one);
    shared_x = orr_arange(ORR_F32, 0, N, 1);
    atomic_store(&submitted, 0);
    ORR_REQUIRE(orr_eval(shared_x) == ORR_OK);
    for (int i = 0; i < THREADS; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, one_chain, &right[i]) == 0);
    while (atomic_load(&submitted) < THREADS)
        (void)nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    atomic_store(&open_gate, true);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(thread[i], NULL);
        ORR_CHECK(right[i]);
    }
    (void)orr_graph_free(shared_first);
    (void)orr_graph_free(shared_next);
    (void)orr_scope_end(s);
    end();
}

static void lists_of_another_length_are_refused(void)
{
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(N)), *r[2];
    orr_graph *g = graph_of(twice_and_one);
    orr_event *e = NULL;
    ORR_CHECK(orr_graph_submit(g, ORR_TENSORS(x, x), r, 1, NULL) == ORR_EINVAL &&
              strstr(orr_error_message(), "2 values for a graph of 1 input"));
    ORR_CHECK(orr_graph_submit(g, NULL, 0, r, 1, &e) == ORR_EINVAL && !e && strstr(orr_error_message(), "0 values"));
    ORR_CHECK(orr_graph_submit(g, &x, 1, r, 2, NULL) == ORR_EINVAL &&
              strstr(orr_error_message(), "2 results of a graph of 1 output"));
    ORR_CHECK(orr_graph_submit(g, NULL, 1, r, 1, NULL) == ORR_EINVAL && strstr(orr_error_message(), "values is NULL"));
    ORR_CHECK(orr_graph_submit(g, &x, 1, NULL, 1, NULL) == ORR_EINVAL &&
              strstr(orr_error_message(), "results is NULL"));
    ORR_CHECK(orr_graph_submit(g, &x, 1, r, 1, NULL) == ORR_OK);
    (void)orr_graph_free(g);
    (void)orr_scope_end(s);
    end();
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(chain_does_not_wait),
                                      ORR_TEST(failure_flows_through_the_chain),
                                      ORR_TEST(event_ends_with_the_values_of_others),
                                      ORR_TEST(variables_under_way_are_not_waited_for),
                                      ORR_TEST(chains_of_threads_are_independent),
                                      ORR_TEST(lists_of_another_length_are_refused),
                                      { NULL, NULL } };
    return orr_test_main(argc, argv, "api.submissions", tests);
}
