/* Checks, skips and reports of test programs, on top of CUnit.
 * Must not know: what is tested. */
#include "config.h"
#include "runtime/engine/engine.h"
#include "tests/harness/harness.h"

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>
#include <ftw.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "codelets/codelet.h"

/* Of this process and the children that it waited for: a busy machine changes it little. */
static double processors_seconds(void)
{
    static const int whose[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage u;
        if (getrusage(whose[i], &u) == 0)
            sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
                   1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
    }
    return sum;
}

static struct {
    bool skip;
    char why[256];
    char tmp[512];
    char outcome[256];
    const char *test;
    unsigned long long cases; /* asked for by orr_test_drawn */
    unsigned rare;            /* orr_test_draw_one_in; 0: 1  */
    bool part;                /* orr_test_due has said which */
} now;

bool orr_test_check(bool ok, const char *what, const char *file, int line, const char *fmt, ...)
{
    if (!ok) {
        char text[1024];
        va_list ap;
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        printf("    %s:%d: not so: %s%s%s\n", file, line, what, *text ? "; " : "", text);
    }
    CU_assertImplementation(ok, (unsigned)line, what, file, "", CU_FALSE);
    return ok;
}

void orr_test_skip(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(now.why, sizeof now.why, fmt, ap);
    va_end(ap);
    now.skip = true;
}

bool orr_test_compiler(void)
{
    return access(ORR_DEFAULT_CC, X_OK) == 0;
}

static bool wanted(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path) == 0 ? 0 : 1;
}

