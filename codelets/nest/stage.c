/* C loops of maps with long bodies, cut into stages. Each stage is a loop over the block; values for later stages are kept on the stack.
 * Must not know: the meaning of instructions.
 *
 * A processor reorders within a few hundred instructions. A body that is one long chain of logarithms and exponentials fits two or three
 * times into that window, and each copy waits for its own last result. A stage fits many times. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include "codelets/nest/internal.h"
#include "ops/instruction_cost.h"

int orr__cloop_flops(const orr__cloop *c, int n)
{
    return c->at[n] < c->r->rank - 1 ? 0 : orr__instruction_cost(&c->r->instr[n]);
}

int orr__cloop_work(const orr__cloop *c)
{
    int flops = 0;
    for (int n = 0; n < c->r->ninstr; n++)
        flops += orr__cloop_flops(c, n);
    return flops;
}

/* Instructions go to the earliest possible stage: those that do not wait for the first stage's divisions run between them. */
int orr__cloop_stages(const orr__cloop *c)
{
    int stages = 1, last = c->r->rank - 1;
    int16_t *flops = calloc((size_t)c->r->ninstr + 1, sizeof *flops);
    if (!flops) {
        c->n->t->failed = true;
        return 1;
    }
    for (int n = 0; n < c->r->ninstr; n++) {
        int own = orr__cloop_flops(c, n), s = orr__cloop_most(&c->r->instr[n], c->pass, 0);
        if (c->at[n] < last)
            continue;
        while (own >= ORR__COST_FUNCTION && flops[s] >= ORR__COST_LOOP && flops[s] + own > ORR__T_LOOP_WORK)
            s++;
        flops[s] = (int16_t)(flops[s] + own);
        c->pass[n] = (int16_t)s;
        stages = s >= stages ? s + 1 : stages;
    }
    free(flops);
    return stages;
}

static bool used_in(const orr__cloop *c, int n, int stage, bool last)
{
    const orr__region *r = c->r;
    for (int i = n + 1; i < r->ninstr; i++)
        if (c->at[i] == r->rank - 1 && c->pass[i] == stage && orr__cloop_reads(&r->instr[i], n))
            return true;
    for (int k = 0; k < r->nout && last; k++)
        if (r->out_reg[k] == n)
            return true;
    return false;
}

/* True if register n is kept for a later stage. Inputs in memory are read again. */
static bool kept(const orr__cloop *c, int n, int stages)
{
    for (int s = c->pass[n] + 1; s < stages && c->at[n] == c->r->rank - 1 && !orr__cloop_lies(c, n); s++)
        if (used_in(c, n, s, s == stages - 1))
            return true;
    return false;
}

const char *orr__cloop_kept(const orr__cloop *c, int n)
{
    orr_dtype t = (orr_dtype)c->r->instr[n].dtype;
    for (int i = 0; i < c->r->ninstr; i++)
        if (c->r->instr[i].kind == ORR__RI_FOLD && c->r->instr[i].x == n)
            return orr__emit_type(t); /* as the fold reads it */
    return orr__emit_type(t != ORR_BOOL ? t : orr__cloop_widest(c) > 4 ? ORR_I64 : ORR_I32);
}

void orr__cloop_stage_begin(const orr__cloop *c, int stages)
{
    for (int n = 0; n < c->r->ninstr; n++)
        if (kept(c, n, stages))
            orr__cloop_declare(c, 0, orr__cloop_kept(c, n), "keep", n, ORR__BLOCK_ELEMENTS);
}

void orr__cloop_stage_values(const orr__cloop *c, int stage, int stages)
{
    const orr__region *r = c->r;
    int last = r->rank - 1;
    const char *at = orr__nest_say(c->n, "i%d - q", last);
    for (int n = 0; n < r->ninstr; n++) {
        if (c->at[n] < last || c->pass[n] >= stage || !used_in(c, n, stage, stage == stages - 1))
            continue;
        if (orr__cloop_lies(c, n))
            orr__cloop_value(c, n);
        else
            orr__cloop_load(c, ORR__LOAD_KEPT, n, orr__cloop_name(c, "keep", n), at);
    }
    orr__cloop_passes(c, last, stage, stage);
    for (int n = 0; n < r->ninstr; n++)
        if (c->pass[n] == stage && kept(c, n, stages))
            orr__cloop_store(c, n, orr__cloop_name(c, "keep", n), at);
}
