/* Generated OpenCL C, compiled and run on every kind of region, beside values computed one at a time.
 * Must not know: StarPU. */
#include "config.h"

#ifndef HAVE_OPENCL
#include "tests/harness/harness.h"

static void opencl(void)
{
    ORR_SKIP("built without OpenCL");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(opencl), { 0 } };
    return orr_test_main(argc, argv, "codelets.opencl", tests);
}

#else

#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"
#include "codelets/emit/emit.h"
#include "codelets/opencl/opencl.h"

static struct {
    bool ok;
    char why[192];
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} cl;

/* The error in units in the last place that OpenCL 1.2 (section 7.4) grants a row's functions, and one unit for the
 * operations after them. */
double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    static const struct {
        const char *name;
        double ulp;
    } grant[] = { { "exp", 3 },      { "expm1", 3 }, { "log", 3 },   { "log2", 3 },      { "log10", 3 },
                  { "log1p", 2 },    { "sin", 4 },   { "cos", 4 },   { "tan", 5 },       { "asin", 4 },
                  { "acos", 4 },     { "atan", 5 },  { "atan2", 6 }, { "sinh", 4 },      { "cosh", 4 },
                  { "tanh", 5 },     { "asinh", 4 }, { "acosh", 4 }, { "atanh", 5 },     { "erf", 16 },
                  { "erfc", 16 },    { "pow", 16 },  { "hypot", 4 }, { "sigmoid", 5 },   { "softplus", 6 },
                  { "elu_with", 4 }, { "silu", 6 },  { "mish", 8 },  { "gelu_tanh", 6 }, { "gelu", 20 },
                  { "logaddexp", 6 } };
    double ulp = row->ulp;
    if (t == ORR_F16 || t == ORR_BF16)
        return ulp > 0 ? 1 : 0;
    for (size_t i = 0; i < sizeof grant / sizeof *grant; i++)
        if (!strcmp(grant[i].name, row->op.name) && grant[i].ulp > ulp)
            ulp = grant[i].ulp;
    return ulp;
}

static void start(void)
{
    cl_platform_id platform;
    cl_int code;
    if (!orr__opencl.probe(cl.why, sizeof cl.why))
        return;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl.device, NULL) != CL_SUCCESS ||
        !(cl.context = clCreateContext(NULL, 1, &cl.device, NULL, NULL, &code)) ||
        !(cl.queue = clCreateCommandQueue(cl.context, cl.device, 0, &code)))
        (void)snprintf(cl.why, sizeof cl.why, "the first OpenCL device gives no queue");
    else
        cl.ok = true;
}

static void stop(void)
{
    if (cl.queue)
        (void)clReleaseCommandQueue(cl.queue);
    if (cl.context)
        (void)clReleaseContext(cl.context);
}

/* A buffer of at least one byte with the content of p. */
static cl_mem buffer(const void *p, size_t bytes)
{
    cl_int code = CL_SUCCESS;
    cl_mem m = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, bytes ? bytes : 1, NULL, &code);
    if (m && bytes && clEnqueueWriteBuffer(cl.queue, m, CL_TRUE, 0, bytes, p, 0, NULL, NULL) != CL_SUCCESS) {
        (void)clReleaseMemObject(m);
        m = NULL;
    }
    return m;
}

