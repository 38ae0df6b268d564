/* Secret random bytes, and exact draws from them.
 * Must not know: tensors, accounting. */
#ifndef ORR_OPS_PRIVACY_SECRET_H
#define ORR_OPS_PRIVACY_SECRET_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/base/status.h"

/* Random bytes for one call of the library. The struct is on the caller's stack, so that neither a fork nor another
 * thread draws the same bytes, and orr__secret_end wipes it. If the system provides no random bytes, draws continue with
 * predictable ones, so that loops end, and orr__secret_end returns the error: no number drawn may then be used. */
typedef struct orr__secret {
    bool seeded, failed;
    uint64_t key, block; /* seeded, or failed */
    uint32_t at, have;
    uint8_t byte[4096];
} orr__secret;

void orr__secret_begin(orr__secret *s);
orr_status orr__secret_end(orr__site at, orr__secret *s);
void orr__secret_fill(orr__secret *s); /* at == have */

static inline uint32_t orr__secret_byte(orr__secret *s)
{
    if (s->at == s->have)
        orr__secret_fill(s);
    return s->byte[s->at++];
}
uint64_t orr__secret_word(orr__secret *s);
/* Uniform in 0 … n−1; n ≥ 1. */
uint64_t orr__secret_below(orr__secret *s, uint64_t n);

/* Exact draws (Canonne, Kamath, Steinke 2020), in integers alone. */
typedef unsigned __int128 orr__wide_uint;
/* True with probability a/b, a ≤ b < 2^120; with e^(−a/b), a < 2^127, b < 2^112. */
bool orr__draw_ratio(orr__secret *s, orr__wide_uint a, orr__wide_uint b);
bool orr__draw_exp(orr__secret *s, orr__wide_uint a, orr__wide_uint b);
/* P(z) ∝ e^(−|z|·den/num); 1 ≤ num < 2^52, den ≥ 1. */
int64_t orr__draw_laplace(orr__secret *s, uint64_t num, uint64_t den);

/* x > 0 as num/2^den_log2 with 30 significant bits, rounded up or down. */
typedef struct orr__ratio {
    uint64_t num;
    int den_log2;
} orr__ratio;
orr__ratio orr__ratio_of(double x, bool up);

/* A discrete Gaussian with a deviation in [2^-10, 2^26]; t = ⌊deviation⌋ + 1. */
typedef struct orr__gaussian {
    orr__ratio variance; /* rounded up */
    uint64_t t;
} orr__gaussian;
orr__gaussian orr__gaussian_of(double deviation);
int64_t orr__draw_gaussian(orr__secret *s, const orr__gaussian *g);

/* A real number of known sensitivity as an integer of sensitivity ORR__GRID: the nearest multiple of sensitivity·2^-20. False:
 * x is not finite, or beyond 2^31 sensitivities, where the rounding of the division would matter. */
enum { ORR__GRID = (1 << 20) + 1 };
bool orr__grid(double x, double sensitivity, int64_t *place);

#endif
