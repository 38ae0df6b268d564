/* Counted buffers: memory of the pool or of the user, released with the last reference; zeroed small memory.
 * Must not know: graphs, StarPU. */
#include "config.h"
#include "runtime/base/buffer.h"
#include "runtime/base/callback.h"
#include "runtime/base/form.h"
#include "runtime/base/pool.h"
#include "runtime/base/spill.h"
#include "runtime/base/thread_cache.h"

#include <stdlib.h>

orr__buffer_hooks orr__buffer_engine;

static void put_back(void *host, size_t bytes, size_t cap, bool spilled)
{
    if (spilled)
        orr__spill_put(host, cap);
    else
        orr__pool_put(host, bytes, cap);
}

uint64_t orr__buffer_number(orr__buffer *b)
{
    static atomic_uint_least64_t last;
    uint64_t number = b->cap ? atomic_load_explicit(&b->content, memory_order_relaxed) : 0;
    if (b->cap == 0 || number)
        return number;
    uint64_t own = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return atomic_compare_exchange_strong(&b->content, &number, own) ? own : number;
}

orr__buffer *orr__buffer_new(size_t bytes)
{
    enum { PAGE = 4096 }; /* limit of the machine: smaller ones are of no account */
    size_t cap;
    bool spilled = false;
    orr__buffer *small = orr__stash_take(bytes);
    if (small)
        return small;
    if (bytes >= PAGE && orr__buffer_engine.release && !orr__pool_has(bytes))
        orr__buffer_engine.release(bytes);
    void *host = orr__pool_get(bytes, &cap);
    if (!host && orr__buffer_engine.press && orr__buffer_engine.press() && (host = orr__pool_get(bytes, &cap)))
        orr_error_clear();
    if (!host && orr__spill_on() && (host = orr__spill_get(bytes, &cap))) {
        orr_error_clear();
        spilled = true;
    }
    if (!host)
        return NULL;
    orr__buffer *b = orr__pool_header();
    if (!b) {
        put_back(host, bytes, cap, spilled);
        return NULL;
    }
    b->spilled = spilled;
    atomic_init(&b->refs, 1);
    b->host = host;
    b->bytes = bytes;
    b->cap = cap;
    return b;
}

orr__buffer *orr__buffer_wrap(void *host, size_t bytes, void (*release)(void *, void *), void *user)
{
    orr__buffer *b = orr__pool_header();
    if (!b)
        return NULL;
    atomic_init(&b->refs, 1);
    b->host = host;
    b->bytes = bytes;
    b->release = release;
    b->release_user = user;
    return b;
}

void orr__buffer_unref(orr__buffer *b)
{
    if (!b)
        return;
    /* A single reference belongs to the caller and is released without a locked instruction. */
    if (atomic_load_explicit(&b->refs, memory_order_acquire) != 1 &&
        atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (orr__buffer_engine.drop && !orr__buffer_engine.drop(b))
        return;
    orr__buffer_recycle(b);
}

void orr__buffer_recycle(orr__buffer *b)
{
    orr__value_form *form = atomic_load_explicit(&b->form, memory_order_relaxed);
    if (form) { /* the last reference is gone, so no other thread writes it */
        atomic_store_explicit(&b->form, NULL, memory_order_relaxed);
        orr__form_unref(form);
    }
    if (orr__stash_keep(b))
        return;
    void (*release)(void *, void *) = b->release;
    void *host = b->host, *user = b->release_user;
    if (b->cap)
        put_back(host, b->bytes, b->cap, b->spilled);
    orr__pool_header_put(b);
    if (release) {
        const char *outer = orr__callback_begins("the function that releases a tensor's memory");
        release(host, user);
        orr__callback_ends(outer);
    }
}

orr_status orr__buffer_sync(orr__buffer *b)
{
    orr_status st = orr__buffer_engine.host_read ? orr__buffer_engine.host_read(b) : ORR_OK;
    return st != ORR_OK || orr__form_none(b) ? st : orr__form_undo(b);
}

void *orr__alloc(size_t bytes)
{
    bool absurd = bytes >> 40 != 0; /* sanitizers end the program instead of refusing such sizes */
    void *p = absurd || orr__pool_must_fail() ? NULL : calloc(1, bytes ? bytes : 1);
    if (!p)
        orr__pool_report(bytes);
    return p;
}

void *orr__alloc_n(size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        orr__pool_report(SIZE_MAX);
        return NULL;
    }
    return orr__alloc(bytes);
}

void *orr__realloc_n(void *p, size_t n, size_t size)
{
    size_t bytes;
    bool absurd = __builtin_mul_overflow(n, size, &bytes) || bytes >> 40 != 0;
    void *more = absurd || orr__pool_must_fail() ? NULL : realloc(p, bytes);
    if (!more)
        orr__pool_report(absurd ? SIZE_MAX : bytes);
    return more;
}
