/* Linear algebra by cuSOLVER, one matrix at a time: systems, determinants, triangular and orthogonal factors, singular values, eigenvalues.
 * Both libraries are column-major and see a row-major matrix as its transpose; cuBLAS transposes and copies (codelets/cpu/dense_body.h has
 * the algebra). A launch waits for the reports on its matrices.
 * Must not know: StarPU, plans. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/dense.h"
#include "codelets/cuda/cuda.h"
#include "ops/ew_id.h"
#include "runtime/base/buffer.h"

enum { ITEMS = 256, PLAIN = 0, TURNED = 1, ADJOINT = 2, LINE = 256 /* bytes: alignment of arrays */ };

/* Device memory for one matrix at a time; `info` and `bad` have one number per matrix. */
typedef struct {
    orr__site at;
    const orr__launch *l;
    const orr__cu_driver *cu;
    const orr__cu_dense *s;
    const orr__geam *b;
    orr__cu_stream_memory *memory;
    int type;        /* f32, f64, c64, c128   */
    size_t z, part;  /* bytes of an element, of its real part */
    int64_t m, n, k; /* rows, columns; right-hand sides */
    unsigned mask;
    orr__cu_address f, x, tau, w, pivot, info, bad;
    int *pivots; /* on the host: of all matrices of the launch, NULL: not needed */
    char *diagonals;
    orr_status st;
} job;

typedef void step(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q);

static bool ok(job *j, const char *call, int code)
{
    if (j->st == ORR_OK && code != 0)
        j->st = orr__fail(j->at, ORR_EDEVICE, "CUDA: %s: status %d", call, code);
    return j->st == ORR_OK;
}

static void driver_ok(job *j, const char *call, int code)
{
    if (j->st == ORR_OK && code != ORR__CU_OK)
        j->st = orr__cu_fail(j->at, call, code);
}

static void *ptr(orr__cu_address p)
{
    return (void *)(uintptr_t)p;
}

/* -- arrangements ------------------------------------------------------------------------------------------------------- */

/* to (rows × cols) = op(from), both column-major; `from` 0: zeros. */
static void arrange(job *j, int type, int op, int64_t rows, int64_t cols, orr__cu_address from, int64_t ldf,
                    orr__cu_address to, int64_t ldt)
{
    static const float one32[2] = { 1, 0 }, zero32[2] = { 0, 0 };
    static const double one64[2] = { 1, 0 }, zero64[2] = { 0, 0 };
    const void *zero = type % 2 ? (const void *)zero64 : zero32, *one = type % 2 ? (const void *)one64 : one32;
    if (j->st != ORR_OK || rows < 1 || cols < 1)
        return;
    (void)ok(j, "cublas geam",
             j->b->geam[type](j->memory->blas, op, PLAIN, (int)rows, (int)cols, from ? one : zero,
                              ptr(from ? from : to), (int)(from ? ldf : ldt), zero, ptr(to), (int)ldt, ptr(to),
                              (int)ldt));
}

/* Converts a row-major matrix to column-major, and back. */
static void turn(job *j, int64_t rows, int64_t cols, orr__cu_address from, orr__cu_address to)
{
    arrange(j, j->type, TURNED, rows, cols, from, cols, to, rows);
}

/* Converts real numbers to elements. */
static void widen(job *j, int64_t n, orr__cu_address from, orr__cu_address to)
{
    if (j->type < 2) {
        arrange(j, j->type, PLAIN, 1, n, from, 1, to, 1);
        return;
    }
    arrange(j, j->type, PLAIN, 1, n, 0, 1, to, 1);
    arrange(j, j->type - 2, PLAIN, 1, n, from, 1, to, 2);
}

/* -- our own kernels: elements as bits, and as numbers ------------------------------------------------------------------- */

