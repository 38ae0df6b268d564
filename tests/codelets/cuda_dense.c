/* Linear algebra and transforms on CUDA by cuSOLVER, cuBLAS and cuFFT, beside the processor's: the same values, or, for vectors
 * with arbitrary phases, the same product of them; the same refusals.
 * Must not know: StarPU. */
#include "config.h"

#include <math.h>
#include "ops/ops.h"
#include "runtime/base/complex.h"
#include "tests/harness/cuda_help.h"

enum { BATCH = 3, ROOM = 4096 };

static const orr_dtype dtypes[] = { ORR_F32, ORR_F64, ORR_C64, ORR_C128 };

/* A call with its operands and results on the host. */
typedef struct {
    orr__region r;
    orr_shape in[2];
    uint8_t dtype[2];
    int64_t counts[2];
    int32_t nodes[2];
    char *a, *b, *host, *device;
} call;

static double complex get(const void *p, orr_dtype t, int64_t i)
{
    switch (t) {
    case ORR_F32: return ((const float *)p)[i];
    case ORR_F64: return ((const double *)p)[i];
    case ORR_C64: return ((const float complex *)p)[i];
    default: return ((const double complex *)p)[i];
    }
}

static void set(void *p, orr_dtype t, int64_t i, double complex v)
{
    switch (t) {
    case ORR_F32: ((float *)p)[i] = (float)creal(v); break;
    case ORR_F64: ((double *)p)[i] = creal(v); break;
    case ORR_C64: ((float complex *)p)[i] = (float complex)v; break;
    default: ((double complex *)p)[i] = v;
    }
}

static void fill(void *p, orr_dtype t, int64_t n, int64_t cols, double phase)
{
    for (int64_t i = 0; i < n; i++)
        set(p, t, i,
            CMPLX(sin(phase + 3.7 * (double)i) + (i / cols % 4 == i % cols ? 2 : 0),
                  cos(phase + 1.3 * (double)(i * i % 97))));
}

static void make(call *c, const orr__op *op, orr_dtype t, orr_dtype to, orr_shape a, const orr_shape *b, orr_shape out,
                 unsigned mask)
{
    *c = (call){ .in = { a, b ? *b : a }, .dtype = { (uint8_t)t, (uint8_t)t } };
    c->r = (orr__region){ .call = { .op = op, .attr = { .mask = mask }, .out = out, .nin = b ? 2 : 1, .in = c->in },
                          .nin = b ? 2 : 1,
                          .in = c->nodes,
                          .in_dtype = c->dtype,
                          .in_count = c->counts,
                          .nout = 1,
                          .out_dtype = { (uint8_t)to },
                          .out_count = orr__shape_count(&out) };
    for (int k = 0; k < 2; k++)
        c->counts[k] = orr__shape_count(&c->in[k]);
    (void)snprintf(c->r.label, sizeof c->r.label, "%s", op->name);
    c->r.rank = op->space(&c->r.call, c->r.dim);
    orr__region_finish(&c->r);
    ORR_REQUIRE(c->counts[0] <= ROOM && c->counts[1] <= ROOM && c->r.out_count <= ROOM);
    c->a = calloc(ROOM, 16);
    c->b = calloc(ROOM, 16);
    c->host = calloc(ROOM, 16);
    c->device = calloc(ROOM, 16);
    ORR_REQUIRE(c->a && c->b && c->host && c->device);
    fill(c->a, t, c->counts[0], a.dim[a.rank - 1], 1);
    fill(c->b, t, c->counts[1], c->in[1].dim[c->in[1].rank - 1], 2);
}

static void end(call *c)
{
    free(c->a);
    free(c->b);
    free(c->host);
    free(c->device);
}

static orr_status on_host(call *c)
{
    orr__kernel *k = NULL;
    orr__launch l = {
        .region = &c->r, .hi = c->r.dim[0], .in = (void *[]){ c->a, c->b }, .out = (void *[]){ c->host }
    };
    orr_status st = orr__cpu.prepare(&c->r, &k);
    st = st == ORR_OK ? orr__cpu.launch(k, &l) : st;
    orr__cpu.release(k);
    return st;
}

static size_t shift; /* the first element of operand a in its array on the device */

