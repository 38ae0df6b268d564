/* What this library was built with, what machine it runs on, which environment variables it reads.
 * Must not know: StarPU. */
#ifndef ORRERY_INFO_H
#define ORRERY_INFO_H

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

#ifdef __cplusplus
}
#endif
#endif
