/* One multiplication by CBLAS, in pieces if its int cannot count the extents or if pieces are faster; by our own loops if this machine
 * computes those faster.
 * Must not know: the source of the factors, the use of the product. */
#include "config.h"

#include <cblas.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "codelets/cpu/product.h"
#include "codelets/variants.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/base/minmax.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"

typedef struct {
    int64_t m, n, k;
} extent;

/* Limits of OpenBLAS. It packs the factors before it multiplies, except for products of at most SMALL terms, whose kernels read them in place
 * and have multiples of ROWS rows. Packing pays for large products with many rows, which reuse a packed factor; other ones are faster in
 * pieces: measured for each octave of the extents. A transposed right factor is better packed. Sums are cut after PASS terms where OpenBLAS
 * cuts them: the bits are equal to its own. With another library, or other kernels, they may differ: pieces are not used with
 * ORRERY_DETERMINISTIC. */
enum { SMALL = 1000000, ROWS = 16, PASS = 448 }; /* limit of a library */
/* Columns of a panel, four vectors; the terms of the longest one that shares the first cache with the next. */
enum { COLUMNS = 4 * ORR__VECTOR, LONGEST = 2 * ORR__NEAR_ROW / COLUMNS };
enum { WHOLE, PIECES, WAYS };

static double terms(const extent *all)
{
    return (double)all->m * (double)all->n * (double)all->k;
}

/* Are there kernels for small products? One row or column takes another path, which needs a buffer. */
static bool small_kernels(orr_dtype blas, bool tb, const extent *all)
{
    return blas == ORR_F32 && !tb && all->m > 1 && all->n > 1 && orr__cpu_blas_small();
}

static bool is_small(orr_dtype blas, bool tb, const extent *all)
{
    return terms(all) <= SMALL && small_kernels(blas, tb, all);
}

/* NULL: whole. */
static orr__variants *whole_or_pieces(orr_dtype blas, bool tb, const extent *all)
{
    const char *isa = orr__cpu_vec()->isa;
    if (terms(all) <= SMALL || orr__env.deterministic || !small_kernels(blas, tb, all))
        return NULL;
    return orr__variants_of(orr__hash(isa, strlen(isa), 0x91ece5),
                            orr__octave(all->m) << 16 | orr__octave(all->n) << 8 | orr__octave(all->k), WAYS);
}

/* The kernels for small products read vectors of the right factor once per few rows. A vector across two cache lines costs two reads. From
 * some rows on it pays to copy a panel of columns to aligned memory (an eighth less time for 256 · 256 · 256 on two cores). It also pays
 * where the panel is long, because its distant rows would share few sets of the first cache (a tenth less for 64 · 512 · 784). */
static bool wants_panel(const extent *all, const orr__mat *b, int64_t ldb)
{
    return all->m >= ORR__T_TILE_ROWS && all->n >= COLUMNS &&
           (all->k > LONGEST || (uintptr_t)b->p % ORR__CACHE_LINE != 0 ||
            ldb * (int64_t)sizeof(float) % ORR__CACHE_LINE != 0);
}

/* A product of one call is in the first cache, or nearly. The copy pays there only if every vector crosses a cache line (a twelfth less for
 * 64 · 64 · 64 in memory of malloc). */
static bool astride(const extent *all, const orr__mat *b, int64_t ldb)
{
    return all->k <= LONGEST && ldb * (int64_t)sizeof(float) % ORR__CACHE_LINE == 0 && wants_panel(all, b, ldb);
}

/* The terms that OpenBLAS sums next, of `left` terms: two passes of equal length rather than a short last one. */
static int64_t pass(int64_t left)
{
    return left <= PASS ? left : left >= 2 * PASS ? PASS : (left / 2 + ROWS - 1) / ROWS * ROWS;
}

/* As many rows as possible; the piece of the right factor stays in the first cache. */
static extent piece_of(const extent *all)
{
    extent p = { 0, ORR__MIN(all->n, all->k <= LONGEST ? COLUMNS : COLUMNS / 2), ORR__MIN(all->k, PASS) };
    p.m = SMALL / (p.n * p.k);
    p.m = p.m < all->m && p.m > ROWS ? p.m / ROWS * ROWS : p.m;
    return p;
}

/* One call: rows × columns of p. */
typedef struct {
    orr_dtype blas;
    CBLAS_TRANSPOSE at, bt;
    int64_t lda, ldc;
    bool add; /* to the present contents */
} call;

