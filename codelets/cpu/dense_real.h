/* Body of dense_f32.c and dense_f64.c: LAPACK's routines by their Fortran names on row-major matrices. LAPACK reads columns: a
 * row-major matrix is to it the transpose, of which it computes what serves as well, and no copy is turned without need.
 * REAL, EPSILON, GEMM, LAPACK(name) and TABLE are defined by the includer.
 * Must not know: dtypes other than REAL. */
#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "codelets/cpu/dense.h"

/* Fortran passes addresses, and the lengths of strings at the end. */
void LAPACK(getrf)(const int *m, const int *n, REAL *a, const int *lda, int *ipiv, int *info);
void LAPACK(getrs)(const char *trans, const int *n, const int *nrhs, const REAL *a, const int *lda, const int *ipiv,
                   REAL *b, const int *ldb, int *info, size_t);
void LAPACK(geqrf)(const int *m, const int *n, REAL *a, const int *lda, REAL *tau, REAL *work, const int *lwork,
                   int *info);
void LAPACK(orgqr)(const int *m, const int *n, const int *k, REAL *a, const int *lda, const REAL *tau, REAL *work,
                   const int *lwork, int *info);
void LAPACK(gesdd)(const char *jobz, const int *m, const int *n, REAL *a, const int *lda, REAL *s, REAL *u,
                   const int *ldu, REAL *vt, const int *ldvt, REAL *work, const int *lwork, int *iwork, int *info,
                   size_t);
void LAPACK(syevd)(const char *jobz, const char *uplo, const int *n, REAL *a, const int *lda, REAL *w, REAL *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
void LAPACK(geev)(const char *jobvl, const char *jobvr, const int *n, REAL *a, const int *lda, REAL *wr, REAL *wi,
                  REAL *vl, const int *ldvl, REAL *vr, const int *ldvr, REAL *work, const int *lwork, int *info, size_t,
                  size_t);
void LAPACK(gelsd)(const int *m, const int *n, const int *nrhs, REAL *a, const int *lda, REAL *b, const int *ldb,
                   REAL *s, const REAL *rcond, int *rank, REAL *work, const int *lwork, int *iwork, int *info);

static const int query = -1;

static int at_least_1(int64_t n)
{
    return n > 1 ? (int)n : 1;
}

/* A workspace that LAPACK asks for as a floating-point number, which may have been rounded down. */
static int64_t asked(REAL size)
{
    return (int64_t)((double)size * (1 + 1e-6)) + 1;
}

static bool all_finite(const REAL *x, int64_t n)
{
    REAL sum = 0; /* a NaN or an infinity leaves a NaN in it */
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * 0;
    return sum == 0;
}

static void copy(REAL *to, const REAL *from, int64_t n)
{
    memcpy(to, from, (size_t)n * sizeof(REAL));
}

/* x (rows × cols, row-major) turned, in squares that the first cache holds. */
static void turn(REAL *to, const REAL *x, int64_t rows, int64_t cols)
{
    enum { SIDE = 16 };
    for (int64_t r0 = 0; r0 < rows; r0 += SIDE)
        for (int64_t c0 = 0; c0 < cols; c0 += SIDE)
            for (int64_t c = c0; c < c0 + SIDE && c < cols; c++)
                for (int64_t r = r0; r < r0 + SIDE && r < rows; r++)
                    to[c * rows + r] = x[r * cols + c];
}

/* -- solve: the factors of Aᵀ serve A and Aᵀ alike -------------------------------------------------------------------- */

static orr__dense_need solve_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->n * j->n + (j->k > 1 ? j->n * j->k : 0), .ints = j->n };
}

static int64_t solve(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    REAL *f = reals, *x = j->k > 1 ? f + j->n * j->n : out;
    int n = (int)j->n, k = (int)j->k, ld = at_least_1(n), info = 0;
    copy(f, a, j->n * j->n);
    LAPACK(getrf)(&n, &n, f, &ld, ints, &info);
    if (info)
        return info;
    if (j->k > 1)
        turn(x, b, j->n, j->k);
    else
        copy(x, b, j->n);
    LAPACK(getrs)(j->mask & 1 ? "N" : "T", &n, &k, f, &ld, ints, x, &ld, &info, 1);
    if (j->k > 1)
        turn(out, x, j->k, j->n);
    return info;
}

