/* Element-wise regions: block after block directly into the outputs, or box after box if a load has its neighbours
 * across the rows.
 * Must not know: reductions. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "runtime/base/minmax.h"

/* -- boxes: `deep` places of one axis by `wide` of the last, in one block ------------------------------------ */

typedef struct {
    orr__vrun v;
    int64_t size[ORR__REGION_RANK], begin[ORR__REGION_RANK]; /* of the launch */
    int64_t step[ORR__REGION_RANK];                          /* row-major strides of the outputs */
    int64_t deep, wide;
    char *out[ORR__REGION_OUTS];
} boxes;

/* Copies the block to the outputs' rows. */
static void put(const boxes *b)
{
    const orr__kernel *k = b->v.k;
    const orr__region *r = b->v.l->region;
    int last = k->rank - 1;
    int64_t at = 0;
    for (int d = 0; d < k->rank; d++)
        at += b->v.origin[d] * b->step[d];
    for (int n = 0; n < r->nout; n++) {
        size_t size = orr_dtype_size((orr_dtype)r->out_dtype[n]), row = (size_t)b->v.dim[last] * size;
        const char *from = b->v.out[n];
        for (int64_t i = 0; i < b->v.dim[k->across]; i++)
            memcpy(b->out[n] + (size_t)(at + i * b->step[k->across]) * size, from + (size_t)i * row, row);
    }
}

/* The next box; false: there is none. */
static bool advance(boxes *b)
{
    const orr__kernel *k = b->v.k;
    for (int d = k->rank - 1; d >= 0; d--) {
        int64_t by = d == k->rank - 1 ? b->wide : d == k->across ? b->deep : 1, end = b->begin[d] + b->size[d];
        int64_t *o = &b->v.origin[d];
        *o += b->v.dim[d];
        bool more = *o < end;
        if (!more)
            *o = b->begin[d];
        b->v.dim[d] = end - *o < by ? end - *o : by;
        if (more)
            return true;
    }
    return false;
}

static orr_status map_boxes(const orr__kernel *k, const orr__launch *l)
{
    boxes b;
    const orr__region *r = l->region;
    size_t most = 1;
    for (int n = 0; n < r->nout; n++)
        most = orr_dtype_size((orr_dtype)r->out_dtype[n]) > most ? orr_dtype_size((orr_dtype)r->out_dtype[n]) : most;
    orr_status st = orr__vrun_begin(&b.v, k, l, (size_t)r->nout * (size_t)k->block * most);
    if (st != ORR_OK || b.v.total <= 0)
        return st;
    b.wide = most >= 4 ? 16 : 32; /* at least a cache line of the output */
    b.deep = k->block / b.wide;
    int64_t step = 1;
    for (int d = k->rank - 1; d >= 0; d--) {
        int64_t by = d == k->rank - 1 ? b.wide : d == k->across ? b.deep : 1;
        b.size[d] = b.v.dim[d];
        b.begin[d] = b.v.origin[d];
        b.v.dim[d] = ORR__MIN(b.size[d], by);
        b.step[d] = step;
        step *= k->dim[d];
    }
    for (int n = 0; n < r->nout; n++) {
        b.out[n] = l->out[n];
        b.v.out[n] = (char *)b.v.more + (size_t)n * (size_t)k->block * most;
    }
    do {
        orr__vrun_box(&b.v);
        orr__vrun_block(&b.v, 0, b.v.total);
        put(&b);
    } while (b.v.st == ORR_OK && advance(&b));
    return b.v.st;
}

/* -- blocks ------------------------------------------------------------------------------------------------------ */

orr_status orr__cpu_map(const orr__kernel *k, const orr__launch *l)
{
    orr__vrun v;
    const orr__region *r = l->region;
    if (k->few && l->lo == 0 && (k->first < 0 || l->hi == k->dim[k->first]) && !orr__vrun_overlaid(l))
        return orr__vrun_few(k, l);
    if (k->across >= 0)
        return map_boxes(k, l);
    orr_status st = orr__vrun_begin(&v, k, l, 0);
    if (st != ORR_OK || v.total <= 0)
        return st;
    int64_t row = r->per_row ? k->dim[0] ? r->out_count / k->dim[0] : 0 : v.total / v.dim[0];
    for (int n = 0; n < r->nout; n++)
        v.out[n] = (char *)l->out[n] + (size_t)(l->lo * row) * orr_dtype_size((orr_dtype)r->out_dtype[n]);
    for (int64_t p = 0; p < v.total && v.st == ORR_OK; p += k->block)
        orr__vrun_block(&v, p, v.total - p < k->block ? v.total - p : k->block);
    return v.st;
}
