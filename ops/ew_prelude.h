/* Helper functions of the value expressions in ops/elementwise.def, for one dtype per inclusion.
 * Must not know: loops, memory, backends, headers. It is C99, OpenCL C 1.2 and CUDA C at once.
 *
 * The contract. These macros must be defined before the text, and after it as long as expressions follow:
 *   T          type that holds a value: float (f16, bf16, f32), double, intN_t, uintN_t; bool: an unsigned char
 *   U          ints and bool: the unsigned type of T's width
 *   EW_FLOAT, EW_COMPLEX, EW_FIELD, EW_SIGNED, EW_UNSIGNED, EW_BOOL   exactly one is 1, the others undefined or 0
 *   EW_COMPLEX 1 for complex numbers: T is a struct { P re, im; } then, P the type of its parts, and K, EW_INF and the C
 *              names are those of P
 *   EW_FIELD   1 for elements of a field: T is a struct { EW_W l[8]; } then, limbs of 32 bits from the lowest on, EW_W and EW_D
 *              unsigned types of 32 and 64 bits, EW_PRIME the modulus as an initialiser of eight limbs, EW_INVERSE -1 over
 *              it modulo 2^32; elements are in Montgomery form
 *   EW_DOUBLE  1 when T, or P, is double, else undefined or 0
 *   EW_PAIR    the complex type with parts of T (f32 and f64)
 *   K(c)       the literal c, written with a decimal point, as T:  ((T)(c)), or c##f where double is missing
 *   EW_INF     +infinity as T (float dtypes)
 *   EW_FN      qualifiers of a helper: static inline; static __device__ __forceinline__
 *   EW_N(n)    the name n made unique for this dtype: n##_f32
 *   EW_FMA     1 where fma(T, T, T) is one fast instruction; else undefined or 0. No value depends on it.
 *   EW_WHOLE   1 where EW_M also has sigmoid, silu and gelu_tanh, and gelu of float: these replace the helpers of
 *              the same names
 * and the C names below mean functions of T (in OpenCL C and CUDA C they are overloaded; for C, ops/ew_begin.h maps
 * each name n to EW_M(n), which is nf or n, or a backend's own vector function):
 *   fabs exp expm1 log log1p log2 log10 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sqrt hypot
 *   pow fmod floor ceil trunc rint copysign nextafter erf erfc fma
 * Contraction of a*b+c must be off: -ffp-contract=off, #pragma OPENCL FP_CONTRACT OFF, -fmad=false.
 * C code sets all this up by ops/ew_begin.h (one dtype) or ops/ew_each.h (all); emitters get this text from
 * orr__ew_prelude() and write the macros themselves.
 *
 * A value expression has the operands x, y, z of type T (row kind COND: x is the bool) and yields T after a cast
 * (row kind TRUTH: 0 or 1). f16 and bf16 use T = float and the caller rounds. */

#define ew_neg EW_N(ew_neg)
#define ew_abs EW_N(ew_abs)
#define ew_sign EW_N(ew_sign)
#define ew_add EW_N(ew_add)
#define ew_sub EW_N(ew_sub)
#define ew_mul EW_N(ew_mul)
#define ew_pow EW_N(ew_pow)
#define ew_remainder EW_N(ew_remainder)
#define ew_floor_divide EW_N(ew_floor_divide)
#define ew_maximum EW_N(ew_maximum)
#define ew_minimum EW_N(ew_minimum)
#define ew_clip EW_N(ew_clip)
#define ew_floor EW_N(ew_floor)
#define ew_ceil EW_N(ew_ceil)
#define ew_trunc EW_N(ew_trunc)
#define ew_round EW_N(ew_round)
#define ew_isnan EW_N(ew_isnan)
#define ew_isinf EW_N(ew_isinf)
#define ew_isfinite EW_N(ew_isfinite)
#define ew_invert EW_N(ew_invert)
#define ew_shl EW_N(ew_shl)
#define ew_shr EW_N(ew_shr)
#define ew_sigmoid EW_N(ew_sigmoid)
#define ew_softplus EW_N(ew_softplus)
#define ew_silu EW_N(ew_silu)
#define ew_mish EW_N(ew_mish)
#define ew_product_error EW_N(ew_product_error)
#define ew_gelu_tanh EW_N(ew_gelu_tanh)
#define ew_gelu EW_N(ew_gelu)
#define ew_logaddexp EW_N(ew_logaddexp)
#define ew_freduce EW_N(ew_freduce)
#define ew_fadd EW_N(ew_fadd)
#define ew_fsub EW_N(ew_fsub)
#define ew_fmul EW_N(ew_fmul)
#define ew_fzero EW_N(ew_fzero)
#define ew_fequal EW_N(ew_fequal)
#define ew_c EW_N(ew_c)
#define ew_finite EW_N(ew_finite)
#define ew_infinite EW_N(ew_infinite)
#define ew_cadd EW_N(ew_cadd)
#define ew_csub EW_N(ew_csub)
#define ew_cmul EW_N(ew_cmul)
#define ew_cneg EW_N(ew_cneg)
#define ew_cconj EW_N(ew_cconj)
#define ew_cswap EW_N(ew_cswap)
#define ew_cscale EW_N(ew_cscale)
#define ew_cdiv EW_N(ew_cdiv)
#define ew_cabs EW_N(ew_cabs)
#define ew_csign EW_N(ew_csign)
#define ew_cexp EW_N(ew_cexp)
#define ew_cexpm1 EW_N(ew_cexpm1)
#define ew_clogabs EW_N(ew_clogabs)
#define ew_clog EW_N(ew_clog)
#define ew_clog1p EW_N(ew_clog1p)
#define ew_csqrt EW_N(ew_csqrt)
#define ew_cpow EW_N(ew_cpow)
#define ew_csinh EW_N(ew_csinh)
#define ew_ccosh EW_N(ew_ccosh)
#define ew_ctanh EW_N(ew_ctanh)
#define ew_casin_finite EW_N(ew_casin_finite)
#define ew_casinh EW_N(ew_casinh)
#define ew_casin EW_N(ew_casin)
#define ew_cacos EW_N(ew_cacos)
#define ew_cacosh EW_N(ew_cacosh)
#define ew_catanh EW_N(ew_catanh)
#define ew_catan EW_N(ew_catan)
#define ew_csin EW_N(ew_csin)
#define ew_ctan EW_N(ew_ctan)
#define ew_ccos EW_N(ew_ccos)
#define ew_pair EW_N(ew_pair)

