/* Sequences of launches that repeat, as CUDA graphs. The stream's capture records a sequence once; later it is launched as a whole, with
 * those arguments of its kernels that have changed. A call of a library whose arguments have changed needs a new capture.
 * Must not know: the work of a launch, StarPU, plans. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/array.h"
#include "runtime/base/buffer.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/base/held.h"
#include "runtime/base/threshold.h"

typedef struct {
    void *node; /* NULL: a call of a library */
    void *function;
    unsigned groups, block;
    int params;
    size_t at, bytes; /* of the arguments, in args */
} entry;

enum { ROOM_COUNT = 5 };
/* Bounds of memory that nobody counts: graphs of a bundle, for places that alternate (a loop over values in turns needs two to four), and
 * of a stream. Captures that no launch has repaid: so many of each graph that it is clear. */
enum { RECORDS = 8, GRAPHS = 256, UNPAID = ORR__CLEAR * RECORDS }; /* limit of memory */

struct orr__cu_record {
    orr__cu_record *next;
    void *exec, *graph; /* the nodes are those of `graph` */
    entry *entry;
    int n, entries;
    char *args;
    int used, size;
    char *key; /* the places, then the values */
    size_t places, values;
    orr__cu_address room[ROOM_COUNT]; /* of the stream: memory whose addresses are arguments, plans */
    bool calls;                       /* of libraries */
    int launches;
    uint64_t turn;
    /* the sequence that is under way */
    int at;
    bool captures, changed;
    const char *refused;
};

struct orr__cu_records {
    orr__cu_records *next;   /* of the kernel */
    orr__cu_records *beside; /* of all */
    orr__cu_stream_memory *memory;
    void *stream, *context;
    orr__cu_record *record;
    int runs, failures;
    int64_t hits, captures;
};

_Thread_local orr__cu_record *orr__cu_recorded;

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the lists; a record is used by its stream's thread alone */
static orr__cu_records *all;
static _Atomic uint64_t turns;
static atomic_bool warned;
static pthread_rwlock_t capturing = PTHREAD_RWLOCK_INITIALIZER; /* read: a capture is under way */

void orr__cu_captures_pause(void)
{
    (void)pthread_rwlock_wrlock(&capturing);
}

void orr__cu_captures_go_on(void)
{
    (void)pthread_rwlock_unlock(&capturing);
}

/* -- memory of records ----------------------------------------------------------------------------------------------- */

static size_t bytes_of(const orr__cu_record *r)
{
    return sizeof *r + (size_t)r->entries * sizeof *r->entry + (size_t)r->size + r->places + r->values;
}

/* d NULL: the context has ended, and has taken its graphs with it. */
static void drop_in(const orr__cu_driver *d, orr__cu_record *r)
{
    if (r->exec)
        orr__held_sub(ORR_MEMORY_LIBRARIES, bytes_of(r));
    if (r->exec && d)
        (void)d->graph_end(r->exec);
    if (r->graph && d)
        (void)d->graph_forget(r->graph);
    free(r->entry);
    free(r->args);
    free(r->key);
    free(r);
}

static void drop(orr__cu_record *r)
{
    drop_in(orr__cu(NULL), r);
}

/* In the lock. */
static void drop_all(orr__cu_records *s)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *before;
    bool there = s->record && d && d->push(s->context) == ORR__CU_OK;
    for (orr__cu_record *r = s->record, *next; r; r = next) {
        next = r->next;
        drop_in(there ? d : NULL, r);
    }
    if (there)
        (void)d->pop(&before);
    s->record = NULL;
    s->runs = s->failures = 0;
    s->hits = s->captures = 0;
}

void orr__cu_records_free(orr__cu_records *s)
{
    (void)pthread_mutex_lock(&lock);
    for (orr__cu_records *next; s; s = next) {
        orr__cu_records **at = &all;
        next = s->next;
        while (*at != s)
            at = &(*at)->beside;
        *at = s->beside;
        drop_all(s);
        free(s);
    }
    (void)pthread_mutex_unlock(&lock);
}

void orr__cu_records_stop(void)
{
    (void)pthread_mutex_lock(&lock);
    for (orr__cu_records *s = all; s; s = s->beside) {
        drop_all(s);
        s->memory = NULL;
    }
    (void)pthread_mutex_unlock(&lock);
}

/* The records of a kernel's sequence in the stream; NULL: no memory for them. */
static orr__cu_records *records_of(orr__cu_records **list, orr__cu_stream_memory *memory)
{
    (void)pthread_mutex_lock(&lock);
    orr__cu_records *s = *list;
    while (s && !(s->stream == memory->stream && s->context == memory->context))
        s = s->next;
    if (!s && (s = orr__alloc(sizeof *s)) != NULL) {
        s->stream = memory->stream;
        s->context = memory->context;
        s->next = *list;
        s->beside = all;
        *list = all = s;
    }
    if (s)
        s->memory = memory;
    (void)pthread_mutex_unlock(&lock);
    return s;
}

