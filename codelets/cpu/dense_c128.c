/* Dense matrices of c128.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define ELEM double complex
#define REAL double
#define COMPLEX 1
#define EPSILON 0x1p-52
#define LAPACK(name) z##name##_
#define TABLE orr__dense_c128
#include "codelets/cpu/dense_body.h"
#endif
