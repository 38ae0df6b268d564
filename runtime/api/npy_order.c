/* Element order: byte swapping, Fortran order to row-major.
 * Must not know: files. */
#include "config.h"
#include "runtime/api/npy.h"

#include <string.h>
#include "runtime/base/shape.h"
#include "runtime/base/threshold.h"

void orr__swap_bytes(void *data, int64_t n, size_t size)
{
    unsigned char *p = data;
    for (int64_t i = 0; i < n; i++, p += size) {
        if (size == 2) {
            uint16_t v;
            memcpy(&v, p, 2);
            v = __builtin_bswap16(v);
            memcpy(p, &v, 2);
        } else if (size == 4) {
            uint32_t v;
            memcpy(&v, p, 4);
            v = __builtin_bswap32(v);
            memcpy(p, &v, 4);
        } else if (size == 8) {
            uint64_t v;
            memcpy(&v, p, 8);
            v = __builtin_bswap64(v);
            memcpy(p, &v, 8);
        }
    }
}

enum { BLOCK = 2 * ORR__VECTOR };

/* Transposes one plane: rows of axis 0 by columns of the last axis, in blocks that stay in cache. Strides in elements. */
static void plane(const char *from, char *to, int64_t rows, int64_t cols, int64_t from_col, int64_t to_row, size_t size)
{
    for (int64_t r0 = 0; r0 < rows; r0 += BLOCK) {
        for (int64_t c0 = 0; c0 < cols; c0 += BLOCK) {
            int64_t r1 = r0 + BLOCK < rows ? r0 + BLOCK : rows, c1 = c0 + BLOCK < cols ? c0 + BLOCK : cols;
            for (int64_t r = r0; r < r1; r++) {
                for (int64_t c = c0; c < c1; c++)
                    memcpy(to + (size_t)(r * to_row + c) * size, from + (size_t)(r + c * from_col) * size, size);
            }
        }
    }
}

void orr__fortran_to_c(const void *from, void *to, const orr_shape *s, size_t size)
{
    int64_t c[ORR_MAX_RANK], f[ORR_MAX_RANK], index[ORR_MAX_RANK] = { 0 }, n = 1;
    int64_t count = orr__shape_count(s);
    if (s->rank < 2 || count == 0) {
        memcpy(to, from, (size_t)count * size);
        return;
    }
    orr__shape_strides(s, c);
    for (int k = 0; k < s->rank; k++) {
        f[k] = n;
        n *= s->dim[k];
    }
    int last = s->rank - 1;
    for (;;) { /* over the middle axes */
        int64_t at_f = 0, at_c = 0;
        for (int k = 1; k < last; k++) {
            at_f += index[k] * f[k];
            at_c += index[k] * c[k];
        }
        plane((const char *)from + (size_t)at_f * size, (char *)to + (size_t)at_c * size, s->dim[0], s->dim[last],
              f[last], c[0], size);
        int k = last - 1;
        while (k > 0 && ++index[k] == s->dim[k])
            index[k--] = 0;
        if (k <= 0)
            return;
    }
}
