/* A region as an exchange: its row is sent to the ranks of the group.
 * Must not know: plans, StarPU, how messages travel. */
#include "config.h"

#include <stdlib.h>
#include "codelets/exchange.h"
#include "ops/exchange.h"
#include "runtime/base/buffer.h"

static orr__exchange exchange_of(const orr__region *r)
{
    orr__exchange_call c = orr__exchange_call_of(&r->call.attr);
    return (orr__exchange){ .kind = c.kind,
                            .reduction = c.reduction,
                            .dtype = (orr_dtype)r->out_dtype[0],
                            .group = orr__grid_group(c.grid, c.mask),
                            .count = r->out_count,
                            .values = true };
}

bool orr__exchange_region_on_devices(const orr__region *r)
{
    orr__exchange x = exchange_of(r);
    return orr__exchange_on_devices(&x);
}

orr_status orr__exchange_launch(const orr__launch *l, bool on_device)
{
    const orr__region *r = l->region;
    orr__exchange x = exchange_of(r);
    int ranks = x.group->ranks;
    int64_t in = orr__shape_count(&r->call.in[0]);
    enum { FEW = 64 };
    int64_t few[FEW], *part = ranks <= FEW ? few : orr__alloc_n((size_t)ranks, sizeof *part);
    if (!part)
        return ORR_ENOMEM;
    bool spreads = x.kind == ORR__EXCHANGE_ALL_TO_ALL || x.kind == ORR__EXCHANGE_REDUCE_SCATTER;
    for (int i = 0; i < ranks; i++)
        part[i] = spreads ? in / ranks : x.count / ranks;
    x.in = l->in[0];
    x.out = l->out[0];
    x.part = x.from = part;
    x.on_device = on_device;
    orr_status st = ORR_OK;
    if (l->ending) {
        x.done = l->ending->done;
        x.argument = l->ending->argument;
        orr__exchange_post(&x);
    } else {
        st = orr__exchange_wait(orr__region_site(r), &x);
    }
    if (part != few)
        free(part);
    return st;
}
