/* orrery-serve: tokens, every limit, slow and closed connections, TLS, the orderly shutdown; the content of the log.
 * Must not know: how the service is made. */
#include "config.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/harness/json.h"
#include "tests/serve/client.h"

static server s;

static const char alice[] = "alices-token-0123456789abcdef", bob[] = "bobs-token-0123456789abcdef-0123456789";

/* -- tokens ------------------------------------------------------------------------------------------------ */

static const char *tokens_option(const char *more)
{
    static char options[1200];
    char text[256];
    (void)snprintf(text, sizeof text, "# clients\nalice %s\n\nbob %s\n", alice, bob);
    (void)snprintf(options, sizeof options, "--tokens %.1000s %s", write_file("tokens", text, 0600), more);
    return options;
}

static answer with_token(const char *method, const char *path, const char *token, const char *body)
{
    char headers[512];
    (void)snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", token);
    return request(&s, method, path, headers, body, body ? strlen(body) : 0);
}

static void token_files_are_read_with_care(void)
{
    static const struct {
        const char *text;
        unsigned mode;
        const char *says;
    } files[] = {
        { "alice alices-token-0123456789abcdef\n", 0644, "chmod 600" },
        { "alice alices-token-0123456789abcdef\n", 0640, "0600" },
        { "alice alices-token-0123456789abcdef\n", 0400, "0600" },
        { "alice alices-token-0123456789abcdef\n", 0700, "0600" },
        { "", 0600, "no token" },
        { "# none\n", 0600, "no token" },
        { "alice short\n", 0600, "less than 16" },
        { "alices-token-0123456789abcdef\n", 0600, "NAME TOKEN" },
        { "alice a b\n", 0600, "NAME TOKEN" },
        { "al/ice alices-token-0123456789abcdef\n", 0600, "name with characters other" },
        { "alice alices-token-0123456789abcdef\nalice another-token-0123456789abcdef\n", 0600, "line 2 repeats" },
        { "alice alices-token-0123456789abcdef\nbob alices-token-0123456789abcdef\n", 0600, "line 2 repeats" },
        { "alice alices-t\xc3\xb6ken-0123456789abcdef\n", 0600, "printable ASCII" },
    };
    char options[1200], link[1100];
    if (!have_server())
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)snprintf(options, sizeof options, "--port 0 --tokens %.1000s",
                       write_file("bad-tokens", files[i].text, files[i].mode));
        ORR_CHECK_MSG(server_fails(options) == 1 && strstr(server_output(), files[i].says), "'%s': %s", files[i].says,
                      server_output());
        ORR_CHECK_MSG(!strstr(server_output(), "0123456789abcdef"), "a token is in: %s", server_output());
    }
    (void)snprintf(link, sizeof link, "%s", orr_test_tmp("token-link"));
    ORR_CHECK(symlink(write_file("good-tokens", "a alices-token-0123456789abcdef\n", 0600), link) == 0);
    (void)snprintf(options, sizeof options, "--port 0 --tokens %.1000s", link);
    ORR_CHECK(server_fails(options) == 1 && strstr(server_output(), "symbolic link"));
    ORR_CHECK(server_fails("--port 0 --tokens /nowhere/tokens") == 1);
}

