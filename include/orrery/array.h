/* The rest of the Python array API standard and related functions: creation, rearranging, choosing by index, facts about
 * dtypes. Most are composed of the operations of ops.h.
 * Must not know: how a value is computed.
 *
 * For all of them: the result is owned by the current scope; a poison operand gives poison; a NULL, freed or foreign
 * tensor gives poison (ORR_EINVAL, ORR_EHANDLE). All are lazy unless their text says that they evaluate, and safe from
 * any thread. A function with several results returns a status, fills the caller's array, and on an error fills it with
 * poison. docs/array-api.md lists each function of the standard with its name here. */
#ifndef ORRERY_ARRAY_H
#define ORRERY_ARRAY_H

#include <orrery/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- creation by example --------------------------------------------------------------------------------- */

/** Zeros of x's shape and dtype. dtypes: all. No gradient. */
ORR_API orr_tensor *orr_zeros_like_at(const char *file, int line, orr_tensor *x);
#define orr_zeros_like(...) orr_zeros_like_at(ORR_HERE, __VA_ARGS__)
/** Ones of x's shape and dtype. dtypes: all. No gradient. */
ORR_API orr_tensor *orr_ones_like_at(const char *file, int line, orr_tensor *x);
#define orr_ones_like(...) orr_ones_like_at(ORR_HERE, __VA_ARGS__)
/** A tensor of x's shape and dtype, each element `value`.
 * dtypes: all. Errors: ORR_EDTYPE (an integer dtype that does not hold the value). No gradient. */
ORR_API orr_tensor *orr_full_like_at(const char *file, int line, orr_tensor *x, double value);
#define orr_full_like(...) orr_full_like_at(ORR_HERE, __VA_ARGS__)
/** x kept between two numbers: orr_clip with numbers for its bounds, orr_clip_between(x, 0, 6).
 * dtypes: numbers; x's dtype, which must hold both bounds. Errors: ORR_EDTYPE, ORR_EINVAL (low > high, or NaN).
 * grad: g where low ≤ x ≤ high.      cost: fused, 4 per element. */
ORR_API orr_tensor *orr_clip_between_at(const char *file, int line, orr_tensor *x, double low, double high);
#define orr_clip_between(...) orr_clip_between_at(ORR_HERE, __VA_ARGS__)
/** The coordinates of a grid: grids[k][i₀, i₁, …] = x[k][i_k], for n lines x of lengths n₀, n₁, …
 * @param matrix  true: the shape is (n₀, n₁, …); false: its first two axes are exchanged, as for images ("xy" in NumPy)
 * @param grids   n results
 * dtypes: all. Errors: ORR_EINVAL (n < 1), ORR_ESHAPE (a line with other than one axis; more than 8 lines).
 * grad: g summed over the other axes.      cost: views. */
ORR_API orr_status orr_meshgrid_at(const char *file, int line, orr_tensor *const *x, int n, bool matrix,
                                   orr_tensor **grids);
#define orr_meshgrid(...) orr_meshgrid_at(ORR_HERE, __VA_ARGS__)
/** Square matrices whose diagonal number k is v and whose other elements are 0.
 * @param v  (…, n)     @param k  > 0 above the main diagonal, < 0 below
 * @return   (…, n + |k|, n + |k|).
 * dtypes: all. Errors: ORR_ESHAPE (no axis, or eight). grad: the diagonal of g. cost: fused, 1 per element. */
ORR_API orr_tensor *orr_diag_at(const char *file, int line, orr_tensor *v, int64_t k);
#define orr_diag(...) orr_diag_at(ORR_HERE, __VA_ARGS__)

/* -- rearranging ------------------------------------------------------------------------------------------- */

/** Diagonal number k of the matrices in the last two axes: y[…, i] = x[…, i, i + k], or x[…, i − k, i] for k < 0.
 * @param x  (…, m, n)
 * @return   (…, length), where the length is 0 for a diagonal outside the matrix.
 * dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: zeros with g on the diagonal. cost: a view of x's value. */
