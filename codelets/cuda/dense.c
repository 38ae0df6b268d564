/* Linear algebra by cuSOLVER and cuBLAS: systems, determinants, triangular and orthogonal factors, singular values, eigenvalues. Matrices are
 * computed in groups: one call for all where the libraries have one (cuBLAS's and cuSOLVER's …Batched), else a call for each.
 * Both libraries are column-major and see a row-major matrix as its transpose (codelets/cpu/dense_body.h has the algebra). A launch waits for
 * the reports on its matrices.
 * Must not know: StarPU, plans. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/dense.h"
#include "codelets/cuda/dense.h"
#include "runtime/base/buffer.h"

/* JACOBI: the largest matrix of gesvdjBatched, and of the kernels behind syevjBatched that compute several matrices at once. SMALL: larger
 * matrices fill a device one at a time, with a row for each item of a group. GROUP: bytes of a group's arrays. Limits of a library. */
enum { JACOBI = 32, SMALL = ORR__EMIT_GROUP, GROUP = 64 << 20, LINE = 256 /* bytes: alignment of arrays */ };

typedef orr__cu_job job;
typedef orr__cu_block block;
typedef void step(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out);

static bool ok(job *j, const char *call, int code)
{
    if (j->st == ORR_OK && code != 0)
        j->st = orr__fail(j->at, ORR_EDEVICE, "CUDA: %s: status %d", call, code);
    return j->st == ORR_OK;
}

static void driver_ok(job *j, const char *call, int code)
{
    orr__cu_dense_driver_ok(j, call, code);
}

static void *ptr(orr__cu_address p)
{
    return (void *)(uintptr_t)p;
}

/* Element `i` of an array, and number `i`. */
static void *element(const job *j, orr__cu_address p, int64_t i)
{
    return ptr(p + (size_t)i * j->z);
}

static void *number(orr__cu_address p, int64_t i)
{
    return ptr(p + (size_t)i * sizeof(int));
}

static block of(const job *j, orr__cu_address p, int64_t ld, int64_t each)
{
    return (block){ p, ld, each, j->parts };
}

/* The group has several matrices, and the library computes them at once. */
static bool at_once(const job *j, int64_t limit)
{
    return j->c > 1 && j->m <= limit && j->n <= limit;
}

/* cuSOLVER's workspace of `elements` elements. */
static void *workspace(job *j, int elements)
{
    if (j->st == ORR_OK)
        j->st = orr__cu_stream_memory_grow(j->at, &j->memory->factor, &j->memory->factor_bytes,
                                           (size_t)(elements > 0 ? elements : 1) * j->z);
    return ptr(j->memory->factor);
}

/* A report that is a number on the host: of the arguments alone. */
static void argument_ok(job *j, const char *call, int info)
{
    if (j->st == ORR_OK && info != 0)
        j->st = orr__fail(j->at, ORR_EDEVICE, "CUDA: %s: argument %d is wrong", call, -info);
}

/* -- operations ------------------------------------------------------------------------------------------------------------ */

/* Factors the group's matrices at f, rows × cols. */
static void triangles(job *j, int64_t rows, int64_t cols)
{
    int size = 0, m = (int)rows, n = (int)cols;
    if (j->st != ORR_OK)
        return;
    if (m == n && at_once(j, SMALL)) {
        (void)ok(
            j, "cublas getrfBatched",
            j->b->getrf[j->type](j->memory->blas, n, ptr(j->pf), n, ptr(j->pivot), number(j->info, j->q), (int)j->c));
    } else {
        (void)ok(j, "cusolverDngetrf_bufferSize",
                 j->s->getrf_workspace[j->type](j->memory->solver, m, n, ptr(j->f), m, &size));
        void *work = workspace(j, size);
        for (int64_t i = 0; i < j->c && j->st == ORR_OK; i++)
            (void)ok(j, "cusolverDngetrf",
                     j->s->getrf[j->type](j->memory->solver, m, n, element(j, j->f, i * j->ef), m, work,
                                          number(j->pivot, i * j->least), number(j->info, j->q + i)));
    }
    if (j->st == ORR_OK && j->pivots)
        driver_ok(j, "cuMemcpyDtoHAsync",
                  j->cu->to_host(j->pivots + j->q * j->least, j->pivot, (size_t)(j->c * j->least) * sizeof(int),
                                 j->l->queue));
}

