/* Memory of requests' bodies and of kept arrays, all together, and its limit.
 * Must not know: what is in them. */
#ifndef ORR_SERVE_BUDGET_H
#define ORR_SERVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void serve_budget_limit(int64_t most);
/* Books the bytes. False if they exceed the rest of the budget; nothing is booked then. Thread-safe. */
bool serve_budget_take(size_t bytes);
void serve_budget_give(size_t bytes);
int64_t serve_budget_taken(void);

/* Memory of a body: `room` bytes and one more, to resize by realloc. A fresh block begins at a line of the cache, since arrays in it may
 * be operands. Large blocks that were freed are kept for bodies of the same size, since the kernel clears the pages of fresh ones.
 * Thread-safe. */
char *serve_block_take(size_t room);
void serve_block_free(char *block, size_t room); /* NULL is fine */
enum { SERVE_BLOCK_LARGE = 1 << 16 };            /* multiples of this are kept */

/* A body and its bytes of the budget. Arrays in it may be operands without a copy; the last reference frees it. */
typedef struct serve_body serve_body;
/* Takes ownership of text (a block). NULL: no memory; the caller then still owns text. */
serve_body *serve_body_new(char *text, size_t room);
void serve_body_ref(serve_body *b);
void serve_body_unref(serve_body *b); /* NULL is fine */

#endif
