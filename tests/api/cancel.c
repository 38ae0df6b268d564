/* Cancelled evaluations and time limits: what has begun ends, the rest does not run, and the next evaluation is right.
 * Must not know: how work is stopped. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/pool.h"
#include "tests/harness/cancel_help.h"

enum { N = 160, LINKS = 12, FEW = 100, MANY = 1000 };

/* Each link moves the columns by one and adds one. */
static orr_tensor *chain(orr_tensor *x, orr_tensor *p)
{
    for (int k = 0; k < LINKS; k++)
        x = orr_add(orr_matmul(x, p), orr_scalar(1));
    return x;
}

/* -- ways to cancel ---------------------------------------------------------------------------------------------------- */

/* Evaluates t, and cancels that after so many seconds. */
static orr_status by_limit(orr_tensor *t, double seconds)
{
    return orr_eval_for(t, seconds);
}

typedef orr_status way(orr_tensor *t, double seconds);
static way *const ways[] = { by_limit, cancel_by_thread };

static double whole_time(orr_tensor *p)
{
    double best = 1;
    for (int i = 0; i < 5; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = chain(cancel_ramp(N), p);
        double t0 = cancel_now();
        ORR_CHECK(orr_eval(t) == ORR_OK);
        double took = cancel_now() - t0;
        best = took < best ? took : best;
        ORR_CHECK(cancel_is_after(t, N, LINKS));
        orr_scope_end(s);
    }
    return best;
}

/* One chain of tensors and one of a variable, which has `links` behind it. True if it was cancelled. */
static bool trial(way *w, orr_tensor *p, orr_tensor *v, int *links, double after)
{
    orr_scope *s = orr_scope_begin();
    bool assigns = *links >= 0;
    orr_tensor *t = assigns ? v : chain(cancel_ramp(N), p);
    if (assigns)
        ORR_CHECK(orr_assign(v, chain(v, p)) == ORR_OK);
    orr_status st = w(t, after);
    bool cancelled = st == ORR_ECANCELLED;
    ORR_CHECK_MSG(st == ORR_OK || cancelled, "%s", orr_error_message());
    *links += assigns ? LINKS : 0;
    ORR_CHECK(cancel_is_after(t, N, assigns ? *links : LINKS));
    orr_scope_end(s);
    return cancelled;
}

