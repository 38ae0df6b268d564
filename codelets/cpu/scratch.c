/* Each thread's memory for blocks: grown on demand, kept, freed when the thread ends.
 * Must not know: the contents. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"

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

static void make_keys(void)
{
    for (int k = 0; k < KINDS; k++)
        have_key[k] = pthread_key_create(&key[k], free) == 0;
}

/* Sets the thread's block of a kind; it is freed when the thread ends. */
static bool keep(int kind, void *memory, size_t size)
{
    (void)pthread_once(&once, make_keys);
    if (have_key[kind] && pthread_setspecific(key[kind], memory) != 0 && memory)
        return false;
    mine[kind] = (block){ memory, size };
    return true;
}

static void drop(int kind)
{
    void *memory = mine[kind].memory;
    (void)keep(kind, NULL, 0);
    free(memory);
}

static bool grow(int kind, size_t bytes)
{
    void *memory = NULL;
    size_t size = (bytes + 4095) & ~(size_t)4095;
    drop(kind);
    if (size < bytes || posix_memalign(&memory, 64, size) != 0)
        return false;
    if (!keep(kind, memory, size)) {
        free(memory);
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
