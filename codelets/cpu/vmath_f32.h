/* f32 functions for processors with fused multiply-adds, computed in f32.
 * Must not know: loops, processors without them. */
/* Polynomials are minimax fits with rounded coefficients; the power after each is its relative error. */
#ifndef ORR_CPU_VMATH_F32_H
#define ORR_CPU_VMATH_F32_H

#include "codelets/cpu/vmath_base.h"

#if VM_FMA

/* -- exponentials ----------------------------------------------------------------------------------------- */

/* x = k·ln 2 + r, |r| ≤ ½ ln 2 if x is c, which bounds k. The scale is 2^k times a constant power, 2^(b - 127) for
 * `magic` = VM_ROUND32 + b: the sum's low bits hold k + b, the exponent. */
VM_FN float vm_reduce_f32(float x, float c, float magic, float *scale)
{
    float t = VM_FMA32(c, 0x1.715476p0f, magic), k = t - magic;
    *scale = vm_float(vm_bits32(t) << 23);
    return VM_FMA32(k, 0x1.05c61p-29f, VM_FMA32(k, -0x1.62e43p-1f, x));
}

/* p with e^r = 1 + r + r²·p, 2^-28 */
VM_FN float vm_exp_tail_f32(float r)
{
    float p = 0x1.6a59fap-10f;
    p = VM_FMA32(p, r, 0x1.123aeap-7f);
    p = VM_FMA32(p, r, 0x1.5558a6p-5f);
    p = VM_FMA32(p, r, 0x1.55549p-3f);
    p = VM_FMA32(p, r, 0x1.fffffcp-2f);
    return p;
}

VM_FN float vm_exp_core_f32(float r)
{
    return VM_FMA32(VM_FMA32(vm_exp_tail_f32(r), r, 1.0f), r, 1.0f);
}

/* The scale is applied in two parts, the second 2^±64, so that neither overflows nor underflows before the result
 * does. */
VM_FN float vm_exp_f32(float x)
{
    float c = vm_max_f32(x, -104.0f), s;
    float r = vm_reduce_f32(c, vm_min_f32(c, 89.0f), x < 0 ? VM_ROUND32 + 191.0f : VM_ROUND32 + 63.0f, &s);
    return vm_exp_core_f32(r) * s * (x < 0 ? 0x1p-64f : 0x1p64f);
}

/* s·(e^r - 1) + (s - 1), halved so that s may be 2^128. */
VM_FN float vm_expm1_f32(float x)
{
    float c = vm_max_f32(x, -40.0f), s;
    float r = vm_reduce_f32(c, vm_min_f32(c, 89.0f), VM_ROUND32 + 126.0f, &s);
    float q = VM_FMA32(r * r, vm_exp_tail_f32(r), r);
    float e = VM_FMA32(s, q, s - 0.5f) * 2.0f;
    return fabsf(x) < 0x1p-64f ? x : e; /* half of a subnormal number may not be representable */
}

/* e/(e + 2), e = e^2|x| - 1 */
VM_FN float vm_tanh_f32(float x)
{
    float a = vm_min_f32(fabsf(x), 10.0f), s;
    float r = vm_reduce_f32(a + a, a + a, VM_ROUND32 + 127.0f, &s);
    float q = VM_FMA32(r * r, vm_exp_tail_f32(r), r);
    float e = VM_FMA32(s, q, s - 1.0f);
    return copysignf(e / (e + 2.0f), x);
}

/* n/(1 + e^-x) for -130 ≤ x ≤ 80. Below -64 the 1 is negligible, and the quotient is kept 2^100 too large until the
 * end: it is rounded into the subnormals once. */
VM_FN float vm_logistic_f32(float n, float x)
{
    float s, r = vm_reduce_f32(-x, -x, x < -64.0f ? VM_ROUND32 + 27.0f : VM_ROUND32 + 127.0f, &s);
    float d = VM_FMA32(vm_exp_core_f32(r), s, x < -64.0f ? 0.0f : 1.0f);
    return n / d * (x < -64.0f ? 0x1p-100f : 1.0f);
}

VM_FN float vm_sigmoid_f32(float x)
{
    return vm_logistic_f32(1.0f, vm_max_f32(vm_min_f32(x, 80.0f), -127.0f));
}

VM_FN float vm_silu_f32(float x)
{
    float a = vm_max_f32(x, -127.0f);
    return vm_logistic_f32(a, vm_min_f32(a, 80.0f));
}

