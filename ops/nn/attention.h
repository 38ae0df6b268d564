/* The numbers of one attention: shapes, the keys that a query sees, scale, dropout. The reference and the kernels read
 * them.
 * Must not know: how attention is computed. */
#ifndef ORR_OPS_NN_ATTENTION_H
#define ORR_OPS_NN_ATTENTION_H

#include "runtime/graph/operation.h"

/* Bits of attr.mask; attr.start has the window, and the scale and the probability as bits of doubles. */
enum { ORR__ATTEND_CAUSAL = 1, ORR__ATTEND_MASK = 2, ORR__ATTEND_DROPS = 4 };

/* Operands: q (batch, heads, queries, width), k (batch, kv, keys, width), v (batch, kv, keys, value), then a key of random numbers
 * (u64) with the number of each head among all (i64, (batch, heads)), and an additive mask (each axis whole or 1), if the bits are
 * set. Result: (batch, heads, queries, value + 1), f32 if q, k and v are halves, whose last column is the logarithm of the sum of the exponentials of a row's
 * scores. */
typedef struct orr__attend {
    int64_t batch, heads, kv, queries, keys, width, value, group;
    int64_t step[4]; /* of the mask along each axis, 0: repeated */
    int64_t window;
    bool causal;
    double scale, drop;
    int key_operand, number_operand, mask_operand; /* −1: none */
} orr__attend;

orr__attend orr__attend_of(const orr__attr *a, const orr_shape *q, const orr_shape *k, const orr_shape *v,
                           const orr_shape *mask);

/* Query i sees the keys [lo, hi). The last query is at the place of the last key. */
static inline int64_t orr__attend_lo(const orr__attend *a, int64_t i)
{
    int64_t lo = a->window ? i + a->keys - a->queries - a->window + 1 : 0;
    return lo < 0 ? 0 : lo > a->keys ? a->keys : lo;
}
static inline int64_t orr__attend_hi(const orr__attend *a, int64_t i)
{
    int64_t place = i + a->keys - a->queries;
    int64_t hi = a->causal ? place + 1 : a->window && place + a->window < a->keys ? place + a->window : a->keys;
    return hi < 0 ? 0 : hi > a->keys ? a->keys : hi;
}

#endif
