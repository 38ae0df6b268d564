/* Exchanges of arrays among the ranks of a group: one thread starts them in the order of posting and drives their progress.
 * Must not know: what the arrays are; when a rank counts as dead. */
#include "config.h"
#include "runtime/ranks/exchange.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "runtime/base/clock.h"
#include "runtime/base/dtype.h"
#include "runtime/base/exit.h"
#include "runtime/base/pool.h"
#include "runtime/base/trace.h"
#include "runtime/ranks/reduce.h"
#include "runtime/ranks/thread.h"

/* A reduction has two rounds. In the first, every rank receives its part of the array from all others and reduces it. In the second, it
 * sends the result to all. Both rounds transfer the fewest bytes possible for a reduction. A short array is sent whole to all ranks, in
 * one round. Each round has a channel of its own. Within a channel, messages start in the order of the exchanges, which is the order of
 * posting, so the messages of two ranks match without numbers. */
enum { SHORT = 8192 /* bytes */ };
/* A long reduction is cut into pieces, each of them an exchange, several at a time: while one piece is reduced, the next one is
 * transferred, and a received piece is still in the cache when it is reduced. */
enum { PIECE = 4 << 20 /* bytes */, WINDOW = 4 /* exchanges under way */ };

#define PATIENCE 3.0 /* seconds without a message before the ranks that have left are checked */

typedef struct whole {
    orr__exchange x;
    int left; /* pieces that have not ended */
    double t0;
    orr_status status;
    char text[256];
} whole;

typedef struct live {
    struct live *next;
    orr__exchange x;
    whole *whole; /* the long reduction of which this is a piece; NULL: none */
    int64_t *part;
    orr__request *request; /* of the current round */
    int requests, room, open;
    char *scratch;
    size_t scratch_bytes, scratch_cap;
    int round; /* 0: posted, 1, 2 */
    bool done; /* the messages of this round have arrived */
    double t0;
    orr_status status;
    char text[256];
} live;

static struct {
    const orr__transport *transport;
    orr__thread thread;
    live *posted, **posted_end;
    atomic_bool failed;
    atomic_int open;                      /* exchanges posted and not ended */
    atomic_bool *left;                    /* by rank: the rank has left                    */
    const orr__device_exchanges *devices; /* NULL: devices carry no exchanges */
    live *active, **active_end;           /* of the thread only, in the order of posting */
    int under_way;
} line = { .thread = ORR__THREAD_INITIALIZER };

static const char *name_of(const orr__exchange *x)
{
    static const char *const name[] = { "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast" };
    return x->name ? x->name : name[x->kind];
}

static bool reduces(const orr__exchange *x)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_REDUCE_SCATTER;
}

static int64_t size_of(const orr__exchange *x)
{
    return (int64_t)orr__dtype_size(x->dtype);
}

static bool is_short(const orr__exchange *x)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE && x->count * size_of(x) <= SHORT;
}

/* The first element of part k of an ALL_REDUCE: the parts are equal up to one element. */
static int64_t share(const orr__exchange *x, int k)
{
    return x->count / x->group->ranks * k + (x->count % x->group->ranks < k ? x->count % x->group->ranks : k);
}

static int64_t part_count(const orr__exchange *x, int k)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE  ? share(x, k + 1) - share(x, k)
           : x->kind == ORR__EXCHANGE_BROADCAST ? x->count
                                                : x->part[k];
}

static int64_t offset(const int64_t *counts, int k)
{
    int64_t sum = 0;
    for (int i = 0; i < k; i++)
        sum += counts[i];
    return sum;
}

static int64_t part_at(const orr__exchange *x, int k)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE ? share(x, k) : offset(x->part, k);
}

