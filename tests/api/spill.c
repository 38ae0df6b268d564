/* Faults of ORRERY_SPILL_DIR, before and during its use: the error names it, existing values stay, and work that fits
 * still runs. Each case has a process of its own, since some change the rights of the process.
 * Must not know: how memory is planned. */
#define _GNU_SOURCE
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tests/harness/harness.h"

enum { FINE = 0, WRONG = 1, SKIP = 77 };

static char spill_dir[] = "/var/tmp/orrery-test-XXXXXX";
static char why[256];

/* Runs f in a child; its output goes to the test's log if it fails. A child that hangs is ended. */
static void in_child(int (*f)(void))
{
    int how = -1;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(240);
        int rc = f();
        if (rc != FINE)
            printf("    %s%s%s\n", why, *why ? "; " : "", orr_error_message());
        (void)fflush(stdout);
        _exit(rc);
    }
    ORR_REQUIRE(child > 0 && waitpid(child, &how, 0) == child);
    if (WIFEXITED(how) && WEXITSTATUS(how) == SKIP)
        ORR_SKIP("this process may not, or the machine cannot; see above");
    ORR_CHECK_MSG(WIFEXITED(how) && WEXITSTATUS(how) == FINE, "ended with %d", how);
}

static int because(int rc, const char *text)
{
    (void)snprintf(why, sizeof why, "%s", text);
    return rc;
}

static orr_status start(const char *engine, const char *limit, const char *dir)
{
    (void)setenv("ORRERY_ENGINE", engine, 1);
    (void)setenv("ORRERY_BACKEND", "cpu", 1);
    (void)setenv("ORRERY_INLINE_US", "0", 1);
    (void)setenv("ORRERY_MEMORY_LIMIT", limit, 1);
    (void)setenv("ORRERY_SPILL_DIR", dir, 1);
    return orr_init(NULL);
}

static bool is(orr_tensor *t, double want)
{
    double low = 0, high = 0;
    return orr_item(orr_cast(orr_min(t, ORR_ALL_AXES, false), ORR_F64), &low) == ORR_OK &&
           orr_item(orr_cast(orr_max(t, ORR_ALL_AXES, false), ORR_F64), &high) == ORR_OK && low == want && high == want;
}

/* Products of 4 MB under a limit of 1 MB: a value exists when the directory fails. Then `mend`, if the directory can
 * be repaired. */
static int fails_and_goes_on(const char *engine, void (*spoil)(void), const char *word, void (*mend)(void))
{
    if (start(engine, "1M", spill_dir) != ORR_OK)
        return because(WRONG, "no start");
    orr_tensor *x = orr_full(ORR_F32, ORR_SHAPE(1024, 1024), 0.5), *small = orr_full(ORR_F32, ORR_SHAPE(100), 3);
    if (orr_eval_all(ORR_TENSORS(x, small)) != ORR_OK)
        return because(WRONG, "no file while all is well");
    spoil();
    orr_tensor *y = orr_matmul(orr_matmul(x, x), x);
    if (orr_eval(y) != ORR_ENOMEM)
        return because(WRONG, "it went on, or failed otherwise");
    if (!strstr(orr_error_message(), spill_dir) || !strstr(orr_error_message(), word))
        return because(WRONG, "the message says something else");
    if (!is(x, 0.5) || !is(orr_add(small, small), 6))
        return because(WRONG, "other values suffered");
    if (mend) {
        mend();
        if (orr_eval(y) != ORR_OK || !is(y, 0.5 * 0.5 * 0.5 * 1024 * 1024))
            return because(WRONG, "mended, but it does not work");
    }
    return orr_shutdown() == ORR_OK ? FINE : WRONG;
}

/* -- it vanishes ------------------------------------------------------------------------------------------------- */

static void remove_it(void)
{
    (void)rmdir(spill_dir);
}

static int vanish_serial(void)
{
    return fails_and_goes_on("serial", remove_it, "No such file", NULL);
}

static int vanish_tasks(void)
{
    return fails_and_goes_on("auto", remove_it, "No such file", NULL);
}

static void vanished_spill_directory_is_error(void)
{
    in_child(vanish_serial);
    ORR_CHECK(mkdir(spill_dir, 0700) == 0);
    in_child(vanish_tasks);
    ORR_CHECK(mkdir(spill_dir, 0700) == 0);
}

/* -- files may not be large -------------------------------------------------------------------------------------- */

/* Ignores the signal of that limit, which would end the process. */
static void forbid_large_files(void)
{
    struct rlimit small = { 1 << 20, RLIM_INFINITY };
    (void)setrlimit(RLIMIT_FSIZE, &small);
}

