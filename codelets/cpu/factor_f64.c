/* Triangles of f64.
 * Must not know: other dtypes. */
#include "config.h"

#define REAL double
#define GEMM cblas_dgemm
#define SYRK cblas_dsyrk
#define TRSV cblas_dtrsv
#define TABLE orr__factor_f64
#include "codelets/cpu/factor_real.h"