int64_t orr__exchange_bytes(const orr__exchange *x)
{
    const orr__group *g = x->group;
    int64_t own = x->kind == ORR__EXCHANGE_BROADCAST ? x->count : part_count(x, g->self), sum = 0;
    for (int k = 0; k < g->ranks; k++)
        sum += k == g->self ? 0 : part_count(x, k);
    int64_t others = g->ranks - 1;
    switch (x->kind) {
    case ORR__EXCHANGE_ALL_REDUCE: return (is_short(x) ? others * x->count : sum + others * own) * size_of(x);
    case ORR__EXCHANGE_ALL_GATHER: return others * own * size_of(x);
    case ORR__EXCHANGE_BROADCAST: return g->self == x->root ? others * own * size_of(x) : 0;
    default: return sum * size_of(x);
    }
}

static void spoil(live *l, orr_status st, const char *text)
{
    if (l->status != ORR_OK)
        return;
    l->status = st;
    (void)snprintf(l->text, sizeof l->text, "%s", text);
}

static orr__request *next_request(live *l)
{
    if (l->requests == l->room) {
        int room = l->room ? 2 * l->room : 8;
        orr__request *more = realloc(l->request, (size_t)room * sizeof *more);
        if (!more) {
            spoil(l, ORR_ENOMEM, "no memory for the messages of an exchange");
            return NULL;
        }
        l->request = more;
        l->room = room;
    }
    return &l->request[l->requests];
}

/* Sends or receives an array in messages of at most ORR__MESSAGE_MAX bytes. */
static void message(live *l, bool out, const void *p, int64_t elements, int with)
{
    int64_t bytes = elements * size_of(&l->x);
    int rank = l->x.group->rank[with];
    orr__channel channel = l->round == 1 ? ORR__CHANNEL_FIRST : ORR__CHANNEL_SECOND;
    for (int64_t at = 0; at < bytes && l->status == ORR_OK; at += ORR__MESSAGE_MAX) {
        int n = (int)(bytes - at < ORR__MESSAGE_MAX ? bytes - at : ORR__MESSAGE_MAX);
        orr__request *r = next_request(l);
        if (!r)
            return;
        const char *error = out ? line.transport->send((const char *)p + at, n, rank, channel, r)
                                : line.transport->receive((char *)p + at, n, rank, channel, r);
        if (error)
            spoil(l, ORR_ERANK, error);
        else
            l->requests++;
    }
}

static char *element(const live *l, const void *p, int64_t i)
{
    return (char *)p + i * size_of(&l->x);
}

/* The contribution of peer k to a reduction, in the scratch memory. */
static char *slot(const live *l, int k, int64_t elements)
{
    int self = l->x.group->self;
    return l->scratch + (k < self ? k : k - 1) * elements * size_of(&l->x);
}

static bool get_scratch(live *l, int64_t elements)
{
    l->scratch_bytes = (size_t)((l->x.group->ranks - 1) * elements * size_of(&l->x));
    if (l->scratch_bytes && !(l->scratch = orr__pool_get(l->scratch_bytes, &l->scratch_cap))) {
        spoil(l, ORR_ENOMEM, orr_error_message());
        orr_error_clear();
    }
    return l->status == ORR_OK;
}

static void first_round_of_reduction(live *l)
{
    const orr__exchange *x = &l->x;
    const orr__group *g = x->group;
    int64_t own = is_short(x) ? x->count : part_count(x, g->self);
    if (!get_scratch(l, own))
        return;
    /* Every rank begins with its successor, so that not all send to the same rank. */
    for (int i = 1; i < g->ranks; i++) {
        int from = (g->self + g->ranks - i) % g->ranks;
        message(l, false, slot(l, from, own), own, from);
    }
    for (int i = 1; i < g->ranks; i++) {
        int to = (g->self + i) % g->ranks;
        if (is_short(x))
            message(l, true, x->in, own, to);
        else
            message(l, true, element(l, x->in, part_at(x, to)), part_count(x, to), to);
    }
}

