/* .npy and .npz files of Orrery: read back, equal to NumPy's, complete or absent.
 * Must not know: how a file is parsed. */
#include "config.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <orrery/elementwise.h>
#include <orrery/eval.h>
#include "runtime/base/pool.h"
#include "tests/harness/io_help.h"

static void saved_npy_reads_back_and_is_numpys(void)
{
    orr_scope *s = orr_scope_begin();
    const char *path = orr_test_tmp("saved.npy");
    static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", NULL, "f4", "f8" };
    for (int t = 0; t < ORR__SCALAR_DTYPES; t++) {
        if (t == ORR_BF16)
            continue;
        ORR_CHECK_MSG(orr_save(path, golden_tensor((orr_dtype)t, ORR_SHAPE(3, 5))) == ORR_OK, "%s",
                      orr_error_message());
        check_golden("saved", orr_load(path), (orr_dtype)t, ORR_SHAPE(3, 5));
        size_t n, m;
        char name[40];
        snprintf(name, sizeof name, "c_%s_le.npy", codes[t]);
        unsigned char *ours = orr_test_slurp(path, &n), *theirs = orr_test_slurp(golden_io(name), &m);
        path = orr_test_tmp("saved.npy");
        ORR_CHECK_MSG(ours && theirs && n == m && memcmp(ours, theirs, n) == 0, "%s", name);
        free(ours);
        free(theirs);
    }
    ORR_CHECK(orr_save(path, golden_tensor(ORR_F32, ORR_SHAPE_0D)) == ORR_OK);
    check_golden("saved scalar", orr_load(path), ORR_F32, ORR_SHAPE_0D);
    ORR_CHECK(orr_save(path, golden_tensor(ORR_F32, ORR_SHAPE(2, 0))) == ORR_OK);
    check_golden("saved empty", orr_load(path), ORR_F32, ORR_SHAPE(2, 0));
    orr_scope_end(s);
}

/* Any allocation may fail; the file is not at fault. */
static void save_without_memory_reports_enomem(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = golden_tensor(ORR_F32, ORR_SHAPE(2));
    const char *path = orr_test_tmp("refused.npz"), *name[] = { "x" };
    orr_status st = ORR_ENOMEM;
    ORR_CHECK(orr_eval(x) == ORR_OK);
    for (long n = 0; st == ORR_ENOMEM && n < 100; n++) {
        orr__pool_fail_after(n);
        st = orr_save_npz(path, name, 1, &x, 1);
        orr__pool_fail_after(-1);
    }
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    (void)orr_scope_end(s);
}

static void save_error_has_reason(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = golden_tensor(ORR_F32, ORR_SHAPE(2)), *h = golden_tensor(ORR_BF16, ORR_SHAPE(2));
    const char *path = orr_test_tmp("kept.npy");
    ORR_CHECK(orr_save(path, x) == ORR_OK);
    ORR_CHECK(orr_save(path, h) == ORR_EDTYPE && strstr(orr_error_message(), "orr_cast"));
    ORR_CHECK(orr_save(path, NULL) != ORR_OK);
    check_golden("what was there stays", orr_load(path), ORR_F32, ORR_SHAPE(2));
    ORR_CHECK(orr_save(NULL, x) == ORR_EINVAL);
    ORR_CHECK(orr_save("", x) == ORR_EINVAL);
    ORR_CHECK(orr_save("/nowhere/x.npy", x) == ORR_EIO);
    ORR_CHECK(orr_save("/", x) == ORR_EIO);
    orr_tensor *poison = orr_load("/nowhere/y.npy");
    ORR_CHECK(orr_save(path, poison) == ORR_EIO && strstr(orr_error_message(), "/nowhere/y.npy"));
    if (access("/dev/full", W_OK) == 0)
        ORR_CHECK(orr_save("/dev/full", x) == ORR_EIO);
    orr_scope_end(s);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

/* The temporary file of a process that was killed is removed by the next save; that of a living one is not. */
static void temporary_files_of_the_dead_are_removed(void)
{
    orr_scope *s = orr_scope_begin();
    char target[600], dead[640], alive[640], other[640];
    snprintf(target, sizeof target, "%s", orr_test_tmp("run.npy"));
    snprintf(dead, sizeof dead, "%s.123-4.tmp", target);
    snprintf(alive, sizeof alive, "%s.5-0.tmp", target);
    snprintf(other, sizeof other, "%s.mine.tmp", target);
    int fd = open(dead, O_CREAT | O_WRONLY, 0600), held = open(alive, O_CREAT | O_WRONLY, 0600),
        user = open(other, O_CREAT | O_WRONLY, 0600);
    ORR_REQUIRE(fd >= 0 && held >= 0 && user >= 0 && flock(held, LOCK_EX) == 0);
    (void)close(fd);
    (void)close(user);
    ORR_CHECK(orr_save(target, golden_tensor(ORR_F32, ORR_SHAPE(2))) == ORR_OK);
    ORR_CHECK(!is_there(dead) && is_there(alive) && is_there(other));
    (void)close(held);
    ORR_CHECK(orr_save(target, golden_tensor(ORR_F32, ORR_SHAPE(2))) == ORR_OK && !is_there(alive) && is_there(other));
    check_golden("saved beside them", orr_load(target), ORR_F32, ORR_SHAPE(2));
    (void)orr_scope_end(s);
}

/* Two arrays "a" and "b" are saved, and the second is renamed "a" in the directory and at its member. */
static void archives_with_a_name_twice_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[] = { golden_tensor(ORR_F32, ORR_SHAPE(2)), golden_tensor(ORR_F32, ORR_SHAPE(3)) };
    const char *path = orr_test_tmp("double.npz");
    size_t n = 0;
    ORR_REQUIRE(orr_save_npz(path, (const char *[]){ "a", "b" }, 2, t, 2) == ORR_OK);
    unsigned char *bytes = orr_test_slurp(path, &n);
    int changed = 0;
    for (size_t i = 0; bytes && i + 5 <= n; i++)
        if (memcmp(bytes + i, "b.npy", 5) == 0)
            bytes[i] = 'a', changed++;
    FILE *f = fopen(path, "wb");
    ORR_CHECK(changed == 2 && f && fwrite(bytes, 1, n, f) == n);
    if (f)
        (void)fclose(f);
    ORR_CHECK(orr_eval(orr_load_npz(path, "a")) == ORR_EFORMAT &&
              strstr(orr_error_message(), "two members have the name a"));
    free(bytes);
    (void)orr_scope_end(s);
}

