/* Case serve: orrery-serve under 64 clients: products of n = 512, of bodies and of kept arrays, beside the library's own rate, and
 * small requests.
 * Must not know: how the service is made. */
#include "config.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "bench/bench.h"

enum { CLIENTS = 64, SIDE = 512, THREADS = 2, MOST_ROUNDS = 100 };
static const double turn = 2.0; /* seconds of each side in a round */

/* -- the service ------------------------------------------------------------------------------------------- */

typedef struct service {
    pid_t pid;
    int port;
} service;

/* The path of the service's program, from the same build or installation. */
static bool find_program(char *path, size_t size)
{
    static const char *const places[] = { "orrery-serve", "../serve/orrery-serve", "../../serve/orrery-serve" };
    char self[2048];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        (void)snprintf(path, size, "%s/%s", self, places[i]);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool start(service *s)
{
    char path[4096], line[256] = "";
    int ends[2];
    if (!find_program(path, sizeof path) || pipe(ends) != 0) {
        (void)fputs("orrery-bench: serve: there is no orrery-serve\n", stderr);
        return false;
    }
    s->pid = fork();
    if (s->pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)execl(path, path, "--port", "0", "--log-level", "events", "--log", "/dev/null", (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    const char *at = f && fgets(line, sizeof line, f) ? strrchr(line, ':') : NULL;
    s->port = at ? atoi(at + 1) : 0;
    if (f)
        (void)fclose(f);
    return s->port > 0;
}

static void stop(service *s)
{
    int status;
    if (s->pid <= 0)
        return;
    (void)kill(s->pid, SIGCONT);
    (void)kill(s->pid, SIGTERM);
    (void)waitpid(s->pid, &status, 0);
}

/* The processor time in seconds of the service, or of this process. */
static double cpu_of(pid_t pid)
{
    char path[64], line[1024] = "";
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    const char *at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) !=
                  2) /* NOLINT(cert-err34-c) */
        user = system = 0;
    if (f)
        (void)fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* -- clients ----------------------------------------------------------------------------------------------- */

/* A connection that repeats one request; `left`: bytes of the answer still to come, −1: its head is. */
typedef struct client {
    int fd;
    size_t sent;
    long long left;
    char head[1024];
    size_t n_head;
} client;

typedef struct load {
    const char *request;
    size_t n;
    client c[CLIENTS];
    int epoll;
    long done, failed;
    char *sink;
} load;

enum { SINK = 1 << 18 };

static bool open_client(client *c, int port, int epoll)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = c };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *c = (client){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .left = -1 };
    return c->fd >= 0 && connect(c->fd, (struct sockaddr *)&at, sizeof at) == 0 &&
           fcntl(c->fd, F_SETFL, O_NONBLOCK) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e) == 0;
}

