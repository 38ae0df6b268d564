/* Long reductions in two stages: tiles to partial results, partial results to the result.
 * Must not know: values, StarPU. */
#include "config.h"

#include <stdlib.h>
#include "runtime/plan/passes.h"

/* Partial sums have the dtype in which they are accumulated; those of a kernel have the dtype of its result. */
static uint8_t partial_dtype(const orr__region *r, int k)
{
    bool fold = !r->call.op && (r->rop[k] == ORR__RSUM || r->rop[k] == ORR__RPROD);
    return fold && orr__is_float((orr_dtype)r->out_dtype[k]) ? ORR_F64 : r->out_dtype[k];
}

/* Makes the second stage, whose input k is output k of the first stage. */
static orr__region *second_stage(const orr__region *whole, const orr__region *first, int ntiles)
{
    orr__region *r = calloc(1, sizeof *r);
    size_t n = (size_t)whole->nout;
    if (!r)
        return NULL;
    r->rank = 2;
    r->dim[0] = ntiles;
    r->dim[1] = whole->out_count;
    r->rmask = 1;
    r->call.slot = -1;
    r->nin = r->naccess = r->ninstr = r->nout = whole->nout;
    r->in = calloc(n, sizeof *r->in);
    r->in_dtype = calloc(n, sizeof *r->in_dtype);
    r->in_count = calloc(n, sizeof *r->in_count);
    r->access = calloc(n, sizeof *r->access);
    r->instr = calloc(n, sizeof *r->instr);
    if (!r->in || !r->in_dtype || !r->in_count || !r->access || !r->instr) {
        orr__region_free(r);
        free(r);
        return NULL;
    }
    for (int k = 0; k < r->nout; k++) {
        r->rop[k] = whole->call.op ? ORR__RSUM : whole->rop[k];
        r->in[k] = -1; /* no node */
        r->in_dtype[k] = first->out_dtype[k];
        r->in_count[k] = ntiles * whole->out_count;
        r->access[k] = (orr__access){ .input = k, .stride = { whole->out_count, 1 } };
        r->instr[k] = (orr__rinstr){ ORR__RI_LOAD, r->in_dtype[k], 0, -1, -1, -1, (int16_t)k, -1 };
        r->out[k] = whole->out[k];
        r->out_reg[k] = (int16_t)k;
        r->out_dtype[k] = whole->out_dtype[k];
    }
    r->out_count = whole->out_count;
    r->file = whole->file;
    r->line = whole->line;
    orr__region_finish(r);
    return r;
}

orr_status orr__split_reduction(orr__site at, const orr__region *whole, int ntiles, orr__region **first,
                                orr__region **second)
{
    orr__region *r = orr__region_copy(whole);
    for (int k = 0; r && k < whole->nout; k++) {
        r->out_dtype[k] = partial_dtype(whole, k);
        r->key ^= 0x9e3779b97f4a7c15u * (uint64_t)((unsigned)r->out_dtype[k] + 16 * (unsigned)k + 1);
    }
    if (r && r->call.op) {
        r->call.parts = ntiles;
        r->rank = r->call.op->space(&r->call, r->dim);
        r->key ^= (uint64_t)ntiles * 0x9e3779b97f4a7c15u;
    }
    *first = r;
    *second = r ? second_stage(whole, r, ntiles) : NULL;
    if (*second)
        return ORR_OK;
    if (r)
        orr__region_free(r);
    free(r);
    return orr__fail(at, ORR_ENOMEM, "no memory to split %s", whole->label);
}

bool orr__terms_apart(const orr__region *r, int tiles)
{
    enum { FEW = 4 };
    const orr__call *c = &r->call;
    return c->op && c->op->terms && !r->epilogue && tiles > 1 && c->op->terms(c) >= tiles &&
           FEW * tiles * r->out_count <= r->in_count[0];
}

/* Two stages are worth it if the partial results are few compared with the rows. */
orr_status orr__pass_split_reduction(orr__planner *p)
{
    for (int j = 0; j < p->regions.n; j++) {
        const orr__region *r = &p->regions.region[j];
        orr__cut *c = &p->cut[j];
        if (!p->low_memory && orr__terms_apart(r, c->tiles)) {
            c->two_stages = true;
            c->shares = c->tiles;
        } else {
            c->two_stages = !r->search && c->shares > 1 && r->out_count * 4 * c->shares < r->dim[0] * r->out_count;
        }
    }
    return ORR_OK;
}
