/* Concatenation: copies of contiguous runs.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"

orr_status orr__cpu_kernel_concat(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    size_t z = orr_dtype_size((orr_dtype)r->out_dtype[0]);
    int64_t inner = 1, per = r->dim[0] ? r->out_count / r->dim[0] : 0, from = l->lo * per, to = l->hi * per;
    for (int d = r->call.attr.axis + 1; d < r->call.out.rank; d++)
        inner *= r->call.out.dim[d];
    int64_t row = r->call.out.dim[r->call.attr.axis] * inner;
    for (int64_t o = row ? from / row : 0; row && o * row < to; o++) {
        int64_t at = o * row;
        for (int k = 0; k < r->nin; k++) {
            int64_t len = r->call.in[k].dim[r->call.attr.axis] * inner;
            int64_t a = at > from ? at : from, b = at + len < to ? at + len : to;
            if (a < b)
                memcpy((char *)l->out[0] + (size_t)a * z, (const char *)l->in[k] + (size_t)(o * len + a - at) * z,
                       (size_t)(b - a) * z);
            at += len;
        }
    }
    return ORR_OK;
}
