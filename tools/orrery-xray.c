/* Runs a program with dumps of its evaluations, and prints the significant digits of their steps.
 * Must not know: how a step is evaluated. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <orrery.h>
#include "tools/output.h"

static const char usage[] =
    "NAME\n"
    "  orrery-xray - significant digits, cancellations, and casts that would do, step by step\n"
    "SYNOPSIS\n"
    "  orrery-xray [--brief] PROGRAM [ARGUMENT…]   runs it; looks at the first evaluation of each structure\n"
    "  orrery-xray [--brief] --dump FILE…          looks at files of orr_dump or ORRERY_DUMP\n"
    "OPTIONS\n"
    "  --brief  prints the steps that lose digits alone\n"
    "Each step is evaluated in the program's precision and in wider reals beside it, on inputs of the program. A step\n"
    "is reported if a quarter of its elements lose half of their digits there, and its operands had them.\n"
    "EXIT STATUS\n"
    "  0: no step loses digits; 1: some do, or an error (on standard error); 2: wrong arguments. The program's own\n"
    "  output and status are not changed otherwise; a program that fails is looked at up to its failure.\n";

enum { FILES_MOST = 256 };

static int fail(const char *what, const char *of)
{
    (void)fprintf(stderr, "orrery-xray: %s%s\n", what, of);
    return 1;
}

/* Runs the program with dumps in the folder. */
static int run(char **argv, const char *folder)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        char path[600];
        (void)snprintf(path, sizeof path, "%s/dump", folder);
        if (setenv("ORRERY_DUMP", path, 1) == 0 && setenv("ORRERY_DUMP_WHEN", "new", 1) == 0)
            (void)execvp(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return fail("no process for ", argv[0]);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return fail("cannot run ", argv[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        (void)fprintf(stderr, "orrery-xray: %s failed; its evaluations up to there:\n", argv[0]);
    return 0;
}

/* Copies the lines that name a step which loses digits. */
static void print_findings(const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        if (*text != ' ' && strncmp(text, "digits of", 9) != 0)
            (void)fwrite(text, 1, (size_t)(end - text) + 1, stdout);
}

/* Returns 0: nothing found, 1: found, or an error. */
static int look(const char *path, bool brief)
{
    char *text = NULL;
    size_t size = 0;
    int found = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return fail("no memory", "");
    orr_status st = orr_xray(f, path, &found);
    (void)fclose(f);
    if (brief)
        print_findings(text);
    else
        (void)fputs(text, stdout);
    free(text);
    return st == ORR_OK ? found > 0 : orr_error_print(stderr);
}

/* Looks at the program's dumps and removes them. */
static int look_at_folder(const char *folder, bool brief)
{
    int rc = 0;
    char path[600];
    for (int i = 0; i < FILES_MOST; i++) {
        (void)snprintf(path, sizeof path, i ? "%s/dump.%d" : "%s/dump", folder, i);
        if (access(path, R_OK) != 0)
            break;
        rc = look(path, brief) || rc;
        (void)unlink(path);
    }
    return rc;
}

int main(int argc, char **argv)
{
    bool brief = argc > 1 && strcmp(argv[1], "--brief") == 0;
    char **rest = argv + 1 + brief, folder[500];
    const char *base = getenv("TMPDIR");
    int rc = 0;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, stdout);
        return output_end("orrery-xray", 0);
    }
    bool files = *rest && strcmp(*rest, "--dump") == 0;
    if (!*rest || (**rest == '-' && !files) || (files && !rest[1])) {
        (void)fputs(usage, stderr);
        return 2;
    }
    (void)snprintf(folder, sizeof folder, "%.400s/orrery-xray-XXXXXX", base && *base ? base : "/tmp");
    if (!files && (!mkdtemp(folder) || (rc = run(rest, folder)) != 0))
        return rc ? rc : fail("no folder for dumps: ", folder);
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    for (rest++; files && *rest; rest++)
        rc = look(*rest, brief) || rc;
    if (!files) {
        rc = look_at_folder(folder, brief);
        (void)rmdir(folder);
    }
    if (orr_shutdown() != ORR_OK)
        rc = orr_error_print(stderr);
    return output_end("orrery-xray", rc);
}
