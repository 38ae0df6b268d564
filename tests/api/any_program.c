/* The results of a program do not depend on the programs before it: programs drawn at random from all families, each beside others that
 * differ in one number alone, run in one process in random order and have the bits of processes of their own. ORR_TEST_FULL=1: more and
 * larger programs, compiled kernels too; ORR_TEST_SEED: others.
 * Must not know: plans, keys. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/bench.h"
#include "bench/fusion.h"
#include "bench/random.h"
#include "tests/harness/random_graph.h"

enum { ALIKE = 4, PROGRAMS_MOST = 2048, SETTINGS = 16 };

/* Of the benchmark's other sides, which are not here. */
int bench_cores(void)
{
    return 1;
}
void fusion_fill(float *x, int64_t n, int seed, float lo, float hi)
{
    unsigned long long state = (unsigned long long)seed;
    for (int64_t i = 0; i < n; i++)
        x[i] = lo + (hi - lo) * (float)(orr_test_rand(&state) >> 40) * 0x1p-24f;
}

static unsigned long long seed(void)
{
    const char *s = getenv("ORR_TEST_SEED");
    return s ? strtoull(s, NULL, 10) : 37;
}

static int programs(void)
{
    const char *few = getenv("ORR_TEST_ORDER_PROGRAMS");
    return few ? atoi(few) : RANDOM_FAMILIES * ALIKE * (orr_test_full() ? 8 : 1);
}

static int family(int program)
{
    return (int)((seed() + (unsigned)(program / ALIKE)) % RANDOM_FAMILIES);
}

/* -- texts ----------------------------------------------------------------------------------------------------------------- */

static bool is_number(const char *word)
{
    return word[strspn(word, "-+.0123456789e,")] == '\0' && strpbrk(word, "0123456789");
}

/* Another number of about the same size: an option of the same kind. */
static void other_number(const char *word, unsigned long long *state, char *to, size_t size)
{
    const char *last = strrchr(word, ',');
    double v = strtod(last ? last + 1 : word, NULL);
    bool whole = !strpbrk(last ? last : word, ".e");
    v = whole ? v + (orr_test_rand(state) & 1 ? 1 : -1) : v * (orr_test_rand(state) & 1 ? 1.5 : .5);
    (void)snprintf(to, size, "%.*s%.9g", last ? (int)(last + 1 - word) : 0, word, v);
}

/* The program with another number in one of its operations; the numbers of inputs stay. */
static void put_other(FILE *f, const char *text, unsigned long long *state)
{
    enum { LINE = 4096 };
    for (int pass = 0, numbers = 0, which = -1; pass < 2; pass++) {
        char line[LINE], word[LINE], now[64];
        int k = 0;
        for (const char *at = text; *at;) {
            int n = (int)strcspn(at, "\n");
            (void)snprintf(line, sizeof line, "%.*s", n, at);
            at += n + (at[n] == '\n');
            bool fixed =
                line[0] == '#' || strstr(line, " input ") || strstr(line, " index ") || !strncmp(line, "out", 3);
            int place = 0, used = 0;
            for (char *w = line; sscanf(w, " %4095s%n", word, &used) == 1; w += used, place++) {
                bool one = !fixed && place > 1 && is_number(word);
                if (one && k++ == which)
                    other_number(word, state, now, sizeof now);
                if (pass)
                    fprintf(f, "%s%s", place ? " " : "", one && k - 1 == which ? now : word);
            }
            if (pass)
                fputc('\n', f);
        }
        numbers = k;
        which = numbers ? (int)(orr_test_rand(state) % (unsigned)numbers) : -1;
    }
}

static const char *path_of(const char *what, int program)
{
    static char path[2][4096];
    static int turn;
    char *to = path[turn++ % 2];
    (void)snprintf(to, sizeof path[0], "%s.%s.%d", getenv("ORR_TEST_ORDER_FILE"), what, program);
    return to;
}

/* Every ALIKE programs differ from the first of them in one number. */
static bool write_programs(void)
{
    unsigned long long state = seed();
    const random_kind kind = { .largest = getenv("ORR_TEST_FULL") ? 4e6 : 1e5 };
    for (int k = 0; k < programs(); k++) {
        int number = k / ALIKE;
        char *text = random_draw(seed(), number, family(k), &kind);
        FILE *f = fopen(path_of("program", k), "we");
        if (text && f && k % ALIKE)
            put_other(f, text, &state);
        else if (text && f)
            (void)fputs(text, f);
        bool written = f && fclose(f) == 0;
        free(text);
        if (!written)
            return false;
    }
    return true;
}

