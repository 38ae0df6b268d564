/* Kernels on elements of fields, as text: what they share.
 * Must not know: devices, the languages' words. */
#ifndef ORR_EMIT_FIELD_H
#define ORR_EMIT_FIELD_H

#include "codelets/emit/call.h"
#include "codelets/field/constants.h"
#include "ops/field/field.h"

/* The text of its argument, which is code of the kernel, not of this program. */
#define ORR__TEXT(...) #__VA_ARGS__ "\n"

/* Defines W_<name> as word ORR__CALL_OWN + its number. */
void orr__emit_field_words(orr__text *t, const char *const *name, int n);
/* An element is four words, the lowest limbs first: orr_word_element(n) is that at word n. */
void orr__emit_field_put(int64_t *word, orr__fe x);
/* Helpers of the field; `F(name)` is ew_f<name> of it until the next such call, ORR_ONE its one. */
void orr__emit_field_begin(orr__text *t, const orr__dialect *d, orr_dtype field);

#endif
