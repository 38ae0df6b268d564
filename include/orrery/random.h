/* Random tensors: counter-based (Philox 4x32-10), the same on every device and for every tiling.
 * Must not know: how a value is computed.
 *
 * Each call uses the next stream number of the calling thread. A value is a function of seed, stream and element
 * index alone, fixed when the call is recorded: every evaluation of a tensor gives the same numbers. The main
 * thread's first stream after orr_init is that of the seed in orr_config or ORRERY_SEED; other threads have streams
 * of their own. A forked child continues with streams that are others than those of its parent and of the parent's other
 * children, and are the same in each run; orr_seed gives the same numbers in every process. Results are owned by the current scope; all functions are lazy and safe from any thread. */
#ifndef ORRERY_RANDOM_H
#define ORRERY_RANDOM_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Restarts this thread's streams from `seed`. */
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

/* Distributions whose parameters are tensors: they broadcast to the shape, and orr_scalar(0.5) is one number for all.
 * The values are computed only on processors, so that they do not depend on the placement of other work. No gradient
 * flows into a parameter. A parameter outside the distribution's range is found by evaluation (ORR_EINVAL, with its
 * number). */

/** Exponential numbers with mean `scale`.
 * dtypes:   floats (ORR_EDTYPE). Errors: ORR_EINVAL (scale < 0, not finite), ORR_ESHAPE. */
ORR_API orr_tensor *orr_exponential_at(const char *file, int line, orr_dtype dtype, orr_shape shape, double scale);
#define orr_exponential(...) orr_exponential_at(ORR_HERE, __VA_ARGS__)
/** Gamma numbers: density x^(alpha−1) e^(−x/scale). Marsaglia and Tsang, "A simple method for generating gamma variables",
 * 2000.
 * @param alpha  > 0     @param scale  a factor; it has a gradient
 * dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE. */
ORR_API orr_tensor *orr_gamma_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *alpha,
                                 orr_tensor *scale);
#define orr_gamma(...) orr_gamma_at(ORR_HERE, __VA_ARGS__)
/** Beta numbers: density x^(a−1) (1−x)^(b−1), of two gamma numbers.
 * @param a, b  > 0
 * dtypes:   floats (ORR_EDTYPE). Errors: ORR_ESHAPE. */
ORR_API orr_tensor *orr_beta_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *a,
                                orr_tensor *b);
#define orr_beta(...) orr_beta_at(ORR_HERE, __VA_ARGS__)
/** Poisson numbers: counts of events with mean `rate`. By inversion; from 10 on by Hörmann's transformed rejection,
 * 1993.
 * @param rate  0 … 2⁶⁰
 * dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE. */
ORR_API orr_tensor *orr_poisson_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *rate);
#define orr_poisson(...) orr_poisson_at(ORR_HERE, __VA_ARGS__)
/** Binomial numbers: the successes of `trials` trials, each with probability p. By inversion, or Hörmann's BTRS, 1993,
 * where inversion takes long.
 * @param trials  whole numbers 0 … 2⁵³     @param p  0 … 1
 * dtypes:   integers and floats (ORR_EDTYPE). Errors: ORR_ESHAPE. */
ORR_API orr_tensor *orr_binomial_at(const char *file, int line, orr_dtype dtype, orr_shape shape, orr_tensor *trials,
                                    orr_tensor *p);
#define orr_binomial(...) orr_binomial_at(ORR_HERE, __VA_ARGS__)
/** The counts of `trials` trials in k categories, with probabilities in the ratio of the weights.
 * @param weights  (…, k), which broadcasts to the result. Evaluation refuses negative weights, NaN, infinities, and rows
 *           of zeros only (ORR_EINVAL).
 * @return   (shape…, k), i64; each row adds up to `trials`. Errors: ORR_EINVAL, ORR_ESHAPE. */
ORR_API orr_tensor *orr_multinomial_at(const char *file, int line, orr_shape shape, int64_t trials,
                                       orr_tensor *weights);
#define orr_multinomial(...) orr_multinomial_at(ORR_HERE, __VA_ARGS__)
/** Numbers 0 … k−1 with probabilities in the ratio of k weights, in independent draws (with replacement).
 * @param weights  (k), refused as those of orr_multinomial
 * @return   i64. Errors: ORR_ESHAPE. */
ORR_API orr_tensor *orr_categorical_at(const char *file, int line, orr_shape shape, orr_tensor *weights);
#define orr_categorical(...) orr_categorical_at(ORR_HERE, __VA_ARGS__)
/** k different numbers of 0 … n−1 in random order, each choice equally likely, i64. Errors: ORR_EINVAL (k above n). */
ORR_API orr_tensor *orr_choice_at(const char *file, int line, int64_t n, int64_t k);
#define orr_choice(...) orr_choice_at(ORR_HERE, __VA_ARGS__)
/** k different places of n weights, i64: the first with probabilities in their ratio, the next in the ratio of those that are
 * left. Places of weight 0 come last. Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006.
 * @param weights  (n), refused as those of orr_multinomial. Errors: ORR_EINVAL (k above n), ORR_ESHAPE. */
ORR_API orr_tensor *orr_choice_weighted_at(const char *file, int line, orr_tensor *weights, int64_t k);
#define orr_choice_weighted(...) orr_choice_weighted_at(ORR_HERE, __VA_ARGS__)
/** Normal numbers of d variables with this mean and covariance: mean + L·z with L = orr_cholesky(covariance).
 * @param mean  (d)     @param covariance  (d, d), positive definite (else ORR_ENUMERIC by evaluation), f32 or f64
 * @return   (shape…, d). Errors: ORR_ESHAPE, ORR_EDTYPE. grad: by mean and covariance, for fixed z. */
ORR_API orr_tensor *orr_multivariate_normal_at(const char *file, int line, orr_shape shape, orr_tensor *mean,
                                               orr_tensor *covariance);
#define orr_multivariate_normal(...) orr_multivariate_normal_at(ORR_HERE, __VA_ARGS__)
/** x with the places of an axis in random order; the pieces along the other axes stay whole.
 * dtypes:   all. Errors: ORR_EAXIS. grad: g at the former places of the pieces. */
ORR_API orr_tensor *orr_shuffle_at(const char *file, int line, orr_tensor *x, int axis);
#define orr_shuffle(...) orr_shuffle_at(ORR_HERE, __VA_ARGS__)

/** Like orr_rand and orr_randn, from a stream that depends on `key` alone; this thread's streams do not advance. */
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
