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

/* FAILURES_MOST: consecutive failures after which the kernels themselves are no longer blamed. TRIES_MOST: tries per
 * kernel; those after TRIES_PLAIN use less optimisation. RESTS_MOST: steps of the growing pause for all kernels. */
enum { FAILURES_MOST = 4, TRIES_MOST = 4, TRIES_PLAIN = 2, RESTS_MOST = 4 };
double orr__retry_pause = 1.0;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the state that the first kernel opens */
static orr__compiled found = ORR__INTERRUPTED; /* result of the search for the compiler; INTERRUPTED: not begun  */
static uint64_t rest_end;                      /* orr__now in ns                      */
static int failures, rests;                    /* in a row                             */
static orr__cache cache = { .dir = -1, .site = -1 };
static orr__compiler compiler;
/* The index of earlier processes; read once, for the first kernel with content. */
static struct {
    bool read, usable;
    orr__bytes own, site;
    orr__compiler by;
} known;
static atomic_bool no_index; /* known.usable is false for good */
static atomic_bool stop;
static int stop_fd = -1;
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

static void forget(void)
{
    free(known.own.data);
    free(known.site.data);
    memset(&known, 0, sizeof known);
    atomic_store(&no_index, false);
    found = ORR__INTERRUPTED;
    rest_end = 0;
    failures = rests = 0;
}

bool orr__job_start(void)
{
    stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (stop_fd < 0) {
        orr__say(ORR__SAY_THREAD, "no kernels are compiled: %s", strerror(errno));
        return false;
    }
    atomic_store(&stop, false);
    forget();
    return true;
}

void orr__job_interrupt(void)
{
    uint64_t one = 1;
    atomic_store(&stop, true);
    if (stop_fd >= 0 && write(stop_fd, &one, sizeof one) < 0)
        return; /* the descriptor is set already */
}

/* The parent's thread may have held the lock. */
void orr__job_orphan(void)
{
    (void)pthread_mutex_init(&lock, NULL);
    if (stop_fd >= 0)
        close(stop_fd);
    stop_fd = -1;
}

void orr__job_stop(void)
{
    orr__cache_close(&cache);
    if (stop_fd >= 0)
        close(stop_fd);
    stop_fd = -1;
    forget();
}

static uint64_t ns_from_now(double seconds)
{
    return (uint64_t)((orr__now() + seconds) * 1e9);
}

/* Compilation as a whole fails: all kernels pause, longer each time. Called under the lock. */
static void rest(void)
{
    rest_end = ns_from_now(orr__retry_pause * (1 << 2 * rests));
    rests += rests < RESTS_MOST;
    failures = FAILURES_MOST - 1; /* a failure of the next kernel starts a pause again */
}

/* COMPILED: there is a compiler; NOT_NOW: retry at *retry. */
static orr__compiled ready(uint64_t *retry)
{
    pthread_mutex_lock(&lock);
    orr__compiled how = (uint64_t)(orr__now() * 1e9) < rest_end ? ORR__NOT_NOW : ORR__COMPILED;
    if (how == ORR__COMPILED && found != ORR__COMPILED && found != ORR__NO_COMPILER) {
        found = orr__compiler_find(&compiler, stop_fd);
        if (found == ORR__COMPILED && cache.dir < 0)
            orr__cache_open(&cache); /* else a look at the index has opened it */
        else if (found == ORR__NOT_NOW)
            rest();
    }
    how = how == ORR__COMPILED ? found : how;
    *retry = rest_end;
    pthread_mutex_unlock(&lock);
    return how;
}

static orr__code *load(const unsigned char text_key[32], const orr__entry *e)
{
    orr__code *c = orr__memory_load(text_key, e->code, e->code_size, cache.dir >= 0 ? cache.path : NULL);
    orr__perf_map(c, e->label);
    return c;
}

/* Called under the lock. The processor's facts are of use only if there is an index. */
static void read_index(void)
{
    if (known.read)
        return;
    known.read = true;
    if (cache.dir < 0)
        orr__cache_open(&cache);
    orr__index_read(cache.dir, false, &known.own);
    orr__index_read(cache.site, true, &known.site);
    known.usable = (known.own.data || known.site.data) && orr__compiler_look(&known.by);
    atomic_store(&no_index, !known.usable);
}

bool orr__job_may_find(void)
{
    return !atomic_load_explicit(&no_index, memory_order_relaxed);
}

static bool find_entry(const orr__jit *j, orr__key *entry)
{
    orr__key content;
    pthread_mutex_lock(&lock);
    read_index();
    bool found_it = known.usable && orr__content_key(&known.by, j->content, j->content_size, &content) &&
                    (orr__index_find(&known.own, &content, entry) || orr__index_find(&known.site, &content, entry));
    pthread_mutex_unlock(&lock);
    return found_it;
}

orr__code *orr__job_look(const orr__jit *j)
{
    unsigned char text_key[32];
    orr__key key;
    orr__bytes b;
    orr__entry e;
    if (!find_entry(j, &key) || !orr__cache_get(&cache, &key, &b, &e))
        return NULL;
    orr__text_key_of(e.source, e.source_size, text_key);
    orr__code *c = orr__memory_find(text_key);
    if (c)
        orr__job_count(ORR__COUNT_MEMORY);
    else if ((c = load(text_key, &e)))
        orr__job_count(ORR__COUNT_DISK);
    free(b.data);
    return c;
}

