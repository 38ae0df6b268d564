/* The end of an evaluation that the ranks make together: if one rank fails or stops it, all do, and none takes a value of it.
 * Must not know: what is evaluated. */
#ifndef ORR_RANKS_JOINT_H
#define ORR_RANKS_JOINT_H

#include <stdint.h>
#include "runtime/base/stop.h"
#include "runtime/ranks/ranks.h"

/* The exchanges of an evaluation, in the order of all ranks. Each rank takes part in all of them: one that has failed, or stops, in the rest
 * with zeros, so that no other rank waits for it. */
typedef struct orr__duties {
    const orr__exchange *x; /* of values, without arrays */
    int n;
    uint64_t before; /* orr__exchanges_of_values before the first of them */
} orr__duties;

/* Every rank begins the same evaluations in the same order. The stop is inside that of this thread, and another rank can ask it too. NULL: no
 * memory, last error set. */
orr__stop *orr__joint_begin(orr__site at);
/* Collective: takes part in the duties that are left, and votes. mine: of this rank, with its last error. s: of the evaluation, NULL: it
 * cannot be stopped. ORR_OK if all ranks have it. If the first failure is a stop, ORR_ECANCELLED on all ranks, with the name of that one; else
 * each rank has the error of its own, or ORR_ERANK with a failed rank and its message. An error that the zeros of another rank may have
 * caused is none. */
orr_status orr__joint_end(orr__site at, const orr__stop *s, orr__duties due, orr_status mine);
/* The same without a wait, by a run of s: announced before the first exchange. False: no memory, last error set. */
bool orr__joint_expect(orr__stop *s, orr__duties due);
void orr__joint_post(orr__stop *s, orr_status mine, const char *why,
                     void (*done)(void *argument, orr_status st, const char *text), void *argument);

/* For the watch: rank `by` has stopped its evaluation of that number, 0: none. */
void orr__joint_hear(uint64_t number, int by);
/* The ranks end. */
void orr__joint_forget(void);

#endif