#define TRIANGLE(type)                                                                                                 \
    type "extern \"C\" __global__ void orr_kernel(const bits *f, bits *to, long long ld, long long row, long long n, " \
         "long long count)\n{\n"                                                                                       \
         "    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x, i = e / n, c = e % n;\n"           \
         "    const bits none = { 0 };\n"                                                                              \
         "    if (e < count)\n"                                                                                        \
         "        to[i * row + c] = c >= i ? f[c * ld + i] : none;\n}\n"
/* Checks row `i` of `row` numbers. If `each`, the numbers of an element, is not 0, only the elements up to the diagonal count. */
#define FINITE(type)                                                                                                   \
    "extern \"C\" __global__ void orr_kernel(const " type " *p, int *bad, long long row, long long each, "             \
    "long long count)\n{\n"                                                                                            \
    "    const long long e = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"                                      \
    "    if (e < count && (each == 0 || e % row / each <= e / row) && !(p[e] - p[e] == 0))\n"                          \
    "        *bad = 1;\n}\n"
static const char *const triangle[] = { TRIANGLE("struct bits { unsigned x; };\n"),
                                        TRIANGLE("struct bits { unsigned long long x; };\n"),
                                        TRIANGLE("struct bits { unsigned long long x, y; };\n") };
static const char *const is_finite[] = { FINITE("float"), FINITE("double") };

static void run(job *j, const char *text, void **param, int64_t items)
{
    void *function = NULL;
    orr__cu_unit *u = j->st == ORR_OK && items > 0 ? orr__cu_unit_get(j->at, text, false) : NULL;
    if (!u) {
        j->st = j->st == ORR_OK && items > 0 ? ORR_ENOMEM : j->st;
        return;
    }
    j->st = orr__cu_unit_function(j->at, u, &function);
    if (j->st == ORR_OK)
        driver_ok(j, "cuLaunchKernel",
                  j->cu->launch(function, (unsigned)((items + ITEMS - 1) / ITEMS), 1, 1, ITEMS, 1, 1, 0, j->l->queue,
                                param, NULL));
    orr__cu_unit_put(u); /* it stays loaded until the launch has ended */
}

/* Reports whether a matrix is finite. half: checks only the lower triangle of a square matrix. */
static void look(job *j, orr__cu_address a, bool half, int64_t q)
{
    long long parts = j->type < 2 ? 1 : 2, row = (long long)j->n * parts, each = half ? parts : 0,
              count = (long long)j->m * row;
    orr__cu_address bad = j->bad + (size_t)q * sizeof(int);
    void *param[] = { &a, &bad, &row, &each, &count };
    run(j, is_finite[j->type % 2], param, count);
}

static void *info_of(const job *j, int64_t q)
{
    return ptr(j->info + (size_t)q * sizeof(int));
}

/* cuSOLVER's workspace of `elements` elements. */
static void *workspace(job *j, int elements)
{
    if (j->st == ORR_OK)
        j->st = orr__cu_stream_memory_grow(j->at, &j->memory->factor, &j->memory->factor_bytes,
                                           (size_t)(elements > 0 ? elements : 1) * j->z);
    return ptr(j->memory->factor);
}

/* -- operations ------------------------------------------------------------------------------------------------------------ */

static void triangles(job *j, int64_t rows, int64_t cols, orr__cu_address f, int64_t q)
{
    int size = 0, m = (int)rows, n = (int)cols;
    if (!ok(j, "cusolverDngetrf_bufferSize", j->s->getrf_workspace[j->type](j->memory->solver, m, n, ptr(f), m, &size)))
        return;
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngetrf",
                 j->s->getrf[j->type](j->memory->solver, m, n, ptr(f), m, work, ptr(j->pivot), info_of(j, q)));
    if (j->st == ORR_OK && j->pivots)
        driver_ok(j, "cuMemcpyDtoHAsync",
                  j->cu->to_host(j->pivots + q * (m < n ? m : n), j->pivot, (size_t)(m < n ? m : n) * sizeof(int),
                                 j->l->queue));
}

