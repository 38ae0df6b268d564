/* Triangles of row-major matrices: their Cholesky factors, solves against them, and the tiles of a factorisation.
 * Must not know: StarPU, plans, batches. */
#ifndef ORR_CPU_FACTOR_H
#define ORR_CPU_FACTOR_H

#include "runtime/base/dtype.h"
#include "runtime/base/threshold.h"

/* A triangular matrix M of order n: its element (r, c) is at p[r·rs + c·cs]. With rs = 1 it is a transpose that is read
 * in place. unit: the diagonal is ones, whatever is stored. */
typedef struct {
    const void *p;
    int64_t n, rs, cs;
    bool upper, unit;
} orr__triangle;

/* Up to these orders a solve (PLAIN) and a factorisation (LEAF) do not call BLAS, whose call would cost more than the
 * work. */
enum { ORR__PLAIN = ORR__VECTOR, ORR__LEAF = 2 * ORR__PLAIN };

/* The loops for one dtype; complex ones have no updates. Larger problems need orr__cpu_blas_enter. Extents must fit
 * into int. */
typedef struct orr__factor {
    /* Replaces the lower triangle of a, n × n, by its factor; the rest is unchanged. Returns 0, or the order of the
     * first leading minor that is not positive (or not a number). */
    int64_t (*potrf)(void *a, int64_t n, int64_t ld);
    /* b ← b·M⁻¹ for b of m × M.n. Nothing is conjugated. */
    void (*solve)(const orr__triangle *t, void *b, int64_t m, int64_t ld);
    /* c ← c − x·yᵀ for x of m × k, y of n × k. */
    void (*update)(void *c, int64_t ldc, const void *x, int64_t ldx, const void *y, int64_t ldy, int64_t m, int64_t n,
                   int64_t k);
    /* The same for y = x, lower triangle only. */
    void (*update_self)(void *c, int64_t ldc, const void *x, int64_t ldx, int64_t n, int64_t k);
} orr__factor;
extern const orr__factor orr__factor_f32, orr__factor_f64, orr__factor_c64, orr__factor_c128;

static inline const orr__factor *orr__factor_of(orr_dtype t)
{
    switch (t) {
    case ORR_F64: return &orr__factor_f64;
    case ORR_C64: return &orr__factor_c64;
    case ORR_C128: return &orr__factor_c128;
    default: return &orr__factor_f32;
    }
}

#endif
