/* Convolutions on CUDA: by cuDNN where it is available and supports them, else by the generated kernel; the same
 * values.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "ops/conv.h"
#include "tests/harness/cuda_help.h"

/* x (n, c, …) by w (o, c / groups, …). */
typedef struct {
    orr_shape x, w;
    orr__attr attr;
    bool symmetric; /* equal padding on both sides, as cuDNN requires */
} form;

static const form forms[] = {
    { { 4, { 3, 4, 7, 6 } },
      { 4, { 6, 4, 3, 3 } },
      { .index = 1, .start = { 1, 1 }, .step = { 1, 1, 0, 1, 1 } },
      true },
    { { 4, { 2, 4, 9, 8 } },
      { 4, { 6, 2, 3, 2 } },
      { .index = 2, .start = { 1, 0 }, .step = { 2, 2, 0, 2, 1 } },
      true },
    { { 5, { 1, 3, 4, 5, 6 } },
      { 5, { 2, 3, 2, 3, 3 } },
      { .index = 1, .start = { 0, 1, 1 }, .step = { 1, 1, 1, 1, 1, 1 } },
      true },
    { { 4, { 2, 3, 5, 5 } },
      { 4, { 4, 3, 2, 2 } },
      { .index = 1, .start = { 1, 1 }, .step = { 1, 1, 0, 1, 1 } },
      false },
};
enum { FORMS = sizeof forms / sizeof *forms };

static orr_shape result(const form *f)
{
    orr_shape y = f->x;
    y.dim[1] = f->w.dim[0];
    for (int d = 0; d + 2 < y.rank; d++) { /* asymmetric: one zero before, none after */
        int64_t pad = f->attr.start[d] * (f->symmetric ? 2 : 1),
                reach = f->attr.step[ORR__CONV_AXES + d] * (f->w.dim[2 + d] - 1) + 1;
        y.dim[2 + d] = (f->x.dim[2 + d] + pad - reach) / f->attr.step[d] + 1;
    }
    return y;
}

static void region_of(orr__region *r, const form *f, char of, orr_dtype t, orr_shape in[2])
{
    orr_shape y = result(f), out = of == 'y' ? y : of == 'x' ? f->x : f->w;
    const orr__op *op = of == 'y' ? &orr__op_conv : of == 'x' ? &orr__op_conv_data : &orr__op_conv_weights;
    static uint8_t dtype[2];
    static int64_t counts[2];
    static int32_t nodes[2];
    in[0] = of == 'x' ? y : f->x;
    in[1] = of == 'w' ? y : f->w;
    dtype[0] = dtype[1] = (uint8_t)t;
    *r = (orr__region){ .call = { .op = op, .attr = f->attr, .out = out, .nin = 2, .in = in },
                        .nin = 2,
                        .in = nodes,
                        .in_dtype = dtype,
                        .in_count = counts,
                        .nout = 1,
                        .out_dtype = { (uint8_t)t },
                        .out_count = orr__shape_count(&out) };
    counts[0] = orr__shape_count(&in[0]);
    counts[1] = orr__shape_count(&in[1]);
    r->rank = op->space(&r->call, r->dim);
    orr__region_finish(r);
}

static void fill(void *to, orr_dtype t, int64_t n, double phase)
{
    for (int64_t i = 0; i < n; i++)
        orr__scalar_store((char *)to + i * (int64_t)orr_dtype_size(t), t,
                          orr__scalar_cast((orr__scalar){ .f = sin(phase + (double)i) }, ORR_F64, t));
}

