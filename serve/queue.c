/* The queue and its threads.
 * Must not know: HTTP. */
#include "config.h"
#include "serve/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "serve/ledger.h"
#include "serve/metrics.h"

enum { BATCH_MOST = 1024, THREADS = 257, CLIENTS = SERVE_TOKENS_MOST + 1 }; /* client -1, without a token, first */

/* Works of less than this may take the reserved thread; it is the time that another client may have to wait for it. */
static const double brief = 0.01; /* seconds */

struct serve_queue {
    pthread_mutex_t lock;
    pthread_cond_t change;       /* for those who wait for equal tasks, and for the end */
    pthread_cond_t idle, brief;  /* for threads without a task, and for the reserved one */
    serve_task *first, *last;    /* waiting, the oldest first */
    serve_task *oldest, *newest; /* all                       */
    int count, waiting, running;
    bool counts;
    double served[CLIENTS], now; /* seconds of each client; `now`: those of the client that was chosen last */
    int works[CLIENTS];          /* running works of each client */
    bool spare;                  /* the reserved thread waits    */
    double timeout;
    serve_batching batching;
    bool closed, stop;
    int threads;
    pthread_t thread[THREADS];
};

double serve_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The key itself is freed without the lock. */
static uint64_t hash_of(const char *key)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; key && *key; key++)
        hash = (hash ^ (unsigned char)*key) * 1099511628211u;
    return key ? hash | 1 : 0;
}

/* -- lists, under the lock ----------------------------------------------------------------------------------- */

static void unlink_waiting(serve_queue *q, serve_task *t)
{
    *(t->prev ? &t->prev->next : &q->first) = t->next;
    *(t->next ? &t->next->prev : &q->last) = t->prev;
    t->next = t->prev = NULL;
    q->waiting--;
}

static void unlink_all(serve_queue *q, serve_task *t)
{
    *(t->earlier ? &t->earlier->later : &q->oldest) = t->later;
    *(t->later ? &t->later->earlier : &q->newest) = t->earlier;
    q->count--;
    if (q->counts)
        serve_ledger_give(t->work.client, SERVE_WORKS, 1);
}

void serve_task_unref(serve_queue *q, serve_task *t)
{
    pthread_mutex_lock(&q->lock);
    bool last = --t->refs == 0;
    pthread_mutex_unlock(&q->lock);
    if (!last)
        return;
    serve_work_clear(&t->work);
    serve_reply_free(&t->work.reply);
    free(t);
}

serve_state serve_task_state(serve_queue *q, const serve_task *t, double *started)
{
    pthread_mutex_lock(&q->lock);
    serve_state s = t->state;
    *started = t->started;
    pthread_mutex_unlock(&q->lock);
    return s;
}

/* Removes the task from the queue. A running task keeps its reference until the evaluation ends. */
static bool drop(serve_queue *q, serve_task *t, serve_state state)
{
    bool waits = t->state == SERVE_WAITING;
    if (!waits && t->state != SERVE_RUNNING)
        return false;
    t->state = state;
    t->finished = serve_now();
    serve_work_drop(&t->work);
    if (waits)
        unlink_waiting(q, t);
    unlink_all(q, t);
    t->refs -= waits; /* the queue's; the caller has one of its own */
    return true;
}

bool serve_task_cancel(serve_queue *q, serve_task *t)
{
    pthread_mutex_lock(&q->lock);
    bool ok = drop(q, t, SERVE_CANCELLED);
    pthread_mutex_unlock(&q->lock);
    return ok;
}

/* -- time ---------------------------------------------------------------------------------------------------- */

static serve_reply over_time(void)
{
    return serve_problem(504, "timeout", "%s", "the time limit is over");
}

typedef enum { LATE, LEFT, WAITING, ALL } which;

static bool is_one(const serve_task *t, which w, double now)
{
    return w == LATE      ? t->deadline <= now
           : w == LEFT    ? t->left && t->left(t->user)
           : w == WAITING ? t->state == SERVE_WAITING
                          : true;
}

