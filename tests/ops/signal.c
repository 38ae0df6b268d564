/* Convolution beside its definition, windows and interpolation beside NumPy's values.
 * Must not know: the method of a convolution. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <orrery/fft.h>
#include "tests/harness/ops_help.h"

/* The index of element i beyond the ends of an axis of length n; -1: the element is 0. */
static int64_t beyond(int64_t i, int64_t n, int boundary)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == ORR_CONV_ZERO)
        return -1;
    if (boundary == ORR_CONV_WRAP)
        return (i % n + n) % n;
    int64_t m = (i % (2 * n) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
}

/* One element of a convolution along two axes; for one axis, the first has length 1. */
static double element(const double *x, const int64_t n[2], const double *w, const int64_t k[2], const int64_t o[2],
                      int boundary)
{
    double sum = 0;
    for (int64_t i = 0; i < k[0]; i++)
        for (int64_t j = 0; j < k[1]; j++) {
            int64_t r = beyond(o[0] - i, n[0], boundary), c = beyond(o[1] - j, n[1], boundary);
            sum += r < 0 || c < 0 ? 0 : x[r * n[1] + c] * w[i * k[1] + j];
        }
    return sum;
}

static void compare(const int64_t n[2], const int64_t k[2], int rank, bool product, orr_dtype dtype)
{
    enum { MOST = 20000 };
    static double x[MOST], w[MOST];
    for (int64_t i = 0; i < n[0] * n[1]; i++)
        x[i] = sin(1.3 * (double)i);
    for (int64_t i = 0; i < k[0] * k[1]; i++)
        w[i] = product ? cos((double)(i / k[1])) * (1 + (double)(i % k[1])) : cos(0.7 * (double)(i * i % 17));
    for (int mode = 0; mode < 3; mode++)
        for (int boundary = 0; boundary < 3; boundary++) {
            if (mode == ORR_CONV_VALID && (n[0] < k[0] || n[1] < k[1]))
                continue;
            orr_scope *s = orr_scope_begin();
            orr_tensor *a = orr_from(ORR_F64, rank == 1 ? ORR_SHAPE(n[1]) : ORR_SHAPE(n[0], n[1]), x);
            orr_tensor *b = orr_from(ORR_F64, rank == 1 ? ORR_SHAPE(k[1]) : ORR_SHAPE(k[0], k[1]), w);
            orr_tensor *y = orr_convolve(orr_cast(a, dtype), dtype == ORR_F64 ? b : orr_cast(b, dtype),
                                         (orr_conv_mode)mode, (orr_conv_boundary)boundary);
            orr_tensor *z =
                orr_correlate(a, orr_flip(b, ORR_ALL_AXES), (orr_conv_mode)mode, (orr_conv_boundary)boundary);
            orr_shape shape = orr_tensor_shape(y);
            const double *got = orr_data(orr_cast(y, ORR_F64)), *again = orr_data(z);
            int64_t from[2], to[2];
            for (int d = 0; d < 2; d++) {
                from[d] = mode == ORR_CONV_FULL ? 0 : mode == ORR_CONV_SAME ? (k[d] - 1) / 2 : k[d] - 1;
                to[d] = from[d] + (mode == ORR_CONV_FULL   ? n[d] + k[d] - 1
                                   : mode == ORR_CONV_SAME ? n[d]
                                                           : n[d] - k[d] + 1);
            }
            ORR_CHECK_MSG(got && again && orr__shape_count(&shape) == (to[0] - from[0]) * (to[1] - from[1]), "%s: %s",
                          orr__str(shape).s, orr_error_message());
            int64_t at = 0, wrong = 0;
            double tolerance = dtype == ORR_F32 ? 1e-4 : 1e-11;
            for (int64_t r = from[0]; got && again && r < to[0]; r++)
                for (int64_t c = from[1]; c < to[1]; c++, at++) {
                    double want = element(x, n, w, k, (int64_t[]){ r, c }, boundary);
                    wrong += !(fabs(got[at] - want) <= tolerance) || !(fabs(again[at] - want) <= 1e-11);
                }
            ORR_CHECK_MSG(wrong == 0, "%d x %d by %d x %d, mode %d, boundary %d: %d wrong", (int)n[0], (int)n[1],
                          (int)k[0], (int)k[1], mode, boundary, (int)wrong);
            (void)orr_scope_end(s);
        }
}

static void few_taps(void)
{
    compare((int64_t[]){ 1, 9 }, (int64_t[]){ 1, 4 }, 1, false, ORR_F64);
    compare((int64_t[]){ 7, 10 }, (int64_t[]){ 3, 4 }, 2, false, ORR_F64);
    compare((int64_t[]){ 7, 10 }, (int64_t[]){ 3, 2 }, 2, false, ORR_F32);
    compare((int64_t[]){ 1, 3 }, (int64_t[]){ 1, 8 }, 1, false, ORR_F64); /* longer than x */
}

