/* For tests of codelets: the required results of a backend of generated kernels, run by the backend's own launch.
 * Must not know: which backend. */
#ifndef ORR_TESTS_REGION_CASES_H
#define ORR_TESTS_REGION_CASES_H

#include <math.h>
#include "tests/harness/harness.h"
#include "tests/harness/region_build.h"

/* A launch of rows [lo, hi) of b. in[i], out[k]: arrays from element in_off[i], out_off[k] on, of in_n[i], out_n[k]
 * elements (offsets NULL: whole arrays). Output memory is copied to the device before the launch and back after it. */
typedef struct {
    const rb *b;
    int64_t lo, hi;
    void *in[RB_INPUTS], *out[ORR__REGION_OUTS];
    int64_t in_off[RB_INPUTS], out_off[ORR__REGION_OUTS], in_n[RB_INPUTS], out_n[ORR__REGION_OUTS];
} rc_run;

/* The test program defines these two functions. False: a check failed and was reported. */
bool rc_launch(const rc_run *run);
/* The allowed error of a row's value in t, in units in the last place. */
double rc_ulp(const orr__ewrow *row, orr_dtype t);

/* Set by rc_launch for kernels with indices: the number of the first one out of range, -1: none. */
extern int64_t rc_bad_index;
/* The state of the random numbers. */
extern unsigned long long rc_state;

double rc_uniform(double lo, double hi);

/* Sample number k for a row's operand: special values first, then values from the row's domain. */
orr__scalar rc_sample(const orr__ewrow *row, orr_dtype t, int operand, int k);

/* The unit in the last place of |v| in t. */
double rc_place(double v, orr_dtype t);

/* The distance between got and want in units in the last place; 0 for equal values and for two NaN. Infinite: not
 * comparable. */
double rc_distance(orr__scalar got, orr__scalar want, orr_dtype t);

/* True if all elements agree within `ulp` units. Reports the first that does not. */
bool rc_same(const char *what, orr_dtype t, const void *got, const void *want, int64_t n, double ulp);
/* The same for differences of terms up to `size`, each of which may be off by that many of its own units. */
bool rc_same_terms(const char *what, orr_dtype t, const void *got, const void *want, int64_t n, double ulp,
                   double size);

void rc_fill(void *p, orr_dtype t, int64_t n, double lo, double hi);

void *rc_new(orr_dtype t, int64_t n);

/* Runs b in `cuts` ranges of axis 0 on whole arrays with random content and compares with the reference. */
void rc_check(const char *what, rb *b, int cuts, double lo, double hi, double ulp);

#endif
