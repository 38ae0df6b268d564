/* Compiled kernels: when and how often they are compiled, and that a compiler's faults do no harm.
 * Must not know: the form of the cache's files. */
#include "config.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include "runtime/base/clock.h"
#include "runtime/base/threshold.h"
#include "tests/harness/jit_help.h"

extern char **environ;

static const char *self;
static orr__jit_stats before;

static void begin(const char *dir)
{
    jh_settings(jh_place(dir));
    before = orr__jit_get_stats();
}

static bool counted(unsigned compiled, unsigned disk, unsigned memory, unsigned failed)
{
    orr__jit_stats s = orr__jit_get_stats();
    bool ok = s.compiled - before.compiled == compiled && s.disk_hits - before.disk_hits == disk &&
              s.memory_hits - before.memory_hits == memory && s.failures - before.failures == failed;
    if (!ok)
        printf("    compiled %d, disk %d, memory %d, failed %d\n", (int)(s.compiled - before.compiled),
               (int)(s.disk_hits - before.disk_hits), (int)(s.memory_hits - before.memory_hits),
               (int)(s.failures - before.failures));
    return ok;
}

static void kernel_is_compiled_once(void)
{
    ORR_NEED_COMPILER();
    begin("once");
    orr__jit_start();
    orr__jit *a = jh_ask(3), *b = jh_ask(3);
    ORR_CHECK(jh_run(a, 7) == 21 && jh_run(b, 5) == 15 && counted(1, 0, 1, 0));
    orr__jit_stop();
    ORR_CHECK(jh_run(a, 7) == 21 && jh_run(b, 5) == 15); /* in use: still loaded */
    orr__jit_unref(a);
    orr__jit_unref(b);
    orr__jit_start();
    a = jh_ask(3);
    ORR_CHECK(jh_run(a, 9) == 27 && counted(1, 1, 1, 0));
    orr__jit_unref(a);
    orr__jit_stop();
    ORR_CHECK(orr__jit_get_stats().in_memory == 0 && orr__jit_get_stats().bytes == 0);
}

static void only_hot_kernels_are_compiled(void)
{
    ORR_NEED_COMPILER();
    begin("hot");
    orr__jit *j = orr__jit_new(77, "test");
    ORR_REQUIRE(j);
    ORR_CHECK(!orr__jit_hot(j)); /* not started */
    orr__jit_start();
    ORR_CHECK(orr__jit_hot(j));
    orr__env.jit = ORR__JIT_OFF;
    ORR_CHECK(!orr__jit_hot(j));
    orr__env.jit = ORR__JIT_ON;
    uint64_t share = orr__job_ns() / 100 * ORR__T_NOISE; /* of the compiler's time */
    atomic_store(&j->ns, share - 1);
    ORR_CHECK(!orr__jit_hot(j));
    atomic_store(&j->ns, share);
    ORR_CHECK(orr__jit_hot(j));
    orr__env.deterministic = true;
    ORR_CHECK(!orr__jit_hot(j));
    orr__env.deterministic = false;
    orr__jit_ask(j, jh_text(2));
    ORR_CHECK(!orr__jit_hot(j));
    orr__jit_wait(j);
    orr__jit *equal = orr__jit_new(77, "test"), *other = orr__jit_new(78, "test");
    ORR_CHECK(jh_run(j, 4) == 8 && orr__jit_hot(equal) && !orr__jit_hot(other));
    orr__jit_unref(j);
    orr__jit_unref(equal);
    orr__jit_unref(other);
    orr__jit_stop();
}

static orr__jit *of_content(const char *content)
{
    return orr__jit_of(strdup(content), strlen(content), 0, "test");
}

/* A plan that is made again has kernels of the same content while the former one holds them. */
static void equal_content_is_one_kernel(void)
{
    ORR_NEED_COMPILER();
    begin("content");
    orr__jit_start();
    orr__jit *a = of_content("twice"), *b = of_content("twice"), *other = of_content("thrice");
    ORR_REQUIRE(a && b && other);
    ORR_CHECK(a == b && a != other);
    orr__jit_ask(a, jh_text(2));
    orr__jit_wait(a);
    orr__jit_unref(a);
    a = of_content("twice");
    ORR_CHECK(a == b && jh_run(a, 4) == 8);
    orr__jit_unref(a);
    orr__jit_unref(b);
    bool cold = false; /* no reference is left, once the kernel is stored */
    for (int i = 0; i < 1000 && !cold; i++) {
        a = of_content("twice");
        cold = a && atomic_load(&a->state) == ORR__JIT_COLD;
        orr__jit_unref(a);
        if (!cold)
            usleep(10000);
    }
    ORR_CHECK(cold);
    orr__jit_unref(other);
    ORR_CHECK(orr__jit_of(NULL, 0, 0, "test") == NULL);
    orr__jit_stop();
}

