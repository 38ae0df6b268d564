/* Interface between the queue and the compilation of one kernel.
 * Must not know: regions, launches. */
#ifndef ORR_JIT_COMPILE_JOB_H
#define ORR_JIT_COMPILE_JOB_H

#include "codelets/jit/internal.h"

bool orr__job_start(void);     /* false: not possible (logged) */
void orr__job_interrupt(void); /* ends a compilation under way; call before orr__job_stop */
void orr__job_stop(void);
void orr__job_orphan(void); /* in the child of a fork, which must not interrupt its parent's compilation */
/* A compiled kernel that is to be written to the cache, after it is in use: a busy disk may take seconds. */
typedef struct orr__unwritten {
    orr__jit *of; /* a reference, for its text */
    orr__key key;
    orr__entry entry;
    orr__bytes code;
    int held; /* the lock by which other processes wait for the entry */
} orr__unwritten;
void orr__job_write(orr__unwritten *u); /* frees u */
/* Tries memory, disk, compiler, in this order. DONE: *c is a reference, or NULL if the kernel stays in tier 0 for good; *u is to be
 * written, or NULL. LATER: the error may be temporary; j->retry is the time of the next try. CUT: interrupted. */
typedef enum { ORR__JOB_DONE, ORR__JOB_LATER, ORR__JOB_CUT } orr__job_end;
orr__job_end orr__job_on(orr__jit *j, orr__code **c, orr__unwritten **u);
/* The kernel that an earlier process has compiled for this content: a reference, or NULL. Needs no text and runs no compiler. */
orr__code *orr__job_look(const orr__jit *j);
uint64_t orr__job_ns(void);     /* the compiler's time for a kernel, of late */
bool orr__job_may_find(void);   /* false: it would find nothing */
extern double orr__retry_pause; /* seconds before the first retry; tests shorten it */

typedef enum { ORR__COUNT_COMPILED, ORR__COUNT_DISK, ORR__COUNT_MEMORY, ORR__COUNT_FAILED, ORR__COUNTS } orr__counter;
void orr__job_count(orr__counter c);

/* jit.c */
void orr__jit_install(orr__jit *j, orr__code *c);

#endif
