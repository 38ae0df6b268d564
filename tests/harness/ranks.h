/* Tests that run as 1, 2, 3 and 4 ranks: the program starts itself under mpirun.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_RANKS_H
#define ORR_TESTS_RANKS_H

#include "tests/harness/harness.h"

/* As orr_test_main, once for each number of ranks in `sizes` (0 at its end): each rank runs all tests, and a test has passed
 * where it has on every rank, and is skipped where a rank skips it. More than one rank is skipped where the library has no MPI or there is no mpirun. On this machine
 * alone: loopback and shared memory. */
int orr_test_ranks_main(int argc, char **argv, const char *topic, const orr_test *tests, const int *sizes);

/* In a rank: its number and their number, as the launcher says. */
int orr_test_rank(void);
int orr_test_ranks(void);

/* NULL, or the reason why more than one rank cannot be started here. */
const char *orr_test_ranks_lack(void);
/* Starts a program as n ranks, or itself if argv[0] is NULL; output to `fd`. `options`: of mpirun, up to NULL, or NULL. Returns the
 * process number of mpirun, −1. */
int orr_test_ranks_spawn(int n, char *const *options, char *const *argv, int fd);

#endif
