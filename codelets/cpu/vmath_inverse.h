/* f64 arc and hyperbolic functions and hypot for processors with fused multiply-adds; the f32 functions round these.
 * Must not know: loops, processors without them. */
#ifndef ORR_CPU_VMATH_INVERSE_H
#define ORR_CPU_VMATH_INVERSE_H

#include "codelets/cpu/vmath_f64.h"

#if VM_FMA

#define VM_PI 0x1.921fb54442d18p1 /* π, π/2, π/4 and the remainders of their first parts */
#define VM_PI_LOW 0x1.1a62633145c07p-53
#define VM_HALF_PI 0x1.921fb54442d18p0
#define VM_HALF_PI_LOW 0x1.1a62633145c07p-54
#define VM_QUARTER_PI 0x1.921fb54442d18p-1
#define VM_QUARTER_PI_LOW 0x1.1a62633145c07p-55

/* -- circles ---------------------------------------------------------------------------------------------- */

/* asin(s) for s² = z ≤ ¼: 2^-56 */
VM_FN double vm_asin_core(double s, double z)
{
    double p = 0x1.05efbd25a13c7p-5;
    p = VM_FMA64(p, z, -0x1.0b54bd2275db4p-6);
    p = VM_FMA64(p, z, 0x1.40ee257244318p-6);
    p = VM_FMA64(p, z, 0x1.aa5c9d5c38ff7p-8);
    p = VM_FMA64(p, z, 0x1.8eeea122390b6p-7);
    p = VM_FMA64(p, z, 0x1.c6f6fa4d9682ap-7);
    p = VM_FMA64(p, z, 0x1.1c6c3b6356c9cp-6);
    p = VM_FMA64(p, z, 0x1.6e89ee29267abp-6);
    p = VM_FMA64(p, z, 0x1.f1c72c7ba4a2fp-6);
    p = VM_FMA64(p, z, 0x1.6db6db41a5ae6p-5);
    p = VM_FMA64(p, z, 0x1.333333336fd5p-4);
    p = VM_FMA64(p, z, 0x1.5555555555384p-3);
    return VM_FMA64(s * z, p, s);
}

/* Above ½: π/2 - 2·asin(√((1 - |x|)/2)). */
VM_FN double vm_asin_f64(double x)
{
    double a = fabs(x), z = a > 0.5 ? VM_FMA64(a, -0.5, 0.5) : x * x;
    double v = vm_asin_core(a > 0.5 ? sqrt(z) : a, z);
    return copysign(a > 0.5 ? VM_HALF_PI - VM_FMA64(v, 2.0, -VM_HALF_PI_LOW) : v, x);
}

VM_FN double vm_acos_f64(double x)
{
    double a = fabs(x), z = a > 0.5 ? VM_FMA64(a, -0.5, 0.5) : x * x;
    double v = vm_asin_core(a > 0.5 ? sqrt(z) : x, z), w = v + v;
    w = x < 0 ? VM_PI - (w - VM_PI_LOW) : w;
    return a > 0.5 ? w : VM_HALF_PI - (v - VM_HALF_PI_LOW);
}

/* atan(t) for |t| ≤ √2 - 1: 2^-59 */
VM_FN double vm_atan_core(double t)
{
    double z = t * t;
    double p = -0x1.25878a93998a7p-6;
    p = VM_FMA64(p, z, 0x1.37e334bf1c551p-5);
    p = VM_FMA64(p, z, -0x1.9cd8261be5e7bp-5);
    p = VM_FMA64(p, z, 0x1.df10810ca6b2fp-5);
    p = VM_FMA64(p, z, -0x1.10ebcd8eda241p-4);
    p = VM_FMA64(p, z, 0x1.3b111af5519e8p-4);
    p = VM_FMA64(p, z, -0x1.745cf8f61f636p-4);
    p = VM_FMA64(p, z, 0x1.c71c70e6e44a6p-4);
    p = VM_FMA64(p, z, -0x1.24924922af322p-3);
    p = VM_FMA64(p, z, 0x1.999999999589cp-3);
    p = VM_FMA64(p, z, -0x1.555555555553dp-2);
    return VM_FMA64(t * z, p, t);
}

