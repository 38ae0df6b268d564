/* Triangles of f64.
 * Must not know: other dtypes. */
#include "config.h"

#define REAL double
#define DTYPE ORR_F64
#define SYRK cblas_dsyrk
#define TRSV cblas_dtrsv
#define TABLE orr__factor_f64
#include "codelets/cpu/factor_real.h"
