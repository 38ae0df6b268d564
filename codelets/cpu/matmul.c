/* Matrix products of all batches, and the epilogue on each panel of rows while it is in cache.
 * Must not know: how one product is computed. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/cpu/product_map.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

enum { NEAR = 16 << 10 }; /* bytes of a panel on the stack: small products allocate nothing */

/* Rows of a product that are computed before their epilogue. */
static int64_t panel_rows(int64_t rows, int64_t n, size_t size)
{
    int64_t most = ORR__T_CORE_CACHES / (n * (int64_t)size);
    most = ORR__MAX(ORR__T_PART_ROWS, most);
    int64_t panels = rows / most;
    return panels > 1 ? (rows + panels - 1) / panels : rows;
}

/* One product, of batch number q: its rows from row0 on, one panel at a time. */
typedef struct {
    orr__product w;
    const orr__tail *tail;
    int64_t q, row0;
    void *near;    /* memory of a small panel … */
    orr__room far; /* … and of a large one */
} batch;

static orr_status multiply(batch *b, const orr__mat *a)
{
    const orr__launch *l = b->w.l;
    const orr__region *r = l->region;
    int64_t n = b->w.right.cols, z = (int64_t)orr__dtype_size(b->w.to);
    int64_t m = r->dim[r->rank - 3], rows = a->rows, step = b->tail ? panel_rows(rows, n, (size_t)z) : rows;
    int kept = b->tail ? orr__tail_kept(b->tail) : 0;
    orr_status st = ORR_OK;
    bool small = step * n * z <= NEAR;
    if (kept < 0 && !small)
        st = orr__product_room(&b->w, &b->far, step * n, (size_t)z);
    void *panel = small ? b->near : b->far.p;
    for (int64_t i = 0; i < rows && st == ORR_OK; i += step) {
        int64_t row = b->row0 + i;
        orr__mat some = { a->p + i * a->rs * (int64_t)b->w.size, rows - i < step ? rows - i : step, a->cols, a->rs,
                          a->cs };
        void *c = kept < 0 ? panel : (char *)l->out[kept] + (b->q * m + row) * n * z;
        st = orr__product_rows(&b->w, &some, c);
        if (st == ORR_OK && b->tail)
            st = orr__tail_run(b->tail, l, b->q, row, row + some.rows, c);
    }
    return st;
}

/* -- small products -------------------------------------------------------------------------------------------- */

/* The offsets of the first elements of operands a and b in batch q. */
static void begins(const orr__region *r, int64_t q, int64_t *a, int64_t *b)
{
    *a = r->access[0].offset;
    *b = r->access[1].offset;
    for (int d = r->rank - 4; d >= 0; d--) {
        int64_t i = d ? q % r->dim[d] : q;
        q = d ? q / r->dim[d] : 0;
        *a += i * r->access[0].stride[d];
        *b += i * r->access[1].stride[d];
    }
}

static orr__mat operand(const orr__product *w, int o, int64_t at, int64_t rows, int64_t cols, int64_t rs, int64_t cs)
{
    const orr__access *x = &w->l->region->access[o];
    return (orr__mat){ (const char *)w->l->in[x->input] + at * (int64_t)w->size, rows, cols, rs, cs };
}

/* True if an operand, and those that follow at distance `next`, are stored without gaps. */
static bool dense(const orr__mat *m, int64_t next)
{
    return (next == 0 || next == m->rows * m->cols) &&
           ((m->cs == 1 && m->rs == m->cols) || (m->rs == 1 && m->cs == m->rows));
}

