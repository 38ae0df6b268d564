/* Runs benchmark cases, each beside a reference measured in the same run.
 * Must not know: the cases (bench/cases.c lists them). */
#include "config.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <orrery.h>
#include "bench/bench.h"
#include "tools/output.h"

static int usage(FILE *to, int rc)
{
    (void)fputs("usage: orrery-bench [--list] [--rounds N] [--json FILE] [--svg FILE] [--seconds N]\n"
                "                    [--peer COMMAND]… [CASE|GROUP…]\n"
                "  --list       names the cases, of the groups that are asked for or of all, and runs none\n"
                "  --rounds N   interleaved rounds of each case and its reference (5); the median counts\n"
                "  --least      judges each case by its fastest round instead of the median, for a shared machine\n"
                "  --json FILE  writes the records to FILE too (-: standard output, and the table to stderr)\n"
                "  --svg FILE   draws them: bars of the ratios, those behind first\n"
                "  --markdown FILE  where the case ablation writes its table\n"
                "  --seconds N  how long the case soak goes on (30; an hour: 3600)\n"
                "  --seed S, --programs N, --family F   what the case random draws (a fresh seed, 200, all families)\n"
                "  --megabytes N    about the largest array of its programs (64)\n"
                "  --large          draws f32 alone, in arrays of about 10^6 elements or more\n"
                "  --isa avx2   the case random also with Orrery and the peers limited to the vectors of AVX2\n"
                "  --program FILE   the case random computes this program instead\n"
                "  --keep FOLDER    where it keeps its programs and their explanations\n"
                "  --peer CMD   a program that computes the cases of fusion too (see docs/benchmarks.md)\n"
                "Without a CASE or GROUP: all but ablation, random, lengths, paced and simulate. ratio: 1 equals the "
                "reference, larger "
                "is better.\n"
                "The exit status says whether the cases could be run, not how they did.\n",
                to);
    return rc;
}

/* True if the word names this case: "fusion:poly6" is the case fusion with a filter; a word without a filter may be
 * a group. */
static bool asked(const bench_case *c, const char *word)
{
    size_t n = strcspn(word, ":");
    bool by_name = strlen(c->name) == n && !strncmp(c->name, word, n);
    return by_name || (!word[n] && !strcmp(c->group, word));
}

static bool known(const char *word)
{
    const bench_case *c = bench_cases;
    while (c->name && !asked(c, word))
        c++;
    return c->name != NULL;
}

static void list(char **name, int n)
{
    for (const bench_case *c = bench_cases; c->name; c++) {
        bool named = n == 0;
        for (int i = 0; i < n; i++)
            named |= asked(c, name[i]);
        if (named)
            printf("%-10s %-12s %s\n", c->group, c->name, c->what);
    }
    if (n == 0)
        bench_fusion_list();
}

static int run_asked(bench_sink *s, const char *word, int rounds)
{
    const char *colon = strchr(word, ':');
    int rc = 0;
    bench_opt.filter = colon ? colon + 1 : NULL;
    for (const bench_case *c = bench_cases; c->name; c++)
        if (asked(c, word))
            rc |= c->run(s, rounds) != 0;
    return rc;
}

static int note_machine(bench_sink *s)
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    bench_note_machine(s);
    return orr_shutdown() == ORR_OK ? 0 : orr_error_print(stderr);
}

/* Cases with a long run time run only on request. */
static bool takes_part(const bench_case *c)
{
    static const char *const on_request[] = { "ablation", "random", "lengths", "paced", "simulate" };
    for (size_t i = 0; i < sizeof on_request / sizeof *on_request; i++)
        if (!strcmp(c->group, on_request[i]))
            return false;
    return true;
}