/* A kernel of this content that looks at the index, and has waited for the result. */
static orr__jit *looked(const char *content)
{
    orr__jit *j = of_content(content);
    if (j) {
        orr__jit_look(j);
        orr__jit_wait(j);
    }
    return j;
}

static void compile_for(const char *content, int factor)
{
    orr__jit *j = of_content(content);
    ORR_REQUIRE(j);
    orr__jit_ask(j, jh_text(factor));
    orr__jit_wait(j);
    ORR_CHECK(jh_run(j, 1) == factor);
    orr__jit_written();
    orr__jit_unref(j);
}

/* A process that follows: nothing is in memory. */
static void begin_again(orr__jit_choice jit)
{
    orr__jit_stop();
    orr__env.jit = jit;
    orr__jit_start();
    before = orr__jit_get_stats();
}

static void later_process_finds_a_kernel_by_its_content(void)
{
    ORR_NEED_COMPILER();
    begin("index");
    orr__jit_start();
    compile_for("seven", 7);
    compile_for("also seven", 7); /* of equal text, found in memory */
    compile_for("nine", 9);
    begin_again(ORR__JIT_ON);
    orr__jit *seven = looked("seven"), *nine = looked("nine"), *new = looked("new");
    ORR_REQUIRE(seven && nine && new);
    ORR_CHECK(jh_run(seven, 2) == 14 && jh_run(nine, 2) == 18 && counted(0, 2, 0, 0));
    ORR_CHECK(atomic_load(&new->state) == ORR__JIT_COLD && !atomic_load(&new->fn) && orr__jit_wants(new));
    orr__jit_unref(seven);
    orr__jit_unref(nine);
    begin_again(ORR__JIT_WAIT); /* a request waits for its text in any case */
    seven = looked("seven");
    ORR_CHECK(seven && atomic_load(&seven->state) == ORR__JIT_COLD);
    orr__jit_unref(seven);
    orr__jit_unref(new);
    orr__jit_stop();
}

static char *make_text(const void *of)
{
    return jh_text(*(const int *)of);
}

static int dropped;

static void drop_number(void *of)
{
    free(of);
    dropped++;
}

static orr__jit_source source_of(int factor)
{
    int *of = malloc(sizeof *of);
    if (of)
        *of = factor;
    return (orr__jit_source){ make_text, drop_number, of };
}

/* Also while the index is looked at, and with a request too many: each source is dropped once. */
static void text_is_made_by_the_thread_that_compiles_it(void)
{
    ORR_NEED_COMPILER();
    begin("later");
    orr__env.jit = ORR__JIT_ON;
    orr__jit_start();
    dropped = 0;
    orr__jit *j[3] = { orr__jit_new(1, "test"), of_content("five"), of_content("six") };
    ORR_REQUIRE(j[0] && j[1] && j[2]);
    orr__jit_look(j[1]);
    for (int i = 0; i < 3; i++)
        orr__jit_ask_later(j[i], source_of(4 + i));
    orr__jit_ask_later(j[2], source_of(100)); /* only the first caller's text counts */
    for (int i = 0; i < 3; i++) {
        orr__jit_wait(j[i]);
        if (i == 1 && !atomic_load(&j[i]->fn)) { /* the look ended before the request, or after it */
            ORR_CHECK(atomic_load(&j[i]->state) != ORR__JIT_NEVER);
            orr__jit_ask_later(j[i], source_of(4 + i));
            orr__jit_wait(j[i]);
        }
        ORR_CHECK_MSG(jh_run(j[i], 3) == 3 * (4 + i), "%ld", jh_run(j[i], 3));
    }
    int sources = dropped;
    for (int i = 0; i < 3; i++)
        orr__jit_unref(j[i]);
    orr__jit_stop();
    ORR_CHECK_MSG(dropped == 4, "%d, %d before", dropped, sources);
}

