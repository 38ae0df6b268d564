/* Losses: the distance of an output from its target, with PyTorch's formulas and reductions.
 * Must not know: how an op computes; losses are composed of public ops.
 *
 * For all of them: the result is owned by the current scope; a poison operand gives poison; all are lazy and safe from
 * any thread. dtypes: floats, promoted; f16 and bf16 are computed in f32 and rounded once. orr_cross_entropy and
 * orr_mse, the short forms, are in ops.h. */
#ifndef ORRERY_LOSS_H
#define ORRERY_LOSS_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The last step of a loss, from one value per element or example to the result. */
typedef enum orr_reduction {
    ORR_REDUCTION_MEAN = 0,  /**< the mean, of shape (); class losses: weighted by the labels' weights */
    ORR_REDUCTION_SUM,       /**< the sum, of shape ()                                                  */
    ORR_REDUCTION_NONE,      /**< no reduction: every value                                             */
    ORR_REDUCTION_BATCH_MEAN /**< the sum divided by the length of axis 0, of shape ()                  */
} orr_reduction;

/** Options of losses over classes. All zero: the plain loss. */
typedef struct orr_class_options {
    orr_tensor *weight;     /**< (classes), a float dtype: a factor for each class; NULL: 1                  */
    double label_smoothing; /**< in [0, 1]: this share of each target is spread evenly over the classes      */
    bool ignores;           /**< `ignored` is in use; false: no label is ignored, −100 neither               */
    int64_t ignored;        /**< the label of examples without a loss; it need not be a class                */
    orr_reduction reduction;
} orr_class_options;

/** −weight[label]·logp[label] for each example. MEAN divides the sum by the sum of weight[label] of all examples that are
 * not ignored.
 * @param logp    (…, classes), logarithms of probabilities, a float dtype
 * @param labels  (…), integers 0 … classes−1
 * @param options NULL: all zero; label_smoothing is not used
 * @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL.
 * grad:     by logp and weight. */
ORR_API orr_tensor *orr_nll_loss_at(const char *file, int line, orr_tensor *logp, orr_tensor *labels,
                                    const orr_class_options *options);
#define orr_nll_loss(...) orr_nll_loss_at(ORR_HERE, __VA_ARGS__)
/** −Σ weight·t·log_softmax(logits) over the classes, for each example. t is one_hot(target), or `target` itself if it is a
 * float tensor of the shape of logits; with label smoothing s it is (1 − s)·t + s/classes. MEAN divides as orr_nll_loss,
 * or by the number of examples if the targets are probabilities.
 * @param logits  (…, classes), a float dtype    @param target  (…) integers, or (…, classes) floats
 * @param options NULL: all zero
 * @return   () or (…); NaN for a label that is out of range and not ignored. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL
 *           (probabilities have no label to ignore).
 * grad:     by logits, target as probabilities, and weight. */
ORR_API orr_tensor *orr_cross_entropy_with_at(const char *file, int line, orr_tensor *logits, orr_tensor *target,
                                              const orr_class_options *options);
#define orr_cross_entropy_with(...) orr_cross_entropy_with_at(ORR_HERE, __VA_ARGS__)
/** weight·[(1 − y)·x + (1 + (positive − 1)·y)·softplus(−x)]: the binary cross-entropy of sigmoid(x), for x of any size.
 * @param x, y      one shape; y in [0, 1]
 * @param weight    broadcast to x; NULL: 1    @param positive  the factor of the positive term, broadcast to x; NULL: 1
 * Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL. grad: by all. */
ORR_API orr_tensor *orr_binary_cross_entropy_with_logits_at(const char *file, int line, orr_tensor *x, orr_tensor *y,
                                                            orr_tensor *weight, orr_tensor *positive,
                                                            orr_reduction reduction);
#define orr_binary_cross_entropy_with_logits(...) orr_binary_cross_entropy_with_logits_at(ORR_HERE, __VA_ARGS__)
/** (x − y)², with a reduction. x and y have one shape, or one of them is orr_scalar, here and below.
 * Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (no such reduction), here and below. grad: by x and y, here and below. */
