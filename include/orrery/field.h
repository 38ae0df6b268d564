/* The finite fields and curves of BN254: arithmetic, transforms, Poseidon and Merkle trees, polynomials, points, sums of multiples.
 * Must not know: how a value is computed.
 *
 * Timing is not constant anywhere in this pack: secret scalars must not be used.
 *
 * Elements have the dtypes ORR_FR254 and ORR_FQ254 (r and q below). orr_add, orr_sub, orr_mul, orr_neg, orr_square, orr_equal,
 * orr_not_equal and orr_where take them, fuse, and run on every device; an orr_scalar operand is an integer. orr_full, orr_pad, views,
 * concatenations and takes work as for every tensor, and so do orr_sum, orr_prod, orr_cumulative_sum, orr_cumulative_prod, orr_matmul and
 * their compositions. orr_cast converts integers to elements and back: −1 is the largest element. Users' memory has canonical little-endian
 * integers of 32 bytes: orr_from refuses one that is not below its modulus (ORR_EINDEX), orr_read writes them. Internally, elements are in
 * Montgomery form, so orr_data, orr_wrap and files refuse them; use the u64 tensors of orr_field_limbs there. A point is a row of
 * coordinates, x then y: fq254 (…, 2) on G1, and (…, 2, 2) on G2, whose coordinates are a + b·u as (a, b). Zeros stand for the point at
 * infinity.
 *
 * Every operation on points checks that they are on their curve: evaluation fails with ORR_EINDEX and the place of a point that is not.
 * All functions but those of text are lazy, and all are safe from any thread. Results are owned by the current scope, poison on
 * ORR_EDTYPE (no elements, or of another field), ORR_ESHAPE (no points; shapes that do not broadcast), ORR_EINVAL (no such curve).
 * docs/field.md lists the functions below that run on devices. No gradient flows: orr_grad refuses elements. */
#ifndef ORRERY_FIELD_H
#define ORRERY_FIELD_H

#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ORR_FR254: r = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001: scalars, the groups' order.
 * ORR_FQ254: q = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47: coordinates. */

/** The curves. */
typedef enum orr_curve {
    ORR_G1, /**< y² = x³ + 3 over Fq, generator (1, 2)                                          */
    ORR_G2  /**< y² = x³ + 3/(9 + u) over Fq[u]/(u² + 1), generator as in Ethereum's EIP-197    */
} orr_curve;

/* -- text ---------------------------------------------------------------------------------------------------- */

/** Bytes that hold any element's decimal digits and the end of the string. */
#define ORR_FIELD_TEXT 80

/** Elements from text: decimal digits, or 0x and hexadecimal digits.
 * @param field  ORR_FR254 or ORR_FQ254
 * @return   (n); poison on ORR_EDTYPE (no field), ORR_EINVAL (NULL), ORR_EFORMAT (no number), ORR_EINDEX (not below the modulus): the
 *           message names the index. */
ORR_API orr_tensor *orr_field_parse_at(const char *file, int line, orr_dtype field, const char *const *text, int64_t n);
#define orr_field_parse(...) orr_field_parse_at(ORR_HERE, __VA_ARGS__)
/** Element number `i` of x, in row-major order, as decimal digits. Errors: ORR_EINDEX, and those of evaluation.
 * effects:  evaluates x, the first time; the texts of its other elements need no evaluation. */
ORR_API orr_status orr_field_text_at(const char *file, int line, orr_tensor *x, int64_t i, char text[ORR_FIELD_TEXT]);
#define orr_field_text(...) orr_field_text_at(ORR_HERE, __VA_ARGS__)

/* -- elements --------------------------------------------------------------------------------------------------- */

/** Elements from their limbs, the lowest first.
 * @param field  ORR_FR254 or ORR_FQ254    @param limbs  u64 (…, 4)    @return  (…); evaluation refuses an integer that is not
 *           below the modulus (ORR_EINDEX, with its place).      cost: a product per element. */
ORR_API orr_tensor *orr_field_from_limbs_at(const char *file, int line, orr_dtype field, orr_tensor *limbs);
#define orr_field_from_limbs(...) orr_field_from_limbs_at(ORR_HERE, __VA_ARGS__)
/** The limbs of elements.
 * @return   u64 (…, 4).      cost: a product an element. */
ORR_API orr_tensor *orr_field_limbs_at(const char *file, int line, orr_tensor *x);
#define orr_field_limbs(...) orr_field_limbs_at(ORR_HERE, __VA_ARGS__)
/** 1/x.
 * 1/0 is ORR_ENUMERIC, and the message names the place.      cost: some five products (Montgomery's trick). */
