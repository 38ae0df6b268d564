/* Body of dense_f32.c, dense_f64.c, dense_c64.c and dense_c128.c: LAPACK's routines, by their Fortran names, on row-major matrices. LAPACK
 * is column-major and sees the transpose of a row-major matrix. Each operation is expressed through that transpose, so that few copies are
 * transposed. The includer defines ELEM (an element), REAL (its part), COMPLEX (0, 1), EPSILON, LAPACK(name) and TABLE.
 * Must not know: other dtypes. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "codelets/cpu/cpu.h"
#include "codelets/cpu/dense.h"
#include "codelets/cpu/vec.h"
#include "runtime/base/complex.h"
#include "runtime/base/minmax.h"

#if COMPLEX
typedef double complex wide; /* an element in f64 */
#define PART(x) creal((double complex)(x))
#define CONJ(x) ((ELEM)conj((double complex)(x)))
#define ADJOINT "C"
#define ORTHOGONAL(name) LAPACK(un##name)
/* Additional arguments of routines on complex matrices. */
#define PARTS(...) __VA_ARGS__,
#else
typedef double wide;
#define PART(x) (x)
#define CONJ(x) (x)
#define ADJOINT "T"
#define ORTHOGONAL(name) LAPACK(or ##name)
#define PARTS(...)
#endif

/* Fortran passes arguments by address, and the lengths of strings at the end. */
void LAPACK(gemm)(const char *ta, const char *tb, const int *m, const int *n, const int *k, const ELEM *alpha,
                  const ELEM *a, const int *lda, const ELEM *b, const int *ldb, const ELEM *beta, ELEM *c,
                  const int *ldc, size_t, size_t);
void LAPACK(getrf)(const int *m, const int *n, ELEM *a, const int *lda, int *ipiv, int *info);
void LAPACK(getrs)(const char *trans, const int *n, const int *nrhs, const ELEM *a, const int *lda, const int *ipiv,
                   ELEM *b, const int *ldb, int *info, size_t);
void LAPACK(geqrf)(const int *m, const int *n, ELEM *a, const int *lda, ELEM *tau, ELEM *work, const int *lwork,
                   int *info);
void ORTHOGONAL(gqr)(const int *m, const int *n, const int *k, ELEM *a, const int *lda, const ELEM *tau, ELEM *work,
                     const int *lwork, int *info);
void LAPACK(gesdd)(const char *jobz, const int *m, const int *n, ELEM *a, const int *lda, REAL *s, ELEM *u,
                   const int *ldu, ELEM *vt, const int *ldvt, ELEM *work, const int *lwork,
                   PARTS(REAL *rwork) int *iwork, int *info, size_t);
#if COMPLEX
void LAPACK(heevd)(const char *jobz, const char *uplo, const int *n, ELEM *a, const int *lda, REAL *w, ELEM *work,
                   const int *lwork, REAL *rwork, const int *lrwork, int *iwork, const int *liwork, int *info, size_t,
                   size_t);
void LAPACK(geev)(const char *jobvl, const char *jobvr, const int *n, ELEM *a, const int *lda, ELEM *w, ELEM *vl,
                  const int *ldvl, ELEM *vr, const int *ldvr, ELEM *work, const int *lwork, REAL *rwork, int *info,
                  size_t, size_t);
