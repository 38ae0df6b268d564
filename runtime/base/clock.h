/* Monotonic time.
 * Must not know: its callers. */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

double orr__now(void); /* seconds, monotonic */

#endif
