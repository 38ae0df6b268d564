/* A library that runs with ORRERY_CHECK, and its lines of log about elements.
 * Must not know: what is checked. */
#ifndef ORR_TESTS_CHECK_HELP_H
#define ORR_TESTS_CHECK_HELP_H

#include <pthread.h>

/* The number of lines, and the last one. */
extern struct orr_test_heard {
    pthread_mutex_t lock;
    int n;
    char last[1024];
} orr_test_heard;
void orr_test_unhear(void); /* forgets the lines */

/* Starts the library. lane: ORRERY_INLINE_US; NULL: as it is. */
void orr_test_check_begin(const char *check, const char *lane, const char *jit);
void orr_test_check_end(void);

#endif