#if EW_FLOAT

EW_FN EW_PAIR ew_pair(T re, T im)
{
    EW_PAIR r;
    r.re = re;
    r.im = im;
    return r;
}
EW_FN T ew_neg(T x)
{
    return -x;
}
EW_FN T ew_abs(T x)
{
    return fabs(x);
}
EW_FN T ew_sign(T x)
{
    return x > 0 ? K(1.0) : x < 0 ? -K(1.0) : x == 0 ? K(0.0) : x;
}
EW_FN T ew_add(T x, T y)
{
    return x + y;
}
EW_FN T ew_sub(T x, T y)
{
    return x - y;
}
EW_FN T ew_mul(T x, T y)
{
    return x * y;
}
EW_FN T ew_pow(T x, T y)
{
    return pow(x, y);
}
/* NaN wins; of equal values the first. In two steps: the first is one vector instruction, which returns x when one
 * operand is NaN. */
EW_FN T ew_maximum(T x, T y)
{
    T m = y > x ? y : x;
    return y != y ? y : m;
}
EW_FN T ew_minimum(T x, T y)
{
    T m = y < x ? y : x;
    return y != y ? y : m;
}
/* minimum(maximum(x, y), z), in a form that compilers turn into selections without jumps. */
EW_FN T ew_clip(T x, T y, T z)
{
    T t = y > x ? y : x;
    t = z < t ? z : t;
    return ((x != x) | (y != y) | (z != z)) ? x + y + z : t;
}
EW_FN T ew_floor(T x)
{
    return floor(x);
}
EW_FN T ew_ceil(T x)
{
    return ceil(x);
}
EW_FN T ew_trunc(T x)
{
    return trunc(x);
}
EW_FN T ew_round(T x)
{
    return rint(x);
}
EW_FN int ew_isnan(T x)
{
    return x != x;
}
EW_FN int ew_isinf(T x)
{
    return fabs(x) == EW_INF;
}
EW_FN int ew_isfinite(T x)
{
    return fabs(x) < EW_INF;
}

/* The result has the sign of the divisor, as Python's %. y = 0 gives NaN. */
EW_FN T ew_remainder(T x, T y)
{
    T m = fmod(x, y);
    T moved = (m < 0) != (y < 0) ? m + y : m;
    return m == 0 ? copysign(K(0.0), y) : moved;
}

/* Python's //, with ew_remainder as its remainder. y = 0 gives x / y. */
EW_FN T ew_floor_divide(T x, T y)
{
    T m = fmod(x, y);
    T q = (x - m) / y;
    q = ((m != 0) & ((m < 0) != (y < 0))) ? q - K(1.0) : q;
    T f = floor(q);
    f = q - f > K(0.5) ? f + K(1.0) : f;
    f = q == 0 ? copysign(K(0.0), x / y) : f;
    return y == 0 ? x / y : f;
}

/* In the left tail e^x underflows long before x·e^x does. Below -EW_TAIL the exponential is computed at x + EW_TAIL,
 * which is exact, and the result is scaled by e^-EW_TAIL at the end, so that it is rounded only once. */
