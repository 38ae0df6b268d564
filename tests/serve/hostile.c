/* orrery-serve beside clients that mean harm: what one of them can take is bounded, and the others are served.
 * Must not know: how the service counts. */
#include "config.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"
#include "tests/harness/json.h"
#include "tests/serve/client.h"

static server s;

static const char mallory[] = "mallorys-token-0123456789abcdef", alice[] = "alices-token-0123456789abcdef";
static const char one[] = "{\"op\": \"sum\", \"x\": [1]}";

static const char *two_clients(const char *more)
{
    static char options[1400];
    char text[256];
    (void)snprintf(text, sizeof text, "alice %s\nmallory %s\n", alice, mallory);
    (void)snprintf(options, sizeof options, "--tokens %.1000s %.300s", write_file("tokens", text, 0600), more);
    return options;
}

static answer ask(const char *token, const char *method, const char *path, const char *body)
{
    char headers[512];
    (void)snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\nContent-Type: application/json\r\n", token);
    return request(&s, method, path, headers, body, body ? strlen(body) : 0);
}

/* Sends a request on a new connection and reads nothing. */
static int send_only(const char *token, const char *path, const char *type, const void *body, size_t n)
{
    char head[512];
    int fd = connect_to(&s, 30.0);
    (void)snprintf(head, sizeof head,
                   "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"
                   "Accept: %s\r\nContent-Length: %zu\r\n\r\n",
                   path, token, type, type, n);
    if (fd >= 0 && (!send_all(fd, head, strlen(head)) || !send_all(fd, body, n)))
        pause_for(0.01);
    return fd;
}

/* A text of n times `what` in brackets: {"op": …, NAME: [what, what, …]}; to be freed. */
static char *list_of(const char *before, const char *what, int n, const char *after)
{
    char *text = malloc(strlen(before) + strlen(after) + (size_t)n * (strlen(what) + 1) + 8);
    size_t at = (size_t)sprintf(text, "%s[", before);
    for (int i = 0; i < n; i++)
        at += (size_t)sprintf(text + at, "%s%s", i ? "," : "", what);
    (void)sprintf(text + at, "]%s", after);
    return text;
}

/* -- memory ------------------------------------------------------------------------------------------------------------- */

/* Outer products: 40 kB of operands, 100 MB of result, which nobody reads. */
static void unread_answers_are_counted(void)
{
    enum { CLIENTS = 24, N = 5000 };
    const char npy_type[] = "application/x-npy";
    int fd[CLIENTS];
    NEED_SERVER(two_clients("--max-memory 512M --max-result 256M --batch-window 5000"));
    float *x = calloc(N, sizeof *x);
    char *body = malloc(2 * (N * sizeof *x + 256)), shape[64];
    size_t before = server_memory(&s);
    (void)snprintf(shape, sizeof shape, "(%d, 1)", N);
    size_t n = npy_f32(body, shape, x, N);
    (void)snprintf(shape, sizeof shape, "(1, %d)", N);
    n += npy_f32(body + n, shape, x, N);
    for (int i = 0; i < CLIENTS; i++)
        fd[i] = send_only(mallory, "/v1/gemm", npy_type, body, n);
    pause_for(2.0);
    size_t after = server_memory(&s);
    ORR_CHECK_MSG(after < before + ((size_t)768 << 20), "%zu MB more", (after - before) >> 20);
    EXPECT(ask(alice, "POST", "/v1/reduce", one), 200, "1.0");
    EXPECT(ask(mallory, "POST", "/v1/reduce", one), 429, "this client holds");
    for (int i = 0; i < CLIENTS; i++)
        (void)close(fd[i]);
    free(x);
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

static void parsed_texts_are_counted(void)
{
    NEED_SERVER("--max-memory 16M");
    char *bomb = list_of("{\"op\": \"sum\", \"x\": ", "{}", 2000000, "}");
    EXPECT(post_json(&s, "/v1/reduce", bomb), 413, "--max-memory");
    free(bomb);
    ORR_CHECK_MSG(server_memory(&s) < (size_t)400 << 20, "%zu MB", server_memory(&s) >> 20);
    EXPECT(post_json(&s, "/v1/reduce", one), 200, "1.0");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");
    ORR_CHECK(server_stop(&s) == 0);
}

static void results_of_fields_have_the_limits_of_others(void)
{
    NEED_SERVER("--max-json 100000 --max-result 64000");
    char *many = list_of("{\"op\": \"neg\", \"x\": ", "7", 1500, "}"),
         *more = list_of("{\"op\": \"neg\", \"x\": ", "7", 2500, "}");
    EXPECT(post_json(&s, "/v1/field", many), 413, "elements"); /* 1500 · 80 bytes of text */
    EXPECT(post_json(&s, "/v1/field", more), 413, "");
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"neg\", \"x\": [7]}"), 200, "");
    free(many);
    free(more);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- time --------------------------------------------------------------------------------------------------------------- */