/* Runs two launches; the arrays of the second begin at its own first row. */
static orr_status on_device(call *c)
{
    orr__kernel *k = NULL;
    size_t from = orr_dtype_size((orr_dtype)c->dtype[0]), to = orr_dtype_size((orr_dtype)c->r.out_dtype[0]);
    void *in[2] = { cuda_buffer(c->a, ((size_t)c->counts[0] + shift) * from),
                    cuda_buffer(c->b, (size_t)c->counts[1] * from) };
    void *out = cuda_buffer(c->device, (size_t)c->r.out_count * to);
    orr__cu_address a = (orr__cu_address)(uintptr_t)in[0] + shift * from;
    ORR_CHECK(orr__cu(NULL)->to_device(a, c->a, (size_t)c->counts[0] * from, cu.stream) == ORR__CU_OK);
    orr_status st = orr__cuda.prepare(&c->r, &k);
    for (int64_t part = 0, lo = 0; part < 2 && st == ORR_OK; part++) {
        int64_t hi = part ? c->r.dim[0] : 1, off[2] = { 0, 0 }, out_off = lo * (c->r.out_count / c->r.dim[0]);
        for (int i = 0; i < 2; i++)
            off[i] = lo * (c->counts[i] / c->r.dim[0]);
        orr__launch l = { .region = &c->r,
                          .lo = lo,
                          .hi = hi,
                          .in = (void *[]){ (char *)in[0] + ((size_t)off[0] + shift) * from,
                                            (char *)in[1] + (size_t)off[1] * from },
                          .out = (void *[]){ (char *)out + (size_t)out_off * to },
                          .in_off = off,
                          .out_off = &out_off,
                          .queue = cu.stream };
        st = orr__cuda.launch(k, &l);
        lo = hi;
    }
    if (st == ORR_OK)
        ORR_CHECK(cuda_fetch(c->device, out, (size_t)c->r.out_count * to));
    orr__cuda.release(k);
    cuda_drop(in[0]);
    cuda_drop(in[1]);
    cuda_drop(out);
    return st;
}

static double tolerance(orr_dtype t)
{
    return t == ORR_F32 || t == ORR_C64 ? 2e-4 : 1e-11;
}

static double difference(const call *c, int64_t first, int64_t n)
{
    double off = 0;
    orr_dtype t = (orr_dtype)c->r.out_dtype[0];
    for (int64_t i = first; i < first + n; i++) {
        double complex want = get(c->host, t, i);
        off = fmax(off, cabs(want - get(c->device, t, i)) / fmax(1, cabs(want)));
    }
    return off;
}

/* Runs both sides. False: the device does not support the call. */
static bool both(call *c)
{
    ORR_CHECK(orr__cuda.can(&c->r));
    int before = cu.state ? cu.state->factors : 0;
    orr_status host = on_host(c), device = on_device(c);
    ORR_CHECK_MSG(host == ORR_OK && device == ORR_OK, "%s: %s", c->r.label, orr_error_message());
    ORR_CHECK(!cu.state || cu.state->factors > before);
    return host == ORR_OK && device == ORR_OK;
}

static void systems_have_the_same_solutions(void)
{
    for (int d = 0; d < 4; d++)
        for (int k = 1; k < 4; k += 2)
            for (unsigned turned = 0; turned < 2; turned++) {
                call c;
                orr_shape b = ORR_SHAPE(BATCH, 6, k);
                make(&c, &orr__op_solve, dtypes[d], dtypes[d], ORR_SHAPE(BATCH, 6, 6), &b, b, turned);
                if (both(&c))
                    ORR_CHECK_MSG(difference(&c, 0, c.r.out_count) < tolerance(dtypes[d]), "%s",
                                  orr_dtype_name(dtypes[d]));
                end(&c);
            }
}

static void triangles_and_determinants_are_the_same(void)
{
    static const int64_t rows[] = { 6, 7, 4 }, cols[] = { 6, 4, 7 };
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 3; k++) {
            call c;
            int64_t m = rows[k], n = cols[k];
            make(&c, &orr__op_lu, dtypes[d], dtypes[d], ORR_SHAPE(BATCH, m, n), NULL, ORR_SHAPE(BATCH, m, n + 1), 0);
            if (both(&c))
                ORR_CHECK_MSG(difference(&c, 0, c.r.out_count) < tolerance(dtypes[d]), "lu %s %d",
                              orr_dtype_name(dtypes[d]), k);
            end(&c);
            if (m != n)
                continue;
            make(&c, &orr__op_det, dtypes[d], dtypes[d], ORR_SHAPE(BATCH, n, n), NULL, ORR_SHAPE(BATCH, 3), 0);
            if (both(&c))
                ORR_CHECK_MSG(difference(&c, 0, c.r.out_count) < tolerance(dtypes[d]), "det %s",
                              orr_dtype_name(dtypes[d]));
            end(&c);
        }
}