static void only_a_known_token_opens(void)
{
    static const char *const open[] = { "/healthz", "/readyz", "/docs", "/openapi.json" };
    static const char *const closed[] = { "/v1/devices", "/v1/backends", "/v1/models",
                                          "/v1/metrics", "/metrics",     "/v1/jobs" };
    char almost[64];
    NEED_SERVER(tokens_option(""));
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        EXPECT(get(&s, open[i]), 200, "");
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        answer a = get(&s, closed[i]);
        ORR_CHECK(a.status == 401 && strcmp(answer_header(&a, "WWW-Authenticate"), "Bearer realm=\"orrery\"") == 0);
        answer_free(&a);
        EXPECT(with_token("GET", closed[i], alice, NULL), 200, "");
    }
    EXPECT(post_json(&s, "/v1/gemm", "{\"a\": [[1]], \"b\": [[2]]}"), 401, "bearer token");
    EXPECT(with_token("POST", "/v1/gemm", bob, "{\"a\": [[1]], \"b\": [[2]]}"), 200, "2.0");
    for (size_t k = 0; k < sizeof alice; k++) { /* one changed character, or cut there */
        (void)snprintf(almost, sizeof almost, "%s", alice);
        almost[k] = k + 1 < sizeof alice ? (char)(almost[k] ^ 1) : 'x';
        almost[sizeof alice] = '\0';
        EXPECT(with_token("GET", "/v1/models", almost, NULL), 401, "not known");
        EXPECT(with_token("GET", "/v1/models", k + 1 < sizeof alice ? (almost[k] = '\0', almost) : "", NULL), 401, "");
    }
    char basic[256];
    (void)snprintf(basic, sizeof basic, "Authorization: Basic %s\r\n", alice);
    EXPECT(request(&s, "GET", "/v1/models", basic, NULL, 0), 401, "");
    (void)snprintf(basic, sizeof basic, "Authorization: bearer  %s\r\n", alice);
    EXPECT(request(&s, "GET", "/v1/models", basic, NULL, 0), 200, "");
    (void)snprintf(basic, sizeof basic, "/v1/models?access_token=%s", alice);
    EXPECT(get(&s, basic), 401, "");
    ORR_CHECK(server_stop(&s) == 0);
}

