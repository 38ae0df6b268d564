/* Loops for small triangles: Cholesky factors, solves from the right.
 * Must not know: their callers, BLAS. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "codelets/cpu/factor.h"
#include "codelets/cpu/vec.h"

#define REAL float
#define LANE int32_t
#define MOST FLT_MAX
#define ROOT sqrtf
#define F(name) ORR__V(orr__vec_##name##_f32)
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_factor.h"
#undef REAL
#undef LANE
#undef MOST
#undef ROOT
#undef F

#define REAL double
#define LANE int64_t
#define MOST DBL_MAX
#define ROOT sqrt
#define F(name) ORR__V(orr__vec_##name##_f64)
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_factor.h"
