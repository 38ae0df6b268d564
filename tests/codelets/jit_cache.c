/* The kernel cache's directory: its entries, its refusals, the remains of a fault.
 * Must not know: compilers. */
#include "config.h"
#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "runtime/base/clock.h"
#include "tests/harness/jit_entries.h"

static void sha256_gives_the_published_digests(void)
{
    static const struct {
        const char *text, *hex;
    } cases[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    char hex[65];
    orr__key k;
    orr__sha256 s;
    for (size_t i = 0; i < 3; i++) {
        orr__sha256_begin(&s);
        orr__sha256_add(&s, cases[i].text, strlen(cases[i].text));
        orr__sha256_end(&s, k.byte);
        orr__key_hex(&k, hex);
        ORR_CHECK_MSG(strcmp(hex, cases[i].hex) == 0, "%s", hex);
    }
    orr__sha256_begin(&s);
    for (int i = 0; i < 100000; i++)
        orr__sha256_add(&s, "aaaaaaaaaa", 10);
    orr__sha256_end(&s, k.byte);
    orr__key_hex(&k, hex);
    ORR_CHECK(strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0);
}

static void stored_kernel_reads_back(void)
{
    orr__cache c;
    orr__bytes b;
    orr__entry e;
    orr__key k = key_of(1);
    struct stat st;
    ORR_REQUIRE(cache_use(&c, "new/deeper"));
    ORR_CHECK(stat(jh_place("new/deeper"), &st) == 0 && (st.st_mode & 0777) == 0700);
    ORR_CHECK(!cache_has(&c, 1) && cache_put(&c, 1, "machine code", 12) && !cache_has(&c, 2));
    ORR_REQUIRE(orr__cache_get(&c, &k, &b, &e));
    ORR_CHECK(e.code_size == 12 && memcmp(e.code, "machine code", 12) == 0 && strcmp(e.label, "add+mul") == 0);
    ORR_CHECK(e.source_size == 6 && memcmp(e.source, "int x;", 6) == 0 && e.seconds == 0.25);
    free(b.data);
    ORR_CHECK(fstatat(c.dir, file_of(1), &st, 0) == 0 && (st.st_mode & 0777) == 0600);
    ORR_CHECK(renameat(c.dir, file_of(1), c.dir, "x") == 0);
    char other[80];
    (void)snprintf(other, sizeof other, "%s", file_of(2));
    ORR_CHECK(renameat(c.dir, "x", c.dir, other) == 0 && !cache_has(&c, 2)); /* a file under another key is no entry */
    orr__cache_close(&c);
}

/* Makes one change of any kind; never none. */
static size_t spoil(unsigned char *data, size_t size, unsigned long long *seed)
{
    unsigned long long r = orr_test_rand(seed), where = orr_test_rand(seed) % size;
    switch (r % 5) {
    case 0: data[where] ^= (unsigned char)(1u << (r >> 8 & 7)); return size;
    case 1: data[where] = (unsigned char)(data[where] + 1 + (r >> 8) % 255); return size;
    case 2: return (size_t)where; /* cut off */
    case 3:                       /* a page that was never written */
        for (size_t i = where; i < size && i < where + 64; i++)
            data[i] = (unsigned char)~data[i];
        return size;
    default: data[size] = (unsigned char)r; return size + 1;
    }
}

static void ten_thousand_corruptions_are_misses(void)
{
    orr__cache c;
    orr__bytes good;
    unsigned long long seed = 7;
    char code[200];
    int loaded = 0, left = 0;
    ORR_REQUIRE(cache_use(&c, "corrupt"));
    for (size_t i = 0; i < sizeof code; i++)
        code[i] = (char)orr_test_rand(&seed);
    orr__key k = key_of(3);
    orr__entry e = entry_of(code, sizeof code);
    ORR_REQUIRE(orr__entry_pack(&k, &e, &good));
    unsigned char *bad = malloc(good.size + 1);
    ORR_REQUIRE(bad);
    for (int i = 0; i < 10000; i++) {
        memcpy(bad, good.data, good.size);
        size_t size = spoil(bad, good.size, &seed);
        int fd = openat(c.dir, file_of(3), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ORR_REQUIRE(fd >= 0 && orr__write_all(fd, bad, size));
        close(fd);
        loaded += cache_has(&c, 3);
        left += faccessat(c.dir, file_of(3), F_OK, 0) == 0;
    }
    ORR_CHECK_MSG(loaded == 0, "%d of 10000 corrupted entries were accepted", loaded);
    ORR_CHECK_MSG(left == 0, "%d of 10000 corrupted entries were not removed", left);
    ORR_CHECK(cache_put(&c, 3, code, sizeof code) && cache_has(&c, 3));
    free(bad);
    free(good.data);
    orr__cache_close(&c);
}

static void full_cache_evicts_oldest(void)
{
    orr__cache c;
    char code[1000] = { 1 };
    ORR_REQUIRE(cache_use(&c, "full"));
    for (unsigned n = 0; n < 20; n++) {
        ORR_REQUIRE(cache_put(&c, n, code, sizeof code));
        struct timespec t[2] = { { (time_t)(1000000 + n), 0 }, { (time_t)(1000000 + n), 0 } };
        ORR_CHECK(utimensat(c.dir, file_of(n), t, 0) == 0);
    }
    ORR_CHECK(cache_has(&c, 0)); /* used: now the newest */
    orr__cache_sweep(&c, 15000);
    int left = 0;
    for (unsigned n = 1; n < 20; n++)
        left += faccessat(c.dir, file_of(n), F_OK, 0) == 0;
    ORR_CHECK_MSG(left >= 5 && left < 14, "%d left", left);
    ORR_CHECK(cache_has(&c, 0) && cache_has(&c, 19) && !cache_has(&c, 1));
    orr__env.cache_size = 3000;
    ORR_CHECK(cache_put(&c, 30, code, sizeof code) && cache_has(&c, 30) && !cache_has(&c, 18));
    orr__env.cache_size = 500;
    ORR_CHECK(!cache_put(&c, 31, code, sizeof code) && cache_has(&c, 30));
    orr__cache_close(&c);
}

static void leftovers_of_dead_processes_are_removed(void)
{
    orr__cache c;
    struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
    char lock[80], place[128];
    (void)snprintf(lock, sizeof lock, "%.64s.lock", file_of(1));
    (void)snprintf(place, sizeof place, "leftovers/%s", lock);
    ORR_REQUIRE(cache_use(&c, "leftovers"));
    jh_write(jh_place("leftovers/tmp.1.2.3"), "x", 0600);
    jh_write(jh_place("leftovers/tmp.4.5.6"), "x", 0600);
    jh_write(jh_place(place), "x", 0600);
    ORR_CHECK(utimensat(c.dir, "tmp.1.2.3", old, 0) == 0 && utimensat(c.dir, lock, old, 0) == 0);
    orr__cache_sweep(&c, 1 << 20);
    ORR_CHECK(faccessat(c.dir, "tmp.1.2.3", F_OK, 0) != 0 && faccessat(c.dir, lock, F_OK, 0) != 0);
    ORR_CHECK(faccessat(c.dir, "tmp.4.5.6", F_OK, 0) == 0);
    orr__cache_close(&c);
}

/* ORRERY_CACHE_DIR may name a directory with other files. */
static void user_files_in_cache_stay(void)
{
    static const char *const mine[] = { "mine.txt",    "Cargo.lock", "tmp.csv", "tmp.1.2",
                                        "tmp.1.2.3.4", "tmp.1.2.x",  "tmp..1.2" };
    orr__cache c;
    struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
    char place[64];
    ORR_REQUIRE(cache_use(&c, "mine") && mkdir(jh_place("mine/tmp.1.2.3"), 0700) == 0);
    jh_write(jh_place("mine/tmp.1.2.3/data"), "x", 0600);
    ORR_CHECK(utimensat(c.dir, "tmp.1.2.3", old, 0) == 0);
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++) {
        (void)snprintf(place, sizeof place, "mine/%s", mine[i]);
        jh_write(jh_place(place), "x", 0600);
        ORR_CHECK(utimensat(c.dir, mine[i], old, 0) == 0);
    }
    orr__cache_sweep(&c, 1 << 20);
    ORR_CHECK(orr__cache_clear() == 0);
    for (size_t i = 0; i < sizeof mine / sizeof *mine; i++)
        ORR_CHECK_MSG(faccessat(c.dir, mine[i], F_OK, 0) == 0, "%s is gone", mine[i]);
    ORR_CHECK(access(jh_place("mine/tmp.1.2.3/data"), F_OK) == 0);
    orr__cache_close(&c);
}

/* A directory in the file's place represents anything that cannot be removed, even by root. */
static void unremovable_entry_is_reported(void)
{
    orr__cache c;
    char place[128];
    ORR_REQUIRE(cache_use(&c, "stays") && cache_put(&c, 1, "a", 1));
    (void)snprintf(place, sizeof place, "stays/%s", file_of(2));
    ORR_REQUIRE(mkdir(jh_place(place), 0700) == 0);
    ORR_CHECK(orr__cache_clear() == -1 && strstr(orr_error_message(), "1 of 2 files in ") &&
              strstr(orr_error_message(), "cannot be removed"));
    ORR_CHECK(!cache_has(&c, 1));
    orr__cache_close(&c);
}

static void killed_writer_leaves_no_bad_entry(void)
{
    static char code[200000];
    unsigned long long seed = 11;
    orr__cache c;
    int bad = 0, there = 0;
    ORR_REQUIRE(cache_use(&c, "killed"));
    for (int round = 0; round < 40 || (there == 0 && round < 400); round++) { /* a slow disk needs more rounds */
        pid_t pid = fork();
        if (pid == 0) {
            for (unsigned n = 0;; n = (n + 1) % 4)
                (void)cache_put(&c, n, code, sizeof code);
        }
        ORR_REQUIRE(pid > 0);
        (void)usleep((useconds_t)(200 + orr_test_rand(&seed) % (2000 * (unsigned)(round + 1))));
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        for (unsigned n = 0; n < 4; n++) {
            bool before = faccessat(c.dir, file_of(n), F_OK, 0) == 0, valid = cache_has(&c, n);
            there += valid;
            bad += before && !valid;
        }
    }
    ORR_CHECK_MSG(bad == 0 && there > 0, "%d bad, %d good entries", bad, there);
    orr__cache_close(&c);
}

static void site_layer_is_read_only(void)
{
    orr__cache c;

    ORR_REQUIRE(cache_use(&c, "site") && cache_put(&c, 1, "a", 1) && cache_put(&c, 2, "b", 1));
    int fd = openat(c.dir, file_of(2), O_WRONLY | O_CLOEXEC);
    ORR_CHECK(fd >= 0 && pwrite(fd, "?", 1, 300) == 1 && close(fd) == 0);
    orr__cache_close(&c);
    jh_settings(jh_place("own"));
    (void)snprintf(orr__env.cache_site, sizeof orr__env.cache_site, "%s", jh_place("site"));
    orr__cache_open(&c);
    ORR_REQUIRE(c.dir >= 0 && c.site >= 0);
    ORR_CHECK(cache_has(&c, 1) && !cache_has(&c, 2) && faccessat(c.site, file_of(2), F_OK, 0) == 0);
    ORR_CHECK(cache_put(&c, 3, "c", 1) && faccessat(c.site, file_of(3), F_OK, 0) != 0);
    int all;
    jh_listen();
    orr__say_again();
    ORR_CHECK(!cache_has(&c, 4) && fchmodat(c.site, file_of(1), 0666, 0) == 0 &&
              !cache_has(&c, 1)); /* other users may write it */
    ORR_CHECK(jh_lines("a kernel of ORRERY_CACHE_SITE is not used", &all) == 1 && all == 1);
    ORR_CHECK(fchmodat(c.site, file_of(1), 0600, 0) == 0 && cache_has(&c, 1));
    orr__cache_close(&c);
    ORR_CHECK(chmod(jh_place("site"), 0777) == 0);
    jh_listen();
    orr__say_again();
    orr__cache_open(&c);
    ORR_CHECK(jh_lines("ORRERY_CACHE_SITE is not used", &all) == 1 && c.site < 0 && c.dir >= 0 && !cache_has(&c, 1));
    orr__cache_close(&c);
}

/* Runs in a child, whose exit status identifies the failure. */
static int on_a_full_disk(bool mounted)
{
    static char code[100000];
    orr__cache c;
    struct rlimit small = { 5000, 5000 };
    if (mounted && mount("none", jh_place("disk"), "tmpfs", MS_NOEXEC, "size=40k,mode=700") != 0)
        return 77;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (!mounted && setrlimit(RLIMIT_FSIZE, &small) != 0)
        return 77;
    if (!cache_use(&c, "disk"))
        return 1;
    bool kept = cache_put(&c, 1, code, sizeof code) || cache_put(&c, 2, code, sizeof code);
    bool found = cache_has(&c, 1) || cache_has(&c, 2), little = cache_put(&c, 3, code, 100) && cache_has(&c, 3);
    if (mounted)
        (void)umount2(jh_place("disk"), MNT_DETACH);
    return kept ? 2 : found ? 3 : !little ? 4 : 0;
}

static void full_disk_is_logged_once(void)
{
    ORR_REQUIRE(mkdir(jh_place("disk"), 0700) == 0);
    for (int mounted = 0; mounted < 2; mounted++) {
        int status = 0, all;
        jh_listen();
        pid_t pid = fork();
        if (pid == 0)
            _exit(on_a_full_disk(mounted));
        (void)waitpid(pid, &status, 0);
        int n = jh_lines("is not kept", &all);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
            ORR_SKIP("no file system can be mounted here");
        ORR_CHECK_MSG(status == 0 && n == 1 && all == 1, "%s: status %x, %d lines", mounted ? "tmpfs" : "limit", status,
                      n);
    }
}

static void stuck_lock_is_left_after_wait(void)
{
    orr__cache c;
    atomic_bool stop = false;
    orr__key k = key_of(1);
    ORR_REQUIRE(cache_use(&c, "locks"));
    int held = orr__cache_lock(&c, &k, 1, &stop);
    double t0 = orr__now();
    ORR_CHECK(held >= 0 && orr__cache_lock(&c, &k, 0.2, &stop) == -1);
    double waited = orr__now() - t0;
    ORR_CHECK_MSG(waited > 0.15 && waited < 60, "%g s", waited);
    atomic_store(&stop, true);
    t0 = orr__now();
    ORR_CHECK(orr__cache_lock(&c, &k, 120, &stop) == -1 && orr__now() - t0 < 60);
    orr__cache_unlock(&c, &k, held);
    ORR_CHECK((held = orr__cache_lock(&c, &k, 0.2, NULL)) >= 0);
    orr__cache_unlock(&c, &k, held);
    orr__cache_close(&c);
}

static void count(const orr__cache_info *e, void *arg)
{
    *(int *)arg += strcmp(e->label, "add+mul") == 0 && e->bytes > 300 && e->seconds == 0.25;
}

static void cache_is_listed_and_cleared(void)
{
    orr__cache c;
    int n = 0;
    ORR_REQUIRE(cache_use(&c, "listed") && cache_put(&c, 1, "a", 1) && cache_put(&c, 2, "b", 1));
    orr__cache_close(&c);
    jh_write(jh_place("listed/mine.txt"), "x", 0600);
    ORR_CHECK(orr__cache_each(count, &n) == ORR_OK && n == 2);
    ORR_CHECK(orr__cache_clear() == 2 && orr__cache_clear() == 0 && access(jh_place("listed/mine.txt"), F_OK) == 0);
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", jh_place("not there"));
    n = 0;
    ORR_CHECK(orr__cache_each(count, &n) == ORR_OK && n == 0 && access(jh_place("not there"), F_OK) != 0);
    ORR_CHECK(chmod(jh_place("listed"), 0777) == 0);
    (void)snprintf(orr__env.cache_dir, sizeof orr__env.cache_dir, "%s", jh_place("listed"));
    ORR_CHECK(orr__cache_each(count, &n) == ORR_EIO && orr__cache_clear() == -1);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(sha256_gives_the_published_digests),
                                      ORR_TEST(stored_kernel_reads_back),
                                      ORR_TEST(ten_thousand_corruptions_are_misses),
                                      ORR_TEST(full_cache_evicts_oldest),
                                      ORR_TEST(leftovers_of_dead_processes_are_removed),
                                      ORR_TEST(user_files_in_cache_stay),
                                      ORR_TEST(unremovable_entry_is_reported),
                                      ORR_TEST(killed_writer_leaves_no_bad_entry),
                                      ORR_TEST(site_layer_is_read_only),
                                      ORR_TEST(full_disk_is_logged_once),
                                      ORR_TEST(stuck_lock_is_left_after_wait),
                                      ORR_TEST(cache_is_listed_and_cleared),
                                      { 0 } };
    if (!jh_begin())
        return 1;
    return jh_end(orr_test_main(argc, argv, "codelets.jit_cache", tests));
}
