/* Passes over rows: the pass that computes each value, and the values that are kept for later passes.
 * Must not know: loops. */
#include "config.h"

#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "ops/instruction_cost.h"
#include "runtime/base/minmax.h"

bool orr__rowplan_inner(const orr__rowplan *w, int n)
{
    return n >= 0 && w->c->at[n] == w->c->r->rank - 1;
}

bool orr__cloop_folds_in(const orr__cloop *c, int instr, int pass)
{
    if (instr >= c->r->ninstr) /* an output of a reduction */
        return pass == 0;
    const orr__rinstr *in = &c->r->instr[instr];
    return in->kind == ORR__RI_FOLD && c->pass[in->x] == pass;
}

static float cost_of(const orr__rowplan *w, int n)
{
    const orr__rinstr *in = &w->c->r->instr[n];
    const int16_t operand[3] = { in->x, in->y, in->z };
    bool half = orr__is_half((orr_dtype)in->dtype);
    float cost = (float)orr__cloop_flops(w->c, n);
    if (in->kind == ORR__RI_GATHER && orr__rowplan_inner(w, in->x))
        cost = ORR__COST_STRIDED;
    else if (in->kind == ORR__RI_LOAD || in->kind == ORR__RI_GATHER)
        cost = half || w->c->lay.move[in->a * ORR_MAX_RANK + w->c->r->rank - 1] >= ORR__MOVE_ANY ? ORR__COST_STRIDED / 2
                                                                                                 : 1;
    for (int k = 0; k < 3; k++)
        if (orr__rowplan_inner(w, operand[k]))
            cost += w->kept[operand[k]] ? 1 : w->cost[operand[k]];
    return cost;
}

/* Is it a wider type whose values fill half of the first cache? It is computed again from the narrower one. */
static bool widens(const orr__cloop *c, int n)
{
    const orr__region *r = c->r;
    const orr__rinstr *in = &r->instr[n];
    orr_dtype to = (orr_dtype)in->dtype, from = in->x < 0 ? to : (orr_dtype)r->instr[in->x].dtype;
    int64_t elements = c->side >= 0 ? ORR__T_SIDE_BLOCK : r->dim[r->rank - 1], size = (int64_t)orr_dtype_size(to);
    return in->kind == ORR__RI_CAST && !orr__is_half(from) && size > (int64_t)orr_dtype_size(from) &&
           2 * elements * size >= ORR__T_FIRST_CACHE;
}

static bool keep(orr__rowplan *w, int n)
{
    orr_dtype t = (orr_dtype)w->c->r->instr[n].dtype;
    size_t bytes = (size_t)w->length * (t == ORR_BOOL ? sizeof(int64_t) : orr_dtype_size(orr__compute_dtype(t)));
    if (w->kept[n])
        return true;
    if (w->cost[n] <= ORR__T_LIGHT || bytes > w->left || widens(w->c, n))
        return false;
    w->left -= bytes;
    return w->kept[n] = true;
}

/* Is place n reported by the copies of the gathers that alone read it? */
static bool is_reported(const orr__cloop *c, int n)
{
    bool all = true;
    for (int i = n + 1; i < c->r->ninstr; i++)
        all = all && (!orr__cloop_reads(&c->r->instr[i], n) || orr__cloop_finds_along(c, i));
    return all;
}

void orr__rowplan_want(orr__rowplan *w, int pass, bool decide)
{
    const orr__region *r = w->c->r;
    memset(w->wanted, 0, (size_t)r->ninstr * sizeof *w->wanted);
    for (int k = 0; k < r->nout && pass == w->passes; k++)
        w->wanted[r->out_reg[k]] = true;
    for (int n = r->ninstr - 1; n >= 0; n--) {
        const orr__rinstr *in = &r->instr[n];
        const int16_t operand[3] = { in->x, in->y, in->z };
        if (pass < w->passes && orr__cloop_folds_in(w->c, n, pass) && !(w->in_place && orr__cloop_lies(w->c, in->x)))
            w->wanted[in->x] = true;
        if (in->kind == ORR__RI_PLACE && w->c->pass[n] == pass && !is_reported(w->c, n))
            w->wanted[n] = true; /* even where the box excludes the element */
        if (!w->wanted[n] || !orr__rowplan_inner(w, n))
            continue;
        if (decide && w->first[n] < 0)
            w->first[n] = pass;
        if (w->first[n] < pass && (decide ? keep(w, n) : w->kept[n]))
            continue;
        for (int k = 0; k < 3; k++)
            if (operand[k] >= 0 && !orr__cloop_finds_along(w->c, n))
                w->wanted[operand[k]] = true;
    }
}

static void plan(orr__rowplan *w)
{
    for (int i = 0; i < w->c->r->ninstr; i++) {
        w->first[i] = -1;
        w->passes = ORR__MAX(w->c->pass[i], w->passes);
        w->cost[i] = cost_of(w, i);
    }
    for (int p = 0; p <= w->passes; p++)
        orr__rowplan_want(w, p, true);
}

void orr__rowplan_nest(orr__rowplan w, void (*nest)(orr__rowplan *w))
{
    size_t n = (size_t)w.c->r->ninstr + 1;
    w.first = orr__alloc_n(n, sizeof *w.first);
    w.cost = orr__alloc_n(n, sizeof *w.cost);
    w.kept = orr__alloc_n(n, 2 * sizeof *w.kept);
    if (w.first && w.cost && w.kept) {
        w.wanted = w.kept + n;
        plan(&w);
        nest(&w);
    } else {
        w.c->n->t->failed = true;
    }
    free(w.first);
    free(w.cost);
    free(w.kept);
}

void orr__rowplan_values(orr__rowplan *w, int pass, const char *at)
{
    const orr__cloop *c = w->c;
    orr__rowplan_want(w, pass, false);
    for (int n = 0; n < c->r->ninstr; n++) {
        if (!w->wanted[n] || !orr__rowplan_inner(w, n))
            continue;
        if (w->kept[n] && w->first[n] < pass) {
            orr__cloop_load(c, ORR__LOAD_KEPT, n, orr__cloop_name(c, "keep", n), at);
            continue;
        }
        orr__cloop_value(c, n);
        if (w->kept[n])
            orr__cloop_store(c, n, orr__cloop_name(c, "keep", n), at);
    }
}