static void allow_large_files(void)
{
    struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
    (void)setrlimit(RLIMIT_FSIZE, &all);
}

static int rlimit_serial(void)
{
    return fails_and_goes_on("serial", forbid_large_files, "File too large", allow_large_files);
}

static int rlimit_tasks(void)
{
    return fails_and_goes_on("auto", forbid_large_files, "File too large", allow_large_files);
}

static void file_size_limit_gives_error_not_signal(void)
{
    in_child(rlimit_serial);
    in_child(rlimit_tasks);
}

/* -- a full disk, a disk that cannot be written -------------------------------------------------------------------- */

/* Writes "id id 1": the name space keeps the present id. */
static bool mapped(const char *path, unsigned id)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fprintf(f, "%u %u 1\n", id, id) > 0;
    return f && fclose(f) == 0 && ok;
}

/* Enters a mount name space: root's, or one in a user name space, in which an owner without a name could make no file. */
static bool apart(void)
{
    unsigned uid = geteuid(), gid = getegid();
    if (unshare(CLONE_NEWNS) == 0)
        return true;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    FILE *f = fopen("/proc/self/setgroups", "we");
    bool denied = f && fputs("deny", f) >= 0;
    return f && fclose(f) == 0 && denied && mapped("/proc/self/uid_map", uid) && mapped("/proc/self/gid_map", gid);
}

static bool mounted(const char *options, unsigned long flags)
{
    if (!apart())
        return false;
    (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    return mount("orrery-test", spill_dir, "tmpfs", flags, options) == 0 && (flags || chmod(spill_dir, 0700) == 0);
}

static void nothing(void) {}

/* x and the first product fit on the disk, the second product does not. */
static int full_disk(const char *engine)
{
    return mounted("size=9m", 0) ? fails_and_goes_on(engine, nothing, "No space left", NULL)
                                 : because(SKIP, "no file system can be mounted");
}

static int full_serial(void)
{
    return full_disk("serial");
}

static int full_tasks(void)
{
    return full_disk("auto");
}

static void full_disk_is_error(void)
{
    in_child(full_serial);
    in_child(full_tasks);
}

static int read_only(void)
{
    if (!mounted("size=1m", MS_RDONLY))
        return because(SKIP, "no file system can be mounted");
    if (start("serial", "1M", spill_dir) != ORR_EENV || !strstr(orr_error_message(), spill_dir))
        return because(WRONG, "no refusal");
    return strstr(orr_error_message(), "Read-only") || strstr(orr_error_message(), "others")
               ? FINE
               : because(WRONG, "another reason");
}

static void unwritable_spill_disk_is_refused_at_init(void)
{
    in_child(read_only);
}

/* -- owned by another user, or not writable ------------------------------------------------------------------------ */

static int refused_as_nobody(bool own)
{
    enum { NOBODY = 65534 };
    if (geteuid() == 0 && ((own && chown(spill_dir, NOBODY, NOBODY) != 0) || setuid(NOBODY) != 0))
        return because(SKIP, "no other user can be taken");
    if (geteuid() != NOBODY)
        return because(SKIP, "only root can become another user");
    if (start("serial", "1M", spill_dir) != ORR_EENV || !strstr(orr_error_message(), spill_dir))
        return because(WRONG, "no refusal");
    return strstr(orr_error_message(), own ? "Permission denied" : "another user") ? FINE
                                                                                   : because(WRONG, "another reason");
}

static int not_ours(void)
{
    return refused_as_nobody(false);
}

static int not_writable(void)
{
    return refused_as_nobody(true);
}

static void spill_directory_of_another_user_is_refused(void)
{
    ORR_CHECK(chmod(spill_dir, 0755) == 0);
    in_child(not_ours);
    ORR_CHECK(chmod(spill_dir, 0700) == 0);
}

static void unwritable_trace_file_is_refused(void)
{
    ORR_CHECK(chmod(spill_dir, 0500) == 0);
    in_child(not_writable);
    if (geteuid() == 0)
        ORR_CHECK(chown(spill_dir, 0, 0) == 0);
    ORR_CHECK(chmod(spill_dir, 0700) == 0);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(vanished_spill_directory_is_error),
                                      ORR_TEST(file_size_limit_gives_error_not_signal),
                                      ORR_TEST(full_disk_is_error),
                                      ORR_TEST(unwritable_spill_disk_is_refused_at_init),
                                      ORR_TEST(spill_directory_of_another_user_is_refused),
                                      ORR_TEST(unwritable_trace_file_is_refused),
                                      { 0 } };
    if (!mkdtemp(spill_dir))
        return 1;
    int rc = orr_test_main(argc, argv, "api.spill", tests);
    (void)rmdir(spill_dir);
    return rc;
}
