/* Memory nodes, emulated by hwloc: arrays are divided among them, and the task of a tile runs on a worker beside it. Each case has a
 * process of its own, since hwloc and StarPU read the environment once.
 * Must not know: how pages are bound; there may be one node here. */
#include "config.h"
#include <orrery.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/memory_nodes.h"
#include "tests/harness/harness.h"

enum { RIGHT = 0, WRONG = 1, SKIPPED = 77, ROWS = 1024, COLS = 64 };
static atomic_int place[ROWS]; /* the core that computed a row, and 1 */

static int child(const char *topology, int (*f)(void))
{
    int status = -1;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        (void)alarm(120);
        (void)setenv("HWLOC_SYNTHETIC", topology, 1);
        int rc = f();
        fflush(stdout);
        _exit(rc);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void every_page_has_one_home(void)
{
    static const size_t bytes[] = { 1, 4096, 4097, 3 * 4096, 1 << 20, (1 << 20) + 5 };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int nodes = 1; nodes <= 5; nodes++) {
            size_t end = 0, from, to, pages = (bytes[i] + 4095) / 4096, least = SIZE_MAX, most = 0;
            for (int n = 0; n < nodes; n++) {
                orr__nodes_part(bytes[i], n, nodes, 4096, &from, &to);
                ORR_CHECK(from == end && to >= from && from % 4096 == 0 && to % 4096 == 0);
                end = to;
                least = to - from < least ? to - from : least;
                most = to - from > most ? to - from : most;
            }
            ORR_CHECK(end == pages * 4096 && most - least <= 4096);
        }
    ORR_CHECK(orr__node_in(0, 8, 2) == 0 && orr__node_in(3, 8, 2) == 0 && orr__node_in(4, 8, 2) == 1);
    ORR_CHECK(orr__node_in(7, 8, 2) == 1 && orr__node_in(2, 8, 3) == 0 && orr__node_in(3, 8, 3) == 1);
    ORR_CHECK(orr__node_in(0, 0, 4) == 0);
}

/* Two nodes of four cores of two threads: threads 0 to 7 and 8 to 15. */
static int spread(void)
{
    unsigned pu[9];
    bool right = orr__nodes_here() == 2 && orr__nodes() == 2 && orr__node_cores(0) == 4 && orr__node_cores(1) == 4 &&
                 orr__node_cores(2) == 0 && orr__node_of_pu(7) == 0 && orr__node_of_pu(8) == 1 &&
                 orr__node_of_pu(16) == -1;
    right = right && orr__nodes_spread(2, pu) && pu[0] == 0 && pu[1] == 8;
    right = right && orr__nodes_spread(3, pu) && pu[0] == 0 && pu[1] == 2 && pu[2] == 8;
    right = right && orr__nodes_spread(8, pu) && pu[3] == 6 && pu[4] == 8 && pu[7] == 14;
    right = right && !orr__nodes_spread(9, pu);
    (void)setenv("STARPU_USE_NUMA", "0", 1);
    return right && orr__nodes() == 1 && orr__nodes_here() == 2 ? RIGHT : WRONG;
}

static int one(void)
{
    unsigned pu[1];
    return orr__nodes_here() == 1 && orr__nodes() == 1 && !orr__nodes_spread(1, pu) && orr__node_of_pu(0) == -1 ? RIGHT
                                                                                                                : WRONG;
}

static int without_hwloc(void)
{
#ifdef HAVE_HWLOC
    return 0;
#else
    return 1;
#endif
}

static void workers_are_spread_over_the_nodes(void)
{
    if (without_hwloc())
        ORR_SKIP("no hwloc in this build");
    ORR_CHECK(child("numa:2 core:4 pu:2", spread) == RIGHT);
    ORR_CHECK(child("numa:1 core:4 pu:2", one) == RIGHT);
}

static int kernel(const orr_kernel_args *a)
{
    const float *x = a->in[0].data;
    float *y = a->out;
    for (int64_t i = a->lo; i < a->hi; i++) {
        place[i] = 1 + sched_getcpu();
        for (int64_t j = 0; j < COLS; j++)
            y[i * COLS + j] = 2 * x[i * COLS + j];
    }
    return 0;
}

/* The first half of the rows is computed on core 0, the other on core 1. */
static int tasks_at_home(void)
{
    static const orr_kernel_def def = {
        .name = "rows_where", .n_inputs = 1, .rows = true, .row_inputs = 1, .cpu = kernel, .flops = 4000
    };
    static float x[ROWS][COLS], y[ROWS][COLS];
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || !CPU_ISSET(0, &all) || !CPU_ISSET(1, &all))
        return SKIPPED;
    (void)setenv("HWLOC_THISSYSTEM", "1", 1); /* else no thread is bound */
    (void)setenv("STARPU_NCPU", "2", 1);
    (void)setenv("STARPU_USE_NUMA", "1", 1);
    (void)setenv("STARPU_SCHED", "lws", 1);
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("ORRERY_ENGINE", "starpu", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("ORRERY_ABLATE", "crew", 1);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            x[i][j] = (float)(i - j);
    if (orr_init(NULL) != ORR_OK)
        return WRONG;
    orr_op *op = orr_define_kernel(&def);
    bool right = op && !strcmp(getenv("STARPU_USE_NUMA"), "1");
    for (int turn = 0; turn < 3; turn++) {
        orr_scope *s = orr_scope_begin();
        right = right && orr_read(orr_apply(op, ORR_TENSORS(orr_from(ORR_F32, ORR_SHAPE(ROWS, COLS), x))), y,
                                  sizeof y) == ORR_OK;
        (void)orr_scope_end(s);
        for (int i = 0; i < ROWS; i++)
            right = right && y[i][5] == 2 * x[i][5] && place[i] == (i < ROWS / 2 ? 1 : 2);
    }
    return orr_shutdown() == ORR_OK && right ? RIGHT : WRONG;
}

static void tasks_run_where_their_tiles_are_at_home(void)
{
#ifdef HAVE_STARPU
    if (without_hwloc())
        ORR_SKIP("no hwloc in this build");
    int rc = child("numa:2 core:1 pu:1", tasks_at_home);
    if (rc == SKIPPED)
        ORR_SKIP("cores 0 and 1 are not this process's");
    ORR_CHECK_MSG(rc == RIGHT, "%d", rc);
#else
    ORR_SKIP("no StarPU in this build");
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(every_page_has_one_home),
                                      ORR_TEST(workers_are_spread_over_the_nodes),
                                      ORR_TEST(tasks_run_where_their_tiles_are_at_home),
                                      { 0 } };
    return orr_test_main(argc, argv, "engine.memory_nodes", tests);
}
