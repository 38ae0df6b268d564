/* Factorisations of small matrices side by side, each in a lane of the vectors: without a call for each, and without work that only
 * larger ones repay. A lane's bits depend on no other lane.
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
