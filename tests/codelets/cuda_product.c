/* Matrix products of the CUDA backend through cuBLASLt's double (tests/double/lt.c), which computes the products of
 * the descriptors by plain loops: layouts, transposes, batches, offsets, epilogues, precision; and the fallbacks
 * after its refusals. Operands are small integers, so that all dtypes are exact. On a machine with a GPU the same
 * cases run on it, without the double's counters.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "codelets/emit/emit.h"
#include "tests/harness/cuda_help.h"
#include "tests/harness/region_build.h"

enum { PLAIN, BIAS, BIAS_RELU, MIXED, WIDER };
static const char *const work_name[] = { "plain", "bias", "bias+relu", "bias*scalar, and itself", "to f32" };

/* A product over `nb` batch axes; strides of a and b per axis batch…, m, n, k. */
typedef struct {
    const char *name;
    int nb;
    int64_t dim[5], a[5], b[5];
    int calls; /* calls of the library for the whole product */
} layout;

static const layout layouts[] = {
    { "row-major", 0, { 5, 4, 7 }, { 7, 0, 1 }, { 0, 1, 4 }, 1 },
    { "a transposed", 0, { 5, 4, 7 }, { 1, 0, 5 }, { 0, 1, 4 }, 1 },
    { "b transposed", 0, { 5, 4, 7 }, { 7, 0, 1 }, { 0, 7, 1 }, 1 },
    { "both transposed", 0, { 5, 4, 7 }, { 1, 0, 5 }, { 0, 7, 1 }, 1 },
    { "rows apart", 0, { 5, 4, 7 }, { 10, 0, 1 }, { 0, 1, 6 }, 1 },
    { "one row", 0, { 1, 4, 7 }, { 0, 0, 1 }, { 0, 1, 4 }, 1 },
    { "one column", 0, { 5, 1, 7 }, { 7, 0, 1 }, { 0, 0, 1 }, 1 },
    { "a column of a", 0, { 5, 4, 1 }, { 3, 0, 0 }, { 0, 1, 0 }, 1 },
    { "batches", 1, { 3, 5, 4, 7 }, { 35, 7, 0, 1 }, { 28, 0, 1, 4 }, 1 },
    { "batches, b transposed", 1, { 3, 5, 4, 7 }, { 35, 7, 0, 1 }, { 28, 0, 7, 1 }, 1 },
    { "one b for all", 1, { 3, 5, 4, 7 }, { 35, 7, 0, 1 }, { 0, 0, 1, 4 }, 1 },
    { "one a for all", 1, { 3, 5, 4, 7 }, { 0, 7, 0, 1 }, { 28, 0, 1, 4 }, 1 },
    { "two batch axes", 2, { 2, 3, 5, 4, 7 }, { 105, 35, 7, 0, 1 }, { 0, 28, 0, 1, 4 }, 2 },
    { "neither way", 0, { 5, 4, 7 }, { 20, 0, 2 }, { 0, 1, 4 }, 0 },
    { "reversed", 0, { 5, 4, 7 }, { 7, 0, 1 }, { 0, -1, 4 }, 0 },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts, ROOM = 16384 };

static int64_t bias_at; /* the bias's first element in its array */

static void region_of(rb *b, const layout *y, orr_dtype t, int work)
{
    int rank = y->nb + 3;
    int64_t first = 0, bias[5] = { 0 };
    rb_begin(b, RB_MATMUL, rank, y->dim);
    for (int d = 0; d < rank; d++)
        first += y->b[d] < 0 ? -y->b[d] * (y->dim[d] - 1) : 0;
    (void)rb_access(b, rb_input(b, t, ROOM), 0, y->a);
    (void)rb_access(b, rb_input(b, t, ROOM), first, y->b);
    bias[rank - 2] = 1;
    if (work == PLAIN || work == WIDER) {
        rb_out(b, work == WIDER ? ORR_F32 : t, -1);
        if (work == WIDER) {
            int p = rb_push(b, ORR__RI_PRODUCT, t, 0, -1, -1, -1, -1, -1);
            b->r.out_reg[0] = (int16_t)rb_cast(b, ORR_F32, p);
        }
    } else {
        int p = rb_push(b, ORR__RI_PRODUCT, t, 0, -1, -1, -1, -1, -1);
        int x = rb_load(b, rb_access(b, rb_input(b, t, ROOM), bias_at, bias));
        int s = rb_ew(b, work == MIXED ? "mul" : "add", p, x, -1);
        if (work == MIXED) {
            rb_out(b, ORR_F32, rb_cast(b, ORR_F32, rb_ew(b, "sub", s, p, -1)));
            rb_out(b, t, s);
        } else {
            rb_out(b, t, work == BIAS ? s : rb_ew(b, "relu", s, -1, -1));
        }
    }
    b->r.out_count = 1;
    for (int d = 0; d < rank - 1; d++)
        b->r.out_count *= y->dim[d];
}