static void random_moments(const cancel_lane *l, unsigned long long seed)
{
    if (!cancel_up(l, "2"))
        return;
    int trials = getenv("ORR_TEST_FULL") ? MANY : FEW, cancelled = 0, links[2] = { -1, 0 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = cancel_shift(N), *v = orr_variable(cancel_ramp(N));
    double whole = whole_time(p);
    size_t live = 0;
    for (int i = 0; i < trials; i++) {
        cancelled += trial(ways[i % 2], p, v, &links[i / 2 % 2], cancel_moment(&seed, whole));
        if (i == trials / 2)
            live = orr_memory_stats().live;
    }
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
    ORR_CHECK_MSG(cancelled > trials / 10, "%d of %d", cancelled, trials);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void cancelled_at_random_moments_the_next_evaluation_is_right(void)
{
    for (int i = 0; i < CANCEL_LANES; i++)
        random_moments(&cancel_lanes[i], 42 + (unsigned long long)i);
}

/* -- events ---------------------------------------------------------------------------------------------------------------- */

static void a_cancelled_event_gives_values_or_ecancelled(void)
{
    unsigned long long seed = 7;
    ORR_REQUIRE(cancel_up(&cancel_lanes[1], "2") || cancel_up(&cancel_lanes[0], "2"));
    orr_scope *outer = orr_scope_begin();
    orr_tensor *p = cancel_shift(N);
    double whole = whole_time(p);
    size_t live = 0;
    for (int i = 0; i < FEW; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *t = chain(cancel_ramp(N), p);
        canceller c = { NULL, cancel_moment(&seed, whole), ORR_OK };
        ORR_CHECK(orr_eval_async(ORR_TENSORS(t), &c.event) == ORR_OK);
        (void)cancel_later(&c);
        ORR_CHECK(c.said == ORR_OK);
        orr_status st = orr_wait(c.event);
        if (st == ORR_OK)
            ORR_CHECK(cancel_is_after(t, N, LINKS));
        else
            ORR_CHECK(st == ORR_ECANCELLED && orr_eval(t) == ORR_ECANCELLED && orr_eval(orr_neg(t)) == ORR_ECANCELLED);
        ORR_CHECK(cancel_is_after(chain(cancel_ramp(N), p), N, LINKS));
        ORR_CHECK(orr_cancel(c.event) == ORR_EHANDLE);
        orr_scope_end(s);
        live = i == FEW / 2 ? orr_memory_stats().live : live;
    }
    ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
    orr_scope_end(outer);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- a kernel that cancels the evaluation in which it runs ------------------------------------------------------------------ */

static atomic_int calls;
static orr_event *_Atomic at_third;

static int add_one(const orr_kernel_args *a)
{
    if (atomic_fetch_add(&calls, 1) == 2 && atomic_load(&at_third))
        (void)orr_cancel(atomic_load(&at_third));
    for (int64_t i = a->lo; i < a->hi; i++)
        ((double *)a->out)[i] = ((const double *)a->in[0].data)[i] + 1;
    return 0;
}

static orr_tensor *ten_calls(const orr_op *op, orr_tensor *x)
{
    for (int k = 0; k < 10; k++)
        x = orr_apply(op, ORR_TENSORS(x));
    return x;
}

static void check_rest(const cancel_lane *l)
{
    static const orr_kernel_def def = { .name = "add_one", .n_inputs = 1, .cpu = add_one };
    double item = 0;
    if (!cancel_up(l, "2"))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_kernel(&def);
    orr_tensor *v = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(1)));
    ORR_CHECK(orr_eval(v) == ORR_OK);
    atomic_store(&calls, 0);
    orr_event *e = orr_cancellable_begin(3600);
    atomic_store(&at_third, e);
    ORR_CHECK(orr_assign(v, ten_calls(op, v)) == ORR_OK);
    ORR_CHECK(orr_eval(v) == ORR_ECANCELLED);
    ORR_CHECK_MSG(strstr(orr_error_message(), "cancel.c") && strstr(orr_error_message(), "orr_cancel"), "%s",
                  orr_error_message());
    ORR_CHECK_MSG(atomic_load(&calls) == 3, "%d calls", atomic_load(&calls));
    ORR_CHECK(orr_eval(orr_add(v, v)) == ORR_ECANCELLED && atomic_load(&calls) == 3);
    ORR_CHECK(orr_cancellable_end(e) == ORR_OK && orr_cancellable_end(e) == ORR_EHANDLE);
    ORR_CHECK(orr_item(v, &item) == ORR_OK && item == 10 && atomic_load(&calls) == 13);
    atomic_store(&at_third, NULL);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void what_has_begun_ends_and_the_rest_does_not_run(void)
{
    for (int i = 0; i < CANCEL_LANES; i++)
        check_rest(&cancel_lanes[i]);
}

static int sleeps(const orr_kernel_args *a)
{
    (void)usleep(200000);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

/* One step of 4·10⁸ products in a field, a minute of a processor at 150 ns each, ends in its middle. */
static void a_long_step_ends_in_its_middle(void)
{
    enum { TERMS = 20000 };
    for (int i = 0; i < CANCEL_LANES; i++) {
        if (!cancel_up(&cancel_lanes[i], "2"))
            continue;
        orr_scope *s = orr_scope_begin();
        orr_tensor *c = orr_cast(orr_arange(ORR_I32, 0, TERMS, 1), ORR_FR254), *y = orr_field_poly_eval(c, c);
        ORR_CHECK_MSG(orr_eval(c) == ORR_OK, "%s", orr_error_message());
        double from = cancel_now();
        orr_status st = orr_eval_for(y, 0.1);
        ORR_CHECK_MSG(st == ORR_ECANCELLED, "%s: %s", cancel_lanes[i].engine, orr_error_message());
        orr_error_clear();
        (void)orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK); /* waits for tasks that have begun */
        ORR_CHECK_MSG(cancel_now() - from < 5, "%s, ORRERY_INLINE_US=%s: %g s", cancel_lanes[i].engine,
                      cancel_lanes[i].inline_us, cancel_now() - from);
    }
}

static void a_limit_bounds_the_wait_for_another_evaluation(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    double item = 0;
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    orr_event *event;
    orr_tensor *t = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_full(ORR_F64, ORR_SHAPE(1), 5.0)));
    ORR_CHECK(orr_eval_async(ORR_TENSORS(t), &event) == ORR_OK);
    ORR_CHECK(orr_eval_for(t, 0.001) == ORR_ECANCELLED);
    ORR_CHECK(orr_item(t, &item) == ORR_OK && item == 5);
    ORR_CHECK(orr_wait(event) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- contracts ----------------------------------------------------------------------------------------------------------- */

/* An event that computes new values of two variables is stopped, or another one that continues from it: each has changed both or none. */
static void pipeline(orr_tensor *p, orr_tensor *v[2], int *links, double after, int which)
{
    orr_scope *s = orr_scope_begin();
    orr_event *e[2];
    for (int k = 0; k < 2; k++) {
        orr_tensor *next[2] = { chain(v[0], p), chain(v[1], p) };
        ORR_CHECK(orr_assign_all(v, next, 2) == ORR_OK);
        ORR_CHECK_MSG(orr_eval_async(NULL, 0, &e[k]) == ORR_OK, "%s", orr_error_message());
    }
    canceller c = { e[which], after, ORR_OK };
    (void)cancel_later(&c);
    orr_status first = orr_wait(e[0]), second = orr_wait(e[1]);
    ORR_CHECK(c.said == ORR_OK && (first == ORR_OK || first == ORR_ECANCELLED));
    ORR_CHECK(second == ORR_ECANCELLED || (second == ORR_OK && first == ORR_OK));
    ORR_CHECK(which == 0 || first == ORR_OK);
    *links += LINKS * ((first == ORR_OK) + (second == ORR_OK));
    for (int k = 0; k < 2; k++)
        ORR_CHECK_MSG(cancel_is_after(v[k], N, *links), "variable %d after %d and %d", k, first, second);
    orr_scope_end(s);
}

static void a_cancelled_event_leaves_the_old_values_of_all_variables(void)
{
    unsigned long long seed = 11;
    for (int i = 0; i < CANCEL_LANES; i++) {
        if (!cancel_up(&cancel_lanes[i], "2"))
            continue;
        int trials = getenv("ORR_TEST_FULL") ? MANY : FEW / 4, links = 0;
        orr_scope *s = orr_scope_begin();
        orr_tensor *p = cancel_shift(N), *v[2];
        size_t live = 0;
        double whole = whole_time(p);
        for (int k = 0; k < 2; k++)
            v[k] = orr_variable(cancel_ramp(N));
        for (int k = 0; k < trials; k++) { /* at first the variables have no values yet */
            pipeline(p, v, &links, cancel_moment(&seed, 2 * whole), k % 2);
            orr_scope *step = orr_scope_begin();
            ORR_CHECK(orr_assign(v[k % 2], chain(v[k % 2], p)) == ORR_OK &&
                      orr_assign(v[1 - k % 2], v[k % 2]) == ORR_OK);
            ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
            links += LINKS;
            orr_scope_end(step);
            live = k == trials / 2 ? orr_memory_stats().live : live;
        }
        ORR_CHECK(cancel_is_after(v[0], N, links) && cancel_is_after(v[1], N, links));
        ORR_CHECK_MSG(orr_memory_stats().live <= live, "%zu bytes live, %zu before", orr_memory_stats().live, live);
        orr_scope_end(s);
        ORR_CHECK(orr_shutdown() == ORR_OK);
    }
}

/* Whatever the last assignment before the event was, and whatever a time limit has left pending: the value is that before the first one. */
static void a_cancelled_event_undoes_all_pending_assignments(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    double item = 0;
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    const orr_op *op = orr_define_kernel(&def);
    orr_event *event;
    orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 5.0)), *t = orr_full(ORR_F64, ORR_SHAPE(1), 7.0);
    for (int turn = 0; turn < 4; turn++) {
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(turn != 2 || orr_eval_for(v, 0) == ORR_ECANCELLED);
        ORR_CHECK(orr_assign(v, orr_apply(op, ORR_TENSORS(orr_apply(op, ORR_TENSORS(t))))) == ORR_OK);
        ORR_CHECK(turn != 3 || orr_eval_for(v, 0) == ORR_ECANCELLED);
        ORR_CHECK_MSG(orr_eval_async(ORR_TENSORS(v), &event) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_cancel(event) == ORR_OK);
        ORR_CHECK(orr_wait(event) == ORR_ECANCELLED);
        ORR_CHECK_MSG(orr_item(v, &item) == ORR_OK && item == 5, "%g: %s", item, orr_error_message());
    }
    ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
    ORR_CHECK(orr_eval_async(ORR_TENSORS(v), &event) == ORR_OK && orr_wait(event) == ORR_OK);
    ORR_CHECK(orr_item(v, &item) == ORR_OK && item == 6);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int dozes(const orr_kernel_args *a)
{
    (void)usleep(2000);
    memcpy(a->out, a->in[0].data, sizeof(double));
    return 0;
}

/* Memory is refused in an evaluation, so that its assignment stays pending; then an event that computes it is cancelled, too: the value is the old
 * one, or the new one where the old one is gone. */
static void refused_memory_before_a_cancelled_event_loses_no_value(void)
{
    static const orr_kernel_def def = { .name = "dozes", .n_inputs = 1, .cpu = dozes };
    enum { MANY_ELEMENTS = 40000 };
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    const orr_op *op = orr_define_kernel(&def);
    orr_tensor *t = orr_full(ORR_F64, ORR_SHAPE(1), 7.0);
    for (int turn = 0; turn < 4; turn++) {
        orr_scope *inner = orr_scope_begin();
        orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(MANY_ELEMENTS), 5.0));
        orr_event *event = NULL;
        double item = 0;
        ORR_CHECK(orr_eval(v) == ORR_OK);
        ORR_CHECK(orr_assign(v, orr_add(v, orr_apply(op, ORR_TENSORS(orr_apply(op, ORR_TENSORS(t)))))) == ORR_OK);
        for (int k = turn; k > 0; k--) {
            orr__pool_limit(orr_memory_stats().live + 1000);
            orr_status st = orr_eval(turn % 2 ? v : orr_add(v, orr_scalar(turn)));
            orr__pool_limit(0);
            ORR_CHECK_MSG(st == ORR_ENOMEM, "%s: %s", orr_status_name(st), orr_error_message());
        }
        ORR_CHECK_MSG(orr_eval_async(ORR_TENSORS(v), &event) == ORR_OK, "%s", orr_error_message());
        ORR_CHECK(orr_cancel(event) == ORR_OK);
        orr_status end = orr_wait(event);
        bool read = orr_item(orr_max(v, ORR_ALL_AXES, false), &item) == ORR_OK;
        ORR_CHECK_MSG(read && item == (end == ORR_OK || turn > 0 ? 12 : 5), "turn %d: %g: %s", turn, item,
                      orr_error_message());
        orr_scope_end(inner);
    }
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static bool is_cancelled(orr_status st, int line)
{
    char words[64];
    (void)snprintf(words, sizeof words, "cancel.c:%d assigned", line);
    return st == ORR_ECANCELLED && (line == 0 || strstr(orr_error_message(), words));
}