/* Drops the record of this stream that was launched longest ago, if the stream has its full number. */
static void make_room(const orr__cu_records *mine)
{
    orr__cu_record **oldest = NULL, *r = NULL;
    int n = 0;
    (void)pthread_mutex_lock(&lock);
    for (orr__cu_records *s = all; s; s = s->beside)
        for (orr__cu_record **at = &s->record; s->memory == mine->memory && *at; at = &(*at)->next, n++)
            if (!oldest || (*at)->turn < (*oldest)->turn)
                oldest = at;
    if (oldest && n >= GRAPHS) {
        r = *oldest;
        *oldest = r->next;
    }
    (void)pthread_mutex_unlock(&lock);
    if (r)
        drop(r);
}

/* -- the sequence under way -------------------------------------------------------------------------------------------- */

orr_status orr__cu_record_refuse(orr__site at, const char *why)
{
    if (!orr__cu_recorded)
        return ORR_OK;
    orr__cu_recorded->refused = why;
    return orr__fail(at, ORR_EDEVICE, "CUDA: %s cannot be part of a graph", why);
}

static entry *add(orr__cu_record *r, const void *args, size_t bytes)
{
    entry *e = orr__array_reserve(r->entry, &r->entries, r->n + 1, sizeof *e);
    r->entry = e ? e : r->entry;
    char *p = e ? orr__array_reserve(r->args, &r->size, r->used + (int)bytes, 1) : NULL;
    if (!p)
        return NULL;
    r->args = p;
    e = &r->entry[r->n++];
    *e = (entry){ .at = (size_t)r->used, .bytes = bytes };
    if (args)
        memcpy(p + e->at, args, bytes);
    r->used += (int)bytes;
    return e;
}

bool orr__cu_record_call(const void *arguments, size_t bytes)
{
    orr__cu_record *r = orr__cu_recorded;
    if (!r)
        return true;
    if (r->captures) {
        r->calls = true;
        r->changed = !add(r, arguments, bytes) || r->changed;
        return true;
    }
    const entry *e = r->at < r->n ? &r->entry[r->at++] : NULL;
    r->changed = r->changed || !e || e->node || e->bytes != bytes || memcmp(r->args + e->at, arguments, bytes) != 0;
    return false;
}

/* Arguments are addresses of 8 bytes, then the words. */
static void pack(char *to, void *const *param, int n, size_t words)
{
    for (int i = 0; i < n; i++)
        memcpy(to + (size_t)i * sizeof(orr__cu_address), param[i], i < n - 1 ? sizeof(orr__cu_address) : words);
}

static orr_status capture_kernel(orr__site at, orr__cu_record *r, const orr__cu_kernel *k, size_t bytes)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *const *last = NULL, **edges = NULL;
    uint64_t id;
    size_t n = 0;
    int status = 0, code = d->launch(k->function, k->groups, 1, 1, k->block, 1, 1, 0, k->stream, k->param, NULL);
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuLaunchKernel in a capture", code);
    code = d->capture_info(k->stream, &status, &id, NULL, &last, edges, &n);
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuStreamGetCaptureInfo", code);
    entry *e = add(r, NULL, bytes);
    r->changed = r->changed || !e || status != ORR__CU_CAPTURES || n != 1;
    if (!e || n != 1)
        return ORR_OK;
    e->node = last[0];
    e->function = k->function;
    e->groups = k->groups;
    e->block = k->block;
    e->params = k->params;
    pack(r->args + e->at, k->param, k->params, k->words);
    return ORR_OK;
}

/* Gives the node this launch's arguments, if they are others than before. */
static void renew_kernel(orr__cu_record *r, const orr__cu_kernel *k, size_t bytes)
{
    entry *e = r->at < r->n ? &r->entry[r->at++] : NULL;
    char few[2048], *args = e && e->bytes <= sizeof few ? few : NULL;
    if (r->changed || !args || !e->node || e->function != k->function || e->params != k->params || e->bytes != bytes) {
        r->changed = true;
        return;
    }
    pack(args, k->param, k->params, k->words);
    if (e->groups == k->groups && e->block == k->block && memcmp(args, r->args + e->at, bytes) == 0)
        return;
    const orr__cu_kernel_node to = {
        .function = k->function, .gx = k->groups, .gy = 1, .gz = 1, .bx = k->block, .by = 1, .bz = 1, .param = k->param
    };
    r->changed = orr__cu(NULL)->graph_set(r->exec, e->node, &to) != ORR__CU_OK;
    e->groups = k->groups;
    e->block = k->block;
    memcpy(r->args + e->at, args, bytes);
    atomic_fetch_add_explicit(&orr__device_did.renewed, 1, memory_order_relaxed);
}

