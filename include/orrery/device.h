/* Devices of the machine, work per worker, memory, and the places of values.
 * Must not know: StarPU. */
#ifndef ORRERY_DEVICE_H
#define ORRERY_DEVICE_H

#include <stdio.h>
#include <orrery/dtype.h>
#include <orrery/status.h>
#include <orrery/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One kind of work on one worker, since orr_init or orr_stats_reset. Every task is counted. Of tasks on the calling
 * thread whose kind takes less than 20 µs one in 16 is timed; the times of the others are extrapolated. */
typedef struct orr_stat {
    char kind[64];   /**< of task: "matmul", "map mul+add+relu", … */
    char worker[48]; /**< "CPU 0", "OpenCL 0 …", "inline" (on the calling thread, which workers may help) */
    uint64_t tasks;
    double seconds;
} orr_stat;

/** Writes up to `max` rows of statistics, the busiest first. The row "trials: regret" of worker "all", if there is one, counts
 * trials: work done in another way than the best known one, to measure it. Its seconds are the time that they took beyond the
 * best known way, which are part of the other rows too: at most 5 % of the time of the process's evaluations, and at most
 * 10 ms in its first 50. The rows "CUDA graphs: launches" and "CUDA graphs: captures" of worker "all" count launches of small steps
 * that repeat, and their recordings with the seconds that those took on the host.
 * @return   the number of all rows.
 * threads:  safe from any thread. */
ORR_API int orr_stats(orr_stat *rows, int max);
/** Sets the counters of orr_stats and orr_metrics to zero. */
ORR_API void orr_stats_reset(void);
/** Prints orr_stats as a table: kind, worker, tasks, time, share. */
ORR_API void orr_stats_print(FILE *to);
/** One kind of work on all workers: number of tasks, total time, and the 50th, 95th and 99th percentile of a task's
 * time (seconds, within 6 %). */
typedef struct orr_metric {
    char kind[64]; /**< of task: "matmul", "map mul+add+relu", … */
    uint64_t tasks;
    double seconds, p50, p95, p99;
} orr_metric;
/** Writes up to `max` rows of metrics since orr_init or orr_stats_reset, the most expensive first.
 * @return   the number of all rows.
 * threads:  safe from any thread. */
ORR_API int orr_metrics(orr_metric *rows, int max);
/** Writes all counters as one JSON object, in bytes and seconds.
 *     {"engine", "memory": {"live", "pooled", "peak", "limit", "spilled", "spilled_peak", "total", "held": {"values", "pool", …}},
 *      "plans": {"made", "found", "evicted", "kept"}, "kernels": {"compiled", "from_disk", "from_memory", "failed"},
 *      "regret": {"trials", "refused", "seconds", "bound"},
 *      "devices": [{"name", "retired", "times", "seconds", "gone"}], "kinds": [{"kind", "tasks", "seconds", "p50", "p95", "p99"}]}
 * regret: trials so far in the process, trials that were not begun, and the row of trials of orr_stats with its present bound.
 * A retired device has failed and is tried again after `seconds`; one that is gone is not tried again (docs/reliability.md).
 * errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_status orr_metrics_json(FILE *to);

/** Name of the engine: "starpu 1.3.10, 2 CPU workers, lws" or "serial"; "" before orr_init. */
ORR_API const char *orr_engine_name(void);

/* -- devices --------------------------------------------------------------------------------------------- */

typedef enum orr_device_kind { ORR_DEVICE_CPU, ORR_DEVICE_CUDA, ORR_DEVICE_OPENCL } orr_device_kind;
/** Name of a kind of device: "cpu", "cuda", "opencl"; "?" for any other number. */
ORR_API const char *orr_device_kind_name(orr_device_kind kind);

/** One number that a device reports, or the reason why it does not. */
typedef struct orr_reading {
    orr_status status; /**< ORR_OK, or ORR_EDEVICE                      */
    double value;      /**< NaN unless status is ORR_OK                 */
    char why[96];      /**< "" or the reason: "NVML: Not Supported"     */
} orr_reading;

