/* JSON as our files use it: output of strings; input in one pass over files that are not trusted.
 * Must not know: the content. */
#ifndef ORR_API_JSON_H
#define ORR_API_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

void orr__json_put(FILE *to, const char *s); /* writes s in quotes */

/* A position in a text that ends with 0. Once bad, every later call is bad too, and reads nothing. */
typedef struct {
    const char *at;
    bool bad;
} orr__json;

/* Skips the character, with blanks before it; bad if another one is there. */
void orr__json_want(orr__json *j, char c);
/* The same for an optional character; true: it was there. */
bool orr__json_take(orr__json *j, char c);
/* Reads the name of an object's next member, and its colon; false at the end. Call orr__json_want(j, '{') first. */
bool orr__json_member(orr__json *j, char *name, size_t size);
/* True if another element of an array follows; false at its end. Call orr__json_want(j, '[') first. */
bool orr__json_element(orr__json *j);
void orr__json_string(orr__json *j, char *to, size_t size); /* cut if it is too long */
double orr__json_number(orr__json *j);
void orr__json_skip(orr__json *j); /* skips any value */

#endif