static void multiply(const call *s, extent p, const char *a, const char *b, int64_t ldb, char *c)
{
    int m = (int)p.m, n = (int)p.n, k = (int)p.k;
    const float one32[2] = { 1, 0 }, onto32[2] = { s->add ? 1 : 0, 0 };
    const double one64[2] = { 1, 0 }, onto64[2] = { s->add ? 1 : 0, 0 };
    if (s->blas == ORR_C64)
        cblas_cgemm(CblasRowMajor, s->at, s->bt, m, n, k, one32, (const void *)a, (int)s->lda, (const void *)b,
                    (int)ldb, onto32, (void *)c, (int)s->ldc);
    else if (s->blas == ORR_C128)
        cblas_zgemm(CblasRowMajor, s->at, s->bt, m, n, k, one64, (const void *)a, (int)s->lda, (const void *)b,
                    (int)ldb, onto64, (void *)c, (int)s->ldc);
    else if (s->blas == ORR_F32)
        cblas_sgemm(CblasRowMajor, s->at, s->bt, m, n, k, 1.0f, (const void *)a, (int)s->lda, (const void *)b, (int)ldb,
                    s->add ? 1.0f : 0.0f, (void *)c, (int)s->ldc);
    else
        cblas_dgemm(CblasRowMajor, s->at, s->bt, m, n, k, 1.0, (const void *)a, (int)s->lda, (const void *)b, (int)ldb,
                    s->add ? 1.0 : 0.0, (void *)c, (int)s->ldc);
}

/* -- loops of our own ------------------------------------------------------------------------------------------- */

/* A library older than the processor has no kernels for its vectors. TIMED: order of the product that is timed, 0.3 ms. COLUMNS_MOST:
 * columns at a time, whose copy of f32 fills the caches of a core. The last bits differ from those of BLAS, which is used with
 * ORRERY_DETERMINISTIC. */
enum { TIMED = ORR__LARGE_TERMS, COLUMNS_MOST = ORR__T_CORE_CACHES / ORR__LARGE_TERMS / 4, BY_BLAS = 0, BY_LOOPS = 1 };

/* Some columns at a time: their copies are not counted by any memory limit. */
static bool by_own_loops(orr_dtype blas, const orr__small *s, double scale)
{
    bool wide = blas == ORR_F64;
    size_t z = orr__dtype_size(blas);
    int64_t most = ORR__MIN(s->n, COLUMNS_MOST);
    void *room = orr__scratch_for(ORR__FOR_FACTORS, (size_t)ORR__LARGE_ROOM(most) * z);
    if (!room)
        return false;
    orr__small some = *s;
    for (int64_t j = 0; j < s->n; j += some.n) {
        some.n = ORR__MIN(most, s->n - j);
        some.b = (const char *)s->b + (size_t)(j * s->b_col) * z;
        some.c = (char *)s->c + (size_t)j * z;
        orr__cpu_vec()->large[wide](&some, scale, room);
    }
    return true;
}

static double time_of(orr_dtype blas, int way, char *memory)
{
    size_t matrix = (size_t)(TIMED * TIMED) * orr__dtype_size(blas);
    orr__small s = {
        memory, memory + matrix, memory + 2 * matrix, 1, TIMED, TIMED, TIMED, 0, TIMED, 1, 0, TIMED, 1, TIMED, false
    };
    call c = { blas, CblasNoTrans, CblasNoTrans, TIMED, TIMED, false };
    double t0 = orr__now();
    if (way == BY_BLAS)
        multiply(&c, (extent){ TIMED, TIMED, TIMED }, s.a, s.b, TIMED, s.c);
    else if (!by_own_loops(blas, &s, 1))
        return 1;
    return orr__now() - t0;
}

static orr__variants *loops_or_blas(orr_dtype blas)
{
    const char *isa = orr__cpu_vec()->isa;
    return orr__variants_of(orr__hash(isa, strlen(isa), 0x1a76e), (uint32_t)blas, 2);
}

/* All measurements, beside the program's work. */
void orr__gemm_measure(const atomic_bool *stop)
{
    static const orr_dtype both[2] = { ORR_F32, ORR_F64 };
    bool timed = true;
    char *memory = calloc(3 * TIMED * TIMED, sizeof(double));
    int place = memory ? orr__cpu_blas_enter() : 0;
    for (int i = 0; place && i < 2; i++) {
        orr__variants *v = loops_or_blas(both[i]);
        for (int way = orr__variants_next(v, &timed); timed && !atomic_load(stop); way = orr__variants_next(v, &timed))
            orr__variants_time(v, way, time_of(both[i], way, memory));
    }
    if (place)
        orr__cpu_blas_leave(place, true);
    free(memory);
}

