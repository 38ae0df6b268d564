/* One matrix product through CBLAS: transposes are passed to the call, other layouts are packed. f16 and bf16 are
 * computed in f32, integers by plain loops that wrap.
 * Must not know: batches, the use of the product. */
#include "config.h"

#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/cpu/call.h"
#include "runtime/base/minmax.h"
#include "runtime/base/pool.h"
#include "runtime/base/threshold.h"

typedef orr__mat mat;
typedef orr__product work;

void orr__room_end(orr__room *room)
{
    if (room->cap)
        orr__pool_put(room->p, 0, room->cap);
    else
        free(room->p);
    *room = (orr__room){ 0 };
}

orr_status orr__product_room(const orr__product *w, orr__room *room, int64_t count, size_t size)
{
    size_t need = (size_t)(count ? count : 1) * size;
    if (need <= room->size)
        return ORR_OK;
    orr__room_end(room);
    size_t cap = 0;
    if (!(room->p = need >= ORR__T_CORE_CACHES ? orr__pool_lend(need, &cap) : aligned_alloc(64, (need + 63) / 64 * 64)))
        return orr__fail(orr__cpu_site(w->l), ORR_ENOMEM, "no memory for %zu bytes of packed operands", need);
    room->size = need;
    room->cap = cap;
    return ORR_OK;
}

/* True if BLAS can read the matrix in place. *trans: as the transpose. */
static bool walkable(const mat *m, bool *trans, int64_t *ld)
{
    if ((m->cs == 1 || m->cols <= 1) && (m->rs >= m->cols || m->rows <= 1)) {
        *trans = false;
        *ld = m->rows <= 1 ? m->cols : m->rs;
    } else if ((m->rs == 1 || m->rows <= 1) && (m->cs >= m->rows || m->cols <= 1)) {
        *trans = true;
        *ld = m->cols <= 1 ? m->rows : m->cs;
    } else {
        return false;
    }
    *ld = *ld < 1 ? 1 : *ld;
    return *ld <= INT_MAX;
}

static void pack_rows(const mat *m, char *to, orr_dtype t)
{
    const orr__vec_view v = {
        .base = m->p, .run = m->cols, .stride = m->cs, .outer = 1, .dim = { m->rows }, .step = { m->rs }
    };
    if (m->rows * m->cols > 0)
        orr__cpu_vec()->gather[orr__size_log2(t)](to, &v, 0, m->rows * m->cols);
}

/* Collects stored elements, as many as fit into a cache, then converts them. */
static void convert_rows(const work *w, const mat *m, char *to)
{
    enum { CELLS = 2048 };
    uint16_t stored[CELLS];
    orr__castfn *cast = orr__cast_of(orr__cpu_vec(), w->dtype, w->blas);
    const orr__vec_view v = {
        .base = m->p, .run = m->cols, .stride = m->cs, .outer = 1, .dim = { m->rows }, .step = { m->rs }
    };
    int64_t n = m->rows * m->cols;
    for (int64_t e = 0; e < n; e += CELLS) {
        int64_t some = n - e < CELLS ? n - e : CELLS;
        orr__cpu_vec()->gather[1](stored, &v, e, some);
        cast(to + (size_t)e * orr__dtype_size(w->blas), stored, some);
    }
}

/* Makes m a matrix of dtype w->blas that BLAS can read, with a copy in `room` if necessary. A matrix that is readable
 * as the transpose is converted in its stored order. */
static orr_status prepare(work *w, mat *m, orr__room *room, bool *trans, int64_t *ld)
{
    bool convert = w->blas != w->dtype, walk = walkable(m, trans, ld);
    if (walk && !convert)
        return ORR_OK;
    orr_status st = orr__product_room(w, room, m->rows * m->cols, orr__dtype_size(w->blas));
    if (st != ORR_OK)
        return st;
    bool turned = walk && *trans;
    mat lies = turned ? (mat){ m->p, m->cols, m->rows, m->cs, m->rs } : *m;
    if (convert)
        convert_rows(w, &lies, room->p);
    else
        pack_rows(&lies, room->p, w->dtype);
    *trans = turned;
    *ld = ORR__MAX(1, lies.cols);
    m->p = room->p;
    return *ld <= INT_MAX ? ORR_OK
                          : orr__fail(orr__cpu_site(w->l), ORR_ESHAPE, "a row of %lld elements is too long for BLAS",
                                      (long long)lies.cols);
}

