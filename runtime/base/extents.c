/* Free ranges of addresses: an array in the order of the addresses, searched by halving and, for the best fit, from end to end.
 * Must not know: the pool's bounds, locks. */
#include "config.h"
#include "runtime/base/extents.h"

#include <stdlib.h>
#include <string.h>

size_t orr__extent_size(size_t bytes)
{
    size_t size = (bytes + ORR__EXTENT_UNIT - 1) / ORR__EXTENT_UNIT * ORR__EXTENT_UNIT;
    return size < bytes || size >> 47 ? 0 : size;
}

static size_t best(const orr__extents *e, size_t size)
{
    size_t at = e->n;
    for (size_t i = 0; i < e->n; i++)
        if (e->of[i].bytes >= size && (at == e->n || e->of[i].bytes < e->of[at].bytes))
            at = i;
    return at;
}

static void remove_at(orr__extents *e, size_t i)
{
    e->n--;
    memmove(&e->of[i], &e->of[i + 1], (e->n - i) * sizeof *e->of);
}

bool orr__extent_fits(const orr__extents *e, size_t bytes)
{
    return best(e, orr__extent_size(bytes)) < e->n;
}

void *orr__extent_take(orr__extents *e, size_t bytes, size_t *cap)
{
    size_t size = orr__extent_size(bytes), i = best(e, size);
    if (i == e->n)
        return NULL;
    orr__extent *x = &e->of[i];
    void *at = x->at;
    if (x->bytes - size < size / 8 || x->bytes == size) {
        *cap = x->bytes;
        remove_at(e, i);
    } else {
        *cap = size;
        x->at += size;
        x->bytes -= size;
    }
    e->bytes -= *cap;
    return at;
}

/* The number of extents before the address. */
static size_t before(const orr__extents *e, const char *at)
{
    size_t lo = 0, hi = e->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (e->of[mid].at < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool insert_at(orr__extents *e, size_t i, const orr__extent *x)
{
    if (e->n == e->room) {
        size_t room = e->room ? 2 * e->room : 64;
        orr__extent *more = realloc(e->of, room * sizeof *more);
        if (!more)
            return false;
        e->of = more;
        e->room = room;
    }
    memmove(&e->of[i + 1], &e->of[i], (e->n - i) * sizeof *e->of);
    e->of[i] = *x;
    e->n++;
    return true;
}

bool orr__extent_put(orr__extents *e, void *at, size_t bytes, uint64_t now)
{
    size_t i = before(e, at);
    orr__extent *low = i > 0 ? &e->of[i - 1] : NULL, *high = i < e->n ? &e->of[i] : NULL;
    bool joins_low = low && low->at + low->bytes == at, joins_high = high && (char *)at + bytes == high->at;
    if (joins_low) {
        low->bytes += bytes + (joins_high ? high->bytes : 0);
        low->used = now;
        if (joins_high)
            remove_at(e, i);
    } else if (joins_high) {
        high->at = at;
        high->bytes += bytes;
        high->used = now;
    } else if (!insert_at(e, i, &(orr__extent){ at, bytes, now })) {
        return false;
    }
    e->bytes += bytes;
    return true;
}

const orr__extent *orr__extent_oldest(const orr__extents *e)
{
    const orr__extent *old = NULL;
    for (size_t i = 0; i < e->n; i++)
        if (!old || e->of[i].used < old->used)
            old = &e->of[i];
    return old;
}

void *orr__extent_cut(orr__extents *e, size_t bytes, size_t *size)
{
    size_t i = (size_t)(orr__extent_oldest(e) - e->of);
    orr__extent *x = &e->of[i];
    size_t part = orr__extent_size(bytes);
    *size = part && part < x->bytes ? part : x->bytes;
    void *at = x->at + (x->bytes - *size);
    x->bytes -= *size;
    e->bytes -= *size;
    if (x->bytes == 0)
        remove_at(e, i);
    return at;
}
