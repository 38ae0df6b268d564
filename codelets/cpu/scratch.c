/* Each thread's memory for blocks: grown on demand, kept, freed when the thread ends.
 * Must not know: the contents. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"
#include "runtime/base/held.h"
#include "runtime/base/pool.h"
#include "runtime/base/threshold.h"

/* A kernel's blocks; copies of operands of a kernel that may run while blocks are in use; copies of factors of a
 * product that is a step of either; the result of a call with an epilogue; values of a long row. */
enum { BLOCKS, COPIES, FACTORS, RESULTS, ROWS, KINDS };

typedef struct {
    void *memory;
    size_t size;
} block;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key[KINDS];
static bool have_key[KINDS];
static _Thread_local block mine[KINDS];

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
    for (int k = 0; k < KINDS; k++)
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

static void *scratch(int kind, size_t bytes)
{
    if ((bytes > mine[kind].size || !mine[kind].memory) && !grow(kind, bytes)) {
        (void)orr__fail(ORR__SITE(NULL, 0, NULL), ORR_ENOMEM, "no memory for %zu bytes of scratch", bytes);
        return NULL;
    }
    return mine[kind].memory;
}

void *orr__scratch(size_t bytes)
{
    return scratch(BLOCKS, bytes);
}

void *orr__scratch_for_copies(size_t bytes)
{
    return scratch(COPIES, bytes);
}

void *orr__scratch_for_factors(size_t bytes)
{
    return scratch(FACTORS, bytes);
}

void *orr__scratch_for_results(size_t bytes)
{
    return scratch(RESULTS, bytes);
}

void *orr__scratch_for_rows(size_t bytes)
{
    return scratch(ROWS, bytes);
}

void orr__scratch_trim(void)
{
    for (int k = 0; k < KINDS; k++)
        if (mine[k].memory)
            drop(k);
}
