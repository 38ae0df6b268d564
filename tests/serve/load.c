/* orrery-serve beside 512 connections of a client that means harm: another client's small requests keep their time, and the memory its
 * limit. ORR_TEST_LOAD: seconds of the load, instead of a few.
 * Must not know: how the service counts. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
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

/* Shared by the test and the processes of the hostile client. */
static struct {
    atomic_bool over;
    atomic_ulong answers, connections;
} * shared;

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
    atomic_fetch_add(&shared->connections, 1);
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
        atomic_fetch_add(&shared->answers, 1);
        a->sent = 0;
        a->next = now + 0.02;
    }
}

static void attack(void)
{
    static attacker a[HOSTILE];
    static struct pollfd p[HOSTILE];
    for (int i = 0; i < HOSTILE; i++) {
        a[i].fd = -1;
        reconnect(&a[i]);
    }
    while (!atomic_load(&shared->over)) {
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
}

static void spin(void)
{
    volatile double x = 0;
    while (!atomic_load(&shared->over))
        x = x + 1;
}

/* -- processes beside the other client ---------------------------------------------------------------------------------- */

/* A process that runs until the end of its part of the test. */
static pid_t begin(void (*run)(void))
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    run();
    _exit(0);
}

/* True if the processes ran to the end. */
static bool end(const pid_t *pid, int n)
{
    bool ok = true;
    atomic_store(&shared->over, true);
    for (int i = 0, status = -1; i < n; i++)
        ok = pid[i] > 0 && waitpid(pid[i], &status, 0) == pid[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0 && ok;
    atomic_store(&shared->over, false);
    return ok;
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

/* Seconds of the processors so far that neither the test's processes nor the server got: the work of others. */
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
    double mine = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage own;
        (void)getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &own);
        mine += (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
                1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec);
    }
    return (of[0] + of[1] + of[2] + of[7] - user - system) / (double)sysconf(_SC_CLK_TCK) - mine; /* of[7]: stolen */
}

/* A part of the test: processes beside the small requests, and what came of it. */
typedef struct part {
    const char *name;
    void (*run)(void); /* NULL: nothing */
    int processes;
    bool timed; /* it takes the seconds of the load */
    double worst, longest, others;
    int n;
} part;

static void measure(part *p, double seconds)
{
    pid_t pid[8];
    double from = clock_now(), others = others_seconds();
    for (int i = 0; i < p->processes; i++)
        pid[i] = begin(p->run);
    pause_for(p->timed ? 1.0 : 0); /* until all hostile connections stand */
    int failed = small_requests(p->timed ? seconds : 2.0, &p->worst, &p->n);
    p->longest = p->n ? took[p->n - 1] : 0;
    ORR_CHECK_MSG(end(pid, p->processes), "%s: a process failed", p->name);
    p->others = (others_seconds() - others) / ((clock_now() - from) * (double)sysconf(_SC_NPROCESSORS_ONLN));
    printf("    %-42s P99 %6.2f ms, %7.2f ms at most, of %6d requests; others have %2.0f %% of the cores\n", p->name,
           1e3 * p->worst, 1e3 * p->longest, p->n, 100 * p->others);
    ORR_CHECK_MSG(failed == 0, "%s: %d of %d failed", p->name, failed, p->n);
}

/* The hostile client's own process takes cores from the service here, where a stranger would compute on a machine of his own. A run of minutes
 * is for a machine without other work; in a short one a thread of another program counts among the 1 % of requests, so there is a floor. */
static void judge_time(const part *alone, const part *beside, bool long_run)
{
    const double floor = long_run ? 0 : 0.01, factor = 5, most = 0.1; /* seconds; of the processors */
    double usual = alone->worst > floor ? alone->worst : floor;
    if (beside->others > most) {
        orr_test_skip("other programs take %.0f %% of the processors", 100 * beside->others);
        return;
    }
    ORR_CHECK_MSG(beside->worst <= factor * usual, "P99 is %.2f ms, and %.2f ms alone", 1e3 * beside->worst,
                  1e3 * alone->worst);
}

static void small_requests_keep_their_time_beside_hostile_ones(void)
{
    enum { ALONE, BUSY, HARMED, PARTS };
    part parts[PARTS] = {
        [ALONE] = { .name = "alone" },
        [BUSY] = { .name = "beside four busy processes", .run = spin, .processes = 4 },
        [HARMED] = { .name = "beside a hostile client", .run = attack, .processes = 1, .timed = true },
    };
    const char *given = getenv("ORR_TEST_LOAD");
    char options[1400], text[256];
    (void)snprintf(text, sizeof text, "alice %s\nmallory %s\n", alice, mallory);
    (void)snprintf(options, sizeof options, "--tokens %.1000s --max-memory 256M --log-level events --drain 2",
                   write_file("tokens", text, 0600));
    NEED_SERVER(options);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ORR_REQUIRE(shared != MAP_FAILED);
    compose_all();
    for (int i = 0; i < PARTS; i++)
        if (i != BUSY || given) /* it is for a reader, and judges nothing */
            measure(&parts[i], given ? atof(given) : 5.0);
    size_t most = most_memory();
    printf("    %lu hostile answers, %lu connections; %zu MB at most\n", atomic_load(&shared->answers),
           atomic_load(&shared->connections), most >> 20);
    ORR_CHECK_MSG(most < (size_t)(256 + 256) << 20, "%zu MB", most >> 20);
    for (int k = 0; k < KINDS; k++)
        free(messages[k].text);
    (void)munmap(shared, sizeof *shared);
    ORR_CHECK(server_stop(&s) == 0);
    judge_time(&parts[ALONE], &parts[HARMED], given != NULL);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(small_requests_keep_their_time_beside_hostile_ones), { 0 } };
    return orr_test_main(argc, argv, "serve load", tests);
}
