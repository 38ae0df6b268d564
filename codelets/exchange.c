/* A region as an exchange: its row is sent to the ranks of the group.
 * Must not know: plans, StarPU, how messages travel. */
#include "config.h"

#include "codelets/exchange.h"
#include "ops/exchange.h"

static orr__exchange exchange_of(const orr__region *r)
{
    return orr__exchange_of_call(&r->call.attr, (orr_dtype)r->out_dtype[0], r->out_count);
}

bool orr__exchange_region_on_devices(const orr__region *r)
{
    orr__exchange x = exchange_of(r);
    return orr__exchange_on_devices(&x);
}

orr_status orr__exchange_launch(const orr__launch *l, bool on_device)
{
    orr__exchange x = exchange_of(l->region);
    x.in = l->in[0];
    x.out = l->out[0];
    x.on_device = on_device;
    if (l->ending) {
        x.done = l->ending->done;
        x.argument = l->ending->argument;
    }
    return orr__exchange_values(orr__region_site(l->region), &x);
}
