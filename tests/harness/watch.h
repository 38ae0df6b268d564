/* A watch over a test that must go on: a test that stands still prints the stack of each thread, and ends.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_WATCH_H
#define ORR_TESTS_WATCH_H

#include <stdatomic.h>

/* The process ends with status 1 when *moves has not changed for so many seconds, until it is negative. Each thread prints its own stack, three times in a
 * row: no debugger is needed, which takes minutes beside PoCL's libraries. SIGUSR2 is the watch's from here on. */
void orr_test_watch(const atomic_long *moves, double seconds);

#endif