/* -- processes ------------------------------------------------------------------------------------------------------------- */

static bool runs(const char *samples, int program)
{
    const char *why = NULL;
    random_work work;
    int rc = random_ours_prepare(path_of("program", program), samples, &work, &why);
    random_ours_drop();
    orr_error_clear();
    return rc == 0;
}

/* One program alone; without a file of results it is wrong in itself. */
static void alone(void)
{
    int program = atoi(getenv("ORR_TEST_ORDER_PROGRAM"));
    if (!runs(path_of("alone", program), program))
        (void)remove(path_of("alone", program));
}

static bool same_files(const char *a, const char *b)
{
    size_t n = 0, m = 0;
    unsigned char *x = orr_test_slurp(a, &n), *y = orr_test_slurp(b, &m);
    bool same = x && y && n == m && !memcmp(x, y, n);
    free(x);
    free(y);
    return same;
}

static bool exists(const char *path)
{
    FILE *f = fopen(path, "re");
    return f && fclose(f) == 0;
}

static void one_after_the_other(void)
{
    static int order[PROGRAMS_MOST];
    unsigned long long state = seed() + 1;
    int n = programs(), wrong = 0, run = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < n; k++) {
            int j = (int)(orr_test_rand(&state) % (unsigned)(k + 1));
            order[k] = order[j];
            order[j] = k;
        }
        for (int k = 0; k < n && wrong < 5; k++) {
            orr_test_alarm();
            bool right = exists(path_of("alone", order[k])), ok = runs(path_of("beside", order[k]), order[k]);
            bool same = ok == right && (!ok || same_files(path_of("alone", order[k]), path_of("beside", order[k])));
            run += ok;
            wrong += !same;
            ORR_CHECK_MSG(same, "program %d (%s) of seed %llu, pass %d: alone %d, beside others %d", order[k],
                          random_family[family(order[k])], seed(), pass, right, ok);
        }
    }
    printf("    %d programs, seed %llu\n", run, seed());
    ORR_CHECK(run > n / 2);
}

static bool child(const char *test, const char *program, const rg_setting *own)
{
    rg_setting env[SETTINGS] = { { "ORR_TEST_ORDER_TEST", test },
                                 { "ORR_TEST_ORDER_PROGRAM", program },
                                 { "ORRERY_ENGINE", "serial" },
                                 { "ORRERY_DETERMINISTIC", "1" } };
    for (int n = 4; own->name; own++)
        env[n++] = *own;
    return rg_wait(rg_start(env));
}

static void to_the_last_bit(const rg_setting *own)
{
    (void)setenv("ORR_TEST_ORDER_FILE", orr_test_tmp("p"), 1);
    ORR_REQUIRE(write_programs());
    for (int k = 0; k < programs(); k++) {
        char number[16];
        (void)snprintf(number, sizeof number, "%d", k);
        ORR_REQUIRE(child("alone", number, own));
    }
    ORR_CHECK(child("beside", "", own));
}

static void interpreted_to_the_last_bit(void)
{
    to_the_last_bit((const rg_setting[]){ { "ORRERY_JIT", "off" }, { 0 } });
}

static void compiled_to_the_last_bit(void)
{
    ORR_NEED_COMPILER();
    if (!getenv("ORR_TEST_FULL")) /* compiling takes longer than computing */
        (void)setenv("ORR_TEST_ORDER_PROGRAMS", "16", 1);
    to_the_last_bit((const rg_setting[]){ { "ORRERY_JIT", "wait" }, { 0 } });
    (void)unsetenv("ORR_TEST_ORDER_PROGRAMS");
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(interpreted_to_the_last_bit),
                                      ORR_TEST(compiled_to_the_last_bit),
                                      { 0 } };
    static const orr_test one[] = { ORR_TEST(alone), { 0 } }, all[] = { ORR_TEST(one_after_the_other), { 0 } };
    const char *test = getenv("ORR_TEST_ORDER_TEST");
    if (getenv("ORR_TEST_CHILD"))
        return help_main(argc, argv, "api.any_program.child", test && !strcmp(test, "alone") ? one : all);
    return orr_test_main(argc, argv, "api.any_program", tests);
}