/* The file of the index, damaged in several ways, and entries that are gone. */
static void damaged_index_is_a_miss(void)
{
    ORR_NEED_COMPILER();
    char path[1100];
    begin("spoiled");
    orr__jit_start();
    compile_for("seven", 7);
    compile_for("nine", 9);
    (void)snprintf(path, sizeof path, "%s/index", orr__env.cache_dir);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
    unsigned char byte = 0;
    ORR_REQUIRE(size > 0 && size % 2 == 0);
    off_t at = size / 2 + 40; /* inside the second record */
    ORR_CHECK(pread(fd, &byte, 1, at) == 1);
    byte ^= 4;
    ORR_CHECK(pwrite(fd, &byte, 1, at) == 1 && ftruncate(fd, size + 5) == 0);
    begin_again(ORR__JIT_ON);
    orr__jit *seven = looked("seven"), *nine = looked("nine");
    ORR_CHECK(seven && nine && jh_run(seven, 2) == 14 && atomic_load(&nine->state) == ORR__JIT_COLD);
    orr__jit_unref(nine);
    orr__jit_unref(seven);
    compile_for("nine", 9); /* its record follows the whole ones */
    begin_again(ORR__JIT_ON);
    nine = looked("nine");
    ORR_CHECK(nine && jh_run(nine, 2) == 18);
    orr__jit_unref(nine);
    ORR_CHECK(orr__cache_clear() > 0 && access(path, F_OK) != 0);
    nine = looked("nine"); /* the records are in memory, the entries gone */
    ORR_CHECK(nine && atomic_load(&nine->state) != ORR__JIT_NEVER);
    orr__jit_unref(nine);
    (void)close(fd);
    orr__jit_stop();
}

/* Seconds that a compiler sleeps which does not end by itself. A caller that does not wait for it takes less than half of
 * that, on any machine. */
enum { LONG = 1000 };

/* With this compiler, which may be idle for `rest` seconds, kernels stay in tier 0, and one line reports it. */
static void stays_in_tier_0_within(double rest, const char *cc, const char *word)
{
    int all;
    begin("faults");
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", cc);
    jh_patience(60, rest);
    jh_listen();
    double t0 = orr__now();
    orr__jit_start();
    for (int i = 0; i < 6; i++) {
        orr__jit *j = jh_ask(100 + i);
        ORR_CHECK(j && !atomic_load(&j->fn) && atomic_load(&j->state) != ORR__JIT_READY);
        orr__jit_unref(j);
    }
    orr__jit_stop();
    double took = orr__now() - t0;
    int n = jh_lines(word, &all);
    ORR_CHECK_MSG(n == 1 && all == 1 && took < LONG / 2, "%s: %d of %d lines say \"%s\", %g s", cc, n, all, word, took);
    ORR_CHECK(orr__cache_clear() == 0);
}

static void stays_in_tier_0(const char *cc, const char *word)
{
    stays_in_tier_0_within(600, cc, word); /* a loaded machine must not cause failures */
}

static const char *script(const char *name, const char *text)
{
    char all[1000];
    (void)snprintf(all, sizeof all, "#!/bin/sh\ncase $1 in --version) echo 'fake 1'; exit 0;; esac\n%s\n", text);
    jh_write(jh_place(name), all, 0755);
    return jh_place(name);
}

static void missing_compiler_is_logged_once(void)
{
    stays_in_tier_0("/nowhere/cc", "there is no compiler");
    stays_in_tier_0("no-such-compiler", "there is no compiler");
    const char *preload = getenv("LD_PRELOAD");
    if (preload && strstr(preload, "vgpreload"))
        return; /* valgrind does not survive the start of a missing program */
    jh_write(jh_place("text"), "#!/nowhere/interpreter\n", 0755);
    stays_in_tier_0(jh_place("text"), "cannot be run");
}

static void failing_compiler_is_logged_once(void)
{
    stays_in_tier_0(script("fails", "echo 'kernel.c:1: error: no'; exit 1"), "error: no");
    stays_in_tier_0(script("crashes", "kill -SEGV $$"), "failed");
    stays_in_tier_0(script("nothing", "exit 0"), "left no result");
    stays_in_tier_0(script("garbage", "while [ \"$1\" != -o ]; do shift; done; echo garbage > \"$2\""),
                    "cannot be loaded");
    stays_in_tier_0(script("full", "echo 'error: x'; echo 'ld: final link failed: No space left on device'; echo "
                                   "'error: ld returned 1'; exit 1"),
                    "No space left");
}

/* The loader would map the sizes in the headers: the process would be killed. */
static void damaged_object_is_logged_once(void)
{
    ORR_NEED_COMPILER();
    char command[2400], *text = jh_text(2);
    ORR_REQUIRE(text);
    jh_write(jh_place("whole.c"), text, 0600);
    free(text);
    (void)snprintf(command, sizeof command, "cc -shared -fPIC -o '%s' '%s'", jh_place("whole.so"), jh_place("whole.c"));
    ORR_REQUIRE(system(command) == 0);
    stays_in_tier_0(script("cut", "while [ \"$1\" != -o ]; do shift; done; head -c 9000 \"${0%/*}/whole.so\" > \"$2\""),
                    "no whole shared object");
    stays_in_tier_0(script("hollow", "while [ \"$1\" != -o ]; do shift; done; head -c 9000 \"${0%/*}/whole.so\" > "
                                     "\"$2\"; truncate -s 65536 \"$2\""),
                    "no whole shared object");
}

