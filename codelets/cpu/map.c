/* Element-wise regions: block after block directly into the outputs, or box after box if a load has its neighbours
 * across the rows.
 * Must not know: reductions. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "runtime/base/minmax.h"
#include "runtime/base/spill.h"
#include "runtime/base/threshold.h"

/* -- boxes: some places of one axis by some of the last, in one block; the boxes of a window follow each other ------- */

typedef struct {
    int64_t begin[ORR__REGION_RANK], size[ORR__REGION_RANK]; /* a range of places */
    int64_t by[ORR__REGION_RANK];                            /* the extents of its parts */
} range;

typedef struct {
    orr__vrun v; /* its origin and extents are those of the box */
    range launch, window;
    int64_t step[ORR__REGION_RANK]; /* row-major strides of the outputs */
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

/* Moves to the first part of a range. */
static void first(int rank, const range *r, int64_t *origin, int64_t *dim)
{
    for (int d = 0; d < rank; d++) {
        origin[d] = r->begin[d];
        dim[d] = ORR__MIN(r->size[d], r->by[d]);
    }
}

/* Moves to the next part, the last axis first; false: there is none. */
static bool advance(int rank, const range *r, int64_t *origin, int64_t *dim)
{
    for (int d = rank - 1; d >= 0; d--) {
        int64_t end = r->begin[d] + r->size[d];
        origin[d] += dim[d];
        bool more = origin[d] < end;
        if (!more)
            origin[d] = r->begin[d];
        dim[d] = ORR__MIN(end - origin[d], r->by[d]);
        if (more)
            return true;
    }
    return false;
}

/* -- operands in files ------------------------------------------------------------------------------------------ */

/* True if access a reads across the rows of a file. */
static bool crosses_a_file(const orr__kernel *k, const orr__launch *l, const orr__access *a)
{
    int64_t s = k->across < 0 ? 0 : a->stride[k->across];
    return (s == 1 || s == -1) && a->input >= 0 && orr__spill_holds(l->in[a->input]);
}

bool orr__cpu_map_crosses(const orr__kernel *k, const orr__launch *l)
{
    bool any = false;
    for (int a = 0; k->across >= 0 && a < k->naccess && !any; a++)
        any = crosses_a_file(k, l, &k->access[a]);
    return any;
}

/* Files are read and written whole pages at a time, one window after the other. Nothing else is read ahead. */
static void begin_files(boxes *b)
{
    const orr__kernel *k = b->v.k;
    const orr__launch *l = b->v.l;
    int64_t least = INT64_MAX, last = k->rank - 1; /* bytes of an element */
    for (int a = 0; a < k->naccess; a++)
        if (crosses_a_file(k, l, &k->access[a])) {
            least = ORR__MIN(least, (int64_t)orr_dtype_size((orr_dtype)l->region->in_dtype[k->access[a].input]));
            orr__spill_scatter(l->in[k->access[a].input], true);
        }
    for (int n = 0; n < l->region->nout; n++)
        orr__spill_scatter(l->out[n], true);
    for (int d = 0; d < k->rank; d++)
        b->launch.by[d] = 1;
    b->launch.by[k->across] = ORR__T_FIRST_CACHE / 2 / least; /* the rest is for what is written */
    b->launch.by[last] = ORR__T_FIRST_CACHE / 8 / least;
}

static void end_files(const boxes *b)
{
    const orr__launch *l = b->v.l;
    for (int a = 0; a < b->v.k->naccess; a++)
        if (crosses_a_file(b->v.k, l, &b->v.k->access[a]))
            orr__spill_scatter(l->in[b->v.k->access[a].input], false);
    for (int n = 0; n < l->region->nout; n++)
        orr__spill_scatter(l->out[n], false);
}

/* The window's parts of the rows of files. */
static void announce(const boxes *b)
{
    const orr__kernel *k = b->v.k;
    const orr__launch *l = b->v.l;
    int last = k->rank - 1;
    for (int i = 0; i < k->naccess; i++) {
        const orr__access *a = &k->access[i];
        if (!crosses_a_file(k, l, a))
            continue;
        int64_t z = (int64_t)orr_dtype_size((orr_dtype)l->region->in_dtype[a->input]), from = a->offset,
                run = b->window.size[k->across];
        for (int d = 0; d < k->rank; d++)
            from += b->window.begin[d] * a->stride[d];
        from -= a->stride[k->across] < 0 ? run - 1 : 0;
        orr__spill_soon((const char *)l->in[a->input] + from * z, (size_t)(run * z), b->window.size[last],
                        a->stride[last] * z);
    }
}

/* -- a launch of boxes --------------------------------------------------------------------------------------------- */

static void compute_window(boxes *b)
{
    int rank = b->v.k->rank;
    first(rank, &b->window, b->v.origin, b->v.dim);
    do {
        orr__vrun_box(&b->v);
        orr__vrun_block(&b->v, 0, b->v.total);
        put(b);
    } while (b->v.st == ORR_OK && advance(rank, &b->window, b->v.origin, b->v.dim));
}

static void begin_boxes(boxes *b, int64_t most)
{
    const orr__kernel *k = b->v.k;
    int64_t wide = (most >= 4 ? 1 : 2) * ORR__VECTOR, step = 1; /* at least a cache line of the output */
    for (int d = k->rank - 1; d >= 0; d--) {
        b->launch.begin[d] = b->v.origin[d];
        b->launch.by[d] = b->launch.size[d] = b->v.dim[d];
        b->window.by[d] = d == k->rank - 1 ? wide : d == k->across ? k->block / wide : 1;
        b->step[d] = step;
        step *= k->dim[d];
    }
}

static orr_status map_boxes(const orr__kernel *k, const orr__launch *l)
{
    boxes b;
    const orr__region *r = l->region;
    size_t most = 1;
    for (int n = 0; n < r->nout; n++)
        most = ORR__MAX(most, orr_dtype_size((orr_dtype)r->out_dtype[n]));
    orr_status st = orr__vrun_begin(&b.v, k, l, (size_t)r->nout * (size_t)k->block * most);
    if (st != ORR_OK || b.v.total <= 0)
        return st;
    begin_boxes(&b, (int64_t)most);
    for (int n = 0; n < r->nout; n++) {
        b.out[n] = l->out[n];
        b.v.out[n] = (char *)b.v.more + (size_t)n * (size_t)k->block * most;
    }
    bool files = orr__cpu_map_crosses(k, l);
    if (files)
        begin_files(&b);
    first(k->rank, &b.launch, b.window.begin, b.window.size);
    do {
        if (files)
            announce(&b);
        compute_window(&b);
    } while (b.v.st == ORR_OK && advance(k->rank, &b.launch, b.window.begin, b.window.size));
    if (files)
        end_files(&b);
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
    int64_t row = r->loops == ORR__LOOPS_PER_ROW ? k->dim[0] ? r->out_count / k->dim[0] : 0 : v.total / v.dim[0];
    for (int n = 0; n < r->nout; n++)
        v.out[n] = (char *)l->out[n] + (size_t)(l->lo * row) * orr_dtype_size((orr_dtype)r->out_dtype[n]);
    for (int64_t p = 0; p < v.total && v.st == ORR_OK; p += k->block)
        orr__vrun_block(&v, p, v.total - p < k->block ? v.total - p : k->block);
    return v.st;
}
