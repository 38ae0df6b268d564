/* Operations on whole tensors: views, reductions, matmul, indexing, joining, softmax and losses.
 * The element-wise functions are in elementwise.h.
 * Must not know: how a value is computed.
 *
 * For all of them: the result is owned by the current scope; a poison operand gives poison; a NULL, freed or foreign
 * tensor gives poison (ORR_EINVAL, ORR_EHANDLE). All are lazy and safe from any thread. Broadcasting follows NumPy.
 * A view costs nothing unless a reader needs it contiguous. */
#ifndef ORRERY_OPS_H
#define ORRERY_OPS_H

#include <limits.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** In place of an axis: the tensor as flat, in row-major order. */
#define ORR_FLAT INT_MIN
/** In place of a slice's start or stop: left out, as in Python's x[::2]. */
#define ORR_END INT64_MIN

/** One number per axis, for orr_slice and orr_pad. */
typedef struct orr_index {
    int n;
    int64_t v[ORR_MAX_RANK];
} orr_index;

/** ORR_INDEX(0, 2) is the list 0, 2. */
#define ORR_INDEX(...) ORR__LIST(orr_index, int64_t, __VA_ARGS__)
/** The empty list: steps of 1 in orr_slice, no padding in orr_pad. */
#define ORR_NO_INDEX (ORR__VALUE(orr_index){ 0, { 0 } })

/* -- dtype and views ------------------------------------------------------------------------------------- */

/** y[i] = x[i] as `dtype`. Float to integer truncates and saturates, NaN gives 0; integers wrap; anything to bool is x ≠ 0; to a float
 * rounds to nearest, ties to even. A real number becomes complex with the imaginary part 0; a complex one cannot be cast to real:
 * ORR_EDTYPE (write orr_real, orr_imag or orr_abs). Integers and bool become elements of a field, of which −1 is the largest. An element
 * becomes its unsigned integer, or the congruent signed one nearest to 0; evaluation refuses an element that the dtype does not hold
 * (ORR_EINDEX, with its place). Elements and floats, or elements of two fields: ORR_EDTYPE.
 * dtypes: all. Errors: ORR_EDTYPE (no dtype).      grad: g cast back (zero through integers).      cost: 1 per element. */
ORR_API orr_tensor *orr_cast_at(const char *file, int line, orr_tensor *x, orr_dtype dtype);
#define orr_cast(...) orr_cast_at(ORR_HERE, __VA_ARGS__)

/** x's elements, in row-major order, as `shape`. One dimension may be -1: it follows from the others.
 * dtypes: all. Errors: ORR_ESHAPE (another number of elements; -1 twice or not determined).
 * grad: g in x's shape.                                                                            cost: a view. */
ORR_API orr_tensor *orr_reshape_at(const char *file, int line, orr_tensor *x, orr_shape shape);
#define orr_reshape(...) orr_reshape_at(ORR_HERE, __VA_ARGS__)

/** Axis k of the result is axis axes[k] of x. ORR_ALL_AXES: all axes in reverse order.
 * dtypes: all. Errors: ORR_EAXIS (not each axis exactly once).     grad: the inverse.              cost: a view. */
ORR_API orr_tensor *orr_permute_at(const char *file, int line, orr_tensor *x, orr_axes axes);
#define orr_permute(...) orr_permute_at(ORR_HERE, __VA_ARGS__)

/** The last two axes exchanged. dtypes: all. Errors: ORR_ESHAPE (rank < 2).     grad: gᵀ.           cost: a view. */
ORR_API orr_tensor *orr_transpose_at(const char *file, int line, orr_tensor *x);
#define orr_transpose(...) orr_transpose_at(ORR_HERE, __VA_ARGS__)

/** x repeated along its axes of length 1, and along new leading ones, to `shape`.
 * dtypes: all. Errors: ORR_ESHAPE.     grad: g summed over the repeated axes.                      cost: a view. */
