/* Strips: a chain of steps over the same rows, each too small to be shared by all workers, is cut once for all of it. One task
 * computes the rows of a strip from end to end: forward through a network and back, without waiting in between.
 * Must not know: other bundles, memory, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/base/env.h"
#include "runtime/plan/passes.h"

/* The place of a step: before the chain, in it, or behind it, where it reads a value of the chain outside its strip. */
enum { BEFORE, INSIDE, BEHIND };

enum {
    LEAST_ROWS = 32, /* thinner ones starve the BLAS kernels                                        */
    TRIES = 8,       /* numbers of rows that are tried                                              */
    LARGE = 4,       /* in tasks for every worker: a step that is cut well by itself                */
    LONGEST = 64     /* likewise, all of the chain: its values are in memory at the same time        */
};

typedef struct {
    orr__plan *pl;
    int64_t all, rows; /* of the chain, of a strip                          */
    int n, members, products;
    double sum, path; /* µs: of its steps, of the longest way through them */
    int *producer;    /* value -> step, -1                                 */
    double *end;      /* by step: of the longest way up to its end         */
    char *place;      /* by step                                           */
} chain;

/* Elements of a value that belong to a strip. */
static int64_t part(const chain *c, const orr__value *v)
{
    return c->rows * (v->count / c->all);
}

static bool may_be_inside(const chain *c, const orr__step *s)
{
    const orr__region *r = s->region;
    double worth = orr__task_worth() * orr__machine_here.workers;
    return orr__region_loops(r) && !(r->rmask & 1u) && !s->partial && s->terms.parts < 2 && !s->opencl &&
           !s->cuda && s->cost.us < LARGE * worth && r->dim[0] > 0 && r->dim[0] % c->all == 0 &&
           r->out_count % c->all == 0 && orr__region_cuttable(r) && c->sum + s->cost.us < LONGEST * worth;
}

/* Does every strip of the step read input k in its own strip alone? */
static bool in_line(const chain *c, const orr__step *s, int k)
{
    const orr__value *v = &c->pl->value[s->in[k]];
    orr__step cut = *s;
    cut.rows = c->rows * (s->region->dim[0] / c->all);
    for (int t = 0; t < c->n; t++) {
        int64_t first, end, lo = t * part(c, v), hi = lo + part(c, v);
        orr__step_reads(&cut, t, k, &first, &end);
        if (end > first && (first < lo || end > hi))
            return false;
    }
    return true;
}

/* Where step i stands, given where those before it do. */
static void settle(chain *c, int i)
{
    const orr__step *s = &c->pl->step[i];
    char place = may_be_inside(c, s) ? INSIDE : BEFORE;
    double begin = 0;
    for (int k = 0; k < s->region->nin; k++) {
        int from = c->producer[s->in[k]];
        if (from < 0 || c->place[from] == BEFORE)
            continue;
        if (c->place[from] == BEHIND || place == BEFORE || (place == INSIDE && !in_line(c, s, k)))
            place = BEHIND;
        begin = c->end[from] > begin ? c->end[from] : begin;
    }
    c->place[i] = place;
    if (place != INSIDE)
        return;
    c->end[i] = begin + s->cost.us;
    c->path = c->end[i] > c->path ? c->end[i] : c->path;
    c->sum += s->cost.us;
    c->members++;
    c->products += s->region->product;
}

/* The chain over `all` rows: is it one, which strips would end sooner than its steps one beside the other? */
static bool look(chain *c, int64_t all)
{
    int workers = orr__machine_here.workers;
    int64_t most = all / LEAST_ROWS;
    c->n = most < workers ? (int)most : workers;
    if (c->n < 2)
        return false;
    c->all = all;
    c->rows = (all + c->n - 1) / c->n;
    c->n = (int)((all + c->rows - 1) / c->rows);
    c->sum = c->path = 0;
    c->members = c->products = 0;
    for (int i = 0; i < c->pl->nstep; i++)
        settle(c, i);
    return c->products > 1 && c->sum / c->n >= orr__task_worth() / 2 && c->n * c->path > 1.5 * c->sum;
}

static bool found(chain *c)
{
    int64_t tried[TRIES];
    int ntried = 0;
    for (int i = 0; i < c->pl->nstep && ntried < TRIES; i++) {
        const orr__region *r = c->pl->step[i].region;
        bool again = !r->product || r->rank != 3;
        for (int k = 0; k < ntried && !again; k++)
            again = tried[k] == r->dim[0];
        if (again)
            continue;
        if (look(c, r->dim[0]))
            return true;
        tried[ntried++] = r->dim[0];
    }
    return false;
}

/* Steps before the chain, those in it, cut and side by side, then the others. */
static orr_status arrange(const orr__planner *p, chain *c)
{
    orr__plan *pl = c->pl;
    orr__step *step = malloc((size_t)pl->nstep * sizeof *step);
    int n = 0;
    if (!step)
        return orr__plan_enomem(p);
    for (char place = BEFORE; place <= BEHIND; place++) {
        int head = n;
        for (int i = 0; i < pl->nstep; i++)
            if (c->place[i] == place)
                step[n++] = pl->step[i];
        for (int i = head; place == INSIDE && i < n; i++) {
            orr__step_cut(pl, &step[i], c->rows * (step[i].region->dim[0] / c->all));
            step[i].bundle.members = i == head ? c->members : head - i;
        }
    }
    memcpy(pl->step, step, (size_t)pl->nstep * sizeof *step);
    free(step);
    return ORR_OK;
}

/* None with ORRERY_DETERMINISTIC: cuts would depend on how many workers there are. */
orr_status orr__pass_strips(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    size_t n = (size_t)p->nstep + 1;
    if (orr__env.deterministic || orr__machine_here.workers < 2 || !orr__plan_may_bundle(p))
        return ORR_OK;
    chain c = { .pl = p,
                .producer = malloc(((size_t)p->nvalue + 1) * sizeof *c.producer),
                .end = malloc(n * sizeof *c.end),
                .place = malloc(n) };
    orr_status st = ORR_OK;
    if (!c.producer || !c.end || !c.place) {
        st = orr__plan_enomem(planner);
    } else {
        for (int i = 0; i < p->nvalue; i++)
            c.producer[i] = -1;
        for (int i = 0; i < p->nstep; i++)
            for (int k = 0; k < p->step[i].region->nout; k++)
                c.producer[p->step[i].out[k]] = i;
        if (found(&c))
            st = arrange(planner, &c);
    }
    free(c.producer);
    free(c.end);
    free(c.place);
    return st;
}
