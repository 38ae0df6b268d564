/* Layers: modules of normalisation, dropout, embedding, attention, and blocks of transformers.
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
    double eps;      /**< ≥ 0; 0: 1e-5                                                                          */
    double momentum; /**< of running statistics: new = (1 − momentum)·old + momentum·batch; 0: 0.1              */
    bool plain;      /**< no weight and no bias                                                                 */
    bool no_statistics; /**< orr_batch_norm_layer keeps none, and refuses inference                                */
} orr_norm_options;

/** orr_layer_norm over the last axes, whose shape is `shape`. parameters: "weight", "bias". options NULL: all zero. */
ORR_API orr_module *orr_layer_norm_layer_at(const char *file, int line, orr_shape shape,
                                            const orr_norm_options *options);
#define orr_layer_norm_layer(...) orr_layer_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_rms_norm over the last axes, whose shape is `shape`. parameters: "weight". */
ORR_API orr_module *orr_rms_norm_layer_at(const char *file, int line, orr_shape shape, const orr_norm_options *options);
#define orr_rms_norm_layer(...) orr_rms_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_group_norm of `channels`. parameters: "weight", "bias". */
ORR_API orr_module *orr_group_norm_layer_at(const char *file, int line, int64_t channels, int64_t groups,
                                            const orr_norm_options *options);
#define orr_group_norm_layer(...) orr_group_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_instance_norm of `channels`. parameters: "weight", "bias". */
ORR_API orr_module *orr_instance_norm_layer_at(const char *file, int line, int64_t channels,
                                               const orr_norm_options *options);
#define orr_instance_norm_layer(...) orr_instance_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_local_response_norm over `size` ≥ 1 neighbouring channels, without parameters. */
ORR_API orr_module *orr_local_response_norm_layer_at(const char *file, int line, int64_t size, double alpha,
                                                     double beta, double k);
#define orr_local_response_norm_layer(...) orr_local_response_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_batch_norm_training in training mode, with an update of the running statistics; in inference orr_batch_norm with
 * these.
 * parameters: "weight", "bias"; states: "running_mean", "running_var", which an evaluation after the application assigns. */
ORR_API orr_module *orr_batch_norm_layer_at(const char *file, int line, int64_t channels,
                                            const orr_norm_options *options);
#define orr_batch_norm_layer(...) orr_batch_norm_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_dropout in training mode, x in inference. p in [0, 1]. */
ORR_API orr_module *orr_dropout_layer_at(const char *file, int line, double p);
#define orr_dropout_layer(...) orr_dropout_layer_at(ORR_HERE, __VA_ARGS__)
/** orr_embedding with a table of `rows` rows from N(0, 1); the row `padding` is 0 and stays 0; −1: none.
 * parameters: "weight". */
ORR_API orr_module *orr_embedding_layer_at(const char *file, int line, int64_t rows, int64_t width, int64_t padding);
#define orr_embedding_layer(...) orr_embedding_layer_at(ORR_HERE, __VA_ARGS__)

/** x + orr_sinusoidal_positions of its last two axes (…, length, width), width even, without parameters. With a cache,
 * positions continue from the length of the cache. */
ORR_API orr_module *orr_sinusoidal_layer_at(const char *file, int line);
#define orr_sinusoidal_layer() orr_sinusoidal_layer_at(ORR_HERE)

/* -- attention ----------------------------------------------------------------------------------------------- */

/** Options of layers with attention. All zero: as many heads of keys as of queries, queries see all keys, biases, no
 * dropout. */
typedef struct orr_heads_options {
    int64_t kv_heads; /**< heads of keys and values, a divisor of the heads; 0: as many                           */
    bool causal;      /**< self-attention sees no later place                                                     */
    int64_t window;   /**< as orr_attention                                                                       */
    double dropout;   /**< in [0, 1), of the weights, in training mode                                            */
    double rotary;    /**< the base of orr_rotary for queries and keys; 0: no rotation                            */
    bool no_bias;     /**< no biases                                                                              */
    bool norm_first;  /**< blocks: normalise before attention and before the dense layers, not after their sums   */
    orr_activation activation; /**< blocks: between the dense layers; 0: ReLU                                        */
    double block_dropout;      /**< blocks: of the terms of attention and dense layers                               */
    double eps;                /**< blocks: of layer normalisation; 0: 1e-5                                          */
    bool alibi;                /**< adds orr_alibi, held whole in memory, to the scores of causal self-attention     */
} orr_heads_options;