ORR_API orr_tensor *orr_broadcast_to_at(const char *file, int line, orr_tensor *x, orr_shape shape);
#define orr_broadcast_to(...) orr_broadcast_to_at(ORR_HERE, __VA_ARGS__)

/** x without the axes named, which must have length 1. ORR_ALL_AXES: every axis of length 1.
 * dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE.     grad: g in x's shape.                            cost: a view. */
ORR_API orr_tensor *orr_squeeze_at(const char *file, int line, orr_tensor *x, orr_axes axes);
#define orr_squeeze(...) orr_squeeze_at(ORR_HERE, __VA_ARGS__)

/** x with a new axis of length 1 at place `axis` of the result, -(rank+1) ≤ axis ≤ rank.
 * dtypes: all. Errors: ORR_EAXIS, ORR_ESHAPE (rank 8 already).     grad: g in x's shape.           cost: a view. */
ORR_API orr_tensor *orr_expand_dims_at(const char *file, int line, orr_tensor *x, int axis);
#define orr_expand_dims(...) orr_expand_dims_at(ORR_HERE, __VA_ARGS__)

/** NumPy's x[start₀:stop₀:step₀, start₁:stop₁:step₁, …]: the lists describe the first axes, the other axes stay.
 * Negative numbers count from the end, ranges are cut to the axis, ORR_END means "left out", and a negative step goes
 * backwards. Example: x[::-1, 2:] is orr_slice(x, ORR_INDEX(ORR_END, 2), ORR_INDEX(ORR_END, ORR_END), ORR_INDEX(-1,
 * 1)).
 * @param step  ORR_NO_INDEX: all 1
 * dtypes: all. Errors: ORR_EINVAL (a step of 0, lists of different lengths), ORR_EAXIS (more numbers than axes).
 * grad: zeros of x's shape with g in these places.                                                  cost: a view. */
ORR_API orr_tensor *orr_slice_at(const char *file, int line, orr_tensor *x, orr_index start, orr_index stop,
                                 orr_index step);
#define orr_slice(...) orr_slice_at(ORR_HERE, __VA_ARGS__)
/** orr_slice along one axis. Errors: ORR_EAXIS, ORR_EINVAL (a step of 0). */
ORR_API orr_tensor *orr_slice_axis_at(const char *file, int line, orr_tensor *x, int axis, int64_t start, int64_t stop,
                                      int64_t step);
#define orr_slice_axis(...) orr_slice_axis_at(ORR_HERE, __VA_ARGS__)
/** x[…, index, …]: the place `index` of one axis, which is removed. A negative index counts from the end.
 * dtypes: all. Errors: ORR_EAXIS, ORR_EINDEX.     grad: as orr_slice.                              cost: a view. */
ORR_API orr_tensor *orr_select_at(const char *file, int line, orr_tensor *x, int axis, int64_t index);
#define orr_select(...) orr_select_at(ORR_HERE, __VA_ARGS__)

/** Windows of `axis`: y[…, w, …, j] = x[…, w · step + j, …]. An overlapping view: nothing is copied.
 * @param length  elements of a window, 1 … x's length along `axis`    @param step  from one window to the next, ≥ 1
 * @return   x's shape with (length_of_axis − length) / step + 1 windows along `axis`, and a last axis of `length`; owned
 *           by the current scope; poison on ORR_EAXIS, ORR_ESHAPE, ORR_EINVAL.
 * dtypes:   all.      grad: for each element the sum of g over its appearances.      cost: a view of x's value. */
ORR_API orr_tensor *orr_sliding_window_at(const char *file, int line, orr_tensor *x, int axis, int64_t length,
                                          int64_t step);
#define orr_sliding_window(...) orr_sliding_window_at(ORR_HERE, __VA_ARGS__)