ORR_API orr_tensor *orr_mse_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_reduction reduction);
#define orr_mse_loss(...) orr_mse_loss_at(ORR_HERE, __VA_ARGS__)
/** |x − y|. The derivative at x = y is 0. */
ORR_API orr_tensor *orr_l1_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, orr_reduction reduction);
#define orr_l1_loss(...) orr_l1_loss_at(ORR_HERE, __VA_ARGS__)
/** d²/2 where d = |x − y| ≤ delta, else delta·(d − delta/2).
 * @param delta  > 0 */
ORR_API orr_tensor *orr_huber_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double delta,
                                      orr_reduction reduction);
#define orr_huber_loss(...) orr_huber_loss_at(ORR_HERE, __VA_ARGS__)
/** t·(log t − logq): the Kullback-Leibler divergence of q from the target t; 0 where t is 0. logarithm: `target` holds
 * log t. The divergence of a batch is ORR_REDUCTION_BATCH_MEAN.
 * @param logq, target  one shape */
ORR_API orr_tensor *orr_kl_loss_at(const char *file, int line, orr_tensor *logq, orr_tensor *target, bool logarithm,
                                   orr_reduction reduction);
#define orr_kl_loss(...) orr_kl_loss_at(ORR_HERE, __VA_ARGS__)
/** Σ x·y / (max(‖x‖, eps)·max(‖y‖, eps)) along the axis, which is removed. x and y broadcast.
 * Errors:   ORR_EDTYPE, ORR_ESHAPE, ORR_EAXIS. */
ORR_API orr_tensor *orr_cosine_similarity_at(const char *file, int line, orr_tensor *x, orr_tensor *y, int axis,
                                             double eps);
#define orr_cosine_similarity(...) orr_cosine_similarity_at(ORR_HERE, __VA_ARGS__)
/** 1 − c where y > 0, else max(0, c − margin), with c = Σ a·b / √((Σ a² + ε)(Σ b² + ε)) along the last axis and ε = 1e-12.
 * @param a, b  (…, n)    @param y  (…), 1 for similar pairs and −1 for others; any dtype that has a sign */
ORR_API orr_tensor *orr_cosine_loss_at(const char *file, int line, orr_tensor *a, orr_tensor *b, orr_tensor *y,
                                       double margin, orr_reduction reduction);
#define orr_cosine_loss(...) orr_cosine_loss_at(ORR_HERE, __VA_ARGS__)
/** max(0, margin − y·x): the hinge of a linear classifier.
 * @param x, y  one shape; y is 1 or −1 */
ORR_API orr_tensor *orr_hinge_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double margin,
                                      orr_reduction reduction);
#define orr_hinge_loss(...) orr_hinge_loss_at(ORR_HERE, __VA_ARGS__)
/** x where y > 0, else max(0, margin − x): x is the distance of a pair that is similar (y = 1) or not (y = −1). */
ORR_API orr_tensor *orr_hinge_embedding_loss_at(const char *file, int line, orr_tensor *x, orr_tensor *y, double margin,
                                                orr_reduction reduction);
#define orr_hinge_embedding_loss(...) orr_hinge_embedding_loss_at(ORR_HERE, __VA_ARGS__)
/** −log of the probability of a label sequence, summed over all alignments that collapse to it (connectionist temporal
 * classification; A. Graves et al., ICML 2006). MEAN divides each loss by the length of its target, at least 1, first.
 * @param logp            (time, batch, classes), logarithms of probabilities; f32 or f64
 * @param targets         (batch, longest), integers other than `blank`; elements beyond a target's length are not read
 * @param input_lengths   (batch), integers 0 … time     @param target_lengths  (batch), integers 0 … longest
 * @param blank           the class that stands for no label
 * @param zero_infinity   true: loss and gradient of a target without any alignment are 0; false: its loss is inf
 * @return   () or (batch). Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL; ORR_EINDEX (by evaluation: a length or a label is out
 *           of range).
 * grad:     by logp, once; a second derivative is refused. cost: time·longest a sequence. */
ORR_API orr_tensor *orr_ctc_loss_at(const char *file, int line, orr_tensor *logp, orr_tensor *targets,
                                    orr_tensor *input_lengths, orr_tensor *target_lengths, int64_t blank,
                                    bool zero_infinity, orr_reduction reduction);
#define orr_ctc_loss(...) orr_ctc_loss_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
