/* Fourier transforms: beside numpy.fft, beside the definition, long rows, several axes, gradients, refusals.
 * Must not know: which engine computes. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <orrery/fft.h>
#include "tests/harness/ops_help.h"

enum { MOST = 4096 };

typedef orr_tensor *transform(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
static const struct {
    const char *name;
    transform *apply;
} transforms[] = { { "fft", orr_fft_at },     { "ifft", orr_ifft_at }, { "rfft", orr_rfft_at },
                   { "irfft", orr_irfft_at }, { "hfft", orr_hfft_at }, { "ihfft", orr_ihfft_at } };

static bool read_array(char **p, bool real, int *rows, int *cols, double *v)
{
    char *end;
    *rows = (int)strtol(*p, &end, 10);
    *cols = (int)strtol(end, &end, 10);
    int n = *rows * *cols * (real ? 1 : 2);
    for (int i = 0; i < n && n <= MOST; i++)
        v[i] = strtod(end, &end);
    *p = end;
    return n > 0 && n <= MOST;
}

static void check(const char *name, orr_tensor *t, bool real, int rows, int cols, const double *want, double tolerance)
{
    orr_tensor *r = orr_cast(t, real ? ORR_F64 : ORR_C128);
    orr_shape s = orr_tensor_shape(t), shape = ORR_SHAPE(rows, cols);
    const double *got = orr_data(r);
    ORR_CHECK_MSG(got && orr__shape_equal(&s, &shape), "%s: %s: %s", name, orr__str(s).s, orr_error_message());
    double size = 0, worst = 0;
    int n = rows * cols * (real ? 1 : 2);
    for (int i = 0; got && i < n; i++) {
        size = fmax(size, fabs(want[i]));
        worst = fmax(worst, fabs(got[i] - want[i]));
    }
    ORR_CHECK_MSG(worst <= tolerance * (size + 1e-3), "%s of %d x %d: off by %g of %g", name, rows, cols, worst, size);
}

static void transforms_are_those_of_numpy(void)
{
    static double in[MOST], out[MOST];
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden("fft/fft.txt"), &size), *p = text, name[16];
    int norm, n, axis, real, used, count = 0, rows, cols;
    ORR_REQUIRE(text != NULL);
    while (sscanf(p, "%15s %d %d %d %d%n", name, &norm, &n, &axis, &real, &used) == 5) {
        orr_scope *s = orr_scope_begin();
        p += used;
        ORR_REQUIRE(read_array(&p, real, &rows, &cols, in));
        orr_tensor *x = orr_from(real ? ORR_F64 : ORR_C128, ORR_SHAPE(rows, cols), in);
        int result_real = (int)strtol(p, &p, 10);
        ORR_REQUIRE(read_array(&p, result_real, &rows, &cols, out));
        for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) {
            if (strcmp(transforms[i].name, name) != 0)
                continue;
            check(name, transforms[i].apply(ORR_HERE, x, n, axis, (orr_fft_norm)norm), result_real, rows, cols, out,
                  1e-14 * 8);
            orr_tensor *narrow = orr_cast(x, real ? ORR_F32 : ORR_C64);
            check(name, transforms[i].apply(ORR_HERE, narrow, n, axis, (orr_fft_norm)norm), result_real, rows, cols,
                  out, 2e-6);
            count++;
        }
        (void)orr_scope_end(s);
    }
    ORR_CHECK_MSG(count > 120, "%d cases", count);
    free(text);
}

/* The transform of a wave with one frequency has one element that is not 0; the inverse transform restores the
 * numbers. */
static void long_rows_of_any_length(void)
{
    static const int64_t length[] = {
        1 << 14, 3 * 5 * 7 * 11 * 13, 10007, 1 << 17, 30030 * 2, 65537, 17 << 13, 1000003
    };
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        orr_scope *s = orr_scope_begin();
        int64_t n = length[i], f = n / 3;
        orr_tensor *k = orr_arange(ORR_F64, 0, (double)n, 1);
        orr_tensor *turn = orr_remainder(orr_mul(k, orr_scalar((double)f)), orr_scalar((double)n));
        turn = orr_mul(turn, orr_scalar(2 * 3.14159265358979324 / (double)n));
        orr_tensor *x = orr_complex(orr_cos(turn), orr_sin(turn));
        orr_tensor *y = orr_fft(x, 0, -1, ORR_FFT_FORWARD), *back = orr_ifft(y, 0, -1, ORR_FFT_FORWARD);
        orr_tensor *hit = orr_cast(orr_equal(k, orr_scalar((double)f)), ORR_F64);
        double off = 1, away = 1;
        ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(y, hit)), ORR_ALL_AXES, false), &off) == ORR_OK);
        ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(back, x)), ORR_ALL_AXES, false), &away) == ORR_OK);
        ORR_CHECK_MSG(off < 1e-13 && away < 1e-13, "%lld: %g, %g: %s", (long long)n, off, away, orr_error_message());
        (void)orr_scope_end(s);
    }
}