/* -- determinant --------------------------------------------------------------------------------------------------------- */

static orr__dense_need det_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->n * j->n, .ints = j->n };
}

/* The mantissas and the exponents are multiplied apart, so that no factor makes the product overflow on its way. */
static int64_t det(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    REAL *f = reals, *to = out;
    int n = (int)j->n, ld = at_least_1(n), info = 0;
    double product = 1, sign = 1, logabs = 0;
    int64_t exponent = 0;
    (void)b;
    copy(f, a, j->n * j->n);
    if (n)
        LAPACK(getrf)(&n, &n, f, &ld, ints, &info);
    for (int64_t i = 0; i < j->n; i++) {
        double d = (double)f[i * (j->n + 1)];
        int e;
        product = frexp(product * d, &e);
        exponent += isfinite(product) ? e : 0;
        d = ints[i] != i + 1 ? -d : d;
        product = ints[i] != i + 1 ? -product : product;
        sign = d == 0 || isnan(d) ? d * sign : d < 0 ? -sign : sign;
        logabs += log(fabs(d));
    }
    to[0] = (REAL)ldexp(product, exponent > 9999 ? 9999 : exponent < -9999 ? -9999 : (int)exponent);
    to[1] = (REAL)(sign == 0 ? 0 : sign);
    to[2] = (REAL)logabs;
    return 0;
}

/* -- factors ------------------------------------------------------------------------------------------------------------- */

static orr__dense_need lu_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->m * j->n, .ints = j->m + j->n };
}

static int64_t lu(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    REAL *f = reals, *p = (REAL *)out + j->m * j->n;
    int m = (int)j->m, n = (int)j->n, ld = at_least_1(m), info = 0;
    (void)b;
    turn(f, a, j->m, j->n);
    if (m && n)
        LAPACK(getrf)(&m, &n, f, &ld, ints, &info);
    turn(out, f, j->n, j->m);
    for (int64_t i = 0; i < j->m; i++)
        p[i] = (REAL)i;
    for (int64_t i = 0; i < j->m && i < j->n; i++) {
        REAL was = p[i];
        p[i] = p[ints[i] - 1];
        p[ints[i] - 1] = was;
    }
    return info < 0 ? info : 0;
}

/* Columns of Q; option 1: as many as rows. */
static int64_t qr_inner(const orr__dense_job *j)
{
    return j->mask & 1 || j->m < j->n ? j->m : j->n;
}

static int64_t qr_space(const orr__dense_job *j)
{
    int m = (int)j->m, n = (int)j->n, w = (int)qr_inner(j), k = m < n ? m : n, ld = at_least_1(m), info;
    REAL first = 1, second = 1, none = 0;
    LAPACK(geqrf)(&m, &n, &none, &ld, &none, &first, &query, &info);
    LAPACK(orgqr)(&m, &w, &k, &none, &ld, &none, &second, &query, &info);
    return asked(first > second ? first : second) + j->m + j->n;
}

static orr__dense_need qr_need(const orr__dense_job *j)
{
    int64_t w = qr_inner(j), wide = w > j->n ? w : j->n;
    int64_t work = qr_space(j);
    return (orr__dense_need){ .reals = j->m * wide + j->m + work, .work = work };
}

static int64_t qr(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t w = qr_inner(j), wide = w > j->n ? w : j->n;
    REAL *f = reals, *tau = f + j->m * wide, *room = tau + j->m, *q = out, *r = q + j->m * w;
    int m = (int)j->m, n = (int)j->n, cols = (int)w, k = m < n ? m : n, ld = at_least_1(m), size = at_least_1(j->work),
        info = 0;
    (void)b;
    (void)ints;
    turn(f, a, j->m, j->n);
    LAPACK(geqrf)(&m, &n, f, &ld, tau, room, &size, &info);
    for (int64_t i = 0; i < w && !info; i++)
        for (int64_t c = 0; c < j->n; c++)
            r[i * j->n + c] = c >= i ? f[c * j->m + i] : 0;
    if (!info)
        LAPACK(orgqr)(&m, &cols, &k, f, &ld, tau, room, &size, &info);
    turn(q, f, w, j->m);
    return info;
}