static void compiler_leftovers_are_removed(void)
{
    const char *tmp = getenv("TMPDIR");
    char *was = tmp ? strdup(tmp) : NULL;
    ORR_REQUIRE(mkdir(jh_place("tmp"), 0700) == 0 && setenv("TMPDIR", jh_place("tmp"), 1) == 0);
    stays_in_tier_0(
        script("litters",
               "mkdir -p \"$TMPDIR/a/b\" \"$TMPDIR/kernel.so\"; touch \"$TMPDIR/a/b/c\"; ln -s / \"$TMPDIR/a/d\""),
        "left no result");
    ORR_CHECK(rmdir(jh_place("tmp")) == 0); /* it is empty */
    ORR_CHECK((was ? setenv("TMPDIR", was, 1) : unsetenv("TMPDIR")) == 0);
    free(was);
}

static void hanging_compiler_is_killed(void)
{
    stays_in_tier_0_within(1, script("hangs", "sleep 1000 & sleep 1000"), "did nothing for");
    jh_write(jh_place("asleep"), "#!/bin/sh\nsleep 1000\n", 0755);
    stays_in_tier_0_within(1, jh_place("asleep"), "does not end");
}

/* -- faults that pass --------------------------------------------------------------------------------------------- */

/* A compiler that runs `first` while its folder has fewer than `times` marks, and leaves one mark each time; then it works. */
static const char *script_at_first(const char *name, int times, const char *first)
{
    char all[800];
    (void)snprintf(all, sizeof all,
                   "n=$(ls \"$0\".mark.* 2>/dev/null | wc -l)\nif [ $n -lt %d ]; then touch \"$0.mark.$n\"; %s; fi\n"
                   "exec cc \"$@\"",
                   times, first);
    return script(name, all);
}

/* Kernels reach tier 1 with it although it fails at first. */
static void is_compiled_under(orr__jit_choice choice, const char *cc, double work, double rest)
{
    begin("patience");
    orr__env.jit = choice;
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", cc);
    jh_patience(work, rest);
    orr__retry_pause = 0.02;
    orr__jit_start();
    for (int i = 0; i < 2; i++) {
        orr__jit *j = jh_ask(100 + i);
        ORR_CHECK_MSG(jh_insist(j, 100 + i), "%s: kernel %d stays in tier 0", cc, i);
        ORR_CHECK(jh_run(j, 3) == 3 * (100 + i));
        orr__jit_unref(j);
    }
    orr__jit_stop();
    (void)orr__cache_clear();
}

static void is_compiled_with(const char *cc, double work, double rest)
{
    is_compiled_under(ORR__JIT_WAIT, cc, work, rest);
}

static void compiler_time_limit_counts_cpu_time(void)
{
    ORR_NEED_COMPILER();
    is_compiled_with(script("waits", "sleep 2; exec cc \"$@\""), 1, 600);
    jh_write(jh_place("asked"), "#!/bin/sh\ncase $1 in --version) sleep 7; esac\nexec cc \"$@\"\n", 0755);
    is_compiled_with(jh_place("asked"), 20, 600);
}

/* A kernel is hot after a share of the time that this compiler takes. */
static void the_compilers_time_is_measured(void)
{
    ORR_NEED_COMPILER();
    uint64_t usual = orr__job_ns();
    is_compiled_with(script("late", "sleep 1; exec cc \"$@\""), 60, 600);
    uint64_t now = orr__job_ns();
    ORR_CHECK_MSG(now > usual, "%g ms, then %g ms", 1e-6 * (double)usual, 1e-6 * (double)now);
    begin("late");
    orr__env.jit = ORR__JIT_ON;
    orr__jit_start();
    orr__jit *j = orr__jit_new(77, "test");
    ORR_REQUIRE(j);
    for (uint64_t ns = usual; ns <= now; ns += now - usual) {
        atomic_store(&j->ns, ns / 100 * ORR__T_NOISE);
        ORR_CHECK_MSG(orr__jit_hot(j) == (ns == now), "%d of %g ms", (int)(ns == now), 1e-6 * (double)ns);
    }
    orr__jit_unref(j);
    orr__jit_stop();
}

/* The compiler's own children are polite, too. If the evaluation waits for it, it has the usual priority. */
static void compiler_leaves_cores_to_the_program(void)
{
    static const orr__jit_choice choice[] = { ORR__JIT_ON, ORR__JIT_WAIT };
    ORR_NEED_COMPILER();
    int usual = getpriority(PRIO_PROCESS, 0);
    for (int i = 0; i < 2; i++) {
        size_t size;
        is_compiled_under(choice[i], script("polite", "sleep 0.2; sh -c nice > \"$0.nice\"; exec cc \"$@\""), 60, 600);
        char *is = (char *)orr_test_slurp(jh_place("polite.nice"), &size);
        int expected = i == 0 && usual < 10 ? 10 : usual;
        ORR_CHECK_MSG(is && atoi(is) == expected, "nice %s, expected %d", is, expected);
        free(is);
    }
}

