/* The choice between one kind of processor and all kinds together: a plan's first runs try each placement, and the fastest is kept.
 * Must not know: starpu.h, what a plan computes. */
#include "config.h"
#include "runtime/base/clock.h"
#include "runtime/base/ablation.h"
#include "runtime/base/regret.h"
#include "runtime/base/threshold.h"
#include "runtime/engine/execution.h"


static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int under_way, starts;

static const char *const name[ORR__PLACEMENTS] = { "processors and devices", "processors alone", "devices alone" };

/* True if the plan has a choice, which is among the first *placements placements. */
static bool has_choice(const orr__plan *p, int *placements)
{
    bool any = false, all = true;
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        bool can = s->opencl || s->cuda;
        if (orr__region_needs_device(s->region))
            return false;
        any = any || can || orr__exec_shares(s);
        all = all && can;
    }
    *placements = all ? ORR__PLACEMENTS : ORR__PLACEMENTS - 1;
    return any;
}

static void decide(orr__trial *t, int placements, const char *what)
{
    int best = ORR__CPU_ALONE;
    for (int w = ORR__CPU_ALONE; w < placements; w++)
        best = t->n[w] && t->best[w] < t->best[best] ? w : best;
    bool mixed = !t->n[best] || (t->n[ORR__MIXED] && t->best[ORR__MIXED] <= (1 + ORR__T_NOISE / 100.0) * t->best[best]);
    t->placement = mixed ? ORR__MIXED : (orr__placement)best;
    t->decided = true;
    orr__log(2, "plan that begins with \"%s\": placed on %s (%.0f us; on processors and devices %.0f us)", what,
             name[t->placement], t->best[t->placement] * 1e6, t->best[ORR__MIXED] * 1e6);
}

/* The fastest placement so far. */
static orr__placement best_known(const orr__trial *t)
{
    int best = ORR__MIXED;
    for (int w = 0; w < ORR__PLACEMENTS; w++)
        if (t->n[w] && (!t->n[best] || t->best[w] < t->best[best]))
            best = w;
    return (orr__placement)best;
}

static double best_time(const orr__trial *t)
{
    return t->best[best_known(t)];
}

/* The placement whose turn it is; the best known one if the ledger of regret gives no leave, or if this one is hopeless. Under the lock. */
static orr__placement next(orr__trial *t, int placements, orr__run *r)
{
    orr__placement turn = (orr__placement)((t->starts - ORR__CLEAR) % placements), best = best_known(t);
    if (turn == best || !t->n[best])
        return turn;
    double excess = t->n[turn] ? t->best[turn] - t->best[best] : ORR__REGRET_MOST * t->best[best];
    if (excess > ORR__REGRET_MOST * t->best[best]) {
        t->n[turn] = t->n[turn] > ORR__T_SETTLED ? t->n[turn] : ORR__T_SETTLED;
        return best;
    }
    r->tries = orr__regret_leave(excess);
    r->excess = excess;
    return r->tries ? turn : best;
}

void orr__placement_begin(orr__run *r, bool hybrid)
{
    orr__plan_state *state = orr__plan_state_of(r->plan);
    int placements = 0;
    if (!hybrid || !state || orr__ablated(ORR__OFF_TRIAL) || orr__env.deterministic || orr__exec_cpu != &orr__cpu ||
        !has_choice(r->plan, &placements))
        return;
    orr__trial *t = &state->trial;
    pthread_mutex_lock(&lock);
    bool tells = !t->decided && t->starts >= ORR__CLEAR && under_way == 0;
    r->placement = t->decided ? t->placement : tells ? next(t, placements, r) : best_known(t);
    r->trial = tells ? orr__plan_ref(r->plan) : NULL;
    t->starts += !t->decided && under_way == 0;
    under_way++;
    r->chosen = ++starts;
    pthread_mutex_unlock(&lock);
    r->began = orr__now();
}

void orr__placement_end(orr__run *r)
{
    double took = orr__now() - r->began;
    orr__plan *p = r->trial;
    int placements = 0;
    if (!r->chosen)
        return;
    pthread_mutex_lock(&lock);
    under_way--;
    if (r->tries && p)
        orr__regret_report(r->excess, took - best_time(&orr__plan_state_of(p)->trial));
    else if (r->tries)
        orr__regret_return(r->excess);
    if (p && r->chosen == starts && orr__run_status(r) == ORR_OK && !orr__plan_state_of(p)->trial.decided &&
        has_choice(p, &placements)) {
        orr__trial *t = &orr__plan_state_of(p)->trial;
        t->best[r->placement] = t->n[r->placement] == 0 || took < t->best[r->placement] ? took : t->best[r->placement];
        t->n[r->placement]++;
        bool enough = true;
        for (int w = 0; w < placements; w++)
            enough = enough && t->n[w] >= ORR__T_SETTLED;
        if (enough)
            decide(t, placements, p->step[0].region->label);
    }
    pthread_mutex_unlock(&lock);
    if (p)
        orr__plan_unref(p);
}

/* Describes the placement of a plan, for people. "": no choice, or none yet. */
void orr__placement_describe(const orr__plan *p, char *text, size_t size)
{
    text[0] = '\0';
    pthread_mutex_lock(&lock);
    const orr__plan_state *state = orr__plan_state_of(p);
    const orr__trial *t = state ? &state->trial : NULL;
    if (t && t->decided)
        (void)snprintf(text, size, "%s: %.0f us; both together: %.0f us", name[t->placement],
                       t->best[t->placement] * 1e6, t->best[ORR__MIXED] * 1e6);
    pthread_mutex_unlock(&lock);
}
