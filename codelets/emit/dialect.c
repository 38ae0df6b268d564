/* The dialects: OpenCL C 1.2, CUDA C and C99, one row of words each. A new dialect is a new row.
 * Must not know: regions. */
#include "config.h"

#include "codelets/emit/emit.h"

/* Every dialect's prelude defines, beside the types (orr_widest is the widest float of the device): ORR_FN (helper
 * function), ORR_CALL (one that is not inlined), orr_idx (array index), orr_quotient, orr_f32_bits and orr_bits_f32, the same for f64,
 * orr_mulhi (high half of a product of u64) and orr_clz (leading zeros of a u64, not 0). */

/* The C math names of ops/ew_prelude.h. */
/* clang-format off */
#define UNARY_MATH(X)                                                                                                  \
    X(fabs) X(exp) X(expm1) X(log) X(log1p) X(log2) X(log10) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh)      \
    X(cosh) X(tanh) X(asinh) X(acosh) X(atanh) X(sqrt) X(floor) X(ceil) X(trunc) X(rint) X(erf) X(erfc)
/* clang-format on */
#define BINARY_MATH(X) X(atan2) X(hypot) X(pow) X(fmod) X(copysign) X(nextafter)
#define DECLARE1(n) "orr_f64 " #n "(orr_f64); orr_f32 " #n "f(orr_f32);\n"
#define DECLARE2(n) "orr_f64 " #n "(orr_f64, orr_f64); orr_f32 " #n "f(orr_f32, orr_f32);\n"
#define SINGLE(n) "#define " #n " " #n "f\n"
#define UNDO(n) "#undef " #n "\n"

/* Division by a size that is an argument: n / d = n · (⌊2^(31+l)/d⌋ + 1) / 2^(31+l) for n < 2^31, l = ⌈log₂ d⌉ (Granlund, Montgomery,
 * "Division by invariant integers using multiplication", 1994). The low half of word m is the factor, the high half the shift. CPUs have no
 * vector instruction for integer division, and GPUs have no fast one. */
#define WIDE_INDEX                                                                                                     \
    "#ifdef ORR_WIDE\n"                                                                                                \
    "typedef orr_i64 orr_idx;\n"                                                                                       \
    "#define orr_quotient(n, d, m) ((n) / (d))\n"                                                                      \
    "#else\n"                                                                                                          \
    "typedef orr_i32 orr_idx;\n"                                                                                       \
    "#define orr_quotient(n, d, m) ((orr_idx)((orr_u64)(orr_u32)(n) * (orr_u32)(m) >> (orr_u32)((m) >> 32)))\n"        \
    "#endif\n"

/* OpenCL: drivers lose subnormals in log1p and overflow too early in sinh and cosh, so some arguments use our own functions. Where a
 * driver's functions are macros, ours replace the names. */
#define OWN_MATH(t)                                                                                                    \
    "ORR_FN orr_" #t " orr_own_log1p_" #t "(orr_" #t " x) { return fabs(x) < 1e-30f ? x : log1p(x); }\n"               \
    "ORR_FN orr_" #t " orr_own_exp_" #t "(orr_" #t " x) { return exp(0.5f * x) * 0.5f * exp(0.5f * x); }\n"            \
    "ORR_FN orr_" #t " orr_own_sinh_" #t "(orr_" #t " x) { return fabs(x) > 700.0f ?"                                  \
    " copysign(orr_own_exp_" #t "(fabs(x)), x) : sinh(x); }\n"                                                         \
    "ORR_FN orr_" #t " orr_own_cosh_" #t "(orr_" #t " x) { return fabs(x) > 700.0f ? orr_own_exp_" #t                  \
    "(fabs(x)) : cosh(x); }\n"
#define OWN_MATH_F32 OWN_MATH(f32)
#define OWN_MATH_F64 OWN_MATH(f64)
#define OWN_NAMES(t)                                                                                                   \
    "#undef log1p\n#undef sinh\n#undef cosh\n"                                                                         \
    "#define log1p orr_own_log1p_" #t "\n#define sinh orr_own_sinh_" #t "\n#define cosh orr_own_cosh_" #t "\n"

