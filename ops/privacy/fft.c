/* A fast Fourier transform of 2^k complex numbers.
 * Must not know: distributions. */
#include "config.h"
#include <math.h>
#include "ops/privacy/account.h"

void orr__fft_roots(double *root, int64_t n)
{
    for (int64_t j = 0; j < n / 2; j++) {
        double angle = -2.0 * M_PI * (double)j / (double)n;
        root[2 * j] = cos(angle);
        root[2 * j + 1] = sin(angle);
    }
}

static void swap_bits(double *x, int64_t n)
{
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            double re = x[2 * i], im = x[2 * i + 1];
            x[2 * i] = x[2 * j];
            x[2 * i + 1] = x[2 * j + 1];
            x[2 * j] = re;
            x[2 * j + 1] = im;
        }
    }
}

void orr__fft(double *x, int64_t n, const double *root, bool inverse)
{
    double sign = inverse ? -1.0 : 1.0;
    swap_bits(x, n);
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t base = 0; base < n; base += 2 * half)
            for (int64_t j = 0; j < half; j++) {
                const double *w = &root[2 * j * (n / (2 * half))];
                double *a = &x[2 * (base + j)], *b = &x[2 * (base + j + half)];
                double re = b[0] * w[0] - sign * b[1] * w[1], im = sign * b[0] * w[1] + b[1] * w[0];
                b[0] = a[0] - re;
                b[1] = a[1] - im;
                a[0] += re;
                a[1] += im;
            }
}
