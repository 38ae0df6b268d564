/* Evaluation from a user's point of view: laziness, several outputs, events, explicit graphs, variables, errors.
 * Must not know: what runs where. */
#include "config.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <orrery.h>
#include <orrery/device.h>
#include "runtime/base/buffer.h"
#include "runtime/graph/node.h"
#include "runtime/plan/plan.h"
#include "tests/harness/harness.h"

static double item(orr_tensor *t)
{
    double v = NAN;
    ORR_CHECK_MSG(orr_item(t, &v) == ORR_OK, "%s", orr_error_message());
    return v;
}

static orr_tensor *vec(int n, double first)
{
    return orr_arange(ORR_F64, first, first + n, 1);
}

static void nothing_runs_until_a_value_is_asked_for(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_sum(vec(100, 0), ORR_ALL_AXES, false);
    ORR_CHECK(orr__handle_node(y)->value == NULL);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    ORR_CHECK(orr__handle_node(y)->value != NULL);
    ORR_CHECK(item(y) == 4950);
    (void)orr_scope_end(s);
}

static void several_outputs_share_their_work(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_mul(vec(10, 1), vec(10, 1));
    orr_tensor *t[3] = { x, orr_sum(x, ORR_ALL_AXES, false), orr_max(x, ORR_ALL_AXES, false) };
    ORR_CHECK(orr_eval_all(t, 3) == ORR_OK);
    ORR_CHECK(item(t[1]) == 385 && item(t[2]) == 100);
    double v[10];
    ORR_CHECK(orr_read(t[0], v, sizeof v) == ORR_OK && v[2] == 9);
    (void)orr_scope_end(s);
}

static void output_view_or_leaf_reads_right(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_I32, ORR_SHAPE(2, 3), (int32_t[]){ 1, 2, 3, 4, 5, 6 });
    int32_t v[6];
    ORR_CHECK(orr_read(orr_transpose(x), v, sizeof v) == ORR_OK);
    ORR_CHECK(v[0] == 1 && v[1] == 4 && v[2] == 2 && v[5] == 6);
    ORR_CHECK(orr_read(orr_reshape(x, ORR_SHAPE(3, 2)), v, sizeof v) == ORR_OK);
    ORR_CHECK(v[0] == 1 && v[5] == 6);
    ORR_CHECK(orr_read(x, v, sizeof v) == ORR_OK && v[3] == 4);
    (void)orr_scope_end(s);
}

static void event_is_waited_for(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *y = orr_sum(orr_exp(orr_randn(ORR_F32, ORR_SHAPE(512, 1024), 0, 1)), ORR_ALL_AXES, false);
    orr_event *e = NULL;
    ORR_CHECK(orr_eval_async(&y, 1, &e) == ORR_OK && e);
    ORR_CHECK(orr_wait(e) == ORR_OK);
    double mean = item(y) / (512.0 * 1024.0);
    ORR_CHECK_MSG(fabs(mean - exp(0.5)) < 0.02, "mean %g", mean);
    ORR_CHECK(orr_wait(NULL) == ORR_EINVAL);
    (void)orr_scope_end(s);
}

static void result_is_usable_before_event_wait(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_add(orr_rand(ORR_F64, ORR_SHAPE(300, 300), 0, 0), orr_scalar(2));
    orr_event *e1 = NULL, *e2 = NULL;
    ORR_CHECK(orr_eval_async(&a, 1, &e1) == ORR_OK);
    orr_tensor *b = orr_sum(a, ORR_ALL_AXES, false);
    ORR_CHECK(orr_eval_async(&b, 1, &e2) == ORR_OK);
    ORR_CHECK(item(b) == 2.0 * 300 * 300);
    ORR_CHECK(orr_wait(e2) == ORR_OK && orr_wait(e1) == ORR_OK);
    (void)orr_scope_end(s);
}

