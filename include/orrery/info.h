/* The build, the machine, the environment variables, the kernel cache, the performance models.
 * Must not know: StarPU. */
#ifndef ORRERY_INFO_H
#define ORRERY_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One fact, in the group "machine", "library" or "engine": { "machine", "cores", "2" }. */
typedef struct orr_fact {
    char group[16], name[24], value[200];
} orr_fact;

/** Writes up to `max` facts about the build and the machine. Before orr_init the engine's are missing.
 * @return   the number of all facts.
 * threads:  safe from any thread. */
ORR_API int orr_info(orr_fact *facts, int max);

/** Prints the ORRERY_* variables: name, values, default, meaning.
 * @param markdown  true: docs/environment.md, with the STARPU_* variables that users of Orrery meet; false: a plain
 *                  table with the values in force
 * errors:   ORR_EINVAL, ORR_EIO. */
ORR_API orr_status orr_env_print(FILE *to, bool markdown);

/** Prints the tuned numbers of the library: name, value, unit, reason, and the command that measures it on another machine.
 * @param markdown  true: docs/thresholds.md; false: a plain table
 * errors:   ORR_EINVAL, ORR_EIO.
 * threads:  safe from any thread. */
ORR_API orr_status orr_thresholds_print(FILE *to, bool markdown);

/** One compiled kernel in the cache on disk (docs/kernel-cache.md). */
typedef struct orr_cache_entry {
    char key[65];       /**< the file's name, without its ending        */
    char label[64];     /**< its operations: "mul+add+relu"              */
    char compiler[192]; /**< path and version                           */
    char facts[128];    /**< of a device's code: registers, memory, occupancy; "": not known */
    uint64_t bytes;     /**< of the file                                */
    double seconds;     /**< time of the compiler                       */
    int64_t used;       /**< last use, seconds since 1970               */
    bool site;          /**< in the read-only layer, ORRERY_CACHE_SITE  */
} orr_cache_entry;

/** Lists the kernel cache: up to `max` entries, and the number of all of them into *count. Before orr_init it reads
 * the environment itself.
 * errors:   ORR_EENV, ORR_EIO (the directory is refused; the message has the reason), ORR_EINVAL (count is NULL). */
ORR_API orr_status orr_cache_list(orr_cache_entry *entries, int max, int *count);

/** Removes all kernels from the user's cache directory and sets *removed, which may be NULL, to their number. Kernels
 * in use stay loaded.
 * errors:   as orr_cache_list; ORR_EIO (a file cannot be removed). */
ORR_API orr_status orr_cache_clear(int *removed);

/** One of the numbers by which plans decide where work runs (docs/tuning.md). */
typedef struct orr_machine_number {
    char name[16], unit[16], meaning[96];
    double value; /**< in force                                                             */
    double fixed; /**< with ORRERY_MACHINE=fixed, and until the machine has been measured */
} orr_machine_number;

/** Writes up to `max` numbers of this machine.
 * @return   the number of all of them.
 * threads:  safe from any thread. */
ORR_API int orr_machine_list(orr_machine_number *numbers, int max);

/** A performance model: the measured times of one kernel, for one class of sizes, on one kind of device. */
typedef struct orr_perfmodel {
    char kernel[64]; /**< its operations: "mul+add+relu"                                     */
    char device[16]; /**< "CPU", "OpenCL", "CUDA"                                           */
    uint64_t samples;
    double size_us;      /**< the class: rounded predicted time of its tasks                    */
    double mean_us;      /**< measured                                                          */
    double deviation_us; /**< its standard deviation                                            */
    double predicted_us; /**< by the fit across the kernel's classes                            */
} orr_perfmodel;

/** Lists the performance models of this host: up to `max`, and the number of all of them into *count. Before orr_init
 * it reads their file (docs/tuning.md).
 * errors:   ORR_EENV, ORR_EINVAL (count is NULL).
 * threads:  safe while the library runs. */
ORR_API orr_status orr_perfmodel_list(orr_perfmodel *models, int max, int *count);

/** Deletes all performance models and their file, and sets *removed, which may be NULL, to their number.
 * errors:   ORR_EENV, ORR_EIO (the file cannot be removed). */
ORR_API orr_status orr_perfmodel_clear(int *removed);

/** Waits for the measurement of this machine, which a thread of orr_init makes once per host.
 * @param again  true: measures now, in 0.1 to 0.3 s, and keeps the result. Measure on a quiet machine.
 * errors:   ORR_ESTATE (not started), ORR_EDEVICE (the serial engine does not measure the machine), ORR_EIO (the numbers are in
 *           force but cannot be kept), ORR_EINTERNAL (implausible numbers; the previous ones stay in force).
 * threads:  one thread at a time. */
ORR_API orr_status orr_machine_measure(bool again);

#ifdef __cplusplus
}
#endif
#endif
