/* Statistics of one kernel's times: running means that forget, a fit across sizes.
 * Must not know: where they are kept. */
#include "config.h"

#include <math.h>
#include "runtime/base/threshold.h"
#include "runtime/cost/model.h"

/* RECENT: samples that count as the recent past. TRUTH: consecutive far samples that replace a mean. */
enum { RECENT = 32, TRUTH = 3 }; /* limit of a measurement */
#define FAR 8.0

bool orr__fit(const orr__sample *s, int n, double *a, double *b)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        if (!(s[i].size > 0 && s[i].us > 0 && s[i].weight > 0))
            continue;
        w += s[i].weight;
        x += s[i].weight * log(s[i].size);
        y += s[i].weight * log(s[i].us);
    }
    if (w <= 0)
        return false;
    x /= w;
    y /= w;
    for (int i = 0; i < n; i++) {
        if (!(s[i].size > 0 && s[i].us > 0 && s[i].weight > 0))
            continue;
        double dx = log(s[i].size) - x;
        xx += s[i].weight * dx * dx;
        xy += s[i].weight * dx * (log(s[i].us) - y);
    }
    *b = xx > 0.01 * w ? xy / xx : 1;          /* limit of a measurement */
    *b = *b < 0.2 ? 0.2 : *b > 1.2 ? 1.2 : *b; /* limit of a measurement */
    *a = y - *b * x;
    return true;
}

static void restart(orr__timed *t, double size, double us)
{
    *t = (orr__timed){ .n = 1, .us = us, .size = size };
}

bool orr__timed_add(orr__timed *t, double size, double us, bool *reset)
{
    double expected = t->n ? t->us * size / t->size : us;
    *reset = false;
    if (!(us > 0 && size > 0))
        return false;
    if (t->n == 0 ||
        (t->n < ORR__T_SETTLED && us < expected / FAR)) { /* the earlier ones were first launches of a kernel */
        restart(t, size, us);
        return true;
    }
    if (us > FAR * expected || us < expected / FAR) {
        if (++t->odd < TRUTH)
            return false;
        *reset = true;
        restart(t, size, us);
        return true;
    }
    double w = 1.0 / (t->n < RECENT ? t->n + 1 : RECENT), d = us - t->us;
    t->us += w * d;
    t->size += w * (size - t->size);
    t->spread = (1 - w) * (t->spread + w * d * d);
    t->n += t->n < UINT32_MAX;
    t->odd = 0;
    return true;
}
