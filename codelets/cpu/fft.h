/* Plans of discrete Fourier transforms: radices and factors of the stages, or the transform by which another length is done.
 * Must not know: launches, tensors. */
#ifndef ORR_CPU_FFT_H
#define ORR_CPU_FFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    void *twiddle[ORR__FFT_STAGES]; /* of stage with radix p on m·p numbers: (p − 1) · m parts each, by r, then q */
    void *root[ORR__FFT_STAGES];    /* p roots of unity, of radices without code of their own; else NULL          */
    int first[ORR__FFT_STAGES];     /* the radix of the first of two steps in which a stage of first · second goes
                                       through near memory once, twiddle[i] then has p · m parts; 0: one step     */
    void *near[ORR__FFT_STAGES];    /* the p parts between the two steps, by the first one's r; else NULL         */
    struct orr__fft *inner;         /* a length with a large prime factor: the convolution's; NULL: none          */
    void *chirp, *filter;           /* n numbers, and the transform of the filter, of the convolution's length    */
    orr__fft_powers whole;          /* of the longer transform of which this is a part; n = 0: of none; below 0:
                                       no stages, a chirp and a filter of −n numbers for a convolution in phases  */
    void *lane;                     /* the power k·g of it for lane g < ORR__FFT_LANES, by k, then g; NULL: none  */
} orr__fft;

/* Bytes of complex numbers of as many lines as are transformed together. */
enum { ORR__FFT_LANES_BYTES = 128 };
static inline int orr__fft_lanes(bool wide)
{
    return ORR__FFT_LANES_BYTES / (wide ? 16 : 8);
}

/* out = the transform of the n complex numbers at `in`, which may be the same; scratch: orr__fft_scratch(plan) numbers. */
typedef void orr__fftfn(const orr__fft *plan, const void *in, void *out, bool inverse, void *scratch);
/* The transforms of `count` columns of a matrix, ORR__FFT_LANES at most, whose rows are ld complex numbers apart. With plan->lane
 * element k of column g is multiplied by the power k·(first + g) of plan->whole, and out has the transforms one behind the other;
 * without, element k of all lanes lies together. scratch: orr__fft_scratch(plan) numbers for each lane. */
typedef void orr__fftlanesfn(const orr__fft *plan, const void *in, int64_t ld, int count, int64_t first, void *out,
                             bool inverse, void *scratch);
/* Elements [lo, hi) of the transform of 2h real numbers, h + 1 of them, from the transform of the h complex numbers that the real
 * ones are in pairs; inverse: elements [lo, hi) of h, from which an inverse transform makes such pairs, from those h + 1. */
typedef void orr__ffthalffn(const orr__fft_powers *whole, const void *in, void *out, int64_t lo, int64_t hi,
                            bool inverse);

/* out = x · w, or x times the conjugate of w: n complex numbers; the imaginary parts of w stand `apart` behind the real ones. */
typedef void orr__ffttimesfn(const void *x, const void *w, int64_t apart, void *out, int64_t n, bool conjugate);

static inline size_t orr__fft_scratch(const orr__fft *plan)
{
    return 4 * (size_t)(plan->inner ? plan->inner->n : plan->n);
}

#endif
