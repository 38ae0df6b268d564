/* Monotonic time.
 * Must not know: who asks. */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

double orr__now(void); /* seconds, monotonic */

#endif
