/* Dense matrices of f64.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define ELEM double
#define REAL double
#define COMPLEX 0
#define EPSILON 0x1p-52
#define LAPACK(name) d##name##_
#define TABLE orr__dense_f64
#include "codelets/cpu/dense_body.h"
#endif
