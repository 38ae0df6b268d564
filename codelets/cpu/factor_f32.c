/* Triangles of f32.
 * Must not know: other dtypes. */
#include "config.h"

#include <float.h>

#define REAL float
#define DTYPE ORR_F32
#define SYRK cblas_ssyrk
#define TRSV cblas_strsv
#define TRSM cblas_strsm
#define LAPACK(name) s##name##_
#define MOST FLT_MAX
#define TABLE orr__factor_f32
#include "codelets/cpu/factor_real.h"