orr_status orr__cu_record_kernel(orr__site at, const orr__cu_kernel *k)
{
    size_t bytes = (size_t)(k->params - 1) * sizeof(orr__cu_address) + k->words;
    if (orr__cu_recorded->captures)
        return capture_kernel(at, orr__cu_recorded, k, bytes);
    renew_kernel(orr__cu_recorded, k, bytes);
    return ORR_OK;
}

void orr__cu_record_launch(void)
{
    if (orr__cu_recorded && orr__cu_recorded->captures)
        orr__cu_recorded->launches++;
    else if (!orr__cu_recorded)
        atomic_fetch_add_explicit(&orr__device_did.launches, 1, memory_order_relaxed);
}

/* -- repetition ---------------------------------------------------------------------------------------------------- */

static void rooms(const orr__cu_stream_memory *m, orr__cu_address room[ROOM_COUNT])
{
    room[0] = m->scratch;
    room[1] = m->words;
    room[2] = m->workspace;
    room[3] = m->convolution;
    room[4] = m->transforms_ended;
}

static bool has_places(const orr__cu_record *r, const orr__sequence *s, const orr__cu_stream_memory *m)
{
    orr__cu_address now[ROOM_COUNT];
    rooms(m, now);
    return r->places == s->places && r->values == s->values && memcmp(r->room, now, sizeof now) == 0 &&
           memcmp(r->key, s->key, s->places) == 0;
}

/* A record of these places; else one whose kernels can all get others. */
static orr__cu_record *find(const orr__cu_records *set, const orr__sequence *s)
{
    orr__cu_record *other = NULL;
    for (orr__cu_record *r = set->record; r; r = r->next) {
        if (has_places(r, s, set->memory))
            return r;
        if (!r->calls && r->places == s->places && r->values == s->values)
            other = r;
    }
    return other;
}

static void name(orr__cu_record *r, const orr__sequence *s, const orr__cu_stream_memory *m)
{
    memcpy(r->key, s->key, s->places + s->values);
    rooms(m, r->room);
}

/* The sequence once more, under the eyes of a record. */
static orr_status follow(orr__cu_record *r, const orr__sequence *s)
{
    r->at = 0;
    r->changed = false;
    r->refused = NULL;
    orr__cu_recorded = r;
    orr_status st = s->each(s->arg);
    orr__cu_recorded = NULL;
    r->changed = r->changed || (!r->captures && r->at != r->n);
    return st;
}

static orr_status launch(orr__cu_records *set, orr__cu_record *r, const orr__sequence *s)
{
    int code = orr__cu(NULL)->graph_launch(r->exec, set->stream);
    r->turn = ++turns;
    set->failures += code != ORR__CU_OK;
    if (code != ORR__CU_OK)
        return orr__cu_fail(s->at, "cuGraphLaunch", code);
    atomic_fetch_add_explicit(&orr__device_did.launches, (uint64_t)r->launches, memory_order_relaxed);
    atomic_fetch_add_explicit(&orr__device_did.graphs, 1, memory_order_relaxed);
    return ORR_OK;
}

static orr__cu_record *make(const orr__sequence *s)
{
    orr__cu_record *r = orr__alloc(sizeof *r);
    if (r && !(r->key = malloc(s->places + s->values + 1))) {
        free(r);
        r = NULL;
    }
    if (r) {
        r->places = s->places;
        r->values = s->values;
        r->captures = true;
    }
    return r;
}

/* Launches into a capture of the stream, which ends it in any case. */
static orr_status record(orr__cu_records *set, orr__cu_record *r, const orr__sequence *s)
{
    const orr__cu_driver *d = orr__cu(NULL);
    orr_status st = ORR_OK;
    (void)pthread_rwlock_rdlock(&capturing);
    int code = d->capture_begin(set->stream, ORR__CU_CAPTURE_OF_THREAD);
    bool begun = code == ORR__CU_OK;
    if (begun) {
        st = follow(r, s);
        code = d->capture_end(set->stream, &r->graph);
    }
    (void)pthread_rwlock_unlock(&capturing);
    if (!begun)
        return orr__cu_fail(s->at, "cuStreamBeginCapture", code);
    if (code != ORR__CU_OK) {
        r->graph = NULL;
        return st == ORR_OK ? orr__cu_fail(s->at, "cuStreamEndCapture", code) : st;
    }
    return st == ORR_OK && (r->changed || !r->graph)
               ? orr__fail(s->at, ORR_EDEVICE, "CUDA: a graph has no chain of nodes")
               : st;
}

static bool alike(const orr__cu_record *a, const orr__cu_record *b)
{
    for (int i = 0; i < a->n && a->n == b->n; i++)
        if (!a->entry[i].node != !b->entry[i].node)
            return false;
    return a->n == b->n;
}

