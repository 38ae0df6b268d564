/* Tuned numbers stand in runtime/base/threshold.def alone. A number is found by its form: a constant that is given a numeric literal (a member
 * of an enum, a macro, a static const), or a comparison with one. Small numbers, which count axes or operands, and the limits of the list
 * below, which are part of a meaning, may stand anywhere.
 * Must not know: what any number does. */
#include "config.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/harness.h"

/* Folders and files whose numbers are looked at. */
static const char *const places[] = {
    "codelets/",       "codelets/nest/",         "codelets/emit/",       "codelets/cuda/",
    "codelets/cpu/",   "codelets/opencl/",       "runtime/fuse/",        "runtime/plan/",
    "runtime/engine/", "runtime/engine/starpu/", "runtime/base/regret.c"
};
/* Constants of other libraries and languages; functions, whose numbers are coefficients and ranges. */
static const char *const others[] = { "codelets/cuda/driver.h", "codelets/emit/helpers.c", "codelets/cpu/vec_",
                                      "codelets/cpu/vmath",     "codelets/cpu/philox",     "codelets/cpu/half.h",
                                      "codelets/cpu/vqsort" };
/* Larger numbers are thresholds, unless they are in the next list. */
enum { SMALL = 9 };

/* Constants that are limits of meaning, each with its reason. */
static const struct {
    const char *name, *reason;
} meanings[] = {
    { "ORR__CLOOP_BLOCK", "the order of sums, which the interpreter shares" },
    { "ORR__CLOOP_LANES", "the order of sums, which the interpreter shares" },
    { "ORR__CLOOP_ROWS", "the order of sums, which the interpreter shares" },
    { "ORR__CLOOP_VECTOR", "elements of the widest vector" },
    { "BOXES", "a bit each in a word of 64" },
    { "CELLS", "a bound on the search, which is done once a kernel" },
    { "MASK", "a bit each in a word of 64" },
    { "SOME", "bits of a mask" },
    { "HEAD", "the form of the content of a region" },
    { "BUCKETS", "of a hash table" },
    { "PLACES", "of a hash table" },
    { "RECENT", "evaluations that a note to the user is about" },
    { "PIECE", "bytes of one allocation of parts" },
    { "RECORDS", "a bound of memory" },
    { "GRAPHS", "a bound of memory" },
    { "ORR__EMIT_WARP", "items that a device computes together" },
    { "ORR__EMIT_MATRIX_ROWS", "of an instruction" },
    { "ORR__CU_WORKSPACE", "a bound of memory, which the library asks for" },
    { "ORR__CU_FLAG", "a bound of memory" },
    { "ORR__CU_VECTOR", "bytes of a load" },
    { "CL_TARGET_OPENCL_VERSION", "the version of the language" },
    { "OLDEST", "the oldest device of the compiler" },
    { "JACOBI", "of the library" },
    { "LINE", "bytes, an alignment" },
    { "ALIGNED", "bytes, an alignment" },
    { "GROUP", "a bound of memory" },
    { "IDLE", "a bound of memory" },
    { "FLAGS", "a bound of memory" },
    { "LEAST", "a bound of memory" },
    { "SHAPES", "a bound of memory" },
    { "CALLS", "a bound of memory" },
    { "MOST", "a bound of memory" },
    { "COPY_MOST", "a bound of memory, and the order of sums" },
    { "PIECE_TERMS", "the order of sums" },
    { "LEFT_TERMS", "the order of sums" },
    { "LEFT_ROWS", "the order of sums" },
    { "FEW", "of an array on the stack" },
    { "STACK_WORDS", "of an array on the stack" },
    { "NEAR", "of an array on the stack" },
    { "CELLS", "of an array on the stack" },
    { "PATIENCE", "s, after which another process is taken to hang" },
    { "SMALL", "a limit of OpenBLAS" },
    { "SINCE", "a version of OpenBLAS" },
    { "ROWS", "a limit of OpenBLAS; the order of sums, which the compiled loops share" },
    { "PASS", "a limit of OpenBLAS" },
    { "TINY", "multiplications that a call would outlast" },
    { "BLOCK", "of an array on the stack" },
    { "COLUMNS", "of an array on the stack" },
    { "WORDS", "of an array on the stack" },
    { "INPUTS", "of an array on the stack" },
    { "INPUTS_MOST", "of an array on the stack" },
    { "FEW_REGS", "of an array on the stack" },
    { "TERMS", "of an array on the stack" },
    { "ROW", "of an array on the stack" },
    { "TERMS_MOST", "of an array on the stack" },
    { "ROWS_MOST", "of an array on the stack" },
    { "FINE_MOST", "of an array on the stack" },
    { "TOGETHER", "of an array on the stack" },
    { "ORR__FFT_NEAR", "of an array on the stack" },
    { "ORR__DIRECT_MOST", "of an array on the stack" },
    { "ORR__KNOWN_MOST", "of an array on the stack" },
    { "NAME", "of an array on the stack" },
    { "PRIMITIVES", "a bound of memory" },
    { "PRIMITIVE", "a bound of memory" },
    { "KEPT_BYTES", "a bound of memory" },
    { "WAITING", "a bound of memory" },
    { "RECORD", "a bound of memory" },
    { "REASONS_MOST", "a bound of memory" },
    { "CAPACITY", "a bound of memory" },
    { "LINES", "a bound of memory" },
    { "MOST_RUNS", "a bound of memory" },
    { "NODES", "a bound of memory" },
    { "ADDRESSES", "a bound of memory" },
    { "THREADS_MOST", "a bound of memory" },
    { "LARGEST", "a bound of memory" },
    { "ORR__CREW_SHARES", "a bound of memory" },
    { "ORR__PARTS_MOST", "a bound of memory" },
    { "ORR__REACH_MOST", "a bound on the steps of a search" },
    { "WINDOW", "a bound on the steps of a search" },
    { "DEPTH", "a bound on the steps of a search" },
    { "SWEEPS", "a bound on the steps of a search" },
    { "ROUNDS", "a bound on the steps of a search" },
    { "WORK", "a bound on the steps of a search" },
    { "PENDING_MOST", "a bound on the steps of a search" },
    { "PAGE", "bytes that a system reads at least" },
    { "ORR__FFT_STAGES", "factors of a length" },
    { "ORR__FFT_RADIX", "the largest factor with a text of its own" },
    { "ORR__LANES_MOST", "the largest matrix of a kernel, whose text has it" },
    { "ORR__SMALL", "the largest product of a kernel, beside which variants choose" },
    { "ORR__LARGE_TERMS", "the order of sums" },
    { "BLOCK_MOST", "the order of sums, which the compiled loops share" },
    { "ASSUMED_WORKERS", "the order of sums" },
    { "ASSUMED_TILE_US", "the order of sums" },
    { "float_LARGEST", "the range of a type" },
    { "float_POWERS", "the range of a type" },
    { "double_LARGEST", "the range of a type" },
    { "double_POWERS", "the range of a type" },
    { "HOTTEST", "degrees that a sensor can report" },
    { "SENSORS", "of a device" },
    { "SIDE", "of a measurement" },
    { "RUNS", "of a measurement" },
    { "MANY", "of a measurement; bits of a mask" },
    { "ALONE", "of a measurement" },
    { "SAMPLE", "of a measurement: one of so many stands for all" },
    { "ADDITIONS_OF_EXP", "the unit of a measurement" },
    { "ORR__REGION_MAX_INPUTS", "the arguments of a kernel and buffers of a task" },
    { "TILES_ASKED", "a bound on what a user asks for" },
    { "NOTED", "elements of an array that a note to the user is worth" },
    { "STOP_US", "what include/orrery/eval.h promises" },
    { "interval", "s; how often a request to stop is looked for" },
    { "WORD", "bits" },
    { "MOST_URGENT", "a number of StarPU" },
    { "LONG_WORK", "s, after which a device counts as well" },
    { "timed_s", "a guess, which the measurement corrects" },
    { "once_s", "a guess, which the measurement corrects" },
    { "WHOLE", "a logarithm, of the items of the largest group" },
    { "MOST_INPUTS", "pointers that fit beside the words of a launch" },
    { "ORR__EMIT_ARG_BYTES", "what every OpenCL 1.2 device accepts" },
    { "ORR__TEXT_STEPS", "a bound on the work for a text" },
    { "ORR__TEXT_BYTES", "the unit of that bound" },
    { "KEPT", "a bound of memory" },
    { "SCRATCH_BYTES", "the largest accumulator" },
    { "ORR__LOOP_WHOLE", "a bit" },
    { "ORR__LOOP_JUMPS", "a bit" },
    { "ORR__LOOP_UNROLLED", "a bit" },
    { "ORR__LOOP_BOUND", "a bit" },
};

