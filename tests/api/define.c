/* A row that only this program defines: value and derivatives in tier 0, in tier 1, on OpenCL, and its CUDA C compiled;
 * compared with libm and finite differences.
 * Must not know: how rows are computed. */
#include "config.h"

#ifdef HAVE_NVRTC
#include <nvrtc.h>
#endif
#include "codelets/emit/emit.h"
#include "runtime/graph/capture.h"
#include "tests/harness/define_help.h"
#include "tests/harness/explain_help.h"

enum { N = 400 };

/* x·tanh(log(1 + e^(y·x))) with a slope y, which is in no table. */
static long double value(long double x, long double y)
{
    return x * tanhl(log1pl(expl(y * x)));
}

static orr_op *mish_slope(void)
{
    return orr_define_elementwise_with(
        "mish_slope", 2, "x * tanh(softplus(y*x))",
        ORR_TEXTS("g*(tanh(softplus(y*x)) + x*y*(1-tanh(softplus(y*x)))*(1+tanh(softplus(y*x)))*sigmoid(y*x))",
                  "g*x*x*(1-tanh(softplus(y*x)))*(1+tanh(softplus(y*x)))*sigmoid(y*x)"));
}

/* The same definition without derivatives: they are derived from those of its rows. */
static orr_op *mish_slope_automatic(void)
{
    return orr_define_elementwise("mish_slope_automatic", 2, "x * tanh(softplus(y*x))");
}

static void points(double *x, double *y)
{
    for (int i = 0; i < N; i++) {
        x[i] = (i - N / 2) * 0.03125;
        y[i] = 0.25 + (i % 7) * 0.25;
    }
}

/* |got − want| in units of eps·(|want| + scale). */
static void near(const char *what, orr_dtype d, const double *got, const long double *want, double ulps, double scale)
{
    static const double eps[] = { [ORR_F16] = 0x1p-10, [ORR_BF16] = 0x1p-7, [ORR_F32] = 0x1p-23, [ORR_F64] = 0x1p-52 };
    for (int i = 0; i < N; i++) {
        long double off = fabsl(got[i] - want[i]), most = ulps * eps[d] * (fabsl(want[i]) + scale);
        if (!(off <= most)) {
            ORR_CHECK_MSG(false, "%s %s [%d]: %.17g, not %.17Lg", what, orr_dtype_name(d), i, got[i], want[i]);
            return;
        }
    }
}

static void check_values(const orr_op *op, orr_dtype d, double ulps)
{
    double x[N], y[N], got[N];
    long double want[N];
    points(x, y); /* exact in every dtype except bfloat16 */
    for (int i = 0; i < N; i++) {
        orr__scalar s = orr__scalar_cast((orr__scalar){ .f = x[i] }, ORR_F64, d);
        x[i] = s.f;
        want[i] = value(x[i], y[i]);
    }
    if (dh_read(orr_apply(op, ORR_TENSORS(dh_leaf(d, x, N), dh_leaf(d, y, N))), got, N))
        near("value", d, got, want, ulps, d == ORR_F16 ? 0x1p-13 : 1e-9);
}