static double number(const void *p, orr_dtype t, int64_t i)
{
    return orr__scalar_f64(orr__scalar_load((const char *)p + i * (int64_t)orr_dtype_size(t), t), t);
}

/* Element e of output k, by the definition. */
static double wanted(const rb *b, const layout *y, orr_dtype t, int work, const void *const *in, int64_t e, int k)
{
    int64_t at[2] = { b->r.access[0].offset, b->r.access[1].offset }, rest = e, n = 0;
    double p = 0;
    for (int d = y->nb + 1; d >= 0; d--) {
        int64_t i = rest % y->dim[d];
        rest /= y->dim[d];
        at[0] += i * y->a[d];
        at[1] += i * y->b[d];
        n = d == y->nb + 1 ? i : n;
    }
    for (int64_t i = 0; i < y->dim[y->nb + 2]; i++)
        p += number(in[0], t, at[0] + i * y->a[y->nb + 2]) * number(in[1], t, at[1] + i * y->b[y->nb + 2]);
    double x = work == PLAIN || work == WIDER ? 0 : number(in[2], t, bias_at + n), s = work == MIXED ? p * x : p + x;
    if (work == MIXED)
        return k == 0 ? s - p : s;
    return work == BIAS_RELU && s <= 0 ? 0 : s;
}

static unsigned long long seed = 5;

static void *numbers(orr_dtype t)
{
    char *p = calloc(ROOM, orr_dtype_size(t));
    if (!p)
        abort();
    for (int64_t i = 0; i < ROOM; i++)
        orr__scalar_store(p + (size_t)i * orr_dtype_size(t), t,
                          orr__scalar_cast((orr__scalar){ .f = (double)(orr_test_rand(&seed) % 4) - 1 }, ORR_F64, t));
    return p;
}

/* Computes in `cuts` ranges of axis 0. */
static void check(const layout *y, orr_dtype t, int work, int cuts)
{
    static rb b;
    orr__kernel *k = NULL;
    void *host[3], *in[3], *out[2], *got[2];
    region_of(&b, y, t, work);
    const orr__region *r = &b.r;
    ORR_REQUIRE(orr__cuda.prepare(r, &k) == ORR_OK);
    for (int i = 0; i < r->nin; i++)
        in[i] = cuda_buffer(host[i] = numbers(t), ROOM * orr_dtype_size(t));
    for (int i = 0; i < r->nout; i++)
        out[i] = cuda_buffer(got[i] = calloc(ROOM, 8), ROOM * 8);
    int before = cu.real ? 0 : cu.state->matmuls;
    for (int c = 0; c < cuts; c++) {
        orr__launch l = { .region = r,
                          .lo = r->dim[0] * c / cuts,
                          .hi = r->dim[0] * (c + 1) / cuts,
                          .in = in,
                          .out = out,
                          .scalar = b.scalar,
                          .queue = cu.stream };
        ORR_CHECK_MSG(orr__cuda.launch(k, &l) == ORR_OK, "%s", orr_error_message());
    }
    bool library = work == WIDER && t != ORR_F32 ? false : y->calls > 0;
    if (!cu.real && cuts == 1)
        ORR_CHECK_MSG(cu.state->matmuls - before == (library ? y->calls : 0), "%s %s %s: %d calls", y->name,
                      work_name[work], orr_dtype_name(t), cu.state->matmuls - before);
    for (int i = 0; i < r->nout; i++) {
        orr_dtype to = (orr_dtype)r->out_dtype[i];
        bool ok = cuda_fetch(got[i], out[i], (size_t)r->out_count * orr_dtype_size(to));
        for (int64_t e = 0; e < r->out_count && ok; e++) {
            double want = wanted(&b, y, t, work, (const void *const *)host, e, i), have = number(got[i], to, e);
            ok = have == want;
            ORR_CHECK_MSG(ok, "%s, %s, %s, %d cuts: element %lld of output %d is %g, should be %g", y->name,
                          work_name[work], orr_dtype_name(t), cuts, (long long)e, i, have, want);
        }
        cuda_drop(out[i]);
        free(got[i]);
    }
    for (int i = 0; i < r->nin; i++) {
        cuda_drop(in[i]);
        free(host[i]);
    }
    orr__cuda.release(k);
}