static bool push(load *l, client *c)
{
    while (c->sent < l->n) {
        ssize_t n = send(c->fd, l->request + c->sent, l->n - c->sent, MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        c->sent += (size_t)n;
    }
    return true;
}

/* Reads the end of the head and the length of the body; subtracts the bytes that have arrived. */
static bool take_head(client *c)
{
    c->head[c->n_head] = '\0';
    char *end = strstr(c->head, "\r\n\r\n"), *length = strstr(c->head, "Content-Length:");
    if (!end)
        return c->n_head < sizeof c->head - 1;
    if (strncmp(c->head, "HTTP/1.1 200", 12) != 0 || !length || length > end)
        return false;
    c->left = atoll(length + 15) - (long long)(c->n_head - (size_t)(end + 4 - c->head));
    return c->left >= 0;
}

static bool pull(load *l, client *c)
{
    for (;;) {
        bool head = c->left < 0;
        ssize_t n = head ? recv(c->fd, c->head + c->n_head, sizeof c->head - 1 - c->n_head, 0)
                         : recv(c->fd, l->sink, c->left < SINK ? (size_t)c->left : SINK, 0);
        if (n <= 0)
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        if (head) {
            c->n_head += (size_t)n;
            if (!take_head(c))
                return false;
        } else {
            c->left -= n;
        }
        if (c->left == 0) {
            l->done++;
            c->sent = c->n_head = 0;
            c->left = -1;
            if (!push(l, c))
                return false;
        }
    }
}

/* Answers per second, by clients that always have a request in progress; < 0: one failed. *all: the number of answers. */
static double rate(int port, const char *request, size_t n, double seconds, long *all)
{
    static load l;
    l = (load){ .request = request, .n = n, .epoll = epoll_create1(EPOLL_CLOEXEC), .sink = malloc(SINK) };
    bool ok = l.epoll >= 0 && l.sink;
    int opened = 0;
    for (; ok && opened < CLIENTS; opened++)
        ok = open_client(&l.c[opened], port, l.epoll) && push(&l, &l.c[opened]);
    double began = bench_now(), warm = 0.2 * seconds;
    long before = 0;
    while (ok && bench_now() - began < warm + seconds) {
        struct epoll_event e[CLIENTS];
        int k = epoll_wait(l.epoll, e, CLIENTS, 100);
        for (int i = 0; ok && i < k; i++)
            ok = push(&l, e[i].data.ptr) && pull(&l, e[i].data.ptr);
        if (before == 0 && bench_now() - began >= warm) {
            before = l.done;
            began = bench_now();
            warm = 0.0;
        }
    }
    double took = bench_now() - began;
    for (int i = 0; i < opened; i++)
        (void)close(l.c[i].fd);
    if (l.epoll >= 0)
        (void)close(l.epoll);
    free(l.sink);
    *all = l.done;
    return ok && took > 0.0 ? (double)(l.done - before) / took : -1.0;
}

/* A request with its head. what: method and path; headers: further headers, each with "\r\n". */
static char *with_head(const char *what, const char *headers, const char *type, const void *body, size_t bytes,
                       size_t *n)
{
    char *p = malloc(bytes + 512);
    if (!p)
        return NULL;
    int m = snprintf(p, 512, "%s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: %s\r\nContent-Length: %zu\r\n\r\n",
                     what, headers, type, bytes);
    memcpy(p + m, body, bytes);
    *n = (size_t)m + bytes;
    return p;
}

/* A request with `count` matrices; NULL: no memory. */
static char *matrices_request(const char *what, int count, size_t *n)
{
    char head[ORR_NPY_HEADER];
    size_t h = orr_npy_header(ORR_F32, ORR_SHAPE(SIDE, SIDE), head), one = h + sizeof(float) * SIDE * SIDE;
    char *body = malloc((size_t)count * one), *request = NULL;
    for (int k = 0; body && k < count; k++) {
        memcpy(body + (size_t)k * one, head, h);
        for (int i = 0; i < SIDE * SIDE; i++) {
            float v = (float)(i * 7 % 23) / 8;
            memcpy(body + (size_t)k * one + h + sizeof v * (size_t)i, &v, sizeof v);
        }
    }
    if (body)
        request = with_head(what, "", "application/x-npy", body, (size_t)count * one, n);
    free(body);
    return request;
}

/* Sends one request on a connection of its own. True if its answer is a 200 or 201. */
static bool once(int port, const char *request, size_t n)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    char head[13] = "";
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = request ? socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
              send(fd, request, n, MSG_NOSIGNAL) == (ssize_t)n && recv(fd, head, 12, MSG_WAITALL) == 12;
    if (fd >= 0)
        (void)close(fd);
    return ok && strncmp(head, "HTTP/1.1 20", 11) == 0;
}

/* Keeps the matrices of the other requests as a and b. */
static bool keep_matrices(int port)
{
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        size_t n = 0;
        char *request = matrices_request(k ? "PUT /v1/arrays/b" : "PUT /v1/arrays/a", 1, &n);
        ok = ok && once(port, request, n);
        free(request);
    }
    return ok;
}

/* -- the library by itself --------------------------------------------------------------------------------- */

typedef struct own {
    orr_tensor *a, *b;
    double until;
    long done;
    bool ok;
} own;

static void *multiply(void *user)
{
    own *o = user;
    o->ok = true;
    while (o->ok && bench_now() < o->until) {
        orr_scope *s = orr_scope_begin();
        o->ok = orr_eval(orr_matmul(o->a, o->b)) == ORR_OK;
        (void)orr_scope_end(s);
        o->done++;
    }
    return NULL;
}

