/* Bearer tokens: their file, and the comparison in constant time.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_TOKENS_H
#define ORR_SERVE_TOKENS_H

#include <stddef.h>
#include <stdio.h>

enum { SERVE_TOKEN_LEAST = 16, SERVE_TOKEN_MOST = 255, SERVE_TOKENS_MOST = 256, SERVE_NAME_MOST = 31 };

typedef struct serve_tokens serve_tokens;

/* Reads lines "NAME TOKEN"; "#" begins a comment. NULL, with the reason in `why`, if the file's mode is not 0600, the file
 * belongs to another user or is not a regular file, or a line is wrong. No message contains a token. */
serve_tokens *serve_tokens_load(const char *path, char *why, size_t size);
void serve_tokens_free(serve_tokens *t);
/* The client with the token `given`, 0 … ; -1: none. The time depends on the length of `given`, not on its bytes. */
int serve_tokens_find(const serve_tokens *t, const char *given);
int serve_tokens_count(const serve_tokens *t);
/* The client's name; "" for other numbers. */
const char *serve_tokens_name(const serve_tokens *t, int client);

/* Opens a file that holds a secret; -1 and the reason if users other than its owner can read it. */
int serve_secret_open(const char *path, char *why, size_t size);

#endif