/* First derivatives beside central differences of the libm function; the second one by x beside the second difference. */
static void check_derivatives(const orr_op *op)
{
    double x[N], y[N], got[3][N];
    long double want[3][N];
    const long double h = 0x1p-20L, w = 0x1p-13L;
    points(x, y);
    for (int i = 0; i < N; i++) {
        want[0][i] = (value(x[i] + h, y[i]) - value(x[i] - h, y[i])) / (2 * h);
        want[1][i] = (value(x[i], y[i] + h) - value(x[i], y[i] - h)) / (2 * h);
        want[2][i] = (value(x[i] + w, y[i]) - 2 * value(x[i], y[i]) + value(x[i] - w, y[i])) / (w * w);
    }
    orr_tensor *in[2] = { dh_leaf(ORR_F64, x, N), dh_leaf(ORR_F64, y, N) }, *g[2], *gg[1];
    ORR_CHECK_MSG(orr_grad(orr_apply(op, ORR_TENSORS(in[0], in[1])), in, 2, g) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(orr_grad(g[0], in, 1, gg) == ORR_OK, "%s", orr_error_message());
    if (!dh_read(g[0], got[0], N) || !dh_read(g[1], got[1], N) || !dh_read(gg[0], got[2], N))
        return;
    near("d/dx", ORR_F64, got[0], want[0], 1, 1e8);
    near("d/dy", ORR_F64, got[1], want[1], 1, 1e8);
    near("d²/dx²", ORR_F64, got[2], want[2], 1, 1e9);
}

static void check_all(void)
{
    orr_op *op[2] = { mish_slope(), mish_slope_automatic() };
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 2; i++) {
        ORR_CHECK_MSG(op[i], "%s", orr_error_message());
        check_values(op[i], ORR_F64, 24);
        check_values(op[i], ORR_F32, 24);
        check_values(op[i], ORR_F16, 0.51); /* rounded once */
        check_values(op[i], ORR_BF16, 0.51);
        check_derivatives(op[i]);
    }
    (void)orr_scope_end(s);
}

