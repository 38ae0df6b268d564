/* Targets of packs, see fuzz.h.
 * Must not know: the other targets. */
#ifndef ORR_TESTS_FUZZ_PACKS_H
#define ORR_TESTS_FUZZ_PACKS_H

#include "tests/fuzz/fuzz.h"

void fuzz_secagg(const unsigned char *data, size_t size);
unsigned char *fuzz_make_secagg(int i, size_t *size);
void fuzz_paillier_key(const unsigned char *data, size_t size);
unsigned char *fuzz_make_paillier_key(int i, size_t *size);
void fuzz_encrypted(const unsigned char *data, size_t size);
unsigned char *fuzz_make_encrypted(int i, size_t *size);
void fuzz_packs_end(void); /* frees what the targets share */

#endif