#undef EW_TAIL
#undef EW_TAIL_SCALE
#undef EW_LOWEST
#undef EW_SPLIT
#if EW_DOUBLE
#define EW_TAIL K(512.0)
#define EW_TAIL_SCALE K(4.3774910370530515e-223)
#define EW_LOWEST (-K(1000.0))
#define EW_SPLIT K(134217729.0)
#else
#define EW_TAIL K(64.0)
#define EW_TAIL_SCALE K(1.6038108905486378e-28)
#define EW_LOWEST (-K(127.0))
#define EW_SPLIT K(4097.0)
#endif

#if EW_WHOLE
EW_FN T ew_sigmoid(T x)
{
    return EW_M(sigmoid)(x);
}
EW_FN T ew_silu(T x)
{
    return EW_M(silu)(x);
}
EW_FN T ew_gelu_tanh(T x)
{
    return EW_M(gelu_tanh)(x);
}
#else
EW_FN T ew_sigmoid(T x)
{
    T t = exp(-fabs(x));
    return (x >= 0 ? K(1.0) : t) / (K(1.0) + t);
}

EW_FN T ew_silu(T x)
{
    T a = x < EW_LOWEST ? EW_LOWEST : x;
    int deep = a < -EW_TAIL;
    T t = exp(deep ? a + EW_TAIL : -fabs(a));
    T n = a >= 0 ? a : a * t;
    return n / (deep ? K(1.0) : K(1.0) + t) * (deep ? EW_TAIL_SCALE : K(1.0));
}
#endif

EW_FN T ew_softplus(T x)
{
    return (x > 0 ? x : K(0.0)) + log1p(exp(-fabs(x)));
}

EW_FN T ew_logaddexp(T x, T y)
{
    T d = x == y ? K(0.0) : fabs(x - y); /* inf with inf */
    return (x > y ? x : y) + log1p(exp(-d));
}

/* tanh(log(1+e^x)) is (e²+2e)/(e²+2e+2), e = e^x; for positive x divided by e². */
EW_FN T ew_mish(T x)
{
    T a = x < EW_LOWEST ? EW_LOWEST : x;
    int deep = a < -EW_TAIL;
    T t = exp(deep ? a + EW_TAIL : -fabs(a));
    T n = K(2.0) * t + (a >= 0 ? K(1.0) : t * t);
    T d = a >= 0 ? K(2.0) * (t * t) : K(2.0);
    T f = deep ? t : n / (n + d);
    return a * f * (deep ? EW_TAIL_SCALE : K(1.0));
}

/* x·y - p, exactly, where p is the rounded product. No overflow for |x|, |y| < 2^100 (f32), 2^990 (f64). */
EW_FN T ew_product_error(T x, T y, T p)
{
#if EW_FMA
    return fma(x, y, -p);
#else
    T a = x * EW_SPLIT, b = y * EW_SPLIT;
    T xh = a - (a - x), yh = b - (b - y);
    T xl = x - xh, yl = y - yh;
    return ((xh * yh - p) + xh * yl + xl * yh) + xl * yl;
#endif
}

#undef EW_C
#if EW_DOUBLE
#define EW_C(f32, f64) K(f64)
#else
#define EW_C(f32, f64) K(f32)
#endif

#if !EW_WHOLE
/* ½x(1+tanh u) is x·sigmoid(2u). In the left tail the absolute error of 2u is the relative error of the result, so
 * 2u is computed as w + e, twice as precise as T. The constants are 2√(2/π) and 0.044715 times it, as high + low
 * part. */
EW_FN T ew_gelu_tanh(T x)
{
    T limit = EW_C(15.0, 30.0);
    T c1 = EW_C(1.5957691669464111, 1.5957691216057308), c1l = EW_C(-4.5340680e-8, -9.9693088091109202e-17);
    T c3 = EW_C(0.071354813873767853, 0.07135481627260025), c3l = EW_C(2.3988324e-9, -6.1751499181553150e-19);
    T a = fabs(x);
    a = a > limit ? limit : a;
    T p = a * a;
    T pe = ew_product_error(a, a, p);
    T q = c3 * p;
    T qe = ew_product_error(c3, p, q) + (c3 * pe + c3l * p);
    T s = c1 + q;
    T b = s - c1;
    T se = ((c1 - (s - b)) + (q - b)) + (qe + c1l);
    T w = a * s;
    T we = ew_product_error(a, s, w) + a * se;
    int deep = (x < 0) & (w > EW_TAIL);
    T t = exp(deep ? EW_TAIL - w : -w);
    t = t - t * we;
    T n = x < -limit ? -limit : x;
    n = x >= 0 ? n : n * t;
    return n / (deep ? K(1.0) : K(1.0) + t) * (deep ? EW_TAIL_SCALE : K(1.0));
}
#endif