static void a_job_is_its_clients_alone(void)
{
    char where[64], result[80];
    NEED_SERVER(tokens_option(""));
    answer a = with_token("POST", "/v1/jobs?run=reduce", alice, "{\"op\": \"sum\", \"x\": [1, 2]}");
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    (void)snprintf(result, sizeof result, "%s/result", where);
    EXPECT(with_token("GET", where, bob, NULL), 404, "");
    EXPECT(with_token("GET", result, bob, NULL), 404, "");
    EXPECT(with_token("DELETE", where, bob, NULL), 404, "");
    EXPECT(with_token("GET", "/v1/jobs", bob, NULL), 200, "\"jobs\": []");
    EXPECT(with_token("GET", where, alice, NULL), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
}

/* Requests with secrets wherever a client can put them; none is in the log, which is JSON on every line. */
static void the_log_has_no_payload_and_no_token(void)
{
    char path[256], headers[256];
    NEED_SERVER(tokens_option(""));
    EXPECT(with_token("POST", "/v1/elementwise", alice, "{\"expression\": \"x + 7134771347\", \"x\": [27182845904]}"),
           200, "");
    EXPECT(with_token("POST", "/v1/elementwise", alice,
                      "{\"expression\": \"x + marker7134771347(x)\", \"x\": [27182845904]}"),
           422, "");
    EXPECT(with_token("POST", "/v1/elementwise", "wrong-token-7134771347-0123456789abcdef", "{}"), 401, "");
    (void)snprintf(path, sizeof path, "/v1/models/%s/predict?token=%s", alice, alice);
    EXPECT(with_token("POST", path, alice, "{\"x\": [27182845904]}"), 404, "");
    (void)snprintf(path, sizeof path, "/%s", alice);
    EXPECT(get(&s, path), 404, "");
    (void)snprintf(headers, sizeof headers, "%s: 1\r\nAuthorization: Bearer%s\r\n", alice, alice);
    answer a = request(&s, "GET", "/v1/models", headers, NULL, 0);
    ORR_CHECK(a.status == 401);
    answer_free(&a);
    a = request(&s, alice, "/v1/models", "", NULL, 0);
    answer_free(&a);
    ORR_CHECK(server_stop(&s) == 0);
    char *log = read_text(s.log);
    ORR_CHECK(strstr(log, "\"client\": \"alice\"") && strstr(log, "\"event\": \"stopped\""));
    ORR_CHECK(!strstr(log, "0123456789abcdef") && !strstr(log, "7134771347") && !strstr(log, "27182845904"));
    int lines = 0;
    for (char *line = log, *end; (end = strchr(line, '\n')); line = end + 1, lines++) {
        *end = '\0';
        ORR_CHECK_MSG(is_json(line) && *line == '{', "no JSON: %s", line);
    }
    ORR_CHECK(lines >= 8);
    free(log);
    NEED_SERVER(tokens_option("--log-level events"));
    EXPECT(get(&s, "/healthz"), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
    log = read_text(s.log);
    ORR_CHECK(!strstr(log, "\"request\"") && strstr(log, "\"started\"") && strstr(log, "\"draining\""));
    free(log);
}

static void it_listens_on_loopback_alone_without_tokens(void)
{
    if (!have_server())
        return;
    ORR_CHECK(server_fails("--port 0 --listen 0.0.0.0") == 1 && strstr(server_output(), "--tokens"));
    ORR_CHECK(server_fails("--port 0 --listen ::") == 1 && strstr(server_output(), "--tokens"));
    ORR_CHECK(server_fails("--port 0 --listen example.org") == 1);
    NEED_SERVER("");
    /* a page of another site, with its own host name for this address */
    int fd = connect_to(&s, 20.0);
    static const char other[] = "GET /v1/devices HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                      none[] = "GET /v1/devices HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n";
    ORR_CHECK(fd >= 0 && send_all(fd, other, sizeof other - 1));
    EXPECT(read_answer(fd, false), 403, "localhost");
    (void)close(fd);
    fd = connect_to(&s, 20.0);
    ORR_CHECK(fd >= 0 && send_all(fd, none, sizeof none - 1));
    EXPECT(read_answer(fd, false), 403, "localhost");
    (void)close(fd);
    EXPECT(request(&s, "OPTIONS", "/v1/gemm", "Origin: http://evil.example\r\n", NULL, 0), 405, "");
    ORR_CHECK(server_stop(&s) == 0);
    NEED_SERVER(tokens_option("--listen 0.0.0.0"));
    EXPECT(with_token("GET", "/v1/models", alice, NULL), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
    char *log = read_text(s.log);
    ORR_CHECK(strstr(log, "unencrypted"));
    free(log);
}

/* -- limits ------------------------------------------------------------------------------------------------ */

static const char json_type[] = "Content-Type: application/json\r\n",
                  npy_type[] = "Content-Type: application/x-npy\r\n";

/* Sends a body of n bytes, with a length or in chunks. */
static answer long_body(const char *type, size_t n, bool chunks)
{
    static char blanks[4096];
    char head[512];
    int fd = connect_to(&s, 30.0);
    memset(blanks, ' ', sizeof blanks);
    if (!chunks)
        (void)snprintf(head, sizeof head, "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n",
                       type, n);
    else
        (void)snprintf(head, sizeof head,
                       "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\n%sTransfer-Encoding: chunked\r\n\r\n", type);
    bool ok = fd >= 0 && send_all(fd, head, strlen(head));
    for (size_t sent = 0; ok && sent < n; sent += sizeof blanks) {
        size_t part = n - sent < sizeof blanks ? n - sent : sizeof blanks;
        (void)snprintf(head, sizeof head, "%zx\r\n", part);
        ok = (!chunks || send_all(fd, head, strlen(head))) && send_all(fd, blanks, part) &&
             (!chunks || send_all(fd, "\r\n", 2));
    }
    if (ok && chunks)
        (void)send_all(fd, "0\r\n\r\n", 5);
    answer a = { 0 };
    if (fd >= 0) {
        a = read_answer(fd, false);
        (void)close(fd);
    }
    return a;
}

/* A body that is refused by its length alone may be cut off before the answer is read. */
static bool too_large(answer a)
{
    bool ok = a.status == 413 || a.status == 0;
    answer_free(&a);
    return ok;
}

static void bodies_have_a_limit(void)
{
    NEED_SERVER("--max-body 100000 --max-json 10000");
    EXPECT(long_body(json_type, 10000, false), 400, "json");
    EXPECT(long_body(json_type, 10000, true), 400, "json");
    EXPECT(long_body(npy_type, 100000, false), 400, "npy");
    EXPECT(long_body(npy_type, 100000, true), 400, "npy");
    ORR_CHECK(too_large(long_body(json_type, 10001, false)));
    EXPECT(long_body(json_type, 10001, true), 413, "10000 bytes");
    ORR_CHECK(too_large(long_body(npy_type, 100001, false)));
    EXPECT(long_body(npy_type, 100001, true), 413, "100000 bytes");
    /* the head alone gets an answer */
    int fd = connect_to(&s, 20.0);
    static const char huge[] = "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               "Content-Length: 99999999999999\r\n\r\n";
    ORR_CHECK(fd >= 0 && send_all(fd, huge, sizeof huge - 1));
    EXPECT(read_answer(fd, false), 413, "10000 bytes");
    (void)close(fd);
    EXPECT(get(&s, "/healthz"), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
}

static void results_and_ranks_have_limits(void)
{
    char body[65536], *p = body;
    NEED_SERVER("--max-result 80000 --max-rank 3 --max-json 40000");
    /* an outer product of 101 by 100 in float64 */
    p += sprintf(p, "{\"expression\": \"x*y\", \"x\": [");
    for (int i = 0; i < 101; i++)
        p += sprintf(p, "%s[1]", i ? "," : "");
    p += sprintf(p, "], \"y\": [");
    for (int i = 0; i < 100; i++)
        p += sprintf(p, "%s1", i ? "," : "");
    (void)sprintf(p, "]}");
    EXPECT(post_json(&s, "/v1/elementwise", body), 413, "80000 bytes");
    char *x = strstr(body, "[1],");
    memmove(x, x + 4, strlen(x + 4) + 1); /* 100 by 100 is allowed, but not as JSON */
    EXPECT(post_json(&s, "/v1/elementwise", body), 406, "application/x-npy");
    answer a = request(&s, "POST", "/v1/elementwise", "Content-Type: application/json\r\nAccept: application/x-npy\r\n",
                       body, strlen(body));
    ORR_CHECK(a.status == 200 && a.n == 128 + 80000);
    answer_free(&a);
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [[[[1]]]]}"), 422, "rank is more than 3");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [[[1]]]}"), 200, "1.0");
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": {\"shape\": [1, 1, 1, 1], \"data\": [1]}}"), 422,
           "rank is more than 3");
    char npy[512];
    size_t n = npy_f32(npy, "(1, 1, 1, 1)", (const float[]){ 1 }, 1);
    EXPECT(request(&s, "POST", "/v1/reduce?op=sum", npy_type, npy, n), 422, "limit");
    /* no elements, and as many lists as a number can represent */
    EXPECT(post_json(&s, "/v1/elementwise", "{\"expression\": \"x\", \"x\": {\"shape\": [40000, 0], \"data\": []}}"),
           406, "");
    ORR_CHECK(server_stop(&s) == 0);
}