/* A pivot of 0 is reported by the factorisation. cuSOLVER's report on the solve is stored after those of all matrices. */
static void solve(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    int n = (int)j->n, k = (int)j->k, info = 0, op = j->mask & 1 ? ORR__PLAIN : ORR__TURNED;
    orr__cu_arrange(j, ORR__PLAIN, n, n, of(j, a, n, j->ea), of(j, j->f, n, j->ef));
    triangles(j, n, n);
    orr__cu_arrange(j, ORR__TURNED, n, k, of(j, b, k, j->eb), of(j, j->x, n, j->ex));
    if (j->st == ORR_OK && at_once(j, SMALL)) {
        (void)ok(j, "cublas getrsBatched",
                 j->b->getrs[j->type](j->memory->blas, op, n, k, ptr(j->pf), n, ptr(j->pivot), ptr(j->px), n, &info,
                                      (int)j->c));
        argument_ok(j, "cublas getrsBatched", info);
    } else {
        for (int64_t i = 0; i < j->c && j->st == ORR_OK; i++)
            (void)ok(j, "cusolverDngetrs",
                     j->s->getrs[j->type](j->memory->solver, op, n, k, element(j, j->f, i * j->ef), n,
                                          number(j->pivot, i * n), element(j, j->x, i * j->ex), n,
                                          number(j->info, j->l->hi - j->l->lo)));
    }
    orr__cu_arrange(j, ORR__TURNED, k, n, of(j, j->x, n, j->ex), of(j, out, k, j->eo));
}

static void lu(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    (void)b;
    orr__cu_arrange(j, ORR__TURNED, j->m, j->n, of(j, a, j->n, j->ea), of(j, j->f, j->m, j->ef));
    triangles(j, j->m, j->n);
    orr__cu_arrange(j, ORR__TURNED, j->n, j->m, of(j, j->f, j->m, j->ef), of(j, out, j->n + 1, j->eo));
}

static void det(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    int64_t n = j->n;
    (void)b;
    (void)out;
    orr__cu_arrange(j, ORR__PLAIN, n, n, of(j, a, n, j->ea), of(j, j->f, n, j->ef));
    triangles(j, n, n);
    orr__cu_arrange(j, ORR__PLAIN, 1, n, of(j, j->f, n + 1, j->ef), of(j, j->tau, 1, n));
    if (j->st == ORR_OK)
        driver_ok(
            j, "cuMemcpyDtoHAsync",
            j->cu->to_host(j->diagonals + (size_t)(j->q * n) * j->z, j->tau, (size_t)(j->c * n) * j->z, j->l->queue));
}

static void cholesky(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    int n = (int)j->n;
    (void)b;
    orr__cu_arrange(j, ORR__PLAIN, n, n, of(j, a, n, j->ea), of(j, j->f, n, j->ef));
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnpotrfBatched",
                 j->s->potrf_batch[j->type](j->memory->solver, ORR__BLAS_UPPER, n, ptr(j->pf), n, number(j->info, j->q),
                                            (int)j->c));
    orr__cu_check_positive(j);
    orr__cu_triangle(j, true, n, n, 1, n, n, out);
}

static int64_t inner(const job *j)
{
    return j->mask & 1 || j->m < j->n ? j->m : j->n;
}

