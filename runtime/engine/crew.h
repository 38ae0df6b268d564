/* A crew: threads that do the shares of one job after the other, and wait for each other in between without sleeping.
 * Must not know: plans, kernels, StarPU. */
#ifndef ORR_ENGINE_CREW_H
#define ORR_ENGINE_CREW_H

#include <stdatomic.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef orr_status (*orr__share)(void *job, int share);

enum { ORR__CREW_SHARES = 1024 }; /* of a job, at most */

/* Member 0 leads: it opens the crew, offers jobs, closes. The others help from when they come until it closes, however late or not
 * at all: a share belongs to the member that claims it, so nobody waits for one who is not there. Each claims those of its own part
 * first, since what it wrote of the job before lies in its caches. */
typedef struct orr__crew {
    atomic_uint_least64_t offer; /* number of the job << 16 | its shares          */
    char apart[56];
    atomic_int done;   /* shares of the job that have ended             */
    atomic_int status; /* of the first share that failed, and its text  */
    atomic_uint trips; /* odd while it is open                          */
    int members;
    orr__share share; /* of the job; read by who has claimed a share   */
    void *job;
    char text[640];
    atomic_uint_least64_t claimed[ORR__CREW_SHARES]; /* the last job whose share of this number was claimed */
} orr__crew;

/* The leader's. open: the number of the trip, for those who help. */
unsigned orr__crew_open(orr__crew *c, int members);
/* All shares 0 … shares − 1 of a job, by whoever is there; the first error of any. */
orr_status orr__crew_do(orr__crew *c, int shares, orr__share share, void *job);
void orr__crew_close(orr__crew *c);

/* On another thread, as member 1 … members − 1: shares of this trip's jobs, until it is over. */
void orr__crew_help(orr__crew *c, unsigned trip, int member);

#endif
