/* The memory that this process's job may use.
 * Must not know: its callers. */
#ifndef ORR_BASE_JOB_H
#define ORR_BASE_JOB_H

#include <stddef.h>

/* Bytes of memory that the process's control group and those above it allow, 0: as much as there is. `self` is the file
 * that names the groups (NULL: /proc/self/cgroup), `mount` where they are (NULL: /sys/fs/cgroup); version 2 and 1. */
size_t orr__job_memory(const char *self, const char *mount);

#endif
