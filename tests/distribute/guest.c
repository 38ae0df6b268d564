/* The library in programs that use MPI themselves: ranks are the processes of a communicator of the program, of all processes, or one
 * process alone; either side starts MPI.
 * Must not know: how messages are sent. */
#include "config.h"

#include <mpi.h>
#include <orrery.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/ranks/ranks.h"
#include "tests/harness/ranks.h"

enum { RANKS = 4, TASKS = 8 };

/* -- a process under mpirun; 0: well ------------------------------------------------------------------------- */

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            (void)fprintf(stderr, "rank %d, line %d: %s: %s\n", orr_test_rank(), __LINE__, #condition,                 \
                          orr_error_message());                                                                        \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Σ i² for i < 64 in parts on all ranks, and Σ of the factor of 64 · I of order 64 in blocks, which are StarPU-MPI's. */
static int compute(void)
{
    double sum = 0, factor = 0;
    orr_scope *s = orr_scope_begin();
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 })), *plane = orr_grid_make(2, ((int64_t[]){ -1, 1 }));
    MUST(line && plane);
    orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0.0, 64.0, 1.0), line, ORR_AXES(0));
    MUST(orr_item(orr_sum(orr_mul(x, x), ORR_ALL_AXES, false), &sum) == ORR_OK && sum == 85344);
    orr_tensor *at = orr_arange(ORR_F64, 0.0, 64.0, 1.0);
    orr_tensor *same = orr_equal(orr_reshape(at, ORR_SHAPE(64, 1)), orr_reshape(at, ORR_SHAPE(1, 64)));
    orr_tensor *a = orr_mul(orr_cast(same, ORR_F64), orr_scalar(64.0));
    a = orr_shard_cyclic(a, plane, ORR_AXES(0, 1), ORR_INDEX(16, 16));
    MUST(orr_item(orr_sum(orr_cholesky(a), ORR_ALL_AXES, false), &factor) == ORR_OK && fabs(factor - 512) < 1e-9);
    MUST(orr_scope_end(s) == ORR_OK);
    orr_grid_free(plane);
    orr_grid_free(line);
    return 0;
}

static int run_on(const orr_config *c, int ranks)
{
    MUST(orr_init(c) == ORR_OK);
    MUST(orr_ranks() == ranks);
    MUST(compute() == 0);
    MUST(orr_shutdown() == ORR_OK);
    return 0;
}

static int begin_mpi(int wanted)
{
    int level = -1;
    MUST(MPI_Init_thread(NULL, NULL, wanted, &level) == MPI_SUCCESS && level >= wanted);
    return 0;
}

static int sum_is(MPI_Comm of, int want)
{
    int one = 1, all = 0;
    MUST(MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, of) == MPI_SUCCESS && all == want);
    return 0;
}

/* Ranks 0 and 1 compute; ranks 2 and 3 are parts of their own with plain MPI. */
static int three_parts(void)
{
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    int rank, other;
    MPI_Comm part;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MUST(MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : rank - 1, rank, &part) == MPI_SUCCESS);
    if (rank < 2) {
        MUST(run_on(&(orr_config){ .communicator = &part }, 2) == 0);
        MUST(sum_is(part, 2) == 0);
    } else {
        for (int i = 0; i < 1000; i++)
            MUST(MPI_Sendrecv(&i, 1, MPI_INT, 5 - rank, 7, &other, 1, MPI_INT, 5 - rank, 7, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                 other == i);
        MUST(sum_is(part, 1) == 0);
    }
    MUST(sum_is(MPI_COMM_WORLD, RANKS) == 0);
    (void)MPI_Comm_free(&part);
    return MPI_Finalize();
}

