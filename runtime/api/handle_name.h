/* Checked names for events and graphs: the user holds a number, never an address.
 * Must not know: events, graphs. */
#ifndef ORR_API_TOKEN_H
#define ORR_API_TOKEN_H

#include <stdbool.h>

/* How an object that has a name begins. */
typedef struct {
    struct orr__name *name;
} orr__named;
/* A name for `object`, which holds one reference to it; NULL on ENOMEM (the last error is set). Thread-safe, as all here. */
void *orr__token_new(orr__named *object);
/* The object with a reference for the caller, or NULL when the name is stale or foreign. With `take` that is the name's own, which is
 * stale from now on; another thread may still use the object. */
void *orr__token_get(const void *token, bool take);
/* Gives a reference up; true: that was the last, and the object is the caller's to free. */
bool orr__named_unref(orr__named *object);

#endif
