/* Each thread's memory for blocks: grown on demand, kept, freed when the thread ends.
 * Must not know: the contents. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "runtime/base/held.h"
#include "runtime/base/pool.h"
#include "runtime/base/threshold.h"

typedef struct {
    void *memory;
    size_t size;
} block;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key[ORR__SCRATCHES];
static bool have_key[ORR__SCRATCHES];
static _Thread_local block mine[ORR__SCRATCHES];

/* Large blocks are the pool's, which counts them. */
static void *allocate(size_t bytes, size_t *size)
{
    void *memory = NULL;
    *size = (bytes + 4095) & ~(size_t)4095;
    if (*size < bytes)
        return NULL;
    if (*size >= ORR__CACHE_SHARE)
        return orr__pool_lend(bytes, size);
    return posix_memalign(&memory, 64, *size) == 0 ? orr__hold(ORR_MEMORY_SCRATCH, memory) : NULL;
}

static void give_back(block *b)
{
    if (b->memory && b->size >= ORR__CACHE_SHARE)
        orr__pool_put(b->memory, 0, b->size);
    else
        free(orr__unhold(ORR_MEMORY_SCRATCH, b->memory));
    *b = (block){ NULL, 0 };
}

/* At the end of a thread. */
static void end(void *b)
{
    give_back(b);
}

static void make_keys(void)
{
    for (int k = 0; k < ORR__SCRATCHES; k++)
        have_key[k] = pthread_key_create(&key[k], end) == 0;
}

static void drop(int kind)
{
    if (have_key[kind])
        (void)pthread_setspecific(key[kind], NULL);
    give_back(&mine[kind]);
}

/* Sets the thread's block of a kind; it is freed when the thread ends. */
static bool grow(int kind, size_t bytes)
{
    (void)pthread_once(&once, make_keys);
    drop(kind);
    block *b = &mine[kind];
    if (!(b->memory = allocate(bytes, &b->size)))
        return false;
    if (have_key[kind] && pthread_setspecific(key[kind], b) != 0) {
        give_back(b);
        return false;
    }
    return true;
}

void *orr__scratch_for(orr__scratch_kind kind, size_t bytes)
{
    if ((bytes > mine[kind].size || !mine[kind].memory) && !grow((int)kind, bytes)) {
        (void)orr__fail(ORR__SITE(NULL, 0, NULL), ORR_ENOMEM, "no memory for %zu bytes of scratch", bytes);
        return NULL;
    }
    return mine[kind].memory;
}

void *orr__scratch(size_t bytes)
{
    return orr__scratch_for(ORR__FOR_BLOCKS, bytes);
}

void orr__scratch_trim(void)
{
    for (int k = 0; k < ORR__SCRATCHES; k++)
        if (mine[k].memory)
            drop(k);
}
