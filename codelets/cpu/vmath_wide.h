/* f32 functions through f64 for processors with fused multiply-adds: circular, arc and hyperbolic functions, powers.
 * Must not know: loops, processors without them. */
#ifndef ORR_CPU_VMATH_WIDE_H
#define ORR_CPU_VMATH_WIDE_H

#include "codelets/cpu/vmath_inverse.h"
#include "codelets/cpu/vmath_near.h"
#include "codelets/cpu/vmath_pow.h"

#if VM_FMA

/* -- circles ---------------------------------------------------------------------------------------------- */

/* x = (k + f)·π/2, |f| ≤ ½; the low bits of the result are k. A large x is a multiple of 2^n, so the bits of 2/π whose
 * products with it are multiples of 4 are left out. 106 of the remaining bits give f 53 bits right of the point, for
 * every f32. */
VM_FN uint64_t vm_turns_f32(double x, double *f)
{
    double a = fabs(x), c = 0x1.45f306dc9c883p-1, d = -0x1.6b01ec5417056p-55;
    c = a >= 0x1p51 ? 0x1.727220a94fe14p-27 : c;
    d = a >= 0x1p51 ? -0x1.505c1596447e5p-81 : d;
    c = a >= 0x1p77 ? 0x1.4a7f09d5f47d5p-54 : c;
    d = a >= 0x1p77 ? -0x1.6447e493ad4cep-109 : d;
    c = a >= 0x1p103 ? 0x1.abe8fa9a6ee07p-79 : c;
    d = a >= 0x1p103 ? -0x1.275a99b0ef1bfp-134 : d;
    double p = x * c, q = p + VM_ROUND64;
    double r = (p - (q - VM_ROUND64)) + VM_FMA64(x, d, VM_FMA64(x, c, -p)), t = r + VM_ROUND64;
    *f = r - (t - VM_ROUND64);
    return vm_bits64(q) + vm_bits64(t);
}

/* sin(f·π/2) and cos(f·π/2): 2^-28, 2^-34 */
VM_FN double vm_sine_f32(double f, double z)
{
    double p = VM_FMA64(z, -0x1.2d967b7d0bf79p-8, 0x1.465eaa48f2ba7p-4);
    p = VM_FMA64(p, z, -0x1.4abbb95f82cb9p-1);
    return f * VM_FMA64(p, z, 0x1.921fb52fccf32p0);
}

VM_FN double vm_cosine_f32(double z)
{
    double p = VM_FMA64(z, 0x1.d9d56d9a0921dp-11, -0x1.55c5dfe581b58p-6);
    p = VM_FMA64(p, z, 0x1.03c1dd9799ec9p-2);
    p = VM_FMA64(p, z, -0x1.3bd3cc7b8ba4bp0);
    return VM_FMA64(p, z, 1.0);
}

VM_FN float vm_far_sin_f32(float x)
{
    double f;
    uint64_t k = vm_turns_f32((double)x, &f);
    double s = vm_sine_f32(f, f * f), c = vm_cosine_f32(f * f), r = k & 1 ? c : s;
    return (float)vm_double(vm_bits64(r) ^ (k & 2) << 62);
}

VM_FN float vm_far_cos_f32(float x)
{
    double f;
    uint64_t k = vm_turns_f32((double)x, &f);
    double s = vm_sine_f32(f, f * f), c = vm_cosine_f32(f * f), r = k & 1 ? s : c;
    return (float)vm_double(vm_bits64(r) ^ ((k + 1) & 2) << 62);
}

VM_FN float vm_sin_f32(float x)
{
    return vm_is_far_f32(x) ? vm_far_sin_f32(x) : vm_near_sin_f32(x);
}

VM_FN float vm_cos_f32(float x)
{
    return vm_is_far_f32(x) ? vm_far_cos_f32(x) : vm_near_cos_f32(x);
}

VM_FN float vm_tan_f32(float x)
{
    double f;
    uint64_t k = vm_turns_f32((double)x, &f);
    double s = vm_sine_f32(f, f * f), c = vm_cosine_f32(f * f);
    float y = (float)((k & 1 ? -c : s) / (k & 1 ? s : c));
    return x == 0 ? x : y;
}

/* -- powers ------------------------------------------------------------------------------------------------- */

/* 2^u, 2^-34, for |u| ≤ 1000 */
VM_FN double vm_exp2_rough(double u)
{
    double q = u + (VM_ROUND64 + 1023.0), f = u - (q - (VM_ROUND64 + 1023.0)), p = 0x1.fdd8974e635d8p-17;
    p = VM_FMA64(p, f, 0x1.445cbab69adffp-13);
    p = VM_FMA64(p, f, 0x1.5d8a90f9be959p-10);
    p = VM_FMA64(p, f, 0x1.3b29f3537c72bp-7);
    p = VM_FMA64(p, f, 0x1.c6b08ab73474p-5);
    p = VM_FMA64(p, f, 0x1.ebfbe077e5748p-3);
    p = VM_FMA64(p, f, 0x1.62e42ff0e3a8ap-1);
    return VM_FMA64(p, f, 1.0) * vm_double(vm_bits64(q) << 52);
}

VM_FN float vm_pow_f32(float x, float y)
{
    double a = fabs((double)x), u = (double)y * vm_log2_f64(a);
    u = vm_max_f64(vm_min_f64(u, 200.0), -200.0);
    return (float)vm_pow_edges((double)x, (double)y, vm_exp2_rough(u));
}

/* -- remainders --------------------------------------------------------------------------------------------- */

/* x less the nearest multiple of y whose factor fits into 53 bits: exact, and each step reduces x by 2^50 until
 * done. */
VM_FN double vm_less_f32(double x, double y, double i)
{
    return VM_FMA64(rint(x * i), -y, x);
}

VM_FN float vm_fmod_f32(float x, float y)
{
    double a = fabs((double)x), b = fabs((double)y), i = 1.0 / b, r = a;
    r = vm_less_f32(vm_less_f32(vm_less_f32(r, b, i), b, i), b, i);
    r = vm_less_f32(vm_less_f32(vm_less_f32(r, b, i), b, i), b, i);
    r = r < 0 ? r + b : r;
    r = ((b == (double)INFINITY) & (a < (double)INFINITY)) ? a : r;
    return (float)copysign(r, (double)x);
}

/* -- rounded f64 -------------------------------------------------------------------------------------------- */

#define VM_NARROW(name)                                                                                                \
    VM_FN float vm_##name##_f32(float x)                                                                               \
    {                                                                                                                  \
        return (float)vm_##name##_f64((double)x);                                                                      \
    }
VM_NARROW(asin)
VM_NARROW(acos)
VM_NARROW(atan)
VM_NARROW(sinh)
VM_NARROW(cosh)
VM_NARROW(asinh)
VM_NARROW(acosh)
VM_NARROW(atanh)

VM_FN float vm_atan2_f32(float y, float x)
{
    return (float)vm_atan2_f64((double)y, (double)x);
}

VM_FN float vm_hypot_f32(float x, float y)
{
    double c = (double)x, d = (double)y, r = sqrt(c * c + d * d);
    return (float)(((fabs(c) == (double)INFINITY) | (fabs(d) == (double)INFINITY)) ? (double)INFINITY : r);
}

#endif
#endif
