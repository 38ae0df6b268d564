/* Checkpoints: the whole state is restored, damaged generations are skipped, and a run that is killed at any moment ends with the
 * bits of an undisturbed one.
 * Must not know: the file format beyond its name. */
#include "config.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { STEPS = 120, WIDTH = 24 };

static void pause_ms(double ms)
{
    struct timespec t = { .tv_sec = (time_t)(ms / 1e3),
                          .tv_nsec = (long)(1e6 * (ms - 1e3 * (double)(time_t)(ms / 1e3))) };
    (void)nanosleep(&t, NULL);
}

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* -- a run that is restarted again and again --------------------------------------------------------------- */

/* Trains, resumes from a checkpoint if there is one, and writes the final weights to `result`. 0: done; 3: stopped by SIGTERM. */
static int train(const char *path, const char *result)
{
    int64_t step = 0;
    bool found = false;
    if (orr_init(NULL) != ORR_OK)
        return 10;
    orr_seed(5);
    orr_module *m = orr_sequential(ORR_MODULES(orr_dense(WIDTH, WIDTH, ORR_ACTIVATION_TANH, ORR_INITIALISER_DEFAULT),
                                               orr_dense(WIDTH, 1, ORR_ACTIVATION_LINEAR, ORR_INITIALISER_DEFAULT)));
    orr_optim *o = orr_optim_of_module(ORR_OPTIM_ADAM, m, NULL);
    orr_checkpoint *c = orr_checkpoint_new(path);
    if (!m || !o || !c || orr_checkpoint_catch(SIGTERM) != ORR_OK ||
        orr_checkpoint_add_module(c, "network", m) != ORR_OK || orr_checkpoint_add_optim(c, "adam", o) != ORR_OK ||
        orr_checkpoint_add_bytes(c, "step", &step, sizeof step) != ORR_OK || orr_checkpoint_load(c, &found) != ORR_OK)
        return orr_error_print(stderr);
    while (step < STEPS && !orr_checkpoint_stopping()) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *x = orr_randn(ORR_F32, ORR_SHAPE(16, WIDTH), 0.0, 1.0);
        orr_tensor *y = orr_sum(x, ORR_AXES(1), true);
        orr_tensor *error = orr_sub(orr_forward(m, x), y), *loss = orr_mean(orr_mul(error, error), ORR_ALL_AXES, false);
        orr_status st = orr_optim_step(o, loss);
        if (st == ORR_OK)
            st = orr_eval(loss);
        (void)orr_scope_end(s);
        step++;
        if (st == ORR_OK && (step % 5 == 0 || orr_checkpoint_due(c, 3600.0)))
            st = orr_checkpoint_save(c);
        if (st != ORR_OK)
            return orr_error_print(stderr);
        pause_ms(1.0);
    }
    int rc = step < STEPS ? 3 : 0;
    if (rc == 0 && orr_module_save(m, result) != ORR_OK)
        rc = orr_error_print(stderr);
    orr_checkpoint_free(c);
    orr_optim_free(o);
    orr_module_free(m);
    (void)orr_shutdown();
    return rc;
}

static pid_t start(const char *path, const char *result)
{
    pid_t child = fork();
    if (child == 0) {
        (void)setenv("ORR_TEST_TRAIN", path, 1);
        (void)setenv("ORR_TEST_RESULT", result, 1);
        (void)setenv("ORRERY_DETERMINISTIC", "1", 1);
        (void)execl("/proc/self/exe", "train", (char *)NULL);
        _exit(98);
    }
    return child;
}