/* A communicator is used again, freed after the session, freed during it; all processes, some, one. */
static int sessions(void)
{
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    int rank, world = 0;
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 6; i++) {
        MPI_Comm part;
        int parts = i % 3 == 0 ? 1 : i % 3 == 1 ? 2 : RANKS;
        MUST(MPI_Comm_split(MPI_COMM_WORLD, rank % parts, rank, &part) == MPI_SUCCESS);
        orr_config c = { .communicator = &part };
        MUST(run_on(&c, RANKS / parts) == 0);
        MUST(orr_init(&c) == ORR_OK);
        MUST(MPI_Comm_free(&part) == MPI_SUCCESS);
        MUST(compute() == 0);
        MUST(orr_shutdown() == ORR_OK);
        MUST(run_on(NULL, RANKS) == 0);
        MUST(sum_is(MPI_COMM_WORLD, RANKS) == 0);
    }
    MPI_Fint handle = MPI_Comm_c2f(MPI_COMM_WORLD);
    world = (int)handle;
    MUST(run_on(&(orr_config){ .communicator_fortran = &world }, RANKS) == 0);
    return MPI_Finalize();
}

static int library_first(void)
{
    int began = 0;
    MUST(run_on(NULL, RANKS) == 0);
    MUST(MPI_Initialized(&began) == MPI_SUCCESS && began);
    MUST(sum_is(MPI_COMM_WORLD, RANKS) == 0);
    return run_on(NULL, RANKS); /* MPI ends at exit */
}

static int program_first(void)
{
    int ended = 1;
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MUST(run_on(NULL, RANKS) == 0);
    MUST(run_on(NULL, RANKS) == 0);
    MUST(MPI_Finalized(&ended) == MPI_SUCCESS && !ended);
    MUST(sum_is(MPI_COMM_WORLD, RANKS) == 0);
    return MPI_Finalize();
}

/* MPI ends before the library: on all ranks, or on one of which others wait for a sum. */
static int ends_mpi_first(void)
{
    double sum;
    orr_status st = ORR_OK;
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MUST(orr_init(NULL) == ORR_OK && compute() == 0);
    if (orr_rank() == 1) {
        MUST(MPI_Finalize() == MPI_SUCCESS && orr_shutdown() == ORR_ESTATE);
        return 0;
    }
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 }));
    for (int i = 0; st == ORR_OK && i < 1000; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0.0, 64.0, 1.0), line, ORR_AXES(0));
        st = orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum);
        MUST(orr_scope_end(s) == ORR_OK);
    }
    MUST(st == ORR_ERANK && strstr(orr_error_message(), "rank 1 of 4"));
    orr_grid_free(line);
    return MPI_Finalize();
}

static int end_mpi_together(void)
{
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MUST(orr_init(NULL) == ORR_OK && compute() == 0);
    MUST(MPI_Finalize() == MPI_SUCCESS && orr_shutdown() == ORR_ESTATE);
    MUST(orr_init(NULL) == ORR_EDEVICE && strstr(orr_error_message(), "before MPI_Finalize"));
    return 0;
}

/* One rank needs no threads of MPI; several do, and the message says so. */
static int no_threads(void)
{
    MUST(begin_mpi(MPI_THREAD_SINGLE) == 0);
    int level;
    (void)MPI_Query_thread(&level);
    MPI_Comm self = MPI_COMM_SELF;
    MUST(run_on(&(orr_config){ .communicator = &self }, 1) == 0);
    if (level < MPI_THREAD_FUNNELED) {
        MUST(orr_init(NULL) == ORR_EDEVICE);
        MUST(strstr(orr_error_message(), "MPI_THREAD_SINGLE") && strstr(orr_error_message(), "MPI_THREAD_FUNNELED"));
        MUST(strstr(orr_error_message(), "ORRERY_RANKS=off"));
    }
    (void)setenv("ORRERY_RANKS", "off", 1);
    MUST(run_on(NULL, 1) == 0);
    return MPI_Finalize();
}

/* -- MPI with fewer threads: every call of MPI passes here on its way to it ------------------------------------ */

static struct {
    int level; /* 0: no call is looked at */
    pthread_t main;
    atomic_int calls, inside, foreign, together;
} seen;

static void enter_mpi(void)
{
    bool others = atomic_fetch_add(&seen.inside, 1) > 0;
    (void)atomic_fetch_add(&seen.calls, 1);
    (void)atomic_fetch_add(&seen.together, others);
    (void)atomic_fetch_add(&seen.foreign,
                           seen.level == MPI_THREAD_FUNNELED && !pthread_equal(pthread_self(), seen.main));
}

