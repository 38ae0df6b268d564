/* examples/distributed_mnist with 1, 2 and 4 ranks, and without mpirun: the same loss in each step, on the real
 * images.
 * Must not know: how gradients travel. */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/ranks.h"

enum { STEPS = 6 };
static const char data[] = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";

static int read_losses(const char *path, double *loss)
{
    int n = 0;
    FILE *f = fopen(path, "re");
    while (f && n < STEPS && fscanf(f, "%lf", &loss[n]) == 1)
        n++;
    if (f)
        (void)fclose(f);
    return n;
}

/* ranks 0: without mpirun. */
static bool train(int ranks, char *shard_state, double *loss)
{
    char program[1024], losses[1024];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(program, sizeof program, "%s/examples/distributed_mnist", build ? build : ".");
    (void)snprintf(losses, sizeof losses, "%s", orr_test_tmp("losses"));
    (void)unlink(losses);
    char *const args[] = { program, "--epochs", "1",    "--steps",       "6",         "--batch",
                           "120",   "--losses", losses, "--shard-state", shard_state, NULL };
    int fd = open(orr_test_tmp("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status = -1;
    pid_t pid = ranks ? orr_test_ranks_spawn(ranks, NULL, args, fd) : fork();
    if (!ranks && pid == 0) {
        (void)dup2(fd, 1);
        (void)dup2(fd, 2);
        (void)execv(program, args);
        _exit(127);
    }
    bool ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    (void)close(fd);
    size_t size;
    char *output = (char *)orr_test_slurp(orr_test_tmp("output"), &size);
    ORR_CHECK_MSG(ok && read_losses(losses, loss) == STEPS, "%d ranks: %s", ranks, output ? output : "");
    free(output);
    return ok;
}

static void losses_do_not_depend_on_the_ranks(void)
{
    if (orr_test_ranks_lack())
        ORR_SKIP("%s", orr_test_ranks_lack());
    if (access(data, R_OK) != 0)
        ORR_SKIP("no Fashion-MNIST (dataset-fashion-mnist)");
    double one[STEPS] = { 0 }, many[STEPS] = { 0 };
    ORR_REQUIRE(train(0, "0", one));
    for (int ranks = 1; ranks <= 4; ranks *= 2) {
        if (!train(ranks, ranks == 4 ? "1" : "0", many))
            continue;
        for (int i = 0; i < STEPS; i++)
            ORR_CHECK_MSG(fabs(one[i] - many[i]) <= 1e-5 * fabs(one[i]),
                          "%d ranks, step %d: %.9g, and %.9g in one process", ranks, i, many[i], one[i]);
    }
    ORR_CHECK(one[STEPS - 1] < 0.8 * one[0]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(losses_do_not_depend_on_the_ranks), { 0 } };
    return orr_test_main(argc, argv, "mnist", tests);
}
