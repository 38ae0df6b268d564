/* The tiles of a Cholesky factorisation, and the region that computes them in order.
 * Must not know: other engines of these operations. */
#include "config.h"

#include "codelets/cholesky.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/factor.h"
#include "codelets/cpu/call.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum { GRAIN = ORR__T_TILE / 2 }; /* orders are a multiple of it: whole panels of BLAS */

int64_t orr__cholesky_block(int64_t n)
{
    int64_t b = (n / ORR__T_TILES_ALONG + GRAIN - 1) / GRAIN * GRAIN;
    return b < ORR__T_TILE ? ORR__T_TILE : ORR__MIN(ORR__T_PART_ROWS, b);
}

int orr__cholesky_tiles(int64_t n)
{
    int64_t b = orr__cholesky_block(n);
    return (int)((n + b - 1) / b);
}

int64_t orr__cholesky_ops(int64_t n)
{
    int64_t s = orr__cholesky_tiles(n);
    return s * (s + 1) * (s + 2) / 6;
}

/* Order of column k: its diagonal tile, the tiles below, then all tiles that they change, row by row. */
bool orr__cholesky_next(orr__tileop *op, int tiles)
{
    int k = op->k, i = op->i, j = op->j;
    if (j == k) /* in column k */
        *op = i + 1 < tiles   ? (orr__tileop){ ORR__TRSM, i + 1, k, k }
              : k + 1 < tiles ? (orr__tileop){ ORR__SYRK, k + 1, k + 1, k }
                              : *op;
    else if (j < i)
        *op = (orr__tileop){ j + 1 < i ? ORR__GEMM : ORR__SYRK, i, j + 1, k };
    else if (i + 1 < tiles)
        *op = (orr__tileop){ ORR__GEMM, i + 1, k + 1, k };
    else
        *op = (orr__tileop){ ORR__POTRF, k + 1, k + 1, k + 1 };
    return op->k != k || op->i != i || op->j != j;
}

int orr__cholesky_reads(const orr__tileop *op, int tile[2][2])
{
    int n = 0;
    if (op->kind == ORR__POTRF)
        return 0;
    if (op->kind == ORR__TRSM) {
        tile[n][0] = tile[n][1] = op->k;
        return 1;
    }
    tile[n][0] = op->i;
    tile[n++][1] = op->k;
    if (op->kind == ORR__GEMM) {
        tile[n][0] = op->j;
        tile[n++][1] = op->k;
    }
    return n;
}

int64_t orr__cholesky_rows(int64_t n, int i)
{
    int64_t b = orr__cholesky_block(n), left = n - i * b;
    return ORR__MIN(left, b);
}

double orr__cholesky_flops(const orr__tileop *op, int64_t n)
{
    double m = (double)orr__cholesky_rows(n, op->i), b = (double)orr__cholesky_rows(n, op->k);
    switch (op->kind) {
    case ORR__POTRF: return m * m * m / 3;
    case ORR__TRSM:
    case ORR__SYRK: return m * b * m;
    default: return 2 * m * b * (double)orr__cholesky_rows(n, op->j);
    }
}

orr_status orr__cholesky_apply(orr__tilekind kind, orr_dtype t, const int64_t rows[3], const orr__tileat *at,
                               int64_t *minor)
{
    const orr__factor *f = orr__factor_of(t);
    int64_t m = rows[0], k = rows[2];
    bool plain = kind == ORR__POTRF && m <= ORR__PLAIN;
    int place = plain ? 1 : orr__cpu_blas_enter();
    *minor = 0;
    if (!place)
        return orr__fail(ORR__SITE(NULL, 0, "cholesky"), ORR_ENOMEM, "no memory for the buffers of BLAS");
    switch (kind) {
    case ORR__POTRF: *minor = f->potrf(at[0].p, m, at[0].ld); break;
    case ORR__TRSM: {
        orr__triangle l = { .p = at[1].p, .n = k, .rs = 1, .cs = at[1].ld, .upper = true };
        f->solve(&l, at[0].p, m, at[0].ld);
        break;
    }
    case ORR__SYRK: f->update_self(at[0].p, at[0].ld, at[1].p, at[1].ld, m, k); break;
    default: f->update(at[0].p, at[0].ld, at[1].p, at[1].ld, at[2].p, at[2].ld, m, rows[1], k);
    }
    if (!plain)
        orr__cpu_blas_leave(place, true);
    return ORR_OK;
}

