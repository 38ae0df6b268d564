/* Targets for the service: bodies of requests, read as orrery-serve reads them, and bytes of connections, from the first on.
 * Must not know: the routes of the service. */
#include "config.h"
#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <orrery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "serve/http.h"
#include "serve/ledger.h"
#include "serve/log.h"
#include "serve/queue.h"
#include "serve/service.h"
#include "serve/work.h"

serve_service serve_the;

_Noreturn void fuzz_failed(const char *what, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    abort();
}

static serve_reply echo(serve_request *r)
{
    char *text = malloc(r->bytes + 1);
    if (text && r->bytes)
        memcpy(text, r->body, r->bytes);
    return serve_reply_text(200, SERVE_JSON, text, r->bytes);
}

static serve_reply alive(serve_request *r)
{
    (void)r;
    return serve_reply_literal("text/plain", "ok\n");
}

static const serve_route routes[] = { { .method = "GET", .path = "/healthz", .open = true, .handle = alive },
                                      { .method = "GET", .path = "/v1/arrays/{name}", .handle = alive },
                                      { .method = "POST", .path = "/v1/echo", .body = true, .handle = echo },
                                      { .method = NULL } };

bool fuzz_begin(void)
{
    static char *words[] = { "orrery-serve", "--port", "0",     "--max-body", "64K",
                             "--max-memory", "16M",    "--log", "/dev/null" };
    char why[1024];
    serve_service *s = &serve_the;
    (void)setenv("ORRERY_JIT", "off", 1);
    (void)setenv("ORRERY_LOG", "error", 1);
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK ||
        serve_options_read(&s->o, (int)(sizeof words / sizeof *words), words) >= 0 ||
        !serve_log_open(s->o.log, s->o.log_level))
        return false;
    s->most = (serve_array_limits){ (int)s->o.max_rank, s->o.max_result, s->o.max_json };
    serve_ledger_open(false);
    serve_ledger_limit(SERVE_MEMORY, s->o.max_memory, "--max-memory");
    serve_ledger_limit(SERVE_WORKS, s->o.max_work, "--max-work");
    serve_ledger_limit(SERVE_JOBS, s->o.max_jobs, "--max-jobs");
    serve_block_limit(s->o.max_memory);
    s->store = serve_store_new((int)s->o.max_arrays, s->o.array_bytes, s->o.max_memory / 2, s->o.array_keep);
    s->http = serve_http_start(&s->o, NULL, routes, why, sizeof why);
    if (!s->http)
        (void)fprintf(stderr, "%s\n", why);
    return s->store && s->http;
}

void fuzz_end(void)
{
    serve_http_stop(serve_the.http);
    serve_store_free(serve_the.store);
    (void)orr_shutdown();
}

/* -- bodies ----------------------------------------------------------------------------------------------------- */

/* The first byte chooses the kind of work, the second one the form of body and answer. */
static void body(const unsigned char *data, size_t size)
{
    if (size < 2 || size > (size_t)serve_the.o.max_body)
        return;
    size_t n = size - 2;
    int64_t held = serve_ledger_taken(SERVE_MEMORY);
    char *block = serve_block_take(n);
    serve_body *b = block && serve_ledger_take(-1, SERVE_MEMORY, (int64_t)n, &(serve_reply){ 0 })
                        ? serve_body_new(block, n, -1)
                        : NULL;
    fuzz_expect(b != NULL);
    memcpy(block, data + 2, n);
    serve_work w = { .kind = (serve_kind)(data[0] % SERVE_PREDICT),
                     .most = &serve_the.most,
                     .store = serve_the.store,
                     .client = -1,
                     .longest = 0.05,
                     .npy = data[1] & 1,
                     .held = b,
                     .body = block,
                     .bytes = n,
                     .body_npy = data[1] & 2 };
    serve_work *const one = &w;
    if (!serve_work_understand(&w))
        fuzz_expect(w.reply.status >= 400 && w.reply.status < 600 && w.reply.n_text > 0);
    else if (serve_work_seconds(&w) < w.longest) {
        serve_work_run(&one, 1);
        fuzz_expect(w.reply.status == 200 || (w.reply.status >= 400 && w.reply.status < 600));
    }
    serve_work_clear(&w);
    serve_reply_free(&w.reply);
    fuzz_expect(serve_ledger_taken(SERVE_MEMORY) == held);
}

