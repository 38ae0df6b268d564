/* f64 functions for processors with fused multiply-adds: exponentials, logarithms, error functions.
 * Must not know: loops, processors without them. */
/* As vmath_f32.h; the powers are the relative errors of the polynomials. */
#ifndef ORR_CPU_VMATH_F64_H
#define ORR_CPU_VMATH_F64_H

#include "codelets/cpu/vmath_base.h"
#include "codelets/cpu/vmath_normal.h"

#if VM_FMA

/* -- exponentials ----------------------------------------------------------------------------------------- */

/* As vm_reduce_f32; 2^(b - 1023) for magic VM_ROUND64 + b. */
VM_FN double vm_reduce_f64(double x, double c, double magic, double *scale)
{
    double t = VM_FMA64(c, 0x1.71547652b82fep0, magic), k = t - magic;
    *scale = vm_double(vm_bits64(t) << 52);
    return VM_FMA64(k, -0x1.abc9e3b39803fp-56, VM_FMA64(k, -0x1.62e42fefa39efp-1, x));
}

/* p with e^r = 1 + r + r²·p, 2^-58 */
VM_FN double vm_exp_tail_f64(double r)
{
    double p = 0x1.ada2665cf63e8p-26;
    p = VM_FMA64(p, r, 0x1.28ae1addb08c9p-22);
    p = VM_FMA64(p, r, 0x1.71df0e872abb2p-19);
    p = VM_FMA64(p, r, 0x1.a01999429d228p-16);
    p = VM_FMA64(p, r, 0x1.a01a013501a52p-13);
    p = VM_FMA64(p, r, 0x1.6c16c1847f78ap-10);
    p = VM_FMA64(p, r, 0x1.1111111125a53p-7);
    p = VM_FMA64(p, r, 0x1.55555555506a3p-5);
    p = VM_FMA64(p, r, 0x1.5555555555503p-3);
    p = VM_FMA64(p, r, 0x1.000000000000ap-1);
    return p;
}

VM_FN double vm_exp_core_f64(double r)
{
    return VM_FMA64(VM_FMA64(vm_exp_tail_f64(r), r, 1.0), r, 1.0);
}

VM_FN double vm_exp_f64(double x)
{
    double c = vm_max_f64(x, -746.0), s;
    double r = vm_reduce_f64(c, vm_min_f64(c, 710.0), x < 0 ? VM_ROUND64 + 1623.0 : VM_ROUND64 + 423.0, &s);
    return vm_exp_core_f64(r) * s * (x < 0 ? 0x1p-600 : 0x1p600);
}

VM_FN double vm_expm1_f64(double x)
{
    double c = vm_max_f64(x, -80.0), s;
    double r = vm_reduce_f64(c, vm_min_f64(c, 710.0), VM_ROUND64 + 1022.0, &s);
    double q = VM_FMA64(r * r, vm_exp_tail_f64(r), r);
    double e = VM_FMA64(s, q, s - 0.5) * 2.0;
    return fabs(x) < 0x1p-64 ? x : e;
}

VM_FN double vm_tanh_f64(double x)
{
    double a = vm_min_f64(fabs(x), 20.0), s;
    double r = vm_reduce_f64(a + a, a + a, VM_ROUND64 + 1023.0, &s);
    double q = VM_FMA64(r * r, vm_exp_tail_f64(r), r);
    double e = VM_FMA64(s, q, s - 1.0);
    return copysign(e / (e + 2.0), x);
}

/* n/(1 + e^-x) for -760 ≤ x ≤ 60, as vm_logistic_f32 */
VM_FN double vm_logistic_f64(double n, double x)
{
    double s, r = vm_reduce_f64(-x, -x, x < -64.0 ? VM_ROUND64 + 123.0 : VM_ROUND64 + 1023.0, &s);
    double d = VM_FMA64(vm_exp_core_f64(r), s, x < -64.0 ? 0.0 : 1.0);
    return n / d * (x < -64.0 ? 0x1p-900 : 1.0);
}

VM_FN double vm_sigmoid_f64(double x)
{
    return vm_logistic_f64(1.0, vm_max_f64(vm_min_f64(x, 60.0), -760.0));
}

VM_FN double vm_silu_f64(double x)
{
    double a = vm_max_f64(x, -760.0);
    return vm_logistic_f64(a, vm_min_f64(a, 60.0));
}

