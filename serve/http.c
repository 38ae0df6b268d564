/* The HTTP side: libmicrohttpd calls one function for the head of a request, for each piece of its body, and at its
 * end.
 * Must not know: what the routes do. */
#include "config.h"
#include "serve/http.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "serve/budget.h"
#include "serve/ledger.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/pace.h"

enum phase { RECEIVING, COMPUTING, SENDING };
/* Connections beyond --max-connections, until one of them is cut. */
enum { SPARE = 64 };
enum { PARAMETERS = 64 };    /* of a query, at most: no route has as many    */
enum { BUFFER = 192 << 10 }; /* of a connection: a head, or a piece of a body */
/* Pieces of a body: from MANY on, their average in bytes is LEAST. Each costs some microseconds of the one thread that receives, and a buffer
 * holds 32,000 of those that have a byte. The time is read for one of SOME small ones. */
enum { MANY = 1024, LEAST = 32, SOME = 32 };

/* A connection. Every phase except COMPUTING has a time limit. */
typedef struct connection {
    struct connection *next, *prev;
    serve_http *of;
    int fd;
    enum phase phase;
    bool begun; /* the head of a request has arrived */
    bool cut;   /* its socket was shut down          */
    double since;
    int sender;
    struct MHD_Connection *mhd;
    double due; /* while it is suspended for the share of its sender: when it goes on; else 0 */
} connection;

struct serve_http {
    struct MHD_Daemon *daemon;
    int listener;
    int port;
    const serve_options *o;
    const serve_tokens *tokens;
    const serve_route *routes;
    pthread_mutex_t lock; /* protects the list and the phases */
    connection *first;
    int count, paused;
    double looked;         /* when the latest look for late connections was */
    double spent, step;    /* the time of the thread so far, and of a step, about */
    double lately, booked; /* the time of the latest steps, and what was booked for it */
    atomic_bool closing;
    char *certificate, *key;
};

/* A request, from its head to the end of its answer. */
typedef struct request {
    serve_http *h;
    connection *c;
    struct MHD_Connection *mhd;
    serve_request r;
    char argument[128];
    double began;
    uint64_t got;      /* bytes of the body */
    serve_reply reply; /* status 0: none yet */
    uint64_t sent;
    int status;
    int batch;
    bool suspended, refused; /* refused: the rest of the body is not kept */
    double paid;             /* after a pause: seconds that are booked already */
    bool close;              /* the connection ends with the answer       */
    int parameters;          /* of the query */
    uint64_t pieces;         /* of the body  */
} request;

/* -- connections ------------------------------------------------------------------------------------------- */

/* The processor time of the calling thread, in seconds. */
static double thread_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void enter(connection *c, enum phase p)
{
    pthread_mutex_lock(&c->of->lock);
    c->phase = p;
    c->since = serve_now();
    if (p != RECEIVING)
        c->begun = true;
    pthread_mutex_unlock(&c->of->lock);
}

static void cut(connection *c)
{
    (void)shutdown(c->fd, SHUT_RDWR);
    c->cut = true;
}

/* The connection that makes place for others: it waits for a request, or for the end of one, for the longest time among those of the sender
 * that has most of such connections. *most: their number. */
static connection *to_evict(serve_http *h, int *most)
{
    int count[SERVE_SENDERS] = { 0 }, sender = -1;
    connection *worst = NULL;
    for (connection *c = h->first; c; c = c->next)
        if (c->phase == RECEIVING && c->fd >= 0 && !c->cut && (++count[c->sender] > *most || sender < 0)) {
            sender = c->sender;
            *most = count[sender];
        }
    for (connection *c = h->first; c; c = c->next)
        if (c->phase == RECEIVING && c->fd >= 0 && !c->cut && c->sender == sender &&
            (!worst || c->since < worst->since))
            worst = c;
    return worst;
}

/* Holds the connections within `all`: those beyond it take the places of others. If there are several clients, those of an address that wait
 * without a token have half of the places at most, apart from young ones, whose request may be on its way. A client that connects anew as soon
 * as it is cut makes little work by this. Under the lock. */