static void work_beyond_the_time_limit_is_refused_before_it_begins(void)
{
    NEED_SERVER("--timeout 2");
    char *x = list_of("", "9", 60000, ""), *text = malloc(300000);
    (void)sprintf(text, "{\"op\": \"poly_eval\", \"x\": %s, \"y\": %s}", x, x); /* 3.6e9 multiplications */
    double from = clock_now();
    EXPECT(post_json(&s, "/v1/field", text), 413, "time limit");
    ORR_CHECK_MSG(clock_now() - from < 10, "%g s", clock_now() - from);
    EXPECT(post_json(&s, "/v1/reduce", one), 200, "1.0");
    free(x);
    free(text);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Two arrays of zeros as .npy, or one; to be freed. */
static char *zeros(const char *first, size_t n, const char *second, size_t m, size_t *size)
{
    float *x = calloc(n > m ? n : m, sizeof *x);
    char *body = malloc((n + m) * sizeof *x + 1024);
    *size = npy_f32(body, first, x, n);
    if (second)
        *size += npy_f32(body + *size, second, x, m);
    free(x);
    return body;
}

/* Runs the job to its end: the answer in the place of its result. */
static answer job_result(const char *path, const char *text)
{
    char where[80];
    answer a = post_json(&s, path, text);
    ORR_CHECK_MSG(a.status == 202, "%d", a.status);
    (void)snprintf(where, sizeof where, "%.63s/result", answer_header(&a, "Location"));
    answer_free(&a);
    a = get(&s, where);
    for (int i = 0; i < 2000 && a.status == 409 && a.body && strstr(a.body, "has not ended"); i++) {
        answer_free(&a);
        pause_for(0.05);
        a = get(&s, where);
    }
    return a;
}

/* Each kind of work on fields says how long it would take, as a request and as a job. The arrays are kept before, without the time limit that is
 * tested: on a busy machine, or with a sanitizer, the reading of their text alone may take that long. */
static void long_work_of_each_kind_is_refused_before_it_begins(void)
{
    enum { MANY = 300000 };
    static const char *const works[] = {
        "{\"op\": \"inverse\", \"x\": {\"array\": \"many\"}}",
        "{\"op\": \"pow\", \"exponent\": \"123456789\", \"x\": {\"array\": \"many\"}}",
        "{\"op\": \"poly_eval\", \"x\": {\"array\": \"many\"}, \"y\": {\"array\": \"many\"}}",
    };
    char *many = list_of("{\"op\": \"neg\", \"result\": \"many\", \"x\": ", "7", MANY, "}");
    NEED_SERVER("--timeout 2 --job-timeout 1000 --max-json 64M");
    EXPECT(job_result("/v1/jobs?run=field", many), 201, "many");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        EXPECT(post_json(&s, "/v1/field", works[i]), 413, "the time limit is 2 s");
    ORR_CHECK(server_stop(&s) == 0);

    char *points = list_of("{\"field\": \"fq254\", \"data\": ", "[1,2]", MANY, "}");
    NEED_SERVER("--timeout 1000 --job-timeout 2 --max-json 64M");
    EXPECT(post_json(&s, "/v1/field", many), 201, "many");
    EXPECT(request(&s, "PUT", "/v1/arrays/points", "Content-Type: application/json\r\n", points, strlen(points)), 201,
           "points");
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        EXPECT(job_result("/v1/jobs?run=field", works[i]), 409, "the time limit is 2 s");
    EXPECT(job_result("/v1/jobs?run=msm", "{\"points\": {\"array\": \"points\"}, \"scalars\": {\"array\": \"many\"}}"),
           409, "the time limit is 2 s");
    free(many);
    free(points);
    ORR_CHECK(server_stop(&s) == 0);
}

/* A result that would be too long as text is not computed. */
static void results_too_long_as_text_are_not_computed(void)
{
    size_t n = 0;
    NEED_SERVER("--max-json 8000 --max-result 64M");
    char *body = zeros("(3000, 1)", 3000, "(1, 3000)", 3000, &n);
    size_t before = server_memory(&s);
    EXPECT(request(&s, "POST", "/v1/gemm", "Content-Type: application/x-npy\r\nAccept: application/json\r\n", body, n),
           406, "8000 bytes");
    ORR_CHECK_MSG(server_memory(&s) < before + ((size_t)16 << 20), "%zu MB more", (server_memory(&s) - before) >> 20);
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* A model of one input, 256 hidden values and one output: its intermediates have 256 times the bytes of its input. */
static void intermediates_are_counted(void)
{
    enum { SAMPLES = 250000 };
    char path[1100], options[1400];
    size_t n = 0;
    ORR_CHECK(orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK);
    orr_module *parts[2] = { orr_dense_with(ORR_F32, 1, 256, ORR_ACTIVATION_TANH, ORR_INITIALISER_CONSTANT(0.5),
                                            ORR_INITIALISER_CONSTANT(0.0)),
                             orr_dense_with(ORR_F32, 256, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_CONSTANT(0.5),
                                            ORR_INITIALISER_CONSTANT(0.0)) };
    orr_module *m = orr_sequential(parts, 2);
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("wide.npz"));
    ORR_CHECK_MSG(orr_module_save(m, path) == ORR_OK, "%s", orr_error_message());
    orr_module_free(m);
    (void)write_file(
        "wide.json",
        "{\"format\": \"orrery-model-1\", \"input\": [1], \"weights\": \"wide.npz\", \"module\": {\"sequential\": ["
        "{\"dense\": {\"in\": 1, \"out\": 256, \"activation\": \"tanh\"}}, {\"dense\": {\"in\": 256, \"out\": 1}}]}}",
        0600);
    *strrchr(path, '/') = '\0';
    (void)snprintf(options, sizeof options, "--models %.1000s --max-memory 64M", path);
    NEED_SERVER(options);
    char *body = zeros("(250000, 1)", SAMPLES, NULL, 0, &n);
    EXPECT(request(&s, "POST", "/v1/models/wide/predict", "Content-Type: application/x-npy\r\n", body, n), 413,
           "--max-memory");
    ORR_CHECK_MSG(server_memory(&s) < (size_t)(64 + 256) << 20, "%zu MB", server_memory(&s) >> 20);
    EXPECT(post_json(&s, "/v1/models/wide/predict", "{\"x\": [0]}"), 200, "0.0");
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");
    free(body);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Two long works of one client leave a thread to the other. */
static void long_work_leaves_a_thread_to_others(void)
{
    int fd[4];
    NEED_SERVER(two_clients("--workers 2"));
    char *x = list_of("", "9", 6000, ""), *text = malloc(100000); /* 4e7 multiplications: seconds */
    (void)sprintf(text, "{\"op\": \"poly_eval\", \"x\": %s, \"y\": %s}", x, x);
    for (int i = 0; i < 4; i++)
        fd[i] = send_only(mallory, "/v1/field", "application/json", text, strlen(text));
    pause_for(0.2);
    double longest = 0;
    for (int i = 0; i < 10; i++) {
        double from = clock_now();
        EXPECT(ask(alice, "POST", "/v1/reduce", one), 200, "1.0");
        longest = clock_now() - from > longest ? clock_now() - from : longest;
    }
    double from = clock_now();
    answer a = read_answer(fd[0], false);
    double took = clock_now() - from + longest;
    ORR_CHECK(a.status == 200);
    answer_free(&a);
    ORR_CHECK_MSG(longest < took + 0.5, "%g s beside works of %g s", longest, took);
    for (int i = 0; i < 4; i++)
        (void)close(fd[i]);
    free(x);
    free(text);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Answers whose texts take long to write, of requests that compute nothing: they do not take the thread for brief works. */
static void long_answers_leave_a_thread_to_others(void)
{
    enum { ELEMENTS = 999000, GETS = 4 };
    char head[256], headers[256];
    size_t n = 0;
    int fd[GETS];
    NEED_SERVER(two_clients("--workers 1"));
    char *body = zeros("(999000,)", ELEMENTS, NULL, 0, &n);
    for (size_t i = 0; i < ELEMENTS; i++) {
        float x = 1 / (float)(i + 3);
        memcpy(body + n - ELEMENTS * sizeof x + i * sizeof x, &x, sizeof x);
    }
    (void)snprintf(headers, sizeof headers, "Authorization: Bearer %s\r\nContent-Type: application/x-npy\r\n", mallory);
    EXPECT(request(&s, "PUT", "/v1/arrays/x", headers, body, n), 201, "");
    free(body);
    (void)snprintf(head, sizeof head,
                   "GET /v1/arrays/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", mallory);
    double one_takes = 0, longest = 0;
    for (int k = 0; k <= GETS; k++) {
        fd[k % GETS] = connect_to(&s, 60.0);
        double from = clock_now();
        ORR_CHECK(send_all(fd[k % GETS], head, strlen(head)));
        if (k > 0)
            continue;
        EXPECT(read_answer(fd[0], false), 200, "");
        one_takes = clock_now() - from;
        (void)close(fd[0]);
    }
    pause_for(0.1);
    for (double from = clock_now(), until = from + one_takes; from < until; from = clock_now()) {
        EXPECT(ask(alice, "POST", "/v1/reduce", one), 200, "1.0");
        longest = clock_now() - from > longest ? clock_now() - from : longest;
    }
    ORR_CHECK_MSG(longest < 0.5 * one_takes + 0.2, "%g s beside answers of %g s", longest, one_takes);
    for (int k = 0; k < GETS; k++)
        (void)close(fd[k]);
    ORR_CHECK(server_stop(&s) == 0);
}

/* The number of the server's threads that have the nice value. */
static int threads_with(int nice)
{
    char path[64];
    int n = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)s.pid);
    DIR *all = opendir(path);
    for (const struct dirent *d = NULL; all && (d = readdir(all));)
        n += d->d_name[0] != '.' && getpriority(PRIO_PROCESS, (id_t)strtoul(d->d_name, NULL, 10)) == nice;
    if (all)
        (void)closedir(all);
    return n;
}

static void threads_that_compute_have_less_precedence(void)
{
    const int own = getpriority(PRIO_PROCESS, 0), less = own + 5 < 19 ? own + 5 : 19;
    NEED_SERVER(two_clients("--workers 3"));
    ORR_CHECK(getpriority(PRIO_PROCESS, (id_t)s.pid) == own);
    ORR_CHECK_MSG(threads_with(less) >= 3 + 1, "%d threads", threads_with(less)); /* of requests and of jobs */
    ORR_CHECK_MSG(threads_with(own) >= 2, "%d threads", threads_with(own));
    ORR_CHECK(server_stop(&s) == 0);
    NEED_SERVER("--workers 3"); /* one client has nobody to leave a core to */
    ORR_CHECK(own == 19 || threads_with(less) == 0);
    ORR_CHECK(server_stop(&s) == 0);
}

static void a_drain_is_the_longest_life(void)
{
    NEED_SERVER("--drain 1 --workers 1 --timeout 100");
    char *x = list_of("", "9", 25000, ""), *text = malloc(200000);
    (void)sprintf(text, "{\"op\": \"poly_eval\", \"x\": %s, \"y\": %s}", x, x); /* longer than the drain */
    int fd = send_only("", "/v1/field", "application/json", text, strlen(text));
    EXPECT(post_json(&s, "/v1/jobs?run=field", text), 202, "");
    pause_for(1.0);
    double from = clock_now();
    ORR_CHECK(server_stop(&s) == 0);
    ORR_CHECK_MSG(clock_now() - from < 4, "%g s", clock_now() - from);
    (void)close(fd);
    free(x);
    free(text);
}

/* -- tables ------------------------------------------------------------------------------------------------------------- */

static void last_job_is_kept(void)
{
    char where[80];
    NEED_SERVER("--max-jobs 1");
    answer a = post_json(&s, "/v1/jobs?run=reduce", one);
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s/result", answer_header(&a, "Location"));
    answer_free(&a);
    pause_for(0.3);
    EXPECT(get(&s, where), 200, "1.0");
    ORR_CHECK(server_stop(&s) == 0);
}

static void jobs_of_one_client_leave_those_of_others(void)
{
    char where[80];
    NEED_SERVER(two_clients("--max-jobs 8"));
    answer a = ask(alice, "POST", "/v1/jobs?run=reduce", one);
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s/result", answer_header(&a, "Location"));
    answer_free(&a);
    for (int i = 0; i < 20; i++) {
        answer b = ask(mallory, "POST", "/v1/jobs?run=reduce", one);
        ORR_CHECK_MSG(b.status == 202 || b.status == 429, "%d", b.status);
        answer_free(&b);
    }
    for (int i = 0, status = 409; i < 200 && status == 409; i++) {
        answer b = ask(alice, "GET", where, NULL);
        status = b.status;
        answer_free(&b);
        pause_for(status == 409 ? 0.05 : 0);
    }
    EXPECT(ask(alice, "GET", where, NULL), 200, "1.0");
    EXPECT(ask(alice, "POST", "/v1/jobs?run=reduce", one), 202, "");
    EXPECT(ask(alice, "GET", "/v1/metrics", NULL), 200, "\"client\": \"mallory\"");
    EXPECT(ask(alice, "GET", "/metrics", NULL), 200, "orrery_client_refused_total{client=\"mallory\"}");
    ORR_CHECK(server_stop(&s) == 0);
}

/* A part of a request, and the end of the connection: its place is free at once. */
static void clients_that_leave_are_noticed(void)
{
    NEED_SERVER("--read-timeout 30 --max-connections 64");
    static const char half[] = "POST /v1/gemm HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               "Content-Length: 100\r\n\r\n{\"a\":";
    for (int i = 0; i < 300; i++) {
        int fd = connect_to(&s, 5.0);
        (void)!send_all(fd, half, sizeof half - 1);
        (void)close(fd);
    }
    double from = clock_now();
    EXPECT(get(&s, "/healthz"), 200, "");
    ORR_CHECK_MSG(clock_now() - from < 5, "%g s", clock_now() - from);
    pause_for(1.0);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"connections\": 1,");
    ORR_CHECK(server_stop(&s) == 0);
}

/* The processor time of the server stops growing. True: it was less than `most` seconds since `from`. */
static bool rests_after(double from, double most)
{
    for (double before = from, now; before - from < most; before = now) {
        pause_for(0.5);
        now = server_seconds(&s);
        if (now - before < 0.02)
            return true;
    }
    return false;
}

/* A work for which nobody waits ends in the middle of its only step: a request whose client has left, and a job that is removed. */
static void work_without_a_waiter_ends(void)
{
    char where[80];
    NEED_SERVER("--workers 1 --timeout 1000 --job-timeout 1000");
    char *x = list_of("", "9", 25000, ""), *text = malloc(200000);
    (void)sprintf(text, "{\"op\": \"poly_eval\", \"x\": %s, \"y\": %s}", x,
                  x); /* half a minute of a processor or more */
    EXPECT(post_json(&s, "/v1/field", "{\"op\": \"poly_eval\", \"x\": [1], \"y\": [2]}"), 200, "");
    double from = server_seconds(&s);
    int fd = send_only("", "/v1/field", "application/json", text, strlen(text));
    pause_for(0.5);
    (void)close(fd);
    ORR_CHECK_MSG(rests_after(from, 10), "%g s", server_seconds(&s) - from);
    EXPECT(get(&s, "/v1/metrics"), 200, "\"body_bytes\": 0,");

    from = server_seconds(&s);
    answer a = post_json(&s, "/v1/jobs?run=field", text);
    ORR_CHECK(a.status == 202);
    (void)snprintf(where, sizeof where, "%.63s", answer_header(&a, "Location"));
    answer_free(&a);
    pause_for(0.5);
    EXPECT(request(&s, "DELETE", where, "", NULL, 0), 200, "cancelled");
    ORR_CHECK_MSG(rests_after(from, 10), "%g s", server_seconds(&s) - from);
    EXPECT(post_json(&s, "/v1/reduce", one), 200, "1.0");
    free(x);
    free(text);
    ORR_CHECK(server_stop(&s) == 0);
}

/* A text of spaces in chunks of `each` bytes, after a body of one number; to be freed. */
static char *chunked(int chunks, int each)
{
    char *text = malloc((size_t)chunks * (size_t)(each + 16) + 512);
    size_t at = (size_t)sprintf(text,
                                "POST /v1/reduce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n",
                                sizeof one - 1, one);
    for (int i = 0; i < chunks; i++)
        at += (size_t)sprintf(text + at, "%x\r\n%*s\r\n", (unsigned)each, each, "");
    (void)sprintf(text + at, "0\r\n\r\n");
    return text;
}

/* A byte in each chunk makes 6 bytes dear to the thread that receives: such a connection ends. */
static void chunks_of_a_byte_end_their_connection(void)
{
    static const struct {
        int chunks, each, status;
    } bodies[] = { { 900, 1, 200 }, { 4000, 64, 200 }, { 20000, 1, 0 } };
    NEED_SERVER("");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char *text = chunked(bodies[i].chunks, bodies[i].each);
        int fd = connect_to(&s, 30.0);
        ORR_CHECK(fd >= 0 && (send_all(fd, text, strlen(text)) || !bodies[i].status));
        answer a = read_answer(fd, false);
        ORR_CHECK_MSG(a.status == bodies[i].status, "%d chunks of %d bytes: %d", bodies[i].chunks, bodies[i].each,
                      a.status);
        answer_free(&a);
        (void)close(fd);
        free(text);
    }
    ORR_CHECK(server_stop(&s) == 0);
}

