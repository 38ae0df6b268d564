/* Case record: the cost of recording a node, without evaluation.
 * Must not know: other cases. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery.h>
#include "bench/bench.h"

enum { NODES = 10000, BLOCK = 384 /* about the size of a node */ };

typedef struct recording {
    orr_tensor *x, *y;
    bool branching; /* else a chain */
    void **block;
} recording;

static int ours_once(void *user)
{
    recording *r = user;
    orr_scope *s = orr_scope_begin();
    orr_tensor *t = r->x;
    for (int i = 0; i < NODES; i++) {
        orr_tensor *next = i & 1 ? orr_mul(t, r->y) : orr_add(t, r->x);
        t = r->branching ? r->x : next;
    }
    int rc = orr_tensor_status(t) == ORR_OK ? 0 : 1;
    (void)orr_scope_end(s);
    return rc;
}

static int heap_once(void *user)
{
    recording *r = user;
    int rc = 0;
    for (int i = 0; i < NODES; i++) {
        r->block[i] = calloc(1, BLOCK);
        rc |= !r->block[i];
    }
    for (int i = 0; i < NODES; i++)
        free(r->block[i]);
    return rc;
}

static int one(bench_sink *out, int rounds, recording *rec, const char *shape)
{
    static const bench_side ours = { NULL, ours_once, NULL }, heap = { NULL, heap_once, NULL };
    double t = 0.0, direct = 0.0;
    if (bench_interleave(&ours, &heap, rec, rounds, 0.2, &t, &direct) != 0)
        return 1;
    bench_record r = { .name = "record",
                       .metric = "time per node",
                       .unit = "ns",
                       .value = t / NODES * 1e9,
                       .reference = "calloc and free of 384 bytes",
                       .reference_value = direct / NODES * 1e9 };
    (void)snprintf(r.params, sizeof r.params, "\"graph\": \"%s\", \"nodes\": %d", shape, NODES);
    r.ratio = bench_ratio(&r, false);
    return bench_add(out, &r);
}

/* The time includes recording and, at the end of the scope, freeing. */
int bench_record_ops(bench_sink *out, int rounds)
{
    if (orr_init(NULL) != ORR_OK)
        return bench_failed("record");
    recording rec = { .x = orr_ones(ORR_F32, ORR_SHAPE(128, 512)),
                      .y = orr_ones(ORR_F32, ORR_SHAPE(128, 512)),
                      .block = calloc(NODES, sizeof(void *)) };
    int rc = rec.block ? 0 : 1;
    if (rc == 0)
        rc = one(out, rounds, &rec, "chain");
    rec.branching = true;
    if (rc == 0)
        rc = one(out, rounds, &rec, "independent");
    free(rec.block);
    return orr_shutdown() == ORR_OK ? rc : bench_failed("record");
}
