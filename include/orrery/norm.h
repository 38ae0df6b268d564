/* Normalisation and dropout as functions, with PyTorch's formulas. Their layers are in layer.h.
 * Must not know: how an op computes; normalisations are composed of public ops.
 *
 * For all of them: the result has x's shape and dtype and is owned by the current scope; a poison operand gives poison; all
 * are lazy and safe from any thread. dtypes: floats; f16 and bf16 are computed in f32 and rounded once. NULL for `weight` is
 * ones, for `bias` zeros. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (eps). grad: by x, weight and bias, any number of times. */
#ifndef ORRERY_NORM_H
#define ORRERY_NORM_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** (x − mean)/√(var + eps)·weight + bias, with mean and biased variance over the last `axes` axes of each example.
 * @param axes          1 … rank of x    @param weight, bias  of the shape of these axes */
ORR_API orr_tensor *orr_layer_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight,
                                      orr_tensor *bias, double eps);
#define orr_layer_norm(...) orr_layer_norm_at(ORR_HERE, __VA_ARGS__)
/** x/√(mean(x²) + eps)·weight over the last `axes` axes (B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization",
 * 2019). Otherwise as orr_layer_norm. */
ORR_API orr_tensor *orr_rms_norm_at(const char *file, int line, orr_tensor *x, int axes, orr_tensor *weight,
                                    double eps);
#define orr_rms_norm(...) orr_rms_norm_at(ORR_HERE, __VA_ARGS__)
/** As orr_layer_norm over each of `groups` groups of neighbouring channels and all places of an example.
 * @param x       (batch, channels, …)    @param groups  divides the channels    @param weight, bias  (channels) */
ORR_API orr_tensor *orr_group_norm_at(const char *file, int line, orr_tensor *x, int64_t groups, orr_tensor *weight,
                                      orr_tensor *bias, double eps);
#define orr_group_norm(...) orr_group_norm_at(ORR_HERE, __VA_ARGS__)
/** As orr_group_norm with a group for each channel. */
ORR_API orr_tensor *orr_instance_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *weight,
                                         orr_tensor *bias, double eps);
#define orr_instance_norm(...) orr_instance_norm_at(ORR_HERE, __VA_ARGS__)
/** (x − mean)/√(var + eps)·weight + bias for each channel, with given statistics: inference.
 * @param x  (batch, channels, …)    @param mean, var, weight, bias  (channels); mean and var are not NULL */
ORR_API orr_tensor *orr_batch_norm_at(const char *file, int line, orr_tensor *x, orr_tensor *mean, orr_tensor *var,
                                      orr_tensor *weight, orr_tensor *bias, double eps);
#define orr_batch_norm(...) orr_batch_norm_at(ORR_HERE, __VA_ARGS__)
/** As orr_batch_norm with the mean and the biased variance of the batch: training.
 * @param mean, var  set to the batch's mean and unbiased variance, detached, for running statistics; NULL: not set
 * errors:   ORR_ESHAPE (a channel has fewer than two values). */
ORR_API orr_tensor *orr_batch_norm_training_at(const char *file, int line, orr_tensor *x, orr_tensor *weight,
                                               orr_tensor *bias, double eps, orr_tensor **mean, orr_tensor **var);
#define orr_batch_norm_training(...) orr_batch_norm_training_at(ORR_HERE, __VA_ARGS__)
/** x/(k + alpha·a)^beta, where a is the mean of x² over `size` neighbouring channels, with zeros beyond the first and
 * the last (A. Krizhevsky et al., 2012, with PyTorch's mean for their sum).
 * @param x  (batch, channels, …)    @param size  ≥ 1 */
ORR_API orr_tensor *orr_local_response_norm_at(const char *file, int line, orr_tensor *x, int64_t size, double alpha,
                                               double beta, double k);
#define orr_local_response_norm(...) orr_local_response_norm_at(ORR_HERE, __VA_ARGS__)
/** x/(1 − p) where a random number of this thread's next stream is ≥ p, else 0. Fused with its neighbours; the same numbers
 * on every device and in the gradient.
 * @param p  in [0, 1]; 0: x */
ORR_API orr_tensor *orr_dropout_at(const char *file, int line, orr_tensor *x, double p);
#define orr_dropout(...) orr_dropout_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