/* Ends some tasks, one at a time: their owners are called without the lock. */
static void end_some(serve_queue *q, double now, which w, const char *code, const char *why, int status)
{
    for (;;) {
        pthread_mutex_lock(&q->lock);
        serve_task *t = q->oldest;
        while (t && !is_one(t, w, now))
            t = t->later;
        if (t) {
            t->refs++;
            (void)drop(q, t, SERVE_DONE);
        }
        pthread_mutex_unlock(&q->lock);
        if (!t)
            return;
        t->ended(t, serve_problem(status, code, "%s", why), t->user);
        serve_task_unref(q, t);
    }
}

void serve_queue_expire(serve_queue *q, double now)
{
    end_some(q, now, LATE, "timeout", "the time limit is over", 504);
    end_some(q, now, LEFT, "cancelled", "nobody waits for the work any more", 409);
}

/* -- threads ------------------------------------------------------------------------------------------------- */

/* The time that the client of a task has got. One that had nothing to do for a while does not get that time afterwards. */
static double *served(serve_queue *q, const serve_task *t)
{
    double *of = &q->served[t->work.client + 1];
    *of = *of < q->now ? q->now : *of;
    return of;
}

/* True if a thread may run the task: the reserved one is for a brief work of a client that has no other running. */
static bool may_run(const serve_queue *q, const serve_task *t, bool reserved)
{
    return !reserved || (t->seconds < brief && q->works[t->work.client + 1] == 0);
}

/* The task to run next; NULL: none may run. A task that the reserved thread may run is left to it while it waits: the others get less of a core. */
static serve_task *next(serve_queue *q, bool reserved)
{
    serve_task *best = NULL;
    for (serve_task *t = q->first; t; t = t->next)
        if ((reserved ? may_run(q, t, true) : !(q->spare && may_run(q, t, true))) &&
            (!best || *served(q, t) < *served(q, best)))
            best = t;
    return best;
}

/* Releases the lock, and tells threads without a task that there is one: one thread, which tells the next one. If all were told, those that find
 * nothing would hold the lock in turn, and one of low priority can lose its core while it holds it; so can one that tells others before it
 * releases the lock. */
static void release(serve_queue *q)
{
    bool spare = q->spare && next(q, true), any = next(q, false) != NULL;
    pthread_mutex_unlock(&q->lock);
    (void)pthread_cond_broadcast(&q->change);
    if (spare)
        (void)pthread_cond_signal(&q->brief);
    if (any)
        (void)pthread_cond_signal(&q->idle);
}

bool serve_queue_put(serve_queue *q, serve_task *t, serve_reply *why)
{
    pthread_mutex_lock(&q->lock);
    bool ok = !q->closed;
    if (!ok)
        *why = serve_problem(503, "stopping", "the service stops");
    ok = ok && (!q->counts || serve_ledger_take(t->work.client, SERVE_WORKS, 1, why));
    if (ok) {
        t->refs = 2;
        t->state = SERVE_WAITING;
        t->alike = hash_of(t->work.key);
        t->arrived = serve_now();
        t->deadline = t->arrived + q->timeout;
        t->next = NULL;
        t->prev = q->last;
        *(q->last ? &q->last->next : &q->first) = t;
        q->last = t;
        t->later = NULL;
        t->earlier = q->newest;
        *(q->newest ? &q->newest->later : &q->oldest) = t;
        q->newest = t;
        q->count++;
        q->waiting++;
    }
    release(q);
    return ok;
}

/* Books the time that the task is predicted to take. */
static void advance(serve_queue *q, serve_task *t)
{
    q->now = *served(q, t);
    *served(q, t) += t->seconds;
    q->works[t->work.client + 1]++;
}

static void begin(serve_queue *q, serve_task *t)
{
    unlink_waiting(q, t);
    t->state = SERVE_RUNNING;
    advance(q, t);
}

/* Replaces the prediction by the time that the task took. */
static void account(serve_queue *q, serve_task *t, double took)
{
    q->served[t->work.client + 1] += took - t->seconds;
    q->works[t->work.client + 1]--;
}

