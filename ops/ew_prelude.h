/* Helper functions of the value expressions in ops/elementwise.def, for one dtype per inclusion.
 * Must not know: loops, memory, backends, headers. It is C99, OpenCL C 1.2 and CUDA C at once.
 *
 * The contract. Before the text (and, as long as expressions follow, after it) these macros stand:
 *   T          type in which a value sits: float (f16, bf16, f32), double, intN_t, uintN_t; bool: an unsigned char
 *   U          ints and bool: the unsigned type of T's width
 *   EW_FLOAT, EW_SIGNED, EW_UNSIGNED, EW_BOOL   exactly one is 1, the others undefined or 0
 *   EW_DOUBLE  1 when T is double, else undefined or 0
 *   K(c)       the literal c, written with a decimal point, as T:  ((T)(c)), or c##f where double is missing
 *   EW_INF     +infinity as T (float dtypes)
 *   EW_FN      what stands before a helper: static inline; static __device__ __forceinline__
 *   EW_N(n)    the name n made unique for this dtype: n##_f32
 *   EW_FMA     1 where fma(T, T, T) is one fast instruction; else undefined or 0. No value depends on it.
 *   EW_WHOLE   1 where EW_M has sigmoid, silu and gelu_tanh as well, and gelu of float: then the helpers of that
 *              name are these
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

#if EW_FLOAT

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
/* NaN wins; of equals the first. In two steps since the first one is a vector instruction: x when one is NaN. */
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

/* Sign of the divisor, as Python's %. y = 0 gives NaN. */
EW_FN T ew_remainder(T x, T y)
{
    T m = fmod(x, y);
    T moved = (m < 0) != (y < 0) ? m + y : m;
    return m == 0 ? copysign(K(0.0), y) : moved;
}

/* Python's //: the remainder that belongs to it is ew_remainder. y = 0 gives x / y. */
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

/* The tail: e^x underflows long before x·e^x does. Left of -EW_TAIL the exponential is taken EW_TAIL further
 * right (that sum is exact) and the result is scaled by e^-EW_TAIL at the end, so it is rounded only once. */
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

/* x·y - p, exactly, for p the rounded product. No overflow for |x|, |y| < 2^100 (f32), 2^990 (f64). */
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
/* ½x(1+tanh u) is x·sigmoid(2u). In the left tail the error of 2u is the relative error of the result: so 2u is
 * carried as w + e, twice as precise as T. The constants are 2√(2/π) and 0.044715 times it, as high + low part. */
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
/* ½x·erfc(-x/√2), the argument carried as u + d. Where erfc nears underflow: -φ(x)·(1 - 1/x² + 3/x⁴ - 15/x⁶ …). */
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

#else /* ints and bool; "+ 0u" lifts narrow types to unsigned int, where nothing overflows */

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
/* Counts below 0 or ≥ the width shift everything out. */
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

/* Wraps. A negative exponent gives what truncation of the true value gives: 1, -1 or 0; and 0 for 0. */
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
