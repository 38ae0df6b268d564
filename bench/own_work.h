/* Work of a program's own between evaluations.
 * Must not know: what is evaluated. */
#ifndef ORR_BENCH_OWN_WORK_H
#define ORR_BENCH_OWN_WORK_H

#include <stdbool.h>

/* Arithmetic for so many seconds, on the calling thread or on a team of OpenMP. */
void own_work(double seconds, bool team);
/* Arithmetic of a fixed length on each thread of a team, or on the calling one; a sum of its values. */
double own_region(int times, bool team);
/* a = b + 3 · c by a team. */
void own_triad(double *a, const double *b, const double *c, int n);
/* False: this build has no OpenMP. */
bool own_work_has_team(void);

#endif