#else
void LAPACK(syevd)(const char *jobz, const char *uplo, const int *n, ELEM *a, const int *lda, REAL *w, ELEM *work,
                   const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
void LAPACK(geev)(const char *jobvl, const char *jobvr, const int *n, ELEM *a, const int *lda, ELEM *wr, ELEM *wi,
                  ELEM *vl, const int *ldvl, ELEM *vr, const int *ldvr, ELEM *work, const int *lwork, int *info, size_t,
                  size_t);
#endif
void LAPACK(gelsd)(const int *m, const int *n, const int *nrhs, ELEM *a, const int *lda, ELEM *b, const int *ldb,
                   REAL *s, const REAL *rcond, int *rank, ELEM *work, const int *lwork, PARTS(REAL *rwork) int *iwork,
                   int *info);

static const int query = -1;

static int at_least_1(int64_t n)
{
    return n > 1 ? (int)n : 1;
}

/* LAPACK returns the workspace size as a floating-point number, which may have been rounded down. */
static int64_t asked(ELEM size)
{
    return (int64_t)((double)PART(size) * (1 + 1e-6)) + 1;
}

/* The number of elements that hold this many parts. */
static int64_t elements(int64_t parts)
{
    return COMPLEX ? parts / 2 + 1 : parts;
}

static bool all_finite(const void *from, int64_t n)
{
    const REAL *x = from;
    REAL sum = 0; /* a NaN or an infinity makes the sum NaN */
    for (int64_t i = 0; i < n * (COMPLEX ? 2 : 1); i++)
        sum += x[i] * 0;
    return sum == 0;
}

/* Converts n real parts to elements, possibly in place. */
static void widen(ELEM *to, const REAL *from, int64_t n)
{
    for (int64_t i = n - 1; i >= 0; i--)
        to[i] = from[i];
}

static void copy(ELEM *to, const ELEM *from, int64_t n)
{
    memcpy(to, from, (size_t)n * sizeof(ELEM));
}

/* Transposes x (rows × cols, row stride fld) to `to`, row stride tld. */
static void turn_to(ELEM *to, int64_t tld, const ELEM *x, int64_t fld, int64_t rows, int64_t cols)
{
#if COMPLEX
    enum { SIDE = ORR__VECTOR }; /* squares that fit into the first cache */
    for (int64_t r0 = 0; r0 < rows; r0 += SIDE)
        for (int64_t c0 = 0; c0 < cols; c0 += SIDE)
            for (int64_t c = c0; c < c0 + SIDE && c < cols; c++)
                for (int64_t r = r0; r < r0 + SIDE && r < rows; r++)
                    to[c * tld + r] = x[r * fld + c];
#else
    orr__cpu_vec()->transpose[sizeof(REAL) == 8](to, tld, x, fld, rows, cols);
#endif
}

static void turn(ELEM *to, const ELEM *x, int64_t rows, int64_t cols)
{
    turn_to(to, rows, x, cols, rows, cols);
}

/* -- solve: the factors of Aᵀ serve A and Aᵀ alike -------------------------------------------------------------------- */

static orr__dense_need solve_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->n * j->n + (j->k > 1 ? j->n * j->k : 0), .ints = j->n };
}

static int64_t solve(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    ELEM *f = reals, *x = j->k > 1 ? f + j->n * j->n : out;
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

#if !COMPLEX
static size_t solve_room(const orr__dense_job *j)
{
    return j->n <= ORR__LANES_MOST && j->k <= ORR__LANES_MOST ? ORR__LANES_ROOM(j->n * (j->n + j->k)) : 0;
}

static int64_t solve_lanes(const orr__dense_job *j, const void *a, const void *b, void *out, int64_t count, void *room,
                           int64_t *which)
{
    orr__lanes s = {
        .a = a, .b = b, .out = out, .m = j->n, .n = j->n, .k = j->k, .count = count, .turned = (j->mask & 1) != 0
    };
    return orr__cpu_vec()->lanes_solve[sizeof(REAL) == 8](&s, room, which);
}
#endif

/* -- determinant --------------------------------------------------------------------------------------------------------- */

static orr__dense_need det_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->n * j->n, .ints = j->n };
}

/* Factors and products beyond these are divided by powers of two, which are kept separately, so that no intermediate product overflows. */
#define FACTOR_MOST 0x1p200
#define PRODUCT_MOST 0x1p400

typedef struct {
    wide product, sign;
    double special; /* Σ log of the factors that are 0 or not finite */
    int64_t exponent;
} determinant;

static double size_of(wide d)
{
#if COMPLEX
    return hypot(creal(d), cimag(d));
#else
    return fabs(d);
#endif
}

