/* The work and the bytes of a region, from its accesses and instructions.
 * Must not know: how long a region takes. */
#include "config.h"

#include "ops/instruction_cost.h"
#include "runtime/fuse/region.h"

/* Places that an access reads: along the axes on which it moves; along all axes if a register holds the place. */
static double places(const orr__region *r, const orr__access *a)
{
    double n = 1;
    for (int d = 0; d < r->rank; d++)
        if (a->placed || a->stride[d] != 0)
            n *= (double)(a->box >> d & 1 ? a->hi[d] - a->lo[d] : r->dim[d]);
    return n;
}

double orr__region_touched(const orr__region *r, int i)
{
    double all = (double)r->in_count[i], sum = 0;
    for (int k = 0; k < r->naccess; k++)
        sum += r->access[k].input == i ? places(r, &r->access[k]) : 0;
    return r->naccess && sum < all ? sum : all;
}

/* The part of the arithmetic that instruction `only`, −1: any, does with results of this dtype. */
static double share(const orr__region *r, int only, orr_dtype dtype)
{
    double all = 0, of = 0;
    for (int i = 0; i < r->ninstr; i++) {
        int cost = orr__instruction_cost(&r->instr[i]);
        all += cost;
        of += r->instr[i].dtype == dtype && (only < 0 || i == only) ? cost : 0;
    }
    if (r->loops == ORR__LOOPS_PRODUCT) /* the instructions are those of its results */
        all += 2 * (double)r->dim[r->rank - 1];
    return all > 0 ? of / all : 0;
}

double orr__region_share(const orr__region *r, orr_dtype dtype)
{
    return share(r, -1, dtype);
}

double orr__region_part(const orr__region *r, int i)
{
    return share(r, i, (orr_dtype)r->instr[i].dtype);
}

void orr__region_cost(orr__region *r)
{
    double n = 1, per = 0;
    for (int d = 0; d < r->rank; d++)
        n *= (double)r->dim[d];
    for (int i = 0; i < r->ninstr; i++)
        per += orr__instruction_cost(&r->instr[i]);
    if (r->loops == ORR__LOOPS_PRODUCT) {
        int64_t k = r->dim[r->rank - 1];
        per = k ? 2 + per / (double)k : 0;
    } else if (r->rmask) {
        per += r->nout;
    }
    r->flops = r->call.op ? orr__call_work(&r->call).flops : n * per;
    r->bytes = 0;
    for (int i = 0; i < r->nin; i++)
        r->bytes += orr__region_touched(r, i) * (double)orr_dtype_size((orr_dtype)r->in_dtype[i]);
    for (int k = 0; k < r->nout; k++)
        r->bytes += (double)r->out_count * (double)orr_dtype_size((orr_dtype)r->out_dtype[k]);
}
