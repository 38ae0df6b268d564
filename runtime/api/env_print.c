/* Prints the table of environment variables: plain, and as docs/environment.md.
 * Must not know: the users of a setting. */
#include "config.h"
#include <stdio.h>
#include <orrery/info.h>
#include "runtime/api/file_sink.h"
#include "runtime/base/env.h"

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
    "- An empty variable counts as unset. Switches take `on` and `off`, or `1` and `0`.\n"
    "- A relative path begins at the directory in which the program was when it called `orr_init`.\n"
    "\n"
    "| variable | values | default | meaning |\n"
    "|---|---|---|---|\n";

static const char tail[] =
    "\n"
    "## StarPU's variables\n"
    "\n"
    "Orrery passes `STARPU_*` variables to StarPU unchanged; StarPU's manual lists all of them. These are common with "
    "Orrery:\n"
    "\n"
    "| variable | meaning |\n"
    "|---|---|\n"
    "| `STARPU_NCPU` | number of CPU workers; without it ranks on the same cores divide these |\n"
    "| `STARPU_NOPENCL` | number of OpenCL devices; 0: none |\n"
    "| `STARPU_NCUDA` | number of CUDA devices; 0: none |\n"
    "| `STARPU_SCHED` | scheduling policy: `lws`, `eager`, `dmda`, `dmdas` …; unset, Orrery chooses by the machine |\n"
    "| `STARPU_CALIBRATE` | 1: measure until the performance models are complete; 2: delete them and measure again |\n"
    "| `STARPU_HOME` | where performance models and bus measurements are kept |\n"
    "| `STARPU_WORKERS_CPUID` | which cores the CPU workers are bound to |\n"
    "| `STARPU_WORKERS_GETBIND` | 0: workers on all cores of the machine, even those that the process may not use "
    "(Orrery sets it to 1) |\n"
    "| `STARPU_WORKERS_NOBIND` | 1: do not bind workers to cores (several processes on one machine) |\n"
    "| `STARPU_OPENCL_ON_CPUS` | 1: an OpenCL implementation for CPUs (PoCL) counts as a device; for tests |\n"
    "| `STARPU_OPENCL_ONLY_ON_CPUS` | 1: such an implementation is the only OpenCL device |\n"
    "| `STARPU_LIMIT_OPENCL_MEM` | MB of device memory that may be used |\n"
    "| `STARPU_SILENT` | 0: StarPU prints its messages (unset, Orrery sets 1); its warnings are printed in either case "
    "|\n"
    "\n"
    "`OPENBLAS_NUM_THREADS` is the largest number of threads of a long factorisation that runs alone\n"
    "([linalg.md](linalg.md#one-long-call)). Otherwise Orrery sets one BLAS thread inside each task, since the "
    "parallelism is\n"
    "between tasks, and restores the number at `orr_shutdown`.\n";

static void print_markdown(FILE *to)
{
    char now[1100];
    const orr__env_row *row;
    (void)fputs(head, to);
    for (size_t i = 0; (row = orr__env_table(i, now, sizeof now)); i++)
        (void)fprintf(to, "| `%s` | %s | %s | %s |\n", row->name, row->values,
                      *row->fallback ? row->fallback : "(empty)", row->meaning);
    (void)fputs(tail, to);
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
    orr__site at = ORR__SITE(NULL, 0, "env_print");
    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (markdown)
        print_markdown(to);
    else
        print_plain(to);
    return orr__printed(at, to);
}
