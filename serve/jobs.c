/* The table of jobs.
 * Must not know: HTTP. */
#include "config.h"
#include "serve/jobs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "serve/ledger.h"

typedef struct job {
    struct job *next, *prev;
    serve_jobs *of;
    char id[33];
    int client;
    serve_kind kind;
    serve_task *task; /* NULL once it has ended */
    serve_state state;
    serve_reply reply;
    double created; /* seconds since 1970 */
    double arrived, started, finished;
} job;

struct serve_jobs {
    pthread_mutex_t lock; /* acquired before the queue's lock, never while that is held */
    serve_queue *queue;
    job *first, *last; /* the oldest first */
    int count;
    int64_t bytes, bytes_most;
    double keep;
};

static void forget(serve_jobs *j, job *o)
{
    *(o->prev ? &o->prev->next : &j->first) = o->next;
    *(o->next ? &o->next->prev : &j->last) = o->prev;
    j->count--;
    j->bytes -= (int64_t)(o->reply.n_text + o->reply.n_tail);
    serve_ledger_give(o->client, SERVE_JOBS, 1);
    serve_reply_free(&o->reply);
    if (o->task)
        serve_task_unref(j->queue, o->task);
    free(o);
}

/* The oldest ended job of the client, but not `except`; NULL: there is none. */
static job *oldest_ended(const serve_jobs *j, int client, const job *except)
{
    job *o = j->first;
    while (o && (o == except || o->client != client || (o->state != SERVE_DONE && o->state != SERVE_CANCELLED)))
        o = o->next;
    return o;
}

/* Books a job of the client, who loses the results of their own oldest jobs for it, and nobody else's. */
static bool book(serve_jobs *j, int client, serve_reply *why)
{
    while (!serve_ledger_take(client, SERVE_JOBS, 1, why)) {
        job *o = oldest_ended(j, client, NULL);
        if (!o)
            return false;
        serve_reply_free(why);
        forget(j, o);
    }
    return true;
}

/* Keeps the results of all jobs within their limit: the client of the new one loses older ones, and if that does not suffice, the new
 * one. */
static void keep_within(serve_jobs *j, job *o)
{
    for (job *old; j->bytes > j->bytes_most && (old = oldest_ended(j, o->client, o));)
        forget(j, old);
    int64_t bytes = (int64_t)(o->reply.n_text + o->reply.n_tail);
    if (j->bytes <= j->bytes_most)
        return;
    serve_reply_free(&o->reply);
    o->reply =
        serve_problem(507, "limit", "the result has %lld bytes, and %lld of %lld are left for results (--job-bytes)",
                      (long long)bytes, (long long)(j->bytes_most - (j->bytes - bytes)), (long long)j->bytes_most);
    j->bytes += (int64_t)(o->reply.n_text + o->reply.n_tail) - bytes;
}

/* A reply may be sent many times: its text is copied, its value shared. */
static serve_reply copy(const serve_reply *r, int client)
{
    serve_reply c = *r;
    serve_reply why;
    if (!serve_ledger_take(client, SERVE_MEMORY, (int64_t)r->n_text, &why))
        return why;
    c.room = (int64_t)r->n_text;
    c.client = client;
    c.value = NULL;
    c.text = malloc(r->n_text + 1);
    if (!c.text) {
        serve_reply_free(&c);
        return serve_problem(503, "ORR_ENOMEM", "there is no memory for the answer");
    }
    c.value = r->value;
    if (r->n_text)
        memcpy(c.text, r->text, r->n_text);
    if (c.value)
        atomic_fetch_add(&c.value->refs, 1);
    return c;
}

static void ended(serve_task *t, serve_reply reply, void *user)
{
    job *o = user;
    serve_jobs *j = o->of;
    pthread_mutex_lock(&j->lock);
    o->reply = reply;
    o->state = SERVE_DONE;
    o->started = t->started;
    o->finished = t->finished;
    o->task = NULL;
    j->bytes += (int64_t)(reply.n_text + reply.n_tail);
    keep_within(j, o);
    pthread_mutex_unlock(&j->lock);
    serve_task_unref(j->queue, t);
}

static json_t *describe(const job *o)
{
    static const char *const names[] = { "waiting", "running", "done", "cancelled" };
    char where[64];
    serve_state s = o->task ? serve_task_state(o->of->queue, o->task) : o->state;
    s = o->task && s == SERVE_DONE ? SERVE_RUNNING : s; /* `ended` has not stored its reply yet */
    double started = o->task && s == SERVE_RUNNING ? o->task->started : o->started, now = serve_now();
    bool failed = s == SERVE_DONE && o->reply.status >= 300;
    (void)snprintf(where, sizeof where, "/v1/jobs/%s", o->id);
    json_t *d = json_pack("{s:s, s:s, s:s, s:s, s:f}", "id", o->id, "run", serve_kind_name(o->kind), "state",
                          failed ? "failed" : names[s], "href", where, "created", o->created);
    if (d && started > 0.0)
        (void)json_object_set_new(d, "waited", json_real(started - o->arrived));
    if (d && started > 0.0)
        (void)json_object_set_new(d, "ran", json_real((s == SERVE_RUNNING ? now : o->finished) - started));
    if (d && s == SERVE_DONE)
        (void)json_object_set_new(d, "status", json_integer(o->reply.status));
    return d;
}