static void hold_within(serve_http *h, int64_t all, double now)
{
    const double young = 1; /* seconds */
    int64_t taken = 0, half = (h->o->max_connections + 1) / 2;
    for (connection *c = h->first; c; c = c->next)
        taken += !c->cut;
    for (int most = 0;; taken--, most = 0) {
        connection *c = to_evict(h, &most);
        bool many =
            c && serve_ledger_shared() && c->sender >= SERVE_TOKENS_MOST && most > half && now - c->since > young;
        if (!c || (taken <= all && !many))
            return;
        cut(c);
    }
}

static void started(serve_http *h, struct MHD_Connection *mhd, void **at)
{
    const union MHD_ConnectionInfo *fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD),
                                   *address = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    connection *c = calloc(1, sizeof *c);
    *at = c;
    if (!c)
        return;
    *c = (connection){ .of = h, .fd = fd ? fd->connect_fd : -1, .since = serve_now(), .mhd = mhd };
    c->sender = serve_sender_of(-1, address ? address->client_addr : NULL);
    pthread_mutex_lock(&h->lock);
    c->next = h->first;
    if (h->first)
        h->first->prev = c;
    h->first = c;
    h->count++;
    if (h->count > h->o->max_connections + SPARE / 2)
        hold_within(h, h->o->max_connections + SPARE / 2, c->since);
    pthread_mutex_unlock(&h->lock);
}

static void notify_connection(void *user, struct MHD_Connection *mhd, void **at,
                              enum MHD_ConnectionNotificationCode code)
{
    serve_http *h = user;
    connection *c = *at;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        started(h, mhd, at);
        return;
    }
    if (!c)
        return;
    pthread_mutex_lock(&h->lock);
    *(c->prev ? &c->prev->next : &h->first) = c->next;
    if (c->next)
        c->next->prev = c->prev;
    h->count--;
    pthread_mutex_unlock(&h->lock);
    free(c);
    *at = NULL;
}

static const double often = 0.04; /* seconds between two looks for late connections */

/* Shuts down the sockets of late connections without closing them; libmicrohttpd sees the end and closes them. The
 * lock prevents a close, and a reuse of the descriptor, in the meantime. */
static void end_late(serve_http *h, double now)
{
    for (connection *c = h->first; c; c = c->next) {
        double most = c->phase == RECEIVING ? h->o->read_timeout : h->o->write_timeout;
        if (c->phase != COMPUTING && c->fd >= 0 && !c->cut && (now - c->since > most))
            cut(c);
    }
    hold_within(h, h->o->max_connections, now);
    h->looked = now;
}

/* The thread that receives looks itself while it has requests: at each socket that another thread shuts down, it would wake up and wait for the
 * lock. */
void serve_http_expire(serve_http *h, double now)
{
    pthread_mutex_lock(&h->lock);
    if (now - h->looked > 2 * often)
        end_late(h, now);
    pthread_mutex_unlock(&h->lock);
}

int serve_http_resume(serve_http *h, double now)
{
    enum { AT_ONCE = 32 };
    struct MHD_Connection *due[AT_ONCE];
    int n, left;
    do {
        n = 0;
        pthread_mutex_lock(&h->lock);
        for (connection *c = h->first; c && h->paused > 0 && n < AT_ONCE; c = c->next)
            if (c->due > 0 && (c->due <= now || c->cut)) {
                c->due = 0;
                h->paused--;
                due[n++] = c->mhd;
            }
        left = h->paused;
        pthread_mutex_unlock(&h->lock);
        /* Without the lock, since the thread that receives wakes up and wants it. A connection does not end while it is suspended. */
        for (int i = 0; i < n; i++)
            MHD_resume_connection(due[i]);
    } while (n == AT_ONCE);
    return left;
}

static const double unusual = 3; /* usual steps, and usual ratios of the time to what is booked */

/* Books a part of the thread's time for a sender. Time that belongs to no step is booked in proportion. Returns the time at which the sender may go
 * on. */
static double book(serve_http *h, int sender, double seconds, double now)
{
    h->booked += seconds;
    double ratio = h->lately < unusual * h->booked ? h->lately / h->booked : unusual;
    return serve_pace(sender, seconds * ratio, now);
}

/* The thread's time since the last call. libmicrohttpd calls nothing while it sends answers or ends connections: if the step is much longer
 * than usual, it was for others than the sender that is next. */