/* One matrix after the other. orthogonal: the columns of Q too. */
static void reflections(job *j, bool orthogonal, int64_t row, orr__cu_address out)
{
    int m = (int)j->m, n = (int)j->n, w = (int)inner(j), k = (int)j->least, size = 0, more = 0;
    int64_t ld = m, apart = orthogonal ? m : 0;
    void *h = j->memory->solver;
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngeqrf_bufferSize", j->s->geqrf_workspace[j->type](h, m, n, ptr(j->f), m, &size));
    if (j->st == ORR_OK && orthogonal)
        (void)ok(j, "cusolverDnorgqr_bufferSize",
                 j->s->orgqr_workspace[j->type](h, m, w, k, ptr(j->f), m, ptr(j->tau), &more));
    size = size > more ? size : more;
    void *work = workspace(j, size);
    for (int64_t i = 0; i < j->c && j->st == ORR_OK; i++)
        (void)ok(j, "cusolverDngeqrf",
                 j->s->geqrf[j->type](h, m, n, element(j, j->f, i * j->ef), m, element(j, j->tau, i * k), work, size,
                                      number(j->info, j->q + i)));
    orr__cu_triangle(j, false, w, n, ld, 1, row, out + (size_t)apart * j->z);
    for (int64_t i = 0; i < j->c && j->st == ORR_OK && orthogonal; i++)
        (void)ok(j, "cusolverDnorgqr",
                 j->s->orgqr[j->type](h, m, w, k, element(j, j->f, i * j->ef), m, element(j, j->tau, i * k), work, size,
                                      number(j->info, j->q + i)));
    if (orthogonal)
        orr__cu_arrange(j, ORR__PLAIN, m, w, of(j, j->f, m, j->ef), of(j, out, row, j->eo));
}

static void qr(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    bool orthogonal = !(j->mask & 2);
    int64_t m = j->m, n = j->n, w = inner(j), apart = orthogonal ? m : 0, row = apart + n;
    int info = 0;
    (void)b;
    orr__cu_arrange(j, ORR__TURNED, m, n, of(j, a, n, j->ea), of(j, j->f, m, j->ef));
    if (!at_once(j, SMALL)) {
        reflections(j, orthogonal, row, out);
        return;
    }
    if (j->st == ORR_OK)
        (void)ok(
            j, "cublas geqrfBatched",
            j->b->geqrf[j->type](j->memory->blas, (int)m, (int)n, ptr(j->pf), (int)m, ptr(j->ptau), &info, (int)j->c));
    argument_ok(j, "cublas geqrfBatched", info);
    orr__cu_triangle(j, false, w, n, m, 1, row, out + (size_t)apart * j->z);
    if (orthogonal)
        orr__cu_reflections(j, w, row, out);
}

/* Copies the group's real numbers at w to elements. */
static void widen(job *j, int64_t n, orr__cu_address to)
{
    orr__cu_arrange(j, ORR__PLAIN, 1, n, (block){ j->w, 1, n, 1 }, of(j, to, 1, j->eo));
}

/* Elements of singular vectors outside of the result, for each matrix. */
static int64_t vectors_of(const job *j)
{
    int64_t one = j->m * (j->mask & 2 ? j->m : j->least) + j->least * j->least, all = j->m * j->m + j->n * j->n;
    return j->m <= JACOBI && j->n <= JACOBI && all > one ? all : one;
}

