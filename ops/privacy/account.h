/* Shared by the accountants: checks of numbers, divergences, distributions of the privacy loss.
 * Must not know: tensors. */
#ifndef ORR_OPS_PRIVACY_ACCOUNT_H
#define ORR_OPS_PRIVACY_ACCOUNT_H

#include <orrery/privacy.h>
#include "runtime/base/status.h"

enum { ORR__DP_ORDERS = 151 }; /* limit of arithmetic */

/* `times` uses of a mechanism. */
typedef struct orr__dp_use {
    orr_dp_mechanism m;
    int64_t times;
} orr__dp_use;

orr_status orr__dp_check(orr__site at, orr_dp_mechanism m);
orr_status orr__dp_check_delta(orr__site at, orr_dp_accountant how, double delta);
#define ORR__DP_MOST_TIMES ((int64_t)1 << 40)
orr_status orr__dp_check_times(orr__site at, int64_t times);
extern const char *const orr__dp_kind_names[]; /* with the name of the noise */

/* Arguments of these functions must have passed the checks. */
double orr__dp_rdp(orr_dp_mechanism m, double alpha);
double orr__dp_rdp_epsilon(const double *orders, const double *rdp, int n, double delta, double *order);
/* ε of an ε-private mechanism on a Poisson sample: log(1 + q(e^ε − 1)). */
double orr__dp_amplified(double epsilon, double q);
/* ε at δ of all uses together; 0 if there are none. ORR_ENOMEM. */
orr_status orr__dp_epsilon_of(orr__site at, orr_dp_accountant how, const orr__dp_use *use, int n, double delta,
                              double *epsilon);

/* The distribution of the privacy loss of all uses together, for both neighbours. `floor`: the least δ of later queries.
 * NULL on ENOMEM. */
typedef struct orr__pld orr__pld;
orr__pld *orr__pld_new(const orr__dp_use *use, int n, double floor);
double orr__pld_epsilon(const orr__pld *p, double delta);
double orr__pld_delta(const orr__pld *p, double epsilon);
void orr__pld_free(orr__pld *p);

/* An FFT in place of n = 2^k complex numbers, as pairs; inverse: without the factor 1/n. `root` are e^(−2πi·j/n), j < n/2,
 * as pairs. */
void orr__fft(double *x, int64_t n, const double *root, bool inverse);
void orr__fft_roots(double *root, int64_t n);

#endif
