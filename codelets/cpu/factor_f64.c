/* Triangles of f64.
 * Must not know: other dtypes. */
#include "config.h"

#include <float.h>

#define REAL double
#define DTYPE ORR_F64
#define SYRK cblas_dsyrk
#define TRSV cblas_dtrsv
#define TRSM cblas_dtrsm
#define LAPACK(name) d##name##_
#define MOST DBL_MAX
#define TABLE orr__factor_f64
#include "codelets/cpu/factor_real.h"
