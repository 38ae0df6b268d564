/* Triangles of c64.
 * Must not know: other dtypes. */
#include "config.h"

#define ELEM float complex
#define REAL float
#define HERK cblas_cherk
#define TRSM cblas_ctrsm
#define TABLE orr__factor_c64
#include "codelets/cpu/factor_complex.h"
