/* Keys: unsigned numbers whose order is the order of values for sorting and searching.
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

/* The key of an element of dtype t with bits u. Both zeros have one key; NaN has the greatest in either direction. */
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

/* The keys of n elements, without a branch on the values. */
#define ORR__ORDER_KEYS(name, T, KEY)                                                                                  \
    static inline void name(orr_dtype t, const T *x, KEY *key, int64_t n, bool descending)                             \
    {                                                                                                                  \
        const T top = (T)((T)1 << (8 * sizeof(T) - 1)), all = (T) ~(T)0, flip = descending ? all : 0;                  \
        const T infinity = (T)(t == ORR_F16    ? 0x7c00                                                                \
                               : t == ORR_BF16 ? 0x7f80                                                                \
                               : t == ORR_F32  ? 0x7f800000                                                            \
                                               : 0x7ffull << 52);                                                       \
        const T sign = orr__is_signed(t) ? top : 0;                                                                    \
        if (orr__is_float(t))                                                                                          \
            for (int64_t k = 0; k < n; k++) {                                                                          \
                T size = (T)(x[k] & (T)~top), u = size ? x[k] : 0;                                                     \
                u = (T)(u ^ (u & top ? all : top) ^ flip);                                                             \
                key[k] = size > infinity ? all : u;                                                                    \
            }                                                                                                          \
        else                                                                                                           \
            for (int64_t k = 0; k < n; k++)                                                                            \
                key[k] = (T)(x[k] ^ sign ^ flip);                                                                      \
    }
ORR__ORDER_KEYS(orr__order_wide_8, uint8_t, uint64_t)
ORR__ORDER_KEYS(orr__order_wide_16, uint16_t, uint64_t)
ORR__ORDER_KEYS(orr__order_wide_32, uint32_t, uint64_t)
ORR__ORDER_KEYS(orr__order_wide_64, uint64_t, uint64_t)

/* The keys of elements [first, first + n). */
static inline void orr__order_keys(orr_dtype t, const void *x, int64_t first, int64_t n, bool descending, uint64_t *key)
{
    switch (orr__dtype_size(t)) {
    case 1: orr__order_wide_8(t, (const uint8_t *)x + first, key, n, descending); break;
    case 2: orr__order_wide_16(t, (const uint16_t *)x + first, key, n, descending); break;
    case 4: orr__order_wide_32(t, (const uint32_t *)x + first, key, n, descending); break;
    default: orr__order_wide_64(t, (const uint64_t *)x + first, key, n, descending);
    }
}

#endif
