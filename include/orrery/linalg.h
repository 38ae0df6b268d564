/* Linear algebra on matrices in the last two axes: systems, factorisations, eigenvalues, determinants.
 * Must not know: how a value is computed.
 *
 * For all of them: axes before the last two are a batch, whose matrices are tasks side by side with one thread of LAPACK each;
 * the batch may be empty and a matrix of order 0. dtypes are f32 and f64: any other one is ORR_EDTYPE, and the message names
 * the cast. A matrix that is singular where it must not be, that has an element which is not finite where an iteration needs
 * finite ones, or whose iteration did not converge is found by evaluation: ORR_ENUMERIC, and the message names its index in the
 * batch. All are lazy and safe from any thread; they compute on the CPU. Results are owned by the current scope, poison in case
 * of an error. A struct of results has one computation behind it: orr_eval_all of those that are needed does it once. Gradients
 * consist of public operations, so they derive again.
 * Without LAPACK (docs/building.md) evaluation gives ORR_EDEVICE; Cholesky factors and triangular solves, in ops.h, need none. */
#ifndef ORRERY_LINALG_H
#define ORRERY_LINALG_H

#include <orrery/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- systems ------------------------------------------------------------------------------------------------ */

/** X with A · X = B, by an LU factorisation with partial pivoting. As in the Python array API's solve, a b of one axis is one
 * vector and any other b a stack of matrices; the stacks of a and b broadcast.
 * @param a  (…, n, n)    @param b  (…, n, k) or (n)
 * @return   (…, n, k) or (…, n), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE. A pivot that is exactly 0 is
 *           ORR_ENUMERIC; NaN goes through.
 * dtypes:   f32 f64, promoted.      cost: 2/3·n³ + 2·n²·k flop a matrix.
 * grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ, summed over broadcast axes. */
ORR_API orr_tensor *orr_solve_at(const char *file, int line, orr_tensor *a, orr_tensor *b);
#define orr_solve(...) orr_solve_at(ORR_HERE, __VA_ARGS__)

/** A⁻¹, as the solution of A · X = 1. A system is better solved by orr_solve.
 * @param a  (…, n, n)
 * @return   (…, n, n), owned by the current scope; poison and ORR_ENUMERIC as orr_solve.
 * dtypes:   f32 f64.      cost: 8/3·n³ flop.      grad: −A⁻ᵀ·g·A⁻ᵀ. */
ORR_API orr_tensor *orr_inv_at(const char *file, int line, orr_tensor *a);
#define orr_inv(...) orr_inv_at(ORR_HERE, __VA_ARGS__)

/** det A, the product of the pivots of an LU factorisation with their sign; 1 for order 0, 0 for a singular matrix.
 * @param a  (…, n, n)
 * @return   (…), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
 * dtypes:   f32 f64; the product is formed in f64 (f32) or with its exponent apart (f64), so it overflows only where det A does.
 * cost:     2/3·n³ flop.
 * grad:     g·det A·A⁻ᵀ. Of a singular matrix the gradient exists but A⁻¹ does not: ORR_ENUMERIC. */
ORR_API orr_tensor *orr_det_at(const char *file, int line, orr_tensor *a);
#define orr_det(...) orr_det_at(ORR_HERE, __VA_ARGS__)

/** The sign and the logarithm of |det A|: det A = sign · e^logabsdet. */
typedef struct orr_slogdet_result {
    orr_tensor *sign;      /**< (…): 1, −1, or 0 for a singular matrix   */
    orr_tensor *logabsdet; /**< (…): −inf for a singular matrix          */
} orr_slogdet_result;
/** Sign and logarithm of the determinant, which neither overflow nor underflow. For symmetric positive definite matrices
 * orr_logdet is faster.
 * @param a  (…, n, n)
 * dtypes:   f32 f64.      cost: 2/3·n³ flop.
 * grad:     of logabsdet g·A⁻ᵀ (ORR_ENUMERIC for a singular matrix), of the sign 0. */
ORR_API orr_slogdet_result orr_slogdet_at(const char *file, int line, orr_tensor *a);
#define orr_slogdet(...) orr_slogdet_at(ORR_HERE, __VA_ARGS__)

/* -- factorisations -------------------------------------------------------------------------------------------- */

/** A[p] = L · U, k = min(m, n). */
typedef struct orr_lu_result {
    orr_tensor *p; /**< (…, m) i64: row i of L · U is row p[i] of A        */
    orr_tensor *l; /**< (…, m, k), lower triangular, ones on the diagonal */
    orr_tensor *u; /**< (…, k, n), upper triangular                       */
} orr_lu_result;
/** The LU factorisation with partial pivoting. A singular matrix has one, with a 0 on the diagonal of U.
 * @param a  (…, m, n)
 * dtypes:   f32 f64.      cost: m·n·k − … ≈ 2/3·n³ flop for square ones.
 * grad:     for full rank, p held fixed: square and wide A[p] = L·[U₁ U₂]: dA₁[p] = L⁻ᵀ(tril(LᵀdL − dU₂U₂ᵀ, −1) + triu(dU₁U₁ᵀ))U₁⁻ᵀ,
 *           dA₂[p] = L⁻ᵀdU₂; tall ones likewise. A 0 on the diagonal of U is ORR_ENUMERIC there. Source: de Hoog, Anderssen and Lukas,
 *           "Differentiation of matrix functionals using triangular factorization", Mathematics of Computation 80, 2011. */
