/* Attention of the CUDA backend beside the processors' kernel, on the same operands: halves, whose kernel uses matrix instructions where the
 * target has them, and f32; groups of heads, causality, windows, masks, dropout, launches of a part of the rows, rows that are no runs of 16
 * bytes, and gradients.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "ops/ops.h"
#include "tests/harness/cuda_help.h"
#include "tests/harness/region_build.h"
#include "ops/nn/attention.h"

/* {batch, heads, heads of k and v, queries, keys, width, value}; options. */
typedef struct {
    const char *name;
    int64_t size[7], window;
    bool causal, drops, masked;
} form;

static const form forms[] = {
    { "plain", { 1, 2, 2, 37, 75, 40, 24 }, 0, false, false, false },
    { "causal groups", { 1, 4, 2, 140, 150, 64, 64 }, 0, true, false, false },
    { "window and mask", { 2, 2, 1, 33, 70, 19, 8 }, 9, false, false, true },
    { "dropout, more queries than keys", { 1, 2, 1, 45, 20, 72, 80 }, 0, true, true, false },
};
enum { FORMS = sizeof forms / sizeof *forms, OPERANDS = 8 };

typedef struct {
    rb b;
    orr_shape shape[OPERANDS];
    void *in[OPERANDS]; /* on the host */
    orr_dtype dtype[OPERANDS];
    int64_t count[OPERANDS];
    int n;
} problem;

static unsigned long long seed = 11;

static void *operand(problem *p, orr_dtype t, orr_shape s)
{
    int k = p->n++;
    p->shape[k] = s;
    p->dtype[k] = t;
    p->count[k] = orr__shape_count(&s);
    size_t z = orr_dtype_size(t);
    char *x = p->in[k] = calloc((size_t)p->count[k] + 1, z);
    if (!x)
        abort();
    for (int64_t i = 0; i < p->count[k]; i++) {
        double u = (double)(orr_test_rand(&seed) % 2001) / 1000 - 1;
        orr__scalar v = t == ORR_U64   ? (orr__scalar){ .u = 77 }
                        : t == ORR_I64 ? (orr__scalar){ .i = i }
                                       : orr__scalar_cast((orr__scalar){ .f = u }, ORR_F64, t);
        orr__scalar_store(x + (size_t)i * z, t, v);
    }
    (void)rb_input(&p->b, t, p->count[k]);
    return x;
}