/** x backwards along the axes named. dtypes: all. Errors: ORR_EAXIS.     grad: g backwards.        cost: a view. */
ORR_API orr_tensor *orr_flip_at(const char *file, int line, orr_tensor *x, orr_axes axes);
#define orr_flip(...) orr_flip_at(ORR_HERE, __VA_ARGS__)

/* -- reductions ------------------------------------------------------------------------------------------ */
/* All take the axes to reduce over (ORR_AXES(0, -1), ORR_ALL_AXES); with keepdims these stay with length 1. An empty
 * list of axes reduces nothing. Errors of all: ORR_EAXIS (out of range, or twice). Cost of all: one pass over x
 * unless said otherwise. f32 and f16 sums accumulate in f64 and are rounded once. A sum of n ≤ 16 values that becomes a part of another kernel
 * accumulates in f32 if the values are halves, or are computed by abs, square, exp or sigmoid: these cannot cancel, so that the error is at
 * most n/2 ulp. */

/** Σ x. Of no elements: 0. dtypes: all; bool and signed integers sum to i64, unsigned to u64 (wrapping), others keep
 * theirs.
 * grad: g, repeated. */
ORR_API orr_tensor *orr_sum_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_sum(...) orr_sum_at(ORR_HERE, __VA_ARGS__)
/** Π x. Of no elements: 1. dtypes: as orr_sum. grad: g times the product of the others, right with one zero or
 * several; the second derivative is right where no factor is 0. */
ORR_API orr_tensor *orr_prod_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_prod(...) orr_prod_at(ORR_HERE, __VA_ARGS__)
/** Σ x / n. Of no elements: NaN. dtypes: floats; f16 and bf16 are computed in f32, here and in all below. Errors:
 * ORR_EDTYPE. grad: g/n. */
ORR_API orr_tensor *orr_mean_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_mean(...) orr_mean_at(ORR_HERE, __VA_ARGS__)
/** Σ (x − mean)² / (n − ddof). NaN or inf when n ≤ ddof. dtypes: floats; computed in f64 and rounded once. Errors: ORR_EDTYPE.
 * grad: 2·g·(x − mean)/(n − ddof).
 * cost: two passes; one, over f32, f16 and bf16 that exceed the cache (sums of the differences from one element and of their squares, in
 * f64: Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983), as exact as two. */
ORR_API orr_tensor *orr_var_at(const char *file, int line, orr_tensor *x, orr_axes axes, double ddof, bool keepdims);
#define orr_var(...) orr_var_at(ORR_HERE, __VA_ARGS__)
/** √var. dtypes: floats. Errors: ORR_EDTYPE. grad: through the root; 0 where the variance is 0. */
ORR_API orr_tensor *orr_std_at(const char *file, int line, orr_tensor *x, orr_axes axes, double ddof, bool keepdims);
#define orr_std(...) orr_std_at(ORR_HERE, __VA_ARGS__)
/** √(Σ x²), the 2-norm. dtypes: floats; squares and sum in f64, so that only the norm itself may overflow f32, f16 or bf16. In
 * f64 a square beyond 1.8e308 is inf. Errors: ORR_EDTYPE. grad: g·x/norm; 0 where the norm is 0. */
ORR_API orr_tensor *orr_norm_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_norm(...) orr_norm_at(ORR_HERE, __VA_ARGS__)
/** log Σ eˣ, computed relative to the maximum: no overflow; right for ±inf; of no elements: −inf. dtypes: floats.
 * Errors: ORR_EDTYPE. grad: g·softmax(x). cost: two passes. */
ORR_API orr_tensor *orr_logsumexp_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_logsumexp(...) orr_logsumexp_at(ORR_HERE, __VA_ARGS__)
/** Least x; NaN if there is one. dtypes: all. Errors: ORR_ESHAPE (no elements).
 * grad: g, in equal parts to all elements that equal the minimum. */
