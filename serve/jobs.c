/* The table of jobs.
 * Must not know: HTTP. */
#include "config.h"
#include "serve/jobs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include "serve/ledger.h"
#include "serve/log.h"

typedef struct job {
    struct job *next, *prev;
    serve_jobs *of;
    char id[33];
    int client;
    serve_kind kind;
    serve_task *task; /* NULL once it has ended */
    serve_state state;
    bool cut;   /* the service ended before it */
    bool lasts; /* its result is on disk       */
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
    serve_journal *journal; /* NULL: jobs are in memory only */
    const serve_tokens *tokens;
    bool stopped; /* what ends now was cut */
};

/* -- on disk ----------------------------------------------------------------------------------------------------------- */

static double wall_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Writes the job as it is, with its result if it has one. */
static bool record(const serve_jobs *j, const job *o, const char *state)
{
    if (!j->journal)
        return true;
    json_t *head =
        json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:i, s:s}", "client", serve_tokens_name(j->tokens, o->client),
                  "run", serve_kind_name(o->kind), "state", state, "created", o->created, "finished", wall_clock(),
                  "waited", o->started - o->arrived, "ran", o->finished - o->started, "status", o->reply.status, "type",
                  o->reply.type ? o->reply.type : "");
    const serve_reply *r = &o->reply;
    return serve_journal_write(j->journal, o->id, head, r->text, r->n_text, r->tail, r->n_tail, r->status > 0);
}

static void forget(serve_jobs *j, job *o)
{
    if (j->journal)
        serve_journal_remove(j->journal, o->id);
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

/* The result is written without the lock; until then the job counts as running. */
static void ended(serve_task *t, serve_reply reply, void *user)
{
    job *o = user;
    serve_jobs *j = o->of;
    pthread_mutex_lock(&j->lock);
    o->reply = reply;
    o->started = t->started;
    o->finished = t->finished;
    j->bytes += (int64_t)(reply.n_text + reply.n_tail);
    keep_within(j, o);
    bool writes = j->journal && !j->stopped;
    pthread_mutex_unlock(&j->lock);
    bool lasts = writes && record(j, o, "done");
    if (writes && !lasts)
        serve_log(SERVE_LOG_ERROR, "journal", "\"why\": \"a result cannot be written: %s\"", strerror(errno));
    pthread_mutex_lock(&j->lock);
    o->lasts = lasts;
    o->state = SERVE_DONE;
    o->task = NULL;
    pthread_mutex_unlock(&j->lock);
    serve_task_unref(j->queue, t);
}

static json_t *describe(const job *o)
{
    static const char *const names[] = { "waiting", "running", "done", "cancelled" };
    char where[64];
    double begun = 0.0, now = serve_now();
    serve_state s = o->task ? serve_task_state(o->of->queue, o->task, &begun) : o->state;
    s = o->task && s == SERVE_DONE ? SERVE_RUNNING : s; /* `ended` has not stored its reply yet */
    double started = o->task && s == SERVE_RUNNING ? begun : o->started;
    bool failed = s == SERVE_DONE && o->reply.status >= 300;
    (void)snprintf(where, sizeof where, "/v1/jobs/%s", o->id);
    json_t *d = json_pack("{s:s, s:s, s:s, s:s, s:f}", "id", o->id, "run", serve_kind_name(o->kind), "state",
                          o->cut   ? "cut"
                          : failed ? "failed"
                                   : names[s],
                          "href", where, "created", o->created);
    if (o->cut)
        return d;
    if (d && started > 0.0)
        (void)json_object_set_new(d, "waited", json_real(started - o->arrived));
    if (d && started > 0.0)
        (void)json_object_set_new(d, "ran", json_real((s == SERVE_RUNNING ? now : o->finished) - started));
    if (d && s == SERVE_DONE)
        (void)json_object_set_new(d, "status", json_integer(o->reply.status));
    if (d && s == SERVE_DONE && o->of->journal)
        (void)json_object_set_new(d, "lasts", json_boolean(o->lasts));
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

/* before: NULL: o is the first. */
static void insert(serve_jobs *j, job *before, job *o)
{
    o->prev = before;
    o->next = before ? before->next : j->first;
    *(o->next ? &o->next->prev : &j->last) = o;
    *(before ? &before->next : &j->first) = o;
    j->count++;
}

/* The client of a name; -2: none. */
static int client_of(const serve_tokens *t, const char *name)
{
    for (int i = 0; t && i < serve_tokens_count(t); i++)
        if (strcmp(serve_tokens_name(t, i), name) == 0)
            return i;
    return !t && !*name ? -1 : -2;
}

static serve_kind kind_of(const char *run)
{
    int k = 0;
    while (k < SERVE_KINDS && strcmp(serve_kind_name((serve_kind)k), run) != 0)
        k++;
    return (serve_kind)k;
}

/* The reply of a record; false: it is none. */
static bool restore_reply(job *o, const char *state, const json_t *head, char *text, size_t n)
{
    static const char *const types[] = { SERVE_JSON, SERVE_NPY, SERVE_PROBLEM };
    const char *type = json_string_value(json_object_get(head, "type"));
    o->cut = strcmp(state, "accepted") == 0;
    o->state = strcmp(state, "cancelled") == 0 ? SERVE_CANCELLED : SERVE_DONE;
    if (strcmp(state, "done") != 0)
        return o->cut || o->state == SERVE_CANCELLED;
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i], type) == 0)
            o->reply.type = types[i];
    o->lasts = true;
    o->reply.status = (int)json_integer_value(json_object_get(head, "status"));
    o->reply.text = text;
    o->reply.n_text = n;
    return o->reply.type != NULL && o->reply.status >= 200;
}

