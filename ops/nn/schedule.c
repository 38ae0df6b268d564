/* Learning rates by the step and by the loss, and the end of training.
 * Must not know: optimisers. */
#include "config.h"

#include <math.h>
#include <orrery/train.h>
#include "runtime/base/fpmode.h"
#include "runtime/base/status.h"

static const double pi = 3.14159265358979323846;

/* Interpolates from a to b along half a cosine, s in [0, 1]. */
static double along(double a, double b, double s)
{
    return b + (a - b) * (1.0 + cos(pi * s)) / 2.0;
}

static double one_cycle(const orr_schedule *s, double t)
{
    double rise = s->rise > 0.0 ? s->rise : 0.3, first = s->lr / (s->start > 0.0 ? s->start : 25.0);
    double last = first / (s->end > 0.0 ? s->end : 1e4), steps = (double)s->steps, top = rise * steps - 1.0;
    t = fmin(t, steps - 1.0);
    if (t <= top && top > 0.0)
        return along(first, s->lr, t / top);
    return along(s->lr, last, (t - top) / fmax(steps - 1.0 - top, 1e-300));
}

/* Sets the last error. Returns NaN. */
static double refused(const char *what, int64_t value, const char *need)
{
    (void)orr__fail(ORR__SITE(NULL, 0, "schedule_lr"), ORR_EINVAL, "%s is %lld: %s", what, (long long)value, need);
    return NAN;
}

double orr_schedule_lr(const orr_schedule *s, int64_t t)
{
    ORR__IN_DEFAULT_FPMODE;
    if (!s) {
        (void)orr__fail(ORR__SITE(NULL, 0, "schedule_lr"), ORR_EINVAL, "the schedule is NULL");
        return NAN;
    }
    if (t < 0)
        return refused("step t", t, "0 or more is needed");
    double warm = t < s->warm_up ? (double)(t + 1) / (double)s->warm_up : 1.0;
    double n = t < s->warm_up ? 0.0 : (double)(t - s->warm_up);
    bool counted = s->kind == ORR_SCHEDULE_COSINE || s->kind == ORR_SCHEDULE_ONE_CYCLE;
    if (counted && s->steps < 1)
        return refused("steps", s->steps, "ORR_SCHEDULE_COSINE and ORR_SCHEDULE_ONE_CYCLE need 1 or more");
    if (s->kind == ORR_SCHEDULE_STEP && s->every < 1)
        return refused("every", s->every, "ORR_SCHEDULE_STEP needs 1 or more");
    switch (s->kind) {
    case ORR_SCHEDULE_CONSTANT: return warm * s->lr;
    case ORR_SCHEDULE_STEP: return warm * s->lr * pow(s->factor, floor(n / (double)s->every));
    case ORR_SCHEDULE_COSINE: return warm * along(s->lr, s->least, fmin(n / (double)s->steps, 1.0));
    case ORR_SCHEDULE_ONE_CYCLE: return warm * one_cycle(s, n);
    }
    return refused("kind", s->kind, "it is no orr_schedule_kind");
}

double orr_plateau_lr(orr_plateau *p, double lr, double loss)
{
    ORR__IN_DEFAULT_FPMODE;
    if (!p)
        return lr;
    if (p->seen++ == 0)
        p->best = NAN; /* no loss yet that is a number */
    if (!isnan(loss) && (isnan(p->best) || loss < p->best * (1.0 - p->threshold))) {
        p->best = loss;
        p->waited = 0;
    } else
        p->waited++;
    if (p->waited <= p->patience)
        return lr;
    p->waited = 0;
    return fmax(lr * p->factor, p->least);
}

bool orr_early_stop_update(orr_early_stop *e, double loss)
{
    ORR__IN_DEFAULT_FPMODE;
    if (!e)
        return false;
    if (e->seen == 0 || isnan(e->best) || loss < e->best - e->threshold) {
        e->best = loss;
        e->at = e->seen;
    }
    e->seen++;
    return e->seen - 1 - e->at > e->patience;
}