static char root[2048];
static int looked;

/* Blanks comments and strings. */
static void plain_text(char *s)
{
    for (; *s; s++) {
        char *end = s;
        if (s[0] == '/' && s[1] == '*')
            end = strstr(s, "*/") ? strstr(s, "*/") + 2 : s + strlen(s);
        else if (*s == '"')
            for (end++; *end && *end != '"' && *end != '\n'; end++)
                end += *end == '\\';
        for (; s < end; s++)
            *s = *s == '\n' ? '\n' : ' ';
    }
}

static bool of_others(const char *file)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(others[i], file, strlen(others[i])))
            return true;
    return false;
}

static bool of_meaning(const char *name, size_t n)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (strlen(meanings[i].name) == n && !strncmp(name, meanings[i].name, n))
            return true;
    return false;
}

static const char *blanks(const char *p)
{
    return p + strspn(p, " \t\n");
}

/* The value of the literal at p, or -1; a shift counts with it. */
static double literal(const char *p)
{
    char *end;
    if (!isdigit((unsigned char)*p) || strncmp(p, "0x", 2) == 0) /* bits */
        return -1;
    double x = strtod(p, &end);
    long by = 0;
    end = (char *)(size_t)blanks(end);
    if (!strncmp(end, "<<", 2))
        by = strtol(end + 2, NULL, 10);
    for (; by > 0; by--)
        x *= 2;
    bool unit = x == 1e9 || x == 1e-3 || x == 1e-6 || x == 1e-9; /* of one time in another */
    return unit ? -1 : x > 0 && x < 1 ? SMALL + 1 : x;           /* a fraction is a share */
}

