/* For tests of codelets: kernels of several rows of the element-wise table, and their expected results.
 * Must not know: which backend. */
#ifndef ORR_TESTS_REGION_ROWS_H
#define ORR_TESTS_REGION_ROWS_H

#include "tests/harness/region_cases.h"

enum { GROUP = 16, SAMPLES = 208 }; /* rows in a kernel; 169 pairs of special values and some more */

/* Element k·SAMPLES + i of the output is row k's value of its sample i. */
int rt_group(rb *b, orr_dtype t, const orr__ewrow *const *row, int n);

orr__scalar rt_truth(const orr__ewrow *row, orr_dtype t, const orr__scalar *x);

/* The additional error allowed by the row: a logarithm of a sum near 0 is as precise as its larger operand. */
double rt_slack(const orr__ewrow *row, orr_dtype t, const orr__scalar *x, orr__scalar want);

#endif