/* The new record takes the old one's executable graph, which the driver changes, or gets one of its own. */
static orr_status realise(orr__site at, orr__cu_record *r, orr__cu_record *old)
{
    const orr__cu_driver *d = orr__cu(NULL);
    orr__cu_graph_update result;
    if (old && old->exec && alike(old, r) && d->graph_update(old->exec, r->graph, &result) == ORR__CU_OK) {
        orr__held_sub(ORR_MEMORY_LIBRARIES, bytes_of(old));
        (void)d->graph_forget(r->graph);
        r->graph = old->graph;
        r->exec = old->exec;
        old->graph = old->exec = NULL;
        for (int i = 0; i < r->n; i++)
            r->entry[i].node = old->entry[i].node;
    } else {
        int code = d->graph_make(&r->exec, r->graph, 0);
        if (code != ORR__CU_OK) {
            r->exec = NULL;
            return orr__cu_fail(at, "cuGraphInstantiateWithFlags", code);
        }
    }
    orr__held_add(ORR_MEMORY_LIBRARIES, bytes_of(r));
    return ORR_OK;
}

/* Takes the record out of the list: this one, or NULL: the one that was launched longest ago, if there are as many as there may be. */
static orr__cu_record *take(orr__cu_records *set, const orr__cu_record *this)
{
    orr__cu_record **at = NULL;
    int n = 0;
    (void)pthread_mutex_lock(&lock);
    for (orr__cu_record **p = &set->record; *p; p = &(*p)->next, n++)
        if (this ? *p == this : !at || (*p)->turn < (*at)->turn)
            at = p;
    orr__cu_record *r = at && (this || n >= RECORDS) ? *at : NULL;
    if (r)
        *at = r->next;
    (void)pthread_mutex_unlock(&lock);
    return r;
}

/* Captures the sequence and launches the graph. An error: nothing was launched. */
static orr_status capture(orr__cu_records *set, orr__cu_record *old, const orr__sequence *s)
{
    double t0 = orr__now();
    make_room(set);
    orr__cu_record *r = make(s);
    old = take(set, old);
    set->captures++;
    orr_status st = r ? record(set, r, s) : ORR_ENOMEM;
    if (st == ORR_OK)
        st = realise(s->at, r, old);
    const char *why = st == ORR_OK || !r ? NULL : r->refused;
    if (old)
        drop(old);
    if (st != ORR_OK) {
        set->failures++;
        orr__log(why || atomic_exchange(&warned, true) ? 3 : 1, "%s: launched without a graph: %s",
                 s->at.op ? s->at.op : "a bundle", orr_error_message());
        if (r)
            drop(r);
        return st;
    }
    name(r, s, set->memory);
    r->captures = false;
    (void)pthread_mutex_lock(&lock);
    r->next = set->record;
    set->record = r;
    (void)pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&orr__device_did.captures, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&orr__device_did.capture_ns, (uint64_t)((orr__now() - t0) * 1e9), memory_order_relaxed);
    return launch(set, r, s);
}

static bool may_record(orr__cu_records *set)
{
    const orr__cu_driver *d = orr__cu(NULL);
    return d->capture_begin && d->capture_end && d->capture_info && d->graph_make && d->graph_update && d->graph_set &&
           d->graph_launch && d->graph_end && d->graph_forget && set->failures < ORR__T_SETTLED &&
           set->captures < UNPAID + set->hits && set->runs >= ORR__CLEAR;
}

orr_status orr__cu_repeat(orr__cu_records **list, const orr__sequence *s)
{
    orr__cu_stream_memory *memory = NULL;
    orr_status st = orr__env.cuda_graphs ? orr__cu_stream_memory_of(s->at, s->queue, &memory) : ORR_OK;
    orr__cu_records *set = memory ? records_of(list, memory) : NULL;
    if (st != ORR_OK)
        return st;
    if (!set || !may_record(set)) {
        if (set && set->runs < ORR__CLEAR)
            set->runs++;
        return s->each(s->arg);
    }
    orr__cu_record *r = find(set, s);
    bool same = r && has_places(r, s, memory);
    if (same && memcmp(r->key + s->places, (const char *)s->key + s->places, s->values) == 0) {
        set->hits++;
        return launch(set, r, s);
    }
    if (r && (st = follow(r, s)) == ORR_OK && !r->changed) {
        name(r, s, memory);
        set->hits++;
        return launch(set, r, s);
    }
    if (st == ORR_OK && capture(set, r, s) == ORR_OK)
        return ORR_OK;
    if (r && st != ORR_OK && (r = take(set, r)) != NULL) /* some of its arguments may be new */
        drop(r);
    orr_error_clear();
    return s->each(s->arg);
}
