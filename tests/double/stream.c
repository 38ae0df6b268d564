/* The double's streams. In strict mode work waits in its stream: it is done when the host waits for it, or earlier, in a random order of the
 * streams. Work knows which other work is over when it begins, by what the host had seen when it was enqueued.
 * Must not know: Orrery, the work. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/double/double.h"

enum { MADE = 64, STREAMS = CUDA_DOUBLE_STREAMS };

typedef struct op {
    struct op *next;
    cuda_double_work *work;
    cuda_double_place place;
    long seen[STREAMS];
    size_t bytes;
    uint64_t arg[]; /* a copy */
} op;

typedef struct {
    const void *key;
    op *first, **last;
    long issued, done;
    int busy; /* exchanges of NCCL's double under way, which are in a thread of their own */
} queue;

static queue queues[STREAMS];
static long host[STREAMS]; /* work that the host knows to be over */
static unsigned char made[MADE];
static unsigned state = 1;
static pthread_mutex_t turn = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local void *library; /* the stream of the libraries' next calls in this thread */
static _Thread_local long known[STREAMS];
static _Thread_local cuda_double_place own;
_Thread_local const cuda_double_place *cuda_double_now;

static unsigned chance(unsigned of)
{
    const char *seed = state == 1 ? getenv("CUDA_DOUBLE_SEED") : NULL;
    if (seed)
        state = (unsigned)strtoul(seed, NULL, 10) * 2654435761U | 1;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % of;
}

/* No stream at all, as of a copy that has ended when its call returns, is one of its own. */
static int slot_of(const void *stream)
{
    stream = stream ? stream : queues;
    for (int i = 0; i < STREAMS; i++) {
        queue *q = &queues[i];
        if (!q->key) {
            q->key = stream;
            q->last = &q->first;
        }
        if (q->key == stream)
            return i;
    }
    (void)fprintf(stderr, "cuda double: too many streams\n");
    abort();
}

static void do_first(queue *q)
{
    op *o = q->first;
    q->first = o->next;
    if (!q->first)
        q->last = &q->first;
    o->place.seen = o->seen;
    cuda_double_now = &o->place;
    int code = cuda_double.lost_code ? 0 : o->work(o->arg);
    cuda_double_now = NULL;
    if (code)
        cuda_double.lost_code = code;
    q->done = o->place.number;
    free(o);
}

static void do_some(void)
{
    unsigned from = chance(STREAMS);
    for (unsigned i = 0; i < STREAMS; i++) {
        queue *q = &queues[(from + i) % STREAMS];
        if (q->first && !q->busy) {
            do_first(q);
            return;
        }
    }
}

int cuda_double_enqueue(void *stream, cuda_double_work *work, const void *arg, size_t bytes)
{
    if (!cuda_double_strict() || cuda_double_now)
        return work((void *)(uintptr_t)arg);
    op *o = calloc(1, sizeof *o + bytes + sizeof *o->arg);
    if (!o)
        return 2;
    memcpy(o->arg, arg, bytes);
    o->work = work;
    o->bytes = bytes;
    pthread_mutex_lock(&turn);
    int at = slot_of(stream);
    memcpy(o->seen, host, sizeof host);
    o->place = (cuda_double_place){ .stream = at, .number = ++queues[at].issued };
    *queues[at].last = o;
    queues[at].last = &o->next;
    for (int i = 0; i < 8 && chance(2); i++)
        do_some();
    pthread_mutex_unlock(&turn);
    if (!stream)
        cuda_double_drain(NULL);
    return 0;
}

/* Does the work of one stream up to a number, or of all. */
static void drain(int at, long number)
{
    bool left = true;
    while (left) {
        left = false;
        pthread_mutex_lock(&turn);
        for (int i = 0; i < STREAMS; i++) {
            queue *q = &queues[i];
            if (at >= 0 && i != at)
                continue;
            while (q->first && !q->busy && q->first->place.number <= number)
                do_first(q);
            left = left || q->busy || (q->first && q->first->place.number <= number);
            host[i] = q->done > host[i] ? q->done : host[i];
        }
        pthread_mutex_unlock(&turn);
        if (left)
            (void)sched_yield();
    }
}

