/* Memory for keys and other secrets: wiped when given back, kept out of swap and core dumps; and random bytes.
 * Must not know: whose secrets they are. */
#ifndef ORR_BASE_SECRET_H
#define ORR_BASE_SECRET_H

#include <stddef.h>
#include "runtime/base/status.h"

/* Zeroed pages of their own between two that cannot be touched. They are in no core dump, and in no swap as far as
 * RLIMIT_MEMLOCK goes. NULL: no memory, last error. */
void *orr__secret_new(size_t bytes);
void orr__secret_free(void *p); /* wiped first; NULL is fine */

/* Zeroes that the compiler cannot leave out. */
void orr__wipe(void *p, size_t bytes);
/* The stack below the caller, as deep as arithmetic on large numbers goes. */
void orr__wipe_stack(void);

/* From the system's generator. An error means that the machine has none. */
orr_status orr__secret_random(orr__site at, void *p, size_t bytes);
/* Whether two secrets are equal, in a time that depends on their length alone. */
bool orr__secret_equal(const void *a, const void *b, size_t bytes);

#endif
