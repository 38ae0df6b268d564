/* Plans that measurements have overtaken: they were made when a kernel's time was a guess, and would now be cut
 * differently.
 * Must not know: how times are measured, the plan cache. */
#include "config.h"

#include "runtime/base/env.h"
#include "runtime/base/threshold.h"
#include "runtime/plan/passes.h"

static bool departs(double then, double now)
{
    static const double departure = 1 + ORR__T_DOUBT / 100.0;
    return now > departure * then || then > departure * now;
}

/* True if the step would be cut into other tiles, or if it is a large part of the plan and a crew would share it now
 * but not before, or the reverse. */
static bool cut_otherwise(const orr__plan *p, const orr__step *s, double then, double now)
{
    static const double least_us = 2 * ORR__T_SHARE;
    return orr__region_tiles(s->region, then, p->renewal.alone) !=
               orr__region_tiles(s->region, now, p->renewal.alone) ||
           ((then < least_us) != (now < least_us) && 50 * (now + then) > ORR__T_NOISE * p->us);
}

/* Predicts the times of all steps again. A plan with the same tiles on the same lane stays, however much a step has departed, and gets
 * the new time, which the engine uses in each evaluation. */
bool orr__plan_overtaken(orr__plan *p)
{
    unsigned news = orr__models_news();
    if (atomic_load_explicit(&p->renewal.news, memory_order_relaxed) == news)
        return false;
    bool overtaken = false;
    double total = 0, bound = orr__inline_us(), planned = p->us;
    bool may = p->renewal.count < ORR__PLAN_RENEWALS && !orr__ablated(ORR__OFF_RENEWAL);
    for (int i = 0; i < p->nstep && !overtaken; i++) {
        const orr__step *s = &p->step[i];
        double then = s->cost.us, now = orr__model_expect(s->region);
        total += now;
        overtaken = may && departs(then, now) && cut_otherwise(p, s, then, now);
    }
    overtaken = overtaken || (may && departs(planned, total) && (planned < bound) != (total < bound));
    if (!overtaken) {
        if (departs(planned, total))
            p->us = total;
        atomic_store_explicit(&p->renewal.news, news, memory_order_relaxed);
    }
    return overtaken;
}
