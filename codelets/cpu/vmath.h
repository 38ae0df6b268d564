/* Math functions for the loops of the rows: branch-free ones that become vector code, the C library's for the rest.
 * Must not know: loops. */
#ifndef ORR_CPU_VMATH_H
#define ORR_CPU_VMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* vm_<name>_f32 and vm_<name>_f64 stand for the C names of the value expressions. */
#define VM_LIBM1(name)                                                           \
    static inline float vm_##name##_f32(float x) { return name##f(x); }          \
    static inline double vm_##name##_f64(double x) { return name(x); }
#define VM_LIBM2(name)                                                                       \
    static inline float vm_##name##_f32(float x, float y) { return name##f(x, y); }          \
    static inline double vm_##name##_f64(double x, double y) { return name(x, y); }

VM_LIBM1(fabs)
VM_LIBM1(expm1)
VM_LIBM1(log1p)
VM_LIBM1(log2)
VM_LIBM1(log10)
VM_LIBM1(sin)
VM_LIBM1(cos)
VM_LIBM1(tan)
VM_LIBM1(asin)
VM_LIBM1(acos)
VM_LIBM1(atan)
VM_LIBM1(sinh)
VM_LIBM1(cosh)
VM_LIBM1(tanh)
VM_LIBM1(asinh)
VM_LIBM1(acosh)
VM_LIBM1(atanh)
VM_LIBM1(sqrt)
VM_LIBM1(floor)
VM_LIBM1(ceil)
VM_LIBM1(trunc)
VM_LIBM1(rint)
VM_LIBM1(erf)
VM_LIBM1(erfc)
VM_LIBM1(exp)
VM_LIBM1(log)
VM_LIBM2(atan2)
VM_LIBM2(hypot)
VM_LIBM2(pow)
VM_LIBM2(fmod)
VM_LIBM2(copysign)
VM_LIBM2(nextafter)
static inline float vm_fma_f32(float x, float y, float z) { return fmaf(x, y, z); }
static inline double vm_fma_f64(double x, double y, double z) { return fma(x, y, z); }

#endif
