/* Exchanges of arrays among the ranks of a group: one thread at a time starts them in the order of posting and drives their progress.
 * Must not know: what the arrays are; how an algorithm works; when a rank counts as dead. */
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
#include "runtime/base/threshold.h"
#include "runtime/base/trace.h"
#include "runtime/ranks/rates.h"
#include "runtime/ranks/reduce.h"
#include "runtime/ranks/reserve.h"
#include "runtime/ranks/schedule.h"
#include "runtime/ranks/thread.h"
#include "runtime/ranks/watch.h"

/* A long reduction is cut into pieces, each of them an exchange, several at a time: while one piece is reduced, the next one is
 * transferred, and a received piece is still in the cache when it is reduced. */
enum { PIECE = 4 * ORR__T_CORE_CACHES /* bytes, at least */, WINDOW = 4 /* exchanges under way */ };

#define YIELDS 5e-3  /* limit of patience: seconds: a rank that shares its core may wait so long for a slice of it */
#define PATIENCE 3.0 /* seconds without a message before the ranks that have left are checked */
enum { POLLS = 16 }; /* limit of patience: in the time in which a message that is under way arrives */

typedef struct whole {
    orr__exchange x;
    int left; /* pieces that have not ended */
    int64_t sent;
    double t0;
    orr_status status;
    char text[256];
} whole;

enum {
    FEW = 8,                       /* requests without memory of their own */
    NEAR = ORR__T_FIRST_CACHE / 2, /* bytes of contributions and partial results that a spare exchange keeps */
};
typedef struct live {
    struct live *next;
    orr__exchange x;
    whole *whole;           /* the long reduction of which this is a piece; NULL: none */
    orr__schedule schedule; /* n = 0: not made yet */
    int at;                 /* the next action */
    int ranks, self;        /* of the group */
    unsigned number;        /* in the order of beginning */
    orr__channel *channel;  /* of the messages with each place of the group */
    orr__request *request;  /* under way */
    orr__request few[FEW];
    int requests, room;
    char *near, *memory, *peers, *work; /* near: up to NEAR bytes; peers, work: in near or in memory */
    size_t bytes, cap;
    int64_t sent;
    double t0;
    orr_status status;
    char text[256];
} live;

/* Exchanges that have ended, with their schedules: a program repeats the same exchanges. */
enum { SPARES = 16 };

static struct {
    const orr__transport *transport;
    orr__thread thread;
    bool running;
    orr__callers callers;
    pthread_t main;       /* the only caller of MPI with ORR__CALLERS_MAIN */
    pthread_mutex_t turn; /* held by a caller of MPI unless there may be several */
    live *posted, **posted_end;
    atomic_bool failed;
    atomic_bool driving;                  /* a thread drives: the line's own or one that waits for its exchange */
    atomic_int open;                      /* exchanges posted and not ended */
    atomic_int waiting;                   /* exchanges posted and not begun */
    atomic_uint_least64_t values;         /* exchanges of values posted since the start */
    live *_Atomic spare[SPARES];          /* by spare_of */
    atomic_bool *left;                    /* by rank: the rank has left                    */
    const orr__device_exchanges *devices; /* NULL: devices carry no exchanges */
    /* Of the thread that drives only: */
    live *active, **active_end; /* in the order of posting */
    int under_way;
    unsigned begun;
    unsigned *with; /* by rank: exchanges begun with it */
    int *place;     /* memory for a layout */
    /* Constant between start and stop: */
    orr__rates rates;
    void *measuring; /* memory for the measurement of messages, until the start */
    int *node;       /* by rank; NULL: all on one */
} line = { .thread = ORR__THREAD_INITIALIZER, .turn = PTHREAD_MUTEX_INITIALIZER };

static const char *name_of(const orr__exchange *x)
{
    static const char *const name[] = { "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast" };
    return x->name ? x->name : name[x->kind];
}

static int64_t size_of(const orr__exchange *x)
{
    return (int64_t)orr__dtype_size(x->dtype);
}

static int64_t sum_of(const int64_t *count, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += count[i];
    return sum;
}