static unsigned char *seed_of(int kind, const char *text, size_t *size)
{
    *size = strlen(text) + 2;
    unsigned char *p = malloc(*size);
    if (p) {
        p[0] = (unsigned char)kind;
        p[1] = 0;
        memcpy(p + 2, text, *size - 2);
    }
    return p;
}

static unsigned char *make_body(int i, size_t *size)
{
    static const struct {
        int kind;
        const char *text;
    } seeds[] = {
        { SERVE_GEMM, "{\"a\": [[1, 2], [3, 4]], \"b\": [[1.5], [2]], \"alpha\": 2, \"transpose_a\": true}" },
        { SERVE_ELEMENTWISE, "{\"x\": [1, 2, 3], \"y\": 2, \"expression\": \"x*sigmoid(y)\", \"dtype\": \"float64\"}" },
        { SERVE_REDUCE, "{\"x\": {\"dtype\": \"int32\", \"shape\": [2, 2], \"data\": [1, 2, 3, 4]}, \"op\": \"sum\", "
                        "\"axes\": [0, -1], \"keepdims\": true}" },
        { SERVE_FIELD, "{\"op\": \"mul\", \"field\": \"bn254_fr\", \"x\": [\"1\", \"0x2\"], \"y\": [\"3\", \"4\"]}" },
        { SERVE_MSM, "{\"curve\": \"bn254_g1\", \"points\": [[\"1\", \"2\"]], \"scalars\": [\"5\"]}" },
    };
    return i < (int)(sizeof seeds / sizeof *seeds) ? seed_of(seeds[i].kind, seeds[i].text, size) : NULL;
}

/* -- connections -------------------------------------------------------------------------------------------------- */

/* -1: the ports of this machine are used up by connections that have ended. */
static int connected(void)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)serve_http_port(serve_the.http)) };
    struct timeval longest = { .tv_usec = 20000 };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fuzz_expect(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest) == 0);
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0)
        return fd;
    fuzz_expect(errno == EADDRNOTAVAIL || errno == EINTR);
    (void)close(fd);
    return -1;
}

/* A connection that sends the bytes, closes its half, and reads the answers. */
static void http(const unsigned char *data, size_t size)
{
    char answer[1 << 16];
    size_t got = 0;
    ssize_t n;
    int fd = connected();
    if (fd < 0)
        return;
    (void)send(fd, data, size, MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
    while (got < sizeof answer && (n = recv(fd, answer + got, sizeof answer - got, 0)) > 0)
        got += (size_t)n;
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
    (void)close(fd);
    fuzz_expect(got == 0 || (got > 12 && memcmp(answer, "HTTP/1.", 7) == 0));
}

static unsigned char *make_http(int i, size_t *size)
{
    static const char *const seeds[] = {
        "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "POST /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: "
        "close\r\n\r\n{}",
        "POST /v1/echo?a=b&c=%41 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: "
        "chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "GET /v1/arrays/x HTTP/1.1\r\nHost: a\r\nAccept: application/x-npy\r\nOrigin: http://b\r\n\r\nGET /healthz "
        "HTTP/1.0\r\n\r\n",
    };
    if (i >= 4)
        return NULL;
    *size = strlen(seeds[i]);
    return (unsigned char *)strdup(seeds[i]);
}

const fuzz_target fuzz_targets[] = {
    { "body", body, { NULL }, make_body, NULL, 5000 },
    { "http", http, { NULL }, make_http, NULL, 200 },
    { 0 },
};
