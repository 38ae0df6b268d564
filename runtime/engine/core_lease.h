/* Leases of cores to evaluations on their callers' threads. */
#ifndef ORR_ENGINE_CORE_LEASE_H
#define ORR_ENGINE_CORE_LEASE_H

#include <stdint.h>

/* limit of the machine: a hundredth of a time slice of Linux on two cores, 3 ms; with more cores a slice is longer. Work of fewer µs has no
 * lease: at most every hundredth time the system takes its core away. */
enum { ORR__LEASE_US = 30 };

void orr__leases_start(void);     /* counts the cores of the process */
int orr__lease_places(double us); /* for work of that time, at once */
/* Waits for a place if more callers evaluate than there are. us: of the work, as predicted; very short work does not wait. Returns the
 * lease, for orr__lease_end; 0: without one. No thread waits for ever, whatever the holders of leases do. */
uint64_t orr__lease_begin(int callers, double us);
void orr__lease_end(uint64_t lease);
void orr__lease_counts(int *waiting, uint64_t *lent); /* threads that wait now; leases so far */

#endif
