/* Linear algebra on matrices in the last two axes: systems, factorisations, eigenvalues, determinants.
 * Must not know: how a value is computed.
 *
 * For all of them: axes before the last two are a batch, whose matrices are parallel tasks with one thread of LAPACK each. The batch may be
 * empty, and a matrix may have order 0. dtypes are f32, f64, c64 and c128: any other one is ORR_EDTYPE, and the message names the cast.
 * Singular values, norms, conditions, ranks, logarithms and the eigenvalues of Hermitian matrices are real, f32 for c64 and f64 for c128.
 * Below, ᵀ is the adjoint in factorisations of complex matrices, and gradients of complex matrices are cotangents as docs/complex.md
 * defines them. Evaluation finds a matrix that is singular where it must not be, that has an element which is not finite where an iteration
 * needs finite ones, or whose iteration does not converge: ORR_ENUMERIC, and the message names its index in the batch. All are lazy and
 * safe from any thread; they compute on the CPU. Results are owned by the current scope, poison in case of an error. All results of a
 * struct come from one computation, which orr_eval_all of the needed ones does once. Gradients consist of public operations, so they can be
 * differentiated again.
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
 * dtypes:   f32 f64 c64 c128, promoted.      cost: 2/3·n³ + 2·n²·k flop a matrix.
 * grad:     dB = A⁻ᵀ·g, dA = −dB·Xᵀ, summed over broadcast axes. */
ORR_API orr_tensor *orr_solve_at(const char *file, int line, orr_tensor *a, orr_tensor *b);
#define orr_solve(...) orr_solve_at(ORR_HERE, __VA_ARGS__)

/** A⁻¹, as the solution of A · X = 1. A system is better solved by orr_solve.
 * @param a  (…, n, n)
 * @return   (…, n, n), owned by the current scope; poison and ORR_ENUMERIC as orr_solve.
 * dtypes:   f32 f64 c64 c128.      cost: 8/3·n³ flop.      grad: −A⁻ᵀ·g·A⁻ᵀ. */
ORR_API orr_tensor *orr_inv_at(const char *file, int line, orr_tensor *a);
#define orr_inv(...) orr_inv_at(ORR_HERE, __VA_ARGS__)

/** The solution X of A · X ≈ B with the least ‖A·X − B‖, and of all those the one with the least ‖X‖. */
typedef struct orr_lstsq_result {
    orr_tensor *x;    /**< (…, n, k) or (…, n)                                              */
    orr_tensor *rank; /**< (…) i64: singular values of A above the tolerance                */
    orr_tensor *s;    /**< (…, min(m, n)): the singular values of A, descending; no gradient */
} orr_lstsq_result;
/** Least squares for any A, rank-deficient ones included, by singular values (LAPACK's gelsd). b as in orr_solve.
 * @param a     (…, m, n)    @param b  (…, m, k) or (m)
 * @param rtol  singular values up to rtol times the largest count as 0; negative: max(m, n)·ε of the dtype
 * dtypes:   f32 f64 c64 c128, promoted. Errors: ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN); ORR_ENUMERIC (NaN or infinity in a or b).
 * cost:     ≈ 8·m·n·min(m, n) flop.
 * grad:     for constant rank, with P = A⁺: dB = Pᵀ·g, dA = −dB·Xᵀ + (B − A·X)·(P·dB)ᵀ + (Pᵀ·X)·(g − Aᵀ·dB)ᵀ. Source: Golub and
 *           Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems …", SIAM J. Numer. Anal. 10, 1973. */
ORR_API orr_lstsq_result orr_lstsq_at(const char *file, int line, orr_tensor *a, orr_tensor *b, double rtol);
#define orr_lstsq(...) orr_lstsq_at(ORR_HERE, __VA_ARGS__)

/** The pseudo-inverse A⁺ (Moore, Penrose): the least-squares solution of A · X = 1.
 * @param a     (…, m, n)    @param rtol  as in orr_lstsq
 * @return   (…, n, m), owned by the current scope; poison and ORR_ENUMERIC as orr_lstsq.
 * dtypes:   f32 f64 c64 c128.      cost: that of orr_lstsq with k = m.      grad: as orr_lstsq, for constant rank. */
ORR_API orr_tensor *orr_pinv_at(const char *file, int line, orr_tensor *a, double rtol);
#define orr_pinv(...) orr_pinv_at(ORR_HERE, __VA_ARGS__)

