/* A growing text: append, then check once at the end whether memory and the steps of work that a text may take sufficed.
 * Must not know: the content. */
#ifndef ORR_EMIT_TEXT_H
#define ORR_EMIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include "runtime/base/status.h"

/* Steps of work that one text may take: STEPS, at most. An append is a step, and another for each BYTES bytes. */
enum { ORR__TEXT_STEPS = 1 << 18, ORR__TEXT_BYTES = 64 }; /* limit of search */

typedef struct orr__text {
    char *s; /* NUL-terminated after the first append; the owner frees it */
    size_t len, cap;
    size_t steps; /* of work so far */
    bool failed;  /* an allocation failed, or `endless`; further appends have no effect */
    bool endless; /* the text took more steps than it may */
} orr__text;

/* Counts steps of work for the text, such as those of a search before it is written. False: it has failed, and the work ends. */
bool orr__text_work(orr__text *t, size_t steps);
/* The text, which the caller frees, of a kernel that messages name so; NULL if it has failed. Without memory the last error is set; a text
 * that took too many steps is one line of log, and the kernel is computed without it. */
char *orr__text_end(orr__text *t, const char *file, int line, const char *name);
/* For tests: the number of steps that a text may take. */
extern size_t orr__text_steps;

void orr__text_add(orr__text *t, const char *s);
void orr__text_addf(orr__text *t, const char *fmt, ...) ORR_PRINTF(2, 3);
/* Appends the definition of a macro, `name` or `name(arguments)`, and to `undo` the line that ends it. The second function appends `undo`
 * and frees it: several kernels may be one text. */
void orr__text_define(orr__text *t, orr__text *undo, const char *name, const char *fmt, ...) ORR_PRINTF(4, 5);
void orr__text_undefine(orr__text *t, orr__text *undo);

#endif