static const char opencl_prelude[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define ORR_FN inline static\n"
    "#define ORR_CALL static __attribute__((noinline))\n"
    "#ifdef cl_khr_fp64\n"
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef double orr_f64;\ntypedef double orr_widest;\n"
    "#define orr_f64_bits(x) as_ulong(x)\n"
    "#define orr_bits_f64(x) as_double(x)\n" OWN_MATH_F64 "#else\ntypedef float orr_widest;\n#endif\n"
    "typedef char orr_i8;\ntypedef short orr_i16;\ntypedef int orr_i32;\ntypedef long orr_i64;\n"
    "typedef uchar orr_u8;\ntypedef ushort orr_u16;\ntypedef uint orr_u32;\ntypedef ulong orr_u64;\n"
    "typedef float orr_f32;\n"
    "#ifdef FP_FAST_FMAF\n#define ORR_FMA_F32 1\n#else\n#define ORR_FMA_F32 0\n#endif\n"
    "#ifdef FP_FAST_FMA\n#define ORR_FMA_F64 1\n#else\n#define ORR_FMA_F64 0\n#endif\n"
    "#define orr_f32_bits(x) as_uint(x)\n"
    "#define orr_bits_f32(x) as_float(x)\n"
    "#define orr_mulhi(x, y) mul_hi((orr_u64)(x), (orr_u64)(y))\n"
    "#define orr_clz(x) ((int)clz((orr_u64)(x)))\n" OWN_MATH_F32 WIDE_INDEX;

static const char cuda_prelude[] =
    "typedef signed char orr_i8;\ntypedef short orr_i16;\ntypedef int orr_i32;\ntypedef long long orr_i64;\n"
    "typedef unsigned char orr_u8;\ntypedef unsigned short orr_u16;\ntypedef unsigned orr_u32;\n"
    "typedef unsigned long long orr_u64;\n"
    "typedef float orr_f32;\ntypedef double orr_f64;\ntypedef double orr_widest;\n"
    "#define ORR_FN static __device__ __forceinline__\n"
    "#define ORR_CALL static __device__ __noinline__\n"
    "#define orr_f32_bits(x) __float_as_uint(x)\n"
    "#define orr_bits_f32(x) __uint_as_float(x)\n"
    "#define orr_f64_bits(x) ((orr_u64)__double_as_longlong(x))\n"
    "#define orr_bits_f64(x) __longlong_as_double((long long)(x))\n"
    "#define orr_mulhi(x, y) __umul64hi(x, y)\n"
    "#define orr_clz(x) __clzll((long long)(x))\n" WIDE_INDEX;

static const char c_prelude[] =
    "typedef signed char orr_i8;\ntypedef short orr_i16;\ntypedef int orr_i32;\ntypedef long orr_i64;\n"
    "typedef unsigned char orr_u8;\ntypedef unsigned short orr_u16;\ntypedef unsigned orr_u32;\n"
    "typedef unsigned long orr_u64;\n"
    "typedef float orr_f32;\ntypedef double orr_f64;\ntypedef double orr_widest;\n"
    "#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)\n#define ORR_FMA 1\n#else\n#define "
    "ORR_FMA 0\n#endif\n"
    "#define ORR_FN static inline __attribute__((unused))\n"
    "#define ORR_CALL static __attribute__((unused, noinline))\n"
    "#define ORR_ROW_FN static inline __attribute__((unused, always_inline))\n" /* else a loop contains a call */
    "ORR_FN orr_u32 orr_f32_bits(orr_f32 x) { orr_u32 u; __builtin_memcpy(&u, &x, sizeof u); return u; }\n"
    "ORR_FN orr_f32 orr_bits_f32(orr_u32 u) { orr_f32 x; __builtin_memcpy(&x, &u, sizeof x); return x; }\n"
    "ORR_FN orr_u64 orr_f64_bits(orr_f64 x) { orr_u64 u; __builtin_memcpy(&u, &x, sizeof u); return u; }\n"
    "ORR_FN orr_f64 orr_bits_f64(orr_u64 u) { orr_f64 x; __builtin_memcpy(&x, &u, sizeof x); return x; }\n"
    "#define orr_mulhi(x, y) ((orr_u64)((unsigned __int128)(x) * (y) >> 64))\n"
    "#define orr_clz(x) __builtin_clzl(x)\n" UNARY_MATH(DECLARE1)
        BINARY_MATH(DECLARE2) "orr_f64 fma(orr_f64, orr_f64, orr_f64);\n"
                              "orr_f32 fmaf(orr_f32, orr_f32, orr_f32);\n" WIDE_INDEX;

const orr__dialect orr__dialect_opencl = {
    .name = "opencl",
    .prelude = opencl_prelude,
    .kernel = "__kernel void",
    .global = "__global ",
    .constant = "__constant ",
    .words = "__constant orr_i64 *",
    .begin = "    const orr_idx i = (orr_idx)get_global_id(0);\n"
             "    if (i >= (orr_idx)W(0))\n        return;\n",
    .end = "",
    .group = ORR__EMIT_GROUP,
    .grouped = "__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void",
    .seat = "    const orr_idx block = (orr_idx)get_group_id(0);\n    const int me = (int)get_local_id(0);\n",
    .share = "__local ",
    .prelude2 = "#define ORR_BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
                "#define ORR_FENCE barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n"
                "#define orr_least(p, v) (void)atomic_min(p, v)\n"
                "#define orr_swap(p, v) atomic_xchg(p, v)\n"
                "#define ORR_ROLLED\n",
    .fma = { "ORR_FMA_F32", "ORR_FMA_F64" },
    .math = { OWN_NAMES(f32), OWN_NAMES(f64) },
    .unmath = "",
    .by_value = true,
};

const orr__dialect orr__dialect_cuda = {
    .name = "cuda",
    .prelude = cuda_prelude,
    .kernel = "extern \"C\" __global__ void",
    .global = "",
    .constant = "static __device__ const ",
    .words = "const orr_i64 *__restrict__ ",
    .begin = "    const orr_idx i = (orr_idx)blockIdx.x * (orr_idx)blockDim.x + (orr_idx)threadIdx.x;\n"
             "    if (i >= (orr_idx)W(0))\n        return;\n",
    .end = "",
    .group = ORR__EMIT_GROUP,
    .grouped = "extern \"C\" __global__ void __launch_bounds__(256, ORR_RESIDENT)",
    .seat = "    const orr_idx block = (orr_idx)blockIdx.x;\n    const int me = (int)threadIdx.x;\n",
    .size = "(int)blockDim.x",
    .wide = 16,
    .share = "__shared__ ",
    .prelude2 = "#define ORR_BARRIER __syncthreads()\n#define ORR_FENCE __syncthreads()\n"
                "#define orr_least(p, v) (void)atomicMin(p, v)\n"
                "#define orr_swap(p, v) atomicExch(p, v)\n"
                "#define ORR_ROLLED _Pragma(\"unroll 1\")\n#define ORR_UNROLLED _Pragma(\"unroll\")\n",
    .fma = { "1", "1" },
    .math = { "", "" },
    .unmath = "",
    .matrix = true,
    .by_value = true,
};

const orr__dialect orr__dialect_c = {
    .name = "c",
    .prelude = c_prelude,
    .kernel = "void",
    .global = "",
    .constant = "static const ",
    .words = "const orr_i64 *",
    .begin = "    for (orr_idx i = 0; i < (orr_idx)W(0); i++) {\n",
    .end = "    }\n",
    .group = 1,
    .grouped = "void",
    .seat = "    for (orr_idx block = 0; block < (orr_idx)ORR_BLOCKS; block++) {\n    const int me = 0;\n",
    .share = "",
    .prelude2 = "#define ORR_BARRIER (void)0\n#define ORR_FENCE (void)0\n"
                "#define orr_least(p, v) (void)(*(p) = *(p) < (v) ? *(p) : (v))\n"
                "#define orr_swap(p, v) __sync_lock_test_and_set(p, v)\n"
                "#define ORR_ROLLED\n",
    .fma = { "ORR_FMA", "ORR_FMA" },
    .math = { UNARY_MATH(SINGLE) BINARY_MATH(SINGLE) SINGLE(fma), "" },
    .unmath = UNARY_MATH(UNDO) BINARY_MATH(UNDO) UNDO(fma),
    .arrays = true,
};
