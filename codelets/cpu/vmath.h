/* Math functions for the loops of the rows: branch-free ones that become vector code, the C library's for the rest.
 * Must not know: loops. */
/* No step depends on the instruction set: fused multiply-adds only where fma is written, no estimates. Polynomials are
 * Chebyshev fits; the power behind each is its relative error. An f32 function that would lose digits on the way is
 * computed in f64 with a polynomial that is just good enough for f32. */
#ifndef ORR_CPU_VMATH_H
#define ORR_CPU_VMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t vm_bits32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float vm_float(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t vm_bits64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double vm_double(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Adding them rounds to an integer, which then stands in the low bits. */
#define VM_ROUND32 0x1.8p23f
#define VM_ROUND64 0x1.8p52

/* 2^k for an integer k of normal range. */
static inline float vm_pow2_f32(float k)
{
    return vm_float((vm_bits32(k + VM_ROUND32) << 23) + 0x3f800000u);
}

static inline double vm_pow2_f64(double k)
{
    return vm_double((vm_bits64(k + VM_ROUND64) << 52) + 0x3ff0000000000000u);
}

/* -- exponentials ----------------------------------------------------------------------------------------- */

/* e^x = 2^k · e^r, |r| ≤ ½ ln 2. The scale is applied in halves, so that it neither overflows nor underflows before the
 * result does; the last product rounds into the subnormals. */
static inline float vm_exp_f32(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -104.0f ? -104.0f : c;
    float k = c * 0x1.715476p0f + VM_ROUND32 - VM_ROUND32;
    float r = (c - k * 0x1.62ep-1f) - k * 0x1.0bfbe8p-15f; /* ln 2, its first part short: k times it is exact */
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

static inline double vm_exp_f64(double x)
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

/* q with e^x = s · (1 + q), to 2^-42 for |x| ≤ 700 */
static inline double vm_exp_parts(double x, double *s)
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
static inline double vm_expm1_rough(double x)
{
    double s, q = vm_exp_parts(x, &s);
    return s * q + (s - 1.0);
}

static inline float vm_expm1_f32(float x)
{
    float c = x > 89.0f ? 89.0f : x;
    c = c < -40.0f ? -40.0f : c;
    float r = (float)vm_expm1_rough((double)c);
    return ((x != x) | (x == 0)) ? x : r;
}

static inline float vm_tanh_f32(float x)
{
    float a = fabsf(x);
    double e = vm_expm1_rough(2.0 * (double)(a > 20.0f ? 20.0f : a));
    float r = copysignf((float)(e / (e + 2.0)), x);
    return x != x ? x : r;
}

/* -- logarithms ------------------------------------------------------------------------------------------- */

/* x = 2^e · (1 + f), √½ ≤ 1 + f < √2, for normal positive x. */
static inline double vm_split(double x, double *e)
{
    uint64_t u = vm_bits64(x), biased = (u - 0x3fe6a09e667f3bcdu + 0x3ff0000000000000u) >> 52;
    *e = vm_double(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
    return vm_double(u - (biased << 52) + 0x3ff0000000000000u) - 1.0;
}

/* log(1 + f) to 2^-43 */
static inline double vm_log_rough(double f)
{
    double s = f / (2.0 + f), z = s * s, p = 0x1.8c92867b49a01p-3;
    p = p * z + 0x1.c67a84e8a4ba0p-3;
    p = p * z + 0x1.249324907dae3p-2;
    p = p * z + 0x1.999998ca249fbp-2;
    p = p * z + 0x1.5555555564fdap-1;
    return s * (2.0 + z * p);
}

/* What every logarithm has at its edges. */
static inline float vm_log_edges(float x, float r)
{
    r = x == INFINITY ? INFINITY : r;
    r = x == 0 ? -INFINITY : r;
    return x >= 0 ? r : NAN;
}

static inline float vm_log_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e * 0x1.62e42fefa39efp-1 + vm_log_rough(f)));
}

static inline float vm_log2_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e + vm_log_rough(f) * 0x1.71547652b82fep0));
}

static inline float vm_log10_f32(float x)
{
    double e, f = vm_split((double)x, &e);
    return vm_log_edges(x, (float)(e * 0x1.34413509f79ffp-2 + vm_log_rough(f) * 0x1.bcb7b1526e50ep-2));
}

/* What 1 + x drops is put back in the first order. */
static inline float vm_log1p_f32(float x)
{
    double u = 1.0 + (double)x, e, f = vm_split(u, &e);
    double lost = ((double)x - (u - 1.0)) / u;
    float r = (float)(e * 0x1.62e42fefa39efp-1 + (vm_log_rough(f) + lost));
    r = vm_log_edges((float)u, r);
    return x == 0 ? x : r;
}

static inline double vm_log_f64(double x)
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

/* -- circular functions ------------------------------------------------------------------------------------- */

/* For 0 ≤ x ≤ 2π. π/2 in three parts, the first two so short that their multiples are exact. */
static inline void vm_sincos(double x, double *sine, double *cosine)
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

/* -- the error function ------------------------------------------------------------------------------------- */

/* erfc(a) = e^(-a²) · P(t), t = (a - 2.5)/(a + 2.5), for 0 ≤ a ≤ 10.3; the square of an f32 is exact. */
static inline double vm_erfc_rough(double a)
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

static inline float vm_erfc_f32(float x)
{
    double a = (double)fabsf(x), c = vm_erfc_rough(a > 10.3 ? 10.3 : a);
    float r = (float)(x < 0 ? 2.0 - c : c);
    return x != x ? x : r;
}

static inline float vm_erf_f32(float x)
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

/* -- the C library's ------------------------------------------------------------------------------------------ */

/* vm_<name>_f32 and vm_<name>_f64 stand for the C names of the value expressions. */
#define VM_LIBM_F64(name)                                                                                              \
    static inline double vm_##name##_f64(double x)                                                                     \
    {                                                                                                                  \
        return name(x);                                                                                                \
    }
#define VM_LIBM1(name)                                                                                                 \
    static inline float vm_##name##_f32(float x)                                                                       \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }                                                                                                                  \
    VM_LIBM_F64(name)
#define VM_LIBM2(name)                                                                                                 \
    static inline float vm_##name##_f32(float x, float y)                                                              \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }                                                                                                                  \
    static inline double vm_##name##_f64(double x, double y)                                                           \
    {                                                                                                                  \
        return name(x, y);                                                                                             \
    }

VM_LIBM_F64(expm1)
VM_LIBM_F64(log1p)
VM_LIBM_F64(log2)
VM_LIBM_F64(log10)
VM_LIBM_F64(tanh)
VM_LIBM_F64(erf)
VM_LIBM_F64(erfc)
VM_LIBM1(fabs)
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
VM_LIBM1(sqrt)
VM_LIBM1(floor)
VM_LIBM1(ceil)
VM_LIBM1(trunc)
VM_LIBM1(rint)
VM_LIBM2(atan2)
VM_LIBM2(hypot)
VM_LIBM2(pow)
VM_LIBM2(fmod)
VM_LIBM2(copysign)
VM_LIBM2(nextafter)
static inline float vm_fma_f32(float x, float y, float z)
{
    return fmaf(x, y, z);
}
static inline double vm_fma_f64(double x, double y, double z)
{
    return fma(x, y, z);
}

#endif
