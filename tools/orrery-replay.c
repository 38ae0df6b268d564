/* Prints, repeats and compares evaluations in files (orr_dump, ORRERY_DUMP).
 * Must not know: the form of the files. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <orrery.h>
#include "tools/output.h"

static const char usage[] =
    "NAME\n"
    "  orrery-replay - repeats an evaluation from a file, without the program that made it\n"
    "SYNOPSIS\n"
    "  orrery-replay DUMP                     evaluates the graph; compares the results' bits with the file's\n"
    "  orrery-replay --show DUMP              prints steps, plan, settings and receipt; evaluates nothing\n"
    "  orrery-replay --steps [--break FILE:LINE] [--record OUT] DUMP\n"
    "  orrery-replay --bisect DUMP OTHER      names the first step at which the two differ\n"
    "OPTIONS\n"
    "  --steps            evaluates one operation after the other, and prints the digest of each value\n"
    "  --break FILE:LINE  the same up to the first step of this source line, with its operands and its value\n"
    "  --record OUT       the same, and writes a copy of the dump with all digests, for --bisect on another machine\n"
    "  --bisect           compares graphs, inputs, and values by their digests; a dump without digests is evaluated "
    "here\n"
    "ENVIRONMENT\n"
    "  ORRERY_* as for every program: ORRERY_ENGINE=serial, ORRERY_FUSE=off, ORRERY_ISA=avx2 repeat in another way.\n"
    "  A dump is written by orr_dump, and by ORRERY_DUMP=FILE for an evaluation that fails. It is as much to be "
    "trusted\n"
    "  as a program, and it holds the program's data.\n"
    "EXIT STATUS\n"
    "  0: the same; 1: a difference, or an error (on standard error); 2: wrong arguments.\n";

typedef struct {
    bool show, steps, bisect;
    const char *place, *record, *path[2];
    int n;
} arguments;

static bool parse(int argc, char **argv, arguments *a)
{
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--show") == 0)
            a->show = true;
        else if (strcmp(argv[i], "--steps") == 0)
            a->steps = true;
        else if (strcmp(argv[i], "--bisect") == 0)
            a->bisect = true;
        else if (strcmp(argv[i], "--break") == 0 && more)
            a->place = argv[++i];
        else if (strcmp(argv[i], "--record") == 0 && more)
            a->record = argv[++i];
        else if (argv[i][0] != '-' && a->n < 2)
            a->path[a->n++] = argv[i];
        else
            return false;
    }
    a->steps = a->steps || a->place || a->record;
    return a->n == (a->bisect ? 2 : 1) && a->show + a->steps + a->bisect <= 1;
}

static orr_status work(const arguments *a, bool *same)
{
    if (a->show)
        return orr_dump_print(stdout, a->path[0]);
    if (a->bisect)
        return orr_dump_compare(stdout, a->path[0], a->path[1], same);
    if (a->steps)
        return orr_replay_steps(stdout, a->path[0], a->place, a->record);
    return orr_replay(stdout, a->path[0], same);
}

int main(int argc, char **argv)
{
    arguments a = { .n = 0 };
    bool same = true;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(usage, stdout);
        return output_end("orrery-replay", 0);
    }
    if (!parse(argc, argv, &a)) {
        (void)fputs(usage, stderr);
        return 2;
    }
    if (!a.show && orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    int rc = work(&a, &same) == ORR_OK ? !same : orr_error_print(stderr);
    if (!a.show && orr_shutdown() != ORR_OK)
        rc = orr_error_print(stderr);
    return output_end("orrery-replay", rc);
}
