/* For tests of the cache's directory: stores entries and searches for them.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_JIT_ENTRIES_H
#define ORR_TESTS_JIT_ENTRIES_H

#include "tests/harness/jit_help.h"

orr__key key_of(unsigned n);

orr__entry entry_of(const char *code, size_t size);

bool cache_use(orr__cache *c, const char *name);

bool cache_has(orr__cache *c, unsigned n);

bool cache_put(orr__cache *c, unsigned n, const char *code, size_t size);

const char *file_of(unsigned n);

#endif
