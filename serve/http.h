/* HTTP by libmicrohttpd: connections and their time limits, bodies and their limits, tokens, answers.
 * Must not know: what the routes do. */
#ifndef ORR_SERVE_HTTP_H
#define ORR_SERVE_HTTP_H

#include "serve/options.h"
#include "serve/queue.h"
#include "serve/tokens.h"

typedef struct serve_http serve_http;

/* A request, whole: headers and body are there. */
typedef struct serve_request {
    int route;
    const char *argument; /* the text of the route's {…}; "" */
    int client;           /* −1: without a token             */
    bool npy_in, npy_out;
    char *body;         /* a block; the handler may take it with `room`: then it sets both 0 */
    size_t bytes, room; /* room: its bytes of the budget                */
    json_t *query;      /* an object of texts; the handler may take it, and sets this NULL */
    void *connection;   /* for serve_http_wait                            */
} serve_request;

typedef struct serve_route {
    const char *method, *path; /* "/v1/jobs/{id}/result" */
    bool open;                 /* without a token        */
    bool body;                 /* takes one: JSON, or a .npy */
    /* The answer; its status 0: it comes later, by serve_http_answer. */
    serve_reply (*handle)(serve_request *r);
} serve_route;

/* routes: ends with method NULL. address: where it listens, "127.0.0.1:8080". NULL, and the reason in `why`. */
serve_http *serve_http_start(const serve_options *o, const serve_tokens *tokens, const serve_route *routes, char *why,
                             size_t size);
int serve_http_port(const serve_http *h);
/* The request's connection waits for its answer. Called by a handler, which then returns status 0. */
void *serve_http_wait(serve_request *r);
/* The answer, which is taken over; `waiting` is what serve_http_wait gave. batch: works of its evaluation. Any thread. */
void serve_http_answer(void *waiting, serve_reply reply, int batch);
/* Cuts connections whose time is over. */
void serve_http_expire(serve_http *h, double now);
int serve_http_connections(serve_http *h);
/* Requests that are received, or wait for their answer or its end. */
int serve_http_busy(serve_http *h);
/* No new connections; each closes after its next answer. */
void serve_http_quiesce(serve_http *h);
void serve_http_stop(serve_http *h);

#endif
