/* Layers: modules of normalisation, dropout and embedding.
 * Must not know: how an op computes.
 *
 * Each function makes a module, to be freed with orr_module_free or owned by a composition; NULL on ORR_EINVAL, ORR_ESHAPE,
 * ORR_ENOMEM, ORR_ESTATE. Parameters are f32. */
#ifndef ORRERY_LAYER_H
#define ORRERY_LAYER_H

#include <orrery/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Options of layers that normalise. All zero: eps 1e-5, momentum 0.1, weight and bias, running statistics. */
typedef struct orr_norm_options {
    double eps;         /**< ≥ 0; 0: 1e-5                                                                          */
    double momentum;    /**< of running statistics: new = (1 − momentum)·old + momentum·batch; 0: 0.1              */
    bool plain;         /**< no weight and no bias                                                                 */
    bool no_statistics; /**< orr_batch_norm_layer: none are kept, and inference is refused                         */
} orr_norm_options;

/** orr_layer_norm over the last axes, whose shape is `shape`. parameters: "weight", "bias". options NULL: all zero. */
ORR_API orr_module *orr_layer_norm_layer_at(const char *file, int line, orr_shape shape,
                                            const orr_norm_options *options);
#define orr_layer_norm_layer(...) orr_layer_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_rms_norm over the last axes, whose shape is `shape`. parameters: "weight". */
ORR_API orr_module *orr_rms_norm_layer_at(const char *file, int line, orr_shape shape, const orr_norm_options *options);
#define orr_rms_norm_layer(...) orr_rms_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_group_norm of `channels`; as many groups as channels: orr_instance_norm. parameters: "weight", "bias". */
ORR_API orr_module *orr_group_norm_layer_at(const char *file, int line, int64_t channels, int64_t groups,
                                            const orr_norm_options *options);
#define orr_group_norm_layer(...) orr_group_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** In training mode orr_batch_norm_training, which moves the running statistics; in inference orr_batch_norm with them.
 * parameters: "weight", "bias"; states: "running_mean", "running_var", which an evaluation after the application assigns. */
ORR_API orr_module *orr_batch_norm_layer_at(const char *file, int line, int64_t channels,
                                            const orr_norm_options *options);
#define orr_batch_norm_layer(...) orr_batch_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_dropout in training mode, x in inference. p in [0, 1]. */
ORR_API orr_module *orr_dropout_layer_at(const char *file, int line, double p);
#define orr_dropout_layer(...) orr_dropout_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_embedding with a table of `rows` rows from N(0, 1); the row `padding` is 0 and stays it; −1: none.
 * parameters: "weight". */
ORR_API orr_module *orr_embedding_layer_at(const char *file, int line, int64_t rows, int64_t width, int64_t padding);
#define orr_embedding_layer(...) orr_embedding_layer_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
