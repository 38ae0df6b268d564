/* Fourier transforms of one row, for f32 and f64.
 * Must not know: launches, the making of plans. */
#include "config.h"

#include "codelets/cpu/vec.h"

#define REAL float
#define F(name) ORR__V(orr__vec_fft_##name##_f32)
#include "codelets/cpu/vec_fft.h"
#undef REAL
#undef F

#define REAL double
#define F(name) ORR__V(orr__vec_fft_##name##_f64)
#include "codelets/cpu/vec_fft.h"
