/* Element types and shapes, by value.
 * Must not know: tensors, devices. */
#ifndef ORRERY_DTYPE_H
#define ORRERY_DTYPE_H

#include <stddef.h>
#include <stdint.h>
#include <orrery/lists.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types. f16 (IEEE binary16) and bf16 are storage types: arithmetic is done in f32 and rounded (to nearest,
 * ties to even) after every op. ORR_BOOL is one byte, 0 or 1. ORR_C64 and ORR_C128 are complex numbers: the real part,
 * then the imaginary part, each f32 or f64, in the memory layout of C's float complex and double complex. ORR_FR254
 * and ORR_FQ254 are integers modulo the primes of BN254 (orrery/field.h): 32 bytes, little-endian, below the prime,
 * wherever the user's memory is read or written. orr_data and orr_wrap, which would expose the internal form, refuse
 * them. */
typedef enum orr_dtype {
    ORR_BOOL,
    ORR_I8,
    ORR_I16,
    ORR_I32,
    ORR_I64,
    ORR_U8,
    ORR_U16,
    ORR_U32,
    ORR_U64,
    ORR_F16,
    ORR_BF16,
    ORR_F32,
    ORR_F64,
    ORR_C64,
    ORR_C128,
    ORR_FR254,
    ORR_FQ254,
    ORR_DTYPE_COUNT
} orr_dtype;

/** Bytes of one element; 0 for any number that is no dtype. */
ORR_API size_t orr_dtype_size(orr_dtype t);
/** Name as in the Python array API standard: "float32", "bool", "bfloat16" …; "?" for any number that is no dtype. */
ORR_API const char *orr_dtype_name(orr_dtype t);

/** A number of one of three types. A double holds every integer up to 2⁵³ and only some beyond; these hold all. */
typedef struct orr_number {
    orr_dtype dtype; /**< selects the member: ORR_F64, ORR_I64 or ORR_U64 */
    double f;
    int64_t i;
    uint64_t u;
} orr_number;
#define ORR_REAL(v) (ORR__VALUE(orr_number){ ORR_F64, (v), 0, 0 })
#define ORR_INTEGER(v) (ORR__VALUE(orr_number){ ORR_I64, 0, (v), 0 })
#define ORR_UNSIGNED(v) (ORR__VALUE(orr_number){ ORR_U64, 0, 0, (v) })

#define ORR_MAX_RANK 8

/** A shape: rank 0 to 8, each dimension ≥ 0. A 0-d tensor has one element; a tensor with a dimension of 0 has none. */
typedef struct orr_shape {
    int rank;
    int64_t dim[ORR_MAX_RANK];
} orr_shape;

/** ORR_SHAPE(2, 3) is the shape (2, 3). More than 8 dimensions do not compile without a warning. */
#define ORR_SHAPE(...) ORR__LIST(orr_shape, int64_t, __VA_ARGS__)
/** The shape () of a 0-d tensor. */
#define ORR_SHAPE_0D (ORR__VALUE(orr_shape){ 0, { 0 } })

/** A list of axes; negative axes count from the last one. */
typedef struct orr_axes {
    int n; /**< -1: all axes */
    int axis[ORR_MAX_RANK];
} orr_axes;

#define ORR_AXES(...) ORR__LIST(orr_axes, int, __VA_ARGS__)
#define ORR_ALL_AXES (ORR__VALUE(orr_axes){ -1, { 0 } })

/** Writes "(2, 3)" into `buf` and returns it. `size` ≥ 2; longer text is cut. */
ORR_API char *orr_shape_format(orr_shape s, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
