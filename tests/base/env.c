/* The environment table: defaults, parsing, errors that name the valid values.
 * Must not know: the users of a setting. */
#include "config.h"
#include "runtime/base/env.h"
#include "tests/harness/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void clean(void)
{
    const orr__env_row *r;
    for (size_t i = 0; (r = orr__env_table(i, NULL, 0)); i++)
        unsetenv(r->name);
}

static void defaults_without_variables(void)
{
    clean();
    setenv("XDG_CACHE_HOME", "/somewhere", 1);
    ORR_REQUIRE(orr__env_load() == ORR_OK);
    ORR_CHECK(orr__env.backend == ORR__BACKEND_AUTO && orr__env.engine == ORR__ENGINE_AUTO);
    ORR_CHECK(orr__env.fuse && orr__env.fallback && !orr__env.deterministic);
    ORR_CHECK(orr__env.memory_limit == 0 && orr__env.print == 0 && orr__env.log == 1 && orr__env.seed == 0);
    ORR_CHECK(strcmp(orr__env.cache_dir, "/somewhere/orrery") == 0);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/tmp", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && strcmp(orr__env.cache_dir, "/tmp/.cache/orrery") == 0);
    setenv("XDG_CACHE_HOME", "relative/path", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && strcmp(orr__env.cache_dir, "/tmp/.cache/orrery") == 0);
    unsetenv("XDG_CACHE_HOME");
}

/* No directory is named where the base is missing; orr_init would make the base itself. */
static void a_missing_home_has_no_cache(void)
{
    clean();
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/nonexistent/me", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && !orr__env.cache_dir[0]);
    setenv("XDG_CACHE_HOME", "/nonexistent/cache", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && !orr__env.cache_dir[0]);
    setenv("XDG_CACHE_HOME", "/tmp/not-yet/", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && strcmp(orr__env.cache_dir, "/tmp/not-yet//orrery") == 0);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/tmp", 1);
}

static void cgroup_reads_every_form(void)
{
    clean();
    setenv("ORRERY_BACKEND", "opencl", 1);
    setenv("ORRERY_ENGINE", "serial", 1);
    setenv("ORRERY_FUSE", "off", 1);
    setenv("ORRERY_ISA", "avx2", 1);
    setenv("ORRERY_DETERMINISTIC", "Yes", 1);
    setenv("ORRERY_JIT", "0", 1);
    setenv("ORRERY_FLUSH_DENORMALS", "1", 1);
    setenv("ORRERY_MEMORY_LIMIT", "2G", 1);
    setenv("ORRERY_INLINE_US", "0", 1);
    setenv("ORRERY_PRINT", "plan,graph", 1);
    setenv("ORRERY_LOG", "debug", 1);
    setenv("ORRERY_SEED", "18446744073709551615", 1);
    setenv("ORRERY_CACHE_DIR", "/x/y", 1);
    setenv("ORRERY_FALLBACK", "", 1); /* an empty value is not set */
    ORR_REQUIRE(orr__env_load() == ORR_OK);
    ORR_CHECK(orr__env.backend == ORR__BACKEND_OPENCL && orr__env.engine == ORR__ENGINE_SERIAL);
    ORR_CHECK(!orr__env.fuse && orr__env.deterministic && orr__env.fallback);
    ORR_CHECK(orr__env.jit == ORR__JIT_OFF && orr__env.flush_denormals == ORR__DENORMALS_FLUSHED);
    ORR_CHECK(orr__env.isa == ORR__ISA_AVX2);
    ORR_CHECK(orr__env.memory_limit == (size_t)2 << 30 && orr__env.inline_us == 0);
    ORR_CHECK(orr__env.print == (ORR__PRINT_PLAN | ORR__PRINT_GRAPH) && orr__env.log == 3);
    ORR_CHECK(orr__env.seed == UINT64_MAX && strcmp(orr__env.cache_dir, "/x/y") == 0);
    char shown[64];
    for (size_t i = 0; orr__env_table(i, shown, sizeof shown); i++)
        if (strcmp(orr__env_table(i, NULL, 0)->name, "ORRERY_PRINT") == 0)
            ORR_CHECK_MSG(strcmp(shown, "graph,plan") == 0, "%s", shown);
    clean();
    ORR_CHECK(orr__env_load() == ORR_OK && orr__env.log == 1);
}

static void sizes_take_suffixes(void)
{
    static const struct {
        const char *text;
        size_t bytes;
    } cases[] = {
        { "12345", 12345 },         { "1k", 1024 },       { "3M", 3u << 20 },    { "1GiB", 1u << 30 },
        { "1TB", (size_t)1 << 40 }, { "0", 0 },           { "010K", 10240 },     { "0x10", 16 },
        { "1.5M", 3u << 19 },       { "64m", 64u << 20 }, { "64MB", 64u << 20 }, { "64mb", 64u << 20 },
        { "0.25GiB", 1u << 28 },    { "512B", 512 },      { "1.0K", 1024 },      { "2kib", 2048 },
    };
    clean();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("ORRERY_MEMORY_LIMIT", cases[i].text, 1);
        ORR_CHECK_MSG(orr__env_load() == ORR_OK && orr__env.memory_limit == cases[i].bytes, "%s", cases[i].text);
    }
    clean();
}

