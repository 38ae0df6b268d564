/* Bytes that a function makes for its caller: messages between parties, keys and ciphertexts for files.
 * Must not know: what they say. */
#ifndef ORRERY_BYTES_H
#define ORRERY_BYTES_H

#include <stddef.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes and their number. Functions that fill one own nothing of it afterwards: the caller gives it to orr_bytes_free.
 * As an argument it may point to the caller's own memory. */
typedef struct orr_bytes {
    unsigned char *data;
    size_t size;
} orr_bytes;

/** Wipes the bytes, frees them, and leaves *b empty. NULL and empty ones are fine; of bytes that the library did not make,
 * the behaviour is undefined. Thread-safe for different b. */
ORR_API void orr_bytes_free(orr_bytes *b);

#ifdef __cplusplus
}
#endif
#endif
