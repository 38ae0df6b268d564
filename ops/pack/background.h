/* Blocks of a pack's work in the background.
 * Must not know: what a block computes. */
#ifndef ORR_OPS_PACK_BACKGROUND_H
#define ORR_OPS_PACK_BACKGROUND_H

#include "ops/pack/parallel.h"

typedef struct orr__background orr__background;

/* Submits fn(job, 0 … blocks−1) and returns. job must stay valid until orr__background_wait. NULL: last error set. */
orr__background *orr__background_start(orr__site at, int64_t blocks, orr__block_fn *fn, void *job);
bool orr__background_done(const orr__background *b);
/* Waits for the blocks, frees b and returns their status. May be called after orr_shutdown, which waits itself. NULL
 * is fine. */
orr_status orr__background_wait(orr__background *b);

#endif
