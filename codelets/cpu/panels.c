/* Kernels on block columns of one large matrix: a panel, its update of a block, and the assembly of the results.
 * Must not know: plans, StarPU, LAPACK. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/dense.h"
#include "codelets/cpu/panels.h"
#include "ops/linalg/panels.h"

#ifdef HAVE_LAPACK
static const orr__panels *table_of(const orr__region *r)
{
    return orr__dense_of((orr_dtype)r->out_dtype[0])->panels;
}

static orr__block block_of(const orr__launch *l, int k)
{
    const orr_shape *s = &l->region->call.in[k];
    return (orr__block){ l->in[k], s->dim[0], s->dim[1] };
}

/* The block in operand k, if there is one. */
static orr__block_from source_of(const orr__launch *l, int k)
{
    const orr__call *c = &l->region->call;
    bool fresh = (c->attr.mask & ORR__PANEL_FRESH) != 0, unit = (c->attr.mask & ORR__PANEL_UNIT) != 0;
    return (orr__block_from){ .matrix = fresh ? l->in[k] : NULL,
                              .block = fresh || unit ? NULL : l->in[k],
                              .behind = c->attr.index,
                              .n = unit ? 0 : c->in[k].dim[1],
                              .column = c->attr.start[1] };
}

typedef orr_status compute(const orr__launch *l, const orr__panels *t, void *room, int *ints);

static orr_status with_room(const orr__launch *l, int64_t elements, int64_t ints, compute *f)
{
    size_t bytes = (size_t)elements * orr_dtype_size((orr_dtype)l->region->out_dtype[0]);
    char *memory = orr__scratch(bytes + (size_t)ints * sizeof(int) + 64);
    if (!memory)
        return ORR_ENOMEM;
    int place = orr__cpu_blas_enter();
    if (!place)
        return orr__fail(orr__cpu_site(l), ORR_ENOMEM, "no memory for the buffers of BLAS");
    orr_status st = f(l, table_of(l->region), memory, (int *)(void *)(memory + bytes));
    orr__cpu_blas_leave(place, true);
    return st;
}

static orr_status lu_panel(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    orr__block_from from = source_of(l, 0);
    (void)room;
    int64_t bad = t->lu_panel(&from, l->out[0], c->out.dim[1] - 1, c->out.dim[0], c->attr.start[0], ints);
    if (bad > 0 && c->attr.mask & ORR__PANEL_STRICT)
        return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "the matrix is singular: pivot %lld is 0", (long long)bad);
    return ORR_OK;
}

static orr_status lu_apply(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    orr__block panel = block_of(l, 0);
    orr__block_from from = source_of(l, 1);
    (void)room;
    t->lu_apply(&panel, &from, l->out[0], c->out.dim[1] - 1, c->out.dim[0], c->attr.start[0], ints);
    return ORR_OK;
}

/* Rows [lo, hi) of both triangles, each followed by the permutation's number. */
static orr_status lu_join(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    orr__block *block = orr__alloc_n((size_t)c->nin, sizeof *block);
    for (int k = 0; k < c->nin && block; k++)
        block[k] = block_of(l, k);
    if (block)
        t->lu_join(block, c->nin, c->attr.index, l->out[0], c->out.dim[0], c->out.dim[1] - 1, l->lo, l->hi, room, ints);
    free(block);
    return block ? ORR_OK : ORR_ENOMEM;
}

/* Columns [lo, hi) of the solution, each as a row. */
static orr_status lu_solve(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    int own = (c->attr.mask & ORR__PANEL_UNIT) != 0 ? 0 : 1, n = c->nin - own;
    orr__block *panel = orr__alloc_n((size_t)n, sizeof *panel);
    (void)room;
    for (int k = 0; k < n && panel; k++)
        panel[k] = block_of(l, k + own);
    if (panel)
        t->solve(panel, n, own ? l->in[0] : NULL, c->out.dim[0], l->out[0], c->out.dim[1], l->lo, l->hi, ints);
    free(panel);
    return panel ? ORR_OK : ORR_ENOMEM;
}

static orr_status lu_det(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__region *r = l->region;
    orr__block *panel = orr__alloc_n((size_t)r->nin, sizeof *panel);
    (void)room;
    (void)ints;
    for (int k = 0; k < r->nin && panel; k++)
        panel[k] = block_of(l, k);
    if (panel)
        t->det(panel, r->nin, r->call.in[0].dim[1] - 1, l->out[0]);
    free(panel);
    return panel ? ORR_OK : ORR_ENOMEM;
}

