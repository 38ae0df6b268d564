/* The server of a test, and its client.
 * Must not know: what is tested. */
#include "config.h"
#include "tests/serve/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static char output[1 << 16];
static server running; /* stopped by atexit */

void pause_for(double seconds)
{
    struct timespec t = { .tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds)) };
    (void)nanosleep(&t, NULL);
}

double clock_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *server_program(void)
{
    static char path[1024];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(path, sizeof path, "%s/serve/orrery-serve", build ? build : ".");
    return path;
}

bool have_server(void)
{
    if (access(server_program(), X_OK) == 0)
        return true;
    orr_test_skip("orrery-serve is not built: libmicrohttpd or jansson is missing");
    return false;
}

const char *server_output(void)
{
    return output;
}

static void stop_running(void)
{
    if (running.pid > 0)
        (void)kill(running.pid, SIGKILL);
}

/* Reads until the end of the line, the end of the program, or 60 s have passed. */
static void read_output(int fd, bool all)
{
    size_t n = 0;
    time_t until = time(NULL) + 60;
    while (n < sizeof output - 1 && time(NULL) < until &&
           (all || !memchr(output, '\n', n) || !strstr(output, "/docs"))) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        if (poll(&p, 1, 1000) <= 0)
            continue;
        ssize_t got = read(fd, output + n, sizeof output - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        output[n] = '\0';
    }
    output[n] = '\0';
}

static pid_t start(const char *options, int *out)
{
    char *argv[64], text[4096];
    int n = 0, ends[2];
    (void)snprintf(text, sizeof text, "%s", options);
    argv[n++] = (char *)(uintptr_t)server_program();
    for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word && n < 63; word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    argv[n] = NULL;
    if (pipe(ends) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(ends[1]);
    *out = ends[0];
    return pid;
}

bool server_start(server *s, const char *options)
{
    static int count;
    char all[4096];
    int out = -1;
    (void)snprintf(all, sizeof all, "log-%d", count++);
    (void)snprintf(s->log, sizeof s->log, "%s", orr_test_tmp(all));
    (void)snprintf(all, sizeof all, "--port 0 --log %.1000s %.2000s", s->log, options);
    if (count == 1)
        (void)atexit(stop_running);
    s->port = 0;
    s->pid = start(all, &out);
    running = *s;
    if (s->pid < 0)
        return false;
    read_output(out, false);
    const char *at = strstr(output, "http"), *colon = at ? strrchr(at, ':') : NULL;
    if (colon)
        s->port = atoi(colon + 1);
    (void)close(out);
    if (s->port > 0)
        return true;
    (void)server_stop(s);
    return false;
}

/* Sends a signal every `again` seconds; a single one for 0. */
static int stop(server *s, double again)
{
    int status = 0;
    double until = clock_now() + 60.0;
    if (s->pid <= 0)
        return -1;
    (void)kill(s->pid, SIGTERM);
    for (int i = 0; clock_now() < until; i++) {
        if (again > 0.0)
            (void)kill(s->pid, i % 2 ? SIGTERM : SIGINT);
        if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
            s->pid = running.pid = 0;
            if (WIFSIGNALED(status))
                printf("    the service was ended by signal %d\n", WTERMSIG(status));
            return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        }
        pause_for(again > 0.0 ? again : 0.05);
    }
    printf("    the service does not end\n");
    (void)kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, &status, 0);
    s->pid = running.pid = 0;
    return -1;
}

int server_stop(server *s)
{
    return stop(s, 0.0);
}

int server_stop_by_many(server *s)
{
    return stop(s, 0.0003);
}

int server_fails(const char *options)
{
    int out = -1, status = 0;
    pid_t pid = start(options, &out);
    if (pid < 0)
        return -1;
    running.pid = pid;
    read_output(out, true);
    (void)close(out);
    for (int i = 0; i < 200 && waitpid(pid, &status, WNOHANG) == 0; i++) {
        if (i == 199) {
            (void)kill(pid, SIGKILL);
            (void)waitpid(pid, &status, 0);
        }
        pause_for(0.05);
    }
    running.pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

size_t server_memory(const server *s)
{
    char path[64];
    unsigned long all = 0, resident = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/statm", (int)s->pid);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%lu %lu", &all, &resident) != 2) /* NOLINT(cert-err34-c): the kernel's numbers */
        resident = 0;
    if (f)
        (void)fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

double server_seconds(const server *s)
{
    clockid_t of;
    struct timespec t = { 0 };
    if (clock_getcpuclockid(s->pid, &of) != 0 || clock_gettime(of, &t) != 0)
        return 0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- requests ---------------------------------------------------------------------------------------------- */

int connect_to(const server *s, double seconds)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)s->port) };
    struct timeval t = { .tv_sec = (time_t)seconds,
                         .tv_usec = (suseconds_t)(1e6 * (seconds - (double)(time_t)seconds)) };
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    (void)close(fd);
    return -1;
}

