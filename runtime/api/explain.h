/* Parts of orr_explain.
 * Must not know: how a kernel computes. */
#ifndef ORR_API_EXPLAIN_H
#define ORR_API_EXPLAIN_H

#include <stdio.h>
#include "runtime/plan/plan.h"

void orr__explain_nests(FILE *to, const orr__region *r,
                        const orr__kernel *k); /* the candidates for its rows; k: NULL, none */
void orr__explain_cost(FILE *to, const orr__plan *plan, const orr__step *s); /* for one task of a step */
/* The ledger of regret of the process, if there were trials. */
void orr__explain_regret(FILE *to);
void orr__explain_placed(FILE *to, const orr__plan *plan); /* nothing while there is no choice */

#endif