/* Element (r, c) of the product of two row-major matrices, the second with columns scaled by s, if it is given. */
static double complex product(const call *k, int64_t x, int64_t s, int64_t y, int64_t inner, int64_t cols, int64_t r,
                              int64_t c, int64_t row)
{
    orr_dtype t = (orr_dtype)k->r.out_dtype[0];
    double complex sum = 0;
    for (int64_t i = 0; i < inner; i++)
        sum += get(k->device, t, x + r * row + i) * (s < 0 ? 1 : get(k->device, t, s + i)) *
               get(k->device, t, y + i * cols + c);
    return sum;
}

static void orthogonal_factors_make_the_matrix(void)
{
    static const int64_t rows[] = { 6, 7, 4 }, cols[] = { 6, 4, 7 };
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 3; k++)
            for (unsigned mask = 0; mask < 4; mask++) { /* 1: complete, 2: R alone */
                call c;
                orr_dtype t = dtypes[d];
                int64_t m = rows[k], n = cols[k], w = mask & 1 || m < n ? m : n, apart = mask & 2 ? 0 : m,
                        row = apart + n, length = w * row;
                make(&c, &orr__op_qr, t, t, ORR_SHAPE(BATCH, m, n), NULL, ORR_SHAPE(BATCH, length), mask);
                double off = 0;
                if (both(&c))
                    for (int64_t q = 0; q < BATCH; q++)
                        for (int64_t i = 0; i < w; i++)
                            for (int64_t j = 0; j < n; j++) {
                                double complex r = get(c.device, t, q * length + i * row + apart + j);
                                off = fmax(off, j < i ? cabs(r) : 0);
                            }
                for (int64_t q = 0; q < BATCH && apart; q++)
                    for (int64_t i = 0; i < m; i++)
                        for (int64_t j = 0; j < n; j++) {
                            double complex sum = 0; /* the columns of Q are stored as rows */
                            for (int64_t p = 0; p < w; p++)
                                sum += get(c.device, t, q * length + p * row + i) *
                                       get(c.device, t, q * length + p * row + apart + j);
                            off = fmax(off, cabs(sum - get(c.a, t, (q * m + i) * n + j)));
                        }
                for (int64_t q = 0; q < BATCH && apart; q++)
                    for (int64_t i = 0; i < w * w; i++) {
                        double complex sum = 0; /* columns are orthonormal, also those beyond R */
                        for (int64_t p = 0; p < m; p++)
                            sum += conj(get(c.device, t, q * length + i / w * row + p)) *
                                   get(c.device, t, q * length + i % w * row + p);
                        off = fmax(off, cabs(sum - (i / w == i % w)));
                    }
                ORR_CHECK_MSG(off < tolerance(t), "%s %d, mask %u: %g", orr_dtype_name(t), k, mask, off);
                end(&c);
            }
}

static void singular_vectors_make_the_matrix(void)
{
    static const int64_t rows[] = { 6, 7, 4 }, cols[] = { 6, 4, 7 };
    for (int d = 0; d < 4; d++)
        for (int k = 0; k < 3; k++)
            for (unsigned mask = 0; mask < 3; mask++) { /* 1: values alone, 2: full */
                call c;
                orr_dtype t = dtypes[d];
                int64_t m = rows[k], n = cols[k], least = m < n ? m : n, u = mask == 2 ? m : least,
                        v = mask == 2 ? n : least, to = mask == 1 ? 0 : m * u,
                        length = mask == 1 ? least : m * u + least + v * n;
                make(&c, &orr__op_svd, t, t, ORR_SHAPE(BATCH, m, n), NULL, ORR_SHAPE(BATCH, length), mask);
                double off = 0;
                if (both(&c))
                    for (int64_t q = 0; q < BATCH; q++) {
                        off = fmax(off, difference(&c, q * length + to, least));
                        for (int64_t i = 0; i < m * n && mask != 1; i++)
                            off = fmax(off, cabs(get(c.a, t, q * m * n + i) - product(&c, q * length, q * length + to,
                                                                                      q * length + to + least, least, n,
                                                                                      i / n, i % n, u)));
                    }
                ORR_CHECK_MSG(off < tolerance(t), "%s %d, mask %u: %g", orr_dtype_name(t), k, mask, off);
                end(&c);
            }
}