/* y = A x for one column or one row, + y with `add`. False: not applicable. */
static bool gemv(const work *w, const mat *a, bool ta, int64_t lda, bool add, char *c)
{
    const mat *b = &w->walked;
    bool tb = w->tb;
    int64_t ldb = w->ldb;
    const mat *m;
    const void *x;
    int64_t inc;
    bool t;
    if (orr__is_complex(w->blas))
        return false;
    if (b->cols == 1) { /* c = a · b, b a column */
        m = a;
        t = ta;
        x = b->p;
        inc = b->rows > 1 ? (tb ? 1 : ldb) : 1;
    } else if (a->rows == 1) { /* cᵀ = bᵀ · aᵀ */
        m = b;
        t = !tb;
        x = a->p;
        inc = a->cols > 1 ? (ta ? lda : 1) : 1;
    } else {
        return false;
    }
    int64_t ld = b->cols == 1 ? lda : ldb;
    bool stored_t = b->cols == 1 ? ta : tb; /* as stored, row-major: rows × cols, or the transpose */
    int64_t rows = stored_t ? m->cols : m->rows, cols = stored_t ? m->rows : m->cols;
    if (rows > ORR__GEMM_MOST || cols > ORR__GEMM_MOST || inc > INT_MAX)
        return false;
    /* Some BLAS multiply y by 0 first, which keeps its NaN. */
    if (!add)
        memset(c, 0, (size_t)(a->rows * b->cols) * orr__dtype_size(w->blas));
    if (w->blas == ORR_F32)
        cblas_sgemv(CblasRowMajor, t ? CblasTrans : CblasNoTrans, (int)rows, (int)cols, 1.0f, (const void *)m->p,
                    (int)ld, x, (int)inc, add ? 1.0f : 0.0f, (void *)c, 1);
    else
        cblas_dgemv(CblasRowMajor, t ? CblasTrans : CblasNoTrans, (int)rows, (int)cols, 1.0, (const void *)m->p,
                    (int)ld, x, (int)inc, add ? 1.0 : 0.0, (void *)c, 1);
    return true;
}

/* Neighbours in a row that are summed at once, as a vector. Each sum is in the order of k. */
enum { FOUR = 4 };

#define REAL float
#define TINY_OF tiny_f32
#define TINY_ROWS tiny_rows_f32
#include "codelets/cpu/product_tiny.h"
#undef REAL
#undef TINY_OF
#undef TINY_ROWS
#define REAL double
#define TINY_OF tiny_f64
#define TINY_ROWS tiny_rows_f64
#include "codelets/cpu/product_tiny.h"

bool orr__product_loops(orr_dtype t, const orr__mat *a, const orr__mat *b, void *c)
{
    if (t == ORR_F32)
        tiny_f32(a, b, c);
    else if (t == ORR_F64)
        tiny_f64(a, b, c);
    return t == ORR_F32 || t == ORR_F64;
}

/* Copies of factors are not counted by the memory limits. Large ones are made in pieces: PIECE bytes of the right
 * factor and PIECE_TERMS terms of the left one at a time. The pieces do not depend on the number of rows, which may be
 * cut otherwise: the bits must be the same. Limits of order. */
enum { COPY_MOST = 32 << 20, PIECE = 4 << 20, PIECE_TERMS = 512, LEFT_TERMS = 1 << 16, LEFT_ROWS = 64 };

static bool copied(const work *w, const mat *m)
{
    bool trans;
    int64_t ld;
    return w->blas != w->dtype || !walkable(m, &trans, &ld);
}

static int64_t terms_at_once(const work *w, const mat *a)
{
    int64_t row = w->right.cols * (int64_t)orr__dtype_size(w->blas), terms = a->cols;
    if (copied(w, &w->right) && terms > COPY_MOST / row)
        terms = PIECE / row > PIECE_TERMS ? PIECE / row : PIECE_TERMS;
    if (terms > LEFT_TERMS && copied(w, a))
        terms = LEFT_TERMS;
    return ORR__MIN(terms, a->cols);
}

static int64_t rows_at_once(const work *w, const mat *a)
{
    if (!copied(w, a))
        return a->rows;
    int64_t rows = COPY_MOST / (terms_at_once(w, a) * (int64_t)orr__dtype_size(w->blas));
    rows = ORR__MAX(rows, LEFT_ROWS);
    return ORR__MIN(rows, a->rows);
}

/* Terms [from, from + n) of the right factor, readable by BLAS; all of them once for all panels of rows. */
static orr_status prepare_right(work *w, int64_t from, int64_t n)
{
    mat *b = &w->walked;
    if (w->ready)
        return ORR_OK;
    *b = w->right;
    b->p += from * b->rs * (int64_t)w->size;
    b->rows = n;
    orr_status st = prepare(w, b, &w->b, &w->tb, &w->ldb);
    if (st == ORR_OK && b->cols > INT_MAX)
        st = orr__fail(orr__cpu_site(w->l), ORR_ESHAPE, "a row of %lld elements is too long for BLAS",
                       (long long)b->cols);
    w->ready = st == ORR_OK && n == w->right.rows;
    return st;
}

static void multiply_small(const work *w, const mat *a, bool ta, int64_t lda, void *c)
{
    const mat *b = &w->walked;
    orr__small s = { .a = a->p, .b = b->p, .c = c, .count = 1, .m = a->rows, .n = b->cols, .k = a->cols };
    s.a_row = ta ? 1 : lda;
    s.a_col = ta ? lda : 1;
    s.c_row = b->cols;
    s.b_row = w->tb ? 1 : w->ldb;
    s.b_col = w->tb ? w->ldb : 1;
    w->vec->small[w->blas == ORR_F64](&s);
}

