/* Rounding of f16 and bf16: the rounding that the result of a row needs, and the use of operands that are not rounded.
 * Must not know: the code that rounds, regions. */
#ifndef ORR_OPS_ROUNDING_H
#define ORR_OPS_ROUNDING_H

#include "ops/ew_id.h"
#include "ops/ops.h"
#include "runtime/graph/node.h"

typedef enum {
    ORR__ROUND_NONE, /* already rounded: an operand, its negative, an integer no longer than it   */
    ORR__ROUND_FIT,  /* from IEEE arithmetic alone, so that NaN needs no care (see cpu/half.h) */
    ORR__ROUND_ANY
} orr__rounding;

/* The rounding of a row's result. Operands are values of f16 or bf16 in f32 registers. A row that is not listed may
 * call functions that return NaN with any payload. */
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

/* The use of an operand of f16 or bf16 with excess precision. */
typedef enum {
    ORR__USE_ROUNDED, /* the operand must have been rounded                                                        */
    ORR__USE_DECIDES, /* so must the operand's own operands: its last bit changes the result by more than one bit */
    ORR__USE_PASSES,  /* the result is an operand, and has its excess precision                                      */
    ORR__USE_COMPUTES /* the result is a new number with its own rounding                                            */
} orr__use;

static inline orr__use orr__ew_use(int op)
{
    switch (op) {
    case ORR__EW_sign:
    case ORR__EW_ceil:
    case ORR__EW_floor:
    case ORR__EW_trunc:
    case ORR__EW_round:
    case ORR__EW_floor_divide:
    case ORR__EW_remainder: return ORR__USE_DECIDES;
    default:
        return orr__ew(op)->to_bool                      ? ORR__USE_DECIDES
               : orr__ew_rounding(op) == ORR__ROUND_NONE ? ORR__USE_PASSES
                                                         : ORR__USE_COMPUTES;
    }
}

static inline orr__use orr__use_of(const orr__node *n)
{
    orr_dtype t = (orr_dtype)n->dtype;
    switch (n->op->pattern) {
    case ORR__PATTERN_VIEW:
    case ORR__PATTERN_CHOICE: return ORR__USE_PASSES;
    case ORR__PATTERN_ELEMENT: /* else a cast or random numbers: the user requests a cast's rounding */
        return n->op->id >= ORR__OP_EW ? orr__ew_use(n->op->id)
               : orr__is_half(t)       ? ORR__USE_ROUNDED
               : orr__is_float(t)      ? ORR__USE_COMPUTES
                                       : ORR__USE_DECIDES;
    case ORR__PATTERN_FOLD:
        return n->attr.rop == ORR__RSUM || n->attr.rop == ORR__RPROD ? ORR__USE_COMPUTES : ORR__USE_DECIDES;
    case ORR__PATTERN_GATHER:
    case ORR__PATTERN_PRODUCT: return ORR__USE_ROUNDED;
    default: return ORR__USE_DECIDES;
    }
}

#endif
