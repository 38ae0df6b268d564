/* Blocks of a pack's work without a waiter yet.
 * Must not know: what a block computes. */
#ifndef ORR_OPS_PACK_BACKGROUND_H
#define ORR_OPS_PACK_BACKGROUND_H

#include "ops/pack/parallel.h"

typedef struct orr__background orr__background;

/* Submits fn(job, 0 … blocks−1) and returns. job stays good until orr__background_wait. NULL: last error. */
orr__background *orr__background_start(orr__site at, int64_t blocks, orr__block_fn *fn, void *job);
bool orr__background_done(const orr__background *b);
/* Waits, frees; how the blocks ended. After orr_shutdown, which has waited, too. NULL is fine. */
orr_status orr__background_wait(orr__background *b);

#endif
