/* The cases of orrery-bench peak-memory: how much memory a computation takes at most, beyond the started library.
 * Must not know: how a side computes. */
#ifndef ORR_BENCH_MEMORY_H
#define ORR_BENCH_MEMORY_H

#include <stdint.h>

typedef struct memory_case {
    const char *name, *what;
    double least; /* bytes that must exist at once: inputs, values for the backward pass, results */
} memory_case;

extern const memory_case memory_cases[]; /* ends with name NULL */

/* Ours, in this process, which should be a fresh one: the peak of resident bytes over what was there after a run of the
 * same in small, < 0: failed; *checksum: equal on all sides. */
double memory_ours(const char *name, double *checksum);

#endif
