/* Says what the machine has, what the library was built with and which variables it reads.
 * Must not know: anything but the public headers. */
#include <string.h>
#include <orrery.h>
#include <orrery/info.h>

static int usage(FILE *to, int rc)
{
    fputs("usage: orrery-info [--env | --env=markdown | --version | --help]\n"
          "  (nothing)        machine, libraries, engine\n"
          "  --env            environment variables and their values in force\n"
          "  --env=markdown   the same as docs/environment.md\n",
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
    return orr_env_print(stdout, 0) == ORR_OK ? 0 : orr_error_print(stderr);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return usage(stderr, 2);
    if (argc == 1)
        return with_engine(print_facts);
    if (!strcmp(argv[1], "--env"))
        return with_engine(print_env);
    if (!strcmp(argv[1], "--env=markdown"))
        return orr_env_print(stdout, 1) == ORR_OK ? 0 : orr_error_print(stderr);
    if (!strcmp(argv[1], "--version"))
        return printf("orrery-info %s\n", orr_version()) < 0;
    if (!strcmp(argv[1], "--help"))
        return usage(stdout, 0);
    return usage(stderr, 2);
}
