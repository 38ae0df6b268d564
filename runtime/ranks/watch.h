/* The watch over the other ranks, for the start and end of ranks.
 * Must not know: exchanges of arrays. */
#ifndef ORR_RANKS_WATCH_H
#define ORR_RANKS_WATCH_H

#include "runtime/base/env.h"
#include "runtime/ranks/ranks.h"
#include "runtime/ranks/transport.h"

/* The identity that a rank sends to the others at the start. */
typedef struct orr__identity {
    char host[64];
    char machine[96];                  /* equal: process numbers can be compared */
    uint64_t cores;                    /* equal on one machine: threads of both may run on the same cores */
    uint64_t setting[ORR__ENV_SHARED]; /* hashes of the values of orr__env_shared */
    int pid;
} orr__identity;

/* `who` has one identity for each rank and must outlive the watch. If not any thread may call MPI, the watch sends no heartbeats, and notices
 * only in orr__watch_attend. */
orr_status orr__watch_start(const orr__transport *transport, orr__callers callers, const orr__identity *who);
/* Sends and receives notices on this thread. */
void orr__watch_attend(void);
/* This rank stops its evaluation of that number: the others hear of it. */
void orr__watch_stopped(uint64_t number);
/* Announces that this rank leaves, waits until all have left, ends the watch. */
void orr__watch_stop(void);
/* To be called before MPI's finalisation, which waits for all ranks: if one has died, the process ends instead of waiting for ever. */
void orr__watch_finish(void);

#endif
