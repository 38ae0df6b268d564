/* A growing text: append, then check once at the end whether memory sufficed.
 * Must not know: the content. */
#ifndef ORR_EMIT_TEXT_H
#define ORR_EMIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

typedef struct orr__text {
    char *s; /* NUL-terminated after the first append; the owner frees it */
    size_t len, cap;
    bool failed; /* an allocation failed; further appends have no effect */
} orr__text;

void orr__text_add(orr__text *t, const char *s);
void orr__text_addf(orr__text *t, const char *fmt, ...) ORR_PRINTF(2, 3);

#endif
