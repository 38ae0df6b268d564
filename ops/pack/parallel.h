/* Blocks of a pack's work on all workers.
 * Must not know: what a block computes. */
#ifndef ORR_OPS_PACK_PARALLEL_H
#define ORR_OPS_PACK_PARALLEL_H

#include <stdint.h>
#include "runtime/base/status.h"
#include "runtime/base/threshold.h"

/* The flops of a block for the planner: enough for a task of its own, never bundled with others. */
#define ORR__BLOCK_FLOPS ((double)ORR__LONG_FLOPS)

/* Computes one block, on any thread; several run at a time. Returns the status; the message is the last error of its
 * thread. */
typedef orr_status orr__block_fn(void *job, int64_t block);

/* Runs fn(job, 0 … blocks−1), each once, as tasks of the engine, and waits. A single block runs on the calling thread.
 * Returns the error of the lowest block that failed; the other blocks are computed, too. A block should take some 200 µs
 * or more. */
orr_status orr__parallel(orr__site at, int64_t blocks, orr__block_fn *fn, void *job);

#endif