#if EW_WHOLE && !EW_DOUBLE
EW_FN T ew_gelu(T x)
{
    return EW_M(gelu)(x);
}
#else
/* ½x·erfc(-x/√2), with the argument as u + d. Where erfc nears underflow: -φ(x)·(1 - 1/x² + 3/x⁴ - 15/x⁶ …). */
EW_FN T ew_gelu(T x)
{
    T limit = EW_C(15.9, 45.0);
    T r = EW_C(0.70710676908493042, 0.70710678118654757), rl = EW_C(1.2101617e-8, -4.8336466567264567e-17);
    T n = x < -limit ? -limit : x;
    T c = n > limit ? limit : n;
    T p = c * c;
    T h = K(0.5) * p;
    int deep = (c < 0) & (h > EW_TAIL);
    T e = exp(deep ? EW_TAIL - h : -h);
    e = e - e * (K(0.5) * ew_product_error(c, c, p));
    T u = -c * r;
    T d = ew_product_error(-c, r, u) - c * rl;
    T i = K(1.0) / (deep ? p : K(1024.0));
#if EW_DOUBLE
    T s = K(1.0) - K(9.0) * i * (K(1.0) - K(11.0) * i * (K(1.0) - K(13.0) * i));
#else
    T s = K(1.0) - K(9.0) * i;
#endif
    s = K(1.0) - i * (K(1.0) - K(3.0) * i * (K(1.0) - K(5.0) * i * (K(1.0) - K(7.0) * i * s)));
    T tail = e * s * EW_C(-6.3982797400812614e-29, -1.7463662567587768e-223); /* 1/√(2π), scaled back */
    T body = n * (K(0.5) * (erfc(deep ? K(0.0) : u) - d * K(1.1283791670955126) * e));
    return deep ? tail : body;
}
#endif

#elif EW_FIELD /* integers modulo a prime below 2^254 */

/* x below 2p, modulo p. */
EW_FN T ew_freduce(T x)
{
    const EW_W p[8] = EW_PRIME;
    T r;
    EW_D borrow = 0;
    for (int i = 0; i < 8; i++) {
        EW_D d = (EW_D)x.l[i] - p[i] - borrow;
        r.l[i] = (EW_W)d;
        borrow = d >> 63;
    }
    for (int i = 0; i < 8; i++)
        r.l[i] = borrow ? x.l[i] : r.l[i];
    return r;
}
EW_FN T ew_fadd(T x, T y)
{
    EW_D carry = 0;
    for (int i = 0; i < 8; i++) {
        carry += (EW_D)x.l[i] + y.l[i];
        x.l[i] = (EW_W)carry;
        carry >>= 32;
    }
    return ew_freduce(x);
}
EW_FN T ew_fsub(T x, T y)
{
    const EW_W p[8] = EW_PRIME;
    EW_D borrow = 0, carry = 0;
    for (int i = 0; i < 8; i++) {
        EW_D d = (EW_D)x.l[i] - y.l[i] - borrow;
        x.l[i] = (EW_W)d;
        borrow = d >> 63;
    }
    for (int i = 0; i < 8; i++) {
        carry += (EW_D)x.l[i] + (borrow ? p[i] : 0);
        x.l[i] = (EW_W)carry;
        carry >>= 32;
    }
    return x;
}
/* x·y/2^256, row by row, each followed by its step of Montgomery's reduction. */
EW_FN T ew_fmul(T x, T y)
{
    const EW_W p[8] = EW_PRIME;
    T r;
    for (int i = 0; i < 8; i++)
        r.l[i] = 0;
    for (int i = 0; i < 8; i++) {
        EW_D c = 0;
        for (int j = 0; j < 8; j++) {
            c += (EW_D)x.l[j] * y.l[i] + r.l[j];
            r.l[j] = (EW_W)c;
            c >>= 32;
        }
        EW_W top = (EW_W)c, u = r.l[0] * EW_INVERSE;
        c = ((EW_D)u * p[0] + r.l[0]) >> 32;
        for (int j = 1; j < 8; j++) {
            c += (EW_D)u * p[j] + r.l[j];
            r.l[j - 1] = (EW_W)c;
            c >>= 32;
        }
        r.l[7] = top + (EW_W)c;
    }
    return ew_freduce(r);
}
EW_FN T ew_fzero(void)
{
    T r;
    for (int i = 0; i < 8; i++)
        r.l[i] = 0;
    return r;
}
EW_FN int ew_fequal(T x, T y)
{
    EW_W differ = 0;
    for (int i = 0; i < 8; i++)
        differ |= x.l[i] ^ y.l[i];
    return differ == 0;
}

#elif EW_COMPLEX /* functions of C99 with the special values of its Annex G; products and quotients are the plain formulas */

EW_FN T ew_c(P re, P im)
{
    T r;
    r.re = re;
    r.im = im;
    return r;
}
EW_FN int ew_finite(P x)
{
    return fabs(x) < EW_INF;
}
EW_FN int ew_infinite(P x)
{
    return fabs(x) == EW_INF;
}
EW_FN T ew_cadd(T x, T y)
{
    return ew_c(x.re + y.re, x.im + y.im);
}
EW_FN T ew_csub(T x, T y)
{
    return ew_c(x.re - y.re, x.im - y.im);
}
/* Only sums: gcc 12 fuses a sum and a neighbouring difference with their products into one instruction, even where
 * contraction is off. */
