/* Makes a plan: regions become steps with tiles, their results become values.
 * Must not know: StarPU, how a kernel computes. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cholesky.h"
#include "runtime/base/env.h"
#include "runtime/plan/maker.h"
#include "runtime/cost/model.h"

typedef orr__maker maker;

orr_status orr__maker_enomem(const maker *m)
{
    return orr__fail(m->at, ORR_ENOMEM, "no memory to plan %d nodes", m->p->n);
}

int orr__maker_value(maker *m, orr_dtype dtype, int64_t count, int leaf)
{
    orr__plan *pl = m->plan;
    if (pl->nvalue == m->value_cap) {
        int cap = m->value_cap ? 2 * m->value_cap : 32;
        orr__value *more = realloc(pl->value, (size_t)cap * sizeof *more);
        if (!more)
            return -1;
        pl->value = more;
        m->value_cap = cap;
    }
    pl->value[pl->nvalue] = (orr__value){ .dtype = dtype,
                                          .count = count,
                                          .tile = count,
                                          .ntiles = 1,
                                          .leaf = leaf,
                                          .output = -1,
                                          .first = -1,
                                          .last = -1,
                                          .slot = -1,
                                          .over = -1,
                                          .into = -1,
                                          .heir = -1 };
    return pl->nvalue++;
}

/* The value of node i's buffer; leaves get theirs on first sight. */
static int value_of(maker *m, int i)
{
    const orr__node *n = m->p->node[i];
    if (m->value_of[i] < 0 && m->p->leaf_of[i] >= 0)
        m->value_of[i] = orr__maker_value(m, (orr_dtype)n->dtype, orr__shape_count(&n->shape), m->p->leaf_of[i]);
    return m->value_of[i];
}

