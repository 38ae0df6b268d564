/* orrery-serve beside 512 connections of a client that means harm: another client's small requests keep their time, and the memory its
 * limit. ORR_TEST_LOAD: seconds of the load, instead of a few.
 * Must not know: how the service counts. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/harness/harness.h"
#include "tests/serve/client.h"

static server s;

static const char mallory[] = "mallorys-token-0123456789abcdef", alice[] = "alices-token-0123456789abcdef";

/* -- the hostile client ------------------------------------------------------------------------------------------------- */

enum { HOSTILE = 512, PIECE = 64 << 10 };
enum kind { UNREAD, HALF, SLOW_HEAD, HEAVY, BOMB, NO_TOKEN, IDLE, JOB, FLOOD, KINDS };

/* A request as it is sent; of HALF and SLOW_HEAD the last part is kept back. */
typedef struct message {
    char *text;
    size_t n;
} message;

typedef struct attacker {
    int fd;
    size_t sent;
    double next; /* not before this time */
} attacker;

static message messages[KINDS];
static atomic_bool over;
static atomic_ulong answers, connections;

static message compose(const char *token, const char *path, const char *type, const char *body, size_t n)
{
    message m = { .text = malloc(n + 1024) };
    m.n = (size_t)sprintf(m.text,
                          "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\n"
                          "Content-Length: %zu\r\n\r\n",
                          path, token, type, n);
    memcpy(m.text + m.n, body, n);
    m.n += n;
    return m;
}

static char *repeated(const char *before, const char *what, int n, const char *after)
{
    char *text = malloc(strlen(before) + strlen(after) + (size_t)n * strlen(what) + 1);
    size_t at = (size_t)sprintf(text, "%s", before);
    for (int i = 0; i < n; i++)
        at += (size_t)sprintf(text + at, "%s", what);
    (void)sprintf(text + at, "%s", after);
    return text;
}

static message json_message(const char *token, const char *path, char *text)
{
    message m = compose(token, path, "application/json", text, strlen(text));
    free(text);
    return m;
}

static void compose_all(void)
{
    enum { N = 1500, TERMS = 3000 };
    float *x = calloc(N, sizeof *x);
    char *body = malloc(2 * (N * sizeof *x + 256)), shape[64], *row = repeated("[", "9,", TERMS - 1, "9]");
    char *heavy = malloc(2 * strlen(row) + 64);
    (void)snprintf(shape, sizeof shape, "(%d, 1)", N);
    size_t n = npy_f32(body, shape, x, N);
    (void)snprintf(shape, sizeof shape, "(1, %d)", N);
    n += npy_f32(body + n, shape, x, N);
    (void)sprintf(heavy, "{\"op\": \"poly_eval\", \"x\": %s, \"y\": %s}", row, row);
    messages[UNREAD] = compose(mallory, "/v1/gemm", "application/x-npy", body, n);
    messages[HALF] = json_message(mallory, "/v1/reduce", repeated("{\"op\": \"sum\", \"x\": [", "1,", 8000, "1]}"));
    messages[SLOW_HEAD] = json_message(mallory, "/v1/reduce", strdup("{}"));
    messages[HEAVY] = json_message(mallory, "/v1/field", strdup(heavy));
    messages[BOMB] = json_message(mallory, "/v1/reduce", repeated("{\"op\": \"sum\", \"x\": [", "{},", 100000, "{}]}"));
    messages[NO_TOKEN] =
        json_message("nobodys-token-0123456789", "/v1/reduce", repeated("{\"x\": [", "1,", 30000, "1]}"));
    messages[IDLE] = (message){ .text = strdup("") };
    messages[JOB] = json_message(mallory, "/v1/jobs?run=field", heavy);
    messages[FLOOD] = json_message(mallory, "/v1/reduce", repeated("{\"op\": \"sum\", \"x\": [", "1,", 20000, "1]}"));
    free(x);
    free(body);
    free(row);
}

static void reconnect(attacker *a)
{
    if (a->fd >= 0)
        (void)close(a->fd);
    a->sent = 0;
    a->fd = connect_to(&s, 1.0);
    if (a->fd >= 0)
        (void)fcntl(a->fd, F_SETFL, O_NONBLOCK);
    atomic_fetch_add(&connections, 1);
}

