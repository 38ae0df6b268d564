/* Another process that computes cases on request, and is stopped otherwise.
 * Must not know: cases. */
#include "config.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench/fusion.h"

/* Reads one line without its end. 0, or 1 at the end of file. */
static int get_line(int fd, char *line, size_t size)
{
    size_t n = 0;
    char c;
    for (;;) {
        ssize_t got = read(fd, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 1;
        if (c == '\n')
            break;
        if (n + 1 < size)
            line[n++] = c;
    }
    line[n] = 0;
    return 0;
}

static void bind_to_one(void)
{
    cpu_set_t set, one;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    size_t last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &set))
        last--;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    (void)sched_setaffinity(0, sizeof one, &one);
}

int fusion_child_start(fusion_child *c, char *const argv[], bool one_core)
{
    int down[2], up[2];
    memset(c, 0, sizeof *c);
    (void)signal(SIGPIPE, SIG_IGN);
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0) {
        perror("pipe");
        return 1;
    }
    c->pid = fork();
    if (c->pid == 0) {
        (void)setpgid(0, 0); /* a signal to the group of the parent, as `timeout` sends it, ends the parent alone */
        if (one_core)
            bind_to_one();
        if (dup2(down[0], 0) == 0 && dup2(up[1], 1) == 1)
            (void)execvp(argv[0], argv);
        _exit(127);
    }
    (void)close(down[0]);
    (void)close(up[1]);
    c->to = down[1];
    c->from = up[0];
    char line[64];
    if (c->pid > 0 && get_line(c->from, line, sizeof line) == 0 && !strncmp(line, "ready ", 6)) {
        (void)snprintf(c->name, sizeof c->name, "%.40s", line + 6);
        (void)kill(c->pid, SIGSTOP);
        return 0;
    }
    (void)fprintf(stderr, "orrery-bench: could not be started: %s\n", argv[0]);
    fusion_child_end(c);
    return 1;
}

int fusion_child_ask(fusion_child *c, const char *line, char *answer, size_t size)
{
    size_t n = strlen(line);
    (void)kill(c->pid, SIGCONT);
    int rc = write(c->to, line, n) != (ssize_t)n || get_line(c->from, answer, size) != 0;
    (void)kill(c->pid, SIGSTOP);
    return rc;
}

void fusion_child_end(fusion_child *c)
{
    int status;
    if (c->pid <= 0)
        return;
    (void)kill(c->pid, SIGCONT);
    (void)close(c->to);
    /* The child ends when its input does; it has 10 seconds for that. */
    for (int i = 0; i < 1000 && waitpid(c->pid, &status, WNOHANG) == 0; i++)
        (void)usleep(10000);
    if (waitpid(c->pid, &status, WNOHANG) == 0) {
        (void)kill(c->pid, SIGKILL);
        (void)waitpid(c->pid, &status, 0);
    }
    (void)close(c->from);
    memset(c, 0, sizeof *c);
}