enum { N = 1500 };

/* Two matrices as .npy: a product of N³ takes some time. */
static char *product(size_t *n)
{
    float *a = calloc((size_t)N * N, sizeof *a);
    char *body = malloc(2 * (sizeof *a * N * N + 256));
    ORR_CHECK(a && body);
    *n = npy_f32(body, "(1500, 1500)", a, (size_t)N * N);
    *n += npy_f32(body + *n, "(1500, 1500)", a, (size_t)N * N);
    free(a);
    return body;
}

/* Sends a product without waiting; returns the connection. */
static int send_product(const char *body, size_t n, const char *path)
{
    char head[256];
    int fd = connect_to(&s, 60.0);
    (void)snprintf(head, sizeof head, "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n", path,
                   npy_type, n);
    ORR_CHECK(fd >= 0 && send_all(fd, head, strlen(head)) && send_all(fd, body, n));
    return fd;
}

static void concurrent_work_has_a_limit(void)
{
    enum { CLIENTS = 12 };
    int fd[CLIENTS], done = 0, refused = 0;
    size_t n = 0;
    NEED_SERVER("--max-work 2 --workers 1");
    char *body = product(&n);
    for (int i = 0; i < CLIENTS; i++)
        fd[i] = send_product(body, n, "/v1/gemm");
    for (int i = 0; i < CLIENTS; i++) {
        answer a = read_answer(fd[i], false);
        done += a.status == 200;
        refused += a.status == 503 && strcmp(answer_header(&a, "Retry-After"), "1") == 0;
        answer_free(&a);
        (void)close(fd[i]);
    }
    ORR_CHECK_MSG(done >= 2 && refused >= 1 && done + refused == CLIENTS, "%d done, %d refused", done, refused);
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [1]}"), 200, "");
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

