/* The CUDA devices of this rank among those of its machine.
 * Must not know: StarPU, the work of the devices. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/buffer.h"
#include "runtime/base/env.h"
#include "runtime/base/hash.h"
#include "runtime/ranks/ranks.h"

static struct {
    int devices, first, count; /* devices visible to this process; first and number of those that it uses */
} mine;

/* The devices that a rank sees. Ranks of one machine that see the same devices divide them. A launcher that gives each
 * rank its own devices has divided them already. */
typedef struct view {
    char host[64];
    uint64_t addresses;
    int32_t devices;
} view;

static view look(bool wanted)
{
    view v = { .devices = 0 };
    const orr__cu_driver *d = wanted && orr__cu_look()->devices > 0 ? orr__cu(NULL) : NULL;
    int n = 0, handle;
    (void)gethostname(v.host, sizeof v.host - 1);
    if (!d || d->device_count(&n) != ORR__CU_OK)
        return v;
    for (int i = 0; i < n; i++) {
        char address[32] = "";
        if (d->device(&handle, i) == ORR__CU_OK)
            (void)d->device_address(address, (int)sizeof address, handle);
        v.addresses = orr__hash(address, strlen(address), v.addresses);
    }
    v.devices = n;
    return v;
}

orr_status orr__cu_binding_start(orr__site at, bool wanted)
{
    int n = orr__ranks(), local = 0, beside = 0;
    mine.devices = mine.first = mine.count = 0;
    if (n == 1)
        return ORR_OK;
    view me = look(wanted), *all = orr__alloc_n((size_t)n, sizeof *all);
    int64_t *part = orr__alloc_n((size_t)n, sizeof *part);
    for (int i = 0; part && i < n; i++)
        part[i] = (int64_t)sizeof me;
    orr__exchange x = { .kind = ORR__EXCHANGE_ALL_GATHER,
                        .dtype = ORR_U8,
                        .group = orr__group_all(),
                        .in = &me,
                        .out = all,
                        .part = part };
    orr_status st = all && part ? orr__exchange_wait(at, &x) : orr__fail_place(at, ORR_ENOMEM);
    for (int i = 0; st == ORR_OK && i < n; i++) {
        bool alike = all[i].devices > 0 && all[i].addresses == me.addresses && strcmp(all[i].host, me.host) == 0;
        beside += alike;
        local += alike && i < orr__rank();
    }
    free(all);
    free(part);
    mine.devices = me.devices;
    orr__rank_devices(me.devices, beside, local, orr__env.rank_devices, &mine.first, &mine.count);
    if (st == ORR_OK && me.devices > 0)
        orr__log(2, "%s takes %d of the %d CUDA devices of its machine, from number %d on", orr__rank_name(orr__rank()),
                 mine.count, me.devices, mine.first);
    return st;
}

bool orr__cu_enter(int device)
{
    const orr__cu_driver *d = device >= 0 ? orr__cu(NULL) : NULL;
    void *context = NULL;
    int handle = 0;
    if (!d || d->device(&handle, device) != ORR__CU_OK || d->retain(&context, handle) != ORR__CU_OK)
        return false;
    if (d->push(context) == ORR__CU_OK)
        return true;
    (void)d->retire(handle);
    return false;
}

void orr__cu_leave(int device)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *context;
    int handle = 0;
    (void)d->pop(&context);
    if (d->device(&handle, device) == ORR__CU_OK)
        (void)d->retire(handle);
}

int orr__cu_binding(int *device, int most)
{
    for (int i = 0; i < mine.count && i < most; i++)
        device[i] = (mine.first + i) % mine.devices;
    return mine.devices > 0 ? mine.count : -1;
}
