/* One case of tests/golden/numpy, and the tables of calls that run it.
 * Must not know: how a value is computed. */
#ifndef ORR_TESTS_NUMPY_CASE_H
#define ORR_TESTS_NUMPY_CASE_H

#include "tests/harness/ops_help.h"

#define NUMPY_MAX_IN 16
#define NUMPY_MAX_PARAM 32

typedef struct {
    char op[96];
    orr_dtype to; /* the part of the op's name after ':' */
    double ulps, p[NUMPY_MAX_PARAM];
    int np, nin;
    orr_tensor *in[NUMPY_MAX_IN];
    char text[64]; /* the part after '=' */
} numpy_case;

typedef struct {
    const char *name;
    orr_tensor *(*run)(const numpy_case *c);
} numpy_row;

/* The calls of array.h; ends with an empty row. */
extern const numpy_row numpy_array_rows[];
/* The calls of conv.h, for tests/golden/conv. */
extern const numpy_row numpy_window_rows[];
/* The calls of fft.h, and others that only standard.txt names. */
extern const numpy_row numpy_standard_rows[];

#endif
