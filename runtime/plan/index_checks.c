/* Plans that only a wrong index can make fail, if all their indices are in leaves. A run that checks these leaves first, and finds the
 * indices in range, cannot fail and may overwrite old values.
 * Must not know: the code that checks, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "codelets/emit/emit.h"
#include "runtime/base/array.h"
#include "runtime/plan/passes.h"

typedef struct {
    orr__plan *p;
    int64_t *least; /* value -> the least length of its checks, INT64_MAX: none */
    int cap;
} checks;

/* Adds a check: the elements of a step's input are places on an axis of this length. False: the input is no leaf, or
 * no memory. */
static bool add(checks *c, const orr__step *s, int input, int64_t length)
{
    orr__plan *p = c->p;
    int v = s->in[input];
    if (p->value[v].leaf < 0)
        return false;
    if (c->least[v] <= length)
        return true;
    orr__index_check *more = orr__array_reserve(p->check, &c->cap, p->nchecks + 1, sizeof *more);
    if (!more)
        return false;
    p->check = more;
    p->check[p->nchecks++] = (orr__index_check){ v, length };
    c->least[v] = length;
    return true;
}

/* Adds checks for all that can go wrong with the data of a step. False: there is no check for some of it. */
static bool add_step(checks *c, const orr__step *s)
{
    const orr__region *r = s->region;
    const orr__op *op = r->call.op;
    bool all = true;
    if (op && op->flags & ORR__OP_MAY_FAIL)
        return op->indices && add(c, s, op->indices - 1, r->call.in[0].dim[r->call.attr.axis]);
    for (int i = 0; i < r->ninstr && all; i++) {
        const orr__rinstr *place = r->instr[i].kind == ORR__RI_PLACE ? &r->instr[i] : NULL;
        const orr__rinstr *index = place ? &r->instr[place->x] : NULL;
        all = !place || (index->kind == ORR__RI_LOAD && add(c, s, r->access[index->a].input, r->access[place->a].by));
    }
    return all;
}

orr_status orr__pass_index_checks(orr__planner *planner)
{
    orr__plan *p = planner->plan;
    checks c = { .p = p, .least = malloc(((size_t)p->nvalue + 1) * sizeof *c.least) };
    bool all = true;
    if (!c.least)
        return orr__plan_enomem(planner);
    for (int i = 0; i < p->nvalue; i++)
        c.least[i] = INT64_MAX;
    for (int i = 0; i < p->nstep && all; i++)
        all = orr__step_cannot_fail(&p->step[i]) || add_step(&c, &p->step[i]);
    p->nchecks = all ? p->nchecks : 0;
    free(c.least);
    return ORR_OK;
}
