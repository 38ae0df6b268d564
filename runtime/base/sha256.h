/* SHA-256 (FIPS 180-4), for keys, names and checksums.
 * Must not know: the data. */
#ifndef ORR_BASE_SHA256_H
#define ORR_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
} orr__sha256;

void orr__sha256_begin(orr__sha256 *s);
void orr__sha256_add(orr__sha256 *s, const void *data, size_t size);
void orr__sha256_end(orr__sha256 *s, unsigned char digest[32]);
/* Text with its length, so that "ab","c" and "a","bc" differ. NULL counts as "". */
void orr__sha256_text(orr__sha256 *s, const char *text);
/* By the processor's instructions from now on, which is the default where it has them, or without; for tests. True: by those. */
bool orr__sha256_choose(bool instructions);

#endif
