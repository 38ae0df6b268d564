/* Places in a sorted line, by binary search.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/order.h"
#include "ops/order.h"

orr_status orr__cpu_kernel_searchsorted(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    int64_t n = orr__shape_count(&r->call.in[0]), *y = l->out[0];
    bool right = r->call.attr.mask & ORR__SEARCH_RIGHT;
    /* The first tile alone looks at the whole line. */
    for (int64_t i = 1; r->call.attr.mask & ORR__SEARCH_RISES && l->lo == 0 && i < n; i++)
        if (orr__order_key(t, l->in[0], i, false) < orr__order_key(t, l->in[0], i - 1, false))
            return orr__line_falls(orr__cpu_site(l), i);
    for (int64_t i = l->lo; i < l->hi; i++) {
        uint64_t v = orr__order_key(t, l->in[1], i, false);
        int64_t low = 0;
        for (int64_t left = n; left > 0;) {
            int64_t half = left / 2;
            uint64_t key = orr__order_key(t, l->in[0], low + half, false);
            bool behind = key < v || (right && key == v);
            low = behind ? low + half + 1 : low;
            left = behind ? left - half - 1 : half;
        }
        y[i] = low;
    }
    return ORR_OK;
}