/* A program may change its directory before a file is written. */
static void relative_paths_are_of_the_directory_at_the_start(void)
{
    char here[512], want[600];
    clean();
    ORR_REQUIRE(getcwd(here, sizeof here) != NULL);
    setenv("ORRERY_CACHE_DIR", "a/b", 1);
    setenv("ORRERY_DEVICE_FILE", "d.json", 1);
    setenv("ORRERY_CC", "./cc", 1);
    ORR_REQUIRE(orr__env_load() == ORR_OK);
    (void)snprintf(want, sizeof want, "%s/a/b", here);
    ORR_CHECK_MSG(strcmp(orr__env.cache_dir, want) == 0, "%s", orr__env.cache_dir);
    (void)snprintf(want, sizeof want, "%s/d.json", here);
    ORR_CHECK_MSG(strcmp(orr__env.device_file, want) == 0, "%s", orr__env.device_file);
    (void)snprintf(want, sizeof want, "%s/./cc", here);
    ORR_CHECK_MSG(strcmp(orr__env.cc, want) == 0, "%s", orr__env.cc);
    setenv("ORRERY_CC", "clang", 1);
    ORR_CHECK(orr__env_load() == ORR_OK && strcmp(orr__env.cc, "clang") == 0);
    clean();
}

static void wrong_value_lists_right_ones(void)
{
    static const struct {
        const char *name, *value, *says;
    } cases[] = {
        { "ORRERY_BACKEND", "gpu", "auto cpu cuda opencl" },
        { "ORRERY_ENGINE", "Serial", "auto starpu serial" },
        { "ORRERY_FUSE", "maybe", "on off" },
        { "ORRERY_MEMORY_LIMIT", "lots", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "-1", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "99999999999T", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "1GB7", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "1.5", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "1.M", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "0.1.2M", "1.5M" },
        { "ORRERY_MEMORY_LIMIT", "1Kb i", "1.5M" },
        { "ORRERY_CACHE_SIZE", "16777216.5T", "1.5M" },
        { "ORRERY_INLINE_US", "1.5", "microseconds" },
        { "ORRERY_TILE_US", "9223372036854775808", "microseconds" },
        { "ORRERY_PRINT", "graph,tree", "graph fuse plan" },
        { "ORRERY_LOG", "2", "error warn info debug" },
        { "ORRERY_SEED", "0x", "unsigned" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clean();
        ORR_CHECK(orr__env_load() == ORR_OK);
        setenv(cases[i].name, cases[i].value, 1);
        orr__settings before = orr__env;
        ORR_CHECK_MSG(orr__env_load() == ORR_EENV, "%s=%s", cases[i].name, cases[i].value);
        const char *m = orr_error_message();
        ORR_CHECK_MSG(strstr(m, cases[i].name) && strstr(m, cases[i].value) && strstr(m, cases[i].says), "%s", m);
        ORR_CHECK(memcmp(&before, &orr__env, sizeof before) == 0);
    }
    clean();
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    setenv("ORRERY_CACHE_DIR", longest, 1);
    ORR_CHECK(orr__env_load() == ORR_EENV);
    ORR_CHECK_MSG(strstr(orr_error_message(), "makes no sense; it takes: "), "%s", orr_error_message());
    clean();
}

static void unknown_name_gets_suggestion(void)
{
    clean();
    setenv("ORRERY_BACKED", "cpu", 1);
    ORR_CHECK(orr__env_load() == ORR_EENV);
    ORR_CHECK_MSG(strstr(orr_error_message(), "did you mean ORRERY_BACKEND?"), "%s", orr_error_message());
    unsetenv("ORRERY_BACKED");
    char longest[300];
    memset(longest, 'X', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "ORRERY_", 7);
    setenv(longest, "1", 1);
    ORR_CHECK(orr__env_load() == ORR_EENV);
    unsetenv(longest);
    ORR_CHECK(orr__env_load() == ORR_OK);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(defaults_without_variables),
        ORR_TEST(a_missing_home_has_no_cache),
        ORR_TEST(cgroup_reads_every_form),
        ORR_TEST(sizes_take_suffixes),
        ORR_TEST(relative_paths_are_of_the_directory_at_the_start),
        ORR_TEST(wrong_value_lists_right_ones),
        ORR_TEST(unknown_name_gets_suggestion),
        { 0 },
    };
    return orr_test_main(argc, argv, "base.env", tests);
}