static void many_taps(void)
{
    compare((int64_t[]){ 1, 300 }, (int64_t[]){ 1, 90 }, 1, false, ORR_F64);
    compare((int64_t[]){ 1, 900 }, (int64_t[]){ 1, 299 }, 1, false, ORR_F64);
    compare((int64_t[]){ 1, 18001 }, (int64_t[]){ 1, 300 }, 1, false, ORR_F64); /* blocks */
    compare((int64_t[]){ 1, 19000 }, (int64_t[]){ 1, 257 }, 1, false, ORR_F32);
    compare((int64_t[]){ 41, 37 }, (int64_t[]){ 19, 18 }, 2, false, ORR_F64);
    compare((int64_t[]){ 23, 31 }, (int64_t[]){ 9, 8 }, 2, false, ORR_F64);
    compare((int64_t[]){ 23, 31 }, (int64_t[]){ 9, 8 }, 2, false, ORR_F32);
}

static void products_of_two_axes(void)
{
    compare((int64_t[]){ 13, 17 }, (int64_t[]){ 5, 3 }, 2, true, ORR_F64);
    compare((int64_t[]){ 13, 17 }, (int64_t[]){ 12, 11 }, 2, true, ORR_F64);
}

static void batches_and_three_axes(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_reshape(orr_sin(orr_arange(ORR_F64, 0, 120, 1)), ORR_SHAPE(2, 3, 4, 5));
    orr_tensor *w = orr_reshape(orr_cos(orr_arange(ORR_F64, 0, 12, 1)), ORR_SHAPE(2, 2, 3));
    orr_tensor *y = orr_convolve(x, w, ORR_CONV_SAME, ORR_CONV_WRAP);
    const double *got = orr_data(y), *v = orr_data(x), *u = orr_data(w);
    ORR_REQUIRE(got && v && u);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                for (int k = 0; k < 5; k++) {
                    double want = 0;
                    for (int t = 0; t < 12; t++) {
                        int p = (i - t / 6 + 3) % 3, q = (j - t / 3 % 2 + 4) % 4, r = (k + 1 - t % 3 + 5) % 5;
                        want += v[((b * 3 + p) * 4 + q) * 5 + r] * u[t];
                    }
                    ORR_CHECK(fabs(got[((b * 3 + i) * 4 + j) * 5 + k] - want) < 1e-12);
                }
    (void)orr_scope_end(s);
}

static void near(orr_tensor *t, int n, const double *want)
{
    const double *got = orr_data(t);
    ORR_CHECK_MSG(got && orr_tensor_size(t) == n, "%s", orr_error_message());
    for (int i = 0; got && i < n; i++)
        ORR_CHECK_MSG(fabs(got[i] - want[i]) < 1e-14, "%d: %.17g, not %.17g", i, got[i], want[i]);
}

/* numpy.bartlett(5) … numpy.kaiser(5, 8.6), numpy.interp. */
static void windows_and_interpolation(void)
{
    orr_scope *s = orr_scope_begin();
    near(orr_bartlett(ORR_F64, 5), 5, (double[]){ 0, 0.5, 1, 0.5, 0 });
    near(orr_hann(ORR_F64, 5), 5, (double[]){ 0, 0.5, 1, 0.5, 0 });
    near(orr_hamming(ORR_F64, 5), 5, (double[]){ 0.08, 0.54, 1, 0.54, 0.08 });
    near(orr_blackman(ORR_F64, 5), 5, (double[]){ 0, 0.34, 1, 0.34, 0 });
    near(orr_kaiser(ORR_F64, 5, 8.6), 5,
         (double[]){ 0.0013325139979024198, 0.34039362244018856, 1.0, 0.34039362244018856, 0.0013325139979024198 });
    near(orr_hann(ORR_F64, 1), 1, (double[]){ 1 });
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(6), ((double[]){ -1, 1, 1.5, 2.72, 3, 9 }));
    orr_tensor *xp = orr_from(ORR_F64, ORR_SHAPE(3), ((double[]){ 1, 2, 3 }));
    orr_tensor *fp = orr_from(ORR_F64, ORR_SHAPE(3), ((double[]){ 3, 2, 0 }));
    near(orr_interp(x, xp, fp), 6, (double[]){ 3, 3, 2.5, 0.56, 0, 0 });
    HELP_POISON(orr_hann(ORR_I32, 4), ORR_EDTYPE, "float");
    HELP_POISON(orr_hann(ORR_F32, 0), ORR_EINVAL, "window");
    HELP_POISON(orr_interp(x, xp, x), ORR_ESHAPE, "same length");
    HELP_POISON(orr_convolve(x, orr_ones(ORR_F64, ORR_SHAPE(7)), ORR_CONV_VALID, 0), ORR_ESHAPE,
                "the kernel (7,) is longer than x (6,) along axis 0");
    HELP_POISON(orr_convolve(x, orr_ones(ORR_F64, ORR_SHAPE(2, 2)), 0, 0), ORR_ESHAPE, "kernel");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(few_taps),
                                      ORR_TEST(many_taps),
                                      ORR_TEST(products_of_two_axes),
                                      ORR_TEST(batches_and_three_axes),
                                      ORR_TEST(windows_and_interpolation),
                                      { NULL, NULL } };
    return help_main(argc, argv, "ops_signal", tests);
}
