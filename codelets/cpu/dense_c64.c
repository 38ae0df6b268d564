/* Dense matrices of c64.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define ELEM float complex
#define REAL float
#define COMPLEX 1
#define EPSILON 0x1p-23f
#define LAPACK(name) c##name##_
#define TABLE orr__dense_c64
#include "codelets/cpu/dense_body.h"
#endif
