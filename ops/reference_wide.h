/* Reference evaluation in long double, beside the program's own precision: 64 bits of mantissa or more.
 * Must not know: engines, plans. */
#ifndef ORR_OPS_REFERENCE_WIDE_H
#define ORR_OPS_REFERENCE_WIDE_H

#include "ops/reference.h"

/* A value twice: as the program computes it, and, of a float dtype, in long double. */
typedef struct orr__wide {
    orr__array own;
    long double *wide; /* NULL: not a float: the own value counts */
} orr__wide;

/* Computes `out->wide` (memory of out->own.count elements) of node n, which is a float, from the wide values of its operands. Operations
 * without a meaning in long double are evaluated in f64 from rounded operands; random numbers and operations of compound numbers keep
 * the own value. */
orr_status orr__wide_eval(const orr__node *n, int nin, const orr__wide *const *in, orr__wide *out);
/* Unit roundoff of a float dtype. */
double orr__wide_roundoff(orr_dtype t);
/* x rounded to a float dtype. */
long double orr__wide_round(long double x, orr_dtype t);

#endif
