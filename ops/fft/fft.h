/* Transforms of the last axis, as nodes, of which the public functions are composed.
 * Must not know: devices, norms. */
#ifndef ORR_OPS_FFT_FFT_H
#define ORR_OPS_FFT_FFT_H

#include "ops/back.h"

/* The transform of complex x, without any factor. */
orr_tensor *orr__fft_last(orr__site at, orr_tensor *x, bool inverse);
/* The first h + 1 elements of the transform of 2h real numbers, h > 0; and the real numbers from these elements,
 * times 2h. */
orr_tensor *orr__fft_real(orr__site at, orr_tensor *x);
orr_tensor *orr__fft_real_inverse(orr__site at, orr_tensor *x);

/* The least 2^a·3^b·5^c that is not below n. */
int64_t orr__fft_smooth(int64_t n);

/* True if `lines` rows of n numbers are transformed by a graph. */
bool orr__fft_is_long(int64_t lines, int64_t n);
/* The graph for x, (lines, n), or (lines, 2n) as real pairs. The result has the same form; with `real` it is pairs. */
orr_tensor *orr__fft_long(orr__site at, orr_tensor *x, bool inverse, bool real);
/* The steps of orr__fft_real after a long transform, (lines, h) to (lines, h + 1), and before an inverse one. */
orr_tensor *orr__fft_half(orr__site at, orr_tensor *x, bool inverse);

#endif
