/* Plain algorithms on dense matrices, one number after the other, for reference evaluations.
 * Must not know: operations, LAPACK. */
#include "config.h"

#include <math.h>
#include "ops/linalg/linalg.h"

enum { SWEEPS = 60 };
#define SMALL 1e-19L /* of Jacobi's rotations: smaller values count as 0 */

orr__wide_real *orr__plain(int64_t n)
{
    return orr__alloc_n((size_t)n + 1, sizeof(orr__wide_real));
}

void orr__plain_load(const orr__reference *j, int k, int64_t q, int64_t count, orr__wide_real *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = orr__reference_get(&j->in[k], q * count + i);
}

static void swap(orr__wide_real *x, orr__wide_real *y)
{
    orr__wide_real z = *x;
    *x = *y;
    *y = z;
}

int orr__plain_lu(orr__wide_real *a, int64_t m, int64_t n, int64_t *p, int64_t *singular)
{
    int64_t least = m < n ? m : n;
    int sign = 1;
    *singular = least;
    for (int64_t i = 0; i < m; i++)
        p[i] = i;
    for (int64_t c = 0; c < least; c++) {
        int64_t best = c;
        for (int64_t r = c + 1; r < m; r++)
            if (fabsl(a[r * n + c]) > fabsl(a[best * n + c]))
                best = r;
        if (best != c) {
            int64_t was = p[c];
            p[c] = p[best];
            p[best] = was;
            sign = -sign;
            for (int64_t k = 0; k < n; k++)
                swap(&a[c * n + k], &a[best * n + k]);
        }
        if (a[c * n + c] == 0) {
            *singular = *singular < least ? *singular : c;
            continue;
        }
        for (int64_t r = c + 1; r < m; r++) {
            orr__wide_real f = a[r * n + c] /= a[c * n + c];
            for (int64_t k = c + 1; k < n; k++)
                a[r * n + k] -= f * a[c * n + k];
        }
    }
    return sign;
}

void orr__plain_product(const orr__wide_real *x, const orr__wide_real *y, orr__wide_real *c, int64_t m, int64_t k,
                        int64_t n)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            orr__wide_real v = 0;
            for (int64_t l = 0; l < k; l++)
                v += x[i * k + l] * y[l * n + j];
            c[i * n + j] = v;
        }
}

/* Columns i and j of x, `rows` long, `stride` apart, turned by the angle whose tangent is t. */
static void rotate(orr__wide_real *x, int64_t rows, int64_t stride, int64_t i, int64_t j, orr__wide_real t)
{
    orr__wide_real c = 1 / sqrtl(1 + t * t), s = c * t;
    for (int64_t r = 0; r < rows; r++) {
        orr__wide_real xi = x[r * stride + i], xj = x[r * stride + j];
        x[r * stride + i] = c * xi - s * xj;
        x[r * stride + j] = s * xi + c * xj;
    }
}

/* The smaller root of t² + 2·z·t − 1. */
static orr__wide_real tangent(orr__wide_real z)
{
    return (z >= 0 ? 1 : -1) / (fabsl(z) + sqrtl(1 + z * z));
}

static void unit(orr__wide_real *v, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        v[i] = i % (n + 1) == 0;
}

void orr__plain_svd(orr__wide_real *a, int64_t m, int64_t n, orr__wide_real *s, orr__wide_real *v)
{
    bool turned = true;
    unit(v, n);
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                orr__wide_real x = 0, y = 0, xy = 0;
                for (int64_t r = 0; r < m; r++) {
                    x += a[r * n + i] * a[r * n + i];
                    y += a[r * n + j] * a[r * n + j];
                    xy += a[r * n + i] * a[r * n + j];
                }
                if (!(fabsl(xy) > SMALL * sqrtl(x * y)))
                    continue;
                orr__wide_real t = tangent((y - x) / (2 * xy));
                rotate(a, m, n, i, j, t);
                rotate(v, n, n, i, j, t);
                turned = true;
            }
    }
    for (int64_t i = 0; i < n; i++) {
        s[i] = 0;
        for (int64_t r = 0; r < m; r++)
            s[i] += a[r * n + i] * a[r * n + i];
        s[i] = sqrtl(s[i]);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j > 0 && s[j] > s[j - 1]; j--) {
            swap(&s[j], &s[j - 1]);
            for (int64_t r = 0; r < m; r++)
                swap(&a[r * n + j], &a[r * n + j - 1]);
            for (int64_t r = 0; r < n; r++)
                swap(&v[r * n + j], &v[r * n + j - 1]);
        }
}

void orr__plain_eigh(orr__wide_real *a, int64_t n, orr__wide_real *w, orr__wide_real *v)
{
    bool turned = true;
    unit(v, n);
    for (int64_t r = 0; r < n; r++)
        for (int64_t c = 0; c < r; c++)
            a[c * n + r] = a[r * n + c];
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                orr__wide_real x = a[i * n + i], y = a[j * n + j], xy = a[i * n + j];
                if (!(fabsl(xy) > SMALL * (fabsl(x) + fabsl(y))))
                    continue;
                orr__wide_real t = tangent((y - x) / (2 * xy)), c = 1 / sqrtl(1 + t * t), s = c * t;
                rotate(a, n, n, i, j, t);
                for (int64_t k = 0; k < n; k++) { /* rows, as the columns before */
                    orr__wide_real xi = a[i * n + k], xj = a[j * n + k];
                    a[i * n + k] = c * xi - s * xj;
                    a[j * n + k] = s * xi + c * xj;
                }
                rotate(v, n, n, i, j, t);
                turned = true;
            }
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = a[i * (n + 1)];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j > 0 && w[j] < w[j - 1]; j--) {
            swap(&w[j], &w[j - 1]);
            for (int64_t r = 0; r < n; r++)
                swap(&v[r * n + j], &v[r * n + j - 1]);
        }
}

orr_status orr__plain_fail(const orr__reference *j, int64_t q, const char *so)
{
    return orr__fail(ORR__SITE(j->node->file, j->node->line, j->node->op->name), ORR_ENUMERIC, "matrix %lld %s",
                     (long long)q, so);
}
