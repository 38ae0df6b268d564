/* The windows and the scalars of Σ k_i·p_i. Compiled once.
 * Must not know: points, instruction sets. */
#include "config.h"

#include "codelets/field/kit.h"

int orr__msm_windows(int c)
{
    return (255 + c - 1) / c; /* one bit more than r's 254 keeps the last digit at most 2^(c-1) */
}

/* Per window, a point costs one affine sum and its sorting; a bucket costs two sums in XYZZ, 24 products. Fewer windows
 * than workers leave some idle. */
int orr__msm_bits(const orr__curvekit *g, int64_t n, int workers)
{
    int best = 2;
    double least = 0;
    for (int c = 2; c <= ORR__MSM_BITS; c++) {
        int windows = orr__msm_windows(c), rounds = (windows + workers - 1) / workers;
        double cost = rounds * (g->cost * (double)n + 24.0 * (double)((int64_t)1 << (c - 1)) + 300) + 100;
        if (c == 2 || cost < least) {
            least = cost;
            best = c;
        }
    }
    return best;
}

void orr__msm_scalars(orr__msmscalar *z, const orr__fe *k, int64_t n, int c)
{
    uint64_t shift[4] = { 0 };
    for (int w = 0; w < orr__msm_windows(c) - 1; w++) {
        int bit = w * c + c - 1;
        shift[bit / 64] |= (uint64_t)1 << bit % 64;
    }
    for (int64_t i = 0; i < n; i++) {
        orr__fe v = fe_leave(k[i], &orr__fr);
        unsigned __int128 s = 0;
        for (int j = 0; j < 4; j++) {
            s += (unsigned __int128)v.l[j] + shift[j];
            z[i].l[j] = (uint64_t)s;
            s >>= 64;
        }
    }
}