static void eigenvectors_are_turned_by_their_values(void)
{
    enum { N = 6 };
    for (int d = 0; d < 4; d++)
        for (unsigned mask = 0; mask < 2; mask++) {
            call c;
            orr_dtype t = dtypes[d];
            int64_t length = mask ? N : N + N * N;
            make(&c, &orr__op_eigh, t, t, ORR_SHAPE(BATCH, N, N), NULL, ORR_SHAPE(BATCH, length), mask);
            double off = 0;
            if (both(&c))
                for (int64_t q = 0; q < BATCH; q++) {
                    off = fmax(off, difference(&c, q * length, N));
                    for (int64_t i = 0; i < N * N && !mask; i++) { /* of the lower triangle */
                        double complex sum = 0, v = get(c.device, t, q * length + N + i);
                        for (int64_t p = 0; p < N; p++) {
                            double complex a = p <= i / N ? get(c.a, t, q * N * N + i / N * N + p)
                                                          : conj(get(c.a, t, q * N * N + p * N + i / N));
                            a = p == i / N ? creal(a) : a;
                            sum += a * get(c.device, t, q * length + N + p * N + i % N);
                        }
                        off = fmax(off, cabs(sum - v * get(c.device, t, q * length + i % N)));
                    }
                }
            ORR_CHECK_MSG(off < tolerance(t), "%s, mask %u: %g", orr_dtype_name(t), mask, off);
            end(&c);
        }
}

/* A matrix that is positive definite: strong on its diagonal. */
static void make_definite(call *c, orr_dtype t, int64_t batch, int64_t n)
{
    make(c, &orr__op_cholesky, t, t, ORR_SHAPE(batch, n, n), NULL, ORR_SHAPE(batch, n, n), 0);
    for (int64_t i = 0; i < batch * n; i++)
        set(c->a, t, i * n + i % n, creal(get(c->a, t, i * n + i % n)) + 3 * (double)n);
}

static void lower_triangles_are_the_same(void)
{
    for (int d = 0; d < 4; d++) {
        call c;
        make_definite(&c, dtypes[d], BATCH, 6);
        if (both(&c))
            ORR_CHECK_MSG(difference(&c, 0, c.r.out_count) < tolerance(dtypes[d]), "%s", orr_dtype_name(dtypes[d]));
        end(&c);
    }
}

/* Above the limits of cuSOLVER's calls for several matrices each has a call of its own. */
static void larger_matrices_have_calls_of_their_own(void)
{
    enum { N = 40 };
    call c;
    static const orr__op *const ops[] = { &orr__op_svd, &orr__op_eigh };
    for (int k = 0; k < 2; k++) {
        make(&c, ops[k], ORR_F64, ORR_F64, ORR_SHAPE(2, N, N), NULL, ORR_SHAPE(2, N), 1);
        int before = cu.state ? cu.state->grouped : 0;
        if (both(&c))
            ORR_CHECK(difference(&c, 0, c.r.out_count) < 1e-9);
        ORR_CHECK(!cu.state || cu.state->grouped == before);
        end(&c);
    }
}

/* The number of calls and launches does not depend on the number of matrices. */
static void a_batch_is_one_call(void)
{
    static const struct {
        const orr__op *op;
        unsigned mask;
        int64_t length; /* of a result */
        int calls;
    } ops[] = { { &orr__op_solve, 0, 0, 2 },    { &orr__op_lu, 0, 30, 1 },  { &orr__op_det, 0, 3, 1 },
                { &orr__op_qr, 0, 50, 1 },      { &orr__op_svd, 0, 55, 1 }, { &orr__op_eigh, 0, 30, 1 },
                { &orr__op_cholesky, 0, 25, 1 } };
    if (!cu.state)
        ORR_SKIP("a real device does not count");
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int d = 0; d < 4; d++) {
            call c;
            orr_shape b = ORR_SHAPE(17, 5, 2), out = ORR_SHAPE(17, ops[k].length);
            if (ops[k].op == &orr__op_cholesky)
                make_definite(&c, dtypes[d], 17, 5);
            else
                make(&c, ops[k].op, dtypes[d], dtypes[d], ORR_SHAPE(17, 5, 5), ops[k].length ? NULL : &b,
                     ops[k].length ? out : b, ops[k].mask);
            cuda_double_state was = *cu.state;
            ORR_CHECK_MSG(on_device(&c) == ORR_OK, "%s: %s", c.r.label, orr_error_message());
            int launches = cu.state->launches - was.launches, batches = cu.state->grouped - was.grouped;
            /* the first of two launches has one matrix */
            ORR_CHECK_MSG(batches >= ops[k].calls && batches <= 2 * ops[k].calls && launches <= 10,
                          "%s: %d calls, %d launches", c.r.label, batches, launches);
            ORR_CHECK(cu.state->handles == was.handles);
            end(&c);
        }
}

