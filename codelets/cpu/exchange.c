/* The kernel of an exchange: hands its row to the ranks of the group, and waits unless it is told where to report the end.
 * Must not know: plans, StarPU, how messages travel. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cpu/call.h"
#include "codelets/cpu/cpu.h"
#include "ops/exchange.h"

orr_status orr__cpu_kernel_exchange(const orr__kernel *kernel, const orr__launch *l)
{
    const orr__region *r = l->region;
    orr__exchange_call c = orr__exchange_call_of(&r->call.attr);
    const orr__group *group = orr__grid_group(c.grid, c.mask);
    int64_t in = orr__shape_count(&r->call.in[0]), out = r->out_count;
    int64_t few[64], *part = group->ranks <= 64 ? few : orr__alloc_n((size_t)group->ranks, sizeof *part);
    (void)kernel;
    if (!part)
        return ORR_ENOMEM;
    bool spreads = c.kind == ORR__EXCHANGE_ALL_TO_ALL || c.kind == ORR__EXCHANGE_REDUCE_SCATTER;
    for (int i = 0; i < group->ranks; i++)
        part[i] = spreads ? in / group->ranks : out / group->ranks;
    orr__exchange x = { .kind = c.kind,
                        .reduction = c.reduction,
                        .dtype = (orr_dtype)r->out_dtype[0],
                        .group = group,
                        .in = l->in[0],
                        .out = l->out[0],
                        .count = out,
                        .part = part,
                        .from = part };
    orr_status st = ORR_OK;
    if (l->ending) {
        x.done = l->ending->done;
        x.argument = l->ending->argument;
        orr__exchange_post(&x);
    } else {
        st = orr__exchange_wait(orr__cpu_site(l), &x);
    }
    if (part != few)
        free(part);
    return st;
}
