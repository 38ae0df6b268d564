/* What this library was built with, what machine it runs on, which environment variables it reads.
 * Must not know: StarPU. */
#ifndef ORRERY_INFO_H
#define ORRERY_INFO_H

#include <stdbool.h>
#include <stdint.h>
#include <orrery/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One fact: group "machine", "library", "engine"; e.g. { "machine", "cores", "2" }. */
typedef struct orr_fact {
    char group[16], name[24], value[200];
} orr_fact;

/** Writes up to `max` facts; returns how many there are in all. Before orr_init too: then the engine's are missing.
 * Thread-safe. */
ORR_API int orr_info(orr_fact *facts, int max);

/** Prints the ORRERY_* variables: name, values, default, meaning. markdown: as docs/environment.md, with the STARPU_*
 * variables that users of Orrery meet; else a plain table with the values in force. Errors: ORR_EINVAL, ORR_EIO. */
ORR_API orr_status orr_env_print(FILE *to, int markdown);

/** One compiled kernel in the cache on disk (docs/kernel-cache.md). */
typedef struct orr_cache_entry {
    char key[65];       /**< the file's name, without its ending        */
    char label[64];     /**< what it computes: "mul+add+relu"           */
    char compiler[192]; /**< path and version                           */
    char facts[128];    /**< of a device's code: registers, memory, occupancy; "": not known */
    uint64_t bytes;     /**< of the file                                */
    double seconds;     /**< that the compiler took                     */
    int64_t used;       /**< last use, seconds since 1970               */
    bool site;          /**< in the read-only layer, ORRERY_CACHE_SITE  */
} orr_cache_entry;

/** Lists the kernel cache: up to `max` entries, the number of all of them in *count. Before orr_init it reads the
 * environment itself. Errors: ORR_EENV, ORR_EIO (the directory is refused, and why), ORR_EINVAL (count is NULL). */
ORR_API orr_status orr_cache_list(orr_cache_entry *entries, int max, int *count);

/** Removes all kernels from the user's cache directory; *removed says how many (NULL: nobody wants to know). Kernels in
 * use stay loaded. Errors: as orr_cache_list, and ORR_EIO (a file cannot be removed). */
ORR_API orr_status orr_cache_clear(int *removed);

/** One of the numbers by which plans decide what runs where (docs/tuning.md). */
typedef struct orr_machine_number {
    char name[16], unit[16], meaning[96];
    double value; /**< in force                                                             */
    double fixed; /**< with ORRERY_MACHINE=fixed, and until the machine has been measured */
} orr_machine_number;

/** Writes up to `max` numbers; returns how many there are in all. Thread-safe. */
ORR_API int orr_machine_list(orr_machine_number *numbers, int max);

/** What tasks of one kernel, of one class of sizes, took on one kind of device. */
typedef struct orr_perfmodel {
    char kernel[64]; /**< what it computes: "mul+add+relu"                                  */
    char device[16]; /**< "CPU", "OpenCL", "CUDA"                                           */
    uint64_t samples;
    double size_us;      /**< the class: what a task of it would take on a round-numbered core */
    double mean_us;      /**< measured                                                          */
    double deviation_us; /**< its standard deviation                                            */
    double predicted_us; /**< by the fit across the kernel's classes                            */
} orr_perfmodel;

/** Lists the performance models of this host: up to `max`, the number of all in *count. Before orr_init it reads their file
 * (docs/tuning.md). Errors: ORR_EENV, ORR_EINVAL (count is NULL). Thread-safe while the library runs. */
ORR_API orr_status orr_perfmodel_list(orr_perfmodel *models, int max, int *count);

/** Forgets them, and removes their file; *removed says how many there were (may be NULL). Errors: ORR_EENV,
 * ORR_EIO (the file cannot be removed). */
ORR_API orr_status orr_perfmodel_clear(int *removed);

/** Waits until the machine has been measured, once per host, in a thread that orr_init starts; `again`: measures it now
 * and keeps that. Takes 0.1 to 0.3 s; other work on the machine makes the numbers worse. One thread at a time.
 * Errors: ORR_ESTATE (not started), ORR_EDEVICE (the serial engine places nothing), ORR_EIO (it cannot be kept, and is in
 * force all the same), ORR_EINTERNAL (numbers that make no sense; those before stay in force). */
ORR_API orr_status orr_machine_measure(bool again);

#ifdef __cplusplus
}
#endif
#endif
