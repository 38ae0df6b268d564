/* What the start of the library says to the random streams.
 * Must not know: how numbers are made. */
#ifndef ORR_OPS_RANDOM_H
#define ORR_OPS_RANDOM_H

/* Every thread's streams begin anew from orr__env.seed; orr_init calls it. */
void orr__random_start(void);

#endif