static bool is_item(orr_tensor *t, double right)
{
    double item = NAN;
    return orr_item(t, &item) == ORR_OK && item == right;
}

/* Tensors and assignments that were recorded from a new value, which is cancelled then, are never computed from the old one. how: of their
 * evaluation. */
static void recorded_from_cancelled(const orr_op *op, int how)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 5.0)),
               *w = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 3.0)),
               *other = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 1.0));
    orr_tensor *slow = orr_full(ORR_F64, ORR_SHAPE(1), 7.0), *p = orr_placeholder(ORR_F64, ORR_SHAPE(1)), *sum, *r;
    orr_event *event, *second = NULL;
    for (int k = 0; k < 10; k++)
        slow = orr_apply(op, ORR_TENSORS(slow));
    ORR_REQUIRE(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK(orr_assign(v, slow) == ORR_OK);
    int line = __LINE__ - 1;
    ORR_CHECK(orr_eval_async(NULL, 0, &event) == ORR_OK);
    orr_tensor *y = orr_mul(v, orr_scalar(2)), *same = orr_keep(orr_reshape(v, ORR_SHAPE(1)));
    if (how % 2) { /* else they are recorded from the variable of the event alone */
        ORR_CHECK(orr_assign(other, orr_add(other, orr_scalar(1))) == ORR_OK && orr_assign(w, orr_neg(y)) == ORR_OK &&
                  orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK && orr_assign(v, orr_add(v, w)) == ORR_OK);
    }
    orr_tensor *last = orr_add(v, orr_scalar(0));
    if (how >= 4)
        ORR_CHECK(orr_eval_async(ORR_TENSORS(last), &second) == ORR_OK);
    ORR_CHECK(orr_cancel(event) == ORR_OK && is_cancelled(orr_wait(event), 0));
    if (second)
        ORR_CHECK(is_cancelled(orr_wait(second), 0));
    else if (how / 2 == 0)
        ORR_CHECK_MSG(is_cancelled(orr_eval(y), line), "%s", orr_error_message());
    else if (how % 2)
        ORR_CHECK_MSG(is_cancelled(orr_eval_all(NULL, 0), line), "%s", orr_error_message());
    ORR_CHECK_MSG(is_item(v, 5) && is_item(w, 3), "how %d: %s", how, orr_error_message());
    ORR_CHECK_MSG(is_item(other, second ? 1 : 1 + how % 2), "how %d: %s", how, orr_error_message());
    for (int k = 0; k < 2; k++) {
        ORR_CHECK(is_cancelled(orr_eval(orr_neg(y)), second ? 0 : line) && is_cancelled(orr_eval(same), 0));
        ORR_CHECK(is_cancelled(orr_eval(last), 0));
    }
    orr_error_clear();
    ORR_CHECK(is_item(orr_mul(v, orr_scalar(2)), 10) && orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK(orr_assign(v, orr_add(v, w)) == ORR_OK && is_item(v, 8));
    sum = orr_add(v, p);
    orr_graph *g = orr_graph_build(&p, 1, &sum, 1);
    ORR_CHECK(g && orr_graph_submit(g, &w, 1, &r, 1, NULL) == ORR_OK && is_item(r, 11) && orr_graph_free(g) == ORR_OK);
    (void)orr_free(same);
    orr_scope_end(s);
}

static void what_was_recorded_from_a_cancelled_value_is_not_computed_from_the_old_one(void)
{
    static const orr_kernel_def def = { .name = "dozes", .n_inputs = 1, .cpu = dozes };
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    const orr_op *op = orr_define_kernel(&def);
    for (int how = 0; how < 6; how++)
        recorded_from_cancelled(op, how);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int refuses(const orr_kernel_args *a)
{
    (void)dozes(a);
    return 1;
}

static void an_event_that_fails_leaves_the_old_values(void)
{
    static const orr_kernel_def def = { .name = "refuses", .n_inputs = 1, .cpu = refuses };
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 5.0)),
               *w = orr_variable(orr_full(ORR_F64, ORR_SHAPE(1), 6.0));
    orr_tensor *bad = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_full(ORR_F64, ORR_SHAPE(1), 7.0)));
    orr_event *event = NULL;
    double item[2] = { 0 };
    ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    ORR_CHECK(orr_assign(v, bad) == ORR_OK && orr_assign(w, orr_add(w, orr_scalar(1))) == ORR_OK);
    ORR_CHECK(orr_eval_async(NULL, 0, &event) == ORR_OK && orr_wait(event) == ORR_EDEVICE);
    ORR_CHECK_MSG(orr_item(v, &item[0]) == ORR_OK && orr_item(w, &item[1]) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(item[0] == 5 && item[1] == 6, "%g, %g", item[0], item[1]);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- an event that a thread waits for ------------------------------------------------------------------------------------ */

static orr_event *_Atomic awaited;

static void *wakes(void *said)
{
    (void)usleep(30000);
    *(orr_status *)said = orr_cancel(atomic_load(&awaited));
    return NULL;
}

static void cancels(int64_t done, int64_t planned, void *said)
{
    if (done < planned)
        *(orr_status *)said = orr_cancel(atomic_load(&awaited));
}

/* By another thread, or by the function of progress, which the wait itself calls. */
static void an_event_is_cancelled_while_it_is_waited_for(void)
{
    static const orr_kernel_def def = { .name = "sleeps", .n_inputs = 1, .cpu = sleeps };
    if (!cancel_up(&cancel_lanes[1], "2"))
        ORR_SKIP("there is no StarPU");
    orr_scope *s = orr_scope_begin();
    const orr_op *op = orr_define_kernel(&def);
    for (int k = 0; k < 2; k++) {
        orr_event *event = NULL;
        orr_status said = ORR_EINVAL;
        pthread_t thread;
        orr_tensor *t = ten_calls(op, orr_full(ORR_F64, ORR_SHAPE(1), 7.0));
        ORR_REQUIRE(orr_eval_async(ORR_TENSORS(t), &event) == ORR_OK);
        atomic_store(&awaited, event);
        if (k)
            orr_progress_to(cancels, &said);
        else
            ORR_REQUIRE(pthread_create(&thread, NULL, wakes, &said) == 0);
        double from = cancel_now();
        ORR_CHECK(orr_wait(event) == ORR_ECANCELLED && cancel_now() - from < 1.9);
        if (!k)
            (void)pthread_join(thread, NULL);
        orr_progress_to(NULL, NULL);
        ORR_CHECK_MSG(said == ORR_OK, "%s", orr_status_name(said));
        ORR_CHECK(orr_cancel(event) == ORR_EHANDLE && orr_wait(event) == ORR_EHANDLE && orr_event_done(event));
    }
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void limits_and_stretches_are_checked(void)
{
    ORR_REQUIRE(cancel_up(&cancel_lanes[0], "2"));
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = orr_neg(orr_full(ORR_F64, ORR_SHAPE(3), 2.0));
    ORR_CHECK(orr_eval_for(t, -1) == ORR_EINVAL && orr_eval_for(t, (double)NAN) == ORR_EINVAL);
    ORR_CHECK(!orr_cancellable_begin(-1) && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(orr_cancel(NULL) == ORR_EINVAL && orr_cancellable_end(NULL) == ORR_EINVAL);
    ORR_CHECK(orr_eval_for(t, 0) == ORR_ECANCELLED && strstr(orr_error_message(), "limit of 0 s"));
    ORR_CHECK(orr_eval_for(t, INFINITY) == ORR_OK);
    ORR_CHECK(orr_eval_for(t, 0) == ORR_OK); /* the value exists */

    orr_event *a = orr_cancellable_begin(INFINITY), *b = orr_cancellable_begin(INFINITY), *e = NULL;
    ORR_CHECK(orr_cancellable_end(a) == ORR_EINVAL && orr_wait(a) == ORR_EINVAL && !orr_event_done(a));
    ORR_CHECK(orr_eval_async(ORR_TENSORS(orr_neg(t)), &e) == ORR_OK);
    ORR_CHECK(orr_cancellable_end(e) == ORR_EINVAL && orr_wait(e) == ORR_OK);
    ORR_CHECK(orr_cancel(a) == ORR_OK && orr_eval(orr_neg(t)) == ORR_ECANCELLED); /* the outer one counts, too */
    ORR_CHECK(orr_cancellable_end(b) == ORR_OK && orr_eval(orr_neg(t)) == ORR_ECANCELLED);
    ORR_CHECK(orr_cancellable_end(a) == ORR_OK && orr_eval(orr_neg(t)) == ORR_OK);
    orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(cancelled_at_random_moments_the_next_evaluation_is_right),
                                      ORR_TEST(a_cancelled_event_gives_values_or_ecancelled),
                                      ORR_TEST(what_has_begun_ends_and_the_rest_does_not_run),
                                      ORR_TEST(a_long_step_ends_in_its_middle),
                                      ORR_TEST(a_limit_bounds_the_wait_for_another_evaluation),
                                      ORR_TEST(a_cancelled_event_leaves_the_old_values_of_all_variables),
                                      ORR_TEST(a_cancelled_event_undoes_all_pending_assignments),
                                      ORR_TEST(refused_memory_before_a_cancelled_event_loses_no_value),
                                      ORR_TEST(
                                          what_was_recorded_from_a_cancelled_value_is_not_computed_from_the_old_one),
                                      ORR_TEST(an_event_that_fails_leaves_the_old_values),
                                      ORR_TEST(an_event_is_cancelled_while_it_is_waited_for),
                                      ORR_TEST(limits_and_stretches_are_checked),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.cancel", tests);
}
