/* A reader that accepts JSON (RFC 8259) and nothing else.
 * Must not know: the writer of the text. */
#ifndef ORR_TESTS_JSON_H
#define ORR_TESTS_JSON_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool is_json(const char *text);

#endif
