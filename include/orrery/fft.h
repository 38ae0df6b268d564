/* Discrete Fourier transforms, convolution and correlation, windows, interpolation.
 * Must not know: how a value is computed.
 *
 * For all transforms: X[k] = Σ x[j]·e^(−2πi·jk/n), the inverse with +. n ≥ 1 is any length: factors 2, 3, 5, 7, 11 and 13
 * have stages of their own; other lengths use a convolution (Bluestein). A given length n cuts the axis or pads it with
 * zeros; 0 keeps its length. f32 gives complex64, f64 complex128; other real dtypes are ORR_EDTYPE. Rows are tasks that run
 * in parallel. All are lazy, safe from any thread, and compute on the CPU. Results are owned by the current scope; poison
 * on ORR_EDTYPE, ORR_EAXIS, ORR_EINVAL (n), ORR_ESHAPE. grad: the transform is linear and symmetric: its cotangent is the
 * transform of the cotangent, in the convention of docs/complex.md. cost: some 5·n·log₂ n flop a row. */
#ifndef ORRERY_FFT_H
#define ORRERY_FFT_H

#include <orrery/ops.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- transforms --------------------------------------------------------------------------------------------- */

/** The place of the factor 1/n. */
typedef enum orr_fft_norm {
    ORR_FFT_BACKWARD, /**< to the inverse transform      */
    ORR_FFT_ORTHO,    /**< 1/√n to both                  */
    ORR_FFT_FORWARD   /**< to the forward transform      */
} orr_fft_norm;

/** The transform along one axis. @param x  real or complex    @param n  0: the axis's length
 * dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_fft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
/** The inverse transform along one axis. dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_ifft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
/** The transform along several axes. @param n  lengths, one for each axis; ORR_NO_INDEX: as they are
 * dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_fftn_at(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes,
                                orr_fft_norm norm);
/** The inverse transform along several axes. dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_ifftn_at(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes,
                                 orr_fft_norm norm);
/** The first n/2 + 1 elements of the transform of real x: the others are their conjugates. dtypes: floats. */
ORR_API orr_tensor *orr_rfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
/** The real x whose transform begins with the given n/2 + 1 elements. n 0: 2·(m − 1) for m elements.
 * dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_irfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
/** orr_rfft along the last of the axes, orr_fft along the others. dtypes: floats. */
ORR_API orr_tensor *orr_rfftn_at(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes,
                                 orr_fft_norm norm);
/** The inverse of orr_rfftn. The lengths belong to the result. dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_irfftn_at(const char *file, int line, orr_tensor *x, orr_index n, orr_axes axes,
                                  orr_fft_norm norm);
/** The transform, which is real, of x with x[−j] = conj(x[j]); the first n/2 + 1 elements of x are given.
 * dtypes: floats and complex numbers. */
ORR_API orr_tensor *orr_hfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
/** The inverse of orr_hfft. dtypes: floats. */
ORR_API orr_tensor *orr_ihfft_at(const char *file, int line, orr_tensor *x, int64_t n, int axis, orr_fft_norm norm);
#define orr_fft(...) orr_fft_at(ORR_HERE, __VA_ARGS__)
#define orr_ifft(...) orr_ifft_at(ORR_HERE, __VA_ARGS__)
#define orr_fftn(...) orr_fftn_at(ORR_HERE, __VA_ARGS__)
#define orr_ifftn(...) orr_ifftn_at(ORR_HERE, __VA_ARGS__)
#define orr_rfft(...) orr_rfft_at(ORR_HERE, __VA_ARGS__)
#define orr_irfft(...) orr_irfft_at(ORR_HERE, __VA_ARGS__)
#define orr_rfftn(...) orr_rfftn_at(ORR_HERE, __VA_ARGS__)
#define orr_irfftn(...) orr_irfftn_at(ORR_HERE, __VA_ARGS__)
#define orr_hfft(...) orr_hfft_at(ORR_HERE, __VA_ARGS__)
#define orr_ihfft(...) orr_ihfft_at(ORR_HERE, __VA_ARGS__)

/** The frequencies of orr_fft's elements, in cycles per unit, for samples d apart: [0, 1, …, −2, −1] / (n·d). dtype: a
 * float. */
ORR_API orr_tensor *orr_fftfreq_at(const char *file, int line, orr_dtype dtype, int64_t n, double d);
/** The frequencies of orr_rfft's elements: [0, 1, …, n/2] / (n·d). */
ORR_API orr_tensor *orr_rfftfreq_at(const char *file, int line, orr_dtype dtype, int64_t n, double d);
/** Moves the frequency 0 to the middle of each axis. dtypes: all.      grad: orr_ifftshift of g. */
ORR_API orr_tensor *orr_fftshift_at(const char *file, int line, orr_tensor *x, orr_axes axes);
/** Undoes orr_fftshift. */
ORR_API orr_tensor *orr_ifftshift_at(const char *file, int line, orr_tensor *x, orr_axes axes);
#define orr_fftfreq(...) orr_fftfreq_at(ORR_HERE, __VA_ARGS__)
#define orr_rfftfreq(...) orr_rfftfreq_at(ORR_HERE, __VA_ARGS__)
#define orr_fftshift(...) orr_fftshift_at(ORR_HERE, __VA_ARGS__)
#define orr_ifftshift(...) orr_ifftshift_at(ORR_HERE, __VA_ARGS__)

