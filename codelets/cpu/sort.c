/* Stable sorting of rows: keys whose order as unsigned numbers is the order of the values, sorted digit by digit.
 * Must not know: plans, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"

/* A key, and the place where its value stood. */
typedef struct {
    uint64_t key, place;
} item;

enum { FEW = 48, DIGIT = 8, VALUES = 1 << DIGIT };

/* The sign bit of a float of so many bits is at the top; NaN is the greatest key in either direction, and the two zeros
 * are one. */
static uint64_t key_of(orr_dtype t, const void *p, int64_t i, bool descending)
{
    int bits = (int)(8 * orr_dtype_size(t));
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1, top = (uint64_t)1 << (bits - 1), u;
    switch (bits) {
    case 8: u = ((const uint8_t *)p)[i]; break;
    case 16: u = ((const uint16_t *)p)[i]; break;
    case 32: u = ((const uint32_t *)p)[i]; break;
    default: u = ((const uint64_t *)p)[i];
    }
    if (orr__is_float(t)) {
        uint64_t infinity = t == ORR_F16 ? 0x7c00 : t == ORR_BF16 ? 0x7f80 : t == ORR_F32 ? 0x7f800000 : 0x7ffull << 52;
        if ((u & ~top) > infinity)
            return all;
        u = u == top ? 0 : u;
        u = u & top ? ~u & all : u | top;
    } else if (orr__is_signed(t)) {
        u ^= top;
    }
    return descending ? ~u & all : u;
}

static void insert(item *a, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        item v = a[k];
        int64_t at = k;
        for (; at > 0 && a[at - 1].key > v.key; at--)
            a[at] = a[at - 1];
        a[at] = v;
    }
}

/* From the last digit to the first; a digit that all keys share takes no pass. Returns where the result lies, a or b. */
static item *radix(item *a, item *b, int64_t n, int digits)
{
    int64_t count[sizeof(uint64_t)][VALUES] = { { 0 } };
    for (int64_t k = 0; k < n; k++)
        for (int d = 0; d < digits; d++)
            count[d][a[k].key >> (DIGIT * d) & (VALUES - 1)]++;
    for (int d = 0; d < digits; d++) {
        int64_t at[VALUES], sum = 0;
        if (count[d][a[0].key >> (DIGIT * d) & (VALUES - 1)] == n)
            continue;
        for (int v = 0; v < VALUES; v++) {
            at[v] = sum;
            sum += count[d][v];
        }
        for (int64_t k = 0; k < n; k++)
            b[at[a[k].key >> (DIGIT * d) & (VALUES - 1)]++] = a[k];
        item *other = a;
        a = b;
        b = other;
    }
    return a;
}

/* Rows [lo, hi); the places, or the values from there. */
static orr_status rows(const orr__launch *l, bool places)
{
    const orr__region *r = l->region;
    orr_dtype t = (orr_dtype)r->in_dtype[0];
    size_t z = orr_dtype_size(t);
    int64_t n = r->dim[1];
    bool descending = r->call.attr.mask != 0;
    item *a = n > 0 && l->hi > l->lo ? orr__scratch(2 * (size_t)n * sizeof *a) : NULL;
    if (!a)
        return n > 0 && l->hi > l->lo ? ORR_ENOMEM : ORR_OK;
    for (int64_t row = l->lo; row < l->hi; row++) {
        const char *x = (const char *)l->in[0] + (size_t)(row * n) * z;
        char *y = (char *)l->out[0] + (size_t)(row * n) * (places ? sizeof(int64_t) : z);
        for (int64_t k = 0; k < n; k++)
            a[k] = (item){ key_of(t, x, k, descending), (uint64_t)k };
        item *sorted = a;
        if (n <= FEW)
            insert(a, n);
        else
            sorted = radix(a, a + n, n, (int)z);
        for (int64_t k = 0; k < n; k++)
            if (places)
                ((int64_t *)(void *)y)[k] = (int64_t)sorted[k].place;
            else
                memcpy(y + (size_t)k * z, x + sorted[k].place * z, z);
    }
    return ORR_OK;
}

orr_status orr__cpu_kernel_sort(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return rows(l, false);
}

orr_status orr__cpu_kernel_argsort(const orr__kernel *kernel, const orr__launch *l)
{
    (void)kernel;
    return rows(l, true);
}
