/* Factorisations of small matrices side by side, each in a vector lane: no call per matrix, and none of the preparation
 * that only larger matrices repay. A lane's bits do not depend on other lanes.
 * Must not know: batches larger than memory for them, LAPACK. */
#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "codelets/cpu/vec.h"

#define REAL float
#define LANE int32_t
#define MOST FLT_MAX
#define LEAST FLT_MIN
#define ROOT sqrtf
#define F(name) ORR__V(orr__vec_##name##_f32)
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_lanes.h"
#undef REAL
#undef LANE
#undef MOST
#undef LEAST
#undef ROOT
#undef F

#define REAL double
#define LANE int64_t
#define MOST DBL_MAX
#define LEAST DBL_MIN
#define ROOT sqrt
#define F(name) ORR__V(orr__vec_##name##_f64)
#include "codelets/cpu/vec_turn.h"
#include "codelets/cpu/vec_lanes.h"
