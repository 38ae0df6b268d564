/* Tiles of a Cholesky factorisation: cuSOLVER's potrf, cuBLAS's trsm, syrk and gemm. Both are column-major, our tiles
 * row-major: they see transposes, and our L is their upper U = Lᵀ.
 * Must not know: StarPU, the order of the operations. */
#include "config.h"

#include <limits.h>
#include <stdatomic.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/env.h"

/* The layout in a flag's memory: results written by the device, then the tile they belong to. */
typedef struct {
    int32_t least; /* number of the first diagonal element that is not positive and finite */
    int32_t info;  /* cuSOLVER's */
    int64_t matrix, before;
} verdict;
_Static_assert(sizeof(verdict) <= ORR__CU_FLAG * sizeof(int32_t), "it fits");

/* Checks the diagonal: cuSOLVER's report on NaN and infinity is not documented. */
#define DIAGONAL(type)                                                                                                 \
    "extern \"C\" __global__ void orr_kernel(const " type " *p, int *least, long long step, int n)\n{\n"               \
    "    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n"                                                \
    "    if (i < n && !(p[i * step] > 0 && p[i * step] - p[i * step] == 0))\n"                                         \
    "        (void)atomicMin(least, i);\n}\n"
static const char *const diagonal[2] = { DIAGONAL("float"), DIAGONAL("double") };
static orr__cu_unit *unit[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static atomic_bool refused; /* the libraries can be opened, and do not start */

bool orr__cu_factors(void)
{
    return !atomic_load(&refused) && orr__cu_solver(NULL) && orr__cu_blas(NULL);
}

bool orr__cu_tiles(void)
{
    return orr__cu_factors();
}

void orr__cu_tiles_stop(void)
{
    (void)pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++) {
        orr__cu_unit_put(unit[i]);
        unit[i] = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
    atomic_store(&refused, false);
}

static orr_status say(orr__site at, const char *call, int code)
{
    return code == 0 ? ORR_OK : orr__fail(at, ORR_EDEVICE, "CUDA: %s: status %d", call, code);
}

/* Once per worker. A library that does not start will not start later: later plans leave this work to processors. */
orr_status orr__cu_factors_begin(orr__site at, orr__cu_stream_memory *memory)
{
    const orr__blas *b = orr__cu_blas(NULL);
    const orr__solver *s = orr__cu_solver(NULL);
    if (!b || !s)
        return orr__fail(at, ORR_EDEVICE, "CUDA: there is no cuSOLVER or no cuBLAS");
    int code = memory->blas ? 0 : b->create(&memory->blas);
    if (code != 0)
        memory->blas = NULL;
    orr_status st = say(at, "cublasCreate", code);
    if (st == ORR_OK && !memory->solver && (code = s->create(&memory->solver)) != 0) {
        memory->solver = NULL;
        st = say(at, "cusolverDnCreate", code);
    }
    if (st != ORR_OK && !atomic_exchange(&refused, true))
        orr__log(1, "processors compute linear algebra: %s", orr_error_message());
    if (st == ORR_OK)
        st = say(at, "cublasSetStream", b->set_stream(memory->blas, memory->stream));
    return st == ORR_OK ? say(at, "cusolverDnSetStream", s->set_stream(memory->solver, memory->stream)) : st;
}

static orr_status find_function(orr__site at, bool wide, void **function)
{
    (void)pthread_mutex_lock(&lock);
    if (!unit[wide])
        unit[wide] = orr__cu_unit_get(at, diagonal[wide], false);
    orr__cu_unit *u = unit[wide];
    (void)pthread_mutex_unlock(&lock);
    return u ? orr__cu_unit_function(at, u, function) : ORR_ENOMEM;
}

/* Called after the device has finished. */
static orr_status check_factor(orr__after *a)
{
    const volatile verdict *v = a->arg;
    int64_t minor = v->least == INT_MAX ? 0 : (int64_t)v->least + 1, matrix = v->matrix, before = v->before;
    int info = v->info;
    orr__cu_flag_put(a->arg);
    if (info < 0)
        return orr__fail(orr__cu_site(a->region), ORR_EDEVICE, "CUDA: cusolverDnpotrf: argument %d is wrong", -info);
    if (info > 0 && (minor == 0 || info < minor))
        minor = info;
    return minor ? orr__cholesky_fail(a->region, matrix, before + minor) : ORR_OK;
}

/* Enqueues cuSOLVER's potrf, the copy of its report to the host, and a check of the diagonal. */
static orr_status factor(orr__tilejob *j, orr__cu_stream_memory *memory, void *function, orr__cu_address flag,
                         verdict *v)
{
    const orr__cu_driver *d = orr__cu(NULL);
    const orr__solver *s = orr__cu_solver(NULL);
    orr__site at = orr__cu_site(j->region);
    bool wide = j->dtype == ORR_F64;
    int n = (int)orr__cholesky_rows(j->n, j->op.i), ld = (int)j->at[0].ld, elements = 0;
    orr_status st = say(at, "cusolverDnpotrf_bufferSize",
                        s->potrf_workspace[wide](memory->solver, ORR__BLAS_UPPER, n, j->at[0].p, ld, &elements));
    if (st == ORR_OK)
        st = orr__cu_stream_memory_grow(at, &memory->factor, &memory->factor_bytes, (size_t)elements * (wide ? 8 : 4));
    if (st == ORR_OK)
        st = orr__cu_stream_memory_grow(at, &memory->info, &memory->info_bytes, sizeof(int));
    if (st == ORR_OK)
        st = say(at, "cusolverDnpotrf",
                 s->potrf[wide](memory->solver, ORR__BLAS_UPPER, n, j->at[0].p, ld, (void *)(uintptr_t)memory->factor,
                                elements, (int *)(uintptr_t)memory->info));
    if (st != ORR_OK)
        return st;
    j->begun = true;
    int code = d->to_host(&v->info, memory->info, sizeof v->info, j->queue);
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuMemcpyDtoHAsync", code);
    long long step = ld + 1;
    orr__cu_address p = (orr__cu_address)(uintptr_t)j->at[0].p;
    void *param[] = { &p, &flag, &step, &n };
    code = d->launch(function, (unsigned)(n + ORR__EMIT_GROUP - 1) / ORR__EMIT_GROUP, 1, 1, ORR__EMIT_GROUP, 1, 1, 0,
                     j->queue, param, NULL);
    return code == ORR__CU_OK ? ORR_OK : orr__cu_fail(at, "cuLaunchKernel", code);
}

static orr_status potrf(orr__tilejob *j, orr__cu_stream_memory *memory)
{
    orr__site at = orr__cu_site(j->region);
    orr__cu_address flag = 0;
    void *function = NULL;
    orr_status st = find_function(at, j->dtype == ORR_F64, &function);
    if (st != ORR_OK)
        return st;
    int32_t *raised = orr__cu_flag_take(&flag);
    if (!raised)
        return orr__fail(at, ORR_ENOMEM, "CUDA: no host memory that the device can write");
    verdict *v = (verdict *)(void *)raised;
    *v = (verdict){ .least = INT_MAX, .matrix = j->matrix, .before = j->op.k * orr__cholesky_block(j->n) };
    if ((st = factor(j, memory, function, flag, v)) != ORR_OK) {
        (void)orr__cu(NULL)->wait(j->queue); /* enqueued work may still write it     */
        orr__cu_flag_put(raised);
        return st;
    }
    *j->after = (orr__after){ .check = check_factor, .arg = raised, .region = j->region };
    return ORR_OK;
}

/* The other three operations, on the tile X = at[0] and its operands; cuBLAS sees each tile as its transpose. */
static orr_status update(const orr__tilejob *j, const orr__cu_stream_memory *memory)
{
    static const float f32[2] = { 1, -1 };
    static const double f64[2] = { 1, -1 };
    const orr__blas *b = orr__cu_blas(NULL);
    orr__site at = orr__cu_site(j->region);
    bool wide = j->dtype == ORR_F64;
    const void *one = wide ? (const void *)&f64[0] : &f32[0], *minus = wide ? (const void *)&f64[1] : &f32[1];
    int m = (int)orr__cholesky_rows(j->n, j->op.i), n = (int)orr__cholesky_rows(j->n, j->op.j);
    int k = (int)orr__cholesky_rows(j->n, j->op.k);
    int ldx = (int)j->at[0].ld, lda = (int)j->at[1].ld, ldb = (int)j->at[2].ld;
    void *x = j->at[0].p;
    switch (j->op.kind) {
    case ORR__TRSM: /* X ← X·L⁻ᵀ: Uᵀ·Y = Xᵀ */
        return say(at, "cublas trsm",
                   b->trsm[wide](memory->blas, ORR__BLAS_LEFT, ORR__BLAS_UPPER, ORR__BLAS_TURNED,
                                 ORR__BLAS_ANY_DIAGONAL, k, m, one, j->at[1].p, lda, x, ldx));
    case ORR__SYRK: /* X ← X − A·Aᵀ */
        return say(
            at, "cublas syrk",
            b->syrk[wide](memory->blas, ORR__BLAS_UPPER, ORR__BLAS_TURNED, m, k, minus, j->at[1].p, lda, one, x, ldx));
    default: /* X ← X − A·Bᵀ: Xᵀ ← Xᵀ − B·Aᵀ */
        return say(at, "cublas gemm",
                   b->gemm[wide](memory->blas, ORR__BLAS_TURNED, ORR__BLAS_PLAIN, n, m, k, minus, j->at[2].p, ldb,
                                 j->at[1].p, lda, one, x, ldx));
    }
}

orr_status orr__cu_tile(orr__tilejob *j)
{
    orr__site at = orr__cu_site(j->region);
    orr__cu_stream_memory *memory = NULL;
    *j->after = (orr__after){ 0 };
    if (!orr__cu(NULL))
        return orr__fail(at, ORR_EDEVICE, "CUDA: there is no driver");
    orr_status st = orr__cu_stream_memory_of(at, j->queue, &memory);
    if (st == ORR_OK)
        st = orr__cu_factors_begin(at, memory);
    if (st != ORR_OK)
        return st;
    return j->op.kind == ORR__POTRF ? potrf(j, memory) : update(j, memory);
}
