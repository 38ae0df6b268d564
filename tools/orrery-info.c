/* Prints the machine, the build, the environment variables, the kernel cache and the performance models.
 * Must not know: anything but the public headers. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <orrery.h>
#include <orrery/info.h>
#include "tools/info.h"
#include "tools/output.h"

static int usage(FILE *to, int rc)
{
    fputs("usage: orrery-info [--devices [--json] | --startup | --env | --env=markdown | --thresholds |\n"
          "                    --thresholds=markdown | --cache | --clear | --machine | --measure | --models |\n"
          "                    --clear-models | --version | --help]\n"
          "  (nothing)        machine, libraries, engine\n"
          "  --devices        every device: memory, units, temperature, power, utilisation, clocks\n"
          "  --devices --json the same as JSON\n"
          "  --startup        how long start, discovery, the first kernel and a dispatch take\n"
          "  --env            environment variables and their values in force\n"
          "  --env=markdown   the same as docs/environment.md\n"
          "  --thresholds     the tuned numbers, with their reasons and the commands that measure them\n"
          "  --thresholds=markdown  the same as docs/thresholds.md\n"
          "  --cache          the compiled kernels on disk\n"
          "  --clear          removes them\n"
          "  --machine        the numbers by which plans are made\n"
          "  --measure        measures them again, and keeps them\n"
          "  --models         measured times of tasks, by kernel, device and size\n"
          "  --clear-models   forgets that\n",
          to);
    return rc;
}

static int print_facts(void)
{
    enum { MOST = 64 };
    static orr_fact fact[MOST];
    int n = orr_info(fact, MOST);
    for (int i = 0; i < n && i < MOST; i++) {
        if (i == 0 || strcmp(fact[i].group, fact[i - 1].group) != 0)
            printf("%s%s\n", i ? "\n" : "", fact[i].group);
        printf("  %-18s %s\n", fact[i].name, fact[i].value);
    }
    return ferror(stdout) ? 1 : 0;
}

static int with_engine(int (*print)(void))
{
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = print();
    return orr_shutdown() == ORR_OK ? rc : orr_error_print(stderr);
}

static int print_env(void)
{
    return orr_env_print(stdout, false) == ORR_OK ? 0 : orr_error_print(stderr);
}

static int newest_first(const void *a, const void *b)
{
    const orr_cache_entry *x = a, *y = b;
    return x->used != y->used ? (x->used < y->used) - (x->used > y->used) : strcmp(x->key, y->key);
}

static void print_age(int64_t used)
{
    double s = difftime(time(NULL), (time_t)used);
    if (s < 120)
        printf("%6.0f s", s);
    else if (s < 7200)
        printf("%4.0f min", s / 60);
    else if (s < 172800)
        printf("%6.0f h", s / 3600);
    else
        printf("%6.0f d", s / 86400);
}

static int print_cache(void)
{
    int n = 0;
    double bytes = 0, seconds = 0;
    if (orr_cache_list(NULL, 0, &n) != ORR_OK)
        return orr_error_print(stderr);
    int max = n;
    orr_cache_entry *e = calloc((size_t)max + 1, sizeof *e);
    if (!e || orr_cache_list(e, max, &n) != ORR_OK) {
        free(e);
        return e ? orr_error_print(stderr) : 1;
    }
    n = n < max ? n : max;
    qsort(e, (size_t)n, sizeof *e, newest_first);
    printf("%-12s %9s %9s %8s  %-5s %s\n", "kernel", "bytes", "compiled", "age", "where", "computes");
    for (int i = 0; i < n; i++) {
        printf("%.12s %9llu %7.0f ms ", e[i].key, (unsigned long long)e[i].bytes, e[i].seconds * 1e3);
        print_age(e[i].used);
        printf("  %-5s %s%s%s\n", e[i].site ? "site" : "own", e[i].label, e[i].facts[0] ? ": " : "", e[i].facts);
        bytes += (double)e[i].bytes;
        seconds += e[i].seconds;
    }
    printf("%d kernel%s, %.1f KiB, compiled in %.2f s\n", n, n == 1 ? "" : "s", bytes / 1024, seconds);
    free(e);
    return ferror(stdout) ? 1 : 0;
}

static int clear_cache(void)
{
    int n = 0;
    if (orr_cache_clear(&n) != ORR_OK)
        return orr_error_print(stderr);
    return printf("%d kernel%s removed\n", n, n == 1 ? "" : "s") < 0;
}

static int run(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--devices") && !strcmp(argv[2], "--json"))
        return info_devices(true);
    if (argc > 2)
        return usage(stderr, 2);
    if (argc == 1)
        return with_engine(print_facts);
    if (!strcmp(argv[1], "--devices"))
        return info_devices(false);
    if (!strcmp(argv[1], "--startup"))
        return info_startup();
    if (!strcmp(argv[1], "--env"))
        return with_engine(print_env);
    if (!strcmp(argv[1], "--env=markdown"))
        return orr_env_print(stdout, true) == ORR_OK ? 0 : orr_error_print(stderr);
    if (!strncmp(argv[1], "--thresholds", 12) && (!argv[1][12] || !strcmp(argv[1] + 12, "=markdown")))
        return orr_thresholds_print(stdout, argv[1][12] != 0) == ORR_OK ? 0 : orr_error_print(stderr);
    if (!strcmp(argv[1], "--cache"))
        return print_cache();
    if (!strcmp(argv[1], "--clear"))
        return clear_cache();
    if (!strcmp(argv[1], "--machine"))
        return with_engine(info_machine);
    if (!strcmp(argv[1], "--measure"))
        return with_engine(info_measure);
    if (!strcmp(argv[1], "--models"))
        return info_models();
    if (!strcmp(argv[1], "--clear-models"))
        return info_clear_models();
    if (!strcmp(argv[1], "--version"))
        return printf("orrery-info %s\n", orr_version()) < 0;
    if (!strcmp(argv[1], "--help"))
        return usage(stdout, 0);
    return usage(stderr, 2);
}

int main(int argc, char **argv)
{
    return output_end("orrery-info", run(argc, argv));
}