/* The name that ends before p, and its length. */
static const char *name_before(const char *start, const char *p, size_t *n)
{
    while (p > start && isspace((unsigned char)p[-1]))
        p--;
    const char *end = p;
    while (p > start && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
        p--;
    *n = (size_t)(end - p);
    return p;
}

static bool capital(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (islower((unsigned char)name[i]))
            return false;
    return n > 1 && isupper((unsigned char)*name);
}

static void check_text(const char *file, const char *text)
{
    int line = 1;
    for (const char *p = text; *p; p++) {
        line += *p == '\n';
        size_t n = 0;
        bool compares = (*p == '<' || *p == '>') && p[1] != *p && p > text && p[-1] != *p && p[-1] != '-';
        const char *name =
            *p == '=' && p > text && p[1] != '=' && !strchr("=<>!+-*/|&^%", p[-1]) ? name_before(text, p, &n) : NULL;
        bool gives = name && capital(name, n) && !of_meaning(name, n);
        bool fixed = false; /* static const double x = 0.5 */
        for (const char *l = p; l > text && *l != '\n' && *l != ';'; l--) {
            fixed = fixed || (name && !of_meaning(name, n) && !strncmp(l, "static const ", 13));
            compares = compares && strncmp(l, "#if ", 4) != 0; /* of compilers */
        }
        if (!compares && !gives && !fixed)
            continue;
        double x = literal(blanks(p + 1 + (compares && p[1] == '=')));
        ORR_CHECK_MSG(x <= SMALL,
                      "%s:%d: the number %g belongs to runtime/base/threshold.def, or to the meanings of %s", file,
                      line, x, __FILE__);
    }
    for (const char *p = text; (p = strstr(p, "#define ")); p++) {
        size_t n = strcspn(p + 8, " (\n");
        double x = p[8 + n] == ' ' ? literal(blanks(p + 8 + n)) : -1;
        ORR_CHECK_MSG(x <= SMALL || of_meaning(p + 8, n),
                      "%s: the number of %.*s belongs to runtime/base/threshold.def", file, (int)n, p + 8);
    }
}

static char *contents(const char *file)
{
    char path[4096];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "%s/%s", root, file);
    return (char *)orr_test_slurp(path, &size);
}

