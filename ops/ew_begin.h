/* Sets up C code for one dtype: macros of ops/ew_prelude.h, its helpers, and which rows apply. No include guard.
 * Must not know: the use of the rows. */
/* Before: #define EW_DTYPE EW_F32 (or another of the list). Afterwards, until "ops/ew_end.h":
 *   T, U, K, …           as ops/ew_prelude.h says, with its helpers defined as static inline functions n_f32 …
 *   EW_NAME              the dtype's suffix, for EW_PASTE(my_function_, EW_NAME)
 *   EW_ON_<types>(…)     its arguments when a row of that type class applies to this dtype, else nothing
 *   EW_ON_COMPLEX(…)     its arguments for a complex dtype: the other EW_ON_ are nothing then
 *   EW_ON_FIELD(…)       its arguments for a field dtype, likewise
 *   EW_OUT_<result>      type of a row's result, EW_IN_<result> type of its operand x; EW_AS_<result>(v) converts to it
 * Between the two files, names of rows such as exp are macros: a row macro must paste them at once (name##_,
 * ORR__EW_##name), before it passes them to another macro.
 * A backend with vector functions of its own defines EW_M_F32(n) and EW_M_F64(n) before: the name that replaces the
 * C name n. f16 and bf16 use F32. With EW_WIDE, F64 is orr__real (ops/reference_wide.c). <math.h> must not be included between begin and end. */
#ifndef EW_SETUP
#define EW_SETUP
#include <math.h>
#include <stdint.h>

#define EW_BOOL8 0
#define EW_I8 1
#define EW_I16 2
#define EW_I32 3
#define EW_I64 4
#define EW_U8 5
#define EW_U16 6
#define EW_U32 7
#define EW_U64 8
#define EW_F32 11   /* limit of a format */
#define EW_F64 12   /* limit of a format */
#define EW_C64 13   /* limit of a format */
#define EW_C128 14  /* limit of a format */
#define EW_FR254 15 /* limit of a format */
#define EW_FQ254 16 /* limit of a format */

typedef struct {
    float re, im;
} ew_c64;
typedef struct {
    double re, im;
} ew_c128;
typedef struct {
    uint32_t l[8];
} ew_element;

#define EW_PASTE_(a, b) a##b
#define EW_PASTE(a, b) EW_PASTE_(a, b)

#ifndef EW_M_F32
#define EW_M_F32(n) n##f
#endif
#ifndef EW_M_F64
#define EW_M_F64(n) n
#endif
#ifndef EW_FMA
#if defined(__FMA__) || defined(__FP_FAST_FMA) || defined(__ARM_FEATURE_FMA)
#define EW_FMA 1
#else
#define EW_FMA 0
#endif
#endif
#endif

#if EW_DTYPE >= EW_FR254
#define EW_W uint32_t
#define EW_D uint64_t
#define EW_AS_SAME(v) (v)
#elif EW_DTYPE >= EW_C64
#define K(c) ((P)(c))
#define EW_INF ((P)INFINITY)
#define EW_AS_SAME(v) (v)
#else
#define K(c) ((T)(c))
#define EW_INF ((T)INFINITY)
#define EW_AS_SAME(v) ((T)(v))
#endif
#define EW_AS_COND(v) EW_AS_SAME(v)
#define EW_AS_TRUTH(v) ((uint8_t)((v) ? 1 : 0))
#define EW_AS_PART(v) ((P)(v))
#define EW_AS_PAIR(v) (v)
#define EW_FN static inline
#define EW_N(n) EW_PASTE_N(n, EW_NAME)
#define EW_PASTE_N(n, s) EW_PASTE_(n##_, s)
#define EW_OUT_SAME T
#define EW_OUT_TRUTH uint8_t
#define EW_OUT_COND T
#define EW_OUT_PART P
#define EW_OUT_PAIR EW_PAIR
#define EW_IN_PART T
#define EW_IN_PAIR T
#define EW_IN_SAME T
#define EW_IN_TRUTH T
#define EW_IN_COND uint8_t

#if EW_DTYPE == EW_F32
#define T float
#define EW_PAIR ew_c64
#define EW_NAME f32
#define EW_M(n) EW_M_F32(n)
#elif EW_DTYPE == EW_F64
#ifdef EW_WIDE
#define T orr__real
#define EW_PAIR ew_wide_pair
#define EW_NAME wide
#else
#define T double
#define EW_PAIR ew_c128
#define EW_NAME f64
#endif
#define EW_M(n) EW_M_F64(n)
#define EW_DOUBLE 1
#elif EW_DTYPE == EW_C64
#define T ew_c64
#define P float
#define EW_NAME c64
#define EW_M(n) EW_M_F32(n)
#elif EW_DTYPE == EW_C128
#define T ew_c128
#define P double
#define EW_NAME c128
#define EW_M(n) EW_M_F64(n)
#define EW_DOUBLE 1
#elif EW_DTYPE == EW_FR254
#define T ew_element
#define EW_NAME fr254
#define EW_PRIME                                                                                                       \
    {                                                                                                                  \
        0xf0000001u, 0x43e1f593u, 0x79b97091u, 0x2833e848u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u         \
    }
