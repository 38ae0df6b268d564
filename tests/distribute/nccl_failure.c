/* The end of exchanges by NCCL, on the doubles of CUDA and NCCL: a call that fails, an error that is reported later, a rank
 * that fails elsewhere, one that is killed. All ranks learn of it, and none waits for ever.
 * Must not know: tensors, StarPU. */
#include "config.h"

#include <orrery.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/ranks/ranks.h"
#include "tests/harness/cuda_help.h"
#include "tests/harness/ranks.h"

static const orr__site here = { NULL, 0, "test" };

/* -- a rank ------------------------------------------------------------------------------------------------ */

static bool up(void)
{
    orr_config c = { .engine = "serial" };
    if (orr_init(&c) != ORR_OK || !cuda_use_double())
        return false;
    cu.state->devices = 8;
    return orr__cu_exchanges_start(here, orr_rank()) == ORR_OK && cu.state->nccl_comms == 1;
}

static orr_status sum_of_two(void)
{
    static double v[2] = { 1, 2 };
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_REDUCE,
                        .dtype = ORR_F64,
                        .group = orr__group_all(),
                        .in = v,
                        .out = v,
                        .count = 2,
                        .values = true };
    return orr__exchange_wait(here, &x);
}

/* One rank does `how`; all of them report the end of the exchange. */
static int fail(const char *how)
{
    if (!up())
        return 1;
    bool mine = orr_rank() == 1;
    orr_status st = sum_of_two();
    if (st != ORR_OK)
        return 1;
    if (mine && strcmp(how, "call") == 0)
        cu.state->nccl_call_code = 3;
    if (mine && strcmp(how, "asynchronous") == 0) {
        cu.state->nccl_stuck = 1;
        cu.state->nccl_async_code = 2;
    }
    if (mine && strcmp(how, "soft") == 0) {
        struct timespec t = { 0, 200000000 };
        (void)nanosleep(&t, NULL);
        orr__ranks_fail("out of memory (test)");
    }
    if (mine && strcmp(how, "kill") == 0) {
        struct timespec t = { 0, 300000000 };
        (void)nanosleep(&t, NULL);
        (void)kill(getpid(), SIGKILL);
    }
    double began = orr__now();
    st = mine && strcmp(how, "soft") == 0 ? ORR_ERANK : sum_of_two();
    printf("ended: %d after %s: %s\n", (int)st, orr__now() - began < 10 ? "a moment" : "too long",
           st == ORR_OK ? "" : orr_error_message());
    (void)fflush(stdout);
    st = sum_of_two();
    (void)orr_shutdown();
    return st == ORR_ERANK && cu.state->nccl_comms == 0 && (mine || cu.state->nccl_aborts > 0) ? 0 : 1;
}

/* -- the test ---------------------------------------------------------------------------------------------- */

static int count(const char *text, const char *words)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, words)); p++)
        n++;
    return n;
}

/* The output of three ranks, the second of which does `how`. */
static char *failed_run(char *how, bool ends_well)
{
    char *args[] = { NULL, "--fail", how, NULL };
    int fd = open(orr_test_tmp("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status = 0;
    double began = orr__now();
    int pid = orr_test_ranks_spawn(3, NULL, args, fd);
    (void)close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    ORR_CHECK_MSG(orr__now() - began < 60, "%s: %g s", how, orr__now() - began);
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_tmp("output"), &size);
    ORR_CHECK_MSG((WIFEXITED(status) && WEXITSTATUS(status) == 0) == ends_well, "%s: %s", how, text ? text : "");
    return text;
}

#define NEED()                                                                                                         \
    do {                                                                                                               \
        if (orr_test_ranks_lack())                                                                                     \
            ORR_SKIP("%s", orr_test_ranks_lack());                                                                     \
    } while (0)

static void an_error_on_one_rank_ends_the_exchange_of_all(void)
{
    static const struct {
        char how[16];
        const char *words;
    } faults[] = { { "call", "NCCL: ncclAllReduce: an error of the double (3)" },
                   { "asynchronous", "NCCL: ncclCommGetAsyncError: unhandled system error (2)" },
                   { "soft", "out of memory (test)" } };
    NEED();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char how[16];
        memcpy(how, faults[i].how, sizeof how);
        char *text = failed_run(how, true);
        bool soft = strcmp(how, "soft") == 0;
        ORR_CHECK_MSG(text && count(text, "a moment") == 3 && count(text, "rank 1 of 3") >= 2 &&
                          count(text, faults[i].words) >= (soft ? 2 : 3),
                      "%s: %s", how, text ? text : "");
        free(text);
    }
}

static void a_lost_rank_ends_the_others(void)
{
    NEED();
    char how[] = "kill";
    char *text = failed_run(how, false);
    ORR_CHECK_MSG(text && count(text, "ended: ") == 0 && strstr(text, "orrery: rank 1 of 3 (process "), "%s",
                  text ? text : "");
    free(text);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(an_error_on_one_rank_ends_the_exchange_of_all),
                                      ORR_TEST(a_lost_rank_ends_the_others),
                                      { 0 } };
    if (argc == 3 && strcmp(argv[1], "--fail") == 0)
        return fail(argv[2]);
    return orr_test_main(argc, argv, "distribute.nccl_failure", tests);
}