/* The least number that any algorithm sends. */
int64_t orr__exchange_bytes(const orr__exchange *x)
{
    const orr__group *g = x->group;
    int64_t others = g->ranks - 1, size = size_of(x);
    switch (x->kind) {
    case ORR__EXCHANGE_ALL_REDUCE: return 2 * others * (x->count / g->ranks) * size;
    case ORR__EXCHANGE_ALL_GATHER: return others * x->part[g->self] * size;
    case ORR__EXCHANGE_BROADCAST: return g->self == x->root ? x->count * size : 0;
    default: return (sum_of(x->part, g->ranks) - x->part[g->self]) * size;
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
        int room = 2 * l->room;
        orr__request *had = l->request == l->few ? NULL : l->request,
                     *more = orr__reserve_realloc(had, (size_t)room * sizeof *more);
        if (!more) {
            spoil(l, ORR_ENOMEM, "no memory for the messages of an exchange");
            return NULL;
        }
        if (!had)
            memcpy(more, l->few, sizeof l->few);
        l->request = more;
        l->room = room;
    }
    return &l->request[l->requests];
}

/* -- one exchange -------------------------------------------------------------------------------------------- */

static bool is_wide(const live *l, orr__array array)
{
    return l->schedule.wide && (array == ORR__ARRAY_WORK || array == ORR__ARRAY_PEERS);
}

static int64_t size_in(const live *l, orr__array array)
{
    return is_wide(l, array) ? (int64_t)sizeof(float) : size_of(&l->x);
}

static char *address(const live *l, orr__place p)
{
    char *of = p.array == ORR__ARRAY_IN     ? (char *)l->x.in
               : p.array == ORR__ARRAY_OUT  ? l->x.out
               : p.array == ORR__ARRAY_WORK ? l->work
                                            : l->peers;
    return of + p.at * size_in(l, p.array);
}

/* Sends or receives an array in messages of at most ORR__MESSAGE_MAX bytes. */
static void message(live *l, const orr__action *a)
{
    int64_t bytes = a->count * size_in(l, a->place.array);
    int rank = l->x.group->rank[a->peer];
    char *p = address(l, a->place);
    bool out = a->act == ORR__ACT_SEND;
    for (int64_t at = 0; at < bytes && l->status == ORR_OK; at += ORR__MESSAGE_MAX) {
        int n = (int)(bytes - at < ORR__MESSAGE_MAX ? bytes - at : ORR__MESSAGE_MAX);
        orr__request *r = next_request(l);
        if (!r)
            return;
        const char *error = out ? line.transport->send(p + at, n, rank, l->channel[a->peer], r)
                                : line.transport->receive(p + at, n, rank, l->channel[a->peer], r);
        if (error)
            spoil(l, ORR_ERANK, error);
        else
            l->requests++;
    }
    l->sent += out ? bytes : 0;
}

static void fold(live *l, const orr__action *a)
{
    const void *few[2], **in = a->operands <= 2 ? few : orr__reserve_alloc((size_t)a->operands, sizeof *in);
    if (!in) {
        spoil(l, ORR_ENOMEM, "no memory for a reduction over ranks");
        return;
    }
    for (int k = 0, other = 0; k < a->operands; k++)
        in[k] = address(l, k == a->peer ? a->from : (orr__place){ ORR__ARRAY_PEERS, a->other + a->count * other++ });
    orr__reduce(is_wide(l, ORR__ARRAY_PEERS) ? ORR_F32 : l->x.dtype, l->x.reduction, in, a->operands, a->count,
                address(l, a->place));
    if (in != few)
        free(in);
}

static void copy(const live *l, const orr__action *a)
{
    char *to = address(l, a->place);
    const char *from = address(l, a->from);
    bool widens = is_wide(l, a->place.array), narrows = is_wide(l, a->from.array);
    if (widens != narrows)
        orr__reduce_convert(l->x.dtype, widens, from, a->count, to);
    else if (to != from)
        memmove(to, from, (size_t)(a->count * size_in(l, a->place.array)));
}

/* Performs the actions up to one that waits for messages under way. */
static void go_on(live *l)
{
    const orr__schedule *s = &l->schedule;
    for (; l->at < s->n && l->status == ORR_OK; l->at++) {
        const orr__action *a = &s->action[l->at];
        bool sends = a->act == ORR__ACT_SEND || a->act == ORR__ACT_RECEIVE;
        if (!sends && l->requests > 0)
            return;
        if (sends)
            message(l, a);
        else if (a->act == ORR__ACT_FOLD)
            fold(l, a);
        else if (a->act == ORR__ACT_COPY)
            copy(l, a);
    }
}