/* The exit status; −1: a signal ended it. */
static int end_of(pid_t child)
{
    int how = -1;
    return child > 0 && waitpid(child, &how, 0) == child && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static bool same_files(const char *a, const char *b)
{
    size_t n = 0, m = 0;
    unsigned char *x = orr_test_slurp(a, &n), *y = orr_test_slurp(b, &m);
    bool same = x && y && n == m && memcmp(x, y, n) == 0;
    free(x);
    free(y);
    return same;
}

static void temporary(char *to, size_t size, const char *name)
{
    (void)snprintf(to, size, "%s", orr_test_tmp(name));
}

/* The temporary files in this test's folder. */
static int temporaries(void)
{
    int n = 0;
    DIR *d = opendir(orr_test_tmp(""));
    for (struct dirent *e; d && (e = readdir(d));)
        n += strstr(e->d_name, ".tmp") != NULL;
    if (d)
        (void)closedir(d);
    return n;
}

static void killed_run_ends_with_the_same_bits(void)
{
    char whole[1024], cut[1024], want[1024], got[1024];
    int kills = getenv("ORR_TEST_FULL") ? 50 : 6;
    unsigned long long seed = (unsigned long long)getpid();
    temporary(whole, sizeof whole, "whole");
    temporary(cut, sizeof cut, "cut");
    temporary(want, sizeof want, "want.npz");
    temporary(got, sizeof got, "got.npz");
    double t0 = seconds();
    ORR_REQUIRE(end_of(start(whole, want)) == 0);
    double most = 1e3 * (seconds() - t0);
    int early = 0;
    for (int i = 0; i < kills; i++) {
        pid_t child = start(cut, got);
        pause_ms(most * (double)(orr_test_rand(&seed) % 1000) / 1e3);
        (void)kill(child, SIGKILL);
        early += end_of(child) == -1;
    }
    ORR_CHECK(end_of(start(cut, got)) == 0);
    ORR_CHECK_MSG(temporaries() == 0, "%d temporary files are left", temporaries());
    ORR_CHECK_MSG(early > 0, "no run of %d was killed before its end", kills);
    ORR_CHECK_MSG(same_files(want, got), "%d kills, seed %d", early, (int)getpid());
}

static void sigterm_writes_and_ends(void)
{
    char path[1024], want[1024], got[1024], whole[1024];
    temporary(path, sizeof path, "term");
    temporary(whole, sizeof whole, "undisturbed");
    temporary(want, sizeof want, "term-want.npz");
    temporary(got, sizeof got, "term-got.npz");
    ORR_REQUIRE(end_of(start(whole, want)) == 0);
    char first[1100];
    (void)snprintf(first, sizeof first, "%s.1.npz", path);
    pid_t child = start(path, got);
    for (int i = 0; i < 3000 && access(first, F_OK) != 0; i++)
        pause_ms(10.0);
    double t0 = seconds();
    (void)kill(child, SIGTERM);
    int rc = end_of(child);
    ORR_CHECK_MSG(rc == 3 || rc == 0, "status %d", rc);
    ORR_CHECK_MSG(seconds() - t0 < 20.0, "%g s", seconds() - t0);
    ORR_CHECK(end_of(start(path, got)) == 0);
    ORR_CHECK(same_files(want, got));
}

/* -- in this process --------------------------------------------------------------------------------------- */

static float item(orr_tensor *t)
{
    double v = 0;
    ORR_CHECK(orr_item(t, &v) == ORR_OK);
    return (float)v;
}

static float element(orr_tensor *t, int64_t k)
{
    return item(orr_sum(orr_slice(t, ORR_INDEX(k), ORR_INDEX(k + 1), ORR_NO_INDEX), ORR_ALL_AXES, false));
}

static void all_parts_come_back(void)
{
    char path[1024];
    int64_t epoch = 7;
    bool found = true;
    temporary(path, sizeof path, "parts");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_full(ORR_BF16, ORR_SHAPE(3), 1.5)),
               *z = orr_variable(orr_zeros(ORR_I64, ORR_SHAPE_0D));
    orr_optim_options options = orr_optim_defaults(ORR_OPTIM_ADAM);
    orr_tensor *w = orr_variable(orr_ones(ORR_F32, ORR_SHAPE(4)));
    orr_optim *o = orr_optim_new(ORR_OPTIM_ADAM, &w, 1, &options);
    orr_checkpoint *c = orr_checkpoint_new(path);
    ORR_REQUIRE(o && c);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && !found && orr_checkpoint_generation(c) == 0);
    ORR_CHECK(orr_checkpoint_add_variable(c, "v", v) == ORR_OK && orr_checkpoint_add_variable(c, "z", z) == ORR_OK);
    ORR_CHECK(orr_checkpoint_add_variable(c, "w", w) == ORR_OK && orr_checkpoint_add_optim(c, "o", o) == ORR_OK);
    ORR_CHECK(orr_checkpoint_add_bytes(c, "epoch", &epoch, sizeof epoch) == ORR_OK);
    ORR_CHECK(orr_optim_step(o, orr_sum(orr_mul(w, w), ORR_ALL_AXES, false)) == ORR_OK);
    orr_seed(11);
    (void)orr_rand(ORR_F32, ORR_SHAPE(2), 0.0, 1.0);
    ORR_CHECK(orr_checkpoint_save(c) == ORR_OK && orr_checkpoint_generation(c) == 1);
    float next = item(orr_rand(ORR_F32, ORR_SHAPE_0D, 0.0, 1.0)), w0 = element(w, 0);
    ORR_CHECK(orr_optim_step(o, orr_sum(w, ORR_ALL_AXES, false)) == ORR_OK);
    ORR_CHECK(orr_assign(v, orr_zeros(ORR_BF16, ORR_SHAPE(3))) == ORR_OK);
    ORR_CHECK(orr_assign(z, orr_full(ORR_I64, ORR_SHAPE_0D, 3.0)) == ORR_OK);
    ORR_CHECK(orr_optim_set_lr(o, 0.5) == ORR_OK);
    epoch = 9;
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found);
    ORR_CHECK(epoch == 7 && orr_optim_steps(o) == 1 && orr_optim_lr(o) == options.lr);
    ORR_CHECK(element(v, 2) == 1.5f && item(z) == 0.0f && element(w, 0) == w0);
    ORR_CHECK(item(orr_rand(ORR_F32, ORR_SHAPE_0D, 0.0, 1.0)) == next);
    ORR_CHECK(!orr_checkpoint_due(c, 1000.0) && orr_checkpoint_due(c, 0.0));
    orr_checkpoint_free(c);
    orr_optim_free(o);
    (void)orr_scope_end(s);
}