static void check_place(const char *place)
{
    char folder[4096];
    const char *slash = strrchr(place, '/');
    (void)snprintf(folder, sizeof folder, "%s/%.*s", root, (int)(slash - place), place);
    DIR *d = opendir(folder);
    ORR_REQUIRE(d != NULL);
    for (struct dirent *e; (e = readdir(d));) {
        char file[512];
        if (strncmp(e->d_name, slash + 1, strlen(slash + 1)) != 0 || !strchr(e->d_name, '.'))
            continue;
        (void)snprintf(file, sizeof file, "%.*s/%.250s", (int)(slash - place), place, e->d_name);
        if (of_others(file))
            continue;
        char *text = contents(file);
        ORR_CHECK_MSG(text, "%s cannot be read", file);
        if (text) {
            plain_text(text);
            check_text(file, text);
            looked++;
        }
        free(text);
    }
    (void)closedir(d);
}

static void tuned_numbers_stand_in_their_table(void)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        check_place(places[i]);
    ORR_CHECK_MSG(looked > 100, "only %d files", looked);
}

/* Another one is added by deriving or deleting an old one. */
static void the_table_has_at_most_forty_rows(void)
{
    enum {
        ROWS = 0
#define THRESHOLD(name, value, unit, reason, command) +1
#include "runtime/base/threshold.def"
#undef THRESHOLD
    };
    ORR_CHECK_MSG(ROWS <= 40, "%d thresholds", ROWS);
}

static void every_threshold_has_a_user(void)
{
    static const char *const names[] = {
#define THRESHOLD(name, value, unit, reason, command) "ORR__T_" #name,
#include "runtime/base/threshold.def"
#undef THRESHOLD
    };
    enum { NAMES = sizeof names / sizeof *names };
    bool used[NAMES] = { false };
    char command[8192], word[128];
    (void)snprintf(command, sizeof command, "cd '%s' && grep -rhoE 'ORR__T_[A-Z_]+' runtime ops codelets | sort -u",
                   root);
    FILE *f = popen(command, "r");
    ORR_REQUIRE(f);
    while (fgets(word, sizeof word, f)) {
        word[strcspn(word, "\n")] = 0;
        for (int i = 0; i < NAMES; i++)
            used[i] = used[i] || !strcmp(word, names[i]);
    }
    ORR_CHECK(pclose(f) == 0);
    for (int i = 0; i < NAMES; i++)
        ORR_CHECK_MSG(used[i], "%s has no user", names[i]);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(tuned_numbers_stand_in_their_table),
                                      ORR_TEST(the_table_has_at_most_forty_rows),
                                      ORR_TEST(every_threshold_has_a_user),
                                      { 0 } };
    (void)snprintf(root, sizeof root, "%.2000s/../..", orr_test_golden("."));
    return orr_test_main(argc, argv, "thresholds", tests);
}