static void graph_is_built_once_and_submitted_often(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_placeholder(ORR_F64, ORR_SHAPE(4)), *w = orr_variable(orr_full(ORR_F64, ORR_SHAPE(4), 2));
    orr_tensor *out[2] = { orr_mul(x, w), orr_sum(orr_mul(x, x), ORR_ALL_AXES, false) };
    orr_graph *g = orr_graph_build(&x, 1, out, 2);
    ORR_REQUIRE(g != NULL);
    for (int i = 0; i < 5; i++) {
        orr_tensor *in = vec(4, i), *r[2];
        if (i == 3) /* each submission reads the variable again */
            ORR_CHECK(orr_assign(w, orr_full(ORR_F64, ORR_SHAPE(4), 10)) == ORR_OK);
        ORR_CHECK_MSG(orr_graph_submit(g, &in, 1, r, 2, NULL) == ORR_OK, "%s", orr_error_message());
        double v[4];
        ORR_CHECK(orr_read(r[0], v, sizeof v) == ORR_OK);
        ORR_CHECK_MSG(v[1] == (i + 1) * (i < 3 ? 2 : 10), "submission %d: %g", i, v[1]);
        ORR_CHECK(item(r[1]) == 4.0 * i * i + 12.0 * i + 14);
    }
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    (void)orr_scope_end(s);
}

static void graph_build_names_what_is_missing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_placeholder(ORR_F32, ORR_SHAPE(4)), *z = orr_placeholder(ORR_F32, ORR_SHAPE(4));
    orr_tensor *y = orr_add(x, z), *xx[2] = { x, x };
    ORR_CHECK(orr_graph_build(&x, 1, &y, 1) == NULL && orr_error_status() == ORR_EGRAPH);
    ORR_CHECK(orr_graph_build(&y, 1, &y, 1) == NULL && orr_error_status() == ORR_EGRAPH);
    ORR_CHECK(orr_graph_build(xx, 2, &y, 1) == NULL && orr_error_status() == ORR_EGRAPH);
    ORR_CHECK(orr_graph_build(NULL, 1, &y, 1) == NULL && orr_error_status() == ORR_EINVAL);
    ORR_CHECK(orr_eval(y) == ORR_EGRAPH);
    orr_graph *g = orr_graph_build(ORR_TENSORS(x, z), &y, 1);
    ORR_REQUIRE(g != NULL);
    orr_tensor *bad[2] = { orr_zeros(ORR_F32, ORR_SHAPE(5)), x }, *r;
    ORR_CHECK(orr_graph_submit(g, bad, 2, &r, 1, NULL) == ORR_ESHAPE);
    bad[0] = orr_zeros(ORR_F64, ORR_SHAPE(4));
    ORR_CHECK(orr_graph_submit(g, bad, 2, &r, 1, NULL) == ORR_EDTYPE);
    ORR_CHECK(orr_graph_submit(NULL, bad, 2, &r, 1, NULL) == ORR_EINVAL);
    (void)orr_graph_free(g);
    (void)orr_scope_end(s);
}

static void assignments_are_done_with_the_next_evaluation(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(3)));
    for (int i = 0; i < 10; i++) {
        orr_tensor *loss = orr_sum(v, ORR_ALL_AXES, false);
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK);
        ORR_CHECK(orr_eval(loss) == ORR_OK);
        ORR_CHECK(item(loss) == 3.0 * i);
        ORR_CHECK(orr__handle_node(v)->value != NULL);
    }
    double x[3];
    ORR_CHECK(orr_read(v, x, sizeof x) == ORR_OK && x[0] == 10);
    (void)orr_scope_end(s);
}

/* w ← w/2 + 1 from 0 in a million elements, while the "loss" is read: 2 − 2^(1−t) after t steps, exactly. */
static void loss_is_read_before_variables_end(void)
{
    enum { N = 1 << 20, STEPS = 12 };
    orr_scope *all = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(N)));
    static float got[N];
    for (int t = 1; t <= STEPS; t++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *loss = orr_mul(orr_sum(orr_slice_axis(w, 0, N - 8, N, 1), ORR_ALL_AXES, false), orr_scalar(0.125));
        ORR_CHECK(orr_assign(w, orr_add(orr_mul(w, orr_scalar(0.5)), orr_scalar(1))) == ORR_OK);
        ORR_CHECK(item(loss) == 2 - ldexp(2, 1 - t));
        ORR_CHECK(t % 3 != 0 || orr_read(w, got, sizeof got) == ORR_OK);
        for (int i = 0; i < N && t % 3 == 0; i++)
            if ((double)got[i] != 2 - ldexp(1, 1 - t)) {
                ORR_CHECK_MSG(false, "step %d, element %d: %g", t, i, (double)got[i]);
                break;
            }
        (void)orr_scope_end(s);
    }
    (void)orr_scope_end(all);
}