/* All matrices at once, as transposes n × m: their left vectors are our rows, the conjugates of their right vectors our columns. */
static void svd_at_once(job *j, orr__cu_address a, int64_t u, int64_t v, orr__cu_address out, orr__cu_address vh)
{
    int m = (int)j->m, n = (int)j->n, size = 0, vectors = !(j->mask & 1), c = (int)j->c;
    orr__cu_address right = j->x + (size_t)(j->c * n * n) * j->z;
    void *h = j->memory->solver;
    orr__cu_arrange(j, ORR__PLAIN, n, m, of(j, a, n, j->ea), of(j, j->f, n, (int64_t)m * n));
    if (j->st == ORR_OK && !j->svd)
        (void)ok(j, "cusolverDnCreateGesvdjInfo", j->s->svd_options(&j->svd));
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngesvdjBatched_bufferSize",
                 j->s->svd_batch_workspace[j->type](h, vectors, n, m, ptr(j->f), n, ptr(j->w), ptr(j->x), n, ptr(right),
                                                    m, &size, j->svd, c));
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngesvdjBatched",
                 j->s->svd_batch[j->type](h, vectors, n, m, ptr(j->f), n, ptr(j->w), ptr(j->x), n, ptr(right), m, work,
                                          size, number(j->info, j->q), j->svd, c));
    if (!vectors)
        return;
    orr__cu_arrange(j, ORR__PLAIN, n, v, of(j, j->x, n, (int64_t)n * n), of(j, vh, n, j->eo));
    orr__cu_arrange(j, ORR__ADJOINT, u, m, of(j, right, m, (int64_t)m * m), of(j, out, u, j->eo));
}

/* cuSOLVER requires at least as many rows as columns: it gets the transpose of a wide matrix, whose vectors have our layout. */
static void svd_each(job *j, orr__cu_address a, int64_t u, int64_t v, orr__cu_address out, orr__cu_address vh)
{
    bool wide = j->m <= j->n, values = (j->mask & 1) != 0;
    int rows = (int)(wide ? j->n : j->m), cols = (int)j->least, size = 0, left = (int)(wide ? v : u);
    int64_t each = wide ? j->eo : j->ex, squares = (int64_t)rows * left;
    orr__cu_address first = wide ? vh : j->x, second = wide ? out : j->x + (size_t)squares * j->z;
    signed char how = values ? 'N' : j->mask & 2 ? 'A' : 'S';
    orr__cu_arrange(j, wide ? ORR__PLAIN : ORR__TURNED, rows, cols, of(j, a, wide ? rows : cols, j->ea),
                    of(j, j->f, rows, j->ef));
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDngesvd_bufferSize", j->s->gesvd_workspace[j->type](j->memory->solver, rows, cols, &size));
    void *work = workspace(j, size);
    for (int64_t i = 0; i < j->c && j->st == ORR_OK; i++)
        (void)ok(j, "cusolverDngesvd",
                 j->s->gesvd[j->type](j->memory->solver, how, how, rows, cols, element(j, j->f, i * j->ef), rows,
                                      ptr(j->w + (size_t)(i * j->least) * j->part), element(j, first, i * each), rows,
                                      element(j, second, i * each), cols, work, size, NULL, number(j->info, j->q + i)));
    if (wide || values)
        return;
    orr__cu_arrange(j, ORR__TURNED, left, rows, of(j, first, rows, each), of(j, out, left, j->eo));
    orr__cu_arrange(j, ORR__TURNED, cols, cols, of(j, second, cols, each), of(j, vh, cols, j->eo));
}

static void svd(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    bool all = (j->mask & 2) != 0;
    int64_t k = j->least, u = all ? j->m : k, v = all ? j->n : k;
    orr__cu_address to = j->mask & 1 ? out : out + (size_t)(j->m * u) * j->z, vh = to + (size_t)k * j->z;
    (void)b;
    orr__cu_check_finite(j, a, false);
    if (at_once(j, JACOBI))
        svd_at_once(j, a, u, v, out, vh);
    else
        svd_each(j, a, u, v, out, vh);
    widen(j, k, to);
}

