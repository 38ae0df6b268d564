/* Memory of requests' bodies.
 * Must not know: what is in them. */
#ifndef ORR_SERVE_BUDGET_H
#define ORR_SERVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of a body: `room` bytes and one more, to resize by realloc. A fresh block begins at a line of the cache, since arrays in it may
 * be operands. Large blocks that were freed are kept for bodies of the same size, since the kernel clears the pages of fresh ones.
 * Thread-safe. */
char *serve_block_take(size_t room);
void serve_block_free(char *block, size_t room); /* NULL is fine */
enum { SERVE_BLOCK_LARGE = 1 << 16 };            /* multiples of this are kept */
/* Kept blocks and the memory that is in use (SERVE_MEMORY) have no more bytes than this together. */
void serve_block_limit(int64_t bytes);
/* Frees the kept blocks that are beyond the limit. */
void serve_block_shed(void);

/* A body and its bytes in the ledger of its client. Arrays in it may be operands without a copy; the last reference frees it. */
typedef struct serve_body serve_body;
/* Takes ownership of text (a block). NULL: no memory; the caller then still owns text. */
serve_body *serve_body_new(char *text, size_t room, int client);
void serve_body_ref(serve_body *b);
void serve_body_unref(serve_body *b); /* NULL is fine */

#endif