bool send_all(int fd, const void *data, size_t n)
{
    const char *p = data;
    while (n > 0) {
        ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

const char *answer_header(const answer *a, const char *name)
{
    static _Thread_local char value[512];
    size_t n = strlen(name);
    value[0] = '\0';
    for (const char *line = a->head; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncasecmp(line, name, n) != 0 || line[n] != ':')
            continue;
        const char *from = line + n + 1 + strspn(line + n + 1, " ");
        (void)snprintf(value, sizeof value, "%.*s", (int)strcspn(from, "\r\n"), from);
        break;
    }
    return value;
}

answer read_answer(int fd, bool head_only)
{
    answer a = { 0 };
    size_t room = 1 << 14, n = 0, head = 0, length = 0;
    char *p = malloc(room);
    while (p && (!head || n < head + length)) {
        if (n + 1 == room) {
            char *q = realloc(p, room *= 2);
            if (!q)
                break;
            p = q;
        }
        ssize_t got = recv(fd, p + n, head && head + length + 1 < room ? head + length - n : room - 1 - n, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            a.closed = got == 0;
            break;
        }
        n += (size_t)got;
        p[n] = '\0';
        char *end = head ? NULL : strstr(p, "\r\n\r\n");
        if (!end)
            continue;
        head = (size_t)(end - p) + 4;
        end[2] = '\0';
        a.head = strdup(p);
        a.status = atoi(p + strcspn(p, " "));
        length = head_only || a.status < 200 ? 0 : strtoul(answer_header(&a, "Content-Length"), NULL, 10);
        if (head + length + 1 > room) {
            char *q = realloc(p, room = head + length + 1);
            if (!q)
                break;
            p = q;
        }
    }
    if (p && head && n >= head + length) {
        a.n = length;
        a.body = malloc(length + 1);
        if (a.body) {
            memcpy(a.body, p + head, length);
            a.body[length] = '\0';
        }
    } else {
        a.status = 0;
    }
    free(p);
    return a;
}

void answer_free(answer *a)
{
    free(a->head);
    free(a->body);
    *a = (answer){ 0 };
}

answer request(const server *s, const char *method, const char *path, const char *headers, const void *body, size_t n)
{
    char head[8192];
    int fd = connect_to(s, 60.0);
    answer a = { 0 };
    if (fd < 0)
        return a;
    int m = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s", method, path, s->port, headers);
    if (body)
        m += snprintf(head + m, sizeof head - (size_t)m, "Content-Length: %zu\r\n", n);
    m += snprintf(head + m, sizeof head - (size_t)m, "\r\n");
    if (send_all(fd, head, (size_t)m) && body)
        (void)send_all(fd, body, n); /* the body of an early refusal is not read: only the answer matters */
    a = read_answer(fd, strcmp(method, "HEAD") == 0);
    (void)close(fd);
    return a;
}

answer get(const server *s, const char *path)
{
    return request(s, "GET", path, "", NULL, 0);
}

answer post_json(const server *s, const char *path, const char *json)
{
    return request(s, "POST", path, "Content-Type: application/json\r\n", json, strlen(json));
}

bool expect(answer a, int code, const char *text, const char *file, int line)
{
    bool ok = a.status == code && (!*text || (a.body && strstr(a.body, text)));
    (void)orr_test_check(ok, "the answer", file, line, "status %d for %d, \"%s\" in:\n%.2000s", a.status, code, text,
                         a.body ? a.body : "(nothing)");
    answer_free(&a);
    return ok;
}

/* -- files ------------------------------------------------------------------------------------------------- */

size_t npy_f32(char *buf, const char *shape, const float *data, size_t n)
{
    int m = 10 + sprintf(buf + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    while ((m + 1) % 64)
        buf[m++] = ' ';
    buf[m++] = '\n';
    memcpy(buf, "\x93NUMPY\x01\x00", 8);
    buf[8] = (char)((m - 10) & 0xff);
    buf[9] = (char)((m - 10) >> 8);
    if (n)
        memcpy(buf + m, data, n * sizeof *data);
    return (size_t)m + n * sizeof *data;
}

const char *write_file(const char *name, const char *text, unsigned mode)
{
    const char *path = orr_test_tmp(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ORR_CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fchmod(fd, mode) == 0);
    if (fd >= 0)
        (void)close(fd);
    return path;
}

char *read_text(const char *path)
{
    size_t n = 0;
    char *text = (char *)orr_test_slurp(path, &n);
    return text ? text : strdup("");
}
