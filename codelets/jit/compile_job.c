/* One kernel: from memory, from the disk, from the compiler; and the counters.
 * Must not know: threads, the queue. */
#include "config.h"
#include "codelets/jit/compile_job.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/trace.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FAILURES_MOST = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what is opened with the first kernel */
static bool opened, usable;
static orr__cache cache = { .dir = -1, .site = -1 };
static orr__compiler compiler;
static atomic_bool stop;
static int stop_fd = -1;
static atomic_int failures; /* in a row */
static atomic_uint_least64_t counter[ORR__COUNTS];

void orr__job_count(orr__counter c)
{
    atomic_fetch_add_explicit(&counter[c], 1, memory_order_relaxed);
}

orr__jit_stats orr__jit_get_stats(void)
{
    orr__jit_stats s = { .compiled = atomic_load(&counter[ORR__COUNT_COMPILED]),
                         .disk_hits = atomic_load(&counter[ORR__COUNT_DISK]),
                         .memory_hits = atomic_load(&counter[ORR__COUNT_MEMORY]),
                         .failures = atomic_load(&counter[ORR__COUNT_FAILED]) };
    orr__memory_count(&s.in_memory, &s.bytes);
    return s;
}

bool orr__job_start(void)
{
    stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_fd < 0) {
        orr__say(ORR__SAY_THREAD, "no kernels are compiled: %s", strerror(errno));
        return false;
    }
    atomic_store(&stop, false);
    atomic_store(&failures, 0);
    opened = usable = false;
    return true;
}

void orr__job_interrupt(void)
{
    uint64_t one = 1;
    atomic_store(&stop, true);
    if (stop_fd >= 0 && write(stop_fd, &one, sizeof one) < 0)
        return; /* it is set already */
}

void orr__job_stop(void)
{
    orr__cache_close(&cache);
    if (stop_fd >= 0)
        close(stop_fd);
    stop_fd = -1;
    opened = usable = false;
}

static bool ready(void)
{
    pthread_mutex_lock(&lock);
    if (!opened) {
        opened = true;
        usable = orr__compiler_find(&compiler, stop_fd);
        if (usable)
            orr__cache_open(&cache);
    }
    bool ok = usable && atomic_load(&failures) < FAILURES_MOST;
    pthread_mutex_unlock(&lock);
    return ok;
}

static void give_up(void)
{
    pthread_mutex_lock(&lock);
    usable = false;
    pthread_mutex_unlock(&lock);
}

static orr__code *load(const unsigned char text_key[32], const orr__entry *e)
{
    return orr__memory_load(text_key, e->code, e->code_size, cache.dir >= 0 ? cache.path : NULL);
}

static orr__code *from_disk(const orr__key *key, const unsigned char text_key[32])
{
    orr__bytes b;
    orr__entry e;
    if (!orr__cache_get(&cache, key, &b, &e))
        return NULL;
    orr__code *c = load(text_key, &e);
    if (c)
        orr__job_count(ORR__COUNT_DISK);
    free(b.data);
    return c;
}

static orr__compiled from_compiler(const orr__jit *j, const orr__key *key, const unsigned char text_key[32],
                                   orr__code **c)
{
    orr__bytes so;
    orr__entry e;
    memset(&e, 0, sizeof e);
    orr__compiled how = orr__compile(&compiler, &cache, j->text, stop_fd, &so, &e.seconds);
    if (orr__tracing())
        orr__trace_span("compile", j->label,
                        (orr__trace_at){ NULL, 0, ORR__TRACE_SELF, orr__now() - e.seconds, orr__now() }, NULL, 0);
    if (how != ORR__COMPILED)
        return how;
    memcpy(e.label, j->label, sizeof e.label);
    (void)snprintf(e.compiler, sizeof e.compiler, "%.60s %.127s", compiler.path, compiler.version);
    e.source = j->text;
    e.source_size = strlen(j->text);
    e.code = so.data;
    e.code_size = so.size;
    orr__job_count(ORR__COUNT_COMPILED);
    orr__log(3, "compiled %s in %.0f ms", j->label, e.seconds * 1e3);
    *c = load(text_key, &e);
    if (*c)
        (void)orr__cache_put(&cache, key, &e);
    free(so.data);
    return how;
}

static bool failed(orr__compiled how, const unsigned char text_key[32], orr__code **c)
{
    if (how == ORR__INTERRUPTED)
        return false;
    orr__job_count(ORR__COUNT_FAILED);
    atomic_fetch_add(&failures, 1);
    if (how == ORR__NO_COMPILER)
        give_up();
    else if (how == ORR__BAD_TEXT)
        *c = orr__memory_load(text_key, NULL, 0, NULL);
    return true;
}

bool orr__job_on(orr__jit *j, orr__code **c)
{
    unsigned char text_key[32];
    orr__key key;
    orr__text_key(j->text, text_key);
    *c = orr__memory_find(text_key);
    if (*c) {
        orr__job_count(ORR__COUNT_MEMORY);
        return true;
    }
    if (!ready())
        return !atomic_load(&stop);
    orr__compiler_key(&compiler, j->text, &key);
    if ((*c = from_disk(&key, text_key)))
        return true;
    int held = orr__cache_lock(&cache, &key, orr__compile_limit + 5, &stop);
    orr__compiled how = ORR__COMPILED;
    if (!(*c = from_disk(&key, text_key)))
        how = atomic_load(&stop) ? ORR__INTERRUPTED : from_compiler(j, &key, text_key, c);
    orr__cache_unlock(&cache, &key, held);
    if (how != ORR__COMPILED || !*c)
        return failed(how == ORR__COMPILED ? ORR__BAD_TEXT : how, text_key, c);
    atomic_store(&failures, 0);
    return true;
}
