/* Tests that run as 1, 2, 3 and 4 ranks: the program starts itself under mpirun.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_RANKS_H
#define ORR_TESTS_RANKS_H

#include "tests/harness/harness.h"

/* As orr_test_main, once for each number of ranks in `sizes` (0 at its end). Each rank runs all tests. A test has passed if it passed on
 * every rank, and is skipped if a rank skipped it. More than one rank is skipped if the library has no MPI or there is no mpirun. Ranks
 * run on this machine only: loopback and shared memory. */
int orr_test_ranks_main(int argc, char **argv, const char *topic, const orr_test *tests, const int *sizes);

/* In a rank: its number and the number of ranks, from the launcher. */
int orr_test_rank(void);
int orr_test_ranks(void);

/* NULL, or the reason why more than one rank cannot be started. */
const char *orr_test_ranks_lack(void);
/* Sets the environment for a command with mpirun. */
void orr_test_ranks_environment(void);
/* Starts a program as n ranks, or this program if argv[0] is NULL; its output goes to `fd`. options: of mpirun, up to NULL, or NULL.
 * Returns the process number of mpirun, or −1. */
int orr_test_ranks_spawn(int n, char *const *options, char *const *argv, int fd);

#endif