/** The numbers of a device, in the order of orr_device.reading. */
typedef enum orr_measure {
    ORR_MEASURE_MEMORY_TOTAL,  /**< bytes                                                              */
    ORR_MEASURE_MEMORY_FREE,   /**< bytes                                                              */
    ORR_MEASURE_COMPUTE_UNITS, /**< cores that this process may use; multiprocessors                    */
    ORR_MEASURE_TEMPERATURE,   /**< degrees Celsius, the hottest sensor                                 */
    ORR_MEASURE_POWER,         /**< watts; CPU: the mean since the last reading                         */
    ORR_MEASURE_UTILISATION,   /**< 0 … 1; CPU: the mean of all cores since the last reading             */
    ORR_MEASURE_CLOCK,         /**< hertz; CPU: the fastest core's                                      */
    ORR_MEASURE_MEMORY_CLOCK,  /**< hertz                                                              */
    ORR_MEASURE_COUNT
} orr_measure;
/** Name of a measure in JSON: "memory_total", …; "?" for any other number. */
ORR_API const char *orr_measure_name(orr_measure m);
/** Unit of a measure: "B", "°C", "W", "Hz", "". */
ORR_API const char *orr_measure_unit(orr_measure m);

/** One device. id 0 is the processor with the host's memory; CUDA devices follow in CUDA's order, then OpenCL's in
 * the order of their platforms. A device that both CUDA and OpenCL drive appears twice. */
typedef struct orr_device {
    int id;
    orr_device_kind kind;
    int index;           /**< among its kind: CUDA's ordinal                    */
    char name[96];       /**< "NVIDIA H100 80GB HBM3"                           */
    char address[48];    /**< "0000:41:00.0" for CUDA, the platform for OpenCL  */
    char capability[48]; /**< "9.0", "OpenCL 3.0", "avx512"                     */
    orr_reading reading[ORR_MEASURE_COUNT];
} orr_device;

/** Reads all devices and writes up to `max` of them, before orr_init too.
 * The libraries of CUDA and NVML are opened at run time; their absence is no error. The processor's utilisation and
 * power are means since the process's previous call, so the first call does not know them.
 * @return   the number of all devices.
 * cost:     1 ms; the first call up to some 100 ms.
 * threads:  safe from any thread. */
ORR_API int orr_devices(orr_device *devices, int max);
/** Writes orr_devices as one JSON object.
 *     {"orrery", "written" (seconds since 1970), "pid", "devices": [{"id", "kind", "index", "name", "address",
 *      "capability", and each measure by name as {"value": number} or {"error", "why"}}]}
 * errors:   ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_status orr_devices_json(FILE *to);

/** Writes orr_devices_json to a file that only its owner can read and that appears whole or not at all.
 * With ORRERY_DEVICE_FILE the library writes that file at orr_init and after every change.
 * errors:   ORR_EINVAL, ORR_EIO, ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_status orr_devices_save(const char *path);
/** Reads a file of orr_devices_save, also another process's: up to `max` devices, and the number of all of them into
 * *count.
 * errors:   ORR_EINVAL (path or count is NULL), ORR_EIO, ORR_EFORMAT (another kind of file), ORR_ENOMEM.
 * threads:  safe from any thread. */
ORR_API orr_status orr_devices_load(const char *path, orr_device *devices, int max, int *count);

/** Kinds of change between two readings of the devices: bits. */
enum {
    ORR_CHANGED_SET = 1,    /**< a device has come or gone                                                   */
    ORR_CHANGED_KNOWN = 2,  /**< a reading became known, or unknown                                           */
    ORR_CHANGED_READING = 4 /**< a reading changed by 1 °C, 5 points of utilisation, 5 % of any other         */
};
/** Callback of orr_devices_watch: all devices, valid until it returns, and the ORR_CHANGED_ bits. The library calls
 * it on a thread of its own, one call at a time. It may call all functions except orr_devices_watch and
 * orr_shutdown. */
typedef void orr_devices_fn(const orr_device *devices, int n, unsigned changed, void *user);
/** Reads the devices every `seconds` (0.01 … 86400) on a thread of the library and calls `fn` after each change.
 * The first reading counts as a change of every kind. A second call replaces the first; fn NULL ends the watch, and so
 * does orr_shutdown. After the return the previous function is not called any more. The caller owns `user`.
 * errors:   ORR_EINVAL, ORR_ESTATE (not initialised, or called by fn), ORR_EDEVICE (no thread can be started).
 * threads:  safe from any thread. */
ORR_API orr_status orr_devices_watch(double seconds, orr_devices_fn *fn, void *user);

/* -- places of values ------------------------------------------------------------------------------------ */

/** Evaluates `t` and starts a copy of its value into the memory of `device`, an id of orr_devices.
 * The copy is a hint: if it cannot be made ahead of time, it is made at the first use. For device 0 the call copies
 * into the host's memory and waits.
 * errors:   those of orr_eval; ORR_EINVAL (no such device), ORR_EDEVICE (no worker of this run has it), ORR_ENOMEM
 *           (the value is larger than the device's memory).
 * threads:  safe from any thread. */
