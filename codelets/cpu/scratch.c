/* Each thread's memory for blocks: grown when needed, kept, freed when the thread ends.
 * Must not know: what is kept in it. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "codelets/cpu/cpu.h"

enum { USUAL = 8 << 20 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool have_key;
static _Thread_local struct {
    void *memory;
    size_t size;
} mine;

static void make_key(void)
{
    have_key = pthread_key_create(&key, free) == 0;
}

static bool grow(size_t bytes)
{
    (void)pthread_once(&once, make_key);
    free(mine.memory);
    mine.memory = NULL;
    mine.size = 0;
    size_t size = (bytes + 4095) & ~(size_t)4095;
    if (size < bytes || posix_memalign(&mine.memory, 64, size) != 0)
        mine.memory = NULL;
    else
        mine.size = size;
    if (have_key && pthread_setspecific(key, mine.memory) != 0 && mine.memory) {
        free(mine.memory);
        mine.memory = NULL;
        mine.size = 0;
    }
    return mine.memory != NULL;
}

void *orr__scratch(size_t bytes)
{
    if ((bytes > mine.size || !mine.memory) && !grow(bytes)) {
        (void)orr__fail(ORR__SITE(NULL, 0, NULL), ORR_ENOMEM, "no memory for %zu bytes of scratch", bytes);
        return NULL;
    }
    return mine.memory;
}

void orr__scratch_trim(void)
{
    if (mine.size > USUAL)
        (void)grow(USUAL);
}