/* Connections that stay open with a part of a request make place for others. */
static void parts_of_requests_keep_nobody_out(void)
{
    int fd[40];
    NEED_SERVER("--read-timeout 30 --max-connections 16");
    for (int i = 0; i < 40; i++)
        if ((fd[i] = connect_to(&s, 5.0)) >= 0)
            (void)!send_all(fd[i], "GET /heal", 9);
    pause_for(0.2);
    double from = clock_now();
    EXPECT(get(&s, "/healthz"), 200, "");
    ORR_CHECK_MSG(clock_now() - from < 5, "%g s", clock_now() - from);
    for (int i = 0; i < 40; i++)
        (void)close(fd[i]);
    ORR_CHECK(server_stop(&s) == 0);
}

/* Connections that send nothing take the places of their own kind, not that of a client between two requests. */
static void idle_connections_leave_those_of_others(void)
{
    enum { IDLE = 60 };
    char text[256];
    int fd[IDLE], open = 0;
    NEED_SERVER(two_clients("--read-timeout 30 --max-connections 16"));
    int kept = connect_to(&s, 10.0);
    (void)snprintf(text, sizeof text, "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n",
                   alice);
    ORR_CHECK(kept >= 0 && send_all(kept, text, strlen(text)));
    EXPECT(read_answer(kept, false), 200, "");
    for (int i = 0; i < IDLE; i++)
        fd[i] = connect_to(&s, 5.0);
    pause_for(1.5);
    for (int i = 0; i < IDLE; i++) {
        char byte;
        open += fd[i] >= 0 && recv(fd[i], &byte, 1, MSG_DONTWAIT) != 0;
        (void)close(fd[i]);
    }
    ORR_CHECK_MSG(open == 8, "%d connections without a token are open", open); /* half of the places */
    ORR_CHECK(send_all(kept, text, strlen(text)));
    EXPECT(read_answer(kept, false), 200, "");
    (void)close(kept);
    ORR_CHECK(server_stop(&s) == 0);
}