/* -- singular values: Aᵀ = V·S·Uᵀ, so that LAPACK's U is Vh in rows and its Vᵀ is U ---------------------------------------- */

typedef struct {
    char how;
    int m, n, k, u, v; /* of Aᵀ; columns of its U, rows of its Vᵀ */
} svd_extent;

static svd_extent svd_of(const orr__dense_job *j)
{
    svd_extent e = { j->mask & 1 ? 'N' : j->mask & 2 ? 'A' : 'S', (int)j->n, (int)j->m, 0, 0, 0 };
    e.k = e.m < e.n ? e.m : e.n;
    e.u = j->mask & 2 ? e.m : e.k;
    e.v = j->mask & 2 ? e.n : e.k;
    return e;
}

static int64_t svd_space(const svd_extent *e)
{
    REAL size = 1, none = 0;
    int ld = at_least_1(e->m), ldv = at_least_1(e->v), none_at_all = 0, info;
    LAPACK(gesdd)
    (&e->how, &e->m, &e->n, &none, &ld, &none, &none, &ld, &none, &ldv, &size, &query, &none_at_all, &info, 1);
    return asked(size);
}

static orr__dense_need svd_need(const orr__dense_job *j)
{
    svd_extent e = svd_of(j);
    int64_t work = svd_space(&e);
    return (orr__dense_need){ .reals = j->m * j->n + 1 + work, .ints = 8 * (int64_t)e.k, .work = work };
}

static int64_t svd(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    svd_extent e = svd_of(j);
    REAL *f = reals, *room = f + j->m * j->n + 1;
    bool values = e.how == 'N';
    REAL *u = out, *s = values ? u : u + j->m * e.v, *vh = s + e.k;
    int ld = at_least_1(e.m), ldv = at_least_1(e.v), size = at_least_1(j->work), info = 0;
    (void)b;
    if (!all_finite(a, j->m * j->n))
        return ORR__NOT_FINITE;
    copy(f, a, j->m * j->n);
    if (!e.k) { /* LAPACK leaves the unit matrices to the caller */
        for (int64_t i = 0; !values && i < (int64_t)e.v * e.v; i++)
            u[i] = i % (e.v + 1) == 0;
        for (int64_t i = 0; !values && i < (int64_t)e.u * e.u; i++)
            vh[i] = i % (e.u + 1) == 0;
        return 0;
    }
    LAPACK(gesdd)
    (&e.how, &e.m, &e.n, f, &ld, s, values ? f : vh, &ld, values ? f : u, &ldv, room, &size, ints, &info, 1);
    return info;
}

/* -- eigenvalues of symmetric matrices: to LAPACK the lower triangle is the upper one -------------------------------------- */

static orr__dense_need eigh_need(const orr__dense_job *j)
{
    REAL size = 1, none = 0;
    int n = (int)j->n, ld = at_least_1(n), ints = 1, info;
    LAPACK(syevd)(j->mask & 1 ? "N" : "V", "U", &n, &none, &ld, &none, &size, &query, &ints, &query, &info, 1, 1);
    return (orr__dense_need){ .reals = j->n * j->n + asked(size), .ints = ints, .work = asked(size) };
}

static int64_t eigh(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    REAL *f = reals, *room = f + j->n * j->n, *w = out, *v = w + j->n;
    int n = (int)j->n, ld = at_least_1(n), size = at_least_1(j->work), info = 0;
    int isize = j->mask & 1 ? 1 : 3 + 5 * n;
    (void)b;
    for (int64_t r = 0; r < j->n; r++)
        if (!all_finite((const REAL *)a + r * j->n, r + 1))
            return ORR__NOT_FINITE;
    copy(f, a, j->n * j->n);
    LAPACK(syevd)(j->mask & 1 ? "N" : "V", "U", &n, f, &ld, w, room, &size, ints, &isize, &info, 1, 1);
    if (!(j->mask & 1))
        turn(v, f, j->n, j->n);
    return info;
}