static void eigh_at_once(job *j)
{
    int n = (int)j->n, size = 0, vectors = !(j->mask & 1), c = (int)j->c;
    void *h = j->memory->solver;
    if (j->st == ORR_OK && !j->eigh)
        (void)ok(j, "cusolverDnCreateSyevjInfo", j->s->eigh_options(&j->eigh));
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnsyevjBatched_bufferSize",
                 j->s->eigh_batch_workspace[j->type](h, vectors, ORR__BLAS_UPPER, n, ptr(j->f), n, ptr(j->w), &size,
                                                     j->eigh, c));
    void *work = workspace(j, size);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnsyevjBatched",
                 j->s->eigh_batch[j->type](h, vectors, ORR__BLAS_UPPER, n, ptr(j->f), n, ptr(j->w), work, size,
                                           number(j->info, j->q), j->eigh, c));
}

static void eigh_each(job *j)
{
    int n = (int)j->n, size = 0, vectors = !(j->mask & 1);
    if (j->st == ORR_OK)
        (void)ok(j, "cusolverDnsyevd_bufferSize",
                 j->s->syevd_workspace[j->type](j->memory->solver, vectors, ORR__BLAS_UPPER, n, ptr(j->f), n, ptr(j->w),
                                                &size));
    void *work = workspace(j, size);
    for (int64_t i = 0; i < j->c && j->st == ORR_OK; i++)
        (void)ok(j, "cusolverDnsyevd",
                 j->s->syevd[j->type](j->memory->solver, vectors, ORR__BLAS_UPPER, n, element(j, j->f, i * j->ef), n,
                                      ptr(j->w + (size_t)(i * n) * j->part), work, size, number(j->info, j->q + i)));
}

static void eigh(job *j, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    int64_t n = j->n;
    (void)b;
    orr__cu_check_finite(j, a, true);
    orr__cu_arrange(j, ORR__PLAIN, n, n, of(j, a, n, j->ea), of(j, j->f, n, j->ef));
    if (at_once(j, JACOBI))
        eigh_at_once(j);
    else
        eigh_each(j);
    widen(j, n, out);
    if (!(j->mask & 1))
        orr__cu_arrange(j, ORR__ADJOINT, n, n, of(j, j->f, n, j->ef), of(j, out + (size_t)n * j->z, n, j->eo));
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

typedef struct {
    step *each;
    orr_status (*fail)(const orr__region *r, int64_t matrix,
                       int64_t info); /* a matrix without a result; NULL: there is always one */
    enum { NOTHING, PERMUTATIONS, DETERMINANTS } after;
    int64_t (*vectors)(const job *j); /* elements of x beside right-hand sides; NULL: 0 */
    unsigned full;                    /* the bit of the mask that requests square factors */
} operation;

static size_t lines(size_t bytes)
{
    return (bytes + LINE) / LINE * LINE;
}

/* Allocates the arrays of a group, and the reports on all matrices, in one block of memory. */
static orr_status make_room(job *j, const operation *o)
{
    int64_t most = j->m > j->n ? j->m : j->n, w = j->mask & o->full ? j->m : j->least, all = j->l->hi - j->l->lo;
    j->ef = j->m * (w > j->n ? w : j->n);
    j->ex = j->n * j->k + (o->vectors ? o->vectors(j) : 0);
    size_t each = (size_t)(j->ef + j->ex + most) * j->z + (size_t)most * (j->part + sizeof(int)), total = 0;
    j->room = all < (int64_t)(GROUP / each) ? all : (int64_t)(GROUP / each) + 1;
    size_t g = (size_t)j->room, reports = (size_t)(all + 1) * sizeof(int);
    size_t size[] = { g * (size_t)j->ef * j->z,
                      g * (size_t)j->ex * j->z,
                      g * (size_t)most * j->z,
                      g * (size_t)most * j->part,
                      g * (size_t)most * sizeof(int),
                      reports,
                      reports,
                      3 * g * sizeof *j->addresses };
    orr__cu_address *at[] = { &j->f, &j->x, &j->tau, &j->w, &j->pivot, &j->info, &j->bad, &j->pf };
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        total += lines(size[i]);
    orr_status st = orr__cu_stream_memory_grow(j->at, &j->memory->dense, &j->memory->dense_bytes, total);
    if (st != ORR_OK)
        return st;
    total = 0;
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        *at[i] = j->memory->dense + total;
        total += lines(size[i]);
    }
    j->px = j->pf + g * sizeof *j->addresses;
    j->ptau = j->px + g * sizeof *j->addresses;
    return ORR_OK;
}