/* -- requests ------------------------------------------------------------------------------------------------------------- */

/* Sends the head as it is; the status. */
static int status_of(const char *head)
{
    int fd = connect_to(&s, 10.0);
    ORR_CHECK(fd >= 0 && send_all(fd, head, strlen(head)));
    answer a = read_answer(fd, false);
    int status = a.status;
    answer_free(&a);
    (void)close(fd);
    return status;
}

static void ambiguous_messages_are_refused(void)
{
    NEED_SERVER("");
#define HEAD "POST /v1/reduce HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    static const char *const heads[] = {
        HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        HEAD "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ",
        HEAD "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        HEAD "Host: other\r\nContent-Length: 2\r\n\r\n{}",
        HEAD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        HEAD "Content-Length: +2\r\n\r\n{}",
        HEAD "Content-Length : 2\r\n\r\n{}",
        HEAD "Content-Length:\r\n 2\r\n\r\n{}",
        HEAD "Content-Length:\r\n\r\n{}",
        HEAD "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        HEAD "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    };
#undef HEAD
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        int status = status_of(heads[i]);
        ORR_CHECK_MSG(status == 400, "head %zu: %d", i, status);
    }
    ORR_CHECK(status_of("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n") == 403);
    ORR_CHECK(status_of("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n\r\n") == 403);
    ORR_CHECK(status_of("GET /v1/models HTTP/1.1\r\nHost: localhost:1\r\nOrigin: http://localhost:1\r\n\r\n") == 200);
    EXPECT(post_json(&s, "/v1/reduce", "{\"op\": \"sum\", \"x\": [1], \"x dtype\": 1}"), 400, "is no parameter");
    char *path = malloc(40000);
    size_t at = (size_t)sprintf(path, "GET /v1/models?");
    for (int i = 0; i < 2000; i++)
        at += (size_t)sprintf(path + at, "%sp%d=1", i ? "&" : "", i);
    (void)sprintf(path + at, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    int status = status_of(path);
    ORR_CHECK_MSG(status == 400 || status == 413 || status == 414 || status == 431, "%d", status);
    free(path);
    ORR_CHECK(server_stop(&s) == 0);
}