#define SEEN(call)                                                                                                     \
    {                                                                                                                  \
        enter_mpi();                                                                                                   \
        int rc = P##call;                                                                                              \
        (void)atomic_fetch_sub(&seen.inside, 1);                                                                       \
        return rc;                                                                                                     \
    }

int MPI_Isend(const void *p, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r)
    SEEN(MPI_Isend(p, n, t, to, tag, c, r)) int MPI_Irecv(void *p, int n, MPI_Datatype t, int from, int tag, MPI_Comm c,
                                                          MPI_Request *r)
        SEEN(MPI_Irecv(p, n, t, from, tag, c, r)) int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
            SEEN(MPI_Test(r, flag, s)) int MPI_Testall(int n, MPI_Request *r, int *flag, MPI_Status *s)
                SEEN(MPI_Testall(n, r, flag, s)) int MPI_Allgather(const void *in, int n, MPI_Datatype t, void *out,
                                                                   int m, MPI_Datatype u, MPI_Comm c)
                    SEEN(MPI_Allgather(in, n, t, out, m, u, c))

                        enum {
                            EXAMPLES = 24,
                            FEATURES = 6,
                            BATCH = 12,
                            STEPS = 5
                        };

/* The losses of a small training: on batches over the ranks, or each rank by itself. */
static int train(bool parallel, double *loss)
{
    orr_seed(5);
    orr_scope *s = orr_scope_begin();
    orr_grid *grid = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_module *net = orr_sequential(ORR_MODULES(orr_dense(FEATURES, 8, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                                 orr_dense(8, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim_options o = orr_optim_defaults(ORR_OPTIM_ADAM);
    orr_optim *optim = orr_optim_of_module(ORR_OPTIM_ADAM, net, &o);
    orr_tensor *x = orr_randn_keyed(ORR_F32, ORR_SHAPE(EXAMPLES, FEATURES), 0, 1, 11);
    orr_tensor *y = orr_randn_keyed(ORR_F32, ORR_SHAPE(EXAMPLES, 1), 0, 1, 12);
    orr_loader_options l = { .batch = BATCH, .seed = 3, .grid = parallel ? grid : NULL };
    orr_loader *loader = orr_loader_new(((orr_tensor *[]){ x, y }), 2, &l);
    MUST(grid && net && optim && loader);
    if (parallel)
        MUST(orr_data_parallel(net, optim, &(orr_data_parallel_options){ .grid = grid, .shard_state = true }) ==
             ORR_OK);
    for (int i = 0; i < STEPS; i++) {
        orr_tensor *b[2];
        if (orr_loader_next(loader, b) == 0)
            MUST(orr_loader_next(loader, b) == BATCH);
        orr_tensor *off = orr_sub(orr_forward(net, b[0]), b[1]), *of = orr_mean(orr_mul(off, off), ORR_ALL_AXES, false);
        MUST(orr_optim_step(optim, of) == ORR_OK && orr_item(of, &loss[i]) == ORR_OK);
    }
    orr_loader_free(loader);
    orr_optim_free(optim);
    orr_module_free(net);
    orr_grid_free(grid);
    MUST(orr_scope_end(s) == ORR_OK);
    return 0;
}

static void *sum_elsewhere(void *level)
{
    double sum;
    orr_scope *s = orr_scope_begin();
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0.0, 64.0, 1.0), line, ORR_AXES(0));
    orr_status st = orr_item(orr_sum(x, ORR_ALL_AXES, false), &sum);
    bool named = st == ORR_ESTATE && strstr(orr_error_message(), "MPI_THREAD_FUNNELED");
    bool fits = *(int *)level == MPI_THREAD_FUNNELED ? named : st == ORR_OK && sum == 2016;
    (void)orr_scope_end(s);
    orr_grid_free(line);
    return fits ? level : NULL;
}

static int fails_on_rank_1(const orr_kernel_args *a)
{
    (void)memset(a->out, 0, 8);
    return orr_rank() == 1;
}

/* The other ranks, which wait for the exchange, hear of it. It ends the ranks' session. */
static int failure(void)
{
    static const orr_kernel_def def = { .name = "fails_on_rank_1", .n_inputs = 1, .cpu = fails_on_rank_1 };
    double sum;
    orr_scope *s = orr_scope_begin();
    orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 }));
    orr_tensor *x = orr_apply(orr_define_kernel(&def), ORR_TENSORS(orr_zeros(ORR_F64, ORR_SHAPE(1))));
    orr_tensor *y = orr_shard(orr_add(x, orr_zeros(ORR_F64, ORR_SHAPE(64))), line, ORR_AXES(0));
    MUST(orr_item(orr_sum(y, ORR_ALL_AXES, false), &sum) == (orr_rank() == 1 ? ORR_EDEVICE : ORR_ERANK));
    MUST(orr_rank() == 1 || strstr(orr_error_message(), "rank 1 of 4"));
    MUST(orr_scope_end(s) == ORR_OK);
    orr_grid_free(line);
    return 0;
}