static double larger_part(wide d)
{
#if COMPLEX
    return fmax(fabs(creal(d)), fabs(cimag(d)));
#else
    return fabs(d);
#endif
}

static bool within(double x, double most)
{
    return x <= most && x >= 1 / most;
}

/* x divided by the power of two that scales its larger part to near 1; *shift is the exponent. */
static wide scaled(wide x, int *shift)
{
    (void)frexp(larger_part(x), shift);
    return (wide)(x * ldexp(1, -*shift / 2)) * ldexp(1, -(*shift - *shift / 2));
}

/* Multiplies by an element of the diagonal. `exchanged`: its row was exchanged. */
static void factor_of(determinant *d, ELEM by, bool exchanged)
{
    wide x = exchanged ? -(wide)by : (wide)by;
    double larger = larger_part(x), size;
    int shift = 0;
    if (isfinite(larger) && larger > 0) {
        if (!within(larger, FACTOR_MOST))
            x = scaled(x, &shift);
        d->sign = d->sign * (x / size_of(x));
        d->exponent += shift;
    } else {
        size = size_of(x);
        d->sign = COMPLEX || !isinf(size) ? d->sign * x : PART(x) < 0 ? -d->sign : d->sign;
        d->special += log(size);
    }
    d->product = d->product * x;
    larger = larger_part(d->product);
    if (isfinite(larger) && larger > 0 && !within(larger, PRODUCT_MOST)) {
        d->product = scaled(d->product, &shift);
        d->exponent += shift;
    }
}

static void determinant_is(const determinant *d, void *out)
{
    ELEM *to = out;
    int e = (int)ORR__MIN(ORR__MAX(d->exponent, -INT16_MAX), INT16_MAX);
#if COMPLEX
    double sign = hypot(creal(d->sign), cimag(d->sign)); /* rounding leaves it near 1 */
    double complex unit = sign > 0 ? d->sign / sign : d->sign;
    to[0] = (ELEM)CMPLX(ldexp(creal(d->product), e), ldexp(cimag(d->product), e));
    to[1] = (ELEM)unit;
#else
    to[0] = (ELEM)ldexp(d->product, e);
    to[1] = (ELEM)(d->sign == 0 ? 0 : d->sign);
#endif
    double size = size_of(d->product);
    bool all = isfinite(size) && size > 0;
    to[2] = (ELEM)(d->special + (all ? log(size) + (double)d->exponent * 0.693147180559945309417 : 0));
}

static void of_diagonal(const void *diagonal, const int *pivot, int64_t n, void *out)
{
    const ELEM *f = diagonal;
    determinant d = { .product = 1, .sign = 1 };
    for (int64_t i = 0; i < n; i++)
        factor_of(&d, f[i], pivot[i] != i + 1);
    determinant_is(&d, out);
}

static int64_t det(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    ELEM *f = reals;
    int n = (int)j->n, ld = at_least_1(n), info = 0;
    (void)b;
    copy(f, a, j->n * j->n);
    if (n)
        LAPACK(getrf)(&n, &n, f, &ld, ints, &info);
    for (int64_t i = 1; i < j->n; i++)
        f[i] = f[i * (j->n + 1)];
    of_diagonal(f, ints, j->n, out);
    return 0;
}

/* -- factors ------------------------------------------------------------------------------------------------------------- */

static orr__dense_need lu_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = j->m * j->n + j->m, .ints = j->m + j->n };
}

static void permutation(const int *pivot, int64_t pivots, int64_t m, void *out)
{
    ELEM *p = out;
    for (int64_t i = 0; i < m; i++)
        p[i] = (REAL)i;
    for (int64_t i = 0; i < pivots; i++) {
        ELEM was = p[i];
        p[i] = p[pivot[i] - 1];
        p[pivot[i] - 1] = was;
    }
}

