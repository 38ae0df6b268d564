/* A crew: threads that do the shares of one job after another, and wait for each other in between without sleeping.
 * Must not know: plans, kernels, StarPU. */
#ifndef ORR_ENGINE_CREW_H
#define ORR_ENGINE_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "runtime/base/status.h"

typedef orr_status (*orr__share)(void *job, int share);

enum { ORR__CREW_SHARES = 1024 }; /* of a job, at most */

/* Member 0 leads: it opens the crew, offers jobs and closes the crew. The other members help from their arrival until the close. They
 * may arrive late or not at all: a share belongs to the member that claims it, so nobody waits for an absent member. Each member claims
 * the shares of its own part first, since its results of the previous job are in its caches. */
typedef struct orr__crew {
    atomic_uint_least64_t offer; /* number of the job << 16 | number of its shares */
    char apart[56];
    atomic_int done;   /* shares of the job that have ended             */
    atomic_int status; /* of the first share that failed; text: its message */
    atomic_uint trips; /* odd while the crew is open                    */
    int members;
    orr__share share; /* of the job; read only by a thread that has claimed a share */
    void *job;
    char text[640];
    atomic_int awaited;   /* shares of the job until whose end the leader sleeps; 0: it does not                     */
    atomic_int napping;   /* members that sleep until the next job or ring                               */
    atomic_uint rings;    /* calls that wake them before a job                                           */
    atomic_uint wakes;    /* jobs and rings for which one or more of them slept                          */
    atomic_int spin_ns;   /* time without a share after which a member sleeps                            */
    atomic_int contended; /* waits to come without spinning, since other threads want the members' cores */
    int uneven;           /* jobs to come in smaller shares; of the leader                               */
    void (*rested)(void); /* called by a member that has slept for long; NULL: nothing                   */
    atomic_uint_least64_t claimed[ORR__CREW_SHARES]; /* by share: the last job for which it was claimed */
} orr__crew;

/* For the leader. open: returns the number of the trip, for the helpers. */
unsigned orr__crew_open(orr__crew *c, int members);
/* From now on a member sleeps after so long without a share, or at once if it lost its core to another thread lately. */
void orr__crew_spins(orr__crew *c, double us);
/* Wakes sleeping members, which then wait for a job as long as they may spin. */
void orr__crew_ring(orr__crew *c);
/* Does all shares 0 … shares − 1 of a job, with the members that are present; returns the first error of any. us: expected of each member. */
orr_status orr__crew_do(orr__crew *c, int shares, double us, orr__share share, void *job);
/* True if lately a member was late or slow, since other threads want its core: the wait for its last share is short if shares are small. */
static inline bool orr__crew_is_uneven(const orr__crew *c)
{
    return c->uneven > 0;
}
void orr__crew_close(orr__crew *c);

/* On another thread, as member 1 … members − 1: does shares of this trip's jobs until the trip is over. */
void orr__crew_help(orr__crew *c, unsigned trip, int member);

#endif