EW_FN T ew_cmul(T x, T y)
{
    return ew_c(x.re * y.re + (-x.im) * y.im, x.re * y.im + x.im * y.re);
}
EW_FN T ew_cneg(T x)
{
    return ew_c(-x.re, -x.im);
}
EW_FN T ew_cconj(T x)
{
    return ew_c(x.re, -x.im);
}
EW_FN T ew_cswap(T x)
{
    return ew_c(x.im, x.re);
}
EW_FN T ew_cscale(T x, P s)
{
    return ew_c(x.re * s, x.im * s);
}
/* R. L. Smith, "Algorithm 116: Complex division", Communications of the ACM 5, 1962. A divisor of 0 gives the
 * quotients of the parts. */
EW_FN T ew_cdiv(T x, T y)
{
    int wide = fabs(y.re) >= fabs(y.im);
    P a = wide ? y.re : y.im, b = wide ? y.im : y.re;
    P q = b / a, d = K(1.0) / (a + b * q);
    P u = wide ? x.re + x.im * q : x.re * q + x.im, v = wide ? x.im + (-x.re) * q : x.im * q + (-x.re);
    int none = (y.re == 0) & (y.im == 0);
    return ew_c(none ? x.re / fabs(y.re) : u * d, none ? x.im / fabs(y.re) : v * d);
}
EW_FN P ew_cabs(T x)
{
    return hypot(x.re, x.im);
}
EW_FN T ew_csign(T x)
{
    P a = hypot(x.re, x.im), re = x.re * K(0.25), im = x.im * K(0.25);
    if (a - a == 0 || x.re != x.re || x.im != x.im)
        return a == 0 ? ew_c(K(0.0), K(0.0)) : ew_c(x.re / a, x.im / a);
    a = hypot(re, im); /* for large parts, whose sum of squares overflows */
    if (a - a == 0)
        return ew_c(re / a, im / a);
    P one_re = re - re == 0 ? K(0.0) : K(1.0), one_im = im - im == 0 ? K(0.0) : K(1.0);
    return one_re * one_im == 0 ? ew_c(copysign(one_re, re), copysign(one_im, im))
                                : ew_c(re / a, im / a); /* inf / inf */
}

#undef EW_C
#undef EW_BIG
#undef EW_SMALL
#undef EW_UP
#undef EW_DOWN
#undef EW_UP_LOG
#if EW_DOUBLE
#define EW_C(f32, f64) K(f64)
#define EW_BIG K(2.2471164185778949e+307)   /* 2^1021 */
#define EW_SMALL K(3.6046397799028105e-292) /* 2^-968 */
#define EW_UP K(18014398509481984.0)        /* 2^54 */
#define EW_DOWN K(7.4505805969238281e-9)    /* 2^-27 */
#define EW_UP_LOG K(37.429947750237048)
#else
#define EW_C(f32, f64) K(f32)
#define EW_BIG K(4.2535295865117308e+37)   /* 2^125 */
#define EW_SMALL K(3.9443045261050590e-31) /* 2^-101 */
#define EW_UP K(16777216.0)                /* 2^24 */
#define EW_DOWN K(2.44140625e-4)           /* 2^-12 */
#define EW_UP_LOG K(16.635532333438686)
#endif
#define EW_PI K(3.141592653589793)
#define EW_HALF_PI K(1.5707963267948966)
#define EW_QUARTER_PI K(0.78539816339744831)

/* e^x · (cos y, sin y), where e^x alone may overflow. */
EW_FN T ew_cexp(T z)
{
    P x = z.re, y = z.im;
    if (y == 0)
        return ew_c(exp(x), y);
    if (x == 0 && ew_finite(y))
        return ew_c(cos(y), sin(y));
    if (!ew_finite(y)) {
        P undefined = y - y;
        if (x == -EW_INF)
            return ew_c(K(0.0), K(0.0));
        return ew_c(x == EW_INF ? x : undefined, undefined);
    }
    if (x > EW_C(80.0, 700.0)) {
        P e = exp(K(0.5) * x);
        return ew_c(e * cos(y) * e, e * sin(y) * e);
    }
    P e = exp(x);
    return ew_c(e * cos(y), e * sin(y));
}

EW_FN T ew_cexpm1(T z)
{
    P x = z.re, y = z.im;
    if (!ew_finite(x) || !ew_finite(y) || y == 0) {
        T e = ew_cexp(z);
        return ew_c(y == 0 ? expm1(x) + K(0.0) : e.re - K(1.0), e.im); /* −0 becomes 0 */
    }
    P s = sin(K(0.5) * y), e = exp(x);
    if (e == EW_INF)
        return ew_cexp(z);
    return ew_c(expm1(x) * cos(y) - K(2.0) * s * s, e * sin(y));
}

