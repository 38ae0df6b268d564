/* The random streams of a thread.
 * Must not know: distributions. */
#ifndef ORR_OPS_RANDOM_H
#define ORR_OPS_RANDOM_H

#include <stdint.h>
#include <orrery/tensor.h>
#include "runtime/base/status.h"

/* Returns the seed of the calling thread's next stream. */
uint64_t orr__next_stream(void);

/* Weights of random choices along the last axis, as f64 and scaled. Evaluation refuses negative weights, NaN, infinities,
 * and fewer than `positive` weights above 0. */
orr_tensor *orr__weights_checked(orr__site at, orr_tensor *weights, int64_t positive);

#endif
