/* Sequences: embeddings, positions, attention.
 * Must not know: how an op computes. */
#ifndef ORRERY_SEQUENCE_H
#define ORRERY_SEQUENCE_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- embeddings and positions ------------------------------------------------------------------------------- */

/** The rows of `table` selected by the indices.
 * @param table    (rows, width)    @param indices  any shape, integers 0 … rows−1; negative ones count from the end, as of
 *                 orr_take
 * @param padding  the row that gets no gradient; −1: none
 * @return   the shape of indices with a last axis of `width`, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE,
 *           ORR_EINVAL; an index out of range is found by evaluation (ORR_EINDEX).
 * grad:     by table: the sum of g for each row.      effects: lazy. Safe from any thread. */
ORR_API orr_tensor *orr_embedding_at(const char *file, int line, orr_tensor *table, orr_tensor *indices,
                                     int64_t padding);
#define orr_embedding(...) orr_embedding_at(ORR_HERE, __VA_ARGS__)

/** Sines in the even columns, cosines in the odd ones: sin(t·10000^(−2i/width)) in column 2i (A. Vaswani et al., "Attention
 * Is All You Need", 2017). Add it to the embeddings.
 * @param first   the position of row 0    @param width  even
 * @return   (length, width) of `dtype`, a float dtype, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. */
ORR_API orr_tensor *orr_sinusoidal_positions_at(const char *file, int line, orr_dtype dtype, int64_t first,
                                                int64_t length, int64_t width);
#define orr_sinusoidal_positions(...) orr_sinusoidal_positions_at(ORR_HERE, __VA_ARGS__)
/** Each pair of columns (a, b) of row t rotated by the angle (first + t)·base^(−2i/width) of pair i: (a·cos − b·sin,
 * a·sin + b·cos) (J. Su et al., "RoFormer", 2021). Queries and keys are rotated in the same way.
 * @param x       (…, length, width), width even, a float dtype    @param first  the position of row 0
 * @param base    10000 in the paper
 * @param paired  true: pairs are neighbours (2i, 2i + 1), as in the paper; false: (i, i + width/2), as in GPT-NeoX and
 *                Llama
 * @return   like x, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL.
 * grad:     g rotated back. */
ORR_API orr_tensor *orr_rotary_at(const char *file, int line, orr_tensor *x, int64_t first, double base, bool paired);
#define orr_rotary(...) orr_rotary_at(ORR_HERE, __VA_ARGS__)
/** −slope·(i − j), to be added to the scores of query i and key j: attention with linear biases (O. Press et al., 2021).
 * For a power of 2, the slopes are 2^(−8(h+1)/heads); else those of the next lower power and every other one of the next
 * higher. The last query is at the place of the last key.
 * @return   (heads, queries, keys) of `dtype`, a float dtype; poison on ORR_ESHAPE, ORR_EDTYPE. */
ORR_API orr_tensor *orr_alibi_at(const char *file, int line, orr_dtype dtype, int64_t heads, int64_t queries,
                                 int64_t keys);
#define orr_alibi(...) orr_alibi_at(ORR_HERE, __VA_ARGS__)

/* -- attention ----------------------------------------------------------------------------------------------- */

/** Options of orr_attention. All zero: every query sees every key, scale 1/√width, no dropout. */
typedef struct orr_attention_options {
    bool causal; /**< a query sees no key after its place; the last query is at the last key                     */
    int64_t
        window; /**< a query sees keys at a distance below this one; 0: at any                                       */
    double
        scale; /**< of the scores; 0: 1/√width                                                                      */
    double dropout; /**< in [0, 1): share of weights set to 0, by this thread's next stream; others are scaled up */
} orr_attention_options;

/** softmax(scale·q·kᵀ + mask)·v for each head. Memory grows with the length, not with its square, forward and backward: one
 * tile of the scores is in memory at a time, and the gradient computes them again (T. Dao et al., "FlashAttention", 2022).
 * @param q     (…, heads, queries, width)
 * @param k, v  (…, kv heads, keys, width) and (…, kv heads, keys, value); kv heads divide heads: neighbouring heads of q share
 *              one of k and v
 * @param mask  broadcast to (…, heads, queries, keys): bool, true where a key is seen, or a float that is added; NULL: none
 * @param options  NULL: all zero
 * @return   (…, heads, queries, value), owned by the current scope; 0 for a query that sees no key; poison on ORR_ESHAPE,
 *           ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   floats, promoted; f16 and bf16 are computed in f32 and rounded once. On CUDA's tensor cores the weights are
 *           rounded to the dtype, too, before they multiply v.
 * grad:     by q, k, v in tiles; by the mask, and second derivatives, with all scores in memory.
 * cost:     2·queries·keys·(width + value) flop a head; 2.5 times as much backward. On the CPU.
 * effects:  lazy. Safe from any thread. */
ORR_API orr_tensor *orr_attention_at(const char *file, int line, orr_tensor *q, orr_tensor *k, orr_tensor *v,
                                     orr_tensor *mask, const orr_attention_options *options);
#define orr_attention(...) orr_attention_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