/* Products per second of `threads` threads, each of which evaluates one at a time. */
static double own_rate(int threads, double seconds, double *cpu)
{
    own o[THREADS];
    pthread_t thread[THREADS];
    orr_shape shape = ORR_SHAPE(SIDE, SIDE);
    orr_tensor *a = orr_full(ORR_F32, shape, 0.5), *b = orr_full(ORR_F32, shape, 0.25);
    if (orr_eval_all(ORR_TENSORS(a, b)) != ORR_OK)
        return -1.0;
    double done = 0.0, began = bench_now(), before = cpu_of(getpid());
    bool ok = true;
    for (int i = 0; i < threads; i++) {
        o[i] = (own){ a, b, began + seconds, 0, false };
        if (pthread_create(&thread[i], NULL, multiply, &o[i]) != 0)
            return -1.0;
    }
    for (int i = 0; i < threads; i++) {
        (void)pthread_join(thread[i], NULL);
        done += (double)o[i].done;
        ok = ok && o[i].ok;
    }
    double took = bench_now() - began;
    *cpu = (cpu_of(getpid()) - before) / done;
    (void)orr_free(a);
    (void)orr_free(b);
    return ok ? done / took : -1.0;
}

/* The better rate of one thread and two, while the service is idle. *cpu: processor seconds per product. */
static double library(const service *s, double *cpu)
{
    double best = -1.0, its;
    (void)kill(s->pid, SIGSTOP);
    if (orr_init(NULL) == ORR_OK) {
        (void)own_rate(1, 0.1 * turn, &its);
        for (int threads = 1; threads <= THREADS; threads++) {
            double r = own_rate(threads, turn / THREADS, &its);
            *cpu = r > best ? its : *cpu;
            best = r > best ? r : best;
        }
        (void)orr_shutdown();
    }
    (void)kill(s->pid, SIGCONT);
    return best;
}

/* -- the case ---------------------------------------------------------------------------------------------- */

/* Sums of the same matrices measure the transfer, since they compute little. Where all cores are busy, a product over HTTP takes the
 * processor as long as both together: no service exceeds 1 / (1 / library + 1 / sums) per second. */
static int products(bench_sink *out, const service *s, int rounds)
{
    size_t n = 0, m = 0;
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS], ratio[MOST_ROUNDS], sums[MOST_ROUNDS], bound[MOST_ROUNDS],
        of_bound[MOST_ROUNDS];
    double cpu[3][MOST_ROUNDS]; /* per product: the service, its clients, the library */
    char *request = matrices_request("POST /v1/gemm", 2, &n),
         *sum = matrices_request("POST /v1/elementwise?expression=x%2By", 2, &m);
    bool ok = request && sum;
    for (int i = 0; ok && i < rounds; i++) {
        long all = 0, ignored = 0;
        double server = cpu_of(s->pid), clients = cpu_of(getpid());
        ours[i] = rate(s->port, request, n, turn, &all);
        cpu[0][i] = (cpu_of(s->pid) - server) / (double)all;
        cpu[1][i] = (cpu_of(getpid()) - clients) / (double)all;
        sums[i] = rate(s->port, sum, m, turn, &ignored);
        theirs[i] = library(s, &cpu[2][i]);
        ok = ours[i] > 0.0 && theirs[i] > 0.0 && sums[i] > 0.0;
        ratio[i] = ours[i] / theirs[i];
        bound[i] = 1 / (1 / theirs[i] + 1 / sums[i]);
        of_bound[i] = ours[i] / bound[i];
    }
    free(request);
    free(sum);
    if (!ok)
        return bench_failed("serve");
    bench_record r = { .name = "serve", .metric = "rate", .unit = "1/s", .reference = "library alone" };
    (void)snprintf(
        r.params, sizeof r.params,
        "\"what\": \"products\", \"n\": %d, \"clients\": %d, \"cpu ms\": \"service %.2f, clients %.2f, library %.2f\"",
        SIDE, CLIENTS, 1e3 * bench_median(cpu[0], rounds), 1e3 * bench_median(cpu[1], rounds),
        1e3 * bench_median(cpu[2], rounds));
    r.value = bench_median(ours, rounds);
    r.reference_value = bench_median(theirs, rounds);
    r.ratio = bench_median(ratio, rounds);
    bench_record t = {
        .name = "serve", .metric = "rate", .unit = "1/s", .reference = "library and sockets", .value = r.value
    };
    (void)snprintf(t.params, sizeof t.params, "\"what\": \"products\", \"n\": %d, \"sums of the same a second\": %.0f",
                   SIDE, bench_median(sums, rounds));
    t.reference_value = bench_median(bound, rounds);
    t.ratio = bench_median(of_bound, rounds);
    int rc = bench_add(out, &r);
    return bench_add(out, &t) | rc;
}