static void send_addresses(job *j)
{
    size_t g = (size_t)j->room;
    for (size_t i = 0; i < g; i++) {
        j->addresses[i] = j->f + i * (size_t)j->ef * j->z;
        j->addresses[g + i] = j->x + i * (size_t)j->ex * j->z;
        j->addresses[2 * g + i] = j->tau + i * (size_t)j->least * j->z;
    }
    driver_ok(j, "cuMemcpyHtoDAsync", j->cu->to_device(j->pf, j->addresses, 3 * g * sizeof *j->addresses, j->l->queue));
}

/* Evaluates the reports after the device has finished; for each matrix first whether it is finite. */
static orr_status verdict(const job *j, const operation *o, const int *info, const int *bad)
{
    for (int64_t q = 0; q < j->l->hi - j->l->lo; q++) {
        int64_t matrix = j->l->lo + q;
        if (bad[q])
            return orr__fail(j->at, ORR_ENUMERIC, "%s has an element that is not finite",
                             orr__cpu_which(j->l->region, matrix).s);
        if (info[q] < 0)
            return orr__fail(j->at, ORR_EDEVICE, "CUDA: cuSOLVER: argument %d is wrong", -info[q]);
        if (info[q] > 0 && o->fail)
            return o->fail(j->l->region, matrix, info[q]);
    }
    return ORR_OK;
}

#ifdef HAVE_LAPACK
enum { THERE = 1 };
static const orr__dense *const table[] = { &orr__dense_f32, &orr__dense_f64, &orr__dense_c64, &orr__dense_c128 };
#else
enum { THERE = 0 }; /* CPUs then do not have the operation either */
static const orr__dense *const table[4];
#endif

/* The next group of matrices, from number j->q of the launch on; false: there is none. */
static bool group(job *j)
{
    int64_t left = j->l->hi - j->l->lo - j->q;
    j->c = left < j->room ? left : j->room;
    return j->st == ORR_OK && j->c > 0;
}

/* Results that the host makes from pivots: numbers of rows beside each pair of triangles, or determinants. */
static void finish(job *j, const operation *o, orr__cu_address out, char *numbers)
{
    bool rows = o->after == PERMUTATIONS;
    int64_t each = rows ? j->m : 3;
    for (int64_t q = 0; q < j->l->hi - j->l->lo; q++) {
        char *to = numbers + (size_t)(q * each) * j->z;
        if (rows)
            table[j->type]->permutation(j->pivots + q * j->least, j->least, j->m, to);
        else
            table[j->type]->of_diagonal(j->diagonals + (size_t)(q * j->n) * j->z, j->pivots + q * j->least, j->n, to);
    }
    for (j->q = 0; group(j); j->q += j->c) {
        orr__cu_address to = out + (size_t)(j->q * j->eo) * j->z;
        driver_ok(j, "cuMemcpyHtoDAsync",
                  j->cu->to_device(rows ? j->tau : to, numbers + (size_t)(j->q * each) * j->z,
                                   (size_t)(j->c * each) * j->z, j->l->queue));
        if (rows) /* the last column */
            orr__cu_arrange(j, ORR__PLAIN, 1, j->m, of(j, j->tau, 1, j->m),
                            of(j, to + (size_t)j->n * j->z, j->n + 1, j->eo));
    }
    driver_ok(j, "cuStreamSynchronize", j->cu->wait(j->l->queue));
}