static int64_t lu(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    ELEM *f = reals, *p = f + j->m * j->n, *to = out;
    int m = (int)j->m, n = (int)j->n, ld = at_least_1(m), info = 0;
    (void)b;
    turn(f, a, j->m, j->n);
    if (m && n)
        LAPACK(getrf)(&m, &n, f, &ld, ints, &info);
    permutation(ints, j->m < j->n ? j->m : j->n, j->m, p);
    turn_to(to, j->n + 1, f, j->m, j->n, j->m);
    for (int64_t r = 0; r < j->m; r++)
        to[r * (j->n + 1) + j->n] = p[r];
    return info < 0 ? info : 0;
}

#if !COMPLEX
/* The number of matrices whose triangles wait for their determinants. */
enum { WAITING = 16 }; /* limit of memory */

static size_t lu_lanes_room(const orr__dense_job *j)
{
    return j->m <= ORR__LANES_MOST && j->n <= ORR__LANES_MOST ? ORR__LANES_ROOM(j->m * (2 * j->n + 1)) : 0;
}

static int64_t lu_lanes(const orr__dense_job *j, const void *a, const void *b, void *out, int64_t count, void *room,
                        int64_t *which)
{
    orr__lanes s = { .a = a, .out = out, .m = j->m, .n = j->n, .count = count };
    (void)b;
    (void)which;
    orr__cpu_vec()->lanes_lu[sizeof(REAL) == 8](&s, room);
    return 0;
}

static size_t det_lanes_room(const orr__dense_job *j)
{
    size_t room = lu_lanes_room(j);
    return room ? room + WAITING * (size_t)(j->n * (j->n + 1)) * sizeof(ELEM) : 0;
}

/* Converts the rows' numbers, `ld` elements from each other, to the exchanges that sort them, as pivots. A cycle has one exchange fewer
 * than rows. */
static void pivots_of_order(const ELEM *row, int64_t ld, int64_t n, int *pivot)
{
    for (int i = 0; i < (int)n; i++)
        pivot[i] = 0;
    for (int i = 0; i < (int)n; i++)
        for (int at = i; !pivot[at];) {
            int next = (int)row[at * ld];
            pivot[at] = at == i ? at + 1 : -1;
            at = next;
        }
}

static int64_t det_lanes(const orr__dense_job *j, const void *a, const void *b, void *out, int64_t count, void *room,
                         int64_t *which)
{
    int64_t n = j->n, ld = n + 1;
    ELEM *triangles = (ELEM *)(void *)((char *)room + lu_lanes_room(j)), diagonal[ORR__LANES_MOST];
    int pivot[ORR__LANES_MOST];
    for (int64_t q = 0; q < count; q += WAITING) {
        int64_t some = count - q < WAITING ? count - q : WAITING;
        (void)lu_lanes(j, (const ELEM *)a + q * n * n, b, triangles, some, room, which);
        for (int64_t k = 0; k < some; k++) {
            const ELEM *f = triangles + k * n * ld;
            for (int64_t i = 0; i < n; i++)
                diagonal[i] = f[i * (ld + 1)];
            pivots_of_order(f + n, ld, n, pivot);
            of_diagonal(diagonal, pivot, n, (ELEM *)out + 3 * (q + k));
        }
    }
    return 0;
}
#endif

/* The number of columns of Q; with option 1, of rows of the matrix. */
static int64_t qr_inner(const orr__dense_job *j)
{
    return j->mask & 1 || j->m < j->n ? j->m : j->n;
}

static int64_t qr_space(const orr__dense_job *j)
{
    int m = (int)j->m, n = (int)j->n, w = (int)qr_inner(j), k = m < n ? m : n, ld = at_least_1(m), info;
    ELEM first = 1, second = 1, none = 0;
    LAPACK(geqrf)(&m, &n, &none, &ld, &none, &first, &query, &info);
    ORTHOGONAL(gqr)(&m, &w, &k, &none, &ld, &none, &second, &query, &info);
    return (asked(first) > asked(second) ? asked(first) : asked(second)) + j->m + j->n;
}