/* The next process finds this entry by the kernel's content. */
static void remember(const orr__jit *j, const orr__key *entry)
{
    orr__key content, before;
    if (!j->content || !orr__content_key(&compiler, j->content, j->content_size, &content))
        return;
    bool there = find_entry(j, &before) && memcmp(&before, entry, sizeof before) == 0;
    if (!there)
        orr__index_add(cache.dir, &content, entry);
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

/* A compiler's time: of the last few compilations of this process, or of the usual one before the first. */
enum { USUAL_NS = 60 * 1000000, OF_LAST = 4 }; /* limit of the machine */
static atomic_uint_least64_t compiler_ns = USUAL_NS;

uint64_t orr__job_ns(void)
{
    return atomic_load_explicit(&compiler_ns, memory_order_relaxed);
}

static void took(double seconds)
{
    uint64_t before = orr__job_ns();
    atomic_store_explicit(&compiler_ns, before - before / OF_LAST + (uint64_t)(seconds * 1e9) / OF_LAST,
                          memory_order_relaxed);
}

static orr__compiled from_compiler(orr__jit *j, const unsigned char text_key[32], orr__unwritten *u, orr__code **c)
{
    orr__entry *e = &u->entry;
    orr__compiled how =
        orr__compile(&compiler, &cache, j->text, j->tries >= TRIES_PLAIN, stop_fd, &u->code, &e->seconds);
    if (orr__tracing())
        orr__trace_span("compile", j->label,
                        (orr__trace_at){ NULL, 0, ORR__TRACE_SELF, orr__now() - e->seconds, orr__now() }, NULL, 0);
    if (how != ORR__COMPILED)
        return how;
    memcpy(e->label, j->label, sizeof e->label);
    (void)snprintf(e->compiler, sizeof e->compiler, "%.60s %.127s", compiler.path, compiler.version);
    e->source = j->text;
    e->source_size = strlen(j->text);
    e->code = u->code.data;
    e->code_size = u->code.size;
    orr__job_count(ORR__COUNT_COMPILED);
    took(e->seconds);
    orr__log(3, "compiled %s in %.0f ms", j->label, e->seconds * 1e3);
    *c = load(text_key, e);
    return *c ? ORR__COMPILED : ORR__BAD_TEXT;
}

static void drop(orr__unwritten *u)
{
    orr__cache_unlock(&cache, &u->key, u->held);
    orr__jit_unref(u->of);
    free(u->code.data);
    free(u);
}

void orr__job_write(orr__unwritten *u)
{
    if (orr__cache_put(&cache, &u->key, &u->entry))
        remember(u->of, &u->key);
    drop(u);
}

/* Applies a failed result to the kernel, and to all others. */
static orr__job_end failed(orr__jit *j, orr__compiled how, const unsigned char text_key[32], orr__code **c)
{
    if (how == ORR__INTERRUPTED)
        return ORR__JOB_CUT;
    orr__job_count(ORR__COUNT_FAILED);
    pthread_mutex_lock(&lock);
    if (++failures >= FAILURES_MOST || how == ORR__NO_COMPILER)
        rest();
    uint64_t all = rest_end;
    pthread_mutex_unlock(&lock);
    if (how == ORR__BAD_TEXT) {
        *c = orr__memory_load(text_key, NULL, 0, NULL);
        return ORR__JOB_DONE;
    }
    j->tries = how == ORR__TOO_MUCH && j->tries < TRIES_PLAIN ? TRIES_PLAIN : j->tries + 1;
    uint64_t own = ns_from_now(orr__retry_pause * (1 << 2 * (j->tries - 1)));
    atomic_store(&j->retry, own > all ? own : all);
    return j->tries < TRIES_MOST ? ORR__JOB_LATER : ORR__JOB_DONE;
}

static void succeeded(void)
{
    pthread_mutex_lock(&lock);
    failures = rests = 0;
    pthread_mutex_unlock(&lock);
}

orr__job_end orr__job_on(orr__jit *j, orr__code **c, orr__unwritten **to_write)
{
    unsigned char text_key[32];
    uint64_t retry;
    *to_write = NULL;
    orr__text_key(j->text, text_key);
    *c = orr__memory_find(text_key);
    if (*c) {
        orr__job_count(ORR__COUNT_MEMORY);
        return ORR__JOB_DONE;
    }
    orr__compiled how = ready(&retry);
    if (how != ORR__COMPILED) {
        atomic_store(&j->retry, retry);
        return how == ORR__NO_COMPILER ? ORR__JOB_DONE : how == ORR__NOT_NOW ? ORR__JOB_LATER : ORR__JOB_CUT;
    }
    orr__unwritten *u = calloc(1, sizeof *u);
    if (!u)
        return failed(j, ORR__NOT_NOW, text_key, c);
    atomic_fetch_add(&j->refs, 1);
    u->of = j;
    u->held = -1;
    orr__compiler_key(&compiler, j->text, &u->key);
    if ((*c = from_disk(&u->key, text_key))) {
        remember(j, &u->key);
        drop(u);
        return ORR__JOB_DONE;
    }
    u->held = orr__cache_lock(&cache, &u->key, orr__compile_limit.work + 5, &stop);
    bool found_now = (*c = from_disk(&u->key, text_key)) != NULL;
    if (!found_now)
        how = atomic_load(&stop) ? ORR__INTERRUPTED : from_compiler(j, text_key, u, c);
    if (how == ORR__COMPILED && !found_now && j->tries < TRIES_PLAIN) /* else the next process may succeed better */
        *to_write = u;
    else
        drop(u);
    if (how != ORR__COMPILED)
        return failed(j, how, text_key, c);
    succeeded();
    return ORR__JOB_DONE;
}