static void reduce_own(live *l)
{
    const orr__exchange *x = &l->x;
    const orr__group *g = x->group;
    int64_t own = is_short(x) ? x->count : part_count(x, g->self);
    int64_t at = is_short(x) ? 0 : part_at(x, g->self);
    const void **in = calloc((size_t)g->ranks, sizeof *in);
    if (!in) {
        spoil(l, ORR_ENOMEM, "no memory for a reduction over ranks");
        return;
    }
    for (int k = 0; k < g->ranks; k++)
        in[k] = k == g->self ? element(l, x->in, at) : slot(l, k, own);
    void *out = x->kind == ORR__EXCHANGE_ALL_REDUCE ? element(l, x->out, at) : x->out;
    orr__reduce(x->dtype, x->reduction, in, g->ranks, own, out);
    free(in);
}

/* Sends each rank's part to all: the second round of an ALL_REDUCE (the part is in `out`), the only round of an ALL_GATHER. */
static void spread(live *l, const void *own)
{
    const orr__exchange *x = &l->x;
    const orr__group *g = x->group;
    for (int i = 1; i < g->ranks; i++) {
        int from = (g->self + g->ranks - i) % g->ranks;
        message(l, false, element(l, x->out, part_at(x, from)), part_count(x, from), from);
    }
    for (int i = 1; i < g->ranks; i++)
        message(l, true, own, part_count(x, g->self), (g->self + i) % g->ranks);
}

static void copy(const live *l, void *to, const void *from, int64_t elements)
{
    if (elements > 0 && to != from)
        memmove(to, from, (size_t)(elements * size_of(&l->x)));
}

static void begin(live *l)
{
    const orr__exchange *x = &l->x;
    const orr__group *g = x->group;
    l->round = 1;
    l->t0 = orr__now();
    switch (x->kind) {
    case ORR__EXCHANGE_ALL_REDUCE:
    case ORR__EXCHANGE_REDUCE_SCATTER: first_round_of_reduction(l); break;
    case ORR__EXCHANGE_ALL_GATHER:
        copy(l, element(l, x->out, part_at(x, g->self)), x->in, part_count(x, g->self));
        spread(l, x->in);
        break;
    case ORR__EXCHANGE_ALL_TO_ALL:
        copy(l, element(l, x->out, offset(x->from, g->self)), element(l, x->in, offset(x->part, g->self)),
             x->part[g->self]);
        for (int i = 1; i < g->ranks; i++) {
            int from = (g->self + g->ranks - i) % g->ranks;
            message(l, false, element(l, x->out, offset(x->from, from)), x->from[from], from);
        }
        for (int i = 1; i < g->ranks; i++) {
            int to = (g->self + i) % g->ranks;
            message(l, true, element(l, x->in, offset(x->part, to)), x->part[to], to);
        }
        break;
    case ORR__EXCHANGE_BROADCAST:
        if (g->self != x->root)
            message(l, false, x->out, x->count, x->root);
        else {
            copy(l, x->out, x->in, x->count);
            for (int i = 1; i < g->ranks; i++)
                message(l, true, x->in, x->count, (g->self + i) % g->ranks);
        }
        break;
    }
    l->open = l->requests;
}

static bool has_second_round(const orr__exchange *x)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE && !is_short(x);
}

static void begin_second(live *l)
{
    l->round = 2;
    l->done = false;
    l->requests = 0;
    spread(l, element(l, l->x.out, part_at(&l->x, l->x.group->self)));
    l->open = l->requests;
}

void orr__exchange_trace(const orr__exchange *x, double t0)
{
    if (!orr__tracing())
        return;
    const orr__trace_arg arg[] = { { "bytes", NULL, (double)orr__exchange_bytes(x) },
                                   { "ranks", NULL, (double)x->group->ranks } };
    orr__trace_span("exchange", name_of(x), (orr__trace_at){ NULL, 0, ORR__TRACE_SELF, t0, orr__now() }, arg, 2);
}

static void end(const orr__exchange *x, double t0, orr_status st, const char *text)
{
    orr__exchange_trace(x, t0);
    x->done(x->argument, st, st == ORR_OK ? NULL : text);
}

