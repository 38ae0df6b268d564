/* The ledger of regret: the time that trials cost. A trial is work done in another way than the best known one, to measure that way. Each
 * trial asks for leave with the excess that it may have, and reports the excess that it had. All trials of a process together are bounded.
 * Must not know: what is tried. */
#ifndef ORR_BASE_REGRET_H
#define ORR_BASE_REGRET_H

#include <stdbool.h>
#include <stdint.h>

/* A trial of an unknown way may take longer than the best known way by this part of its time; a way that takes longer is hopeless. */
#define ORR__REGRET_MOST 0.5 /* limit of search */
/* Promised to users (docs/tuning.md): the per cent of the time of all evaluations that trials may cost, and the ms that they may cost in
 * the first evaluations. */
enum { ORR__REGRET_SHARE = 5, ORR__REGRET_EARLY_MS = 10, ORR__REGRET_EARLY = 50 }; /* limit of search */

typedef struct orr__regret {
    uint64_t evaluations, trials, refused;
    double seconds; /* of the evaluations                                 */
    double excess;  /* of the trials beyond the best known ways, seconds  */
    double bound;   /* of the excess, now                                 */
} orr__regret;

/* True if a trial may begin whose excess is `expected` seconds; the ledger reserves them until the report. */
bool orr__regret_leave(double expected);
/* The trial that reserved `expected` has ended, with an excess of `excess` seconds; below 0: it was a gain, and counts as 0. */
void orr__regret_report(double expected, double excess);
/* The trial that reserved `expected` did not take place. */
void orr__regret_return(double expected);
/* Work in a way that was predicted to be the best has taken `excess` seconds more than the best known one. No trial, but the next trials
 * have less room. */
void orr__regret_add(double excess);
/* n evaluations have ended, which took so many seconds together. */
void orr__regret_evaluated(uint64_t n, double seconds);
orr__regret orr__regret_now(void);
void orr__regret_clear(void);

#endif