bool rc_launch(const rc_run *run)
{
    const orr__region *r = &run->b->r;
    cl_mem in[RB_INPUTS] = { NULL }, out[ORR__REGION_OUTS] = { NULL };
    void *in_p[RB_INPUTS], *out_p[ORR__REGION_OUTS];
    orr__kernel *k = NULL;
    bool ok = orr__opencl.can(r);
    ORR_CHECK(ok);
    for (int i = 0; i < r->nin; i++)
        in_p[i] = in[i] = buffer(run->in[i], (size_t)run->in_n[i] * orr_dtype_size((orr_dtype)r->in_dtype[i]));
    for (int i = 0; i < r->nout; i++)
        out_p[i] = out[i] = buffer(run->out[i], (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]));
    orr__launch l = { .region = r,
                      .lo = run->lo,
                      .hi = run->hi,
                      .in = in_p,
                      .out = out_p,
                      .in_off = run->in_off,
                      .out_off = run->out_off,
                      .scalar = run->b->scalar,
                      .queue = cl.queue,
                      .device = cl.device,
                      .context = cl.context };
    orr_status st = ok ? orr__opencl.prepare(r, &k) : ORR_EINTERNAL;
    st = st == ORR_OK ? orr__opencl.launch(k, &l) : st;
    rc_bad_index = -1;
    if (st == ORR_EINDEX) {
        const char *number = strstr(orr_error_message(), "(number ");
        ORR_CHECK_MSG(!orr__region_is_map(r) || strstr(orr_error_message(), r->in_count[0] ? "index 4 " : "index 1 "),
                      "%s", orr_error_message());
        rc_bad_index = number ? strtol(number + 8, NULL, 10) : -1;
        st = ORR_OK;
    }
    ok = st == ORR_OK && clFinish(cl.queue) == CL_SUCCESS;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int i = 0; i < r->nout; i++) {
        size_t bytes = (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]);
        if (ok && bytes)
            ok = clEnqueueReadBuffer(cl.queue, out[i], CL_TRUE, 0, bytes, run->out[i], 0, NULL, NULL) == CL_SUCCESS;
        ORR_CHECK(ok);
    }
    orr__opencl.release(k);
    for (int i = 0; i < r->nin; i++)
        if (in[i])
            (void)clReleaseMemObject(in[i]);
    for (int i = 0; i < r->nout; i++)
        if (out[i])
            (void)clReleaseMemObject(out[i]);
    return ok;
}

/* -- the backend itself ----------------------------------------------------------------------------------- */

static void add_region(rb *b, orr_dtype t, int64_t n)
{
    rb_begin(b, RB_MAP, 1, &n);
    int in = rb_input(b, t, n), a = rb_linear(b, in), x = rb_load(b, a);
    rb_out(b, t, rb_ew(b, "add", x, x, -1));
}

static void one_text_is_compiled_once_for_all_sizes(void)
{
    static rb small, large;
    add_region(&small, ORR_F32, 10);
    add_region(&large, ORR_F32, 100000);
    orr__layout a, b;
    ORR_REQUIRE(orr__layout_make(&small.r, &orr__dialect_opencl, &a) == ORR_OK);
    ORR_REQUIRE(orr__layout_make(&large.r, &orr__dialect_opencl, &b) == ORR_OK);
    ORR_CHECK(orr__layout_equal(&a, &b, &small.r));
    char *s = orr__emit(&small.r, &orr__dialect_opencl, &a, true),
         *t = orr__emit(&large.r, &orr__dialect_opencl, &b, true);
    ORR_REQUIRE(s && t);
    ORR_CHECK(strcmp(s, t) == 0);
    orr__site at = ORR__SITE(NULL, 0, "test");
    orr__cl_unit *u = orr__cl_unit_get(at, s, cl.context, cl.device, false);
    orr__cl_unit *v = orr__cl_unit_get(at, t, cl.context, cl.device, false);
    orr__cl_unit *w = orr__cl_unit_get(at, t, cl.context, cl.device, true);
    ORR_CHECK(u && u == v && w && w != u);
    ORR_CHECK_MSG(w && orr__cl_unit_build(at, w) == ORR_OK, "%s", orr_error_message()); /* 64-bit indices compile */
    orr__cl_unit_put(u);
    orr__cl_unit_put(v);
    orr__cl_unit_put(w);
    orr__layout_free(&a);
    orr__layout_free(&b);
    free(s);
    free(t);
}

static void build_error_has_compiler_log(void)
{
    orr__site at = ORR__SITE("user.c", 7, "mul");
    orr__cl_unit *u =
        orr__cl_unit_get(at, "__kernel void orr_kernel(int x) { nonsense = x; }", cl.context, cl.device, false);
    ORR_REQUIRE(u != NULL);
    ORR_CHECK(orr__cl_unit_build(at, u) == ORR_EDEVICE);
    ORR_CHECK_MSG(strstr(orr_error_message(), "CL_BUILD_PROGRAM_FAILURE") && strstr(orr_error_message(), "user.c:7"),
                  "%s", orr_error_message());
    orr__cl_unit_put(u);
}

