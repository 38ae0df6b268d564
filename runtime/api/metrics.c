/* Counters and quantiles, as a table and as JSON.
 * Must not know: how they are counted. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery/device.h>
#include "codelets/jit/jit.h"
#include "runtime/api/json.h"
#include "runtime/api/file_sink.h"
#include "runtime/base/buffer.h"
#include "runtime/base/decimal.h"
#include "runtime/base/regret.h"
#include "runtime/base/signals.h"
#include "runtime/engine/engine.h"

int orr_metrics(orr_metric *rows, int max)
{
    return orr__engine_metrics(rows, max);
}

static void put_counters(FILE *to)
{
    orr_memory m = orr_memory_stats();
    orr__plan_stats p = orr__plan_get_stats();
    orr__jit_stats j = orr__jit_get_stats();

    (void)fputs("{\n\"engine\": ", to);
    orr__json_put(to, orr_engine_name());
    (void)fprintf(to,
                  ",\n\"memory\": {\"live\": %zu, \"pooled\": %zu, \"peak\": %zu, \"limit\": %zu, "
                  "\"spilled\": %zu, \"spilled_peak\": %zu, \"total\": %zu, \"held\": {",
                  m.live, m.pooled, m.peak, m.limit, m.spilled, m.spilled_peak, m.total);
    for (int i = 0; i < ORR_MEMORY_OWNERS; i++)
        (void)fprintf(to, "%s\"%s\": %zu", i ? ", " : "", orr_memory_owner_name((orr_memory_owner)i), m.held[i]);
    (void)fputs("}}", to);
    (void)fprintf(to, ",\n\"plans\": {\"made\": %llu, \"found\": %llu, \"evicted\": %llu, \"kept\": %d}",
                  (unsigned long long)p.misses, (unsigned long long)p.hits, (unsigned long long)p.evicted, p.size);
    (void)fprintf(to,
                  ",\n\"kernels\": {\"compiled\": %llu, \"from_disk\": %llu, \"from_memory\": %llu, \"failed\": %llu}",
                  (unsigned long long)j.compiled, (unsigned long long)j.disk_hits, (unsigned long long)j.memory_hits,
                  (unsigned long long)j.failures);
    orr__regret r = orr__regret_now();
    (void)fprintf(to, ",\n\"regret\": {\"trials\": %llu, \"refused\": %llu, \"seconds\": %.9f, \"bound\": %.9f}",
                  (unsigned long long)r.trials, (unsigned long long)r.refused, r.excess, r.bound);
}

static void put_devices(FILE *to)
{
    orr__device_state d;

    (void)fputs(",\n\"devices\": [", to);
    for (int i = 0; orr__engine_device(i, &d); i++) {
        (void)fprintf(to, "%s{\"name\": ", i ? ", " : "");
        orr__json_put(to, d.name);
        (void)fprintf(to, ", \"retired\": %s, \"times\": %llu, \"seconds\": %.3f, \"gone\": %s}",
                      d.rests ? "true" : "false", (unsigned long long)d.retired, d.seconds, d.gone ? "true" : "false");
    }
    (void)fputs("]", to);
}

orr_status orr_metrics_json(FILE *to)
{
    ORR__GUARD_WRITES;
    orr__site at = ORR__SITE(NULL, 0, "metrics_json");
    int n = orr__engine_metrics(NULL, 0) + 64; /* kinds may be added meanwhile */
    orr_metric *all;

    if (!to)
        return orr__fail(at, ORR_EINVAL, "the file is NULL");
    if (!(all = orr__alloc_n((size_t)n, sizeof *all)))
        return orr__fail_place(at, ORR_ENOMEM);
    int m = orr__engine_metrics(all, n);
    locale_t before = orr__point_begin();
    put_counters(to);
    put_devices(to);
    (void)fputs(",\n\"kinds\": [", to);
    for (int i = 0; i < m && i < n; i++) {
        (void)fprintf(to, "%s\n{\"kind\": ", i ? "," : "");
        orr__json_put(to, all[i].kind);
        (void)fprintf(to, ", \"tasks\": %llu, \"seconds\": %.9f, \"p50\": %.9g, \"p95\": %.9g, \"p99\": %.9g}",
                      (unsigned long long)all[i].tasks, all[i].seconds, all[i].p50, all[i].p95, all[i].p99);
    }
    (void)fputs("]}\n", to);
    orr__point_end(before);
    free(all);
    return orr__printed(at, to);
}
