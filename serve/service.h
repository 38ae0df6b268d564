/* The service: its shared state, its routes, its life.
 * Must not know: libmicrohttpd. */
#ifndef ORR_SERVE_SERVICE_H
#define ORR_SERVE_SERVICE_H

#include "serve/http.h"
#include "serve/jobs.h"
#include "serve/models.h"

typedef struct serve_service {
    serve_options o;
    serve_array_limits most;
    serve_tokens *tokens;
    serve_models *models;
    serve_store *store;
    serve_queue *queue;
    serve_jobs *jobs;
    serve_journal *journal;
    serve_http *http;
    double began;
    atomic_bool ready;
} serve_service;

extern serve_service serve_the;
/* The table of routes; it ends with method NULL. */
extern const serve_route serve_routes[];
/* The paths of the routes, as the names in metrics, then "-" for requests without a route; ends with NULL. */
const char *const *serve_route_names(void);

/* serve/read.c */
serve_reply serve_get_devices(serve_request *r);
serve_reply serve_get_backends(serve_request *r);
serve_reply serve_get_models(serve_request *r);
serve_reply serve_get_metrics(serve_request *r);
serve_reply serve_get_prometheus(serve_request *r);
serve_reply serve_get_health(serve_request *r);
serve_reply serve_get_ready(serve_request *r);
serve_reply serve_get_openapi(serve_request *r);
serve_reply serve_get_docs(serve_request *r);
/* serve/compute.c */
serve_reply serve_post_gemm(serve_request *r);
serve_reply serve_post_elementwise(serve_request *r);
serve_reply serve_post_reduce(serve_request *r);
serve_reply serve_post_predict(serve_request *r);
serve_reply serve_post_field(serve_request *r);
serve_reply serve_post_msm(serve_request *r);
serve_reply serve_put_array(serve_request *r);
serve_reply serve_get_arrays(serve_request *r);
serve_reply serve_get_array(serve_request *r);
serve_reply serve_delete_array(serve_request *r);
serve_reply serve_post_job(serve_request *r);
serve_reply serve_get_jobs(serve_request *r);
serve_reply serve_get_job(serve_request *r);
serve_reply serve_get_result(serve_request *r);
serve_reply serve_delete_job(serve_request *r);

#endif
