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
/* The peak of resident bytes over what is there now, while it works; < 0: failed. */
double memory_of(int (*work)(void *user), void *user);
/* Of a case of network, "lenet5/train"; < 0: failed. */
double network_peak(const char *name);
/* Fills in the peak of case `name`, asked of fresh processes of ours and of the peers, beside the reference that the record has.
 * 0, or it has said why not. */
struct bench_record;
int memory_measure(struct bench_record *r, const char *name, int rounds);

#endif
