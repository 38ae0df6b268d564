/* The cases of orrery-bench peak-memory: the peak of memory that a computation uses beyond the started library.
 * Must not know: how a side computes. */
#ifndef ORR_BENCH_MEMORY_H
#define ORR_BENCH_MEMORY_H

#include <stdint.h>

typedef struct memory_case {
    const char *name, *what;
    double least; /* bytes that must be live at one time: inputs, values for the backward pass, results */
} memory_case;

extern const memory_case memory_cases[]; /* ends with name NULL */

/* Orrery, in this process, which should be fresh: the peak of resident bytes above those after a small run of the same
 * computation; < 0: failed. *checksum: equal on all sides. */
double memory_ours(const char *name, double *checksum);
/* The peak of resident bytes during the work, above the present ones; < 0: failed. */
double memory_of(int (*work)(void *user), void *user);
/* The peak of a case of network, "lenet5/train"; < 0: failed. */
double network_peak(const char *name);
/* Sets the peak of case `name`, measured in fresh processes of Orrery and of the peers, beside the reference that the record
 * has. 0, or 1 after a printed error. */
struct bench_record;
int memory_measure(struct bench_record *r, const char *name, int rounds);

#endif
