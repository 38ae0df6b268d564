/* Accesses with a box: loads that are zero outside of it, and tests whether a point is inside.
 * Must not know: what is done with the values. */
#include "config.h"

#include "codelets/cpu/cpu.h"

/* Iterations [q, q + m) in one row of the last axis; those of [from, to) are inside of the box. */
typedef struct {
    int64_t q, m, from, to;
} run;

/* The next run of the block [p, p + n); false: there is none. To begin, set q + m = p. */
static bool next(const orr__vrun *v, const orr__access *a, int64_t p, int64_t n, run *u)
{
    int last = v->k->rank - 1;
    int64_t row = v->dim[last];
    u->q += u->m;
    if (u->q >= p + n)
        return false;
    int64_t rest = u->q / row, at = u->q % row;
    u->m = row - at < p + n - u->q ? row - at : p + n - u->q;
    u->from = 0;
    u->to = u->m;
    if (a->box >> last & 1u) {
        int64_t first = v->origin[last] + at;
        u->from = a->lo[last] > first ? a->lo[last] - first : 0;
        u->to = a->hi[last] - first < u->m ? a->hi[last] - first : u->m;
    }
    for (int d = last - 1; d >= 0; d--) {
        int64_t i = v->origin[d] + rest % v->dim[d];
        rest /= v->dim[d];
        if ((a->box >> d & 1u) && (i < a->lo[d] || i >= a->hi[d]))
            u->to = 0;
    }
    if (u->from >= u->to)
        u->from = u->to = 0;
    return true;
}

void orr__vrun_part(orr__vrun *v, const orr__vop *op, void *dst, int64_t p, int64_t n)
{
    const orr__access *a = &v->k->access[op->access];
    orr_dtype t = (orr_dtype)op->dtype;
    size_t size = orr_dtype_size(t);
    bool half = orr__is_half(t);
    char *to = half ? (char *)v->half : dst;
    run u = { .q = p };
    while (next(v, a, p, n, &u)) {
        char *at = to + (size_t)(u.q - p) * size;
        memset(at, 0, (size_t)u.from * size);
        if (u.from < u.to)
            v->k->vec->gather[orr__size_log2(t)](at + (size_t)u.from * size, &v->view[op->access], u.q + u.from,
                                                 u.to - u.from);
        memset(at + (size_t)u.to * size, 0, (size_t)(u.m - u.to) * size);
    }
    if (half)
        orr__cast_of(v->k->vec, t, ORR_F32)(dst, to, n);
}

void orr__vrun_inside(const orr__vrun *v, const orr__vop *op, bool *dst, int64_t p, int64_t n)
{
    run u = { .q = p };
    while (next(v, &v->k->access[op->access], p, n, &u)) {
        bool *at = dst + (u.q - p);
        memset(at, 0, (size_t)u.m);
        memset(at + u.from, 1, (size_t)(u.to - u.from));
    }
}
