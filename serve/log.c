/* Writes log lines, each by one call, so that lines of several threads do not mix.
 * Must not know: what the events mean. */
#include "config.h"
#include "serve/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int to = STDERR_FILENO;
static serve_level most = SERVE_LOG_REQUEST;

bool serve_log_open(const char *path, const char *level)
{
    most = strcmp(level, "errors") == 0   ? SERVE_LOG_ERROR
           : strcmp(level, "events") == 0 ? SERVE_LOG_EVENT
                                          : SERVE_LOG_REQUEST;
    if (path)
        to = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    return to >= 0;
}

void serve_log_close(void)
{
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
    char line[2048];
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
    while (write(to, line, (size_t)n) < 0 && errno == EINTR)
        ;
}