void orr_test_tmp_remove(void)
{
    if (now.tmp[0])
        (void)nftw(now.tmp, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Weak: a program without the engine is linked without it, and loads none of its libraries. */
extern __typeof__(orr__engine_naps) orr__engine_naps __attribute__((weak));

/* Programs of the suite run side by side. Before main: some start the engine first. */
__attribute__((constructor)) static void let_workers_nap(void)
{
    if (&orr__engine_naps)
        orr__engine_naps = true;
}

int orr_test_main(int argc, char **argv, const char *topic, const orr_test *tests)
{
    int passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (const orr_test *t = tests; t->name; t++)
            puts(t->name);
        return 0;
    }
    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite suite = CU_add_suite(topic, NULL, NULL);
    for (const orr_test *t = tests; suite && t->name; t++) {
        if (!wanted(argc, argv, t->name))
            continue;
        CU_pTest test = CU_add_test(suite, t->name, t->run);
        now.skip = false;
        now.test = t->name;
        now.cases = 0;
        time_t began = time(NULL);
        double worked = processors_seconds();
        bool ok = test && CU_run_test(suite, test) == CUE_SUCCESS && CU_get_number_of_failures() == 0;
        size_t run = (size_t)(passed + failed + skipped);
        if (run + 1 < sizeof now.outcome)
            now.outcome[run] = !ok ? 'f' : now.skip ? 's' : 'p';
        if (!ok)
            failed++;
        else if (now.skip)
            skipped++;
        else
            passed++;
        if (ok && now.skip)
            printf("  skip %s: %s", t->name, now.why);
        else
            printf("  %s %s", ok ? "ok  " : "FAIL", t->name);
        long seconds = (long)(time(NULL) - began);
        if (seconds > 1)
            printf(", %ld s, of processors %.1f s", seconds, processors_seconds() - worked);
        puts("");
    }
    if (!suite)
        failed = 1;
    CU_cleanup_registry();
    orr_test_tmp_remove();
    if (getenv("ORR_TEST_COUNTS"))
        printf("orr-device: %llu launches, %llu done again by the host\n", (unsigned long long)orr__device_did.launches,
               (unsigned long long)orr__device_did.redone);
    if (getenv("ORR_TEST_COUNTS"))
        printf("orr-graphs: %llu launches, %llu captures\n", (unsigned long long)orr__device_did.graphs,
               (unsigned long long)orr__device_did.captures);
    printf("orr-test: %d %d %d\n", passed, failed, skipped);
    return failed ? 1 : passed == 0 && skipped > 0 ? 77 : 0;
}

const char *orr_test_outcomes(void)
{
    return now.outcome;
}

/* Two buffers are used in turn, so that two paths can be arguments of one call. */
bool orr_test_drawn(void)
{
    enum { ALWAYS = 8, SOME = 24, SHARE = 5, SHARE_OF_MANY = 32 };
    const unsigned rare = now.rare ? now.rare : 1;
    const char *seed = getenv("ORR_TEST_SEED");
    unsigned long long state = seed ? strtoull(seed, NULL, 10) : 0;
    for (const char *c = now.test; c && *c; c++)
        state = 31 * state + (unsigned char)*c;
    state += now.cases << 32;
    unsigned long long n = now.cases++;
    return n < ALWAYS / rare || orr_test_full() ||
           orr_test_rand(&state) % (rare * (n < SOME ? SHARE : SHARE_OF_MANY)) == 0;
}

void orr_test_draw_one_in(unsigned n)
{
    now.rare = n;
}

bool orr_test_due(unsigned item, unsigned parts)
{
    enum { DAY = 86400 };
    static unsigned long part;
    if (parts < 2 || orr_test_full())
        return true;
    if (!now.part) {
        const char *given = getenv("ORR_TEST_PART");
        part = given ? strtoul(given, NULL, 10) : (unsigned long)time(NULL) / DAY;
        now.part = true;
        printf("    a part of the cases: ORR_TEST_PART=%lu\n", part);
    }
    return (item + part) % parts == 0;
}

bool orr_test_full(void)
{
    return getenv("ORR_TEST_FULL") != NULL;
}

void orr_test_draw_again(void)
{
    now.cases = 0;
}

static char *next_path(void)
{
    static char paths[2][1024];
    static int turn;
    return paths[turn++ & 1];
}

const char *orr_test_golden(const char *name)
{
    char *path = next_path();
    const char *top = getenv("ORR_SRCDIR"), *more = getenv("ORR_TEST_GOLDEN");
    snprintf(path, 1024, "%s/%s", more ? more : "", name);
    if (more && access(path, R_OK) == 0)
        return path;
    static const char *const guesses[] = { ".", "..", "../..", "../../.." };
    for (size_t i = 0; !top && i < sizeof guesses / sizeof *guesses; i++) {
        snprintf(path, 1024, "%s/tests/golden", guesses[i]);
        if (access(path, R_OK) == 0)
            top = guesses[i];
    }
    snprintf(path, 1024, "%s/tests/golden/%s", top ? top : ".", name);
    return path;
}

const char *orr_test_tmp(const char *name)
{
    char *path = next_path();
    if (!now.tmp[0]) {
        const char *dir = getenv("TMPDIR");
        snprintf(now.tmp, sizeof now.tmp, "%s/orr-test-XXXXXX", dir && *dir ? dir : "/tmp");
        if (!mkdtemp(now.tmp))
            now.tmp[0] = '\0';
    }
    snprintf(path, 1024, "%s/%s", now.tmp[0] ? now.tmp : ".", name);
    return path;
}

bool orr_test_comma(void)
{
    static const char source[] = "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\nLC_NUMERIC\ndecimal_point \"<U002C>\"\n"
                                 "thousands_sep \"<U002E>\"\ngrouping 3;3\nEND LC_NUMERIC\n";
    static bool made;
    char command[2200];
    const char *folder = orr_test_tmp("locale"), *from = orr_test_tmp("comma.src");
    if (!made) {
        FILE *f = fopen(from, "w");
        bool written = f && fputs(source, f) >= 0;
        written = f && fclose(f) == 0 && written;
        (void)snprintf(
            command, sizeof command,
            "PATH=$PATH:/usr/bin:/usr/sbin; mkdir -p %s && localedef --no-archive -c -i %s %s/comma >%s 2>&1", folder,
            from, folder, "/dev/null");
        if (!written || system(command) == -1 || setenv("LOCPATH", folder, 1) != 0)
            return false;
        made = true;
    }
    return setlocale(LC_ALL, "comma") && localeconv()->decimal_point[0] == ',';
}

unsigned char *orr_test_slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *p = NULL;
    size_t n = 0, room = 0;
    while (f) {
        if (n + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            unsigned char *q = realloc(p, room);
            if (!q)
                break;
            p = q;
        }
        size_t got = fread(p + n, 1, room - n - 1, f);
        if (!got)
            break;
        n += got;
    }
    if (f)
        fclose(f);
    if (p)
        p[n] = 0;
    *size = n;
    return p;
}

const char *orr_test_kernels(void)
{
    const char *run = getenv("ORR_TEST_KERNELS");
    if (!run)
        return orr_test_tmp("kernels");
    char *path = next_path();
    snprintf(path, 1024, "%s", run);
    return path;
}

void orr_test_alarm(void)
{
    const char *seconds = getenv("ORR_TEST_ALARM");
    if (seconds)
        (void)alarm((unsigned)atoi(seconds));
}