void cuda_double_drain(void *stream)
{
    pthread_mutex_lock(&turn);
    int at = stream ? slot_of(stream) : -1;
    pthread_mutex_unlock(&turn);
    drain(at, INT64_MAX);
}

void cuda_double_library(void *stream)
{
    library = stream;
}

/* A library's function computes at once, after the work before it in its stream. */
void cuda_double_begin_library(void)
{
    if (!library || cuda_double_now)
        return;
    if (cuda_double_capturing(library))
        (void)cuda_double_forbidden("a function of a library that is not captured");
    cuda_double_drain(library);
    pthread_mutex_lock(&turn);
    int at = slot_of(library);
    memcpy(known, host, sizeof known);
    queues[at].done = ++queues[at].issued;
    own = (cuda_double_place){ .stream = at, .number = queues[at].issued, .seen = known };
    pthread_mutex_unlock(&turn);
    cuda_double_now = &own;
}

bool cuda_double_in_library(void)
{
    return cuda_double_now == &own;
}

void cuda_double_end_library(void)
{
    if (cuda_double_in_library())
        cuda_double_now = NULL;
}

/* An event: a stream, and the number of its last work. */
void cuda_double_record(cuda_double_place *event, void *stream)
{
    pthread_mutex_lock(&turn);
    int at = slot_of(stream);
    *event = (cuda_double_place){ .stream = at, .number = queues[at].issued };
    pthread_mutex_unlock(&turn);
}

bool cuda_double_over(const cuda_double_place *event)
{
    pthread_mutex_lock(&turn);
    do_some();
    bool over = queues[event->stream].done >= event->number && !queues[event->stream].busy;
    if (over && host[event->stream] < event->number)
        host[event->stream] = event->number;
    pthread_mutex_unlock(&turn);
    return over;
}

void cuda_double_wait(const cuda_double_place *event)
{
    drain(event->stream, event->number);
}

/* True if work that waits has an address of these bytes in its arguments. */
bool cuda_double_uses(const void *p, size_t bytes)
{
    bool found = false;
    uint64_t lo = (uint64_t)(uintptr_t)p;
    pthread_mutex_lock(&turn);
    for (int i = 0; i < STREAMS; i++)
        for (const op *o = queues[i].first; o; o = o->next)
            for (size_t k = 0; k < o->bytes / sizeof *o->arg; k++)
                found = found || (o->arg[k] >= lo && o->arg[k] < lo + bytes);
    pthread_mutex_unlock(&turn);
    return found;
}

void cuda_double_busy(void *stream, int by)
{
    if (by > 0)
        cuda_double_drain(stream);
    pthread_mutex_lock(&turn);
    queues[slot_of(stream)].busy += by;
    pthread_mutex_unlock(&turn);
}

/* -- the driver's functions ------------------------------------------------------------------------------------------------ */

enum { OK = 0, INVALID = 1, NO_MEMORY = 2, NOT_READY = 600 };

API int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    for (int i = 0; i < MADE; i++)
        if (!__atomic_exchange_n(&made[i], 1, __ATOMIC_SEQ_CST)) {
            *stream = &made[i];
            return OK;
        }
    return NO_MEMORY;
}

API int cuStreamDestroy_v2(void *stream)
{
    unsigned char *s = stream;
    if (s < made || s >= made + MADE)
        return INVALID;
    cuda_double_drain(stream);
    __atomic_store_n(s, 0, __ATOMIC_SEQ_CST);
    return OK;
}

API int cuStreamQuery(void *stream)
{
    cuda_double_place all;
    if (cuda_double_capturing(stream) && cuda_double_forbidden("cuStreamQuery"))
        return 900;
    cuda_double_record(&all, stream);
    return cuda_double_over(&all) ? cuda_double.lost_code : NOT_READY;
}

API int cuStreamSynchronize(void *stream)
{
    if (cuda_double_capturing(stream) && cuda_double_forbidden("cuStreamSynchronize"))
        return 900;
    if (cuda_double.lost_code)
        return cuda_double.lost_code;
    cuda_double_drain(stream);
    __atomic_add_fetch(&cuda_double.waits, 1, __ATOMIC_RELAXED);
    return cuda_double.lost_code;
}
