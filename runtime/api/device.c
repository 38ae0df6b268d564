/* Engine, statistics and memory of orrery/device.h.
 * Must not know: StarPU. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <orrery/device.h>
#include "runtime/base/buffer.h"
#include "runtime/base/decimal.h"
#include "runtime/base/signals.h"
#include "runtime/base/held.h"
#include "runtime/engine/engine.h"

int orr_stats(orr_stat *rows, int max)
{
    return orr__engine_stats(rows, max);
}

void orr_stats_reset(void)
{
    orr__engine_stats_reset();
}

void orr_stats_print(FILE *to)
{
    ORR__GUARD_WRITES;
    int n = orr__engine_stats(NULL, 0);
    orr_stat *all = n > 0 ? orr__alloc_n((size_t)n, sizeof *all) : NULL;
    double total = 0;

    if (!to)
        return;
    if (all) {
        int m = orr__engine_stats(all, n);
        n = m < n ? m : n; /* kinds may have been added in between */
    } else {
        n = 0;
    }
    for (int i = 0; i < n; i++)
        total += all[i].seconds;
    locale_t before = orr__point_begin();
    fprintf(to, "%-40s %-24s %10s %12s %7s\n", "kind", "worker", "tasks", "seconds", "share");
    for (int i = 0; i < n; i++)
        fprintf(to, "%-40.40s %-24.24s %10llu %12.6f %6.1f%%\n", all[i].kind, all[i].worker,
                (unsigned long long)all[i].tasks, all[i].seconds, total > 0 ? 100.0 * all[i].seconds / total : 0.0);
    orr__point_end(before);
    free(all);
}

const char *orr_engine_name(void)
{
    return orr__engine_name();
}

orr_memory orr_memory_stats(void)
{
    orr__pool_stats s = orr__pool_get_stats();
    size_t held = orr__engine_held();

    held = held < s.live ? held : s.live;
    orr_memory m = { .live = s.live - held,
                     .pooled = s.pooled + held,
                     .peak = s.peak,
                     .limit = s.limit,
                     .spilled = s.spilled,
                     .spilled_peak = s.spilled_peak };
    for (int i = 0; i < ORR_MEMORY_OWNERS; i++)
        m.held[i] = orr__held((orr_memory_owner)i);
    size_t blocks = s.outside + s.pooled + s.headers;
    m.held[ORR_MEMORY_VALUES] = m.live;
    m.held[ORR_MEMORY_POOL] = blocks > m.live ? blocks - m.live : 0;
    for (int i = 0; i < ORR_MEMORY_OWNERS; i++)
        m.total += m.held[i];
    return m;
}

const char *orr_memory_owner_name(orr_memory_owner owner)
{
    static const char *const name[ORR_MEMORY_OWNERS] = {
        [ORR_MEMORY_VALUES] = "values",       [ORR_MEMORY_POOL] = "pool",       [ORR_MEMORY_SCRATCH] = "scratch",
        [ORR_MEMORY_HANDLES] = "handles",     [ORR_MEMORY_GRAPHS] = "graphs",   [ORR_MEMORY_PLANS] = "plans",
        [ORR_MEMORY_PROGRAMS] = "programs",   [ORR_MEMORY_KERNELS] = "kernels", [ORR_MEMORY_MODELS] = "models",
        [ORR_MEMORY_LIBRARIES] = "libraries", [ORR_MEMORY_TABLES] = "tables",
    };
    return (unsigned)owner < ORR_MEMORY_OWNERS ? name[owner] : "?";
}

void orr_memory_peak_reset(void)
{
    orr__pool_peak_reset();
}

void orr_memory_trim(void)
{
    if (orr__buffer_engine.press)
        (void)orr__buffer_engine.press();
    orr__pool_trim();
}
