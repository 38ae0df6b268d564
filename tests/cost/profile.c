/* The machine's numbers: stored ones are read back, damaged or foreign ones are refused, and their effect on plans.
 * Must not know: StarPU. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/base/env.h"
#include "runtime/base/checked_file.h"
#include "runtime/plan/passes.h"
#include "tests/harness/harness.h"

/* -- a process limited to so many more threads, on so many cores; below 0: no limit -------------------------------- */

static int threads_left = -1, cores_seen = -1;

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*f)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (threads_left == 0) {
        (void)usleep(20000); /* the previous ones have begun */
        return EAGAIN;
    }
    threads_left -= threads_left > 0;
    return real(id, attr, f, arg);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    int (*real)(pid_t, size_t, cpu_set_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "sched_getaffinity");
    int rc = real(pid, size, set);
    for (unsigned c = 0; rc == 0 && (int)c < cores_seen; c++)
        CPU_SET(c, set);
    return rc;
}

/* -- the files ----------------------------------------------------------------------------------------------------- */

static char dir[256], file[400];
static orr__profile sample;

/* Makes the test's own cache directory with the sample in it, and finds its path. */
static void begin(void)
{
    const char *tmp = getenv("TMPDIR");
    sample = orr__profile_fixed;
    sample.stream = 12345;
    (void)snprintf(dir, sizeof dir, "%s/orr-profile-XXXXXX", tmp ? tmp : "/tmp");
    ORR_REQUIRE(mkdtemp(dir) != NULL);
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", dir);
    ORR_REQUIRE(orr__profile_store(&sample));
    char kind[32], name[128];
    long n = 0;
    for (; n < 4096; n++) {
        (void)snprintf(kind, sizeof kind, "machine-%ld", n);
        orr__sealed_name(kind, name, sizeof name);
        (void)snprintf(file, sizeof file, "%s/%s", dir, name);
        if (access(file, F_OK) == 0)
            break;
    }
    ORR_REQUIRE(n < 4096);
}

static void end(void)
{
    (void)unlink(file);
    ORR_CHECK(rmdir(dir) == 0); /* no temporary file is left */
}

static bool loads(void)
{
    orr__profile p;
    memset(&p, 0, sizeof p);
    bool ok = orr__profile_load(&p);
    ORR_CHECK(!ok || p.stream == 12345);
    return ok;
}

static void stored_kernel_reads_back(void)
{
    struct stat st;
    begin();
    ORR_CHECK(loads());
    ORR_CHECK(stat(file, &st) == 0 && (st.st_mode & 0777) == 0600);
    ORR_CHECK(unlink(file) == 0 && !loads());
    end();
}

static void a_shortened_file_is_no_profile(void)
{
    begin();
    struct stat st;
    ORR_REQUIRE(stat(file, &st) == 0);
    for (off_t n = st.st_size - 1; n >= 0; n -= 7) {
        ORR_REQUIRE(truncate(file, n) == 0);
        ORR_CHECK_MSG(!loads(), "%ld bytes", (long)n);
    }
    end();
}

static void every_changed_byte_is_seen(void)
{
    begin();
    struct stat st;
    char byte;
    int fd = open(file, O_RDWR | O_CLOEXEC);
    ORR_REQUIRE(fd >= 0 && fstat(fd, &st) == 0);
    for (off_t i = 0; i < st.st_size; i++) {
        ORR_REQUIRE(pread(fd, &byte, 1, i) == 1);
        byte ^= 1;
        ORR_REQUIRE(pwrite(fd, &byte, 1, i) == 1);
        ORR_CHECK_MSG(!loads(), "byte %ld", (long)i);
        byte ^= 1;
        ORR_REQUIRE(pwrite(fd, &byte, 1, i) == 1);
    }
    ORR_CHECK(loads());
    (void)close(fd);
    end();
}

static void garbage_is_no_profile(void)
{
    begin();
    int fd = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC);
    ORR_REQUIRE(fd >= 0);
    for (int i = 0; i < 5000; i++)
        ORR_REQUIRE(write(fd, &(char){ (char)(i * 37 % 251) }, 1) == 1);
    (void)close(fd);
    ORR_CHECK(!loads());
    end();
}

