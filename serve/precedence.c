/* The precedence of the threads that compute, in the terms of Linux: nice values, and lengths of turns.
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

/* Nice values that are added to the process's own. The share of a core, beside another thread that wants all of it: 0.25 and 0.02. A thread
 * that has used up its own share waits for the next tick of the clock, 4 ms: so the second value is for times when much is received. */
static const int low = 5, lowest = 18;
/* Seconds, of a turn of a thread that computes and of one that answers. An awakened thread precedes another one with longer turns, of
 * another process too; the usual length is 3 ms at most (Linux 6.12 and later). */
static const double long_turn = 4e-3, short_turn = 1e-3;
static const double calm = 10; /* seconds without a client that sends much, until the priority rises */

enum { NICEST = 19 };

static struct {
    int own, added; /* the nice value of the process, and that of the threads beyond it; 0: there are none */
    double much_at;
} is = { .much_at = -1 };

static int nice_with(int added)
{
    return is.own + added < NICEST ? is.own + added : NICEST;
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
    is.added = low;
    (void)setpriority(PRIO_PROCESS, self, nice_with(low));
    set_turn(long_turn);
}

void serve_precedence_prompt(void)
{
    set_turn(short_turn);
}

/* Threads that have been started since then are among those in the directory: they have the value of the thread that started them. */
static void change(int added)
{
    DIR *threads = opendir("/proc/self/task");
    for (const struct dirent *d = NULL; threads && (d = readdir(threads));) {
        const id_t thread = (id_t)strtoul(d->d_name, NULL, 10);
        if (thread > 0 && getpriority(PRIO_PROCESS, thread) == nice_with(is.added))
            (void)setpriority(PRIO_PROCESS, thread, nice_with(added));
    }
    if (threads)
        (void)closedir(threads);
    is.added = added;
}

void serve_precedence_look(bool much, double now)
{
    is.much_at = much ? now : is.much_at;
    int added = is.much_at >= 0 && now - is.much_at < calm ? lowest : low;
    if (is.added && added != is.added)
        change(added);
}
