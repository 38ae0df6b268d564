/* The device that holds a value: orr_prefetch, orr_copy_to, orr_evict, orr_is_on, orr_device_memory.
 * Must not know: StarPU. */
#include "config.h"
#include <pthread.h>
#include <orrery/device.h>
#include "codelets/devices.h"
#include "runtime/api/eval.h"
#include "runtime/graph/donation.h"

enum { MOST = 64 };

static struct {
    int n;
    orr__device_at place[MOST];
} machine;

/* Lists the devices once: identities do not change while the process lives; readings do, and are not kept. */
static void look(void)
{
    static orr_device d[MOST];
    static void *handle[MOST];
    int n = orr__devices_look(d, handle, MOST);

    machine.n = n < MOST ? n : MOST;
    for (int i = 0; i < machine.n; i++)
        machine.place[i] = (orr__device_at){ i, d[i].kind, d[i].index, handle[i] };
}

/* NULL: last error set. */
static const orr__device_at *place_of(orr__site at, int device)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, look);
    if (device >= 0 && device < machine.n)
        return &machine.place[device];
    (void)orr__fail(at, ORR_EINVAL, "there is no device %d: they are 0 to %d (orrery-info --devices)", device,
                    machine.n - 1);
    return NULL;
}

/* The value's buffer, evaluated in its place; one reference. */
static orr_status buffer_of(orr__site at, orr_tensor *t, orr__buffer **b)
{
    orr__node *node;
    orr_status st = orr__need_running(at);

    if (st == ORR_OK)
        st = orr__nodes_to_eval(at, &t, 1, NULL, &node);
    if (st == ORR_OK)
        st = orr__eval_nodes(at, &node, 1, NULL);
    if (st == ORR_OK)
        st = orr__node_value_ref(at, node, b);
    return orr__fail_place(at, st);
}

static orr_status move(orr__site at, orr_tensor *t, int device, bool wait)
{
    const orr__device_at *to = place_of(at, device);
    orr__buffer *b;
    orr_status st = to ? buffer_of(at, t, &b) : ORR_EINVAL;

    if (st != ORR_OK)
        return st;
    st = orr__engine_move(at, b, to, wait);
    orr__buffer_unref(b);
    return st;
}

orr_status orr_prefetch_at(const char *file, int line, orr_tensor *t, int device)
{
    return move(ORR__SITE(file, line, "prefetch"), t, device, false);
}

orr_status orr_copy_to_at(const char *file, int line, orr_tensor *t, int device)
{
    return move(ORR__SITE(file, line, "copy_to"), t, device, true);
}

orr_status orr_evict_at(const char *file, int line, orr_tensor *t)
{
    orr__site at = ORR__SITE(file, line, "evict");
    orr__buffer *b;
    orr_status st = buffer_of(at, t, &b);

    if (st != ORR_OK)
        return st;
    st = orr__engine_evict(at, b);
    orr__buffer_unref(b);
    return st;
}

orr_status orr_is_on_at(const char *file, int line, orr_tensor *t, int device, bool *on)
{
    orr__site at = ORR__SITE(file, line, "is_on");
    const orr__device_at *where = place_of(at, device);
    orr__buffer *b;

    if (!on)
        return orr__fail(at, ORR_EINVAL, "the place for the answer is NULL");
    *on = false;
    orr_status st = where ? buffer_of(at, t, &b) : ORR_EINVAL;
    if (st != ORR_OK)
        return st;
    *on = orr__engine_is_on(b, where);
    orr__buffer_unref(b);
    return ORR_OK;
}

orr_status orr_device_memory_at(const char *file, int line, int device, size_t *total, size_t *left)
{
    orr__site at = ORR__SITE(file, line, "device_memory");
    const orr__device_at *where = place_of(at, device);
    orr_status st = where ? orr__need_running(at) : ORR_EINVAL;
    orr_device d;

    if (!total || !left)
        return orr__fail(at, ORR_EINVAL, "the place for the %s is NULL", total ? "free bytes" : "total");
    *total = *left = 0;
    if (st != ORR_OK || where->kind != ORR_DEVICE_CPU)
        return st != ORR_OK ? st : orr__engine_room(at, where, total, left);
    (void)orr__cpu_devices(&d, NULL, 1);
    const orr_reading *r = d.reading;
    if (r[ORR_MEASURE_MEMORY_TOTAL].status != ORR_OK || r[ORR_MEASURE_MEMORY_FREE].status != ORR_OK)
        return orr__fail(at, ORR_EDEVICE, "%s", r[ORR_MEASURE_MEMORY_TOTAL].why);
    *total = (size_t)r[ORR_MEASURE_MEMORY_TOTAL].value;
    *left = (size_t)r[ORR_MEASURE_MEMORY_FREE].value;
    return ORR_OK;
}
