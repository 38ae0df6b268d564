/* Rounding of an element-wise row's result to a value of f16 or bf16.
 * Must not know: how it is rounded. */
#ifndef ORR_CODELETS_ROUNDING_H
#define ORR_CODELETS_ROUNDING_H

#include "ops/ew_id.h"

typedef enum {
    ORR__ROUND_NONE, /* it is one: an operand, its negative, an integer no longer than it         */
    ORR__ROUND_FIT,  /* made by IEEE arithmetic alone, so that NaN needs no care (see cpu/half.h) */
    ORR__ROUND_ANY
} orr__rounding;

/* Operands are values of f16 or bf16 in f32 registers. A row that is not named here may call functions whose NaN has any
 * payload. */
static inline orr__rounding orr__ew_rounding(int op)
{
    switch (op) {
    case ORR__EW_neg:
    case ORR__EW_positive:
    case ORR__EW_abs:
    case ORR__EW_sign:
    case ORR__EW_ceil:
    case ORR__EW_floor:
    case ORR__EW_trunc:
    case ORR__EW_round:
    case ORR__EW_copysign:
    case ORR__EW_maximum:
    case ORR__EW_minimum:
    case ORR__EW_clip:
    case ORR__EW_where:
    case ORR__EW_relu: return ORR__ROUND_NONE;
    case ORR__EW_add:
    case ORR__EW_sub:
    case ORR__EW_mul:
    case ORR__EW_div:
    case ORR__EW_fma:
    case ORR__EW_square:
    case ORR__EW_reciprocal:
    case ORR__EW_sqrt:
    case ORR__EW_rsqrt:
    case ORR__EW_prelu:
    case ORR__EW_hardswish: return ORR__ROUND_FIT;
    default: return ORR__ROUND_ANY;
    }
}

#endif