static void repeated_graph_is_planned_once(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_keep(orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(7))));
    for (int i = 0; i < 3; i++) {
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(i))) == ORR_OK);
        ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    }
    orr__plan_stats before = orr__plan_get_stats();
    for (int i = 0; i < 20; i++) {
        ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(i))) == ORR_OK);
        ORR_CHECK(orr_eval_all(NULL, 0) == ORR_OK);
    }
    orr__plan_stats after = orr__plan_get_stats();
    ORR_CHECK(after.misses == before.misses && after.hits == before.hits + 20);
    ORR_CHECK(orr_free(v) == ORR_OK);
    (void)orr_scope_end(s);
}

static void poison_travels_to_eval_with_its_first_message(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_zeros(ORR_F32, ORR_SHAPE(128, 784)), *b = orr_zeros(ORR_F32, ORR_SHAPE(748, 10));
    orr_tensor *y = orr_softmax(orr_add(orr_matmul(a, b), orr_scalar(1)), -1);
    orr_error_clear();
    ORR_CHECK(orr_eval(y) == ORR_ESHAPE);
    const char *m = orr_error_message();
    ORR_CHECK_MSG(strstr(m, "tests/api/eval.c:") && strstr(m, "matmul") && strstr(m, "(128, 784)") &&
                      strstr(m, "(748, 10)"),
                  "%s", m);
    double v;
    ORR_CHECK(orr_item(y, &v) == ORR_ESHAPE);
    ORR_CHECK(orr_assign(orr_variable(a), y) == ORR_ESHAPE);
    (void)orr_scope_end(s);
}

static void reading_checks_what_it_is_given(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = vec(4, 0);
    double v[4] = { -1, -1, -1, -1 };
    ORR_CHECK(orr_read(x, v, sizeof v - 1) == ORR_EINVAL && v[0] == -1);
    ORR_CHECK_MSG(strstr(orr_error_message(), "32"), "%s", orr_error_message());
    ORR_CHECK(orr_read(x, NULL, sizeof v) == ORR_EINVAL);
    ORR_CHECK(orr_item(x, v) == ORR_ESHAPE);
    ORR_CHECK(orr_item(NULL, v) == ORR_EINVAL);
    ORR_CHECK(orr_eval(NULL) == ORR_EINVAL);
    ORR_CHECK(orr_eval_all(NULL, 2) == ORR_EINVAL);
    ORR_CHECK(orr_eval_all(&x, -1) == ORR_EINVAL);
    ORR_CHECK(orr_data(NULL) == NULL);
    (void)orr_scope_end(s);
}

static void refused_memory_changes_nothing(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_variable(vec(1000, 0));
    ORR_CHECK(orr_eval(x) == ORR_OK);
    orr_tensor *huge = orr_add(orr_zeros(ORR_F64, ORR_SHAPE(1000000, 1000000)), orr_scalar(1)); /* 8 TB */
    ORR_CHECK(orr_eval(huge) == ORR_ENOMEM);
    ORR_CHECK(orr_free(huge) == ORR_OK);
    ORR_CHECK(item(orr_sum(x, ORR_ALL_AXES, false)) == 499500);
    for (int k = 0; k < 4; k++) { /* each allocation of an evaluation fails in turn */
        orr_tensor *y = orr_sum(orr_exp(orr_neg(x)), ORR_ALL_AXES, false);
        orr__pool_trim();
        orr__pool_fail_after(k);
        orr_status st = orr_eval(y);
        orr__pool_fail_after(-1);
        ORR_CHECK(st == ORR_OK || st == ORR_ENOMEM);
        ORR_CHECK_MSG(fabs(item(y) - 1.0 / (1 - exp(-1))) < 1e-12, "%.17g", item(y));
    }
    (void)orr_scope_end(s);
}

static void index_errors_surface_at_eval(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = vec(4, 0), *i = orr_from(ORR_I64, ORR_SHAPE(2), (int64_t[]){ 1, 9 });
    orr_tensor *y = orr_take(x, i, 0);
    ORR_CHECK(orr_eval(y) == ORR_EINDEX);
    ORR_CHECK_MSG(strstr(orr_error_message(), "9"), "%s", orr_error_message());
    ORR_CHECK(item(orr_sum(x, ORR_ALL_AXES, false)) == 6);
    (void)orr_scope_end(s);
}

