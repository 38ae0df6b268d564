/* The watch over the other ranks, for the start and end of ranks.
 * Must not know: exchanges of arrays. */
#ifndef ORR_RANKS_WATCH_H
#define ORR_RANKS_WATCH_H

#include "runtime/ranks/ranks.h"
#include "runtime/ranks/transport.h"

/* The identity that a rank tells the others at the start. */
typedef struct orr__identity {
    char host[64];
    char machine[96]; /* equal: process numbers mean the same */
    uint64_t cores;   /* equal on one machine: threads of both may run on the same cores */
    int pid;
} orr__identity;

/* `who` has one for each rank and lives as long as the watch. */
orr_status orr__watch_start(const orr__transport *transport, const orr__identity *who);
/* Tells the others that this rank leaves, waits until all have, ends the watch. */
void orr__watch_stop(void);
/* Before MPI's end, which waits for all ranks: where one has died, the process ends instead of waiting for ever. */
void orr__watch_finish(void);

#endif
