/* The program's signal handlers survive libraries that install their own: LLVM, in OpenCL implementations, handles SIGTERM and similar
 * signals from its loading on, to remove its files.
 * Must not know: the libraries that are loaded. */
#include "config.h"
#include "runtime/base/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

static const int number[ORR__SIGNALS] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGSEGV,
                                          SIGBUS, SIGFPE, SIGILL,  SIGABRT, SIGTRAP, SIGSYS,  SIGXCPU, SIGXFSZ };

void orr__signals_note(orr__signals *s)
{
    for (int i = 0; i < ORR__SIGNALS; i++)
        (void)sigaction(number[i], NULL, &s->was[i]);
}

void orr__signals_restore(const orr__signals *s)
{
    for (int i = 0; i < ORR__SIGNALS; i++)
        (void)sigaction(number[i], &s->was[i], NULL);
}

static const int of_writes[] = { SIGXFSZ, SIGPIPE };
enum { OF_WRITES = sizeof of_writes / sizeof *of_writes };

void orr__writes_begin(orr__write_guard *g)
{
    sigset_t set;
    int err = errno;
    (void)sigemptyset(&set);
    for (int i = 0; i < OF_WRITES; i++)
        (void)sigaddset(&set, of_writes[i]);
    (void)sigpending(&g->pending);
    (void)pthread_sigmask(SIG_BLOCK, &set, &g->mask);
    errno = err;
}

/* The kernel sends these signals to the thread that writes. One that came meanwhile is taken, unless the program had it blocked or pending. */
void orr__writes_end(const orr__write_guard *g)
{
    sigset_t now, one;
    int err = errno;
    bool some = sigpending(&now) == 0;
    for (int i = 0; i < OF_WRITES && some; i++) {
        int s = of_writes[i];
        if (sigismember(&now, s) != 1 || sigismember(&g->pending, s) == 1 || sigismember(&g->mask, s) == 1)
            continue;
        (void)sigemptyset(&one);
        (void)sigaddset(&one, s);
        while (sigtimedwait(&one, NULL, &(struct timespec){ 0, 0 }) < 0 && errno == EINTR)
            ;
    }
    (void)pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    errno = err;
}