/* Launches once for each range of rows on the device; returns the difference from the processor's result. */
static double difference(const form *f, char of, orr_dtype t, int pieces)
{
    enum { ROOM = 4096 };
    static double a[ROOM], b[ROOM], want[ROOM], got[ROOM];
    orr_shape in[2];
    orr__region r;
    orr__kernel *host = NULL, *device = NULL;
    double off = 0;
    region_of(&r, f, of, t, in);
    size_t z = orr_dtype_size(t), bytes = (size_t)r.out_count * z;
    ORR_CHECK(r.in_count[0] <= ROOM && r.in_count[1] <= ROOM && r.out_count <= ROOM);
    fill(a, t, r.in_count[0], 1);
    fill(b, t, r.in_count[1], 2);
    memset(got, 0, sizeof got);
    orr__launch l = { .region = &r, .hi = r.dim[0], .in = (void *[]){ a, b }, .out = (void *[]){ want } };
    ORR_CHECK(orr__cpu.prepare(&r, &host) == ORR_OK && orr__cpu.launch(host, &l) == ORR_OK);
    void *dev[2] = { cuda_buffer(a, (size_t)r.in_count[0] * z), cuda_buffer(b, (size_t)r.in_count[1] * z) };
    void *out[1] = { cuda_buffer(got, bytes) };
    orr_status st = orr__cuda.prepare(&r, &device);
    for (int k = 0; k < pieces && st == ORR_OK; k++) {
        orr__launch part = { .region = &r,
                             .lo = r.dim[0] * k / pieces,
                             .hi = r.dim[0] * (k + 1) / pieces,
                             .in = dev,
                             .out = out,
                             .queue = cu.stream };
        st = orr__cuda.launch(device, &part);
    }
    ORR_CHECK_MSG(st == ORR_OK && cuda_fetch(got, out[0], bytes), "%s", orr_error_message());
    for (int64_t i = 0; i < r.out_count; i++) {
        double w = orr__scalar_f64(orr__scalar_load((char *)want + i * (int64_t)z, t), t);
        off = fmax(off, fabs(w - orr__scalar_f64(orr__scalar_load((char *)got + i * (int64_t)z, t), t)));
    }
    orr__cpu.release(host);
    orr__cuda.release(device);
    cuda_drop(dev[0]);
    cuda_drop(dev[1]);
    cuda_drop(out[0]);
    return off;
}

/* The same for weights computed from some images at a time: each launch has a result of its own, and these are
 * summed. */
static double difference_of_parts(const form *f, orr_dtype t, int parts)
{
    enum { ROOM = 4096 };
    static double a[ROOM], b[ROOM], want[ROOM], got[ROOM];
    double sum[ROOM] = { 0 }, off = 0;
    orr_shape in[2];
    orr__region r;
    orr__kernel *host = NULL, *device = NULL;
    region_of(&r, f, 'w', t, in);
    size_t z = orr_dtype_size(t), bytes = (size_t)r.out_count * z;
    fill(a, t, r.in_count[0], 1);
    fill(b, t, r.in_count[1], 2);
    orr__launch l = { .region = &r, .hi = r.dim[0], .in = (void *[]){ a, b }, .out = (void *[]){ want } };
    ORR_CHECK(orr__cpu.prepare(&r, &host) == ORR_OK && orr__cpu.launch(host, &l) == ORR_OK);
    r.call.parts = parts;
    r.rank = r.call.op->space(&r.call, r.dim);
    void *dev[2] = { cuda_buffer(a, (size_t)r.in_count[0] * z), cuda_buffer(b, (size_t)r.in_count[1] * z) };
    void *out[1] = { cuda_buffer(got, bytes) };
    orr_status st = orr__cuda.prepare(&r, &device);
    for (int k = 0; k < parts && st == ORR_OK; k++) {
        orr__launch part = { .region = &r, .lo = k, .hi = k + 1, .in = dev, .out = out, .queue = cu.stream };
        st = orr__cuda.launch(device, &part);
        ORR_CHECK_MSG(st == ORR_OK && cuda_fetch(got, out[0], bytes), "%s", orr_error_message());
        for (int64_t i = 0; i < r.out_count; i++)
            sum[i] += orr__scalar_f64(orr__scalar_load((char *)got + i * (int64_t)z, t), t);
    }
    for (int64_t i = 0; i < r.out_count; i++)
        off = fmax(off, fabs(sum[i] - orr__scalar_f64(orr__scalar_load((char *)want + i * (int64_t)z, t), t)));
    orr__cpu.release(host);
    orr__cuda.release(device);
    cuda_drop(dev[0]);
    cuda_drop(dev[1]);
    cuda_drop(out[0]);
    return off;
}