/** det A, the product of the pivots of an LU factorisation with their sign; 1 for order 0, 0 for a singular matrix.
 * @param a  (…, n, n)
 * @return   (…), owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE.
 * dtypes:   f32 f64 c64 c128; the product is formed in f64 (f32) or with a separate exponent (f64), so it overflows only where det A
 *           does.
 * cost:     2/3·n³ flop.
 * grad:     g·det A·A⁻ᵀ. For a singular matrix the gradient exists but A⁻¹ does not: ORR_ENUMERIC. */
ORR_API orr_tensor *orr_det_at(const char *file, int line, orr_tensor *a);
#define orr_det(...) orr_det_at(ORR_HERE, __VA_ARGS__)

/** The sign and the logarithm of |det A|: det A = sign · e^logabsdet. */
typedef struct orr_slogdet_result {
    orr_tensor *sign;      /**< (…): 1, −1, of size 1 for a complex one, or 0 for a singular matrix */
    orr_tensor *logabsdet; /**< (…): −inf for a singular matrix          */
} orr_slogdet_result;
/** Sign and logarithm of the determinant, which neither overflow nor underflow. For symmetric positive definite matrices
 * orr_logdet is faster.
 * @param a  (…, n, n)
 * dtypes:   f32 f64 c64 c128.      cost: 2/3·n³ flop.
 * grad:     of logabsdet g·A⁻ᵀ (ORR_ENUMERIC for a singular matrix), of a real sign 0. */
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
 * dtypes:   f32 f64 c64 c128.      cost: m·n·k − … ≈ 2/3·n³ flop for square ones.
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
/** The QR factorisation by Householder's reflections. Signs are LAPACK's: the diagonal of R is real and may be negative.
 * @param a         (…, m, n)
 * @param complete  Q is square
 * dtypes:   f32 f64 c64 c128.      cost: 4·m·n² − 4/3·n³ flop for m ≥ n.
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
/** The singular value decomposition, by divide and conquer. The signs of a pair of vectors, for complex ones the phases, are arbitrary.
 * @param a     (…, m, n)
 * @param full  U and Vh are square
 * dtypes:   f32 f64 c64 c128.      cost: ≈ 22·n³ flop for square ones.
 * grad:     U[(F∘(UᵀdU − dUᵀU))·S + S·(F∘(VᵀdV − dVᵀV)) + diag(dS)]Vᵀ + (1 − UUᵀ)·dU·S⁻¹·Vᵀ + U·S⁻¹·dVᵀ·(1 − VVᵀ),
 *           F_ij = 1/(s_j² − s_i²). Where two singular values are equal up to rounding, or one is 0, the vectors are not unique:
 *           functions that do not depend on the choice (of S alone, U·diag(S)·Vh) get the limit, which the cotangents' own
 *           derivative by S gives; for others such terms are infinite or NaN, also where the graph behind the result has more
 *           than 4096 operations. With full and m ≠ n, U and Vh have no gradient (ORR_EGRAPH). Source: Townsend, "Differentiating the singular
 *           value decomposition", 2016; Giles, "Collected matrix derivative results …", 2008. */
ORR_API orr_svd_result orr_svd_at(const char *file, int line, orr_tensor *a, bool full);
#define orr_svd(...) orr_svd_at(ORR_HERE, __VA_ARGS__)
/** The singular values alone, descending.
 * @param a  (…, m, n)
 * @return   (…, min(m, n)), owned by the current scope; poison and ORR_ENUMERIC as orr_svd.
 * dtypes:   f32 f64 c64 c128.      cost: ≈ 8/3·n³ flop.      grad: U·diag(g)·Vh, with U and Vh computed for it. */
ORR_API orr_tensor *orr_svdvals_at(const char *file, int line, orr_tensor *a);
#define orr_svdvals(...) orr_svdvals_at(ORR_HERE, __VA_ARGS__)

/* -- eigenvalues ------------------------------------------------------------------------------------------------ */

/** A · V = V · diag(W). */
typedef struct orr_eigh_result {
    orr_tensor *w; /**< (…, n), ascending                               */
    orr_tensor *v; /**< (…, n, n): column j belongs to w[j]; orthonormal */
} orr_eigh_result;
/** Eigenvalues and eigenvectors of symmetric and Hermitian matrices, by divide and conquer. Only the lower triangles are read. The
 * signs of the vectors are arbitrary.
 * @param a  (…, n, n)
 * dtypes:   f32 f64 c64 c128.      cost: ≈ 9·n³ flop.
 * grad:     V(diag(dW) + F∘(VᵀdV))Vᵀ, F_ij = 1/(w_j − w_i), its symmetric part: for symmetric changes of A. Where two
 *           eigenvalues are equal up to rounding their vectors are not unique: functions that do not depend on the choice (of W
 *           alone, V·diag(φ(W))·Vᵀ) get the limit, as in orr_svd. Source: Giles, "Collected matrix derivative results …", 2008. */
