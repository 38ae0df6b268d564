/* User-defined kernels: shapes, tiles, engines, derivatives, and their failures.
 * Must not know: how they are launched. */
#include "config.h"

#include "ops/ops.h"
#include "runtime/plan/plan.h"
#include <orrery/info.h>
#include "tests/harness/define_affine.h"

/* Cumulative product of two rows of f64: (n) and (n) to (2, n), as one tile. */
static int pair_shape(orr_kernel_args *a)
{
    if (a->in[0].shape.rank != 1 || a->in[1].shape.rank != 1 || a->in[0].shape.dim[0] != a->in[1].shape.dim[0]) {
        (void)snprintf(a->message, a->message_size, "two vectors of one length are needed");
        return 1;
    }
    a->out_shape = ORR_SHAPE(2, a->in[0].shape.dim[0]);
    a->out_dtype = ORR_F64;
    return 0;
}

static int pair(const orr_kernel_args *a)
{
    atomic_fetch_add(&calls, 1);
    for (int i = 0; i < 2; i++) {
        double *y = (double *)a->out + i * a->out_shape.dim[1], p = 1;
        for (int64_t k = 0; k < a->out_shape.dim[1]; k++)
            y[k] = p *= ((const float *)a->in[i].data)[k];
    }
    return a->lo != 0 || a->hi != 2;
}

static const orr_kernel_def pair_def = {
    .name = "pair_cumprod", .n_inputs = 2, .dtypes = { 1u << ORR_F32, 1u << ORR_F32 }, .shape = pair_shape, .cpu = pair
};

static int fails(const orr_kernel_args *a)
{
    (void)snprintf(a->message, a->message_size, "no convergence after %d steps", 12);
    return 42;
}