ORR_API orr_tensor *orr_min_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_min(...) orr_min_at(ORR_HERE, __VA_ARGS__)
/** Greatest x; otherwise as orr_min. */
ORR_API orr_tensor *orr_max_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_max(...) orr_max_at(ORR_HERE, __VA_ARGS__)
/** True if any x ≠ 0 (NaN is). Of no elements: false. dtypes: all, to bool. */
ORR_API orr_tensor *orr_any_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_any(...) orr_any_at(ORR_HERE, __VA_ARGS__)
/** True if every x ≠ 0. Of no elements: true. dtypes: all, to bool. */
ORR_API orr_tensor *orr_all_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims);
#define orr_all(...) orr_all_at(ORR_HERE, __VA_ARGS__)
/** The place of the greatest element along `axis` (ORR_FLAT: in row-major order over all); the first of equals; the
 * first NaN if there is one. dtypes: all, to i64. Errors: ORR_EAXIS, ORR_ESHAPE (no elements). */
ORR_API orr_tensor *orr_argmax_at(const char *file, int line, orr_tensor *x, int axis, bool keepdims);
#define orr_argmax(...) orr_argmax_at(ORR_HERE, __VA_ARGS__)
/** The place of the least element; otherwise as orr_argmax. */
ORR_API orr_tensor *orr_argmin_at(const char *file, int line, orr_tensor *x, int axis, bool keepdims);
#define orr_argmin(...) orr_argmin_at(ORR_HERE, __VA_ARGS__)

/** Sums of the elements up to each one: y[k] = x[0] + … + x[k] along `axis`.
 * @param include_initial  true: y begins with a 0 and is longer by one
 * @return   x's shape (along `axis` one more with include_initial), owned by the current scope; poison on ORR_EAXIS.
 * dtypes:   all; signed integers and bool to i64, unsigned ones to u64, both wrapping; elements of fields keep theirs. Halves are
 *           summed in f32, f32 in f64; every element is rounded once.
 * grad:     the sums of g from each element on.      cost: one pass; two over few long lines, which all cores share. */
ORR_API orr_tensor *orr_cumulative_sum_at(const char *file, int line, orr_tensor *x, int axis, bool include_initial);
#define orr_cumulative_sum(...) orr_cumulative_sum_at(ORR_HERE, __VA_ARGS__)

/** Products of the elements up to each one: y[k] = x[0] · … · x[k] along `axis`; with include_initial y begins with a 1.
 * Otherwise as orr_cumulative_sum.
 * grad:     the sums of g·y from each element on, divided by it; right with one zero or several. The second derivative is
 *           right where no factor is 0. */
ORR_API orr_tensor *orr_cumulative_prod_at(const char *file, int line, orr_tensor *x, int axis, bool include_initial);
#define orr_cumulative_prod(...) orr_cumulative_prod_at(ORR_HERE, __VA_ARGS__)

/** The elements of `axis` in ascending order, or in descending order. Equal elements keep their order; NaN is last in
 * both directions; −0 equals 0.
 * @return   x's shape and dtype, owned by the current scope; poison on ORR_EAXIS.
 * dtypes:   all.
 * grad:     g of each element at the element's place in x.      cost: one pass per byte of the dtype; rows, and the
 *           chunks of few long lines, are shared by the workers. */
ORR_API orr_tensor *orr_sort_at(const char *file, int line, orr_tensor *x, int axis, bool descending);
#define orr_sort(...) orr_sort_at(ORR_HERE, __VA_ARGS__)
/** The indices along `axis` that sort x as orr_sort does: orr_sort(x)[k] = x[orr_argsort(x)[k]].
 * @return   x's shape, i64, owned by the current scope; poison on ORR_EAXIS.
 * dtypes:   all, to i64. No gradient.      cost: as orr_sort. */
ORR_API orr_tensor *orr_argsort_at(const char *file, int line, orr_tensor *x, int axis, bool descending);
#define orr_argsort(...) orr_argsort_at(ORR_HERE, __VA_ARGS__)

/* -- linear algebra -------------------------------------------------------------------------------------- */