static void end_piece(const live *l)
{
    whole *w = l->whole;
    if (w->status == ORR_OK && l->status != ORR_OK) {
        w->status = l->status;
        memcpy(w->text, l->text, sizeof w->text);
    }
    w->t0 = w->t0 == 0 ? l->t0 : w->t0;
    if (--w->left == 0) {
        end(&w->x, w->t0, w->status, w->text);
        free(w);
    }
}

static void finish(live *l)
{
    atomic_fetch_sub(&line.open, 1);
    if (l->scratch)
        orr__pool_put(l->scratch, l->scratch_bytes, l->scratch_cap);
    if (l->whole)
        end_piece(l);
    else
        end(&l->x, l->t0, l->status, l->text);
    free(l->request);
    free(l->part);
    free(l);
}

/* Tests the messages of a round; true: progress, as some have ended. */
static bool test(live *l)
{
    bool moved = false;
    for (int i = 0; i < l->requests && l->open;) {
        bool done = false;
        const char *error = line.transport->test(&l->request[i], &done);
        if (error) {
            spoil(l, ORR_ERANK, error);
            done = true;
        }
        if (!done) {
            i++;
            continue;
        }
        l->request[i] = l->request[--l->requests];
        l->open = l->requests;
        moved = true;
    }
    if (!l->done && !l->open) {
        l->done = true;
        moved = true;
        if (l->status == ORR_OK && l->round == 1 && reduces(&l->x))
            reduce_own(l);
    }
    return moved;
}

/* After a failure, messages that may never arrive are cancelled. A receive that has begun writes to memory and is waited for; an array
 * that is sent is only read. */
static void give_up(live *l, const char *text)
{
    spoil(l, ORR_ERANK, text);
    for (int i = 0; i < l->requests; i++)
        line.transport->cancel(&l->request[i]);
    double until = orr__now() + 1;
    while (l->open && orr__now() < until) {
        (void)test(l);
        (void)sched_yield();
    }
}

/* Drives the progress of all exchanges. The second round of an exchange starts after those of all earlier exchanges. */
static bool move(void)
{
    bool moved = false, second_may_start = true;
    char text[256];
    bool failed = atomic_load(&line.failed) && orr__ranks_failed(text, sizeof text) != ORR_OK;
    for (live **p = &line.active; *p;) {
        live *l = *p;
        if (failed || l->status != ORR_OK)
            give_up(l, failed ? text : l->text);
        else
            moved = (!l->done && test(l)) || moved;
        bool two = has_second_round(&l->x);
        if (l->status == ORR_OK && l->done && l->round == 1 && two && second_may_start) {
            begin_second(l);
            moved = true;
        }
        if (two && l->round < 2)
            second_may_start = false;
        if (l->status == ORR_OK && (!l->done || (two && l->round < 2))) {
            p = &l->next;
            continue;
        }
        *p = l->next;
        if (!*p)
            line.active_end = p;
        line.under_way--;
        if (l->status != ORR_OK && !failed)
            orr__ranks_fail(l->text);
        finish(l);
        moved = true;
    }
    return moved;
}

/* Starts posted exchanges, up to the window; waits only if no exchange is under way. All ranks start exchanges in the same order, so the
 * first unfinished one is under way on every rank. false: the thread ends. */
static bool take_posted(bool *any)
{
    *any = false;
    pthread_mutex_lock(&line.thread.lock);
    while (!line.posted && !line.active && !line.thread.ending)
        pthread_cond_wait(&line.thread.wake, &line.thread.lock);
    bool go_on = line.posted || line.active || !line.thread.ending;
    while (line.posted && line.under_way < WINDOW) {
        live *l = line.posted;
        line.posted = l->next;
        if (!line.posted)
            line.posted_end = &line.posted;
        pthread_mutex_unlock(&line.thread.lock);
        l->next = NULL;
        *line.active_end = l;
        line.active_end = &l->next;
        line.under_way++;
        *any = true;
        /* After a failure nothing more is sent: other ranks would match it with an earlier exchange. */
        orr__work_begins(ORR__WORK_DEVICE);
        if (!atomic_load(&line.failed))
            begin(l);
        orr__work_ends(ORR__WORK_DEVICE);
        pthread_mutex_lock(&line.thread.lock);
    }
    pthread_mutex_unlock(&line.thread.lock);
    return go_on;
}

