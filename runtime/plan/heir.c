/* Which outputs may be written where a leaf is: new values of variables over the old ones, where an evaluation finds that nobody
 * else can see these any more (runtime/graph/donation.h). The plan only says where it could be; it is right either way.
 * Whether it is worth the outputs that are kept for that.
 * Must not know: who sees what, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/graph/donation.h"
#include "runtime/plan/make.h"

static size_t bytes_of(const orr__value *v)
{
    return (size_t)v->count * orr_dtype_size(v->dtype);
}

/* The last instruction that looks at input k; -1: something else than loads and element-wise instructions might.
 *
 * This is what every kernel for a CPU keeps to: C loops load all of an element, and of a whole block if they are cut into stages,
 * before they store any of it (codelets/emit/cloop_map.c); the interpreter writes an output of a block when it makes that
 * register, and reads an input until the last look at it (codelets/cpu/program_run.c). Neither promises a compiler that outputs and
 * inputs lie apart. Kernels for devices keep to nothing: steps that have one have no heirs. */
static int last_look(const orr__region *r, int k)
{
    int last = -1;
    for (int i = 0; i < r->ninstr; i++) {
        const orr__rinstr *in = &r->instr[i];
        const int16_t operand[3] = { in->x, in->y, in->z };
        if (in->kind != ORR__RI_LOAD && in->a >= 0 && r->access[in->a].input == k)
            return -1;
        for (int n = 0; n < 3; n++) {
            const orr__rinstr *x = operand[n] >= 0 ? &r->instr[operand[n]] : NULL;
            if (x && x->kind == ORR__RI_LOAD && r->access[x->a].input == k)
                last = i;
        }
    }
    return last;
}

/* Output n may lie where input k is. */
static bool suits(const orr__plan *p, const orr__step *s, int k, int n, int look)
{
    const orr__region *r = s->region;
    const orr__value *u = &p->value[s->in[k]], *v = &p->value[s->out[n]];
    int kind = r->instr[r->out_reg[n]].kind;
    return v->asked && v->into < 0 && v->over < 0 && u->dtype == v->dtype && u->count == v->count &&
           r->out_reg[n] >= look && (kind == ORR__RI_EW || kind == ORR__RI_CAST);
}

/* The output that is made first of those that may, so that others are left for inputs that are looked at longer; -1. */
static int heir_of(const orr__plan *p, const orr__step *s, int k)
{
    const orr__region *r = s->region;
    const orr__value *u = &p->value[s->in[k]];
    int look = orr__region_writes_elements(r) ? last_look(r, k) : -1, best = -1;
    if (look < 0 || u->leaf < 0 || u->heir >= 0 || bytes_of(u) < ORR__TAKE_LEAST || s->opencl || s->cuda ||
        s->partial || s->graph || !orr__region_reads_elements(r, k))
        return -1;
    for (int j = 0; j < r->nin; j++)
        if (j != k && s->in[j] == s->in[k])
            return -1;
    for (int n = 0; n < r->nout; n++)
        if (suits(p, s, k, n, look) && (best < 0 || r->out_reg[n] < r->out_reg[best]))
            best = n;
    return best;
}

bool orr__plan_has_heir(const orr__plan *p, const orr__step *s, int k)
{
    return orr__machine_here.one_memory && heir_of(p, s, k) >= 0;
}

void orr__plan_heirs(orr__plan *p)
{
    p->safe = orr__plan_cannot_fail(p);
    if (!orr__machine_here.one_memory || !p->safe)
        return;
    for (int i = 0; i < p->nstep; i++) {
        const orr__step *s = &p->step[i];
        bool alone = p->step[orr__plan_head(p, i)].members <= 1;
        for (int k = 0, n; alone && k < s->region->nin; k++) {
            orr__value *u = &p->value[s->in[k]];
            if (u->last != i || u->output >= 0 || (n = heir_of(p, s, k)) < 0)
                continue;
            u->heir = s->out[n];
            p->value[s->out[n]].into = s->in[k];
            p->nheirs++;
        }
    }
}

/* Small plans run on the calling thread, beside the old values. */
static size_t bytes_spared(const orr__capture *p, const orr__plan *pl, const bool *needed)
{
    size_t sum = 0;
    for (int i = 0; i < pl->nvalue && pl->us >= orr__inline_us(); i++) {
        const orr__value *v = &pl->value[i];
        if (v->leaf >= 0 && v->heir >= 0 && needed[p->leaf_node[v->leaf]])
            sum += bytes_of(v);
    }
    return sum;
}

orr_status orr__plan_weigh(orr__site at, const orr__capture *p, orr__plan *pl)
{
    int first = p->nout - p->nkept;
    bool *needed = calloc((size_t)p->n + 1, sizeof *needed);
    if (!needed)
        return orr__fail(at, ORR_ENOMEM, "no memory to plan %d nodes", p->n);
    for (int k = first; k < p->nout; k++) {
        const orr__value *v = &pl->value[pl->out[k]];
        pl->kept_bytes += v->leaf < 0 && v->output == k ? bytes_of(v) : 0;
        needed[p->out[k]] = true;
    }
    for (int i = p->n; i-- > 0;)
        for (int k = 0; needed[i] && k < orr__capture_nin(p, i); k++)
            needed[p->arg[p->arg0[i] + k]] = true;
    pl->spared_bytes = bytes_spared(p, pl, needed);
    pl->nkept = pl->kept_bytes < pl->spared_bytes ? p->nkept : 0;
    free(needed);
    return ORR_OK;
}
