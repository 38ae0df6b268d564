/* The reals of evaluations beside the program's precision: of 113 bits of mantissa where the C library has functions of them, as glibc has on
 * x86-64 (_Float128, in software) and where long double is such a type; else long double. One type serves f32 and f64, and the rows of
 * ops/elementwise.def are compiled for it by another suffix of the C functions: sums of two doubles would need functions of their own.
 * Must not know: operations. */
#ifndef ORR_OPS_REAL_H
#define ORR_OPS_REAL_H

#include <float.h>
#include <math.h>

#if defined __HAVE_DISTINCT_FLOAT128 && __HAVE_DISTINCT_FLOAT128 && LDBL_MANT_DIG < 113
__extension__ typedef _Float128 orr__real;
#define ORR__REAL(name) name##f128
#define ORR__REAL_BITS 113 /* limit of arithmetic */
#else
typedef long double orr__real;
#define ORR__REAL(name) name##l
#define ORR__REAL_BITS LDBL_MANT_DIG /* limit of arithmetic */
#endif

#endif
