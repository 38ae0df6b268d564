/* How test programs check, skip and report; CUnit is inside.
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

/* Runs the tests, or those named in argv (a name's part is enough; --list names them). The last line printed is
 * "orr-test: <passed> <failed> <skipped>". 0: none failed, 1: some did, 77: all were skipped. */
int orr_test_main(int argc, char **argv, const char *topic, const orr_test *tests);
/* How the tests that it ran ended, a letter each: p passed, f failed, s skipped. */
const char *orr_test_outcomes(void);

/* A check that fails is counted and printed, and the test goes on. Only on the test's own thread. */
#define ORR_CHECK(cond) ((void)orr_test_check((cond), #cond, __FILE__, __LINE__, "%s", ""))
#define ORR_CHECK_MSG(cond, ...) ((void)orr_test_check((cond), #cond, __FILE__, __LINE__, __VA_ARGS__))
/* The same, and when it fails the test ends here. */
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

/* For tests of compiled kernels: skipped on a machine without the compiler that configure found. */
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
/* <name> in an empty folder of this program's own, which is removed at its end. Valid until the second next call. */
const char *orr_test_tmp(const char *name);
/* Removes that folder, where a program does not end by orr_test_main. */
void orr_test_tmp_remove(void);
/* The whole file, with a 0 behind it; NULL when it cannot be read. Free it. */
unsigned char *orr_test_slurp(const char *path, size_t *size);

/* SIGALRM ends the program unless this is called again, or it has ended, within ORR_TEST_ALARM seconds. Without that
 * nothing happens. Threads may be anywhere: in orr_init, in work, in orr_shutdown. */
void orr_test_alarm(void);

/* Is the program built with a sanitizer of addresses or threads? Those need memory and addresses of their own. */
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

/* A limit in seconds of processor time. Sanitizers make a program several times slower. */
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
