/* The program's signal handlers survive libraries that install their own: LLVM, in OpenCL implementations, handles SIGTERM and similar
 * signals from its loading on, to remove its files.
 * Must not know: the libraries that are loaded. */
#include "config.h"
#include "runtime/base/signals.h"

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