static void *train(void *arg)
{
    double *result = arg;
    orr_scope *all = orr_scope_begin();
    orr_tensor *w = orr_variable(orr_zeros(ORR_F64, ORR_SHAPE(16)));
    for (int i = 0; i < 200; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *g = orr_sub(w, orr_scalar(3));
        (void)orr_assign(w, orr_sub(w, orr_mul(g, orr_scalar(0.1))));
        (void)orr_eval_all(NULL, 0);
        (void)orr_scope_end(s);
    }
    (void)orr_item(orr_mean(w, ORR_ALL_AXES, false), result);
    (void)orr_scope_end(all);
    return NULL;
}

static void threads_evaluate_at_once(void)
{
    enum { N = 8 };
    pthread_t thread[N];
    double r[N];
    for (int i = 0; i < N; i++)
        ORR_CHECK(pthread_create(&thread[i], NULL, train, &r[i]) == 0);
    for (int i = 0; i < N; i++) {
        pthread_join(thread[i], NULL);
        ORR_CHECK_MSG(fabs(r[i] - 3) < 1e-6, "thread %d: %g", i, r[i]);
    }
}

static void fp_mode_survives_init_and_shutdown_order(void)
{
    ORR_CHECK(orr_init(NULL) == ORR_ESTATE);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_shutdown() == ORR_ESTATE);
    orr_tensor *x = vec(3, 0);
    ORR_CHECK(orr_eval(x) == ORR_ESTATE);
    ORR_CHECK(strstr(orr_error_message(), "orr_init") != NULL);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
    ORR_CHECK(item(orr_sum(x, ORR_ALL_AXES, false)) == 3);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK(orr_tensor_status(x) == ORR_EHANDLE);
    ORR_CHECK(setenv("ORRERY_FUSE", "perhaps", 1) == 0);
    ORR_CHECK(orr_init(NULL) == ORR_EENV);
    ORR_CHECK_MSG(strstr(orr_error_message(), "on") && strstr(orr_error_message(), "off"), "%s", orr_error_message());
    ORR_CHECK(unsetenv("ORRERY_FUSE") == 0);
    ORR_CHECK(orr_init(NULL) == ORR_OK);
}

/* More graphs in turn than a thread caches plans of; each is a sum of another length. True if all results were
 * right. */
static bool in_turn(void)
{
    bool right = true;
    for (int i = 0; i < 60; i++) {
        orr_scope *s = orr_scope_begin();
        int n = 1000 + i % 6;
        right = right && item(orr_sum(orr_full(ORR_F64, ORR_SHAPE(n), 0.5), ORR_ALL_AXES, false)) == 0.5 * n;
        (void)orr_scope_end(s);
    }
    return right;
}

static void *before_and_after(void *barrier)
{
    bool right = in_turn();
    for (int i = 0; i < 2; i++) /* with a shutdown and a start between them */
        (void)pthread_barrier_wait(barrier);
    return right && in_turn() ? barrier : NULL;
}

static void recent_plans_end_with_shutdown(void)
{
    orr__plan_stats before = orr__plan_get_stats(), after;
    pthread_barrier_t barrier;
    pthread_t thread;
    void *right = NULL;
    ORR_REQUIRE(pthread_barrier_init(&barrier, NULL, 2) == 0);
    ORR_REQUIRE(pthread_create(&thread, NULL, before_and_after, &barrier) == 0);
    (void)pthread_barrier_wait(&barrier);
    after = orr__plan_get_stats();
    ORR_CHECK(after.misses == before.misses + 6 && after.hits == before.hits + 54);
    ORR_CHECK(in_turn() && orr__plan_get_stats().misses == after.misses);
    ORR_CHECK(orr_shutdown() == ORR_OK && orr_init(NULL) == ORR_OK);
    (void)pthread_barrier_wait(&barrier);
    ORR_CHECK(pthread_join(thread, &right) == 0 && right);
    ORR_CHECK(orr__plan_get_stats().misses == after.misses + 6);
    (void)pthread_barrier_destroy(&barrier);
}

