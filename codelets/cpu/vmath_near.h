/* Circular functions of arguments that are not large: two or three fused multiply-adds subtract the multiple of π/2. A
 * loop whose arguments are all near computes only these; vm_sin_f32 and similar functions choose element by element,
 * with the same bits.
 * Must not know: loops, processors without them. */
#ifndef ORR_CPU_VMATH_NEAR_H
#define ORR_CPU_VMATH_NEAR_H

#include "codelets/cpu/vmath_trig.h"

#if VM_FMA

/* Up to this bound π/2 in three parts is exact enough for every number next to a multiple of it. NaN counts as far. */
VM_FN int vm_is_far_f32(float x)
{
    return !(fabsf(x) <= 0x1p16f);
}

VM_FN int vm_is_far_f64(double x)
{
    return !(fabs(x) <= 0x1p20);
}

/* -- f32: 1.6 ulp --------------------------------------------------------------------------------------------- */

/* x = k·π/2 + r, |r| ≤ π/4; the low bits of the result are k. */
VM_FN uint32_t vm_near_turns_f32(float x, float *r)
{
    float t = VM_FMA32(x, 0x1.45f306p-1f, VM_ROUND32), k = t - VM_ROUND32;
    *r = VM_FMA32(k, 0x1.ee59dap-50f, VM_FMA32(k, 0x1.777a5cp-25f, VM_FMA32(k, -0x1.921fb6p0f, x)));
    return vm_bits32(t);
}

/* sin r and cos r, z = r²: 2^-27, 2^-32 */
VM_FN float vm_near_sine_f32(float r, float z)
{
    float p = VM_FMA32(z, -0x1.995404p-13f, 0x1.110778p-7f);
    return VM_FMA32(r * z, VM_FMA32(p, z, -0x1.555546p-3f), r);
}

VM_FN float vm_near_cosine_f32(float z)
{
    float p = VM_FMA32(z, 0x1.99e910p-16f, -0x1.6c0c2ap-10f);
    p = VM_FMA32(p, z, 0x1.55554ap-5f);
    return VM_FMA32(VM_FMA32(p, z, -0.5f), z, 1.0f);
}

VM_FN float vm_near_sin_f32(float x)
{
    float r;
    uint32_t k = vm_near_turns_f32(x, &r);
    float z = r * r, y = k & 1 ? vm_near_cosine_f32(z) : vm_near_sine_f32(r, z);
    return x == 0 ? x : vm_float(vm_bits32(y) ^ (k & 2) << 30);
}

VM_FN float vm_near_cos_f32(float x)
{
    float r;
    uint32_t k = vm_near_turns_f32(x, &r);
    float z = r * r, y = k & 1 ? vm_near_sine_f32(r, z) : vm_near_cosine_f32(z);
    return vm_float(vm_bits32(y) ^ ((k + 1) & 2) << 30);
}

/* -- f64 ------------------------------------------------------------------------------------------------------ */

/* x = k·π/2 + r + *low, |r| ≤ π/4; the low bits of the result are k. */
VM_FN uint64_t vm_near_turns_f64(double x, double *r, double *low)
{
    double t = VM_FMA64(x, 0x1.45f306dc9c883p-1, VM_ROUND64), k = t - VM_ROUND64;
    double s = VM_FMA64(k, -0x1.921fb54442d18p0, x), p = k * 0x1.1a62633145c07p-54;
    *r = s - p;
    *low = VM_FMA64(k, 0x1.f1976b7ed8fbcp-110, ((s - *r) - p) - VM_FMA64(k, 0x1.1a62633145c07p-54, -p));
    return vm_bits64(t);
}

VM_FN double vm_near_sin_f64(double x)
{
    double r, low;
    uint64_t k = vm_near_turns_f64(x, &r, &low);
    double v = k & 1 ? vm_cosine_f64(r, low) : vm_sine_f64(r, low);
    return x == 0 ? x : vm_double(vm_bits64(v) ^ (k & 2) << 62);
}

VM_FN double vm_near_cos_f64(double x)
{
    double r, low;
    uint64_t k = vm_near_turns_f64(x, &r, &low);
    double v = k & 1 ? vm_sine_f64(r, low) : vm_cosine_f64(r, low);
    return vm_double(vm_bits64(v) ^ ((k + 1) & 2) << 62);
}

/* -- arguments of any size -------------------------------------------------------------------------------------- */

VM_FN double vm_sin_f64(double x)
{
    return vm_is_far_f64(x) ? vm_far_sin_f64(x) : vm_near_sin_f64(x);
}

VM_FN double vm_cos_f64(double x)
{
    return vm_is_far_f64(x) ? vm_far_cos_f64(x) : vm_near_cos_f64(x);
}

#else

/* The C library's functions accept all arguments. */
#define vm_is_far_f32(x) 0
#define vm_is_far_f64(x) 0
#define vm_near_sin_f32 vm_sin_f32
#define vm_near_cos_f32 vm_cos_f32
#define vm_near_sin_f64 vm_sin_f64
#define vm_near_cos_f64 vm_cos_f64

#endif
#endif