ORR_API orr_tensor *orr_diagonal_at(const char *file, int line, orr_tensor *x, int64_t k);
#define orr_diagonal(...) orr_diagonal_at(ORR_HERE, __VA_ARGS__)
/** Axes from[i] of x at the places to[i] of the result, the other axes in their order.
 * dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS (out of range, or twice).
 * grad: the inverse.      cost: a view. */
ORR_API orr_tensor *orr_moveaxis_at(const char *file, int line, orr_tensor *x, orr_axes from, orr_axes to);
#define orr_moveaxis(...) orr_moveaxis_at(ORR_HERE, __VA_ARGS__)
/** Two axes exchanged. dtypes: all. Errors: ORR_EAXIS. grad: g with the axes exchanged. cost: a view. */
ORR_API orr_tensor *orr_swapaxes_at(const char *file, int line, orr_tensor *x, int axis, int other);
#define orr_swapaxes(...) orr_swapaxes_at(ORR_HERE, __VA_ARGS__)
/** Each element of `axis` repeated n times, the copies next to each other; ORR_FLAT: the elements of x as flat.
 * dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE. grad: the sum over the copies. cost: a copy. */
ORR_API orr_tensor *orr_repeat_at(const char *file, int line, orr_tensor *x, int64_t n, int axis);
#define orr_repeat(...) orr_repeat_at(ORR_HERE, __VA_ARGS__)
/** Element i of `axis` repeated counts[i] times; ORR_FLAT: the elements of x as flat. The shape depends on data:
 * `counts` is evaluated.
 * @param counts  one axis, as long as x's or of length 1; integers ≥ 0
 * dtypes: x all. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (another length), ORR_EINVAL (a negative count), those of
 * orr_eval. grad: the sum over the copies. cost: that of orr_take. */
ORR_API orr_tensor *orr_repeat_each_at(const char *file, int line, orr_tensor *x, orr_tensor *counts, int axis);
#define orr_repeat_each(...) orr_repeat_each_at(ORR_HERE, __VA_ARGS__)
/** x shifted by shift[i] places along axes[i]; elements that leave at one end enter at the other. One axis ORR_FLAT: x is
 * shifted as flat and keeps its shape. An axis that occurs twice is shifted by the sum.
 * dtypes: all. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS. grad: shifted back. cost: a copy, fused. */
ORR_API orr_tensor *orr_roll_at(const char *file, int line, orr_tensor *x, orr_index shift, orr_axes axes);
#define orr_roll(...) orr_roll_at(ORR_HERE, __VA_ARGS__)
/** x turned k times by 90 degrees in the plane of two axes, from the first towards the second.
 * dtypes: all. Errors: ORR_EAXIS (out of range, or equal). grad: turned back. cost: a view. */
ORR_API orr_tensor *orr_rot90_at(const char *file, int line, orr_tensor *x, int64_t k, int first, int second);
#define orr_rot90(...) orr_rot90_at(ORR_HERE, __VA_ARGS__)
/** x repeated as a whole, n[i] times along axis i; the shorter of n and x's shape is extended by leading ones.
 * dtypes: all. Errors: ORR_EINVAL (negative), ORR_ESHAPE. grad: the sum over the copies. cost: a copy. */
ORR_API orr_tensor *orr_tile_at(const char *file, int line, orr_tensor *x, orr_index n);
#define orr_tile(...) orr_tile_at(ORR_HERE, __VA_ARGS__)
/** pieces[0 … n − 1] are equal parts of x along an axis. Errors: ORR_EAXIS, ORR_EINVAL (n < 1), ORR_ESHAPE (n does not divide
 * the length).
 * dtypes: all. grad: zeros with g in place. cost: views. */
ORR_API orr_status orr_split_at(const char *file, int line, orr_tensor *x, int n, int axis, orr_tensor **pieces);
#define orr_split(...) orr_split_at(ORR_HERE, __VA_ARGS__)
/** pieces[0 … n] of x along an axis, cut before the elements place[0] ≤ place[1] ≤ …; negative places count from the end.
 * Errors: ORR_EAXIS, ORR_EINVAL (not ascending), ORR_EINDEX (out of range). Otherwise as orr_split. */
