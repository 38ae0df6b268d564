/* The memory and the processors that this process's job may use.
 * Must not know: its callers. */
#ifndef ORR_BASE_CGROUP_H
#define ORR_BASE_CGROUP_H

#include <stddef.h>

/* Bytes of memory that the process's control group and the groups above it allow; 0: no limit below the physical memory. `self` is the
 * file that names the groups (NULL: /proc/self/cgroup), `mount` is their folder (NULL: /sys/fs/cgroup); versions 2 and 1. */
size_t orr__job_memory(const char *self, const char *mount);
/* The same of processors, a part of one too: a container's --cpus, CPUQuota= of systemd, CPU limits of Kubernetes. Infinite: no limit. The group may run
 * on more processors at once, and then on none until its next period begins. */
double orr__job_cores(const char *self, const char *mount);
/* The number of threads that compute at a time to good effect: the processors on which the calling thread may run, and not more than the job's limit, of
 * which a part counts as a whole. At least 1. */
int orr__processors(void);

#endif
