/* Jobs: works whose results are fetched later.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_JOBS_H
#define ORR_SERVE_JOBS_H

#include "serve/journal.h"
#include "serve/queue.h"
#include "serve/tokens.h"

typedef struct serve_jobs serve_jobs;

/* bytes: limit for all their results; keep: seconds after the end. Each job is booked in the ledger as SERVE_JOBS. */
serve_jobs *serve_jobs_new(int64_t bytes, double keep, double timeout);
/* Writes jobs and their results to the journal from now on, after it has read those of an earlier process: results, and of jobs that had not ended
 * that they were cut. Called before the first job. journal: NULL is fine; it must outlive the jobs. */
void serve_jobs_restore(serve_jobs *j, serve_journal *journal, const serve_tokens *tokens);
/* Takes ownership of the task. client: its owner; no other client sees the job. Returns 202 with the job's address,
 * or 503. */
serve_reply serve_jobs_put(serve_jobs *j, serve_task *t, int client);
serve_reply serve_jobs_list(serve_jobs *j, int client);
serve_reply serve_jobs_status(serve_jobs *j, const char *id, int client);
/* The job's result; 409 before it has ended; 410 if the service ended before it. */
serve_reply serve_jobs_result(serve_jobs *j, const char *id, int client);
/* Cancels a job that has not ended, and forgets one that has. */
serve_reply serve_jobs_cancel(serve_jobs *j, const char *id, int client);
void serve_jobs_expire(serve_jobs *j, double now);
/* The numbers of waiting, running and kept jobs. */
void serve_jobs_count(serve_jobs *j, int *waiting, int *running, int *kept);
void serve_jobs_close(serve_jobs *j);
/* As serve_queue_stop. */
bool serve_jobs_stop(serve_jobs *j, double until);
/* After serve_jobs_stop, when no request is under way. NULL is fine. */
void serve_jobs_free(serve_jobs *j);

#endif