static int64_t bits(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

/* back: of the gradient, whose first operands are a result and its cotangent. */
static void build(problem *p, const form *f, orr_dtype t, bool back)
{
    const int64_t *z = f->size;
    orr_shape out = ORR_SHAPE(z[0], z[1], z[3], z[6] + 1);
    memset(p, 0, sizeof *p);
    rb_begin(&p->b, RB_MAP, 2, (int64_t[]){ z[0] * z[1] * z[3], z[6] + 1 });
    if (back) {
        (void)operand(p, ORR_F32, out);
        (void)operand(p, ORR_F32, out);
    }
    (void)operand(p, t, ORR_SHAPE(z[0], z[1], z[3], z[5]));
    (void)operand(p, t, ORR_SHAPE(z[0], z[2], z[4], z[5]));
    (void)operand(p, t, ORR_SHAPE(z[0], z[2], z[4], z[6]));
    if (f->drops) {
        (void)operand(p, ORR_U64, ORR_SHAPE(1));
        (void)operand(p, ORR_I64, ORR_SHAPE(z[0], z[1]));
    }
    if (f->masked)
        (void)operand(p, ORR_F32, ORR_SHAPE(z[0], 1, z[3], z[4]));
    orr__region *r = &p->b.r;
    if (back) {
        int64_t length = z[1] / z[2] * z[3] * z[5] + z[4] * (z[5] + z[6]);
        out = ORR_SHAPE(z[0] * z[2], length);
        r->dim[0] = z[0] * z[2];
        r->dim[1] = length;
    }
    r->nout = 1;
    r->out_dtype[0] = ORR_F32;
    r->out_count = orr__shape_count(&out);
    r->call.op = back ? &orr__op_attention_grad : &orr__op_attention;
    r->call.attr.mask = (f->causal ? ORR__ATTEND_CAUSAL : 0u) | (f->drops ? ORR__ATTEND_DROPS : 0u) |
                        (f->masked ? ORR__ATTEND_MASK : 0u);
    r->call.attr.start[0] = f->window;
    r->call.attr.start[1] = bits(0.3);
    r->call.attr.start[2] = bits(f->drops ? 0.25 : 0);
    r->call.nin = p->n;
    r->call.in = p->shape;
    r->call.out = out;
}

static bool run(const orr__backend *b, const orr__region *r, void **in, void **out, int parts)
{
    orr__kernel *k = NULL;
    bool ok = b->prepare(r, &k) == ORR_OK;
    for (int i = 0; i < parts && ok; i++) {
        orr__launch l = { .region = r,
                          .lo = r->dim[0] * i / parts,
                          .hi = r->dim[0] * (i + 1) / parts,
                          .in = in,
                          .out = out,
                          .queue = cu.stream };
        ok = b->launch(k, &l) == ORR_OK;
    }
    b->release(k);
    return ok;
}

/* The greatest difference from the processors' values, relative to 1 where these are smaller. */
static double difference(problem *p, int parts)
{
    const orr__region *r = &p->b.r;
    size_t bytes = (size_t)r->out_count * sizeof(float);
    float *want = calloc(1, bytes), *got = calloc(1, bytes);
    void *dev[OPERANDS], *home[1] = { want }, *out[1];
    double off = 0;
    if (!want || !got)
        abort();
    if (r->call.op == &orr__op_attention_grad) { /* the result of these operands */
        problem of = *p;
        of.b.r.call.op = &orr__op_attention;
        of.b.r.call.in = p->shape + 2;
        of.b.r.call.out = p->shape[0];
        of.b.r.nin -= 2;
        of.b.r.in_dtype += 2;
        of.b.r.dim[0] = p->count[0] / p->shape[0].dim[3];
        of.b.r.out_count = p->count[0];
        ORR_CHECK(run(&orr__cpu, &of.b.r, p->in + 2, p->in, 1));
    }
    ORR_CHECK_MSG(run(&orr__cpu, r, p->in, home, 1), "%s", orr_error_message());
    for (int i = 0; i < p->n; i++)
        dev[i] = cuda_buffer(p->in[i], (size_t)p->count[i] * orr_dtype_size(p->dtype[i]));
    out[0] = cuda_buffer(got, bytes);
    bool ok = run(&orr__cuda, r, dev, out, parts) && cuda_fetch(got, out[0], bytes);
    ORR_CHECK_MSG(ok, "%s", orr_error_message());
    for (int64_t i = 0; i < r->out_count; i++) {
        bool same = (isinf(want[i]) && got[i] == want[i]) || (isnan(want[i]) && isnan(got[i]));
        double d = fabs((double)got[i] - (double)want[i]) / fmax(1, fabs((double)want[i]));
        off = same ? off : d > off || isnan(d) ? (isnan(d) ? INFINITY : d) : off;
    }
    for (int i = 0; i < p->n; i++) {
        cuda_drop(dev[i]);
        free(p->in[i]);
    }
    cuda_drop(out[0]);
    free(want);
    free(got);
    return off;
}

/* Weights are rounded to the operands' dtype, by 2⁻¹¹ or 2⁻⁹ of themselves at most, before they multiply values below 1; dropout enlarges
 * them by 4/3. Besides, sums of f32 are in another order. */
static void attention_of_halves_is_the_processors(void)
{
    for (int i = 0; i < FORMS; i++)
        for (int k = 0; k < 2; k++) {
            problem p;
            double bound = (k ? 0x1p-9 : 0x1p-11) * 4 / 3 + 1e-5;
            if (!orr_test_full() && i % 2 != k)
                continue;
            build(&p, &forms[i], k ? ORR_BF16 : ORR_F16, false);
            double off = difference(&p, 1 + i % 3);
            ORR_CHECK_MSG(off < bound, "%s of %s: %g off, %g allowed", forms[i].name, k ? "bf16" : "f16", off, bound);
        }
}

static void attention_of_f32_and_gradients_are_the_processors(void)
{
    for (int i = 0; i < FORMS; i++)
        for (int k = 0; k < 3; k++) {
            static const orr_dtype types[] = { ORR_F32, ORR_F16, ORR_BF16 };
            problem p;
            if (!orr_test_full() && i != k)
                continue;
            build(&p, &forms[i], types[k], k > 0);
            double off = difference(&p, 1);
            ORR_CHECK_MSG(off < 2e-5, "%s, case %d: %g off", forms[i].name, k, off);
        }
}

/* A NaN in a key makes the rows that see it NaN, and no other. */
static void nan_reaches_the_queries_that_see_it(void)
{
    problem p;
    build(&p, &forms[1], ORR_F16, false);
    uint16_t *k = p.in[1];
    k[70 * 64 + 3] = 0x7e00;
    double off = difference(&p, 1);
    ORR_CHECK_MSG(off < 1e-3, "%g off", off);
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(attention_of_halves_is_the_processors),
                                      ORR_TEST(attention_of_f32_and_gradients_are_the_processors),
                                      ORR_TEST(nan_reaches_the_queries_that_see_it),
                                      { 0 } };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    cuda_start();
    int status = orr_test_main(argc, argv, "codelets.cuda_attention", cu.ok ? tests : none);
    orr__cuda.stop();
    return status;
}