static void killed_compiler_is_run_again(void)
{
    ORR_NEED_COMPILER();
    is_compiled_with(script_at_first("killed", 3, "kill -KILL $$"), 60, 600);
    is_compiled_with(
        script_at_first("starved", 3, "echo 'cc: fatal error: Killed signal terminated program cc1'; exit 1"), 60, 600);
    is_compiled_with(script_at_first("no_room", 3, "echo 'error: No space left on device'; exit 1"), 60, 600);
}

static void silent_compiler_is_probed_again(void)
{
    ORR_NEED_COMPILER();
    jh_write(jh_place("dumb"),
             "#!/bin/sh\nif ! [ -e \"$0.mark\" ]; then touch \"$0.mark\"; sleep 1000; fi\nexec cc \"$@\"\n", 0755);
    is_compiled_with(jh_place("dumb"), 60, 1);
}

/* This source is too much for the compiler except at a lower optimisation. The other kernels are compiled meanwhile. */
static void slow_text_is_compiled_with_less_optimisation(void)
{
    ORR_NEED_COMPILER();
    begin("plainly");
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s",
                   script("labours",
                          "case \"$*\" in *-O1*) exec cc \"$@\";; esac\n"
                          "for a; do case $a in *kernel.c) if grep -q '\\* 7;' \"$a\"; then while :; do :; done; "
                          "fi;; esac; done\nexec cc \"$@\""));
    jh_patience(1, 600);
    orr__retry_pause = 0.02;
    orr__jit_start();
    orr__jit *much = jh_ask(7), *other = jh_ask(8);
    ORR_CHECK(atomic_load(&much->state) == ORR__JIT_COLD && jh_run(other, 3) == 24);
    ORR_CHECK(jh_insist(much, 7) && jh_run(much, 3) == 21);
    orr__jit_unref(much);
    orr__jit_unref(other);
    orr__jit_stop();
    ORR_CHECK(orr__cache_clear() == 1); /* the plain one is not kept */
}

/* Five sources that fail permanently do not disable the compiler for the sixth. */
static void texts_that_fail_are_no_fault_of_others(void)
{
    ORR_NEED_COMPILER();
    begin("texts");
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", script("works", "exec cc \"$@\""));
    orr__retry_pause = 0.02;
    orr__jit_start();
    for (int i = 0; i < 5; i++) {
        char *wrong = malloc(40);
        orr__jit *j = orr__jit_new(200, "test");
        ORR_REQUIRE(wrong && j);
        (void)snprintf(wrong, 40, "no C at all %d", i);
        orr__jit_ask(j, wrong);
        orr__jit_wait(j);
        ORR_CHECK(!atomic_load(&j->fn));
        orr__jit_unref(j);
    }
    orr__jit *j = jh_ask(9);
    ORR_CHECK(jh_insist(j, 9) && jh_run(j, 2) == 18);
    orr__jit_unref(j);
    orr__jit_stop();
}

/* Three more kernels are requested while the compiler works; the one with the most time spent is compiled next. */
static void the_hottest_kernel_is_compiled_first(void)
{
    ORR_NEED_COMPILER();
    static const unsigned spent[] = { 1000, 3000, 9000000, 2000 };
    cpu_set_t was, one;
    size_t size;
    char text[400];
    orr__jit *j[4];
    begin("hottest");
    ORR_REQUIRE(sched_getaffinity(0, sizeof was, &was) == 0);
    CPU_ZERO(&one);
    for (size_t c = 0; c < CPU_SETSIZE && CPU_COUNT(&one) == 0; c++)
        if (CPU_ISSET(c, &was))
            CPU_SET(c, &one);
    (void)sched_setaffinity(0, sizeof one, &one); /* one core: one compiler at a time */
    (void)snprintf(
        text, sizeof text,
        "for a; do case $a in *kernel.c) grep -o 'word.0. . [0-9]*' \"$a\" >> \"${0%%/*}/order\";; esac; done\n"
        "while ! [ -e \"${0%%/*}/go\" ]; do sleep 0.05; done; exec cc \"$@\"");
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", script("notes", text));
    orr__jit_start();
    (void)sched_setaffinity(0, sizeof was, &was);
    for (int i = 0; i < 4; i++) {
        ORR_REQUIRE((j[i] = orr__jit_new((unsigned)i, "test")) != NULL);
        orr__jit_ask(j[i], jh_text(20 + i));
        for (int k = 0; i == 0 && k < 2000 && access(jh_place("order"), F_OK) != 0; k++)
            (void)usleep(5000);                      /* the compiler works on the first */
        (void)atomic_fetch_add(&j[i]->ns, spent[i]); /* launches go on */
    }
    jh_write(jh_place("go"), "", 0600);
    for (int i = 0; i < 4; i++) {
        orr__jit_wait(j[i]);
        ORR_CHECK(jh_run(j[i], 1) == 20 + i);
        orr__jit_unref(j[i]);
    }
    orr__jit_stop();
    char *order = (char *)orr_test_slurp(jh_place("order"), &size);
    ORR_CHECK_MSG(order && !strcmp(order, "word[0] * 20\nword[0] * 22\nword[0] * 21\nword[0] * 23\n"), "%s", order);
    free(order);
}

