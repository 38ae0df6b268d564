/* Checked names for events and graphs: the user holds a number, never an address.
 * Must not know: events, graphs. */
#ifndef ORR_API_HANDLE_NAME_H
#define ORR_API_HANDLE_NAME_H

#include <stdbool.h>

/* The first field of an object that has a name. */
typedef struct {
    struct orr__name *name;
} orr__named;
/* A name for `object`, which holds one reference to it; NULL on ENOMEM (the last error is set). Thread-safe, as all functions here. */
void *orr__token_new(orr__named *object);
/* The object with a reference for the caller; NULL: the name is stale or foreign. With `take` the reference is the name's own, and the
 * name is stale from now on; another thread may still use the object. */
void *orr__token_get(const void *token, bool take);
/* Releases a reference; true: it was the last, and the caller frees the object. */
bool orr__named_unref(orr__named *object);

#endif
