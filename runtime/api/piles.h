/* Inside the API room: submissions of piles (runtime/graph/pile.h) that are under way.
 * Must not know: how a pile is found. */
#ifndef ORR_API_PILES_H
#define ORR_API_PILES_H

#include "runtime/engine/engine.h"

/* The most submissions of one thread under way: one that runs, and the next one. A thread that would submit more waits, so that a loop
 * that only records has bounded memory. */
enum { ORR__PILES = 2 };

void orr__piles_start(void); /* from now on, piles are submitted */
void orr__piles_stop(void);
/* Waits for those of this thread. The error of the first that failed, once. */
orr_status orr__piles_wait(void);
/* References to those of this thread, else NULL. */
void orr__piles_under_way(orr__run *run[ORR__PILES]);

#endif