/** C = A · B over the last two axes; the others broadcast. As in NumPy, a 1-d A is a row and a 1-d B a column, and
 * their axis is missing in the result. A transposed operand is read without a copy.
 * @param a  (…, m, k)    @param b  (…, k, n)
 * @return   (…, m, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
 * dtypes:   integers and floats, promoted; f16 and bf16 accumulate in f32. Integers wrap (without BLAS, at most 5 batch
 *           axes). Elements of one field, too.
 * grad:     dA = g·Bᵀ, dB = Aᵀ·g (summed over broadcast axes).      cost: 2mnk flop. */
ORR_API orr_tensor *orr_matmul_at(const char *file, int line, orr_tensor *a, orr_tensor *b);
#define orr_matmul(...) orr_matmul_at(ORR_HERE, __VA_ARGS__)

/** The lower triangular L with positive diagonal and A = L · Lᵀ, for each matrix; zeros above. A is symmetric, or Hermitian with A = L ·
 * Lᴴ; only its lower triangle is read. L is computed in tiles whose size depends on n alone, so the bits do not depend on the number of
 * workers; one large matrix is a graph of tasks (potrf, trsm, syrk, gemm), many are tasks of their own.
 * @param a  (…, n, n)
 * @return   (…, n, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A matrix that is not positive
 *           definite, NaN or infinity in it included, is found by evaluation (ORR_ENUMERIC), which names the order of the
 *           first leading minor that is not positive, and in a batch the matrix.
 * dtypes:   f32 f64 c64 c128.      cost: n³/3 flop a matrix. On the CPU; from n = 2048 on also on CUDA devices, and then the bits depend
 * on the placement (ORRERY_DETERMINISTIC=1: only on the CPU).
 * grad:     ½ L⁻ᵀ (P + Pᵀ) L⁻¹, P the lower triangle of Lᵀg with its diagonal halved: symmetric, for symmetric changes
 *           of A (I. Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527, 2016). */
ORR_API orr_tensor *orr_cholesky_at(const char *file, int line, orr_tensor *a);
#define orr_cholesky(...) orr_cholesky_at(ORR_HERE, __VA_ARGS__)
/** X with A · X = B, for a lower or upper triangular A, of which only that triangle is read. transpose: Aᵀ · X = B. unit:
 * the diagonal is ones and is not read. As in the Python array API's solve, a b of one axis is one vector and any other b
 * a stack of matrices; the stacks of a and b broadcast.
 * @param a  (…, n, n)    @param b  (…, n, m) or (n)
 * @return   (…, n, m) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A zero on the diagonal is
 *           found by evaluation (ORR_ENUMERIC, as in SciPy); NaN and infinity go through.
 * dtypes:   f32 f64 c64 c128, promoted.      cost: n²·m flop and two copies of b. On the CPU.
 * grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ in the triangle that is read (both transposed with A, summed over broadcast axes). */
ORR_API orr_tensor *orr_solve_triangular_at(const char *file, int line, orr_tensor *a, orr_tensor *b, bool lower,
                                            bool transpose, bool unit);
#define orr_solve_triangular(...) orr_solve_triangular_at(ORR_HERE, __VA_ARGS__)
/** X with A · X = B, for A = L · Lᵀ (complex: L · Lᴴ) given by its factor L = orr_cholesky(A): two solves. Otherwise as
 * orr_solve_triangular. */
ORR_API orr_tensor *orr_solve_cholesky_at(const char *file, int line, orr_tensor *l, orr_tensor *b);
#define orr_solve_cholesky(...) orr_solve_cholesky_at(ORR_HERE, __VA_ARGS__)
/** log det A, which is real, of each symmetric or Hermitian positive definite matrix: 2 Σ log Lᵢᵢ with L = orr_cholesky(A), so it neither
 * overflows nor underflows where det A would. 0 for order 0. The factor is shared: orr_logdet(A) and orr_cholesky(A) in one evaluation
 * factor A once.
 * @param a  (…, n, n)
 * @return   (…), owned by the current scope; poison and ORR_ENUMERIC as orr_cholesky.
 * dtypes:   f32 f64 c64 c128; logarithms are summed in f64.      cost: that of orr_cholesky.
 * grad:     A⁻¹ g, through the factor: symmetric. */
