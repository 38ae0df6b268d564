/* Free ranges of addresses of large blocks: taken by best fit, cut, and joined with their neighbours.
 * Must not know: the pool's bounds, locks. The caller excludes other threads. */
#ifndef ORR_BASE_EXTENTS_H
#define ORR_BASE_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Extents are multiples of this size. A rest below an eighth of a block stays with it. */
#define ORR__EXTENT_UNIT ((size_t)64 << 10)

typedef struct {
    char *at;
    size_t bytes;
    uint64_t used; /* the caller's clock when it, or the last part of it, became free */
} orr__extent;

typedef struct {
    orr__extent *of; /* in the order of their addresses; no two are neighbours */
    size_t n, room;
    size_t bytes;
} orr__extents;

size_t orr__extent_size(size_t bytes); /* of a block of at least `bytes`; 0: none can be so large */
/* A range of at least `bytes` from the smallest extent that has it; *cap becomes its size. NULL: there is none. */
void *orr__extent_take(orr__extents *e, size_t bytes, size_t *cap);
bool orr__extent_fits(const orr__extents *e, size_t bytes);
/* Adds a range. False: no memory for the list; the range is the caller's. */
bool orr__extent_put(orr__extents *e, void *at, size_t bytes, uint64_t now);
/* The extent that was used last of all the longest time ago; NULL: there is none. */
const orr__extent *orr__extent_oldest(const orr__extents *e);
/* Takes at most `bytes` out of the oldest extent, from its end; *size becomes the size of that part. There must be an extent. */
void *orr__extent_cut(orr__extents *e, size_t bytes, size_t *size);

#endif