static orr__dense_need qr_need(const orr__dense_job *j)
{
    int64_t w = qr_inner(j), cols = w > j->n ? w : j->n;
    int64_t work = qr_space(j);
    return (orr__dense_need){ .reals = j->m * cols + j->m + work, .work = work };
}

static int64_t qr(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t w = qr_inner(j), most = w > j->n ? w : j->n, apart = j->mask & 2 ? 0 : j->m, row = apart + j->n;
    ELEM *f = reals, *tau = f + j->m * most, *room = tau + j->m, *to = out;
    int m = (int)j->m, n = (int)j->n, cols = (int)w, k = m < n ? m : n, ld = at_least_1(m), size = at_least_1(j->work),
        info = 0;
    (void)b;
    (void)ints;
    turn(f, a, j->m, j->n);
    LAPACK(geqrf)(&m, &n, f, &ld, tau, room, &size, &info);
    for (int64_t i = 0; i < w && !info; i++)
        for (int64_t c = 0; c < j->n; c++)
            to[i * row + apart + c] = c >= i ? f[c * j->m + i] : 0;
    if (!info && apart)
        ORTHOGONAL(gqr)(&m, &cols, &k, f, &ld, tau, room, &size, &info);
    for (int64_t i = 0; i < w && apart; i++)
        copy(to + i * row, f + i * j->m, j->m);
    return info;
}

#if !COMPLEX
static size_t qr_lanes_room(const orr__dense_job *j)
{
    bool small = j->m <= ORR__LANES_MOST && j->n <= ORR__LANES_MOST;
    return small ? ORR__LANES_ROOM(j->m * j->n + j->n + qr_inner(j) * (j->m + j->n)) : 0;
}

static int64_t qr_lanes(const orr__dense_job *j, const void *a, const void *b, void *out, int64_t count, void *room,
                        int64_t *which)
{
    orr__lanes s = { .a = a,
                     .out = out,
                     .m = j->m,
                     .n = j->n,
                     .count = count,
                     .complete = (j->mask & 1) != 0,
                     .triangle = (j->mask & 2) != 0 };
    (void)b;
    (void)which;
    orr__cpu_vec()->lanes_qr[sizeof(REAL) == 8](&s, room);
    return 0;
}
#endif

/* -- singular values: Aᵀ = conj(V)·S·Uᵀ, so that LAPACK's U is Vᴴ in rows and its Vᴴ is U ------------------------------------- */

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
    ELEM size = 1, none = 0;
    int ld = at_least_1(e->m), ldv = at_least_1(e->v), none_at_all = 0, info;
    REAL part = 0;
    (void)part;
    LAPACK(gesdd)
    (&e->how, &e->m, &e->n, &none, &ld, &part, &none, &ld, &none, &ldv, &size, &query, PARTS(&part) & none_at_all,
     &info, 1);
    return asked(size);
}

/* Additional real workspace of complex matrices. */
static int64_t svd_parts(const svd_extent *e)
{
    int64_t k = e->k, most = e->m > e->n ? e->m : e->n, five = 5 * k + 7, two = 2 * most + 2 * k + 1;
    return COMPLEX ? k * (e->how == 'N' ? 7 : five > two ? five : two) + 1 : 0;
}

static orr__dense_need svd_need(const orr__dense_job *j)
{
    svd_extent e = svd_of(j);
    int64_t work = svd_space(&e);
    return (orr__dense_need){ .reals = j->m * j->n + 1 + work + e.k + 1 + elements(svd_parts(&e)),
                              .ints = 8 * (int64_t)e.k,
                              .work = work };
}