ORR_API orr_status orr_cut_at(const char *file, int line, orr_tensor *x, const int64_t *place, int n, int axis,
                              orr_tensor **pieces);
#define orr_cut(...) orr_cut_at(ORR_HERE, __VA_ARGS__)
/** The n elements of an axis of length n as tensors without that axis: the inverse of orr_stack.
 * Errors: ORR_EAXIS, ORR_ESHAPE (another length). dtypes: all. grad: zeros with g in place. cost: views. */
ORR_API orr_status orr_unstack_at(const char *file, int line, orr_tensor *x, int axis, orr_tensor **items, int n);
#define orr_unstack(...) orr_unstack_at(ORR_HERE, __VA_ARGS__)
/** results[i] is x[i] broadcast to the common shape of all n. Each keeps its dtype.
 * Errors: ORR_EINVAL (n < 1), ORR_ESHAPE. dtypes: all. grad: g summed over the repeated axes. cost: views. */
ORR_API orr_status orr_broadcast_arrays_at(const char *file, int line, orr_tensor *const *x, int n,
                                           orr_tensor **results);
#define orr_broadcast_arrays(...) orr_broadcast_arrays_at(ORR_HERE, __VA_ARGS__)

/* -- choosing by index --------------------------------------------------------------------------------------- */

/** y[…, i, …] = x[…, indices[…, i, …], …] along one axis; the other axes of x and indices broadcast.
 * @param indices  x's rank; negative ones count from the end
 * @return   the broadcast shape with the length of indices along `axis`. An index out of range is found by evaluation
 *           (ORR_EINDEX).
 * dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE.
 * grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result. */
ORR_API orr_tensor *orr_take_along_axis_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, int axis);
#define orr_take_along_axis(...) orr_take_along_axis_at(ORR_HERE, __VA_ARGS__)
/** y[i…, j…] = x[indices[i…, 0], …, indices[i…, m−1], j…]: each row of m indices names an element, or a piece, of x.
 * @param indices  (…, m), m ≤ rank of x; negative ones count from the end
 * @return   the shape of indices without its last axis, then the axes of x from m on. An index out of range is found by
 *           evaluation (ORR_EINDEX); the message has the place in row-major order over the first m axes.
 * dtypes: x all, indices integers. Errors: ORR_EDTYPE, ORR_ESHAPE.
 * grad: the sum of g for each element that was read.      cost: fused, 1 per element of the result. */
ORR_API orr_tensor *orr_gather_nd_at(const char *file, int line, orr_tensor *x, orr_tensor *indices);
#define orr_gather_nd(...) orr_gather_nd_at(ORR_HERE, __VA_ARGS__)

/** The effect of an update on the element at its place. */
typedef enum orr_scatter_mode {
    ORR_SCATTER_SET, /**< replaces it; of several, the last in row-major order of the indices */
    ORR_SCATTER_ADD, /**< is added: orr_scatter_add */
    ORR_SCATTER_MUL, /**< is multiplied with it */
    ORR_SCATTER_MIN, /**< stays where it is less; NaN stays */
    ORR_SCATTER_MAX  /**< stays where it is greater; NaN stays */
} orr_scatter_mode;
/** x with place indices[i] of `axis` changed by updates[…, i, …]; an index may occur several times.
 * @param indices  negative ones count from the end; one out of range is found by evaluation (ORR_EINDEX)
 * @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
 * dtypes: x and updates promoted (bool not with ORR_SCATTER_ADD), indices integers. Errors: ORR_EAXIS, ORR_EDTYPE,
 * ORR_ESHAPE, ORR_EINVAL (no mode).
 * grad: for ORR_SCATTER_SET g goes to the last update of each place, for an extremum in equal parts to all values that
 * equal it, for a product it is g times the other factors.      cost: 1 per element of x and of updates, on one core. */
ORR_API orr_tensor *orr_scatter_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, orr_tensor *updates,
                                   int axis, orr_scatter_mode mode);