/* One measurement, if there may be one. */
static void compare(orr_dtype blas, orr__variants *v)
{
    static const double timed_s = 5e-4; /* limit of a measurement */
    bool timed;
    if (!orr__regret_leave(timed_s))
        return;
    double t0 = orr__cpu_time();
    char *memory = calloc(3 * TIMED * TIMED, sizeof(double));
    int way = orr__variants_next(v, &timed), place = memory && timed ? orr__cpu_blas_enter() : 0;
    if (place) {
        orr__variants_time(v, way, time_of(blas, way, memory));
        orr__cpu_blas_leave(place, true);
    }
    free(memory);
    orr__regret_report(timed_s, orr__cpu_time() - t0);
}

static bool may_be_loops(orr_dtype blas, const extent *all)
{
    return !orr__env.deterministic && (blas == ORR_F32 || blas == ORR_F64) && all->m >= ORR__VECTOR &&
           all->n >= ORR__VECTOR && all->k >= ORR__VECTOR &&
           orr__cpu_blas_get_threads() == 1; /* BLAS's own threads are faster */
}

int64_t orr__gemm_least_rows(const orr__region *r)
{
    if (r->loops != ORR__LOOPS_PRODUCT || r->rank != 3)
        return 0;
    orr_dtype blas = orr__compute_dtype((orr_dtype)r->in_dtype[r->access[0].input]);
    extent all = { r->dim[0], r->dim[1], r->dim[2] };
    return may_be_loops(blas, &all) && orr__variants_settled(loops_or_blas(blas)) == BY_LOOPS ? ORR__VECTOR : 0;
}

static bool loops_are_faster(orr_dtype blas, const extent *all)
{
    bool timed;
    if (!may_be_loops(blas, all))
        return false;
    orr__variants *v = loops_or_blas(blas);
    int way = orr__variants_next(v, &timed);
    if (timed) {
        compare(blas, v);
        way = orr__variants_next(v, &timed);
    }
    return way == BY_LOOPS && !timed;
}

/* -- few rows --------------------------------------------------------------------------------------------------- */

/* BLAS packs the right factor, which is read once. Loops of our own read it in place. */
static orr__variants *few_rows(orr_dtype blas, const orr__small *s)
{
    bool across = s->b_col != 1;
    const char *isa = orr__cpu_vec()->isa;
    if (orr__env.deterministic || (blas != ORR_F32 && blas != ORR_F64) || s->m < 2 || s->m >= ORR__VECTOR ||
        s->n < ORR__VECTOR || s->k < ORR__VECTOR || ORR__MAX(s->n, s->k) > ORR__GEMM_MOST ||
        (across && (s->b_row != 1 || s->a_col != 1)))
        return NULL;
    return orr__variants_of(orr__hash(isa, strlen(isa), 0xfe3),
                            (uint32_t)(blas == ORR_F64) << 31 | across << 30 | orr__octave(s->m) << 16 |
                                orr__octave(s->n) << 8 | orr__octave(s->k),
                            2);
}

static void multiply_few(orr_dtype blas, int way, const call *c, const orr__small *s, int64_t ldb)
{
    if (way == BY_BLAS)
        multiply(c, (extent){ s->m, s->n, s->k }, s->a, s->b, ldb, s->c);
    else
        orr__cpu_vec()->few[blas == ORR_F64](s);
}

/* Measurements on the factors themselves, as many as there may be. The bits of the ways differ, and only the last product stays. */
static void compare_few(orr_dtype blas, orr__variants *v, const call *c, const orr__small *s, int64_t ldb)
{
    double expected = 1e-10 * (double)s->m * (double)s->n * (double)s->k; /* limit of a measurement */
    bool timed;
    int way = orr__variants_next(v, &timed);
    while (timed && orr__regret_leave(expected)) {
        double t0 = orr__now(), used = orr__cpu_time();
        multiply_few(blas, way, c, s, ldb);
        orr__variants_time(v, way, orr__now() - t0);
        orr__regret_report(expected, orr__cpu_time() - used);
        way = orr__variants_next(v, &timed);
    }
}

static bool by_few_rows(orr_dtype blas, const call *c, const orr__small *s, int64_t ldb)
{
    bool timed;
    orr__variants *v = few_rows(blas, s);
    if (!v)
        return false;
    if (!s->add)
        compare_few(blas, v, c, s, ldb);
    if (orr__variants_next(v, &timed) == BY_BLAS && !timed)
        return false;
    multiply_few(blas, BY_LOOPS, c, s, ldb);
    return true;
}

bool orr__gemm_unpacked(orr_dtype blas, const orr__mat *a, const orr__mat *b, bool tb)
{
    extent all = { a->rows, b->cols, a->cols };
    return is_small(blas, tb, &all) || orr__variants_settled(whole_or_pieces(blas, tb, &all)) == PIECES ||
           loops_are_faster(blas, &all);
}

