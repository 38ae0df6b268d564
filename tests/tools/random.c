/* orrery-bench random: every family beside the reference engine and NumPy, its options, the limit of vectors.
 * Must not know: the library, how programs are drawn. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "tests/harness/harness.h"

static char output[1u << 18];

/* Runs a command in the build folder; `output` gets its output. Returns the exit status. */
static int run(const char *command)
{
    char line[4096];
    const char *build = getenv("ORR_BUILDDIR");
    (void)snprintf(line, sizeof line, "cd '%s' && %s 2>&1", build ? build : ".", command);
    FILE *f = popen(line, "r");
    if (!f)
        return -1;
    size_t n = fread(output, 1, sizeof output - 1, f);
    output[n] = 0;
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(const char *command, int status, const char *text)
{
    int rc = run(command);
    ORR_CHECK_MSG(rc == status && strstr(output, text), "%s: exit status %d, output:\n%s", command, rc, output);
}

#define RANDOM "ORRERY_ENGINE=serial ORRERY_JIT=off tools/orrery-bench --rounds 1 random --megabytes 1 "

/* The output has a program of each family. */
static void every_family_agrees(void)
{
    static const char *const family[] = { "chain",  "rows",     "columns", "mixed", "views",  "stencils", "pairs",
                                          "gather", "products", "batched", "masks", "concat", "outputs",  "training" };
    for (size_t i = 0; i < sizeof family / sizeof *family; i++) {
        char line[48];
        (void)snprintf(line, sizeof line, "\n%-10s        1 ", family[i]);
        ORR_CHECK_MSG(strstr(output, line), "nothing of %s, output:\n%s", family[i], output);
    }
    ORR_CHECK_MSG(strstr(output, "\nall              14 ") && strstr(output, "bound by "), "output:\n%s", output);
}

/* With the reference evaluation, and with NumPy, which may be missing from programs that it cannot compute but must not give another
 * result. */
static void every_family_agrees_with_the_reference_and_numpy(void)
{
    const char *source = getenv("ORR_SRCDIR");
    char command[2048];
    /* A python3 that comes first in PATH may lack the system's packages. */
    const char *python = run("python3 -c 'import numpy'") == 0            ? "python3"
                         : run("/usr/bin/python3 -c 'import numpy'") == 0 ? "/usr/bin/python3"
                                                                          : NULL;
    if (!python) {
        check(RANDOM "--programs 14 --seed 1", 0, "programs of seed 1\n");
        every_family_agrees();
        ORR_SKIP("python3 has no numpy");
    }
    (void)snprintf(command, sizeof command,
                   RANDOM "--programs 14 --seed 2 --peer \"%s '%s/bench/peers/peer.py' numpy\"", python,
                   source ? source : ".");
    check(command, 0, "(numpy ");
    every_family_agrees();
    ORR_CHECK_MSG(!strstr(output, "expected is") && !strstr(output, "expected are"), "output:\n%s", output);
    for (const char *p = output; (p = strstr(p, "left out of ")); p++)
        ORR_CHECK_MSG(strstr(p, "bfloat16") || strstr(p, "no gradients"), "output:\n%s", output);
}

/* A peer's large results are not mapped afresh in every call, and vectors are limited for all sides. */
static void peers_are_started_on_equal_terms(void)
{
    check(RANDOM "--programs 1 --peer 'env | grep -e MALLOC_ -e XLA_ >&2'", 0, "MALLOC_MMAP_MAX_=0");
    ORR_CHECK_MSG(strstr(output, "MALLOC_TRIM_THRESHOLD_=") && !strstr(output, "XLA_FLAGS"), "output:\n%s", output);
    check("ORRERY_ISA=avx2 " RANDOM "--programs 1 --peer 'env | grep -e MALLOC_ -e XLA_ >&2'", 0,
          "XLA_FLAGS=--xla_cpu_max_isa=AVX2");
}

static void a_seed_draws_the_same_programs_again(void)
{
    char a[256], b[256], command[1024];
    (void)snprintf(a, sizeof a, "%s", orr_test_tmp("first"));
    (void)snprintf(b, sizeof b, "%s", orr_test_tmp("second"));
    (void)snprintf(command, sizeof command, RANDOM "--programs 3 --family views --seed 7 --keep '%s'", a);
    check(command, 0, "views             3 ");
    (void)snprintf(command, sizeof command, RANDOM "--programs 2 --family views --seed 7 --keep '%s'", b);
    check(command, 0, "views             2 ");
    (void)snprintf(command, sizeof command, "cmp '%s/program-1' '%s/program-1'", a, b);
    ORR_CHECK(run(command) == 0);
    (void)snprintf(command, sizeof command, "cmp '%s/program-1' '%s/program-0'", a, b);
    ORR_CHECK(run(command) == 1);
}

static void wrong_options_are_said(void)
{
    check(RANDOM "--programs 0", 2, "--programs 0 makes no sense; it takes a whole number from 1 to 100000");
    check(RANDOM "--seed x", 2, "--seed x makes no sense; it takes a whole number");
    check(RANDOM "--seed -1", 2, "--seed -1 makes no sense");
    check(RANDOM "--seed", 2, "usage:");
    check(RANDOM "--family nonsense", 1, "no family 'nonsense'; these are there: chain rows");
    check(RANDOM "--program /nowhere", 1, "no program /nowhere");
    check(RANDOM "--isa avx --programs 1", 1, "it is one of: auto sse2 avx2 avx512");
    check("ORRERY_ENGINE=serial tools/orrery-bench --rounds 1 simulate:nonsense", 1, "these are there: heat1 heat10");
    check(RANDOM "--megabytes much", 2, "--megabytes much makes no sense");
    check("TMPDIR=/nowhere " RANDOM "--programs 1", 1, "no folder /nowhere/");
}

static bool write_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && ok && chmod(path, mode) == 0;
}