/* With scopes and without them. */
static void reading_a_variable_keeps_no_old_value(void)
{
    enum { N = 1 << 18 };
    orr_tensor *v = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(N)));
    ORR_CHECK(orr_eval(v) == ORR_OK);
    size_t before = 0;
    for (int i = 0; i < 7; i++) {
        orr_scope *s = i % 2 ? orr_scope_begin() : NULL;
        orr_tensor *t = orr_add(v, orr_scalar(1.0));
        ORR_CHECK(orr_tensor_size(v) == N && orr_assign(v, t) == ORR_OK);
        if (!s)
            ORR_CHECK(orr_free(t) == ORR_OK);
        ORR_CHECK(orr_eval(v) == ORR_OK && (!s || orr_scope_end(s) == ORR_OK));
        size_t now = orr_memory_stats().live;
        before = i == 0 ? now : before;
        ORR_CHECK_MSG(now < before + N, "%zu bytes live, %zu after the first", now, before);
    }
    ORR_CHECK(orr_free(v) == ORR_OK);
}

/* Not the first of its structure, not a failed one, not beside pending assignments, and not a long one; the value is that of orr_eval. */
static void brief_evaluations_leave_others_alone(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = vec(7, 1), *v = orr_variable(vec(3, 0)), *t;
    ORR_CHECK(orr_eval(x) == ORR_OK && orr_eval(v) == ORR_OK && orr_eval_brief(x));
    orr__plan_cache_clear();
    t = orr_mul(x, x);
    ORR_CHECK(!orr_eval_brief(t) && orr__handle_node(t)->value == NULL && orr_eval(t) == ORR_OK);
    for (int i = 0; i < 40; i++) {
        t = orr_mul(x, x);
        ORR_CHECK(orr_eval_brief(t) && orr__handle_node(t)->value && orr_eval_brief(t));
        ORR_CHECK(item(orr_sum(t, ORR_ALL_AXES, false)) == 140);
    }
    ORR_CHECK(!orr_eval_brief(NULL) && !orr_eval_brief(orr_add(x, vec(6, 0))));
    ORR_CHECK(!orr_eval_brief(orr_placeholder(ORR_F64, ORR_SHAPE(7))));
    ORR_CHECK(orr_assign(v, orr_add(v, orr_scalar(1))) == ORR_OK && !orr_eval_brief(orr_mul(x, x)));
    ORR_CHECK(item(orr_sum(v, ORR_ALL_AXES, false)) == 6 && orr_eval_brief(orr_mul(x, x)));
    orr_tensor *large = orr_rand(ORR_F32, ORR_SHAPE(1 << 22), 0, 1);
    ORR_CHECK(orr_eval(large) == ORR_OK && orr_eval(orr_exp(large)) == ORR_OK && !orr_eval_brief(orr_exp(large)));
    for (int i = 0; i < 2; i++) { /* a deep and a wide graph: their walk alone takes longer than a small step */
        orr_tensor *deep = x;
        for (int k = 0; k < 3000; k++)
            deep = orr_add(deep, i ? orr_mul(x, orr_scalar(k)) : x);
        ORR_CHECK(!orr_eval_brief(deep) && orr_eval(deep) == ORR_OK);
    }
    orr__pool_fail_after(0);
    bool done = orr_eval_brief(orr_mul(x, x));
    orr__pool_fail_after(-1);
    ORR_CHECK(!done || orr_eval_brief(orr_mul(x, x)));
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(nothing_runs_until_a_value_is_asked_for),
                                      ORR_TEST(several_outputs_share_their_work),
                                      ORR_TEST(output_view_or_leaf_reads_right),
                                      ORR_TEST(event_is_waited_for),
                                      ORR_TEST(result_is_usable_before_event_wait),
                                      ORR_TEST(graph_is_built_once_and_submitted_often),
                                      ORR_TEST(graph_build_names_what_is_missing),
                                      ORR_TEST(assignments_are_done_with_the_next_evaluation),
                                      ORR_TEST(loss_is_read_before_variables_end),
                                      ORR_TEST(repeated_graph_is_planned_once),
                                      ORR_TEST(poison_travels_to_eval_with_its_first_message),
                                      ORR_TEST(reading_checks_what_it_is_given),
                                      ORR_TEST(refused_memory_changes_nothing),
                                      ORR_TEST(index_errors_surface_at_eval),
                                      ORR_TEST(threads_evaluate_at_once),
                                      ORR_TEST(fp_mode_survives_init_and_shutdown_order),
                                      ORR_TEST(recent_plans_end_with_shutdown),
                                      ORR_TEST(reading_a_variable_keeps_no_old_value),
                                      ORR_TEST(brief_evaluations_leave_others_alone),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.eval", tests);
    (void)orr_shutdown();
    return rc;
}