/* Nothing waits for the other end of a pipe. */
static void files_of_other_kinds_are_named(void)
{
    orr_scope *s = orr_scope_begin();
    char pipe_path[600];
    snprintf(pipe_path, sizeof pipe_path, "%s", orr_test_tmp("pipe.npz"));
    ORR_REQUIRE(mkfifo(pipe_path, 0600) == 0);
    ORR_CHECK(orr_eval(orr_load(pipe_path)) == ORR_EIO && strstr(orr_error_message(), "is a pipe"));
    ORR_CHECK(orr_eval(orr_load_npz(pipe_path, "x")) == ORR_EIO && strstr(orr_error_message(), "is a pipe"));
    ORR_CHECK(orr_eval(orr_load_safetensors(pipe_path, "x")) == ORR_EIO && strstr(orr_error_message(), "is a pipe"));
    ORR_CHECK(orr_eval(orr_load_csv(pipe_path, ORR_F32, ',', 0)) == ORR_EIO &&
              strstr(orr_error_message(), "is a pipe"));
    ORR_CHECK(orr_eval(orr_load_image(pipe_path)) == ORR_EIO && strstr(orr_error_message(), "is a pipe"));
    ORR_CHECK(orr_eval(orr_load("/dev/zero")) == ORR_EIO && strstr(orr_error_message(), "is a device"));
    ORR_CHECK(orr_eval(orr_load("/")) == ORR_EIO && strstr(orr_error_message(), "is a directory"));
    ORR_CHECK(orr_save(pipe_path, golden_tensor(ORR_F32, ORR_SHAPE(2))) == ORR_EIO); /* nobody reads it */
    (void)orr_scope_end(s);
}

static void saving_replaces_the_file_behind_a_link(void)
{
    orr_scope *s = orr_scope_begin();
    char target[600], link[600];
    struct stat sb;
    snprintf(target, sizeof target, "%s", orr_test_tmp("target.npy"));
    snprintf(link, sizeof link, "%s", orr_test_tmp("link.npy"));
    ORR_CHECK(orr_save(target, golden_tensor(ORR_F32, ORR_SHAPE(2))) == ORR_OK);
    ORR_CHECK(chmod(target, 0640) == 0 && symlink(target, link) == 0);
    ORR_CHECK(orr_save(link, golden_tensor(ORR_I32, ORR_SHAPE(3))) == ORR_OK);
    check_golden("behind the link", orr_load(target), ORR_I32, ORR_SHAPE(3));
    ORR_CHECK(lstat(link, &sb) == 0 && S_ISLNK(sb.st_mode));
    ORR_CHECK(stat(target, &sb) == 0 && (sb.st_mode & 0777) == 0640);
    orr_scope_end(s);
}