/* As vm_gelu_tanh_f32. */
VM_FN double vm_gelu_tanh_f64(double x)
{
    double n = vm_max_f64(x, -22.0), c = vm_min_f64(n, 9.0);
    double p = c * c, s = VM_FMA64(p, 0x1.a5a7cf7572a98p-4, 0x1.26aec21bce76p1);
    double d =
        VM_FMA64(VM_FMA64(c, c, -p), 0x1.a5a7cf7572a98p-4, VM_FMA64(p, -0x1.b91c940e4cfcfp-58, -0x1.ad12d7a64bcebp-49));
    d = d + VM_FMA64(p, 0x1.a5a7cf7572a98p-4, 0x1.26aec21bce76p1 - s);
    double magic = c < -10.0 ? VM_ROUND64 + 123.0 : VM_ROUND64 + 1023.0;
    double t = VM_FMA64(c, -s, magic), k = t - magic;
    double f = VM_FMA64(c, -d, VM_FMA64(c, -s, -k));
    double q = 0x1.e820cc3d84f0cp-32; /* 2^f, 2^-58 */
    q = VM_FMA64(q, f, 0x1.e6135f1997d4p-28);
    q = VM_FMA64(q, f, 0x1.b5260311cf324p-24);
    q = VM_FMA64(q, f, 0x1.62bfccd3299efp-20);
    q = VM_FMA64(q, f, 0x1.ffcbfbfd0e00ep-17);
    q = VM_FMA64(q, f, 0x1.4309130c70875p-13);
    q = VM_FMA64(q, f, 0x1.5d87fe78b30d5p-10);
    q = VM_FMA64(q, f, 0x1.3b2ab6fba0fa1p-7);
    q = VM_FMA64(q, f, 0x1.c6b08d704a0d6p-5);
    q = VM_FMA64(q, f, 0x1.ebfbdff82c59dp-3);
    q = VM_FMA64(q, f, 0x1.62e42fefa39efp-1);
    q = VM_FMA64(q, f, 0x1.0p0);
    d = VM_FMA64(q, vm_double(vm_bits64(t) << 52), c < -10.0 ? 0.0 : 1.0);
    return n / d * (c < -10.0 ? 0x1p-900 : 1.0);
}

/* -- logarithms ------------------------------------------------------------------------------------------- */

VM_FN double vm_log_edges_f64(double x, double r)
{
    r = x == (double)INFINITY ? (double)INFINITY : r;
    r = x == 0 ? -(double)INFINITY : r;
    return x >= 0 ? r : (double)NAN;
}

/* x = 2^e · (1 + f), √½ ≤ 1 + f < √2, for positive x, subnormal x too */
VM_FN double vm_split_any_f64(double x, double *e)
{
    double f = vm_split(x < 0x1p-1022 ? x * 0x1p54 : x, e);
    *e = x < 0x1p-1022 ? *e - 54.0 : *e;
    return f;
}

/* log(1 + f) = f - (the result): f - ½f² + s·(½f² + z·p), s = f/(2 + f), z = s²; 2^-57. `more` is subtracted too. */
VM_FN double vm_log_rest_f64(double f, double more)
{
    double s = f / (2.0 + f), z = s * s, h = 0.5 * f * f, p = 0x1.2b5f68a50d903p-3;
    p = VM_FMA64(p, z, 0x1.39fdcceb4bb45p-3);
    p = VM_FMA64(p, z, 0x1.7462b91b8df65p-3);
    p = VM_FMA64(p, z, 0x1.c71c62d5e53e0p-3);
    p = VM_FMA64(p, z, 0x1.2492492dfd86cp-2);
    p = VM_FMA64(p, z, 0x1.9999999995273p-2);
    p = VM_FMA64(p, z, 0x1.5555555555558p-1);
    return h - VM_FMA64(s, VM_FMA64(z, p, h), more);
}

VM_FN double vm_log_f64(double x)
{
    double e, f = vm_split_any_f64(x, &e);
    double r = f - vm_log_rest_f64(f, e * 0x1.abc9e3b39803fp-56);
    return vm_log_edges_f64(x, VM_FMA64(e, 0x1.62e42fefa39efp-1, r));
}

VM_FN double vm_log2_f64(double x)
{
    double e, f = vm_split_any_f64(x, &e), r = f - vm_log_rest_f64(f, 0.0);
    return vm_log_edges_f64(x, VM_FMA64(r, 0x1.71547652b82fep0, VM_FMA64(r, 0x1.777d0ffda0d24p-56, e)));
}

VM_FN double vm_log10_f64(double x)
{
    double e, f = vm_split_any_f64(x, &e), r = f - vm_log_rest_f64(f, 0.0);
    r = VM_FMA64(r, 0x1.bcb7b1526e50ep-2, e * -0x1.9dc1da994fd21p-59);
    return vm_log_edges_f64(x, VM_FMA64(e, 0x1.34413509f79ffp-2, r));
}

VM_FN double vm_log1p_f64(double x)
{
    double u = 1.0 + x, e, f = vm_split(u, &e);
    f = VM_FMA64(x - (u - 1.0), 0.5 * vm_double(vm_bits64(VM_ROUND64 + 1024.0 - e) << 52), f);
    double r = f - vm_log_rest_f64(f, e * 0x1.abc9e3b39803fp-56);
    return copysign(vm_log_edges_f64(u, VM_FMA64(e, 0x1.62e42fefa39efp-1, r)), x);
}

/* -- error functions ---------------------------------------------------------------------------------------- */