static void held_bodies_have_a_limit(void)
{
    size_t n = 0;
    NEED_SERVER("--max-memory 30000000 --workers 1");
    char *body = product(&n); /* 18 MB */
    int first = connect_to(&s, 60.0);
    char head[256];
    (void)snprintf(head, sizeof head, "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: %zu\r\n\r\n",
                   npy_type, n);
    ORR_CHECK(first >= 0 && send_all(first, head, strlen(head)) && send_all(first, body, n - 1));
    pause_for(0.3);
    EXPECT(request(&s, "POST", "/v1/gemm", npy_type, body, n), 503, "--max-memory");
    ORR_CHECK(send_all(first, body + n - 1, 1));
    EXPECT(read_answer(first, false), 200, "");
    (void)close(first);
    pause_for(0.3);
    EXPECT(request(&s, "POST", "/v1/gemm", npy_type, body, n), 200, "");
    pause_for(0.3);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Refused by its prediction, or ended: the prediction depends on the machine. */
static void expect_over_time(answer a)
{
    ORR_CHECK_MSG((a.status == 413 || a.status == 504) && a.body && strstr(a.body, "time limit"), "%d: %s", a.status,
                  a.body ? a.body : "");
    answer_free(&a);
}

static void time_has_a_limit(void)
{
    size_t n = 0;
    NEED_SERVER("--timeout 0.01 --workers 1 --job-timeout 0.01");
    char *body = product(&n);
    expect_over_time(request(&s, "POST", "/v1/gemm", npy_type, body, n));
    EXPECT(post_json(&s, "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": [1]}"), 202, "");
    answer a = request(&s, "POST", "/v1/jobs?run=gemm", npy_type, body, n);
    char result[80];
    ORR_CHECK(a.status == 202);
    (void)snprintf(result, sizeof result, "%.63s/result", answer_header(&a, "Location"));
    answer_free(&a);
    a = get(&s, result);
    for (int i = 0; i < 100 && a.body && strstr(a.body, "has not ended"); i++) {
        answer_free(&a);
        pause_for(0.05);
        a = get(&s, result);
    }
    ORR_CHECK_MSG(a.status == 409 && a.body && strstr(a.body, "time limit"), "%d: %s", a.status, a.body ? a.body : "");
    answer_free(&a);
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Seconds until the server closes the connection. `text` is sent first, then a byte every 50 ms. */
static double until_cut(const char *text, const char *drip)
{
    int fd = connect_to(&s, 0.05);
    double began = clock_now();
    char got[256];
    ORR_CHECK(fd >= 0 && send_all(fd, text, strlen(text)));
    for (size_t i = 0; clock_now() - began < 20.0; i++) {
        ssize_t r = recv(fd, got, sizeof got, 0); /* waits 50 ms */
        if (r == 0 || (r < 0 && !send_all(fd, "", 0)))
            break;
        if (*drip && !send_all(fd, &drip[i % strlen(drip)], 1))
            break;
    }
    (void)close(fd);
    return clock_now() - began;
}

static void slow_requests_are_cut(void)
{
    static const char head[] = "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    char body[512];
    NEED_SERVER("--read-timeout 1");
    double idle = until_cut("", ""), in_head = until_cut("GET /v1/dev", "x"), in_field = until_cut(head, "X: y\r\n");
    (void)snprintf(body, sizeof body, "%sContent-Length: 1000\r\n\r\n{", head);
    double in_body = until_cut(body, " ");
    double kept = until_cut("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "");
    ORR_CHECK_MSG(idle > 0.9 && idle < 4, "%g", idle);
    ORR_CHECK_MSG(in_head > 0.9 && in_head < 4, "%g", in_head);
    ORR_CHECK_MSG(in_field > 0.9 && in_field < 4, "%g", in_field);
    ORR_CHECK_MSG(in_body > 0.9 && in_body < 4, "%g", in_body);
    ORR_CHECK_MSG(kept > 0.9 && kept < 4, "%g", kept);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"connections\": 1,");
    ORR_CHECK(server_stop(&s) == 0);
}

/* A client that requests much and reads nothing. */
static void slow_readers_are_cut(void)
{
    size_t n = 0;
    NEED_SERVER("--write-timeout 1");
    char *body = product(&n), got[65536];
    int fd = connect_to(&s, 20.0), few = 4096;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof few);
    (void)close(fd);
    fd = send_product(body, n, "/v1/gemm");
    for (int i = 0, computed = 0; i < 600 && !computed; i++) { /* the time limit begins with the answer */
        pause_for(0.1);
        answer a = get(&s, "/v1/metrics");
        computed = a.body && strstr(a.body, "\"works\": 1") &&
                   strstr(a.body, "\"work\": {\n  \"waiting\": 0,\n  \"running\": 0\n");
        answer_free(&a);
    }
    pause_for(3.0);
    size_t all = 0;
    for (ssize_t r; (r = recv(fd, got, sizeof got, 0)) > 0;)
        all += (size_t)r;
    ORR_CHECK_MSG(all < (size_t)N * N * 4, "%zu bytes came all the same", all); /* content of the sockets */
    (void)close(fd);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"connections\": 1,");
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Beyond the limit, the connection that has been idle for the longest time ends for a new one. */
static void connections_have_a_limit(void)
{
    int fd[12], open = 0, kept = 0;
    NEED_SERVER("--max-connections 8");
    for (int i = 0; i < 12; i++) {
        static const char text[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        fd[i] = connect_to(&s, 0.5);
        answer a = { 0 };
        if (fd[i] >= 0 && send_all(fd[i], text, sizeof text - 1))
            a = read_answer(fd[i], false);
        open += a.status == 200;
        answer_free(&a);
    }
    ORR_CHECK_MSG(open == 12, "%d of 12", open);
    pause_for(0.3);
    for (int i = 0; i < 12; i++) {
        char byte;
        bool ended = recv(fd[i], &byte, 1, MSG_DONTWAIT) == 0;
        kept += !ended;
        ORR_CHECK_MSG(ended == (i < 4), "connection %d", i);
        (void)close(fd[i]);
    }
    ORR_CHECK_MSG(kept == 8, "%d kept", kept);
    pause_for(0.3);
    EXPECT(get(&s, "/healthz"), 200, "");
    ORR_CHECK(server_stop(&s) == 0);
}

static void jobs_have_limits(void)
{
    char where[64], result[80];
    NEED_SERVER("--max-jobs 2 --job-keep 0.5 --job-bytes 1024");
    answer a = post_json(&s, "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": [1]}");
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    pause_for(0.3);
    EXPECT(get(&s, where), 200, "done");
    for (int i = 0; i < 4; i++) { /* ended jobs are forgotten for new ones */
        EXPECT(post_json(&s, "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": [1]}"), 202, "");
        pause_for(0.1);
    }
    EXPECT(get(&s, where), 404, "");
    a = post_json(&s, "/v1/jobs?run=reduce", "{\"op\": \"sum\", \"x\": [1]}");
    (void)snprintf(where, sizeof where, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    pause_for(1.2);
    EXPECT(get(&s, where), 404, "");
    EXPECT(get(&s, "/v1/jobs"), 200, "\"jobs\": []");
    /* a result larger than the limit of all kept results is refused */
    a = post_json(&s, "/v1/jobs?run=elementwise",
                  "{\"expression\": \"x*y\", \"x\": "
                  "[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]], "
                  "\"y\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}");
    (void)snprintf(result, sizeof result, "%.63s/result", answer_header(&a, "Location"));
    answer_free(&a);
    pause_for(0.3);
    EXPECT(get(&s, result), 409, "--job-bytes");
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- the end ----------------------------------------------------------------------------------------------- */

/* Current requests are answered after SIGTERM; new connections are refused. */
static void sigterm_drains(void)
{
    size_t n = 0;
    NEED_SERVER("--workers 1");
    char *body = product(&n);
    int fd[3];
    for (int i = 0; i < 3; i++)
        fd[i] = send_product(body, n, "/v1/gemm");
    for (int i = 0; i < 400; i++) { /* until all three have arrived */
        answer a = get(&s, "/v1/metrics");
        const char *at = a.body ? strstr(a.body, "\"work\"") : NULL;
        int waiting = 0, running = 0;
        bool all = at && sscanf(strstr(at, "\"waiting\""), "\"waiting\": %d", &waiting) == 1 &&
                   sscanf(strstr(at, "\"running\""), "\"running\": %d", &running) == 1 && waiting + running >= 2;
        answer_free(&a);
        if (all)
            break;
        pause_for(0.005);
    }
    ORR_CHECK(kill(s.pid, SIGTERM) == 0);
    for (int i = 0; i < 3; i++) {
        answer a = read_answer(fd[i], false);
        ORR_CHECK_MSG(a.status == 200, "request %d: %d", i, a.status);
        answer_free(&a);
        (void)close(fd[i]);
    }
    int late = connect_to(&s, 1.0);
    if (late >= 0) {
        answer a = { 0 };
        if (send_all(late, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 42))
            a = read_answer(late, false);
        ORR_CHECK(a.status == 0);
        answer_free(&a);
        (void)close(late);
    }
    ORR_CHECK(server_stop(&s) == 0);
    free(body);
    char *log = read_text(s.log);
    ORR_CHECK(strstr(log, "\"draining\"") && strstr(log, "\"stopped\""));
    free(log);
}

/* Launchers repeat SIGTERM, and libraries have threads of their own: the service ends by its own exit, for any
 * thread that receives a signal and however late. */
static void repeated_signals_end_it_in_good_order(void)
{
    for (int round = 0; round < 3; round++) {
        NEED_SERVER("");
        ORR_CHECK(server_stop_by_many(&s) == 0);
        char *log = read_text(s.log);
        ORR_CHECK(strstr(log, "\"draining\"") && strstr(log, "\"stopped\""));
        free(log);
    }
}

/* An unfinished request does not prevent the shutdown. */
static void a_drain_has_a_limit(void)
{
    NEED_SERVER("--drain 1");
    int fd = connect_to(&s, 30.0);
    static const char text[] =
        "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{";
    ORR_CHECK(fd >= 0 && send_all(fd, text, sizeof text - 1));
    pause_for(0.2);
    double began = clock_now();
    ORR_CHECK(server_stop(&s) == 0);
    ORR_CHECK_MSG(clock_now() - began < 10.0, "%g s", clock_now() - began);
    (void)close(fd);
}

static void tls_needs_a_key_of_mode_0600(void)
{
    char command[4096], options[2300], cert[1024], key[1024];
    if (!have_server())
        return;
    if (system("command -v openssl >/dev/null 2>&1 && command -v curl >/dev/null 2>&1") != 0)
        ORR_SKIP("no openssl or no curl");
    (void)snprintf(cert, sizeof cert, "%s", orr_test_tmp("cert.pem"));
    (void)snprintf(key, sizeof key, "%s", orr_test_tmp("key.pem"));
    (void)snprintf(
        command, sizeof command,
        "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 "
        "-keyout '%.1000s' -out '%.1000s' >/dev/null 2>&1 && chmod 644 '%.1000s'",
        key, cert, key);
    ORR_CHECK(system(command) == 0);
    (void)snprintf(options, sizeof options, "--port 0 --tls-certificate %.1000s --tls-key %.1000s", cert, key);
    int rc = server_fails(options);
    if (strstr(server_output(), "has no TLS"))
        ORR_SKIP("this libmicrohttpd has no TLS");
    ORR_CHECK(rc == 1 && strstr(server_output(), "0600"));
    ORR_CHECK(server_fails("--port 0 --tls-key /nowhere") == 2);
    (void)snprintf(command, sizeof command, "chmod 600 '%.1000s'", key);
    ORR_CHECK(system(command) == 0);
    NEED_SERVER(options + strlen("--port 0 "));
    (void)snprintf(command, sizeof command,
                   "curl -sS --max-time 20 --cacert '%.1000s' -H 'Content-Type: application/json' -d '{\"op\": "
                   "\"sum\", \"x\": [1, 2]}' "
                   "https://127.0.0.1:%d/v1/reduce | grep -q 3.0",
                   cert, s.port);
    ORR_CHECK(system(command) == 0);
    EXPECT(get(&s, "/healthz"), 0, ""); /* HTTP to HTTPS */
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- the command line -------------------------------------------------------------------------------------- */

static void options_that_make_no_sense_are_refused(void)
{
    static const struct {
        const char *options, *says;
    } wrong[] = {
        { "--nonsense 1", "no option" },      { "--port", "--port N: a value is missing" },
        { "--port 65536", "0 to 65535" },     { "--port 1.5", "\"1.5\" is not an integer from 0 to 65535" },
        { "--max-body 12Q", "K, M or G" },    { "--max-body -1", "\"-1\" is not a number of bytes from 1024 to" },
        { "--timeout soon", "0.01 to" },      { "--timeout nan", "0.01 to" },
        { "--max-rank 9", "0 to 8" },         { "--log-level all", "requests, events or errors" },
        { "--tls-key /nowhere", "together" }, { "--workers", "--workers N" },
    };
    if (!have_server())
        return;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ORR_CHECK_MSG(server_fails(wrong[i].options) == 2 && strstr(server_output(), wrong[i].says), "%s: %s",
                      wrong[i].options, server_output());
    ORR_CHECK(server_fails("--help") == 0 && strstr(server_output(), "--max-connections N"));
    ORR_CHECK(server_fails("--version") == 0 && strncmp(server_output(), "orrery-serve ", 13) == 0);
    ORR_CHECK(server_fails("--log /nowhere/log") == 1 && strstr(server_output(), "/nowhere/log"));
    NEED_SERVER("");
    char again[64];
    (void)snprintf(again, sizeof again, "--port %d", s.port);
    ORR_CHECK(server_fails(again) == 1 && strstr(server_output(), "in use"));
    ORR_CHECK(server_stop(&s) == 0);
}

static void the_unit_is_sandboxed(void)
{
    static const char *const lines[] = { "NoNewPrivileges=yes",      "ProtectSystem=strict",
                                         "CapabilityBoundingSet=\n", "SystemCallFilter=@system-service",
                                         "KillSignal=SIGTERM",       "--tokens" };
    char command[2048];
    char *unit = read_text(orr_test_golden("../../serve/orrery-serve.service"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ORR_CHECK_MSG(strstr(unit, lines[i]), "%s", lines[i]);
    free(unit);
    if (system("command -v systemd-analyze >/dev/null 2>&1") != 0)
        ORR_SKIP("no systemd-analyze");
    (void)snprintf(command, sizeof command,
                   "systemd-analyze verify '%.1000s' 2>&1 | grep -v 'is not executable' | grep -i orrery-serve",
                   orr_test_golden("../../serve/orrery-serve.service"));
    ORR_CHECK(system(command) != 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(token_files_are_read_with_care),
        ORR_TEST(only_a_known_token_opens),
        ORR_TEST(a_job_is_its_clients_alone),
        ORR_TEST(the_log_has_no_payload_and_no_token),
        ORR_TEST(it_listens_on_loopback_alone_without_tokens),
        ORR_TEST(bodies_have_a_limit),
        ORR_TEST(results_and_ranks_have_limits),
        ORR_TEST(concurrent_work_has_a_limit),
        ORR_TEST(held_bodies_have_a_limit),
        ORR_TEST(time_has_a_limit),
        ORR_TEST(slow_requests_are_cut),
        ORR_TEST(slow_readers_are_cut),
        ORR_TEST(connections_have_a_limit),
        ORR_TEST(jobs_have_limits),
        ORR_TEST(sigterm_drains),
        ORR_TEST(repeated_signals_end_it_in_good_order),
        ORR_TEST(a_drain_has_a_limit),
        ORR_TEST(tls_needs_a_key_of_mode_0600),
        ORR_TEST(options_that_make_no_sense_are_refused),
        ORR_TEST(the_unit_is_sandboxed),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve-security", tests);
}
