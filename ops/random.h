/* The random streams of a thread.
 * Must not know: distributions. */
#ifndef ORR_OPS_RANDOM_H
#define ORR_OPS_RANDOM_H

#include <stdint.h>

/* Returns the seed of the calling thread's next stream. */
uint64_t orr__next_stream(void);

#endif