/* Exact in f32 (make_long.py). */
static double sample(int64_t j, bool imaginary)
{
    int64_t v = imaginary ? 5 * j * j + 31337 * j + 17 : 7919 * j * j + 104729 * j;
    return (double)(v % 8191) / 4096 - 1;
}

static orr_tensor *samples(orr_dtype part, int64_t n, bool imaginary)
{
    double *v = malloc((size_t)n * sizeof *v);
    for (int64_t j = 0; v && j < n; j++)
        v[j] = sample(j, imaginary);
    orr_tensor *x = orr_cast(orr_from(ORR_F64, ORR_SHAPE(n), v), part);
    free(v);
    return x;
}

/* Rounding errors of a transform grow with log n; for numbers of size 1, its elements are of size √n. */
static void elements_of_long_transforms_are_those_of_mpmath(void)
{
    size_t size;
    char *text = (char *)orr_test_slurp(orr_test_golden("fft/long.txt"), &size), *p = text;
    int real, used, count = 0;
    long long n, k;
    double re, im, got[2];
    ORR_REQUIRE(text != NULL);
    for (; sscanf(p, "%d %lld %lld %lf %lf%n", &real, &n, &k, &re, &im, &used) == 5; p += used, count++)
        for (int wide = 0; wide < 2; wide++) {
            orr_scope *s = orr_scope_begin();
            orr_dtype part = wide ? ORR_F64 : ORR_F32;
            orr_tensor *x = samples(part, n, false),
                       *y = real ? orr_rfft(x, 0, 0, ORR_FFT_ORTHO)
                                 : orr_fft(orr_complex(x, samples(part, n, true)), 0, 0, ORR_FFT_ORTHO);
            y = orr_select(y, 0, k);
            ORR_CHECK(orr_item(orr_cast(orr_real(y), ORR_F64), &got[0]) == ORR_OK);
            ORR_CHECK(orr_item(orr_cast(orr_imag(y), ORR_F64), &got[1]) == ORR_OK);
            double off = hypot(got[0] - re / sqrt((double)n), got[1] - im / sqrt((double)n));
            ORR_CHECK_MSG(off <= (wide ? 4e-15 : 2e-6), "%lld numbers, element %lld, wide %d: %g off", n, k, wide, off);
            (void)orr_scope_end(s);
        }
    ORR_CHECK_MSG(count >= 60, "%d cases", count);
    free(text);
}

static double farthest(orr_tensor *x, orr_tensor *y)
{
    double off = -1;
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(x, y)), ORR_ALL_AXES, false), &off) == ORR_OK);
    return off < 0 ? INFINITY : off;
}