static void solve(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    int n = (int)j->n;
    arrange(j, j->type, PLAIN, n, n, a, n, j->f, n);
    triangles(j, n, n, j->f, q);
    turn(j, n, j->k, b, j->x);
    /* A pivot of 0 is reported by the factorisation. The report of the solve itself is stored after those of all matrices. */
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngetrs",
                 j->s->getrs[j->type](j->memory->solver, j->mask & 1 ? PLAIN : TURNED, n, (int)j->k, ptr(j->f), n,
                                      ptr(j->pivot), ptr(j->x), n, info_of(j, j->l->hi - j->l->lo)));
    arrange(j, j->type, TURNED, j->k, n, j->x, n, out, j->k);
}

static void lu(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    (void)b;
    turn(j, j->m, j->n, a, j->f);
    triangles(j, j->m, j->n, j->f, q);
    arrange(j, j->type, TURNED, j->n, j->m, j->f, j->m, out, j->n + 1);
}

static void det(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    int64_t n = j->n;
    (void)b;
    (void)out;
    arrange(j, j->type, PLAIN, n, n, a, n, j->f, n);
    triangles(j, n, n, j->f, q);
    arrange(j, j->type, PLAIN, 1, n, j->f, n + 1, j->tau, 1);
    if (j->st == ORR_OK)
        driver_ok(j, "cuMemcpyDtoHAsync",
                  j->cu->to_host(j->diagonals + (size_t)(q * n) * j->z, j->tau, (size_t)n * j->z, j->l->queue));
}

static int64_t inner(const job *j)
{
    return j->mask & 1 || j->m < j->n ? j->m : j->n;
}

static void qr(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    int m = (int)j->m, n = (int)j->n, w = (int)inner(j), k = m < n ? m : n, size = 0, more = 0;
    int64_t apart = j->mask & 2 ? 0 : j->m;
    long long ld = m, row = apart + n, cols = n, count = (long long)w * n;
    orr__cu_address to = out + (size_t)apart * j->z;
    void *h = j->memory->solver;
    (void)b;
    turn(j, m, n, a, j->f);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngeqrf_bufferSize", j->s->geqrf_workspace[j->type](h, m, n, ptr(j->f), m, &size));
    if (j->st == ORR_OK && apart)
        (void)ok(j, "cusolverDnorgqr_bufferSize",
                 j->s->orgqr_workspace[j->type](h, m, w, k, ptr(j->f), m, ptr(j->tau), &more));
    size = size > more ? size : more;
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngeqrf",
                 j->s->geqrf[j->type](h, m, n, ptr(j->f), m, ptr(j->tau), work, size, info_of(j, q)));
    run(j, triangle[j->z / 8], (void *[]){ &j->f, &to, &ld, &row, &cols, &count }, count);
    if (j->st == ORR_OK && apart)
        (void)ok(j, "cusolverDnorgqr",
                 j->s->orgqr[j->type](h, m, w, k, ptr(j->f), m, ptr(j->tau), work, size, info_of(j, q)));
    if (apart)
        arrange(j, j->type, PLAIN, m, w, j->f, m, out, row);
}

/* cuSOLVER requires at least as many rows as columns: it gets the transpose of a wide matrix, whose vectors have our layout. */
static void svd(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    bool wide = j->m <= j->n, values = (j->mask & 1) != 0;
    int64_t k = j->m < j->n ? j->m : j->n, all = (j->mask & 2) != 0, u = all ? j->m : k, v = all ? j->n : k;
    int rows = (int)(wide ? j->n : j->m), cols = (int)k, size = 0, left = (int)(wide ? v : u);
    orr__cu_address to = values ? out : out + (size_t)(j->m * u) * j->z, vh = to + (size_t)k * j->z;
    orr__cu_address first = wide ? vh : j->x, second = wide ? out : j->x + (size_t)rows * (size_t)left * j->z;
    signed char how = values ? 'N' : all ? 'A' : 'S';
    (void)b;
    look(j, a, false, q);
    if (wide)
        arrange(j, j->type, PLAIN, rows, cols, a, rows, j->f, rows);
    else
        turn(j, rows, cols, a, j->f);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngesvd_bufferSize", j->s->gesvd_workspace[j->type](j->memory->solver, rows, cols, &size));
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngesvd",
                 j->s->gesvd[j->type](j->memory->solver, how, how, rows, cols, ptr(j->f), rows, ptr(j->w), ptr(first),
                                      rows, ptr(second), cols, work, size, NULL, info_of(j, q)));
    widen(j, k, j->w, to);
    if (wide || values)
        return;
    arrange(j, j->type, TURNED, left, rows, first, rows, out, left);
    arrange(j, j->type, TURNED, cols, cols, second, cols, vh, cols);
}

