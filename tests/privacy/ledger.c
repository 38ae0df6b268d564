/* Budgets that outlive a process: in checkpoints and in ledgers, after forks, kills, copies and returns to earlier states.
 * Must not know: how ε follows from uses. */
#include "config.h"

#include <dirent.h>
#include <math.h>
#include <orrery.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/harness.h"

static const orr_dp_mechanism step = { ORR_DP_GAUSSIAN, 1.1, 0.01 };

static bool says(orr_status want, const char *part)
{
    bool yes = orr_error_status() == want && strstr(orr_error_message(), part) != NULL;
    if (!yes)
        (void)fprintf(stderr, "status %d, message: %s\n", (int)orr_error_status(), orr_error_message());
    return yes;
}

static double epsilon_of(int64_t times)
{
    double e = -1.0;
    ORR_CHECK(orr_dp_epsilon(ORR_DP_RDP, step, times, 1e-5, &e) == ORR_OK);
    return e;
}

static double spent(const orr_dp_budget *b)
{
    double e = -1.0;
    ORR_CHECK_MSG(orr_dp_budget_spent(b, &e) == ORR_OK, "%s", orr_error_message());
    return e;
}

static bool equal(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static orr_dp_budget *budget(int64_t times)
{
    orr_dp_budget *b = orr_dp_budget_new(ORR_DP_RDP, 3.0, 1e-5);
    ORR_CHECK(b && orr_dp_budget_spend(b, step, times) == ORR_OK);
    return b;
}

/* A new path for each test. */
static const char *fresh(char path[1024], const char *name)
{
    (void)snprintf(path, 1024, "%s", orr_test_tmp(name));
    (void)unlink(path);
    return path;
}

/* The exit status of `work` in a child; -1: a signal. */
static int in_child(int (*work)(void *user), void *user)
{
    int how = -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(work(user));
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static void copy(const char *from, const char *to)
{
    size_t n = 0;
    unsigned char *bytes = orr_test_slurp(from, &n);
    FILE *f = bytes ? fopen(to, "wb") : NULL;
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    ORR_CHECK(f && fclose(f) == 0 && ok);
    free(bytes);
}

/* -- checkpoints ---------------------------------------------------------------------------------------------- */

static orr_checkpoint *checkpoint(const char *path, orr_dp_budget *b)
{
    orr_checkpoint *c = orr_checkpoint_new(path);
    ORR_CHECK(c && orr_checkpoint_add_budget(c, "budget", b) == ORR_OK);
    return c;
}

static void a_resumed_run_has_spent_as_much_as_before(void)
{
    char path[1024];
    bool found = false;
    int64_t left[2] = { -1, -2 };
    orr_dp_budget *first = budget(700), *second = budget(0);
    orr_dp_mechanism other = { ORR_DP_PURE, 0.25, 1.0 };
    ORR_CHECK(orr_dp_budget_spend(first, other, 2) == ORR_OK);
    orr_checkpoint *a = checkpoint(fresh(path, "resume"), first), *b = checkpoint(path, second);
    ORR_CHECK(orr_checkpoint_save(a) == ORR_OK && orr_checkpoint_load(b, &found) == ORR_OK && found);
    ORR_CHECK(equal(spent(second), spent(first)) && spent(first) > epsilon_of(700));
    ORR_CHECK(orr_dp_budget_left(first, step, &left[0]) == ORR_OK);
    ORR_CHECK(orr_dp_budget_left(second, step, &left[1]) == ORR_OK && left[0] == left[1] && left[0] > 0);
    ORR_CHECK(orr_dp_budget_spend(second, step, left[1] + 1) == ORR_ESTATE);
    orr_checkpoint_free(a);
    orr_checkpoint_free(b);
    orr_dp_budget_free(first);
    orr_dp_budget_free(second);
}

static void an_older_checkpoint_does_not_give_uses_back(void)
{
    char path[1024];
    bool found = true;
    orr_dp_budget *b = budget(100);
    orr_checkpoint *c = checkpoint(fresh(path, "older"), b);
    double value = 1.0;
    ORR_CHECK(orr_checkpoint_add_bytes(c, "value", &value, sizeof value) == ORR_OK && orr_checkpoint_save(c) == ORR_OK);
    ORR_CHECK(orr_dp_budget_spend(b, step, 50) == ORR_OK);
    value = 2.0;
    char had[64], has[64];
    (void)snprintf(had, sizeof had, "ε %.6g at", epsilon_of(100));
    (void)snprintf(has, sizeof has, "has ε %.6g:", epsilon_of(150));
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_ESTATE && says(ORR_ESTATE, had) && says(ORR_ESTATE, has));
    ORR_CHECK(!found && value == 2.0 && equal(spent(b), epsilon_of(150))); /* all or nothing */
    ORR_CHECK(orr_dp_budget_allow(b, 8) == ORR_EINVAL && orr_dp_budget_allow(b, ORR_DP_OLDER) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found && value == 1.0);
    ORR_CHECK(equal(spent(b), epsilon_of(150)));
    orr_dp_budget_free(b);
    ORR_CHECK(orr_checkpoint_save(c) == ORR_EHANDLE && says(ORR_EHANDLE, "\"budget\" was freed"));
    orr_checkpoint_free(c);
}

/* Trains for `steps`, or continues a checkpoint; the state of private training. */
typedef struct run {
    orr_module *m;
    orr_optim *o;
    orr_dp_budget *b;
    orr_dp_sgd *t;
    orr_checkpoint *c;
} run;

static run begin(const char *path, bool counted)
{
    run r = { .m = orr_dense(3, 2, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT), .b = counted ? budget(0) : NULL };
    orr_dp_options options = orr_dp_defaults();
    options.clipping = ORR_DP_ADAPTIVE;
    options.quantile = 0.3; /* with 0.5, noises of three steps whose sum is 0 lead back to the first clip */
    options.q = 0.01;
    options.sigma = 1.1;
    options.count_sigma = 5.0;
    options.budget = r.b;
    r.o = orr_optim_of_module(ORR_OPTIM_SGD, r.m, NULL);
    r.t = orr_dp_sgd_new(r.m, r.o, &options);
    r.c = orr_checkpoint_new(path);
    ORR_CHECK_MSG(r.t && orr_checkpoint_add_module(r.c, "net", r.m) == ORR_OK &&
                      orr_checkpoint_add_optim(r.c, "sgd", r.o) == ORR_OK &&
                      orr_checkpoint_add_dp_sgd(r.c, "private", r.t) == ORR_OK,
                  "%s", orr_error_message());
    return r;
}

static void end(run *r)
{
    orr_checkpoint_free(r->c);
    orr_dp_sgd_free(r->t);
    orr_dp_budget_free(r->b);
    orr_optim_free(r->o);
    orr_module_free(r->m);
}

static void private_training_resumes_with_its_clip_and_steps(void)
{
    char path[1024];
    bool found = false;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F32, ORR_SHAPE(64, 3), -1, 1), *y = orr_zeros(ORR_I64, ORR_SHAPE(64));
    run a = begin(fresh(path, "training"), true), b = begin(path, true), none = begin(path, false);
    for (int i = 0; i < 3; i++)
        ORR_CHECK_MSG(orr_dp_sgd_step(a.t, x, y, NULL) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_checkpoint_save(a.c) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(b.c, &found) == ORR_OK && found);
    ORR_CHECK(orr_dp_sgd_steps(b.t) == 3 && orr_dp_sgd_clip(b.t) == orr_dp_sgd_clip(a.t) &&
              orr_dp_sgd_clip(a.t) != 1.0);
    ORR_CHECK(equal(spent(b.b), spent(a.b)) && spent(a.b) > 0.0);
    ORR_CHECK(orr_checkpoint_load(none.c, &found) == ORR_EINVAL && says(ORR_EINVAL, "with a budget"));
    ORR_CHECK(!found && orr_dp_sgd_steps(none.t) == 0);
    end(&a);
    end(&b);
    end(&none);
    (void)orr_scope_end(s);
}

