/* Triangles of f32.
 * Must not know: other dtypes. */
#include "config.h"

#define REAL float
#define GEMM cblas_sgemm
#define SYRK cblas_ssyrk
#define TRSV cblas_strsv
#define TABLE orr__factor_f32
#include "codelets/cpu/factor_real.h"