/* The transforms of several long rows, columns and inverses equal those of one row at a time. */
static void long_rows_stand_beside_each_other(void)
{
    enum { N = 3 << 15, LINES = 3 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *re = orr_rand(ORR_F64, ORR_SHAPE(LINES, N), -1, 1), *im = orr_rand(ORR_F64, ORR_SHAPE(LINES, N), -1, 1);
    orr_tensor *x = orr_complex(re, im), *y = orr_fft(x, 0, 1, 0);
    ORR_CHECK(orr_eval(y) == ORR_OK);
    for (int k = 0; k < LINES; k++)
        ORR_CHECK(farthest(orr_select(y, 0, k), orr_fft(orr_select(x, 0, k), 0, 0, 0)) == 0);
    ORR_CHECK(farthest(orr_fft(orr_transpose(x), 0, 0, 0), orr_transpose(y)) == 0);
    ORR_CHECK(farthest(orr_ifft(y, 0, 1, 0), x) < 1e-14);
    orr_tensor *z = orr_concat(ORR_TENSORS(re, im), 1), *half = orr_rfft(z, 0, 1, 0);
    ORR_CHECK(farthest(half, orr_slice_axis(orr_fft(z, 0, 1, 0), 1, 0, N + 1, 1)) < 1e-10);
    ORR_CHECK(farthest(orr_irfft(half, 2 * N, 1, 0), z) < 1e-14);
    /* numbers that a real inverse ignores */
    orr_tensor *ends =
        orr_complex(orr_zeros(ORR_F64, ORR_SHAPE(LINES, N + 1)), orr_ones(ORR_F64, ORR_SHAPE(LINES, N + 1)));
    ends = orr_concat(ORR_TENSORS(orr_slice_axis(ends, 1, 0, 1, 1),
                                  orr_mul(orr_slice_axis(half, 1, 1, N, 1), orr_scalar(0)),
                                  orr_slice_axis(ends, 1, N, N + 1, 1)),
                      1);
    ORR_CHECK(farthest(orr_irfft(ends, 2 * N, 1, 0), orr_scalar(0)) == 0);
    (void)orr_scope_end(s);
}

/* Linear functions: their value at any point is the product with their gradient. */
static void gradients_of_long_transforms_are_linear(void)
{
    enum { N = 1 << 17 };
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_rand(ORR_F64, ORR_SHAPE(N), -1, 1), *w = orr_rand(ORR_F64, ORR_SHAPE(N), -1, 1), *g[3];
    orr_tensor *v = orr_slice_axis(w, 0, 0, N / 2 + 1, 1), *at = orr_rand(ORR_F64, ORR_SHAPE(N), -1, 1);
    for (int k = 0; k < 3; k++) {
        orr_tensor *f[2], *in[2] = { x, at };
        double value, product;
        for (int i = 0; i < 2; i++) {
            orr_tensor *z = orr_complex(in[i], orr_flip(in[i], ORR_AXES(0)));
            orr_tensor *y = k == 0   ? orr_fft(z, 0, 0, ORR_FFT_ORTHO)
                            : k == 1 ? orr_rfft(in[i], 0, 0, ORR_FFT_ORTHO)
                                     : orr_irfft(orr_slice_axis(z, 0, 0, N / 2 + 1, 1), N, 0, ORR_FFT_ORTHO);
            y = k == 2 ? y : orr_add(orr_real(y), orr_imag(y));
            f[i] = orr_sum(orr_mul(y, k == 1 ? v : w), ORR_ALL_AXES, false);
        }
        ORR_REQUIRE(orr_grad(f[0], &x, 1, &g[k]) == ORR_OK);
        ORR_CHECK(orr_item(f[1], &value) == ORR_OK);
        ORR_CHECK(orr_item(orr_sum(orr_mul(g[k], at), ORR_ALL_AXES, false), &product) == ORR_OK);
        ORR_CHECK_MSG(fabs(value - product) < 1e-9 * N, "%d: %g, %g", k, value, product);
        ORR_CHECK_MSG(fabs(value) > 1e-3, "%d: %g", k, value);
    }
    (void)orr_scope_end(s);
}

static void several_axes_are_one_after_the_other(void)
{
    enum { A = 4, B = 6, C = 5 };
    static double v[A * B * C];
    orr_scope *s = orr_scope_begin();
    for (int i = 0; i < A * B * C; i++)
        v[i] = sin(i * 1.7);
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(A, B, C), v);
    orr_tensor *all = orr_fftn(x, ORR_NO_INDEX, ORR_ALL_AXES, ORR_FFT_BACKWARD);
    orr_tensor *one = orr_fft(orr_fft(orr_fft(x, 0, 0, 0), 0, 1, 0), 0, 2, 0);
    orr_tensor *half = orr_rfftn(x, ORR_NO_INDEX, ORR_ALL_AXES, ORR_FFT_BACKWARD);
    double e[4] = { 1, 1, 1, 1 };
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(all, one)), ORR_ALL_AXES, false), &e[0]) == ORR_OK);
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(orr_slice_axis(all, 2, 0, C / 2 + 1, 1), half)), ORR_ALL_AXES, false),
                       &e[1]) == ORR_OK);
    orr_tensor *again = orr_irfftn(half, ORR_INDEX(A, B, C), ORR_AXES(0, 1, 2), ORR_FFT_BACKWARD);
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(again, x)), ORR_ALL_AXES, false), &e[2]) == ORR_OK);
    ORR_CHECK(orr_item(orr_max(orr_abs(orr_sub(orr_ifftn(all, ORR_NO_INDEX, ORR_ALL_AXES, 0), x)), ORR_ALL_AXES, false),
                       &e[3]) == ORR_OK);
    ORR_CHECK_MSG(e[0] < 1e-12 && e[1] < 1e-12 && e[2] < 1e-13 && e[3] < 1e-13, "%g %g %g %g: %s", e[0], e[1], e[2],
                  e[3], orr_error_message());
    (void)orr_scope_end(s);
}

