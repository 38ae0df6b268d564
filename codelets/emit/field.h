/* Kernels on field elements, as text: common parts.
 * Must not know: devices, the languages' words. */
#ifndef ORR_EMIT_FIELD_H
#define ORR_EMIT_FIELD_H

#include "codelets/emit/call.h"
#include "codelets/field/constants.h"
#include "ops/field/field.h"

/* An element is four words, the lowest limbs first. */
void orr__emit_field_put(int64_t *word, orr__fe x);
/* Callbacks of each kernel: the functions of the field of input 0, or else of the output; F(name) is its ew_f<name>. */
void orr__emit_field_functions(orr__text *t, const orr__dialect *d, const orr__region *r);
void orr__emit_field_parameters(orr__text *t, orr__text *undo, const orr__region *r, const orr__layout *l);

#endif