static bool get_memory(live *l)
{
    int64_t peers = l->schedule.peers * size_in(l, ORR__ARRAY_PEERS),
            work = l->schedule.work * size_in(l, ORR__ARRAY_WORK);
    peers = (peers + 63) / 64 * 64;
    l->bytes = (size_t)(peers + work);
    if (l->bytes <= NEAR) {
        if (!l->near && !(l->near = orr__reserve_realloc(NULL, l->bytes + 1)))
            spoil(l, ORR_ENOMEM, "no memory for the values of an exchange");
    } else if (!(l->memory = orr__pool_get(l->bytes, &l->cap))) {
        orr_error_clear();
        l->cap = 0;
        if (!(l->memory = orr__reserve_realloc(NULL, l->bytes))) /* beyond the limit, since the other ranks wait */
            spoil(l, ORR_ENOMEM, "no memory for the values of an exchange");
    }
    l->peers = l->memory ? l->memory : l->near;
    l->work = l->schedule.work ? l->peers + peers : l->x.out;
    return l->status == ORR_OK;
}

/* The nodes of the group's ranks. */
static orr__layout layout_of(const orr__group *g)
{
    orr__layout l = { .node = line.place };
    if (!line.node)
        return (orr__layout){ 0 };
    int *seen = line.place + g->ranks, ranks = orr__group_all()->ranks;
    memset(seen, 0, (size_t)ranks * sizeof *seen);
    for (int k = 0; k < g->ranks;
         k++) { /* numbers of the nodes, from 0 in the order of the group; their ranks are counted below */
        int *number = &seen[line.node[g->rank[k]]];
        *number = *number ? *number : ++l.nodes;
        line.place[k] = *number - 1;
    }
    memset(seen, 0, (size_t)ranks * sizeof *seen);
    for (int k = 0; k < g->ranks; k++)
        seen[line.place[k]]++;
    l.per_node = seen[0];
    for (int i = 1; i < l.nodes; i++)
        l.per_node = seen[i] == seen[0] ? l.per_node : 0;
    return l;
}

/* Messages of two ranks match by their order within a channel. Exchanges between them take the channels in turn, so that the messages of
 * those that are under way at the same time are told apart. */
static void take_channels(live *l)
{
    const orr__group *g = l->x.group;
    for (int k = 0; k < g->ranks; k++)
        l->channel[k] = (orr__channel)(ORR__CHANNEL_FIRST + line.with[g->rank[k]]++ % ORR__CHANNELS_OF_EXCHANGES);
}

static bool get_schedule(live *l)
{
    if (l->schedule.n > 0)
        return true;
    orr__layout layout = layout_of(l->x.group);
    orr__algorithm by = orr__rates_choose(&line.rates, &l->x, &layout);
    if (!orr__schedule_make(&l->schedule, &l->x, by, &layout))
        spoil(l, ORR_ENOMEM, "no memory for the messages of an exchange");
    return l->status == ORR_OK;
}

static void begin(live *l)
{
    l->t0 = orr__tracing() ? orr__now() : 0;
    l->number = line.begun++;
    take_channels(l);
    if (get_schedule(l) && get_memory(l))
        go_on(l);
}

static bool is_done(const live *l)
{
    return l->at == l->schedule.n && l->requests == 0;
}

void orr__exchange_trace(const orr__exchange *x, double t0, int64_t sent)
{
    if (!orr__tracing())
        return;
    const orr__trace_arg arg[] = { { "bytes", NULL, (double)sent }, { "ranks", NULL, (double)x->group->ranks } };
    orr__trace_span("exchange", name_of(x), (orr__trace_at){ NULL, 0, ORR__TRACE_SELF, t0, orr__now() }, arg, 2);
}

static void end(const orr__exchange *x, double t0, int64_t sent, orr_status st, const char *text)
{
    orr__exchange_trace(x, t0, sent);
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
    w->sent += l->sent;
    if (--w->left == 0) {
        end(&w->x, w->t0, w->sent, w->status, w->text);
        free(w);
    }
}

static void release(live *l)
{
    if (!l)
        return;
    orr__schedule_free(&l->schedule);
    if (l->request != l->few)
        free(l->request);
    free(l->near);
    free(l);
}

/* The place of an exchange among the spare ones; −1: it is not kept. On one node a schedule depends on the exchange and the place in its group
 * only; parts of an array are not compared. */
