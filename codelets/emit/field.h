/* Kernels on field elements, as text: common parts.
 * Must not know: devices, the languages' words. */
#ifndef ORR_EMIT_FIELD_H
#define ORR_EMIT_FIELD_H

#include "codelets/emit/call.h"
#include "codelets/field/constants.h"
#include "ops/field/field.h"

/* The text of the argument, which is code of the kernel, not of this program. */
#define ORR__TEXT(...) #__VA_ARGS__ "\n"

/* Defines W_<name> as word ORR__CALL_OWN + its number. */
void orr__emit_field_words(orr__text *t, const char *const *name, int n);
/* An element is four words, the lowest limbs first. orr_word_element(n) is the element at word n. */
void orr__emit_field_put(int64_t *word, orr__fe x);
/* The field's helpers. Until the next such call, `F(name)` is its ew_f<name>, and ORR_ONE its one. */
void orr__emit_field_begin(orr__text *t, const orr__dialect *d, orr_dtype field);

#endif
