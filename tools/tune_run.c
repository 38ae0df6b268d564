/* One run of the user's program in a changed environment, timed, within a limit.
 * Must not know: which settings come next. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tools/tune.h"

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Replaces the child by the program. Exit status 127: there is no such program. */
static void become(const tune_options *o, const tune_point *p, int out)
{
    for (int i = 0; i < TUNE_VARS; i++)
        if (p->value[i][0] && setenv(o->var[i].name, p->value[i], 1) != 0)
            _exit(126);
    if (dup2(out, STDOUT_FILENO) < 0)
        _exit(126);
    (void)setpgid(0, 0); /* a time limit then ends its children, too */
    (void)execvp(o->program[0], o->program);
    _exit(127);
}

/* The reader of --metric: the number after the last occurrence of the word. */
typedef struct {
    const char *word;
    char line[4096];
    size_t n;
    bool found;
    double value;
} reader;

static void take_line(reader *r)
{
    r->line[r->n] = '\0';
    r->n = 0;
    char *at = r->word ? strstr(r->line, r->word) : NULL, *end;
    if (!at)
        return;
    at += strlen(r->word);
    at += strspn(at, " \t:=");
    double v = strtod(at, &end);
    if (end > at) {
        r->found = true;
        r->value = v;
    }
}

static void take(reader *r, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\n' || r->n == sizeof r->line - 1)
            take_line(r);
        else
            r->line[r->n++] = s[i];
    }
}

/* Reads until the program closes its output. False if the limit came first. */
static bool listen(const tune_options *o, int fd, double until, reader *r)
{
    char text[4096];
    for (;;) {
        double left = until - now();
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int ready = left > 0 ? poll(&p, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1) : 0;
        if (ready < 0)
            return false;
        if (ready == 0)
            return false;
        ssize_t n = read(fd, text, sizeof text);
        if (n <= 0)
            break;
        take(r, text, (size_t)n);
        if (o->show)
            (void)fwrite(text, 1, (size_t)n, stderr);
    }
    if (r->n)
        take_line(r);
    return true;
}

/* Waits for the program's end: it may close its output long before. */
static bool wait_until(pid_t child, double until, int *how)
{
    struct timespec nap = { 0, 200000 };
    for (;;) {
        pid_t got = waitpid(child, how, WNOHANG);
        if (got == child)
            return true;
        if ((got < 0 && errno != EINTR) || now() >= until || tune_stop)
            return false;
        (void)nanosleep(&nap, NULL);
        if (nap.tv_nsec < 5000000)
            nap.tv_nsec += nap.tv_nsec / 4;
    }
}

static bool fail(tune_point *p, const char *why)
{
    (void)snprintf(p->why, sizeof p->why, "%s", why);
    p->out = true;
    return false;
}

static bool judge_end(tune_point *p, int how)
{
    if (WIFSIGNALED(how))
        (void)snprintf(p->why, sizeof p->why, "ended by signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
    else if (WEXITSTATUS(how) == 127)
        (void)snprintf(p->why, sizeof p->why, "cannot be run");
    else if (WEXITSTATUS(how) != 0)
        (void)snprintf(p->why, sizeof p->why, "exit status %d", WEXITSTATUS(how));
    else
        return true;
    p->out = true;
    return false;
}

bool tune_run(const tune_options *o, tune_point *p)
{
    int pipe_[2], how = 0;
    reader r = { .word = o->metric };
    if (pipe2(pipe_, O_CLOEXEC) != 0)
        return fail(p, strerror(errno));
    double t0 = now();
    pid_t child = fork();
    if (child == 0)
        become(o, p, pipe_[1]);
    int bad = errno;
    (void)close(pipe_[1]);
    if (child < 0) {
        (void)close(pipe_[0]);
        return fail(p, strerror(bad));
    }
    bool ended = listen(o, pipe_[0], t0 + o->limit, &r) && wait_until(child, t0 + o->limit, &how);
    double t1 = now();
    (void)close(pipe_[0]);
    if (!ended) {
        (void)kill(-child, SIGKILL);
        (void)kill(child, SIGKILL);
        while (waitpid(child, &how, 0) < 0 && errno == EINTR)
            continue;
        if (tune_stop)
            return false;
        (void)snprintf(p->why, sizeof p->why, "took more than %g s", o->limit);
        p->out = true;
        return false;
    }
    if (!judge_end(p, how))
        return false;
    if (o->metric && !r.found) {
        (void)snprintf(p->why, sizeof p->why, "its output has no number after \"%.60s\"", o->metric);
        p->out = true;
        return false;
    }
    if (p->runs < TUNE_RUNS)
        p->time[p->runs++] = o->metric ? r.value : t1 - t0;
    tune_judge(p);
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, int n)
{
    double sorted[TUNE_RUNS];
    if (n < 1)
        return 0;
    memcpy(sorted, x, (size_t)n * sizeof *x);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

void tune_judge(tune_point *p)
{
    double far[TUNE_RUNS];
    p->median = median(p->time, p->runs);
    for (int i = 0; i < p->runs; i++)
        far[i] = p->time[i] > p->median ? p->time[i] - p->median : p->median - p->time[i];
    p->spread = median(far, p->runs);
}
