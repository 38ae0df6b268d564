/* Derivatives beside central differences. The differentiated functions are a sum of the function's elements, each with its
 * own weight, and such a sum of the elements of its gradient.
 * Must not know: which function is differentiated. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include "tests/harness/differences.h"

enum { DIRECTIONS = 3, MOST_NUMBERS = 4096 };

static double uniform(unsigned long long *state)
{
    return (double)(orr_test_rand(state) >> 11) * 0x1p-52 - 1;
}

static int parts(orr_dtype dtype)
{
    return orr__is_complex(dtype) ? 2 : 1;
}

/* The weighted sum of the elements of t, real and imaginary parts, with weights drawn from the seed. */
static orr_tensor *weighed(orr_tensor *t, unsigned long long seed)
{
    double w[MOST_NUMBERS];
    orr_shape s = orr_tensor_shape(t);
    int64_t n = s.rank < 0 ? 0 : orr__shape_count(&s);
    if (orr__is_complex(orr_tensor_dtype(t)))
        return orr_add(weighed(orr_real(t), seed), weighed(orr_imag(t), seed + 1));
    ORR_CHECK(n <= MOST_NUMBERS);
    for (int64_t i = 0; i < n && n <= MOST_NUMBERS; i++)
        w[i] = uniform(&seed);
    return orr_sum(orr_mul(t, orr_from(ORR_F64, s, w)), ORR_ALL_AXES, false);
}

/* Order 1: the objective of the function; order 2: that of its gradient. */
static orr_tensor *objective(const differences_row *row, int order, orr_tensor *const *x)
{
    orr_tensor *y = weighed(row->of(x), 11), *g[DIFFERENCES_MOST];
    if (order == 1)
        return y;
    if (orr_grad_or_zeros(y, x, row->n, g) != ORR_OK)
        return g[0];
    y = weighed(g[0], 23);
    for (int k = 1; k < row->n; k++)
        y = orr_add(y, weighed(g[k], 23 + 2 * (unsigned long long)k));
    return y;
}

static int64_t numbers(const differences_row *row, int k, orr_dtype dtype)
{
    return orr__shape_count(&row->shape[k]) * parts(dtype);
}

static int64_t all_numbers(const differences_row *row, orr_dtype dtype)
{
    int64_t n = 0;
    for (int k = 0; k < row->n; k++)
        n += numbers(row, k, dtype);
    return n;
}

static void operands(const differences_row *row, orr_dtype dtype, const double *at, orr_tensor **x)
{
    for (int k = 0; k < row->n; at += numbers(row, k, dtype), k++)
        x[k] = orr_from(dtype, row->shape[k], at);
}

static double value(const differences_row *row, int order, orr_dtype dtype, const double *at)
{
    double v = NAN;
    orr_tensor *x[DIFFERENCES_MOST];
    orr_scope *s = orr_scope_begin();
    operands(row, dtype, at, x);
    ORR_CHECK_MSG(orr_item(objective(row, order, x), &v) == ORR_OK, "%s: %s", row->name, orr_error_message());
    (void)orr_scope_end(s);
    return v;
}

/* The gradient with respect to every number; for complex operands, to their parts. */
static bool gradient(const differences_row *row, int order, orr_dtype dtype, const double *at, double *g)
{
    orr_tensor *x[DIFFERENCES_MOST], *by[DIFFERENCES_MOST];
    orr_scope *s = orr_scope_begin();
    operands(row, dtype, at, x);
    bool ok = orr_grad_or_zeros(objective(row, order, x), x, row->n, by) == ORR_OK;
    for (int k = 0; ok && k < row->n; k++) {
        int64_t n = numbers(row, k, dtype);
        ok = orr_tensor_dtype(by[k]) == dtype && orr_read(by[k], g, (size_t)n * sizeof *g) == ORR_OK;
        for (int64_t i = 1; ok && parts(dtype) > 1 && i < n; i += 2)
            g[i] = -g[i];
        g += n;
    }
    ORR_CHECK_MSG(ok, "%s, order %d, %s: %s", row->name, order, orr_dtype_name(dtype), orr_error_message());
    (void)orr_scope_end(s);
    return ok;
}

static void differentiate(const differences_row *row, int order, orr_dtype dtype, double *at, double *g)
{
    int64_t n = all_numbers(row, dtype);
    double step = 1e-5, moved[2], *d = calloc((size_t)n + 1, sizeof *d), *to = calloc((size_t)n + 1, sizeof *to);
    unsigned long long state = 7;
    if (d && to && gradient(row, order, dtype, at, g))
        for (int k = 0; k < DIRECTIONS; k++) {
            double along = 0, size = 0;
            for (int64_t i = 0; i < n; i++) {
                d[i] = uniform(&state);
                along += g[i] * d[i];
                size += fabs(g[i] * d[i]);
            }
            for (int sign = 0; sign < 2; sign++) {
                for (int64_t i = 0; i < n; i++)
                    to[i] = at[i] + (sign ? step : -step) * d[i];
                moved[sign] = value(row, order, dtype, to);
            }
            double want = (moved[1] - moved[0]) / (2 * step);
            ORR_CHECK_MSG(fabs(along - want) <= 2e-7 * (1 + size), "%s, order %d, %s: %.12g, by differences %.12g",
                          row->name, order, orr_dtype_name(dtype), along, want);
        }
    free(to);
    free(d);
}

static double *start(const differences_row *row, orr_dtype dtype)
{
    int64_t n = all_numbers(row, dtype);
    unsigned long long state = 3;
    double *at = calloc((size_t)n + 1, sizeof *at);
    for (int64_t i = 0; at && i < n; i++)
        at[i] = uniform(&state);
    return at;
}

void help_differences(const differences_row *row, orr_dtype dtype)
{
    double *at = start(row, dtype), *g = calloc((size_t)all_numbers(row, dtype) + 1, sizeof *g);
    for (int order = 1; at && g && order <= row->order; order++)
        differentiate(row, order, dtype, at, g);
    free(g);
    free(at);
}

void help_no_derivative(const differences_row *row, orr_dtype dtype, const char *part)
{
    orr_tensor *x[DIFFERENCES_MOST], *by[DIFFERENCES_MOST];
    orr_scope *s = orr_scope_begin();
    double *at = start(row, dtype);
    operands(row, dtype, at, x);
    orr_status st = orr_grad(objective(row, row->order, x), x, row->n, by);
    ORR_CHECK_MSG(st == ORR_EGRAPH && strstr(orr_error_message(), part), "%s, order %d: %s: %s", row->name, row->order,
                  orr_status_name(st), orr_error_message());
    orr_error_clear();
    free(at);
    (void)orr_scope_end(s);
}
