/* Texts from outside, such as names of files and devices, made safe for formats that other programs parse; numbered names.
 * Must not know: the things that they name. */
#ifndef ORR_BASE_TEXT_H
#define ORR_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes s as the content of a JSON string (RFC 8259): quotes, backslashes and control characters are escaped; a byte that is not UTF-8
 * becomes U+FFFD. */
void orr__text_json(FILE *to, const char *s);
/* Copies s for a line that people read, cut at the end of `to`: bytes that are not UTF-8 and control characters become '?'. Returns
 * `to`. */
const char *orr__text_line(char *to, size_t size, const char *s);
/* Writes "<before><i><after>", cut at the end of `to`, for names that are seldom read: snprintf takes 40 times as long. */
void orr__text_numbered(char *to, size_t size, const char *before, int i, const char *after);
/* Copies the path of a file to write, each "%p" replaced by the process number. False: it does not fit. */
bool orr__text_path(char *to, size_t size, const char *path);

#endif
