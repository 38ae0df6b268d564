/* Waiting works and the threads that compute them, equal small ones together; limits on their number and time.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_QUEUE_H
#define ORR_SERVE_QUEUE_H

#include "serve/work.h"

typedef struct serve_queue serve_queue;
typedef struct serve_task serve_task;

typedef enum serve_state { SERVE_WAITING, SERVE_RUNNING, SERVE_DONE, SERVE_CANCELLED } serve_state;

/* A work in the queue. `ended` is called once, on any thread, when the reply is ready: result, failure or time-out. It is not
 * called after serve_task_cancel. */
struct serve_task {
    serve_work work;
    void (*ended)(serve_task *t, serve_reply reply, void *user);
    bool (*left)(void *user); /* true: its owner does not wait any more; called at intervals. NULL: the owner waits */
    void *user;
    int batch; /* works in its evaluation */
    double arrived, started, finished;
    double seconds; /* predicted, until it ends */

    /* owned by the queue */
    serve_state state;
    uint64_t alike; /* a hash of the work's key; 0: it has none */
    double deadline;
    int refs;
    serve_task *next, *prev;     /* waiting        */
    serve_task *later, *earlier; /* all of the queue */
};

/* The rule of batching; most 1: each work by itself. */
typedef struct serve_batching {
    int most;
    double window; /* seconds for which a small work waits for others */
} serve_batching;

/* counts: the works of the queue are booked in the ledger as SERVE_WORKS. Among the clients with waiting works, the one that has got the
 * least time is next. NULL: no memory, or no thread. */
serve_queue *serve_queue_new(int threads, bool counts, double timeout, serve_batching batching);
/* Adds a thread for brief works of clients that have no other work running. False: it cannot be started. */
bool serve_queue_reserve(serve_queue *q);
/* Takes one reference of the task and leaves the caller another. False if there are too many tasks or the queue is closing; *why is then
 * the answer, and the caller keeps the task. */
bool serve_queue_put(serve_queue *q, serve_task *t, serve_reply *why);
/* Cancels a task without a waiter: it does not start, or its result is dropped. `ended` is not called after the return. False if
 * the task has ended or is ending. */
bool serve_task_cancel(serve_queue *q, serve_task *t);
void serve_task_unref(serve_queue *q, serve_task *t);
/* *started: the time at which its work began, 0 before. */
serve_state serve_task_state(serve_queue *q, const serve_task *t, double *started);
/* Ends the tasks whose deadline has passed, and those whose owner has left. */
void serve_queue_expire(serve_queue *q, double now);
int serve_queue_waiting(serve_queue *q);
int serve_queue_running(serve_queue *q);
/* Makes the queue refuse new works. */
void serve_queue_close(serve_queue *q);
/* Ends the waiting works with a 503, and waits until no thread runs, until the time `until` (serve_now). False: works are still running;
 * they have ended with a 503, too, and their threads use the queue. */
bool serve_queue_stop(serve_queue *q, double until);
/* After serve_queue_stop, when no request is under way. NULL is fine. */
void serve_queue_free(serve_queue *q);

/* Seconds, monotonic. */
double serve_now(void);

#endif
