/* Prints the table of environment variables: plain, and as docs/environment.md.
 * Must not know: the users of a setting. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <orrery/info.h>
#include "runtime/api/file_sink.h"
#include "runtime/base/env.h"
#include "runtime/base/signals.h"
#include "runtime/base/starpu_variables.h"

static const char head[] =
    "# Environment\n"
    "\n"
    "Made by `orrery-info --env=markdown`; a test fails when this page is stale. Do not edit it.\n"
    "\n"
    "## Orrery's own variables\n"
    "\n"
    "Orrery reads these variables once, in `orr_init`; they override `orr_config`. `orrery-info --env` prints the "
    "table with the\n"
    "values in force.\n"
    "\n"
    "- A value that is not valid, or an `ORRERY_` name that is not in the table, is an error (`ORR_EENV`) whose "
    "message lists the\n"
    "  valid ones. So a typing mistake is never silent.\n"
    "- An empty variable counts as unset. For `on` and `off` stand `1`, `yes` and `true`,\n"
    "  and `0`, `no` and `false`, too.\n"
    "- A size is a number of bytes, or a number with K, M, G or T in steps of 1024, in either case, with or without B "
    "or iB: `64m`,\n"
    "  `64MB`, `1.5GiB`. The options of Orrery's programs take sizes in the same forms.\n"
    "- A relative path begins at the directory in which the program was when it called `orr_init`.\n"
    "\n"
    "| variable | values | default | meaning |\n"
    "|---|---|---|---|\n";

static const char starpu[] =
    "\n"
    "## StarPU's variables\n"
    "\n"
    "StarPU reads `STARPU_*` variables itself, with the meanings of its manual. StarPU ends the process at a value "
    "that "
    "it cannot\n"
    "read, so `orr_init` checks those of StarPU 1.3 and 1.4 before StarPU starts: a value that makes no sense is "
    "`ORR_EENV`, and the\n"
    "message has the right ones. An empty variable counts as unset. A wish for more workers than StarPU starts, and a "
    "name that a\n"
    "typing mistake turns into no variable of StarPU, are warnings in the log (`orrery-info` shows the number of "
    "workers and the\n"
    "number requested). These variables are common with Orrery:\n"
    "\n"
    "| variable | values | meaning |\n"
    "|---|---|---|\n";

static const char others[] =
    "\n"
    "The check also knows these, for which only StarPU's manual has a meaning (# is the number "
    "of a device or a step):\n";

static const char blas[] =
    "\n"
    "## Other variables\n"
    "\n"
    "`OPENBLAS_NUM_THREADS` is the largest number of threads of a long factorisation that runs alone\n"
    "([linalg.md](linalg.md#one-long-call)). Otherwise Orrery sets one BLAS thread inside each task, since the "
    "parallelism is\n"
    "between tasks. Between calls of BLAS, the number is that of the program, which may call the same BLAS.\n"
    "\n"
    "`XDG_CACHE_HOME` and `HOME` name the places of files if the variables above do not. A home directory that does "
    "not exist is not\n"
    "made: nothing is then kept for later processes.\n";

/* Wraps the names at the width of the page. */
static void print_others(FILE *to)
{
    enum { WIDE = 130 }; /* limit of a format */
    const orr__starpu_row *row;
    int column = 0;
    for (size_t i = 0; (row = orr__starpu_variable(i, NULL, 0)); i++) {
        int n = (int)strlen(row->name);
        if (row->meaning)
            continue;
        if (column == 0 || column + n + 4 > WIDE) {
            (void)fputs(column ? ",\n" : "", to);
            column = 0;
        } else {
            (void)fputs(", ", to);
        }
        column += fprintf(to, "`%s`", row->name) + 2;
    }
    (void)fputs(".\n", to);
}

static void print_starpu(FILE *to)
{
    char values[256];
    const orr__starpu_row *row;
    (void)fputs(starpu, to);
    for (size_t i = 0; (row = orr__starpu_variable(i, values, sizeof values)); i++)
        if (row->meaning)
            (void)fprintf(to, "| `%s` | %s | %s |\n", row->name, values, row->meaning);
    (void)fputs(others, to);
    print_others(to);
}

static void print_markdown(FILE *to)
{
    char now[1100];
    const orr__env_row *row;
    (void)fputs(head, to);
    for (size_t i = 0; (row = orr__env_table(i, now, sizeof now)); i++)
        (void)fprintf(to, "| `%s` | %s | %s | %s |\n", row->name, row->values,
                      *row->fallback ? row->fallback : "(empty)", row->meaning);
    print_starpu(to);
    (void)fputs(blas, to);
}

static void print_plain(FILE *to)
{
    char now[1100];
    const orr__env_row *row;
    (void)fprintf(to, "%-22s %-28s %-12s %-12s %s\n", "variable", "values", "default", "in force", "meaning");
    for (size_t i = 0; (row = orr__env_table(i, now, sizeof now)); i++)
        (void)fprintf(to, "%-22s %-28s %-12.40s %-12s %s\n", row->name, row->values,
                      *row->fallback ? row->fallback : "-", *now ? now : "-", row->meaning);
}

orr_status orr_env_print(FILE *to, bool markdown)
{
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(NULL, 0, "env_print");
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (markdown)
        print_markdown(to);
    else
        print_plain(to);
    return orr__printed(at, to);
}