ORR_API orr_status orr_prefetch_at(const char *file, int line, orr_tensor *t, int device);
#define orr_prefetch(...) orr_prefetch_at(ORR_HERE, __VA_ARGS__)
/** Copies the value of `t` into the memory of `device` as orr_prefetch does, and waits for the copy. */
ORR_API orr_status orr_copy_to_at(const char *file, int line, orr_tensor *t, int device);
#define orr_copy_to(...) orr_copy_to_at(ORR_HERE, __VA_ARGS__)
/** Copies the value of `t` into the host's memory and releases all other copies of it.
 * The call waits for work that reads them. Evaluates `t`.
 * errors:   those of orr_eval, ORR_EDEVICE.
 * threads:  safe from any thread. */
ORR_API orr_status orr_evict_at(const char *file, int line, orr_tensor *t);
#define orr_evict(...) orr_evict_at(ORR_HERE, __VA_ARGS__)
/** Sets *on to whether the memory of `device` holds the whole value of `t` now. Evaluates `t`.
 * errors:   as orr_prefetch; ORR_EINVAL (on is NULL). */
ORR_API orr_status orr_is_on_at(const char *file, int line, orr_tensor *t, int device, bool *on);
#define orr_is_on(...) orr_is_on_at(ORR_HERE, __VA_ARGS__)
/** Sets *total to the bytes of the device's memory and *left to those that are free.
 * For device 0 this is the host's memory, else the memory that the engine may use (STARPU_LIMIT_CUDA_MEM,
 * STARPU_LIMIT_OPENCL_MEM). Copies that the engine could release count as used.
 * errors:   ORR_EINVAL, ORR_ESTATE, ORR_EDEVICE.
 * threads:  safe from any thread. */
ORR_API orr_status orr_device_memory_at(const char *file, int line, int device, size_t *total, size_t *left);
#define orr_device_memory(...) orr_device_memory_at(ORR_HERE, __VA_ARGS__)

/** The owners of the memory that the library holds. */
typedef enum orr_memory_owner {
    ORR_MEMORY_VALUES,    /**< values of tensors: live                                                            */
    ORR_MEMORY_POOL,      /**< blocks free for reuse, with those that still have handles of StarPU (pooled), and the
                               rests of blocks beyond their values                                                */
    ORR_MEMORY_SCRATCH,   /**< each thread's memory for blocks and copies of kernels                              */
    ORR_MEMORY_HANDLES,   /**< handles of StarPU                                                                  */
    ORR_MEMORY_GRAPHS,    /**< nodes, and what tensors refer to                                                   */
    ORR_MEMORY_PLANS,     /**< plans of evaluations                                                               */
    ORR_MEMORY_PROGRAMS,  /**< prepared kernels of plans                                                          */
    ORR_MEMORY_LIBRARIES, /**< what kernels of plans keep: primitives of oneDNN, packed weights, records of CUDA graphs */
    ORR_MEMORY_TABLES,    /**< tables of Fourier transforms                                                       */
    ORR_MEMORY_KERNELS,   /**< compiled kernels                                                                   */
    ORR_MEMORY_MODELS,    /**< measured times, counters                                                           */
    ORR_MEMORY_OWNERS
} orr_memory_owner;
/** Name of an owner: "values", "pool", …; "?" for any other number. */
ORR_API const char *orr_memory_owner_name(orr_memory_owner owner);

/** Host memory that the library holds, in bytes. */
typedef struct orr_memory {
    size_t live;                    /**< in use                                                               */
    size_t pooled;                  /**< free, held for reuse                                                 */
    size_t peak;                    /**< the most that was live since orr_init or orr_memory_peak_reset       */
    size_t limit;                   /**< ORRERY_MEMORY_LIMIT; 0: none                                         */
    size_t spilled;                 /**< beyond the limit, in files of ORRERY_SPILL_DIR; not counted as live */
    size_t spilled_peak;            /**< the most of that, as peak                                            */
    size_t held[ORR_MEMORY_OWNERS]; /**< all that is held in memory, by owner                      */
    size_t total;                   /**< the sum of held                                           */
} orr_memory;
/** Returns the present state of the host memory that the library holds. Memory of other libraries that does not belong to
 * a tensor or a plan is not counted: the runtime of StarPU, of the BLAS, of drivers.
 * threads:  safe from any thread. */
ORR_API orr_memory orr_memory_stats(void);
/** Sets peak and spilled_peak to the present values.
 * threads:  safe from any thread. */
ORR_API void orr_memory_peak_reset(void);
/** Returns pooled memory to the system. Pooled memory that is not used for a second returns by itself.
 * threads:  safe from any thread. */
ORR_API void orr_memory_trim(void);

#ifdef __cplusplus
}
#endif
#endif
