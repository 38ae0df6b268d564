/* Tensors beside arrays of an .npz file of tests/golden, and gradients beside differences.
 * Must not know: which function is tested. */
#ifndef ORR_TESTS_NN_NEAR_H
#define ORR_TESTS_NN_NEAR_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "tests/harness/harness.h"

/* The array `name` of `file`. */
static inline orr_tensor *near_load(const char *file, const char *name)
{
    orr_tensor *t = orr_load_npz(orr_test_golden(file), name);
    ORR_CHECK_MSG(orr_tensor_status(t) == ORR_OK, "%s %s: status %d", file, name, (int)orr_tensor_status(t));
    return t;
}

/* Elements as doubles; NULL after a failed check. The caller frees them. */
static inline double *near_values(orr_tensor *t, int64_t *n)
{
    *n = orr_tensor_size(t);
    double *v = calloc((size_t)(*n > 0 ? *n : 0) + 1, sizeof *v);
    orr_status st = v ? orr_read(orr_cast(t, ORR_F64), v, (size_t)(*n > 0 ? *n : 0) * sizeof *v) : ORR_ENOMEM;
    ORR_CHECK_MSG(st == ORR_OK, "%s", orr_error_message());
    if (st == ORR_OK)
        return v;
    free(v);
    return NULL;
}

/* Checks for the same shape, and |got − want| ≤ bound·(1 + |want|) for each element. */
static inline void near_same(orr_tensor *got, orr_tensor *want, double bound, const char *what)
{
    orr_shape a = orr_tensor_shape(got), b = orr_tensor_shape(want);
    bool same = a.rank == b.rank;
    for (int d = 0; same && d < a.rank; d++)
        same = a.dim[d] == b.dim[d];
    int64_t n = 0, m = 0;
    double *x = near_values(got, &n), *y = near_values(want, &m), worst = 0.0;
    ORR_CHECK_MSG(same, "%s: rank %d, %lld elements; wanted %d, %lld", what, a.rank, (long long)n, b.rank,
                  (long long)m);
    for (int64_t i = 0; x && y && same && i < n; i++) {
        double d = x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) ? 0.0 : fabs(x[i] - y[i]) / (1.0 + fabs(y[i]));
        worst = fmax(worst, isnan(d) ? INFINITY : d);
    }
    ORR_CHECK_MSG(worst <= bound, "%s: off by %g", what, worst);
    free(x);
    free(y);
}

/* Checks `got` against the array `name` of `file`. */
static inline void near_golden(orr_tensor *got, const char *file, const char *name, double bound)
{
    near_same(got, near_load(file, name), bound, name);
}

/* A scalar function of n tensors of f64. */
typedef orr_tensor *near_function(orr_tensor *const *x, void *user);

/* Checks the gradients of f by x[0 … n) against central differences. */
static inline void near_differences(near_function *f, orr_tensor *const *x, int n, void *user, double bound,
                                    const char *what)
{
    orr_tensor *g[8], *y[8];
    orr_status st = orr_grad(f(x, user), x, n, g);
    ORR_CHECK_MSG(st == ORR_OK, "%s: %s", what, orr_error_message());
    for (int i = 0; st == ORR_OK && i < n; i++) {
        int64_t count = 0, m = 0;
        double *at = near_values(x[i], &count), *got = near_values(g[i], &m);
        for (int64_t e = 0; at && got && e < count; e++) {
            double two[2], here = at[e], step = 1e-5;
            for (int k = 0; k < 2; k++) {
                orr_scope *s = orr_scope_begin();
                memcpy(y, x, (size_t)n * sizeof *y);
                at[e] = here + (k ? -step : step);
                y[i] = orr_from(ORR_F64, orr_tensor_shape(x[i]), at);
                ORR_CHECK_MSG(orr_item(f(y, user), &two[k]) == ORR_OK, "%s: %s", what, orr_error_message());
                (void)orr_scope_end(s);
            }
            at[e] = here;
            double want = (two[0] - two[1]) / (2 * step);
            ORR_CHECK_MSG(fabs(got[e] - want) <= bound * (1 + fabs(want)), "%s: operand %d, element %lld: %g, %g", what,
                          i, (long long)e, got[e], want);
        }
        free(at);
        free(got);
    }
}

/* Checks that t is poison with this status and that its message contains all of the words, which are separated by
 * "|". */
static inline void near_poison(orr_tensor *t, orr_status status, const char *words)
{
    char text[256], *rest = text;
    (void)snprintf(text, sizeof text, "%s", words);
    ORR_CHECK_MSG(orr_tensor_status(t) == status && orr_eval(t) == status, "status %d: %s", (int)orr_tensor_status(t),
                  orr_error_message());
    for (char *w; (w = strsep(&rest, "|"));)
        ORR_CHECK_MSG(strstr(orr_error_message(), w), "no \"%s\" in: %s", w, orr_error_message());
}

/* Runs the tests inside orr_init and orr_shutdown. */
static inline int near_main(int argc, char **argv, const char *topic, const orr_test *tests)
{
    if (orr_init(NULL) != ORR_OK) {
        (void)orr_error_print(stderr);
        return 1;
    }
    int rc = orr_test_main(argc, argv, topic, tests);
    return orr_shutdown() == ORR_OK ? rc : 1;
}

#endif
