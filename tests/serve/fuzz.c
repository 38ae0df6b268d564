/* orrery-serve under random requests: well-formed, malformed, oversized, cut, slow, with wrong tokens; arrays are
 * kept and deleted by name among them. The service continues to answer, its memory stays constant, and no token is
 * in its log. 2,000 requests; 100,000 with ORR_TEST_FULL; ORR_TEST_REQUESTS: another number, ORR_TEST_SEED: another
 * seed.
 * Must not know: how the service is made. */
#include "config.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

static server s;
static unsigned long long seed = 2024;
static const char token[] = "fuzz-token-0123456789abcdef-secret";

static unsigned draw(unsigned n)
{
    return (unsigned)(orr_test_rand(&seed) % n);
}

/* A request as bytes. */
typedef struct text {
    char p[1 << 17];
    size_t n;
} text;

static void put(text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->p + t->n, sizeof t->p - t->n, fmt, ap);
    va_end(ap);
    t->n = n < 0 || t->n + (size_t)n >= sizeof t->p ? sizeof t->p - 1 : t->n + (size_t)n;
}

/* -- bodies ------------------------------------------------------------------------------------------------ */

static void put_array(text *t, int depth)
{
    static const char *const odd[] = { "null", "true",  "\"NaN\"", "1e308", "-0.0", "9223372036854775807",
                                       "{}",   "\"x\"", "[]" };
    if (draw(40) == 0) {
        put(t, "%s", odd[draw(9)]);
        return;
    }
    if (draw(12) == 0) {
        put(t, "{\"array\": \"k%u\"}", draw(8));
        return;
    }
    if (draw(20) == 0) {
        put(t, "{\"shape\": [%u, %u], \"dtype\": \"%s\", \"data\": [1, 2, 3, 4]}", draw(4), draw(4),
            draw(2) ? "float32" : "int16");
        return;
    }
    if (depth == 0) {
        put(t, "%d.%u", (int)draw(200) - 100, draw(100));
        return;
    }
    put(t, "[");
    unsigned n = draw(30) == 0 ? draw(6) : 3;
    for (unsigned i = 0; i < n; i++) {
        put(t, "%s", i ? ", " : "");
        put_array(t, depth - 1);
    }
    put(t, "]");
}

static void put_json(text *t, unsigned kind)
{
    static const char *const expressions[] = { "x*2 + 1", "x*y",       "exp(-x*x)", "x > 0 ? x : -x",
                                               "x + (",   "system(x)", "z",         "" };
    static const char *const ops[] = { "sum", "mean", "max", "argmax", "all", "norm", "nothing" };
    int depth = (int)draw(3);
    put(t, "{");
    if (kind == 0) {
        put(t, "\"a\": ");
        put_array(t, draw(8) ? 2 : depth);
        put(t, ", \"b\": ");
        put_array(t, draw(8) ? 2 : depth);
        if (draw(4) == 0)
            put(t, ", \"transpose_a\": %s", draw(5) ? "true" : "1");
    } else if (kind == 1) {
        put(t, "\"expression\": \"%s\", \"x\": ", expressions[draw(8)]);
        put_array(t, depth);
        if (draw(2)) {
            put(t, ", \"y\": ");
            put_array(t, depth);
        }
    } else {
        put(t, "\"op\": \"%s\", \"x\": ", ops[draw(7)]);
        put_array(t, depth);
        if (draw(3) == 0)
            put(t, ", \"axes\": [%d]", (int)draw(5) - 2);
    }
    if (draw(30) == 0)
        put(t, ", \"%s\": 1", draw(2) ? "nonsense" : "x");
    if (draw(5) == 0)
        put(t, ", \"result\": \"k%u%s\"", draw(8), draw(20) ? "" : "/");
    put(t, "}");
}