static void eigh(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out, int64_t q)
{
    int n = (int)j->n, size = 0, vectors = !(j->mask & 1);
    (void)b;
    look(j, a, true, q);
    arrange(j, j->type, PLAIN, n, n, a, n, j->f, n);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnsyevd_bufferSize",
                 j->s->syevd_workspace[j->type](j->memory->solver, vectors, ORR__BLAS_UPPER, n, ptr(j->f), n, ptr(j->w),
                                                &size));
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnsyevd",
                 j->s->syevd[j->type](j->memory->solver, vectors, ORR__BLAS_UPPER, n, ptr(j->f), n, ptr(j->w), work,
                                      size, info_of(j, q)));
    widen(j, n, j->w, out);
    if (vectors)
        arrange(j, j->type, j->type < 2 ? TURNED : ADJOINT, n, n, j->f, n, out + (size_t)n * j->z, n);
}

/* -- a launch ---------------------------------------------------------------------------------------------------------- */

static int64_t count_of(const orr_shape *s, int64_t batch)
{
    return batch ? orr__shape_count(s) / batch : 0;
}

static int type_of(orr_dtype t)
{
    switch (t) {
    case ORR_F32: return 0;
    case ORR_F64: return 1;
    case ORR_C64: return 2;
    case ORR_C128: return 3;
    default: return -1;
    }
}

/* Allocates the arrays of one matrix, and the reports on all, in one block of memory. */
static orr_status make_room(job *j, int64_t matrices, bool full)
{
    int64_t most = j->m > j->n ? j->m : j->n, k = j->m < j->n ? j->m : j->n, w = full ? j->m : k;
    int64_t f = j->m * (w > j->n ? w : j->n), x = j->k > 0 ? j->n * j->k : j->m * w + k * k;
    size_t size[] = { (size_t)f * j->z,
                      (size_t)x * j->z,
                      (size_t)most * j->z,
                      (size_t)most * j->part,
                      (size_t)most * sizeof(int),
                      (size_t)(matrices + 1) * sizeof(int),
                      (size_t)(matrices + 1) * sizeof(int) };
    orr__cu_address *at[] = { &j->f, &j->x, &j->tau, &j->w, &j->pivot, &j->info, &j->bad };
    size_t all = 0;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        all += (size[i] + LINE) / LINE * LINE;
    orr_status st = orr__cu_stream_memory_grow(j->at, &j->memory->dense, &j->memory->dense_bytes, all);
    if (st != ORR_OK)
        return st;
    all = 0;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        *at[i] = j->memory->dense + all;
        all += (size[i] + LINE) / LINE * LINE;
    }
    return ORR_OK;
}

/* Evaluates the reports after the device has finished; for each matrix first whether it is finite. */
static orr_status verdict(const job *j, const int *info, const int *bad, const char *so)
{
    for (int64_t q = 0; q < j->l->hi - j->l->lo; q++) {
        orr__which which = orr__cpu_which(j->l->region, j->l->lo + q);
        if (bad[q])
            return orr__fail(j->at, ORR_ENUMERIC, "%s has an element that is not finite", which.s);
        if (info[q] < 0)
            return orr__fail(j->at, ORR_EDEVICE, "CUDA: cuSOLVER: argument %d is wrong", -info[q]);
        if (info[q] > 0 && so)
            return orr__fail(j->at, ORR_ENUMERIC, so, which.s, (long long)info[q]);
    }
    return ORR_OK;
}