/* In pieces of p's extents, sums in passes. Whole panels of columns are copied to `panel` first; NULL: they are read in place. */
static void multiply_pieces(call *s, const extent *all, const extent *p, bool ta, const orr__mat *a, const orr__mat *b,
                            int64_t ldb, char *c, char *panel)
{
    enum { Z = sizeof(float) };
    bool add = s->add;
    for (int64_t j = 0; j < all->n; j += p->n)
        for (int64_t k = 0, t; k < all->k; k += t) {
            extent some = { 0, ORR__MIN(p->n, all->n - j), t = pass(all->k - k) };
            const char *right = b->p + (k * ldb + j) * Z;
            s->add = add || k > 0;
            for (int64_t r = 0; panel && r < t; r++)
                memcpy(panel + r * COLUMNS * Z, right + r * ldb * Z, (size_t)some.n * Z);
            for (int64_t i = 0; i < all->m; i += p->m) {
                some.m = ORR__MIN(p->m, all->m - i);
                multiply(s, some, a->p + (ta ? k * s->lda + i : i * s->lda + k) * Z, panel ? panel : right,
                         panel ? COLUMNS : ldb, c + (i * s->ldc + j) * Z);
            }
        }
}

void orr__gemm(orr_dtype blas, const orr__mat *a, bool ta, int64_t lda, const orr__mat *b, bool tb, int64_t ldb,
               bool add, char *c, int64_t ldc)
{
    int64_t z = (int64_t)orr__dtype_size(blas), most = ORR__GEMM_MOST;
    extent all = { a->rows, b->cols, a->cols };
    call s = { blas, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, lda, ldc, add };
    orr__small own = { a->p,         b->p,         c,   1,  all.m, all.n, all.k, 0, ta ? 1 : lda, ta ? lda : 1, 0,
                       tb ? 1 : ldb, tb ? ldb : 1, ldc, add };
    if (by_few_rows(blas, &s, &own, ldb) || (loops_are_faster(blas, &all) && by_own_loops(blas, &own, 1)))
        return;
    bool copied = !orr__env.deterministic && is_small(blas, tb, &all) && astride(&all, b, ldb);
    orr__pick pick = orr__variants_begin(whole_or_pieces(blas, tb, &all), terms(&all));
    if (copied || pick.way == PIECES) { /* they are correct in place, too */
        extent p = piece_of(&all);
        char *panel = wants_panel(&all, b, ldb) ? orr__scratch((size_t)(COLUMNS * p.k) * sizeof(float)) : NULL;
        multiply_pieces(&s, &all, &p, ta, a, b, ldb, c, panel);
        orr__variants_end(&pick, terms(&all));
        return;
    }
    for (int64_t j = 0; j < all.n; j += most)
        for (int64_t i = 0; i < all.m; i += most)
            for (int64_t k = 0; k < all.k; k += most) {
                extent some = { ORR__MIN(most, all.m - i), ORR__MIN(most, all.n - j), ORR__MIN(most, all.k - k) };
                s.add = add || k > 0;
                multiply(&s, some, a->p + (ta ? k * lda + i : i * lda + k) * z,
                         b->p + (tb ? j * ldb + k : k * ldb + j) * z, ldb, c + (i * s.ldc + j) * z);
            }
    orr__variants_end(&pick, terms(&all));
}

void orr__gemm_scaled(orr_dtype blas, double scale, const orr__mat *a, bool ta, int64_t lda, const orr__mat *b, bool tb,
                      int64_t ldb, bool add, void *c, int64_t ldc)
{
    extent all = { a->rows, b->cols, a->cols };
    orr__small own = { a->p,         b->p,         c,   1,  all.m, all.n, all.k, 0, ta ? 1 : lda, ta ? lda : 1, 0,
                       tb ? 1 : ldb, tb ? ldb : 1, ldc, add };
    if (loops_are_faster(blas, &all) && by_own_loops(blas, &own, scale))
        return;
    CBLAS_TRANSPOSE at = ta ? CblasTrans : CblasNoTrans, bt = tb ? CblasTrans : CblasNoTrans;
    int m = (int)all.m, n = (int)all.n, k = (int)all.k;
    if (blas == ORR_F32)
        cblas_sgemm(CblasRowMajor, at, bt, m, n, k, (float)scale, own.a, (int)lda, own.b, (int)ldb, add, c, (int)ldc);
    else
        cblas_dgemm(CblasRowMajor, at, bt, m, n, k, scale, own.a, (int)lda, own.b, (int)ldb, add, c, (int)ldc);
}