static int64_t svd(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    svd_extent e = svd_of(j);
    ELEM *f = reals, *room = f + j->m * j->n + 1, *apart = room + j->work;
    bool values = e.how == 'N';
    ELEM *u = out, *to = values ? u : u + j->m * e.v, *vh = to + e.k;
    REAL *s = (REAL *)apart, *more = (REAL *)(apart + e.k + 1);
    (void)more;
    int ld = at_least_1(e.m), ldv = at_least_1(e.v), size = at_least_1(j->work), info = 0;
    (void)b;
    if (!all_finite(a, j->m * j->n))
        return ORR__NOT_FINITE;
    copy(f, a, j->m * j->n);
    if (!e.k) { /* LAPACK does not write the unit matrices */
        for (int64_t i = 0; !values && i < (int64_t)e.v * e.v; i++)
            u[i] = i % (e.v + 1) == 0;
        for (int64_t i = 0; !values && i < (int64_t)e.u * e.u; i++)
            vh[i] = i % (e.u + 1) == 0;
        return 0;
    }
    LAPACK(gesdd)
    (&e.how, &e.m, &e.n, f, &ld, s, values ? f : vh, &ld, values ? f : u, &ldv, room, &size, PARTS(more) ints, &info,
     1);
    widen(to, s, e.k);
    return info;
}

/* -- eigenvalues of Hermitian matrices: to LAPACK the lower triangle is the upper one, of the conjugate ----------------------- */

static int64_t eigh_parts(const orr__dense_job *j)
{
    return COMPLEX ? j->mask & 1 ? j->n + 1 : 1 + 5 * j->n + 2 * j->n * j->n : 0;
}

/* The eigenvalues to w, the vectors over f. With `size` -1, the workspace size to *room. */
static int symmetric(const orr__dense_job *j, ELEM *f, REAL *w, ELEM *room, int size, REAL *parts, int *ints)
{
    const char *how = j->mask & 1 ? "N" : "V";
    int n = (int)j->n, ld = at_least_1(n), isize = j->mask & 1 ? 1 : 3 + 5 * n, info = 0;
#if COMPLEX
    int psize = (int)eigh_parts(j);
    LAPACK(heevd)(how, "U", &n, f, &ld, w, room, &size, parts, &psize, ints, &isize, &info, 1, 1);
#else
    (void)parts;
    LAPACK(syevd)(how, "U", &n, f, &ld, w, room, &size, ints, &isize, &info, 1, 1);
#endif
    return info;
}

static orr__dense_need eigh_need(const orr__dense_job *j)
{
    ELEM size = 1, none = 0;
    REAL part = 0;
    int ints = 1;
    (void)symmetric(j, &none, &part, &size, -1, &part, &ints);
    return (orr__dense_need){ .reals = j->n * j->n + asked(size) + j->n + 1 + elements(eigh_parts(j)),
                              .ints = 3 + 5 * j->n,
                              .work = asked(size) };
}

static int64_t eigh(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    ELEM *f = reals, *room = f + j->n * j->n, *apart = room + j->work, *v = (ELEM *)out + j->n;
    REAL *w = (REAL *)apart;
    (void)b;
    for (int64_t r = 0; r < j->n; r++)
        if (!all_finite((const ELEM *)a + r * j->n, r + 1))
            return ORR__NOT_FINITE;
    copy(f, a, j->n * j->n);
    int info = symmetric(j, f, w, room, at_least_1(j->work), (REAL *)(apart + j->n + 1), ints);
    widen(out, w, j->n);
    if (!(j->mask & 1)) {
        turn(v, f, j->n, j->n);
        for (int64_t i = 0; COMPLEX && i < j->n * j->n; i++)
            v[i] = CONJ(v[i]);
    }
    return info;
}

/* -- eigenvalues of other matrices; the results are complex ---------------------------------------------------------------------- */

typedef REAL complex number;

static orr__dense_need eig_need(const orr__dense_job *j)
{
    ELEM size = 1, none = 0;
    int n = (int)j->n, ld = at_least_1(n), one = 1, info;
    const char *how = j->mask & 1 ? "N" : "V";
#if COMPLEX
    REAL part = 0;
    LAPACK(geev)("N", how, &n, &none, &ld, &none, &none, &one, &none, &ld, &size, &query, &part, &info, 1, 1);
#else
    LAPACK(geev)("N", how, &n, &none, &ld, &none, &none, &none, &one, &none, &ld, &size, &query, &info, 1, 1);
#endif
    return (orr__dense_need){ .reals = 2 * j->n * j->n + asked(size) + 2 * j->n + 1, .work = asked(size) };
}

