/* Transforms of the last axis, as nodes: what the public functions are composed of.
 * Must not know: devices, norms. */
#ifndef ORR_OPS_FFT_FFT_H
#define ORR_OPS_FFT_FFT_H

#include "ops/back.h"

/* Of complex x, no factor at all. */
orr_tensor *orr__fft_last(orr__site at, orr_tensor *x, bool inverse);
/* Of 2h real numbers, h > 0, the first h + 1 elements; and the real numbers from those, 2h times as large. */
orr_tensor *orr__fft_real(orr__site at, orr_tensor *x);
orr_tensor *orr__fft_real_inverse(orr__site at, orr_tensor *x);

/* The least 2^a·3^b·5^c that is not below n. */
int64_t orr__fft_smooth(int64_t n);

/* Are so many rows of n numbers transformed by a graph? */
bool orr__fft_is_long(int64_t lines, int64_t n);
/* That graph for x, (lines, n) or as real pairs (lines, 2n); the result likewise, with real: pairs. */
orr_tensor *orr__fft_long(orr__site at, orr_tensor *x, bool inverse, bool real);
/* The halves of orr__fft_real that stand beside a long transform: (lines, h) to (lines, h + 1), and back. */
orr_tensor *orr__fft_half(orr__site at, orr_tensor *x, bool inverse);

#endif