static void vanished_compiler_is_logged_once(void)
{
    jh_write(jh_place("vanishes"), "#!/bin/sh\necho v1; rm -f \"$0\"\n", 0755);
    stays_in_tier_0(jh_place("vanishes"), "cannot be run");
}

static void refused_cache_directory_is_logged(void)
{
    ORR_NEED_COMPILER();
    int all;
    begin("locked");
    ORR_REQUIRE(mkdir(jh_place("locked"), 0700) == 0 && chmod(jh_place("locked"), 0777) == 0);
    jh_listen();
    orr__jit_start();
    orr__jit *j = jh_ask(3);
    ORR_CHECK(jh_run(j, 2) == 6);
    orr__jit_unref(j);
    orr__jit_stop();
    ORR_CHECK(jh_lines("can be written by other users", &all) == 1 && all == 1 && counted(1, 0, 0, 0));
    ORR_CHECK(rmdir(jh_place("locked")) == 0); /* and nothing was stored there */
}

static void lost_entry_is_compiled_again(void)
{
    ORR_NEED_COMPILER();
    begin("lost");
    for (int i = 0; i < 2; i++) {
        orr__jit_start();
        orr__jit *j = jh_ask(4);
        ORR_CHECK(jh_run(j, 2) == 8);
        orr__jit_unref(j);
        orr__jit_stop();
        ORR_CHECK(orr__cache_clear() == 1);
    }
    ORR_CHECK(counted(2, 0, 0, 0));
}

static void compile_works_with_ignored_sigchld(void)
{
    ORR_NEED_COMPILER();
    begin("ignores");
    void (*old)(int) = signal(SIGCHLD, SIG_IGN);
    orr__jit_start();
    orr__jit *j = jh_ask(6);
    ORR_CHECK(jh_run(j, 7) == 42 && counted(1, 0, 0, 0));
    orr__jit_unref(j);
    orr__jit_stop();
    (void)signal(SIGCHLD, old);
}

static void compile_works_with_umask_zero(void)
{
    ORR_NEED_COMPILER();
    begin("daemon");
    mode_t old = umask(0);
    orr__jit_start();
    orr__jit *j = jh_ask(6);
    ORR_CHECK(jh_run(j, 7) == 42 && counted(1, 0, 0, 0));
    orr__jit_unref(j);
    orr__jit_stop();
    (void)umask(old);
}

static void compiler_is_part_of_the_key(void)
{
    ORR_NEED_COMPILER();
    orr__compiler a, b;
    orr__key ka, kb;
    begin("keys");
    ORR_REQUIRE(orr__compiler_find(&a, -1) == ORR__COMPILED);
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", script("other", "exec cc \"$@\""));
    ORR_REQUIRE(orr__compiler_find(&b, -1) == ORR__COMPILED);
    orr__compiler_key(&a, "x", &ka);
    orr__compiler_key(&b, "x", &kb);
    ORR_CHECK(memcmp(&ka, &kb, sizeof ka) != 0);
    orr__compiler_key(&a, "y", &kb);
    ORR_CHECK(memcmp(&ka, &kb, sizeof ka) != 0);
    (void)script("other", "exec cc  \"$@\""); /* the same name, another file */
    ORR_REQUIRE(orr__compiler_find(&a, -1) == ORR__COMPILED);
    orr__compiler_key(&b, "x", &ka);
    orr__compiler_key(&a, "x", &kb);
    ORR_CHECK(memcmp(&ka, &kb, sizeof ka) != 0);
}

static void stop_does_not_wait_for_compiler(void)
{
    begin("stop");
    (void)snprintf(orr__env.cc, sizeof orr__env.cc, "%s", script("slow", "touch \"$0.here\"; sleep 1000"));
    for (int round = 0; round < 3; round++) {
        jh_patience(LONG, LONG);
        orr__jit_start();
        orr__jit *j = orr__jit_new(1, "test"), *k = orr__jit_new(2, "test");
        orr__jit_ask(j, jh_text(1));
        orr__jit_ask(k, jh_text(2));
        (void)unlink(jh_place("slow.here"));
        for (int i = 0; round && i < 2000 && access(jh_place("slow.here"), F_OK) != 0; i++)
            (void)usleep(5000); /* now it works */
        double t0 = orr__now();
        orr__jit_stop();
        double took = orr__now() - t0;
        ORR_CHECK_MSG(took < LONG / 2, "stopped after %g s", took);
        ORR_CHECK(atomic_load(&j->state) == ORR__JIT_COLD && atomic_load(&k->state) == ORR__JIT_COLD);
        orr__jit_unref(j);
        orr__jit_unref(k);
    }
}

