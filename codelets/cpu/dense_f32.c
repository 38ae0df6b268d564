/* Dense matrices of f32.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define REAL float
#define EPSILON 0x1p-23f
#define GEMM cblas_sgemm
#define LAPACK(name) s##name##_
#define TABLE orr__dense_f32
#include "codelets/cpu/dense_real.h"
#endif
