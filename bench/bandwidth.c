/* Case bandwidth: copies of values between memories, beside the same copies by the device's own API.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"
#include "bench/peer_memory.h"

static const char *const ways[PEER_WAYS] = { "host to device", "device to host", "on the device", "device to device" };

typedef struct {
    int device, other; /* ids; other 0: none */
    peer_way way;
    bool pinned;
    size_t bytes;
    orr_tensor *x;
    float *host;
    peer_memory *peer;
} moving;

/* The source that a task on the device would use: pool memory, or the user's own. */
static orr_tensor *source(moving *m)
{
    int64_t n = (int64_t)(m->bytes / sizeof(float));
    if (m->pinned)
        return orr_full(ORR_F32, ORR_SHAPE(n), 1.5);
    return orr_wrap(ORR_F32, ORR_SHAPE(n), m->host, NULL, NULL);
}

static int failed(void)
{
    return bench_failed("bandwidth");
}

/* Times the copy alone. */
static int apart(orr_status (*f)(moving *m), moving *m)
{
    double begin = bench_now();
    orr_status st = f(m);
    bench_untimed(bench_now() - begin);
    return st == ORR_OK ? 0 : failed();
}

static orr_status home(moving *m)
{
    return orr_evict(m->x);
}

static orr_status ahead(moving *m)
{
    return orr_copy_to(m->x, m->device);
}

static orr_tensor *made;

/* Makes a value that only the device has. */
static orr_status make(moving *m)
{
    made = orr_neg(m->x);
    orr_status st = orr_eval(made);
    return st;
}

static int ours_once(void *user)
{
    moving *m = user;
    orr_scope *s = orr_scope_begin();
    orr_status st = ORR_OK;
    int rc = 0;
    switch (m->way) {
    case PEER_TO_DEVICE:
        rc = apart(home, m);
        st = rc ? ORR_OK : orr_copy_to(m->x, m->device);
        break;
    case PEER_TO_HOST:
        rc = apart(ahead, m) || apart(make, m);
        st = rc ? ORR_OK : orr_copy_to(made, 0);
        break;
    case PEER_ON_DEVICE: /* a kernel that reads and writes every element */ st = orr_eval(orr_neg(m->x)); break;
    default: rc = apart(home, m) || apart(ahead, m); st = rc ? ORR_OK : orr_copy_to(m->x, m->other);
    }
    (void)orr_scope_end(s);
    return rc || st != ORR_OK ? (rc ? rc : failed()) : 0;
}

static int peer_once(void *user)
{
    moving *m = user;
    return peer_memory_copy(m->peer, m->way, m->pinned, m->bytes);
}

static int one(bench_sink *out, int rounds, moving *m, const char *device)
{
    static const bench_side ours = { NULL, ours_once, NULL }, peer = { NULL, peer_once, NULL };
    double t = 0.0, direct = 0.0;
    orr_scope *s = orr_scope_begin();
    m->x = source(m);
    int rc = orr_copy_to(m->x, m->device) == ORR_OK ? 0 : failed();
    if (rc == 0 && bench_interleave(&ours, &peer, m, rounds, 0.05, &t, &direct) != 0)
        rc = 1;
    (void)orr_scope_end(s);
    if (rc != 0)
        return rc;
    double gb = 1e-9 * (double)m->bytes;
    bench_record r = { .name = "bandwidth",
                       .metric = "rate",
                       .unit = "GB/s",
                       .value = gb / t,
                       .reference = "a copy by the device's own API",
                       .reference_value = gb / direct };
    (void)snprintf(r.params, sizeof r.params, "\"device\": \"%s\", \"way\": \"%s\", \"host\": \"%s\", \"bytes\": %zu",
                   device, ways[m->way], m->pinned ? "pool" : "pageable", m->bytes);
    r.ratio = bench_ratio(&r, true);
    return bench_add(out, &r);
}

static int all_ways(bench_sink *out, int rounds, const orr_device *d, int other)
{
    size_t total, left, most = (size_t)256 << 20;
    if (orr_device_memory(d->id, &total, &left) != ORR_OK)
        return failed();
    if (d->kind == ORR_DEVICE_OPENCL || most > left / 4)
        most = (size_t)64 << 20; /* often the processor's own memory */
    moving m = { .device = d->id, .other = other, .host = malloc(most) };
    int rc = 0;
    m.peer = peer_memory_open(d->kind == ORR_DEVICE_CUDA, d->index, other ? d->index + other - d->id : -1, most);
    if (m.host)
        memset(m.host, 0, most);
    if (!m.host || !m.peer) {
        (void)fprintf(stderr, "orrery-bench: bandwidth: no memory by the own API of %s\n", d->name);
        rc = 1;
    }
    for (m.way = PEER_TO_DEVICE; rc == 0 && m.way < PEER_WAYS; m.way++) {
        if (m.way == PEER_TO_OTHER && !other)
            continue;
        for (int p = 0; rc == 0 && p < (m.way == PEER_TO_DEVICE || m.way == PEER_TO_HOST ? 2 : 1); p++) {
            m.pinned = p == 0;
            for (m.bytes = (size_t)64 << 10; rc == 0 && m.bytes <= most; m.bytes *= 16)
                rc = one(out, rounds, &m, d->name);
        }
    }
    peer_memory_close(m.peer);
    free(m.host);
    return rc;
}

/* Only devices in use by the run have a memory node; the others are skipped. */
int bench_bandwidth(bench_sink *out, int rounds)
{
    enum { MOST = 32 };
    static orr_device d[MOST];
    bool takes_part[MOST] = { false };
    int found = 0, rc = 0;
    (void)setenv("ORRERY_INLINE_US", "0", 0); /* small values are made on the device, too */
    if (orr_init(NULL) != ORR_OK)
        return failed();
    int n = orr_devices(d, MOST);
    n = n < MOST ? n : MOST;
    for (int i = 1; i < n; i++) {
        size_t total, left;
        takes_part[i] = orr_device_memory(i, &total, &left) == ORR_OK;
        found += takes_part[i];
    }
    orr_error_clear();
    for (int i = 1; rc == 0 && i < n; i++) {
        bool next = i + 1 < n && takes_part[i + 1] && d[i].kind == ORR_DEVICE_CUDA && d[i + 1].kind == d[i].kind;
        if (takes_part[i])
            rc = all_ways(out, rounds, &d[i], next ? i + 1 : 0);
    }
    if (found == 0)
        (void)fputs("orrery-bench: bandwidth: no device with a memory of its own takes part in this run\n", stderr);
    return orr_shutdown() == ORR_OK ? rc : failed();
}
