/* HTTP by libmicrohttpd: connections and their time limits, bodies and their limits, tokens, answers.
 * Must not know: what the routes do. */
#ifndef ORR_SERVE_HTTP_H
#define ORR_SERVE_HTTP_H

#include "serve/options.h"
#include "serve/queue.h"
#include "serve/tokens.h"

typedef struct serve_http serve_http;

/* A complete request: headers and body have arrived. */
typedef struct serve_request {
    int route;
    const char *argument; /* the text of the route's {…}; "" */
    int client;           /* −1: without a token             */
    bool npy_in, npy_out;
    char *body;         /* a block; a handler that takes it and `room` sets both 0    */
    size_t bytes, room; /* room: the body's bytes of the budget                       */
    json_t *query;      /* an object of texts; a handler that takes it sets this NULL */
    void *connection;   /* for serve_http_wait                                        */
} serve_request;

typedef struct serve_route {
    const char *method, *path; /* "/v1/jobs/{id}/result"         */
    bool open;                 /* without a token                */
    bool body;                 /* it has a body: JSON, or a .npy */
    bool chosen;               /* the form of its answer is chosen by Accept */
    /* Returns the answer. Status 0: the answer follows by serve_http_answer. */
    serve_reply (*handle)(serve_request *r);
} serve_route;

/* Starts the server. routes: ends with method NULL. NULL on error, with the reason in `why`. */
serve_http *serve_http_start(const serve_options *o, const serve_tokens *tokens, const serve_route *routes, char *why,
                             size_t size);
int serve_http_port(const serve_http *h);
/* Suspends the request's connection until its answer. Called by a handler, which then returns status 0. */
void *serve_http_wait(serve_request *r);
/* True if the client has closed its side of the connection: nobody waits any more. */
bool serve_http_left(void *waiting);
/* Sends the answer and takes ownership of it. waiting: the result of serve_http_wait. batch: works of its evaluation.
 * Any thread may call it. */
void serve_http_answer(void *waiting, serve_reply reply, int batch);
/* Cuts connections whose time limit has passed. */
void serve_http_expire(serve_http *h, double now);
int serve_http_connections(serve_http *h);
/* Lets connections go on that paused for the share of their sender. Returns the number of those that still pause. */
int serve_http_resume(serve_http *h, double now);
/* The number of requests that are received, computed or answered now. */
int serve_http_busy(serve_http *h);
/* Accepts no new connections; each connection closes after its next answer. */
void serve_http_quiesce(serve_http *h);
void serve_http_stop(serve_http *h);

#endif