/* x/(1 + 2^-y), y = x·(c1 + c3·x²) with c1, c3 in two parts each: d is the rounding error of the sum s. */
VM_FN float vm_gelu_tanh_f32(float x)
{
    float n = vm_max_f32(x, -11.5f), c = vm_min_f32(n, 9.0f);
    float p = c * c, s = VM_FMA32(p, 0x1.a5a7dp-4f, 0x1.26aecp1f);
    float d = VM_FMA32(VM_FMA32(c, c, -p), 0x1.a5a7dp-4f, VM_FMA32(p, -0x1.151aaep-29f, 0x1.0de73ap-22f));
    d = d + VM_FMA32(p, 0x1.a5a7dp-4f, 0x1.26aecp1f - s);
    float magic = c < -7.0f ? VM_ROUND32 + 27.0f : VM_ROUND32 + 127.0f;
    float t = VM_FMA32(c, -s, magic), k = t - magic;
    float f = VM_FMA32(c, -d, VM_FMA32(c, -s, -k));
    float q = 0x1.417c52p-13f; /* 2^f, 2^-28 */
    q = VM_FMA32(q, f, 0x1.5f0abep-10f);
    q = VM_FMA32(q, f, 0x1.3b2dd2p-7f);
    q = VM_FMA32(q, f, 0x1.c6af78p-5f);
    q = VM_FMA32(q, f, 0x1.ebfbdcp-3f);
    q = VM_FMA32(q, f, 0x1.62e43p-1f);
    q = VM_FMA32(q, f, 1.0f);
    d = VM_FMA32(q, vm_float(vm_bits32(t) << 23), c < -7.0f ? 0.0f : 1.0f);
    return n / d * (c < -7.0f ? 0x1p-100f : 1.0f);
}

/* -- logarithms ------------------------------------------------------------------------------------------- */

/* x = 2^n · (1 + f), √½ ≤ 1 + f < √2, for normal positive x; e = 2^23·n, at the exponent's position in x; down = 2^(1 -
 * n) */
VM_FN float vm_split_f32(float x, float *e, float *down)
{
    uint32_t u = vm_bits32(x), k = (u - 0x3f3504f3u) & 0xff800000u;
    *e = (float)(int32_t)k;
    *down = vm_float(0x40000000u - k);
    return vm_float(u - k) - 1.0f;
}

/* The same, for subnormal x too. */
VM_FN float vm_split_any_f32(float x, float *e)
{
    float down, f = vm_split_f32(x < 0x1p-126f ? x * 0x1p23f : x, e, &down);
    *e = x < 0x1p-126f ? *e - 23.0f * 0x1p23f : *e;
    return f;
}

/* p with log(1 + f) = f + f²·p, 2^-27 */
VM_FN float vm_log_tail_f32(float f)
{
    float p = -0x1.389ae8p-4f;
    p = VM_FMA32(p, f, 0x1.05589p-3f);
    p = VM_FMA32(p, f, -0x1.0d8834p-3f);
    p = VM_FMA32(p, f, 0x1.22da46p-3f);
    p = VM_FMA32(p, f, -0x1.547204p-3f);
    p = VM_FMA32(p, f, 0x1.99a01p-3f);
    p = VM_FMA32(p, f, -0x1.000228p-2f);
    p = VM_FMA32(p, f, 0x1.555554p-2f);
    return VM_FMA32(p, f, -0.5f);
}

VM_FN float vm_log_f32(float x)
{
    float e, f = vm_split_any_f32(x, &e);
    float r = VM_FMA32(f * f, vm_log_tail_f32(f), VM_FMA32(e, -0x1.05c61p-52f, f));
    return vm_log_edges(x, VM_FMA32(e, 0x1.62e43p-24f, r));
}

VM_FN float vm_log2_f32(float x)
{
    float e, f = vm_split_any_f32(x, &e);
    return vm_log_edges(x, VM_FMA32(VM_FMA32(f * f, vm_log_tail_f32(f), f), 0x1.715476p0f, e * 0x1p-23f));
}

VM_FN float vm_log10_f32(float x)
{
    float e, f = vm_split_any_f32(x, &e);
    float r = VM_FMA32(VM_FMA32(f * f, vm_log_tail_f32(f), f), 0x1.bcb7b2p-2f, e * -0x1.ec10cp-50f);
    return vm_log_edges(x, VM_FMA32(e, 0x1.344136p-25f, r));
}

/* The rounding error of 1 + x is added to f. */
VM_FN float vm_log1p_f32(float x)
{
    float u = 1.0f + x, e, down, f = vm_split_f32(u, &e, &down);
    f = VM_FMA32(x - (u - 1.0f), 0.5f * down, f);
    float r = VM_FMA32(f * f, vm_log_tail_f32(f), e * -0x1.05c61p-52f) + f;
    return copysignf(vm_log_edges(u, VM_FMA32(e, 0x1.62e43p-24f, r)), x);
}

/* -- the error function ------------------------------------------------------------------------------------- */

/* 1 - (1 - v)⁴ = v·(2 - v)·(1 + (1 - v)²), v = 1 - ∜erfc(a) = a·P(a), 2^-26: without an exponential. P's constant is in two
 * parts. The largest a gives 1. */
