/* A histogram of times: counts in classes, eight classes to an octave, from 1 ns to 18 minutes.
 * Must not know: what was timed. */
#ifndef ORR_ENGINE_HISTOGRAM_H
#define ORR_ENGINE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

enum { ORR__HISTOGRAM = 8 * 40 };
/* Zero is empty. Any thread may add and read. */
typedef struct {
    atomic_uint_least32_t n[ORR__HISTOGRAM];
} orr__histogram;

/* Adds n times of `seconds`. */
void orr__histogram_add(orr__histogram *h, double seconds, uint32_t n);
/* Adds the counts of `from` to `to`. */
void orr__histogram_join(orr__histogram *to, orr__histogram *from);
void orr__histogram_clear(orr__histogram *h);
/* The q-quantile (0 … 1) of the times in seconds, accurate to 6 %: the middle of its class. 0: no times. */
double orr__histogram_quantile(orr__histogram *h, double q);

#endif
