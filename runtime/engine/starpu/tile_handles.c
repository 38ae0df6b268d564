/* Handles of buffers: registered at first scheduled use, one per tile.
 * Must not know: plans, tasks, which buffers are reused when. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/env.h"
#include "runtime/base/held.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/starpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__tiles *all;

static void link_all(orr__tiles *t)
{
    t->next = all;
    if (all)
        all->prev = t;
    all = t;
}

static void unlink_all(orr__tiles *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        all = t->next;
    if (t->next)
        t->next->prev = t->prev;
}

/* Pinned memory is copied at several times the speed, and without stopping the stream. Pinning takes time, so it lasts as long as the
 * handles, which are reused with their memory. Memory that cannot be pinned is copied all the same. The pages of a file must stay
 * evictable, so they are not pinned. The calling
 * thread is any thread of the program: it borrows the context of a device that this process uses. */
static void pin(orr__tiles *t)
{
    int device = orr__machine_here.cuda_device;

    if (orr__star.cudas == 0 || t->buf->bytes < ORR__CACHE_SHARE || t->buf->spilled || !orr__cu_enter(device))
        return;
    t->pinned = starpu_memory_pin(t->buf->host, t->buf->bytes) == 0;
    orr__cu_leave(device);
}

static void unpin(const orr__tiles *t)
{
    int device = orr__machine_here.cuda_device;

    if (!t->pinned || !orr__cu_enter(device))
        return;
    if (starpu_memory_unpin(t->buf->host, t->buf->bytes) != 0)
        orr__log(2, "%zu bytes of host memory stay pinned", t->buf->bytes);
    orr__cu_leave(device);
}

static orr__tiles *make(orr__buffer *b, size_t tile_bytes)
{
    size_t n = (b->bytes + tile_bytes - 1) / tile_bytes;
    orr__tiles *t;

    if (n > INT32_MAX || !(t = orr__alloc(sizeof *t + n * sizeof *t->handle)))
        return NULL;
    t->buf = b;
    t->bytes = tile_bytes;
    t->n = (int)n;
    pin(t);
    for (size_t i = 0; i < n; i++) {
        size_t off = i * tile_bytes, left = b->bytes - off;
        orr__tile_data_register(&t->handle[i], (char *)b->host + off, left < tile_bytes ? left : tile_bytes);
        if (orr__env.device_copies && !orr__star.one_memory)
            starpu_data_set_wt_mask(t->handle[i], 1U << STARPU_MAIN_RAM);
    }
    orr__held_add(ORR_MEMORY_HANDLES, orr__held_size(t) + n * orr__tile_data_size());
    return t;
}