/* Above √2 - 1 through (a - 1)/(a + 1), above √2 + 1 through -1/a. */
VM_FN double vm_atan_f64(double x)
{
    double a = fabs(x), n = a > 0x1.a827999fcef32p-2 ? a - 1.0 : a, d = a > 0x1.a827999fcef32p-2 ? a + 1.0 : 1.0;
    double base = a > 0x1.a827999fcef32p-2 ? VM_QUARTER_PI : 0.0;
    double low = a > 0x1.a827999fcef32p-2 ? VM_QUARTER_PI_LOW : 0.0;
    n = a > 0x1.3504f333f9de6p1 ? -1.0 : n;
    d = a > 0x1.3504f333f9de6p1 ? a : d;
    base = a > 0x1.3504f333f9de6p1 ? VM_HALF_PI : base;
    low = a > 0x1.3504f333f9de6p1 ? VM_HALF_PI_LOW : low;
    return copysign(base + (vm_atan_core(n / d) + low), x);
}

/* The arc tangent of the smaller over the larger, moved to its octant. Two infinities count as two ones. Scaled where
 * the sum of both would overflow. */
VM_FN double vm_atan2_f64(double y, double x)
{
    double a = fabs(x), b = fabs(y), most = b > a ? b : a, least = b > a ? a : b;
    least = most == (double)INFINITY ? (least == most ? 1.0 : least * 0.0) : least;
    most = most == (double)INFINITY ? 1.0 : most == 0 ? 1.0 : most;
    double scale = most > 0x1p1000 ? 0x1p-60 : 1.0;
    most *= scale;
    least *= scale;
    int mid = least > most * 0x1.a827999fcef32p-2;
    double r = vm_atan_core((mid ? least - most : least) / (mid ? least + most : most));
    r = mid ? VM_QUARTER_PI + (r + VM_QUARTER_PI_LOW) : r;
    r = b > a ? VM_HALF_PI - (r - VM_HALF_PI_LOW) : r;
    r = copysign(1.0, x) < 0 ? VM_PI - (r - VM_PI_LOW) : r;
    return copysign(r, y);
}

VM_FN double vm_hypot_f64(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = a > b ? a : b;
    double up = most > 0x1p500 ? 0x1p-600 : most < 0x1p-400 ? 0x1p600 : 1.0;
    double down = most > 0x1p500 ? 0x1p600 : most < 0x1p-400 ? 0x1p-600 : 1.0;
    double c = a * up, d = b * up, r = sqrt(VM_FMA64(c, c, d * d)) * down;
    return ((a == (double)INFINITY) | (b == (double)INFINITY)) ? (double)INFINITY : r;
}

/* -- hyperbolas ------------------------------------------------------------------------------------------- */

/* w = (e^a - 1)/2; w + w/(2w + 1) */
VM_FN double vm_sinh_f64(double x)
{
    double a = fabs(x), c = a > 710.5 ? 710.5 : a, s;
    double r = vm_reduce_f64(c, c, VM_ROUND64 + 1021.0, &s);
    double q = VM_FMA64(r * r, vm_exp_tail_f64(r), r), w = VM_FMA64(s, q, s - 0.25) * 2.0;
    r = w + (w < 0x1p60 ? w / VM_FMA64(w, 2.0, 1.0) : 0.5);
    return a < 0x1p-64 ? x : copysign(r, x);
}

/* w = e^a/4; 2w + 1/(8w) */
VM_FN double vm_cosh_f64(double x)
{
    double a = fabs(x), c = a > 710.5 ? 710.5 : a, s;
    double w = vm_exp_core_f64(vm_reduce_f64(c, c, VM_ROUND64 + 1021.0, &s)) * s;
    return VM_FMA64(w, 2.0, 0.125 / w);
}

/* log(1 + a + a²/(1 + √(1 + a²))); for large a, log(a) + ln 2 */
VM_FN double vm_asinh_f64(double x)
{
    double a = fabs(x), c = a > 0x1p60 ? 0.0 : a;
    double r = vm_log1p_f64(a + c * c / (1.0 + sqrt(VM_FMA64(c, c, 1.0))));
    return copysign(a > 0x1p60 ? r + 0x1.62e42fefa39efp-1 : r, x);
}

/* t = x - 1; log(1 + t + √(2t + t²)) */
VM_FN double vm_acosh_f64(double x)
{
    double t = x - 1.0, c = x > 0x1p60 ? 0.0 : t;
    double r = vm_log1p_f64(t + sqrt(VM_FMA64(c, c, c + c)));
    r = x > 0x1p60 ? r + 0x1.62e42fefa39efp-1 : r;
    return x < 1 ? (double)NAN : r;
}

VM_FN double vm_atanh_f64(double x)
{
    double a = fabs(x);
    return copysign(0.5 * vm_log1p_f64((a + a) / (1.0 - a)), x);
}

#endif
#endif
