/* The seeds of a target: golden files, texts made at run time, and inputs that once failed (tests/golden/fuzz/TARGET-*).
 * Must not know: what a target reads. */
#ifndef ORR_TESTS_FUZZ_SEEDS_H
#define ORR_TESTS_FUZZ_SEEDS_H

#include "tests/fuzz/fuzz.h"

/* Calls take(data, size, i, user) for each seed; the number of those that it accepted. */
int fuzz_seeds(const fuzz_target *t, bool (*take)(const unsigned char *data, size_t size, int i, void *user),
               void *user);

#endif
