/* The lanes of a run: each offers a predicted time, or the reason why the run cannot take it. The least time is taken.
 * Must not know: how tasks are submitted, what they compute. */
#include "config.h"
#include <math.h>
#include "runtime/base/ablation.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/starpu/starpu.h"

static bool devices(void)
{
    return orr__star.opencls + orr__star.cudas > 0;
}

/* ORRERY_INLINE_US decides alone. */
static bool asked(void)
{
    return orr__env.inline_us >= 0;
}

/* True if no two processors are free for the tasks of a short plan: other threads evaluate too, or the only worker is on the caller's
 * core (a rank that is bound to one core). Workers would take turns with the callers, and spin in between. A long plan becomes tasks,
 * since the other callers may end before it. */
static bool crowded(const orr__wish *w)
{
    return w->wait && w->plan->us < ORR__T_LONG_PLAN && !asked() && !devices() && !orr__ablated(ORR__OFF_SHARE) &&
           (w->others > 0 ? orr__star.cpus - w->others < 2 : orr__star.cpus == 1 && !orr__star_core_is_left());
}

/* µs to copy home the tiles that a device wrote; infinite without numbers of the bus. */
static double home_us(const orr__tiles *t)
{
    if (!t || !atomic_load_explicit(&t->away, memory_order_acquire))
        return 0;
    return orr__machine_here.copy_byte_us > 0
               ? t->n * orr__machine_here.copy_us + (double)t->buf->bytes * orr__machine_here.copy_byte_us
               : HUGE_VAL;
}

/* The reason why the caller cannot begin the run at once, or after a short copy of data to home; NULL: it can. */
static const char *held_up(const orr__wish *w)
{
    double us = w->plan->us;
    if (orr__stop_mine && orr__stop_mine->votes)
        return "all ranks agree on its end";
    for (int i = 0; i < w->plan->nstep; i++)
        if (orr__region_needs_device(w->plan->step[i].region))
            return "a step needs a device";
    for (int i = 0; w->leaf && i < w->plan->nleaf; i++) {
        const orr__buffer *leaf = w->leaf[i];
        if (leaf && leaf->run && (!orr__run_done(leaf->run) || orr__run_status(leaf->run) != ORR_OK))
            return "an operand is not complete";
        us += leaf ? home_us(orr__buffer_tiles(w->leaf[i])) : 0;
    }
    return us > w->plan->us && us >= orr__inline_us() && !orr__star_paused() ? "an operand is on a device" : NULL;
}

/* The first reason of a table that holds; NULL: none does. */
typedef struct {
    bool holds;
    const char *reason;
} rule;

static const char *first_of(const rule *r)
{
    while (r->reason && !r->holds)
        r++;
    return r->reason;
}

static const char *not_alone(const orr__wish *w)
{
    bool large = !w->little && !orr__star_paused();
    const rule rules[] = { { w->little && orr__ablated(ORR__OFF_INLINE_LANE), "ORRERY_ABLATE" },
                           { large && asked(), "ORRERY_INLINE_US" },
                           { large && !w->wait, "its caller does not wait" },
                           { large && devices(), "devices may compute it" },
                           { 0 } };
    return first_of(rules);
}

static const char *not_together(const orr__wish *w)
{
    const rule rules[] = { { orr__star_paused(), "the workers are paused" },
                           { asked(), "ORRERY_INLINE_US" },
                           { !w->wait, "its caller does not wait" },
                           { w->others > 0, "other threads evaluate" },
                           { orr__star.cpus < 2, "there is one worker" },
                           { devices(), "devices may compute it" },
                           { !orr__star.one_memory, "memory is not one" },
                           { orr__star_crew_is_in_the_way(w->plan->us), "others waited for a crew" },
                           { !isfinite(w->plan->lanes.together), "a step borrows cores, or is an exchange" },
                           { (1 + ORR__T_DOUBT / 100.0) * w->plan->lanes.together >= w->plan->lanes.alone,
                             "it is not clearly faster than the calling thread" },
                           { 0 } };
    return first_of(rules);
}

static const char *not_tasks(const orr__wish *w)
{
    const rule rules[] = { { orr__star_paused(), "the workers are paused" },
                           { w->little && !orr__ablated(ORR__OFF_INLINE_LANE), "a task takes longer than its work" },
                           { crowded(w), "no two processors are free" },
                           { w->wait && !asked() && !devices() && w->plan->ntasks < 2, "it is one task" },
                           { 0 } };
    return first_of(rules);
}

static orr__offer offer(const char *no, double us)
{
    return (orr__offer){ no ? HUGE_VAL : us, no };
}

/* Tasks are possible for any run: they are taken where no lane offers. */
static orr__lane least(const orr__offer *o)
{
    orr__lane by = o[ORR__ALONE].us < o[ORR__TASKS].us ? ORR__ALONE : ORR__TASKS;
    return o[ORR__TOGETHER].us < o[by].us ? ORR__TOGETHER : by;
}

/* True if the workers sleep, and waking them does not pay yet: work that ends before they could help is worth them only while its callers
 * follow each other closely. */
static bool rather_asleep(const orr__wish *w, orr__lane by)
{
    double us = w->little ? w->plan->us : orr__lane_alone_us(w->plan);
    bool crew = by == ORR__TOGETHER;
    if (by == ORR__ALONE || asked() || !w->wait || devices() || (crew && orr__star_crew_is_ready(us)))
        return false;
    bool rests = orr__star_sleeps_through(us) || (crew && orr__star_crew_is_formed());
    return (w->little || (rests && !orr__ablated(ORR__OFF_SHARE))) &&
           !w->share(us, crew && orr__star_crew_is_worth(us));
}

orr__lane orr__star_offers(const orr__wish *w, orr__offer o[ORR__LANES])
{
    const orr__plan *p = w->plan;
    const char *held = held_up(w);
    o[ORR__ALONE] = offer(held ? held : not_alone(w), p->lanes.alone);
    o[ORR__TOGETHER] = offer(held ? held : not_together(w), p->lanes.together);
    o[ORR__TASKS] = offer(not_tasks(w), p->lanes.tasks);
    if (rather_asleep(w, least(o)))
        o[ORR__TOGETHER] = o[ORR__TASKS] = offer("the workers sleep, and waking them does not pay yet", 0);
    return least(o);
}