static double step_of(serve_http *h)
{
    static const double share = 0.02; /* of the newest step in the usual one */
    double spent = thread_time(), step = spent - h->spent;
    h->spent = spent;
    h->lately += step - share * h->lately;
    h->booked -= share * h->booked;
    if (h->step > 0 && step > unusual * h->step)
        step = unusual * h->step;
    h->step += share * (step - h->step);
    return step;
}

/* Books the thread's time since the last call for the request's sender. True if that is more than its share: the connection then pauses, and
 * its next step is booked with the time of a step, about. */
static bool pauses(request *q)
{
    serve_http *h = q->h;
    if (!serve_ledger_shared())
        return false;
    double now = serve_now(), step = step_of(h), due = book(h, q->c->sender, q->paid ? step - q->paid : step, now);
    bool over = due > now && !(q->paid > 0);
    q->paid = 0;
    if (!over)
        return false;
    q->paid = h->step;
    pthread_mutex_lock(&h->lock);
    q->c->due = book(h, q->c->sender, h->step, now);
    h->paused++;
    MHD_suspend_connection(q->mhd);
    pthread_mutex_unlock(&h->lock);
    return true;
}

int serve_http_connections(serve_http *h)
{
    pthread_mutex_lock(&h->lock);
    int n = h->count;
    pthread_mutex_unlock(&h->lock);
    return n;
}

int serve_http_busy(serve_http *h)
{
    int n = 0;
    pthread_mutex_lock(&h->lock);
    for (connection *c = h->first; c; c = c->next)
        n += c->begun;
    pthread_mutex_unlock(&h->lock);
    return n;
}

/* -- the head ---------------------------------------------------------------------------------------------- */

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* True if `path` matches the route. The text of {…}, which must not be empty, is copied to argument. */
static bool matches(const char *route, const char *path, char *argument, size_t size)
{
    argument[0] = '\0';
    while (*route && *path) {
        if (*route == '{') {
            size_t n = strcspn(path, "/");
            if (n == 0 || n >= size)
                return false;
            memcpy(argument, path, n);
            argument[n] = '\0';
            path += n;
            route += strcspn(route, "}") + 1;
        } else if (*route++ != *path++) {
            return false;
        }
    }
    return !*route && !*path;
}

/* The number of the route, or −1 and a reply with the reason. */
static int find(request *q, const char *method, const char *path)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "DELETE" };
    enum { METHODS = sizeof methods / sizeof *methods };
    bool others[METHODS] = { false }, any = false;
    for (int i = 0; q->h->routes[i].method; i++) {
        const char *is = q->h->routes[i].method;
        if (!matches(q->h->routes[i].path, path, q->argument, sizeof q->argument))
            continue;
        if (strcmp(is, method) == 0 || (strcmp(is, "GET") == 0 && strcmp(method, "HEAD") == 0))
            return i;
        for (int k = 0; k < METHODS; k++)
            others[k] = others[k] || strcmp(is, methods[k]) == 0;
        any = true;
    }
    q->reply = any ? serve_problem(405, "method", "another method is wanted here: see the Allow header")
                   : serve_problem(404, "route", "there is nothing here; /docs lists what there is");
    size_t n = 0;
    for (int k = 0; k < METHODS; k++)
        if (others[k])
            n += (size_t)snprintf(q->reply.allow + n, sizeof q->reply.allow - n, "%s%s%s", n ? ", " : "", methods[k],
                                  k == 0 ? ", HEAD" : "");
    return -1;
}

/* A page of another site may send requests to the loopback address under a host name of its own. Where no token is
 * required, the host name must be one of the service's. */
static bool own_host(const request *q)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
    const char *host = header(q->mhd, "Host");
    if (!host)
        return false;
    for (int i = 0; i < 3; i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(host, names[i], n) == 0 && (!host[n] || host[n] == ':'))
            return true;
    }
    size_t n = strlen(q->h->o->listen);
    return strncmp(host, q->h->o->listen, n) == 0 && (!host[n] || host[n] == ':');
}

