/* Between the queue and the compilation of one kernel.
 * Must not know: regions, launches. */
#ifndef ORR_JIT_JOB_H
#define ORR_JIT_JOB_H

#include "codelets/jit/internal.h"

bool orr__job_start(void);     /* false: not possible (said) */
void orr__job_interrupt(void); /* a compilation under way ends soon; before work_stop */
void orr__job_stop(void);
/* Memory, disk, compiler, in this order. DONE: *c is a reference, or NULL when the kernel stays in tier 0 for good. LATER: what is
 * wrong may pass; j->retry says when. CUT: interrupted. */
typedef enum { ORR__JOB_DONE, ORR__JOB_LATER, ORR__JOB_CUT } orr__job_end;
orr__job_end orr__job_on(orr__jit *j, orr__code **c);
extern double orr__retry_pause; /* seconds before the first retry; tests shorten it */

typedef enum { ORR__COUNT_COMPILED, ORR__COUNT_DISK, ORR__COUNT_MEMORY, ORR__COUNT_FAILED, ORR__COUNTS } orr__counter;
void orr__job_count(orr__counter c);

/* jit.c */
void orr__jit_install(orr__jit *j, orr__code *c);

#endif
