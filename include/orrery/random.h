/* Random tensors: counter-based (Philox 4x32-10), the same on every device and for every tiling.
 * Must not know: how a value is computed.
 *
 * Each call takes the next stream number of the calling thread. A value is a function of seed, stream and element
 * index alone, fixed when the call is recorded: evaluated twice, a tensor has the same numbers. The main thread's
 * first stream after orr_init is that of the seed in orr_config or ORRERY_SEED; other threads have streams of their
 * own. Results are owned by the current scope; all functions are lazy and safe from any thread. */
#ifndef ORRERY_RANDOM_H
#define ORRERY_RANDOM_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Starts this thread's streams anew from `seed`. */
ORR_API void orr_seed(uint64_t seed);

/** Uniform numbers in [lo, hi), the ends as numbers of the dtype.
 * dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (lo > hi; an end or their distance is not finite in the dtype),
 *           ORR_ESHAPE. */
ORR_API orr_tensor *orr_rand_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double lo, double hi);
#define orr_rand(...) orr_rand_at(ORR_HERE, __VA_ARGS__)
/** Normal numbers with this mean and standard deviation.
 * dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (std < 0, not finite), ORR_ESHAPE. */
ORR_API orr_tensor *orr_randn_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double mean, double std);
#define orr_randn(...) orr_randn_at(ORR_HERE, __VA_ARGS__)
/** Integers lo … hi−1, each equally likely.
 * dtypes:   integers (ORR_EDTYPE, also where the dtype does not hold lo or hi−1). Errors: ORR_EINVAL (hi ≤ lo),
 *           ORR_ESHAPE. */
ORR_API orr_tensor *orr_randint_at(const char *file, int line, orr_dtype dtype, orr_shape shape, int64_t lo,
                                   int64_t hi);
#define orr_randint(...) orr_randint_at(ORR_HERE, __VA_ARGS__)
/** The numbers 0 … n−1 in random order, i64, shape (n). Errors: ORR_ESHAPE (n < 0). */
ORR_API orr_tensor *orr_permutation_at(const char *file, int line, int64_t n);
#define orr_permutation(...) orr_permutation_at(ORR_HERE, __VA_ARGS__)
/** True with probability p (in steps of 2⁻²⁴), bool. Errors: ORR_EINVAL (p not in 0 … 1), ORR_ESHAPE. */
ORR_API orr_tensor *orr_bernoulli_at(const char *file, int line, orr_shape shape, double p);
#define orr_bernoulli(...) orr_bernoulli_at(ORR_HERE, __VA_ARGS__)

/** Like orr_rand and orr_randn, of the stream that `key` alone names; this thread's streams stay where they are. */
ORR_API orr_tensor *orr_rand_keyed_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double lo,
                                      double hi, uint64_t key);
#define orr_rand_keyed(...) orr_rand_keyed_at(ORR_HERE, __VA_ARGS__)
ORR_API orr_tensor *orr_randn_keyed_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double mean,
                                       double std, uint64_t key);
#define orr_randn_keyed(...) orr_randn_keyed_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