static bool admitted(request *q, const serve_route *route)
{
    const char *given = header(q->mhd, "Authorization");
    q->r.client = -1;
    if (!q->h->tokens) {
        if (own_host(q))
            return true;
        q->reply = serve_problem(403, "host", "without tokens the Host is localhost or the address itself");
        return false;
    }
    if (given && strncasecmp(given, "Bearer ", 7) == 0)
        q->r.client = serve_tokens_find(q->h->tokens, given + 7 + strspn(given + 7, " "));
    if (q->r.client >= 0) {
        pthread_mutex_lock(&q->h->lock);
        q->c->sender = serve_sender_of(q->r.client, NULL);
        pthread_mutex_unlock(&q->h->lock);
    }
    if (q->r.client >= 0 || route->open)
        return true;
    q->reply = serve_problem(401, "token", "%s", given ? "the token is not known" : "a bearer token is wanted");
    return false;
}

static bool is_type(const char *value, const char *type)
{
    size_t n = strlen(type);
    return value && strncasecmp(value, type, n) == 0 && (!value[n] || strchr("; \t,", value[n]));
}

/* True if the header of acceptable types has none of those that there are. */
static bool accepts_none(const char *accept)
{
    static const char *const types[] = { SERVE_NPY, SERVE_JSON, "*/*", "application/*" };
    for (size_t i = 0; accept && i < sizeof types / sizeof *types; i++)
        if (strstr(accept, types[i]))
            return false;
    return accept != NULL;
}

/* Checks the types of the request's body and of the answer. */
static bool understood(request *q, const serve_route *route)
{
    const char *type = header(q->mhd, "Content-Type"), *accept = header(q->mhd, "Accept");
    const char *length = header(q->mhd, "Content-Length");
    q->r.npy_in = is_type(type, SERVE_NPY);
    q->r.npy_out = accept && strstr(accept, SERVE_NPY)    ? true
                   : accept && strstr(accept, SERVE_JSON) ? false
                                                          : q->r.npy_in;
    if (route->chosen && accepts_none(accept)) {
        q->reply = serve_problem(406, "type", "an answer is " SERVE_JSON " or " SERVE_NPY);
        return false;
    }
    if (!route->body) {
        if (!(length && strtoull(length, NULL, 10) > 0) && !header(q->mhd, "Transfer-Encoding"))
            return true;
        q->reply = serve_problem(400, "body", "no body is wanted here");
        return false;
    }
    if (!q->r.npy_in && !is_type(type, SERVE_JSON)) {
        q->reply = serve_problem(415, "type", "the Content-Type is " SERVE_JSON " or " SERVE_NPY);
        return false;
    }
    int64_t most = q->r.npy_in || q->h->o->max_json > q->h->o->max_body ? q->h->o->max_body : q->h->o->max_json;
    if (length && strtoull(length, NULL, 10) > (unsigned long long)most) {
        q->reply = serve_problem(413, "limit", "the body has more than %lld bytes", (long long)most);
        return false;
    }
    return true;
}

static enum MHD_Result add_query(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
    request *q = user;
    (void)kind;
    if (++q->parameters > PARAMETERS) {
        q->reply = serve_problem(400, "parameter", "there are more than %d parameters", PARAMETERS);
        return MHD_NO;
    }
    if (json_object_get(q->r.query, name)) {
        q->reply = serve_problem(400, "parameter", "a parameter comes twice");
        return MHD_NO;
    }
    if (json_object_set_new(q->r.query, name, json_string(value ? value : "")) == 0)
        return MHD_YES;
    q->reply = serve_problem(400, "parameter", "the query is no UTF-8");
    return MHD_NO;
}

static enum MHD_Result count_header(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
    static const char other[] = " \t\r\n\v\f\"(),/:;<=>?@[\\]{}";
    int *n = user;
    (void)kind;
    (void)value;
    n[0] += strcasecmp(name, "Host") == 0;
    n[1] += strcasecmp(name, "Content-Length") == 0;
    n[2] += strcasecmp(name, "Transfer-Encoding") == 0;
    n[3] += !*name || strpbrk(name, other) != NULL;
    return MHD_YES;
}

/* A proxy that reads a message with two lengths in another way than this service would take a part of its body for the next request, of
 * another client. RFC 9112, sections 3.2 and 6.3. */
