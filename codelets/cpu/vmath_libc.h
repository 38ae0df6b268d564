/* Functions of the C library, called element by element; f64 exponential and logarithm without fused multiply-adds.
 * Must not know: loops. */
#ifndef ORR_CPU_VMATH_LIBC_H
#define ORR_CPU_VMATH_LIBC_H

#include "codelets/cpu/vmath_base.h"
#include "codelets/cpu/vmath_normal.h"

#if !VM_FMA

VM_FN double vm_exp_f64(double x)
{
    double c = x > 710.0 ? 710.0 : x;
    c = c < -746.0 ? -746.0 : c;
    double k = c * 0x1.71547652b82fep0 + VM_ROUND64 - VM_ROUND64;
    double r = (c - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b39p-40;
    double p = 0x1.1f730349868cep-29; /* 2^-61 */
    p = p * r + 0x1.af4de97ca4194p-26;
    p = p * r + 0x1.27e4db646b17ep-22;
    p = p * r + 0x1.71de0231960ebp-19;
    p = p * r + 0x1.a01a01a6d889cp-16;
    p = p * r + 0x1.a01a01abe7fe1p-13;
    p = p * r + 0x1.6c16c16c162d4p-10;
    p = p * r + 0x1.11111111100dcp-7;
    p = p * r + 0x1.5555555555556p-5;
    p = p * r + 0x1.5555555555557p-3;
    p = p * r + 0.5;
    double e = 1.0 + (r + r * r * p);
    double h = k * 0.5 + VM_ROUND64 - VM_ROUND64;
    e = e * vm_pow2_f64(h) * vm_pow2_f64(k - h);
    return x != x ? x : e;
}

VM_FN double vm_log_f64(double x)
{
    return vm_normal_log(x);
}

VM_LIBM_F64(expm1)
VM_LIBM_F64(log1p)
VM_LIBM_F64(log2)
VM_LIBM_F64(log10)
VM_LIBM_F64(tanh)
VM_LIBM_F64(erf)
VM_LIBM_F64(erfc)
VM_LIBM1(sin)
VM_LIBM1(cos)
VM_LIBM1(tan)
VM_LIBM1(asin)
VM_LIBM1(acos)
VM_LIBM1(atan)
VM_LIBM1(sinh)
VM_LIBM1(cosh)
VM_LIBM1(asinh)
VM_LIBM1(acosh)
VM_LIBM1(atanh)
VM_LIBM2(atan2)
VM_LIBM2(hypot)
VM_LIBM2(pow)
VM_LIBM2(fmod)

#else

VM_FN double vm_fmod_f64(double x, double y)
{
    return fmod(x, y);
}

#endif

#endif