#define orr_scatter(...) orr_scatter_at(ORR_HERE, __VA_ARGS__)
/** x with the element, or the piece, that the row indices[i…] names (orr_gather_nd) changed by updates[i…, j…].
 * @param updates  the shape of orr_gather_nd's result; broadcast to it. Otherwise as orr_scatter. */
ORR_API orr_tensor *orr_scatter_nd_at(const char *file, int line, orr_tensor *x, orr_tensor *indices,
                                      orr_tensor *updates, orr_scatter_mode mode);
#define orr_scatter_nd(...) orr_scatter_nd_at(ORR_HERE, __VA_ARGS__)
/** The elements of x where mask is true, in row-major order. The mask's shape is the beginning of x's; the axes after it
 * stay. The shape of the result depends on data: `mask` is evaluated.
 * @return   (number of true elements, axes of x after the mask's …).
 * dtypes: x all, mask bool. Errors: ORR_EDTYPE, ORR_ESHAPE, those of orr_eval.
 * grad: g in these places, zeros elsewhere.      cost: that of orr_take. */
ORR_API orr_tensor *orr_mask_select_at(const char *file, int line, orr_tensor *x, orr_tensor *mask);
#define orr_mask_select(...) orr_mask_select_at(ORR_HERE, __VA_ARGS__)
/** The places where x ≠ 0 (NaN is), in row-major order. The shape depends on data: `x` is evaluated.
 * @return   (number of places, rank of x), i64.
 * dtypes: all. Errors: those of orr_eval. No gradient. */
ORR_API orr_tensor *orr_argwhere_at(const char *file, int line, orr_tensor *x);
#define orr_argwhere(...) orr_argwhere_at(ORR_HERE, __VA_ARGS__)
/** orr_argwhere with one result for each axis of x: places[d][i] is the index along axis d.
 * errors:   ORR_ESHAPE (a 0-d x, or n is not its rank), those of orr_eval. */
ORR_API orr_status orr_nonzero_at(const char *file, int line, orr_tensor *x, orr_tensor **places, int n);
#define orr_nonzero(...) orr_nonzero_at(ORR_HERE, __VA_ARGS__)

/* -- searching and sets -------------------------------------------------------------------------------------- */

/** The number of elements that are ≠ 0 (NaN is), over axes as in orr_sum. dtypes: all, to i64. No gradient. */
ORR_API orr_tensor *orr_count_nonzero_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_count_nonzero(...) orr_count_nonzero_at(ORR_HERE, __VA_ARGS__)
/** The place at which each value keeps an ascending line sorted: the number of elements below the value, or with `right`
 * of those not above it. NaN is the greatest, as in orr_sort. For a line in another order the places are arbitrary; that
 * is no error.
 * @param sorted  one axis; with a sorter (orr_argsort) write orr_take(line, sorter, 0)
 * @return   the shape of values, i64.
 * dtypes: all, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. No gradient. cost: log₂ of the length, for each value. */
ORR_API orr_tensor *orr_searchsorted_at(const char *file, int line, orr_tensor *sorted, orr_tensor *values, bool right);
#define orr_searchsorted(...) orr_searchsorted_at(ORR_HERE, __VA_ARGS__)
/** The places of the k greatest, or least, elements of an axis, best first: the first k of orr_argsort.
 * @return   x's shape with k along `axis`, i64.
 * dtypes: all. Errors: ORR_EAXIS, ORR_EINVAL (k < 0 or above the length). No gradient.
 * cost: one pass for a small k; few long lines are shared by all cores. */
ORR_API orr_tensor *orr_top_places_at(const char *file, int line, orr_tensor *x, int64_t k, int axis, bool largest);
#define orr_top_places(...) orr_top_places_at(ORR_HERE, __VA_ARGS__)
/** The k greatest, or least, elements of an axis, best first, and their places. Otherwise as orr_top_places.
 * grad: g at the places of the elements. */
