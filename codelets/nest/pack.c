/* Accesses whose elements a launch copies first, so that C loops read them contiguously: accesses with a stride along the innermost axis
 * that are read several times, or that touch a cache line per element while their neighbours are along another axis.
 * Must not know: how elements are copied, the text of loops. */
#include "config.h"

#include "codelets/nest/internal.h"
#include "runtime/base/ablation.h"

/* The strided reads of an element that cost more than its copy and as many reads of that. */
enum { READS = (ORR__COST_STRIDED + ORR__COST_STORE) / (ORR__COST_STRIDED - 1) + 1 };

/* True if neighbours in memory are along another axis than the last. */
static bool turned(const orr__region *r, const orr__access *a, int64_t size)
{
    int64_t step = a->stride[r->rank - 1];
    bool any = false;
    if (step < ORR__CACHE_LINE / size && -step < ORR__CACHE_LINE / size)
        return false;
    for (int d = 0; d < r->rank - 1; d++)
        any = any || (a->stride[d] != 0 && a->stride[d] * size < ORR__CACHE_LINE &&
                      -a->stride[d] * size < ORR__CACHE_LINE && r->dim[d] >= READS);
    return any;
}

bool orr__cloop_may_pack(const orr__region *r, int number)
{
    const orr__access *a = &r->access[number];
    int last = r->rank - 1;
    int64_t step = a->stride[last], points = 1, moved = 1;
    if (step == 0 || step == 1 || a->input < 0 || a->placed || a->box || last == 0 || r->loops == ORR__LOOPS_PRODUCT ||
        orr__ablated(ORR__OFF_PACKING))
        return false;
    for (int d = 0; d < r->rank; d++) {
        points *= r->dim[d];
        moved *= a->stride[d] ? r->dim[d] : 1;
    }
    int64_t size = (int64_t)orr_dtype_size((orr_dtype)r->in_dtype[a->input]), part = moved;
    if (points < ORR__BLOCK_ELEMENTS || (moved < ORR__BLOCK_ELEMENTS && points < READS * moved) ||
        r->dim[last] < READS || !orr__cloop_read_as(r, number, ORR__RI_LOAD))
        return false;
    if (a->stride[0] && !(r->rmask & 1u) && r->dim[0] > ORR__VECTOR)
        part = moved / r->dim[0] * ORR__VECTOR;
    if (size > (int64_t)orr_dtype_size(ORR_C128) ||
        part * size > (r->rmask & 1u ? ORR__T_CORE_CACHES : ORR__T_LAST_CACHE))
        return false;
    return points >= READS * moved || turned(r, a, size);
}

bool orr__cloop_packs(const orr__region *r, int number)
{
    return orr__cloop_may_pack(r, number) && orr__cloop_side(r) < 0 && !orr__cloop_joins(r) &&
           !orr__cloop_tiles(r, number);
}

int orr__emit_c_packs(const orr__region *r)
{
    int n = 0;
    for (int a = 0; a < r->naccess; a++)
        n += orr__cloop_packs(r, a);
    return n;
}

bool orr__emit_c_packed(const orr__region *r, int number, orr__packed *p)
{
    if (!orr__cloop_packs(r, number))
        return false;
    const orr__access *a = &r->access[number];
    *p = (orr__packed){ .input = a->input, .count = 1 };
    for (int d = r->rank - 1; d >= 0; d--)
        if (a->stride[d]) {
            p->stride[d] = p->count;
            p->count *= d ? r->dim[d] : 1;
        }
    p->by_row = a->stride[0] != 0;
    return true;
}
