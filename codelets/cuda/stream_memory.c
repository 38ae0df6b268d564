/* Data of a stream: memory that its launches share, and flags that kernels set in host memory.
 * Must not know: kernels, regions. */
#include "config.h"

#include <stdlib.h>
#include "codelets/cuda/cuda.h"
#include "runtime/base/buffer.h"
#include "runtime/base/threshold.h"

enum { FLAGS = 128, LEAST = ORR__LARGE_VALUE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static orr__cu_stream_memory *streams;

static struct {
    int32_t *host; /* a few pages for all flags, NULL: not allocated yet */
    bool taken[FLAGS];
    bool none; /* this machine has no such memory */
} flags;

orr_status orr__cu_stream_memory_of(orr__site at, void *stream, orr__cu_stream_memory **memory)
{
    const orr__cu_driver *d = orr__cu(NULL);
    void *context = NULL;
    if (d)
        (void)d->context(&context);
    (void)pthread_mutex_lock(&lock);
    orr__cu_stream_memory *r = streams;
    while (r && !(r->stream == stream && r->context == context))
        r = r->next;
    if (!r && (r = orr__alloc(sizeof *r)) != NULL) {
        r->stream = stream;
        r->context = context;
        r->next = streams;
        streams = r;
    }
    (void)pthread_mutex_unlock(&lock);
    *memory = r;
    return r ? ORR_OK : orr__fail_place(at, ORR_ENOMEM);
}

/* Grown by doubling, so that it seldom happens: freeing waits for launches under way. Where twice the size does not fit, the exact one may. */
orr_status orr__cu_stream_memory_grow(orr__site at, orr__cu_address *p, size_t *have, size_t bytes)
{
    const orr__cu_driver *d = orr__cu(NULL);
    size_t size = *have ? *have : LEAST;
    if (bytes <= *have)
        return ORR_OK;
    orr_status st = orr__cu_record_refuse(at, "memory that grows");
    if (st != ORR_OK)
        return st;
    while (size < bytes)
        size *= 2;
    if (*p)
        (void)d->free(*p);
    *p = 0;
    *have = 0;
    int code = d->alloc(p, size);
    if (code == ORR__CU_OUT_OF_MEMORY && size > bytes)
        code = d->alloc(p, size = bytes);
    if (code != ORR__CU_OK)
        return orr__cu_fail(at, "cuMemAlloc", code);
    *have = size;
    return ORR_OK;
}

void *orr__cu_room(const orr__launch *l, size_t bytes)
{
    orr__site at = orr__cu_site(l->region);
    orr__cu_stream_memory *m;
    if (orr__cu_stream_memory_of(at, l->queue, &m) != ORR_OK ||
        orr__cu_stream_memory_grow(at, &m->room, &m->room_bytes, bytes) != ORR_OK)
        return NULL;
    return (void *)(uintptr_t)m->room;
}

void orr__cu_streams_stop(void)
{
    const orr__cu_driver *d = orr__cu(NULL);
    (void)pthread_mutex_lock(&lock);
    while (streams) {
        orr__cu_stream_memory *r = streams;
        void *before;
        streams = r->next;
        if (d && d->push(r->context) == ORR__CU_OK) {
            orr__cu_address p[] = { r->scratch, r->words, r->room,        r->workspace,
                                    r->factor,  r->info,  r->convolution, r->dense };
            for (size_t i = 0; i < sizeof p / sizeof *p; i++)
                if (p[i])
                    (void)d->free(p[i]);
            orr__cu_transforms_free(r->transforms);
            if (r->lt)
                (void)orr__cu_lt(NULL)->destroy(r->lt);
            if (r->solver)
                (void)orr__cu_solver(NULL)->destroy(r->solver);
            if (r->dnn)
                (void)orr__cu_dnn(NULL)->destroy(r->dnn);
            if (r->blas)
                (void)orr__cu_blas(NULL)->destroy(r->blas);
            if (flags.host)
                (void)d->host_free(flags.host);
            flags.host = NULL;
            (void)d->pop(&before);
        }
        orr__cu_shapes_free(r->shape);
        free(r);
    }
    flags.host = NULL; /* without a context the memory no longer exists */
    flags.none = false;
    (void)pthread_mutex_unlock(&lock);
}

int32_t *orr__cu_flag_take(orr__cu_address *device)
{
    const orr__cu_driver *d = orr__cu(NULL);
    int32_t *flag = NULL;
    (void)pthread_mutex_lock(&lock);
    if (!flags.host && !flags.none) {
        void *p = NULL;
        if (d->host_alloc(&p, FLAGS * ORR__CU_FLAG * sizeof *flags.host, ORR__CU_HOST_PORTABLE | ORR__CU_HOST_MAPPED) ==
            ORR__CU_OK)
            flags.host = p;
        flags.none = !flags.host;
    }
    orr__cu_address base = 0; /* the driver knows whole allocations only */
    bool there = flags.host && d->host_address(&base, flags.host, 0) == ORR__CU_OK;
    for (int i = 0; i < FLAGS && there && !flag; i++)
        if (!flags.taken[i]) {
            flags.taken[i] = true;
            flag = &flags.host[i * ORR__CU_FLAG];
            *device = base + (orr__cu_address)i * ORR__CU_FLAG * sizeof *flag;
        }
    (void)pthread_mutex_unlock(&lock);
    return flag;
}

void orr__cu_flag_put(int32_t *flag)
{
    (void)pthread_mutex_lock(&lock);
    if (flag && flags.host)
        flags.taken[(flag - flags.host) / ORR__CU_FLAG] = false;
    (void)pthread_mutex_unlock(&lock);
}
