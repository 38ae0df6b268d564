/* What the machine has and what ran where.
 * Must not know: StarPU. */
#ifndef ORRERY_DEVICE_H
#define ORRERY_DEVICE_H

#include <stdio.h>
#include <orrery/dtype.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One kind of work on one worker since orr_init or orr_stats_reset. */
typedef struct orr_stat {
    char what[64];    /**< kind of task: "matmul", "map mul+add+relu", … */
    char worker[48];  /**< "CPU 0", "OpenCL 0 …", "inline" (on the calling thread) */
    uint64_t tasks;
    double seconds;
} orr_stat;

/** Writes up to `max` rows, busiest first; returns how many there are in all. Thread-safe. */
ORR_API int orr_stats(orr_stat *rows, int max);
/** Forgets what orr_stats counted. */
ORR_API void orr_stats_reset(void);
/** Prints orr_stats as a table: kind, worker, tasks, time, share. */
ORR_API void orr_stats_print(FILE *to);
/** One kind of work, all workers together: how many tasks, how long they took, and the times below which 50, 95 and 99 % of
 * them stayed (seconds, right to 6 %). */
typedef struct orr_metric {
    char what[64];
    uint64_t tasks;
    double seconds, p50, p95, p99;
} orr_metric;
/** Writes up to `max` rows, the dearest first; returns how many there are in all. Since orr_init or orr_stats_reset.
 * Thread-safe. */
ORR_API int orr_metrics(orr_metric *rows, int max);
/** Writes what there is to count as one JSON object: {"engine", "memory": {"live", "pooled", "peak", "limit"}, "plans": {"made",
 * "found", "evicted", "kept"}, "kernels": {"compiled", "from_disk", "from_memory", "failed"}, "kinds": [{"what", "tasks",
 * "seconds", "p50", "p95", "p99"}]}. Bytes and seconds. Errors: ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_metrics_json(FILE *to);

/** "starpu 1.3.10, 2 CPU workers, lws" or "serial"; "" before orr_init. */
ORR_API const char *orr_engine_name(void);

/** Host memory of tensors, bytes. */
typedef struct orr_memory { size_t live, pooled, peak, limit; } orr_memory;
ORR_API orr_memory orr_memory_stats(void);
/** Gives memory that is held for reuse back to the system. */
ORR_API void orr_memory_trim(void);

#ifdef __cplusplus
}
#endif
#endif
