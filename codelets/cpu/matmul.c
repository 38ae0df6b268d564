/* Matrix products of all batches, and the work that is done on each panel of rows while it is in cache.
 * Must not know: how one product is computed. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/product.h"
#include "codelets/cpu/product_map.h"

/* Each call of BLAS packs the right factor anew: panels of 512 kB cost more of that than the cache gave back. */
enum { PANEL_LEAST = 512, PANEL_BYTES = 2 << 20 };
enum { NEAR = 16 << 10 }; /* bytes of a panel on the stack: nothing small allocates */

/* Rows of a product that are made before their further work is done. */
static int64_t panel_rows(int64_t rows, int64_t n, size_t size)
{
    int64_t most = PANEL_BYTES / (n * (int64_t)size);
    most = most < PANEL_LEAST ? PANEL_LEAST : most;
    int64_t panels = rows / most;
    return panels > 1 ? (rows + panels - 1) / panels : rows;
}

/* One product, of batch number q: its rows from row0 on, each panel as a whole. */
typedef struct {
    orr__product w;
    const orr__tail *tail;
    int64_t q, row0;
    void *near, *far; /* where a panel can be; far is NULL until there is need of it */
    size_t far_cap;
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
        st = orr__product_room(&b->w, &b->far, &b->far_cap, step * n, (size_t)z);
    void *panel = small ? b->near : b->far;
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

/* The products of all batches in [lo, hi) of the first batch axis (nb > 0), or rows [lo, hi) of the one product. */
orr_status orr__cpu_matmul(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    const orr__access *xa = &r->access[0], *xb = &r->access[1];
    orr_dtype t = (orr_dtype)r->in_dtype[xa->input];
    int nb = r->rank - 3;
    int64_t m = r->dim[nb], n = r->dim[nb + 1], k = r->dim[nb + 2], z = (int64_t)orr__dtype_size(t), per = 1;
    int64_t row0 = nb ? 0 : l->lo, rows = nb ? m : l->hi - l->lo;
    for (int d = 1; d < nb; d++)
        per *= r->dim[d];
    int64_t first = nb ? l->lo * per : 0, end = nb ? l->hi * per : 1;
    orr_status st = ORR_OK;
    if (rows <= 0 || n == 0)
        return ORR_OK;
    _Alignas(64) char near[NEAR];
    batch b;
    b.tail = kernel->tail;
    b.row0 = row0;
    b.near = near;
    b.far = NULL;
    b.far_cap = 0;
    orr__product_begin(&b.w, l, kernel->vec, t, b.tail ? orr__tail_takes(b.tail) : (orr_dtype)r->out_dtype[0]);
    for (b.q = first; b.q < end && st == ORR_OK; b.q++) {
        int64_t oa = xa->offset + row0 * xa->stride[nb], ob = xb->offset, rest = b.q;
        for (int d = nb - 1; d >= 0; d--) {
            int64_t i = d ? rest % r->dim[d] : rest;
            rest = d ? rest / r->dim[d] : 0;
            oa += i * xa->stride[d];
            ob += i * xb->stride[d];
        }
        orr__product_right(
            &b.w, (orr__mat){ (const char *)l->in[xb->input] + ob * z, k, n, xb->stride[nb + 2], xb->stride[nb + 1] });
        orr__mat a = { (const char *)l->in[xa->input] + oa * z, rows, k, xa->stride[nb], xa->stride[nb + 2] };
        st = multiply(&b, &a);
    }
    free(b.far);
    orr__product_end(&b.w);
    return st;
}