ORR_API orr_tensor *orr_field_inverse_at(const char *file, int line, orr_tensor *x);
#define orr_field_inverse(...) orr_field_inverse_at(ORR_HERE, __VA_ARGS__)
/** x^e with a plain integer e below 2^256, its lowest limb first; 0^0 is 1. */
ORR_API orr_tensor *orr_field_pow_at(const char *file, int line, orr_tensor *x, const uint64_t e[4]);
#define orr_field_pow(...) orr_field_pow_at(ORR_HERE, __VA_ARGS__)
/** Σ x over one axis.
 * @param x  (…, n, …)    @return  (…, …), the axis gone; poison on ORR_EAXIS too. As orr_sum. */
ORR_API orr_tensor *orr_field_sum_at(const char *file, int line, orr_tensor *x, int axis);
#define orr_field_sum(...) orr_field_sum_at(ORR_HERE, __VA_ARGS__)
/** Σ x_i·y_i over the last axis.
 * @param x, y  (…, n), broadcast    @return  (…). */
ORR_API orr_tensor *orr_field_dot_at(const char *file, int line, orr_tensor *x, orr_tensor *y);
#define orr_field_dot(...) orr_field_dot_at(ORR_HERE, __VA_ARGS__)

/* -- transforms --------------------------------------------------------------------------------------------------- */

/** X[j] = Σ_i x[i]·(s·w^j)^i over r, with w = 5^((r − 1)/n) and n = 2^k: the values of polynomials on a coset of the n-th roots of
 * unity.
 * @param x      fr254 (…, n), n = 2^k, k ≤ 28    @param shift  s, (), not zero (ORR_ENUMERIC); NULL: 1
 * @return       (…, n); ORR_ESHAPE where n is no power of two.      cost: n·k/2 products a transform. */
ORR_API orr_tensor *orr_field_ntt_at(const char *file, int line, orr_tensor *x, orr_tensor *shift);
#define orr_field_ntt(...) orr_field_ntt_at(ORR_HERE, __VA_ARGS__)
/** x from X: the inverse of orr_field_ntt with the same shift. */
ORR_API orr_tensor *orr_field_ntt_inverse_at(const char *file, int line, orr_tensor *x, orr_tensor *shift);
#define orr_field_ntt_inverse(...) orr_field_ntt_inverse_at(ORR_HERE, __VA_ARGS__)

/* -- polynomials: coefficients from the lowest on ------------------------------------------------------------------- */

/** Σ c_i·x^i at each place.
 * @param c  (n)    @param x  (…)    @return  of x's shape.      cost: n products a place. */
ORR_API orr_tensor *orr_field_poly_eval_at(const char *file, int line, orr_tensor *c, orr_tensor *x);
#define orr_field_poly_eval(...) orr_field_poly_eval_at(ORR_HERE, __VA_ARGS__)

typedef struct orr_field_division {
    orr_tensor *quotient;  /**< (n − m + 1) */
    orr_tensor *remainder; /**< (m − 1)     */
} orr_field_division;
/** c = d·quotient + remainder.
 * @param c  (n)    @param d  (m), 1 ≤ m ≤ n (ORR_ESHAPE), whose last coefficient is not 0 (ORR_ENUMERIC)
 * cost:     (n − m + 1)·m products on one core. */
ORR_API orr_field_division orr_field_poly_divide_at(const char *file, int line, orr_tensor *c, orr_tensor *d);
#define orr_field_poly_divide(...) orr_field_poly_divide_at(ORR_HERE, __VA_ARGS__)

/* -- hashes --------------------------------------------------------------------------------------------------------- */

/** The Poseidon hash of rows of 1 … 16 elements of r, with circom's parameters: x^5, eight full rounds.
 * @param x  fr254 (…, n)    @return  (…); ORR_ESHAPE for another n.
 * source:   L. Grassi et al., "Poseidon: a new hash function for zero-knowledge proof systems", 2021. */
ORR_API orr_tensor *orr_poseidon_at(const char *file, int line, orr_tensor *x);
#define orr_poseidon(...) orr_poseidon_at(ORR_HERE, __VA_ARGS__)

/** The Merkle tree of Poseidon hashes: a node is the hash of its `arity` children.
 * @param leaves  fr254 (n) with n = arity^depth (ORR_ESHAPE)    @param arity  2 … 16
 * @return        all nodes, level by level: the leaves first, the root last. */
ORR_API orr_tensor *orr_merkle_tree_at(const char *file, int line, orr_tensor *leaves, int arity);
#define orr_merkle_tree(...) orr_merkle_tree_at(ORR_HERE, __VA_ARGS__)
/** The root of a tree of orr_merkle_tree: (). */
ORR_API orr_tensor *orr_merkle_root_at(const char *file, int line, orr_tensor *tree);
#define orr_merkle_root(...) orr_merkle_root_at(ORR_HERE, __VA_ARGS__)
/** The proof that a leaf is in the tree: on each level the other children of the node above, from the leaves up.
 * @return   (depth, arity − 1); poison on ORR_EINDEX (no such leaf), ORR_ESHAPE (no tree of that arity). */
