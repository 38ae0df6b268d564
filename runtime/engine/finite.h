/* Numbers that are not finite: while an evaluation is checked, launches look at the results that they have just written.
 * Must not know: the line to blame, StarPU. */
#ifndef ORR_ENGINE_FINITE_H
#define ORR_ENGINE_FINITE_H

#include <stdatomic.h>
#include "runtime/base/env.h"
#include "runtime/engine/engine.h"

/* Calls of orr_check under way. */
extern atomic_int orr__finite_asked;
static inline bool orr__finite_watched(void)
{
    return (orr__env.check & ORR__CHECK_NONFINITE) ||
           atomic_load_explicit(&orr__finite_asked, memory_order_relaxed) > 0;
}

/* The doubts of all launches since the process began. If the number is the same after an evaluation as before it, its results are finite. */
uint64_t orr__finite_doubts(void);
/* While they are watched: the launch has written the outputs of step s in host memory; one doubt if a result of the plan is not finite. */
void orr__finite_look(const orr__step *s, const orr__launch *l);
/* The step's results are written where no processor looks: one doubt. */
void orr__finite_unseen(const orr__step *s);

#endif