/* Multiplies the terms from `from` on, as many as a has columns, and stores to `to` or adds to it. */
static orr_status multiply_terms(work *w, mat *a, int64_t from, char *to)
{
    bool ta;
    int64_t lda;
    orr_status st = prepare_right(w, from, a->cols);
    if (st == ORR_OK)
        st = prepare(w, a, &w->a, &ta, &lda);
    if (st != ORR_OK)
        return st;
    if (w->small) {
        multiply_small(w, a, ta, lda, to);
        return ORR_OK;
    }
    bool plain = a->rows > 1 && w->walked.cols > 1 && orr__gemm_unpacked(w->blas, a, &w->walked, w->tb);
    int place = plain ? 1 : orr__cpu_blas_enter();
    if (!place)
        return orr__fail(orr__cpu_site(w->l), ORR_ENOMEM, "no memory for the buffers of BLAS");
    bool vector = gemv(w, a, ta, lda, from > 0, to);
    if (!vector)
        orr__gemm(w->blas, a, ta, lda, &w->walked, w->tb, w->ldb, from > 0, to, w->walked.cols);
    if (!plain)
        orr__cpu_blas_leave(place, !vector);
    return ORR_OK;
}

static orr_status multiply_float(work *w, const mat *a, char *c)
{
    bool convert = w->blas != w->to;
    if (!convert && !w->small && orr__product_is_tiny(a->rows, w->right.cols, a->cols) &&
        orr__product_loops(w->dtype, a, &w->right, c))
        return ORR_OK;
    int64_t n = a->rows * w->right.cols, terms = terms_at_once(w, a);
    orr_status st = convert ? orr__product_room(w, &w->c, n, orr__dtype_size(w->blas)) : ORR_OK;
    char *to = convert ? w->c.p : c;
    for (int64_t k = 0; k < a->cols && st == ORR_OK; k += terms) {
        mat some = { a->p + k * a->cs * (int64_t)w->size, a->rows, a->cols - k < terms ? a->cols - k : terms, a->rs,
                     a->cs };
        st = multiply_terms(w, &some, k, to);
    }
    if (st == ORR_OK && convert)
        w->vec->cast[w->blas * ORR_DTYPE_COUNT + w->to](c, to, n);
    return st;
}

static orr_status multiply_floats(work *w, const mat *a, char *c)
{
    int64_t step = rows_at_once(w, a), row = w->right.cols * (int64_t)orr__dtype_size(w->to);
    orr_status st = ORR_OK;
    for (int64_t i = 0; i < a->rows && st == ORR_OK; i += step) {
        mat some = { a->p + i * a->rs * (int64_t)w->size, a->rows - i < step ? a->rows - i : step, a->cols, a->rs,
                     a->cs };
        st = multiply_float(w, &some, c + i * row);
    }
    return st;
}

/* Row i of c is the sum of a[i][k] · row k of b. */
static orr_status multiply_int(work *w, const mat *a, char *c)
{
    orr__axpyfn *axpy = w->vec->axpy[w->dtype];
    mat b = w->ready ? w->walked : w->right;
    if (!w->ready && b.cs != 1 && b.cols > 1) {
        orr_status st = orr__product_room(w, &w->b, b.rows * b.cols, w->size);
        if (st != ORR_OK)
            return st;
        pack_rows(&b, w->b.p, w->dtype);
        b = (mat){ w->b.p, b.rows, b.cols, b.cols, 1 };
    }
    w->walked = b;
    w->ready = true;
    int64_t z = (int64_t)w->size;
    memset(c, 0, (size_t)(a->rows * b.cols) * w->size);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = 0; k < a->cols; k++)
            axpy(c + i * b.cols * z, a->p + (i * a->rs + k * a->cs) * z, b.p + k * b.rs * z, b.cols);
    return ORR_OK;
}

void orr__product_begin(orr__product *w, const orr__launch *l, const orr__vec *vec, orr_dtype dtype, orr_dtype to)
{
    /* Assigns field by field: clearing the struct takes longer than a small product. */
    w->l = l;
    w->vec = vec;
    w->dtype = dtype;
    w->blas = orr__compute_dtype(dtype);
    w->to = to;
    w->size = orr__dtype_size(dtype);
    w->small = false;
    w->a = w->b = w->c = (orr__room){ 0 };
    w->ready = false;
}

orr_status orr__product_rows(orr__product *w, const orr__mat *a, void *c)
{
    int64_t n = a->rows * w->right.cols;
    if (n > 0 && a->cols == 0) {
        memset(c, 0, (size_t)n * orr__dtype_size(w->to));
        return ORR_OK;
    }
    return n <= 0 ? ORR_OK : orr__is_inexact(w->dtype) ? multiply_floats(w, a, c) : multiply_int(w, a, c);
}

void orr__product_end(orr__product *w)
{
    orr__room_end(&w->a);
    orr__room_end(&w->b);
    orr__room_end(&w->c);
}
