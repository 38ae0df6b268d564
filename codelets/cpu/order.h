/* Keys: numbers without sign whose order is the order of the values that sorting and searching know.
 * Must not know: plans, StarPU. */
#ifndef ORR_CPU_ORDER_H
#define ORR_CPU_ORDER_H

#include "runtime/base/dtype.h"

static inline uint64_t orr__order_bits(size_t z, const void *p, int64_t i)
{
    switch (z) {
    case 1: return ((const uint8_t *)p)[i];
    case 2: return ((const uint16_t *)p)[i];
    case 4: return ((const uint32_t *)p)[i];
    default: return ((const uint64_t *)p)[i];
    }
}

/* The key of an element of dtype t with these bits. The two zeros are one key; NaN has the greatest in either direction. */
static inline uint64_t orr__order_key_of(orr_dtype t, uint64_t u, bool descending)
{
    int bits = (int)(8 * orr__dtype_size(t));
    uint64_t all = UINT64_MAX >> (64 - bits), top = (uint64_t)1 << (bits - 1);
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

static inline uint64_t orr__order_key(orr_dtype t, const void *p, int64_t i, bool descending)
{
    return orr__order_key_of(t, orr__order_bits(orr__dtype_size(t), p, i), descending);
}

/* The bits of a value with this key; a zero without sign, some NaN. */
static inline uint64_t orr__order_value(orr_dtype t, uint64_t key, bool descending)
{
    int bits = (int)(8 * orr__dtype_size(t));
    uint64_t all = UINT64_MAX >> (64 - bits), top = (uint64_t)1 << (bits - 1);
    if (orr__is_float(t) && key == all)
        return all & ~top;
    uint64_t u = descending ? ~key & all : key;
    if (orr__is_float(t))
        return u & top ? u & ~top : ~u & all;
    return orr__is_signed(t) ? u ^ top : u;
}

#endif
