/* Numbers as text, in one format for all elements of an array, as NumPy prints them.
 * Must not know: tensors, how they are laid out on the page. */
#ifndef ORR_API_NUMBER_H
#define ORR_API_NUMBER_H

#include <stddef.h>
#include "runtime/base/dtype.h"

/* The format of an array. It is computed from every element to be printed (orr__format_see, then _done); all elements then get the width
 * and the digits of the widest. */
typedef struct {
    orr_dtype dtype;
    int width;              /* of an integer or bool; of a float's digits after the point         */
    bool any, exponent;     /* floats: one was finite; 1.5e+10 instead of 1.5                   */
    double least, most;     /* non-zero magnitudes                                              */
    int left, right, power; /* characters before the point (with sign), after it, of the exponent */
    bool nan, inf, minus_inf;
} orr__format;

enum { ORR__NUMBER = 352 }; /* bytes of one number: f64 has up to 309 digits before the point */

void orr__format_begin(orr__format *f, orr_dtype t);
/* pass 0: all elements; then orr__format_choose; pass 1: all again; then orr__format_done. */
void orr__format_see(orr__format *f, orr__scalar v, int pass);
void orr__format_choose(orr__format *f);
void orr__format_done(orr__format *f);
/* Writes the number, padded; returns its length. */
int orr__format_put(const orr__format *f, orr__scalar v, char buf[ORR__NUMBER]);
/* A single number: the fewest digits that read back as it. */
int orr__format_alone(orr_dtype t, orr__scalar v, char buf[ORR__NUMBER]);

#endif