typedef struct {
    orr__kernel *k;
    const rb *b;
    float value;
    bool ok;
} worker;

static void *work(void *p)
{
    worker *w = p;
    enum { N = 1000, TIMES = 40 };
    float x[N];
    cl_int code;
    cl_command_queue q = clCreateCommandQueue(cl.context, cl.device, 0, &code);
    cl_mem in = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof x, NULL, &code);
    cl_mem out = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof x, NULL, &code);
    w->ok = q && in && out;
    for (int t = 0; t < TIMES && w->ok; t++) {
        for (int i = 0; i < N; i++)
            x[i] = w->value + (float)t;
        orr__launch l = { .region = &w->b->r,
                          .hi = N,
                          .in = (void *[]){ in },
                          .out = (void *[]){ out },
                          .scalar = w->b->scalar,
                          .queue = q,
                          .device = cl.device,
                          .context = cl.context };
        w->ok = clEnqueueWriteBuffer(q, in, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) == CL_SUCCESS &&
                orr__opencl.launch(w->k, &l) == ORR_OK &&
                clEnqueueReadBuffer(q, out, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL) == CL_SUCCESS;
        for (int i = 0; i < N && w->ok; i++)
            w->ok = x[i] == 2 * (w->value + (float)t);
    }
    if (in)
        (void)clReleaseMemObject(in);
    if (out)
        (void)clReleaseMemObject(out);
    if (q)
        (void)clReleaseCommandQueue(q);
    return NULL;
}

static void several_threads_launch_one_kernel(void)
{
    static rb b;
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    worker w[THREADS];
    orr__kernel *k = NULL;
    int started = 0;
    add_region(&b, ORR_F32, 1000);
    ORR_REQUIRE(orr__opencl.prepare(&b.r, &k) == ORR_OK);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (worker){ k, &b, (float)i * 1000, false };
        started += pthread_create(&thread[i], NULL, work, &w[i]) == 0;
    }
    for (int i = 0; i < started; i++)
        (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < started; i++)
        ORR_CHECK(w[i].ok);
    orr__opencl.release(k);
}

static void unsupported_region_is_known_before_launch(void)
{
    static rb b;
    add_region(&b, ORR_F32, 10);
    ORR_CHECK(orr__opencl.can(&b.r));
    b.r.call.op = &orr__op_concat; /* of nothing in particular */
    ORR_CHECK(!orr__opencl.can(&b.r));
    add_region(&b, ORR_F64, 10);
    ORR_CHECK(!orr__emit_can(&b.r, false));
    orr__kernel *k = NULL;
    b.r.loops = ORR__LOOPS_PRODUCT;
    ORR_CHECK(orr__opencl.prepare(&b.r, &k) != ORR_OK && k == NULL);
}