static int few_threads(int level)
{
    double one[STEPS], many[STEPS], sum = 0;
    pthread_t thread;
    void *well = NULL;
    seen.level = level;
    seen.main = pthread_self();
    MUST(begin_mpi(level) == 0);
    for (int i = 0; i < 2; i++) { /* tasks; then the library's choice of lanes */
        (void)setenv("ORRERY_INLINE_US", i ? "auto" : "0", 1);
        MUST(orr_init(NULL) == ORR_OK);
        MUST(orr_ranks() == RANKS && compute() == 0);
        MUST(train(false, one) == 0 && train(true, many) == 0);
        for (int k = 0; k < STEPS; k++)
            MUST(fabs(one[k] - many[k]) <= 1e-5 * fabs(one[k]));
        MUST(pthread_create(&thread, NULL, sum_elsewhere, &level) == 0 && pthread_join(thread, &well) == 0 && well);
        orr_scope *s = orr_scope_begin();
        orr_event *event = NULL;
        orr_grid *line = orr_grid_make(1, ((int64_t[]){ -1 }));
        orr_tensor *x = orr_shard(orr_arange(ORR_F64, 0.0, 64.0, 1.0), line, ORR_AXES(0));
        orr_tensor *y = orr_sum(x, ORR_ALL_AXES, false);
        MUST(orr_eval_async(ORR_TENSORS(y), &event) == ORR_OK && orr_wait(event) == ORR_OK);
        MUST(orr_item(y, &sum) == ORR_OK && sum == 2016);
        y = orr_sum(orr_mul(x, x), ORR_ALL_AXES, false);
        MUST((orr_rank() == 2 ? orr_eval_for(y, 0) : orr_eval(y)) == ORR_ECANCELLED);
        MUST(orr_item(y, &sum) == ORR_OK && sum == 85344);
        MUST(orr_scope_end(s) == ORR_OK && orr_barrier() == ORR_OK);
        orr_grid_free(line);
        MUST(i == 0 || failure() == 0);
        MUST(orr_shutdown() == ORR_OK);
        MUST(sum_is(MPI_COMM_WORLD, RANKS) == 0);
    }
    MUST(atomic_load(&seen.calls) > 100 && atomic_load(&seen.foreign) == 0 && atomic_load(&seen.together) == 0);
    return MPI_Finalize();
}

static int funneled(void)
{
    return few_threads(MPI_THREAD_FUNNELED);
}

static int serialized(void)
{
    return few_threads(MPI_THREAD_SERIALIZED);
}

static int wrong(void)
{
    MPI_Comm null = MPI_COMM_NULL, all = MPI_COMM_WORLD;
    int handle = 0;
    MUST(orr_init(&(orr_config){ .communicator = &all }) == ORR_EDEVICE);
    MUST(strstr(orr_error_message(), "MPI_Init_thread before orr_init"));
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MUST(orr_init(&(orr_config){ .communicator = &null }) == ORR_EDEVICE);
    MUST(strstr(orr_error_message(), "MPI_COMM_NULL"));
    MUST(orr_init(&(orr_config){ .communicator = &all, .communicator_fortran = &handle }) == ORR_EINVAL);
    MUST(run_on(&(orr_config){ .communicator = &all }, RANKS) == 0);
    return MPI_Finalize();
}

