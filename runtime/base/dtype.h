/* Facts about element types: kinds, promotion, conversion of single values.
 * Must not know: tensors, devices. */
#ifndef ORR_BASE_DTYPE_H
#define ORR_BASE_DTYPE_H

#include <stdbool.h>
#include <string.h>
#include <orrery/dtype.h>

typedef enum { ORR__KBOOL, ORR__KSIGNED, ORR__KUNSIGNED, ORR__KFLOAT, ORR__KCOMPLEX, ORR__KFIELD } orr__kind;

orr__kind orr__dtype_kind(orr_dtype t);
/* As orr_dtype_size, for an existing dtype. */
extern const uint8_t orr__dtype_bytes[ORR_DTYPE_COUNT];
static inline size_t orr__dtype_size(orr_dtype t)
{
    return orr__dtype_bytes[t];
}
static inline bool orr__is_float(orr_dtype t)
{
    return t >= ORR_F16 && t <= ORR_F64;
}
/* The values of the dtypes before this one are one orr__scalar each. */
#define ORR__SCALAR_DTYPES ORR_C64
static inline bool orr__is_complex(orr_dtype t)
{
    return t == ORR_C64 || t == ORR_C128;
}
static inline bool orr__is_field(orr_dtype t)
{
    return t == ORR_FR254 || t == ORR_FQ254;
}
/* True if the values are not scalars. */
static inline bool orr__is_compound(orr_dtype t)
{
    return t >= ORR__SCALAR_DTYPES;
}
/* Dtypes that have derivatives: floats and complex numbers. */
static inline bool orr__is_inexact(orr_dtype t)
{
    return t >= ORR_F16 && t <= ORR_C128;
}
static inline bool orr__is_half(orr_dtype t)
{
    return t == ORR_F16 || t == ORR_BF16;
}
static inline bool orr__is_signed(orr_dtype t)
{
    return t >= ORR_I8 && t <= ORR_I64;
}
static inline bool orr__is_unsigned(orr_dtype t)
{
    return t >= ORR_U8 && t <= ORR_U64;
}
static inline bool orr__is_int(orr_dtype t)
{
    return t >= ORR_I8 && t <= ORR_U64;
}

/* The dtype of a complex dtype's parts; t itself for other dtypes. The second function returns the complex dtype with parts of f32 or
 * f64. */
static inline orr_dtype orr__part_dtype(orr_dtype t)
{
    return t == ORR_C64 ? ORR_F32 : t == ORR_C128 ? ORR_F64 : t;
}
static inline orr_dtype orr__complex_of(orr_dtype part)
{
    return part == ORR_F64 ? ORR_C128 : ORR_C64;
}
/* The dtype of the scalars from which constants of t are made: that of the parts for complex numbers, int64 for elements of a field. */
static inline orr_dtype orr__constant_dtype(orr_dtype t)
{
    return orr__is_field(t) ? ORR_I64 : orr__part_dtype(t);
}
/* True if arithmetic on t needs f64. */
static inline bool orr__has_f64(orr_dtype t)
{
    return t == ORR_F64 || t == ORR_C128;
}

/* The dtype of a register that holds a value of `t`: f32 for f16 and bf16, else t itself. */
static inline orr_dtype orr__compute_dtype(orr_dtype t)
{
    return orr__is_half(t) ? ORR_F32 : t;
}

/* Promotion as in the Python array API standard. false: undefined there (the caller names the cast). */
bool orr__promote(orr_dtype a, orr_dtype b, orr_dtype *out);

/* One value. The dtype's kind selects the member: float f, signed i, unsigned and bool u. Complex values are not scalars: a complex
 * constant is made of the constants of its parts. */
typedef union {
    double f;
    int64_t i;
    uint64_t u;
} orr__scalar;

/* Converts a value of dtype `from` to the nearest value of dtype `to` (as orr_cast: float to int truncates and saturates, NaN gives 0;
 * int to int wraps; anything to bool is != 0). */
orr__scalar orr__scalar_cast(orr__scalar v, orr_dtype from, orr_dtype to);
orr__scalar orr__scalar_load(const void *p, orr_dtype t); /* p: one element, any alignment */
void orr__scalar_store(void *p, orr_dtype t, orr__scalar v);
double orr__scalar_f64(orr__scalar v, orr_dtype t);

float orr__f16_to_f32(uint16_t h);
uint16_t orr__f32_to_f16(float f);  /* to nearest, ties to even */
uint16_t orr__f64_to_f16(double d); /* one rounding */
float orr__bf16_to_f32(uint16_t h);
uint16_t orr__f32_to_bf16(float f);
uint16_t orr__f64_to_bf16(double d);

#endif