/* A log whose reader reads nothing: lines are dropped and counted, requests are answered, and the service ends when it is told to. */
static void an_unread_log_stops_nothing(void)
{
    int fd[2], served = 0;
    char line[64] = "";
    if (!have_server())
        return;
    ORR_REQUIRE(pipe(fd) == 0);
    int out[2];
    ORR_REQUIRE(pipe(out) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(fd[1], 2);
        (void)dup2(out[1], 1);
        (void)execl(server_program(), "orrery-serve", "--port", "0", (char *)NULL);
        _exit(127);
    }
    (void)close(out[1]);
    FILE *f = fdopen(out[0], "r");
    bool ok = f && fgets(line, sizeof line, f) && sscanf(line, "orrery-serve: http://127.0.0.1:%d/", &s.port) == 1;
    ORR_CHECK_MSG(ok, "%s", line);
    for (int i = 0; ok && i < 1500; i++) { /* 64 KiB are some 300 lines */
        answer a = get(&s, "/healthz");
        served += a.status == 200;
        answer_free(&a);
    }
    ORR_CHECK_MSG(served == 1500, "%d of 1500", served);
    int status = -1, waited = 0;
    (void)kill(pid, SIGTERM);
    for (; waited < 1000 && waitpid(pid, &status, WNOHANG) == 0; waited++)
        pause_for(0.01);
    ORR_CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d after %d ms", status, 10 * waited);
    (void)kill(pid, SIGKILL);
    if (f)
        (void)fclose(f);
    (void)close(fd[0]);
    (void)close(fd[1]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(unread_answers_are_counted),
        ORR_TEST(parsed_texts_are_counted),
        ORR_TEST(results_of_fields_have_the_limits_of_others),
        ORR_TEST(work_beyond_the_time_limit_is_refused_before_it_begins),
        ORR_TEST(long_work_of_each_kind_is_refused_before_it_begins),
        ORR_TEST(results_too_long_as_text_are_not_computed),
        ORR_TEST(intermediates_are_counted),
        ORR_TEST(long_work_leaves_a_thread_to_others),
        ORR_TEST(long_answers_leave_a_thread_to_others),
        ORR_TEST(threads_that_compute_have_less_precedence),
        ORR_TEST(a_drain_is_the_longest_life),
        ORR_TEST(last_job_is_kept),
        ORR_TEST(jobs_of_one_client_leave_those_of_others),
        ORR_TEST(clients_that_leave_are_noticed),
        ORR_TEST(work_without_a_waiter_ends),
        ORR_TEST(chunks_of_a_byte_end_their_connection),
        ORR_TEST(parts_of_requests_keep_nobody_out),
        ORR_TEST(idle_connections_leave_those_of_others),
        ORR_TEST(ambiguous_messages_are_refused),
        ORR_TEST(an_unread_log_stops_nothing),
        { 0 },
    };
    return orr_test_main(argc, argv, "serve hostile", tests);
}