static void every_layout_in_every_dtype(void)
{
    static const orr_dtype types[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16 };
    for (int y = 0; y < LAYOUTS; y++)
        for (int i = 0; i < 4; i++)
            for (int cuts = 1; cuts <= 2; cuts++)
                check(&layouts[y], types[i], PLAIN, cuts);
}

static void epilogue_is_computed(void)
{
    for (int y = 0; y < LAYOUTS; y += 4)
        for (int work = BIAS; work <= WIDER; work++)
            for (int cuts = 1; cuts <= 2; cuts++) {
                check(&layouts[y], ORR_F32, work, cuts);
                check(&layouts[y], ORR_BF16, work, cuts);
                check(&layouts[y], ORR_F64, work == WIDER ? BIAS : work, cuts);
            }
}

static void bias_is_library_epilogue(void)
{
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    check(&layouts[0], ORR_F32, BIAS, 1);
    ORR_CHECK(cu.state->epilogue == ORR__LT_WITH_BIAS);
    int launches = cu.state->launches;
    check(&layouts[0], ORR_F32, BIAS_RELU, 1); /* the library's treatment of NaN is undocumented: a map does relu */
    ORR_CHECK(cu.state->epilogue == ORR__LT_PLAIN && cu.state->launches == launches + 1);
    orr__cu_lt_activations = true;
    check(&layouts[0], ORR_F32, BIAS_RELU, 1);
    ORR_CHECK(cu.state->epilogue == (ORR__LT_WITH_BIAS | ORR__LT_RELU) && cu.state->launches == launches + 1);
    orr__cu_lt_activations = false;
}

/* The library's epilogue reads vectors of it, and a device that meets another address is lost. */
static void bias_of_any_address_is_added(void)
{
    static const orr_dtype types[] = { ORR_F32, ORR_F16, ORR_BF16 };
    for (int i = 0; i < 3; i++)
        for (bias_at = 0; bias_at <= 16; bias_at++) {
            size_t byte = (size_t)bias_at * orr_dtype_size(types[i]);
            check(&layouts[0], types[i], BIAS, 1);
            ORR_CHECK(cu.real || cu.state->epilogue == (byte % 16 ? ORR__LT_PLAIN : ORR__LT_WITH_BIAS));
        }
    bias_at = 0;
}

static void tf32_is_used_only_when_asked_for(void)
{
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    check(&layouts[0], ORR_F32, PLAIN, 1);
    ORR_CHECK(cu.state->compute == ORR__LT_COMPUTE_32F && cu.state->scale == ORR__LT_R32);
    orr__env.tf32 = true;
    check(&layouts[0], ORR_F32, PLAIN, 1);
    ORR_CHECK(cu.state->compute == ORR__LT_COMPUTE_TF32);
    check(&layouts[0], ORR_F64, PLAIN, 1);
    ORR_CHECK(cu.state->compute == ORR__LT_COMPUTE_64F && cu.state->scale == ORR__LT_R64);
    orr__env.tf32 = false;
    check(&layouts[0], ORR_BF16, PLAIN, 1);
    ORR_CHECK(cu.state->compute == ORR__LT_COMPUTE_32F);
}

/* Partial sums are added in f32, not as halves. */
static void halves_are_summed_in_f32(void)
{
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    orr__cuda.stop();
    check(&layouts[0], ORR_F16, PLAIN, 1);
    ORR_CHECK(cu.state->reductions == ORR__LT_IN_COMPUTE_TYPE);
    check(&layouts[0], ORR_BF16, BIAS, 1);
    ORR_CHECK(cu.state->reductions == ORR__LT_IN_COMPUTE_TYPE);
    check(&layouts[0], ORR_F32, PLAIN, 1);
    ORR_CHECK(cu.state->reductions == ORR__LT_ANY_REDUCTION);
}

static void variable_enables_tf32(void)
{
    unsetenv("ORRERY_TF32");
    ORR_CHECK(orr__env_load() == ORR_OK && !orr__env.tf32);
    setenv("ORRERY_TF32", "1", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && orr__env.tf32);
    setenv("ORRERY_TF32", "maybe", 1);
    ORR_CHECK(orr__env_load() == ORR_EENV);
    unsetenv("ORRERY_TF32");
    ORR_CHECK(orr__env_load() == ORR_OK);
}

