/* A budget as a part of other objects' states.
 * Must not know: the form of these states. */
#ifndef ORR_OPS_PRIVACY_BUDGET_H
#define ORR_OPS_PRIVACY_BUDGET_H

#include <orrery/privacy.h>
#include "runtime/base/object.h"
#include "runtime/base/status.h"

orr_status orr__budget_check(orr__site at, const orr_dp_budget *b); /* b is a live budget */
/* The uses as a text, to free. NULL: no memory. */
char *orr__budget_text(orr__site at, const orr_dp_budget *b);
/* Reads such a text and checks that the budget may continue from it; the uses of the budget stay. */
orr_status orr__budget_prepare(orr__site at, orr_dp_budget *b, const char *where, const void *text, size_t size);
void orr__budget_load(orr_dp_budget *b); /* takes over the uses that were prepared */

#endif
