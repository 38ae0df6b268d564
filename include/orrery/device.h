/* What the machine has and what ran where.
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

/** One kind of work on one worker since orr_init or orr_stats_reset. Every task is counted; of kinds that take less than 20 µs on
 * the calling thread one in 16 is timed, and stands for the others. */
typedef struct orr_stat {
    char what[64];   /**< kind of task: "matmul", "map mul+add+relu", … */
    char worker[48]; /**< "CPU 0", "OpenCL 0 …", "inline" (on the calling thread) */
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
/** Writes what there is to count as one JSON object: {"engine", "memory": {"live", "pooled", "peak", "limit", "spilled",
 * "spilled_peak"}, "plans": {"made",
 * "found", "evicted", "kept"}, "kernels": {"compiled", "from_disk", "from_memory", "failed"}, "kinds": [{"what", "tasks",
 * "seconds", "p50", "p95", "p99"}]}. Bytes and seconds. Errors: ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_metrics_json(FILE *to);

/** "starpu 1.3.10, 2 CPU workers, lws" or "serial"; "" before orr_init. */
ORR_API const char *orr_engine_name(void);

/* -- devices --------------------------------------------------------------------------------------------- */

typedef enum orr_device_kind { ORR_DEVICE_CPU, ORR_DEVICE_CUDA, ORR_DEVICE_OPENCL } orr_device_kind;
/** "cpu", "cuda", "opencl"; "?" for what is none. */
ORR_API const char *orr_device_kind_name(orr_device_kind kind);

/** A number that a device may keep to itself: then status says so, why names the reason, and value is NaN, never 0. */
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
    ORR_MEASURE_POWER,         /**< watts; CPU: the mean since the last look                            */
    ORR_MEASURE_UTILISATION,   /**< 0 … 1; CPU: the mean of all cores since the last look                */
    ORR_MEASURE_CLOCK,         /**< hertz; CPU: the fastest core's                                      */
    ORR_MEASURE_MEMORY_CLOCK,  /**< hertz                                                              */
    ORR_MEASURE_COUNT
} orr_measure;
/** "memory_total", …: the name in JSON. "?" for what is none. */
ORR_API const char *orr_measure_name(orr_measure m);
/** "B", "°C", "W", "Hz", "" */
ORR_API const char *orr_measure_unit(orr_measure m);

/** One device. id 0 is the processor with the host's memory; CUDA devices follow in CUDA's order, then OpenCL's in that of its
 * platforms. A device may appear twice, by CUDA and by OpenCL. */
typedef struct orr_device {
    int id;
    orr_device_kind kind;
    int index;           /**< among its kind: CUDA's ordinal                    */
    char name[96];       /**< "NVIDIA H100 80GB HBM3"                           */
    char address[48];    /**< "0000:41:00.0" for CUDA, the platform for OpenCL  */
    char capability[48]; /**< "9.0", "OpenCL 3.0", "avx512"                     */
    orr_reading reading[ORR_MEASURE_COUNT];
} orr_device;

/** Looks at all devices: writes up to `max`, returns how many there are. Before orr_init too; CUDA and NVML libraries are
 * opened at run time, and their absence is no error. The processor's utilisation and power are means since the last look in
 * this process, so the first look does not know them. Thread-safe; takes from 1 ms to some 100 ms (the first time). */
ORR_API int orr_devices(orr_device *devices, int max);
/** Writes orr_devices as one JSON object: {"orrery", "written" (seconds since 1970), "pid", "devices": [{"id", "kind", "index", "name",
 * "address", "capability", and each measure by name as {"value": number} or {"error", "why"}}]}.
 * Errors: ORR_EINVAL (NULL), ORR_EIO, ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_devices_json(FILE *to);

/** Writes the same to a file, which appears whole or not at all (temporary, fsync, rename) and is readable by its owner alone.
 * With ORRERY_DEVICE_FILE the library does so at orr_init, and again whenever something changes. Errors: ORR_EINVAL, ORR_EIO,
 * ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_devices_save(const char *path);
/** Reads such a file, any process's: up to `max` devices, the number of all of them in *count. Errors: ORR_EINVAL (path or count is
 * NULL), ORR_EIO, ORR_EFORMAT (no such file), ORR_ENOMEM. Thread-safe. */
ORR_API orr_status orr_devices_load(const char *path, orr_device *devices, int max, int *count);