ORR_API orr_eigh_result orr_eigh_at(const char *file, int line, orr_tensor *a);
#define orr_eigh(...) orr_eigh_at(ORR_HERE, __VA_ARGS__)
/** The eigenvalues alone, ascending.
 * @param a  (…, n, n), symmetric or Hermitian: the lower triangles are read
 * @return   (…, n), owned by the current scope; poison and ORR_ENUMERIC as orr_eigh.
 * dtypes:   f32 f64 c64 c128.      cost: ≈ 4/3·n³ flop.      grad: V·diag(g)·Vᵀ, with V computed for it. */
ORR_API orr_tensor *orr_eigvalsh_at(const char *file, int line, orr_tensor *a);
#define orr_eigvalsh(...) orr_eigvalsh_at(ORR_HERE, __VA_ARGS__)

/** A · V = V · diag(W), complex for a real A. */
typedef struct orr_eig_result {
    orr_tensor *w; /**< (…, n), complex, in no order; of a pair, the one with positive imaginary part first */
    orr_tensor *v; /**< (…, n, n), complex: column j belongs to w[j], of norm 1, its largest element real */
} orr_eig_result;
/** Eigenvalues and right eigenvectors of square matrices that need not be symmetric, by the QR algorithm.
 * @param a  (…, n, n), real
 * dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 25·n³ flop and more, by the number of iterations.
 * grad:     the real part of V⁻ᴴ(diag(dW) + (VᴴdV − VᴴV·diag(Re VᴴdV))/conj(w_j − w_i))Vᴴ, cotangents without JAX's conjugation.
 *           It holds for distinct eigenvalues and functions that do not depend on the phases of the vectors. Where two are equal,
 *           terms have the limits of orr_eigh; a defective matrix has singular V: ORR_ENUMERIC. Source: Boeddeker, Hanebrink, Drude, Heymann and
 *           Haeb-Umbach, "On the computation of complex-valued gradients …", arXiv:1701.00392, 2017. */
ORR_API orr_eig_result orr_eig_at(const char *file, int line, orr_tensor *a);
#define orr_eig(...) orr_eig_at(ORR_HERE, __VA_ARGS__)
/** The eigenvalues alone, in no order.
 * @param a  (…, n, n), real
 * @return   (…, n), complex, owned by the current scope; poison and ORR_ENUMERIC as orr_eig.
 * dtypes:   f32 and c64 to c64, f64 and c128 to c128.      cost: ≈ 10·n³ flop.      grad: as orr_eig, with V computed for it. */
ORR_API orr_tensor *orr_eigvals_at(const char *file, int line, orr_tensor *a);
#define orr_eigvals(...) orr_eigvals_at(ORR_HERE, __VA_ARGS__)

/* -- norms and numbers read off a matrix ------------------------------------------------------------------------------ */

/** (Σ |x|ᵖ)^(1/p) over some axes, p = order: INFINITY is the largest |x|, −INFINITY the least, 0 the number of x ≠ 0.
 * dtypes:   floats, c64 and c128, whose norm is real; f16 and bf16 are computed in f32. Errors: ORR_EDTYPE, ORR_EAXIS, ORR_EINVAL (order
 *           is NaN), ORR_ESHAPE (the least of no elements).
 * grad:     through the formula; 0 where the norm is 0 and 0 < p.      cost: one pass. */
ORR_API orr_tensor *orr_vector_norm_at(const char *file, int line, orr_tensor *x, orr_axes axes, bool keepdims,
                                       double order);
#define orr_vector_norm(...) orr_vector_norm_at(ORR_HERE, __VA_ARGS__)