/* Without progress for long, an exchange with a rank that has left waits in vain. All earlier messages of that rank have arrived by now. */
static void give_up_on_left(void)
{
    for (live *l = line.active; l && line.left; l = l->next)
        for (int k = 0; k < l->x.group->ranks; k++) {
            int rank = l->x.group->rank[k];
            if (l->status != ORR_OK || !atomic_load(&line.left[rank]))
                continue;
            l->status = ORR_ERANK;
            (void)snprintf(
                l->text, sizeof l->text,
                "%s is in orr_shutdown, and another rank waits for it: all ranks must make the same calls on "
                "distributed tensors before orr_shutdown",
                orr__rank_name(rank));
        }
}

/* Messages make progress only inside calls of MPI. Shortly after an event the thread polls without sleeping; later it sleeps between
 * polls. */
static void *serve(void *unused)
{
    (void)unused;
    double last = orr__now();
    for (bool any; take_posted(&any);) {
        orr__work_begins(ORR__WORK_DEVICE); /* MPI was opened at run time */
        bool moved = move();
        orr__work_ends(ORR__WORK_DEVICE);
        if (moved || any)
            last = orr__now();
        else if (orr__now() - last < 500e-6)
            (void)sched_yield();
        else {
            double idle = orr__now() - last;
            if (idle > PATIENCE)
                give_up_on_left();
            struct timespec nap = { 0, idle < 10e-3 ? 20000 : idle < 1 ? 100000 : 1000000 };
            (void)nanosleep(&nap, NULL);
        }
    }
    return NULL;
}

orr_status orr__exchanges_start(const orr__transport *transport)
{
    line.transport = transport;
    line.posted = line.active = NULL;
    line.posted_end = &line.posted;
    line.active_end = &line.active;
    line.under_way = 0;
    atomic_store(&line.failed, false);
    atomic_store(&line.open, 0);
    free(line.left);
    line.left = calloc((size_t)orr__group_all()->ranks, sizeof *line.left);
    if (!line.left)
        return orr__fail(ORR__SITE(NULL, 0, "init"), ORR_ENOMEM, "no memory for exchanges between ranks");
    return orr__thread_start(&line.thread, serve)
               ? ORR_OK
               : orr__fail(ORR__SITE(NULL, 0, "init"), ORR_ENOMEM, "no thread for exchanges between ranks");
}

void orr__exchanges_stop(void)
{
    if (!line.thread.running)
        return;
    if (line.devices)
        line.devices->stop();
    line.devices = NULL;
    orr__thread_stop(&line.thread);
}

void orr__exchanges_drain(void)
{
    struct timespec nap = { 0, 200000 };
    while (atomic_load(&line.open) > 0)
        (void)nanosleep(&nap, NULL);
}

void orr__exchanges_left(int rank)
{
    atomic_store(&line.left[rank], true);
}

void orr__exchanges_fail(void)
{
    atomic_store(&line.failed, true);
}

void orr__exchanges_on_devices(const orr__device_exchanges *d)
{
    line.devices = d;
}

bool orr__exchange_on_devices(const orr__exchange *x)
{
    return x->values && line.devices && line.devices->takes(x);
}

/* An exchange in a group of one: a copy. */
static void alone(const orr__exchange *x)
{
    const void *in = x->in;
    int64_t n = x->kind == ORR__EXCHANGE_ALL_REDUCE || x->kind == ORR__EXCHANGE_BROADCAST ? x->count : x->part[0];
    if (n > 0 && in != x->out)
        memmove(x->out, in, (size_t)(n * size_of(x)));
    x->done(x->argument, ORR_OK, NULL);
}

