/* Leave for a plan to run on more threads than the caller's: by the times of its runs so far, and by the ledger of regret.
 * Must not know: how a plan runs, who may help. */
#include "config.h"
#include <math.h>
#include <pthread.h>
#include "codelets/variants.h"
#include "runtime/base/ablation.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/execution.h"

static const double doubt = ORR__T_DOUBT / 100.0, pace = ORR__T_DOUBT / 100.0, forget = ORR__T_NOISE / 100.0;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool measures(void)
{
    return orr__env.machine != ORR__MACHINE_FIXED && !orr__env.deterministic && !orr__ablated(ORR__OFF_TRIAL);
}

static double predicted(const orr__plan *p, orr__lane by)
{
    return 1e-6 * (by == ORR__ALONE ? p->lanes.alone : by == ORR__TOGETHER ? p->lanes.together : p->lanes.tasks);
}

/* The number of steps whose kernels are final: compiled, or never to be. */
static int compiled(const orr__plan *p, const orr__lane_times *t)
{
    if (t->compiled == p->nstep)
        return p->nstep;
    int n = 0;
    for (int i = 0; i < p->nstep; i++)
        n += orr__step_compiled(&p->step[i]);
    return n;
}

/* The time on the calling thread alone: measured, or predicted if the wished lane is known better; infinite: not yet of interest. */
static double alone(const orr__plan *p, const orr__lane_times *t, orr__lane wish)
{
    return t->n[ORR__ALONE] > 0       ? t->expected[ORR__ALONE]
           : t->n[wish] >= ORR__CLEAR ? (1 + doubt) * predicted(p, ORR__ALONE)
                                      : HUGE_VAL;
}

/* The choice between the caller alone (0) and a lane (1) that an earlier process, or an earlier form of the plan, has made. */
static orr__variants *earlier(const orr__plan *p, orr__lane wish)
{
    static const uint32_t of_lanes = 0x1a9e0;
    return p->cache.key ? orr__variants_of(p->cache.hash, of_lanes + (uint32_t)wish, 2) : NULL;
}

static void remember(const orr__plan *p, const orr__lane_times *t, orr__lane by)
{
    bool tells = by != ORR__ALONE && t->n[by] == ORR__T_SETTLED && t->n[ORR__ALONE] > 0;
    orr__variants *v = tells ? earlier(p, by) : NULL;
    if (v)
        orr__variants_put(v->kernel, v->size, 2, t->expected[by] <= t->expected[ORR__ALONE]);
}

/* Starts with what is known from earlier. True: the lane is known to be good. */
static bool recall(const orr__plan *p, orr__lane_times *t, orr__lane wish, double base)
{
    orr__variants *v = t->n[wish] == 0 ? earlier(p, wish) : NULL;
    int chosen = v ? atomic_load(&v->chosen) : -1;
    if (chosen == 0) {
        t->n[wish] = 1;
        t->expected[wish] = t->seen[wish] = 2 * base;
    }
    return chosen == 1;
}

/* True if this run, which the lane would do, is the caller's, whose time may be that of other conditions: of kernels that were not compiled
 * yet, or a mere prediction. Its turn comes ever more rarely, and at once when the lane takes half more than it did then, as after pauses,
 * if it may well be the faster one by now. Under the lock. */
static bool is_callers_turn(orr__lane_times *t, orr__lane wish, double base, double ratio, orr__lane_run *run)
{
    double now = t->expected[wish], most = 1 + ORR__REGRET_MOST;
    bool slower = t->then > 0 && fmin(now, t->seen[wish]) > most * t->then;
    if (t->wait == 0)
        t->wait = 4 * ORR__T_SETTLED;
    if (t->then <= 0 || now < t->then)
        t->then = now;
    if (++t->since < t->wait && !slower)
        return false;
    double caller = fmin(base, t->then / ratio);
    if (caller > most * now || !orr__regret_leave(fmax(0, caller - now)))
        return false;
    *run = (orr__lane_run){ .by = ORR__ALONE,
                            .measured = true,
                            .compiled = run->compiled,
                            .trial = true,
                            .expected = fmax(0, caller - now),
                            .against = now,
                            .most = HUGE_VAL };
    t->wait = slower ? 4 * ORR__T_SETTLED : 2 * t->wait;
    t->since = 0;
    t->then = now;
    return true;
}

