/* Explicit moves of values between memories: prefetches, evictions, the size of free memory.
 * Must not know: plans, tasks. */
#include "config.h"
#include <stdlib.h>
#include "runtime/engine/starpu/starpu.h"

/* One copy under way, of all tiles of a buffer. It counts as a run, so stop waits for it. */
typedef struct {
    atomic_int left;
    orr__buffer *buf;
    int node;
    struct part {
        void *all;
        starpu_data_handle_t handle;
    } part[];
} move;

static int node_of(const orr__device_at *p)
{
    if (p->kind == ORR_DEVICE_CPU)
        return STARPU_MAIN_RAM;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        int device = starpu_worker_get_devid((int)w), node = (int)starpu_worker_get_memory_node(w);
        enum starpu_worker_archtype type = starpu_worker_get_type((int)w);
        if (p->kind == ORR_DEVICE_CUDA && type == STARPU_CUDA_WORKER && device == p->index)
            return node;
#ifdef ORR__STAR_OPENCL
        cl_device_id id;
        if (p->kind == ORR_DEVICE_OPENCL && type == STARPU_OPENCL_WORKER) {
            starpu_opencl_get_device(device, &id);
            if (id == p->handle)
                return node;
        }
#endif
    }
    return -1;
}

static orr_status no_worker(orr__site at, const orr__device_at *p)
{
    return orr__fail(at, ORR_EDEVICE, "device %d (%s) takes no part in this run: see ORRERY_BACKEND and STARPU_N%s",
                     p->id, orr_device_kind_name(p->kind), p->kind == ORR_DEVICE_CUDA ? "CUDA" : "OPENCL");
}

static void arrived(void *arg)
{
    struct part *p = arg;
    move *m = p->all;

    starpu_data_release_on_node(p->handle, m->node);
    if (atomic_fetch_sub(&m->left, 1) != 1)
        return;
    orr__buffer_unref(m->buf);
    free(m);
    orr__star_rest(true);
}

static orr_status start(orr__site at, orr__tiles *t, int node)
{
    move *m = orr__alloc(sizeof *m + (size_t)t->n * sizeof *m->part);
    int n = t->n;

    if (!m)
        return orr__fail_place(at, ORR_ENOMEM);
    m->buf = orr__buffer_ref(t->buf);
    m->node = node;
    atomic_init(&m->left, n + 1);
    orr__star_wake(true);
    for (int i = 0; i < n; i++) {
        m->part[i] = (struct part){ m, t->handle[i] };
        if (starpu_data_acquire_on_node_cb(t->handle[i], node, STARPU_R, arrived, &m->part[i]) != 0)
            atomic_fetch_sub(&m->left, 1); /* only a prefetch: the tile will be copied at its use */
    }
    if (atomic_fetch_sub(&m->left, 1) == 1) {
        orr__buffer_unref(m->buf);
        free(m);
        orr__star_rest(true);
    }
    return ORR_OK;
}

static orr_status fetch(orr__site at, orr__tiles *t, int node, enum starpu_data_access_mode mode)
{
    orr_status st = ORR_OK;

    orr__star_wake(false);
    for (int i = 0; i < t->n && st == ORR_OK; i++) {
        int err = starpu_data_acquire_on_node(t->handle[i], node, mode);
        if (err == 0)
            starpu_data_release_on_node(t->handle[i], node);
        else
            st = orr__fail(at, ORR_EDEVICE,
                           "StarPU does not copy the value to memory node %d (starpu_data_acquire_on_node: error %d)",
                           node, err);
    }
    orr__star_rest(false);
    return st;
}

orr_status orr__star_move(orr__site at, orr__buffer *b, const orr__device_at *to, bool wait)
{
    int node = node_of(to);
    starpu_ssize_t total;

    if (node < 0)
        return no_worker(at, to);
    if (node == STARPU_MAIN_RAM)
        return orr__tiles_host_read(b);
    if (b->bytes == 0)
        return ORR_OK;
    total = starpu_memory_get_total((unsigned)node); /* a larger copy would make StarPU wait for ever */
    if (total >= 0 && b->bytes > (size_t)total)
        return orr__fail(at, ORR_ENOMEM, "%zu bytes do not fit into the %zd bytes of device %d", b->bytes,
                         (ssize_t)total, to->id);
    if (!orr__tiles_register(b, b->bytes))
        return orr__fail_place(at, ORR_ENOMEM);
    return wait ? fetch(at, orr__buffer_tiles(b), node, STARPU_R) : start(at, orr__buffer_tiles(b), node);
}

/* An acquisition of the host's copy for writing invalidates all others. */
orr_status orr__star_evict(orr__site at, orr__buffer *b)
{
    orr__tiles *t = orr__buffer_tiles(b);
    orr_status st = ORR_OK;

    if (!t || orr__star.one_memory)
        return ORR_OK;
    if ((st = orr__tiles_host_read(b)) != ORR_OK || (st = fetch(at, t, STARPU_MAIN_RAM, STARPU_RW)) != ORR_OK)
        return st;
    atomic_store_explicit(&t->away, false, memory_order_release);
    return ORR_OK;
}

bool orr__star_is_on(orr__buffer *b, const orr__device_at *where)
{
    int node = node_of(where);
    orr__tiles *t = orr__buffer_tiles(b);

    if (!t || node < 0)
        return node == STARPU_MAIN_RAM;
    for (int i = 0; i < t->n; i++) {
        int allocated, valid = 0, requested;
        starpu_data_query_status(t->handle[i], node, &allocated, &valid, &requested);
        if (!valid)
            return false;
    }
    return true;
}

orr_status orr__star_room(orr__site at, const orr__device_at *where, size_t *total, size_t *left)
{
    int node = node_of(where);

    if (node < 0)
        return no_worker(at, where);
    starpu_ssize_t all = starpu_memory_get_total((unsigned)node), rest = starpu_memory_get_available((unsigned)node);
    if (all < 0 || rest < 0)
        return orr__fail(at, ORR_EDEVICE, "StarPU does not know the memory of device %d", where->id);
    *total = (size_t)all;
    *left = (size_t)rest;
    return ORR_OK;
}
