/* Jobs: works whose results are fetched later.
 * Must not know: HTTP. */
#ifndef ORR_SERVE_JOBS_H
#define ORR_SERVE_JOBS_H

#include "serve/queue.h"

typedef struct serve_jobs serve_jobs;

/* most: jobs that are kept; bytes: of all their results; keep: seconds after the end. */
serve_jobs *serve_jobs_new(int most, int64_t bytes, double keep, double timeout);
/* Takes the task over. client: its owner; no other client sees it. The answer: 202 and its address, or 503. */
serve_reply serve_jobs_put(serve_jobs *j, serve_task *t, int client);
serve_reply serve_jobs_list(serve_jobs *j, int client);
serve_reply serve_jobs_status(serve_jobs *j, const char *id, int client);
/* 409 while there is none. */
serve_reply serve_jobs_result(serve_jobs *j, const char *id, int client);
/* A job that has not ended is cancelled; one that has is forgotten. */
serve_reply serve_jobs_cancel(serve_jobs *j, const char *id, int client);
void serve_jobs_expire(serve_jobs *j, double now);
/* Jobs that wait, and that run. */
void serve_jobs_count(serve_jobs *j, int *waiting, int *running, int *kept);
void serve_jobs_close(serve_jobs *j);
/* Returns when no job runs. */
void serve_jobs_stop(serve_jobs *j);
/* After serve_jobs_stop, when no request is under way. NULL is fine. */
void serve_jobs_free(serve_jobs *j);

#endif
