/* A watch over tests that may hang: if a test makes no progress, each thread's stack is printed and the process
 * ends.
 * Must not know: what is tested. */
#include "config.h"

#include <dirent.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "tests/harness/watch.h"

enum { DEPTH = 48, TIMES = 3 };

static struct {
    const atomic_long *moves;
    double seconds;
} of;

static void print_stack(int signal)
{
    void *frame[DEPTH];
    char name[32] = "", line[96];
    (void)signal;
    (void)prctl(PR_GET_NAME, name);
    int n = snprintf(line, sizeof line, "thread %ld, %s:\n", (long)syscall(SYS_gettid), name);
    if (write(STDERR_FILENO, line, (size_t)n) == n)
        backtrace_symbols_fd(frame, backtrace(frame, DEPTH), STDERR_FILENO);
}

/* Prints one thread at a time, so that their lines do not mix. */
static void print_all(void)
{
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));) {
        long thread = strtol(e->d_name, NULL, 10);
        if (thread > 0 && thread != syscall(SYS_gettid) && syscall(SYS_tgkill, getpid(), thread, SIGUSR2) == 0)
            usleep(50000);
    }
    if (d)
        (void)closedir(d);
}

static void *watch(void *unused)
{
    (void)unused;
    long seen = -1;
    for (double since = orr__now(); orr__now() - since < of.seconds; usleep(100000)) {
        long now = atomic_load(of.moves);
        if (now < 0)
            return NULL;
        since = now == seen ? since : orr__now();
        seen = now;
    }
    (void)fprintf(stderr, "the test stands still for %g s, at move %ld\n", of.seconds, seen);
    for (int i = 0; i < TIMES; i++) {
        print_all();
        usleep(500000);
    }
    _exit(1);
}

void orr_test_watch(const atomic_long *moves, double seconds)
{
    pthread_t thread;
    void *frame[1];
    struct sigaction a = { .sa_handler = print_stack, .sa_flags = SA_RESTART };
    of.moves = moves;
    of.seconds = seconds;
    (void)backtrace(frame, 1); /* the first call loads a library, which is forbidden in a handler */
    if (sigaction(SIGUSR2, &a, NULL) == 0 && pthread_create(&thread, NULL, watch, NULL) == 0)
        (void)pthread_detach(thread);
}