/* Sends what the kind of client sends now. */
static void push(attacker *a, enum kind k, double now)
{
    const message *m = &messages[k];
    size_t most = k == HALF ? m->n / 2 : k == SLOW_HEAD ? 60 : m->n, part = k == SLOW_HEAD ? 1 : PIECE;
    if (a->sent >= most || now < a->next)
        return;
    ssize_t w = send(a->fd, m->text + a->sent, most - a->sent < part ? most - a->sent : part, MSG_NOSIGNAL);
    a->sent += w > 0 ? (size_t)w : 0;
    if (k == SLOW_HEAD)
        a->next = now + 0.2;
}

/* Reads what has come, unless it is left there; after the answer, the next request. */
static void pull(attacker *a, enum kind k, double now)
{
    static char sink[1 << 16];
    ssize_t r = recv(a->fd, sink, sizeof sink, k == UNREAD ? MSG_PEEK : 0);
    if (r == 0 || (r < 0 && errno != EAGAIN)) {
        a->next = now + 0.05;
        reconnect(a);
    } else if (r > 0 && k != UNREAD && a->sent >= messages[k].n) {
        atomic_fetch_add(&answers, 1);
        a->sent = 0;
        a->next = now + 0.02;
    }
}

static void *attack(void *user)
{
    static attacker a[HOSTILE];
    static struct pollfd p[HOSTILE];
    (void)user;
    for (int i = 0; i < HOSTILE; i++) {
        a[i].fd = -1;
        reconnect(&a[i]);
    }
    while (!atomic_load(&over)) {
        double now = clock_now();
        for (int i = 0; i < HOSTILE; i++) {
            enum kind k = (enum kind)(i % KINDS);
            push(&a[i], k, now);
            p[i] = (struct pollfd){ .fd = a[i].fd, .events = k == UNREAD ? 0 : POLLIN };
        }
        pause_for(0.005);
        if (poll(p, HOSTILE, 0) > 0)
            for (int i = 0; i < HOSTILE; i++)
                if (p[i].revents || a[i].fd < 0)
                    pull(&a[i], (enum kind)(i % KINDS), clock_now());
    }
    for (int i = 0; i < HOSTILE; i++)
        if (a[i].fd >= 0)
            (void)close(a[i].fd);
    return NULL;
}

/* -- the other client -------------------------------------------------------------------------------------------------------- */

enum { TIMES = 1 << 20 };
static double took[TIMES];

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The small requests of `seconds`, on one connection, and every twentieth on one of its own. *worst: the 99th percentile of their times.
 * Returns the number of those that failed. */
static int small_requests(double seconds, double *worst, int *all)
{
    static const char small[] = "{\"op\": \"sum\", \"x\": [1, 2, 3]}";
    message m = compose(alice, "/v1/reduce", "application/json", small, strlen(small));
    int n = 0, failed = 0, kept = connect_to(&s, 20.0);
    for (double until = clock_now() + seconds; clock_now() < until && n < TIMES; n++) {
        double from = clock_now();
        int fd = n % 20 == 19 ? connect_to(&s, 20.0) : kept;
        answer a = { 0 };
        if (fd >= 0 && send_all(fd, m.text, m.n))
            a = read_answer(fd, false);
        took[n] = clock_now() - from;
        if (a.status != 200 && failed++ < 5)
            printf("    status %d after %.3f s: %.200s\n", a.status, took[n], a.body ? a.body : "");
        if (a.status == 0 && fd == kept) {
            (void)close(kept);
            kept = connect_to(&s, 20.0);
        } else if (fd >= 0 && fd != kept) {
            (void)close(fd);
        }
        answer_free(&a);
        pause_for(0.002);
    }
    (void)close(kept);
    free(m.text);
    qsort(took, (size_t)n, sizeof *took, by_size);
    *worst = n ? took[(int)(0.99 * (n - 1))] : 0;
    *all = n;
    return failed;
}

static void *spin(void *user)
{
    volatile double x = 0;
    (void)user;
    while (!atomic_load(&over))
        x = x + 1;
    return NULL;
}

