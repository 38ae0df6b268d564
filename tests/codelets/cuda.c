/* Generated CUDA C, compiled and run on every kind of region, beside values computed one at a time: on the machine's
 * GPU, or, where there is none, on its double (tests/double/), which runs the same source as C++ on the host. The
 * double checks source, arguments and layout over blocks; it does not check a device's arithmetic.
 * Must not know: StarPU. */
#include "config.h"

#include "tests/harness/region_graphs.h"
#include "tests/harness/region_tests.h"
#include "tests/harness/cuda_help.h"

/* The error in units in the last place that CUDA's manual (C++ programming guide, mathematical functions) grants a
 * row's functions, if it exceeds the row's own, and some more for the operations after them. */
double rc_ulp(const orr__ewrow *row, orr_dtype t)
{
    static const struct {
        const char *name;
        double ulp;
    } grant[] = { { "tan", 4 },   { "asin", 2 },      { "acos", 2 },     { "atan2", 3 },     { "sinh", 3 },
                  { "asinh", 3 }, { "acosh", 4 },     { "atanh", 3 },    { "erfc", 6 },      { "pow", 4 },
                  { "hypot", 3 }, { "sigmoid", 4 },   { "softplus", 4 }, { "elu_with", 4 },  { "silu", 5 },
                  { "mish", 8 },  { "gelu_tanh", 6 }, { "gelu", 20 },    { "logaddexp", 4 }, { "tanh", 2 } };
    double ulp = row->ulp;
    if (t == ORR_F16 || t == ORR_BF16)
        return ulp > 0 ? 1 : 0;
    for (size_t i = 0; i < sizeof grant / sizeof *grant; i++)
        if (!strcmp(grant[i].name, row->op.name) && grant[i].ulp > ulp)
            ulp = grant[i].ulp;
    return ulp;
}

bool rc_launch(const rc_run *run)
{
    const orr__region *r = &run->b->r;
    void *in[RB_INPUTS] = { NULL }, *out[ORR__REGION_OUTS] = { NULL };
    orr__kernel *k = NULL;
    bool ok = orr__cuda.can(r);
    ORR_CHECK(ok);
    for (int i = 0; i < r->nin; i++)
        in[i] = cuda_buffer(run->in[i], (size_t)run->in_n[i] * orr_dtype_size((orr_dtype)r->in_dtype[i]));
    for (int i = 0; i < r->nout; i++)
        out[i] = cuda_buffer(run->out[i], (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]));
    orr__launch l = { .region = r,
                      .lo = run->lo,
                      .hi = run->hi,
                      .in = in,
                      .out = out,
                      .in_off = run->in_off,
                      .out_off = run->out_off,
                      .scalar = run->b->scalar,
                      .queue = cu.stream };
    orr_status st = ok ? orr__cuda.prepare(r, &k) : ORR_EINTERNAL;
    st = st == ORR_OK ? orr__cuda.launch(k, &l) : st;
    rc_bad_index = -1;
    if (st == ORR_EINDEX) {
        const char *number = strstr(orr_error_message(), "(number ");
        rc_bad_index = number ? strtol(number + 8, NULL, 10) : -1;
        st = ORR_OK;
    }
    ok = st == ORR_OK;
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int i = 0; i < r->nout; i++)
        if (ok)
            ok = cuda_fetch(run->out[i], out[i], (size_t)run->out_n[i] * orr_dtype_size((orr_dtype)r->out_dtype[i]));
    ORR_CHECK(ok);
    orr__cuda.release(k);
    for (int i = 0; i < r->nin; i++)
        cuda_drop(in[i]);
    for (int i = 0; i < r->nout; i++)
        cuda_drop(out[i]);
    return ok;
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
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
        { 0 },
    };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    /* Many launches: strict memory is for the long form. */
    (void)setenv("CUDA_DOUBLE_STRICT", getenv("ORR_TEST_FULL") ? "1" : "0", 0);
    cuda_start();
    if (cu.ok)
        printf("  on %s, sm_%d\n", orr__cu_look()->name, orr__cu_look()->arch);
    int status = orr_test_main(argc, argv, "codelets.cuda", cu.ok ? tests : none);
    orr__cuda.stop();
    return status;
}