/* -- convolution ---------------------------------------------------------------------------------------------- */

/** The selected elements of a convolution of n by k elements along an axis. */
typedef enum orr_conv_mode {
    ORR_CONV_FULL, /**< all n + k − 1                             */
    ORR_CONV_SAME, /**< the n in the middle, from (k − 1)/2 on    */
    ORR_CONV_VALID /**< the n − k + 1 that need no border; n ≥ k  */
} orr_conv_mode;
/** The values beyond the ends of x. */
typedef enum orr_conv_boundary {
    ORR_CONV_ZERO,    /**< 0                                                   */
    ORR_CONV_REFLECT, /**< x mirrored, its last element twice: c b a a b c c b */
    ORR_CONV_WRAP     /**< x again                                             */
} orr_conv_boundary;

/** y[o] = Σ_j x[o − j]·w[j] over the last axes of x, as many as w has; the axes before are a batch. A kernel with a known value
 * of rank 1 (w = u ⊗ v) is applied axis by axis; few taps are one sum over shifted x, many use transforms.
 * @param x  (…, n…)    @param w  1 to 3 axes
 * @return   poison on ORR_ESHAPE (ranks; VALID with n < k), ORR_EDTYPE, ORR_EINVAL.
 * dtypes:   f32 f64 c64 c128, promoted.      grad: that of its parts.      cost: 2 flop a tap, or some 15·log₂ n an element. */
ORR_API orr_tensor *orr_convolve_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_conv_mode mode,
                                    orr_conv_boundary boundary);
/** y[o] = Σ_j x[o + j]·conj(w[j]), the elements in the order of orr_convolve with w reversed. */
ORR_API orr_tensor *orr_correlate_at(const char *file, int line, orr_tensor *x, orr_tensor *w, orr_conv_mode mode,
                                     orr_conv_boundary boundary);
#define orr_convolve(...) orr_convolve_at(ORR_HERE, __VA_ARGS__)
#define orr_correlate(...) orr_correlate_at(ORR_HERE, __VA_ARGS__)

/* -- windows and interpolation ---------------------------------------------------------------------------------- */

/** Windows of n ≥ 1 values, symmetric: the first equals the last. A window for orr_fft is periodic: n + 1 values without the
 * last one. dtype: a float; errors: ORR_EDTYPE, ORR_EINVAL. */
ORR_API orr_tensor *orr_bartlett_at(const char *file, int line, orr_dtype dtype, int64_t n);
/** ½ − ½·cos(2πk/(n−1)) */
ORR_API orr_tensor *orr_hann_at(const char *file, int line, orr_dtype dtype, int64_t n);
/** 0.54 − 0.46·cos(2πk/(n−1)) */
ORR_API orr_tensor *orr_hamming_at(const char *file, int line, orr_dtype dtype, int64_t n);
/** 0.42 − 0.5·cos(2πk/(n−1)) + 0.08·cos(4πk/(n−1)) */
ORR_API orr_tensor *orr_blackman_at(const char *file, int line, orr_dtype dtype, int64_t n);
/** I₀(β·√(1 − (2k/(n−1) − 1)²)) / I₀(β) */
ORR_API orr_tensor *orr_kaiser_at(const char *file, int line, orr_dtype dtype, int64_t n, double beta);
#define orr_bartlett(...) orr_bartlett_at(ORR_HERE, __VA_ARGS__)
#define orr_hann(...) orr_hann_at(ORR_HERE, __VA_ARGS__)
#define orr_hamming(...) orr_hamming_at(ORR_HERE, __VA_ARGS__)
#define orr_blackman(...) orr_blackman_at(ORR_HERE, __VA_ARGS__)
#define orr_kaiser(...) orr_kaiser_at(ORR_HERE, __VA_ARGS__)

/** The piecewise linear function through (xp[i], fp[i]) at x; fp[0] before xp[0], fp[n−1] after xp[n−1].
 * @param xp  (n), ascending, n ≥ 1: points that fall are an error of evaluation (ORR_EINVAL)    @param fp  (n)
 * dtypes:   f32 f64, the same for all.      grad: by x and fp; none by xp.      cost: log₂ n steps an element. */
ORR_API orr_tensor *orr_interp_at(const char *file, int line, orr_tensor *x, orr_tensor *xp, orr_tensor *fp);
#define orr_interp(...) orr_interp_at(ORR_HERE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