static int run(char **name, int n, bool only_list, int rounds, const char *json, const char *svg)
{
    for (int i = 0; i < n; i++)
        if (!known(name[i])) {
            (void)fprintf(stderr, "orrery-bench: no group or case '%s'; these are there:\n", name[i]);
            list(NULL, 0);
            return 2;
        }
    if (only_list) {
        list(name, n);
        return 0;
    }
    bench_sink *s = bench_sink_new(json && !strcmp(json, "-") ? stderr : stdout);
    int rc = s ? note_machine(s) : 1;
    for (const bench_case *c = bench_cases; rc == 0 && n == 0 && c->name; c++)
        rc |= takes_part(c) && c->run(s, rounds) != 0;
    for (int i = 0; rc == 0 && i < n; i++)
        rc |= run_asked(s, name[i], rounds);
    if (s && json)
        rc |= bench_write_json(s, json);
    if (s && svg)
        rc |= bench_write_svg(s, svg);
    bench_sink_free(s);
    return rc;
}

/* Opens standard input and output if they are closed. Otherwise the next files that the program opens, among them a
 * peer's pipes, get their numbers. */
static void open_what_is_closed(void)
{
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    if (fd >= 0)
        (void)close(fd);
}

/* Reads a number that fills the whole text. */
static bool whole(const char *text, uint64_t *to)
{
    char *end;
    errno = 0;
    *to = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && errno == 0;
}

/* Reads an option of the case random. An invalid value is reported and leaves a negative number of programs. */
static bool random_option(const char *name, const char *value)
{
    uint64_t n = 0;
    bool ok = true;
    if (!strcmp(name, "--seed")) {
        bench_opt.seeded = ok = whole(value, &bench_opt.seed);
    } else if (!strcmp(name, "--programs")) {
        ok = whole(value, &n) && n >= 1 && n <= 100000;
        bench_opt.programs = ok ? (int)n : 0;
    } else if (!strcmp(name, "--megabytes")) {
        ok = whole(value, &n) && n >= 1 && n <= 100000;
        bench_opt.megabytes = ok ? (int)n : 0;
    } else if (!strcmp(name, "--family"))
        bench_opt.family = value;
    else if (!strcmp(name, "--isa"))
        bench_opt.isa = value;
    else if (!strcmp(name, "--program"))
        bench_opt.program = value;
    else if (!strcmp(name, "--keep"))
        bench_opt.keep = value;
    else
        return false;
    if (!ok) {
        (void)fprintf(stderr, "orrery-bench: %s %s makes no sense; it takes a whole number%s\n", name, value,
                      !strcmp(name, "--seed") ? "" : " from 1 to 100000");
        bench_opt.programs = -1;
    }
    return true;
}

static int bench(int argc, char **argv)
{
    const char *json = NULL, *svg = NULL;
    int rounds = 5, names = 0;
    bool only_list = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            argv[names++] = argv[i];
            continue;
        }
        if (!strcmp(argv[i], "--list")) {
            only_list = true;
            continue;
        }
        if (!strcmp(argv[i], "--serve"))
            return bench_serve();
        if (!strcmp(argv[i], "--start"))
            return bench_start(i + 1 < argc ? argv[i + 1] : "");
        if (!strcmp(argv[i], "--help"))
            return usage(stdout, 0);
        if (!strcmp(argv[i], "--least")) {
            bench_opt.least = true;
            continue;
        }
        if (!strcmp(argv[i], "--large")) {
            bench_opt.large = true;
            continue;
        }
        if (i + 1 < argc && !strcmp(argv[i], "--json"))
            json = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--markdown"))
            bench_opt.markdown = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--svg"))
            svg = argv[++i];
        else if (i + 1 < argc && !strcmp(argv[i], "--seconds") && (bench_opt.seconds = atof(argv[i + 1])) > 0.0)
            i++;
        else if (i + 1 < argc && !strcmp(argv[i], "--rounds"))
            rounds = atoi(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "--peer") && bench_opt.npeer < BENCH_MOST_PEERS)
            bench_opt.peer[bench_opt.npeer++] = argv[++i];
        else if (i + 1 < argc && random_option(argv[i], argv[i + 1])) {
            if (bench_opt.programs < 0)
                return 2;
            i++;
        } else
            return usage(stderr, 2);
    }
    if (rounds < 1 || rounds > 1000)
        return usage(stderr, 2);
    return run(argv, names, only_list, rounds, json, svg);
}

int main(int argc, char **argv)
{
    open_what_is_closed();
    return output_end("orrery-bench", bench(argc, argv));
}