/* Adds waiting tasks with the key of b[0] to the batch. */
static int gather(serve_queue *q, serve_task **b, int n)
{
    const char *key = b[0]->work.key;
    for (serve_task *t = q->first, *next; key && t && n < q->batching.most; t = next) {
        next = t->next;
        if (!t->work.key || strcmp(t->work.key, key) != 0)
            continue;
        begin(q, t);
        b[n++] = t;
    }
    return n;
}

/* Tasks with the key of the first one, in any state. */
static int count_alike(const serve_queue *q, const serve_task *first)
{
    int n = 0;
    for (const serve_task *t = q->oldest; t; t = t->later)
        n += t->alike == first->alike;
    return n;
}

/* Waits for equal tasks until the window ends, the batch is full, or it holds every one of the queue: clients whose equal tasks are under
 * way send the next ones soon. */
static int gather_more(serve_queue *q, serve_task **b, int n)
{
    double until = b[0]->arrived + q->batching.window;
    struct timespec at = { .tv_sec = (time_t)until };
    at.tv_nsec = (long)(1e9 * (until - (double)at.tv_sec));
    n = gather(q, b, n);
    while (b[0]->work.key && n < q->batching.most && count_alike(q, b[0]) > n && !q->stop && serve_now() < until) {
        if (pthread_cond_timedwait(&q->change, &q->lock, &at) == ETIMEDOUT)
            break;
        n = gather(q, b, n);
    }
    return n;
}

/* Takes the lock. A large body is read before, here and not in the thread that received it. The work is known after that: true if it may go on
 * now, or has its reply; else it waits again. */
static bool read_body(serve_queue *q, serve_task *t, bool reserved)
{
    bool reads = t->work.body != NULL;
    double from = serve_now(), seconds = reads && serve_work_understand(&t->work) ? serve_work_seconds(&t->work) : 0;
    pthread_mutex_lock(&q->lock);
    if (!reads)
        return true;
    account(q, t, serve_now() - from);
    t->seconds = seconds;
    t->alike = hash_of(t->work.key);
    if (t->state == SERVE_RUNNING && !may_run(q, t, reserved)) {
        t->state = SERVE_WAITING;
        t->prev = NULL;
        t->next = q->first;
        *(q->first ? &q->first->prev : &q->last) = t;
        q->first = t;
        q->waiting++;
        return false;
    }
    advance(q, t);
    return true;
}

static void compute(serve_task **b, int n)
{
    serve_work *w[BATCH_MOST];
    if (n == 1 && b[0]->work.reply.status)
        return; /* its body could not be read */
    for (int i = 0; i < n; i++) {
        b[i]->batch = n;
        w[i] = &b[i]->work;
    }
    serve_count_batch(n);
    serve_work_run(w, n);
}

/* Ends a computed task by its reply, or by a time-out, if its deadline has passed and no other thread has found that
 * yet. */
static void finish(serve_queue *q, serve_task *t)
{
    serve_reply r = t->work.reply;
    t->work.reply = (serve_reply){ 0 };
    serve_work_clear(&t->work); /* releases the operands' memory at once */
    pthread_mutex_lock(&q->lock);
    bool wanted = t->state == SERVE_RUNNING;
    if (wanted)
        (void)drop(q, t, SERVE_DONE);
    bool late = t->deadline <= serve_now();
    pthread_mutex_unlock(&q->lock);
    if (wanted && !late)
        t->ended(t, r, t->user);
    else
        serve_reply_free(&r);
    if (wanted && late)
        t->ended(t, over_time(), t->user);
    serve_task_unref(q, t);
}