typedef struct {
    step *each;
    const char *so; /* the message for a matrix without a result; NULL: there is always a result */
    enum { NOTHING, PERMUTATIONS, DETERMINANTS } after;
    unsigned full; /* the bit of the mask that requests square factors */
} operation;

#ifdef HAVE_LAPACK
enum { THERE = 1 };
static const orr__dense *const table[] = { &orr__dense_f32, &orr__dense_f64, &orr__dense_c64, &orr__dense_c128 };
#else
enum { THERE = 0 }; /* CPUs then do not have the operation either */
static const orr__dense *const table[4];
#endif

/* The results that the host makes from pivots: numbers of rows beside each pair of triangles, or determinants. */
static void finish(job *j, int after, orr__cu_address out, int64_t stride, char *numbers)
{
    int64_t least = j->m < j->n ? j->m : j->n, each = after == PERMUTATIONS ? j->m : 3;
    for (int64_t q = 0; q < j->l->hi - j->l->lo; q++) {
        char *to = numbers + (size_t)(q * each) * j->z;
        if (after == PERMUTATIONS)
            table[j->type]->permutation(j->pivots + q * least, least, j->m, to);
        else
            table[j->type]->of_diagonal(j->diagonals + (size_t)(q * j->n) * j->z, j->pivots + q * least, j->n, to);
        orr__cu_address at = out + (size_t)(q * stride) * j->z;
        driver_ok(j, "cuMemcpyHtoDAsync",
                  j->cu->to_device(after == PERMUTATIONS ? j->tau : at, to, (size_t)each * j->z, j->l->queue));
        if (after == PERMUTATIONS) /* the last column */
            arrange(j, j->type, PLAIN, 1, j->m, j->tau, 1, at + (size_t)j->n * j->z, j->n + 1);
    }
    driver_ok(j, "cuStreamSynchronize", j->cu->wait(j->l->queue));
}

static orr_status begin(job *j, const orr__launch *l, unsigned full)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.in[0], *b = r->nin > 1 ? &r->call.in[1] : NULL;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    *j = (job){ .at = orr__cu_site(r),
                .l = l,
                .cu = orr__cu(NULL),
                .s = orr__cu_dense_library(NULL),
                .b = orr__cu_geam(NULL),
                .type = type_of(t),
                .z = orr_dtype_size(t),
                .part = orr_dtype_size(t) / (orr__is_complex(t) ? 2 : 1),
                .m = s->dim[s->rank - 2],
                .n = s->dim[s->rank - 1],
                .k = b ? b->dim[b->rank - 1] : 0,
                .mask = r->call.attr.mask };
    if (!j->s || !j->b || j->type < 0)
        return orr__fail(j->at, ORR_EDEVICE, "CUDA: there is no cuSOLVER or no cuBLAS");
    orr_status st = orr__cu_stream_memory_of(j->at, l->queue, &j->memory);
    if (st == ORR_OK)
        st = orr__cu_factors_begin(j->at, j->memory);
    return st == ORR_OK ? make_room(j, l->hi - l->lo, (j->mask & full) != 0) : st;
}