/* Cuts a file in half, or changes a byte in its middle. */
static void damage(const char *path, bool cut)
{
    struct stat st;
    int fd = open(path, O_RDWR);
    ORR_REQUIRE(fd >= 0 && fstat(fd, &st) == 0);
    if (cut) {
        ORR_CHECK(ftruncate(fd, st.st_size / 2) == 0);
    } else {
        unsigned char byte = 0;
        ORR_CHECK(pread(fd, &byte, 1, 2000) == 1);
        byte ^= 0x40;
        ORR_CHECK(pwrite(fd, &byte, 1, 2000) == 1);
    }
    (void)close(fd);
}

static void damaged_generation_is_left_out(void)
{
    for (int cut = 0; cut < 2; cut++) {
        char path[1024], file[2][1100];
        bool found = false;
        temporary(path, sizeof path, cut ? "damaged-cut" : "damaged-byte");
        for (int i = 0; i < 2; i++)
            (void)snprintf(file[i], sizeof file[i], "%s.%d.npz", path, i);
        orr_scope *s = orr_scope_begin();
        orr_tensor *v = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(1000)));
        orr_checkpoint *c = orr_checkpoint_new(path);
        ORR_REQUIRE(c && orr_checkpoint_add_variable(c, "v", v) == ORR_OK);
        for (int i = 1; i <= 3; i++) {
            ORR_CHECK(orr_assign(v, orr_full(ORR_F32, ORR_SHAPE(1000), (double)i)) == ORR_OK);
            ORR_CHECK(orr_checkpoint_save(c) == ORR_OK);
        }
        damage(file[1], cut); /* generation 3 */
        ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found);
        ORR_CHECK(orr_checkpoint_generation(c) == 2 && element(v, 999) == 2.0f);
        damage(file[0], cut);
        ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_EFORMAT && !found);
        ORR_CHECK(element(v, 0) == 2.0f);
        ORR_CHECK(orr_checkpoint_save(c) == ORR_OK && orr_checkpoint_load(c, &found) == ORR_OK && found);
        orr_checkpoint_free(c);
        (void)orr_scope_end(s);
    }
}

