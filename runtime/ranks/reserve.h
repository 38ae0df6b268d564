/* Memory for the messages of exchanges. A rank that lacks it would keep the others waiting, so some is held in reserve from before the ranks
 * begin.
 * Must not know: what the memory is for. */
#ifndef ORR_RANKS_RESERVE_H
#define ORR_RANKS_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/* True if there is a reserve: that of before, or a new one. */
bool orr__reserve_hold(void);
void orr__reserve_release(void);
/* As realloc and calloc, except that memory that is refused is taken from the reserve. NULL: there is none, either. Free with free. */
void *orr__reserve_realloc(void *p, size_t bytes);
void *orr__reserve_alloc(size_t n, size_t size);

#endif