static orr_status run_of_halves(orr__product *w, orr__small s, char *c)
{
    orr__castfn *widen = w->vec->cast[w->dtype * ORR_DTYPE_COUNT + w->blas],
                *narrow = w->vec->cast[w->blas * ORR_DTYPE_COUNT + w->to];
    size_t z = orr__dtype_size(w->blas);
    int64_t a = s.m * s.k, b = s.k * s.n, made = s.m * s.n, most = ORR__T_FIRST_CACHE / (int64_t)z / (a + b + made),
            all = s.count;
    const char *left = s.a, *right = s.b;
    most = most < 1 ? 1 : ORR__MIN(most, all);
    orr_status st = orr__product_room(w, &w->a, most * a, z);
    st = st == ORR_OK ? orr__product_room(w, &w->b, most * b, z) : st;
    if (st == ORR_OK && w->to != w->blas)
        st = orr__product_room(w, &w->c, most * made, z);
    for (int64_t i = 0; i < all && st == ORR_OK; i += s.count) {
        s.count = all - i < most ? all - i : most;
        if (i == 0 || s.a_next)
            widen(w->a.p, left + i * s.a_next * (int64_t)w->size, s.a_next ? s.count * a : a);
        if (i == 0 || s.b_next)
            widen(w->b.p, right + i * s.b_next * (int64_t)w->size, s.b_next ? s.count * b : b);
        char *to = c + i * made * (int64_t)orr__dtype_size(w->to);
        s.a = w->a.p;
        s.b = w->b.p;
        s.c = w->to == w->blas ? to : w->c.p;
        w->vec->small[w->blas == ORR_F64](&s);
        if (w->to != w->blas)
            narrow(to, w->c.p, s.count * made);
    }
    return st;
}

/* Computes `count` products along the last batch axis, from batch q on, to c. */
static orr_status run_of_products(orr__product *w, int64_t q, int64_t count, char *c)
{
    const orr__region *r = w->l->region;
    const orr__access *xa = &r->access[0], *xb = &r->access[1];
    int nb = r->rank - 3;
    int64_t m = r->dim[nb], n = r->dim[nb + 1], k = r->dim[nb + 2], oa, ob;
    orr_status st = ORR_OK;
    begins(r, q, &oa, &ob);
    orr__mat a = operand(w, 0, oa, m, k, xa->stride[nb], xa->stride[nb + 2]);
    orr__mat b = operand(w, 1, ob, k, n, xb->stride[nb + 2], xb->stride[nb + 1]);
    orr__small s = { a.p,  b.p,  c, count, m, n, k, xa->stride[nb - 1], a.rs, a.cs, xb->stride[nb - 1],
                     b.rs, b.cs, n, false };
    if (w->blas == w->dtype && w->to == w->dtype) {
        w->vec->small[w->blas == ORR_F64](&s);
        return ORR_OK;
    }
    if (dense(&a, s.a_next) && dense(&b, s.b_next))
        return run_of_halves(w, s, c);
    for (int64_t i = 0; i < count && st == ORR_OK; i++) {
        if (i == 0 || xb->stride[nb - 1])
            orr__product_right(w, b);
        st = orr__product_rows(w, &a, c + i * m * n * (int64_t)orr__dtype_size(w->to));
        a.p += xa->stride[nb - 1] * (int64_t)w->size;
        b.p += xb->stride[nb - 1] * (int64_t)w->size;
    }
    return st;
}

static orr_status products(orr__product *w, int64_t q, int64_t count, char *c)
{
    const orr__region *r = w->l->region;
    int nb = r->rank - 3;
    int64_t bytes = r->dim[nb] * r->dim[nb + 1] * (int64_t)orr__dtype_size(w->to);
    orr_status st = ORR_OK;
    for (int64_t some; count > 0 && st == ORR_OK; q += some, count -= some, c += some * bytes) {
        int64_t left = nb > 1 ? r->dim[nb - 1] - q % r->dim[nb - 1] : count;
        some = ORR__MIN(left, count);
        st = run_of_products(w, q, some, c);
    }
    return st;
}

