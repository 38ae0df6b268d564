/* Plans of discrete Fourier transforms: radices and factors of the stages, or the inner transform by which another length is computed.
 * Must not know: launches, tensors. */
#ifndef ORR_CPU_FFT_H
#define ORR_CPU_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/threshold.h"

/* limits of a format */
enum { ORR__FFT_STAGES = 48, ORR__FFT_RADIX = 13, ORR__FFT_NEAR = 64 /* the most points of a stage of two steps */ };

/* The t-th power of e^(−2πi/n) is coarse[t >> bits] · fine[t mod 2^bits], 0 ≤ t < n. Arrays hold real parts, then imaginary ones. */
typedef struct orr__fft_powers {
    int64_t n, ncoarse;
    int bits;
    double *coarse, *fine;
} orr__fft_powers;

/* Arrays hold real parts, then imaginary parts. */
typedef struct orr__fft {
    int64_t n;
    int nstage, radix[ORR__FFT_STAGES];
    void *twiddle[ORR__FFT_STAGES]; /* of the stage with radix p on m·p numbers: (p − 1) · m parts each, by r, then q */
    void *root[ORR__FFT_STAGES]; /* p roots of unity, of radices without code of their own; else NULL          */
    int first[ORR__FFT_STAGES];  /* the first radix of a stage of two steps, first · second, which passes through
                                       near memory once; twiddle[i] then has p · m parts. 0: one step */
    void *near[ORR__FFT_STAGES]; /* the p parts between the two steps, by the first step's r; else NULL        */
    struct orr__fft *inner;      /* a length with a large prime factor: the convolution's plan; NULL: none     */
    void *chirp, *filter;        /* n numbers, and the transform of the filter, with the convolution's length  */
    orr__fft_powers whole;       /* of the longer transform of which this is a part; n = 0: none; below 0: no
                                       stages, but a chirp and a filter of −n numbers for a convolution in phases */
    void *lane;                  /* its power k·g for lane g < orr__fft_lanes, by k, then g; NULL: none        */
} orr__fft;

/* Bytes of the complex numbers of the lines that are transformed together. */
enum { ORR__FFT_LANES_BYTES = 2 * ORR__CACHE_LINE };
static inline int orr__fft_lanes(bool wide)
{
    return ORR__FFT_LANES_BYTES / (wide ? 16 : 8);
}

/* out = the transform of the n complex numbers at `in`; out may equal in. scratch: orr__fft_scratch(plan) numbers. */
typedef void orr__fftfn(const orr__fft *plan, const void *in, void *out, bool inverse, void *scratch);
/* The transforms of `count` ≤ orr__fft_lanes columns of a matrix with row stride ld, in complex numbers. With plan->lane, element k of
 * column g is multiplied by the power k·(first + g) of plan->whole, and out holds the transforms contiguously. Otherwise element k of all
 * lanes is contiguous. scratch: orr__fft_scratch(plan) numbers per lane. */
typedef void orr__fftlanesfn(const orr__fft *plan, const void *in, int64_t ld, int count, int64_t first, void *out,
                             bool inverse, void *scratch);
/* Elements [lo, hi) of the h + 1 elements of the transform of 2h real numbers, from the transform of the h complex numbers that pairs of
 * them form. inverse: from these h + 1, elements [lo, hi) of the h whose inverse transform is such pairs. */
typedef void orr__ffthalffn(const orr__fft_powers *whole, const void *in, void *out, int64_t lo, int64_t hi,
                            bool inverse);

/* out = x · w, or x times the conjugate of w: n complex numbers. The imaginary parts of w follow the real ones at distance `apart`. */
typedef void orr__ffttimesfn(const void *x, const void *w, int64_t apart, void *out, int64_t n, bool conjugate);

static inline size_t orr__fft_scratch(const orr__fft *plan)
{
    return 4 * (size_t)(plan->inner ? plan->inner->n : plan->n);
}

#endif
