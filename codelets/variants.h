/* Variants of one computation, of which this machine's fastest is chosen by measurement. Each is timed a few times. The
 * choice then stays for this process and, in the models' file, for later ones.
 * Must not know: the variants' work. */
#ifndef ORR_CODELETS_VARIANTS_H
#define ORR_CODELETS_VARIANTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ORR__VARIANTS_MOST = 4 };

/* The variants of one kernel in one class of sizes; lives as long as the process. Variant 0 is the default without
 * measurement. */
typedef struct orr__variants {
    uint64_t kernel;
    uint32_t size;
    int n;
    atomic_int chosen, turn; /* -1: not yet chosen; the variant to be timed next */
    atomic_bool used;        /* by this process; false: only read from a file    */
    int taken[ORR__VARIANTS_MOST];
    double least[ORR__VARIANTS_MOST];
    struct orr__variants *next;
} orr__variants;

/* Finds or makes the entry. NULL: no memory. Any thread. */
orr__variants *orr__variants_of(uint64_t kernel, uint32_t size, int n);
/* The variant that is chosen; -1: none yet. 0 with ORRERY_MACHINE=fixed, or if v is NULL. */
int orr__variants_settled(const orr__variants *v);
/* A class of sizes: the logarithm of n, rounded down. */
static inline uint32_t orr__octave(int64_t n)
{
    uint32_t log = 0;
    while (n >> log > 1)
        log++;
    return log;
}
/* One piece of a program's work, done by a variant. `trial`: that is not the best known one, and the ledger of regret has given leave. */
typedef struct orr__pick {
    orr__variants *v;
    int way;
    bool timed, trial;
    double began, expected;
} orr__pick;
/* The variant for work that begins now. part: the work that a trial would do, in any unit; the rest is for the next turn. Variant 0 comes
 * first. Another one is tried as far as the ledger of regret allows; one that takes longer than the best known one by half, repeatedly, is
 * not tried again. Any thread; the turn ends on the thread on which it began. */
orr__pick orr__variants_begin(orr__variants *v, double part);
/* Reports that the turn has done so much work; 0: it has not taken place. */
void orr__variants_end(const orr__pick *t, double work);

/* For work that is done only to be measured, whose whole time is regret. The variant to use now; *timed: its time is needed. With
 * ORRERY_MACHINE=fixed, variant 0 and never timed. Any thread. */
int orr__variants_next(orr__variants *v, bool *timed);
/* Reports the time of variant i, in any unit common to all variants. Another variant than 0 is chosen if it is clearly
 * faster. */
void orr__variants_time(orr__variants *v, int i, double time);

/* Calls f for each entry with a choice, or with a time of each variant, which a later process need not try again; sets a choice as read from a file; opens all choices again and returns their
 * number. */
void orr__variants_each(void (*f)(const orr__variants *v, int chosen, void *arg), void *arg);
void orr__variants_put(uint64_t kernel, uint32_t size, int n, int chosen);
int orr__variants_forget(void);

#endif
