/* Dense matrices of f64.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define REAL double
#define EPSILON 0x1p-52
#define GEMM cblas_dgemm
#define LAPACK(name) d##name##_
#define TABLE orr__dense_f64
#include "codelets/cpu/dense_real.h"
#endif