static int spare_of(const orr__exchange *x)
{
    return line.node || x->part || x->from
               ? -1
               : (int)(((uint64_t)x->kind + (uint64_t)x->count * 5 + (uint64_t)x->root) % SPARES);
}

static void put_spare(live *l)
{
    int at = spare_of(&l->x);
    if (at >= 0 && l->status == ORR_OK)
        l = atomic_exchange(&line.spare[at], l);
    release(l);
}

/* A spare exchange with the schedule of x; NULL: none. */
static live *take_spare(const orr__exchange *x)
{
    int at = spare_of(x);
    live *l = at >= 0 ? atomic_exchange(&line.spare[at], NULL) : NULL;
    if (l && l->x.kind == x->kind && l->x.reduction == x->reduction && l->x.dtype == x->dtype &&
        l->ranks == x->group->ranks && l->self == x->group->self && l->x.count == x->count && l->x.root == x->root) {
        l->x = *x;
        l->next = NULL;
        l->whole = NULL;
        l->at = 0;
        l->sent = 0;
        return l;
    }
    release(l);
    return NULL;
}

static void finish(live *l)
{
    atomic_fetch_sub(&line.open, 1);
    if (l->memory && l->cap)
        orr__pool_put(l->memory, l->bytes, l->cap);
    else
        free(l->memory);
    l->memory = NULL;
    if (l->whole)
        end_piece(l);
    else
        end(&l->x, l->t0, l->sent, l->status, l->text);
    put_spare(l);
}

/* Tests the messages under way; true: progress, as all have ended. */
static bool test(live *l)
{
    bool done = true, moves = l->requests > 0;
    const char *error = moves ? line.transport->test_all(l->request, l->requests, &done) : NULL;
    if (error)
        spoil(l, ORR_ERANK, error);
    if (!done)
        return false;
    l->requests = 0;
    go_on(l);
    return moves;
}

/* After a failure, messages that may never arrive are cancelled. A receive that has begun writes to memory and is waited for; an array
 * that is sent is only read. */
static void give_up(live *l, const char *text)
{
    spoil(l, ORR_ERANK, text);
    for (int i = 0; i < l->requests; i++)
        line.transport->cancel(&l->request[i]);
    double until = orr__now() + 1;
    while (l->requests > 0 && orr__now() < until) {
        (void)test(l);
        (void)sched_yield();
    }
}

