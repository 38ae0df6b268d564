/* Blocks of a pack's work on all workers.
 * Must not know: what a block computes. */
#ifndef ORR_OPS_PACK_PARALLEL_H
#define ORR_OPS_PACK_PARALLEL_H

#include <stdint.h>
#include "runtime/base/status.h"

/* One block, on any thread, several at a time. It returns the status; the message is its thread's last error. */
typedef orr_status orr__block_fn(void *job, int64_t block);

/* fn(job, 0 … blocks−1), each once, as tasks of the engine; waits. One block alone runs on the calling thread. The error of
 * the first block that has one; the others are computed all the same. A block is worth a task from some 200 µs on. */
orr_status orr__parallel(orr__site at, int64_t blocks, orr__block_fn *fn, void *job);

#endif
