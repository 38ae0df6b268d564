/* Memory for keys and other secrets: wiped when freed, kept out of swap and core dumps; and random bytes.
 * Must not know: whose secrets they are. */
#ifndef ORR_BASE_SECRET_H
#define ORR_BASE_SECRET_H

#include <stddef.h>
#include "runtime/base/status.h"

/* Zeroed separate pages between two inaccessible ones. They are excluded from core dumps, and from swap up to RLIMIT_MEMLOCK. NULL: no
 * memory, last error. */
void *orr__secret_new(size_t bytes);
/* The same for secrets of which a copy breaks the protection: random numbers that are to be used once, and keys of one run of a protocol.
 * A forked child finds zeros, where the system can (Linux 4.14). Who uses them also compares orr__fork_number. */
void *orr__secret_once(size_t bytes);
void orr__secret_free(void *p); /* wiped first; NULL is fine */

/* Writes zeroes that the compiler cannot omit. */
void orr__wipe(void *p, size_t bytes);
/* Wipes the stack below the caller, to the depth that arithmetic on large numbers uses. */
void orr__wipe_stack(void);

/* Random bytes of the system's generator. An error means that the machine has no generator. */
orr_status orr__secret_random(orr__site at, void *p, size_t bytes);
/* True if two secrets are equal; the time depends on their length alone. */
bool orr__secret_equal(const void *a, const void *b, size_t bytes);

#endif