/** What has changed between two looks: bits. */
enum {
    ORR_CHANGED_SET = 1,    /**< a device has come or gone                                                   */
    ORR_CHANGED_KNOWN = 2,  /**< a reading is known that was not, or the other way                            */
    ORR_CHANGED_READING = 4 /**< one moved: by 1 °C, 5 points of utilisation, 5 % of any other                */
};
/** Called with all devices on the library's own thread, one call at a time; `devices` is valid until it returns. It may call
 * everything but orr_devices_watch and orr_shutdown. */
typedef void orr_devices_fn(const orr_device *devices, int n, unsigned changed, void *user);
/** Looks at the devices every `seconds` (0.01 … 86400) on a thread of the library's, and calls `fn` when something has changed
 * since its last call (the first look is one: all bits). A second call replaces the first; fn NULL ends it. When this returns, the function
 * watching before will not be called again. `user` stays the caller's. Ends with orr_shutdown. Errors: ORR_EINVAL, ORR_ESTATE (not
 * initialised, or called by fn), ORR_EDEVICE (no thread can be started). Thread-safe. */
ORR_API orr_status orr_devices_watch(double seconds, orr_devices_fn *fn, void *user);

/* -- where a value is ------------------------------------------------------------------------------------ */

/** Starts to copy the value of `t` into the memory of `device` (an id of orr_devices) and returns: what is computed there next
 * finds it. Evaluates `t` as orr_eval does, and waits for that. A hint: where it cannot be done ahead, it is done at its use. device 0: into the
 * host's memory, and waits. Errors: those of orr_eval; ORR_EINVAL (no such device), ORR_EDEVICE (it takes no part in this run), ORR_ENOMEM
 * (larger than the device's memory). Safe from any thread. */
ORR_API orr_status orr_prefetch_at(const char *file, int line, orr_tensor *t, int device);
#define orr_prefetch(...) orr_prefetch_at(ORR_HERE, __VA_ARGS__)
/** The same, and waits until the copy is there. */
ORR_API orr_status orr_copy_to_at(const char *file, int line, orr_tensor *t, int device);
#define orr_copy_to(...) orr_copy_to_at(ORR_HERE, __VA_ARGS__)
/** Brings the value of `t` home into the host's memory and gives up all other copies; their memory serves what comes next. Waits for
 * work that reads them. Errors: those of orr_eval, ORR_EDEVICE. Safe from any thread. */
ORR_API orr_status orr_evict_at(const char *file, int line, orr_tensor *t);
#define orr_evict(...) orr_evict_at(ORR_HERE, __VA_ARGS__)
/** *on: whether the memory of `device` holds the value of `t` now, whole. Evaluates `t`. Errors: as orr_prefetch; ORR_EINVAL (on is NULL). */
ORR_API orr_status orr_is_on_at(const char *file, int line, orr_tensor *t, int device, bool *on);
#define orr_is_on(...) orr_is_on_at(ORR_HERE, __VA_ARGS__)
/** Bytes of the device's memory in all, and those that are free: for device 0 the host's, else those that the engine may use
 * (STARPU_LIMIT_CUDA_MEM, STARPU_LIMIT_OPENCL_MEM) and has not used. Copies that it could give up count as used. Errors: ORR_EINVAL, ORR_ESTATE,
 * ORR_EDEVICE. Thread-safe. */
ORR_API orr_status orr_device_memory_at(const char *file, int line, int device, size_t *total, size_t *left);
#define orr_device_memory(...) orr_device_memory_at(ORR_HERE, __VA_ARGS__)

/** Host memory of tensors, bytes. */
typedef struct orr_memory {
    size_t live;         /**< in use                                                               */
    size_t pooled;       /**< free, held for reuse                                                 */
    size_t peak;         /**< the most that was live since orr_init or orr_memory_peak_reset       */
    size_t limit;        /**< ORRERY_MEMORY_LIMIT; 0: none                                         */
    size_t spilled;      /**< beyond the limit, in files of ORRERY_SPILL_DIR; not counted as live */
    size_t spilled_peak; /**< the most of that, as peak                                            */
} orr_memory;
/** How much there is now. Thread-safe. */
ORR_API orr_memory orr_memory_stats(void);
/** peak and spilled_peak count from what is there now. Thread-safe. */
ORR_API void orr_memory_peak_reset(void);
/** Gives memory that is held for reuse back to the system. */
ORR_API void orr_memory_trim(void);

#ifdef __cplusplus
}
#endif
#endif
