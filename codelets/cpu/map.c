/* Element-wise regions: every block straight into the outputs.
 * Must not know: reductions. */
#include "config.h"

#include "codelets/cpu/cpu.h"

orr_status orr__cpu_map(const orr__kernel *k, const orr__launch *l)
{
    orr__vrun v;
    const orr__region *r = l->region;
    orr_status st = orr__vrun_begin(&v, k, l, 0);
    if (st != ORR_OK || v.total <= 0)
        return st;
    int64_t row = v.total / v.dim[0];
    for (int n = 0; n < r->nout; n++)
        v.out[n] = (char *)l->out[n] + (size_t)(l->lo * row) * orr_dtype_size((orr_dtype)r->out_dtype[n]);
    for (int64_t p = 0; p < v.total; p += k->block)
        orr__vrun_block(&v, p, v.total - p < k->block ? v.total - p : k->block);
    return ORR_OK;
}
