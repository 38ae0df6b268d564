/* Ways of computing the same, of which the machine says which one is fastest: each is timed a few times, then the choice stays, for this
 * process and, in the models' file, for later ones.
 * Must not know: what the ways are. */
#ifndef ORR_CODELETS_VARIANTS_H
#define ORR_CODELETS_VARIANTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { ORR__VARIANTS_MOST = 4 };

/* The ways of one kernel at one class of sizes; as long as the process. Way 0 is the one that is right without measuring. */
typedef struct orr__variants {
    uint64_t kernel;
    uint32_t size;
    int n;
    atomic_int chosen, turn; /* -1: not yet; whose turn it is to be timed */
    int taken[ORR__VARIANTS_MOST];
    double least[ORR__VARIANTS_MOST];
    struct orr__variants *next;
} orr__variants;

/* Found or made. NULL: no memory. Any thread. */
orr__variants *orr__variants_of(uint64_t kernel, uint32_t size, int n);
/* The way to go now; *timed: its time is wanted. Way 0, never timed, with ORRERY_MACHINE=fixed. Any thread. */
int orr__variants_next(orr__variants *v, bool *timed);
/* Way i took so long, in any unit that is the same for all ways. Another way than 0 is chosen where it is clearly faster. */
void orr__variants_time(orr__variants *v, int i, double time);

/* Those that are chosen; one as a file has it; all are open again: how many there were. */
void orr__variants_each(void (*f)(const orr__variants *v, int chosen, void *arg), void *arg);
void orr__variants_put(uint64_t kernel, uint32_t size, int n, int chosen);
int orr__variants_forget(void);

#endif
