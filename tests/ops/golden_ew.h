/* Reader of tests/golden/elementwise/: cases of one row and dtype at a time, and distances in units of the last place.
 * Must not know: how a value is computed. */
#ifndef ORR_TESTS_GOLDEN_EW_H
#define ORR_TESTS_GOLDEN_EW_H

#include "ops/ops.h"

typedef struct {
    const orr__ewrow *row;
    orr_dtype dtype;
    int n;                     /* cases                                                                    */
    orr__scalar *in[3], *want; /* values as loaded by orr__scalar_load; operands beyond the arity are NULL */
} golden_block;

/* Calls `use` for each block of a file ("f32.txt", "ints.txt"). False if the file cannot be read or is malformed. */
bool golden_each(const char *file, void (*use)(const golden_block *b, void *user), void *user);
/* Case i: the result's dtype, and the distance of `got` from the golden. NaN equals NaN; zeros of different sign, and
 * a finite value beside an infinity that is not its neighbour, are far apart. scale: measure at this magnitude if it
 * is larger. */
orr_dtype golden_result_dtype(const golden_block *b);
double golden_ulps(orr_dtype t, double got, double want, double scale);
/* The distance by the row's own rules, into ulps. True if it is within the documented bound. */
bool golden_close(const golden_block *b, int i, orr__scalar got, double *ulps);
/* "x, y -> got, want" for messages. */
const char *golden_text(const golden_block *b, int i, orr__scalar got, char *buf, size_t size);

#endif