/* 1 - e^(-a·(2/√π + a·R(a/3 - 1))), 2^-55 */
VM_FN double vm_erf_f64(double x)
{
    double a = vm_min_f64(fabs(x), 6.0), s;
    double t = VM_FMA64(a, 0x1.5555555555555p-2, -1.0), p = -0x1.c9ba3a3b5dd11p-14;
    p = VM_FMA64(p, t, -0x1.8f83162db6ca2p-11);
    p = VM_FMA64(p, t, -0x1.2001fa1c5af06p-9);
    p = VM_FMA64(p, t, -0x1.af3a232fbe4a9p-9);
    p = VM_FMA64(p, t, -0x1.2fafdf2d181fp-9);
    p = VM_FMA64(p, t, 0x1.6a0d45c3cde66p-12);
    p = VM_FMA64(p, t, 0x1.0f93f5ddbfaf3p-9);
    p = VM_FMA64(p, t, 0x1.a39e9f5153961p-10);
    p = VM_FMA64(p, t, 0x1.e13a763add251p-13);
    p = VM_FMA64(p, t, -0x1.c83471b47e2f8p-12);
    p = VM_FMA64(p, t, -0x1.ce6d68b0f4256p-13);
    p = VM_FMA64(p, t, -0x1.80183e00d4656p-13);
    p = VM_FMA64(p, t, 0x1.2cacdd97b3c56p-12);
    p = VM_FMA64(p, t, -0x1.7ebe2e6873ad3p-12);
    p = VM_FMA64(p, t, 0x1.c6a22996a3d5cp-12);
    p = VM_FMA64(p, t, -0x1.85ac1d3d9dfaap-13);
    p = VM_FMA64(p, t, -0x1.b9620118f7964p-11);
    p = VM_FMA64(p, t, 0x1.d77fedcfda7a8p-9);
    p = VM_FMA64(p, t, -0x1.428540dd1ebbfp-7);
    p = VM_FMA64(p, t, 0x1.7444f67d44b2p-6);
    p = VM_FMA64(p, t, -0x1.876a83b250918p-5);
    p = VM_FMA64(p, t, 0x1.856d11f21a3e3p-4);
    p = VM_FMA64(p, t, 0x1.a14af6f4e72ep-1);
    double y = -a * VM_FMA64(p, a, 0x1.20dd750429b6dp0), r = vm_reduce_f64(y, y, VM_ROUND64 + 1023.0, &s);
    double q = VM_FMA64(r * r, vm_exp_tail_f64(r), r);
    return copysign(VM_FMA64(-s, q, 1.0 - s), x);
}

/* e^(-a²)·P(t)/(1 + 2a), t = (a - 4)/(a + 4), 2^-54, for a ≤ 27.3; corrected by the rounding error of the square. */
VM_FN double vm_erfc_f64(double x)
{
    double a = vm_min_f64(fabs(x), 27.3), s;
    double t = (a - 4.0) / (a + 4.0), z = a * a;
    double p = -0x1.2551740ce3e52p-27;
    p = VM_FMA64(p, t, -0x1.2195ccd8d6635p-27);
    p = VM_FMA64(p, t, 0x1.b4ccb7625b8f3p-24);
    p = VM_FMA64(p, t, 0x1.e348f3078c992p-25);
    p = VM_FMA64(p, t, -0x1.b83b6eae584b4p-21);
    p = VM_FMA64(p, t, 0x1.4fa7d44be9b88p-22);
    p = VM_FMA64(p, t, 0x1.7f1c58519e658p-18);
    p = VM_FMA64(p, t, -0x1.78ef767bc8ee7p-17);
    p = VM_FMA64(p, t, -0x1.995d40ce5bd18p-16);
    p = VM_FMA64(p, t, 0x1.3be2c971c0808p-13);
    p = VM_FMA64(p, t, -0x1.a1ded29263c39p-13);
    p = VM_FMA64(p, t, -0x1.8d4ac1978c078p-11);
    p = VM_FMA64(p, t, 0x1.49c671ce39716p-8);
    p = VM_FMA64(p, t, -0x1.09623854e3c96p-6);
    p = VM_FMA64(p, t, 0x1.3079edf9dd7d7p-5);
    p = VM_FMA64(p, t, -0x1.0fb06dff5bc6p-4);
    p = VM_FMA64(p, t, 0x1.7fee004df2241p-4);
    p = VM_FMA64(p, t, -0x1.9ddb23c3dc5fap-4);
    p = VM_FMA64(p, t, 0x1.16ecefcfa649ep-4);
    p = VM_FMA64(p, t, 0x1.f7f5df66fb988p-7);
    p = VM_FMA64(p, t, -0x1.1df1ad154a2a2p-3);
    p = VM_FMA64(p, t, 0x1.3ba5916e9fd7fp0);
    double r = vm_reduce_f64(-z, -z, VM_ROUND64 + 1623.0, &s) - VM_FMA64(a, a, -z);
    double c = vm_exp_core_f64(r) * (p / VM_FMA64(a, 2.0, 1.0)) * s * 0x1p-600;
    return x < 0 ? 2.0 - c : c;
}

#endif
#endif