ORR_API orr_lu_result orr_lu_at(const char *file, int line, orr_tensor *a);
#define orr_lu(...) orr_lu_at(ORR_HERE, __VA_ARGS__)

/** A = Q · R. */
typedef struct orr_qr_result {
    orr_tensor *q; /**< (…, m, k), k = min(m, n), or (…, m, m): orthonormal columns */
    orr_tensor *r; /**< (…, k, n) or (…, m, n), upper triangular                     */
} orr_qr_result;
/** The QR factorisation by Householder's reflections. Signs are LAPACK's: the diagonal of R may be negative.
 * @param a         (…, m, n)
 * @param complete  Q is square
 * dtypes:   f32 f64.      cost: 4·m·n² − 4/3·n³ flop for m ≥ n.
 * grad:     m ≥ n: (dQ + Q·copyltu(R·dRᵀ − dQᵀ·Q))·R⁻ᵀ, copyltu(M) the symmetric matrix of M's lower triangle; wide ones by their
 *           leading square. For linearly independent leading columns: a 0 on the diagonal of R is ORR_ENUMERIC. With complete and
 *           m > n the additional columns are not unique and there is no gradient: ORR_EGRAPH. Sources: Walter and Lehmann,
 *           "Algorithmic differentiation of linear algebra functions …", arXiv:1001.1654, 2010; Roberts and Roberts, "QR and LQ
 *           decomposition matrix backpropagation algorithms …", arXiv:2009.10071, 2020. */
ORR_API orr_qr_result orr_qr_at(const char *file, int line, orr_tensor *a, bool complete);
#define orr_qr(...) orr_qr_at(ORR_HERE, __VA_ARGS__)

/** A = U · diag(S) · Vh, k = min(m, n). */
typedef struct orr_svd_result {
    orr_tensor *u;  /**< (…, m, k), or (…, m, m) with full */
    orr_tensor *s;  /**< (…, k), not negative, descending   */
    orr_tensor *vh; /**< (…, k, n), or (…, n, n) with full */
} orr_svd_result;
/** The singular value decomposition, by divide and conquer. The signs of a pair of vectors are arbitrary.
 * @param a     (…, m, n)
 * @param full  U and Vh are square
 * dtypes:   f32 f64.      cost: ≈ 22·n³ flop for square ones.
 * grad:     U[(F∘(UᵀdU − dUᵀU))·S + S·(F∘(VᵀdV − dVᵀV)) + diag(dS)]Vᵀ + (1 − UUᵀ)·dU·S⁻¹·Vᵀ + U·S⁻¹·dVᵀ·(1 − VVᵀ),
 *           F_ij = 1/(s_j² − s_i²). It holds for distinct singular values that are not 0. Where two are equal, or one is 0, the vectors
 *           are not unique: such terms count as 0, which is right for functions that do not depend on the choice (of S alone, of
 *           U·diag(S)·Vh). With full and m ≠ n, U and Vh have no gradient (ORR_EGRAPH). Source: Townsend, "Differentiating the singular
 *           value decomposition", 2016; Giles, "Collected matrix derivative results …", 2008. */
ORR_API orr_svd_result orr_svd_at(const char *file, int line, orr_tensor *a, bool full);
#define orr_svd(...) orr_svd_at(ORR_HERE, __VA_ARGS__)
/** The singular values alone, descending.
 * @param a  (…, m, n)
 * @return   (…, min(m, n)), owned by the current scope; poison and ORR_ENUMERIC as orr_svd.
 * dtypes:   f32 f64.      cost: ≈ 8/3·n³ flop.      grad: U·diag(g)·Vh, with U and Vh computed for it. */
ORR_API orr_tensor *orr_svdvals_at(const char *file, int line, orr_tensor *a);
#define orr_svdvals(...) orr_svdvals_at(ORR_HERE, __VA_ARGS__)

/* -- eigenvalues ------------------------------------------------------------------------------------------------ */

/** A · V = V · diag(W). */
typedef struct orr_eigh_result {
    orr_tensor *w; /**< (…, n), ascending                               */
    orr_tensor *v; /**< (…, n, n): column j belongs to w[j]; orthonormal */
} orr_eigh_result;
/** Eigenvalues and eigenvectors of symmetric matrices, of which the lower triangles are read; by divide and conquer. The
 * signs of the vectors are arbitrary.
 * @param a  (…, n, n)
 * dtypes:   f32 f64.      cost: ≈ 9·n³ flop.
 * grad:     V(diag(dW) + F∘(VᵀdV))Vᵀ, F_ij = 1/(w_j − w_i), its symmetric part: for symmetric changes of A. Where two
 *           eigenvalues are equal their vectors are not unique: such terms count as 0, which is right for functions that do not
 *           depend on the choice. Source: Giles, "Collected matrix derivative results …", 2008. */
ORR_API orr_eigh_result orr_eigh_at(const char *file, int line, orr_tensor *a);
#define orr_eigh(...) orr_eigh_at(ORR_HERE, __VA_ARGS__)
/** The eigenvalues alone, ascending.
 * @param a  (…, n, n), symmetric: the lower triangles are read
 * @return   (…, n), owned by the current scope; poison and ORR_ENUMERIC as orr_eigh.
 * dtypes:   f32 f64.      cost: ≈ 4/3·n³ flop.      grad: V·diag(g)·Vᵀ, with V computed for it. */
ORR_API orr_tensor *orr_eigvalsh_at(const char *file, int line, orr_tensor *a);
#define orr_eigvalsh(...) orr_eigvalsh_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