static bool framed(request *q)
{
    int n[4] = { 0 };
    const char *encoding = header(q->mhd, "Transfer-Encoding"), *length = header(q->mhd, "Content-Length");
    (void)MHD_get_connection_values(q->mhd, MHD_HEADER_KIND, count_header, n);
    const char *why = n[0] > 1       ? "there are two Host headers"
                      : n[1] > 1     ? "there are two Content-Length headers"
                      : n[2] > 1     ? "there are two Transfer-Encoding headers"
                      : n[1] && n[2] ? "there are a Content-Length and a Transfer-Encoding"
                      : encoding && strcasecmp(encoding, "chunked") != 0 ? "the Transfer-Encoding is not chunked"
                      : n[3]                                             ? "the name of a header is no name"
                      : length && (!*length || length[strspn(length, "0123456789")]) ? "the Content-Length is no number"
                                                                                     : NULL;
    if (!why)
        return true;
    q->reply = serve_problem(400, "framing", "%s", why);
    q->close = true;
    return false;
}

/* A page of another site may make a browser send requests here. A browser says so. */
static bool from_own_site(request *q)
{
    const char *site = header(q->mhd, "Sec-Fetch-Site"), *origin = header(q->mhd, "Origin"),
               *host = header(q->mhd, "Host");
    bool other = site && strcmp(site, "cross-site") == 0;
    if (origin && host && strcmp(origin, "null") != 0) {
        const char *name = strstr(origin, "://");
        other = other || !name || strcasecmp(name + 3, host) != 0;
    } else if (origin) {
        other = true;
    }
    if (!other)
        return true;
    q->reply = serve_problem(403, "origin", "requests of other sites' pages are not served");
    return false;
}

static void take_head(request *q, const char *method, const char *path)
{
    if (!framed(q))
        return;
    q->r.route = find(q, method, path);
    q->r.argument = q->argument;
    if (q->r.route < 0)
        return;
    const serve_route *route = &q->h->routes[q->r.route];
    if (!from_own_site(q) || !admitted(q, route) || !understood(q, route))
        return;
    q->r.query = json_object();
    if (!q->r.query)
        q->reply = serve_problem(503, "ORR_ENOMEM", "there is no memory");
    else
        (void)MHD_get_connection_values(q->mhd, MHD_GET_ARGUMENT_KIND, add_query, q);
}

/* -- the body ---------------------------------------------------------------------------------------------- */

static void drop_body(request *q)
{
    serve_ledger_give(q->r.client, SERVE_MEMORY, (int64_t)q->r.room);
    serve_block_free(q->r.body, q->r.room);
    q->r.room = 0;
    q->r.body = NULL;
}

/* Memory for n bytes: the announced length if it is small, else as the bytes arrive. */
static bool grow(request *q, size_t n)
{
    const char *length = header(q->mhd, "Content-Length");
    size_t announced = length ? strtoull(length, NULL, 10) : 0, room = 2 * q->r.room > 4096 ? 2 * q->r.room : 4096;
    if (announced >= n && (announced <= (size_t)4 << 20 || announced < room))
        room = announced;
    if (room < n)
        room = n;
    if (room > SERVE_BLOCK_LARGE)
        room = (room + SERVE_BLOCK_LARGE - 1) / SERVE_BLOCK_LARGE * SERVE_BLOCK_LARGE;
    if (!serve_ledger_take(q->r.client, SERVE_MEMORY, (int64_t)(room - q->r.room), &q->reply))
        return false;
    char *p = q->r.body ? realloc(q->r.body, room + 1) : serve_block_take(room);
    if (!p) {
        serve_ledger_give(q->r.client, SERVE_MEMORY, (int64_t)(room - q->r.room));
        q->reply = serve_problem(503, "ORR_ENOMEM", "there is no memory for the body");
        return false;
    }
    q->r.body = p;
    q->r.room = room;
    return true;
}

static void take_body(request *q, const char *data, size_t n)
{
    int64_t most = q->r.npy_in || q->h->o->max_json > q->h->o->max_body ? q->h->o->max_body : q->h->o->max_json;
    q->got += n;
    if (q->refused)
        return;
    if (q->r.bytes + n > (size_t)most)
        q->reply = serve_problem(413, "limit", "the body has more than %lld bytes", (long long)most);
    else if (q->r.bytes + n <= q->r.room || grow(q, q->r.bytes + n)) {
        memcpy(q->r.body + q->r.bytes, data, n);
        q->r.bytes += n;
        return;
    }
    q->refused = true;
    drop_body(q);
}