/* -- forks ------------------------------------------------------------------------------------------------------ */

static int spend_one(void *user)
{
    return orr_dp_budget_spend(user, step, 1) == ORR_OK ? 0 : says(ORR_ESTATE, "to the process that made it") ? 1 : 2;
}

static int keep_inherited(void *user)
{
    return orr_dp_budget_keep(user, orr_test_tmp("inherited")) == ORR_ESTATE &&
                   access(orr_test_tmp("inherited"), F_OK) != 0
               ? 1
               : 0;
}

static void a_child_does_not_spend_its_parents_budget(void)
{
    orr_dp_budget *b = budget(10);
    ORR_CHECK(in_child(spend_one, b) == 1 && in_child(keep_inherited, b) == 1);
    ORR_CHECK(orr_dp_budget_spend(b, step, 1) == ORR_OK && equal(spent(b), epsilon_of(11)));
    orr_dp_budget_free(b);
}

static int spend_many(void *user)
{
    for (int i = 0; i < 20; i++)
        if (orr_dp_budget_spend(user, step, 1) != ORR_OK)
            return orr_error_status() == ORR_ESTATE ? 100 + i : 99;
    return 0;
}

static void processes_at_once_are_all_counted(void)
{
    enum { CHILDREN = 4 };
    char path[1024];
    pid_t child[CHILDREN];
    orr_dp_budget *b = budget(10);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "children")) == ORR_OK);
    for (int i = 0; i < CHILDREN; i++)
        if ((child[i] = fork()) == 0)
            _exit(spend_many(b));
    int mine = spend_many(b);
    for (int i = 0, how = -1; i < CHILDREN; i++)
        ORR_CHECK(child[i] > 0 && waitpid(child[i], &how, 0) == child[i] && how == 0);
    ORR_CHECK(mine == 0);
    ORR_CHECK(equal(spent(b), epsilon_of(10 + 20 * (CHILDREN + 1))));
    orr_dp_budget_free(b);
}