/* The 99th percentile beside threads that only compute: the delay by the machine and its other work. */
static double beside_busy_threads(void)
{
    enum { THREADS = 4 };
    pthread_t thread[THREADS];
    double worst = 0;
    int n = 0, started = 0;
    while (started < THREADS && pthread_create(&thread[started], NULL, spin, NULL) == 0)
        started++;
    int failed = small_requests(1.5, &worst, &n);
    atomic_store(&over, true);
    while (started > 0)
        (void)pthread_join(thread[--started], NULL);
    atomic_store(&over, false);
    ORR_CHECK_MSG(failed == 0, "%d of %d failed", failed, n);
    return worst;
}

/* The most resident bytes that the server has had. */
static size_t most_memory(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)s.pid);
    char *text = read_text(path), *at = strstr(text, "VmHWM:");
    size_t n = at ? strtoul(at + 6, NULL, 10) << 10 : 0;
    free(text);
    return n;
}

/* Seconds of the processors so far that neither this process nor the server got: the work of others. */
static double others_seconds(void)
{
    char path[64];
    double of[8] = { 0 }, user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)s.pid);
    char *all = read_text("/proc/stat"), *its = read_text(path), *at = strrchr(its, ')');
    (void)sscanf(all, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", of, of + 1, of + 2, of + 3, of + 4, of + 5, of + 6,
                 of + 7);
    (void)sscanf(at ? at + 1 : "", " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &user, &system);
    free(all);
    free(its);
    struct rusage own;
    (void)getrusage(RUSAGE_SELF, &own);
    double mine = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
                  1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
    return (of[0] + of[1] + of[2] + of[7] - user - system) / (double)sysconf(_SC_CLK_TCK) - mine; /* of[7]: stolen */
}

/* Checks the time, if the processors were there for the service and its clients: the bound is for queues, not for cores of other programs. */
static void judge_time(double beside, double usual, double others)
{
    const double floor = 0.01, factor = 5; /* seconds, for threads that wait for a core */
    const double most = 0.1;               /* of the processors                         */
    if (others > most) {
        orr_test_skip("other programs take %.0f %% of the processors", 100 * others);
        return;
    }
    ORR_CHECK_MSG(beside <= factor * (usual > floor ? usual : floor), "P99 is %.2f ms, and %.2f ms without them",
                  1e3 * beside, 1e3 * usual);
}

static void small_requests_keep_their_time_beside_hostile_ones(void)
{
    const char *given = getenv("ORR_TEST_LOAD");
    char options[1400], text[256];
    double alone = 0, beside = 0;
    int n = 0, m = 0;
    pthread_t thread;
    (void)snprintf(text, sizeof text, "alice %s\nmallory %s\n", alice, mallory);
    (void)snprintf(options, sizeof options, "--tokens %.1000s --max-memory 256M --log-level events --drain 2",
                   write_file("tokens", text, 0600));
    NEED_SERVER(options);
    compose_all();
    int failed = small_requests(2.0, &alone, &n);
    ORR_CHECK_MSG(failed == 0, "%d of %d failed alone", failed, n);
    double busy = beside_busy_threads(), usual = busy > alone ? busy : alone;
    ORR_REQUIRE(pthread_create(&thread, NULL, attack, NULL) == 0);
    pause_for(1.0); /* until all hostile connections stand */
    double from = clock_now(), others = others_seconds();
    failed = small_requests(given ? atof(given) : 5.0, &beside, &m);
    others = (others_seconds() - others) / ((clock_now() - from) * (double)sysconf(_SC_NPROCESSORS_ONLN));
    size_t most = most_memory();
    atomic_store(&over, true);
    (void)pthread_join(thread, NULL);
    printf("    P99 of %d requests alone: %.2f ms, beside busy threads: %.2f ms; of %d beside hostile clients: %.2f "
           "ms, %.2f ms at "
           "most; %lu hostile answers, %lu connections; %zu MB at most\n",
           n, 1e3 * alone, 1e3 * busy, m, 1e3 * beside, 1e3 * (m ? took[m - 1] : 0), atomic_load(&answers),
           atomic_load(&connections), most >> 20);
    ORR_CHECK_MSG(failed == 0, "%d of %d failed", failed, m);
    ORR_CHECK_MSG(most < (size_t)(256 + 256) << 20, "%zu MB", most >> 20);
    for (int k = 0; k < KINDS; k++)
        free(messages[k].text);
    ORR_CHECK(server_stop(&s) == 0);
    judge_time(beside, usual, others);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(small_requests_keep_their_time_beside_hostile_ones), { 0 } };
    return orr_test_main(argc, argv, "serve load", tests);
}
