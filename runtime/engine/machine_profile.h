/* Start and end of the machine's profile. One thread at a time.
 * Must not know: starpu.h. */
#ifndef ORR_ENGINE_MACHINE_PROFILE_H
#define ORR_ENGINE_MACHINE_PROFILE_H

#include "runtime/engine/execution.h"

/* Puts the stored profile into force, or starts a thread that measures one. */
void orr__profile_start(const orr__engine_impl *e);
void orr__profile_wait(void);   /* until that thread has ended */
void orr__profile_stop(void);   /* stops that thread           */
void orr__profile_orphan(void); /* in the child of a fork      */

#endif
