/* Log lines go through a bounded buffer to a thread that writes them, so that a reader who stops reading stops nothing else: lines beyond
 * the buffer are dropped and counted.
 * Must not know: what the events mean. */
#include "config.h"
#include "serve/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A line is below PIPE_BUF: a pipe that poll reports as ready takes it whole, without waiting. */
enum { LINE = 2048, ROOM = 1 << 20 };

static int to = STDERR_FILENO;
static serve_level most = SERVE_LOG_REQUEST;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    bool runs;
    atomic_bool stop;
    unsigned long long dropped;
    size_t n; /* bytes in the buffer */
    char line[ROOM];
} out = { .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER };

/* Writes n bytes, whole lines, until the reader takes none for `ms` milliseconds (-1: until serve_log_close). Returns the number of bytes that
 * are done; after an error, which nobody can be told, that is all of them. */
static size_t write_out(const char *text, size_t n, int ms)
{
    size_t done = 0;
    while (done < n) {
        struct pollfd p = { .fd = to, .events = POLLOUT };
        const char *end = memchr(text + done, '\n', n - done);
        size_t part = end ? (size_t)(end - text) + 1 - done : n - done;
        int ready = poll(&p, 1, ms < 0 ? 100 : ms);
        if (ready == 0 && (ms >= 0 || atomic_load(&out.stop)))
            break;
        ssize_t w = ready > 0 ? write(to, text + done, part) : 0;
        if (w < 0 && errno != EINTR && errno != EAGAIN)
            return n;
        done += w > 0 ? (size_t)w : 0;
    }
    return done;
}

static void note_dropped(unsigned long long lines)
{
    char note[128];
    int n = snprintf(note, sizeof note, "{\"level\": \"error\", \"event\": \"dropped\", \"lines\": %llu}\n", lines);
    (void)write_out(note, (size_t)n, -1);
}

static void *write_lines(void *user)
{
    static char part[ROOM / 8];
    (void)user;
    (void)pthread_mutex_lock(&out.lock);
    while (!atomic_load(&out.stop)) {
        if (out.n == 0) {
            (void)pthread_cond_wait(&out.change, &out.lock);
            continue;
        }
        size_t n = out.n < sizeof part ? out.n : sizeof part;
        while (n > 0 && out.line[n - 1] != '\n')
            n--;
        memcpy(part, out.line, n);
        unsigned long long dropped = out.dropped;
        out.dropped = 0;
        (void)pthread_mutex_unlock(&out.lock);
        size_t done = write_out(part, n, -1);
        if (dropped)
            note_dropped(dropped);
        (void)pthread_mutex_lock(&out.lock);
        memmove(out.line, out.line + done, out.n - done);
        out.n -= done;
    }
    (void)pthread_mutex_unlock(&out.lock);
    return NULL;
}

bool serve_log_open(const char *path, const char *level)
{
    most = strcmp(level, "errors") == 0   ? SERVE_LOG_ERROR
           : strcmp(level, "events") == 0 ? SERVE_LOG_EVENT
                                          : SERVE_LOG_REQUEST;
    if (path)
        to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    out.runs = to >= 0 && pthread_create(&out.thread, NULL, write_lines, NULL) == 0;
    return to >= 0;
}

/* The rest is written within a second, if its reader takes it. */
void serve_log_close(void)
{
    if (out.runs) {
        (void)pthread_mutex_lock(&out.lock);
        atomic_store(&out.stop, true);
        (void)pthread_cond_signal(&out.change);
        (void)pthread_mutex_unlock(&out.lock);
        (void)pthread_join(out.thread, NULL);
        out.runs = false;
        (void)write_out(out.line, out.n, 1000);
        out.n = 0;
    }
    if (to > STDERR_FILENO)
        (void)close(to);
    to = STDERR_FILENO;
}

char *serve_quote(char *buf, int size, const char *text)
{
    int n = 0;
    buf[n++] = '"';
    for (; *text && n < size - 8; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            buf[n++] = '\\';
        if (c < 0x20 || c == 0x7f)
            n += snprintf(buf + n, (size_t)(size - n), "\\u%04x", c);
        else
            buf[n++] = (char)c;
    }
    while (n > 1 && *text && (buf[n - 1] & 0xc0) == 0x80) /* no partial character at the cut */
        n--;
    if (n > 1 && *text && (buf[n - 1] & 0x80))
        n--;
    buf[n++] = '"';
    buf[n] = '\0';
    return buf;
}

void serve_log(serve_level level, const char *event, const char *members, ...)
{
    static const char *const names[] = { "error", "info", "info" };
    char line[LINE];
    struct timespec now;
    struct tm utc;
    if (level > most)
        return;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    int n = (int)strftime(line, sizeof line, "{\"time\": \"%Y-%m-%dT%H:%M:%S", &utc);
    n += snprintf(line + n, sizeof line - (size_t)n, ".%06ldZ\", \"level\": \"%s\", \"event\": \"%s\"",
                  now.tv_nsec / 1000, names[level], event);
    int kept = n;
    n += snprintf(line + n, sizeof line - (size_t)n, ", ");
    va_list ap;
    va_start(ap, members);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 3, members, ap);
    va_end(ap);
    n = m < 0 || n + m > (int)sizeof line - 4 ? kept : n + m; /* too long for a line: only the event is logged */
    line[n++] = '}';
    line[n++] = '\n';
    if (!out.runs) {
        (void)write_out(line, (size_t)n, 0);
        return;
    }
    (void)pthread_mutex_lock(&out.lock);
    if (out.n + (size_t)n <= sizeof out.line) {
        memcpy(out.line + out.n, line, (size_t)n);
        out.n += (size_t)n;
    } else {
        out.dropped++;
    }
    (void)pthread_cond_signal(&out.change);
    (void)pthread_mutex_unlock(&out.lock);
}