/* log |z|, precise also where |z| is nearly 1 and where its square overflows or underflows. */
EW_FN P ew_clogabs(T z)
{
    P a = fabs(z.re), b = fabs(z.im), x = a > b ? a : b, y = a > b ? b : a;
    if (x > K(0.5) && x < K(2.0) && y < K(2.0))
        return K(0.5) * log1p((x - K(1.0)) * (x + K(1.0)) + y * y);
    if (x > EW_BIG && x < EW_INF)
        return log(hypot(x * K(0.25), y * K(0.25))) + K(1.3862943611198906);
    if (x < EW_SMALL && x > 0)
        return log(hypot(x * EW_UP, y * EW_UP)) - EW_UP_LOG;
    return log(hypot(z.re, z.im));
}
EW_FN T ew_clog(T z)
{
    return ew_c(ew_clogabs(z), atan2(z.im, z.re));
}
EW_FN T ew_clog1p(T z)
{
    P a = fabs(z.re), b = fabs(z.im);
    if (a < K(0.5) && b < K(0.5))
        return ew_c(K(0.5) * log1p(z.re * (K(2.0) + z.re) + z.im * z.im), atan2(z.im, K(1.0) + z.re));
    return ew_clog(ew_c(K(1.0) + z.re, z.im));
}

EW_FN T ew_csqrt(T z)
{
    P x = z.re, y = z.im, s = K(1.0);
    if (x == 0 && y == 0)
        return ew_c(K(0.0), y);
    if (ew_infinite(y))
        return ew_c(EW_INF, y);
    if (ew_infinite(x)) {
        P rest = y - y;
        return x > 0 ? ew_c(x, y == y ? copysign(K(0.0), y) : rest) : ew_c(y == y ? K(0.0) : rest, copysign(x, y));
    }
    if (fabs(x) > EW_BIG || fabs(y) > EW_BIG) {
        x = x * K(0.0625);
        y = y * K(0.0625);
        s = K(4.0);
    } else if (fabs(x) < EW_SMALL && fabs(y) < EW_SMALL) {
        x = x * EW_UP;
        y = y * EW_UP;
        s = EW_DOWN;
    }
    P t = sqrt(K(0.5) * (fabs(x) + hypot(x, y)));
    P u = K(0.5) * y / t;
    return x >= 0 ? ew_c(t * s, u * s) : ew_c(fabs(u) * s, copysign(t * s, z.im));
}

/* Small integer exponents by products, others by the logarithm. */
EW_FN T ew_cpow(T x, T y)
{
    if (y.re == 0 && y.im == 0)
        return ew_c(K(1.0), K(0.0));
    if (x.re == 0 && x.im == 0) {
        P undefined = EW_INF - EW_INF;
        return y.re > 0 ? ew_c(K(0.0), K(0.0)) : ew_c(undefined, undefined);
    }
    if (y.im == 0 && fabs(y.re) <= K(64.0) && y.re == floor(y.re)) {
        int n = (int)fabs(y.re);
        T r = ew_c(K(1.0), K(0.0)), b = x;
        for (; n > 0; n = n / 2) {
            if ((n & 1) != 0)
                r = ew_cmul(r, b);
            b = ew_cmul(b, b);
        }
        return y.re < 0 ? ew_cdiv(ew_c(K(1.0), K(0.0)), r) : r;
    }
    return ew_cexp(ew_cmul(y, ew_clog(x)));
}

EW_FN T ew_csinh(T z)
{
    P x = z.re, y = z.im;
    if (y == 0)
        return ew_c(sinh(x), y);
    if (!ew_finite(y)) {
        P undefined = y - y;
        return x == 0 ? ew_c(x, undefined) : ew_infinite(x) ? ew_c(x, undefined) : ew_c(undefined, undefined);
    }
    if (x == 0)
        return ew_c(x * cos(y), sin(y));
    if (fabs(x) > EW_C(80.0, 700.0)) {
        P e = exp(K(0.5) * fabs(x));
        return ew_c(copysign(K(0.5) * e, x) * cos(y) * e, K(0.5) * e * sin(y) * e);
    }
    return ew_c(sinh(x) * cos(y), cosh(x) * sin(y));
}
EW_FN T ew_ccosh(T z)
{
    P x = z.re, y = z.im;
    if (y == 0)
        return ew_c(cosh(x), x == x ? copysign(K(1.0), x) * y : y);
    if (!ew_finite(y)) {
        P undefined = y - y;
        return x == 0 ? ew_c(undefined, x) : ew_infinite(x) ? ew_c(EW_INF, undefined) : ew_c(undefined, undefined);
    }
    if (x == 0)
        return ew_c(cos(y), x * sin(y));
    if (fabs(x) > EW_C(80.0, 700.0)) {
        P e = exp(K(0.5) * fabs(x));
        return ew_c(K(0.5) * e * cos(y) * e, copysign(K(0.5) * e, x) * sin(y) * e);
    }
    return ew_c(cosh(x) * cos(y), sinh(x) * sin(y));
}
/* W. Kahan, "Branch cuts for complex elementary functions, or much ado about nothing's sign bit", in: The State of the Art
 * in Numerical Analysis, 1987; also asin, acos and acosh. */
