/* Start and end of the machine's numbers. One thread at a time.
 * Must not know: starpu.h. */
#ifndef ORR_ENGINE_PROFILE_H
#define ORR_ENGINE_PROFILE_H

#include "runtime/engine/execution.h"

/* The kept numbers come into force, or a thread starts that measures them. */
void orr__profile_start(const orr__engine_impl *e);
void orr__profile_wait(void);   /* until that thread has ended */
void orr__profile_stop(void);   /* tells it to                 */
void orr__profile_orphan(void); /* in the child of a fork      */

#endif
