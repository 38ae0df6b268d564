/* Numbers as integers modulo M, and back.
 * Must not know: tensors. */
#include "config.h"
#include <math.h>
#include "ops/share/kernels.h"
#include "ops/share/p61.h"

/* v, |v| ≤ (M − 1)/2, as an element. */
static inline void put(orr_modulus modulus, void *out, int64_t i, int64_t v)
{
    if (modulus == ORR_MOD_2_32)
        ((uint32_t *)out)[i] = (uint32_t)(uint64_t)v;
    else if (modulus == ORR_MOD_2_64)
        ((uint64_t *)out)[i] = (uint64_t)v;
    else
        ((uint64_t *)out)[i] = (uint64_t)v + (ORR__P61 & (0 - (uint64_t)(v < 0)));
}

static inline int64_t get(orr_modulus modulus, const void *t, int64_t i)
{
    if (modulus == ORR_MOD_2_32)
        return (int32_t)((const uint32_t *)t)[i];
    uint64_t x = ((const uint64_t *)t)[i];
    return modulus == ORR_MOD_2_64 ? (int64_t)x : x > ORR__P61 / 2 ? (int64_t)x - (int64_t)ORR__P61 : (int64_t)x;
}

static int64_t encode_integers(orr_modulus modulus, int fraction, int64_t limit, orr_dtype dtype, const int64_t *x,
                               int64_t n, void *out)
{
    int64_t most = limit >> fraction;
    for (int64_t i = 0; i < n; i++) {
        if (dtype == ORR_U64 ? (uint64_t)x[i] > (uint64_t)most : x[i] > most || x[i] < -most)
            return i;
        put(modulus, out, i, (int64_t)((uint64_t)x[i] << fraction));
    }
    return -1;
}

int64_t orr__fixed_encode(orr_modulus modulus, int fraction, int64_t limit, orr_dtype dtype, const void *x, int64_t n,
                          void *out)
{
    if (dtype == ORR_I64 || dtype == ORR_U64)
        return encode_integers(modulus, fraction, limit, dtype, x, n, out);
    double scale = ldexp(1.0, fraction);
    for (int64_t i = 0; i < n; i++) {
        double v = rint((dtype == ORR_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i]) * scale);
        if (!(fabs(v) < 0x1p63) || (int64_t)fabs(v) > limit)
            return i;
        put(modulus, out, i, (int64_t)v);
    }
    return -1;
}

void orr__fixed_decode(orr_modulus modulus, int fraction, const void *t, int64_t n, double *out)
{
    double scale = ldexp(1.0, -fraction);
    for (int64_t i = 0; i < n; i++)
        out[i] = (double)get(modulus, t, i) * scale;
}

void orr__fixed_signed(orr_modulus modulus, const void *t, int64_t n, int64_t *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = get(modulus, t, i);
}
