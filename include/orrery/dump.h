/* An evaluation in a file: its graph, inputs, settings and results, for another machine to repeat, without the program.
 * Must not know: how a value is computed. */
#ifndef ORRERY_DUMP_H
#define ORRERY_DUMP_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Evaluates `n` tensors, as orr_eval_all does, and writes the evaluation to the file `path`, whether it succeeds or not: the graph with
 * its source lines, the inputs, the plan, the settings, and the results' digests. The file holds the program's data. ORRERY_DUMP writes
 * such files for evaluations that fail (docs/seeing.md).
 * errors:   those of the evaluation; ORR_EIO, ORR_ENOMEM; ORR_EGRAPH (random numbers that protect one release, collective operations of
 *           the program, values over ranks that exist already: these are never written). Over ranks rank 0 writes the file.
 * threads:  safe from any thread. */
ORR_API orr_status orr_dump_at(const char *file, int line, const char *path, orr_tensor *const *t, int n);
#define orr_dump(...) orr_dump_at(ORR_HERE, __VA_ARGS__)

/** Prints the content of a dump: why it was written, by which version and engine, its steps, and its receipt: SHA-256 digests of graph,
 * inputs, settings and results. Equal digests mean equal contents; source lines do not count.
 * errors:   ORR_EIO, ORR_EFORMAT (no dump, another version, damaged), ORR_ENOMEM, ORR_EINVAL (NULL). */
ORR_API orr_status orr_dump_print(FILE *to, const char *path);

/** Evaluates the graph of a dump again, as a whole, by this machine's plan, and prints for each result whether its bits are those of the
 * dump. *same, if not NULL: all are. A result that the dump does not know counts as the same. The library must run.
 * errors:   as orr_dump_print, and those of the evaluation; ORR_EGRAPH (a kernel of the program; inputs that the dump does not hold). */
ORR_API orr_status orr_replay(FILE *to, const char *path, bool *same);

/** Evaluates a dump step by step, each operation by itself, and prints for each its line, operation, shape and digest.
 * @param stop_at  "FILE:LINE": ends after the first step of this source line and prints its operands and its value; NULL: no step
 * @param record   a file for a copy of the dump that has the digest of every step, for orr_dump_compare; NULL: none
 * errors:   as orr_replay; ORR_EINVAL (no step has this line); ORR_EIO. */
ORR_API orr_status orr_replay_steps(FILE *to, const char *path, const char *stop_at, const char *record);

/** Finds the first step at which two dumps of one graph differ: another operation or number, another input, or another value from equal
 * operands; prints it with its source line, and sets *same. Values are compared by the digests that orr_replay_steps has recorded, perhaps
 * on different machines; a dump without them is evaluated here, where the library must run.
 * errors:   as orr_replay_steps. */
ORR_API orr_status orr_dump_compare(FILE *to, const char *path, const char *other, bool *same);

/** The numerical X-ray of a dump: evaluates each step in the program's precision and in wider reals beside it, prints the steps at which
 * digits are lost (cancellations among them), the significant digits of each step's median and worst element, and the narrower dtypes in
 * which the results would keep half of their digits. *found, if not NULL: the number of steps that lose digits. Choices by comparison,
 * indices and random numbers are those of the program. The library must run; docs/seeing.md explains the text.
 * errors:   as orr_replay; ORR_EINVAL (a value of more than 2²⁶ elements). */
ORR_API orr_status orr_xray(FILE *to, const char *path, int *found);

#ifdef __cplusplus
}
#endif
#endif
