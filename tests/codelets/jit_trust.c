/* Refusals of the kernel cache: directories and files that another user could have written or replaced.
 * Must not know: compilers. */
#include "config.h"
#include <errno.h>
#include "tests/harness/jit_entries.h"

enum { NOBODY = 65534 };

static void refused(const char *name, const char *word)
{
    orr__cache c;
    int all;
    jh_listen();
    bool taken = cache_use(&c, name);
    int n = jh_lines(word, &all);
    ORR_CHECK_MSG(!taken && n == 1 && all == 1, "%s: taken %d, %d of %d lines say \"%s\"", name, taken, n, all, word);
    ORR_CHECK(!cache_has(&c, 1) && !cache_put(&c, 1, "x", 1));
    orr__cache_close(&c);
}

static void link_as_cache_directory_is_refused(void)
{
    ORR_REQUIRE(mkdir(jh_place("real"), 0700) == 0 && symlink(jh_place("real"), jh_place("link")) == 0);
    refused("link", "symbolic link");
    ORR_CHECK(symlink(jh_place("nowhere"), jh_place("dangling")) == 0);
    refused("dangling", "symbolic link");
    orr__cache c;
    ORR_CHECK(cache_use(&c, "link/below")); /* this user's, and only part of the path */
    orr__cache_close(&c);
}

static void directory_writable_by_others_is_refused(void)
{
    ORR_REQUIRE(mkdir(jh_place("open"), 0700) == 0 && chmod(jh_place("open"), 0770) == 0);
    refused("open", "can be written by other users");
    refused("open/below", "can be written by other users");
    ORR_REQUIRE(chmod(jh_place("open"), 0702) == 0);
    refused("open", "can be written by other users");
    jh_write(jh_place("file"), "", 0600);
    refused("file", "is no directory");
    orr__cache c;
    ORR_CHECK(chmod(jh_place("open"), 01777) == 0 && cache_use(&c, "open/below")); /* as in /tmp */
    orr__cache_close(&c);
}

static void directory_of_another_user_is_refused(void)
{
    if (geteuid() != 0)
        ORR_SKIP("only root can give a directory away");
    ORR_REQUIRE(mkdir(jh_place("theirs"), 0700) == 0 && chown(jh_place("theirs"), NOBODY, NOBODY) == 0);
    refused("theirs", "owned by another user");
    refused("theirs/below", "owned by another user");
    ORR_REQUIRE(symlink("/", jh_place("their link")) == 0 && lchown(jh_place("their link"), NOBODY, NOBODY) == 0);
    refused("their link/tmp", "symbolic link of another user");
}

static void entries_writable_by_others_are_misses(void)
{
    orr__cache c;
    ORR_REQUIRE(cache_use(&c, "entries") && cache_put(&c, 1, "a", 1) && cache_put(&c, 2, "b", 1) &&
                cache_put(&c, 3, "c", 1));
    ORR_CHECK(cache_has(&c, 1) && fchmodat(c.dir, file_of(1), 0620, 0) == 0 && !cache_has(&c, 1));
    ORR_CHECK(renameat(c.dir, file_of(2), c.dir, "aside") == 0 && symlinkat("aside", c.dir, file_of(2)) == 0);
    ORR_CHECK(!cache_has(&c, 2));
    ORR_CHECK(unlinkat(c.dir, file_of(2), 0) == -1 && errno == ENOENT); /* the link is removed, its target is not */
    ORR_CHECK(faccessat(c.dir, "aside", F_OK, 0) == 0);
    ORR_CHECK(mkfifoat(c.dir, file_of(4), 0600) == 0 && !cache_has(&c, 4)); /* and no thread waits for a writer */
    orr__key of = { { 6 } };
    ORR_CHECK(mkfifoat(c.dir, "index", 0600) == 0);
    orr__index_add(c.dir, &of, &of);
    ORR_CHECK(mkdirat(c.dir, file_of(5), 0700) == 0 && !cache_has(&c, 5) && cache_put(&c, 5, "e", 1) &&
              cache_has(&c, 5));
    if (geteuid() == 0)
        ORR_CHECK(fchownat(c.dir, file_of(3), NOBODY, NOBODY, 0) == 0 && !cache_has(&c, 3));
    orr__cache_close(&c);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(link_as_cache_directory_is_refused),
                                      ORR_TEST(directory_writable_by_others_is_refused),
                                      ORR_TEST(directory_of_another_user_is_refused),
                                      ORR_TEST(entries_writable_by_others_are_misses),
                                      { 0 } };
    if (!jh_begin())
        return 1;
    return jh_end(orr_test_main(argc, argv, "codelets.jit_trust", tests));
}