ORR_API orr_status orr_topk_at(const char *file, int line, orr_tensor *x, int64_t k, int axis, bool largest,
                               orr_tensor **values, orr_tensor **places);
#define orr_topk(...) orr_topk_at(ORR_HERE, __VA_ARGS__)
/** The distinct elements of x as flat, in ascending order, complex ones by their real, then by their imaginary parts. As
 * in the standard, each NaN is distinct and ±0 are equal. The shape depends on data: `x` is evaluated.
 * @return   one axis, x's dtype. dtypes: all. Errors: those of orr_eval.
 * No gradient; the values of orr_unique_all have one. cost: that of orr_sort. */
ORR_API orr_tensor *orr_unique_values_at(const char *file, int line, orr_tensor *x);
#define orr_unique_values(...) orr_unique_values_at(ORR_HERE, __VA_ARGS__)
/** orr_unique_values, and the count of each value, i64. */
ORR_API orr_status orr_unique_counts_at(const char *file, int line, orr_tensor *x, orr_tensor **values,
                                        orr_tensor **counts);
#define orr_unique_counts(...) orr_unique_counts_at(ORR_HERE, __VA_ARGS__)
/** orr_unique_values, and for each element of x, in x's shape, the place of its value among them, i64. */
ORR_API orr_status orr_unique_inverse_at(const char *file, int line, orr_tensor *x, orr_tensor **values,
                                         orr_tensor **inverse);
#define orr_unique_inverse(...) orr_unique_inverse_at(ORR_HERE, __VA_ARGS__)
/** All of these results, and the place in x as flat of the first occurrence of each value, i64. A result that is not
 * needed may be NULL. grad: if indices or inverse is requested, the values have one: g goes to the first occurrences.
 * cost: with indices or inverse that of orr_argsort. */
ORR_API orr_status orr_unique_all_at(const char *file, int line, orr_tensor *x, orr_tensor **values,
                                     orr_tensor **indices, orr_tensor **inverse, orr_tensor **counts);
#define orr_unique_all(...) orr_unique_all_at(ORR_HERE, __VA_ARGS__)

/* -- statistics ------------------------------------------------------------------------------------------------ */

/** Differences of neighbours along an axis, n times: y[i] = x[i + 1] − x[i].
 * @param prepend, append  joined to x's ends first; NULL: none
 * @return   n elements fewer along `axis`; none if there are not so many.
 * dtypes: integers (wrapping) and floats, promoted; bool not. Errors: ORR_EAXIS, ORR_EINVAL (n < 0), ORR_ESHAPE,
 * ORR_EDTYPE. grad: the differences of g, reversed. cost: fused. */
ORR_API orr_tensor *orr_diff_at(const char *file, int line, orr_tensor *x, int axis, int n, orr_tensor *prepend,
                                orr_tensor *append);
#define orr_diff(...) orr_diff_at(ORR_HERE, __VA_ARGS__)
/** The counts of 0 … length − 1 in x as flat; with weights, the sums of the weights.
 * @param weights  x's shape, or NULL
 * @param length   −1: one more than the greatest element; then the shape depends on data, and x is evaluated
 * @return   (length), i64, or the dtype of weights. An element out of range is found by evaluation (ORR_EINDEX).
 * dtypes: x integers, weights all but bool. Errors: ORR_EDTYPE, ORR_ESHAPE, ORR_EINVAL (a negative element).
 * grad: by weights, g at each element. cost: that of orr_scatter_add. */
ORR_API orr_tensor *orr_bincount_at(const char *file, int line, orr_tensor *x, orr_tensor *weights, int64_t length);
#define orr_bincount(...) orr_bincount_at(ORR_HERE, __VA_ARGS__)
/** The number of elements of x as flat in each bin. Bin i is [edges[i], edges[i + 1]); the last one includes its right
 * edge. Elements outside, and NaN, are not counted.
 * @param edges    ascending, one axis of 2 at least (orr_linspace makes equal bins)
 * @param weights  x's shape, or NULL
 * @return   one element fewer than edges, i64, or the dtype of weights.
 * dtypes: x and edges promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (edges that fall). grad: by weights. cost: log₂ bins for each element. */