static void files_that_others_could_write_are_not_read(void)
{
    begin();
    ORR_CHECK(chmod(file, 0666) == 0 && !loads());
    ORR_CHECK(chmod(file, 0600) == 0 && loads());
    ORR_CHECK(chmod(dir, 0777) == 0 && !loads());
    ORR_CHECK(chmod(dir, 0700) == 0 && loads());
    end();
}

static void a_foreign_file_is_not_read(void)
{
    if (geteuid() != 0)
        ORR_SKIP("only root can give a file away");
    begin();
    ORR_CHECK(chown(file, 65534, 65534) == 0 && !loads());
    end();
}

static void a_link_is_not_followed(void)
{
    char other[420];
    begin();
    (void)snprintf(other, sizeof other, "%s.real", file);
    ORR_REQUIRE(rename(file, other) == 0 && symlink(other, file) == 0);
    ORR_CHECK(!loads());
    (void)unlink(other);
    end();
}

static void numbers_that_make_no_sense_are_refused(void)
{
    begin();
    static const double bad[] = { 0, -1, 1e30, (double)NAN, (double)INFINITY };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sample.gemm32 = bad[i];
        ORR_CHECK(!orr__profile_plausible(&sample));
        ORR_CHECK(orr__profile_store(&sample) && !loads());
    }
    end();
}

/* Numbers measured by starts under load: each alone may be true of some machine, together they are of none. */
static void numbers_that_contradict_each_other_are_refused(void)
{
    begin();
    sample.task_us = 919;
    ORR_CHECK(!orr__profile_plausible(&sample) && orr__profile_store(&sample) && !loads());
    sample.task_us = orr__profile_fixed.task_us;
    ORR_CHECK(orr__profile_plausible(&sample));
    sample.cached = sample.stream / 10;
    ORR_CHECK(!orr__profile_plausible(&sample));
    sample.cached = orr__profile_fixed.cached;
    sample.latency_us = 1;
    sample.task_us = 50;
    ORR_CHECK(!orr__profile_plausible(&sample));
    end();
}

static void quality_and_date_are_kept(void)
{
    orr__profile p;
    begin();
    sample.quality = 0.25;
    sample.date = 1700000001;
    ORR_CHECK(orr__profile_store(&sample) && orr__profile_load(&p));
    ORR_CHECK(p.quality == 0.25 && p.date == 1700000001);
    end();
}

/* Each of many short processes on a busy machine would measure it beside its first calls. */
static void disturbed_measurement_is_repeated_after_a_while(void)
{
    orr__profile p = orr__profile_fixed;
    p.date = 1700000000;
    p.quality = 0.25;
    ORR_CHECK(!orr__profile_due(&p, p.date) && !orr__profile_due(&p, p.date + 50) && orr__profile_due(&p, p.date + 70));
    ORR_CHECK(orr__profile_due(&p, p.date - 70)); /* the clock was set back */
    p.quality = 0.75;
    ORR_CHECK(!orr__profile_due(&p, p.date + 1e9));
}

static void of_two_measurements_the_better_numbers_stay(void)
{
    orr__profile a = orr__profile_fixed, b = orr__profile_fixed;
    a.task_us = 90;
    a.quality = 0.1;
    b.stream = 2 * a.stream;
    b.latency_us = 2 * a.latency_us;
    orr__profile_join(&a, &b);
    ORR_CHECK(a.task_us == b.task_us && a.stream == b.stream && a.latency_us == orr__profile_fixed.latency_us);
    ORR_CHECK(a.quality == 1 && !orr__profile_due(&a, 1e9));
}

/* A sample in which a thread was preempted does not count while there is another. */
static void interrupted_samples_do_not_count(void)
{
    orr__samples s = { .all = 0 };
    orr__profile p = orr__profile_fixed;
    for (int i = 0; i < 20000 && s.clean == 0; i++) {
        orr__sample_begin(&s);
        orr__sample_end(&s, 7);
    }
    ORR_REQUIRE(s.clean == 1);
    int clean = s.clean, all = s.all;
    orr__sample_begin(&s);
    s.before--; /* as if one had been preempted */
    orr__sample_end(&s, 5);
    ORR_CHECK(s.all == all + 1 && s.clean == clean && orr__samples_best(&s) == 7 && s.any == 5);
    orr__samples_judge(&p, &s);
    ORR_CHECK(p.quality < 1 && p.quality == (double)s.clean / s.all);
}