/* -- ranks that cannot begin ------------------------------------------------------------------------------------ */

/* The status of an orr_init in which rank `by` alone has an error of its own, `own`, with the words. */
static int is_refused(orr_status st, int by, orr_status own, const char *words)
{
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d of %d (process ", by, orr_test_ranks());
    MUST(st == (orr_test_rank() == by ? own : ORR_ERANK) && strstr(orr_error_message(), words));
    MUST(orr_test_rank() == by || strstr(orr_error_message(), name));
    return 0;
}

static int refused_settings(void)
{
    int last = orr_test_ranks() - 1;
    for (int i = 0; i < 3; i++) { /* MPI is the library's */
        orr_config c = { .workers = orr_test_rank() == last ? -1 : 1 };
        MUST(is_refused(orr_init(&c), last, ORR_EINVAL, "-1 workers make no sense") == 0);
        MUST(i == 0 || run_on(NULL, orr_test_ranks()) == 0);
    }
    return 0;
}

static int one_runs(void)
{
    MPI_Comm self = MPI_COMM_SELF, all = MPI_COMM_WORLD;
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    for (int i = 0; i < 3; i++) {
        if (orr_test_rank() == 0)
            MUST(orr_init(&(orr_config){ .communicator = &self }) == ORR_OK);
        MUST(is_refused(orr_init(&(orr_config){ .communicator = &all }), 0, ORR_ESTATE, "running already") == 0);
        if (orr_test_rank() == 0)
            MUST(orr_init(NULL) == ORR_ESTATE && compute() == 0 && orr_shutdown() == ORR_OK);
    }
    MUST(run_on(&(orr_config){ .communicator = &all }, orr_test_ranks()) == 0);
    return MPI_Finalize();
}

/* Half of the ranks run, and half are new: together they cannot begin. */
static int some_run(void)
{
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MPI_Comm half, all = MPI_COMM_WORLD;
    bool first = orr_test_rank() < RANKS / 2;
    MUST(MPI_Comm_split(MPI_COMM_WORLD, first, orr_test_rank(), &half) == MPI_SUCCESS);
    MUST(!first || orr_init(&(orr_config){ .communicator = &half }) == ORR_OK);
    MUST(orr_init(&(orr_config){ .communicator = &all }) == (first ? ORR_ESTATE : ORR_ERANK));
    MUST(first || strstr(orr_error_message(), "rank 0 of 4 (process "));
    if (first) {
        MUST(orr_rank() > 0 || orr_init(&(orr_config){ .communicator = &half }) == ORR_ESTATE); /* on one rank alone */
        MUST(orr_ranks() == RANKS / 2 && compute() == 0 && orr_shutdown() == ORR_OK);
    }
    MUST(run_on(&(orr_config){ .communicator = &all }, RANKS) == 0);
    (void)MPI_Comm_free(&half);
    return MPI_Finalize();
}

/* A session of half of the ranks fails for good. The others hear of that, and go on without them. */
static int some_are_spent(void)
{
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MPI_Comm half, all = MPI_COMM_WORLD;
    bool first = orr_test_rank() < RANKS / 2;
    MUST(MPI_Comm_split(MPI_COMM_WORLD, first, orr_test_rank(), &half) == MPI_SUCCESS);
    if (first) {
        MUST(orr_init(&(orr_config){ .communicator = &half }) == ORR_OK && MPI_Barrier(half) == MPI_SUCCESS);
        if (orr_rank() == 1)
            orr__ranks_fail("a test");
        MUST(orr_barrier() == ORR_ERANK && orr_shutdown() == ORR_OK);
        MUST(orr_init(&(orr_config){ .communicator = &half }) == ORR_ERANK);
    }
    for (int i = 0; i < 2; i++) {
        MUST(orr_init(&(orr_config){ .communicator = &all }) == ORR_ERANK);
        MUST(strstr(orr_error_message(), "earlier session"));
        MUST(first || strstr(orr_error_message(), "rank 0 of 4 (process "));
    }
    MUST(first || run_on(&(orr_config){ .communicator = &half }, RANKS / 2) == 0);
    (void)MPI_Comm_free(&half);
    return MPI_Finalize();
}

/* The last rank does not come to orr_init. MPI waits for it on the communicator for ever, so that the others cannot begin again. */
static int one_is_missing(void)
{
    char name[32];
    (void)snprintf(name, sizeof name, "rank %d", orr_test_ranks() - 1);
    (void)setenv("ORRERY_RANK_TIMEOUT", "1", 1);
    MUST(begin_mpi(MPI_THREAD_MULTIPLE) == 0);
    MPI_Comm all;
    MUST(MPI_Comm_dup(MPI_COMM_WORLD, &all) == MPI_SUCCESS);
    for (int i = 0; i < 2 && orr_test_rank() < orr_test_ranks() - 1; i++) {
        MUST(orr_init(&(orr_config){ .communicator = &all }) == ORR_ERANK);
        MUST(strstr(orr_error_message(), i ? "start the program again" : "ORRERY_RANK_TIMEOUT"));
        MUST(i || strstr(orr_error_message(), name));
    }
    if (orr_test_rank() == orr_test_ranks() - 1)
        (void)sleep(9); /* without the turns of MPI's wait */
    MUST(sum_is(MPI_COMM_WORLD, orr_test_ranks()) == 0);
    return MPI_Finalize();
}

/* A task of its own: task 3 is killed in its work, and the others work on after that. */
static int alone(const char *folder)
{
    char path[1100];
    MUST(orr_init(&(orr_config){ .engine = "serial" }) == ORR_OK);
    MUST(orr_ranks() == 1);
    (void)snprintf(path, sizeof path, "%s/killed", folder);
    if (orr_test_rank() == 3) {
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        MUST(fd >= 0);
        (void)close(fd);
        (void)raise(SIGKILL);
    }
    for (int i = 0; i < 6000 && access(path, F_OK) != 0; i++)
        (void)nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    MUST(compute() == 0);
    MUST(orr_shutdown() == ORR_OK);
    (void)snprintf(path, sizeof path, "%s/task%d", folder, orr_test_rank());
    FILE *f = fopen(path, "we");
    MUST(f && fclose(f) == 0);
    return 0;
}

static const struct {
    const char *name;
    int (*work)(void);
} part[] = {
    { "three_parts", three_parts },
    { "sessions", sessions },
    { "library_first", library_first },
    { "program_first", program_first },
    { "no_threads", no_threads },
    { "wrong", wrong },
    { "funneled", funneled },
    { "serialized", serialized },
    { "end_together", end_mpi_together },
    { "one_ends_first", ends_mpi_first },
    { "settings", refused_settings },
    { "one_runs", one_runs },
    { "some_run", some_run },
    { "spent", some_are_spent },
    { "missing", one_is_missing },
};

static int work(const char *name, const char *folder)
{
    (void)alarm(200);
    (void)setenv("STARPU_NCPU", "1", 0); /* there are more ranks than cores */
    if (strcmp(name, "alone") == 0)
        return alone(folder);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (strcmp(name, part[i].name) == 0)
            return part[i].work();
    return 2;
}

/* -- the tests ------------------------------------------------------------------------------------------------ */

/* The exit status of mpirun; its output is in *output. */
static int run(int n, char *name, bool recovery, char **output)
{
    char folder[1024];
    size_t size;
    int status = -1;
    (void)snprintf(folder, sizeof folder, "%s", orr_test_tmp(""));
    char *options[] = { "--enable-recovery", NULL };
    char *args[] = { NULL, "--rank", name, folder, NULL };
    int fd = open(orr_test_tmp("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    pid_t pid = orr_test_ranks_spawn(n, recovery ? options : NULL, args, fd);
    (void)close(fd);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *output = (char *)orr_test_slurp(orr_test_tmp("output"), &size);
    return status;
}

static void ranks_are_well(int n, char *name)
{
    if (orr_test_ranks_lack())
        ORR_SKIP("%s", orr_test_ranks_lack());
    char *output;
    int status = run(n, name, false, &output);
    ORR_CHECK_MSG(status == 0, "status %d\n%s", status, output ? output : "");
    free(output);
}

static void part_is_well(char *name)
{
    ranks_are_well(RANKS, name);
}

static void one_part_of_the_processes_computes_and_others_use_mpi(void)
{
    part_is_well("three_parts");
}

static void sessions_follow_each_other_on_different_communicators(void)
{
    part_is_well("sessions");
}

static void the_program_uses_mpi_that_the_library_has_started(void)
{
    part_is_well("library_first");
}

static void the_library_uses_mpi_that_the_program_has_started(void)
{
    part_is_well("program_first");
}

static void mpi_without_threads_serves_one_rank_and_is_named_for_several(void)
{
    part_is_well("no_threads");
}

static void only_the_main_thread_calls_a_funneled_mpi(void)
{
    part_is_well("funneled");
}

static void only_one_thread_at_a_time_calls_a_serialized_mpi(void)
{
    part_is_well("serialized");
}

static void mpi_that_ends_first_ends_the_session(void)
{
    part_is_well("end_together");
}

static void a_rank_that_ends_mpi_first_is_named(void)
{
    part_is_well("one_ends_first");
}

static void wrong_communicators_are_errors(void)
{
    part_is_well("wrong");
}

static void settings_that_one_rank_refuses_are_told_to_all_which_may_begin_again(void)
{
    ranks_are_well(2, "settings");
    ranks_are_well(RANKS, "settings");
}

static void a_rank_that_runs_already_refuses_a_start_with_others(void)
{
    ranks_are_well(2, "one_runs");
    ranks_are_well(RANKS, "one_runs");
    part_is_well("some_run");
}

static void a_rank_whose_session_has_failed_refuses_a_start_with_others(void)
{
    part_is_well("spent");
}

static void a_rank_that_does_not_come_to_a_start_is_named(void)
{
    ranks_are_well(2, "missing");
    ranks_are_well(RANKS, "missing");
}

static void independent_tasks_outlive_one_of_them(void)
{
    if (orr_test_ranks_lack())
        ORR_SKIP("%s", orr_test_ranks_lack());
    if (system("mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0) /* NOLINT(cert-env33-c): a test */
        ORR_SKIP("the launcher is not Open MPI's, whose option for recovery this is");
    (void)setenv("ORRERY_RANKS", "off", 1);
    char *output, name[32];
    int done = 0;
    (void)run(TASKS, "alone", true, &output);
    (void)unsetenv("ORRERY_RANKS");
    for (int i = 0; i < TASKS; i++) {
        (void)snprintf(name, sizeof name, "task%d", i);
        done += access(orr_test_tmp(name), F_OK) == 0;
    }
    ORR_CHECK_MSG(done == TASKS - 1, "%d tasks have ended\n%s", done, output ? output : "");
    free(output);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(one_part_of_the_processes_computes_and_others_use_mpi),
        ORR_TEST(sessions_follow_each_other_on_different_communicators),
        ORR_TEST(the_program_uses_mpi_that_the_library_has_started),
        ORR_TEST(the_library_uses_mpi_that_the_program_has_started),
        ORR_TEST(mpi_without_threads_serves_one_rank_and_is_named_for_several),
        ORR_TEST(only_the_main_thread_calls_a_funneled_mpi),
        ORR_TEST(only_one_thread_at_a_time_calls_a_serialized_mpi),
        ORR_TEST(mpi_that_ends_first_ends_the_session),
        ORR_TEST(a_rank_that_ends_mpi_first_is_named),
        ORR_TEST(wrong_communicators_are_errors),
        ORR_TEST(settings_that_one_rank_refuses_are_told_to_all_which_may_begin_again),
        ORR_TEST(a_rank_that_runs_already_refuses_a_start_with_others),
        ORR_TEST(a_rank_whose_session_has_failed_refuses_a_start_with_others),
        ORR_TEST(a_rank_that_does_not_come_to_a_start_is_named),
        ORR_TEST(independent_tasks_outlive_one_of_them),
        { 0 },
    };
    if (argc == 4 && strcmp(argv[1], "--rank") == 0)
        return work(argv[2], argv[3]);
    return orr_test_main(argc, argv, "distribute.guest", tests);
}