static void processes_at_once_do_not_exceed_the_limit(void)
{
    char path[1024];
    int64_t left = 0;
    orr_dp_budget *b = budget(0);
    ORR_REQUIRE(orr_dp_budget_left(b, step, &left) == ORR_OK && left > 30);
    ORR_CHECK(orr_dp_budget_spend(b, step, left - 30) == ORR_OK);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "limit")) == ORR_OK);
    pid_t child[2];
    int how[2] = { -1, -1 };
    for (int i = 0; i < 2; i++)
        if ((child[i] = fork()) == 0)
            _exit(spend_many(b));
    for (int i = 0; i < 2; i++) {
        ORR_CHECK(child[i] > 0 && waitpid(child[i], &how[i], 0) == child[i] && WIFEXITED(how[i]));
        how[i] = WEXITSTATUS(how[i]);
    }
    int booked = (how[0] ? how[0] - 100 : 20) + (how[1] ? how[1] - 100 : 20);
    ORR_CHECK_MSG(booked == 30, "%d uses were booked by two processes, 30 were left", booked);
    ORR_CHECK(orr_dp_budget_spend(b, step, 1) == ORR_ESTATE && says(ORR_ESTATE, "0 more uses fit"));
    orr_dp_budget_free(b);
}

/* -- ledgers ---------------------------------------------------------------------------------------------------- */

static void a_run_that_begins_anew_is_refused(void)
{
    char path[1024], ours[64], its[64];
    orr_dp_budget *first = budget(0), *again = budget(0), *ahead = budget(60);
    ORR_REQUIRE(orr_dp_budget_keep(first, fresh(path, "anew")) == ORR_OK &&
                orr_dp_budget_spend(first, step, 40) == ORR_OK);
    ORR_CHECK(orr_dp_budget_keep(first, path) == ORR_ESTATE && says(ORR_ESTATE, "already"));
    (void)snprintf(ours, sizeof ours, "this run has spent ε 0 at δ 1e-05");
    (void)snprintf(its, sizeof its, "the ledger has ε %.6g:", epsilon_of(40));
    ORR_CHECK(orr_dp_budget_keep(again, path) == ORR_ESTATE && says(ORR_ESTATE, ours) && says(ORR_ESTATE, its));
    ORR_CHECK(orr_dp_budget_allow(again, ORR_DP_OLDER) == ORR_OK && orr_dp_budget_keep(again, path) == ORR_OK);
    ORR_CHECK(equal(spent(again), epsilon_of(40)) && orr_dp_budget_spend(again, step, 1) == ORR_OK);
    ORR_CHECK(orr_dp_budget_spend(first, step, 1) == ORR_OK && equal(spent(first), epsilon_of(42)));
    ORR_CHECK(orr_dp_budget_keep(ahead, path) == ORR_ESTATE && says(ORR_ESTATE, "the ledger has spent"));
    orr_dp_budget_free(first);
    orr_dp_budget_free(again);
    orr_dp_budget_free(ahead);
}