static void an_unwritable_place_is_said_not_fatal(void)
{
    begin();
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%.400s/below", file); /* a file in the path */
    ORR_CHECK(!orr__profile_store(&sample) && !loads());
    orr__env.cache_dir[0] = '\0';
    ORR_CHECK(!orr__profile_store(&sample) && !loads());
    end();
}

/* Measures p. A measurement beside other work may be refused, so that up to five are made. */
static bool measured(orr__profile *p)
{
    atomic_bool stop = false;
    for (int i = 0; i < 5; i++) {
        *p = orr__profile_fixed;
        orr__profile_measure(p, &stop);
        if (orr__profile_plausible(p))
            return true;
    }
    return false;
}

static void a_measured_profile_is_plausible(void)
{
    atomic_bool stop = true;
    orr__profile p;
    ORR_CHECK(measured(&p));
    ORR_CHECK(p.stream != orr__profile_fixed.stream && p.stream_all >= p.stream && p.math != orr__profile_fixed.math);
    p = orr__profile_fixed;
    orr__profile_measure(&p, &stop);
    ORR_CHECK(memcmp(&p, &orr__profile_fixed, sizeof p) == 0);
}

static void too_few_threads_are_no_hang(void)
{
    orr__profile p;
    cores_seen = 4;
    for (int threads = 2; threads >= 0; threads--) {
        threads_left = threads;
        ORR_CHECK(measured(&p) && p.stream_all == p.stream);
    }
    cores_seen = threads_left = -1;
}

static void plans_follow_the_numbers_in_force(void)
{
    orr__profile slow = orr__profile_fixed;
    orr__env.machine = ORR__MACHINE_MEASURED;
    orr__env.inline_us = orr__env.tile_us = -1;
    slow.stream = slow.cached = 1000;
    slow.task_us = 30;
    slow.latency_us = 200;
    orr__machine_here.workers = 2;
    double fast = orr__profile_move(orr__profile_now(), 1e6);
    orr__profile_use(&slow);
    ORR_CHECK(orr__profile_move(orr__profile_now(), 1e6) == 20 * fast);
    ORR_CHECK(orr__task_worth() == 750 && orr__inline_us() == 400);
    orr__machine_here.workers = 8; /* more workers: sharing pays earlier, but not for half a task's worth */
    ORR_CHECK(orr__inline_us() == 375);
    orr__env.inline_us = 7;
    orr__env.tile_us = 11;
    ORR_CHECK(orr__task_worth() == 11 && orr__inline_us() == 7);
    orr__env.inline_us = orr__env.tile_us = -1;
    orr__env.deterministic = true;
    ORR_CHECK(orr__profile_now() == &orr__profile_fixed && orr__profile_move(orr__profile_now(), 1e6) == fast);
    orr__env.deterministic = false;
    orr__env.machine = ORR__MACHINE_FIXED;
    ORR_CHECK(orr__profile_now() == &orr__profile_fixed && orr__task_worth() == 200 && orr__inline_us() == 100);
    orr__profile_use(NULL);
    orr__machine_here.workers = 1;
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(stored_kernel_reads_back),
                                      ORR_TEST(a_shortened_file_is_no_profile),
                                      ORR_TEST(every_changed_byte_is_seen),
                                      ORR_TEST(garbage_is_no_profile),
                                      ORR_TEST(files_that_others_could_write_are_not_read),
                                      ORR_TEST(a_foreign_file_is_not_read),
                                      ORR_TEST(a_link_is_not_followed),
                                      ORR_TEST(numbers_that_make_no_sense_are_refused),
                                      ORR_TEST(numbers_that_contradict_each_other_are_refused),
                                      ORR_TEST(quality_and_date_are_kept),
                                      ORR_TEST(disturbed_measurement_is_repeated_after_a_while),
                                      ORR_TEST(of_two_measurements_the_better_numbers_stay),
                                      ORR_TEST(interrupted_samples_do_not_count),
                                      ORR_TEST(an_unwritable_place_is_said_not_fatal),
                                      ORR_TEST(a_measured_profile_is_plausible),
                                      ORR_TEST(too_few_threads_are_no_hang),
                                      ORR_TEST(plans_follow_the_numbers_in_force),
                                      { 0 } };
    return orr__env_load() != ORR_OK ? 1 : orr_test_main(argc, argv, "cost.profile", tests);
}