orr_status orr__cholesky_tile(const orr__tileop *op, orr_dtype t, int64_t n, const orr__tileat *at, int64_t *minor)
{
    int64_t rows[3] = { orr__cholesky_rows(n, op->i), orr__cholesky_rows(n, op->j), orr__cholesky_rows(n, op->k) };
    orr_status st = orr__cholesky_apply(op->kind, t, rows, at, minor);
    *minor += *minor ? op->k * orr__cholesky_block(n) : 0;
    return st;
}

void orr__cholesky_load(orr_dtype t, int64_t n, int64_t lo, int64_t hi, const void *a, void *l)
{
    size_t z = orr_dtype_size(t);
    for (int64_t r = lo; r < hi; r++) {
        size_t row = (size_t)(r * n) * z, kept = (size_t)(r + 1) * z;
        memcpy((char *)l + row, (const char *)a + row, kept);
        memset((char *)l + row + kept, 0, (size_t)n * z - kept);
    }
}

orr_status orr__cholesky_fail(const orr__region *r, int64_t matrix, int64_t minor)
{
    return orr__fail(orr__region_site(r), ORR_ENUMERIC,
                     "%s is not positive definite: its leading minor of order %lld is not positive",
                     orr__cpu_which(r, matrix).s, (long long)minor);
}

static orr_status factorise(const orr__region *r, int64_t matrix, const void *a, void *l)
{
    orr_dtype t = (orr_dtype)r->out_dtype[0];
    int64_t n = r->dim[r->rank - 1], b = orr__cholesky_block(n), minor = 0;
    int tiles = orr__cholesky_tiles(n), read[2][2];
    size_t z = orr_dtype_size(t);
    orr__tileop op = { ORR__POTRF, 0, 0, 0 };
    orr_status st;
    orr__cholesky_load(t, n, 0, n, a, l);
    if (orr__is_complex(t)) { /* as one tile */
        int place = orr__cpu_blas_enter();
        if (!place)
            return orr__fail(orr__region_site(r), ORR_ENOMEM, "no memory for the buffers of BLAS");
        minor = orr__factor_of(t)->potrf(l, n, n);
        orr__cpu_blas_leave(place, true);
        return minor ? orr__cholesky_fail(r, matrix, minor) : ORR_OK;
    }
    do {
        int more = orr__cholesky_reads(&op, read);
        orr__tileat at[3] = { { (char *)l + (size_t)((op.i * n + op.j) * b) * z, n } };
        for (int k = 0; k < more; k++)
            at[k + 1] = (orr__tileat){ (char *)l + (size_t)((read[k][0] * n + read[k][1]) * b) * z, n };
        st = orr__cholesky_tile(&op, t, n, at, &minor);
    } while (st == ORR_OK && !minor && orr__cholesky_next(&op, tiles));
    return minor ? orr__cholesky_fail(r, matrix, minor) : st;
}

/* Matrices [lo, hi) of the batch. A region of one matrix, whose rows are its first axis, is computed as a whole. */
orr_status orr__cpu_kernel_cholesky(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    int64_t n = r->dim[r->rank - 1], lo = r->rank > 2 ? l->lo : 0, hi = r->rank > 2 ? l->hi : 1;
    size_t bytes = (size_t)(n * n) * orr_dtype_size((orr_dtype)r->out_dtype[0]);
    orr_status st = ORR_OK;
    for (int64_t q = lo; q < hi && n > 0 && st == ORR_OK; q++)
        st = factorise(r, q, (const char *)l->in[0] + (size_t)q * bytes, (char *)l->out[0] + (size_t)q * bytes);
    return st;
}