static void a_ledger_that_went_back_is_refused(void)
{
    char path[1024], old[1024];
    struct stat st;
    orr_dp_budget *b = budget(0);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "back")) == ORR_OK && orr_dp_budget_spend(b, step, 5) == ORR_OK);
    copy(path, fresh(old, "back.old"));
    ORR_CHECK(orr_dp_budget_spend(b, step, 5) == ORR_OK && stat(path, &st) == 0);
    orr_dp_budget *copied = budget(5);
    ORR_CHECK(orr_dp_budget_keep(copied, old) == ORR_ESTATE && says(ORR_ESTATE, "is a copy of a ledger"));
    copy(old, path);
    ORR_CHECK(orr_dp_budget_spend(b, step, 1) == ORR_ESTATE);
    /* also where inode and time of the change are those of the older file */
    ORR_CHECK(rename(old, path) == 0 && orr_dp_budget_spend(b, step, 1) == ORR_ESTATE);
    ORR_CHECK(unlink(path) == 0 && orr_dp_budget_spend(b, step, 1) == ORR_ESTATE && says(ORR_ESTATE, "was removed"));
    orr_dp_budget_free(b);
    orr_dp_budget_free(copied);
}

static void a_ledger_that_was_moved_is_allowed_by_name(void)
{
    char path[1024], to[1024];
    orr_dp_budget *b = budget(0), *next = budget(7);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "moved")) == ORR_OK && orr_dp_budget_spend(b, step, 7) == ORR_OK);
    orr_dp_budget_free(b);
    copy(path, fresh(to, "moved.to"));
    ORR_CHECK(orr_dp_budget_keep(next, to) == ORR_ESTATE);
    ORR_CHECK(orr_dp_budget_allow(next, ORR_DP_MOVED) == ORR_OK && orr_dp_budget_keep(next, to) == ORR_OK);
    ORR_CHECK(orr_dp_budget_allow(next, 0) == ORR_OK && orr_dp_budget_spend(next, step, 1) == ORR_OK);
    ORR_CHECK(equal(spent(next), epsilon_of(8)));
    /* also while it is in use */
    copy(to, path);
    ORR_CHECK(rename(path, to) == 0 && orr_dp_budget_spend(next, step, 1) == ORR_ESTATE);
    ORR_CHECK(orr_dp_budget_allow(next, ORR_DP_MOVED) == ORR_OK && orr_dp_budget_spend(next, step, 1) == ORR_OK);
    ORR_CHECK(equal(spent(next), epsilon_of(9)));
    orr_dp_budget_free(next);
}