static orr_status every(const orr__launch *l, const operation *o)
{
    const orr__region *r = l->region;
    int64_t batch = r->dim[0], a = count_of(&r->call.in[0], batch), to = count_of(&r->call.out, batch);
    int64_t b = r->nin > 1 ? count_of(&r->call.in[1], batch) : 0, matrices = l->hi - l->lo;
    job j;
    if (matrices <= 0 || to == 0)
        return ORR_OK;
    orr_status st = begin(&j, l, o->full);
    if (st != ORR_OK)
        return st;
    size_t reports = (size_t)(matrices + 1), longest = (size_t)(j.m > j.n ? j.m : j.n) + 3;
    int *info = calloc(2 * reports, sizeof *info);
    char *numbers = NULL;
    if (o->after != NOTHING) {
        j.pivots = calloc((size_t)matrices * longest, sizeof *j.pivots);
        j.diagonals = calloc((size_t)matrices * longest, j.z);
        numbers = calloc((size_t)matrices * longest, j.z);
    }
    if (!info || (o->after != NOTHING && (!j.pivots || !j.diagonals || !numbers))) {
        j.st = orr__fail(j.at, ORR_ENOMEM, "no memory for the reports on %lld matrices", (long long)matrices);
    } else {
        driver_ok(&j, "cuMemcpyHtoDAsync", j.cu->to_device(j.info, info, reports * sizeof *info, l->queue));
        driver_ok(&j, "cuMemcpyHtoDAsync", j.cu->to_device(j.bad, info, reports * sizeof *info, l->queue));
    }
    orr__cu_address first = (orr__cu_address)(uintptr_t)l->in[0] - (l->in_off ? (size_t)l->in_off[0] * j.z : 0),
                    second =
                        b ? (orr__cu_address)(uintptr_t)l->in[1] - (l->in_off ? (size_t)l->in_off[1] * j.z : 0) : 0,
                    out = (orr__cu_address)(uintptr_t)l->out[0] - (l->out_off ? (size_t)l->out_off[0] * j.z : 0);
    for (int64_t q = 0; q < matrices && j.st == ORR_OK; q++)
        o->each(&j, first + (size_t)((l->lo + q) * a) * j.z, b ? second + (size_t)((l->lo + q) * b) * j.z : 0,
                out + (size_t)((l->lo + q) * to) * j.z, q);
    if (info) {
        driver_ok(&j, "cuMemcpyDtoHAsync", j.cu->to_host(info, j.info, reports * sizeof *info, l->queue));
        driver_ok(&j, "cuMemcpyDtoHAsync", j.cu->to_host(info + reports, j.bad, reports * sizeof *info, l->queue));
    }
    int code = j.cu->wait(l->queue); /* even after an error: work under way may still write the memory freed here */
    driver_ok(&j, "cuStreamSynchronize", code);
    if (j.st == ORR_OK)
        j.st = verdict(&j, info, info + reports, o->so);
    if (j.st == ORR_OK && o->after != NOTHING)
        finish(&j, (int)o->after, out + (size_t)(l->lo * to) * j.z, to, numbers);
    free(info);
    free(j.pivots);
    free(j.diagonals);
    free(numbers);
    return j.st;
}

static bool can(const orr__region *r)
{
    const orr_shape *s = &r->call.in[0];
    if (!THERE || r->ninstr > 0 || type_of((orr_dtype)r->in_dtype[0]) < 0 || !orr__cu_factors() ||
        !orr__cu_dense_library(NULL) || !orr__cu_geam(NULL))
        return false;
    for (int k = 0; k < r->nin; k++)
        for (int d = r->call.in[k].rank - 2; d < r->call.in[k].rank; d++)
            if (d < 0 || r->call.in[k].dim[d] < 1 || r->call.in[k].dim[d] > INT_MAX / 4)
                return false;
    return s->rank >= 2;
}

#define LIBRARY(name, words, later, square)                                                                            \
    static orr_status name##_launch(const orr__launch *l)                                                              \
    {                                                                                                                  \
        return every(l, &(operation){ name, words, later, square });                                                   \
    }                                                                                                                  \
    const orr__cu_library orr__cu_library_##name = { can, name##_launch };
LIBRARY(solve, "%s is singular: pivot %lld is 0", NOTHING, 0)
LIBRARY(lu, NULL, PERMUTATIONS, 0)
LIBRARY(det, NULL, DETERMINANTS, 0)
LIBRARY(qr, "%s has no factors (cuSOLVER info %lld)", NOTHING, 1)
LIBRARY(svd, "the singular values of %s did not converge (cuSOLVER info %lld)", NOTHING, 2)
LIBRARY(eigh, "the eigenvalues of %s did not converge (cuSOLVER info %lld)", NOTHING, 0)
