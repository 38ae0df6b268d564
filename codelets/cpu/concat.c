/* Concatenation: copies of contiguous runs.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "runtime/base/minmax.h"
#include "runtime/base/threshold.h"

/* The run of one input in each row. */
typedef struct {
    const char *from;
    char *to;
    size_t run, row; /* bytes */
} runs;

/* Copies rows [lo, hi). A short run is one load and one store. */
static void copy_rows(const runs *c, int64_t lo, int64_t hi)
{
    const char *from = c->from + (size_t)lo * c->run;
    char *to = c->to + (size_t)lo * c->row;
#define OF(bytes)                                                                                                      \
    case bytes:                                                                                                        \
        for (int64_t o = lo; o < hi; o++, from += (bytes), to += c->row)                                               \
            memcpy(to, from, (bytes));                                                                                 \
        break;
    switch (c->run) {
        OF(1)
        OF(2)
        OF(4)
        OF(6)
        OF(8)
        OF(12)
        OF(16)
        OF(24)
        OF(32)
    default:
        for (int64_t o = lo; o < hi; o++, from += c->run, to += c->row)
            memcpy(to, from, c->run);
    }
#undef OF
}

/* Copies bytes [lo, hi) of row o. */
static void copy_part(const runs *c, int64_t o, size_t at, size_t lo, size_t hi)
{
    size_t a = ORR__MAX(at, lo), b = at + c->run < hi ? at + c->run : hi;
    if (a < b)
        memcpy(c->to + (size_t)o * c->row + (a - at), c->from + (size_t)o * c->run + (a - at), b - a);
}

/* Whole rows are copied input by input, in blocks that stay in the first cache. Partial rows at the launch's begin and end are
 * copied by bytes. */
orr_status orr__cpu_kernel_concat(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    size_t inner = orr_dtype_size((orr_dtype)r->out_dtype[0]), per = r->dim[0] ? (size_t)(r->out_count / r->dim[0]) : 0;
    size_t from = (size_t)l->lo * per * inner, to = (size_t)l->hi * per * inner;
    for (int d = r->call.attr.axis + 1; d < r->call.out.rank; d++)
        inner *= (size_t)r->call.out.dim[d];
    size_t row = (size_t)r->call.out.dim[r->call.attr.axis] * inner;
    if (row == 0 || from >= to)
        return ORR_OK;
    int64_t first = (int64_t)((from + row - 1) / row), end = (int64_t)(to / row),
            rows = (int64_t)(ORR__T_FIRST_CACHE / row) + 1;
    for (int64_t b = first; b < end; b += rows) {
        size_t at = 0;
        for (int k = 0; k < r->nin; k++) {
            runs c = { l->in[k], (char *)l->out[0] + at, (size_t)r->call.in[k].dim[r->call.attr.axis] * inner, row };
            copy_rows(&c, b, b + rows < end ? b + rows : end);
            at += c.run;
        }
    }
    size_t at = 0;
    for (int k = 0; k < r->nin; k++) {
        runs c = { l->in[k], (char *)l->out[0] + at, (size_t)r->call.in[k].dim[r->call.attr.axis] * inner, row };
        if (from % row)
            copy_part(&c, first - 1, at, from % row, first - 1 < end ? row : to - (size_t)(first - 1) * row);
        if (to % row && end >= first)
            copy_part(&c, end, at, 0, to % row);
        at += c.run;
    }
    return ORR_OK;
}
