/* The tuned numbers of runtime/base/threshold.def: ORR__T_name.
 * Must not know: the users of a number. */
#ifndef ORR_BASE_THRESHOLD_H
#define ORR_BASE_THRESHOLD_H

#define THRESHOLD(name, value, unit, reason, command) ORR__T_##name = (value),
enum {
#include "runtime/base/threshold.def"
};
#undef THRESHOLD

#endif
