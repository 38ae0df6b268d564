/* Memory of requests' bodies and of kept arrays, all together, and its limit.
 * Must not know: what is in them. */
#ifndef ORR_SERVE_BUDGET_H
#define ORR_SERVE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void serve_budget_limit(int64_t most);
/* false: there is not so much left, and nothing was taken. Thread-safe. */
bool serve_budget_take(size_t bytes);
void serve_budget_give(size_t bytes);
int64_t serve_budget_taken(void);

/* Memory of a body: `room` bytes and one more, to resize by realloc. A fresh block begins at a line of the cache, since arrays in it may be operands. Large blocks that were freed are kept for bodies of the same room,
 * since the kernel clears the pages of fresh ones. Thread-safe. */
char *serve_block_take(size_t room);
void serve_block_free(char *block, size_t room); /* NULL is fine */
enum { SERVE_BLOCK_LARGE = 1 << 16 };            /* multiples of this are kept */

/* A body, and what it holds of the budget. Arrays in it may be operands where they lie: the last use frees it. */
typedef struct serve_body serve_body;
/* Takes text (a block) over; NULL: no memory, and it was not. */
serve_body *serve_body_new(char *text, size_t room);
void serve_body_ref(serve_body *b);
void serve_body_unref(serve_body *b); /* NULL is fine */

#endif
