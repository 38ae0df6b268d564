/* Dense matrices of f32.
 * Must not know: other dtypes. */
#include "config.h"

#ifdef HAVE_LAPACK
#define ELEM float
#define REAL float
#define COMPLEX 0
#define EPSILON 0x1p-23f
#define LAPACK(name) s##name##_
#define TABLE orr__dense_f32
#include "codelets/cpu/dense_body.h"
#endif