static void algorithm_and_workspace_are_chosen_once(void)
{
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    orr__cuda.stop();
    check(&layouts[0], ORR_F32, PLAIN, 1);
    int heuristics = cu.state->heuristics;
    size_t used = cu.state->used;
    ORR_CHECK(cu.state->workspace == ORR__CU_WORKSPACE && used >= ORR__CU_WORKSPACE && cu.state->handles == 1);
    for (int i = 0; i < 3; i++)
        check(&layouts[0], ORR_F32, PLAIN, 1);
    ORR_CHECK(cu.state->heuristics == heuristics && cu.state->used == used && cu.state->handles == 1);
    check(&layouts[1], ORR_F32, PLAIN, 1);
    ORR_CHECK(cu.state->heuristics == heuristics + 1);
    orr__cuda.stop();
    ORR_CHECK(cu.state->handles == 0);
}

static void refused_product_uses_our_kernel(void)
{
    static layout refused;
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    orr__cuda.stop();
    refused = layouts[0];
    refused.calls = 0;
    cu.state->heuristic_code = 15;
    check(&refused, ORR_F32, PLAIN, 1);
    check(&refused, ORR_F32, BIAS, 1);
    cu.state->heuristic_code = 0;
    orr__cuda.stop();
}

static void failing_library_is_error(void)
{
    static rb b;
    orr__kernel *k = NULL;
    void *p = cuda_buffer(NULL, 0), *all[] = { p, p };
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    region_of(&b, &layouts[0], ORR_F32, PLAIN);
    orr__launch l = { .region = &b.r, .hi = 5, .in = all, .out = all, .scalar = b.scalar, .queue = cu.stream };
    ORR_REQUIRE(orr__cuda.prepare(&b.r, &k) == ORR_OK);
    cu.state->matmul_code = 13;
    ORR_CHECK(orr__cuda.launch(k, &l) == ORR_EDEVICE && strstr(orr_error_message(), "cublasLtMatmul: status 13"));
    cu.state->matmul_code = 0;
    orr__cuda.release(k);
    cuda_drop(p);
}

/* For our own kernel: tiles that are whole and cut; operands that lie each way, of which runs of 16 bytes are copied, and others. */
static const layout tiles[] = {
    { "runs", 0, { 70, 72, 40 }, { 40, 0, 1 }, { 0, 1, 72 }, 0 },
    { "runs, turned", 1, { 2, 72, 70, 40 }, { 2880, 1, 0, 72 }, { 0, 0, 40, 1 }, 0 },
    { "single elements", 1, { 2, 67, 45, 19 }, { 1273, 19, 0, 1 }, { 855, 0, 1, 45 }, 0 },
    { "neither way, reversed", 0, { 66, 65, 33 }, { 66, 0, 2 }, { 0, -1, 65 }, 0 },
    { "no terms", 0, { 3, 5, 0 }, { 0, 0, 1 }, { 0, 1, 5 }, 0 },
};

/* Results are exact, so the way of rounding and the order of sums do not matter. */
static void missing_library_uses_our_kernel(void)
{
    static const orr_dtype types[] = { ORR_F32, ORR_F64, ORR_F16, ORR_BF16, ORR_F32 };
    const int64_t enough = orr__emit_large_tiles;
    if (cu.real)
        ORR_SKIP("a GPU's library keeps no books");
    orr__cuda.stop();
    orr__cu_lt_path = "/nowhere/libcublasLt.so";
    orr__cu_forget();
    for (int i = 0; i < 5; i++) {
        orr__env.tf32 = i == 4;
        for (size_t y = 0; y < sizeof tiles / sizeof *tiles; y++)
            if (orr_test_full() || y % 2 == (size_t)i % 2)
                check(&tiles[y], types[i], PLAIN, 1 + (int)y % 2);
        orr__emit_large_tiles = 1;
        check(&tiles[i % 3], types[i], i == 3 || orr_test_full() ? MIXED : PLAIN, 1);
        orr__emit_large_tiles = enough;
    }
    orr__env.tf32 = false;
    check(&tiles[0], ORR_F32, BIAS_RELU, 1);
    orr__cu_lt_path = cuda_double_path();
    orr__cu_forget();
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(every_layout_in_every_dtype),
        ORR_TEST(epilogue_is_computed),
        ORR_TEST(bias_is_library_epilogue),
        ORR_TEST(bias_of_any_address_is_added),
        ORR_TEST(tf32_is_used_only_when_asked_for),
        ORR_TEST(halves_are_summed_in_f32),
        ORR_TEST(variable_enables_tf32),
        ORR_TEST(algorithm_and_workspace_are_chosen_once),
        ORR_TEST(refused_product_uses_our_kernel),
        ORR_TEST(failing_library_is_error),
        ORR_TEST(missing_library_uses_our_kernel),
        { 0 },
    };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    cuda_start();
    int status = orr_test_main(argc, argv, "codelets.cuda_product", cu.ok ? tests : none);
    orr__cuda.stop();
    return status;
}