static void saved_npz_reads_back(void)
{
    orr_scope *s = orr_scope_begin();
    static const char *const names[] = { "layer/weights", "bias", "schritt-größe" };
    orr_tensor *t[] = { golden_tensor(ORR_F32, ORR_SHAPE(3, 5)), golden_tensor(ORR_I8, ORR_SHAPE(7)),
                        golden_tensor(ORR_F64, ORR_SHAPE_0D) };
    for (int deflated = 0; deflated < 2; deflated++) {
        char path[600];
        snprintf(path, sizeof path, "%s", orr_test_tmp(deflated ? "d.npz" : "s.npz"));
#ifdef HAVE_ZLIB
        orr_status st = deflated ? orr_save_npz_deflated(path, names, 3, t, 3) : orr_save_npz(path, names, 3, t, 3);
#else
        if (deflated) {
            ORR_CHECK(orr_save_npz_deflated(path, names, 3, t, 3) == ORR_EINVAL);
            continue;
        }
        orr_status st = orr_save_npz(path, names, 3, t, 3);
#endif
        ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
        check_golden("w", orr_load_npz(path, "layer/weights"), ORR_F32, ORR_SHAPE(3, 5));
        check_golden("b", orr_load_npz(path, "bias"), ORR_I8, ORR_SHAPE(7));
        check_golden("s", orr_load_npz(path, "schritt-größe"), ORR_F64, ORR_SHAPE_0D);
    }
    orr_scope_end(s);
}

static void saving_npz_checks_names_first(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *t[] = { golden_tensor(ORR_F32, ORR_SHAPE(2)), golden_tensor(ORR_BF16, ORR_SHAPE(2)) };
    const char *path = orr_test_tmp("names.npz");
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a", "a"), t, 2) == ORR_EINVAL && strstr(orr_error_message(), "twice"));
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a", ""), t, 2) == ORR_EINVAL);
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a", NULL), t, 2) == ORR_EINVAL);
    ORR_CHECK(orr_save_npz(path, NULL, 2, t, 2) == ORR_EINVAL && orr_save_npz(path, NULL, -1, NULL, -1) == ORR_EINVAL);
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a", "b"), t, 2) == ORR_EDTYPE);
    ORR_CHECK(access(path, F_OK) != 0); /* no file is left */
    char **names;
    int n = -1;
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a"), t, 2) == ORR_EINVAL &&
              strstr(orr_error_message(), "1 names for 2 tensors"));
    ORR_CHECK(orr_save_npz(path, NULL, 0, NULL, 0) == ORR_OK);
    ORR_CHECK(orr_npz_names(path, &names, &n) == ORR_OK && n == 0);
    orr_npz_names_free(names);
    orr_scope_end(s);
}

static void saving_evaluates_first(void)
{
    orr_scope *s = orr_scope_begin();
    char path[600];
    float got[15];
    snprintf(path, sizeof path, "%s", orr_test_tmp("lazy.npz"));
    orr_tensor *x = golden_tensor(ORR_F32, ORR_SHAPE(3, 5)), *v = orr_variable(orr_mul(x, x));
    orr_tensor *t[] = { orr_add(x, x), v };
    ORR_CHECK_MSG(orr_save_npz(path, ORR_TEXTS("sum", "v"), t, 2) == ORR_OK, "%s", orr_error_message());
    ORR_CHECK(orr_read(orr_load_npz(path, "sum"), got, sizeof got) == ORR_OK && got[1] == 1.0f);
    ORR_CHECK(orr_read(orr_load_npz(path, "v"), got, sizeof got) == ORR_OK && got[0] == 1.5625f);
    orr_tensor *bad[] = { x, orr_add(x, golden_tensor(ORR_F32, ORR_SHAPE(2))) };
    ORR_CHECK(orr_save_npz(path, ORR_TEXTS("a", "b"), bad, 2) == ORR_ESHAPE);
    ORR_CHECK(orr_tensor_size(orr_load_npz(path, "sum")) == 15); /* the old file is still there */
    orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(saved_npy_reads_back_and_is_numpys),
        ORR_TEST(save_without_memory_reports_enomem),
        ORR_TEST(save_error_has_reason),
        ORR_TEST(temporary_files_of_the_dead_are_removed),
        ORR_TEST(files_of_other_kinds_are_named),
        ORR_TEST(archives_with_a_name_twice_are_refused),
        ORR_TEST(saving_replaces_the_file_behind_a_link),
        ORR_TEST(saved_npz_reads_back),
        ORR_TEST(saving_npz_checks_names_first),
        ORR_TEST(saving_evaluates_first),
        { 0 },
    };
    if (orr_init(&(orr_config){ .engine = "serial" }) != ORR_OK)
        return orr_error_print(stderr);
    int rc = orr_test_main(argc, argv, "api.io_save", tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}
