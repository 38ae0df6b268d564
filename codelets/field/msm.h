/* Within the field room: digits of scalars for Σ k_i·p_i.
 * Must not know: points.
 * The digit of window w has c bits: (k + Σ_{v below the last} 2^(c v + c - 1)) >> c w, less 2^(c - 1). It is in -2^(c-1) … 2^(c-1) - 1, and
 * each window is computed without the others. The digit of the last window is not reduced by 2^(c - 1), and is at most 2^(c - 1). */
#ifndef ORR_FIELD_MSM_H
#define ORR_FIELD_MSM_H

#include "codelets/field/field.h"
#include "runtime/base/threshold.h"

static inline int32_t orr__msm_digit(const orr__msmscalar *k, int w, int c, bool top)
{
    int at = w * c, limb = at / 64, bit = at % 64;
    uint64_t v = k->l[limb] >> bit;
    if (bit && limb < 3)
        v |= k->l[limb + 1] << (64 - bit);
    return (int32_t)(v & (((uint64_t)1 << c) - 1)) - (top ? 0 : 1 << (c - 1));
}

#endif