/* -- eigenvalues of other matrices --------------------------------------------------------------------------------------- */

static orr__dense_need eig_need(const orr__dense_job *j)
{
    REAL size = 1, none = 0;
    int n = (int)j->n, ld = at_least_1(n), one = 1, info;
    LAPACK(geev)
    ("N", j->mask & 1 ? "N" : "V", &n, &none, &ld, &none, &none, &none, &one, &none, &ld, &size, &query, &info, 1, 1);
    return (orr__dense_need){ .reals = 2 * j->n * j->n + asked(size), .work = asked(size) };
}

/* LAPACK's columns j and j + 1 of a complex pair are the real and the imaginary part of its first vector. */
static int64_t eig(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t size = j->n * j->n;
    REAL *f = reals, *v = f + size, *room = v + size, *wr = out, *wi = wr + j->n, *re = wi + j->n, *im = re + size,
         none;
    int n = (int)j->n, ld = at_least_1(n), one = 1, work = at_least_1(j->work), info = 0;
    (void)b;
    (void)ints;
    if (!all_finite(a, size))
        return ORR__NOT_FINITE;
    turn(f, a, j->n, j->n);
    LAPACK(geev)("N", j->mask & 1 ? "N" : "V", &n, f, &ld, wr, wi, &none, &one, v, &ld, room, &work, &info, 1, 1);
    for (int64_t c = 0; c < j->n && !info && !(j->mask & 1); c++) {
        bool second = c > 0 && wi[c] < 0;
        const REAL *x = v + (second ? c - 1 : c) * j->n, *y = x + j->n;
        for (int64_t r = 0; r < j->n; r++) {
            re[r * j->n + c] = x[r];
            im[r * j->n + c] = wi[c] == 0 ? 0 : second ? -y[r] : y[r];
        }
    }
    return info;
}

/* -- least squares ----------------------------------------------------------------------------------------------------------- */

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static orr__dense_need lstsq_need(const orr__dense_job *j)
{
    REAL size = 1, none = 0, limit = 0;
    int m = (int)j->m, n = (int)j->n, k = (int)j->k, ld = at_least_1(m), ldb = at_least_1(larger(m, n)), rank, ints = 1,
        info;
    LAPACK(gelsd)(&m, &n, &k, &none, &ld, &none, &ldb, &none, &limit, &rank, &size, &query, &ints, &info);
    int64_t arrays = j->m * j->n + larger(j->m, j->n) * j->k + j->m + j->n + 2;
    return (orr__dense_need){ .reals = arrays + asked(size), .ints = larger(ints, 1), .work = asked(size) };
}

static int64_t lstsq(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t tall = larger(j->m, j->n), least = j->m < j->n ? j->m : j->n;
    REAL *f = reals, *x = f + j->m * j->n + 1, *room = x + tall * j->k + 1, *s = (REAL *)out + j->n * j->k;
    REAL limit = j->limit < 0 ? EPSILON * (REAL)tall : (REAL)j->limit;
    int m = (int)j->m, n = (int)j->n, k = (int)j->k, ld = at_least_1(m), ldb = at_least_1(tall), rank = 0, info = 0;
    int size = at_least_1(j->work);
    if (!all_finite(a, j->m * j->n) || !all_finite(b, j->m * j->k))
        return ORR__NOT_FINITE;
    memset(x, 0, (size_t)(tall * j->k) * sizeof(REAL));
    turn(f, a, j->m, j->n);
    for (int64_t c = 0; c < j->k; c++)
        for (int64_t r = 0; r < j->m; r++)
            x[c * tall + r] = ((const REAL *)b)[r * j->k + c];
    if (least)
        LAPACK(gelsd)(&m, &n, &k, f, &ld, x, &ldb, s, &limit, &rank, room, &size, ints, &info);
    for (int64_t r = 0; r < j->n; r++)
        for (int64_t c = 0; c < j->k; c++)
            ((REAL *)out)[r * j->k + c] = least ? x[c * tall + r] : 0;
    s[least] = (REAL)rank;
    return info;
}