/* A limit on the size of files is not a lack of memory. */
static void a_kernel_that_cannot_be_loaded_has_a_reason(void)
{
    ORR_NEED_COMPILER();
    orr__compiler cc;
    orr__bytes so;
    double seconds;
    struct rlimit usual, small;
    unsigned char key[32] = { 0 };
    int all;
    begin("limited");
    char *text = jh_text(6);
    ORR_REQUIRE(orr__compiler_find(&cc, -1) == ORR__COMPILED && getrlimit(RLIMIT_FSIZE, &usual) == 0 &&
                orr__compile(&cc, NULL, text, false, -1, &so, &seconds) == ORR__COMPILED && so.size > 6000);
    small = usual;
    small.rlim_cur = 6000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    orr__say_again();
    jh_listen();
    ORR_CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0 && !orr__memory_load(key, so.data, so.size, NULL));
    ORR_CHECK(setrlimit(RLIMIT_FSIZE, &usual) == 0);
    ORR_CHECK(jh_lines(strerror(EFBIG), &all) == 1 && all == 1);
    (void)signal(SIGXFSZ, handler);
    orr__memory_clear();
    free(so.data);
    free(text);
}

static void kernels_in_memory_are_bounded(void)
{
    ORR_NEED_COMPILER();
    orr__compiler cc;
    orr__bytes so;
    double seconds;
    orr__code *in_use = NULL;
    unsigned char key[32] = { 0 };
    begin("bounded");
    char *text = jh_text(5);
    ORR_REQUIRE(orr__compiler_find(&cc, -1) == ORR__COMPILED &&
                orr__compile(&cc, NULL, text, false, -1, &so, &seconds) == ORR__COMPILED);
    int most = orr__memory_most;
    orr__memory_most = 5;
    for (int i = 0; i < 40; i++) {
        key[0] = (unsigned char)i;
        orr__code *c = orr__memory_load(key, so.data, so.size, NULL);
        ORR_REQUIRE(c);
        if (i == 0)
            in_use = c;
        else
            orr__code_unref(c);
    }
    ORR_CHECK(orr__jit_get_stats().in_memory == 6);
    key[0] = 39;
    orr__code *c = orr__memory_find(key);
    ORR_CHECK(c != NULL);
    orr__code_unref(c);
    key[0] = 1;
    ORR_CHECK(orr__memory_find(key) == NULL);
    long y = 0;
    ORR_CHECK(in_use->fn(NULL, (void *[]){ &y }, (int64_t[]){ 4 }) == 0 && y == 20);
    orr__code_unref(in_use);
    orr__memory_clear();
    ORR_CHECK(orr__jit_get_stats().in_memory == 0);
    orr__memory_most = most;
    free(so.data);
    free(text);
}

/* -- many processes ------------------------------------------------------------------------------------------ */

enum { KERNELS = 2 };

/* Exit status: the number of kernels that it compiled; 100: a wrong result. */
static int child(const char *dir)
{
    jh_settings(dir);
    orr__jit_start();
    int bad = 0;
    for (int i = 0; i < KERNELS; i++) {
        orr__jit *j = jh_ask(10 + i);
        bad += jh_run(j, 3) != 3 * (10 + i);
        orr__jit_unref(j);
    }
    orr__jit_stop();
    return bad ? 100 : (int)orr__jit_get_stats().compiled;
}

static bool few_processes(void)
{
    struct rlimit most;
    return getrlimit(RLIMIT_NPROC, &most) == 0 && most.rlim_cur < 1000;
}

/* The number of kernels that n concurrent processes compile together, or -1. */
static int crowd(int n, const char *dir)
{
    pid_t pid[64];
    int sum = 0, status;
    char name[20] = "--child", path[1000];
    (void)snprintf(path, sizeof path, "%s", dir);
    char program[1000];
    (void)snprintf(program, sizeof program, "%s", self);
    for (int i = 0; i < n; i++)
        if (posix_spawn(&pid[i], program, NULL, NULL, (char *[]){ program, name, path, NULL }, environ) != 0)
            pid[i] = -1;
    for (int i = 0; i < n; i++) {
        bool ok =
            pid[i] > 0 && waitpid(pid[i], &status, 0) == pid[i] && WIFEXITED(status) && WEXITSTATUS(status) <= KERNELS;
        sum = ok && sum >= 0 ? sum + WEXITSTATUS(status) : -1;
    }
    return sum;
}