static void serial_runs_it_between_fused_steps(void)
{
    double got[8] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    ORR_CHECK(affine_is_right(3, 5, 2) && affine_is_right(1, 1, -3));
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_kernel(&pair_def);
    orr_tensor *x = orr_add(orr_arange(ORR_F32, 0, 4, 1), orr_scalar(1));
    ORR_CHECK_MSG(dh_read(orr_apply(op, ORR_TENSORS(x, orr_mul(x, x))), got, 8) && got[3] == 24 && got[7] == 576, "%g",
                  got[7]);
    /* a view is made contiguous */
    x = orr_transpose(orr_reshape(orr_arange(ORR_F32, 0, 6, 1), ORR_SHAPE(2, 3)));
    op = orr_define_kernel(&affine_def);
    ORR_CHECK(dh_read(orr_apply_with(op, ORR_TENSORS(x), ORR_PARAMS(1)), got, 6) && got[0] == 0 && got[1] == 3 &&
              got[2] == 2);
    /* an empty array needs no call of the kernel */
    calls = 0;
    ORR_CHECK(orr_eval(orr_apply_with(op, ORR_TENSORS(orr_zeros(ORR_F32, ORR_SHAPE(0, 3))), ORR_PARAMS(1))) == ORR_OK &&
              calls == 0);
    /* () is one row */
    ORR_CHECK(dh_read(orr_apply_with(op, ORR_TENSORS(orr_full(ORR_F32, ORR_SHAPE_0D, 2)), ORR_PARAMS(4)), got, 1) &&
              got[0] == 8);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void rows_become_tiles_and_others_do_not(void)
{
    if (!DH_START(DH_STARPU, { "ORRERY_TILE_US", "1" }))
        return;
    calls = rows_done = 0;
    ORR_CHECK(affine_is_right(512, 1000, 3));
    ORR_CHECK_MSG(calls > 1 && rows_done == 512, "%d calls, %d rows", (int)calls, (int)rows_done);
    calls = 0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(100000));
    double sum;
    ORR_CHECK(orr_item(orr_sum(orr_apply(orr_define_kernel(&pair_def), ORR_TENSORS(x, x)), ORR_ALL_AXES, false),
                       &sum) == ORR_OK);
    ORR_CHECK(sum == 200000 && calls == 1);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void parameters_change_without_a_new_plan(void)
{
    if (!DH_START(DH_SERIAL))
        return;
    ORR_CHECK(affine_is_right(4, 4, 1));
    uint64_t misses = orr__plan_get_stats().misses;
    ORR_CHECK(affine_is_right(4, 4, 5) && orr__plan_get_stats().misses == misses);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static int twice(const orr_kernel_args *a)
{
    for (int64_t i = a->lo; i < a->hi; i++)
        ((float *)a->out)[i] = 2 * ((const float *)a->in[0].data)[i];
    return 0;
}

static int thrice(const orr_kernel_args *a)
{
    for (int64_t i = a->lo; i < a->hi; i++)
        ((float *)a->out)[i] = 3 * ((const float *)a->in[0].data)[i];
    return 0;
}

/* Plans are found by structure, which includes the identity of the kernel. */
static void similar_kernels_stay_distinct(void)
{
    orr_kernel_def d = { .name = "twice_all", .n_inputs = 1, .cpu = twice }, e = d;
    double got[3] = { 0 };
    e.name = "thrice_all";
    e.cpu = thrice;
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(3)), *both;
    ORR_REQUIRE(orr_eval(x) == ORR_OK);
    ORR_CHECK(dh_read(orr_apply(orr_define_kernel(&d), ORR_TENSORS(x)), got, 3) && got[2] == 2);
    ORR_CHECK(dh_read(orr_apply(orr_define_kernel(&e), ORR_TENSORS(x)), got, 3) && got[2] == 3);
    both = orr_sub(orr_apply(orr_define_kernel(&e), ORR_TENSORS(x)), orr_apply(orr_define_kernel(&d), ORR_TENSORS(x)));
    ORR_CHECK(dh_read(both, got, 3) && got[2] == 1);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void graph_contains_defined_kernel(void)
{
    static const float v[3] = { 1, 2, 3 };
    double got[3] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *p = orr_placeholder(ORR_F32, ORR_SHAPE(3)), *r = NULL, *x = orr_from(ORR_F32, ORR_SHAPE(3), v);
    orr_tensor *y = orr_apply_with(orr_define_kernel(&affine_def), ORR_TENSORS(p), ORR_PARAMS(10));
    orr_graph *g = orr_graph_build(&p, 1, &y, 1);
    ORR_CHECK(g && orr_graph_submit(g, &x, 1, &r, 1, NULL) == ORR_OK && dh_read(r, got, 3) && got[2] == 32);
    ORR_CHECK(orr_graph_free(g) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void gradient_uses_kernel_vjp_or_reports_none(void)
{
    double got[6] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_arange(ORR_F32, 0, 6, 1), *g = NULL;
    orr_tensor *y = orr_apply_with(orr_define_kernel(&affine_def), ORR_TENSORS(orr_mul(x, x)), ORR_PARAMS(-2));
    ORR_CHECK_MSG(orr_grad(y, &x, 1, &g) == ORR_OK && dh_read(g, got, 6) && got[3] == -12, "%s", orr_error_message());
    y = orr_apply(orr_define_kernel(&pair_def), ORR_TENSORS(x, x));
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_EGRAPH && strstr(orr_error_message(), "pair_cumprod") &&
              strstr(orr_error_message(), "has no derivative"));
    y = orr_sum(orr_mul(orr_detach(y), orr_sum(x, ORR_ALL_AXES, false)), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void its_failure_is_the_evaluations(const dh_setting *where)
{
    orr_kernel_def d = { .name = "never_converges", .n_inputs = 1, .cpu = fails };
    if (!dh_start(where))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y =
        orr_add(orr_apply(orr_define_kernel(&d), ORR_TENSORS(orr_ones(ORR_F32, ORR_SHAPE(9)))), orr_scalar(1));
    ORR_CHECK_MSG(orr_eval(y) == ORR_EDEVICE && strstr(orr_error_message(), "never_converges") &&
                      strstr(orr_error_message(), "no convergence after 12 steps (42)") &&
                      strstr(orr_error_message(), "tests/api/define_kernel.c"),
                  "%s", orr_error_message());
    ORR_CHECK(affine_is_right(2, 2, 1)); /* the next call works */
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void failure_serial(void)
{
    its_failure_is_the_evaluations((const dh_setting[]){ DH_SERIAL, { NULL, NULL } });
}

static void failure_starpu(void)
{
    its_failure_is_the_evaluations((const dh_setting[]){ DH_STARPU, { NULL, NULL } });
}

static void apply_checks_operands(void)
{
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_kernel(&pair_def), *one = orr_define_kernel(&affine_def);
    orr_tensor *x = orr_ones(ORR_F32, ORR_SHAPE(3)),
               *y = orr_apply(op, ORR_TENSORS(x, orr_ones(ORR_F32, ORR_SHAPE(4))));
    ORR_CHECK(orr_eval(y) == ORR_ESHAPE && strstr(orr_error_message(), "two vectors of one length are needed"));
    y = orr_apply(op, ORR_TENSORS(x, orr_ones(ORR_F64, ORR_SHAPE(3))));
    ORR_CHECK(orr_eval(y) == ORR_EDTYPE && strstr(orr_error_message(), "x[1] is float64; it may be float32"));
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x))) == ORR_EINVAL &&
              strstr(orr_error_message(), "2 operands, not 1"));
    ORR_CHECK(orr_eval(orr_apply(one, ORR_TENSORS(x))) == ORR_EINVAL &&
              strstr(orr_error_message(), "1 parameter, not 0"));
    ORR_CHECK(orr_eval(orr_apply_with(op, ORR_TENSORS(x, x), ORR_PARAMS(1))) == ORR_EINVAL);
    ORR_CHECK(orr_eval(orr_apply(op, ORR_TENSORS(x, NULL))) == ORR_EINVAL &&
              strstr(orr_error_message(), "x[1] is NULL"));
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void reference_evaluation_calls_kernel(void)
{
    float got[4] = { 0 };
    void *out[1] = { got };
    const void *leaf[1] = { NULL };
    static const float v[4] = { 1, 2, 3, 4 };
    orr__capture p;
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *y =
        orr_apply_with(orr_define_kernel(&affine_def), ORR_TENSORS(orr_from(ORR_F32, ORR_SHAPE(4), v)), ORR_PARAMS(3));
    orr__node *n = orr__handle_node(y);
    ORR_REQUIRE(n && orr__capture_make(ORR__SITE(NULL, 0, "test"), &n, 1, &p) == ORR_OK);
    leaf[0] = p.leaf[0]->host;
    ORR_CHECK(orr__reference_eval(&p, leaf, out) == ORR_OK && got[0] == 3 && got[3] == 15);
    orr__capture_free(&p);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void kernel_performance_model_has_its_name(void)
{
    enum { MOST = 64 };
    static orr_perfmodel m[MOST];
    int n = 0, found = 0;
    if (!DH_START(DH_STARPU, { "STARPU_SCHED", "dmda" }))
        return;
    for (int i = 0; i < 12; i++)
        ORR_CHECK(affine_is_right(64, 100, 2));
    ORR_CHECK(orr_perfmodel_list(m, MOST, &n) == ORR_OK);
    for (int i = 0; i < n && i < MOST; i++)
        found += strstr(m[i].kernel, "affine") && strcmp(m[i].device, "CPU") == 0 &&
                 m[i].samples > 0; /* outliers are left out */
    ORR_CHECK_MSG(found == 1, "%d of %d", found, n);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* -- a kernel that uses the library ------------------------------------------------------------------------------- */

/* A value to evaluate, an evaluation to wait for, a finished value to read; the number of calls, and of those that were refused and
 * permitted as they must be. */
static struct {
    orr_tensor *open, *flowing, *done;
    atomic_int calls, right;
} nested;

static bool is_refused(orr_status st)
{
    return st == ORR_ESTATE && strstr(orr_error_message(), "called by") && strstr(orr_error_message(), "nests");
}

static int nests(const orr_kernel_args *a)
{
    float v = 0, *y = a->out;
    bool refuses = is_refused(orr_eval(nested.open)) && is_refused(orr_read(nested.open, &v, sizeof v)) &&
                   is_refused(orr_eval_all(&nested.open, 1)) && is_refused(orr_shutdown()),
         reads = orr_read(nested.done, &v, sizeof v) == ORR_OK && v == 7;
    atomic_fetch_add(&nested.calls, 1);
    atomic_fetch_add(&nested.right, refuses && reads);
    for (int64_t i = a->lo * per_row(a); i < a->hi * per_row(a); i++)
        y[i] = 1;
    return 0;
}

static const orr_kernel_def nests_def = { .name = "nests", .n_inputs = 1, .rows = true, .cpu = nests, .flops = 2000 };

static orr_tensor *nest(orr_tensor *item, int64_t i, void *op)
{
    return orr_add(orr_apply(op, ORR_TENSORS(item)), orr_scalar((double)i));
}

/* By one evaluation of a large and of a small operand, a submission, and many items. */
static void check_nesting(void)
{
    orr_tensor *item[3], *result[3];
    orr_event *e = NULL;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_kernel(&nests_def);
    nested.done = orr_full(ORR_F32, ORR_SHAPE(), 7);
    nested.open = orr_exp(orr_full(ORR_F32, ORR_SHAPE(), 0));
    atomic_store(&nested.calls, 0);
    atomic_store(&nested.right, 0);
    ORR_REQUIRE(op && orr_eval(nested.done) == ORR_OK);
    for (int64_t rows = 2; rows <= 2000; rows *= 1000)
        for (int i = 0; i < 3; i++) { /* the later ones find workers awake, and a crew */
            orr_tensor *y = orr_apply(op, ORR_TENSORS(orr_rand(ORR_F32, ORR_SHAPE(rows, 100), 0.0, 1.0)));
            double sum = 0;
            ORR_CHECK(orr_item(orr_sum(y, ORR_ALL_AXES, false), &sum) == ORR_OK && sum == (double)rows * 100);
            y = orr_apply(op, ORR_TENSORS(orr_rand(ORR_F32, ORR_SHAPE(rows, 100), 0.0, 1.0)));
            ORR_CHECK(orr_eval_async(&y, 1, &e) == ORR_OK && orr_wait(e) == ORR_OK);
        }
    for (int i = 0; i < 3; i++)
        item[i] = orr_full(ORR_F32, ORR_SHAPE(4), i);
    ORR_CHECK(orr_par_map(3, nest, item, op, result) == ORR_OK);
    ORR_CHECK_MSG(nested.calls >= 15 && nested.calls == nested.right, "%d of %d", nested.right, nested.calls);
    ORR_CHECK(orr_eval(nested.open) == ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void kernel_cannot_evaluate(void)
{
    orr_test_alarm();
    if (DH_START(DH_SERIAL))
        check_nesting();
    orr_test_alarm();
    if (DH_START(DH_STARPU))
        check_nesting();
    orr_test_alarm();
    if (DH_START({ "ORRERY_ENGINE", "starpu" }, { "ORRERY_BACKEND", "cpu" }, { "STARPU_NCPU", "2" }))
        check_nesting();
}

/* The memory is released where its last use ends: on a worker, or here. */
static void releases(void *data, void *user)
{
    (void)data;
    atomic_fetch_add((atomic_int *)user, 1);
    orr_status st = orr_eval(nested.open);
    atomic_fetch_add(&nested.right, st == ORR_ESTATE && strstr(orr_error_message(), "called by") != NULL);
}

static void release_cannot_evaluate(void)
{
    static float v[4] = { 1, 2, 3, 4 };
    atomic_int released = 0;
    if (!DH_START(DH_STARPU))
        return;
    atomic_store(&nested.right, 0);
    orr_scope *all = orr_scope_begin();
    nested.open = orr_exp(orr_full(ORR_F32, ORR_SHAPE(), 0));
    for (int tasks = 0; tasks < 2; tasks++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_wrap(ORR_F32, ORR_SHAPE(4), v, releases, &released), *y = orr_mul(x, x);
        orr_event *e = NULL;
        ORR_CHECK(!tasks || (orr_eval_async(&y, 1, &e) == ORR_OK && orr_free(x) == ORR_OK && orr_wait(e) == ORR_OK));
        (void)orr_scope_end(s);
    }
    ORR_CHECK(orr_eval(nested.open) == ORR_OK);
    (void)orr_scope_end(all);
    ORR_CHECK(orr_shutdown() == ORR_OK);
    ORR_CHECK_MSG(released == 2 && nested.right == 2, "%d, %d", released, nested.right);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(serial_runs_it_between_fused_steps),
                                      ORR_TEST(rows_become_tiles_and_others_do_not),
                                      ORR_TEST(parameters_change_without_a_new_plan),
                                      ORR_TEST(similar_kernels_stay_distinct),
                                      ORR_TEST(graph_contains_defined_kernel),
                                      ORR_TEST(gradient_uses_kernel_vjp_or_reports_none),
                                      ORR_TEST(failure_serial),
                                      ORR_TEST(failure_starpu),
                                      ORR_TEST(apply_checks_operands),
                                      ORR_TEST(reference_evaluation_calls_kernel),
                                      ORR_TEST(kernel_performance_model_has_its_name),
                                      ORR_TEST(kernel_cannot_evaluate),
                                      ORR_TEST(release_cannot_evaluate),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.define_kernel", tests);
}
