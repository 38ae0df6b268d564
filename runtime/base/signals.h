/* The program's signal handlers survive libraries that install their own, and the library's own writes raise no signal.
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

/* A write beyond the limit of file sizes (ulimit -f) raises SIGXFSZ, one to a closed pipe SIGPIPE, and both end the process. Between begin
 * and end this thread gets the write's error (EFBIG, EPIPE) alone; the program's dispositions stay. errno stays. Guards may be nested. */
typedef struct {
    sigset_t mask, pending;
} orr__write_guard;
void orr__writes_begin(orr__write_guard *g);
void orr__writes_end(const orr__write_guard *g);
/* The same until the end of the enclosing block, on every exit. */
#define ORR__GUARD_WRITES                                                                                              \
    orr__write_guard orr__write_guard_here __attribute__((cleanup(orr__writes_end)));                                  \
    orr__writes_begin(&orr__write_guard_here)

#endif
