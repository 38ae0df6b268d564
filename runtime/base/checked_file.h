/* Small text files in the cache directory whose completeness can be checked: the first line names their kind, the last line is a
 * checksum of all lines before it.
 * Must not know: their content. */
#ifndef ORR_BASE_CHECKED_FILE_H
#define ORR_BASE_CHECKED_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* "kind.HOST", for files that are valid on one machine. */
void orr__sealed_name(const char *kind, char *name, size_t size);
/* Returns the lines between the first, which must be `head`, and the last; malloc'ed. NULL: no such file (*why is ""), or a file that we
 * did not write, with the reason. With `site`, ORRERY_CACHE_SITE is read if the user has no such file. */
char *orr__sealed_read(const char *name, const char *head, bool site, char *why, size_t size);
/* body: whole lines. false: the file could not be written; why has the reason. */
bool orr__sealed_write(const char *name, const char *head, const char *body, char *why, size_t size);
/* 1: removed; 0: there was no file of ours; -1: it cannot be removed (errno). */
int orr__sealed_remove(const char *name);

/* The same form for texts in other places. pack: the text to free; NULL: no memory. unpack: the body, in `text`, which it overwrites and
 * which has size + 1 bytes; NULL: not of this form, or damaged. */
char *orr__sealed_pack(const char *head, const char *body);
char *orr__sealed_unpack(char *text, size_t size, const char *head);

#endif