/* Places [lo, hi) of the first batch axis, a panel at a time; then the epilogue of the panel. */
static orr_status by_places(batch *b, int64_t per)
{
    const orr__launch *l = b->w.l;
    const orr__region *r = l->region;
    int nb = r->rank - 3, kept = b->tail ? orr__tail_kept(b->tail) : 0;
    int64_t bytes = per * r->dim[nb] * r->dim[nb + 1] * (int64_t)orr__dtype_size(b->w.to), most = l->hi - l->lo;
    orr_status st = ORR_OK;
    if (b->tail)
        most = bytes < NEAR ? NEAR / bytes : 1;
    if (kept < 0 && bytes > NEAR)
        st = orr__product_room(&b->w, &b->far, bytes, 1);
    for (int64_t i = l->lo, some; i < l->hi && st == ORR_OK; i += some) {
        char *c = kept >= 0 ? (char *)l->out[kept] + i * bytes : bytes > NEAR ? b->far.p : b->near;
        some = l->hi - i < most ? l->hi - i : most;
        st = products(&b->w, i * per, some * per, c);
        if (st == ORR_OK && b->tail)
            st = orr__tail_run(b->tail, l, 0, i, i + some, c);
    }
    return st;
}

/* -- any product ------------------------------------------------------------------------------------------------ */

static orr_status by_batches(batch *b, int64_t first, int64_t end, int64_t rows)
{
    const orr__region *r = b->w.l->region;
    const orr__access *xa = &r->access[0], *xb = &r->access[1];
    int nb = r->rank - 3;
    int64_t n = r->dim[nb + 1], k = r->dim[nb + 2], oa, ob;
    orr_status st = ORR_OK;
    for (b->q = first; b->q < end && st == ORR_OK; b->q++) {
        begins(r, b->q, &oa, &ob);
        orr__product_right(&b->w, operand(&b->w, 1, ob, k, n, xb->stride[nb + 2], xb->stride[nb + 1]));
        orr__mat a = operand(&b->w, 0, oa + b->row0 * xa->stride[nb], rows, k, xa->stride[nb], xa->stride[nb + 2]);
        st = multiply(b, &a);
    }
    return st;
}

/* One tiny product without an epilogue is computed by plain loops: any other path takes longer to start. The rows of
 * the region decide, not those of the launch, so that the bits do not depend on the cut. */
static bool by_loops(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    const orr__access *xa = &r->access[0], *xb = &r->access[1];
    int64_t n = r->dim[1], k = r->dim[2];
    orr_dtype t = (orr_dtype)r->in_dtype[xa->input];
    if (r->rank != 3 || kernel->tail || r->out_dtype[0] != t || !orr__product_is_tiny(r->dim[0], n, k))
        return false;
    int64_t z = (int64_t)orr__dtype_size(t);
    orr__mat a = { (const char *)l->in[xa->input] + (xa->offset + l->lo * xa->stride[0]) * z, l->hi - l->lo, k,
                   xa->stride[0], xa->stride[2] };
    orr__mat b = { (const char *)l->in[xb->input] + xb->offset * z, k, n, xb->stride[2], xb->stride[1] };
    return orr__product_loops(t, &a, &b, (char *)l->out[0] + l->lo * n * z);
}

/* The products of all batches in [lo, hi) of the first batch axis (nb > 0), or rows [lo, hi) of the one product. */
orr_status orr__cpu_matmul(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    int nb = r->rank - 3;
    int64_t m = r->dim[nb], per = 1, rows = nb ? m : l->hi - l->lo;
    for (int d = 1; d < nb; d++)
        per *= r->dim[d];
    if (rows <= 0 || r->dim[nb + 1] == 0 || by_loops(kernel, l))
        return ORR_OK;
    _Alignas(64) char near[NEAR];
    batch b;
    b.tail = kernel->tail;
    b.row0 = nb ? 0 : l->lo;
    b.near = near;
    b.far = (orr__room){ 0 };
    orr__product_begin(&b.w, l, kernel->vec, (orr_dtype)r->in_dtype[r->access[0].input],
                       b.tail ? orr__tail_takes(b.tail) : (orr_dtype)r->out_dtype[0]);
    b.w.small = kernel->small && (nb || !orr__product_is_tiny(m, r->dim[nb + 1], r->dim[nb + 2]));
    bool places = nb && kernel->small && (!b.tail || orr__tail_of_batches(b.tail));
    orr_status st = places ? by_places(&b, per) : by_batches(&b, nb ? l->lo * per : 0, nb ? l->hi * per : 1, rows);
    orr__room_end(&b.far);
    orr__product_end(&b.w);
    return st;
}
