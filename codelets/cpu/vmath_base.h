/* Basics of the loops' math functions: bits, fused multiply-adds, rounding, the C library's functions.
 * Must not know: loops. */
#ifndef ORR_CPU_VMATH_BASE_H
#define ORR_CPU_VMATH_BASE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A loop with a call does not vectorise, and a compiler may refuse to inline a long function. */
#if defined(__GNUC__)
#define VM_FN static inline __attribute__((always_inline, unused))
#else
#define VM_FN static inline
#endif

/* True if a fused multiply-add is one instruction. Compiled kernels decide as the interpreter's loops do. */
#ifndef VM_FMA
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
#define VM_FMA 1
#else
#define VM_FMA 0
#endif
#endif

/* a·b + c, rounded once where that is one instruction */
#if VM_FMA
#define EW_WHOLE 1 /* vm_sigmoid_f32 and similar functions exist: see ops/ew_prelude.h */
#define VM_FMA32(a, b, c) __builtin_fmaf(a, b, c)
#define VM_FMA64(a, b, c) __builtin_fma(a, b, c)
#else
#define VM_FMA32(a, b, c) ((a) * (b) + (c))
#define VM_FMA64(a, b, c) ((a) * (b) + (c))
#endif

VM_FN uint32_t vm_bits32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

VM_FN float vm_float(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

VM_FN uint64_t vm_bits64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

VM_FN double vm_double(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Adding them rounds to an integer, which is then in the low bits. */
#define VM_ROUND32 0x1.8p23f
#define VM_ROUND64 0x1.8p52

/* gcc 12 compiles a vector's selection with a literal to a comparison and a blend, and one with an unknown number to a
 * minimum. It must not see that these are 0. */
#if defined(__GNUC__) && !defined(__clang__)
static float vm_zero_f32 __attribute__((used)) = 0.0f;
static double vm_zero_f64 __attribute__((used)) = 0.0;
#else
#define vm_zero_f32 0.0f
#define vm_zero_f64 0.0
#endif

/* The smaller of x and a literal c other than 0, and the larger; x where it is NaN. */
VM_FN float vm_min_f32(float x, float c)
{
    float d = c + vm_zero_f32;
    return d < x ? d : x;
}

VM_FN float vm_max_f32(float x, float c)
{
    float d = c + vm_zero_f32;
    return d > x ? d : x;
}

VM_FN double vm_min_f64(double x, double c)
{
    double d = c + vm_zero_f64;
    return d < x ? d : x;
}

VM_FN double vm_max_f64(double x, double c)
{
    double d = c + vm_zero_f64;
    return d > x ? d : x;
}

/* 2^k for an integer k of normal range. */
VM_FN float vm_pow2_f32(float k)
{
    return vm_float((vm_bits32(k + VM_ROUND32) << 23) + 0x3f800000u);
}

VM_FN double vm_pow2_f64(double k)
{
    return vm_double((vm_bits64(k + VM_ROUND64) << 52) + 0x3ff0000000000000u);
}

/* The special cases of every logarithm. */
VM_FN float vm_log_edges(float x, float r)
{
    r = x == INFINITY ? INFINITY : r;
    r = x == 0 ? -INFINITY : r;
    return x >= 0 ? r : NAN;
}

/* -- the C library's ------------------------------------------------------------------------------------------ */

/* vm_<name>_f32 and vm_<name>_f64 replace the C names of the value expressions. */
#define VM_LIBM_F64(name)                                                                                              \
    VM_FN double vm_##name##_f64(double x)                                                                             \
    {                                                                                                                  \
        return name(x);                                                                                                \
    }
#define VM_LIBM1(name)                                                                                                 \
    VM_FN float vm_##name##_f32(float x)                                                                               \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }                                                                                                                  \
    VM_LIBM_F64(name)
#define VM_LIBM2(name)                                                                                                 \
    VM_FN float vm_##name##_f32(float x, float y)                                                                      \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }                                                                                                                  \
    VM_FN double vm_##name##_f64(double x, double y)                                                                   \
    {                                                                                                                  \
        return name(x, y);                                                                                             \
    }

VM_LIBM1(fabs)
VM_LIBM1(sqrt)
VM_LIBM1(floor)
VM_LIBM1(ceil)
VM_LIBM1(trunc)
VM_LIBM1(rint)
VM_LIBM2(copysign)
VM_LIBM2(nextafter)
VM_FN float vm_fma_f32(float x, float y, float z)
{
    return fmaf(x, y, z);
}
VM_FN double vm_fma_f64(double x, double y, double z)
{
    return fma(x, y, z);
}

#endif
