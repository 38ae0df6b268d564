/* Reference evaluation in the reals of ops/real.h, beside the program's own precision.
 * Must not know: engines, plans. */
#ifndef ORR_OPS_REFERENCE_WIDE_H
#define ORR_OPS_REFERENCE_WIDE_H

#include "ops/real.h"
#include "ops/reference.h"

/* A value twice: as the program computes it, and, of a float dtype, as a wider real. */
typedef struct orr__wide {
    orr__array own;
    orr__real *wide; /* NULL: not a float: the own value counts */
} orr__wide;

/* Computes `out->wide` (memory of out->own.count elements) of node n, which is a float, from the wide values of its operands. Operations
 * without a meaning in wider reals are evaluated in f64 from rounded operands; random numbers and operations of compound numbers keep
 * the own value. */
orr_status orr__wide_eval(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out);
/* Bits to which a sum or product of wide values is precise, beside the largest term. */
enum { ORR__WIDE_BITS = ORR__REAL_BITS < 104 ? ORR__REAL_BITS : 104 }; /* limit of arithmetic */
/* Unit roundoff of a float dtype. */
double orr__wide_roundoff(orr_dtype t);
/* x rounded to a float dtype. */
orr__real orr__wide_round(orr__real x, orr_dtype t);

#endif
