/* The per-thread record and its clean-up at thread exit.
 * Must not know: what the record's parts are for. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include "runtime/base/form.h"
#include "runtime/base/held.h"
#include "runtime/base/pool.h"
#include "runtime/graph/thread_state.h"

static _Thread_local orr__tls record;
_Thread_local orr__tls *orr__tls_mine __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void thread_exit(void *p)
{
    orr__tls *tls = p;
    orr__scopes_thread_exit(tls);
    orr__handles_thread_exit(tls);
    orr__nodes_thread_exit(tls);
    orr__captures_thread_exit(tls);
    orr__stash_end();
    free(orr__unhold(ORR_MEMORY_GRAPHS, tls->stash));
    tls->stash = NULL;
    for (int i = 0; i < ORR__OWN_COUNT; i++) {
        free(orr__unhold(ORR_MEMORY_GRAPHS, tls->own[i]));
        tls->own[i] = NULL;
    }
    orr__tls_mine = NULL;
}

static void make_key(void)
{
    orr__forms_guard(); /* before the pool's: changing a form uses memory of the pool */
    orr__nodes_guard();
    orr__handles_guard();
    orr__formers_guard();
    orr__pool_guard();
    have_key = pthread_key_create(&key, thread_exit) == 0;
}

orr__tls *orr__tls_begin(void)
{
    pthread_once(&once, make_key);
    /* Without a key only the caches of ended threads are lost. */
    if (have_key)
        (void)pthread_setspecific(key, &record);
    record.stash = orr__hold(ORR_MEMORY_GRAPHS, calloc(1, sizeof *record.stash));
    orr__stash_begin(record.stash);
    return orr__tls_mine = &record;
}

void *orr__own_memory_of(orr__own_memory what, size_t size)
{
    orr__tls *tls = orr__tls_get();
    if (!tls->own[what])
        tls->own[what] = orr__hold(ORR_MEMORY_GRAPHS, calloc(1, size));
    return tls->own[what];
}
