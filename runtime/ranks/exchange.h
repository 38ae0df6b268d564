/* The thread of exchanges, for the start and end of ranks.
 * Must not know: when a rank counts as dead. */
#ifndef ORR_RANKS_EXCHANGE_H
#define ORR_RANKS_EXCHANGE_H

#include "runtime/ranks/ranks.h"
#include "runtime/ranks/transport.h"

/* Gets the memory for the start. node: of each rank; NULL: no memory. */
orr_status orr__exchanges_prepare(orr__site at, const orr__transport *transport, orr__callers callers, const int *node);
/* Measures messages and, if any thread may call MPI, starts the thread. Collective, after all ranks have prepared it. */
orr_status orr__exchanges_start(orr__site at, const int *node);
/* Ends the thread after the exchanges under way. */
void orr__exchanges_stop(void);
/* Waits until no exchange is under way or posted; then this rank may leave the others. */
void orr__exchanges_drain(void);
/* The rank has no exchange under way and posts no more: exchanges that wait for it end with an error. */
void orr__exchanges_left(int rank);
/* A rank has failed (orr__ranks_failed has the message): all exchanges end with an error. */
void orr__exchanges_fail(void);
/* Sends and receives the notices of the watch, which has no thread for that, if this thread may call MPI now. */
void orr__exchanges_attend(void);

#endif
