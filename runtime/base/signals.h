/* The program's signal handlers survive libraries that install their own.
 * Must not know: which libraries those are. */
#ifndef ORR_BASE_SIGNALS_H
#define ORR_BASE_SIGNALS_H

#include <signal.h>

enum { ORR__SIGNALS = 16 };
typedef struct {
    struct sigaction was[ORR__SIGNALS];
} orr__signals;

/* Saves and restores the dispositions of the signals that end programs. No other thread may change them in between. */
void orr__signals_note(orr__signals *s);
void orr__signals_restore(const orr__signals *s);

#endif
