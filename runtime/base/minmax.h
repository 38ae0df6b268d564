/* The smaller and the larger of two numbers of one type. Arguments may be computed twice; of a NaN and a number, the second argument.
 * Must not know: types. */
#ifndef ORR_BASE_MINMAX_H
#define ORR_BASE_MINMAX_H

#define ORR__MIN(a, b) ((a) < (b) ? (a) : (b))
#define ORR__MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