static orr_status no_factors(const orr__launch *l, int64_t info)
{
    return orr__fail(orr__cpu_site(l), ORR_ENUMERIC, "the matrix has no factors (%lld)", (long long)info);
}

static orr_status qr_panel(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    orr__block_from from = source_of(l, 0);
    int64_t inner = c->attr.index;
    (void)ints;
    int64_t bad = t->qr_panel(&from, l->out[0], c->out.dim[1] - inner, c->out.dim[0], inner, c->attr.start[0], room);
    return bad ? no_factors(l, bad) : ORR_OK;
}

static orr_status qr_apply(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    const orr__call *c = &l->region->call;
    orr__block panel = block_of(l, 0);
    orr__block_from from = source_of(l, 1);
    int64_t inner = c->attr.index;
    (void)ints;
    int64_t bad = t->qr_apply(&panel, &from, l->out[0], c->out.dim[1] - inner, c->out.dim[0], inner, c->attr.start[0],
                              (c->attr.mask & ORR__PANEL_BACK) != 0, room);
    return bad ? no_factors(l, bad) : ORR_OK;
}

/* Rows [lo, hi): column j of Q, if its blocks are given, followed by row j of R. The first attr.index operands are the
 * blocks of R. */
static orr_status qr_join(const orr__launch *l, const orr__panels *t, void *room, int *ints)
{
    enum { SIDE = ORR__PANELS_TURNED };
    const orr__region *r = l->region;
    size_t z = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    int blocks = r->call.attr.index;
    int64_t n = 0, row = r->call.out.dim[1];
    (void)t;
    (void)room;
    (void)ints;
    for (int k = 0; k < blocks; k++)
        n += r->call.in[k].dim[0];
    int64_t m = row - n;
    for (int64_t j = l->lo, k = blocks, first = 0; j < l->hi && m > 0; j++) {
        while (j >= first + r->call.in[k].dim[0])
            first += r->call.in[k++].dim[0];
        memcpy((char *)l->out[0] + (size_t)(j * row) * z,
               (const char *)l->in[k] + (size_t)((j - first) * r->call.in[k].dim[1]) * z, (size_t)m * z);
    }
    for (int64_t j0 = l->lo; j0 < l->hi; j0 += SIDE) {
        int64_t end = j0 + SIDE < l->hi ? j0 + SIDE : l->hi;
        for (int64_t k = 0, column = 0; k < blocks; k++)
            for (int64_t c = 0; c < r->call.in[k].dim[0]; c++, column++) {
                const char *from = (const char *)l->in[k] + (size_t)(c * r->call.in[k].dim[1]) * z;
                for (int64_t j = j0; j < end; j++) {
                    char *to = (char *)l->out[0] + (size_t)(j * row + m + column) * z;
                    if (j <= column)
                        memcpy(to, from + (size_t)j * z, z);
                    else
                        memset(to, 0, z);
                }
            }
    }
    return ORR_OK;
}

/* elements, integers: of the workspace. */
#define KERNEL(name, elements, integers)                                                                               \
    orr_status orr__cpu_kernel_##name(const orr__kernel *kernel, const orr__launch *l)                                 \
    {                                                                                                                  \
        const orr__call *c = &l->region->call;                                                                         \
        (void)kernel;                                                                                                  \
        (void)c;                                                                                                       \
        return with_room(l, elements, integers, name);                                                                 \
    }
#else
#define KERNEL(name, elements, integers) ORR__NO_LAPACK(name)
#endif

KERNEL(lu_panel, 0, c->out.dim[0] + c->out.dim[1])
KERNEL(lu_apply, 0, c->in[0].dim[0])
KERNEL(lu_join, ORR__PANELS_TURNED *(l->hi - l->lo), 2 * c->out.dim[0])
KERNEL(lu_solve, 0, c->out.dim[1])
KERNEL(lu_det, 0, 0)
KERNEL(qr_panel, table_of(l->region)->room(c->out.dim[0], c->attr.index), 0)
KERNEL(qr_apply, table_of(l->region)->room(c->out.dim[0], c->attr.index), 0)
KERNEL(qr_join, 0, 0)
