/* The energy counters of the processors' packages, as the kernel's power capping framework shows them.
 * Must not know: the work that uses the energy. */
#ifndef ORR_BASE_ENERGY_H
#define ORR_BASE_ENERGY_H

#include <stdbool.h>
#include <stddef.h>

enum { ORR__ENERGY_PACKAGES = 64 };
typedef struct {
    int n;
    double joules[ORR__ENERGY_PACKAGES], range[ORR__ENERGY_PACKAGES]; /* range: at which the counter begins anew */
} orr__energy;

/* Reads all packages below the directory, usually /sys/class/powercap. False: none can be read, and `why` says so. */
bool orr__energy_read(const char *directory, orr__energy *e, char *why, size_t size);
/* Joules between two readings of the same directory, which are less than the range of a counter apart. */
double orr__energy_between(const orr__energy *before, const orr__energy *after);

#endif
