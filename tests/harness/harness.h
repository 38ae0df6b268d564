/* Checks, skips and reports of test programs, on top of CUnit.
 * Must not know: what is tested. */
#ifndef ORR_TESTS_HARNESS_H
#define ORR_TESTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *name;
    void (*run)(void);
} orr_test;

#define ORR_TEST(f)                                                                                                    \
    {                                                                                                                  \
#f, f                                                                                                          \
    }

/* Runs all tests, or those named in argv (a part of the name suffices; --list prints the names). The last line
 * printed is "orr-test: <passed> <failed> <skipped>". Returns 0: none failed, 1: some did, 77: all were skipped. */
int orr_test_main(int argc, char **argv, const char *topic, const orr_test *tests);
/* The results of the tests so far, a letter each: p passed, f failed, s skipped. */
const char *orr_test_outcomes(void);

/* Counts and prints a failed check; the test goes on. Only on the test's own thread. */
#define ORR_CHECK(cond) ((void)orr_test_check((cond), #cond, __FILE__, __LINE__, "%s", ""))
#define ORR_CHECK_MSG(cond, ...) ((void)orr_test_check((cond), #cond, __FILE__, __LINE__, __VA_ARGS__))
/* The same check, but a failure ends the test. */
#define ORR_REQUIRE(cond)                                                                                              \
    do {                                                                                                               \
        if (!orr_test_check((cond), #cond, __FILE__, __LINE__, "%s", ""))                                              \
            return;                                                                                                    \
    } while (0)
/* Ends the test as skipped, with the reason. */
#define ORR_SKIP(...)                                                                                                  \
    do {                                                                                                               \
        orr_test_skip(__VA_ARGS__);                                                                                    \
        return;                                                                                                        \
    } while (0)

/* For tests of compiled kernels: skips the test if configure's compiler is missing. */
#define ORR_NEED_COMPILER()                                                                                            \
    do {                                                                                                               \
        if (!orr_test_compiler())                                                                                      \
            ORR_SKIP("the compiler of kernels is not here");                                                           \
    } while (0)
bool orr_test_compiler(void);

bool orr_test_check(bool ok, const char *what, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
void orr_test_skip(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* tests/golden/<name> in the source tree (ORR_SRCDIR, else found from the working directory). Valid until the second
 * next call. */
const char *orr_test_golden(const char *name);
/* <name> in an empty folder of this program, which is removed when the program ends. Valid until the second next
 * call. */
const char *orr_test_tmp(const char *name);
/* Removes that folder, for a program that does not end by orr_test_main. */
void orr_test_tmp_remove(void);
/* A cache of kernels for a program that does not test the cache: the run's own, so that equal kernels of two programs
 * are compiled once; without the runner a folder of this program. Valid until the second next call. */
const char *orr_test_kernels(void);
/* Sets a locale with a decimal comma, which localedef builds in the program's folder; setlocale(LC_ALL, "C") leaves it.
 * False: there is no localedef. */
bool orr_test_comma(void);
/* The whole file, followed by a 0; NULL if it cannot be read. The caller frees it. */
unsigned char *orr_test_slurp(const char *path, size_t *size);

bool orr_test_full(void); /* ORR_TEST_FULL asks for the long form */
/* For a test of many cases of one kind, asked before each: true for the first ones and, in the long form, for all. Of the others one in
 * five is drawn, from the 25th on one in 32, always the same ones; ORR_TEST_SEED draws others. */
bool orr_test_drawn(void);
/* For a program whose cases are expensive: one of `n` of those that orr_test_drawn would draw, and of the first ones. */
void orr_test_draw_one_in(unsigned n);
/* A sweep that is long is divided into parts, of which a run does one, another one each day: true if `item` is in it. The part is printed,
 * and ORR_TEST_PART repeats it. ORR_TEST_FULL: true. */
bool orr_test_due(unsigned item, unsigned parts);
/* For a test that goes through its cases several times: the next case is the first one again. */
void orr_test_draw_again(void);

/* Starts a timer: SIGALRM ends the program unless it ends, or this is called again, within ORR_TEST_ALARM seconds.
 * Does nothing if that is not set. Threads may be anywhere: in orr_init, in work, in orr_shutdown. */
void orr_test_alarm(void);

/* True in a program with a sanitizer of addresses or threads, which needs memory and addresses of its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ORR_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ORR_TEST_SANITIZED 1
#endif
#endif
#ifndef ORR_TEST_SANITIZED
#define ORR_TEST_SANITIZED 0
#endif

/* A limit in seconds of processor time. Sanitizers slow a program down several times. */
#define ORR_TEST_SECONDS(limit) ((limit) * (ORR_TEST_SANITIZED ? 10.0 : 1.0))

/* Random numbers for tests: splitmix64. */
static inline unsigned long long orr_test_rand(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

#endif
