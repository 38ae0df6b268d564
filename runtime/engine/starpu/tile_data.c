/* Tiles as data of StarPU: its variables, but with our own copies to and from OpenCL devices and guarded CUDA devices, since StarPU's
 * copies end the process when a device fails. Host memory stands in for the memory of a resting device, so that StarPU continues.
 * Content that cannot be read is lost.
 * Must not know: plans, the work of a task. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/clock.h"
#include "runtime/base/trace.h"
#include "runtime/engine/starpu/starpu.h"

static struct starpu_data_interface_ops ours;
static int worker_of[STARPU_MAXNODES];                   /* by node: the worker with checked copies; else -1 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards memory that stands in */

static bool rests(unsigned node)
{
    return worker_of[node] >= 0 && orr__device_rests(worker_of[node]);
}

/* NULL: there is no device memory, and host memory stands in. */
static void *memory_of(const orr__tile_data *d)
{
    return (void *)STARPU_VARIABLE_GET_DEV_HANDLE(d);
}

/* -- memory ---------------------------------------------------------------------------------------------------------- */

static starpu_ssize_t allocate(void *data, unsigned node)
{
    orr__tile_data *d = data;
    d->host = NULL;
    d->lost = false;
    starpu_ssize_t bytes = -ENOMEM;
    if (!rests(node))
        bytes = starpu_interface_variable_ops.allocate_data_on_node(data, node);
    if (bytes >= 0 || !rests(node)) /* the allocation itself may have made the device rest */
        return bytes;
    d->at.ptr = d->at.dev_handle = 0;
    d->at.offset = 0;
    return (d->host = malloc(d->at.elemsize)) ? (starpu_ssize_t)d->at.elemsize : -ENOMEM;
}

static void release(void *data, unsigned node)
{
    orr__tile_data *d = data;
    pthread_mutex_lock(&lock);
    free(d->host);
    d->host = NULL;
    pthread_mutex_unlock(&lock);
    if (memory_of(d))
        starpu_interface_variable_ops.free_data_on_node(data, node);
}

void orr__tile_stand_in(orr__tile_data *d, void *host)
{
    pthread_mutex_lock(&lock);
    free(d->host);
    d->host = host;
    d->lost = false;
    pthread_mutex_unlock(&lock);
}

bool orr__tile_get_memory(orr__tile_data *d, int worker)
{
    orr__tile_data with = *d;
    if (memory_of(d))
        return true;
    if (starpu_interface_variable_ops.allocate_data_on_node(&with, starpu_worker_get_memory_node((unsigned)worker)) < 0)
        return false;
    pthread_mutex_lock(&lock);
    d->at = with.at;
    pthread_mutex_unlock(&lock);
    return true;
}

/* -- copies ------------------------------------------------------------------------------------------------------------ */

/* A queue of the device, for copies only. */
static orr__launch queue_of(int worker)
{
    static const orr__region region = { .label = "copy" };
    orr__launch l = { .region = &region };
#ifdef ORR__STAR_OPENCL
    cl_command_queue queue;
    if (starpu_worker_get_type(worker) == STARPU_OPENCL_WORKER) {
        starpu_opencl_get_queue(starpu_worker_get_devid(worker), &queue);
        l.queue = queue;
    }
#endif
#ifdef ORR__STAR_CUDA
    if (starpu_worker_get_type(worker) == STARPU_CUDA_WORKER)
        l.queue = starpu_cuda_get_local_stream(); /* the device's own worker makes its copies */
#endif
    return l;
}

static const orr__backend *backend_of(int worker)
{
    return starpu_worker_get_type(worker) == STARPU_CUDA_WORKER ? orr__exec_cuda : orr__exec_opencl;
}

static void failed(int worker, const orr__launch *l)
{
    const orr__backend *b = backend_of(worker);
    orr__device_failed(worker, b->gone && b->gone(l) ? ORR__DEVICE_GONE : ORR__MEMORY_FAILED, orr_error_message());
    orr_error_clear();
}

/* Copies to host memory. false: the content is lost. */
static bool fetch(orr__tile_data *from, unsigned node, void *to)
{
    size_t bytes = from->at.elemsize;
    bool ok = !from->lost;
    pthread_mutex_lock(&lock);
    const void *host = worker_of[node] < 0 ? (const void *)from->at.ptr : from->host;
    if (ok && host)
        memcpy(to, host, bytes);
    pthread_mutex_unlock(&lock);
    if (!ok || host)
        return ok;
    orr__launch l = queue_of(worker_of[node]);
    ok = backend_of(worker_of[node])->read(&l, memory_of(from), from->at.offset, to, bytes) == ORR_OK;
    if (!ok)
        failed(worker_of[node], &l);
    return ok;
}