EW_FN T ew_ctanh(T z)
{
    P x = z.re, y = z.im;
    if (ew_infinite(x))
        return ew_c(copysign(K(1.0), x), copysign(K(0.0), y));
    if (x != x)
        return ew_c(x, y == 0 ? y : x);
    if (!ew_finite(y))
        return ew_c(x == 0 ? x : y - y, y - y);
    if (fabs(x) > EW_C(11.0, 22.0)) {
        P e = exp(-fabs(x));
        return ew_c(copysign(K(1.0), x), K(4.0) * sin(y) * cos(y) * e * e);
    }
    P t = tan(y), b = K(1.0) + t * t, s = sinh(x), r = sqrt(K(1.0) + s * s), d = K(1.0) + b * s * s;
    return ew_infinite(t) ? ew_c(r / s, K(1.0) / t) : ew_c(b * r * s / d, t / d);
}

EW_FN T ew_casin_finite(T z)
{
    T a = ew_csqrt(ew_c(K(1.0) - z.re, -z.im)), b = ew_csqrt(ew_c(K(1.0) + z.re, z.im));
    return ew_c(atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re));
}
EW_FN T ew_casinh(T z)
{
    P x = z.re, y = z.im;
    if (ew_finite(x) && ew_finite(y))
        return ew_cswap(ew_casin_finite(ew_cswap(z)));
    if (ew_infinite(x))
        return ew_c(x, y != y ? y : ew_infinite(y) ? copysign(EW_QUARTER_PI, y) : copysign(K(0.0), y));
    if (ew_infinite(y))
        return x != x ? ew_c(y, x) : ew_c(copysign(EW_INF, x), copysign(EW_HALF_PI, y));
    return ew_c(x + y, y == 0 ? y : x + y);
}
EW_FN T ew_casin(T z)
{
    return ew_cswap(ew_casinh(ew_cswap(z)));
}
EW_FN T ew_cacos(T z)
{
    P x = z.re, y = z.im;
    if (ew_finite(x) && ew_finite(y)) {
        T a = ew_csqrt(ew_c(K(1.0) - x, -y)), b = ew_csqrt(ew_c(K(1.0) + x, y));
        return ew_c(K(2.0) * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re));
    }
    if (ew_infinite(x) || ew_infinite(y)) {
        P angle = ew_infinite(x)
                      ? (ew_infinite(y) ? (x > 0 ? EW_QUARTER_PI : K(3.0) * EW_QUARTER_PI) : (x > 0 ? K(0.0) : EW_PI))
                      : EW_HALF_PI;
        if (x != x || y != y)
            return ew_c(x != x ? x : y, ew_infinite(y) ? -y : EW_INF);
        return ew_c(angle, copysign(EW_INF, -y));
    }
    return x == 0 ? ew_c(EW_HALF_PI, y) : ew_c(x + y, x + y);
}
EW_FN T ew_cacosh(T z)
{
    T w = ew_cacos(z);
    if (w.re != w.re)
        return w.im != w.im ? ew_c(w.im, w.re) : ew_c(fabs(w.im), w.re);
    if (w.im != w.im)
        return ew_cswap(w);
    return ew_c(fabs(w.im), copysign(w.re, z.im));
}
/* The real part of 1/z, for |z| so large that atanh z − 1/z is below rounding. */
EW_FN T ew_catanh(T z)
{
    P x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), far = EW_C(3.3554432e7, 1.8014398509481984e16);
    if (x != x)
        return ew_infinite(y) ? ew_c(copysign(K(0.0), x), copysign(EW_HALF_PI, y)) : ew_c(x, x);
    if (y != y)
        return ew_infinite(x) ? ew_c(copysign(K(0.0), x), y) : x == 0 ? ew_c(x, y) : ew_c(y, y);
    if (ax > far || ay > far) {
        P inverse = ew_infinite(x) || ew_infinite(y) ? K(0.0)
                    : ax > ay                        ? K(1.0) / (ax + ay * (ay / ax))
                                                     : ax / ay / (ay + ax * (ax / ay));
        return ew_c(copysign(inverse, x), copysign(EW_HALF_PI, y));
    }
    if (ax == 1 && ay < EW_C(1.0e-10, 1.0e-160)) {
        if (ay == 0)
            return ew_c(copysign(EW_INF, x), y);
        return ew_c(copysign((K(0.69314718055994531) - log(ay)) * K(0.5), x), copysign(atan2(K(2.0), -ay) * K(0.5), y));
    }
    return ew_c(copysign(log1p(K(4.0) * ax / ((ax - K(1.0)) * (ax - K(1.0)) + ay * ay)) * K(0.25), x),
                atan2(K(2.0) * y, (K(1.0) - ax) * (K(1.0) + ax) - ay * ay) * K(0.5));
}
EW_FN T ew_catan(T z)
{
    return ew_cswap(ew_catanh(ew_cswap(z)));
}
/* −i·f(i·z) */
EW_FN T ew_csin(T z)
{
    T w = ew_csinh(ew_c(-z.im, z.re));
    return ew_c(w.im, -w.re);
}
EW_FN T ew_ctan(T z)
{
    T w = ew_ctanh(ew_c(-z.im, z.re));
    return ew_c(w.im, -w.re);
}
EW_FN T ew_ccos(T z)
{
    return ew_ccosh(ew_c(-z.im, z.re));
}