static void a_checkpoint_does_not_go_behind_its_ledger(void)
{
    char path[1024], place[1024], one[2048], two[2048];
    bool found = false;
    orr_dp_budget *b = budget(0);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "both")) == ORR_OK && orr_dp_budget_spend(b, step, 5) == ORR_OK);
    orr_checkpoint *c = checkpoint(fresh(place, "both.run"), b);
    ORR_CHECK(orr_checkpoint_save(c) == ORR_OK && orr_dp_budget_spend(b, step, 5) == ORR_OK); /* generation 1: 5 uses */
    (void)snprintf(one, sizeof one, "%s.1.npz", place);
    (void)snprintf(two, sizeof two, "%s.0.npz", place);
    ORR_CHECK(orr_checkpoint_save(c) == ORR_OK); /* generation 2: 10 uses */
    orr_checkpoint_free(c);
    orr_dp_budget_free(b);
    /* The next run forgets its ledger, finds it, continues. */
    b = budget(0);
    c = checkpoint(place, b);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found && equal(spent(b), epsilon_of(10)));
    ORR_CHECK(orr_dp_budget_spend(b, step, 1) == ORR_ESTATE && says(ORR_ESTATE, "call orr_dp_budget_keep"));
    ORR_CHECK(orr_dp_budget_keep(b, orr_test_tmp("none")) == ORR_ESTATE && says(ORR_ESTATE, "give its path"));
    ORR_CHECK(orr_dp_budget_keep(b, path) == ORR_OK && orr_dp_budget_spend(b, step, 1) == ORR_OK);
    orr_checkpoint_free(c);
    orr_dp_budget_free(b);
    /* Another run loads the older generation. */
    ORR_CHECK(unlink(two) == 0);
    b = budget(0);
    c = checkpoint(place, b);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found && equal(spent(b), epsilon_of(5)));
    ORR_CHECK(orr_dp_budget_keep(b, path) == ORR_ESTATE && says(ORR_ESTATE, "a run does not go back"));
    ORR_CHECK(orr_dp_budget_allow(b, ORR_DP_OLDER) == ORR_OK && orr_dp_budget_keep(b, path) == ORR_OK);
    ORR_CHECK(equal(spent(b), epsilon_of(11)) && orr_dp_budget_allow(b, 0) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_ESTATE && orr_dp_budget_allow(b, ORR_DP_OLDER) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && orr_dp_budget_spend(b, step, 1) == ORR_OK);
    ORR_CHECK(equal(spent(b), epsilon_of(12)));
    orr_checkpoint_free(c);
    orr_dp_budget_free(b);
    /* A run without a ledger gets one. */
    b = budget(20);
    c = checkpoint(fresh(place, "bare.run"), b);
    ORR_CHECK(orr_checkpoint_save(c) == ORR_OK);
    orr_checkpoint_free(c);
    orr_dp_budget_free(b);
    b = budget(0);
    c = checkpoint(place, b);
    ORR_CHECK(orr_dp_budget_keep(b, fresh(path, "bare")) == ORR_OK && orr_checkpoint_load(c, &found) == ORR_OK &&
              found);
    ORR_CHECK_MSG(orr_dp_budget_spend(b, step, 1) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(equal(spent(b), epsilon_of(21)));
    orr_checkpoint_free(c);
    orr_dp_budget_free(b);
}

static void other_files_are_no_ledgers(void)
{
    char path[1024];
    orr_dp_budget *b = budget(3), *wide = orr_dp_budget_new(ORR_DP_RDP, 8.0, 1e-5), *next = budget(3);
    ORR_CHECK(orr_dp_budget_keep(b, NULL) == ORR_EINVAL && orr_dp_budget_keep(b, "") == ORR_EINVAL);
    ORR_CHECK(orr_dp_budget_keep(b, "/nowhere/at/all") == ORR_EIO && says(ORR_EIO, "/nowhere"));
    ORR_CHECK(orr_dp_budget_keep(b, orr_test_tmp("")) == ORR_EIO);
    ORR_CHECK(mkfifo(fresh(path, "pipe"), 0600) == 0 && orr_dp_budget_keep(b, path) != ORR_OK);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "whole")) == ORR_OK);
    ORR_CHECK(orr_dp_budget_keep(wide, path) == ORR_EINVAL && says(ORR_EINVAL, "has the limit ε 3 at δ 1e-05"));
    size_t n = 0;
    unsigned char *bytes = orr_test_slurp(path, &n);
    ORR_REQUIRE(bytes && n > 100);
    for (size_t k = 0; k < n + 8; k++) { /* each byte changed, and eight lengths */
        FILE *f = fopen(path, "wb");
        ORR_REQUIRE(f);
        unsigned char was = k < n ? bytes[k] : 0;
        if (k < n)
            bytes[k] ^= (unsigned char)(1u << k % 7);
        (void)fwrite(bytes, 1, k < n ? n : (k - n) * n / 8, f);
        if (k < n)
            bytes[k] = was;
        ORR_CHECK(fclose(f) == 0);
        ORR_CHECK_MSG(orr_dp_budget_keep(next, path) == ORR_EFORMAT, "byte %zu of %zu", k, n);
    }
    free(bytes);
    orr_dp_budget_free(b);
    orr_dp_budget_free(wide);
    orr_dp_budget_free(next);
}

