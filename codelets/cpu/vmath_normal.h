/* The logarithm and the sine and cosine of normal random numbers.
 * Must not know: loops, the processor's features: the numbers are the same on each. */
#ifndef ORR_CPU_VMATH_NORMAL_H
#define ORR_CPU_VMATH_NORMAL_H

#include "codelets/cpu/vmath_base.h"

/* x = 2^e · (1 + f), √½ ≤ 1 + f < √2, for normal positive x. */
VM_FN double vm_split(double x, double *e)
{
    uint64_t u = vm_bits64(x), biased = (u - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u) >> 52;
    *e = vm_double(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
    return vm_double(u - (biased << 52) + 0x3ff0000000000000u) - 1.0;
}

VM_FN double vm_normal_log(double x)
{
    double small = x < 0x1p-1022 ? 54.0 : 0.0, e, f = vm_split(x * (x < 0x1p-1022 ? 0x1p54 : 1.0), &e);
    double s = f / (2.0 + f), z = s * s, p = 0x1.2b5f68a50d903p-3; /* 2^-57 */
    p = p * z + 0x1.39fdcceb4bb45p-3;
    p = p * z + 0x1.7462b91b8df65p-3;
    p = p * z + 0x1.c71c62d5e53e0p-3;
    p = p * z + 0x1.2492492dfd86cp-2;
    p = p * z + 0x1.9999999995273p-2;
    p = p * z + 0x1.5555555555558p-1;
    double h = 0.5 * f * f;
    e -= small;
    double r = e * 0x1.62e42fefa0000p-1 - ((h - (s * (h + z * p) + e * 0x1.cf79abc9e3b39p-40)) - f);
    r = x == (double)INFINITY ? (double)INFINITY : r;
    r = x == 0 ? -(double)INFINITY : r;
    return x >= 0 ? r : (double)NAN;
}

/* For 0 ≤ x ≤ 2π. π/2 is in three parts, the first two so short that their multiples are exact. */
VM_FN void vm_normal_circle(double x, double *sine, double *cosine)
{
    double q = x * 0x1.45f306dc9c883p-1 + VM_ROUND64, k = q - VM_ROUND64;
    double r = ((x - k * 0x1.921fb54400000p0) - k * 0x1.0b4611a600000p-34) - k * 0x1.3198a2e037073p-69;
    double z = r * r, s = 0x1.5e0a4fc16be59p-33, c = -0x1.907cd8ff5ede7p-37; /* 2^-55, 2^-59 */
    s = s * z + -0x1.ae6008d114485p-26;
    s = s * z + 0x1.71de37946ed6dp-19;
    s = s * z + -0x1.a01a019e820aep-13;
    s = s * z + 0x1.1111111110babp-7;
    s = s * z + -0x1.5555555555555p-3;
    s = r + r * z * s;
    c = c * z + 0x1.1eeb67d026ec6p-29;
    c = c * z + -0x1.27e4fa16cc2d1p-22;
    c = c * z + 0x1.a01a019f4ddfdp-16;
    c = c * z + -0x1.6c16c16c16963p-10;
    c = c * z + 0x1.5555555555555p-5;
    double h = 0.5 * z, w = 1.0 - h;
    c = w + (((1.0 - w) - h) + z * z * c);
    uint64_t quarter = vm_bits64(q);
    double a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = vm_double(vm_bits64(a) ^ (quarter & 2) << 62);
    *cosine = vm_double(vm_bits64(b) ^ ((quarter + 1) & 2) << 62);
}

#endif
