/* Eigenvalues of many symmetric matrices: all of them in one call, on all cores, beside a loop over them.
 * usage: eigen_batch [MATRICES ORDER]        (100 1000 takes a minute; by default 16 of order 120)
 * Must not know: anything but the public headers. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <orrery.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Compares the sum of all eigenvalues with the sum of the traces. */
static int check(orr_tensor *w, orr_tensor *a, double n)
{
    double sum = 0, trace = 0;
    orr_tensor *s = orr_sum(w, ORR_ALL_AXES, false), *t = orr_sum(orr_trace(a, 0), ORR_ALL_AXES, false);
    if (orr_eval_all(ORR_TENSORS(s, t)) != ORR_OK || orr_item(s, &sum) != ORR_OK || orr_item(t, &trace) != ORR_OK)
        return orr_error_print(stderr);
    printf("sum of eigenvalues %.9g, of the diagonals %.9g\n", sum, trace);
    return fabs(sum - trace) <= 1e-9 * n ? 0 : 1;
}

int main(int argc, char **argv)
{
    int64_t m = argc > 2 ? atoll(argv[1]) : 16, n = argc > 2 ? atoll(argv[2]) : 120;
    if (m < 1 || n < 1) {
        (void)fputs("usage: eigen_batch [MATRICES ORDER]\n", stderr);
        return 2;
    }
    if (orr_init(NULL) != ORR_OK)
        return orr_error_print(stderr);
    orr_seed(1);
    orr_tensor *x = orr_randn(ORR_F64, ORR_SHAPE(m, n, n), 0, 1);
    orr_tensor *a = orr_mul(orr_add(x, orr_transpose(x)), orr_scalar(0.5));
    if (orr_eval(a) != ORR_OK)
        return orr_error_print(stderr);

    double begin = now();
    orr_tensor *w = orr_eigvalsh(a);
    if (orr_eval(w) != ORR_OK)
        return orr_error_print(stderr);
    double together = now() - begin, alone = 0;
    for (int64_t i = 0; i < m; i++) {
        orr_scope *s = orr_scope_begin();
        orr_tensor *one = orr_select(a, 0, i);
        if (orr_eval(one) != ORR_OK)
            return orr_error_print(stderr);
        begin = now();
        orr_tensor *values = orr_eigvalsh(one);
        if (orr_eval(values) != ORR_OK)
            return orr_error_print(stderr);
        alone += now() - begin;
        (void)orr_scope_end(s);
    }
    printf("%lld matrices of order %lld: %.3f s in one call, %.3f s one after the other: %.2f times as fast\n",
           (long long)m, (long long)n, together, alone, alone / together);
    int rc = check(w, a, (double)(m * n));
    (void)orr_shutdown();
    return rc;
}
