/* Small text files in the cache directory that prove to be whole: a first line with their kind, a last line with a checksum
 * of all lines before it.
 * Must not know: their content. */
#ifndef ORR_BASE_SEALED_H
#define ORR_BASE_SEALED_H

#include <stdbool.h>
#include <stddef.h>

/* "kind.HOST", for files that are true of one machine. */
void orr__sealed_name(const char *kind, char *name, size_t size);
/* Returns the lines between the first, which must be `head`, and the last; malloc'ed. NULL: no such file (*why is ""), or a
 * file that we did not write, with the reason. With `site`, ORRERY_CACHE_SITE is read when the user has none. */
char *orr__sealed_read(const char *name, const char *head, bool site, char *why, size_t size);
/* body: whole lines. false: it could not be kept, and why. */
bool orr__sealed_write(const char *name, const char *head, const char *body, char *why, size_t size);
/* 1: gone; 0: there was none of ours; -1: it cannot be removed (errno). */
int orr__sealed_remove(const char *name);

#endif
