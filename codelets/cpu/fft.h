/* Plans of discrete Fourier transforms: radices and factors of the stages, or the transform by which another length is done.
 * Must not know: launches, tensors. */
#ifndef ORR_CPU_FFT_H
#define ORR_CPU_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORR__FFT_STAGES = 48, ORR__FFT_RADIX = 13 };

/* Arrays hold real parts, then imaginary parts. */
typedef struct orr__fft {
    int64_t n;
    int nstage, radix[ORR__FFT_STAGES];
    void *twiddle[ORR__FFT_STAGES]; /* of stage with radix p on m·p numbers: (p − 1) · m parts each, by r, then q */
    void *root[ORR__FFT_STAGES];    /* p roots of unity, of radices without code of their own; else NULL          */
    struct orr__fft *inner;         /* a length with a large prime factor: the convolution's; NULL: none          */
    void *chirp, *filter;           /* n numbers, and the transform of the filter, inner->n numbers               */
} orr__fft;

/* out = the transform of the n complex numbers at `in`, which may be the same; scratch: orr__fft_scratch(plan) numbers. */
typedef void orr__fftfn(const orr__fft *plan, const void *in, void *out, bool inverse, void *scratch);

static inline size_t orr__fft_scratch(const orr__fft *plan)
{
    return 4 * (size_t)(plan->inner ? plan->inner->n : plan->n);
}

#endif
