/* Tuned numbers stand in runtime/base/threshold.def alone. A number is found by its form: a constant that is given a numeric literal (a member
 * of an enum, a macro, a static const), or a comparison with one. Small numbers, which count axes or operands, may stand anywhere, and so may
 * bits of a set, extents of arrays and counts of a loop. Any other number is a limit of a kind, which a comment beside it or before its
 * statement names: "limit of memory".
 * Must not know: what any number does. */
#include "config.h"
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tests/harness/harness.h"

static const char *const rooms[] = { "codelets", "runtime", "ops" };
/* Constants of other libraries and languages; functions, whose numbers are coefficients and ranges. */
static const char *const others[] = { "codelets/cuda/driver.h", "codelets/emit/helpers.c", "codelets/cpu/vec_",
                                      "codelets/cpu/vmath",     "codelets/cpu/philox",     "codelets/cpu/half.h",
                                      "codelets/cpu/vqsort",    "runtime/base/sha256",     "runtime/base/variate",
                                      "runtime/base/philox",    "ops/privacy/pld.c",       "ops/privacy/rdp.c",
                                      "ops/privacy/gaussian.c", "ops/privacy/epsilon.c" };
/* Larger numbers are thresholds, unless they are limits. */
enum { SMALL = 9 };

/* The kinds of limits. A number of another kind was tuned. */
static const struct {
    const char *name, *of;
} kinds[] = {
    { "memory", "what is kept, and an array on the stack" },
    { "search", "steps after which a search or an iteration ends" },
    { "format", "a file, a message, a text or a key" },
    { "arithmetic", "bits, range and accuracy of a type" },
    { "order", "the order of sums, or the bits of a result, which all ways of computing share" },
    { "measurement", "repetitions and plausible values; a guess that a measurement replaces" },
    { "machine", "a fact of processors, devices and systems" },
    { "library", "a limit or a number of another library or tool" },
    { "promise", "what the documentation promises to users, and what is worth a message to them" },
    { "patience", "time after which another process, thread or file is taken to be dead" },
};

static char root[2048];

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

/* Does text[from … to) name a kind of limit? */
static bool names_kind(const char *text, size_t from, size_t to)
{
    static const char *const words[] = { "imit of ", "imits of ", "the ", "a ", "an " };
    for (const char *p = text + from; (p = strstr(p, "imit")) && p < text + to; p++) {
        const char *k = p;
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            k += strncmp(k, words[w], strlen(words[w])) ? 0 : strlen(words[w]);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds && k > p; i++)
            if (!strncmp(k, kinds[i].name, strlen(kinds[i].name)))
                return true;
    }
    return false;
}

static bool blank_until(const char *p, const char *end)
{
    while (p < end && isspace((unsigned char)*p))
        p++;
    return p >= end;
}

static const char *line_of(const char *start, const char *p)
{
    while (p > start && p[-1] != '\n')
        p--;
    return p;
}

/* True for a number at p that a comment calls a limit. The comment ends before the statement, or stands in it or behind it on the line. */
static bool is_limit(const char *raw, const char *text, const char *p)
{
    const bool directive = *line_of(text, p) == '#';
    const char *from = p, *to = p + strcspn(p, directive ? "\n" : "{};");
    to += strcspn(to, "\n");
    if (directive) /* a comment may be about several in a row */
        for (from = line_of(text, p); from > text && *line_of(text, from - 1) == '#';)
            from = line_of(text, from - 1);
    else
        while (from > text && from[-1] != ';' && from[-1] != '}')
            from--;
    const char *next = from + strcspn(from, "\n");
    if (from > text && next < p && blank_until(from, next))
        from = next;                                             /* a comment there is about the statement before */
    while (from > text && from[-1] == '\n' && from - 1 > text) { /* comments of a directive */
        const char *line = line_of(text, from - 1);
        if (!blank_until(line, from) || blank_until(raw + (line - text), raw + (from - text)))
            break;
        from = line;
    }
    return names_kind(raw, (size_t)(from - text), (size_t)(to - text));
}

/* True for a name in brackets: the extent of an array. */
static bool is_extent(const char *text, const char *name, size_t n)
{
    for (const char *p = text; (p = strchr(p, '[')); p++) {
        const char *end = p + strcspn(p, "];");
        for (const char *q = p + 1; q + n <= end; q++)
            if (!strncmp(q, name, n) && !isalnum((unsigned char)q[-1]) && q[-1] != '_' &&
                !isalnum((unsigned char)q[n]) && q[n] != '_')
                return true;
    }
    return false;
}

/* True for a member of an enum that has the bits of a set, at p. */
static bool is_bit(const char *text, const char *p)
{
    const char *from = p, *to = p + strcspn(p, "}");
    int bits = 0;
    while (from > text && *from != '{' && *from != '}' && *from != ';')
        from--;
    for (const char *q = from; *from == '{' && (q = strchr(q, '=')) && q < to; q++) {
        long x = strtol(q + 1, NULL, 10);
        bits |= x == 1 || x == 2 || x == 4 || x == 8 ? (int)x : 0;
    }
    return bits == 15;
}

static const char *blanks(const char *p)
{
    return p + strspn(p, " \t\n");
}

