/* The choice between processors and devices together and one kind alone: a plan's first runs try each, and the fastest stays.
 * Must not know: starpu.h, what a plan computes. */
#include "config.h"
#include "runtime/base/clock.h"
#include "runtime/base/env.h"
#include "runtime/engine/execution.h"

/* The first runs compile kernels and bring data; so many of each way are compared; a program whose runs overlap gives no
 * times, and is not tried for ever. */
enum { WARM = 2, ENOUGH = 3, MOST = 60 };
#define NOISE 1.05

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int under_way, starts;

static const char *const name[ORR__WAYS] = { "processors and devices", "processors alone", "devices alone" };

/* Has it a choice? ways: of the first so many. */
static bool has_choice(const orr__plan *p, int *ways)
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
    *ways = all ? ORR__WAYS : ORR__WAYS - 1;
    return any;
}

static void decide(orr__trial *t, int ways, const char *what)
{
    int best = ORR__CPU_ALONE;
    for (int w = ORR__CPU_ALONE; w < ways; w++)
        best = t->n[w] && t->best[w] < t->best[best] ? w : best;
    bool mixed = !t->n[best] || (t->n[ORR__MIXED] && t->best[ORR__MIXED] <= NOISE * t->best[best]);
    t->way = mixed ? ORR__MIXED : (orr__way)best;
    t->decided = true;
    orr__log(2, "%s…: %s from now on: %.0f us, with processors and devices %.0f us", what, name[t->way],
             t->best[t->way] * 1e6, t->best[ORR__MIXED] * 1e6);
}

void orr__guard_begin(orr__run *r, bool hybrid)
{
    orr__trial *t = &r->plan->trial;
    int ways = 0;
    if (!hybrid || orr__env.deterministic || orr__exec_cpu != &orr__cpu || !has_choice(r->plan, &ways))
        return;
    pthread_mutex_lock(&lock);
    r->way = t->decided ? t->way : t->starts < WARM ? ORR__MIXED : (orr__way)((t->starts - WARM) % ways);
    if (!t->decided) {
        r->trial = t->starts >= WARM && under_way == 0 ? orr__plan_ref(r->plan) : NULL;
        if (++t->starts > MOST)
            decide(t, ways, r->plan->step[0].region->label);
    }
    under_way++;
    r->guarded = ++starts;
    pthread_mutex_unlock(&lock);
    r->began = orr__now();
}

void orr__guard_end(orr__run *r)
{
    double took = orr__now() - r->began;
    orr__plan *p = r->trial;
    int ways = 0;
    if (!r->guarded)
        return;
    pthread_mutex_lock(&lock);
    under_way--;
    if (p && r->guarded == starts && orr__run_status(r) == ORR_OK && !p->trial.decided && has_choice(p, &ways)) {
        orr__trial *t = &p->trial;
        t->best[r->way] = t->n[r->way] == 0 || took < t->best[r->way] ? took : t->best[r->way];
        t->n[r->way]++;
        bool enough = true;
        for (int w = 0; w < ways; w++)
            enough = enough && t->n[w] >= ENOUGH;
        if (enough)
            decide(t, ways, p->step[0].region->label);
    }
    pthread_mutex_unlock(&lock);
    if (p)
        orr__plan_unref(p);
}

/* How a plan is placed, for people. "" where there is no choice, or none yet. */
void orr__guard_say(const orr__plan *p, char *text, size_t size)
{
    text[0] = '\0';
    pthread_mutex_lock(&lock);
    const orr__trial *t = &p->trial;
    if (t->decided)
        (void)snprintf(text, size, "%s: %.0f us; both together: %.0f us", name[t->way], t->best[t->way] * 1e6,
                       t->best[ORR__MIXED] * 1e6);
    pthread_mutex_unlock(&lock);
}
