/* The launch of one kernel into a stream; copies between device and host; shutdown.
 * Must not know: the work of a kernel, plans. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/array.h"
#include "runtime/base/buffer.h"

enum { FEW = 64 };

static orr_status too_many(orr__site at, int64_t groups)
{
    return orr__fail(at, ORR_EDEVICE, "CUDA: %lld blocks are more than a launch can have", (long long)groups);
}

static orr_status launched(orr__site at, const orr__cu_kernel *k)
{
    int code = orr__cu(NULL)->launch(k->function, k->groups, 1, 1, k->block, 1, 1, 0, k->stream, k->param, NULL);
    return code == ORR__CU_OK ? ORR_OK : orr__cu_fail(at, "cuLaunchKernel", code);
}

/* Parameters in the emitter's order: inputs, outputs, flag and scratch memory, the words. */
orr_status orr__cu_enqueue(orr__site at, void *function, const orr__launch *l, const orr__cu_address *extra, int nextra,
                           const void *words, size_t bytes, int64_t items, int group)
{
    const orr__region *r = l->region;
    void *few[FEW], **param;
    orr__cu_address few_at[FEW], *address;
    size_t n = (size_t)(r->nin + r->nout), used = 0;
    unsigned block = group > 0 ? (unsigned)group : items < ORR__EMIT_GROUP ? ORR__EMIT_GROUP / 2 : ORR__EMIT_GROUP;
    int64_t groups = (items + block - 1) / block;
    orr_status st = ORR_OK;
    if (groups > INT32_MAX)
        return too_many(at, groups);
    param = orr__array_begin(few, sizeof few, n + 3, sizeof *param);
    address = orr__array_begin(few_at, sizeof few_at, n, sizeof *address);
    if (!param || !address) {
        st = ORR_ENOMEM;
    } else {
        for (; used < n; used++) {
            size_t i = used;
            void *p = i < (size_t)r->nin ? l->in[i] : l->out[i - (size_t)r->nin];
            address[i] = (orr__cu_address)(uintptr_t)p;
            param[i] = &address[i];
        }
        for (int i = 0; i < nextra && i < 2; i++)
            param[used++] = (void *)(uintptr_t)&extra[i];
        param[used] = (void *)(uintptr_t)words;
        const orr__cu_kernel k = { function, l->queue, (unsigned)groups, block, param, (int)used + 1, bytes };
        st = orr__cu_recorded ? orr__cu_record_kernel(at, &k) : launched(at, &k);
    }
    orr__array_end(param, few);
    orr__array_end(address, few_at);
    return st;
}

static orr_status copied(const orr__launch *l, const char *call, int code)
{
    const char *doing = call;
    if (code == ORR__CU_OK) {
        doing = "cuStreamSynchronize";
        code = orr__cu(NULL)->wait(l->queue);
    }
    return code == ORR__CU_OK ? ORR_OK : orr__cu_fail(orr__cu_site(l->region), doing, code);
}

orr_status orr__cu_read(const orr__launch *l, void *from, size_t byte, void *host, size_t bytes)
{
    orr__cu_address p = (orr__cu_address)(uintptr_t)from + byte;
    return copied(l, "cuMemcpyDtoHAsync", orr__cu(NULL)->to_host(host, p, bytes, l->queue));
}

orr_status orr__cu_write(const orr__launch *l, void *to, size_t byte, const void *host, size_t bytes)
{
    orr__cu_address p = (orr__cu_address)(uintptr_t)to + byte;
    return copied(l, "cuMemcpyHtoDAsync", orr__cu(NULL)->to_device(p, host, bytes, l->queue));
}

orr_status orr__cu_finish(const orr__launch *l)
{
    return copied(l, "cuStreamSynchronize", ORR__CU_OK);
}

bool orr__cu_gone(const orr__launch *l)
{
    return orr__cu_sticky(orr__cu(NULL)->wait(l->queue));
}

void orr__cu_stop(void)
{
    orr__cu_tiles_stop();
    orr__cu_records_stop();
    orr__cu_units_stop();
    orr__cu_streams_stop();
}