ORR_API orr_tensor *orr_histogram_at(const char *file, int line, orr_tensor *x, orr_tensor *edges, orr_tensor *weights);
#define orr_histogram(...) orr_histogram_at(ORR_HERE, __VA_ARGS__)
/** The q-quantiles over the axes: the value at place q·(m − 1) of the m sorted elements, interpolated linearly.
 * @param axes  as for orr_mean
 * @return   one axis for the n numbers q, then x's shape without the axes (1 with keepdims). NaN where an element is NaN.
 * dtypes: floats; f16 and bf16 in f32. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (an empty axis), ORR_EINVAL (a q outside
 * 0 … 1). grad: to the one or two elements. cost: that of orr_sort. */
ORR_API orr_tensor *orr_quantile_at(const char *file, int line, orr_tensor *x, const double *q, int n, orr_axes axes,
                                    bool keepdims);
#define orr_quantile(...) orr_quantile_at(ORR_HERE, __VA_ARGS__)
/** The 0.5-quantile, without the axis for q. Otherwise as orr_quantile. */
ORR_API orr_tensor *orr_median_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_median(...) orr_median_at(ORR_HERE, __VA_ARGS__)
/** The covariances of variables: rows of x are observations, columns are variables.
 * @param x     (…, observations, variables)
 * @param ddof  1: divided by n − 1, 0: by n
 * @return   (…, variables, variables): Σ (xᵢ − mean)(xⱼ − mean) / (n − ddof). NaN or inf when n ≤ ddof.
 * dtypes: floats. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: through the product. cost: a product of x with itself. */
ORR_API orr_tensor *orr_covariance_at(const char *file, int line, orr_tensor *x, double ddof);
#define orr_covariance(...) orr_covariance_at(ORR_HERE, __VA_ARGS__)
/** Pearson's correlations: covariances divided by both standard deviations, within −1 … 1; NaN for a variable that does not
 * vary. Otherwise as orr_covariance. */
ORR_API orr_tensor *orr_correlation_at(const char *file, int line, orr_tensor *x);
#define orr_correlation(...) orr_correlation_at(ORR_HERE, __VA_ARGS__)

/* -- products ---------------------------------------------------------------------------------------------------- */

/** The sum of products described by a text, as numpy.einsum: orr_einsum("bij,bjk->bik", ORR_TENSORS(a, b)) is a batch of
 * matrix products. A letter stands for an axis. Axes of the same letter have the same length, or 1, which is repeated. A
 * letter that occurs twice in an operand selects its diagonal; letters that the result does not have are summed over.
 * "..." stands for further axes, which broadcast. Without "->" the result has the letters that occur once, in the order A
 * … Z, a … z. Spaces are ignored. Operands are multiplied pair by pair, in the order of the fewest multiplications (all
 * orders are compared for up to 8 operands; with more, the cheapest pair is next). Each pair is one orr_matmul, whose
 * operands are not copied where possible.
 * @param x  1 to 16 operands
 * @return   owned by the current scope; poison on ORR_EINVAL (the text), ORR_ESHAPE, ORR_EDTYPE.
 * dtypes:   integers (wrapping) and floats, promoted; bool not. A pair's product is rounded to the dtype.
 * grad:     through the products.      cost: that of the order. */
ORR_API orr_tensor *orr_einsum_at(const char *file, int line, const char *text, orr_tensor *const *x, int n);
#define orr_einsum(...) orr_einsum_at(ORR_HERE, __VA_ARGS__)
/** Σ a·b over axes of_a[i] of a and of_b[i] of b: the other axes of a, then those of b. No axes: the outer product.
 * dtypes: integers and floats, promoted. Errors: ORR_EINVAL (lists of different lengths), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
 * grad: through the product. cost: that of orr_matmul, and copies of operands that are not matrices in memory. */
ORR_API orr_tensor *orr_tensordot_at(const char *file, int line, orr_tensor *a, orr_tensor *b, orr_axes of_a,
                                     orr_axes of_b);
