/* Random numbers that consume an unknown number of uniform ones: gamma, beta, Poisson, binomial. A value depends on seed, index and
 * parameters alone.
 * Must not know: streams, tensors, devices. */
#ifndef ORR_BASE_VARIATE_H
#define ORR_BASE_VARIATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    ORR__VGAMMA,   /* a: shape > 0, of scale 1          */
    ORR__VBETA,    /* a, b > 0                          */
    ORR__VPOISSON, /* a: rate, 0 … 2^60                 */
    ORR__VBINOMIAL /* a: trials, 0 … 2^53; b: 0 … 1     */
} orr__variate_kind;

/* The rule that the parameters break, in words; NULL if they obey it. */
const char *orr__variate_refuses(int kind, double a, double b);
/* Number `index` of a seed; the parameters obey the rule. */
double orr__variate(int kind, uint64_t seed, uint64_t index, double a, double b);

#endif
