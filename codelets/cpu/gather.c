/* Gathered reads of a block: indices become places on an axis, places become elements.
 * Must not know: the source of the indices. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"

enum { PAGE = 4096 }; /* limit of the machine: bytes that a system reads at least: shorter rows are read at their use */

/* The first index out of range is reported. After that, nothing is gathered. */
void orr__vrun_place(orr__vrun *v, const orr__vop *op, int64_t *dst, int64_t p, int64_t n)
{
    const orr__access *a = &v->k->access[op->access];
    const orr__vec *vec = v->k->vec;
    const char *x = v->reg[op->x];
    int64_t bad = vec->place[op->from == ORR_I64](dst, x, a->by, n), number;
    if (bad < 0 || v->st != ORR_OK)
        return;
    orr_dtype t = (orr_dtype)op->from;
    orr__scalar index = orr__scalar_load(x + (size_t)bad * orr_dtype_size(t), t);
    vec->index(&number, &v->view[op->access], p + bad, 1);
    v->st = orr__no_place(ORR__SITE(a->file, a->line, a->as ? a->as : "take"), index.i, number, op->dist, a->by);
}

/* Of a file's row that is needed from iteration q on, all pages are read at once. */
static void announce_row(const orr__vrun *v, const orr__access *a, int64_t place, int64_t q, size_t size)
{
    int64_t at, row = v->dim[v->k->rank - 1];
    v->k->vec->index(&at, &v->view[a - v->k->access], q, 1);
    orr__spill_soon((const char *)v->l->in[a->input] + (at + a->by * place) * (int64_t)size, (size_t)row * size, 1, 0);
}

/* Copies whole rows to dst. A single row is not copied unless `copy`; its address is returned. */
static const char *take_rows(const orr__vrun *v, const orr__vop *op, char *dst, int64_t p, int64_t n, bool copy)
{
    const orr__access *a = &v->k->access[op->access];
    size_t size = orr_dtype_size((orr_dtype)op->dtype);
    const int64_t *place = v->reg[op->x];
    int64_t row = v->dim[v->k->rank - 1], at, m;
    bool announces = (size_t)row * size > PAGE && orr__spill_holds(v->l->in[a->input]);
    for (int64_t q = p; q < p + n; q += m) {
        m = row - q % row;
        if (m == row && announces)
            announce_row(v, a, place[q - p], q, size);
        m = m < p + n - q ? m : p + n - q;
        v->k->vec->index(&at, &v->view[op->access], q, 1);
        const char *from = (const char *)v->l->in[a->input] + (at + a->by * place[q - p]) * (int64_t)size;
        if (m == n && !copy)
            return from;
        memcpy(dst + (size_t)(q - p) * size, from, (size_t)m * size);
    }
    return dst;
}

void orr__vrun_take(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n)
{
    const orr__access *a = &v->k->access[op->access];
    orr_dtype t = (orr_dtype)op->dtype;
    bool half = orr__is_half(t);
    int last = v->k->rank - 1;
    const void *got = half ? (void *)v->half : dst;
    if (v->st != ORR_OK) {
        memset(dst, 0, (size_t)n * orr_dtype_size(orr__compute_dtype(t)));
        return;
    }
    if (op->still && a->stride[last] == 1 && v->dim[last] >= ORR__VECTOR) {
        got = take_rows(v, op, half ? (void *)v->half : dst, p, n, op->out >= 0);
    } else {
        v->k->vec->index(v->index, &v->view[op->access], p, n);
        v->k->vec->take[orr__size_log2(t)](half ? (void *)v->half : dst, v->l->in[a->input], v->index, v->reg[op->x],
                                           a->by, n);
    }
    if (half)
        orr__cast_of(v->k->vec, t, ORR_F32)(dst, got, n);
    else
        v->reg[op->reg] = got;
}