static void a_line_that_cannot_be_read_is_said(void)
{
    char path[256], command[512];
    (void)snprintf(path, sizeof path, "%s", orr_test_tmp("broken"));
    (void)snprintf(command, sizeof command, RANDOM "--program '%s'", path);
    ORR_REQUIRE(write_file(path, "t0 input f32 9 0 1\nt1 nonsense t0\nout t1\n", 0600));
    check(command, 1, "a line that cannot be read: t1 nonsense t0");
    ORR_REQUIRE(write_file(path, "t0 input f32 9 0 1\nt1 add t0 t7\nout t1\n", 0600));
    check(command, 1, "a line that cannot be read: t1 add t0 t7");
    ORR_REQUIRE(write_file(path, "t0 input f32 9 0 1\nt1 matmul t0 t0\nt2 reshape t1 4\nout t2\n", 0600));
    check(command, 1, "reshape");
}

/* The compiler is a script that logs its arguments and calls the real one. */
static void vectors_are_limited_in_both_tiers(void)
{
    ORR_NEED_COMPILER();
#if !defined(__x86_64__)
    ORR_SKIP("the limit is one of x86-64");
#else
    char script[256], log[256], program[256], text[1024], command[2048];
    const char *cc = getenv("ORRERY_CC");
    (void)snprintf(script, sizeof script, "%s", orr_test_tmp("cc"));
    (void)snprintf(log, sizeof log, "%s", orr_test_tmp("log"));
    (void)snprintf(program, sizeof program, "%s", orr_test_tmp("program"));
    (void)snprintf(text, sizeof text, "#!/bin/sh\necho \"$@\" >> '%s'\nexec %s \"$@\"\n", log, cc && *cc ? cc : "cc");
    ORR_REQUIRE(write_file(script, text, 0700));
    ORR_REQUIRE(write_file(
        program, "# file, f32\nt0 input f32 1000,77 -2 2\nt1 tanh t0\nt2 mul t1 t0\nt3 mean t2 1 0\nout t2 t3\n",
        0600));
    __builtin_cpu_init();
    static const char *const isa[] = { "sse2", "avx2" };
    bool wider[] = { __builtin_cpu_supports("avx") != 0, __builtin_cpu_supports("avx512f") != 0 };
    static const char *const flag[] = { "-march=x86-64 ", "-march=x86-64-v3 " }, *const name[] = { "baseline", "avx2" };
    for (int i = 0; i < 2; i++) {
        (void)snprintf(command, sizeof command, "ORRERY_ISA=%s tools/orrery-info", isa[i]);
        check(command, 0, wider[i] ? name[i] : "kernels ");
        ORR_CHECK_MSG(!strstr(output, "kernels avx512"), "output:\n%s", output);
        (void)snprintf(
            command, sizeof command,
            ": >'%s'; ORRERY_CACHE_DIR='%s' ORRERY_CC='%s' ORRERY_ISA=%s ORRERY_ENGINE=serial ORRERY_JIT=wait "
            "tools/orrery-bench --rounds 1 random --program '%s' && cat '%s'",
            log, orr_test_tmp(isa[i]), script, isa[i], program, log);
        check(command, 0, wider[i] ? flag[i] : "-march=native ");
        ORR_CHECK_MSG(!wider[i] || !strstr(output, "-march=native"), "output:\n%s", output);
    }
    /* wide and narrow kernels side by side */
    (void)snprintf(
        command, sizeof command,
        "ORRERY_ENGINE=serial ORRERY_JIT=wait tools/orrery-bench --rounds 1 random --isa sse2 --program '%s'", program);
    check(command, 0, "");
    (void)snprintf(command, sizeof command, RANDOM "--isa sse2 --programs %d --seed 5", orr_test_full() ? 14 : 1);
    check(command, 0, "over ours with ORRERY_ISA=sse2, seed 5\n");
#endif
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = {
        ORR_TEST(every_family_agrees_with_the_reference_and_numpy),
        ORR_TEST(peers_are_started_on_equal_terms),
        ORR_TEST(a_seed_draws_the_same_programs_again),
        ORR_TEST(wrong_options_are_said),
        ORR_TEST(a_line_that_cannot_be_read_is_said),
        ORR_TEST(vectors_are_limited_in_both_tiers),
        { 0 },
    };
    return orr_test_main(argc, argv, "random", tests);
}