/* The lock is held throughout, since two threads may use one leaf. */
bool orr__tiles_register(orr__buffer *b, size_t tile_bytes)
{
    orr__tiles *t = orr__buffer_tiles(b);

    if (t || b->bytes == 0)
        return true;
    pthread_mutex_lock(&lock);
    if (!(t = orr__buffer_tiles(b)) && (t = make(b, tile_bytes))) {
        link_all(t);
        __atomic_store_n((orr__tiles **)&b->tiles, t, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return t != NULL;
}

orr__buffer *orr__tiles_new(size_t bytes, size_t tile_bytes)
{
    orr__buffer *b = orr__tilepool_take(bytes, tile_bytes);

    if (b)
        return b;
    if (!(b = orr__buffer_new(bytes)))
        return NULL;
    if (!orr__tiles_register(b, tile_bytes)) {
        orr__buffer_unref(b);
        return NULL;
    }
    return b;
}

/* True if the content is lost, so that a copy to home would be of nothing. */
static bool lost_for_good(orr__tiles *t)
{
    bool lost = false;
    if (!orr__devices_lost() || !atomic_load(&t->away))
        return false;
    for (int i = 0; i < t->n && !lost; i++)
        if (starpu_data_acquire(t->handle[i], STARPU_R) == 0) {
            lost = orr__tile_is_lost(t->handle[i]);
            starpu_data_release(t->handle[i]);
        }
    return lost;
}

void orr__tiles_unregister(orr__tiles *t, bool fetch)
{
    pthread_mutex_lock(&lock);
    unlink_all(t);
    pthread_mutex_unlock(&lock);
    bool copies = t->leaving || (orr__env.device_copies && !orr__star.one_memory);
    if (copies || fetch) /* sleeping workers would not make the copies */
        orr__star_wake(false);
    if (fetch && lost_for_good(t))
        atomic_store(&t->buf->overwritten, true);
    for (int i = 0; i < t->n; i++) {
        if (fetch)
            starpu_data_unregister(t->handle[i]);
        else
            starpu_data_unregister_no_coherency(t->handle[i]);
    }
    if (copies || fetch)
        orr__star_rest(false);
    unpin(t);
    orr__recipe_drop(t);
    __atomic_store_n((orr__tiles **)&t->buf->tiles, NULL, __ATOMIC_RELEASE);
    orr__held_sub(ORR_MEMORY_HANDLES, orr__held_size(t) + (size_t)t->n * orr__tile_data_size());
    free(t);
}

/* The leaves of the recipes return to the pool. */
void orr__tiles_drop_recipes(void)
{
    pthread_mutex_lock(&lock);
    for (orr__tiles *t = all; t; t = t->next)
        orr__recipe_drop(t);
    pthread_mutex_unlock(&lock);
}

/* Buffers with references become plain host memory. */
void orr__tiles_unregister_all(void)
{
    while (all) {
        orr__buffer *b = all->buf;
        orr__tiles_unregister(all, true);
        orr__run_unref(b->run);
        b->run = NULL;
    }
}

orr_status orr__tiles_fail_lost(orr__site at, const orr__tiles *t)
{
    char name[200] = "a value";
    if (t->maker && t->file)
        (void)snprintf(name, sizeof name, "the value of %.60s (%.100s:%d)", t->maker, t->file, t->line);
    else if (t->maker)
        (void)snprintf(name, sizeof name, "the value of %.60s", t->maker);
    return orr__fail(at, ORR_EDEVICE,
                     "%s is lost: it was in the memory of a device that has failed, and nowhere else; record it again, "
                     "or load it (ORRERY_DEVICE_COPIES=on keeps copies in host memory)",
                     name);
}

/* Copies the tiles home. *lost: a tile is lost; then the others are not copied. */
static orr_status bring_home(orr__tiles *t, bool *lost)
{
    orr_status st = ORR_OK;
    orr__star_wake(false);
    for (int i = 0; i < t->n && st == ORR_OK && !*lost; i++) {
        int err = starpu_data_acquire(t->handle[i], STARPU_R);
        if (err == 0)
            starpu_data_release(t->handle[i]);
        else
            st = orr__fail(ORR__SITE(NULL, 0, "read"), ORR_EDEVICE,
                           "StarPU does not copy the value to host memory (starpu_data_acquire: error %d)", err);
        *lost = st == ORR_OK && orr__tile_is_lost(t->handle[i]);
    }
    orr__star_rest(false);
    return st;
}

/* After the end of the run no task writes b, so only a device's copy can be newer than host memory. */
orr_status orr__tiles_host_read(orr__buffer *b)
{
    static pthread_mutex_t again = PTHREAD_MUTEX_INITIALIZER; /* for two readers of one lost value */
    orr_status st = orr__run_wait(b->run);
    orr__tiles *t = orr__buffer_tiles(b);
    bool lost = false;

    if (st == ORR_OK && t && atomic_load_explicit(&t->away, memory_order_acquire)) {
        st = bring_home(t, &lost);
        if (lost) {
            pthread_mutex_lock(&again);
            lost = false;
            st = bring_home(t, &lost);
            if (lost && !orr__recipe_follow(t))
                st = orr__tiles_fail_lost(ORR__SITE(NULL, 0, "read"), t);
            pthread_mutex_unlock(&again);
        }
        if (st == ORR_OK)
            atomic_store_explicit(&t->away, false, memory_order_release);
    }
    if (st == ORR_OK && t)
        orr__recipe_drop(t);
    return st;
}
