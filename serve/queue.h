/* Works that wait, threads that compute them, equal small ones together; limits on their number and time.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_QUEUE_H
#define ORR_SERVE_QUEUE_H

#include "serve/work.h"

typedef struct serve_queue serve_queue;
typedef struct serve_task serve_task;

typedef enum serve_state { SERVE_WAITING, SERVE_RUNNING, SERVE_DONE, SERVE_CANCELLED } serve_state;

/* A work on its way. `ended` is called once, on any thread, when the reply is there: result, failure or time-out; not after
 * serve_task_cancel. */
struct serve_task {
    serve_work work;
    void (*ended)(serve_task *t, serve_reply reply, void *user);
    void *user;
    int batch; /* works of the evaluation that it was part of */
    double arrived, started, finished;

    /* the queue's */
    serve_state state;
    double deadline;
    int refs;
    serve_task *next, *prev;     /* waiting        */
    serve_task *later, *earlier; /* all of the queue */
};

/* How works go together; most 1: each by itself. */
typedef struct serve_batching {
    int most;
    double window; /* seconds that a small work waits for others */
} serve_batching;

/* most: works that wait or run. NULL: no memory, or no thread. */
serve_queue *serve_queue_new(int threads, int most, double timeout, serve_batching batching);
/* Takes the task over with one reference, and leaves the caller another. false: there are too many, or the queue is closing; then
 * nothing was taken. */
bool serve_queue_put(serve_queue *q, serve_task *t);
/* The task has no waiter any more: it does not start, or its result is dropped. Once it returns `ended` is not called. false: it had
 * ended already, or is ending. */
bool serve_task_cancel(serve_queue *q, serve_task *t);
void serve_task_unref(serve_queue *q, serve_task *t);
serve_state serve_task_state(serve_queue *q, const serve_task *t);
/* Ends those whose time is over. */
void serve_queue_expire(serve_queue *q, double now);
int serve_queue_waiting(serve_queue *q);
int serve_queue_running(serve_queue *q);
/* No more works are taken. */
void serve_queue_close(serve_queue *q);
/* Those that wait are ended with a 503; returns when no thread runs. */
void serve_queue_stop(serve_queue *q);
/* After serve_queue_stop, when no request is under way. NULL is fine. */
void serve_queue_free(serve_queue *q);

/* Seconds, monotonic. */
double serve_now(void);

#endif
