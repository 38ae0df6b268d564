/* Images: elements (height, width, channels) from and to the bytes of a file, one function per direction and format.
 * Must not know: where the bytes come from or go to. */
#ifndef ORR_API_IMAGE_H
#define ORR_API_IMAGE_H

#include <orrery/tensor.h>
#include "runtime/base/buffer.h"
#include "runtime/base/status.h"

/* The bytes of a file. */
typedef struct {
    orr__site at;
    const char *name; /* for messages */
    const unsigned char *data;
    size_t bytes;
} orr__encoded;

/* An image: u8 or u16, (height, width, channels), row-major. */
typedef struct {
    orr_dtype dtype;
    orr_shape shape;
    orr__buffer *b;
} orr__image;

/* Bytes being written; the caller frees `data`. */
typedef struct {
    unsigned char *data;
    size_t size, capacity;
} orr__bytes;

/* On success to->b has a reference. On error the last error is set and to->b is NULL. */
orr_status orr__png_decode(const orr__encoded *from, orr__image *to);
orr_status orr__jpeg_decode(const orr__encoded *from, orr__image *to);
/* `quality` is for JPEG. On error the caller frees `to`, too. */
orr_status orr__png_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to);
orr_status orr__jpeg_encode(orr__site at, const orr__image *from, int quality, orr__bytes *to);

/* ORR_EFORMAT for an image larger than ORRERY_IMAGE_LIMIT, before memory for it is taken. */
orr_status orr__image_check(const orr__encoded *from, uint64_t height, uint64_t width);
/* "it claims 3 x 4 pixels, and its 5 bytes cannot hold them" */
void orr__image_too_large(const orr__encoded *from, uint64_t height, uint64_t width, char *to, size_t size);
/* Sets shape, dtype and memory of an image. */
orr_status orr__image_new(orr__image *to, orr_dtype dtype, int64_t height, int64_t width, int64_t channels);
/* "site: name: text" */
orr_status orr__encoded_fail(const orr__encoded *from, orr_status st, const char *text);
/* false: no memory. */
bool orr__bytes_add(orr__bytes *to, const void *data, size_t n);

/* For orr_load and orr_save. */
orr_tensor *orr__image_load(orr__site at, const char *path);
orr_status orr__image_save(orr__site at, const char *path, orr_tensor *t);

#endif