/* Under the lock. */
static void decide(const orr__plan *p, orr__lane_times *t, orr__lane wish, orr__lane_run *run)
{
    double base = alone(p, t, wish), ratio = predicted(p, wish) / predicted(p, ORR__ALONE);
    if (wish == ORR__ALONE || !(base < HUGE_VAL) || !(ratio < HUGE_VAL))
        return;
    if (recall(p, t, wish, base))
        return;
    bool known = t->n[wish] > 0, again = t->again;
    t->again = false;
    run->against = base;
    double then = known ? t->expected[wish] : (1 + doubt) * ratio * base;
    run->expected = fmax(0, then - base);
    double risk = known ? fmax(run->expected, t->seen[wish] - base) : run->expected;
    run->first = !known;
    run->trial = run->expected > 0 && (again || run->expected <= ORR__REGRET_MOST * base) && orr__regret_leave(risk);
    if (run->trial)
        run->expected = risk;
    if (t->n[ORR__ALONE] > 0 && (run->trial || run->first))
        run->most = (1 + ORR__REGRET_MOST) * base;
    if (run->expected > 0 && !run->trial) {
        run->by = ORR__ALONE;
        run->first = false;
        if (known) /* at most to the caller's time: its return is a trial, which needs leave for its last excess */
            t->expected[wish] += forget * fmin(0, fmax(ratio, 1) * base - then);
    } else if (!known) {
        t->expected[wish] = fmin(ratio * base, base);
    } else if (!run->trial) {
        (void)is_callers_turn(t, wish, base, ratio, run);
    }
}

orr__lane_run orr__lane_begin(const orr__plan *p, orr__lane wish)
{
    orr__lane_run run = orr__lane_plain(wish);
    orr__plan_state *state = orr__plan_state_of(p);
    if (!state || !measures())
        return run;
    run.measured = true;
    pthread_mutex_lock(&lock);
    run.compiled = compiled(p, &state->lane);
    if (run.compiled != state->lane.compiled) /* the times are those of interpreted kernels */
        state->lane = (orr__lane_times){ .compiled = run.compiled };
    decide(p, &state->lane, wish, &run);
    pthread_mutex_unlock(&lock);
    return run;
}

void orr__lane_end(const orr__plan *p, const orr__lane_run *run, double seconds)
{
    orr__plan_state *state = orr__plan_state_of(p);
    if (!run->measured || !state)
        return;
    orr__lane_times *t = &state->lane;
    pthread_mutex_lock(&lock);
    if (t->compiled != run->compiled ||
        compiled(p, t) != run->compiled) { /* it waited for a compiler, or began with other kernels */
        pthread_mutex_unlock(&lock);
        orr__lane_drop(run);
        return;
    }
    /* The first run after a rest wakes the workers, which takes longer than the run: it tells nothing of a loop. */
    bool tells = run->by == ORR__ALONE || !run->cold || t->cold;
    t->cold = run->by != ORR__ALONE && run->cold;
    t->again = !tells;
    double *e = &t->expected[run->by], base = run->against > 0 ? run->against : seconds;
    if (tells) {
        if (*e <= 0 || seconds < *e)
            *e = seconds;
        else
            *e += pace * (seconds - *e);
        t->seen[run->by] = seconds;
        t->n[run->by]++;
        remember(p, t, run->by);
    }
    pthread_mutex_unlock(&lock);
    if (run->trial)
        orr__regret_report(run->expected, seconds - base);
    else if (run->first)
        orr__regret_add(seconds - base);
}

double orr__lane_alone_us(const orr__plan *p)
{
    orr__plan_state *state = measures() ? orr__plan_state_of(p) : NULL;
    if (!state)
        return p->us;
    pthread_mutex_lock(&lock);
    double us = state->lane.n[ORR__ALONE] > 0 ? 1e6 * state->lane.expected[ORR__ALONE] : p->us;
    pthread_mutex_unlock(&lock);
    return us;
}

void orr__lane_drop(const orr__lane_run *run)
{
    if (run->trial)
        orr__regret_return(run->expected);
}
