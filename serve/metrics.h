/* The service's counters: requests, times and sizes by route, batches; as JSON and in Prometheus' text format.
 * Must not know: how requests are answered. */
#ifndef ORR_SERVE_METRICS_H
#define ORR_SERVE_METRICS_H
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include "serve/tokens.h"

enum { SERVE_ROUTES_MOST = 32 };

/* The present state, read at the time of the request. */
typedef struct serve_gauges {
    double uptime;
    int connections, waiting, running, jobs_waiting, jobs_running, jobs_kept;
    int arrays;
    int64_t body_bytes, array_bytes;
} serve_gauges;

/* Counts an answered request. route: its number, 0 … SERVE_ROUTES_MOST − 1. */
void serve_count(int route, int status, double seconds, uint64_t bytes_in, uint64_t bytes_out);
/* Counts an evaluation of n works. */
void serve_count_batch(int n);
/* Counts a request that ended without an answer, cut by the client or by a time limit. */
void serve_count_cut(void);
/* names: of the routes, NULL-terminated. t: the clients, or NULL. */
json_t *serve_metrics_json(const char *const *names, const serve_gauges *g, const serve_tokens *t);
/* Memory of malloc; NULL: no memory. */
char *serve_metrics_text(const char *const *names, const serve_gauges *g, const serve_tokens *t, size_t *size);

#endif
