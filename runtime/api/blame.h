/* Blame: the first element of a value that a check has found, and the line, the operation and the element in words.
 * Must not know: the fault that is looked for, plans. */
#ifndef ORR_API_BLAME_H
#define ORR_API_BLAME_H

#include "runtime/graph/capture.h"

/* Evaluates nodes, which nobody checks. */
typedef orr_status orr__check_eval(orr__site at, orr__node *const *node, int n);

/* A scalar: is one of the bits set? Takes over the reference, as all of these. */
orr__node *orr__blame_any(orr__site at, orr__node *bits);
/* A scalar, i64: the number of the first set bit, the count of all if there is none. */
orr__node *orr__blame_first(orr__site at, orr__node *bits);
/* Elements [e, e + count) of n, which the caller keeps, as a line. */
orr__node *orr__blame_elements(orr__site at, orr__node *n, int64_t e, int64_t count);
/* The first element of an evaluated node; *known is false without one. */
orr__scalar orr__blame_number(const orr__node *n, bool *known);
bool orr__blame_is_set(const orr__node *bit);

/* Text is appended, as far as it has room. "element [i, j]"; "the element" of a scalar. */
void orr__blame_place(char *text, size_t size, const orr_shape *shape, int64_t e);
/* The first element of an evaluated node, which is real, an integer or bool. */
void orr__blame_value(char *text, size_t size, const orr__node *n);
void orr__blame_append(char *text, size_t size, const char *fmt, ...) ORR_PRINTF(3, 4);

/* The operation of node i in the user's words; "data" of a leaf. */
const char *orr__blame_name(const orr__capture *p, int i);
/* True for the first time with this place. */
bool orr__blame_is_new(const char *file, int line);
/* False: a number of the graph may be drawn once only. */
bool orr__blame_may_repeat(const orr__capture *p);

#endif
