/* Discrete Laplace and Gaussian numbers, exactly (Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy",
 * 2020): no decision depends on a float.
 * Must not know: the source of random bits, tensors. */
#include "config.h"
#include <math.h>
#include "ops/privacy/secret.h"

/* True if a random number in [0, 1) is below a/b. Its digits in base 256 are drawn until the comparison is decided. */
bool orr__draw_ratio(orr__secret *s, orr__wide_uint a, orr__wide_uint b)
{
    while (a < b) {
        orr__wide_uint digit = orr__secret_byte(s), low = digit * b;
        a <<= 8;
        if (a <= low)
            return false;
        if (a >= low + b)
            return true;
        a -= low;
    }
    return true;
}

/* Algorithm 1: e^(−γ) for γ ≤ 1 is the probability that the first k at which Bernoulli(γ/k) fails is odd. */
static bool draw_exp_small(orr__secret *s, orr__wide_uint a, orr__wide_uint b)
{
    orr__wide_uint k = 1;
    while (orr__draw_ratio(s, a, b * k))
        k++;
    return k & 1;
}

bool orr__draw_exp(orr__secret *s, orr__wide_uint a, orr__wide_uint b)
{
    orr__wide_uint whole = a < b ? 0 : a / b;
    for (orr__wide_uint i = 0; i < whole; i++)
        if (!draw_exp_small(s, 1, 1))
            return false;
    return draw_exp_small(s, a - whole * b, b);
}

orr__ratio orr__ratio_of(double x, bool up)
{
    int e;
    double m = ldexp(frexp(x, &e), 30);
    orr__ratio r = { .num = (uint64_t)(up ? ceil(m) : floor(m)), .den_log2 = 30 - e };
    for (; r.den_log2 > 0 && !(r.num & 1) && r.num; r.den_log2--)
        r.num >>= 1;
    for (; r.den_log2 < 0; r.den_log2++)
        r.num <<= 1;
    return r;
}

/* Algorithm 2. */
int64_t orr__draw_laplace(orr__secret *s, uint64_t num, uint64_t den)
{
    for (;;) {
        uint64_t u = orr__secret_below(s, num), v = 0;
        if (!draw_exp_small(s, u, num))
            continue;
        while (draw_exp_small(s, 1, 1))
            v++;
        uint64_t y = (u + num * v) / den;
        bool negative = orr__secret_byte(s) & 1;
        if (!negative || y != 0)
            return negative ? -(int64_t)y : (int64_t)y;
    }
}

orr__gaussian orr__gaussian_of(double deviation)
{
    return (orr__gaussian){ orr__ratio_of(deviation * deviation * (1.0 + 0x1p-51), true), (uint64_t)deviation + 1 };
}

/* Algorithm 3, of variance n/d: y of scale t is accepted with probability e^(−(|y| − n/(dt))²/(2n/d)) = e^(−(|y|dt −
 * n)²/(2ndt²)). Sizes: for a deviation of at least 1, d·t² ≤ 4n and n < 2^52, so 2ndt² < 2^109, and |y|dt − n < 2^62 up to |y|
 * = 2^8·t; for a smaller one, t = 1, n < 2^30 and d ≤ 2^50. A y beyond 2^8·t has a probability below e^-256 and is rejected. */
int64_t orr__draw_gaussian(orr__secret *s, const orr__gaussian *g)
{
    for (;;) {
        int64_t y = orr__draw_laplace(s, g->t, 1);
        uint64_t size = (uint64_t)(y < 0 ? -y : y);
        if (size > g->t << 8)
            continue;
        orr__wide_uint n = g->variance.num, dt = (orr__wide_uint)g->t << g->variance.den_log2, far = size * dt;
        orr__wide_uint off = far > n ? far - n : n - far;
        if (orr__draw_exp(s, off * off, 2 * n * dt * g->t))
            return y;
    }
}

bool orr__grid(double x, double sensitivity, int64_t *place)
{
    double scaled = x / sensitivity;
    if (!(fabs(scaled) <= 0x1p31))
        return false;
    *place = llround(scaled * 0x1p20);
    return true;
}
