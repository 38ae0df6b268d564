/* A growing text: append, and look once at the end whether memory sufficed.
 * Must not know: the content. */
#ifndef ORR_EMIT_TEXT_H
#define ORR_EMIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

typedef struct orr__text {
    char *s; /* NUL-terminated once something was appended; the owner frees it */
    size_t len, cap;
    bool failed; /* memory could not be had; appending goes on being harmless */
} orr__text;

void orr__text_add(orr__text *t, const char *s);
void orr__text_addf(orr__text *t, const char *fmt, ...) ORR_PRINTF(2, 3);

#endif
