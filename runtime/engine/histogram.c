/* Classes of time and their quantiles.
 * Must not know: what was timed. */
#include "config.h"
#include <math.h>
#include "runtime/engine/histogram.h"

/* The first class holds times below 1 ns, the last all times above its lower bound. */
static int class_of(double seconds)
{
    double ns = seconds * 1e9;
    int exponent;

    if (!(ns >= 1))
        return 0;
    if (ns >= ldexp(1, ORR__HISTOGRAM / 8))
        return ORR__HISTOGRAM - 1;
    double m = frexp(ns, &exponent); /* ns = m · 2^exponent, ½ ≤ m < 1 */
    return 8 * (exponent - 1) + (int)(16 * m - 8);
}

static double middle_of(int i)
{
    return 1e-9 * ldexp(1 + (i % 8 + 0.5) / 8, i / 8);
}

void orr__histogram_add(orr__histogram *h, double seconds, uint32_t n)
{
    atomic_fetch_add_explicit(&h->n[class_of(seconds)], n, memory_order_relaxed);
}

void orr__histogram_join(orr__histogram *to, orr__histogram *from)
{
    for (int i = 0; i < ORR__HISTOGRAM; i++)
        atomic_fetch_add_explicit(&to->n[i], atomic_load_explicit(&from->n[i], memory_order_relaxed),
                                  memory_order_relaxed);
}

void orr__histogram_clear(orr__histogram *h)
{
    for (int i = 0; i < ORR__HISTOGRAM; i++)
        atomic_store_explicit(&h->n[i], 0, memory_order_relaxed);
}

double orr__histogram_quantile(orr__histogram *h, double q)
{
    uint64_t all = 0, seen = 0;

    for (int i = 0; i < ORR__HISTOGRAM; i++)
        all += atomic_load_explicit(&h->n[i], memory_order_relaxed);
    double rank = q * (double)all;
    for (int i = 0; i < ORR__HISTOGRAM; i++) {
        seen += atomic_load_explicit(&h->n[i], memory_order_relaxed);
        if (seen > 0 && (double)seen >= rank)
            return middle_of(i);
    }
    return 0;
}