static bool new_id(char id[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (int i = 0; i < 16; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

serve_jobs *serve_jobs_new(int64_t bytes, double keep, double timeout)
{
    serve_jobs *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    (void)pthread_mutex_init(&j->lock, NULL);
    j->bytes_most = bytes;
    j->keep = keep;
    j->queue = serve_queue_new(1, false, timeout, (serve_batching){ .most = 1 });
    if (j->queue)
        return j;
    free(j);
    return NULL;
}

static void append(serve_jobs *j, job *o)
{
    o->prev = j->last;
    *(j->last ? &j->last->next : &j->first) = o;
    j->last = o;
    j->count++;
}

serve_reply serve_jobs_put(serve_jobs *j, serve_task *t, int client)
{
    struct timespec now;
    job *o = calloc(1, sizeof *o);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    pthread_mutex_lock(&j->lock);
    serve_reply r = { 0 };
    bool ok = o && new_id(o->id) && book(j, client, &r);
    if (!ok && !r.status)
        r = serve_problem(503, "ORR_ENOMEM", "there is no memory for a job");
    if (ok) {
        o->of = j;
        o->client = client;
        o->kind = t->work.kind;
        o->task = t;
        o->created = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
        t->ended = ended;
        t->user = o;
        append(j, o);
        ok = serve_queue_put(j->queue, t, &r);
        o->arrived = t->arrived;
        if (ok) {
            r = serve_reply_json(202, describe(o));
            (void)snprintf(r.location, sizeof r.location, "/v1/jobs/%s", o->id);
        } else {
            o->task = NULL;
            forget(j, o);
        }
        o = NULL;
    }
    pthread_mutex_unlock(&j->lock);
    free(o);
    if (!ok) {
        serve_work_clear(&t->work);
        free(t);
    }
    return r;
}

static job *find(serve_jobs *j, const char *id, int client)
{
    for (job *o = j->first; o; o = o->next)
        if (o->client == client && strcmp(o->id, id) == 0)
            return o;
    return NULL;
}

static serve_reply none(void)
{
    return serve_problem(404, "job", "there is no such job, or no more");
}

serve_reply serve_jobs_list(serve_jobs *j, int client)
{
    json_t *list = json_array();
    pthread_mutex_lock(&j->lock);
    for (job *o = j->first; list && o; o = o->next)
        if (o->client == client)
            (void)json_array_append_new(list, describe(o));
    pthread_mutex_unlock(&j->lock);
    return serve_reply_json(200, list ? json_pack("{s:o}", "jobs", list) : NULL);
}

serve_reply serve_jobs_status(serve_jobs *j, const char *id, int client)
{
    pthread_mutex_lock(&j->lock);
    job *o = find(j, id, client);
    serve_reply r = o ? serve_reply_json(200, describe(o)) : none();
    pthread_mutex_unlock(&j->lock);
    return r;
}

serve_reply serve_jobs_result(serve_jobs *j, const char *id, int client)
{
    serve_reply r;
    pthread_mutex_lock(&j->lock);
    job *o = find(j, id, client);
    if (!o)
        r = none();
    else if (o->state == SERVE_CANCELLED)
        r = serve_problem(409, "job", "the job was cancelled");
    else if (o->task || o->state != SERVE_DONE)
        r = serve_problem(409, "job", "the job has not ended");
    else
        r = copy(&o->reply, client);
    pthread_mutex_unlock(&j->lock);
    return r;
}

serve_reply serve_jobs_cancel(serve_jobs *j, const char *id, int client)
{
    serve_reply r;
    pthread_mutex_lock(&j->lock);
    job *o = find(j, id, client);
    serve_task *t = o ? o->task : NULL;
    if (o && t && serve_task_cancel(j->queue, t)) {
        o->state = SERVE_CANCELLED;
        o->started = t->started;
        o->finished = serve_now();
        o->task = NULL;
        serve_task_unref(j->queue, t);
        r = serve_reply_json(200, describe(o));
    } else if (o && t) { /* the task has ended: `ended` waits for the lock */
        r = serve_problem(409, "job", "the job is ending");
    } else if (o) {
        r = serve_reply_json(200, describe(o));
        forget(j, o);
    } else {
        r = none();
    }
    pthread_mutex_unlock(&j->lock);
    return r;
}

void serve_jobs_expire(serve_jobs *j, double now)
{
    serve_queue_expire(j->queue, now);
    pthread_mutex_lock(&j->lock);
    for (job *o = j->first, *next; o; o = next) {
        next = o->next;
        if (!o->task && o->state >= SERVE_DONE && o->finished + j->keep < now)
            forget(j, o);
    }
    pthread_mutex_unlock(&j->lock);
}

void serve_jobs_count(serve_jobs *j, int *waiting, int *running, int *kept)
{
    *waiting = serve_queue_waiting(j->queue);
    *running = serve_queue_running(j->queue);
    pthread_mutex_lock(&j->lock);
    *kept = j->count;
    pthread_mutex_unlock(&j->lock);
}

void serve_jobs_close(serve_jobs *j)
{
    serve_queue_close(j->queue);
}

bool serve_jobs_stop(serve_jobs *j, double until)
{
    return serve_queue_stop(j->queue, until);
}

void serve_jobs_free(serve_jobs *j)
{
    if (!j)
        return;
    while (j->first)
        forget(j, j->first);
    serve_queue_free(j->queue);
    (void)pthread_mutex_destroy(&j->lock);
    free(j);
}