/* Takes a job of an earlier process into the table, which is ordered by age. */
static bool restore(const char *id, const json_t *head, char *text, size_t n, void *user)
{
    serve_jobs *j = user;
    const char *name = json_string_value(json_object_get(head, "client")),
               *run = json_string_value(json_object_get(head, "run")),
               *state = json_string_value(json_object_get(head, "state"));
    job *o = calloc(1, sizeof *o), *before = j->last;
    double age = wall_clock() - json_number_value(json_object_get(head, "finished"));
    bool ok = o && name && run && state && strlen(id) < sizeof o->id && restore_reply(o, state, head, text, n);
    if (ok) {
        memcpy(o->id, id, strlen(id) + 1);
        o->of = j;
        o->client = o->reply.client = client_of(j->tokens, name);
        o->kind = kind_of(run);
        o->created = json_number_value(json_object_get(head, "created"));
        o->finished = serve_now() - (o->cut || age < 0 ? 0 : age);
        o->started = o->finished - json_number_value(json_object_get(head, "ran"));
        o->arrived = o->started - json_number_value(json_object_get(head, "waited"));
        o->reply.room = (int64_t)o->reply.n_text;
        ok = o->client >= -1 && o->kind < SERVE_KINDS && o->finished + j->keep > serve_now() &&
             j->bytes + o->reply.room <= j->bytes_most && serve_ledger_carry(o->client, SERVE_JOBS, 1);
        if (ok && !serve_ledger_carry(o->client, SERVE_MEMORY, o->reply.room)) {
            serve_ledger_give(o->client, SERVE_JOBS, 1);
            ok = false;
        }
    }
    if (!ok || !o->reply.text)
        free(text);
    if (!ok) {
        free(o);
        return false;
    }
    while (before && before->created > o->created)
        before = before->prev;
    insert(j, before, o);
    j->bytes += o->reply.room;
    return true;
}

void serve_jobs_restore(serve_jobs *j, serve_journal *journal, const serve_tokens *tokens)
{
    j->journal = journal;
    j->tokens = tokens;
    if (journal)
        serve_journal_read(journal, restore, j);
}

serve_reply serve_jobs_put(serve_jobs *j, serve_task *t, int client)
{
    job *o = calloc(1, sizeof *o);
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
        o->created = wall_clock();
        t->ended = ended;
        t->user = o;
        insert(j, j->last, o);
        ok = record(j, o, "accepted");
        if (!ok)
            r = serve_problem(507, "journal", "the job cannot be written: %s", strerror(errno));
        ok = ok && serve_queue_put(j->queue, t, &r);
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

/* The answer in the place of a result that a failed job does not have. Its own status is in the job's description: the request for the result is
 * no wrong one. */
static serve_reply failure(const serve_reply *of)
{
    json_t *problem = json_loadb(of->text ? of->text : of->tail, of->text ? of->n_text : of->n_tail, 0, NULL);
    const char *code = json_string_value(json_object_get(problem, "code")),
               *detail = json_string_value(json_object_get(problem, "detail"));
    serve_reply r = serve_problem(409, code ? code : "job", "the job failed: %s", detail ? detail : "");
    json_decref(problem);
    return r;
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
    else if (o->cut)
        r = serve_problem(410, "job", "the service ended before the job, and has started again: send the job again");
    else if (o->state == SERVE_CANCELLED)
        r = serve_problem(409, "job", "the job was cancelled");
    else if (o->task || o->state != SERVE_DONE)
        r = serve_problem(409, "job", "the job has not ended");
    else
        r = o->reply.status < 400 ? copy(&o->reply, client) : failure(&o->reply);
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
        (void)serve_task_state(j->queue, t, &o->started);
        o->finished = serve_now();
        o->task = NULL;
        serve_task_unref(j->queue, t);
        (void)record(j, o, "cancelled"); /* else it will be said to be cut */
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
    pthread_mutex_lock(&j->lock);
    j->stopped = true;
    pthread_mutex_unlock(&j->lock);
    return serve_queue_stop(j->queue, until);
}

void serve_jobs_free(serve_jobs *j)
{
    if (!j)
        return;
    j->journal = NULL; /* the records stay */
    while (j->first)
        forget(j, j->first);
    serve_queue_free(j->queue);
    (void)pthread_mutex_destroy(&j->lock);
    free(j);
}