static void frequencies_and_shifts(void)
{
    orr_scope *s = orr_scope_begin();
    help_check_values(orr_fftfreq(ORR_F64, 5, 0.5), ORR_F64, ORR_SHAPE(5), (double[]){ 0, 0.4, 0.8, -0.8, -0.4 });
    help_check_values(orr_fftfreq(ORR_F64, 4, 1), ORR_F64, ORR_SHAPE(4), (double[]){ 0, 0.25, -0.5, -0.25 });
    help_check_values(orr_rfftfreq(ORR_F64, 4, 1), ORR_F64, ORR_SHAPE(3), (double[]){ 0, 0.25, 0.5 });
    orr_tensor *x = orr_arange(ORR_F64, 0, 5, 1);
    help_check_values(orr_fftshift(x, ORR_ALL_AXES), ORR_F64, ORR_SHAPE(5), (double[]){ 3, 4, 0, 1, 2 });
    help_check_values(orr_ifftshift(orr_fftshift(x, ORR_ALL_AXES), ORR_ALL_AXES), ORR_F64, ORR_SHAPE(5),
                      (double[]){ 0, 1, 2, 3, 4 });
    (void)orr_scope_end(s);
}

/* Σ w·|rfft(x)|² for any w: the derivative beside differences. */
static orr_tensor *loss(orr_tensor *x)
{
    orr_tensor *y =
        orr_irfft(orr_mul(orr_rfft(x, 9, -1, 0), orr_full_complex(ORR_C128, ORR_SHAPE_0D, 0.5, 2)), 7, -1, 1);
    return orr_sum(orr_mul(orr_square(y), orr_arange(ORR_F64, 1, 8, 1)), ORR_ALL_AXES, false);
}

static void gradients_agree_with_differences(void)
{
    double v[6] = { 0.3, -1, 2, 0.7, -0.2, 1.1 }, up = 0, down = 0;
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_from(ORR_F64, ORR_SHAPE(6), v), *g = NULL;
    ORR_REQUIRE(orr_grad(loss(x), &x, 1, &g) == ORR_OK);
    const double *got = orr_data(g);
    for (int i = 0; got && i < 6; i++) {
        double here = v[i], h = 1e-6;
        v[i] = here + h;
        ORR_CHECK(orr_item(loss(orr_from(ORR_F64, ORR_SHAPE(6), v)), &up) == ORR_OK);
        v[i] = here - h;
        ORR_CHECK(orr_item(loss(orr_from(ORR_F64, ORR_SHAPE(6), v)), &down) == ORR_OK);
        v[i] = here;
        ORR_CHECK_MSG(fabs(got[i] - (up - down) / (2 * h)) < 1e-6 * (1 + fabs(got[i])), "%d: %g, %g", i, got[i],
                      (up - down) / (2 * h));
    }
    (void)orr_scope_end(s);
}

static void wrong_operands_are_refused(void)
{
    orr_scope *s = orr_scope_begin();
    orr_tensor *x = orr_zeros(ORR_F32, ORR_SHAPE(3, 4));
    HELP_POISON(orr_fft(x, 0, 2, 0), ORR_EAXIS, "axis 2");
    HELP_POISON(orr_fft(x, -3, 0, 0), ORR_EINVAL, "one at least");
    HELP_POISON(orr_fft(orr_zeros(ORR_I32, ORR_SHAPE(4)), 0, 0, 0), ORR_EDTYPE, "orr_cast");
    HELP_POISON(orr_rfft(orr_zeros(ORR_C64, ORR_SHAPE(4)), 0, 0, 0), ORR_EDTYPE, "orr_real");
    HELP_POISON(orr_fft(orr_zeros(ORR_F32, ORR_SHAPE(0)), 0, 0, 0), ORR_EINVAL, "one at least");
    HELP_POISON(orr_fftn(x, ORR_INDEX(1, 2, 3), ORR_AXES(0, 1), 0), ORR_EAXIS, "lengths");
    (void)orr_scope_end(s);
}

int main(int argc, char **argv)
{
    static const orr_test tests[] = { ORR_TEST(transforms_are_those_of_numpy),
                                      ORR_TEST(long_rows_of_any_length),
                                      ORR_TEST(elements_of_long_transforms_are_those_of_mpmath),
                                      ORR_TEST(long_rows_stand_beside_each_other),
                                      ORR_TEST(gradients_of_long_transforms_are_linear),
                                      ORR_TEST(several_axes_are_one_after_the_other),
                                      ORR_TEST(frequencies_and_shifts),
                                      ORR_TEST(gradients_agree_with_differences),
                                      ORR_TEST(wrong_operands_are_refused),
                                      { NULL, NULL } };
    return help_main(argc, argv, "ops_fft", tests);
}
