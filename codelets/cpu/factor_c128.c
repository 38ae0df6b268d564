/* Triangles of c128.
 * Must not know: other dtypes. */
#include "config.h"

#define ELEM double complex
#define REAL double
#define HERK cblas_zherk
#define TRSM cblas_ztrsm
#define TABLE orr__factor_c128
#include "codelets/cpu/factor_complex.h"
