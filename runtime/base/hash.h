/* A fast 64-bit hash of bytes, for tables in memory (never for trust).
 * Must not know: the data. */
#ifndef ORR_BASE_HASH_H
#define ORR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t orr__hash(const void *data, size_t size, uint64_t seed);

#endif