/* The value of the literal at p, or -1; shifts and factors count with it. A number that is derived from another constant has its limit there. */
static double literal(const char *p)
{
    char *end;
    if (!isdigit((unsigned char)*p) || strncmp(p, "0x", 2) == 0) /* bits */
        return -1;
    double x = strtod(p, &end);
    long by = 0;
    p = blanks(end);
    if (!strncmp(p, "<<", 2))
        by = strtol(p + 2, NULL, 10);
    for (; by > 0; by--)
        x *= 2;
    while (*p && strchr("*/+", *p)) {
        const char *operand = blanks(p + 1);
        if (isupper((unsigned char)*operand))
            return -1;
        if (*p != '*' || !isdigit((unsigned char)*operand))
            break;
        x *= strtod(operand, &end);
        p = blanks(end);
    }
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

static int looked, unexplained;

static void judge(const char *file, int line, double x, bool explained)
{
    if (x <= SMALL || explained)
        return;
    unexplained++;
    if (file)
        printf("%s:%d: the number %g belongs to runtime/base/threshold.def, or a comment says of which kind it is a "
               "limit\n",
               file, line, x);
}

/* Numbers that are neither thresholds nor limits are counted, and shown if the text is of a file. */
static void judge_text(const char *file, const char *raw)
{
    char *text = strdup(raw);
    ORR_REQUIRE(text != NULL);
    plain_text(text);
    int line = 1;
    for (const char *p = text; *p; p++) {
        line += *p == '\n';
        size_t n = 0;
        if (!strncmp(p, "#define ", 8)) {
            n = strcspn(p + 8, " (\n");
            double x = p[8 + n] == ' ' ? literal(blanks(p + 8 + n)) : -1;
            judge(file, line, x, is_limit(raw, text, p) || is_extent(text, p + 8, n));
            continue;
        }
        bool compares = (*p == '<' || *p == '>') && p[1] != *p && p > text && p[-1] != *p && p[-1] != '-';
        const char *name =
            *p == '=' && p > text && p[1] != '=' && !strchr("=<>!+-*/|&^%", p[-1]) ? name_before(text, p, &n) : NULL;
        bool gives = name && capital(name, n);
        const char *from = line_of(text, p);
        for (const char *l = from; l < p && (name || compares); l++) {
            compares =
                compares && strncmp(l, "for (", 5) != 0 && strncmp(l, "#if ", 4) != 0 && strncmp(l, "#elif ", 6) != 0;
            gives = gives || (name && !strncmp(l, "static const ", 13));
        }
        if (compares || gives)
            judge(file, line, literal(blanks(p + 1 + (compares && p[1] == '='))),
                  is_limit(raw, text, p) || (name && (is_extent(text, name, n) || is_bit(text, p))));
    }
    free(text);
}

static char *contents(const char *file)
{
    char path[4096];
    size_t size = 0;
    (void)snprintf(path, sizeof path, "%s/%s", root, file);
    return (char *)orr_test_slurp(path, &size);
}

static void check_file(const char *file)
{
    char *raw = contents(file);
    ORR_CHECK_MSG(raw, "%s cannot be read", file);
    if (raw)
        judge_text(file, raw);
    looked++;
    free(raw);
}

static void check_folder(const char *folder)
{
    char path[4096], file[512];
    (void)snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *d = opendir(path);
    ORR_REQUIRE(d != NULL);
    for (struct dirent *e; (e = readdir(d));) {
        const char *end = strrchr(e->d_name, '.');
        struct stat is;
        (void)snprintf(file, sizeof file, "%.250s/%.250s", folder, e->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", root, file);
        if (end && (!strcmp(end, ".c") || !strcmp(end, ".h") || !strcmp(end, ".cpp") || !strcmp(end, ".kernel") ||
                    !strcmp(end, ".def"))) {
            if (!of_others(file))
                check_file(file);
        } else if (*e->d_name != '.' && stat(path, &is) == 0 && S_ISDIR(is.st_mode)) {
            check_folder(file);
        }
    }
    (void)closedir(d);
}

static void tuned_numbers_stand_in_their_table(void)
{
    unexplained = 0;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        check_folder(rooms[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && unexplained > 0; i++)
        printf("limit of %s: %s\n", kinds[i].name, kinds[i].of);
    ORR_CHECK_MSG(unexplained == 0, "%d numbers are neither thresholds nor limits", unexplained);
    ORR_CHECK_MSG(looked > 800, "only %d files", looked);
}

static void a_number_without_a_kind_is_found(void)
{
    static const struct {
        const char *text;
        int found;
    } cases[] = {
        { "enum { FEW = 100 };", 1 },
        { "enum { FEW = 100 }; /* limit of memory */", 0 },
        { "enum { FEW = 100 }; /* limit of taste: many */", 1 },
        { "int x; /* limit of memory */\nenum { FEW = 100 };", 1 },
        { "/* Limits of a search. */\nenum { FEW = 100, MANY = 200 };", 0 },
        { "enum { FEW = 16 * 16 };", 1 },
        { "enum { FEW = 16 * ORR__VECTOR };", 0 },
        { "enum { FEW = 100 };\nint x[FEW];", 0 },
        { "enum { A = 1, B = 2, C = 4, D = 8, E = 16 };", 0 },
        { "#define LONG 4096", 1 },
        { "/* limits of a format */\n#define LONG 4096\n#define HIGH 12", 0 },
        { "static const double share = 0.3;", 1 },
        { "if (n > 1 << 20)\n    f();", 1 },
        { "/* limit of arithmetic */\nif (n > 1 << 20)\n    f();", 0 },
        { "for (int i = 0; i < 32; i++)", 0 },
        { "if (n > 9)\n    f();", 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unexplained = 0;
        judge_text(NULL, cases[i].text);
        ORR_CHECK_MSG(unexplained == cases[i].found, "%s: %d", cases[i].text, unexplained);
    }
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
                                      ORR_TEST(a_number_without_a_kind_is_found),
                                      ORR_TEST(the_table_has_at_most_forty_rows),
                                      ORR_TEST(every_threshold_has_a_user),
                                      { 0 } };
    (void)snprintf(root, sizeof root, "%.2000s/../..", orr_test_golden("."));
    return orr_test_main(argc, argv, "thresholds", tests);
}