/** Norms of a matrix, and the corresponding minima, which are no norms. */
typedef enum orr_norm_kind {
    ORR_NORM_FROBENIUS,      /**< √Σ |a|²                                    */
    ORR_NORM_NUCLEAR,        /**< the sum of the singular values             */
    ORR_NORM_ONE,            /**< the largest sum of |a| down a column       */
    ORR_NORM_TWO,            /**< the largest singular value                 */
    ORR_NORM_INFINITY,       /**< the largest sum of |a| along a row         */
    ORR_NORM_LEAST_ONE,      /**< the least sum of |a| down a column (ord −1) */
    ORR_NORM_LEAST_TWO,      /**< the least singular value (ord −2)          */
    ORR_NORM_LEAST_INFINITY, /**< the least sum of |a| along a row (ord −inf) */
    ORR_NORM_KINDS
} orr_norm_kind;
/** The norm of each matrix in the last two axes; 0 for an empty one.
 * @param x  (…, m, n)
 * @return   (…), or (…, 1, 1) with keepdims, owned by the current scope; poison on ORR_ESHAPE (also the least of nothing),
 *           ORR_EDTYPE, ORR_EINVAL (no kind).
 * dtypes:   f32 f64 c64 c128.      cost: one pass, or orr_svdvals.      grad: through the formula and orr_svdvals. */
ORR_API orr_tensor *orr_matrix_norm_at(const char *file, int line, orr_tensor *x, orr_norm_kind kind, bool keepdims);
#define orr_matrix_norm(...) orr_matrix_norm_at(ORR_HERE, __VA_ARGS__)

/** The condition ‖A‖·‖A⁻¹‖ of each matrix, inf for a singular one; by ORR_NORM_TWO the quotient of the largest and the least singular
 * value, inf for a matrix of zeros too.
 * @param x  (…, m, n), square unless the kind is ORR_NORM_TWO or ORR_NORM_LEAST_TWO
 * @return   (…), owned by the current scope; poison as orr_matrix_norm.
 * dtypes:   f32 f64 c64 c128.      cost: orr_svdvals, or orr_lu and orr_inv.      grad: through them. */
ORR_API orr_tensor *orr_cond_at(const char *file, int line, orr_tensor *x, orr_norm_kind kind);
#define orr_cond(...) orr_cond_at(ORR_HERE, __VA_ARGS__)

/** The number of singular values above rtol times the largest; rtol negative: max(m, n)·ε of the dtype.
 * @param x  (…, m, n)
 * @return   (…) i64, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE, ORR_EINVAL (rtol is NaN).
 * dtypes:   f32 f64 c64 c128.      cost: orr_svdvals.      No gradient. */
ORR_API orr_tensor *orr_matrix_rank_at(const char *file, int line, orr_tensor *x, double rtol);
#define orr_matrix_rank(...) orr_matrix_rank_at(ORR_HERE, __VA_ARGS__)

/** The sum of diagonal number k of each matrix, which may be wide or tall; k > 0 above the main one.
 * @param a  (…, m, n)
 * @return   (…), of orr_sum's dtype, owned by the current scope; poison on ORR_ESHAPE.
 * dtypes:   all.      grad: g on the diagonal.      cost: 1 per element of it. */
ORR_API orr_tensor *orr_trace_at(const char *file, int line, orr_tensor *a, int64_t k);
#define orr_trace(...) orr_trace_at(ORR_HERE, __VA_ARGS__)

/* -- functions of matrices --------------------------------------------------------------------------------------------- */

/** A^power by repeated squaring; power 0: the unit matrix; negative: a power of the inverse.
 * @param a  (…, n, n)
 * @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; ORR_ENUMERIC as orr_inv.
 * dtypes:   f32 f64 c64 c128.      cost: ≤ 2·log₂ power products.      grad: through them. */
ORR_API orr_tensor *orr_matrix_power_at(const char *file, int line, orr_tensor *a, int64_t power);
#define orr_matrix_power(...) orr_matrix_power_at(ORR_HERE, __VA_ARGS__)

/** e^A = Σ Aᵏ/k!, by scaling and squaring with the Padé approximant of degree 13. Source: Higham, "The scaling and squaring
 * method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26, 2005.
 * @param a  (…, n, n)
 * @return   a's shape, owned by the current scope; poison on ORR_ESHAPE, ORR_EDTYPE; NaN and infinity in A are ORR_ENUMERIC.
 * dtypes:   f32 f64 c64 c128.      cost: ≈ 15·n³ flop and 2·n³ for each factor of 2 by which ‖A‖₁ is above 5.4.
 * grad:     the upper right block of exp [Aᵀ g; 0 Aᵀ]. Source: Mathias, "A chain rule for matrix functions and
 *           applications", SIAM J. Matrix Anal. Appl. 17, 1996. */
ORR_API orr_tensor *orr_expm_at(const char *file, int line, orr_tensor *a);
#define orr_expm(...) orr_expm_at(ORR_HERE, __VA_ARGS__)

