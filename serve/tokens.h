/* Bearer tokens: their file, and the comparison in constant time.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_TOKENS_H
#define ORR_SERVE_TOKENS_H

#include <stddef.h>
#include <stdio.h>

enum { SERVE_TOKEN_LEAST = 16, SERVE_TOKEN_MOST = 255, SERVE_TOKENS_MOST = 256, SERVE_NAME_MOST = 31 };

typedef struct serve_tokens serve_tokens;

/* Lines "NAME TOKEN"; "#" begins a comment. NULL, with the reason in `why`: the file's mode is not 0600, it is not this user's, is
 * no regular file, or a line is wrong. No message contains a token. */
serve_tokens *serve_tokens_load(const char *path, char *why, size_t size);
void serve_tokens_free(serve_tokens *t);
/* The client whose token `given` is, 0 … ; -1: none. The time does not depend on what is given, but for its length. */
int serve_tokens_find(const serve_tokens *t, const char *given);
/* "" for what is no client. */
const char *serve_tokens_name(const serve_tokens *t, int client);

/* Opens a file that holds a secret; -1 and the reason when others than its owner could read it. */
int serve_secret_open(const char *path, char *why, size_t size);

#endif