ORR_API orr_tensor *orr_merkle_proof_at(const char *file, int line, orr_tensor *tree, int arity, int64_t leaf);
#define orr_merkle_proof(...) orr_merkle_proof_at(ORR_HERE, __VA_ARGS__)
/** True if `value` is leaf number `leaf` of the tree with that root.
 * @param root, value  ()    @param proof  (depth, arity − 1)    @return  bool, rank 0. */
ORR_API orr_tensor *orr_merkle_verify_at(const char *file, int line, orr_tensor *root, orr_tensor *value, int64_t leaf,
                                         orr_tensor *proof);
#define orr_merkle_verify(...) orr_merkle_verify_at(ORR_HERE, __VA_ARGS__)

/* -- points ----------------------------------------------------------------------------------------------------------- */

/** The generator of a group: (2) or (2, 2). */
ORR_API orr_tensor *orr_curve_generator_at(const char *file, int line, orr_curve curve);
#define orr_curve_generator(...) orr_curve_generator_at(ORR_HERE, __VA_ARGS__)
/** p + q, broadcast; −p; 2p. */
ORR_API orr_tensor *orr_curve_add_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *q);
#define orr_curve_add(...) orr_curve_add_at(ORR_HERE, __VA_ARGS__)
ORR_API orr_tensor *orr_curve_neg_at(const char *file, int line, orr_curve curve, orr_tensor *p);
#define orr_curve_neg(...) orr_curve_neg_at(ORR_HERE, __VA_ARGS__)
ORR_API orr_tensor *orr_curve_double_at(const char *file, int line, orr_curve curve, orr_tensor *p);
#define orr_curve_double(...) orr_curve_double_at(ORR_HERE, __VA_ARGS__)
/** k·p.
 * @param p  (…, 2) or (…, 2, 2)    @param k  fr254 (…); the axes before points broadcast. */
ORR_API orr_tensor *orr_curve_multiply_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *k);
#define orr_curve_multiply(...) orr_curve_multiply_at(ORR_HERE, __VA_ARGS__)
/** True for each point on the curve, infinity included. This is the only function that accepts points off the curve.
 * @return  bool (…). */
ORR_API orr_tensor *orr_curve_contains_at(const char *file, int line, orr_curve curve, orr_tensor *p);
#define orr_curve_contains(...) orr_curve_contains_at(ORR_HERE, __VA_ARGS__)
/** True for each point in the group of order r, that is, with r·p at infinity. On G1 every point is in it. @return  bool (…).
 * cost: one multiple. */
ORR_API orr_tensor *orr_curve_in_group_at(const char *file, int line, orr_curve curve, orr_tensor *p);
#define orr_curve_in_group(...) orr_curve_in_group_at(ORR_HERE, __VA_ARGS__)
/** x as bytes, little-endian (of G2 the real part first), with the highest bit set where y is the larger of y and −y (of G2: by
 * the imaginary part, then the real), and the next one for infinity.
 * @return   u8 (…, 32) or (…, 64). */
ORR_API orr_tensor *orr_curve_compress_at(const char *file, int line, orr_curve curve, orr_tensor *p);
#define orr_curve_compress(...) orr_curve_compress_at(ORR_HERE, __VA_ARGS__)
/** The points of orr_curve_compress: bytes that are no point are ORR_EINDEX, and the message names the place.
 * @param bytes  u8 (…, 32) or (…, 64). orr_curve_in_group checks membership in the group. */
ORR_API orr_tensor *orr_curve_decompress_at(const char *file, int line, orr_curve curve, orr_tensor *bytes);
#define orr_curve_decompress(...) orr_curve_decompress_at(ORR_HERE, __VA_ARGS__)
/** Σ k_i·p_i, by Pippenger's buckets: windows of digits and chunks of points are separate tasks.
 * @param p  (n, 2) or (n, 2, 2)    @param k  fr254 (n)
 * @return   one point; n = 0 gives infinity. */
ORR_API orr_tensor *orr_curve_msm_at(const char *file, int line, orr_curve curve, orr_tensor *p, orr_tensor *k);
#define orr_curve_msm(...) orr_curve_msm_at(ORR_HERE, __VA_ARGS__)
/** True if Π e(p_i, q_i) = 1, by the optimal ate pairing.
 * @param p  (n, 2)    @param q  (n, 2, 2), of order r (ORR_EINDEX)    @return  bool, rank 0. */
ORR_API orr_tensor *orr_curve_pairing_check_at(const char *file, int line, orr_tensor *p, orr_tensor *q);
#define orr_curve_pairing_check(...) orr_curve_pairing_check_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