static void run_that_begins_anew_is_newer_than_old_files(void)
{
    char path[1024];
    bool found = false;
    temporary(path, sizeof path, "anew");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(4)));
    for (int run = 0; run < 2; run++) {
        orr_checkpoint *c = orr_checkpoint_new(path);
        ORR_REQUIRE(c && orr_checkpoint_add_variable(c, "v", v) == ORR_OK);
        for (int i = 0; i < 3 - 2 * run; i++) {
            ORR_CHECK(orr_assign(v, orr_full(ORR_F32, ORR_SHAPE(4), 10.0 * run + i)) == ORR_OK);
            ORR_CHECK(orr_checkpoint_save(c) == ORR_OK);
        }
        ORR_CHECK(orr_checkpoint_generation(c) == 3 + run);
        orr_checkpoint_free(c);
    }
    orr_checkpoint *c = orr_checkpoint_new(path);
    ORR_REQUIRE(c && orr_checkpoint_add_variable(c, "v", v) == ORR_OK);
    ORR_CHECK(orr_assign(v, orr_zeros(ORR_F32, ORR_SHAPE(4))) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(c, &found) == ORR_OK && found && element(v, 0) == 10.0f);
    orr_checkpoint_free(c);
    (void)orr_scope_end(s);
}

static void file_of_other_parts_is_refused(void)
{
    char path[1024];
    int number = 1;
    bool found = true;
    temporary(path, sizeof path, "other");
    orr_scope *s = orr_scope_begin();
    orr_tensor *v = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(2))), *w = orr_variable(orr_zeros(ORR_F32, ORR_SHAPE(3)));
    orr_checkpoint *c = orr_checkpoint_new(path), *d = orr_checkpoint_new(path), *e = orr_checkpoint_new(path);
    ORR_REQUIRE(c && d && e);
    ORR_CHECK(orr_checkpoint_add_variable(c, "v", v) == ORR_OK && orr_checkpoint_save(c) == ORR_OK);
    ORR_CHECK(orr_checkpoint_add_variable(d, "v", w) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(d, &found) == ORR_ESHAPE && !found);
    ORR_CHECK(strstr(orr_error_message(), "(2,)") && strstr(orr_error_message(), "(3,)"));
    ORR_CHECK(orr_checkpoint_add_bytes(e, "number", &number, sizeof number) == ORR_OK);
    ORR_CHECK(orr_checkpoint_load(e, &found) == ORR_EINVAL && strstr(orr_error_message(), "\"number\""));
    ORR_CHECK(number == 1);
    ORR_CHECK(orr_checkpoint_add_variable(c, "v", w) == ORR_EINVAL && strstr(orr_error_message(), "already"));
    ORR_CHECK(orr_checkpoint_add_variable(c, "a/b", w) == ORR_EINVAL &&
              orr_checkpoint_add_variable(c, "", w) == ORR_EINVAL);
    ORR_CHECK(orr_checkpoint_add_variable(c, "x", orr_ones(ORR_F32, ORR_SHAPE(1))) == ORR_EINVAL);
    ORR_CHECK(orr_checkpoint_add_bytes(c, "n", NULL, 4) == ORR_EINVAL && orr_checkpoint_new("") == NULL);
    ORR_CHECK(orr_checkpoint_save(NULL) == ORR_EINVAL && orr_checkpoint_load(NULL, NULL) == ORR_EINVAL);
    orr_checkpoint *f = orr_checkpoint_new("/nowhere/at/all");
    ORR_CHECK(f && orr_checkpoint_add_variable(f, "v", v) == ORR_OK && orr_checkpoint_save(f) == ORR_EIO);
    orr_checkpoint_free(f);
    orr_checkpoint_free(e);
    orr_checkpoint_free(d);
    orr_checkpoint_free(c);
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(all_parts_come_back),
        ORR_TEST(damaged_generation_is_left_out),
        ORR_TEST(run_that_begins_anew_is_newer_than_old_files),
        ORR_TEST(file_of_other_parts_is_refused),
        ORR_TEST(killed_run_ends_with_the_same_bits),
        ORR_TEST(sigterm_writes_and_ends),
        { 0 },
    };
    const char *path = getenv("ORR_TEST_TRAIN");
    if (path)
        return train(path, getenv("ORR_TEST_RESULT"));
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "nn.checkpoint", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
