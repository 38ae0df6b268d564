/* Bytes that a function makes for its caller: messages between parties, keys and ciphertexts for files.
 * Must not know: their content. */
#ifndef ORRERY_BYTES_H
#define ORRERY_BYTES_H

#include <stddef.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes and their number. The caller owns the bytes of a struct that a function has filled, and passes it to
 * orr_bytes_free. As an argument it may point to the caller's own memory. */
typedef struct orr_bytes {
    unsigned char *data;
    size_t size;
} orr_bytes;

/** Wipes the bytes, frees them, and leaves *b empty. NULL and empty structs are fine. The behaviour is undefined for
 * bytes that the library did not make. Thread-safe for different b. */
ORR_API void orr_bytes_free(orr_bytes *b);

#ifdef __cplusplus
}
#endif
#endif