/* -- the answer -------------------------------------------------------------------------------------------- */

static void free_reply(void *user)
{
    serve_reply *r = user;
    serve_reply_free(r);
    free(r);
}

static void add(struct MHD_Response *m, const char *name, const char *value)
{
    (void)MHD_add_response_header(m, name, value);
}

/* Books a text that is not booked yet: many that nobody reads are much memory. */
static void book_answer(request *q)
{
    enum { SMALL = 4 << 10 };
    serve_reply why;
    if (q->reply.room || q->reply.n_text <= SMALL)
        return;
    if (serve_ledger_take(q->r.client, SERVE_MEMORY, (int64_t)q->reply.n_text, &why)) {
        q->reply.room = (int64_t)q->reply.n_text;
        q->reply.client = q->r.client;
        return;
    }
    serve_reply_free(&q->reply);
    q->reply = why;
}

static enum MHD_Result send_reply(request *q)
{
    book_answer(q);
    serve_reply *r = malloc(sizeof *r);
    struct MHD_Response *m = NULL;
    if (r) {
        *r = q->reply;
        q->reply.text = NULL;
        q->reply.value = NULL;
        q->reply.room = 0;
        struct MHD_IoVec parts[2];
        unsigned n = 0;
        if (r->n_text)
            parts[n++] = (struct MHD_IoVec){ r->text, r->n_text };
        if (r->n_tail)
            parts[n++] = (struct MHD_IoVec){ r->tail, r->n_tail };
        m = MHD_create_response_from_iovec(parts, n, free_reply, r);
        if (!m)
            free_reply(r);
    }
    if (!m)
        return MHD_NO;
    q->status = q->reply.status;
    q->sent = q->reply.n_text + q->reply.n_tail;
    add(m, "Content-Type", q->reply.type);
    add(m, "Cache-Control", "no-store");
    add(m, "X-Content-Type-Options", "nosniff");
    if (strncmp(q->reply.type, "text/html", 9) == 0)
        add(m, "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    if (q->status == 401)
        add(m, "WWW-Authenticate", "Bearer realm=\"orrery\"");
    if (q->status == 503 || q->status == 429)
        add(m, "Retry-After", "1");
    if (q->reply.allow[0])
        add(m, "Allow", q->reply.allow);
    if (q->reply.location[0])
        add(m, "Location", q->reply.location);
    if (atomic_load(&q->h->closing) || q->close)
        add(m, "Connection", "close");
    enter(q->c, SENDING);
    enum MHD_Result ok = MHD_queue_response(q->mhd, (unsigned)q->status, m);
    MHD_destroy_response(m);
    return ok;
}

void *serve_http_wait(serve_request *r)
{
    request *q = r->connection;
    enter(q->c, COMPUTING);
    q->suspended = true;
    MHD_suspend_connection(q->mhd);
    return q;
}

bool serve_http_left(void *waiting)
{
    const request *q = waiting;
    struct pollfd end = { .fd = q->c->fd, .events = POLLRDHUP };
    return poll(&end, 1, 0) > 0;
}

void serve_http_answer(void *waiting, serve_reply reply, int batch)
{
    request *q = waiting;
    q->reply = reply;
    q->batch = batch;
    MHD_resume_connection(q->mhd);
}

/* A path or a parameter with an escaped 0 stays escaped: as a C string it would end there and name another resource. */
static size_t unescape(void *user, struct MHD_Connection *mhd, char *text)
{
    (void)user;
    (void)mhd;
    return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

static request *begin(serve_http *h, struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    request *q = info && info->socket_context ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return NULL;
    *q = (request){ .h = h, .c = info->socket_context, .mhd = mhd, .began = serve_now() };
    q->r.connection = q;
    q->r.client = -1;
    q->r.route = -1;
    pthread_mutex_lock(&h->lock);
    q->c->begun = true; /* the time limit still counts from the start of the connection or the end of its last answer */
    if (q->began - h->looked > often)
        end_late(h, q->began);
    pthread_mutex_unlock(&h->lock);
    return q;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *mhd, const char *path, const char *method,
                              const char *version, const char *data, size_t *n, void **at)
{
    request *q = *at;
    (void)version;
    if (!q) {
        if (!(q = *at = begin(user, mhd)))
            return MHD_NO;
        take_head(q, method, path);
        q->refused = q->reply.status != 0;
        return q->refused && !pauses(q) ? send_reply(q) : MHD_YES;
    }
    if (q->suspended) { /* resumed: the answer is ready */
        q->suspended = false;
        return send_reply(q);
    }
    bool small = *n > 0 && *n < LEAST && q->pieces % SOME > 0;
    if (!small && pauses(q))
        return MHD_YES; /* called again with the same piece */
    if (*n) {
        if (++q->pieces > MANY && q->got < LEAST * q->pieces && header(mhd, "Transfer-Encoding"))
            return MHD_NO; /* ends the connection: an answer is possible at the end of the body only */
        take_body(q, data, *n);
        *n = 0;
        return MHD_YES;
    }
    if (!q->reply.status) {
        serve_reply r = q->h->routes[q->r.route].handle(&q->r);
        if (!r.status)
            return MHD_YES; /* suspended until the answer is ready */
        q->reply = r;
    }
    return send_reply(q);
}

static void completed(void *user, struct MHD_Connection *mhd, void **at, enum MHD_RequestTerminationCode code)
{
    serve_http *h = user;
    request *q = *at;
    (void)mhd;
    if (!q)
        return;
    static const double by_byte = 5e-10; /* seconds to send one */
    double now = serve_now(), took = now - q->began;
    const char *route = q->r.route >= 0 ? h->routes[q->r.route].path : "-";
    const char *method = q->r.route >= 0 ? h->routes[q->r.route].method : "-";
    if (q->status && code == MHD_REQUEST_TERMINATED_COMPLETED_OK) {
        int routes = 0;
        while (h->routes[routes].method)
            routes++;
        serve_count(q->r.route >= 0 ? q->r.route : routes, q->status, took, q->got, q->sent);
        serve_log(SERVE_LOG_REQUEST, "request",
                  "\"method\": \"%s\", \"route\": \"%s\", \"status\": %d, \"seconds\": %.6f, \"bytes_in\": %llu, "
                  "\"bytes_out\": %llu, \"client\": \"%s\", \"batch\": %d",
                  method, route, q->status, took, (unsigned long long)q->got, (unsigned long long)q->sent,
                  serve_tokens_name(h->tokens, q->r.client), q->batch);
    } else {
        serve_count_cut();
        serve_log(SERVE_LOG_REQUEST, "cut",
                  "\"method\": \"%s\", \"route\": \"%s\", \"seconds\": %.6f, \"bytes_in\": %llu, \"client\": \"%s\"",
                  method, route, took, (unsigned long long)q->got, serve_tokens_name(h->tokens, q->r.client));
    }
    (void)book(h, q->c->sender, by_byte * (double)q->sent, now);
    pthread_mutex_lock(&h->lock);
    q->c->begun = false;
    q->c->phase = RECEIVING;
    q->c->since = serve_now();
    pthread_mutex_unlock(&h->lock);
    drop_body(q);
    json_decref(q->r.query);
    serve_reply_free(&q->reply);
    free(q);
    *at = NULL;
}

/* -- start and stop ---------------------------------------------------------------------------------------- */

static char *slurp(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_size > 1 << 20)
        return NULL;
    char *text = calloc(1, (size_t)st.st_size + 1);
    if (text && read(fd, text, (size_t)st.st_size) != (ssize_t)st.st_size) {
        free(text);
        return NULL;
    }
    return text;
}

/* A listening socket; −1 and the reason on error. */
static int listener(const serve_options *o, int *port, char *why, size_t size)
{
    struct sockaddr_in in4 = { .sin_family = AF_INET, .sin_port = htons((uint16_t)o->port) };
    struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)o->port) };
    bool v4 = inet_pton(AF_INET, o->listen, &in4.sin_addr) == 1,
         v6 = inet_pton(AF_INET6, o->listen, &in6.sin6_addr) == 1;
    int fd = v4 || v6 ? socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1, on = 1;
    const struct sockaddr *at = v4 ? (const struct sockaddr *)&in4 : (const struct sockaddr *)&in6;
    socklen_t n = v4 ? sizeof in4 : sizeof in6;
    struct sockaddr_storage is;
    socklen_t m = sizeof is;
    if (!v4 && !v6) {
        (void)snprintf(why, size, "--listen %s: is no numeric address", o->listen);
        return -1;
    }
    if (fd >= 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, at, n) != 0 || listen(fd, 1024) != 0 || getsockname(fd, (struct sockaddr *)&is, &m) != 0) {
        (void)snprintf(why, size, "%s, port %lld: %m", o->listen, (long long)o->port);
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    *port = ntohs(is.ss_family == AF_INET ? ((struct sockaddr_in *)&is)->sin_port
                                          : ((struct sockaddr_in6 *)&is)->sin6_port);
    return fd;
}