static void weights_in_parts_of_the_images_add_up(void)
{
    for (int k = 0; k < FORMS; k++)
        for (int parts = 1; parts <= forms[k].x.dim[0]; parts++)
            for (int wide = 0; wide < 2; wide++) {
                double off = difference_of_parts(&forms[k], wide ? ORR_F64 : ORR_F32, parts);
                ORR_CHECK_MSG(off < (wide ? 1e-12 : 1e-4), "form %d in %d parts: %g off", k, parts, off);
            }
}

static int calls(void)
{
    return cu.state ? cu.state->matmuls : 0;
}

static void by_cudnn_and_without_it_values_are_the_same(void)
{
    for (int k = 0; k < FORMS; k++)
        for (const char *of = "yxw"; *of; of++)
            for (int wide = 0; wide < 2; wide++) {
                orr_dtype t = wide ? ORR_F64 : ORR_F32;
                int before = calls();
                double off = difference(&forms[k], *of, t, 1);
                ORR_CHECK_MSG(off < (wide ? 1e-12 : 1e-4), "form %d, %c: %g off", k, *of, off);
                ORR_CHECK_MSG(!cu.state || calls() - before == forms[k].symmetric, "form %d, %c: %d calls", k, *of,
                              calls() - before);
                off = difference(&forms[k], *of, t,
                                 3); /* cuDNN computes whole images and all weights, else the generated kernel */
                ORR_CHECK_MSG(off < (wide ? 1e-12 : 1e-4), "form %d, %c, in pieces: %g off", k, *of, off);
            }
}

static void a_convolution_that_cudnn_refuses_is_generated(void)
{
    if (!cu.state)
        ORR_SKIP("a real device refuses none of these");
    cuda_double_state *s = cu.state;
    int before = calls();
    s->matmul_code = 9;
    ORR_CHECK(difference(&forms[0], 'y', ORR_F32, 1) < 1e-5 && calls() == before);
    s->matmul_code = 0;
}

static void tf32_is_used_only_when_asked_for(void)
{
    if (!cu.state)
        ORR_SKIP("a GPU's library keeps no books");
    ORR_CHECK(difference(&forms[0], 'y', ORR_F32, 1) < 1e-4 && cu.state->compute == ORR__DNN_FMA_MATH);
    orr__env.tf32 = true;
    for (const char *of = "yxw"; *of; of++)
        ORR_CHECK(difference(&forms[0], *of, ORR_F32, 1) < 1e-4 && cu.state->compute == ORR__DNN_ANY_MATH);
    double off = difference(&forms[0], 'y', ORR_F64, 1);
    ORR_CHECK_MSG(off < 1e-12 && cu.state->compute == ORR__DNN_FMA_MATH, "%g off, by %d", off, cu.state->compute);
    orr__env.tf32 = false;
}

/* It can be opened, and fails: beside an older driver, for example. */
static void cudnn_that_does_not_start_is_left_out(void)
{
    if (!cu.state)
        ORR_SKIP("cuDNN starts here");
    int before = calls();
    orr__cuda.stop();
    cu.state->create_code = 1;
    for (int i = 0; i < 5; i++)
        ORR_CHECK(difference(&forms[0], "yxw"[i % 3], ORR_F32, 1) < 1e-4 && calls() == before);
    cu.state->create_code = 0;
    orr__cuda.stop();
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(by_cudnn_and_without_it_values_are_the_same), ORR_TEST(a_convolution_that_cudnn_refuses_is_generated),
        ORR_TEST(cudnn_that_does_not_start_is_left_out),       ORR_TEST(tf32_is_used_only_when_asked_for),
        ORR_TEST(weights_in_parts_of_the_images_add_up),       { 0 }
    };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    cuda_start();
    int status = orr_test_main(argc, argv, "codelets.cuda_conv", cu.ok ? tests : none);
    orr__cuda.stop();
    return status;
}