/* A new step around `region`, which the plan takes over. NULL on ENOMEM (then the region is freed). */
orr__step *orr__maker_step(maker *m, orr__region *region)
{
    orr__plan *pl = m->plan;
    if (region && pl->nstep == m->step_cap) {
        int cap = m->step_cap ? 2 * m->step_cap : 32;
        orr__step *more = realloc(pl->step, (size_t)cap * sizeof *more);
        if (!more) {
            orr__region_free(region);
            free(region);
            return NULL;
        }
        pl->step = more;
        m->step_cap = cap;
    }
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

/* What a device cannot, the CPU can. */
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

void orr__step_cut(orr__plan *pl, orr__step *s, int64_t tile)
{
    const orr__region *r = s->region;
    int64_t rows = r->dim[0];
    s->rows = tile;
    s->ntiles = rows ? (int)((rows + s->rows - 1) / s->rows) : 1;
    for (int k = 0; k < r->nout; k++) {
        orr__value *v = &pl->value[s->out[k]];
        v->ntiles = s->ntiles;
        v->tile = s->partial ? r->out_count : s->ntiles > 1 ? s->rows * (v->count / rows) : v->count;
    }
}

/* Cuts the step into n launches. */
static void cut(orr__plan *pl, orr__step *s, int n)
{
    const orr__region *r = s->region;
    int64_t rows = r->dim[0];
    orr__step_cut(pl, s, s->graph ? (r->rank > 2 ? 1 : orr__cholesky_block(rows)) : rows ? (rows + n - 1) / n : 1);
}

/* Inputs that are no node's are `sums`, in order. */
static orr_status bind_inputs(maker *m, orr__step *s, const int *sums)
{
    for (int i = 0; i < s->region->nin; i++)
        if ((s->in[i] = s->region->in[i] < 0 ? *sums++ : value_of(m, s->region->in[i])) < 0)
            return orr__maker_enomem(m);
    return ORR_OK;
}

static orr_status bind_outputs(maker *m, orr__step *s)
{
    const orr__region *r = s->region;
    for (int k = 0; k < r->nout; k++)
        if ((s->out[k] = m->value_of[r->out[k]] = orr__maker_value(m, (orr_dtype)r->out_dtype[k], r->out_count, -1)) <
            0)
            return orr__maker_enomem(m);
    return ORR_OK;
}

/* What a new step reads and, unless that is bound, writes; its n tiles; its kernels. */
orr_status orr__maker_complete(maker *m, orr__step *s, const int *sums, double us, int n)
{
    s->cost.us = us;
    s->cost.size = orr__cost_size(s->region);
    orr_status st = bind_inputs(m, s, sums);
    if (st == ORR_OK && s->out[0] < 0)
        st = bind_outputs(m, s);
    if (st == ORR_OK) {
        cut(m->plan, s, n);
        st = orr__step_prepare(s);
    }
    return st;
}

/* A reduction in n tiles of its rows. */
static orr_status plan_two_stages(maker *m, const orr__region *r, int n)
{
    orr__region *first, *second;
    int64_t rows = (r->dim[0] + n - 1) / n;
    n = (int)((r->dim[0] + rows - 1) / rows);
    orr_status st = orr__split_reduction(m->at, r, n, &first, &second);
    if (st != ORR_OK)
        return st;
    orr__step *s = orr__maker_step(m, first);
    int v[ORR__REGION_OUTS];
    for (int k = 0; k < r->nout; k++)
        if (!s || (v[k] = s->out[k] = orr__maker_value(m, (orr_dtype)first->out_dtype[k], n * r->out_count, -1)) < 0) {
            orr__region_free(second);
            free(second);
            return orr__maker_enomem(m);
        }
    s->partial = true;
    st = orr__maker_complete(m, s, NULL, orr__model_expect(first), n);
    s = orr__maker_step(m, second);
    return !s ? orr__maker_enomem(m) : st != ORR_OK ? st : orr__maker_complete(m, s, v, orr__cost_predict(second), 1);
}

static orr_status plan_region(maker *m, orr__regions *rs, int j)
{
    orr__region *r = &rs->region[j];
    double us = orr__model_expect(r);
    int n = orr__region_tiles(r, us, rs->n == 1 && !m->lean), tiles = n;
    bool across = (r->rmask & 1u) != 0;
    if (across && n > 1 && !r->search && r->out_count * 4 * n < r->dim[0] * r->out_count)
        return plan_two_stages(m, r, n);
    int parts = orr__maker_lean_parts(m, rs, j);
    if (parts > 1 || (parts = orr__device_parts(r, &tiles)) > 1)
        return orr__maker_parts(m, rs, j, parts, tiles);
    if (!m->lean && (parts = orr__product_parts(r, us, n)) > 1)
        return orr__maker_parts(m, rs, j, parts, 0);
    if (across)
        n = 1;
    orr__region *own = malloc(sizeof *own);
    if (!own)
        return orr__maker_enomem(m);
    *own = *r;
    orr__step *s = orr__maker_step(m, own);
    memset(r, 0, sizeof *r); /* moved: the fuser's list no longer owns its arrays */
    if (!s)
        return orr__maker_enomem(m);
    s->graph = orr__region_graph(own, us);
    return orr__maker_complete(m, s, NULL, us, n);
}

static orr_status plan_regions(maker *m, orr__regions *rs)
{
    orr_status st = m->lean ? orr__maker_find(m, rs) : ORR_OK;
    for (int i = 0; i < rs->n && st == ORR_OK; i++)
        if (!m->reader || !m->reader[i])
            st = plan_region(m, rs, i);
    free(m->reader);
    return st;
}

static orr_status plan_outputs(maker *m)
{
    orr__plan *pl = m->plan;
    pl->nout = m->p->nout;
    if (!(pl->out = malloc(((size_t)pl->nout + 1) * sizeof *pl->out)))
        return orr__maker_enomem(m);
    for (int k = 0; k < pl->nout; k++) {
        int v = value_of(m, orr__fuse_strip(m->p, m->p->out[k]));
        if (v < 0)
            return orr__maker_enomem(m);
        pl->out[k] = v;
        if (pl->value[v].output < 0)
            pl->value[v].output = k;
    }
    return ORR_OK;
}

/* Steps in the order in which they will run, what each value is to them, and where it lies. */
static orr_status arrange(maker *m)
{
    orr__plan *pl = m->plan;
    int *renumber = malloc(((size_t)pl->nvalue + 1) * sizeof *renumber);
    orr_status st = renumber ? ORR_OK : orr__maker_enomem(m);
    for (int k = 0, v; k < m->p->nout; k++)
        if ((v = m->value_of[orr__fuse_strip(m->p, m->p->out[k])]) >= 0) {
            pl->value[v].asked = true;
            pl->value[v].awaited |= k < m->p->nfirst && m->p->nfirst < m->p->nout;
        }
    for (int pass = 0; pass < 2 && st == ORR_OK; pass++) {
        if (m->lean == (pass == 1))
            st = orr__plan_make_way(m->at, pl, renumber);
        else
            st = (m->lean ? orr__plan_lean_order : orr__plan_bundle)(m->at, pl, renumber);
        for (int i = 0; st == ORR_OK && i < m->p->n; i++)
            if (m->value_of[i] >= 0)
                m->value_of[i] = renumber[m->value_of[i]];
    }
    free(renumber);
    if (st == ORR_OK)
        st = plan_outputs(m);
    if (st == ORR_OK && m->lean)
        st = orr__plan_recompute(m->at, pl);
    if (st == ORR_OK) {
        orr__plan_lifetimes(pl);
        for (int i = 0; i < pl->nstep; i++)
            pl->us += pl->step[i].cost.us;
        for (int i = 0; i < pl->nstep; i++)
            orr__step_classify(&pl->step[i]);
        orr__plan_early(pl);
        st = orr__plan_urgency(m->at, pl);
    }
    if (st == ORR_OK) {
        st = orr__plan_bundle_memory(m->at, pl);
    }
    if (st == ORR_OK)
        st = orr__plan_memory(m->at, pl);
    if (st == ORR_OK && !m->lean)
        orr__plan_heirs(pl);
    return st;
}

/* Devices have kernels for all of it; what one cannot run, a CPU worker or the calling thread does. */
int orr__plan_fusion(void)
{
    return orr__env.fuse ? ORR__FUSE_TILES : ORR__FUSE_NONE;
}

static orr_status make(orr__site at, const orr__capture *p, bool lean, orr__plan **plan)
{
    orr__regions rs;
    orr_status st = orr__capture_verify(p);
    if (st != ORR_OK || (st = orr__fuse(at, p, orr__plan_fusion(), &rs)) != ORR_OK)
        return st;
    if (orr__env.print & ORR__PRINT_FUSE)
        orr__regions_print(stderr, &rs);
    maker m = { .at = at,
                .p = p,
                .lean = lean,
                .plan = calloc(1, sizeof *m.plan),
                .value_of = malloc(((size_t)p->n + 1) * sizeof(int)) };
    if (!m.plan || !m.value_of) {
        st = orr__maker_enomem(&m);
    } else {
        atomic_init(&m.plan->refs, 1);
        m.plan->nleaf = p->nleaf;
        m.plan->nscalar = p->nscalar;
        memset(m.value_of, -1, ((size_t)p->n + 1) * sizeof(int));
        if ((st = plan_regions(&m, &rs)) == ORR_OK)
            st = arrange(&m);
        m.plan->reason = rs.reason;
        m.plan->nreason = rs.nreason;
        rs.reason = NULL;
        rs.nreason = 0;
    }
    orr__regions_free(&rs);
    free(m.value_of);
    if (st == ORR_OK)
        st = orr__plan_verify(m.plan);
    if (st != ORR_OK && m.plan)
        orr__plan_destroy(m.plan);
    else
        *plan = m.plan;
    return st;
}

/* Keeps what is held where that spares memory; else it is computed again should anybody ask. */
orr_status orr__plan_make(orr__site at, const orr__capture *p, bool lean, orr__plan **plan)
{
    orr__capture less = *p;
    orr__plan *with;
    orr_status st = make(at, p, lean, plan);
    if (st != ORR_OK || p->nkept == 0)
        return st;
    with = *plan;
    if ((st = orr__plan_weigh(at, p, with)) == ORR_OK && with->nkept > 0)
        return ORR_OK;
    less.nout -= p->nkept;
    less.nfirst = less.nfirst < less.nout ? less.nfirst : less.nout;
    less.nkept = 0;
    if (st == ORR_OK && (st = make(at, &less, lean, plan)) == ORR_OK) {
        (*plan)->kept_bytes = with->kept_bytes;
        (*plan)->spared_bytes = with->spared_bytes;
    }
    orr__plan_destroy(with);
    return st;
}

void orr__plan_destroy(orr__plan *p)
{
    for (int i = 0; i < p->nstep; i++) {
        orr__step *s = &p->step[i];
        if (s->cpu)
            orr__cpu.release(s->cpu);
        if (s->opencl)
            orr__opencl.release(s->opencl);
        if (s->cuda)
            orr__cuda.release(s->cuda);
        orr__region_free(s->region);
        free(s->region);
        free(s->in);
        free(s->out);
        free(s->use);
    }
    for (int i = 0; i < p->nreason; i++)
        free(p->reason[i]);
    free(p->reason);
    free(p->step);
    free(p->value);
    free(p->out);
    free(p->slot_bytes);
    free(p->key);
    free(p);
}
