/* Training steps of a small network, for tests that run them under many settings.
 * Must not know: settings. */
#ifndef ORR_TESTS_STEPS_H
#define ORR_TESTS_STEPS_H

#include <stdint.h>
#include "tests/harness/harness.h"

/* Runs Adam on a 96-128-64-10 network (with ORR_TEST_LARGE 784-512-256-10) with artificial data, batches of 128 and fixed start values:
 * the same numbers in every process. *first, *last: the losses of the first and the last step; *bits: a hash of all losses and of the
 * final parameters. False: a check failed. */
bool steps_run(int steps, double *first, double *last, uint64_t *bits);

/* The test of a child process: ORR_TEST_STEPS steps, whose loss must decrease. ORR_TEST_BITS: a file to which the hash is appended as a
 * line. */
void steps_child(void);

#endif
