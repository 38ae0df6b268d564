/* A watch over tests that may hang: if a test makes no progress, each thread's stack is printed and the process ends.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_WATCH_H
#define ORR_TESTS_WATCH_H

#include <stdatomic.h>

/* Ends the process with status 1 if *moves does not change for `seconds`, until it is negative. Each thread prints its own stack, three
 * times in a row, without a debugger, which takes minutes with PoCL's libraries. SIGUSR2 is used by the watch from this call on. */
void orr_test_watch(const atomic_long *moves, double seconds);

#endif
