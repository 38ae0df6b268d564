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

/* Of a wave with one frequency one element is not 0; the inverse transform gives the numbers back. */
static void long_rows_of_any_length(void)
{
    static const int64_t length[] = { 1 << 14, 3 * 5 * 7 * 11 * 13, 10007, 1 << 17, 30030 * 2, 65537 };
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
                                      ORR_TEST(several_axes_are_one_after_the_other),
                                      ORR_TEST(frequencies_and_shifts),
                                      ORR_TEST(gradients_agree_with_differences),
                                      ORR_TEST(wrong_operands_are_refused),
                                      { NULL, NULL } };
    return help_main(argc, argv, "ops_fft", tests);
}