static void transforms_are_the_same(void)
{
    for (int d = 0; d < 4; d++)
        for (unsigned inverse = 0; inverse < 2; inverse++) {
            call c;
            bool real = d < 2;
            shift = real && inverse; /* the second time, real numbers are not aligned to complex ones */
            make(&c, real ? &orr__op_rfft : &orr__op_fft, dtypes[d], real ? orr__complex_of(dtypes[d]) : dtypes[d],
                 ORR_SHAPE(BATCH, 30), NULL, ORR_SHAPE(BATCH, real ? 16 : 30), real ? 0 : inverse);
            if (both(&c))
                ORR_CHECK_MSG(difference(&c, 0, c.r.out_count) < tolerance(dtypes[d]), "%s", orr_dtype_name(dtypes[d]));
            end(&c);
        }
    shift = 0;
}

static void a_matrix_without_a_result_is_named(void)
{
    call c;
    char want[256];
    orr_shape b = ORR_SHAPE(BATCH, 4, 1);
    make(&c, &orr__op_solve, ORR_F64, ORR_F64, ORR_SHAPE(BATCH, 4, 4), &b, b, 0);
    for (int64_t i = 0; i < 16; i++)
        set(c.a, ORR_F64, 32 + i, 1);
    ORR_CHECK(on_host(&c) == ORR_ENUMERIC);
    (void)snprintf(want, sizeof want, "%s", orr_error_message());
    ORR_CHECK(on_device(&c) == ORR_ENUMERIC);
    ORR_CHECK_MSG(strcmp(want, orr_error_message()) == 0 && strstr(want, "singular"), "%s | %s", want,
                  orr_error_message());
    end(&c);
    make_definite(&c, ORR_C64, BATCH, 4);
    set(c.a, ORR_C64, 32 + 10, -1);
    ORR_CHECK(on_host(&c) == ORR_ENUMERIC);
    (void)snprintf(want, sizeof want, "%s", orr_error_message());
    ORR_CHECK(on_device(&c) == ORR_ENUMERIC);
    ORR_CHECK_MSG(strcmp(want, orr_error_message()) == 0 && strstr(want, "order 3"), "%s | %s", want,
                  orr_error_message());
    end(&c);
    static const orr__op *const ops[] = { &orr__op_svd, &orr__op_eigh };
    for (int k = 0; k < 2; k++) {
        make(&c, ops[k], ORR_C128, ORR_C128, ORR_SHAPE(BATCH, 4, 4), NULL, ORR_SHAPE(BATCH, 4), 1);
        set(c.a, ORR_C128, 16 + 3, k ? NAN : 1); /* the upper triangle of a Hermitian matrix is not read */
        set(c.a, ORR_C128, 32 + 12, INFINITY);
        ORR_CHECK(on_host(&c) == ORR_ENUMERIC);
        (void)snprintf(want, sizeof want, "%s", orr_error_message());
        ORR_CHECK(on_device(&c) == ORR_ENUMERIC);
        ORR_CHECK_MSG(strcmp(want, orr_error_message()) == 0 && strstr(want, "finite"), "%s | %s", want,
                      orr_error_message());
        end(&c);
    }
}

static void an_error_of_the_library_is_the_launch_s_error(void)
{
    if (!cu.state)
        ORR_SKIP("a real device refuses none of these");
    call c;
    cuda_double_state *s = cu.state;
    make(&c, &orr__op_det, ORR_F64, ORR_F64, ORR_SHAPE(BATCH, 4, 4), NULL, ORR_SHAPE(BATCH, 3), 0);
    s->tile_code = 6;
    ORR_CHECK(on_device(&c) == ORR_EDEVICE && strstr(orr_error_message(), "getrf"));
    s->tile_code = 0;
    ORR_CHECK(on_device(&c) == ORR_OK);
    end(&c);
}

