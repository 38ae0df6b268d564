/* One polynomial through shares, some of which are wrong: the linear equations of Berlekamp and Welch.
 * Must not know: tensors, its callers. */
#include "config.h"
#include <string.h>
#include "ops/share/p61.h"
#include "ops/share/share.h"
#include "runtime/base/buffer.h"
#include "runtime/base/secret.h"

/* Row i: Σ_{j<t+e} q_j x^j − y Σ_{j<e} e_j x^j = y x^e, for Q = P·E with E monic of degree e. */
static void equations(const uint64_t *points, const uint64_t *share, int k, int t, int e, uint64_t *m)
{
    int unknowns = t + 2 * e;
    for (int i = 0; i < k; i++) {
        uint64_t *row = m + (size_t)i * (size_t)(unknowns + 1), power = 1;
        for (int j = 0; j < t + e; j++) {
            row[j] = power;
            if (j < e)
                row[t + e + j] = orr__p61_sub(0, orr__p61_mul(share[i], power));
            if (j == e)
                row[unknowns] = orr__p61_mul(share[i], power);
            power = orr__p61_mul(power, points[i]);
        }
    }
}

/* Gauss-Jordan elimination; unknowns without a pivot are 0. false: no solution. */
static bool solve(uint64_t *m, int rows, int unknowns, uint64_t *x)
{
    int width = unknowns + 1, r = 0;
    memset(x, 0, (size_t)unknowns * sizeof *x);
    for (int c = 0; c < width && r < rows; c++) {
        int pivot = r;
        while (pivot < rows && m[(size_t)pivot * (size_t)width + (size_t)c] == 0)
            pivot++;
        if (pivot == rows)
            continue;
        if (c == unknowns)
            return false;
        uint64_t *a = m + (size_t)pivot * (size_t)width, *b = m + (size_t)r * (size_t)width;
        for (int j = 0; j < width; j++) {
            uint64_t y = a[j];
            a[j] = b[j];
            b[j] = y;
        }
        uint64_t inverse = orr__p61_inverse(b[c]);
        for (int j = c; j < width; j++)
            b[j] = orr__p61_mul(b[j], inverse);
        for (int i = 0; i < rows; i++) {
            uint64_t *o = m + (size_t)i * (size_t)width, f = o[c];
            if (i == r || f == 0)
                continue;
            for (int j = c; j < width; j++)
                o[j] = orr__p61_sub(o[j], orr__p61_mul(f, b[j]));
        }
        r++;
    }
    /* The leading one of a row marks its unknown. Its value is in the last column, since all other unknowns of the
     * row are 0. */
    for (int i = 0; i < r; i++)
        for (int c = 0; c < unknowns; c++)
            if (m[(size_t)i * (size_t)width + (size_t)c] != 0) {
                x[c] = m[(size_t)i * (size_t)width + (size_t)unknowns];
                break;
            }
    return true;
}

/* Divides q, of degree t + n − 1, by the monic polynomial of degree n with the lower coefficients e. The quotient is
 * in q[n …]. false: there is a remainder. */
static bool divide(uint64_t *q, const uint64_t *e, int t, int n)
{
    for (int i = t - 1; i >= 0; i--)
        for (int j = 0; j < n; j++)
            q[i + j] = orr__p61_sub(q[i + j], orr__p61_mul(q[i + n], e[j]));
    uint64_t rest = 0;
    for (int j = 0; j < n; j++)
        rest |= q[j];
    return rest == 0;
}

static uint64_t value_at(const uint64_t *p, int t, uint64_t x)
{
    uint64_t y = 0;
    for (int i = t - 1; i >= 0; i--)
        y = orr__p61_add(orr__p61_mul(y, x), p[i]);
    return y;
}

int orr__berlekamp_welch(const uint64_t *points, const uint64_t *share, int k, int t, uint64_t *secret, bool *wrong)
{
    int e = (k - t) / 2, unknowns = t + 2 * e, errors = 0;
    size_t cells = (size_t)k * (size_t)(unknowns + 1);
    uint64_t *m = orr__secret_new((cells + (size_t)unknowns) * sizeof *m);
    if (!m)
        return -1;
    uint64_t *x = m + cells;
    equations(points, share, k, t, e, m);
    bool found = solve(m, k, unknowns, x) && divide(x, x + t + e, t, e);
    for (int i = 0; found && i < k; i++) {
        wrong[i] = value_at(x + e, t, points[i]) != share[i];
        errors += wrong[i];
    }
    found = found && errors <= e;
    if (found)
        *secret = x[e];
    orr__secret_free(m);
    return found;
}
