/* Plain algorithms on dense matrices, element by element, for reference evaluations.
 * Must not know: operations, LAPACK. */
#include "config.h"

#include <math.h>
#include "ops/linalg/linalg.h"

enum { SWEEPS = 60 }; /* limit of search */
#define SMALL 1e-19L  /* limit of search: of Jacobi's rotations: smaller values count as 0 */

orr__number *orr__plain(int64_t n)
{
    return orr__alloc_n((size_t)n + 1, sizeof(orr__number));
}

orr__number orr__plain_get(const orr__array *a, int64_t i)
{
    orr_dtype part = orr__part_dtype(a->dtype);
    if (part == a->dtype)
        return orr__reference_get(a, i);
    const uint8_t *at = orr__array_at(a, i);
    return CMPLXL(orr__scalar_load(at, part).f, orr__scalar_load(at + orr_dtype_size(part), part).f);
}

void orr__plain_set(const orr__array *a, int64_t i, orr__number v)
{
    orr_dtype part = orr__part_dtype(a->dtype);
    if (part == a->dtype) {
        orr__reference_set(a, i, creall(v));
        return;
    }
    uint8_t *at = orr__array_at(a, i);
    orr__scalar_store(at, part, (orr__scalar){ .f = (double)creall(v) });
    orr__scalar_store(at + orr_dtype_size(part), part, (orr__scalar){ .f = (double)cimagl(v) });
}

void orr__plain_load(const orr__reference *j, int k, int64_t q, int64_t count, orr__number *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = orr__plain_get(&j->in[k], q * count + i);
}

bool orr__plain_finite(orr__number v)
{
    return isfinite(creall(v)) && isfinite(cimagl(v));
}

static void swap(orr__number *x, orr__number *y)
{
    orr__number z = *x;
    *x = *y;
    *y = z;
}

/* The size by which LAPACK chooses pivots. */
static long double pivot_size(orr__number v)
{
    return fabsl(creall(v)) + fabsl(cimagl(v));
}

int orr__plain_lu(orr__number *a, int64_t m, int64_t n, int64_t *p, int64_t *singular)
{
    int64_t least = m < n ? m : n;
    int sign = 1;
    *singular = least;
    for (int64_t i = 0; i < m; i++)
        p[i] = i;
    for (int64_t c = 0; c < least; c++) {
        int64_t best = c;
        for (int64_t r = c + 1; r < m; r++)
            if (pivot_size(a[r * n + c]) > pivot_size(a[best * n + c]))
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
            orr__number f = a[r * n + c] /= a[c * n + c];
            for (int64_t k = c + 1; k < n; k++)
                a[r * n + k] -= f * a[c * n + k];
        }
    }
    return sign;
}

void orr__plain_product(const orr__number *x, const orr__number *y, orr__number *c, int64_t m, int64_t k, int64_t n)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            orr__number v = 0;
            for (int64_t l = 0; l < k; l++)
                v += x[i * k + l] * y[l * n + j];
            c[i * n + j] = v;
        }
}

/* Multiplies column j of x by a phase, then rotates columns i and j by the angle with the tangent t. Columns have
 * `rows` elements, `stride` apart. */
static void rotate(orr__number *x, int64_t rows, int64_t stride, int64_t i, int64_t j, orr__number phase, long double t)
{
    long double c = 1 / sqrtl(1 + t * t), s = c * t;
    for (int64_t r = 0; r < rows; r++) {
        orr__number xi = x[r * stride + i], xj = x[r * stride + j] * phase;
        x[r * stride + i] = c * xi - s * xj;
        x[r * stride + j] = s * xi + c * xj;
    }
}

/* The smaller root of t² + 2·z·t − 1. */
static long double tangent(long double z)
{
    return (z >= 0 ? 1 : -1) / (fabsl(z) + sqrtl(1 + z * z));
}

static void unit(orr__number *v, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++)
        v[i] = i % (n + 1) == 0;
}

static long double square_of(orr__number v)
{
    return creall(v) * creall(v) + cimagl(v) * cimagl(v);
}

void orr__plain_svd(orr__number *a, int64_t m, int64_t n, orr__number *s, orr__number *v)
{
    bool turned = true;
    unit(v, n);
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                long double x = 0, y = 0;
                orr__number xy = 0;
                for (int64_t r = 0; r < m; r++) {
                    x += square_of(a[r * n + i]);
                    y += square_of(a[r * n + j]);
                    xy += conjl(a[r * n + i]) * a[r * n + j];
                }
                long double size = cabsl(xy);
                if (!(size > SMALL * sqrtl(x * y)))
                    continue;
                long double t = tangent((y - x) / (2 * size));
                rotate(a, m, n, i, j, conjl(xy) / size, t);
                rotate(v, n, n, i, j, conjl(xy) / size, t);
                turned = true;
            }
    }
    for (int64_t i = 0; i < n; i++) {
        long double sum = 0;
        for (int64_t r = 0; r < m; r++)
            sum += square_of(a[r * n + i]);
        s[i] = sqrtl(sum);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j > 0 && creall(s[j]) > creall(s[j - 1]); j--) {
            swap(&s[j], &s[j - 1]);
            for (int64_t r = 0; r < m; r++)
                swap(&a[r * n + j], &a[r * n + j - 1]);
            for (int64_t r = 0; r < n; r++)
                swap(&v[r * n + j], &v[r * n + j - 1]);
        }
}

void orr__plain_eigh(orr__number *a, int64_t n, orr__number *w, orr__number *v)
{
    bool turned = true;
    unit(v, n);
    for (int64_t r = 0; r < n; r++) {
        a[r * (n + 1)] = creall(a[r * (n + 1)]);
        for (int64_t c = 0; c < r; c++)
            a[c * n + r] = conjl(a[r * n + c]);
    }
    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                long double x = creall(a[i * n + i]), y = creall(a[j * n + j]), size = cabsl(a[i * n + j]);
                if (!(size > SMALL * (fabsl(x) + fabsl(y))))
                    continue;
                orr__number phase = conjl(a[i * n + j]) / size;
                long double t = tangent((y - x) / (2 * size)), c = 1 / sqrtl(1 + t * t), s = c * t;
                rotate(a, n, n, i, j, phase, t);
                for (int64_t k = 0; k < n; k++) { /* rows, like the columns above */
                    orr__number xi = a[i * n + k], xj = a[j * n + k] * conjl(phase);
                    a[i * n + k] = c * xi - s * xj;
                    a[j * n + k] = s * xi + c * xj;
                }
                rotate(v, n, n, i, j, phase, t);
                turned = true;
            }
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = creall(a[i * (n + 1)]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i; j > 0 && creall(w[j]) < creall(w[j - 1]); j--) {
            swap(&w[j], &w[j - 1]);
            for (int64_t r = 0; r < n; r++)
                swap(&v[r * n + j], &v[r * n + j - 1]);
        }
}

orr_status orr__plain_fail(const orr__reference *j, int64_t q, const char *so)
{
    return orr__fail(orr__reference_site(j), ORR_ENUMERIC, "matrix %lld %s", (long long)q, so);
}
