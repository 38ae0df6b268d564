/* Random numbers that consume an unknown number of uniform ones: gamma, beta, Poisson, binomial. A value depends on seed, index and
 * parameters alone.
 * Must not know: streams, tensors, devices. */
#ifndef ORR_BASE_VARIATE_H
#define ORR_BASE_VARIATE_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef enum {
    ORR__VGAMMA,   /* a: shape > 0, of scale 1          */
    ORR__VBETA,    /* a, b > 0                          */
    ORR__VPOISSON, /* a: rate, 0 … 2^60                 */
    ORR__VBINOMIAL /* a: trials, 0 … 2^53; b: 0 … 1     */
} orr__variate_kind;

/* The rule that the parameters break, in words; NULL if they obey it. */
const char *orr__variate_refuses(int kind, double a, double b);
/* The error of the parameters of element `i`, which break `rule`. */
orr_status orr__variate_refused(orr__site at, const char *rule, int kind, double a, double b, int64_t i) ORR__COLD;
/* Number `index` of a seed; the parameters obey the rule. */
double orr__variate(int kind, uint64_t seed, uint64_t index, double a, double b);

/* Writes n weights, multiplied by the power of two with which their sum neither overflows nor underflows, to `to`.
 * Returns NULL; or the rule that they break, in words, and the number of the weight that breaks it, n where all do. */
const char *orr__weights(const double *w, int64_t n, int64_t positive, double *to, int64_t *bad);
/* The error of a row of weights that breaks `rule`. */
orr_status orr__weights_refused(orr__site at, const char *rule, const double *w, int64_t n, int64_t row, int64_t bad,
                                int64_t positive);
/* Writes the counts of `trials` trials in n categories with weights from orr__weights. Category k is drawn with number
 * `index` + k of the seed. */
void orr__multinomial(uint64_t seed, uint64_t index, int64_t trials, const double *w, int64_t n, int64_t *counts);

#endif
