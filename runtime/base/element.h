/* Elements of the field dtypes on the host. Memory holds x·2^256 modulo the prime (Montgomery form); users see the integer x.
 * Must not know: tensors, kernels. */
#ifndef ORR_BASE_ELEMENT_H
#define ORR_BASE_ELEMENT_H

#include "runtime/base/dtype.h"
#include "runtime/base/mont.h"

enum {
    ORR__LIMBS = 4,
    ORR__ELEMENT_TEXT = 80 /* bytes that hold any element's decimal digits */
};

/* The modulus of a field dtype. */
const orr__mod *orr__modulus(orr_dtype field);
/* Converts integers of 32 bytes, little-endian, to elements. Returns -1, or the index of the first integer that is not below the
 * modulus. z may be x. */
int64_t orr__elements_enter(orr_dtype field, void *z, const void *x, int64_t n);
/* Converts elements to integers. z may be x. */
void orr__elements_leave(orr_dtype field, void *z, const void *x, int64_t n);
/* The element of the integer v, which may be negative. */
orr__fe orr__element_of(orr_dtype field, int64_t v);
/* Writes an element, or an integer of 32 bytes, as decimal digits; returns their number. */
int orr__element_text(orr_dtype field, const void *x, char text[ORR__ELEMENT_TEXT]);
int orr__integer_text(const void *x, char text[ORR__ELEMENT_TEXT]);

#endif