ORR_API orr_tensor *orr_logdet_at(const char *file, int line, orr_tensor *a);
#define orr_logdet(...) orr_logdet_at(ORR_HERE, __VA_ARGS__)

/* -- indexing -------------------------------------------------------------------------------------------- */

/** x's elements along `axis` (ORR_FLAT: of x as flat) at `indices`, whose shape replaces the axis. Negative indices count
 * from the end. An index out of range is found by evaluation (ORR_EINDEX), unless no evaluated value depends on it. By
 * itself the operation copies rows; a fused reader of the result reads x in its own kernel (docs/fusion.md).
 * dtypes: x all, indices integers. Errors: ORR_EAXIS, ORR_EDTYPE, ORR_ESHAPE (rank above 8).
 * grad: scatter_add of g into zeros.      cost: 1 per element of the result. */
ORR_API orr_tensor *orr_take_at(const char *file, int line, orr_tensor *x, orr_tensor *indices, int axis);
#define orr_take(...) orr_take_at(ORR_HERE, __VA_ARGS__)
/** x, to which updates[…, i, …] is added at place indices[i] of `axis`; an index may occur several times.
 * @param updates  x's shape with the axis replaced by the shape of indices; broadcast to it
 * dtypes: x and updates promoted, bool not, f16 and bf16 added in f32 and rounded once; indices integers. Errors: as
 * orr_take. An index out of range is found by evaluation (ORR_EINDEX). grad: dx = g, dupdates = take(g). cost: 1 per element of x and
 * of updates. */
ORR_API orr_tensor *orr_scatter_add_at(const char *file, int line, orr_tensor *x, orr_tensor *indices,
                                       orr_tensor *updates, int axis);
#define orr_scatter_add(...) orr_scatter_add_at(ORR_HERE, __VA_ARGS__)
/** 1 where the place along a new last axis of length n is the index, else 0; an index outside 0 … n−1 gives zeros.
 * dtypes: indices integers; the result any. Errors: ORR_EDTYPE, ORR_ESHAPE. cost: fused, n per index. */
ORR_API orr_tensor *orr_one_hot_at(const char *file, int line, orr_tensor *indices, int64_t n, orr_dtype dtype);
#define orr_one_hot(...) orr_one_hot_at(ORR_HERE, __VA_ARGS__)
/** x where column − row ≤ k over the last two axes, zeros above.
 * dtypes: all. Errors: ORR_ESHAPE (rank < 2). grad: tril(g, k). cost: fused, 1 per element. */
ORR_API orr_tensor *orr_tril_at(const char *file, int line, orr_tensor *x, int64_t k);
#define orr_tril(...) orr_tril_at(ORR_HERE, __VA_ARGS__)
/** x where column − row ≥ k over the last two axes, zeros below; otherwise as orr_tril. */
ORR_API orr_tensor *orr_triu_at(const char *file, int line, orr_tensor *x, int64_t k);
#define orr_triu(...) orr_triu_at(ORR_HERE, __VA_ARGS__)

/* -- joining --------------------------------------------------------------------------------------------- */

/** The n tensors joined along an axis that they all have; the other dimensions are equal.
 * dtypes: all, promoted. Errors: ORR_EINVAL (n < 1), ORR_EAXIS, ORR_ESHAPE, ORR_EDTYPE.
 * grad: slices of g. cost: a copy. */
