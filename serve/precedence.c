/* The precedence of the threads that compute, in the terms of Linux: nice values, policies, and lengths of turns.
 * Must not know: what the threads do. */
#include "config.h"
#include "serve/precedence.h"

#include <dirent.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Added to the nice value of the process: the share of a core, beside another thread that wants all of it, is 0.25. A thread that wakes up
 * beside a thread of this value may wait for the next tick of the clock, 4 ms. A thread of SCHED_IDLE gives its core up at once: that policy is
 * for times when much is received. */
static const int low = 5;
/* Seconds, of a turn of a thread that computes and of one that answers. An awakened thread precedes another one with longer turns, of
 * another process too; the usual length is 3 ms at most (Linux 6.12 and later). */
static const double long_turn = 4e-3, short_turn = 1e-3;
static const double calm = 10; /* seconds without a client that sends much, until the priority rises */

enum { NICEST = 19 };

static struct {
    int own; /* the nice value of the process */
    bool low, idle;
    double much_at;
} is = { .much_at = -1 };

static int low_nice(void)
{
    return is.own + low < NICEST ? is.own + low : NICEST;
}

/* A hint: without it other threads wait longer. */
static void set_turn(double seconds)
{
    struct sched_attr a = { .size = sizeof a };
    if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) != 0 || a.sched_policy != SCHED_NORMAL)
        return;
    a.sched_runtime = (unsigned long long)(1e9 * seconds);
    (void)syscall(SYS_sched_setattr, 0, &a, 0);
}

void serve_precedence_low(void)
{
    const id_t self = (id_t)syscall(SYS_gettid);
    is.own = getpriority(PRIO_PROCESS, self);
    is.low = true;
    (void)setpriority(PRIO_PROCESS, self, low_nice());
    set_turn(long_turn);
}

void serve_precedence_prompt(void)
{
    set_turn(short_turn);
}

/* Threads that have been started since then are among those in the directory: they have the value of the thread that started them. */
static void change(bool idle)
{
    struct sched_attr a = { .size = sizeof a,
                            .sched_policy = idle ? SCHED_IDLE : SCHED_NORMAL,
                            .sched_nice = low_nice(),
                            .sched_runtime = idle ? 0 : (unsigned long long)(1e9 * long_turn) };
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *d = NULL; threads && (d = readdir(threads));) {
        const id_t thread = (id_t)strtoul(d->d_name, NULL, 10);
        if (thread > 0 && getpriority(PRIO_PROCESS, thread) == low_nice())
            (void)syscall(SYS_sched_setattr, thread, &a, 0);
    }
    if (threads)
        (void)closedir(threads);
    is.idle = idle;
}

void serve_precedence_look(bool much, double now)
{
    is.much_at = much ? now : is.much_at;
    bool idle = is.much_at >= 0 && now - is.much_at < calm;
    if (is.low && idle != is.idle)
        change(idle);
}