#else /* ints and bool; "+ 0u" promotes narrow types to unsigned int, where nothing overflows */

EW_FN T ew_neg(T x)
{
    return (T)(0u - (U)x);
}
EW_FN T ew_abs(T x)
{
    return x < 1 ? (T)(0u - (U)x) : x;
}
EW_FN T ew_add(T x, T y)
{
    return (T)((U)x + 0u + (U)y);
}
EW_FN T ew_sub(T x, T y)
{
    return (T)((U)x + 0u - (U)y);
}
EW_FN T ew_mul(T x, T y)
{
    return (T)(((U)x + 0u) * ((U)y + 0u));
}
EW_FN T ew_maximum(T x, T y)
{
    return x > y ? x : y;
}
EW_FN T ew_minimum(T x, T y)
{
    return x < y ? x : y;
}
EW_FN T ew_clip(T x, T y, T z)
{
    return ew_minimum(ew_maximum(x, y), z);
}
EW_FN T ew_floor(T x)
{
    return x;
}
EW_FN T ew_ceil(T x)
{
    return x;
}
EW_FN T ew_trunc(T x)
{
    return x;
}
EW_FN T ew_round(T x)
{
    return x;
}
EW_FN int ew_isnan(T x)
{
    (void)x;
    return 0;
}
EW_FN int ew_isinf(T x)
{
    (void)x;
    return 0;
}
EW_FN int ew_isfinite(T x)
{
    (void)x;
    return 1;
}
/* Counts below 0 or ≥ the width shift all bits out. */
EW_FN T ew_shl(T x, T y)
{
    U n = (U)y;
    return (T)(n < 8 * sizeof(T) ? ((U)x + 0u) << (n & (8 * sizeof(T) - 1)) : 0u);
}
EW_FN T ew_shr(T x, T y)
{
    U n = (U)y;
    U last = (U)(8 * sizeof(T) - 1);
#if EW_SIGNED
    return (T)(x >> (n < last ? n : last));
#else
    return (T)(n > last ? 0u : ((U)x + 0u) >> (n & last));
#endif
}

#if EW_BOOL
EW_FN T ew_invert(T x)
{
    return (T)(x == 0);
}
#else
EW_FN T ew_invert(T x)
{
    return (T)~x;
}
#endif

#if EW_SIGNED
EW_FN T ew_sign(T x)
{
    return (T)((x > 0) - (x < 0));
}
/* Division by -1 is a negation (the lowest value has no positive twin); division by 0 gives 0. */
EW_FN T ew_remainder(T x, T y)
{
    T d = (T)(((y == 0) | (y == -1)) ? 1 : y);
    T m = (T)(x % d);
    return (T)(((m != 0) & ((m < 0) != (y < 0))) ? m + y : m);
}
EW_FN T ew_floor_divide(T x, T y)
{
    T d = (T)(((y == 0) | (y == -1)) ? 1 : y);
    T m = (T)(x % d);
    T q = (T)(x / d - ((m != 0) & ((m < 0) != (y < 0))));
    return (T)(y == 0 ? 0 : y == -1 ? ew_neg(x) : q);
}
#else
EW_FN T ew_sign(T x)
{
    return (T)(x != 0);
}
EW_FN T ew_remainder(T x, T y)
{
    return (T)(y == 0 ? 0 : x % (y + (T)(y == 0)));
}
EW_FN T ew_floor_divide(T x, T y)
{
    return (T)(y == 0 ? 0 : x / (y + (T)(y == 0)));
}
#endif

/* Wraps. A negative exponent gives the true value truncated: 1, -1 or 0; and 0 for x = 0. */
EW_FN T ew_pow(T x, T y)
{
    U r = 1, b = (U)x, n = (U)y;
#if EW_SIGNED
    if (y < 0)
        return (T)(x == 1 ? 1 : x == -1 ? ((y & 1) != 0 ? -1 : 1) : 0);
#endif
    for (; n != 0; n = (U)(n >> 1)) {
        r = (U)((n & 1u) != 0 ? (r + 0u) * (b + 0u) : r);
        b = (U)((b + 0u) * (b + 0u));
    }
    return (T)r;
}

#endif