ORR_API orr_tensor *orr_concat_at(const char *file, int line, orr_tensor *const *t, int n, int axis);
#define orr_concat(...) orr_concat_at(ORR_HERE, __VA_ARGS__)
/** The n tensors of one shape along a new axis. Otherwise as orr_concat. dtypes: all, promoted. */
ORR_API orr_tensor *orr_stack_at(const char *file, int line, orr_tensor *const *t, int n, int axis);
#define orr_stack(...) orr_stack_at(ORR_HERE, __VA_ARGS__)
/** x with lo[k] elements before and hi[k] after along axis k, all `value`; axes beyond the lists are not padded.
 * dtypes: all. Errors: ORR_EINVAL (negative), ORR_EAXIS (more numbers than axes), ORR_ESHAPE (overflow), ORR_EDTYPE
 * (value is none of x's dtype). grad: the part of g that is x. cost: a copy. */
ORR_API orr_tensor *orr_pad_at(const char *file, int line, orr_tensor *x, orr_index lo, orr_index hi, double value);
#define orr_pad(...) orr_pad_at(ORR_HERE, __VA_ARGS__)

/* -- activations with a parameter -------------------------------------------------------------------------- */

/** x for x > 0, else alpha · (eˣ − 1). orr_elu_with takes alpha as a tensor.
 * dtypes: floats. Errors: ORR_EDTYPE. grad: g for x > 0, else g·alpha·eˣ. cost: 26 per element. */
ORR_API orr_tensor *orr_elu_at(const char *file, int line, orr_tensor *x, double alpha);
#define orr_elu(...) orr_elu_at(ORR_HERE, __VA_ARGS__)
/** x for x ≥ 0, else slope · x. orr_prelu takes the slope as a tensor.
 * dtypes: floats. Errors: ORR_EDTYPE. grad: g for x ≥ 0, else g·slope. cost: 2 per element. */
ORR_API orr_tensor *orr_leaky_relu_at(const char *file, int line, orr_tensor *x, double slope);
#define orr_leaky_relu(...) orr_leaky_relu_at(ORR_HERE, __VA_ARGS__)

/* -- softmax and losses ---------------------------------------------------------------------------------- */

/** eˣ / Σ eˣ along the axis, computed relative to the maximum. dtypes: floats; f16 and bf16 are computed in f32.
 * Errors: ORR_EAXIS, ORR_EDTYPE. grad: r·(g − Σ g·r). cost: three passes. */
ORR_API orr_tensor *orr_softmax_at(const char *file, int line, orr_tensor *x, int axis);
#define orr_softmax(...) orr_softmax_at(ORR_HERE, __VA_ARGS__)
/** x − log Σ eˣ along the axis, stable as orr_softmax. grad: g − softmax(x)·Σ g. */
ORR_API orr_tensor *orr_log_softmax_at(const char *file, int line, orr_tensor *x, int axis);
#define orr_log_softmax(...) orr_log_softmax_at(ORR_HERE, __VA_ARGS__)
/** −mean over the batch of log_softmax(logits)[label].
 * @param logits  (…, classes), a float dtype    @param labels  (…), integers 0 … classes−1
 * @return  (); NaN when a label is out of range, −100 too: no label is ignored. orr_cross_entropy_with can ignore one.
 * Errors: ORR_EDTYPE, ORR_ESHAPE.
 * grad: by logits, (softmax − one_hot)·g/batch. cost: as log_softmax. */
ORR_API orr_tensor *orr_cross_entropy_at(const char *file, int line, orr_tensor *logits, orr_tensor *labels);
#define orr_cross_entropy(...) orr_cross_entropy_at(ORR_HERE, __VA_ARGS__)
/** The mean of (x − y)², of shape (). x and y have one shape, or one of them is orr_scalar.
 * dtypes: floats, promoted. Errors: ORR_EDTYPE, ORR_ESHAPE. grad: ±2·g·(x − y)/n. cost: one pass. */
ORR_API orr_tensor *orr_mse_at(const char *file, int line, orr_tensor *x, orr_tensor *y);
#define orr_mse(...) orr_mse_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
