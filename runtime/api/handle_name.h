/* Checked names for events and graphs: what the user holds is a number, never an address.
 * Must not know: what an event or a graph is. */
#ifndef ORR_API_TOKEN_H
#define ORR_API_TOKEN_H

#include <stdbool.h>

/* A name for `object`; NULL on ENOMEM (the last error is set). Thread-safe, as all here. */
void *orr__token_new(void *object);
/* The object, or NULL when the name is stale or foreign. With `take` the name is stale from now on. */
void *orr__token_get(const void *token, bool take);

#endif