static int spend_without_room(void *user)
{
    struct rlimit none = { 16, 16 };
    if (setrlimit(RLIMIT_FSIZE, &none) != 0)
        return 2;
    return orr_dp_budget_spend(user, step, 1) == ORR_EIO && says(ORR_EIO, "cannot be written") ? 1 : 0;
}

static void a_use_that_cannot_be_written_is_not_booked(void)
{
    char path[1024];
    orr_dp_budget *b = budget(2);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "full")) == ORR_OK);
    ORR_CHECK(in_child(spend_without_room, b) == 1);
    ORR_CHECK(equal(spent(b), epsilon_of(2)) && orr_dp_budget_spend(b, step, 1) == ORR_OK);
    ORR_CHECK(equal(spent(b), epsilon_of(3)));
    orr_dp_budget_free(b);
}

/* The temporary files in this program's folder. */
static int temporaries(const char *of)
{
    int n = 0;
    DIR *d = opendir(orr_test_tmp(""));
    for (struct dirent *e; d && (e = readdir(d));)
        n += strncmp(e->d_name, of, strlen(of)) == 0 && strstr(e->d_name, ".tmp") != NULL;
    if (d)
        (void)closedir(d);
    return n;
}

static void a_killed_process_has_booked_its_uses(void)
{
    char path[1024];
    int fd[2], kills = getenv("ORR_TEST_FULL") ? 100 : 12, how = 0;
    unsigned long long seed = 38;
    int64_t least = 0, most = 0;
    orr_dp_budget *b = budget(0);
    ORR_REQUIRE(orr_dp_budget_keep(b, fresh(path, "killed")) == ORR_OK);
    for (int k = 0; k < kills; k++) {
        ORR_REQUIRE(pipe(fd) == 0);
        pid_t child = fork();
        if (child == 0)
            for (char one = 1;;)
                if (orr_dp_budget_spend(b, step, 1) != ORR_OK || write(fd[1], &one, 1) != 1)
                    _exit(1);
        (void)close(fd[1]);
        char one;
        ssize_t first = read(fd[0], &one, 1);
        (void)nanosleep(&(struct timespec){ .tv_nsec = (long)(orr_test_rand(&seed) % 8000000) }, NULL);
        ORR_CHECK(child > 0 && kill(child, SIGKILL) == 0 && waitpid(child, &how, 0) == child && WIFSIGNALED(how));
        int64_t told = first == 1;
        while (read(fd[0], &one, 1) == 1)
            told++;
        (void)close(fd[0]);
        least += told;
        most = least + k + 1; /* one use may be booked and not told */
    }
    double e = spent(b);
    ORR_CHECK_MSG(e >= epsilon_of(least) * (1 - 1e-12) && e <= epsilon_of(most) * (1 + 1e-12), "%g is not in %g to %g",
                  e, epsilon_of(least), epsilon_of(most));
    ORR_CHECK(orr_dp_budget_spend(b, step, 1) == ORR_OK && temporaries("killed") == 0);
    orr_dp_budget_free(b);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(a_resumed_run_has_spent_as_much_as_before),
                                      ORR_TEST(an_older_checkpoint_does_not_give_uses_back),
                                      ORR_TEST(private_training_resumes_with_its_clip_and_steps),
                                      ORR_TEST(a_child_does_not_spend_its_parents_budget),
                                      ORR_TEST(processes_at_once_are_all_counted),
                                      ORR_TEST(processes_at_once_do_not_exceed_the_limit),
                                      ORR_TEST(a_run_that_begins_anew_is_refused),
                                      ORR_TEST(a_ledger_that_went_back_is_refused),
                                      ORR_TEST(a_ledger_that_was_moved_is_allowed_by_name),
                                      ORR_TEST(a_checkpoint_does_not_go_behind_its_ledger),
                                      ORR_TEST(other_files_are_no_ledgers),
                                      ORR_TEST(a_use_that_cannot_be_written_is_not_booked),
                                      ORR_TEST(a_killed_process_has_booked_its_uses),
                                      { 0 } };
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "privacy.ledger", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