static void work(serve_queue *q, bool reserved)
{
    serve_task *b[BATCH_MOST];
    pthread_mutex_lock(&q->lock);
    while (!q->stop) {
        if (!(b[0] = next(q, reserved))) {
            q->spare = q->spare || reserved;
            pthread_cond_wait(reserved ? &q->brief : &q->idle, &q->lock);
            continue;
        }
        q->spare = q->spare && !reserved;
        begin(q, b[0]);
        q->running++;
        release(q);
        if (!read_body(q, b[0], reserved)) {
            q->running--;
            release(q);
            pthread_mutex_lock(&q->lock);
            continue;
        }
        int n = gather_more(q, b, 1);
        double now = serve_now();
        for (int i = 0; i < n; i++)
            b[i]->started = now;
        pthread_mutex_unlock(&q->lock);
        compute(b, n);
        pthread_mutex_lock(&q->lock);
        for (int i = 0; i < n; i++)
            account(q, b[i], (serve_now() - now) / n);
        pthread_mutex_unlock(&q->lock);
        for (int i = 0; i < n; i++)
            finish(q, b[i]);
        pthread_mutex_lock(&q->lock);
        q->running--;
        release(q); /* the reserved thread may be free for another work of the client */
        pthread_mutex_lock(&q->lock);
    }
    pthread_mutex_unlock(&q->lock);
}

static void *work_on_any(void *user)
{
    work(user, false);
    return NULL;
}

static void *work_on_brief(void *user)
{
    work(user, true);
    return NULL;
}

static bool start(serve_queue *q, void *(*run)(void *))
{
    if (q->threads == THREADS || pthread_create(&q->thread[q->threads], NULL, run, q) != 0)
        return false;
    q->threads++;
    return true;
}

bool serve_queue_reserve(serve_queue *q)
{
    return start(q, work_on_brief);
}

serve_queue *serve_queue_new(int threads, bool counts, double timeout, serve_batching batching)
{
    serve_queue *q = calloc(1, sizeof *q);
    pthread_condattr_t monotonic;
    if (!q)
        return NULL;
    (void)pthread_mutex_init(&q->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&q->change, &monotonic);
    (void)pthread_cond_init(&q->idle, NULL);
    (void)pthread_cond_init(&q->brief, NULL);
    (void)pthread_condattr_destroy(&monotonic);
    q->counts = counts;
    q->timeout = timeout;
    q->batching = batching;
    while (threads-- > 0 && start(q, work_on_any))
        ;
    if (q->threads > 0)
        return q;
    serve_queue_free(q);
    return NULL;
}

int serve_queue_waiting(serve_queue *q)
{
    pthread_mutex_lock(&q->lock);
    int n = q->waiting;
    pthread_mutex_unlock(&q->lock);
    return n;
}

int serve_queue_running(serve_queue *q)
{
    pthread_mutex_lock(&q->lock);
    int n = q->count - q->waiting;
    pthread_mutex_unlock(&q->lock);
    return n;
}

void serve_queue_close(serve_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_mutex_unlock(&q->lock);
}

bool serve_queue_stop(serve_queue *q, double until)
{
    struct timespec at = { .tv_sec = (time_t)until };
    at.tv_nsec = (long)(1e9 * (until - (double)at.tv_sec));
    serve_queue_close(q);
    end_some(q, 0.0, WAITING, "stopping", "the service stops", 503);
    pthread_mutex_lock(&q->lock);
    q->stop = true;
    (void)pthread_cond_broadcast(&q->change);
    (void)pthread_cond_broadcast(&q->idle);
    (void)pthread_cond_broadcast(&q->brief);
    while (q->running > 0 && serve_now() < until)
        (void)pthread_cond_timedwait(&q->change, &q->lock, &at);
    bool over = q->running == 0;
    pthread_mutex_unlock(&q->lock);
    if (!over) {
        end_some(q, 0.0, ALL, "stopping", "the service stops", 503);
        return false;
    }
    for (int i = 0; i < q->threads; i++)
        (void)pthread_join(q->thread[i], NULL);
    q->threads = 0;
    return true;
}

void serve_queue_free(serve_queue *q)
{
    if (!q)
        return;
    (void)pthread_cond_destroy(&q->change);
    (void)pthread_cond_destroy(&q->idle);
    (void)pthread_cond_destroy(&q->brief);
    (void)pthread_mutex_destroy(&q->lock);
    free(q);
}