/* With the device's double disabled, f32 kernels use compensated sums and no double. */
static void sums_without_double_are_compensated(void)
{
    static rb b;
    const int64_t n = 100000;
    rb_begin(&b, RB_REDUCE, 1, &n);
    b.r.rop[0] = ORR__RSUM;
    b.r.rmask = 1;
    rb_out(&b, ORR_F32,
           rb_ew(&b, "mul", rb_load(&b, rb_linear(&b, rb_input(&b, ORR_F32, n))),
                 rb_scalar(&b, ORR_F32, (orr__scalar){ .f = 1 }), -1));
    orr__layout lay;
    ORR_REQUIRE(orr__layout_make(&b.r, &orr__dialect_opencl, &lay) == ORR_OK);
    char *text = orr__emit(&b.r, &orr__dialect_opencl, &lay, false);
    ORR_REQUIRE(text != NULL);
    const char *kernel = strstr(text, "__kernel");
    ORR_CHECK(kernel && !strstr(kernel, "f64"));
    orr__site at = ORR__SITE(NULL, 0, "test");
    orr__cl_unit *u = orr__cl_unit_get(at, text, cl.context, cl.device, false);
    ORR_REQUIRE(u != NULL);
    ORR_CHECK_MSG(orr__cl_unit_build(at, u) == ORR_OK, "%s", orr_error_message());
    float *x = rc_new(ORR_F32, n), got = 0;
    double want = 0;
    for (int64_t i = 0; i < n; i++)
        want += x[i] = (float)rc_uniform(0, 1);
    cl_mem in = buffer(x, (size_t)n * sizeof *x), out = buffer(&got, sizeof got);
    int64_t word[32];
    orr__launch l = { .region = &b.r, .hi = n, .scalar = b.scalar };
    ORR_CHECK(orr__emit_words(&l, &lay, false, word));
    char none[4096] = "";
    cl_mem scratch = buffer(none, sizeof none);
    ORR_CHECK(orr__emit_scratch(&l, &lay, word) <= sizeof none);
    bool ok = in && out && scratch && u->kernel && clSetKernelArg(u->kernel, 0, sizeof in, &in) == CL_SUCCESS &&
              clSetKernelArg(u->kernel, 1, sizeof out, &out) == CL_SUCCESS &&
              clSetKernelArg(u->kernel, 2, sizeof scratch, &scratch) == CL_SUCCESS;
    for (bool more = ok; more && ok; more = orr__emit_next(&l, &lay, word)) {
        orr__geometry g = orr__emit_geometry(&lay, word);
        size_t items = (size_t)g.items, group = (size_t)g.group;
        ok = clSetKernelArg(u->kernel, 3, (size_t)lay.nword * 8, word) == CL_SUCCESS &&
             clEnqueueNDRangeKernel(cl.queue, u->kernel, 1, NULL, &items, &group, 0, NULL, NULL) == CL_SUCCESS;
    }
    ok = ok && clEnqueueReadBuffer(cl.queue, out, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL) == CL_SUCCESS;
    ORR_CHECK(ok);
    ORR_CHECK_MSG(fabs((double)got - want) <= rc_place(want, ORR_F32), "%.9g, should be %.9g", (double)got, want);
    (void)clReleaseMemObject(in);
    (void)clReleaseMemObject(out);
    (void)clReleaseMemObject(scratch);
    orr__cl_unit_put(u);
    orr__layout_free(&lay);
    free(text);
    free(x);
}

/* Each item folds a row, as on processors; in all other tests items fold together. */
static void folds_by_single_items(void)
{
    orr__cl_fold_together = false;
    rows_see_their_folds();
    special_values_stay_in_their_row();
    long_folds_are_shared_out();
    orr__cl_fold_together = true;
}

static void opencl(void)
{
    ORR_SKIP("%s", cl.why);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        RT_TESTS,
        ORR_TEST(nan_of_any_payload_stays_nan),
        ORR_TEST(random_numbers_of_long_runs),
        ORR_TEST(nan_bounds_win_in_clip),
        ORR_TEST(graphs_equal_reference),
        RW_TESTS,
        GROUP_TESTS,
        TK_TESTS(ORR_TEST_OF) ORR_TEST(wrong_indices_in_kernels_are_found),
        ORR_TEST(folds_by_single_items),
        ORR_TEST(one_text_is_compiled_once_for_all_sizes),
        ORR_TEST(build_error_has_compiler_log),
        ORR_TEST(several_threads_launch_one_kernel),
        ORR_TEST(unsupported_region_is_known_before_launch),
        ORR_TEST(sums_without_double_are_compensated),
        { 0 },
    };
    static const orr_test none[] = { ORR_TEST(opencl), { 0 } };
    start();
    orr__cl_fold_together = true;
    orr_test_draw_one_in(16); /* a compilation takes a third of a second */
    int status = orr_test_main(argc, argv, "codelets.opencl", cl.ok ? tests : none);
    stop();
    return status;
}

#endif