/* Products of operands that were sent once. kept: the results are kept in the service, too. */
static int named_products(bench_sink *out, const service *s, int rounds, bool kept)
{
    static const char keeps[] = "{\"a\": {\"array\": \"a\"}, \"b\": {\"array\": \"b\"}, \"result\": \"c\"}",
                      sends[] = "{\"a\": {\"array\": \"a\"}, \"b\": {\"array\": \"b\"}}";
    size_t n = 0;
    double ours[MOST_ROUNDS], theirs[MOST_ROUNDS], ratio[MOST_ROUNDS], cpu[3][MOST_ROUNDS];
    char *request = kept ? with_head("POST /v1/gemm", "", "application/json", keeps, sizeof keeps - 1, &n)
                         : with_head("POST /v1/gemm", "Accept: application/x-npy\r\n", "application/json", sends,
                                     sizeof sends - 1, &n);
    bool ok = request && keep_matrices(s->port);
    ok = ok && (!kept || once(s->port, request, n)); /* the first request makes c, with a 201 */
    for (int i = 0; ok && i < rounds; i++) {
        long all = 0;
        double server = cpu_of(s->pid), clients = cpu_of(getpid());
        ours[i] = rate(s->port, request, n, turn, &all);
        cpu[0][i] = (cpu_of(s->pid) - server) / (double)all;
        cpu[1][i] = (cpu_of(getpid()) - clients) / (double)all;
        theirs[i] = library(s, &cpu[2][i]);
        ok = ours[i] > 0.0 && theirs[i] > 0.0;
        ratio[i] = ours[i] / theirs[i];
    }
    free(request);
    if (!ok)
        return bench_failed("serve");
    bench_record r = { .name = "serve", .metric = "rate", .unit = "1/s", .reference = "library alone" };
    (void)snprintf(r.params, sizeof r.params,
                   "\"what\": \"products of kept arrays, results %s\", \"n\": %d, \"clients\": %d, \"cpu ms\": "
                   "\"service %.2f, clients %.2f, library %.2f\"",
                   kept ? "kept" : "sent", SIDE, CLIENTS, 1e3 * bench_median(cpu[0], rounds),
                   1e3 * bench_median(cpu[1], rounds), 1e3 * bench_median(cpu[2], rounds));
    r.value = bench_median(ours, rounds);
    r.reference_value = bench_median(theirs, rounds);
    r.ratio = bench_median(ratio, rounds);
    return bench_add(out, &r);
}

/* Small requests. The design rate of the service is 5,000 per second on two cores. */
static int small(bench_sink *out, const service *s, int rounds)
{
    static const char body[] = "{\"expression\": \"x*sigmoid(2*x)\", \"x\": [0, 1, 2, 3, 4, 5, 6, 7]}";
    size_t n = 0;
    long all = 0;
    double ours[MOST_ROUNDS];
    char *request = with_head("POST /v1/elementwise", "", "application/json", body, sizeof body - 1, &n);
    bool ok = request != NULL;
    for (int i = 0; ok && i < rounds; i++)
        ok = (ours[i] = rate(s->port, request, n, turn, &all)) > 0.0;
    free(request);
    if (!ok)
        return bench_failed("serve");
    bench_record r = {
        .name = "serve", .metric = "rate", .unit = "1/s", .reference = "goal", .reference_value = 5000.0
    };
    (void)snprintf(r.params, sizeof r.params, "\"what\": \"small requests\", \"n\": 8, \"clients\": %d", CLIENTS);
    r.value = bench_median(ours, rounds);
    r.ratio = r.value / r.reference_value;
    return bench_add(out, &r);
}

int bench_serving(bench_sink *out, int rounds)
{
    service s = { 0 };
    rounds = rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
    int rc = !start(&s) ? 1
                        : products(out, &s, rounds) | named_products(out, &s, rounds, true) |
                              named_products(out, &s, rounds, false) | small(out, &s, rounds);
    stop(&s);
    return rc;
}
