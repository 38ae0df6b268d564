/* The calls of the cases in tests/golden/numpy/standard.txt that no other table has: elements, sets, transforms.
 * Must not know: how a value is computed. */
#include "config.h"

#include <orrery/array.h>
#include <orrery/fft.h>
#include "tests/harness/numpy_case.h"

#define X c->in[0]
#define Y c->in[1]
#define I(k) (int64_t) c->p[k]
#define CASE(name, expr)                                                                                               \
    static orr_tensor *run_##name(const numpy_case *c)                                                                 \
    {                                                                                                                  \
        return expr;                                                                                                   \
    }

/* The numbers from parameter `at` on. */
static orr_axes axes_of(const numpy_case *c, int at, int n)
{
    orr_axes a = { n, { 0 } };
    for (int i = 0; i < n; i++)
        a.axis[i] = (int)c->p[at + i];
    return a;
}

static orr_axes axes_or_all(const numpy_case *c)
{
    return c->np ? axes_of(c, 0, c->np) : ORR_ALL_AXES;
}

typedef orr_tensor *several(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes, orr_fft_norm norm);

/* Parameters: norm, number of axes, lengths, axes. No axes: all, with their own lengths. */
static orr_tensor *transform(const numpy_case *c, several *f)
{
    int count = (int)c->p[1];
    orr_index n = { count, { 0 } };
    for (int i = 0; i < count; i++)
        n.v[i] = I(2 + i);
    return f(ORR_HERE, X, count ? n : ORR_NO_INDEX, count ? axes_of(c, 2 + count, count) : ORR_ALL_AXES,
             (orr_fft_norm)c->p[0]);
}

CASE(add, orr_add(X, Y))
CASE(sub, orr_sub(X, Y))
CASE(mul, orr_mul(X, Y))
CASE(div, orr_div(X, Y))
CASE(equal, orr_equal(X, Y))
CASE(not_equal, orr_not_equal(X, Y))
CASE(where, orr_where(X, Y, c->in[2]))
CASE(positive, orr_positive(X))
CASE(isfinite, orr_isfinite(X))
CASE(isinf, orr_isinf(X))
CASE(isnan, orr_isnan(X))
CASE(round, orr_round(X))

CASE(unique_values, orr_unique_values(X))

static orr_tensor *run_unique_all(const numpy_case *c)
{
    orr_tensor *r[4];
    (void)orr_unique_all(X, &r[0], &r[1], &r[2], &r[3]);
    return r[I(0)];
}

static orr_tensor *run_unique_counts(const numpy_case *c)
{
    orr_tensor *r[2];
    (void)orr_unique_counts(X, &r[0], &r[1]);
    return r[I(0)];
}

static orr_tensor *run_unique_inverse(const numpy_case *c)
{
    orr_tensor *r[2];
    (void)orr_unique_inverse(X, &r[0], &r[1]);
    return r[I(0)];
}

CASE(fftn, transform(c, orr_fftn_at))
CASE(ifftn, transform(c, orr_ifftn_at))
CASE(rfftn, transform(c, orr_rfftn_at))
CASE(irfftn, transform(c, orr_irfftn_at))
CASE(fftfreq, orr_fftfreq(c->to, I(0), c->p[1]))
CASE(rfftfreq, orr_rfftfreq(c->to, I(0), c->p[1]))
CASE(fftshift, orr_fftshift(X, axes_or_all(c)))
CASE(ifftshift, orr_ifftshift(X, axes_or_all(c)))

#define ROW(name)                                                                                                      \
    {                                                                                                                  \
#name, run_##name                                                                                              \
    }
const numpy_row numpy_standard_rows[] = {
    ROW(mul),       ROW(div),      ROW(add),           ROW(sub),        ROW(equal),
    ROW(not_equal), ROW(where),    ROW(positive),      ROW(isfinite),   ROW(isinf),
    ROW(isnan),     ROW(round),    ROW(unique_values), ROW(unique_all), ROW(unique_counts),
    ROW(fftn),      ROW(ifftn),    ROW(rfftn),         ROW(irfftn),     ROW(unique_inverse),
    ROW(fftfreq),   ROW(rfftfreq), ROW(fftshift),      ROW(ifftshift),  { NULL, NULL },
};
