/* The joint end of an evaluation: if one rank stops it, all do, and none takes a value of it.
 * Must not know: what is evaluated. */
#ifndef ORR_RANKS_JOINT_H
#define ORR_RANKS_JOINT_H

#include <stdint.h>
#include "runtime/base/stop.h"

/* Every rank begins the same evaluations in the same order. The stop is inside that of this thread, and another rank can ask it too. Its
 * holder carries out the exchanges of the evaluation all the same, computes no more, and then votes. NULL: no memory, last error set. */
orr__stop *orr__joint_begin(orr__site at);
/* This rank stops: asks the others to do so, which saves their work, and returns at once. */
void orr__joint_tell(const orr__stop *s);
/* Collective: the vote. mine: ORR_OK or ORR_ECANCELLED. The error of this rank if it has stopped, ORR_ECANCELLED with the name of another one
 * that has, else ORR_OK on all ranks. */
orr_status orr__joint_agree(orr__site at, const orr__stop *s, orr_status mine);
/* The same without a wait; `done` as that of an exchange. */
void orr__joint_post(const orr__stop *s, orr_status mine, void (*done)(void *argument, orr_status st, const char *text),
                     void *argument);

/* For the watch: rank `by` has stopped its evaluation of that number, 0: none. */
void orr__joint_hear(uint64_t number, int by);
/* The ranks end. */
void orr__joint_forget(void);

#endif
