/* Memory of bodies, of which freed blocks are kept for the next ones.
 * Must not know: what is in them. */
#include "config.h"
#include "serve/budget.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "serve/ledger.h"

/* -- blocks --------------------------------------------------------------------------------------------------- */

enum { KEPT = 128 };
static const size_t kept_most = (size_t)192 << 20; /* bytes */
static int64_t memory = INT64_MAX;                 /* the limit of blocks in use and kept ones together */

static struct {
    pthread_mutex_t lock;
    int n;
    size_t bytes;
    struct {
        char *block;
        size_t room;
    } at[KEPT]; /* the latest last: part of it may be in a cache */
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

char *serve_block_take(size_t room)
{
    char *block = NULL;
    void *fresh = NULL;
    pthread_mutex_lock(&kept.lock);
    for (int i = kept.n - 1; i >= 0 && !block; i--)
        if (kept.at[i].room == room) {
            block = kept.at[i].block;
            kept.bytes -= room;
            kept.n--;
            memmove(&kept.at[i], &kept.at[i + 1], (size_t)(kept.n - i) * sizeof *kept.at);
        }
    pthread_mutex_unlock(&kept.lock);
    if (!block && posix_memalign(&fresh, 64, room + 1) == 0)
        block = fresh;
    return block;
}

void serve_block_limit(int64_t bytes)
{
    memory = bytes;
}

/* Frees the oldest kept blocks until `room` more bytes are within the limit of kept ones, and with the bytes that are in use within that of
 * all. False: they never are. Under the lock. */
static bool shed(size_t room)
{
    int64_t free_bytes = memory - serve_ledger_taken(SERVE_MEMORY);
    size_t most = free_bytes <= 0 ? 0 : (size_t)free_bytes < kept_most ? (size_t)free_bytes : kept_most;
    int gone = 0;
    for (; gone < kept.n && (kept.n - gone == KEPT || kept.bytes + room > most); gone++) {
        kept.bytes -= kept.at[gone].room;
        free(kept.at[gone].block);
    }
    kept.n -= gone;
    memmove(kept.at, kept.at + gone, (size_t)kept.n * sizeof *kept.at);
    return kept.bytes + room <= most;
}

void serve_block_shed(void)
{
    pthread_mutex_lock(&kept.lock);
    (void)shed(0);
    pthread_mutex_unlock(&kept.lock);
}

void serve_block_free(char *block, size_t room)
{
    bool keep = block && room >= SERVE_BLOCK_LARGE && room % SERVE_BLOCK_LARGE == 0;
    pthread_mutex_lock(&kept.lock);
    keep = keep && shed(room);
    if (keep) {
        kept.at[kept.n].block = block;
        kept.at[kept.n++].room = room;
        kept.bytes += room;
    }
    pthread_mutex_unlock(&kept.lock);
    if (!keep)
        free(block);
}

struct serve_body {
    atomic_int refs;
    int client;
    size_t room;
    char *text;
};

serve_body *serve_body_new(char *text, size_t room, int client)
{
    serve_body *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    atomic_init(&b->refs, 1);
    b->client = client;
    b->room = room;
    b->text = text;
    return b;
}

void serve_body_ref(serve_body *b)
{
    atomic_fetch_add(&b->refs, 1);
}

void serve_body_unref(serve_body *b)
{
    if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
        return;
    serve_block_free(b->text, b->room);
    serve_ledger_give(b->client, SERVE_MEMORY, (int64_t)b->room);
    free(b);
}