static void tier_0(void)
{
    if (!DH_START(DH_SERIAL, { "ORRERY_JIT", "off" }))
        return;
    check_all();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void compiled(const char *cc)
{
    uint64_t before = orr__jit_get_stats().compiled;
    char test[64];
    (void)snprintf(test, sizeof test, "%s --version >/dev/null 2>&1", cc ? cc : "cc");
    if (system(test) != 0) /* NOLINT(cert-env33-c) */
        ORR_SKIP("no %s", cc ? cc : "cc");
    if (!DH_START(DH_SERIAL, { "ORRERY_JIT", "wait" }, { "ORRERY_CACHE_DIR", orr_test_tmp(cc ? cc : "cc") },
                  { cc ? "ORRERY_CC" : "ORRERY_JIT", cc ? cc : "wait" }))
        return;
    check_all();
    ORR_CHECK(orr__jit_get_stats().compiled > before);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void tier_1(void)
{
    compiled(NULL);
}

static void tier_1_clang(void)
{
    if (orr_test_due(0, 2))
        compiled("clang");
}

static void starpu(void)
{
    if (!DH_START(DH_STARPU, { "ORRERY_TILE_US", "1" }))
        return;
    check_all();
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void opencl(void)
{
    if (!orr_test_due(1, 2) || !DH_START(DH_OPENCL))
        return;
    check_all();
    ORR_CHECK(dh_worked("OpenCL"));
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

#ifdef HAVE_NVRTC
static void compile_cuda(const orr__region *r)
{
    static const char *const option[] = { "--gpu-architecture=compute_80", "--fmad=false" };
    orr__layout lay;
    nvrtcProgram p = NULL;
    size_t size = 0;
    char log[4000] = "";
    ORR_REQUIRE(orr__layout_make(r, &orr__dialect_cuda, &lay) == ORR_OK);
    char *text = orr__emit(r, &orr__dialect_cuda, &lay, true);
    ORR_CHECK(text && nvrtcCreateProgram(&p, text, "orr_kernel.cu", 0, NULL, NULL) == NVRTC_SUCCESS);
    nvrtcResult code = nvrtcCompileProgram(p, 2, option);
    if (nvrtcGetProgramLogSize(p, &size) == NVRTC_SUCCESS && size < sizeof log)
        (void)nvrtcGetProgramLog(p, log);
    ORR_CHECK_MSG(code == NVRTC_SUCCESS, "%s", log);
    (void)nvrtcDestroyProgram(&p);
    orr__layout_free(&lay);
    free(text);
}

/* The capture of an evaluation, fused, as CUDA C. */
static void nvrtc(void)
{
    double x[N], y[N];
    points(x, y);
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < 4; i++) {
        orr_dtype d = (orr_dtype)(ORR_F16 + i);
        orr__node *n = orr__handle_node(orr_apply(mish_slope(), ORR_TENSORS(dh_leaf(d, x, N), dh_leaf(d, y, N))));
        orr__capture p;
        orr__regions rs;
        ORR_REQUIRE(n && orr__capture_make(ORR__SITE(NULL, 0, "test"), &n, 1, &p) == ORR_OK);
        ORR_REQUIRE(orr__fuse(ORR__SITE(NULL, 0, "test"), &p, ORR__FUSE_MAPS, &rs) == ORR_OK);
        ORR_CHECK(rs.n == 1);
        compile_cuda(&rs.region[0]);
        orr__regions_free(&rs);
        orr__capture_free(&p);
    }
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}
#else
static void nvrtc(void)
{
    ORR_SKIP("built without NVRTC");
}
#endif

/* -- meaning --------------------------------------------------------------------------------------------------- */

static void given_derivative_is_used(void)
{
    static const double v[4] = { -2, 0, 1, 3 };
    double got[4] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_elementwise_with("straight_through", 1, "round(x)", ORR_TEXTS("g*7"));
    orr_tensor *x = dh_leaf(ORR_F32, v, 4), *g;
    orr_tensor *y = orr_sum(orr_mul(orr_apply(op, ORR_TENSORS(x)), orr_scalar(2)), ORR_ALL_AXES, false);
    ORR_CHECK(orr_grad(y, &x, 1, &g) == ORR_OK && dh_read(g, got, 4));
    for (int i = 0; i < 4; i++)
        ORR_CHECK(got[i] == 14);
    op = orr_define_elementwise_with("half_blind", 2, "x*y", ORR_TEXTS("g*y", ""));
    orr_tensor *in[2] = { x, orr_exp(x) }, *gs[2];
    ORR_CHECK(orr_grad(orr_apply(op, ORR_TENSORS(in[0], in[1])), in, 2, gs) == ORR_OK && dh_read(gs[1], got, 4) &&
              got[3] == 0);
    ORR_CHECK(dh_read(gs[0], got, 4) && fabs(got[3] - exp(3)) < 1e-5);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void defined_op_calls_another(void)
{
    static const double v[3] = { -1, 0.5, 2 };
    double got[3] = { 0 }, slope[3];
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *inner = orr_define_elementwise_with("cube_odd", 1, "x*x*x", ORR_TEXTS("g*1000"));
    orr_op *outer = orr_define_elementwise("twice_cube", 1, "cube_odd(x) + cube_odd(2*x)");
    orr_tensor *x = dh_leaf(ORR_F64, v, 3), *g;
    ORR_REQUIRE(inner && outer);
    ORR_CHECK(orr_grad(orr_apply(outer, ORR_TENSORS(x)), &x, 1, &g) == ORR_OK);
    ORR_CHECK(dh_read(orr_apply(outer, ORR_TENSORS(x)), got, 3) && dh_read(g, slope, 3));
    for (int i = 0; i < 3; i++)
        ORR_CHECK(got[i] == 9 * v[i] * v[i] * v[i] && slope[i] == 3000);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void defined_op_promotes_and_broadcasts(void)
{
    static const double a[3] = { 1, 2, 3 };
    double got[9] = { 0 }, item;
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_elementwise_with("blend", 3, "x*z + y*(1-z)", ORR_TEXTS("g*z", "g*(1-z)", "g*(x-y)"));
    orr_tensor *col = orr_reshape(dh_leaf(ORR_F32, a, 3), ORR_SHAPE(3, 1)), *row = dh_leaf(ORR_F64, a, 3), *g[2];
    orr_tensor *y = orr_apply(op, ORR_TENSORS(col, row, orr_scalar(0.25)));
    ORR_CHECK(orr_tensor_dtype(y) == ORR_F64 && orr_tensor_shape(y).rank == 2 && dh_read(y, got, 9));
    for (int i = 0; i < 9; i++)
        ORR_CHECK(got[i] == 0.25 * a[i / 3] + 0.75 * a[i % 3]);
    y = orr_apply(op, ORR_TENSORS(col, row, orr_scalar(0.25)));
    ORR_CHECK(orr_grad(y, (orr_tensor *[]){ col, row }, 2, g) == ORR_OK);
    ORR_CHECK(dh_read(g[0], got, 3) && got[1] == 0.75 && orr_tensor_dtype(g[0]) == ORR_F32);
    ORR_CHECK(dh_read(g[1], got, 3) && got[1] == 2.25);
    /* weak operands make a weak result */
    y = orr_mul(dh_leaf(ORR_F16, a, 3), orr_apply(op, ORR_TENSORS(orr_scalar(2), orr_scalar(4), orr_scalar(0.5))));
    ORR_CHECK(orr_tensor_dtype(y) == ORR_F16 && dh_read(y, got, 3) && got[2] == 9);
    ORR_CHECK(orr_item(orr_apply(op, ORR_TENSORS(orr_scalar(2), orr_scalar(4), orr_scalar(1))), &item) == ORR_OK &&
              item == 2);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void truth_value_makes_bool_tensor(void)
{
    static const double v[5] = { -2, -1, 0, NAN, 5 }, want[5] = { 1, 1, 0, 0, 0 }, sign[5] = { -1, -1, 0, 1, 1 };
    double got[5] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_elementwise("small_and_low", 1, "!(x > 3) && (x < 0 || x == 7) && x == x");
    orr_op *signs = orr_define_elementwise("sign_up", 1, "x < 0 ? -1 : x == 0 ? 0 : 1");
    orr_tensor *x = dh_leaf(ORR_F32, v, 5), *y = orr_apply(op, ORR_TENSORS(x));
    ORR_CHECK(orr_tensor_dtype(y) == ORR_BOOL && dh_read(y, got, 5) && memcmp(got, want, sizeof got) == 0);
    y = orr_apply(signs, ORR_TENSORS(x));
    ORR_CHECK(orr_tensor_dtype(y) == ORR_F32 && dh_read(y, got, 5) && memcmp(got, sign, sizeof got) == 0);
    ORR_CHECK(orr_tensor_dtype(orr_apply(op, ORR_TENSORS(orr_scalar(-1)))) == ORR_BOOL);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

static void defined_op_fuses_under_its_name(void)
{
    static const double v[3] = { 1, 2, 3 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = dh_leaf(ORR_F32, v, 3);
    orr_tensor *y = orr_exp(orr_apply(mish_slope(), ORR_TENSORS(orr_add(x, orr_scalar(1)), x)));
    char *text = explained_text(orr_sum(y, ORR_ALL_AXES, false));
    ORR_CHECK_MSG(text && strstr(text, "1 kernel\n") && strstr(text, "sum add+mish_slope+exp") &&
                      strstr(text, "mish_slope: softplus"),
                  "%s", text);
    free(text);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* An op on an evaluated value has no gradient, and the error names it; an equal composition of rows has one. */
static void evaluated_results_are_forgotten_as_others_are(void)
{
    static const double v[3] = { 1, 2, 3 };
    double got[3] = { 0 };
    if (!DH_START(DH_SERIAL))
        return;
    orr_scope *s = orr_scope_begin();
    orr_op *op = orr_define_elementwise_with("square_odd", 1, "x*x", ORR_TEXTS("g*5"));
    orr_tensor *x = dh_leaf(ORR_F32, v, 3), *y = orr_apply(op, ORR_TENSORS(x)), *same = orr_mul(x, x), *g;
    orr_tensor *z = orr_add(y, orr_scalar(1));
    ORR_CHECK(orr_eval_all(ORR_TENSORS(z, same)) == ORR_OK); /* x·x is computed once, and y has no value */
    ORR_CHECK_MSG(orr_grad(y, &x, 1, &g) == ORR_OK && dh_read(g, got, 3) && got[0] == 5, "%s", orr_error_message());
    ORR_CHECK(orr_eval(y) == ORR_OK && orr_grad(y, &x, 1, &g) == ORR_EGRAPH &&
              strstr(orr_error_message(), "square_odd"));
    ORR_CHECK(dh_read(y, got, 3) && got[2] == 9);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

/* As many expressions as the limit of definitions allows, and the result of an applied definition. */
static void expression_needs_no_definition(void)
{
    double x[N], y[N], got[N], as_defined[N];
    if (!DH_START(DH_SERIAL))
        return;
    points(x, y);
    orr_scope *s = orr_scope_begin();
    orr_tensor *a = orr_from(ORR_F64, ORR_SHAPE(N), x), *b = orr_from(ORR_F64, ORR_SHAPE(N), y), *da;
    orr_tensor *e = orr_expression("x * tanh(softplus(y*x))", ORR_TENSORS(a, b));
    ORR_CHECK(orr_read(e, got, sizeof got) == ORR_OK);
    ORR_CHECK(orr_read(orr_apply(mish_slope_automatic(), ORR_TENSORS(a, b)), as_defined, sizeof as_defined) == ORR_OK);
    ORR_CHECK(memcmp(got, as_defined, sizeof got) == 0);
    ORR_CHECK(orr_grad(orr_expression("x*x + y", ORR_TENSORS(a, b)), &a, 1, &da) == ORR_OK &&
              orr_read(da, got, sizeof got) == ORR_OK);
    for (int i = 0; i < N; i++)
        ORR_CHECK(got[i] == 2 * x[i]);
    for (int i = 0; i < 4200; i++) {
        char text[64];
        double v = 0.0;
        (void)snprintf(text, sizeof text, "x + %d", i);
        orr_scope *t = orr_scope_begin();
        ORR_CHECK(orr_item(orr_expression(text, ORR_TENSORS(orr_full(ORR_F64, ORR_SHAPE_0D, 0.5))), &v) == ORR_OK &&
                  v == i + 0.5);
        (void)orr_scope_end(t);
    }
    ORR_CHECK(orr_tensor_status(orr_expression("x + nothing(x)", ORR_TENSORS(a))) == ORR_EINVAL);
    ORR_CHECK_MSG(strstr(orr_error_message(), "expression: the expression, column 5"), "%s", orr_error_message());
    ORR_CHECK(orr_tensor_status(orr_expression("x + y", ORR_TENSORS(a))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_expression("x", ORR_TENSORS(a, b, a, b))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_expression(NULL, ORR_TENSORS(a))) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_expression_at(ORR_HERE, "x", NULL, 1)) == ORR_EINVAL);
    ORR_CHECK(orr_tensor_status(orr_expression("x", ORR_TENSORS(NULL))) != ORR_OK);
    (void)orr_scope_end(s);
    ORR_CHECK(orr_shutdown() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tier_0),
                                      ORR_TEST(tier_1),
                                      ORR_TEST(tier_1_clang),
                                      ORR_TEST(starpu),
                                      ORR_TEST(opencl),
                                      ORR_TEST(nvrtc),
                                      ORR_TEST(given_derivative_is_used),
                                      ORR_TEST(expression_needs_no_definition),
                                      ORR_TEST(defined_op_calls_another),
                                      ORR_TEST(defined_op_promotes_and_broadcasts),
                                      ORR_TEST(truth_value_makes_bool_tensor),
                                      ORR_TEST(defined_op_fuses_under_its_name),
                                      ORR_TEST(evaluated_results_are_forgotten_as_others_are),
                                      { 0 } };
    return orr_test_main(argc, argv, "api.define", tests);
}