/* Copies from host memory. false: no memory. */
static bool put(const void *from, orr__tile_data *to, unsigned node)
{
    size_t bytes = to->at.elemsize;
    if (worker_of[node] < 0) {
        memcpy((void *)to->at.ptr, from, bytes);
        return true;
    }
    if (memory_of(to) && !rests(node)) {
        orr__launch l = queue_of(worker_of[node]);
        if (backend_of(worker_of[node])->write(&l, memory_of(to), to->at.offset, from, bytes) == ORR_OK) {
            orr__tile_stand_in(to, NULL);
            return true;
        }
        failed(worker_of[node], &l);
    }
    void *host = malloc(bytes);
    if (host)
        orr__tile_stand_in(to, memcpy(host, from, bytes));
    return host != NULL;
}

/* Copies between host memory and a device with checked copies, or between two such devices. */
static bool copy_checked(orr__tile_data *s, unsigned from, orr__tile_data *d, unsigned to)
{
    if (worker_of[to] < 0)
        return fetch(s, from, (void *)d->at.ptr);
    if (worker_of[from] < 0)
        return !s->lost && put((const void *)s->at.ptr, d, to);
    void *between = malloc(s->at.elemsize);
    bool ok = between && fetch(s, from, between) && put(between, d, to);
    free(between);
    return ok;
}

static int copy(void *src, unsigned from, void *dst, unsigned to, void *async)
{
    orr__tile_data *s = src, *d = dst;
    bool tracing = orr__tracing();
    double t0 = tracing ? orr__now() : 0;
    int answer = 0;
    if (worker_of[from] >= 0 || worker_of[to] >= 0) {
        d->lost = !copy_checked(s, from, d, to);
    } else {
        answer = starpu_interface_variable_ops.copy_methods->any_to_any(src, from, dst, to, async);
        d->lost = s->lost;
    }
    if (tracing)
        orr__star_trace_copy(from, to, d->at.elemsize, t0, answer);
    return answer;
}

/* -- for the rest of the room --------------------------------------------------------------------------------------------- */

void orr__tile_data_start(void)
{
    static const struct starpu_data_copy_methods copies = { .any_to_any = copy };
    if (!ours.interfaceid) {
        ours = starpu_interface_variable_ops;
        ours.interfaceid = (enum starpu_data_interface_id)starpu_data_interface_get_next_id();
        ours.interface_size = sizeof(orr__tile_data);
        ours.allocate_data_on_node = allocate;
        ours.free_data_on_node = release;
        ours.copy_methods = &copies;
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
        ours.cache_data_on_node = NULL; /* the variable's own versions copy only its fields */
        ours.reuse_data_on_node = NULL;
        ours.map_data = NULL;
        ours.unmap_data = NULL;
        ours.update_map = NULL;
#endif
        ours.name = (char *)(uintptr_t) "orrery tile";
    }
    for (int i = 0; i < STARPU_MAXNODES; i++)
        worker_of[i] = -1;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (starpu_worker_get_type((int)w) == STARPU_OPENCL_WORKER ||
            (starpu_worker_get_type((int)w) == STARPU_CUDA_WORKER && orr__star.guards_cuda))
            worker_of[starpu_worker_get_memory_node(w)] = (int)w;
}

void orr__tile_data_register(starpu_data_handle_t *handle, void *host, size_t bytes)
{
    orr__tile_data d = { .at = { .id = STARPU_VARIABLE_INTERFACE_ID,
                                 .ptr = (uintptr_t)host,
                                 .dev_handle = (uintptr_t)host,
                                 .elemsize = bytes } };
    starpu_data_register(handle, STARPU_MAIN_RAM, &d, &ours);
}

/* StarPU's own record is not public; REPLICATE is measured, of versions 1.3 and 1.4: the record, and a tile for each memory node. */
size_t orr__tile_data_size(void)
{
    enum { RECORD = 3168, BLOCK = 16 }; /* limit of memory */
    return RECORD + STARPU_MAXNODES * (sizeof(orr__tile_data) + BLOCK);
}

bool orr__tile_is_lost(starpu_data_handle_t handle)
{
    const orr__tile_data *d = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    return orr__devices_lost() && d->lost;
}

void orr__tile_is_found(starpu_data_handle_t handle)
{
    orr__tile_data *d = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    d->lost = false;
}

/* The home memory, for a reader that may run on a device; NULL: it is stale. */
const void *orr__tile_at_home(starpu_data_handle_t handle)
{
    const orr__tile_data *d = starpu_data_get_interface_on_node(handle, STARPU_MAIN_RAM);
    int allocated, valid = 0, requested;
    starpu_data_query_status(handle, STARPU_MAIN_RAM, &allocated, &valid, &requested);
    return valid && !d->lost ? (const void *)d->at.ptr : NULL;
}

bool orr__tile_operands(void *buffers[])
{
    struct starpu_task *task = buffers ? starpu_task_get_current() : NULL;
    bool all = true;
    for (unsigned i = 0; orr__devices_lost() && task && i < STARPU_TASK_GET_NBUFFERS(task); i++) {
        orr__tile_data *d = buffers[i];
        bool reads = STARPU_TASK_GET_MODE(task, i) & STARPU_R;
        all = all && !(reads && d->lost);
        d->lost = d->lost && reads;
    }
    return all;
}