#define EW_INVERSE 0xefffffffu
#elif EW_DTYPE == EW_FQ254
#define T ew_element
#define EW_NAME fq254
#define EW_PRIME                                                                                                       \
    {                                                                                                                  \
        0xd87cfd47u, 0x3c208c16u, 0x6871ca8du, 0x97816a91u, 0x8181585du, 0xb85045b6u, 0xe131a029u, 0x30644e72u         \
    }
#define EW_INVERSE 0xe4866389u
#elif EW_DTYPE == EW_BOOL8
#define T uint8_t
#define U uint8_t
#define EW_NAME bool8
#define EW_BOOL 1
#elif EW_DTYPE == EW_I8
#define T int8_t
#define U uint8_t
#define EW_NAME i8
#define EW_SIGNED 1
#elif EW_DTYPE == EW_I16
#define T int16_t
#define U uint16_t
#define EW_NAME i16
#define EW_SIGNED 1
#elif EW_DTYPE == EW_I32
#define T int32_t
#define U uint32_t
#define EW_NAME i32
#define EW_SIGNED 1
#elif EW_DTYPE == EW_I64
#define T int64_t
#define U uint64_t
#define EW_NAME i64
#define EW_SIGNED 1
#elif EW_DTYPE == EW_U8
#define T uint8_t
#define U uint8_t
#define EW_NAME u8
#define EW_UNSIGNED 1
#elif EW_DTYPE == EW_U16
#define T uint16_t
#define U uint16_t
#define EW_NAME u16
#define EW_UNSIGNED 1
#elif EW_DTYPE == EW_U32
#define T uint32_t
#define U uint32_t
#define EW_NAME u32
#define EW_UNSIGNED 1
#elif EW_DTYPE == EW_U64
#define T uint64_t
#define U uint64_t
#define EW_NAME u64
#define EW_UNSIGNED 1
#else
#error "EW_DTYPE is none of the list"
#endif

#if EW_DTYPE >= EW_FR254
#define EW_ON_ALL(...)
#define EW_ON_COMPLEX(...)
#define EW_ON_FIELD(...) __VA_ARGS__
#elif EW_DTYPE >= EW_C64
#define EW_ON_ALL(...)
#define EW_ON_COMPLEX(...) __VA_ARGS__
#define EW_ON_FIELD(...)
#else
#define EW_ON_ALL(...) __VA_ARGS__
#define EW_ON_COMPLEX(...)
#define EW_ON_FIELD(...)
#endif
#if EW_DTYPE >= EW_FR254
#define EW_FIELD 1
#define EW_ON_FLOAT(...)
#define EW_ON_WIDE(...)
#define EW_ON_NUMERIC(...)
#define EW_ON_INT(...)
#define EW_ON_INTBOOL(...)
#define EW_ON_BOOL(...)
#elif EW_DTYPE >= EW_C64
#define EW_COMPLEX 1
#define EW_ON_FLOAT(...)
#define EW_ON_WIDE(...)
#define EW_ON_NUMERIC(...)
#define EW_ON_INT(...)
#define EW_ON_INTBOOL(...)
#define EW_ON_BOOL(...)
#include "ops/ew_names.h"
#elif EW_DTYPE >= EW_F32
#define EW_FLOAT 1
#define EW_ON_FLOAT(...) __VA_ARGS__
#define EW_ON_WIDE(...) __VA_ARGS__
#define EW_ON_NUMERIC(...) __VA_ARGS__
#define EW_ON_INT(...)
#define EW_ON_INTBOOL(...)
#define EW_ON_BOOL(...)
#include "ops/ew_names.h"
#elif EW_DTYPE == EW_BOOL8
#define EW_ON_FLOAT(...)
#define EW_ON_WIDE(...)
#define EW_ON_NUMERIC(...)
#define EW_ON_INT(...)
#define EW_ON_INTBOOL(...) __VA_ARGS__
#define EW_ON_BOOL(...) __VA_ARGS__
#else
#define EW_ON_FLOAT(...)
#define EW_ON_WIDE(...)
#define EW_ON_NUMERIC(...) __VA_ARGS__
#define EW_ON_INT(...) __VA_ARGS__
#define EW_ON_INTBOOL(...) __VA_ARGS__
#define EW_ON_BOOL(...)
#endif

#include "ops/ew_prelude.h"
