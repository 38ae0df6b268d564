/* Sums along an axis: one running sum for each line, lines that are neighbours in memory side by side.
 * Must not know: plans, StarPU. */
#include "config.h"

#include "codelets/cpu/cpu.h"
#include "codelets/cpu/call.h"
#include "codelets/cpu/half.h"

enum { LINES = 64 }; /* side by side: their sums stay in registers and the first cache */

/* Floats are summed one size wider, and rounded once where they are stored. */
#define SCAN(name, T, SUM, load, store)                                                                                \
    static void name(const void *from, void *to, int64_t outer, int64_t length, int64_t inner)                         \
    {                                                                                                                  \
        for (int64_t o = 0; o < outer; o++)                                                                            \
            for (int64_t first = 0; first < inner; first += LINES) {                                                   \
                const T *x = (const T *)from + o * length * inner + first;                                             \
                T *y = (T *)to + o * length * inner + first;                                                           \
                int64_t n = inner - first < LINES ? inner - first : LINES;                                             \
                SUM sum[LINES] = { 0 };                                                                                \
                for (int64_t k = 0; k < length; k++, x += inner, y += inner)                                           \
                    for (int64_t i = 0; i < n; i++) {                                                                  \
                        sum[i] += load(x[i]);                                                                          \
                        y[i] = store(sum[i]);                                                                          \
                    }                                                                                                  \
            }                                                                                                          \
    }
SCAN(scan_f16, uint16_t, float, vh_from_f16, vh_to_f16)
SCAN(scan_bf16, uint16_t, float, vh_from_bf16, vh_to_bf16)
SCAN(scan_f32, float, double, (double), (float))
SCAN(scan_f64, double, double, (double), (double))
SCAN(scan_i64, uint64_t, uint64_t, (uint64_t), (uint64_t))

orr_status orr__cpu_kernel_cumulative_sum(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    const orr__region *r = l->region;
    const orr_shape *s = &r->call.out;
    int axis = r->call.attr.axis;
    orr_dtype t = (orr_dtype)r->out_dtype[0];
    size_t z = orr_dtype_size(t);
    int64_t per = r->dim[0] ? r->out_count / r->dim[0] : 0, inner = 1, length = s->dim[axis];
    for (int d = axis + 1; d < s->rank; d++)
        inner *= s->dim[d];
    int64_t line = length * inner, outer = line ? (l->hi - l->lo) * per / line : 0;
    const char *from = (const char *)l->in[0] + (size_t)(l->lo * per) * z;
    char *to = (char *)l->out[0] + (size_t)(l->lo * per) * z;
    switch (t) {
    case ORR_F16: scan_f16(from, to, outer, length, inner); break;
    case ORR_BF16: scan_bf16(from, to, outer, length, inner); break;
    case ORR_F32: scan_f32(from, to, outer, length, inner); break;
    case ORR_F64: scan_f64(from, to, outer, length, inner); break;
    default: scan_i64(from, to, outer, length, inner);
    }
    return ORR_OK;
}
