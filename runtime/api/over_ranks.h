/* Evaluations of values over ranks.
 * Must not know: devices, StarPU. */
#ifndef ORR_API_OVER_RANKS_H
#define ORR_API_OVER_RANKS_H

#include "runtime/engine/engine.h"
#include "runtime/graph/capture.h"

/* Collective: evaluates this rank's part of the graph of all ranks. out: references, one for each output of p; placed: the numbers of
 * their distributions. p is a light capture of the roots, and becomes a full one if the graph is new; roots NULL: p is full. */
orr_status orr__evaluate_over_ranks(orr__site at, const orr__capture_roots *roots, orr__capture *p, orr__buffer **out,
                                    uint16_t *placed, orr__run **run);
/* Collective: this rank cannot evaluate what the ranks evaluate together, for the reason of the last error, of status st: the others get an
 * error, too. Returns st. told: the program knows of it; ORR_OK if this holds on all ranks. The thread has then met the others once more (orr__tls.met), as after orr__evaluate_over_ranks, if that has come so
 * far; twice if the ranks have begun to compute. */
orr_status orr__over_ranks_absent(orr__site at, orr_status st, bool told);
/* To be called before the first evaluation. */
void orr__over_ranks_start(void);
/* To be called before the engine stops. */
void orr__over_ranks_stop(void);

#endif