/** The cross product of vectors of length 3 along `axis`, an axis of the broadcast shape.
 * @return   the broadcast shape, owned by the current scope; poison on ORR_ESHAPE (another length), ORR_EAXIS, ORR_EDTYPE.
 * dtypes:   numbers, promoted.      grad: through the products.      cost: 3 per element. */
ORR_API orr_tensor *orr_cross_at(const char *file, int line, orr_tensor *a, orr_tensor *b, int axis);
#define orr_cross(...) orr_cross_at(ORR_HERE, __VA_ARGS__)

/* -- iterations on an operator of the program ---------------------------------------------------------------------------- */

/** A linear operator: records and returns A · x, of x's shape and dtype, and evaluates nothing. Calls come on the calling
 * thread; tensors that it makes are freed after each iteration. */
typedef orr_tensor *orr_linear_fn(orr_tensor *x, void *user);

/** Settings of an iteration; { 0 }: the defaults. */
typedef struct orr_iteration_options {
    double tolerance;            /**< 0: √ε of the dtype                                                     */
    int most;                    /**< iterations at most; 0: orr_cg 10·n for n elements of b, orr_lobpcg 200 */
    orr_linear_fn *precondition; /**< an approximation of A⁻¹ · x, symmetric positive definite; NULL: none   */
    orr_tensor *start;           /**< of orr_cg: the first iterate; NULL: zeros                              */
} orr_iteration_options;

/** The result of orr_cg. */
typedef struct orr_cg_result {
    orr_tensor *x;   /**< the last iterate, evaluated, owned by the current scope */
    double residual; /**< ‖b − A·x‖/‖b‖, from the recurrence                      */
    int iterations;
    bool converged; /**< residual ≤ tolerance                                    */
} orr_cg_result;
/** Solves A · x = b for a symmetric positive definite operator by conjugate gradients. b may have any shape; all of its elements
 * form one vector. Evaluates iteration by iteration. Lack of convergence is no error.
 * @param user     the last argument of both operators
 * @param options  NULL: defaults
 * errors:   ORR_EINVAL (NULL, options out of range), ORR_EDTYPE (neither f32 nor f64), ORR_ESHAPE (the operator's result or the
 *           start has another shape), ORR_ENUMERIC (xᵀ·A·x ≤ 0 or not a number: the operator is not positive definite); those of
 *           orr_eval and of the operator. Then result->x is poison.
 * cost:     a product with A, five passes over vectors for each iteration.      No gradient: x is a value. The gradient of a
 *           solution is another solution (see orr_solve).
 * Source: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952. */
ORR_API orr_status orr_cg_at(const char *file, int line, orr_linear_fn *a, void *user, orr_tensor *b,
                             const orr_iteration_options *options, orr_cg_result *result);
#define orr_cg(...) orr_cg_at(ORR_HERE, __VA_ARGS__)

/** The result of orr_lobpcg. */
typedef struct orr_lobpcg_result {
    orr_tensor *w;   /**< (k), the largest first, or the least first               */
    orr_tensor *v;   /**< (n, k), orthonormal columns; both owned by the current scope */
    double residual; /**< the largest ‖A·v − w·v‖/max |w|                          */
    int iterations;
    bool converged; /**< residual ≤ tolerance                                     */
} orr_lobpcg_result;
/** The k largest or least eigenvalues of a symmetric operator with their vectors, by the locally optimal block preconditioned
 * conjugate gradient method. Each iteration orthonormalises the vectors, the residuals and the last changes together, so that
 * linear dependence among them does no harm. Evaluates iteration by iteration. Lack of convergence is no error.
 * @param a        called with (n, columns), up to 3·k columns
 * @param start    (n, k), of full rank, for example random numbers
 * @param largest  true: the largest eigenvalues; false: the least
 * errors:   as orr_cg; ORR_ESHAPE (start is no matrix of at most n columns).
 * cost:     a product of A with 3·k columns, a QR of n × 3·k for each iteration.      No gradient.
 * Source: Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J. Sci. Comput. 23, 2001; with the basis of Hetmaniuk and
 * Lehoucq, "Basis selection in LOBPCG", 2006. */
ORR_API orr_status orr_lobpcg_at(const char *file, int line, orr_linear_fn *a, void *user, orr_tensor *start,
                                 bool largest, const orr_iteration_options *options, orr_lobpcg_result *result);
#define orr_lobpcg(...) orr_lobpcg_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