static int64_t eig(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t size = j->n * j->n;
    ELEM *f = reals, *v = f + size, *room = v + size, *apart = room + j->work, none;
    number *w = out, *to = w + j->n;
    const char *how = j->mask & 1 ? "N" : "V";
    int n = (int)j->n, ld = at_least_1(n), one = 1, work = at_least_1(j->work), info = 0;
    (void)b;
    (void)ints;
    if (!all_finite(a, size))
        return ORR__NOT_FINITE;
    turn(f, a, j->n, j->n);
#if COMPLEX
    LAPACK(geev)("N", how, &n, f, &ld, w, &none, &one, v, &ld, room, &work, (REAL *)apart, &info, 1, 1);
    if (!(j->mask & 1))
        turn(to, v, j->n, j->n);
#else
    ELEM *wr = apart, *wi = wr + j->n;
    LAPACK(geev)("N", how, &n, f, &ld, wr, wi, &none, &one, v, &ld, room, &work, &info, 1, 1);
    for (int64_t c = 0; c < j->n && !info; c++)
        w[c] = (number)CMPLX(wr[c], wi[c]);
    /* columns c and c + 1 of a complex pair are the real and imaginary parts of its first vector */
    for (int64_t c = 0; c < j->n && !info && !(j->mask & 1); c++) {
        bool second = c > 0 && wi[c] < 0;
        const ELEM *x = v + (second ? c - 1 : c) * j->n, *y = x + j->n;
        for (int64_t r = 0; r < j->n; r++)
            to[r * j->n + c] = (number)CMPLX(x[r], wi[c] == 0 ? 0 : second ? -y[r] : y[r]);
    }
#endif
    return info;
}

/* -- least squares ----------------------------------------------------------------------------------------------------------- */

static int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static orr__dense_need lstsq_need(const orr__dense_job *j)
{
    ELEM size = 1, none = 0;
    REAL limit = 0, part = 0;
    int m = (int)j->m, n = (int)j->n, k = (int)j->k, ld = at_least_1(m), ldb = at_least_1(larger(m, n)), rank, ints = 1,
        info;
    REAL first = 0;
    (void)first;
    LAPACK(gelsd)
    (&m, &n, &k, &none, &ld, &none, &ldb, &part, &limit, &rank, &size, &query, PARTS(&first) & ints, &info);
    int64_t arrays = j->m * j->n + larger(j->m, j->n) * j->k + 2 * (j->m + j->n) + 4;
    int64_t more = COMPLEX ? elements((int64_t)((double)first * (1 + 1e-6)) + 1) : 0;
    return (orr__dense_need){ .reals = arrays + asked(size) + more, .ints = larger(ints, 1), .work = asked(size) };
}

static int64_t lstsq(const orr__dense_job *j, const void *a, const void *b, void *out, void *reals, int *ints)
{
    int64_t tall = larger(j->m, j->n), least = j->m < j->n ? j->m : j->n;
    ELEM *f = reals, *x = f + j->m * j->n + 1, *room = x + tall * j->k + 1, *apart = room + j->work,
         *to = (ELEM *)out + j->n * j->k;
    REAL *s = (REAL *)apart, *more = (REAL *)(apart + least + 1);
    REAL limit = j->limit < 0 ? EPSILON * (REAL)tall : (REAL)j->limit;
    int m = (int)j->m, n = (int)j->n, k = (int)j->k, ld = at_least_1(m), ldb = at_least_1(tall), rank = 0, info = 0;
    int size = at_least_1(j->work);
    if (!all_finite(a, j->m * j->n) || !all_finite(b, j->m * j->k))
        return ORR__NOT_FINITE;
    memset(x, 0, (size_t)(tall * j->k) * sizeof(ELEM));
    turn(f, a, j->m, j->n);
    for (int64_t c = 0; c < j->k; c++)
        for (int64_t r = 0; r < j->m; r++)
            x[c * tall + r] = ((const ELEM *)b)[r * j->k + c];
    if (least)
        LAPACK(gelsd)
    (&m, &n, &k, f, &ld, x, &ldb, s, &limit, &rank, room, &size, PARTS(more) ints, &info);
    (void)more;
    widen(to, s, least);
    for (int64_t r = 0; r < j->n; r++)
        for (int64_t c = 0; c < j->k; c++)
            ((ELEM *)out)[r * j->k + c] = least ? x[c * tall + r] : 0;
    to[least] = (REAL)rank;
    return info;
}

