/* Small buffers in a cache of each thread.
 * Must not know: the users of buffers. */
#include "config.h"
#include "runtime/base/thread_cache.h"

#include <string.h>
#include "runtime/base/pool.h"

static _Thread_local orr__stash *mine __attribute__((tls_model("initial-exec")));

void orr__stash_begin(orr__stash *s)
{
    mine = s;
}

void orr__stash_end(void)
{
    orr__stash_trim();
    mine = NULL;
}

void orr__stash_trim(void)
{
    orr__stash *s = mine;
    if (!s)
        return;
    for (int c = 0; c < ORR__STASH_CLASSES; c++)
        while (s->free[c]) {
            orr__buffer *b = s->free[c];
            s->free[c] = b->next;
            orr__pool_put(b->host, 0, b->cap);
            orr__pool_header_put(b);
        }
    s->held = 0;
}

orr__buffer *orr__stash_take(size_t bytes)
{
    orr__stash *s = mine;
    size_t cap;
    int c = s ? orr__pool_class(bytes, &cap) : -1;
    if (c < 0 || c >= ORR__STASH_CLASSES || !s->free[c] || orr__pool_may_fail() || !orr__pool_book(bytes))
        return NULL;
    orr__buffer *b = s->free[c];
    s->free[c] = b->next;
    s->held -= cap;
    void *host = b->host;
    /* In two parts: for more than 80 bytes compilers emit an instruction whose start-up time exceeds that of this whole function. */
    memset((void *)b, 0, offsetof(orr__buffer, tiles));
    memset((void *)&b->tiles, 0, sizeof *b - offsetof(orr__buffer, tiles));
    atomic_init(&b->refs, 1);
    b->host = host;
    b->bytes = bytes;
    b->cap = cap;
    ORR__SHOW(host, bytes);
    return b;
}

/* Under a memory limit every block goes to the pool, where all threads can use it. */
bool orr__stash_keep(orr__buffer *b)
{
    orr__stash *s = mine;
    size_t cap;
    int c = s && b->cap && !b->spilled ? orr__pool_class(b->cap, &cap) : -1;
    if (c < 0 || c >= ORR__STASH_CLASSES || s->held + cap > ORR__STASH_BYTES || orr__pool_limited())
        return false;
    orr__pool_unbook(b->bytes);
    ORR__HIDE(b->host, cap);
    b->next = s->free[c];
    s->free[c] = b;
    s->held += cap;
    return true;
}
