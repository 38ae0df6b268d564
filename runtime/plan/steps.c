/* Regions become steps: values, tiles, kernels.
 * Must not know: why a region is cut, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cholesky.h"
#include "runtime/base/array.h"
#include "runtime/plan/passes.h"

int orr__new_value(orr__planner *p, orr_dtype dtype, int64_t count, int leaf)
{
    orr__plan *pl = p->plan;
    orr__value *value = orr__array_reserve(pl->value, &p->value_cap, pl->nvalue + 1, sizeof *value);
    if (!value)
        return -1;
    pl->value = value;
    pl->value[pl->nvalue] = (orr__value){ .dtype = dtype,
                                          .count = count,
                                          .tile = count,
                                          .ntiles = 1,
                                          .leaf = leaf,
                                          .output = -1,
                                          .first = -1,
                                          .last = -1,
                                          .slot = -1,
                                          .donor = -1,
                                          .recipient = -1,
                                          .form_step = -1 };
    return pl->nvalue++;
}

int orr__plan_value_of(orr__planner *p, int i)
{
    const orr__node *n = p->capture->node[i];
    if (p->value_of[i] < 0 && p->capture->leaf_of[i] >= 0)
        p->value_of[i] = orr__new_value(p, (orr_dtype)n->dtype, orr__shape_count(&n->shape), p->capture->leaf_of[i]);
    return p->value_of[i];
}

/* A new step around `region`, which the plan takes over. NULL on ENOMEM (then the region is freed). */
orr__step *orr__new_step(orr__planner *p, orr__region *region)
{
    orr__plan *pl = p->plan;
    orr__step *more = region ? orr__array_reserve(pl->step, &p->step_cap, pl->nstep + 1, sizeof *more) : NULL;
    if (region && !more) {
        orr__region_free(region);
        free(region);
        return NULL;
    }
    if (more)
        pl->step = more;
    if (!region)
        return NULL;
    orr__step *s = &pl->step[pl->nstep++];
    *s = (orr__step){ .region = region, .ntiles = 1, .rows = region->dim[0] };
    s->in = malloc(((size_t)region->nin + 1) * sizeof *s->in);
    s->out = malloc((size_t)region->nout * sizeof *s->out);
    if (s->out)
        s->out[0] = -1; /* not bound */
    return s->in && s->out ? s : NULL;
}

/* The kernel of a device, NULL: it has none. Every region has a kernel for the CPU. */
static orr__kernel *prepare_for(const orr__backend *b, bool there, const orr__region *r)
{
    orr__kernel *k = NULL;
    return there && (!b->can || b->can(r)) && b->prepare(r, &k) == ORR_OK ? k : NULL;
}

orr_status orr__step_prepare(orr__step *s)
{
    const orr__region *r = s->region;
    orr_status st = orr__cpu.prepare(r, &s->cpu);
    s->opencl = prepare_for(&orr__opencl, st == ORR_OK && orr__machine_here.opencl, r);
    s->cuda = prepare_for(&orr__cuda, st == ORR_OK && orr__machine_here.cuda > 0, r);
    return st;
}

/* Cuts the step into n tiles. */
static void cut(orr__plan *pl, orr__step *s, int n)
{
    const orr__region *r = s->region;
    int64_t rows = r->dim[0];
    orr__step_cut(pl, s, s->graph ? (r->rank > 2 ? 1 : orr__cholesky_block(rows)) : rows ? (rows + n - 1) / n : 1);
}

/* Binds the inputs. Inputs without a node are `sums`, in order. */
static orr_status bind_inputs(orr__planner *p, orr__step *s, const int *sums)
{
    for (int i = 0; i < s->region->nin; i++)
        if ((s->in[i] = s->region->in[i] < 0 ? *sums++ : orr__plan_value_of(p, s->region->in[i])) < 0)
            return orr__plan_enomem(p);
    return ORR_OK;
}

static orr_status bind_outputs(orr__planner *p, orr__step *s)
{
    const orr__region *r = s->region;
    for (int k = 0; k < r->nout; k++)
        if ((s->out[k] = p->value_of[r->out[k]] = orr__new_value(p, (orr_dtype)r->out_dtype[k], r->out_count, -1)) < 0)
            return orr__plan_enomem(p);
    return ORR_OK;
}

orr_status orr__complete_step(orr__planner *p, orr__step *s, const int *sums, double us, int n)
{
    s->cost.us = us;
    s->cost.size = orr__cost_size(s->region);
    orr_status st = bind_inputs(p, s, sums);
    if (st == ORR_OK && s->out[0] < 0)
        st = bind_outputs(p, s);
    if (st == ORR_OK) {
        cut(p->plan, s, n);
        st = orr__step_prepare(s);
    }
    return st;
}

/* Makes the two steps of a reduction in n tiles of its rows, or of a call in n tiles of its terms. */
static orr_status two_stages(orr__planner *p, const orr__region *r, int n)
{
    orr__region *first, *second;
    int64_t rows = (r->dim[0] + n - 1) / n;
    if (!r->call.op)
        n = (int)((r->dim[0] + rows - 1) / rows);
    orr_status st = orr__split_reduction(p->at, r, n, &first, &second);
    if (st != ORR_OK)
        return st;
    orr__step *s = orr__new_step(p, first);
    int v[ORR__REGION_OUTS];
    for (int k = 0; k < r->nout; k++)
        if (!s || (v[k] = s->out[k] = orr__new_value(p, (orr_dtype)first->out_dtype[k], n * r->out_count, -1)) < 0) {
            orr__region_free(second);
            free(second);
            return orr__plan_enomem(p);
        }
    s->partial = true;
    st = orr__complete_step(p, s, NULL, orr__model_expect(first), n);
    s = orr__new_step(p, second);
    return !s ? orr__plan_enomem(p) : st != ORR_OK ? st : orr__complete_step(p, s, v, orr__cost_predict(second), 1);
}

static orr_status one_step(orr__planner *p, orr__region *r, const orr__cut *c)
{
    orr__region *own = malloc(sizeof *own);
    if (!own)
        return orr__plan_enomem(p);
    *own = *r;
    memset(r, 0, sizeof *r); /* its arrays are the step's now */
    orr__step *s = orr__new_step(p, own);
    if (!s)
        return orr__plan_enomem(p);
    s->graph = orr__region_graph(own, c->us);
    s->borrows = orr__region_borrows(own, c->us, c->tiles);
    return orr__complete_step(p, s, NULL, c->us, c->tiles);
}

orr_status orr__pass_steps(orr__planner *p)
{
    orr_status st = ORR_OK;
    for (int j = 0; j < p->regions.n && st == ORR_OK; j++) {
        const orr__cut *c = &p->cut[j];
        if (c->made_for)
            continue;
        st = c->two_stages  ? two_stages(p, &p->regions.region[j], c->shares)
             : c->parts > 1 ? orr__partial_product_steps(p, j)
                            : one_step(p, &p->regions.region[j], c);
    }
    double us = 0;
    p->plan->cannot_fail = true;
    for (int i = 0; i < p->plan->nstep; i++) {
        p->plan->cannot_fail = p->plan->cannot_fail && orr__step_cannot_fail(&p->plan->step[i]);
        p->plan->calls = p->plan->calls || p->plan->step[i].region->call.op;
        us += p->plan->step[i].cost.us;
    }
    p->plan->us = us;
    return st;
}
