/* Fourier transforms of one row, for f32 and f64.
 * Must not know: launches, how plans are made. */
#include "config.h"

#include <string.h>
#include "codelets/cpu/vec.h"

#define REAL float
#define LANE int32_t
#define F(name) turn_f32_##name
#include "codelets/cpu/vec_turn.h"
#undef REAL
#undef LANE
#undef F

#define REAL double
#define LANE int64_t
#define F(name) turn_f64_##name
#include "codelets/cpu/vec_turn.h"
#undef REAL
#undef LANE
#undef F

/* The following loop writes nothing that it reads; its arrays are too many for run-time alias checks. */
#ifdef __clang__
#define ORR__NO_ALIAS _Pragma("clang loop vectorize(assume_safety)")
#else
#define ORR__NO_ALIAS _Pragma("GCC ivdep")
#endif

/* The same for 4 × 4 pairs with row strides tld and fld: a pair of f32 is as long as one f64. */
static void turn_pairs_f32(float *to, int64_t tld, const float *from, int64_t fld)
{
    turn_f64_turn_four((void *)to, tld, (const void *)from, fld, 4, 4);
}

static void turn_pairs_f64(double *to, int64_t tld, const double *from, int64_t fld)
{
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 4; j++)
            memcpy(to + 2 * (j * tld + i), from + 2 * (i * fld + j), 2 * sizeof *to);
}

#define REAL float
#define TURN turn_f32_turn
#define TURN_PAIRS turn_pairs_f32
#define F(name) ORR__V(orr__vec_fft_##name##_f32)
#include "codelets/cpu/vec_fft.h"
#undef REAL
#undef TURN
#undef TURN_PAIRS
#undef F

#define REAL double
#define TURN turn_f64_turn
#define TURN_PAIRS turn_pairs_f64
#define F(name) ORR__V(orr__vec_fft_##name##_f64)
#include "codelets/cpu/vec_fft.h"
