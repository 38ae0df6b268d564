/* Matrix products modulo 2^61 − 1: sums of up to 63 products are reduced once.
 * Must not know: the meaning of the matrices. */
#include "config.h"
#include "ops/share/kernels.h"
#include "ops/share/p61.h"

enum { WIDE = 4 }; /* sums side by side, with independent carry chains */

static inline void product_wide(int64_t k, const uint64_t *a, const uint64_t *b, int64_t ldb, uint64_t *out)
{
    uint64_t sum[WIDE] = { 0 };
    for (int64_t from = 0; from < k; from += ORR__P61_TERMS - 1) {
        int64_t to = from + ORR__P61_TERMS - 1 < k ? from + ORR__P61_TERMS - 1 : k;
        orr__u128 s[WIDE];
        for (int w = 0; w < WIDE; w++)
            s[w] = sum[w];
        for (int64_t i = from; i < to; i++)
            for (int w = 0; w < WIDE; w++)
                s[w] += (orr__u128)a[i] * b[i * ldb + w];
        for (int w = 0; w < WIDE; w++)
            sum[w] = orr__p61_reduce(s[w]);
    }
    for (int w = 0; w < WIDE; w++)
        out[w] = sum[w];
}

static uint64_t product_one(int64_t k, const uint64_t *a, const uint64_t *b, int64_t ldb)
{
    uint64_t sum = 0;
    for (int64_t from = 0; from < k; from += ORR__P61_TERMS - 1) {
        int64_t to = from + ORR__P61_TERMS - 1 < k ? from + ORR__P61_TERMS - 1 : k;
        orr__u128 s = sum;
        for (int64_t i = from; i < to; i++)
            s += (orr__u128)a[i] * b[i * ldb];
        sum = orr__p61_reduce(s);
    }
    return sum;
}

void orr__p61_product(int64_t m, int64_t n, int64_t k, const uint64_t *a, int64_t lda, const uint64_t *b, int64_t ldb,
                      uint64_t *out, int64_t ldo)
{
    for (int64_t i = 0; i < m; i++) {
        int64_t j = 0;
        for (; j + WIDE <= n; j += WIDE)
            product_wide(k, a + i * lda, b + j, ldb, out + i * ldo + j);
        for (; j < n; j++)
            out[i * ldo + j] = product_one(k, a + i * lda, b + j, ldb);
    }
}

int64_t orr__p61_above(const uint64_t *x, int64_t n)
{
    for (int64_t from = 0; from < n; from += 1024) {
        int64_t to = from + 1024 < n ? from + 1024 : n;
        uint64_t high = 0;
        for (int64_t i = from; i < to; i++)
            high |= (x[i] + 1) >> 61 | x[i] >> 61;
        for (int64_t i = from; high && i < to; i++)
            if (x[i] >= ORR__P61)
                return i;
    }
    return -1;
}
