/* Arrays that clients keep by name; no other client sees them.
 * Must not know: requests, and what is computed. */
#ifndef ORR_SERVE_STORE_H
#define ORR_SERVE_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include "serve/reply.h"

enum { SERVE_ARRAY_NAME = 64 };

typedef struct serve_store serve_store;

/* most: arrays of a client; bytes: limit of a client's arrays; all: limit of all arrays; keep: seconds after an array's last
 * use. */
serve_store *serve_store_new(int most, int64_t bytes, int64_t all, double keep);
/* True for 1 to SERVE_ARRAY_NAME letters, digits, '_', '-' and '.', not beginning with '.'. */
bool serve_store_is_name(const char *name);
/* True if a value of these bytes could be kept now; else *wrong is the answer. */
bool serve_store_allows(serve_store *s, int client, const char *name, int64_t bytes, serve_reply *wrong);
/* Keeps a reference to the value, and replaces one of the same name. client: -1 or more. Returns 201, 200 after a
 * replacement, or the refusal. */
serve_reply serve_store_put(serve_store *s, int client, const char *name, serve_value *v);
/* A reference, which stays valid after a deletion; NULL: no array has this name. */
serve_value *serve_store_get(serve_store *s, int client, const char *name);
serve_reply serve_store_list(serve_store *s, int client);
serve_reply serve_store_delete(serve_store *s, int client, const char *name);
/* The answer for a name that serve_store_get does not find. operand: the operand that has the name. */
serve_reply serve_store_none(const char *operand);
/* Forgets the arrays whose time has passed. */
void serve_store_expire(serve_store *s, double now);
void serve_store_count(serve_store *s, int *arrays, int64_t *bytes);
/* Called when no work is under way. NULL is fine. */
void serve_store_free(serve_store *s);

#endif