static bool read_tls(serve_http *h, char *why, size_t size)
{
    const serve_options *o = h->o;
    if (!o->certificate)
        return true;
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
        (void)snprintf(why, size, "--tls-certificate: this libmicrohttpd has no TLS");
        return false;
    }
    int fd = serve_secret_open(o->key, why, size);
    if (fd < 0)
        return false;
    h->key = slurp(fd);
    (void)close(fd);
    FILE *f = fopen(o->certificate, "re");
    h->certificate = f ? slurp(fileno(f)) : NULL;
    if (f)
        (void)fclose(f);
    if (h->key && h->certificate)
        return true;
    (void)snprintf(why, size, "%s: cannot be read", h->key ? o->certificate : o->key);
    return false;
}

serve_http *serve_http_start(const serve_options *o, const serve_tokens *tokens, const serve_route *routes, char *why,
                             size_t size)
{
    serve_http *h = calloc(1, sizeof *h);
    if (!h) {
        (void)snprintf(why, size, "no memory");
        return NULL;
    }
    h->o = o;
    h->tokens = tokens;
    h->routes = routes;
    (void)pthread_mutex_init(&h->lock, NULL);
    h->listener = read_tls(h, why, size) ? listener(o, &h->port, why, size) : -1;
    if (h->listener >= 0) {
        struct MHD_OptionItem tls[] = { { MHD_OPTION_HTTPS_MEM_KEY, 0, h->key },
                                        { MHD_OPTION_HTTPS_MEM_CERT, 0, h->certificate },
                                        { MHD_OPTION_END, 0, NULL } };
        /* Not epoll: libmicrohttpd's is edge-triggered, and loses the end of a connection that comes together with data. */
        unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME;
        h->daemon = MHD_start_daemon(
            flags | (h->key ? (unsigned)MHD_USE_TLS : 0u), (uint16_t)o->port, NULL, NULL, handle, h,
            MHD_OPTION_LISTEN_SOCKET, h->listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(o->max_connections + SPARE),
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)BUFFER, MHD_OPTION_STRICT_FOR_CLIENT, 1,
            MHD_OPTION_NOTIFY_CONNECTION, notify_connection, h, MHD_OPTION_NOTIFY_COMPLETED, completed, h,
            MHD_OPTION_UNESCAPE_CALLBACK, unescape, h, MHD_OPTION_ARRAY, h->key ? tls : tls + 2, MHD_OPTION_END);
        if (h->daemon)
            return h;
        (void)snprintf(why, size, "libmicrohttpd cannot start%s",
                       h->key ? ": is the certificate that of the key?" : "");
        (void)close(h->listener);
    }
    serve_http_stop(h);
    return NULL;
}

int serve_http_port(const serve_http *h)
{
    return h->port;
}

void serve_http_quiesce(serve_http *h)
{
    atomic_store(&h->closing, true);
    MHD_socket fd = MHD_quiesce_daemon(h->daemon);
    if (fd != MHD_INVALID_SOCKET)
        (void)close(fd);
}

void serve_http_stop(serve_http *h)
{
    if (h->daemon)
        MHD_stop_daemon(h->daemon);
    if (h->key)
        explicit_bzero(h->key, strlen(h->key));
    free(h->key);
    free(h->certificate);
    (void)pthread_mutex_destroy(&h->lock);
    free(h);
}