VM_FN float vm_erf_f32(float x)
{
    float a = vm_min_f32(fabsf(x), 3.96875f);
    float p = -0x1.75c64cp-19f;
    p = VM_FMA32(p, a, 0x1.309f3ep-15f);
    p = VM_FMA32(p, a, -0x1.1273ep-13f);
    p = VM_FMA32(p, a, -0x1.ceed74p-13f);
    p = VM_FMA32(p, a, 0x1.025d68p-9f);
    p = VM_FMA32(p, a, 0x1.38fccap-10f);
    p = VM_FMA32(p, a, -0x1.30f29ap-6f);
    p = VM_FMA32(p, a, -0x1.fac3cep-7f);
    p = VM_FMA32(p, a, 0x1.e8ecc2p-4f);
    p = VM_FMA32(p, a, -0x1.f7ac92p-27f);
    float v = VM_FMA32(a, 0x1.20dd76p-2f, a * p), w = 1.0f - v;
    v = VM_FMA32(v, w, v);
    return copysignf(VM_FMA32(v, w * w, v), x);
}

/* e^(-a²)·P(a), P = u·Q(u - 1), u = 5/(a + 2.5), Q to 2^-24, for a ≤ 10.2. Corrections: the rounding error of the
 * square, and those of the sum and quotient in u times the derivative of P by a, 2aP - 2/√π. */
VM_FN float vm_erfc_f32(float x)
{
    float a = vm_min_f32(fabsf(x), 10.2f), s;
    float d = a + 2.5f, u = 5.0f / d, v = u - 1.0f, z = a * a, p = -0x1.dcf118p-16f;
    float down = vm_min_f32(a, 2.5f) - (d - vm_max_f32(a, 2.5f)), lost = VM_FMA32(-u, down, VM_FMA32(-u, d, 5.0f));
    p = VM_FMA32(p, v, 0x1.07bc4p-13f);
    p = VM_FMA32(p, v, 0x1.b8f66p-14f);
    p = VM_FMA32(p, v, -0x1.f7b976p-11f);
    p = VM_FMA32(p, v, -0x1.b986e8p-10f);
    p = VM_FMA32(p, v, 0x1.73baaep-8f);
    p = VM_FMA32(p, v, 0x1.18956ap-5f);
    p = VM_FMA32(p, v, 0x1.73d8b2p-4f);
    p = VM_FMA32(p, v, 0x1.4995dap-3f);
    p = VM_FMA32(p, v, 0x1.afbb4p-3f) * u;
    p = VM_FMA32(lost * d * 0.2f, VM_FMA32(-2.0f * a, p, 0x1.20dd76p0f), p);
    float r = vm_reduce_f32(-z, -z, VM_ROUND32 + 191.0f, &s) - VM_FMA32(a, a, -z);
    float c = vm_exp_core_f32(r) * p * s * 0x1p-64f;
    return x < 0 ? 2.0f - c : c;
}

/* x·Φ(x); Φ(-a) = e^(-a²/2)·G(a), G = u·Q(u - 1), u = 7/(a + 3.5), Q to 2^-25, for a ≤ 15.9. Corrections as in erfc;
 * the derivative of G is aG - 1/√(2π). */
VM_FN float vm_gelu_f32(float x)
{
    float n = vm_max_f32(x, -15.9f), a = vm_min_f32(fabsf(n), 15.9f), s;
    float d = a + 3.5f, u = 7.0f / d, v = u - 1.0f, z = a * a, p = -0x1.f7921ap-17f;
    float down = vm_min_f32(a, 3.5f) - (d - vm_max_f32(a, 3.5f)), lost = VM_FMA32(-u, down, VM_FMA32(-u, d, 7.0f));
    p = VM_FMA32(p, v, 0x1.edc4p-15f);
    p = VM_FMA32(p, v, 0x1.28758cp-14f);
    p = VM_FMA32(p, v, -0x1.da9528p-12f);
    p = VM_FMA32(p, v, -0x1.e66ff8p-11f);
    p = VM_FMA32(p, v, 0x1.45e554p-9f);
    p = VM_FMA32(p, v, 0x1.0fa19ap-6f);
    p = VM_FMA32(p, v, 0x1.712338p-5f);
    p = VM_FMA32(p, v, 0x1.4aef36p-4f);
    p = VM_FMA32(p, v, 0x1.b396fap-4f);
    p = VM_FMA32(p, u, lost * d * (1.0f / 7.0f) * VM_FMA32(-a, p * u, 0x1.988454p-2f));
    float h = -0.5f * z, r = VM_FMA32(-0.5f, VM_FMA32(a, a, -z), vm_reduce_f32(h, h, VM_ROUND32 + 191.0f, &s));
    float c = vm_exp_core_f32(r) * p * s;
    return x < 0 ? n * c * 0x1p-64f : VM_FMA32(-a, c * 0x1p-64f, x);
}

#endif
#endif