static void make_old(const char *path, long age)
{
    struct timeval then[2] = { { .tv_sec = time(NULL) - age }, { .tv_sec = time(NULL) - age } };
    ORR_CHECK(mkdir(path, 0700) == 0 && utimes(path, then) == 0);
}

/* Of processes that a signal ended. Each process looks once, before its first compilation. */
static void old_folders_are_removed(void)
{
    ORR_NEED_COMPILER();
    const char *tmp = getenv("TMPDIR");
    char *was = tmp ? strdup(tmp) : NULL, dir[1000], old[1100], young[1100], other[1100];
    (void)snprintf(dir, sizeof dir, "%.900s", jh_place("old"));
    (void)snprintf(old, sizeof old, "%s/tmp.cc.abcdef", dir);
    (void)snprintf(young, sizeof young, "%s/tmp.cc.ghijkl", dir);
    (void)snprintf(other, sizeof other, "%s/tmp.other", dir);
    ORR_REQUIRE(mkdir(dir, 0700) == 0);
    make_old(old, 7200);
    make_old(young, 60);
    make_old(other, 7200);
    ORR_REQUIRE(setenv("TMPDIR", dir, 1) == 0);
    begin("removes");
    ORR_CHECK(crowd(1, jh_place("removes")) == KERNELS);
    ORR_CHECK(access(old, F_OK) != 0 && rmdir(young) == 0 && rmdir(other) == 0 && rmdir(dir) == 0);
    ORR_CHECK((was ? setenv("TMPDIR", was, 1) : unsetenv("TMPDIR")) == 0);
    free(was);
}

static void sixty_four_processes_compile_each_kernel_once(void)
{
    ORR_NEED_COMPILER();
    begin("crowd");
    (void)setenv("OPENBLAS_NUM_THREADS", "1", 1); /* otherwise each process has as many threads as there are cores */
    int n = crowd(64, jh_place("crowd"));
    if (n == -1 && few_processes())
        ORR_SKIP("this user may have fewer than 1000 processes");
    ORR_CHECK_MSG(n >= KERNELS && n <= 2 * KERNELS, "%d compilations of %d kernels", n, KERNELS);
    n = crowd(1, jh_place("crowd"));
    ORR_CHECK_MSG(n == 0, "the next process compiled %d", n);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(kernel_is_compiled_once),
                                      ORR_TEST(only_hot_kernels_are_compiled),
                                      ORR_TEST(equal_content_is_one_kernel),
                                      ORR_TEST(later_process_finds_a_kernel_by_its_content),
                                      ORR_TEST(text_is_made_by_the_thread_that_compiles_it),
                                      ORR_TEST(damaged_index_is_a_miss),
                                      ORR_TEST(missing_compiler_is_logged_once),
                                      ORR_TEST(failing_compiler_is_logged_once),
                                      ORR_TEST(damaged_object_is_logged_once),
                                      ORR_TEST(compiler_leftovers_are_removed),
                                      ORR_TEST(old_folders_are_removed),
                                      ORR_TEST(hanging_compiler_is_killed),
                                      ORR_TEST(compiler_time_limit_counts_cpu_time),
                                      ORR_TEST(the_compilers_time_is_measured),
                                      ORR_TEST(compiler_leaves_cores_to_the_program),
                                      ORR_TEST(killed_compiler_is_run_again),
                                      ORR_TEST(silent_compiler_is_probed_again),
                                      ORR_TEST(slow_text_is_compiled_with_less_optimisation),
                                      ORR_TEST(texts_that_fail_are_no_fault_of_others),
                                      ORR_TEST(the_hottest_kernel_is_compiled_first),
                                      ORR_TEST(vanished_compiler_is_logged_once),
                                      ORR_TEST(refused_cache_directory_is_logged),
                                      ORR_TEST(lost_entry_is_compiled_again),
                                      ORR_TEST(compile_works_with_ignored_sigchld),
                                      ORR_TEST(compile_works_with_umask_zero),
                                      ORR_TEST(compiler_is_part_of_the_key),
                                      ORR_TEST(stop_does_not_wait_for_compiler),
                                      ORR_TEST(a_kernel_that_cannot_be_loaded_has_a_reason),
                                      ORR_TEST(kernels_in_memory_are_bounded),
                                      ORR_TEST(sixty_four_processes_compile_each_kernel_once),
                                      { 0 } };
    if (argc == 3 && strcmp(argv[1], "--child") == 0)
        return child(argv[2]);
    self = argv[0];
    if (!jh_begin())
        return 1;
    return jh_end(orr_test_main(argc, argv, "codelets.jit", tests));
}
