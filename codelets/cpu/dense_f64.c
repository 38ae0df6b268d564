/* Dense matrices of f64.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define REAL double
#define LAPACK(name) d##name##_
#define TABLE orr__dense_f64
#include "codelets/cpu/dense_real.h"
#endif