static orr_status begin(job *j, const orr__launch *l, const operation *o)
{
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.in[0], *b = r->nin > 1 ? &r->call.in[1] : NULL;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    *j = (job){ .at = orr__cu_site(r),
                .l = l,
                .cu = orr__cu(NULL),
                .s = orr__cu_dense_library(NULL),
                .b = orr__cu_batches_library(NULL),
                .type = type_of(t),
                .parts = orr__is_complex(t) ? 2 : 1,
                .z = orr_dtype_size(t),
                .part = orr_dtype_size(t) / (orr__is_complex(t) ? 2 : 1),
                .m = s->dim[s->rank - 2],
                .n = s->dim[s->rank - 1],
                .k = b ? b->dim[b->rank - 1] : 0,
                .ea = count_of(s, r->dim[0]),
                .eb = b ? count_of(b, r->dim[0]) : 0,
                .eo = count_of(&r->call.out, r->dim[0]),
                .mask = r->call.attr.mask };
    j->least = j->m < j->n ? j->m : j->n;
    if (!j->s || !j->b || j->type < 0)
        return orr__fail(j->at, ORR_EDEVICE, "CUDA: there is no cuSOLVER or no cuBLAS");
    orr_status st = orr__cu_stream_memory_of(j->at, l->queue, &j->memory);
    if (st == ORR_OK)
        st = orr__cu_factors_begin(j->at, j->memory);
    return st == ORR_OK ? make_room(j, o) : st;
}

/* Arrays of the host: reports on all matrices, their numbers. */
typedef struct {
    int *info; /* then `bad` */
    char *numbers;
} arrays;

static bool allocate(job *j, const operation *o, arrays *h)
{
    size_t matrices = (size_t)(j->l->hi - j->l->lo), longest = (size_t)(j->m > j->n ? j->m : j->n) + 3;
    h->info = calloc(2 * (matrices + 1), sizeof *h->info);
    j->addresses = calloc(3 * (size_t)j->room, sizeof *j->addresses);
    if (o->after != NOTHING) {
        j->pivots = calloc(matrices * longest, sizeof *j->pivots);
        j->diagonals = calloc(matrices * longest, j->z);
        h->numbers = calloc(matrices * longest, j->z);
    }
    return h->info && j->addresses && (o->after == NOTHING || (j->pivots && j->diagonals && h->numbers));
}

/* Called after the stream has ended. */
static void give_back(job *j, arrays *h)
{
    if (j->svd)
        (void)j->s->svd_options_end(j->svd);
    if (j->eigh)
        (void)j->s->eigh_options_end(j->eigh);
    free(j->addresses);
    free(j->pivots);
    free(j->diagonals);
    free(h->info);
    free(h->numbers);
}

static orr__cu_address base_of(const void *p, const int64_t *off, size_t z)
{
    return (orr__cu_address)(uintptr_t)p - (off ? (size_t)*off * z : 0);
}

static void compute(job *j, const operation *o, arrays *h, orr__cu_address a, orr__cu_address b, orr__cu_address out)
{
    size_t bytes = (size_t)(j->l->hi - j->l->lo + 1) * sizeof *h->info;
    driver_ok(j, "cuMemcpyHtoDAsync", j->cu->to_device(j->info, h->info, bytes, j->l->queue));
    driver_ok(j, "cuMemcpyHtoDAsync", j->cu->to_device(j->bad, h->info, bytes, j->l->queue));
    send_addresses(j);
    for (j->q = 0; group(j); j->q += j->c)
        o->each(j, a + (size_t)(j->q * j->ea) * j->z, b + (size_t)(j->q * j->eb) * j->z,
                out + (size_t)(j->q * j->eo) * j->z);
    driver_ok(j, "cuMemcpyDtoHAsync", j->cu->to_host(h->info, j->info, bytes, j->l->queue));
    driver_ok(j, "cuMemcpyDtoHAsync", j->cu->to_host((char *)h->info + bytes, j->bad, bytes, j->l->queue));
    int code = j->cu->wait(j->l->queue); /* even after an error: work under way may still write the memory freed here */
    driver_ok(j, "cuStreamSynchronize", code);
}

