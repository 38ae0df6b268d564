/* f32 functions for processors without fused multiply-adds, through f64.
 * Must not know: loops, processors that have them. */
/* Polynomials are Chebyshev fits; the power after each is its relative error. An f32 function that would lose digits in
 * f32 is computed in f64, with a polynomial that is just precise enough for f32. */
#ifndef ORR_CPU_VMATH_PLAIN_H
#define ORR_CPU_VMATH_PLAIN_H

#include "codelets/cpu/vmath_base.h"
#include "codelets/cpu/vmath_normal.h"

#if !VM_FMA

/* e^x = 2^k · e^r, |r| ≤ ½ ln 2. The scale is applied in halves, so that it neither overflows nor underflows before the
 * result does; the last product rounds into the subnormals. */
VM_FN float vm_exp_f32(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    float k = c * 0x1.715476p0f + VM_ROUND32 - VM_ROUND32;
    float r = (c - k * 0x1.62ep-1f) - k * 0x1.0bfbe8p-15f; /* ln 2; its first part is short: k times it is exact */
    float p = 0x1.a124f2p-13f;                             /* 2^-32 */
    p = p * r + 0x1.6d4324p-10f;
    p = p * r + 0x1.1110e0p-7f;
    p = p * r + 0x1.5554eap-5f;
    p = p * r + 0x1.555556p-3f;
    p = p * r + 0.5f;
    float e = 1.0f + (r + r * r * p);
    float h = k * 0.5f + VM_ROUND32 - VM_ROUND32;
    e = e * vm_pow2_f32(h) * vm_pow2_f32(k - h);
    return x != x ? x : e;
}

/* q with e^x = s · (1 + q), to 2^-42 for |x| ≤ 700 */
VM_FN double vm_exp_parts(double x, double *s)
{
    double k = x * 0x1.71547652b82fep0 + VM_ROUND64 - VM_ROUND64;
    double r = (x - k * 0x1.62e42fefa0000p-1) - k * 0x1.cf79abc9e3b39p-40;
    double p = 0x1.72ad458027fbcp-19;
    p = p * r + 0x1.a136bf03ec612p-16;
    p = p * r + 0x1.a019c36bc053cp-13;
    p = p * r + 0x1.6c166bde96885p-10;
    p = p * r + 0x1.111111170bc08p-7;
    p = p * r + 0x1.55555565c7e0ep-5;
    p = p * r + 0x1.5555555554f96p-3;
    p = p * r + 0x1.fffffffffe062p-2;
    *s = vm_pow2_f64(k);
    return r + r * r * p;
}

/* e^x - 1, without cancellation near 0 */
VM_FN double vm_expm1_rough(double x)
{
    double s, q = vm_exp_parts(x, &s);
    return s * q + (s - 1.0);
}

VM_FN float vm_expm1_f32(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -40.0f ? -40.0f : c;
    float r = (float)vm_expm1_rough((double)c);
    return ((x != x) | (x == 0)) ? x : r;
}

VM_FN float vm_tanh_f32(float x)
{
    float a = fabsf(x);
    double e = vm_expm1_rough(2.0 * (double)(a > 20.0f ? 20.0f : a));
    float r = copysignf((float)(e / (e + 2.0)), x);
    return x != x ? x : r;
}

/* -- logarithms ------------------------------------------------------------------------------------------- */

/* log(1 + f) to 2^-43 */
VM_FN double vm_log_rough(double f)
{
    double s = f / (2.0 + f), z = s * s, p = 0x1.8c92867b49a01p-3;
    p = p * z + 0x1.c67a84e8a4ba0p-3;
    p = p * z + 0x1.249324907dae3p-2;
    p = p * z + 0x1.999998ca249fbp-2;
    p = p * z + 0x1.5555555564fdap-1;
    return s * (2.0 + z * p);
}

VM_FN float vm_log_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e * 0x1.62e42fefa39efp-1 + vm_log_rough(f)));
}

VM_FN float vm_log2_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e + vm_log_rough(f) * 0x1.71547652b82fep0));
}

VM_FN float vm_log10_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e * 0x1.34413509f79ffp-2 + vm_log_rough(f) * 0x1.bcb7b1526e50ep-2));
}

/* The rounding error of 1 + x is corrected to first order. */
VM_FN float vm_log1p_f32(float x)
{
    double u = 1.0 + (double)x, e, f = vm_split(u, &e);
    double lost = ((double)x - (u - 1.0)) / u;
    float r = (float)(e * 0x1.62e42fefa39efp-1 + (vm_log_rough(f) + lost));
    r = vm_log_edges((float)u, r);
    return x == 0 ? x : r;
}

/* -- the error function ------------------------------------------------------------------------------------- */

/* erfc(a) = e^(-a²) · P(t), t = (a - 2.5)/(a + 2.5), for 0 ≤ a ≤ 10.3; the square of an f32 is exact. */
VM_FN double vm_erfc_rough(double a)
{
    double t = (a - 2.5) / (a + 2.5), p = 0x1.8ef8727d0bb09p-18; /* 2^-34 */
    p = p * t + 0x1.fc68d22003e38p-17;
    p = p * t + -0x1.1c0d6a65e80c6p-15;
    p = p * t + -0x1.09c7228da4c8dp-13;
    p = p * t + 0x1.df3c47fd76160p-13;
    p = p * t + 0x1.cae1151965edep-11;
    p = p * t + -0x1.5a593b6f9c76ap-9;
    p = p * t + -0x1.05b95e735c385p-8;
    p = p * t + 0x1.470ba633729d4p-5;
    p = p * t + -0x1.00115545ae7b0p-3;
    p = p * t + 0x1.01c11a6eed007p-2;
    p = p * t + -0x1.7ca88de935cbfp-2;
    p = p * t + 0x1.afbb3f3b775fep-3;
    double s, q = vm_exp_parts(-a * a, &s);
    return p * (s + s * q);
}

VM_FN float vm_erfc_f32(float x)
{
    double a = (double)fabsf(x), c = vm_erfc_rough(a > 10.3 ? 10.3 : a);
    float r = (float)(x < 0 ? 2.0 - c : c);
    return x != x ? x : r;
}

VM_FN float vm_erf_f32(float x)
{
    double a = (double)fabsf(x), z = a * a;
    double c = 1.0 - vm_erfc_rough(a > 10.3 ? 10.3 : a), p = 0x1.1c41ab6eec487p-20; /* below 1: 2^-40 */
    p = p * z + -0x1.d2b8522d6f7cbp-17;
    p = p * z + 0x1.f57e9cee106c1p-14;
    p = p * z + -0x1.bfe158a7be278p-11;
    p = p * z + 0x1.56588b32275a7p-8;
    p = p * z + -0x1.b82cbae7577a7p-6;
    p = p * z + 0x1.ce2f20a7415c6p-4;
    p = p * z + -0x1.812746ade3c08p-2;
    p = p * z + 0x1.20dd750428cb9p0;
    float r = copysignf((float)(a < 1.0 ? a * p : c), x);
    return x != x ? x : r;
}

#endif
#endif