/* Drives the progress of all exchanges. */
static bool move(void)
{
    bool moved = false;
    char text[256];
    bool failed = atomic_load(&line.failed) && orr__ranks_failed(text, sizeof text) != ORR_OK;
    for (live **p = &line.active; *p;) {
        live *l = *p;
        if (failed || l->status != ORR_OK)
            give_up(l, failed ? text : l->text);
        else
            moved = test(l) || moved;
        if (l->status == ORR_OK && !is_done(l)) {
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

/* True if one more exchange may start: all ranks start exchanges in the same order, up to the window, so the first unfinished one is
 * under way on every rank. Those under way together have channels of their own. */
static bool may_start(void)
{
    return line.under_way < WINDOW && (!line.active || line.begun - line.active->number < ORR__CHANNELS_OF_EXCHANGES);
}

static void start(live *l)
{
    *line.active_end = l;
    line.active_end = &l->next;
    line.under_way++;
    /* After a failure nothing more is sent: other ranks would match it with an earlier exchange. */
    if (!atomic_load(&line.failed))
        begin(l);
}

static live *next_posted(void)
{
    live *l = line.posted;
    if (!l || !may_start())
        return NULL;
    line.posted = l->next;
    atomic_fetch_sub(&line.waiting, 1);
    if (!line.posted)
        line.posted_end = &line.posted;
    l->next = NULL;
    return l;
}

static bool start_posted(void)
{
    bool any = false;
    if (atomic_load(&line.waiting) == 0)
        return false;
    pthread_mutex_lock(&line.thread.lock);
    for (live *l; (l = next_posted()); any = true) {
        pthread_mutex_unlock(&line.thread.lock);
        start(l);
        pthread_mutex_lock(&line.thread.lock);
    }
    pthread_mutex_unlock(&line.thread.lock);
    return any;
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

/* Messages make progress only inside calls of MPI. Shortly after an event the thread polls without a look at the clock; then it gives up the
 * core between polls, and later it sleeps. polls: before the clock is read. */
static void drive_once(double *last, int polls)
{
    orr__work_begins(ORR__WORK_DEVICE); /* MPI was opened at run time */
    bool any = start_posted();
    for (int i = 0; i < polls && !any; i++)
        any = move();
    orr__work_ends(ORR__WORK_DEVICE);
    if (any) {
        *last = 0;
        return;
    }
    double at = orr__now(), idle = *last > 0 ? at - *last : 0;
    *last = at - idle;
    if (idle < YIELDS) {
        (void)sched_yield();
        return;
    }
    if (line.callers != ORR__CALLERS_ANY)
        orr__watch_attend();
    if (idle > PATIENCE)
        give_up_on_left();
    struct timespec nap = { 0, idle < 2 * YIELDS ? 20000 : idle < 1 ? 100000 : 1000000 };
    (void)nanosleep(&nap, NULL);
}

/* -- the thread that drives ------------------------------------------------------------------------------------ */

/* A thread takes the line and leaves it without the lock, so that a short exchange takes none. A post adds to `waiting` before it reads
 * `driving`, and a thread that leaves clears `driving` before it reads `waiting`: one of the two wakes the line's thread. */
static bool take_line(void)
{
    bool taken = false;
    return atomic_compare_exchange_strong(&line.driving, &taken, true);
}

static bool has_work(void) /* to the thread that drives */
{
    return line.active || atomic_load(&line.waiting) > 0;
}

static void leave_line(void)
{
    bool active = line.active;
    atomic_store(&line.driving, false);
    if (!active && atomic_load(&line.waiting) == 0)
        return;
    pthread_mutex_lock(&line.thread.lock);
    pthread_cond_signal(&line.thread.wake);
    pthread_mutex_unlock(&line.thread.lock);
}

static void *serve(void *unused)
{
    (void)unused;
    double last = 0;
    pthread_mutex_lock(&line.thread.lock);
    for (;;) {
        bool mine = take_line(), work = mine && has_work();
        if (work) {
            pthread_mutex_unlock(&line.thread.lock);
            drive_once(&last, 1);
            pthread_mutex_lock(&line.thread.lock);
        }
        if (mine)
            atomic_store(&line.driving, false);
        if (work)
            continue;
        if (mine && line.thread.ending && atomic_load(&line.waiting) == 0)
            break;
        pthread_cond_wait(&line.thread.wake, &line.thread.lock);
        last = 0;
    }
    pthread_mutex_unlock(&line.thread.lock);
    return NULL;
}

static void free_tables(void)
{
    free(line.left);
    free(line.with);
    free(line.place);
    free(line.node);
    line.left = NULL;
    line.with = NULL;
    line.place = line.node = NULL;
}

/* node: of each rank; several nodes make a table of them. */
static bool make_tables(const int *node)
{
    size_t ranks = (size_t)orr__group_all()->ranks;
    bool several = false;
    free_tables();
    for (size_t i = 0; i < ranks; i++)
        several = several || node[i] != node[0];
    line.left = orr__alloc_n(ranks, sizeof *line.left);
    line.with = orr__alloc_n(ranks, sizeof *line.with);
    line.place = orr__alloc_n(2 * ranks, sizeof *line.place);
    line.node = several ? orr__alloc_n(ranks, sizeof *line.node) : NULL;
    if (line.node)
        memcpy(line.node, node, ranks * sizeof *node);
    return line.left && line.with && line.place && (line.node || !several);
}

orr_status orr__exchanges_prepare(orr__site at, const orr__transport *transport, orr__callers callers, const int *node)
{
    line.transport = transport;
    line.callers = callers;
    line.main = pthread_self();
    line.posted = line.active = NULL;
    line.posted_end = &line.posted;
    line.active_end = &line.active;
    line.under_way = 0;
    line.begun = 0;
    atomic_store(&line.failed, false);
    atomic_store(&line.driving, false);
    atomic_store(&line.open, 0);
    atomic_store(&line.waiting, 0);
    atomic_store(&line.values, 0);
    free(line.measuring);
    line.measuring = orr__rates_memory(orr__group_all()->ranks);
    return node && line.measuring && make_tables(node) && orr__reserve_hold()
               ? ORR_OK
               : orr__fail(at, ORR_ENOMEM, "no memory for exchanges between ranks");
}

orr_status orr__exchanges_start(orr__site at, const int *node)
{
    const orr__group *all = orr__group_all();
    const char *error = orr__rates_measure(line.transport, all->self, all->ranks, node, line.measuring, &line.rates);
    free(line.measuring);
    line.measuring = NULL;
    if (error)
        return orr__fail(at, ORR_EDEVICE, "the ranks cannot exchange messages: %s", error);
    line.running = line.callers != ORR__CALLERS_ANY || orr__thread_start(&line.thread, serve);
    return line.running ? ORR_OK : orr__fail(at, ORR_ENOMEM, "no thread for exchanges between ranks");
}

void orr__exchanges_stop(void)
{
    if (!line.running)
        return;
    if (line.devices)
        line.devices->stop();
    line.devices = NULL;
    orr__thread_stop(&line.thread);
    for (int i = 0; i < SPARES; i++)
        release(atomic_exchange(&line.spare[i], NULL));
    orr__reserve_release();
    line.running = false;
    line.callers = ORR__CALLERS_ANY;
}

void orr__exchanges_drain(void)
{
    struct timespec nap = { 0, 200000 };
    while (atomic_load(&line.open) > 0 || atomic_load(&line.driving))
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

/* One block has the exchange, its counts and its channels. */
static live *copy_of(const orr__exchange *x)
{
    size_t n = (size_t)x->group->ranks;
    live *l = take_spare(x);
    if (l)
        return l;
    l = orr__reserve_alloc(1, sizeof *l + n * (2 * sizeof(int64_t) + sizeof *l->channel));
    if (!l)
        return NULL;
    int64_t *part = (int64_t *)(l + 1);
    l->x = *x;
    l->ranks = x->group->ranks;
    l->self = x->group->self;
    l->request = l->few;
    l->room = FEW;
    l->channel = (orr__channel *)(part + 2 * n);
    if (x->part)
        l->x.part = memcpy(part, x->part, n * sizeof *part);
    if (x->from)
        l->x.from = memcpy(part + n, x->from, n * sizeof *part);
    return l;
}

/* The pieces of a long reduction, each of so many bytes, as a list; NULL: no memory. */
static live *cut(const orr__exchange *x, int64_t bytes)
{
    int64_t length = bytes / size_of(x), pieces = (x->count + length - 1) / length;
    whole *w = orr__reserve_alloc(1, sizeof *w);
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
        release(first);
        first = next;
    }
    free(w);
    return NULL;
}

/* The parts of a long reduction in a list, or the exchange itself; NULL: no memory. */
static live *pieces_of(const orr__exchange *x)
{
    int64_t bytes = x->count * size_of(x), piece = PIECE;
    if (x->kind != ORR__EXCHANGE_ALL_REDUCE || bytes < 2 * piece)
        return copy_of(x);
    piece = orr__rates_piece(&line.rates, x->group->ranks, &(orr__layout){ .nodes = line.node ? 2 : 1 }, PIECE);
    return bytes < 2 * piece ? copy_of(x) : cut(x, piece);
}

static void append(live *l)
{
    int pieces = 1;
    pthread_mutex_lock(&line.thread.lock);
    *line.posted_end = l;
    for (; l->next; l = l->next)
        pieces++;
    line.posted_end = &l->next;
    atomic_fetch_add(&line.open, pieces);
    atomic_fetch_add(&line.waiting, pieces);
    if (!atomic_load(&line.driving))
        pthread_cond_signal(&line.thread.wake);
    pthread_mutex_unlock(&line.thread.lock);
}

/* Starts the exchange on the thread that drives, if none is before it. */
static bool start_here(live *l)
{
    if (l->next || atomic_load(&line.waiting) > 0 || !may_start())
        return false;
    atomic_fetch_add(&line.open, 1);
    orr__work_begins(ORR__WORK_DEVICE);
    start(l);
    orr__work_ends(ORR__WORK_DEVICE);
    return true;
}

/* Adds the exchange to the line. drives: the calling thread has taken the line. */
static void post(const orr__exchange *x, bool drives)
{
    live *l = line.running && (drives || line.callers == ORR__CALLERS_ANY) ? pieces_of(x) : NULL;
    if (!l) {
        static const char *const text =
            "an exchange between ranks cannot be posted: no memory, Orrery is not running, or MPI has too few threads";
        orr__ranks_fail(text);
        x->done(x->argument, ORR_ENOMEM, text);
    } else if (!drives || !start_here(l))
        append(l);
}

/* An exchange without messages of the line: by devices, or in a group of one. False: it is not such a one. */
static bool carry_out(const orr__exchange *x)
{
    if (orr__exchange_on_devices(x))
        line.devices->post(x);
    else if (x->group->ranks == 1)
        alone(x);
    else
        return false;
    return true;
}

void orr__exchange_post(const orr__exchange *x)
{
    if (!carry_out(x))
        post(x, false);
}

typedef struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t cond; /* both only if another thread may end the exchange */
    bool drives, done;   /* drives: the line, so that no other thread ends its exchange */
    orr_status status;
    char text[256];
} waiter;

static void wake(void *argument, orr_status st, const char *text)
{
    waiter *w = argument;
    bool shared = !w->drives;
    if (shared)
        pthread_mutex_lock(&w->lock);
    w->done = true;
    w->status = st;
    if (text)
        (void)snprintf(w->text, sizeof w->text, "%s", text);
    if (!shared)
        return;
    pthread_cond_signal(&w->cond);
    pthread_mutex_unlock(&w->lock);
}

/* A thread that waits drives the line itself while no other thread does: the transfer of an exchange to the line's thread would take
 * longer than a short exchange. */
static void drive_until(waiter *w, const orr__exchange *x)
{
    double last = 0;
    post(x, true);
    while (!w->done) /* set by this thread */
        drive_once(&last, POLLS);
    leave_line();
}

static void sleep_until(waiter *w, const orr__exchange *x)
{
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->cond, NULL);
    if (!carry_out(x))
        post(x, false);
    pthread_mutex_lock(&w->lock);
    while (!w->done)
        pthread_cond_wait(&w->cond, &w->lock);
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->cond);
}

/* True if this thread may call MPI, apart from its turn. */
static bool is_caller(void)
{
    return line.callers != ORR__CALLERS_MAIN || pthread_equal(line.main, pthread_self());
}

orr_status orr__exchange_here(orr__site at)
{
    return is_caller()
               ? ORR_OK
               : orr__fail(at, ORR_ESTATE,
                           "the ranks exchange values on the thread that called orr_init only, since the program "
                           "has started MPI with MPI_THREAD_FUNNELED: make this call there, or ask "
                           "MPI_Init_thread for MPI_THREAD_SERIALIZED or more");
}

void orr__exchanges_attend(void)
{
    if (line.callers == ORR__CALLERS_ANY || !is_caller() || pthread_mutex_trylock(&line.turn) != 0)
        return;
    orr__watch_attend();
    pthread_mutex_unlock(&line.turn);
}

static orr_status wait_for(orr__site at, const orr__exchange *x)
{
    waiter w;
    orr__exchange mine = *x;
    bool by_line = x->group->ranks > 1 && !orr__exchange_on_devices(x);
    w.drives = by_line && line.running && take_line();
    w.done = false;
    w.text[0] = '\0';
    mine.done = wake;
    mine.argument = &w;
    (w.drives ? drive_until : sleep_until)(&w, &mine);
    return w.status == ORR_OK ? ORR_OK : orr__fail(at, w.status, "%s", w.text);
}

orr_status orr__exchange_wait(orr__site at, const orr__exchange *x)
{
    if (line.callers == ORR__CALLERS_ANY || x->group->ranks == 1)
        return wait_for(at, x);
    orr_status st = orr__exchange_here(at);
    if (st != ORR_OK)
        return st;
    pthread_mutex_lock(&line.turn);
    st = wait_for(at, x);
    if (atomic_load(&line.failed))
        orr__watch_attend();
    pthread_mutex_unlock(&line.turn);
    return st;
}

uint64_t orr__exchanges_of_values(void)
{
    return atomic_load(&line.values);
}

orr_status orr__exchange_values(orr__site at, const orr__exchange *values)
{
    orr__exchange x = *values;
    int ranks = x.group->ranks;
    enum { SOME = 64 }; /* limit of memory */
    int64_t few[SOME], *part = ranks <= SOME ? few : orr__reserve_alloc((size_t)ranks, sizeof *part);
    if (!part)
        return ORR_ENOMEM;
    for (int i = 0; i < ranks; i++)
        part[i] = x.kind == ORR__EXCHANGE_REDUCE_SCATTER ? x.count : x.count / ranks;
    x.part = x.from = part;
    orr_status st = ORR_OK;
    atomic_fetch_add(&line.values, 1);
    if (x.done)
        orr__exchange_post(&x);
    else
        st = orr__exchange_wait(at, &x);
    if (part != few)
        free(part);
    return st;
}
