/* Small text files in the cache directory that prove to be whole: a first line that says what they are, a last line with
 * a sum over all before it.
 * Must not know: what is in them. */
#ifndef ORR_BASE_SEALED_H
#define ORR_BASE_SEALED_H

#include <stdbool.h>
#include <stddef.h>

/* "kind.HOST", for files that are true of one machine. */
void orr__sealed_name(const char *kind, char *name, size_t size);
/* What is between the first line, which must be `head`, and the last; malloc'ed. NULL: there is none (*why is ""), or it
 * is not as we write it, and why. With `site`, ORRERY_CACHE_SITE is looked at when the user has none. */
char *orr__sealed_read(const char *name, const char *head, bool site, char *why, size_t size);
/* body: whole lines. false: it could not be kept, and why. */
bool orr__sealed_write(const char *name, const char *head, const char *body, char *why, size_t size);
/* 1: gone; 0: there was none of ours; -1: it cannot be removed (errno). */
int orr__sealed_remove(const char *name);

#endif