static void put_npy(text *t, unsigned kind)
{
    static const char *const shapes[] = { "(3, 3)", "(9,)",      "()",   "(3, 0)", "(99999999999, 9)",
                                          "(-1,)",  "(1, 9, 1)", "(3,3", "[3]" };
    float x[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    for (unsigned i = 0; i < (kind == 0 ? 2u : 1u); i++)
        t->n += npy_f32(t->p + t->n, shapes[draw(4) ? 0 : draw(9)], x, draw(10) ? 9 : draw(9));
}

/* Changes, removes or doubles some bytes. */
static void spoil(text *t)
{
    for (unsigned i = 1 + draw(4); i-- > 0 && t->n > 0;) {
        size_t at = draw((unsigned)t->n);
        switch (draw(4)) {
        case 0: t->p[at] = (char)draw(256); break;
        case 1: t->p[at] = (char)(t->p[at] ^ (1 << draw(8))); break;
        case 2:
            memmove(t->p + at, t->p + at + 1, t->n - at - 1);
            t->n--;
            break;
        default:
            if (t->n < sizeof t->p - 1) {
                memmove(t->p + at + 1, t->p + at, t->n - at);
                t->n++;
            }
        }
    }
}

/* -- requests ---------------------------------------------------------------------------------------------- */

static void put_request(text *t)
{
    static const char *const kinds[] = { "gemm", "elementwise", "reduce" };
    static const char *const reads[] = { "/healthz",
                                         "/readyz",
                                         "/v1/devices",
                                         "/v1/backends",
                                         "/v1/metrics",
                                         "/metrics",
                                         "/v1/jobs",
                                         "/docs",
                                         "/v1/jobs/0123456789abcdef0123456789abcdef/result",
                                         "/v1/models",
                                         "/v1/arrays",
                                         "/v1/arrays/k1",
                                         "/v1/arrays/k%002",
                                         "/nowhere",
                                         "/v1/%2e%2e/%00",
                                         "//",
                                         "/v1/jobs/x?a=b&c",
                                         "/openapi.json" };
    static const char *const methods[] = { "DELETE", "PUT", "OPTIONS", "HEAD", "BREW" };
    static text body;
    unsigned kind = draw(3), what = draw(100);
    bool npy = draw(3) == 0;
    body.n = 0;
    t->n = 0;
    if (what < 25) {
        put(t, "%s %s HTTP/1.%u\r\n", draw(10) ? "GET" : methods[draw(5)], reads[draw(18)], draw(20) ? 1 : 0);
    } else if (what < 30) {
        put(t, "DELETE /v1/arrays/k%u HTTP/1.1\r\n", draw(8));
    } else {
        bool keep = draw(8) == 0;
        if (npy)
            put_npy(&body, keep ? 1 : kind);
        else if (keep)
            put_array(&body, (int)draw(4));
        else
            put_json(&body, kind);
        if (draw(6) == 0)
            spoil(&body);
        if (draw(60) == 0) { /* above the limit */
            memset(body.p, draw(2) ? '[' : ' ', sizeof body.p);
            body.n = 70000 + draw(60000);
        }
        if (keep)
            put(t, "PUT /v1/arrays/k%u%s HTTP/1.1\r\n", draw(8), draw(20) ? "" : "%2fx");
        else if (draw(8) == 0)
            put(t, "POST /v1/jobs?run=%s%s HTTP/1.1\r\n", kinds[kind],
                !npy || kind == 0 ? ""
                : kind == 1       ? "&expression=x*x"
                                  : "&op=sum");
        else
            put(t, "POST /v1/%s%s HTTP/1.1\r\n", kinds[kind],
                !npy || kind == 0 ? ""
                : kind == 1       ? "?expression=x*x"
                                  : "?op=sum");
        put(t, "Content-Type: %s\r\n", draw(30) == 0 ? "text/html" : npy ? "application/x-npy" : "application/json");
    }
    put(t, "Host: localhost\r\n");
    if (draw(8))
        put(t, "Authorization: Bearer %s\r\n", token);
    else if (draw(2))
        put(t, "Authorization: Bearer %s%u\r\n", token, draw(10));
    if (draw(10) == 0)
        put(t, "Accept: %s\r\n", draw(2) ? "application/x-npy" : "application/json");
    if (draw(50) == 0) {
        put(t, "X-Long: ");
        for (unsigned i = draw(9000); i-- > 0;)
            put(t, "%s", token);
        put(t, "\r\n");
    }
    if (what >= 30 && draw(6) == 0) {
        put(t, "Transfer-Encoding: chunked\r\n\r\n");
        for (size_t at = 0; at < body.n;) {
            size_t n = 1 + draw(5000);
            n = n < body.n - at ? n : body.n - at;
            put(t, "%zx\r\n", draw(200) ? n : n + 1);
            if (t->n + n < sizeof t->p) {
                memcpy(t->p + t->n, body.p + at, n);
                t->n += n;
            }
            put(t, "\r\n");
            at += n;
        }
        put(t, "0\r\n\r\n");
    } else if (what >= 30) {
        put(t, "Content-Length: %zu\r\n\r\n", draw(100) ? body.n : draw(2) ? (size_t)1 << 40 : body.n / 2);
        if (t->n + body.n < sizeof t->p) {
            memcpy(t->p + t->n, body.p, body.n);
            t->n += body.n;
        }
    } else {
        put(t, "\r\n");
    }
    if (draw(25) == 0)
        spoil(t);
}

enum { OPEN = 24 };
static int open_ones[OPEN]; /* connections that stay idle for a while */

/* Sends the request in one of several ways; counts the answers. */
static void send_some_way(const text *t, long count[6])
{
    unsigned way = draw(100), slot = draw(OPEN);
    if (open_ones[slot] >= 0 && draw(2)) {
        (void)close(open_ones[slot]);
        open_ones[slot] = -1;
    }
    int fd = connect_to(&s, way < 4 ? 0.2 : 20.0);
    if (fd < 0) {
        count[5]++;
        return;
    }
    size_t n = way < 12 ? draw((unsigned)t->n + 1) : t->n;
    if (way >= 12 && way < 16) { /* piece by piece */
        for (size_t at = 0; at < n;) {
            size_t part = 1 + draw((unsigned)(n / 4) + 1);
            part = part < n - at ? part : n - at;
            if (!send_all(fd, t->p + at, part))
                break;
            at += part;
            pause_for(0.001);
        }
    } else {
        (void)send_all(fd, t->p, n);
    }
    if (way < 8) { /* half a request, then closed, or left open */
        if (way < 4 && open_ones[slot] < 0)
            open_ones[slot] = fd;
        else
            (void)close(fd);
        return;
    }
    if (way < 20)
        (void)shutdown(fd, SHUT_WR); /* the end of the request */
    if (way == 20) {                 /* the answer is not read */
        (void)close(fd);
        return;
    }
    if (n < t->n) {
        pause_for(0.002);
        (void)close(fd);
        return;
    }
    struct timeval soon = { .tv_sec = 3 }; /* a body shorter than announced is waited for until read-timeout */
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    answer a = read_answer(fd, false);
    count[a.status >= 200 && a.status < 600 ? a.status / 100 - 2 : 4]++;
    ORR_CHECK_MSG(a.status != 500, "status 500: %s", a.body ? a.body : "");
    answer_free(&a);
    (void)close(fd);
}

static void it_stands_whatever_is_sent(void)
{
    static text t;
    char options[1200], line[128];
    const char *most = getenv("ORR_TEST_REQUESTS"), *from = getenv("ORR_TEST_SEED");
    long requests = most ? atol(most) : getenv("ORR_TEST_FULL") ? 100000 : 1200, count[6] = { 0 };
    size_t early = 0;
    if (!have_server())
        return;
    seed = from ? strtoull(from, NULL, 10) : seed;
    (void)snprintf(line, sizeof line, "fuzz %s\n", token);
    (void)snprintf(options, sizeof options,
                   "--tokens %.900s --max-body 65536 --max-json 65536 --read-timeout 1 --write-timeout 1 --max-jobs 16 "
                   "--job-keep 1 --max-arrays 6 --array-bytes 4096 --array-keep 2",
                   write_file("tokens", line, 0600));
    ORR_CHECK_MSG(server_start(&s, options), "%s", server_output());
    if (!s.port)
        return;
    for (int i = 0; i < OPEN; i++)
        open_ones[i] = -1;
    for (long i = 0; i < requests; i++) {
        put_request(&t);
        send_some_way(&t, count);
        if (i == requests / 2)
            early = server_memory(&s);
    }
    for (int i = 0; i < OPEN; i++)
        if (open_ones[i] >= 0)
            (void)close(open_ones[i]);
    pause_for(3.5); /* arrays expire, and connections are cut */
    size_t late = server_memory(&s);
    printf("  %ld requests: %ld 2xx, %ld 3xx, %ld 4xx, %ld 5xx, %ld without an answer; %.1f MB at half, %.1f MB at the "
           "end\n",
           requests, count[0], count[1], count[2], count[3], count[4], 1e-6 * (double)early, 1e-6 * (double)late);
    ORR_CHECK_MSG(count[0] > requests / 5 && count[2] > requests / 10, "%ld, %ld", count[0], count[2]);
    ORR_CHECK(count[5] == 0);
    ORR_CHECK_MSG((double)late < 1.1 * (double)early + 4e6, "%zu bytes at half, %zu at the end", early, late);
    EXPECT(get(&s, "/readyz"), 200, "ready");
    (void)snprintf(options, sizeof options, "Authorization: Bearer %s\r\n", token);
    answer a = request(&s, "GET", "/v1/metrics", options, NULL, 0);
    ORR_CHECK(a.status == 200 && strstr(a.body, "\"body_bytes\": 0,") && strstr(a.body, "\"connections\": 1,"));
    if (a.body && !strstr(a.body, "\"body_bytes\": 0,"))
        printf("%.400s\n", a.body);
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
    char *log = read_text(s.log);
    ORR_CHECK(strlen(log) > 1000 && !strstr(log, "fuzz-token") && !strstr(log, "0123456789abcdef"));
    free(log);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(it_stands_whatever_is_sent), { 0 } };
    return orr_test_main(argc, argv, "serve-fuzz", tests);
}