/* -- exponential: layouts do not matter, since the exponential of the transpose is the transpose ------------------------------- */

static orr__dense_need expm_need(const orr__dense_job *j)
{
    return (orr__dense_need){ .reals = 6 * j->n * j->n, .ints = j->n };
}

static void multiply(int64_t n, const ELEM *x, const ELEM *y, ELEM *to)
{
    const ELEM one = 1, none = 0;
    int k = (int)n;
    LAPACK(gemm)("N", "N", &k, &k, &k, &one, x, &k, y, &k, &none, to, &k, 1, 1);
}

/* to = (add ? to : 0) + c6·a6 + c4·a4 + c2·a2 + c0. */
static void polynomial(int64_t n, ELEM *to, bool add, const ELEM *const power[3], const double c[4])
{
    for (int64_t i = 0; i < n * n; i++) {
        wide v = c[3] * (wide)power[2][i] + c[2] * (wide)power[1][i] + c[1] * (wide)power[0][i];
        to[i] = (add ? to[i] : 0) + (ELEM)(v + (i % (n + 1) == 0 ? c[0] : 0));
    }
}

/* The number of halvings of A until its largest column sum is at most θ₁₃, of degree 13. */
static int halvings(int64_t n, const ELEM *a)
{
    double norm = 0;
    int exponent = 0;
    for (int64_t c = 0; c < n; c++) {
        double sum = 0;
        for (int64_t r = 0; r < n; r++)
            sum += size_of((wide)a[c * n + r]);
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
    ELEM *a = reals, *a2 = a + size, *a4 = a2 + size, *a6 = a4 + size, *u = a6 + size, *v = u + size, *to = out;
    const ELEM *const power[3] = { a2, a4, a6 };
    int n = (int)j->n, info = 0;
    (void)b;
    if (!all_finite(from, size))
        return ORR__NOT_FINITE;
    int squarings = halvings(j->n, from);
    for (int64_t i = 0; i < size; i++)
        a[i] = (ELEM)((wide)((const ELEM *)from)[i] * ldexp(1, -squarings));
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

#include "codelets/cpu/panels_body.h"

#if COMPLEX
#define LANES(room, compute)                                                                                           \
    {                                                                                                                  \
        NULL, NULL                                                                                                     \
    }
#else
#define LANES(room, compute)                                                                                           \
    {                                                                                                                  \
        room, compute                                                                                                  \
    }
#endif
const orr__dense TABLE = {
    .solve = { solve_need, solve, LANES(solve_room, solve_lanes) },
    .det = { det_need, det, LANES(det_lanes_room, det_lanes) },
    .lu = { lu_need, lu, LANES(lu_lanes_room, lu_lanes) },
    .qr = { qr_need, qr, LANES(qr_lanes_room, qr_lanes) },
    .svd = { .need = svd_need, .compute = svd },
    .eigh = { .need = eigh_need, .compute = eigh },
    .eig = { .need = eig_need, .compute = eig },
    .lstsq = { .need = lstsq_need, .compute = lstsq },
    .expm = { .need = expm_need, .compute = expm },
    .permutation = permutation,
    .of_diagonal = of_diagonal,
    .panels = &panels,
};