static void libraries_that_do_not_start_are_left_out(void)
{
    if (!cu.state)
        ORR_SKIP("the libraries start here");
    call c;
    make(&c, &orr__op_det, ORR_F64, ORR_F64, ORR_SHAPE(BATCH, 4, 4), NULL, ORR_SHAPE(BATCH, 3), 0);
    orr__cuda.stop();
    ORR_CHECK(orr__cuda.can(&c.r) && orr__cu_tiles());
    cu.state->create_code = 1;
    ORR_CHECK(on_device(&c) == ORR_EDEVICE && strstr(orr_error_message(), "cublasCreate"));
    ORR_CHECK(!orr__cuda.can(&c.r) && !orr__cu_tiles());
    cu.state->create_code = 0;
    orr__cuda.stop();
    ORR_CHECK(orr__cuda.can(&c.r) && on_device(&c) == ORR_OK);
    end(&c);
}

/* The small kernels beside cuSOLVER's calls are loaded once, not for each matrix. */
static void a_batch_loads_each_kernel_once(void)
{
    if (!cu.state)
        ORR_SKIP("a real device does not count");
    call c;
    int loads = cu.state->loads, unloads = cu.state->unloads;
    make(&c, &orr__op_svd, ORR_F64, ORR_F64, ORR_SHAPE(16, 3, 4), NULL, ORR_SHAPE(16, 3), 1);
    ORR_CHECK_MSG(on_device(&c) == ORR_OK && on_device(&c) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK_MSG(cu.state->loads - loads <= 2 && cu.state->unloads == unloads && cu.state->torn == 0,
                  "%d loads, %d unloads", cu.state->loads - loads, cu.state->unloads - unloads);
    end(&c);
}

static void without_the_library_the_device_cannot(void)
{
    if (!cu.state)
        ORR_SKIP("the libraries are there");
    call c;
    const char *solver = orr__cu_solver_path, *fft = orr__cu_fft_path;
    orr__cuda.stop();
    orr__cu_solver_path = orr__cu_fft_path = "/nowhere/lib.so";
    orr__cu_forget();
    make(&c, &orr__op_det, ORR_F64, ORR_F64, ORR_SHAPE(BATCH, 4, 4), NULL, ORR_SHAPE(BATCH, 3), 0);
    ORR_CHECK(!orr__cuda.can(&c.r));
    end(&c);
    make(&c, &orr__op_fft, ORR_C64, ORR_C64, ORR_SHAPE(BATCH, 8), NULL, ORR_SHAPE(BATCH, 8), 0);
    ORR_CHECK(!orr__cuda.can(&c.r));
    end(&c);
    orr__cu_solver_path = solver;
    orr__cu_fft_path = fft;
    orr__cu_forget();
}

static void cuda(void)
{
    ORR_SKIP("%s", cu.why);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(systems_have_the_same_solutions),
                                      ORR_TEST(triangles_and_determinants_are_the_same),
                                      ORR_TEST(orthogonal_factors_make_the_matrix),
                                      ORR_TEST(singular_vectors_make_the_matrix),
                                      ORR_TEST(eigenvectors_are_turned_by_their_values),
                                      ORR_TEST(transforms_are_the_same),
                                      ORR_TEST(a_matrix_without_a_result_is_named),
                                      ORR_TEST(an_error_of_the_library_is_the_launch_s_error),
                                      ORR_TEST(without_the_library_the_device_cannot),
                                      ORR_TEST(libraries_that_do_not_start_are_left_out),
                                      ORR_TEST(a_batch_loads_each_kernel_once),
                                      ORR_TEST(lower_triangles_are_the_same),
                                      ORR_TEST(larger_matrices_have_calls_of_their_own),
                                      ORR_TEST(a_batch_is_one_call),
                                      { 0 } };
    static const orr_test none[] = { ORR_TEST(cuda), { 0 } };
    cuda_start();
    int status = orr_test_main(argc, argv, "codelets.cuda_dense", cu.ok ? tests : none);
    orr__cuda.stop();
    return status;
}
