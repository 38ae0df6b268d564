/* Complex numbers by their parts. Users of CMPLX include this header and not <complex.h>: glibc up to 2.36 defines these macros
 * for gcc alone; clang has the same builtin function since version 12.
 * Must not know: what the numbers mean. */
#ifndef ORR_BASE_COMPLEX_H
#define ORR_BASE_COMPLEX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXL(x, y) __builtin_complex((long double)(x), (long double)(y))
#endif

#endif