static orr_status every(const orr__launch *l, const operation *o)
{
    int64_t matrices = l->hi - l->lo;
    arrays h = { NULL, NULL };
    job j;
    if (matrices <= 0 || orr__shape_count(&l->region->call.out) == 0)
        return ORR_OK;
    orr_status st = begin(&j, l, o);
    if (st != ORR_OK)
        return st;
    const int64_t *off = l->in_off;
    orr__cu_address a = base_of(l->in[0], off, j.z) + (size_t)(l->lo * j.ea) * j.z,
                    b = l->region->nin > 1 ? base_of(l->in[1], off ? off + 1 : NULL, j.z) + (size_t)(l->lo * j.eb) * j.z
                                           : 0,
                    out = base_of(l->out[0], l->out_off, j.z) + (size_t)(l->lo * j.eo) * j.z;
    if (!allocate(&j, o, &h))
        j.st = orr__fail(j.at, ORR_ENOMEM, "no memory for the reports on %lld matrices", (long long)matrices);
    else
        compute(&j, o, &h, a, b, out);
    if (j.st == ORR_OK)
        j.st = verdict(&j, o, h.info, h.info + matrices + 1);
    if (j.st == ORR_OK && o->after != NOTHING)
        finish(&j, o, out, h.numbers);
    give_back(&j, &h);
    return j.st;
}

static bool can(const orr__region *r)
{
    const orr_shape *s = &r->call.in[0];
    if (!THERE || r->ninstr > 0 || type_of((orr_dtype)r->in_dtype[0]) < 0 || !orr__cu_factors() ||
        !orr__cu_dense_library(NULL) || !orr__cu_batches_library(NULL))
        return false;
    for (int k = 0; k < r->nin; k++)
        for (int d = r->call.in[k].rank - 2; d < r->call.in[k].rank; d++)
            if (d < 0 || r->call.in[k].dim[d] < 1 || r->call.in[k].dim[d] > INT_MAX / 4)
                return false;
    return s->rank >= 2;
}

/* Batches: a single matrix is a graph of tiles, or too small for a device. */
static bool can_cholesky(const orr__region *r)
{
    return r->rank > 2 && can(r);
}

#define FAILS(name, words)                                                                                             \
    static orr_status name##_fails(const orr__region *r, int64_t matrix, int64_t info)                                 \
    {                                                                                                                  \
        return orr__fail(orr__cu_site(r), ORR_ENUMERIC, words, orr__cpu_which(r, matrix).s, (long long)info);          \
    }
FAILS(solve, "%s is singular: pivot %lld is 0")
FAILS(qr, "%s has no factors (cuSOLVER info %lld)")
FAILS(svd, "the singular values of %s did not converge (cuSOLVER info %lld)")
FAILS(eigh, "the eigenvalues of %s did not converge (cuSOLVER info %lld)")

#define LIBRARY(name, can, fails, later, vectors, square)                                                              \
    static orr_status name##_launch(const orr__launch *l)                                                              \
    {                                                                                                                  \
        return every(l, &(operation){ name, fails, later, vectors, square });                                          \
    }                                                                                                                  \
    const orr__cu_library orr__cu_library_##name = { can, name##_launch, false };
LIBRARY(solve, can, solve_fails, NOTHING, NULL, 0)
LIBRARY(lu, can, NULL, PERMUTATIONS, NULL, 0)
LIBRARY(det, can, NULL, DETERMINANTS, NULL, 0)
LIBRARY(qr, can, qr_fails, NOTHING, NULL, 1)
LIBRARY(svd, can, svd_fails, NOTHING, vectors_of, 2)
LIBRARY(eigh, can, eigh_fails, NOTHING, NULL, 0)
LIBRARY(cholesky, can_cholesky, orr__cholesky_fail, NOTHING, NULL, 0)
