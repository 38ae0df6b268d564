/* Byte strings of numbers in little-endian order: a writer that grows, a reader that never reads beyond the end.
 * Must not know: the meaning of the numbers. */
#ifndef ORR_OPS_PACK_BYTES_H
#define ORR_OPS_PACK_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <orrery/bytes.h>
#include "runtime/base/status.h"

/* Allocates `size` zeroed bytes, to be freed with orr_bytes_free; ORR_ENOMEM. */
orr_status orr__bytes_new(orr__site at, orr_bytes *b, size_t size);

static inline void orr__put_le(unsigned char *to, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(x >> (8 * i));
}

static inline uint64_t orr__get_le(const unsigned char *from, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++)
        x |= (uint64_t)from[i] << (8 * i);
    return x;
}

/* A position in a block of known size. An access beyond `left` sets `ok` to false. */
typedef struct {
    unsigned char *at;
    size_t left;
    bool ok;
} orr__cursor;

static inline void orr__write(orr__cursor *c, const void *from, size_t size)
{
    c->ok = c->ok && size <= c->left;
    if (!c->ok)
        return;
    if (size > 0)
        memcpy(c->at, from, size);
    c->at += size;
    c->left -= size;
}

static inline void orr__write_le(orr__cursor *c, uint64_t x, int bytes)
{
    unsigned char b[8];
    orr__put_le(b, x, bytes);
    orr__write(c, b, (size_t)bytes);
}

/* The next `size` bytes in place; NULL, and ok becomes false, if fewer are left. */
static inline const unsigned char *orr__take(orr__cursor *c, size_t size)
{
    const unsigned char *p = c->at;
    c->ok = c->ok && size <= c->left;
    if (!c->ok)
        return NULL;
    c->at += size;
    c->left -= size;
    return p;
}

static inline uint64_t orr__take_le(orr__cursor *c, int bytes)
{
    const unsigned char *p = orr__take(c, (size_t)bytes);
    return p ? orr__get_le(p, bytes) : 0;
}

#endif
