/* Interface between the queue and the compilation of one kernel.
 * Must not know: regions, launches. */
#ifndef ORR_JIT_JOB_H
#define ORR_JIT_JOB_H

#include "codelets/jit/internal.h"

bool orr__job_start(void);     /* false: not possible (logged) */
void orr__job_interrupt(void); /* ends a compilation under way; call before orr__job_stop */
void orr__job_stop(void);
void orr__job_orphan(void); /* in the child of a fork, which must not interrupt its parent's compilation */
/* Tries memory, disk, compiler, in this order. DONE: *c is a reference, or NULL if the kernel stays in tier 0 for good.
 * LATER: the error may be temporary; j->retry is the time of the next try. CUT: interrupted. */
typedef enum { ORR__JOB_DONE, ORR__JOB_LATER, ORR__JOB_CUT } orr__job_end;
orr__job_end orr__job_on(orr__jit *j, orr__code **c);
extern double orr__retry_pause; /* seconds before the first retry; tests shorten it */

typedef enum { ORR__COUNT_COMPILED, ORR__COUNT_DISK, ORR__COUNT_MEMORY, ORR__COUNT_FAILED, ORR__COUNTS } orr__counter;
void orr__job_count(orr__counter c);

/* jit.c */
void orr__jit_install(orr__jit *j, orr__code *c);

#endif
