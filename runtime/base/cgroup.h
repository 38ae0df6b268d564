/* The memory that this process's job may use.
 * Must not know: its callers. */
#ifndef ORR_BASE_CGROUP_H
#define ORR_BASE_CGROUP_H

#include <stddef.h>

/* Bytes of memory that the process's control group and the groups above it allow; 0: no limit below the physical memory. `self` is the
 * file that names the groups (NULL: /proc/self/cgroup), `mount` is their folder (NULL: /sys/fs/cgroup); versions 2 and 1. */
size_t orr__job_memory(const char *self, const char *mount);

#endif