#define orr_tensordot(...) orr_tensordot_at(ORR_HERE, __VA_ARGS__)
/** Σ a·b along one axis of both, counted from the end; the other axes broadcast. Of complex numbers Σ conj(a)·b.
 * dtypes: integers (wrapping), floats and complex, promoted. Errors: ORR_EAXIS (not negative), ORR_ESHAPE, ORR_EDTYPE.
 * grad: g·b and g·a. cost: fused, one pass. */
ORR_API orr_tensor *orr_vecdot_at(const char *file, int line, orr_tensor *a, orr_tensor *b, int axis);
#define orr_vecdot(...) orr_vecdot_at(ORR_HERE, __VA_ARGS__)
/** y[i, j] = a[i] · b[j]. dtypes: integers and floats, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE. grad: g·b, gᵀ·a. cost: fused. */
ORR_API orr_tensor *orr_outer_at(const char *file, int line, orr_tensor *a, orr_tensor *b);
#define orr_outer(...) orr_outer_at(ORR_HERE, __VA_ARGS__)
/** Kronecker's product: each element of a times all of b, as blocks. The shorter shape is extended by leading ones.
 * dtypes: integers and floats, promoted. Errors: ORR_ESHAPE (more than 4 axes), ORR_EDTYPE. grad: through the product. */
ORR_API orr_tensor *orr_kron_at(const char *file, int line, orr_tensor *a, orr_tensor *b);
#define orr_kron(...) orr_kron_at(ORR_HERE, __VA_ARGS__)

/* -- facts about dtypes (nothing is recorded) ---------------------------------------------------------------- */

/** Kinds of dtypes, to be joined by |. */
enum {
    ORR_KIND_BOOL = 1,
    ORR_KIND_SIGNED = 2,
    ORR_KIND_UNSIGNED = 4,
    ORR_KIND_FLOAT = 8,
    ORR_KIND_COMPLEX = 16,
    ORR_KIND_INTEGRAL = 6,
    ORR_KIND_NUMERIC = 30
};
/** Returns whether t is of one of the kinds; false for any number that is no dtype. Thread-safe. */
ORR_API bool orr_isdtype(orr_dtype t, unsigned kinds);
/** Sets *result to the dtype to which the n dtypes promote, by the rules of the standard.
 * errors:   ORR_EINVAL (n < 1), ORR_EDTYPE (no dtype, or no common one). Thread-safe. */
ORR_API orr_status orr_result_type_at(const char *file, int line, const orr_dtype *t, int n, orr_dtype *result);
#define orr_result_type(...) orr_result_type_at(ORR_HERE, __VA_ARGS__)
/** Returns whether `from` promotes to `to`, so that no value is lost. Thread-safe. */
ORR_API bool orr_can_cast(orr_dtype from, orr_dtype to);
/** The numbers of a float dtype, or of the parts of a complex one, as doubles. */
typedef struct orr_float_facts {
    int bits;               /**< of one number                              */
    double eps;             /**< from 1 to the next number                  */
    double min, max;        /**< the lowest and the greatest finite number  */
    double smallest_normal; /**< the least positive number of full accuracy */
} orr_float_facts;
/** Sets *facts. errors: ORR_EDTYPE (`t` is no float dtype). Thread-safe. */
ORR_API orr_status orr_finfo_at(const char *file, int line, orr_dtype t, orr_float_facts *facts);
#define orr_finfo(...) orr_finfo_at(ORR_HERE, __VA_ARGS__)
/** The numbers of an integer dtype. */
typedef struct orr_integer_facts {
    int bits;     /**< of one number       */
    int64_t min;  /**< the lowest number   */
    uint64_t max; /**< the greatest number */
} orr_integer_facts;
/** Sets *facts. errors: ORR_EDTYPE (`t` is no integer dtype). Thread-safe. */
ORR_API orr_status orr_iinfo_at(const char *file, int line, orr_dtype t, orr_integer_facts *facts);
#define orr_iinfo(...) orr_iinfo_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