static live *copy_of(const orr__exchange *x)
{
    live *l = calloc(1, sizeof *l);
    size_t n = (size_t)x->group->ranks;
    int64_t *counts = l && (x->part || x->from) ? calloc(2 * n, sizeof *counts) : NULL;
    if (!l || ((x->part || x->from) && !counts)) {
        free(l);
        return NULL;
    }
    l->x = *x;
    l->part = counts;
    if (x->part)
        l->x.part = memcpy(counts, x->part, n * sizeof *counts);
    if (x->from)
        l->x.from = memcpy(counts + n, x->from, n * sizeof *counts);
    return l;
}

/* The pieces of a long reduction as a list; NULL: no memory. */
static live *cut(const orr__exchange *x)
{
    int64_t length = PIECE / size_of(x), pieces = (x->count + length - 1) / length;
    whole *w = calloc(1, sizeof *w);
    live *first = NULL, **end_of_list = &first;
    for (int64_t i = 0; w && i < pieces; i++) {
        orr__exchange piece = *x;
        piece.in = (const char *)x->in + i * length * size_of(x);
        piece.out = (char *)x->out + i * length * size_of(x);
        piece.count = x->count - i * length < length ? x->count - i * length : length;
        live *l = copy_of(&piece);
        if (!l)
            break;
        l->whole = w;
        *end_of_list = l;
        end_of_list = &l->next;
        w->left++;
    }
    if (w && w->left == pieces) {
        w->x = *x;
        return first;
    }
    while (first) {
        live *next = first->next;
        free(first);
        first = next;
    }
    free(w);
    return NULL;
}

static bool is_long(const orr__exchange *x)
{
    return x->kind == ORR__EXCHANGE_ALL_REDUCE && x->count * size_of(x) >= 2 * (int64_t)PIECE;
}

void orr__exchange_post(const orr__exchange *x)
{
    if (orr__exchange_on_devices(x)) {
        line.devices->post(x);
        return;
    }
    if (x->group->ranks == 1) {
        alone(x);
        return;
    }
    live *l = !line.thread.running ? NULL : is_long(x) ? cut(x) : copy_of(x);
    if (!l) {
        static const char *const text =
            "an exchange between ranks cannot be posted: no memory, or Orrery is not running";
        orr__ranks_fail(text);
        x->done(x->argument, ORR_ENOMEM, text);
        return;
    }
    pthread_mutex_lock(&line.thread.lock);
    *line.posted_end = l;
    atomic_fetch_add(&line.open, 1);
    for (; l->next; l = l->next)
        atomic_fetch_add(&line.open, 1);
    line.posted_end = &l->next;
    pthread_cond_signal(&line.thread.wake);
    pthread_mutex_unlock(&line.thread.lock);
}

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    bool done;
    orr_status status;
    char text[256];
} waiter;

static void wake(void *argument, orr_status st, const char *text)
{
    waiter *w = argument;
    pthread_mutex_lock(&w->lock);
    w->done = true;
    w->status = st;
    (void)snprintf(w->text, sizeof w->text, "%s", text ? text : "");
    pthread_cond_signal(&w->cond);
    pthread_mutex_unlock(&w->lock);
}

orr_status orr__exchange_wait(orr__site at, const orr__exchange *x)
{
    waiter w = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
    orr__exchange mine = *x;
    mine.done = wake;
    mine.argument = &w;
    orr__exchange_post(&mine);
    pthread_mutex_lock(&w.lock);
    while (!w.done)
        pthread_cond_wait(&w.cond, &w.lock);
    pthread_mutex_unlock(&w.lock);
    pthread_mutex_destroy(&w.lock);
    pthread_cond_destroy(&w.cond);
    return w.status == ORR_OK ? ORR_OK : orr__fail(at, w.status, "%s", w.text);
}
