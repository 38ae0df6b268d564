/* Counter-based random numbers: the value of an element depends on seed and index alone, and is the same on every engine.
 * Must not know: streams, tensors, devices.
 *
 * Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
 * key = seed. Element i of 32 random bits is word i mod 4 of the block with counter (i / 4, 0). Element i of 64 bits is half i mod 2
 * (low word first) of the block with counter (i / 2, 1). The normal pair i / 2 has counter (i / 2, 2). Round keys of a permutation have
 * counter (k, 3). Inline, so that loops over i become vector code. */
#ifndef ORR_BASE_PHILOX_H
#define ORR_BASE_PHILOX_H

#include <math.h>
#include "runtime/base/dtype.h"

#define RAND_FN static inline
#define RAND_MULHI(x, y) ((uint64_t)((unsigned __int128)(x) * (y) >> 64))
#define RAND_CLZ(x) __builtin_clzll((unsigned long long)(x))
#define RAND_F64
#define RAND_PERMUTATION
#include "runtime/base/philox_core.h"

static inline int64_t orr__rand_integers(uint64_t seed, uint64_t i, int64_t lo, uint64_t range)
{
    return orr__between(orr__rand_bits64(seed, i), lo, range);
}

/* The seed of stream number `stream` of a user's seed. */
uint64_t orr__rand_mix(uint64_t seed, uint64_t stream);

/* Element `index` of a random node with attr.dist (an ORR__D… of runtime/graph/node.h) and scalars seed, s1, s2, as stored in `dtype`:
 * the definition that every engine follows. */
orr__scalar orr__rand_value(int dist, orr_dtype dtype, uint64_t seed, orr__scalar s1, orr__scalar s2, uint64_t index);

#endif
