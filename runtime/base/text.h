/* Texts from outside, such as names of files and devices, made safe for formats that other programs parse.
 * Must not know: the things that they name. */
#ifndef ORR_BASE_TEXT_H
#define ORR_BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Between the quotes of a JSON string (RFC 8259): quotes, backslashes and control characters escaped; a byte that is no UTF-8 is
 * U+FFFD. */
void orr__text_json(FILE *to, const char *s);
/* For a line that people read, cut where `to` is full: such bytes and control characters are '?'. Returns `to`. */
const char *orr__text_line(char *to, size_t size, const char *s);

#endif