/* -- exponential: layouts do not matter, since that of the transpose is the transpose ------------------------------------------ */

static orr__dense_need expm_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = 6 * j->n * j->n, .ints = j->n };
}

static void multiply(int64_t n, const REAL *x, const REAL *y, REAL *to)
{
    int k = (int)n;
    GEMM(CblasColMajor, CblasNoTrans, CblasNoTrans, k, k, k, 1, x, k, y, k, 0, to, k);
}

/* to = (add ? to : 0) + c6·a6 + c4·a4 + c2·a2 + c0. */
static void polynomial(int64_t n, REAL *to, bool add, const REAL *const power[3], const double c[4])
{
    for (int64_t i = 0; i < n * n; i++) {
        double v = c[3] * (double)power[2][i] + c[2] * (double)power[1][i] + c[1] * (double)power[0][i];
        to[i] = (add ? to[i] : 0) + (REAL)(v + (i % (n + 1) == 0 ? c[0] : 0));
    }
}

/* The largest sum of a column, and how often A is halved until it is at most θ₁₃ of the degree 13. */
static int halvings(int64_t n, const REAL *a)
{
    double norm = 0;
    int exponent = 0;
    for (int64_t c = 0; c < n; c++) {
        double sum = 0;
        for (int64_t r = 0; r < n; r++)
            sum += fabs((double)a[c * n + r]);
        norm = fmax(norm, sum);
    }
    (void)frexp(norm / 5.371920351148152, &exponent);
    return norm <= 5.371920351148152 ? 0 : exponent;
}

/* p(A)/q(A) = (V + U)/(V − U), U odd and V even in A. */
static int64_t expm(const orr__dense_job *j, const void *from, const void *b, void *out, void *reals, int *ints)
{
    static const double odd[2][4] = { { 32382376266240000, 1187353796428800, 10559470521600, 33522128640 },
                                      { 0, 40840800, 16380, 1 } };
    static const double even[2][4] = { { 64764752532480000, 7771770303897600, 129060195264000, 670442572800 },
                                       { 0, 1323241920, 960960, 182 } };
    int64_t size = j->n * j->n;
    REAL *a = reals, *a2 = a + size, *a4 = a2 + size, *a6 = a4 + size, *u = a6 + size, *v = u + size, *to = out;
    const REAL *const power[3] = { a2, a4, a6 };
    int n = (int)j->n, info = 0;
    (void)b;
    if (!all_finite(from, size))
        return ORR__NOT_FINITE;
    int squarings = halvings(j->n, from);
    for (int64_t i = 0; i < size; i++)
        a[i] = (REAL)ldexp((double)((const REAL *)from)[i], -squarings);
    multiply(j->n, a, a, a2);
    multiply(j->n, a2, a2, a4);
    multiply(j->n, a2, a4, a6);
    polynomial(j->n, to, false, power, odd[1]);
    multiply(j->n, a6, to, v);
    polynomial(j->n, v, true, power, odd[0]);
    multiply(j->n, a, v, u);
    polynomial(j->n, to, false, power, even[1]);
    multiply(j->n, a6, to, v);
    polynomial(j->n, v, true, power, even[0]);
    for (int64_t i = 0; i < size; i++) {
        to[i] = v[i] + u[i];
        v[i] -= u[i];
    }
    LAPACK(getrf)(&n, &n, v, &n, ints, &info);
    if (info)
        return info;
    LAPACK(getrs)("N", &n, &n, v, &n, ints, to, &n, &info, 1);
    for (int k = 0; k < squarings && !info; k++) {
        copy(u, to, size);
        multiply(j->n, u, u, to);
    }
    return info;
}

const orr__dense TABLE = {
    .solve = { solve_need, solve },
    .det = { det_need, det },
    .lu = { lu_need, lu },
    .qr = { qr_need, qr },
    .svd = { svd_need, svd },
    .eigh = { eigh_need, eigh },
    .eig = { eig_need, eig },
    .lstsq = { lstsq_need, lstsq },
    .expm = { expm_need, expm },
};