/** Attention of several heads between dense layers: y = output(heads of attention(query(q), key(k), value(v))).
 * inputs: orr_forward: x (batch, length, width), self-attention; orr_forward_all: q, k, v and a mask, where k NULL means q,
 * v NULL means k, and mask NULL means none.
 * @param heads  divides width
 * parameters: "query.weight", "query.bias", "key.weight" …, "value.weight" …, "output.weight" … */
ORR_API orr_module *orr_multi_head_attention_at(const char *file, int line, int64_t width, int64_t heads,
                                                const orr_heads_options *options);
#define orr_multi_head_attention(...) orr_multi_head_attention_at(ORR_HERE, __VA_ARGS__)
/** A block of a transformer's encoder, or with options->causal of a decoder without memory: self-attention and two dense
 * layers, width → hidden → width, each added to its input and normalised.
 * inputs: x (batch, length, width), and a mask or NULL.
 * parameters: "attention.query.weight" …, "norm1.weight" …, "expand.weight" …, "contract.weight" …, "norm2.weight" … */
ORR_API orr_module *orr_encoder_block_at(const char *file, int line, int64_t width, int64_t heads, int64_t hidden,
                                         const orr_heads_options *options);
#define orr_encoder_block(...) orr_encoder_block_at(ORR_HERE, __VA_ARGS__)
/** A block of a transformer's decoder: causal self-attention, attention to a memory, two dense layers, each added to its
 * input and normalised.
 * inputs: x (batch, length, width), memory (batch, other length, width), a mask of x, a mask of the memory, each or NULL.
 * parameters: "attention…", "norm1…", "memory.query.weight" …, "norm2…", "expand…", "contract…", "norm3…" */
ORR_API orr_module *orr_decoder_block_at(const char *file, int line, int64_t width, int64_t heads, int64_t hidden,
                                         const orr_heads_options *options);
#define orr_decoder_block(...) orr_decoder_block_at(ORR_HERE, __VA_ARGS__)

/** The keys and values of earlier places, of every self-attention of a module, for generation. One thread at a time. */
typedef struct orr_kv_cache orr_kv_cache;
/** An empty cache for `batch` sequences of up to `capacity` places of the module m, which must outlive it. m takes one input,
 * and each of its results must depend on its own place or on earlier ones through self-attention. Of the layers of this
 * library these are: dense layers, activations, dropout, embeddings, sinusoidal positions, orr_layer_norm_layer and
 * orr_rms_norm_layer of one axis, attention and encoder blocks with .causal, and orr_sequential and orr_residual of these.
 * All others are refused. A module or function of the program's own, with its parts, is taken on trust: if it mixes places
 * (by a convolution, a recurrence without its states, a mean), the results are wrong; self-attention in it that is not
 * causal is refused when it is applied. A decoder's block takes a memory too, so it is refused unless it is part of a module
 * of the program's own that applies it to its input and the memory: orr_forward_all(block, ORR_TENSORS(x, memory)).
 * @return   to be freed with orr_kv_cache_free; NULL on ORR_EINVAL (also a layer that is refused), ORR_ESHAPE, ORR_ENOMEM. */
ORR_API orr_kv_cache *orr_kv_cache_new_at(const char *file, int line, const orr_module *m, int64_t batch,
                                          int64_t capacity);
#define orr_kv_cache_new(...) orr_kv_cache_new_at(ORR_HERE, __VA_ARGS__)
/** Applies the cache's module to the next n places, x (batch, n, …), in inference mode: self-attention also sees the places in
 * the cache, and the new places are added to it. Every call with the same n has the same plan.
 * errors:   as orr_forward; ORR_ESHAPE (another batch, more places than are left), ORR_EINVAL (the module trains). */
ORR_API orr_tensor *orr_forward_cached_at(const char *file, int line, orr_kv_cache *cache, orr_tensor *x);
#define orr_forward_cached(...) orr_forward_cached_at(ORR_HERE, __VA_ARGS__)
/** Returns the number of places in the cache: the position of the next one; 0 for NULL. */
ORR_API int64_t orr_kv_cache_length(const orr_kv_cache *cache);
/** Empties the cache. */
ORR_API void orr_kv_cache_clear(orr_kv_cache *cache);
/** Frees the cache. NULL is fine. */
ORR_API void orr_kv_cache_free(orr_kv_cache *cache);

#ifdef __cplusplus
}
#endif
#endif
